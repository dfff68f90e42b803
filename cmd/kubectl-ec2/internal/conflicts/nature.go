// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// nature is what can be told of an owner from its name and operation: what it does when a field is taken from it.
type nature int

const (
	// applier applies, and is told when it is in conflict itself.
	applier nature = iota
	// writer writes by Update, without looking at owners.
	writer
	// controller, or a tool that keeps objects as a source says: it comes back by itself.
	controller
	// clientSide is kubectl apply without --server-side.
	clientSide
	// trace is what a single command has left, such as kubectl edit.
	trace
)

// beforeFirstApply owns what an object held that had no managedFields when it was first applied (managedfields,
// apimachinery).
const beforeFirstApply = "before-first-apply"

// clientSideApply is kubectl apply without --server-side.
const clientSideApply = "kubectl-client-side-apply"

var (
	controllerNames = []string{"manager", "kubelet", "kube-scheduler", "argocd", "flux"}
	// controllerParts are how programs are named that write by themselves.
	controllerParts = []string{"controller", "operator", "autoscaler"}
	// ours are the prefixes of this project's managers.
	ours = []string{"ec2-instance", "ec2-account", "ec2-governance", "ec2-compliance", "ec2-inventory"}
)

func natureOf(o apply.Owner) nature {
	name := strings.ToLower(o.Manager)
	update := o.Operation == metav1.ManagedFieldsOperationUpdate
	switch {
	case isController(name):
		return controller
	case update && name == clientSideApply:
		return clientSide
	case update && (name == defaultManager || name == beforeFirstApply || strings.HasPrefix(name, "kubectl-")):
		return trace
	case update:
		return writer
	default:
		return applier
	}
}

func isController(name string) bool {
	if slices.Contains(controllerNames, name) {
		return true
	}
	return slices.ContainsFunc(controllerParts, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(ours, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// afterwards says what becomes of a field that is taken from an owner.
func (n nature) afterwards() string {
	switch n {
	case controller:
		return "By its name it is a controller or a GitOps tool: it takes the field back when it writes next, unless it is " +
			"changed where it has the value from."
	case clientSide:
		return "Whoever uses kubectl apply without --server-side overwrites your value the next time, and is not told of a conflict."
	case trace:
		return "It is what a single command has left: nobody takes the field back."
	case writer:
		return "It writes without asking who owns what: if it still runs, it overwrites your value the next time."
	default:
		return "Its next apply with another value is in conflict with you, unless it forces too."
	}
}
