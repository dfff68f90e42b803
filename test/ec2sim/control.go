// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// ControlPrefix is where the control endpoint begins. Everything there is JSON.
const ControlPrefix = "/_ec2sim/"

// maxControlBody bounds what the control endpoint reads.
const maxControlBody = 1 << 20

// ControlError is the body of a control answer that is not 2xx.
type ControlError struct {
	Error string `json:"error"`
}

// newControl routes the control endpoint.
func newControl(s *Sim) http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(*http.Request) (any, error){
		"GET health":                 func(*http.Request) (any, error) { return nil, nil },
		"GET counts":                 func(*http.Request) (any, error) { return s.Counts(), nil },
		"DELETE counts":              func(*http.Request) (any, error) { s.ResetCounts(); return nil, nil },
		"GET requests":               s.controlRequests,
		"DELETE requests":            func(*http.Request) (any, error) { s.ClearRequests(); return nil, nil },
		"GET instances":              s.controlInstances,
		"POST instances/{id}/{verb}": s.controlInstance,
		"POST instances/{id}/impair": s.controlImpair,
		"POST instances/{id}/events": s.controlSchedule,
		"DELETE instances/{id}/events": func(r *http.Request) (any, error) {
			return nil, handed(s.ClearEvents(r.PathValue("id")), http.StatusConflict)
		},
		"GET faults":         func(*http.Request) (any, error) { return s.Faults(), nil },
		"POST faults":        s.controlInject,
		"DELETE faults":      func(*http.Request) (any, error) { s.ClearFaults(); return nil, nil },
		"DELETE faults/{id}": s.controlRemoveFault,
		"GET settings":       func(*http.Request) (any, error) { return s.Settings(), nil },
		"PATCH settings":     s.controlSettings,
		"POST reset":         func(*http.Request) (any, error) { s.Reset(); return nil, nil },
	} {
		method, path := splitPattern(pattern)
		mux.HandleFunc(method+" "+ControlPrefix+path, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxControlBody)
			out, err := do(r)
			answer(w, out, err)
		})
	}
	return mux
}

func splitPattern(pattern string) (method, path string) {
	for i, r := range pattern {
		if r == ' ' {
			return pattern[:i], pattern[i+1:]
		}
	}
	return "", pattern
}

// controlError is an error with its HTTP status.
type controlError struct {
	status int
	err    error
}

func (f controlError) Error() string { return f.err.Error() }
func (f controlError) Unwrap() error { return f.err }

func badRequest(err error) error { return controlError{http.StatusBadRequest, err} }

func answer(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	if err != nil {
		status, out = http.StatusInternalServerError, ControlError{err.Error()}
		if failure, ok := errors.AsType[controlError](err); ok {
			status = failure.status
		}
	}
	if out == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that is gone needs no answer
}

func readBody(r *http.Request, into any) error {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		return badRequest(fmt.Errorf("reading the body: %w", err))
	}
	return nil
}

// controlRequests takes ?action= to narrow the log.
func (s *Sim) controlRequests(r *http.Request) (any, error) {
	wanted := r.URL.Query().Get("action")
	out := []Request{}
	for _, entry := range s.Requests() {
		if wanted == "" || entry.Action == wanted {
			out = append(out, entry)
		}
	}
	return out, nil
}

// controlInstances takes ?state=, ?account= and ?region= to narrow the list.
func (s *Sim) controlInstances(r *http.Request) (any, error) {
	q := r.URL.Query()
	accepts := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	out := []Instance{}
	for _, i := range s.Instances() {
		if accepts("state", i.State) && accepts("account", i.Account) && accepts("region", i.Region) {
			out = append(out, i)
		}
	}
	return out, nil
}

func (s *Sim) controlInstance(r *http.Request) (any, error) {
	id, verb := r.PathValue("id"), r.PathValue("verb")
	do, ok := map[string]func(string) error{
		"terminate": s.Terminate, "stop": s.Stop, "start": s.Start, "shutdown": s.Shutdown, "recover": s.Recover,
		"interrupt": s.Interrupt, "resume": s.Resume,
	}[verb]
	if !ok {
		return nil, controlError{http.StatusNotFound, fmt.Errorf("unknown verb %q: want terminate, stop, start, shutdown, interrupt, resume, impair or recover", verb)}
	}
	return nil, handed(do(id), http.StatusConflict)
}

// handed gives the error of a hand in EC2 its HTTP status: that of an unknown
// instance, or the other.
func handed(err error, other int) error {
	switch {
	case errors.Is(err, ErrUnknownInstance):
		return controlError{http.StatusNotFound, err}
	case err != nil:
		return controlError{other, err}
	}
	return nil
}

// controlImpair takes ?check=, by default the instance's own.
func (s *Sim) controlImpair(r *http.Request) (any, error) {
	check := cmp.Or(StatusCheck(r.URL.Query().Get("check")), CheckInstance)
	return nil, handed(s.Impair(r.PathValue("id"), check), http.StatusBadRequest)
}

func (s *Sim) controlSchedule(r *http.Request) (any, error) {
	var event ScheduledEvent
	if err := readBody(r, &event); err != nil {
		return nil, err
	}
	id, err := s.ScheduleEvent(r.PathValue("id"), event)
	if err != nil {
		return nil, handed(err, http.StatusBadRequest)
	}
	event.ID = id
	return event, nil
}

func (s *Sim) controlInject(r *http.Request) (any, error) {
	var f Fault
	if err := readBody(r, &f); err != nil {
		return nil, err
	}
	id, err := s.Inject(f)
	if err != nil {
		return nil, badRequest(err)
	}
	f.ID = id
	return f, nil
}

func (s *Sim) controlRemoveFault(r *http.Request) (any, error) {
	if id := r.PathValue("id"); !s.RemoveFault(id) {
		return nil, controlError{http.StatusNotFound, fmt.Errorf("no fault %q is in force", id)}
	}
	return nil, nil
}

func (s *Sim) controlSettings(r *http.Request) (any, error) {
	var patch json.RawMessage
	if err := readBody(r, &patch); err != nil {
		return nil, err
	}
	var invalid error
	err := s.UpdateSettings(func(settings *Settings) { invalid = json.Unmarshal(patch, settings) })
	if err = errors.Join(invalid, err); err != nil {
		return nil, badRequest(err)
	}
	return s.Settings(), nil
}
