// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package simctl is a client for the control endpoint of a simulator that runs in
// another process, or in this one.
package simctl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

// New makes a client for the endpoint that SDK clients use, such as
// http://127.0.0.1:41234. A nil httpClient means http.DefaultClient.
func New(endpoint string, httpClient *http.Client) *Client {
	if httpClient == nil {
		httpClient = http.DefaultClient
	}
	return &Client{base: strings.TrimSuffix(endpoint, "/") + ec2sim.ControlPrefix, http: httpClient}
}

// Health returns nil when the simulator serves.
func (c *Client) Health(ctx context.Context) error {
	return c.do(ctx, http.MethodGet, "health", nil, nil)
}

// Counts are what happened so far.
func (c *Client) Counts(ctx context.Context) (ec2sim.Counts, error) {
	var out ec2sim.Counts
	err := c.do(ctx, http.MethodGet, "counts", nil, &out)
	return out, err
}

// ResetCounts starts counting anew.
func (c *Client) ResetCounts(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "counts", nil, nil)
}

// Requests are the latest requests of the action, or of all with an empty name.
func (c *Client) Requests(ctx context.Context, action string) ([]ec2sim.Request, error) {
	var out []ec2sim.Request
	err := c.do(ctx, http.MethodGet, "requests?action="+url.QueryEscape(action), nil, &out)
	return out, err
}

// ClearRequests empties the log.
func (c *Client) ClearRequests(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "requests", nil, nil)
}

// Instances are all instances in truth.
func (c *Client) Instances(ctx context.Context) ([]ec2sim.Instance, error) {
	var out []ec2sim.Instance
	err := c.do(ctx, http.MethodGet, "instances", nil, &out)
	return out, err
}

// Terminate terminates an instance behind the back of API clients.
func (c *Client) Terminate(ctx context.Context, id string) error { return c.hand(ctx, id, "terminate") }

// Stop stops an instance behind the back of API clients.
func (c *Client) Stop(ctx context.Context, id string) error { return c.hand(ctx, id, "stop") }

// Start starts an instance behind the back of API clients.
func (c *Client) Start(ctx context.Context, id string) error { return c.hand(ctx, id, "start") }

// Shutdown shuts the guest down.
func (c *Client) Shutdown(ctx context.Context, id string) error { return c.hand(ctx, id, "shutdown") }

// Interrupt takes the capacity of a Spot Instance away.
func (c *Client) Interrupt(ctx context.Context, id string) error { return c.hand(ctx, id, "interrupt") }

// Resume starts a Spot Instance again that an interruption stopped.
func (c *Client) Resume(ctx context.Context, id string) error { return c.hand(ctx, id, "resume") }

// Impair lets a status check of an instance fail until Recover.
func (c *Client) Impair(ctx context.Context, id string, check ec2sim.StatusCheck) error {
	return c.hand(ctx, id, "impair?check="+url.QueryEscape(string(check)))
}

// Recover lets all status checks of an instance pass again.
func (c *Client) Recover(ctx context.Context, id string) error { return c.hand(ctx, id, "recover") }

// ScheduleEvent schedules an event for an instance, or changes it, and returns its id.
func (c *Client) ScheduleEvent(ctx context.Context, id string, event ec2sim.ScheduledEvent) (string, error) {
	var out ec2sim.ScheduledEvent
	err := c.do(ctx, http.MethodPost, "instances/"+url.PathEscape(id)+"/events", event, &out)
	return out.ID, err
}

// ClearEvents removes all events of an instance.
func (c *Client) ClearEvents(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "instances/"+url.PathEscape(id)+"/events", nil, nil)
}

func (c *Client) hand(ctx context.Context, id, verb string) error {
	return c.do(ctx, http.MethodPost, "instances/"+url.PathEscape(id)+"/"+verb, nil, nil)
}

// Inject puts a fault in force and returns its id.
func (c *Client) Inject(ctx context.Context, f ec2sim.Fault) (string, error) {
	var out ec2sim.Fault
	err := c.do(ctx, http.MethodPost, "faults", f, &out)
	return out.ID, err
}

// Faults are the faults in force.
func (c *Client) Faults(ctx context.Context) ([]ec2sim.Fault, error) {
	var out []ec2sim.Fault
	err := c.do(ctx, http.MethodGet, "faults", nil, &out)
	return out, err
}

// RemoveFault lifts one fault.
func (c *Client) RemoveFault(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "faults/"+url.PathEscape(id), nil, nil)
}

// ClearFaults lifts all faults.
func (c *Client) ClearFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "faults", nil, nil)
}

// Settings are the switches in force.
func (c *Client) Settings(ctx context.Context) (ec2sim.Settings, error) {
	var out ec2sim.Settings
	err := c.do(ctx, http.MethodGet, "settings", nil, &out)
	return out, err
}

// PatchSettings changes the switches that the map names as JSON does, for example
// {"pendingDelay": "5s"}, and returns all.
func (c *Client) PatchSettings(ctx context.Context, patch map[string]any) (ec2sim.Settings, error) {
	var out ec2sim.Settings
	err := c.do(ctx, http.MethodPatch, "settings", patch, &out)
	return out, err
}

// Reset forgets instances, tokens, faults, counts and log.
func (c *Client) Reset(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "reset", nil, nil)
}

func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	if err := c.exchange(ctx, method, path, in, out); err != nil {
		return fmt.Errorf("ec2sim: %s %s: %w", method, path, err)
	}
	return nil
}

func (c *Client) exchange(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader = http.NoBody
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusMultipleChoices {
		return failure(response)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(out)
}

func failure(response *http.Response) error {
	var told ec2sim.ControlError
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil || told.Error == "" {
		return fmt.Errorf("answered %s", response.Status)
	}
	return fmt.Errorf("answered %s: %s", response.Status, told.Error)
}
