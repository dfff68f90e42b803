// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// maxUserData is EC2's limit on user data before encoding, in bytes (EC2 User Guide, "Run commands at launch").
const maxUserData = 16384

// userDataAgain is when to look again for user data that is missing: it is often created together with the
// object, a moment later, and is not watched, so that Secrets are not cached cluster-wide.
const userDataAgain = 15 * time.Second

// PrepareError says why the launch parameters cannot be found out.
type PrepareError struct {
	// Reason and Message for the conditions; or Call, when it was AWS that failed, and Reason if it refused.
	Reason, Message string
	Call            *cloud.Error
	// After is when to try again.
	After time.Duration
}

// asError is the same as the failure of a call.
func (e *PrepareError) asError() *cloud.Error {
	if e.Call != nil {
		return e.Call
	}
	return &cloud.Error{Class: cloud.ClassDependency, Message: e.Message, Definite: true, RetryAfter: e.After}
}

func (e *PrepareError) verdict(f facts) Verdict {
	if e.Call == nil {
		return f.stalled(e.Reason, e.Message)
	}
	v := f.waiting(ec2v1.ReasonLaunching, launching).failed(e.Call)
	if e.Call.Class == cloud.ClassInvalid || e.Call.Class == cloud.ClassDependency {
		return f.stalled(cmp.Or(e.Reason, ec2v1.ReasonImageNotFound), e.Call.Error())
	}
	return v
}

// prepare finds out what RunInstances is to be told for a candidate. What an intent has resolved stays resolved, so that a
// repetition is the same to the letter, and so that candidates differ in nothing else.
func (r *Reconciler) prepare(ctx context.Context, in *Input, session cloud.Session, c candidate) error {
	var version string
	var data cloud.UserData
	var err error
	image, problem := r.image(ctx, in, session)
	if problem == nil {
		version, problem = templateVersion(ctx, in, session)
	}
	if problem == nil {
		data, problem, err = r.userData(ctx, in.Object)
	}
	if err != nil {
		return err
	}
	if problem != nil {
		in.PrepareError = problem
		return nil
	}
	owner := cloud.Owner{UID: in.Object.UID, Namespace: in.Object.Namespace, Name: in.Object.Name}
	tags := cloud.DesiredTags(in.Cluster, owner, &in.Object.Spec)
	parameters := cloud.NewLaunchParameters(c.in(&in.Object.Spec), image, version, data, tags)
	in.Prepared = &Prepared{Candidate: c, Parameters: parameters, Hash: parameters.Hash()}
	return nil
}

// image is the id of the image, "" where the launch template names it.
func (r *Reconciler) image(ctx context.Context, in *Input, session cloud.Session) (string, *PrepareError) {
	image := in.Object.Spec.Image
	if image.ID != "" || image.SSMParameter == "" {
		return image.ID, nil
	}
	f := learn(*in)
	if f.intent != nil && !f.consumed && f.intent.SSMParameter == image.SSMParameter {
		return f.intent.Image, nil
	}
	return resolve(in, "image", image.SSMParameter, ec2v1.ReasonImageNotFound, func() (string, error) {
		return session.ResolveImage(ctx, image.SSMParameter)
	})
}

// templateVersion is the number of the launch template's version, "" without a template. What an alias stood for when the launch was
// decided it stands for at each repetition.
func templateVersion(ctx context.Context, in *Input, session cloud.Session) (string, *PrepareError) {
	template := in.Object.Spec.LaunchTemplate
	if template == nil {
		return "", nil
	}
	if f := learn(*in); f.intent != nil && !f.consumed && f.intent.TemplateVersion != "" && f.intent.Template == templateRef(template) {
		return f.intent.TemplateVersion, nil
	}
	if template.Version != "" && !strings.HasPrefix(template.Version, "$") {
		return template.Version, nil
	}
	ref := cloud.TemplateRef{ID: template.ID, Name: template.Name, Version: template.Version}
	return resolve(in, "launchTemplate", templateRef(template), ec2v1.ReasonDependencyNotReady, func() (string, error) {
		resolved, err := session.ResolveTemplate(ctx, ref)
		return resolved.Version, err
	})
}

// templateRef is what spec says of the launch template, as text.
func templateRef(t *ec2v1.LaunchTemplate) string {
	if t == nil {
		return ""
	}
	return t.ID + t.Name + "@" + t.Version
}

// resolve asks AWS what a name in a field of spec stands for. A failure is remembered, so that the next question is put off, whatever
// wakes the object meanwhile; reason is for what AWS does not know.
func resolve(in *Input, field, name, reason string, ask func() (string, error)) (string, *PrepareError) {
	step := resolving(field)
	if in.Memory.wait(step, name, in.Now) == 0 {
		value, err := ask()
		if err == nil {
			delete(in.Memory.Calls, step)
			return value, nil
		}
		in.Memory.record(step, name, in.Now, cloud.ErrorOf(err))
	}
	return "", &PrepareError{Reason: reason, Call: in.Memory.failure(step, name), After: in.Memory.wait(step, name, in.Now)}
}

// userData reads the bytes that spec.userData names, from the object's own namespace only.
func (r *Reconciler) userData(ctx context.Context, obj *ec2v1.EC2Instance) (cloud.UserData, *PrepareError, error) {
	u := obj.Spec.UserData
	switch {
	case u == nil, *u == ec2v1.UserData{}:
		return cloud.UserData{}, nil, nil
	case u.Inline != "":
		return cloud.UserData{Bytes: []byte(u.Inline)}, nil, nil
	case u.SecretKeyRef != nil:
		secret := &corev1.Secret{}
		found, err := r.read(ctx, client.ObjectKey{Namespace: obj.Namespace, Name: u.SecretKeyRef.Name}, secret)
		if err != nil {
			return cloud.UserData{}, nil, err
		}
		data, ok := secret.Data[u.SecretKeyRef.Key]
		identity := fmt.Sprintf("secret/%s/%s/%s", secret.UID, secret.ResourceVersion, u.SecretKeyRef.Key)
		return checked(cloud.UserData{Bytes: data, Identity: identity}, "secretKeyRef", "Secret", u.SecretKeyRef, found, ok)
	default:
		config := &corev1.ConfigMap{}
		found, err := r.read(ctx, client.ObjectKey{Namespace: obj.Namespace, Name: u.ConfigMapKeyRef.Name}, config)
		if err != nil {
			return cloud.UserData{}, nil, err
		}
		data, ok := configMapValue(config, u.ConfigMapKeyRef.Key)
		return checked(cloud.UserData{Bytes: data}, "configMapKeyRef", "ConfigMap", u.ConfigMapKeyRef, found, ok)
	}
}

// read reads an object past the cache, and tells whether it is there.
func (r *Reconciler) read(ctx context.Context, key client.ObjectKey, into client.Object) (bool, error) {
	err := r.Live.Get(ctx, key, into)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading user data from %s: %w", key, err)
	}
	return true, nil
}

func configMapValue(config *corev1.ConfigMap, key string) ([]byte, bool) {
	if text, ok := config.Data[key]; ok {
		return []byte(text), true
	}
	data, ok := config.BinaryData[key]
	return data, ok
}

// checked refuses user data that EC2 could not take; the message never holds the data.
func checked(data cloud.UserData, field, kind string, ref *ec2v1.KeyReference, found, hasKey bool) (cloud.UserData, *PrepareError, error) {
	var problem string
	switch {
	case !found:
		problem = fmt.Sprintf("%s %q does not exist in this namespace: create it", kind, ref.Name)
	case !hasKey:
		problem = fmt.Sprintf("%s %q has no key %q: add it", kind, ref.Name, ref.Key)
	case len(data.Bytes) > maxUserData:
		problem = fmt.Sprintf("%s %q has %d bytes in key %q and EC2 takes at most %d: shorten or compress it", kind, ref.Name, len(data.Bytes), ref.Key, maxUserData)
	default:
		return data, nil, nil
	}
	return cloud.UserData{}, &PrepareError{
		Reason: ec2v1.ReasonUserDataNotFound, Message: fmt.Sprintf("spec.userData.%s: %s", field, problem), After: userDataAgain,
	}, nil
}
