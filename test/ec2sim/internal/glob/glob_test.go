// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package glob

import "testing"

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, value string
		want           bool
	}{
		{"", "", true},
		{"", "a", false},
		{"web", "web", true},
		{"web", "Web", false},
		{"web", "webs", false},
		{"*", "", true},
		{"*", "a/b", true},
		{"w*b", "wb", true},
		{"w*b", "wabcb", true},
		{"w*b", "wabc", false},
		{"*a*b*", "xxaxxbxx", true},
		{"*aab", "aaaab", true},
		{"w?b", "web", true},
		{"w?b", "wb", false},
		{"?", "é", true},
		{"[a-z]", "[a-z]", true},
		{"[a-z]", "b", false},
		{`\*amazon\?\\`, `*amazon?\`, true},
		{`\*`, "x", false},
		{`a\`, `a\`, true},
	} {
		if got := Match(tc.pattern, tc.value); got != tc.want {
			t.Errorf("Match(%q, %q) = %v, want %v", tc.pattern, tc.value, got, tc.want)
		}
	}
}
