// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"maps"
	"slices"
)

// sortedSet is list, sorted and free of duplicates and empty strings; nil when nothing is left.
func sortedSet(list []string) []string {
	sorted := slices.Compact(slices.Sorted(slices.Values(list)))
	if len(sorted) > 0 && sorted[0] == "" {
		sorted = sorted[1:]
	}
	if len(sorted) == 0 {
		return nil
	}
	return sorted
}

// sortedKeys are the keys of m.
func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
