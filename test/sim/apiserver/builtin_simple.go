// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const immutableMessage = "field is immutable when `immutable` is set"

func defaultNamespace(n *corev1.Namespace) {
	if n.Name != "" {
		labelNamespace(n)
	}
	if n.Status.Phase == "" {
		n.Status.Phase = corev1.NamespaceActive
	}
}

func labelNamespace(n *corev1.Namespace) {
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelMetadataName] = n.Name
}

func namespaceRules() rules {
	return rules{
		names: metavalidation.ValidateNamespaceName,
		prepareNew: on(func(n *corev1.Namespace) {
			n.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
			if !slices.Contains(n.Spec.Finalizers, corev1.FinalizerKubernetes) {
				n.Spec.Finalizers = append(n.Spec.Finalizers, corev1.FinalizerKubernetes)
			}
		}),
		prepareChanged: onTwo(func(n, old *corev1.Namespace) { n.Spec.Finalizers, n.Status = old.Spec.Finalizers, old.Status }),
		canonical:      on(labelNamespace),
	}
}

func namespaceStatusRules() rules {
	return rules{
		prepareChanged: onTwo(func(n, old *corev1.Namespace) { n.Spec = old.Spec }),
		canonical:      on(labelNamespace),
	}
}

func defaultSecret(s *corev1.Secret) {
	if s.Type == "" {
		s.Type = corev1.SecretTypeOpaque
	}
}

// moveStringData moves stringData, which is only for writing, into data.
func moveStringData(s *corev1.Secret) {
	for key, value := range s.StringData {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[key] = []byte(value)
	}
	s.StringData = nil
}

func secretRules() rules {
	return rules{
		names: metavalidation.NameIsDNSSubdomain,
		check: checking(func(s, old *corev1.Secret) field.ErrorList {
			var errs field.ErrorList
			if old != nil {
				errs = metavalidation.ValidateImmutableField(s.Type, old.Type, field.NewPath("type"))
				if old.Immutable != nil && *old.Immutable {
					errs = append(errs, stillImmutable(s.Immutable)...)
					errs = append(errs, unchanged(s.Data, old.Data, "data")...)
				}
			}
			return append(errs, keys("data", slices.Sorted(maps.Keys(s.Data)))...)
		}),
	}
}

func defaultConfigMap(c *corev1.ConfigMap) {
	if c.Data == nil {
		c.Data = map[string]string{}
	}
}

func configMapRules() rules {
	return rules{
		names: metavalidation.NameIsDNSSubdomain,
		check: checking(func(c, old *corev1.ConfigMap) field.ErrorList {
			var errs field.ErrorList
			if old != nil && old.Immutable != nil && *old.Immutable {
				errs = append(errs, stillImmutable(c.Immutable)...)
				errs = append(errs, unchanged(c.Data, old.Data, "data")...)
				errs = append(errs, unchanged(c.BinaryData, old.BinaryData, "binaryData")...)
			}
			errs = append(errs, keys("data", slices.Sorted(maps.Keys(c.Data)))...)
			for key := range c.Data {
				if _, also := c.BinaryData[key]; also {
					errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData"))
				}
			}
			return append(errs, keys("binaryData", slices.Sorted(maps.Keys(c.BinaryData)))...)
		}),
	}
}

func stillImmutable(flag *bool) field.ErrorList {
	if flag != nil && *flag {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("immutable"), immutableMessage)}
}

// unchanged tells none from empty, as kube-apiserver does here.
func unchanged(value, old any, name string) field.ErrorList {
	if reflect.DeepEqual(value, old) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath(name), immutableMessage)}
}

func keys(name string, all []string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range all {
		for _, message := range validation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(field.NewPath(name).Key(key), key, message))
		}
	}
	return errs
}
