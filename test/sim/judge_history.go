// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

const statusSubresource = "status"

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// objectID names an object, whichever bears the name.
type objectID struct {
	kind string
	types.NamespacedName
}

func idOf(c apiserver.Change) objectID { return objectID{c.Kind.Kind, c.Key()} }

// version is an object at one moment. typed is of an EC2Instance, and changed is nil for one that is gone.
type version struct {
	revision int64
	change   *apiserver.Change
	typed    *ec2v1.EC2Instance
}

// history is what every object was, and which version of each the operators' passes have read.
type history struct {
	versions map[objectID][]version
	// read is the revision that a process' cache had when it last read an object.
	read map[readKey]int64
	// looked is the revision at which a process last read an object past its cache.
	looked map[readKey]int64
	// pass counts the reads of EC2Instances by a process: each begins a pass.
	pass map[string]int
	// subject is the object whose pass a process is at.
	subject map[string]objectID
}

type readKey struct {
	user string
	id   objectID
}

func newHistory() history {
	return history{versions: map[objectID][]version{}, read: map[readKey]int64{}, looked: map[readKey]int64{}, pass: map[string]int{}, subject: map[string]objectID{}}
}

func (h *history) add(c apiserver.Change) {
	v := version{revision: c.ResourceVersion, change: &c}
	if c.Type == watch.Deleted {
		v.change = nil
	}
	h.versions[idOf(c)] = append(h.versions[idOf(c)], v)
}

// typed adds what the latest change of an EC2Instance is in its type.
func (h *history) typed(c apiserver.Change, obj *ec2v1.EC2Instance) {
	versions := h.versions[idOf(c)]
	if last := &versions[len(versions)-1]; last.change != nil {
		last.typed = obj
	}
}

// madeAfter tells whether the object of a change was made after a revision.
func (h *history) madeAfter(c apiserver.Change, revision int64) bool {
	var made int64
	for _, v := range h.versions[idOf(c)] {
		switch {
		case v.change == nil:
			made = 0
		case made == 0:
			made = v.revision
		}
	}
	return made > revision
}

// latest is how the object of a change was before it, or nil.
func (h *history) latest(c apiserver.Change) *apiserver.Change {
	versions := h.versions[idOf(c)]
	if len(versions) == 0 {
		return nil
	}
	return versions[len(versions)-1].change
}

// at is an object at a revision; its zero value stands for none.
func (h *history) at(id objectID, revision int64) version {
	versions := h.versions[id]
	for _, v := range slices.Backward(versions) {
		if v.revision <= revision {
			return v
		}
	}
	return version{}
}

// readAt remembers that a process reads an object of its cache, which shows a revision. what names the read: verb, kind, key.
func (h *history) readAt(user, what string, revision int64) {
	parts := strings.Fields(what)
	if len(parts) != 3 || parts[0] != "get" {
		return
	}
	space, name, _ := strings.Cut(parts[2], "/")
	id := objectID{parts[1], types.NamespacedName{Namespace: space, Name: name}}
	h.read[readKey{user, id}] = revision
	if id.kind == instanceKind.Kind {
		h.pass[user]++
		h.subject[user] = id
	}
}

// decidedOn is the object that the pass that a process is at has read, or nil.
func (h *history) decidedOn(user string) *ec2v1.EC2Instance {
	id, ok := h.subject[user]
	if !ok {
		return nil
	}
	return h.at(id, h.read[readKey{user, id}]).typed
}

// read is told that a process has read its cache.
func (j *judge) read(p *process, what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.holds(secretsByName, !strings.Contains(what, " Secret"), "%s has Secrets in its cache: %s", p.user(), what)
	j.history.readAt(p.user(), what, p.cache.Revision())
	if strings.HasPrefix(what, "get "+instanceKind.Kind+" ") {
		j.sees(p.user(), j.history.decidedOn(p.user()))
	}
}
