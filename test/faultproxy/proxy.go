// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// Options are what a Proxy is made of.
type Options struct {
	// Target is the server's URL.
	Target string
	// Transport reaches it; by default it is Go's own.
	Transport http.RoundTripper
	// TLS serves over TLS, with a certificate that [Proxy.Authority] vouches for.
	TLS bool
	// HTTP1 speaks HTTP/1.1 to clients over TLS, too.
	HTTP1 bool

	// Changes says in words what a request changes when it succeeds; nothing is "". By default no request changes anything.
	Changes func(Request) string
	// Asked decides about each request before the server sees it. It may change the request. By default all pass.
	Asked func(Request) Verdict
	// Changed decides about the answer to a request that has changed something: the server has carried it out, and the client does not
	// know yet. By default all pass.
	Changed func(Request) Verdict
}

// Proxy is a server that passes on, or not, what it is asked. Its methods may be called from several goroutines.
type Proxy struct {
	// URL is where it is reached.
	URL string
	// Authority vouches for its certificate, as PEM; without TLS there is none.
	Authority []byte

	options  Options
	listener *listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	served   chan error
	// alive is read-locked by each request, and locked for good at the end.
	alive sync.RWMutex
}

// Start starts a proxy on a free port of the loopback address. The caller has to Close it.
func Start(o Options) (*Proxy, error) {
	target, err := url.Parse(o.Target)
	if err != nil {
		return nil, fmt.Errorf("the target's URL: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{URL: "http://" + l.Addr().String(), options: o, listener: newListener(l), served: make(chan error, 1)}
	quiet := log.New(io.Discard, "", 0) // Connections that break are what this is for.
	p.forward = &httputil.ReverseProxy{
		Transport: o.Transport, FlushInterval: -1, ErrorLog: quiet, ModifyResponse: p.answered, ErrorHandler: failed,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // It may be signed.
		},
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ErrorLog: quiet} //nolint:gosec // A client that is slow to ask is waited for: it may be frozen.
	if !o.TLS {
		go func() { p.served <- p.server.Serve(p.listener) }()
		return p, nil
	}
	certificate, authority, err := selfSigned()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	p.URL, p.Authority = "https://"+l.Addr().String(), authority
	p.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	p.server.Protocols = &http.Protocols{}
	p.server.Protocols.SetHTTP1(true)
	p.server.Protocols.SetHTTP2(!o.HTTP1)
	go func() { p.served <- p.server.ServeTLS(p.listener, "", "") }()
	return p, nil
}

// Close breaks all connections and waits until nothing of the proxy runs any more. It must be called once.
func (p *Proxy) Close() error {
	err := p.server.Close()
	if served := <-p.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	p.alive.Lock()
	return err
}

// Freeze makes the connections that there are half-open, for good, and returns how many: they stay, and carry nothing any more. New ones
// work.
func (p *Proxy) Freeze() int { return p.listener.freeze() }

// FreezeNew makes connections that begin while it is on half-open from their beginning: they are accepted and never answered.
func (p *Proxy) FreezeNew(on bool) { p.listener.freezeNew(on) }

// Break closes all connections that there are.
func (p *Proxy) Break() { p.listener.closeAll() }

// Connections is how many connections have ever been accepted.
func (p *Proxy) Connections() int { return p.listener.everAccepted() }

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	if !p.alive.TryRLock() {
		abort()
	}
	defer p.alive.RUnlock()
	request, err := read(r, p.options.Changes)
	if err != nil {
		abort()
	}
	if p.options.Asked != nil {
		if v := p.options.Asked(request); v.kind != pass {
			v.carryOut(w, r)
			return
		}
	}
	p.forward.ServeHTTP(w, keep(request))
}

// failed breaks the connection when the server has.
func failed(http.ResponseWriter, *http.Request, error) { abort() }
