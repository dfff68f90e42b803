// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// serve carries a call out and returns the answer's object.
func (s *Server) serve(ctx context.Context, c *call) (any, error) {
	switch c.Verb {
	case VerbGet:
		item := s.objects[objectKey{kind: c.kind, NamespacedName: c.Key()}]
		if item == nil {
			return nil, apierrors.NewNotFound(c.kind.groupResource(), c.Name)
		}
		return c.form(item.loaded)
	case VerbList:
		return s.serveList(c)
	case VerbDelete:
		return s.serveDelete(ctx, c)
	}
	obj, err := s.serveWrite(ctx, c)
	if err != nil {
		return nil, err
	}
	return c.form(obj)
}

func (s *Server) serveWrite(ctx context.Context, c *call) (client.Object, error) {
	switch c.Verb {
	case VerbCreate:
		return s.serveCreate(ctx, c)
	case VerbUpdate:
		return s.serveUpdate(ctx, c)
	default:
		return s.servePatch(ctx, c)
	}
}

// form is how the answer shows an object.
func (c *call) form(obj client.Object) (any, error) {
	if !c.metadataOnly {
		return obj, nil
	}
	u, err := content(obj)
	if err != nil {
		return nil, err
	}
	return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": u["metadata"]}, nil
}

func (s *Server) serveList(c *call) (any, error) {
	selector, err := labels.Parse(c.query.Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	only, err := fields.ParseSelector(c.query.Get("fieldSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	items := []any{}
	for _, item := range s.all(c.kind, c.Namespace) {
		named := fields.Set{"metadata.name": item.loaded.GetName(), "metadata.namespace": item.loaded.GetNamespace()}
		if !selector.Matches(labels.Set(item.loaded.GetLabels())) || !only.Matches(named) {
			continue
		}
		formed, err := c.form(item.loaded)
		if err != nil {
			return nil, err
		}
		items = append(items, formed)
	}
	apiVersion, kind := c.kind.gvk.ToAPIVersionAndKind()
	if c.metadataOnly {
		apiVersion, kind = "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	return map[string]any{
		"apiVersion": apiVersion, "kind": kind + "List", "metadata": map[string]any{"resourceVersion": versionText(s.version)}, "items": items,
	}, nil
}

func (s *Server) serveDelete(ctx context.Context, c *call) (any, error) {
	options := &metav1.DeleteOptions{}
	if len(c.body) > 0 {
		if err := json.Unmarshal(c.body, options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	c.DryRun = slices.Contains(options.DryRun, metav1.DryRunAll)
	if err := s.admitDelete(c); err != nil {
		return nil, err
	}
	if err := s.erase(ctx, c, options); err != nil {
		return nil, err
	}
	return metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess}, nil
}

// sent reads the object that the body holds.
func (c *call) sent() (client.Object, error) {
	served := c.kind.gvk
	obj, err := c.kind.codec.decode(c.body)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", served.Kind, served.Version, served.Kind, err))
	}
	said := obj.GetObjectKind().GroupVersionKind()
	switch {
	case said.GroupVersion() != served.GroupVersion():
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)",
			said.GroupVersion(), served.GroupVersion()))
	case said.Kind != served.Kind:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s", said.Kind, served.Version, served.Kind))
	default:
		return obj, nil
	}
}

func (s *Server) serveCreate(ctx context.Context, c *call) (client.Object, error) {
	obj, err := c.sent()
	if err != nil {
		return nil, err
	}
	rest.WipeObjectMetaSystemFields(obj)
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(c.expectedNamespace(), obj); err != nil {
		return nil, err
	}
	c.Name = obj.GetName()
	dedupOwners(obj)
	if obj, err = asObject(c.endpoint.manager.UpdateNoErrors(c.kind.codec.fresh(), obj, c.Manager)); err != nil {
		return nil, err
	}
	if err := s.admitCreate(c); err != nil {
		return nil, err
	}
	obj, err = s.insert(ctx, c, obj)
	if err == nil {
		c.Name = obj.GetName()
	}
	return obj, err
}

func (c *call) expectedNamespace() string {
	if !c.kind.namespaced {
		return ""
	}
	return c.Namespace
}

func (s *Server) serveUpdate(ctx context.Context, c *call) (client.Object, error) {
	sent, err := c.sent()
	if err != nil {
		return nil, err
	}
	if err := c.checkIdentity(sent); err != nil {
		return nil, err
	}
	dedupOwners(sent)
	var only *types.UID
	if uid := sent.GetUID(); uid != "" {
		only = &uid
	}
	return s.change(ctx, c, only, false, func(existing client.Object) (client.Object, error) {
		obj, err := asObject(c.endpoint.manager.UpdateNoErrors(copyOf(existing), sent, c.Manager))
		if err != nil {
			return nil, err
		}
		if existing.GetUID() == "" {
			return obj, s.admitCreate(c)
		}
		return obj, nil
	})
}

// checkIdentity holds the object in a body to the one in the request's line.
func (c *call) checkIdentity(obj client.Object) error {
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(c.expectedNamespace(), obj); err != nil {
		return err
	}
	switch obj.GetName() {
	case c.Name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", c.Name))
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", obj.GetName(), c.Name))
	}
}

func asObject(obj runtime.Object) (client.Object, error) {
	out, ok := obj.(client.Object)
	if !ok {
		return nil, errors.New("the merge code returned something without metadata")
	}
	return out, nil
}
