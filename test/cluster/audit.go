// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

// auditFile is the API server's record of requests, in the data folder.
const auditFile = "audit.jsonl"

// auditPolicy has every request recorded, without its body. It is recorded when
// it has been answered; a watch when it begins, too, since it may never end.
func auditPolicy() auditv1.Policy {
	return auditv1.Policy{
		TypeMeta:   metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		Rules:      []auditv1.PolicyRule{{Level: auditv1.LevelMetadata}},
		OmitStages: []auditv1.Stage{auditv1.StageRequestReceived},
	}
}

func (c *Cluster) configureAudit() error {
	policy, err := yaml.Marshal(auditPolicy())
	if err != nil {
		return fmt.Errorf("encoding the audit policy: %w", err)
	}
	path, err := c.data.write("audit-policy.yaml", policy)
	if err != nil {
		return err
	}
	c.apiServer.Configure().
		Set("audit-policy-file", path).
		Set("audit-log-path", c.data.join(auditFile)).
		Set("audit-log-format", "json").
		// In the way of the request: it is not over before it is recorded.
		Set("audit-log-mode", "blocking").
		// One file that is never rotated, so that no entry is lost.
		Set("audit-log-maxsize", "0")
	return nil
}

// Requests are the requests that the API server has recorded since its start,
// in the order in which they were first recorded. What was at index i stays at
// index i, so requests[n:] are those that came after a call that returned n.
//
// A request is there by the time its client has read the whole answer over
// HTTP/2, as client-go and kubectl do: the API server closes the stream only
// after the record is written. It needs Options.Audit.
func (c *Cluster) Requests() (Requests, error) {
	if !c.options.Audit {
		return nil, errors.New("the cluster was started without Options.Audit, so its requests are not recorded")
	}
	file, err := os.Open(c.data.join(auditFile))
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	requests, err := readAudit(file)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log %s: %w", file.Name(), err)
	}
	return requests, nil
}

// readAudit reads the entries of an audit log. One request may have several
// entries, of which the last counts.
func readAudit(log io.Reader) (Requests, error) {
	var requests Requests
	index := map[string]int{}
	for decoder := json.NewDecoder(log); ; {
		var event auditv1.Event
		err := decoder.Decode(&event)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			// The latter is an entry that is being written just now.
			return requests, nil
		}
		if err != nil {
			return nil, fmt.Errorf("entry at byte %d: %w", decoder.InputOffset(), err)
		}
		request, err := requestOf(&event)
		if err != nil {
			return nil, err
		}
		if i, seen := index[request.ID]; seen {
			requests[i] = request
			continue
		}
		index[request.ID] = len(requests)
		requests = append(requests, request)
	}
}

// requestOf picks from an entry what tests ask about.
func requestOf(event *auditv1.Event) (Request, error) {
	uri, err := url.ParseRequestURI(event.RequestURI)
	if err != nil {
		return Request{}, fmt.Errorf("entry %s: %w", event.AuditID, err)
	}
	query := uri.Query()
	request := Request{
		ID:           string(event.AuditID),
		User:         event.User.Username,
		UserAgent:    event.UserAgent,
		Verb:         event.Verb,
		URI:          event.RequestURI,
		FieldManager: query.Get("fieldManager"),
		Force:        query.Get("force") == "true",
		DryRun:       slices.Contains(query["dryRun"], metav1.DryRunAll),
		Time:         event.RequestReceivedTimestamp.Time,
	}
	if object := event.ObjectRef; object != nil {
		request.Group, request.Resource, request.Subresource = object.APIGroup, object.Resource, object.Subresource
		request.Namespace, request.Name = object.Namespace, object.Name
	}
	if impersonated := event.ImpersonatedUser; impersonated != nil {
		request.User = impersonated.Username
	}
	if status := event.ResponseStatus; status != nil {
		request.Code = int(status.Code)
	}
	return request, nil
}
