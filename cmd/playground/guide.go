// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"text/template"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
)

// place is what the guide speaks of.
type place struct {
	Root, Kubeconfig, Kubectl, Plugins, ControlURL, OperatorLog string
}

var guideTemplate = template.Must(template.New("guide").
	Funcs(template.FuncMap{
		"quote": func(s string) string { return screen.Quote([]string{s}) },
		"dir":   filepath.Dir,
	}).
	Parse(`
Everything is ready. In another terminal:

  cd {{quote .Root}}
  export KUBECONFIG={{quote .Kubeconfig}}
  export PATH={{.Kubectl | dir | quote}}:{{.Plugins | quote}}:$PATH    # the kubectl of this control plane, and kubectl ec2

  kubectl apply --server-side -k config/samples    # three instances
  kubectl get ec2i -o wide --watch                 # see them come up
  kubectl ec2 owners ec2i/web                      # who owns which field
  kubectl delete ec2i --all                        # terminates them

The simulated EC2, behind the operator's back:

  curl {{quote .ControlURL}}instances
  curl -X POST {{quote .ControlURL}}instances/ID/terminate    # see it come back

The operator's log: {{.OperatorLog}}
Ctrl-C stops everything and removes what it has written.
`))

// guide says what can be done with what runs.
func guide(p place) (string, error) {
	var b strings.Builder
	if err := guideTemplate.Execute(&b, p); err != nil {
		return "", err //nolint:wrapcheck // it names the template and the field
	}
	return b.String(), nil
}
