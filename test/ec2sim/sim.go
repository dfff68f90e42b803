// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// defaultLogSize is enough for the calls of a few hundred instances.
const defaultLogSize = 10_000

// Options are what a simulator is made of. The zero value is usable.
type Options struct {
	// Clock drives everything that takes time; nil is the system's clock.
	Clock clock.PassiveClock
	// Settings are the switches; nil means DefaultSettings.
	Settings *Settings
	// Seed decides ids, the order of listings and the chance of faults.
	Seed uint64
	// Accounts maps access key ids to accounts; others belong to DefaultAccount.
	Accounts map[string]string
	// World makes the surroundings of an account in a region; nil means DefaultWorld.
	World func(account, region string) World
	// LogSize is how many requests are remembered; 0 means 10,000.
	LogSize int
}

// Sim is a simulated EC2, with the parts of STS and SSM that go with it. It is an
// http.Handler, and safe for concurrent use.
type Sim struct {
	options Options
	clock   clock.PassiveClock
	control http.Handler
	started time.Time

	mu       sync.Mutex
	settings Settings
	regions  map[regionKey]*region
	sessions map[string]*session // by access key id
	ids      idSource
	listings uint64
	faults   *faults
	counts   Counts
	journal  journal
}

type regionKey struct{ account, name string }

// New makes a simulator. It does nothing by itself: no goroutines, no timers.
func New(o Options) *Sim {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.World == nil {
		o.World = DefaultWorld
	}
	if o.LogSize == 0 {
		o.LogSize = defaultLogSize
	}
	s := &Sim{
		options: o, clock: o.Clock, started: o.Clock.Now(),
		settings: DefaultSettings(), sessions: map[string]*session{}, ids: idSource{seed: o.Seed},
	}
	if o.Settings != nil {
		s.settings = *o.Settings
	}
	s.control = newControl(s)
	s.Reset()
	return s
}

// Reset forgets instances, tokens, faults, counts and log. Settings, issued
// credentials and the clock stay.
func (s *Sim) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.regions = map[regionKey]*region{}
	s.faults = newFaults(s.options.Seed)
	s.counts = newCounts()
	s.journal = journal{limit: s.options.LogSize}
}

// region finds or makes a region. The caller must hold s.mu.
func (s *Sim) region(account, name string) *region {
	key := regionKey{account, name}
	if s.regions[key] == nil {
		s.regions[key] = newRegion(account, name, s.options.World(account, name))
	}
	return s.regions[key]
}

// ownedElsewhere says whether another account has the instance in that region. The
// caller must hold s.mu.
func (s *Sim) ownedElsewhere(id string, here *region) bool {
	for _, r := range s.regions {
		if r != here && r.name == here.name && r.instances[id] != nil {
			return true
		}
	}
	return false
}

// Settings are the switches in force.
func (s *Sim) Settings() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings.clone()
}

// UpdateSettings changes switches. Settings that make no sense are refused whole.
func (s *Sim) UpdateSettings(change func(*Settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	draft := s.settings.clone()
	change(&draft)
	if err := draft.Validate(); err != nil {
		return err
	}
	s.settings = draft.clone()
	return nil
}

// EditWorld changes what an account finds in a region, such as the value of a parameter.
func (s *Sim) EditWorld(account, region string, edit func(*World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(&s.region(account, region).world)
}

// Inject puts a fault in force and returns its id.
func (s *Sim) Inject(f Fault) (string, error) {
	if err := f.validate(); err != nil {
		return "", fmt.Errorf("fault: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.add(f), nil
}

// Faults are the faults in force, with their counts.
func (s *Sim) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.list()
}

// RemoveFault lifts a fault and says whether it was in force.
func (s *Sim) RemoveFault(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.remove(id)
}

// ClearFaults lifts all faults.
func (s *Sim) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.rules = nil
}

// Counts are what happened so far.
func (s *Sim) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.clone()
}

// ResetCounts starts counting anew.
func (s *Sim) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = newCounts()
}

// Requests are the latest requests, oldest first.
func (s *Sim) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.list()
}

// ClearRequests empties the log.
func (s *Sim) ClearRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.entries = nil
}

// Instances are all instances in truth, whatever describes show: the terminated
// ones too, and each with all its tags.
func (s *Sim) Instances() []Instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	out := []Instance{}
	for _, key := range slices.SortedFunc(maps.Keys(s.regions), func(a, b regionKey) int {
		return strings.Compare(a.account+"/"+a.name, b.account+"/"+b.name)
	}) {
		for _, i := range s.regions[key].order {
			out = append(out, i.truth(now, &s.settings, s.regions[key].resources[i.id].tags()))
		}
	}
	return out
}

// Live are the instances that are neither shutting down nor terminated.
func (s *Sim) Live() []Instance {
	return slices.DeleteFunc(s.Instances(), func(i Instance) bool { return !i.Live() })
}

// Instance is an instance in truth.
type Instance struct {
	ID               string            `json:"id"`
	Account          string            `json:"account"`
	Region           string            `json:"region"`
	Zone             string            `json:"zone"`
	SubnetID         string            `json:"subnetID"`
	ImageID          string            `json:"imageID"`
	InstanceType     string            `json:"instanceType"`
	ClientToken      string            `json:"clientToken,omitempty"`
	State            string            `json:"state"`
	StateReason      *StateReason      `json:"stateReason,omitempty"`
	Launched         time.Time         `json:"launched"`
	PrivateIP        string            `json:"privateIP"`
	PublicIP         string            `json:"publicIP,omitempty"`
	SecurityGroupIDs []string          `json:"securityGroupIDs"`
	KeyName          string            `json:"keyName,omitempty"`
	InstanceProfile  string            `json:"instanceProfile,omitempty"`
	SpotRequestID    string            `json:"spotRequestID,omitempty"`
	SpotRequestState string            `json:"spotRequestState,omitempty"`
	UserDataSHA256   string            `json:"userDataSHA256,omitempty"`
	Reboots          []time.Time       `json:"reboots,omitempty"`
	Tags             map[string]string `json:"tags"`
}

// Live says whether the instance is neither shutting down nor terminated.
func (i Instance) Live() bool {
	return i.State != string(lifecycle.ShuttingDown) && i.State != string(lifecycle.Terminated)
}
