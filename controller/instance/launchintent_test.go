// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

func TestLaunchIntentRoundTrip(t *testing.T) {
	written := &LaunchIntent{
		UID: testUID, Attempt: 7, Token: token(7), Hash: hash, Image: testImage, SSMParameter: "/one", Subnet: "subnet-00000001",
		Region: testRegion, UserData: userDataFingerprint(&ec2v1.UserData{Inline: "echo"}), At: metav1.NewTime(begin), Reason: launchTerminated,
	}
	text, err := written.encode()
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(annotated(text))
	read := intentOf(in.Object, testCluster)
	if diff := cmp.Diff(written, read); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	// To the letter, or every pass would write it again.
	again, err := read.encode()
	if err != nil || again != text {
		t.Errorf("encoded again it is %s (%v), was %s", again, err, text)
	}
	if intentOf(in.Object, "another-cluster") != nil {
		t.Error("it holds in another cluster")
	}
	if intentOf(testObject(), testCluster) != nil {
		t.Error("it holds where there is none")
	}
}

// A running operator may have written what its successor reads.
func TestLaunchIntentFormat(t *testing.T) {
	i := LaunchIntent{UID: testUID, Attempt: 1, Token: "t", Hash: "h", Image: "ami-1", Region: testRegion, At: metav1.NewTime(begin), Reason: launchCreated}
	got, err := i.encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"uid":"` + testUID + `","attempt":1,"token":"t","hash":"h","image":"ami-1","region":"eu-central-1","at":"2026-03-01T12:00:00Z","reason":"Created"}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if !json.Valid([]byte(got)) {
		t.Error("no JSON")
	}
}

// The attempt is read from the object, which its users can edit: it must not cost more than others.
func TestTokensAreDerivedAroundAnyAttempt(t *testing.T) {
	const greatest = int64(^uint64(0) >> 1)
	for _, attempt := range []int64{0, 1, attemptsAround, 1000, greatest - 1, greatest} {
		tokens := tokensOf(testCluster, testObject(), attempt)
		if len(tokens) > 2*attemptsAround+1 {
			t.Errorf("attempt %d: %d tokens", attempt, len(tokens))
		}
		if attempt > 0 && tokens[token(attempt)] != attempt {
			t.Errorf("attempt %d is not among its own", attempt)
		}
	}
}
