// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// root is the module's root, seen from here.
var root = filepath.Join("..", "..", "..", "..")

func account(t *testing.T, text []byte) *ec2v1.EC2Account {
	t.Helper()
	var account ec2v1.EC2Account
	if err := yaml.UnmarshalStrict(text, &account); err != nil {
		t.Fatal(err)
	}
	return &account
}

// The operator's default account and the sample of it must not fight over a field.
func TestTheSampleAccountSaysWhatTheOperatorSays(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "config", "samples", "ec2account.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sample := account(t, text)
	if sample.Name != ec2v1.DefaultAccountName || sample.Spec.Region != Region {
		t.Errorf("The sample is account %q in %s, want %q in %s", sample.Name, sample.Spec.Region, ec2v1.DefaultAccountName, Region)
	}
	selector, err := metav1.LabelSelectorAsSelector(sample.Spec.AllowedNamespaces)
	if err != nil || !selector.Matches(labels.Set{}) || !selector.Empty() {
		t.Errorf("The sample allows namespaces %v (%v), want all", selector, err)
	}
	if sample.Spec.PollIntervalSeconds != 0 {
		t.Errorf("The sample says pollIntervalSeconds: %d, which the playground sets", sample.Spec.PollIntervalSeconds)
	}
}

func TestThePlaygroundSetsNothingButThePollInterval(t *testing.T) {
	got := account(t, []byte(pollFast))
	if got.Name != ec2v1.DefaultAccountName || got.Spec.PollIntervalSeconds != 10 {
		t.Errorf("The manifest has account %q with an interval of %d s", got.Name, got.Spec.PollIntervalSeconds)
	}
	got.Spec.PollIntervalSeconds = 0
	if got.Spec != (ec2v1.EC2AccountSpec{}) {
		t.Errorf("The manifest sets more: %+v", got.Spec)
	}
}
