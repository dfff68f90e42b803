// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// settling waits until the operator has brought the object to rest.
type settling struct{}

func (settling) text(perfect bool) string {
	return tense(perfect, "the operator brings it to rest", "the operator has brought it to rest")
}

func (settling) run(s *scene) error {
	s.t.Helper()
	s.eventually("waiting for the operator", s.settled, func() string { return pretty(s.now) })
	return nil
}

// resting watches the operator while nobody does anything.
type resting struct{ how time.Duration }

func (x resting) text(bool) string {
	return fmt.Sprintf("for %s nobody does anything", x.how)
}

func (x resting) run(s *scene) error {
	s.t.Helper()
	before := len(s.requests())
	s.idle(x.how)
	if now := s.requests(); len(now) != before {
		s.t.Errorf("the operator made %d requests at rest: %v", len(now)-before, now[before:])
	}
	return nil
}

// calming waits until the operator has been at rest for a while: what wakes it may reach it late.
type calming struct{ how time.Duration }

func (x calming) text(bool) string {
	return fmt.Sprintf("the operator comes to rest, for %s", x.how)
}

func (x calming) run(s *scene) error {
	s.t.Helper()
	s.eventually(x.text(false), func() error {
		before := len(s.requests())
		if s.idle(x.how); len(s.requests()) != before {
			return notYet("it made %d requests", len(s.requests())-before)
		}
		return nil
	}, func() string { return fmt.Sprint(s.requests()) })
	return nil
}

// repeating does something several times, at an interval.
type repeating struct {
	do    action
	times int
	every time.Duration
}

func (x repeating) text(perfect bool) string {
	often := fmt.Sprintf("%d times on end", x.times)
	if x.every > 0 {
		often = fmt.Sprintf("%d times, every %s", x.times, x.every)
	}
	return x.do.text(perfect) + ", " + often
}

func (x repeating) run(s *scene) error {
	s.t.Helper()
	for i := range x.times {
		if i > 0 {
			s.idle(x.every)
		}
		if err := s.attempt(x.do); err != nil {
			return err
		}
	}
	return nil
}

// onChild does something to a child of the object.
type onChild struct {
	of   *kind
	name string
	do   action
}

func (x onChild) text(perfect bool) string {
	return fmt.Sprintf("on the %s: %s", x.of.Kind, x.do.text(perfect))
}

func (x onChild) run(s *scene) error {
	s.t.Helper()
	child := s.child(x.of, x.name)
	child.look()
	return x.do.run(child)
}

// looking does nothing: what the row says of a child comes true by itself.
type looking struct{}

func (looking) text(perfect bool) string {
	return tense(perfect, "nobody does anything", "nobody has done anything")
}
func (looking) run(*scene) error { return nil }

// child is the scene of one of the object's children.
func (s *scene) child(of *kind, name string) *scene {
	key := schema.GroupKind{Group: of.Group, Kind: of.Kind}
	if s.children[key] == nil {
		if s.children == nil {
			s.children = map[schema.GroupKind]*scene{}
		}
		s.children[key] = &scene{t: s.t, kind: of, namespace: s.namespace, name: name, stage: s.stage}
	}
	return s.children[key]
}

// observing holds what a table of owners cannot show: EC2, events, and how often the operator writes.
type observing struct {
	says  string
	check func(s *scene) error
}

func (x observing) text(bool) string { return x.says }

func (x observing) run(s *scene) error {
	s.t.Helper()
	s.eventually(x.says, func() error { s.look(); return x.check(s) }, func() string { return pretty(s.now) })
	return nil
}
