// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// refuse is an error where a manager has nothing to move: it says why, and which managers there are.
func refuse(name cli.Reference, entries []metav1.ManagedFieldsEntry, m apply.Migration) error {
	for _, from := range m.From {
		wanted := apply.Owner{Manager: from, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: m.Subresource}
		if slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return ownerOf(e).Is(wanted) }) {
			continue
		}
		return fmt.Errorf("%q owns nothing of %s %s. %s", from, name, how(m.Subresource), instead(from, entries))
	}
	return nil
}

func how(subresource string) string {
	if subresource == "" {
		return "by Update"
	}
	return "by Update through the subresource " + subresource
}

// instead says what the manager does own, or who owns anything.
func instead(from string, entries []metav1.ManagedFieldsEntry) string {
	var all []string
	for _, e := range entries {
		o := ownerOf(e)
		all = append(all, o.String())
		switch {
		case o.Manager != from:
		case o.Operation == metav1.ManagedFieldsOperationApply:
			return "It uses server-side apply, whose fields are not moved: apply under its name, or have it leave the fields out."
		case o.Subresource == "":
			return "It wrote to the object itself: leave --subresource out."
		default:
			return "It wrote through a subresource: add --subresource=" + o.Subresource + "."
		}
	}
	if len(all) == 0 {
		return "The object has no managedFields: nobody owns a field of it."
	}
	slices.Sort(all) // The API server's order is that of time.
	return "The managers are: " + strings.Join(all, ", ") + "."
}

func ownerOf(e metav1.ManagedFieldsEntry) apply.Owner {
	return apply.Owner{Manager: e.Manager, Operation: e.Operation, Subresource: e.Subresource, APIVersion: e.APIVersion, Time: e.Time}
}
