// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// call is a request in progress.
type call struct {
	Request

	kind     *kind
	endpoint *endpoint
	query    url.Values
	body     []byte
	patch    types.PatchType
	// metadataOnly: the answer is to be of metadata alone.
	metadataOnly bool

	// changed: something was stored or deleted.
	changed bool
}

// newCall reads a request's line and header. The call names as much as can be told, also where it returns an error.
func (s *Server) newCall(user string, r *http.Request, body []byte) (*call, error) {
	c := &call{Request: Request{User: user}, query: r.URL.Query(), body: body, metadataOnly: strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata")}
	gvr, ok := c.readPath(r.URL.Path)
	if !ok {
		return c, errUnknownPath(r.URL.Path)
	}
	if c.kind = s.catalog.byResource[gvr]; c.kind == nil {
		return c, errUnknownPath(r.URL.Path)
	}
	c.Kind = c.kind.gvk
	if c.endpoint = c.kind.endpoints[c.Subresource]; c.endpoint == nil {
		return c, apierrors.NewNotFound(c.kind.groupResource(), c.Name)
	}
	c.Manager = c.query.Get("fieldManager")
	if c.Manager == "" {
		c.Manager, _, _ = strings.Cut(user, "/")
	}
	c.Force = c.query.Get("force") == "true"
	c.DryRun = c.query.Get("dryRun") == metav1.DryRunAll
	err := c.readVerb(r)
	return c, err
}

func errUnknownPath(path string) error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, path, "", 0, true)
}

// readPath reads /api/VERSION/… and /apis/GROUP/VERSION/….
func (c *call) readPath(path string) (schema.GroupVersionResource, bool) {
	var out schema.GroupVersionResource
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		out.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		out.Group, out.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return out, false
	}
	if len(parts) > 2 && parts[0] == namespaces.Resource && parts[2] != subresourceStatus {
		c.Namespace, parts = parts[1], parts[2:]
	}
	out.Resource = parts[0]
	if len(parts) > 1 {
		c.Name = parts[1]
	}
	if len(parts) > 2 {
		c.Subresource = parts[2]
	}
	return out, len(parts) <= 3
}

func (c *call) readVerb(r *http.Request) error {
	switch r.Method {
	case http.MethodGet:
		c.Verb = VerbGet
		if c.Name == "" {
			c.Verb = VerbList
		}
	case http.MethodPost:
		c.Verb = VerbCreate
	case http.MethodPut:
		c.Verb = VerbUpdate
	case http.MethodDelete:
		c.Verb = VerbDelete
	case http.MethodPatch:
		c.Verb = VerbPatch
		contentType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if c.patch = types.PatchType(contentType); c.patch == types.ApplyYAMLPatchType {
			c.Verb = VerbApply
		}
	}
	return c.checkVerb(r.Method)
}

func (c *call) checkVerb(method string) error {
	onName := c.Verb != VerbList && c.Verb != VerbCreate
	onStatus := c.Verb == VerbGet || c.Verb == VerbUpdate || c.Verb == VerbPatch || c.Verb == VerbApply
	if c.Verb == "" || (c.Name != "") != onName || (c.Subresource != "" && !onStatus) {
		return apierrors.NewMethodNotSupported(c.kind.groupResource(), method)
	}
	if c.query.Get("watch") == "true" {
		return errors.New("watches are not served: see Changes")
	}
	return c.checkOptions()
}

// checkOptions checks the options of a write.
func (c *call) checkOptions() error {
	var errs field.ErrorList
	var dryRun []string
	if d := c.query["dryRun"]; len(d) > 0 {
		dryRun = d
	}
	manager := c.query.Get("fieldManager")
	var kind string
	switch c.Verb {
	case VerbCreate:
		kind = "CreateOptions"
		errs = validation.ValidateCreateOptions(&metav1.CreateOptions{DryRun: dryRun, FieldManager: manager})
	case VerbUpdate:
		kind = "UpdateOptions"
		errs = validation.ValidateUpdateOptions(&metav1.UpdateOptions{DryRun: dryRun, FieldManager: manager})
	case VerbPatch, VerbApply:
		if err := c.checkPatchType(); err != nil {
			return err
		}
		kind = "PatchOptions"
		options := &metav1.PatchOptions{DryRun: dryRun, FieldManager: manager}
		if c.query.Has("force") {
			options.Force = new(c.Force)
		}
		errs = validation.ValidatePatchOptions(options, c.patch)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
	}
	return nil
}

func (c *call) String() string {
	return fmt.Sprintf("%s %s %s by %s", c.Verb, c.Kind.Kind, c.Key(), c.User)
}
