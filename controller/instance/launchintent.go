// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Reasons of a launch, as status.launch.reason tells them.
const (
	launchCreated     = "Created"
	launchTerminated  = "Terminated"
	launchSpecChanged = "SpecChanged"
	launchReplaced    = "Replaced"
	launchFallback    = "CapacityFallback"
	launchAdopted     = "Adopted"
)

// LaunchIntent is what is about to be launched, written to the object before EC2 is asked. It is the value of
// annotation ec2.fieldowner.dev/launch.
type LaunchIntent struct {
	// UID of the object. An intent that came along with a backup restored into another cluster names another
	// one, and is void.
	UID types.UID `json:"uid"`
	// For is the live instance where no attempt has made it: the intent stands for it then, and not for a launch. Attempt is the latest
	// one before it, or 0.
	For string `json:"for,omitempty"`
	// Attempt counts launches from 1; each makes at most one instance.
	Attempt int64 `json:"attempt"`
	// Token is the attempt's client token.
	Token string `json:"token"`
	// Hash of the launch parameters; EC2 refuses the token with others.
	Hash string `json:"hash"`
	// Image is the image id; SSMParameter is where it came from, if it did.
	Image        string `json:"image"`
	SSMParameter string `json:"ssmParameter,omitempty"`
	// Template is what spec says of the launch template, and TemplateVersion the number of the version that it stood for.
	Template        string `json:"template,omitempty"`
	TemplateVersion string `json:"templateVersion,omitempty"`
	// InstanceType to launch, where spec has fallbacks.
	InstanceType string `json:"instanceType,omitempty"`
	// Subnet and Region to launch in. The zone is the subnet's.
	Subnet string `json:"subnet,omitempty"`
	Region string `json:"region"`
	// TagKeys are those of the tags that the instance is launched with, without its identity: they are ours from the
	// beginning, though spec may have dropped one before the status records them.
	TagKeys []string `json:"tagKeys,omitempty"`
	// Groups are the security groups that the instance is launched with: ours in the same way.
	Groups []string `json:"groups,omitempty"`
	// Fields are digests of the fields of spec that a launch alone can set and EC2 does not tell: how an edit of one is noticed.
	Fields map[string]string `json:"fields,omitempty"`
	// Generation of spec that the launch was decided on: what EC2 tells of the instance only when asked is known to match it.
	Generation int64 `json:"generation,omitempty"`
	// Replacing is when it was decided to terminate the attempt's instance, for another one to take its place.
	Replacing *metav1.Time `json:"replacing,omitempty"`
	// At is when the launch was decided, Reason why.
	At     metav1.Time `json:"at"`
	Reason string      `json:"reason"`
	// Holder is the process that may ask EC2 for the attempt, where spec has fallbacks (fence.go).
	Holder string `json:"holder,omitempty"`
	// Round counts the rounds through all fallbacks in which EC2 had no capacity for any, since the launch began.
	Round int64 `json:"round,omitempty"`
	// Refused counts the attempts before this one that EC2 had no capacity for, and that another candidate has followed.
	Refused int64 `json:"refused,omitempty"`
}

// intentOf returns the object's launch intent, or nil when there is none that holds: it must be for this
// object and bear the token that everybody derives for the attempt, so that a value made up by hand is void.
func intentOf(obj *ec2v1.EC2Instance, cluster string) *LaunchIntent {
	raw, ok := obj.Annotations[ec2v1.AnnotationLaunch]
	if !ok {
		return nil
	}
	intent := &LaunchIntent{}
	if err := json.Unmarshal([]byte(raw), intent); err != nil {
		return nil
	}
	if intent.UID != obj.UID || intent.Attempt < intent.least() || intent.Token != cloud.ClientToken(cluster, obj.UID, intent.Attempt) {
		return nil
	}
	return intent
}

// least is the lowest attempt that there is.
func (i *LaunchIntent) least() int64 {
	if i.For != "" {
		return 0
	}
	return 1
}

// launches tells whether the intent is one to launch: not made up for an instance that is there.
func (i *LaunchIntent) launches() bool { return i != nil && i.Hash != "" }

// standsFor tells whether the intent is for an instance that no attempt has made.
func (i *LaunchIntent) standsFor(id string) bool { return i != nil && id != "" && i.For == id }

// errNotIntended is why a launch is not repeated: the cache is behind.
var errNotIntended = errors.New("the launch is no longer intended")

// stillIntended asks whether the API server has the object with this intent and this spec, and not on its way out. A launch
// that is repeated writes nothing that the API server could refuse: the cache may be of another time, and a launch for an
// object that is gone would belong to nobody. Where spec is another one, somebody else may be about to give the attempt up,
// having looked for its instance until it could no longer come. Where another process has taken the intent over, that one may.
func (p *pass) stillIntended(intent *LaunchIntent) func(context.Context) error {
	return func(ctx context.Context) error {
		live := &ec2v1.EC2Instance{}
		if err := p.Live.Get(ctx, keyOf(p.obj), live); err != nil {
			if apierrors.IsNotFound(err) {
				return errNotIntended
			}
			return fmt.Errorf("asking whether the launch is still intended: %w", err)
		}
		there := intentOf(live, p.Cluster)
		if live.UID != p.obj.UID || live.Generation != p.obj.Generation || live.DeletionTimestamp != nil || there == nil ||
			there.Token != intent.Token || there.Holder != intent.Holder {
			return errNotIntended
		}
		return nil
	}
}

// encode returns the annotation's value.
func (i *LaunchIntent) encode() (string, error) {
	out, err := json.Marshal(i)
	if err != nil {
		return "", fmt.Errorf("encoding the launch intent: %w", err)
	}
	return string(out), nil
}
