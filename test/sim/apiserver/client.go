// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RESTConfig is for clients of a user's: any of client-go or controller-runtime that speaks JSON. The user is also the
// field manager of writes that name none.
func (s *Server) RESTConfig(user string) *rest.Config {
	return &rest.Config{
		Host: "http://simulated", Transport: transport{server: s, user: user}, UserAgent: user, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}
}

// Client is a client of a user's: controller-runtime's own.
func (s *Server) Client(user string) client.Client {
	out, err := client.New(s.RESTConfig(user), client.Options{
		HTTPClient: &http.Client{Transport: transport{server: s, user: user}}, Scheme: s.Scheme(), Mapper: s.RESTMapper(),
	})
	if err != nil {
		// Nothing in it depends on the server or the user.
		panic(fmt.Errorf("making a client for %s: %w", user, err))
	}
	return out
}
