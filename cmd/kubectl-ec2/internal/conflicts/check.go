// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// manifest is an object that somebody wants to apply.
type manifest struct {
	object *unstructured.Unstructured
	// file are the flags that have kubectl apply read it.
	file   []string
	server server
}

// outcome is what the API server says to the apply of an object.
type outcome string

// The outcomes, by their names in documents.
const (
	noConflicts    outcome = "NoConflicts"
	inConflict     outcome = "Conflicts"
	wouldBeCreated outcome = "WouldBeCreated"
	failed         outcome = "Failed"
)

// finding is what there is to say about an object.
type finding struct {
	manifest

	name      cli.Reference
	outcome   outcome
	conflicts []apply.Conflict
	// live is the object as it is, where there are conflicts and it can be read.
	live *unstructured.Unstructured
	err  error
}

// checker checks objects in the order in which they would be applied.
type checker struct {
	manager string
	// namespaces are those that an object before would create.
	namespaces []string
}

func (c *checker) check(m manifest) finding {
	f := finding{manifest: m, name: cli.ReferenceTo(m.object)}
	if m.object.GetName() == "" {
		f.outcome, f.err = failed, errors.New("an apply needs metadata.name (metadata.generateName is for creation only)")
		return f
	}
	answer, err := m.server.DryRun(m.object)
	switch {
	case err == nil && answer.GetResourceVersion() == "":
		// A dry run stores nothing, so that what it would create has no version.
		f.outcome = wouldBeCreated
	case err == nil:
		f.outcome = noConflicts
	case c.createsNamespaceOf(f.name, err):
		f.outcome = wouldBeCreated
	default:
		f.refused(err)
	}
	if f.outcome == wouldBeCreated && m.object.GetAPIVersion() == "v1" && m.object.GetKind() == "Namespace" {
		c.namespaces = append(c.namespaces, m.object.GetName())
	}
	return f
}

// createsNamespaceOf tells whether an object is refused only since its namespace is not there, and an object before it would
// create that: in a namespace that does not exist nobody owns anything.
func (c *checker) createsNamespaceOf(name cli.Reference, err error) bool {
	return lacksNamespace(err) && slices.Contains(c.namespaces, name.Namespace)
}

func lacksNamespace(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Kind == "namespaces"
}

// refused takes what the API server says against the apply.
func (f *finding) refused(err error) {
	if _, ok := apply.Explain(err, nil, nil); !ok {
		f.outcome, f.err = failed, wayOut(err, f.name, f.object)
		return
	}
	live, unread := f.server.Get(f.object)
	if unread == nil {
		f.live = live
	}
	f.outcome = inConflict
	f.conflicts, _ = apply.Explain(err, f.live, f.object)
}

// wayOut adds to an error what somebody can do about it.
func wayOut(err error, name cli.Reference, u *unstructured.Unstructured) error {
	hint := ""
	switch {
	case lacksNamespace(err):
		hint = fmt.Sprintf("create the namespace first: kubectl create namespace %s", name.Namespace)
	case apierrors.IsConflict(err) && u.GetResourceVersion() != "":
		hint = "remove metadata.resourceVersion from the file: it is that of an older state"
	case apierrors.IsConflict(err) || apierrors.IsInvalid(err) && u.GetUID() != "" && strings.Contains(err.Error(), "metadata.uid"):
		hint = "remove metadata.uid from the file: it is another object's"
	case u.GetManagedFields() != nil && strings.Contains(err.Error(), "managedFields must be nil"):
		hint = "remove metadata.managedFields from the file"
	case apierrors.IsForbidden(err):
		hint = "a dry run needs the right to patch, and for a new object to create"
	}
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w (%s)", err, hint)
}
