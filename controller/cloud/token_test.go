// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"regexp"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// The derivation must never change; this is `printf 'client-token/v1\n"C"\n"U"\n1\n' | sha256sum`.
func TestClientTokenNeverChanges(t *testing.T) {
	const want = "2fd2aaed54f84da78b1acad547dec8705c5be2d55cfcecc1650e67859d6f9849"
	if got := ClientToken("C", "U", 1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestClientTokenFitsEC2(t *testing.T) {
	fits := regexp.MustCompile(`^[!-~]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		token := ClientToken(rapid.String().Draw(t, "cluster"), types.UID(rapid.String().Draw(t, "uid")), rapid.Int64().Draw(t, "attempt"))
		if !fits.MatchString(token) {
			t.Fatalf("%q", token)
		}
	})
}

func TestClientTokenIsOneForEachLaunch(t *testing.T) {
	type launch struct {
		cluster string
		uid     types.UID
		attempt int64
	}
	// Few letters, with those that could blur where one part ends and the next begins.
	part := rapid.StringMatching(`[a1"\\\n]{0,3}`)
	draw := rapid.Custom(func(t *rapid.T) launch {
		return launch{part.Draw(t, "cluster"), types.UID(part.Draw(t, "uid")), rapid.Int64Range(0, 2).Draw(t, "attempt")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		same := ClientToken(a.cluster, a.uid, a.attempt) == ClientToken(b.cluster, b.uid, b.attempt)
		if same != (a == b) {
			t.Fatalf("tokens equal: %v", same)
		}
	})
}
