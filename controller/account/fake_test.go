// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

const (
	awsAccount = "123456789012"
	region     = "eu-central-1"
)

// start is when the tests' clocks begin.
var start = time.Date(2026, time.January, 2, 3, 4, 5, 678, time.UTC)

// fakeSession is a session of which only STS is asked here.
type fakeSession struct {
	cloud.Session
	// err is STS's answer, if it is not awsAccount.
	err error
	// asked counts the calls.
	asked int
}

func (s *fakeSession) AccountID(context.Context) (string, error) {
	s.asked++
	if s.err != nil {
		return "", s.err
	}
	return awsAccount, nil
}

// fakeSessions gives one session, or an error.
type fakeSessions struct {
	session   *fakeSession
	err       error
	forgotten []string
}

func (s *fakeSessions) Session(context.Context, *ec2v1.EC2Account, string) (cloud.Session, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.session, nil
}

func (s *fakeSessions) Forget(account string) { s.forgotten = append(s.forgotten, account) }

func failure(class cloud.Class) *cloud.Error {
	return &cloud.Error{Op: "GetCallerIdentity", Class: class, Code: string(class) + "Code", Message: "no"}
}

func newAccount(generation int64, uid types.UID) *ec2v1.EC2Account {
	out := &ec2v1.EC2Account{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: uid, Generation: generation}}
	out.Spec.Region = region
	return out
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
