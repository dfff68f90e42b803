// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// api speaks to the API server in single requests with nothing in between: rows say exactly what is sent, what is wrong with it included.
type api struct{ rest *rest.RESTClient }

func newAPI(cfg *rest.Config) (*api, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath, cfg.GroupVersion = "/", &schema.GroupVersion{}
	cfg.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion()
	cfg.WarningHandlerWithContext = rest.NoWarnings{}
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return &api{rest: client}, nil
}

// request is one request about an object.
type request struct {
	verb string // GET, PUT, POST, DELETE, PATCH
	path string
	// patch is the kind of a PATCH.
	patch  types.PatchType
	params map[string]string
	body   []byte
}

// do sends it and returns the answer, if that is an object.
func (a *api) do(ctx context.Context, r request) (*unstructured.Unstructured, error) {
	req := a.rest.Verb(r.verb).AbsPath(r.path).SetHeader("Accept", "application/json")
	switch {
	case r.patch != "":
		req.SetHeader("Content-Type", string(r.patch))
	case r.body != nil:
		req.SetHeader("Content-Type", "application/json")
	}
	for name, value := range r.params {
		if value != "" {
			req.Param(name, value)
		}
	}
	if r.body != nil {
		req.Body(r.body)
	}
	result := req.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	raw, err := result.Raw()
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("reading the API server's answer: %w", err)
	}
	return out, nil
}

// get returns nil for an object that does not exist.
func (a *api) get(ctx context.Context, path string) (*unstructured.Unstructured, error) {
	out, err := a.do(ctx, request{verb: "GET", path: path})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return out, err
}
