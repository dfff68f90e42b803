// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// HTTPClient sends requests. *http.Client is one.
type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}

// Options of a Provider. The zero value is fit for use.
type Options struct {
	// Clock for the rate limits. By default it is the real one.
	Clock clock.Clock
	// HTTPClient for all calls. By default it is the SDK's, which honors the environment's proxies and certificates.
	HTTPClient HTTPClient
	// Random returns numbers in [0, 1) that spread the SDK's own retries, and is called by many goroutines at once. By
	// default it is the SDK's.
	Random func() float64
	// Observe is told about each request, for metrics. It must not block, and is called by many goroutines at once.
	Observe func(Call)
}

// Provider makes the sessions of one cluster and keeps them.
type Provider struct {
	cluster string
	options Options

	mu       sync.Mutex
	sessions map[scope]cachedSession
	limiters map[scope]*limiter
}

// scope is what AWS counts requests by, as far as we know it: an account, by its EC2Account's name, and a Region.
type scope struct{ account, region string }

type cachedSession struct {
	fingerprint string
	session     *session
}

// NewProvider returns a Provider for a cluster, which is named by the uid of its namespace kube-system.
func NewProvider(cluster string, o Options) *Provider {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.HTTPClient == nil {
		o.HTTPClient = awshttp.NewBuildableClient()
	}
	return &Provider{
		cluster:  cluster,
		options:  o,
		sessions: map[scope]cachedSession{},
		limiters: map[scope]*limiter{},
	}
}

// Session returns the account's session in region; "" is the account's own Region. It is the same session until the
// account's credentials or endpoints change, or the account is another object. Nothing is sent. The error is an *[Error].
func (p *Provider) Session(ctx context.Context, account *ec2v1.EC2Account, region string) (Session, error) {
	if region == "" {
		region = account.Spec.Region
	}
	if region == "" {
		return nil, refuse(opConfigure, "EC2Account "+account.Name+" has no region and none was asked for")
	}
	s, err := p.session(ctx, account, region)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *Provider) session(ctx context.Context, account *ec2v1.EC2Account, region string) (*session, error) {
	key := scope{account.Name, region}
	wanted, err := fingerprint(account)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if cached, ok := p.sessions[key]; ok && cached.fingerprint == wanted {
		return cached.session, nil
	}
	// The rates are the account's, whatever the credentials, so they outlive the session.
	limits, ok := p.limiters[key]
	if !ok {
		limits = newLimiter(p.options.Clock)
		p.limiters[key] = limits
	}
	gate := &gate{account: account.Name, region: region, limiter: limits, clock: p.options.Clock, observe: p.options.Observe}
	s, err := newSession(ctx, p.cluster, p.options, gate, account)
	if err != nil {
		return nil, err
	}
	p.sessions[key] = cachedSession{wanted, s}
	return s, nil
}

// Forget drops all sessions of an account that is gone, and its rate limits.
func (p *Provider) Forget(accountName string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.sessions {
		if key.account == accountName {
			delete(p.sessions, key)
		}
	}
	for key := range p.limiters {
		if key.account == accountName {
			delete(p.limiters, key)
		}
	}
}

// fingerprint is what of an account a session depends on.
func fingerprint(account *ec2v1.EC2Account) (string, error) {
	text, err := json.Marshal(struct {
		UID         types.UID
		Credentials *ec2v1.Credentials
		Endpoints   *ec2v1.Endpoints
	}{account.UID, account.Spec.Credentials, account.Spec.Endpoints})
	if err != nil {
		return "", &Error{Op: opConfigure, Class: ClassInvalid, Message: stable(err.Error()), Definite: true, Err: err}
	}
	return string(text), nil
}
