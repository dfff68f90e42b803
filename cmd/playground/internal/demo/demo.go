// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package demo is the operator's main job from end to end, unattended: instances are
// created, changed by two managers, lost and deleted, with the real kubectl on a real
// API server, and everything that is claimed of it is checked there and in EC2.
package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
	"github.com/fieldowner/ec2-operator/cmd/playground/internal/stack"
	"github.com/fieldowner/ec2-operator/cmd/playground/internal/steps"
)

const (
	// quick bounds steps that take a second or two; a machine that is busy needs a
	// multiple.
	quick = time.Minute
	// slow bounds steps that wait for what happens in EC2: up to half a minute when an
	// instance is launched again, since the operator lists EC2 every 10 s here and
	// pauses 15 s between two launches of an object.
	slow = 3 * time.Minute
	// kubectlTimeout has kubectl give up a little before the step does, since it says
	// what it was waiting for.
	kubectlTimeout = "--timeout=150s"
	// explainTimeout is for finding out what went wrong.
	explainTimeout = 30 * time.Second
)

// samples is what the demo creates, as a user would.
const samples = "config/samples"

// session is one run of the demo.
type session struct {
	stack  *stack.Stack
	screen *screen.Screen
	// names are the EC2Instances that were created.
	names []string
	// beforeDeletion is how many requests the operator had made when the deletion began.
	beforeDeletion int
	// writes are the operator's writes to each object from its creation to its end, and
	// launches the instances that EC2 has launched.
	writes   map[string]int
	launches int
}

// Run runs the demo on a stack that is ready, and returns a line that sums it up. It
// fails unless everything was as it should be and nothing is left, neither objects nor
// instances.
func Run(ctx context.Context, st *stack.Stack, sc *screen.Screen) (string, error) {
	s := &session{stack: st, screen: sc}
	err := steps.Run(ctx, sc, []steps.Step{
		{Title: "create three instances by server-side apply", Within: quick, Do: s.create},
		{Title: "wait until they are Ready", Within: slow, Do: s.waitReady},
		{Title: "look at them", Within: quick, Do: s.look},
		{Title: "see who owns which field", Within: quick, Do: s.showOwners},
		{Title: "set a tag as a second manager", Within: slow, Do: s.addTag},
		{Title: "see what a second manager may not set", Within: quick, Do: s.seeConflict},
		{Title: "terminate an instance behind the operator's back", Within: slow, Do: s.loseInstance},
		{Title: "delete everything", Within: slow, Do: s.deleteAll},
		{Title: "count what it has cost", Within: quick, Do: s.count},
	})
	if err != nil {
		s.explain(ctx)
		return "", err
	}
	return s.summary(), nil
}

// explain shows what helps to find out why a step failed.
func (s *session) explain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTimeout)
	defer cancel()
	s.screen.Heading("What was there when the demo failed")
	s.screen.Text("%s\n", s.stack.OperatorLogTail())
	if out, err := s.stack.Cluster.Kubectl(ctx, "get", "ec2account,ec2instance", "-o", "go-template="+conditionsTemplate); err != nil {
		s.screen.Text("The conditions cannot be read: %s", err)
	} else {
		s.screen.Text("Conditions:\n%s", out)
	}
	live, err := s.stack.EC2.Instances(ctx)
	if err != nil {
		s.screen.Text("EC2 cannot be asked: %s", err)
	}
	for _, i := range live {
		s.screen.Text("EC2: %s %s, launched %s, tags %v", i.ID, i.State, i.Launched.Format(time.TimeOnly), i.Tags)
	}
}

// conditionsTemplate shows each condition of each object on a line.
const conditionsTemplate = `{{range .items}}{{$o := .}}{{range .status.conditions -}}
{{$o.kind}}/{{$o.metadata.name}} (generation {{$o.metadata.generation}}): {{.type}}={{.status}} {{.reason}} (of generation {{.observedGeneration}}): {{.message}}
{{end}}{{end}}`

// summary is the result in a line.
func (s *session) summary() string {
	return fmt.Sprintf("%d objects, %d launches with one RunInstances call each, nothing left. "+
		"The operator's writes to the API server per object, from creation to end: %s.",
		len(s.names), s.launches, perName(s.writes))
}
