// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package v1 stands for the API.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "sigs.k8s.io/controller-runtime/pkg/client" // want "depguard: .*not allowed from list 'api'"
)

// ThingStatus breaks conventions.
type ThingStatus struct {
	// conditions as the conventions have them.
	//
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// securityGroups says which.
	//
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=64
	// +optional
	SecurityGroups []string `json:"securityGroups,omitempty"` // want "kubeapilinter: ssatags"

	// Name starts with the Go name. // want "kubeapilinter: commentstart"
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Name string `json:"name,omitempty"`

	// zone has no bound.
	//
	// +kubebuilder:validation:MinLength=1
	// +optional
	Zone string `json:"zone,omitempty"` // want "kubeapilinter: maxlength"

	// phase is deprecated.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Phase string `json:"phase,omitempty"` // want "kubeapilinter: nophase"

	// timeout is of a type that only Go parses.
	//
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"` // want "kubeapilinter: nodurations"

	// share is a float.
	//
	// +optional
	Share *float64 `json:"share,omitempty"` // want "kubeapilinter: nofloats"

	// monitoring is a boolean, as EC2 has it.
	//
	// +optional
	Monitoring *bool `json:"monitoring,omitempty"`
}
