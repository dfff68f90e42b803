// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// document is what -o json and -o yaml print. It is part of what the plugin promises: see the command's help.
type document struct {
	Object cli.Reference `json:"object"`
	Fields []field       `json:"fields"`
}

type field struct {
	// Path is written as the API server writes it in conflicts.
	Path   string      `json:"path"`
	Owners []cli.Owner `json:"owners"`
}

func documentOf(name cli.Reference, table apply.Table) document {
	d := document{Object: name, Fields: make([]field, len(table))}
	for i, f := range table {
		d.Fields[i] = field{Path: f.Path.String(), Owners: cli.Owners(f.Owners)}
	}
	return d
}
