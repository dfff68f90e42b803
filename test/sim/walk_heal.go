// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// heal takes edits back. Where an earlier edit could not take place before the latest, and EC2 has refused it since, the way back is to the
// latest spec with which EC2 was as spec says.
func (k *walk) heal(ill []*walked) error {
	if len(ill) == 0 {
		return nil
	}
	for _, obj := range ill {
		if err := k.revert(obj, obj.before); err != nil {
			return err
		}
	}
	k.tally.reverted += len(ill)
	if err := k.rest(); err != nil {
		return err
	}
	var still, kept []*walked
	for _, obj := range ill {
		switch healthy := k.isHealthy(obj); {
		case healthy:
		case obj.latent:
			still = append(still, obj)
		case obj.gaveUp:
			kept = append(kept, obj)
		default:
			k.violated(obj, "reverting %s does not heal it: %s", obj.what, k.told(obj))
		}
	}
	if err := k.rollBack(still); err != nil {
		return err
	}
	return k.terminate(kept)
}

// terminate is the last resort for what EC2 keeps of a field that spec does not have any more: that is no drift by contract, so only another
// instance is without it.
func (k *walk) terminate(ill []*walked) error {
	if len(ill) == 0 || k.failed() {
		return nil
	}
	for _, obj := range ill {
		k.world.trace("%s keeps in EC2 what spec does not have any more after %s: %s", obj.name, obj.what, k.told(obj))
		if err := k.wantAnother(obj); err != nil {
			return err
		}
		if err := k.world.terminateInConsole(obj.name); err != nil {
			return err
		}
	}
	k.tally.terminated += len(ill)
	if err := k.rest(); err != nil {
		return err
	}
	for _, obj := range ill {
		if !k.isHealthy(obj) {
			k.violated(obj, "another instance does not heal it after %s: %s", obj.what, k.told(obj))
		}
	}
	return nil
}

// wantAnother takes recreatePolicy out of spec, by default Always: an object with Never would keep its terminated instance.
func (k *walk) wantAnother(obj *walked) error {
	if _, said := obj.applied["recreatePolicy"]; !said {
		return nil
	}
	to := runtime.DeepCopyJSON(obj.applied)
	delete(to, "recreatePolicy")
	return k.revert(obj, to)
}

// rollBack goes back to the latest spec that was sound.
func (k *walk) rollBack(ill []*walked) error {
	if len(ill) == 0 || k.failed() {
		return nil
	}
	for _, obj := range ill {
		if err := k.revert(obj, obj.sound); err != nil {
			return err
		}
	}
	k.tally.rolledBack += len(ill)
	if err := k.rest(); err != nil {
		return err
	}
	var kept []*walked
	for _, obj := range ill {
		switch healthy := k.isHealthy(obj); {
		case healthy:
		case obj.gaveUp:
			kept = append(kept, obj)
		default:
			k.violated(obj, "going back to the spec with which EC2 was in sync does not heal it after %s: %s", obj.what, k.told(obj))
		}
	}
	return k.terminate(kept)
}

// revert applies an earlier spec. Where a rule on changes is in the way, such as that volumes only grow, the field is taken out of spec
// first.
func (k *walk) revert(obj *walked, to spec) error {
	to = runtime.DeepCopyJSON(to)
	against := k.schema.against(to, obj.applied)
	if len(against) > 0 {
		between := runtime.DeepCopyJSON(to)
		for _, wrong := range against {
			name, _, _ := strings.Cut(strings.TrimPrefix(wrong.Field, "spec."), "[")
			delete(between, name)
		}
		if err := k.apply(obj, between); err != nil {
			return fmt.Errorf("taking back %s of %s: %w", obj.what, obj.name, err)
		}
	}
	if err := k.apply(obj, to); err != nil {
		return fmt.Errorf("taking back %s of %s: %w", obj.what, obj.name, err)
	}
	return nil
}
