// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// patience is how long anything may take before a test gives up on it.
	patience = time.Minute
	// moment is how long a client waits for what is not to come.
	moment = 300 * time.Millisecond
)

// backend is a server that remembers what it was asked and, at /watch, says what it is told to.
type backend struct {
	*httptest.Server

	mu       sync.Mutex
	asked    []string
	watchers []chan string
}

func newBackend(t *testing.T) *backend {
	t.Helper()
	b := &backend{}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	b.asked = append(b.asked, fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), body))
	b.mu.Unlock()
	switch r.URL.Path {
	case "/watch":
		b.watch(w, r)
	case "/refused":
		http.Error(w, "no", http.StatusConflict)
	default:
		_, _ = fmt.Fprintf(w, "%s said %s", r.Host, body)
	}
}

// watch says what there is to say until the client goes.
func (b *backend) watch(w http.ResponseWriter, r *http.Request) {
	lines := make(chan string, 10)
	b.mu.Lock()
	b.watchers = append(b.watchers, lines)
	b.mu.Unlock()
	w.(http.Flusher).Flush()
	for {
		select {
		case line := <-lines:
			_, _ = fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// say tells all who watch or have watched.
func (b *backend) say(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.watchers {
		w <- line
	}
}

func (b *backend) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.asked...)
}

// rig is a proxy before a backend, and a client of it.
type rig struct {
	*testing.T
	backend *backend
	proxy   *Proxy
	client  *http.Client
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	r := &rig{T: t, backend: newBackend(t)}
	o.Target = r.backend.URL
	p, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("closing the proxy: %v", err)
		}
	})
	r.proxy, r.client = p, clientOf(p)
	t.Cleanup(r.client.CloseIdleConnections)
	return r
}

// clientOf is a client that trusts the proxy.
func clientOf(p *Proxy) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.Authority)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}}
}

// do asks, and returns the answer with its whole body.
func (r *rig) do(method, path, body string, within time.Duration) (*http.Response, string, error) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), method, r.proxy.URL+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer of-the-client")
	client := *r.client
	client.Timeout = within
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, string(text), err
}

// must asks and expects an answer.
func (r *rig) must(method, path, body string) (*http.Response, string) {
	r.Helper()
	response, text, err := r.do(method, path, body, patience)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	return response, text
}

// unanswered asks and expects that nothing comes back.
func (r *rig) unanswered(method, path, body string) {
	r.Helper()
	response, text, err := r.do(method, path, body, moment)
	var timeout interface{ Timeout() bool }
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		r.Errorf("%s %s got %v %q and error %v, not silence", method, path, response, text, err)
	}
}

// watch begins a watch and returns its lines, until it ends.
func (r *rig) watch() <-chan string {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, r.proxy.URL+"/watch", http.NoBody)
	if err != nil {
		r.Fatal(err)
	}
	response, err := r.client.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { response.Body.Close() })
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(response.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// hears says a line and expects it to arrive, or not.
func (r *rig) hears(lines <-chan string, line string, arrives bool) {
	r.Helper()
	r.backend.say(line)
	within := moment
	if arrives {
		within = patience
	}
	select {
	case got, open := <-lines:
		if !arrives || got != line {
			r.Errorf("heard %q (%v) after %q was said", got, open, line)
		}
	case <-time.After(within):
		if arrives {
			r.Errorf("%q did not arrive", line)
		}
	}
}
