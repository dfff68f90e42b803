// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

type clientFunc func(*http.Request) (*http.Response, error)

func (f clientFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestPlainBodiesHideWriteTo(t *testing.T) {
	body := io.NopCloser(strings.NewReader("Action=RunInstances"))
	if _, ok := body.(io.WriterTo); !ok {
		t.Fatal("the body has no WriteTo to hide")
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://ec2.example.com", body)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	_, _ = plainBodies{clientFunc(func(r *http.Request) (*http.Response, error) {
		if _, ok := r.Body.(io.WriterTo); ok {
			t.Error("net/http would see WriteTo")
		}
		read, err := io.ReadAll(r.Body)
		got = string(read)
		return nil, err
	})}.Do(r)
	if got != "Action=RunInstances" {
		t.Errorf("the body arrived as %q", got)
	}
}
