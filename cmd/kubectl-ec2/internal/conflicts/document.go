// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"errors"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
)

// document is what -o json and -o yaml print. It is part of what the plugin promises: see the command's help.
type document struct {
	FieldManager string   `json:"fieldManager"`
	Objects      []object `json:"objects"`
	// Errors are what kept objects from being looked at.
	Errors []string `json:"errors,omitempty"`
}

type object struct {
	Object cli.Reference `json:"object"`
	// Source are the flags that name the object's file.
	Source    string     `json:"source"`
	Result    outcome    `json:"result"`
	Error     string     `json:"error,omitempty"`
	Conflicts []conflict `json:"conflicts,omitempty"`
}

type conflict struct {
	Path   string      `json:"path"`
	Owners []cli.Owner `json:"owners"`
	// Live and Wanted are left out where there is no value, or it is not known.
	Live   any `json:"live,omitempty"`
	Wanted any `json:"wanted,omitempty"`
}

func documentOf(manager string, found []finding, err error) document {
	d := document{FieldManager: manager, Objects: make([]object, len(found)), Errors: texts(err)}
	for i, f := range found {
		o := object{Object: f.name, Source: strings.Join(f.file, " "), Result: f.outcome}
		if f.err != nil {
			o.Error = line(f.err)
		}
		for _, c := range f.conflicts {
			o.Conflicts = append(o.Conflicts, conflict{Path: c.Field, Owners: cli.Owners(c.Owners), Live: c.Live, Wanted: c.Wanted})
		}
		d.Objects[i] = o
	}
	return d
}

// texts are the texts of an error that may stand for several.
func texts(err error) []string {
	if err == nil {
		return nil
	}
	var all utilerrors.Aggregate
	if !errors.As(err, &all) {
		return []string{line(err)}
	}
	var out []string
	for _, e := range utilerrors.Flatten(all).Errors() {
		out = append(out, line(e))
	}
	return out
}

// line is an error's text in one line.
func line(err error) string { return strings.ReplaceAll(cli.Explained(err).Error(), "\n", "; ") }
