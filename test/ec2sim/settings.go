// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/settingsjson"
)

// Settings are the switches of the simulator. They can be changed while it runs;
// a change applies to what happens afterwards and does not rewrite history.
// As JSON, durations are text such as "1.5s".
type Settings struct { //nolint:recvcheck // values must marshal, too
	// Latency is how long every answer takes, as between a program and AWS. It passes
	// in real time (virtual time in a testing/synctest bubble), not on Options.Clock.
	Latency time.Duration `json:"latency"`

	// PendingDelay is the time from launch or start to running.
	PendingDelay time.Duration `json:"pendingDelay"`
	// StoppingDelay is the time from stop to stopped.
	StoppingDelay time.Duration `json:"stoppingDelay"`
	// ShuttingDownDelay is the time from terminate to terminated.
	ShuttingDownDelay time.Duration `json:"shuttingDownDelay"`
	// InitializingDelay is the time from running until the status checks have results.
	InitializingDelay time.Duration `json:"initializingDelay"`
	// TerminatedVisibility is how long a terminated instance can still be described.
	TerminatedVisibility time.Duration `json:"terminatedVisibility"`
	// TerminatedTagVisibility is how long a terminated instance keeps its tags.
	TerminatedTagVisibility time.Duration `json:"terminatedTagVisibility"`

	// DescribeByIDLag is the time after launch during which DescribeInstances with
	// the id answers InvalidInstanceID.NotFound.
	DescribeByIDLag time.Duration `json:"describeByIDLag"`
	// DescribeListLag is the time after launch during which DescribeInstances
	// without ids leaves the instance out.
	DescribeListLag time.Duration `json:"describeListLag"`
	// LaunchTagLag is the time after launch during which the tags of the launch are
	// not shown and do not match filters.
	LaunchTagLag time.Duration `json:"launchTagLag"`
	// TagChangeLag is the time until CreateTags and DeleteTags show.
	TagChangeLag time.Duration `json:"tagChangeLag"`
	// StateLag is how old the state is that DescribeInstances shows.
	StateLag time.Duration `json:"stateLag"`
	// ActByIDLag is the time after launch during which StartInstances, StopInstances
	// and TerminateInstances do not know the id.
	ActByIDLag time.Duration `json:"actByIDLag"`
	// TagByIDLag is the time after launch during which CreateTags and DeleteTags do
	// not know the id.
	TagByIDLag time.Duration `json:"tagByIDLag"`

	// TypeChangeLag is the time after a change of the type during which StartInstances
	// answers InvalidParameterValue, since it still plans with the type before.
	TypeChangeLag time.Duration `json:"typeChangeLag"`

	// SpotStopLag is the time after a Spot Instance has stopped during which its request
	// is still marked for stop, and StartInstances answers IncorrectSpotRequestState.
	SpotStopLag time.Duration `json:"spotStopLag"`
	// VolumeModifyingDelay is the time from ModifyVolume until what it asks for shows and
	// the volume is optimizing.
	VolumeModifyingDelay time.Duration `json:"volumeModifyingDelay"`
	// VolumeOptimizingDelay is the time from then until the modification is completed.
	VolumeOptimizingDelay time.Duration `json:"volumeOptimizingDelay"`

	// TokenRetention is how long after the termination of its last instance a client
	// token is remembered.
	TokenRetention time.Duration `json:"tokenRetention"`

	// Throttle turns the token buckets on.
	Throttle bool `json:"throttle"`
	// Limits overrides buckets by name: the action ("RunInstances"), its resource
	// bucket ("RunInstances/resources") or, for describes, the bucket of calls that
	// neither page nor filter ("DescribeInstances/unpaginated").
	Limits map[string]Limit `json:"limits,omitempty"`

	// Shuffle gives every new listing another order, derived from the seed.
	Shuffle bool `json:"shuffle"`
	// ImpairedZones are the Availability Zones with an outage: DescribeInstances fails
	// with ids there or none, and so do launches that need them.
	ImpairedZones []string `json:"impairedZones,omitempty"`
	// Capacity limits how many instances can be pending or running at a time, by
	// "type/zone"; * stands for any type or each zone. No entry means no limit.
	Capacity map[string]int `json:"capacity,omitempty"`
	// VCPUQuota limits the vCPUs of pending and running instances per account and
	// region; 0 means no limit.
	VCPUQuota int `json:"vcpuQuota,omitempty"`
}

// DefaultSettings are the values that EC2 documents, and where it documents none
// (delays and lags) values seen in practice. README.md lists the sources.
func DefaultSettings() Settings {
	return Settings{
		Latency:                 20 * time.Millisecond,
		PendingDelay:            15 * time.Second,
		StoppingDelay:           30 * time.Second,
		ShuttingDownDelay:       30 * time.Second,
		InitializingDelay:       150 * time.Second,
		TerminatedVisibility:    time.Hour,
		TerminatedTagVisibility: 10 * time.Minute,
		DescribeByIDLag:         time.Second,
		DescribeListLag:         3 * time.Second,
		LaunchTagLag:            5 * time.Second,
		TagChangeLag:            2 * time.Second,
		StateLag:                time.Second,
		ActByIDLag:              time.Second,
		TagByIDLag:              2 * time.Second,
		TypeChangeLag:           2 * time.Second,
		SpotStopLag:             30 * time.Second,
		VolumeModifyingDelay:    10 * time.Second,
		VolumeOptimizingDelay:   5 * time.Minute,
		TokenRetention:          24 * time.Hour,
		Throttle:                true,
		Shuffle:                 true,
	}
}

// Fast is DefaultSettings with delays short enough to watch or to wait for. All
// phenomena stay: lags, transitional states, throttling.
func Fast() Settings {
	s := DefaultSettings()
	s.Latency = 5 * time.Millisecond
	s.PendingDelay = 800 * time.Millisecond
	s.StoppingDelay = 600 * time.Millisecond
	s.ShuttingDownDelay = 600 * time.Millisecond
	s.InitializingDelay = 3 * time.Second
	s.TerminatedVisibility = time.Minute
	s.TerminatedTagVisibility = 20 * time.Second
	s.DescribeByIDLag = 100 * time.Millisecond
	s.DescribeListLag = 200 * time.Millisecond
	s.LaunchTagLag = 300 * time.Millisecond
	s.TagChangeLag = 150 * time.Millisecond
	s.StateLag = 50 * time.Millisecond
	s.ActByIDLag = 100 * time.Millisecond
	s.TagByIDLag = 150 * time.Millisecond
	s.TypeChangeLag = 100 * time.Millisecond
	s.SpotStopLag = 500 * time.Millisecond
	s.VolumeModifyingDelay = 300 * time.Millisecond
	s.VolumeOptimizingDelay = time.Second
	return s
}

// MarshalJSON writes durations as text.
func (s Settings) MarshalJSON() ([]byte, error) { return settingsjson.Marshal(&s) }

// UnmarshalJSON merges: fields that are not named keep their values, and unknown
// ones are an error.
func (s *Settings) UnmarshalJSON(data []byte) error { return settingsjson.Merge(data, s) }

// Limit is a token bucket: a call takes one token, a resource bucket one per instance.
type Limit struct {
	// Max is the size of the bucket.
	Max int `json:"max"`
	// Refill is the number of tokens that come back per second.
	Refill float64 `json:"refill"`
}
