// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// ErrUnknownInstance is the error for an id that no account has.
var ErrUnknownInstance = errors.New("no such instance")

// Validate says what is wrong with the settings, if anything.
func (s *Settings) Validate() error {
	for field, value := range reflect.ValueOf(s).Elem().Fields() {
		if d, ok := reflect.TypeAssert[time.Duration](value); ok && d < 0 {
			return fmt.Errorf("%s is %v, and must not be negative", field.Tag.Get("json"), d)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Limits)) {
		if err := checkLimit(name, s.Limits[name]); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Capacity)) {
		typ, zone, ok := strings.Cut(key, "/")
		if !ok || typ == "" || zone == "" || s.Capacity[key] < 0 {
			return fmt.Errorf("capacity %q: %d: want \"type/zone\" (* for any) and a number from 0", key, s.Capacity[key])
		}
	}
	if s.VCPUQuota < 0 {
		return fmt.Errorf("vcpuQuota is %d, and must not be negative", s.VCPUQuota)
	}
	return nil
}

func checkLimit(name string, l Limit) error {
	action, bucket, _ := strings.Cut(name, "/")
	known, ok := services[serviceEC2].actions[action]
	switch {
	case !ok,
		bucket == "resources" && known.limits.count == nil,
		bucket == "unpaginated" && known.limits.unpaginated.Max == 0,
		bucket != "" && bucket != "resources" && bucket != "unpaginated":
		return fmt.Errorf("limits %q: there is no such bucket", name)
	case l.Max < 1 || l.Refill < 0:
		return fmt.Errorf("limits %q: want max of at least 1 and refill of at least 0", name)
	}
	return nil
}

// clone shares nothing with s.
func (s Settings) clone() Settings {
	s.Limits = maps.Clone(s.Limits)
	s.ImpairedZones = slices.Clone(s.ImpairedZones)
	s.Capacity = maps.Clone(s.Capacity)
	return s
}
