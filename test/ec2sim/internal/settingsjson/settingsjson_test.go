// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package settingsjson

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type sample struct {
	Wait   time.Duration  `json:"wait"`
	Soon   time.Duration  `json:"soon,omitempty"`
	On     bool           `json:"on"`
	Limits map[string]int `json:"limits,omitempty"`
	Hidden string         `json:"-"`
}

func TestMarshal(t *testing.T) {
	got, err := Marshal(&sample{Wait: 1500 * time.Millisecond, Hidden: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"on":false,"wait":"1.5s"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMergeKeepsWhatIsNotNamed(t *testing.T) {
	shared := map[string]int{"a": 1}
	got := sample{Wait: time.Second, On: true, Limits: shared}
	if err := Merge([]byte(`{"soon":"2m","limits":{"b":2}}`), &got); err != nil {
		t.Fatal(err)
	}
	want := sample{Wait: time.Second, Soon: 2 * time.Minute, On: true, Limits: map[string]int{"b": 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(shared) != 1 {
		t.Errorf("the map that was there before was written to: %v", shared)
	}
}

func TestMergeRefusesAndChangesNothing(t *testing.T) {
	for data, want := range map[string]string{
		`{"on":true,"wiat":"1s"}`:  `unknown field "wiat"; known are limits, on, soon, wait`,
		`{"on":true,"wait":"1x"}`:  `field "wait": want a duration such as "1.5s"`,
		`{"on":true,"wait":5}`:     `field "wait": want a duration such as "1.5s"`,
		`{"limits":[1],"on":true}`: `field "limits"`,
		`[]`:                       "want a JSON object",
	} {
		got := sample{Wait: time.Second}
		err := Merge([]byte(data), &got)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", data, err, want)
		}
		if diff := cmp.Diff(sample{Wait: time.Second}, got); diff != "" {
			t.Errorf("%s: changed although refused:\n%s", data, diff)
		}
	}
}
