// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// What happens behind the back of API clients: a person in the console, or the
// guest's own shutdown. These calls are not counted, logged, throttled or faulted.

// Terminate terminates an instance as a person in the console would, without
// regard to protection.
func (s *Sim) Terminate(id string) error {
	return s.handIn(id, func(i *instance, now time.Time) error {
		if i.state(now) != lifecycle.ShuttingDown && !i.ended(now) {
			i.terminate(now, &s.settings, userReason(now))
		}
		return nil
	})
}

// Stop stops a running instance as a person in the console would.
func (s *Sim) Stop(id string) error {
	return s.handIn(id, func(i *instance, now time.Time) error {
		if state := i.state(now); state != lifecycle.Running {
			return fmt.Errorf("instance %s is %s, and only a running one can be stopped", id, state)
		}
		if err := i.stoppableSpot(); err != nil {
			return err
		}
		i.stop(now, &s.settings, userReason(now))
		return nil
	})
}

// Start starts a stopped instance as a person in the console would.
func (s *Sim) Start(id string) error {
	return s.handIn(id, func(i *instance, now time.Time) error {
		if state := i.state(now); state != lifecycle.Stopped {
			return fmt.Errorf("instance %s is %s, and only a stopped one can be started", id, state)
		}
		if i.interrupted(now) {
			return fmt.Errorf("instance %s was interrupted, and only EC2 starts it again: use Resume", id)
		}
		i.start(now, &s.settings, s.region(i.account, i.region).publicIPFor(i))
		return nil
	})
}

// Shutdown is a shutdown from inside the instance: it stops or terminates as
// InstanceInitiatedShutdownBehavior says.
func (s *Sim) Shutdown(id string) error {
	return s.handIn(id, func(i *instance, now time.Time) error {
		switch state := i.state(now); {
		case state != lifecycle.Running:
			return fmt.Errorf("instance %s is %s, and only a running one can shut down", id, state)
		case i.spec.shutdownBehavior == "terminate" || i.stoppableSpot() != nil:
			i.terminate(now, &s.settings, guestReason())
		default:
			i.stop(now, &s.settings, guestReason())
		}
		return nil
	})
}

// Interrupt takes the capacity of a running Spot Instance away, as its request says: the instance is terminated, stopped
// or hibernated, with EC2's reason.
func (s *Sim) Interrupt(id string) error {
	return s.handIn(id, func(i *instance, now time.Time) error {
		switch state := i.state(now); {
		case i.request == nil:
			return fmt.Errorf("instance %s is no Spot Instance, and only those are interrupted", id)
		case state != lifecycle.Running:
			return fmt.Errorf("instance %s is %s, and only a running one can be interrupted", id, state)
		}
		i.interrupt(now, &s.settings)
		return nil
	})
}

// Resume starts a Spot Instance again that an interruption stopped, as EC2 does when there is capacity.
func (s *Sim) Resume(id string) error {
	return s.handIn(id, func(i *instance, now time.Time) error {
		if !i.interrupted(now) {
			return fmt.Errorf("instance %s is %s, and only one that an interruption stopped can be resumed", id, i.state(now))
		}
		i.start(now, &s.settings, s.region(i.account, i.region).publicIPFor(i))
		return nil
	})
}

func (s *Sim) handIn(id string, do func(*instance, time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.regions {
		if i, ok := r.instances[id]; ok {
			return do(i, s.clock.Now())
		}
	}
	return fmt.Errorf("%w: %s", ErrUnknownInstance, id)
}

// truth is the instance without any lag.
func (i *instance) truth(now time.Time, settings *Settings, tags map[string]string) Instance {
	status := i.history.At(now)
	out := Instance{
		ID: i.id, Account: i.account, Region: i.region, Zone: i.zone.Name, SubnetID: i.subnet.ID,
		ImageID: i.spec.image.ID, InstanceType: i.spec.instanceType.Name, ClientToken: i.clientToken,
		State: string(status.State), Launched: i.history.Launched(), PrivateIP: i.spec.primary().privateIP.String(),
		KeyName: i.spec.keyName, Tags: tags, Reboots: slices.Clone(i.reboots),
	}
	if status.Reason.Code != "" {
		out.StateReason = &StateReason{status.Reason.Code, status.Reason.Message}
	}
	if status.PublicIP.IsValid() {
		out.PublicIP = status.PublicIP.String()
	}
	for _, g := range i.spec.primary().groups {
		out.SecurityGroupIDs = append(out.SecurityGroupIDs, g.ID)
	}
	if i.request != nil {
		out.SpotRequestID = i.request.id
		out.SpotRequestState = i.request.at(now, settings).state
	}
	if i.spec.profile != nil {
		out.InstanceProfile = i.spec.profile.Name
	}
	if len(i.spec.userData) > 0 {
		sum := sha256.Sum256(i.spec.userData)
		out.UserDataSHA256 = hex.EncodeToString(sum[:])
	}
	return out
}
