// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func TestAssumedRoleActsInItsAccount(t *testing.T) {
	r := newRig(t)
	me, err := r.sts("AKIDEXAMPLE").GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
	r.must(err)
	if *me.Account != ec2sim.DefaultAccount || *me.Arn != "arn:aws:iam::123456789012:user/ec2sim" {
		t.Errorf("caller: %s %s", *me.Account, *me.Arn)
	}
	out, err := r.sts("AKIDEXAMPLE").AssumeRole(t.Context(), &sts.AssumeRoleInput{
		RoleArn: aws.String("arn:aws:iam::210987654321:role/path/operator"), RoleSessionName: aws.String("session"), DurationSeconds: aws.Int32(900),
	})
	r.must(err)
	if *out.AssumedRoleUser.Arn != "arn:aws:sts::210987654321:assumed-role/operator/session" || !out.Credentials.Expiration.Equal(epoch.Add(15*time.Minute)) {
		t.Errorf("got %s until %v", *out.AssumedRoleUser.Arn, out.Credentials.Expiration)
	}
	config := r.config("", "us-east-1")
	config.Credentials = credentials.NewStaticCredentialsProvider(*out.Credentials.AccessKeyId, *out.Credentials.SecretAccessKey, *out.Credentials.SessionToken)
	they, err := sts.NewFromConfig(config).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
	r.must(err)
	if *they.Account != "210987654321" || *they.Arn != *out.AssumedRoleUser.Arn {
		t.Errorf("as the role: %s %s", *they.Account, *they.Arn)
	}
	r.mustRun()
	r.ec2 = ec2.NewFromConfig(config)
	if found := r.list(); len(found) != 0 {
		t.Errorf("the role sees instances of the other account: %v", ids(found))
	}
	r.mustRun()
	if all := r.sim.Instances(); len(all) != 2 || all[1].Account != "210987654321" {
		t.Errorf("in truth: %+v", all)
	}
	r.clock.Step(15 * time.Minute)
	_, err = r.run()
	wantError(t, err, "RequestExpired", badRequest, "Request has expired.")
	_, err = sts.NewFromConfig(config).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
	wantError(t, err, "ExpiredToken", 403, "expired")
}

func TestAssumeRoleRefuses(t *testing.T) {
	r := newRig(t)
	const role = "arn:aws:iam::210987654321:role/operator"
	for name, in := range map[string]*sts.AssumeRoleInput{
		"not a role":    {RoleArn: aws.String("arn:aws:iam::210987654321:user/someone"), RoleSessionName: aws.String("s")},
		"too short":     {RoleArn: aws.String(role), RoleSessionName: aws.String("s"), DurationSeconds: aws.Int32(899)},
		"too long":      {RoleArn: aws.String(role), RoleSessionName: aws.String("s"), DurationSeconds: aws.Int32(43201)},
		"empty session": {RoleArn: aws.String(role), RoleSessionName: aws.String("")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.sts("AKIDEXAMPLE").AssumeRole(t.Context(), in)
			wantError(t, err, "ValidationError", badRequest, "")
		})
	}
	r.inject(ec2sim.Fault{Action: "AssumeRole", Error: &ec2sim.FaultError{Code: "AccessDenied", Message: "not authorized to perform: sts:AssumeRole"}})
	_, err := r.sts("AKIDEXAMPLE").AssumeRole(t.Context(), &sts.AssumeRoleInput{RoleArn: aws.String(role), RoleSessionName: aws.String("s")})
	wantError(t, err, "AccessDenied", 403, "not authorized")
}

func TestParameters(t *testing.T) {
	r := newRig(t)
	get := func(name string) (string, error) {
		out, err := r.ssm("us-east-1").GetParameter(t.Context(), &ssm.GetParameterInput{Name: &name})
		if err != nil {
			return "", err
		}
		return *out.Parameter.Value, nil
	}
	for _, name := range []string{ec2sim.ParameterAL2023, ec2sim.ParameterAL2023 + ":1"} {
		if got, err := get(name); err != nil || got != ec2sim.ImageAL2023 {
			t.Errorf("%s = %s, %v", name, got, err)
		}
	}
	_, err := get("/no/such")
	wantError(t, err, "ParameterNotFound", badRequest, "")
	_, err = get(ec2sim.ParameterAL2023 + ":9")
	wantError(t, err, "ParameterVersionNotFound", badRequest, "")

	r.sim.EditWorld(ec2sim.DefaultAccount, "us-east-1", func(w *ec2sim.World) {
		w.Parameters[0].Value, w.Parameters[0].Version = ec2sim.ImageAL2023Next, 2
	})
	if got, err := get(ec2sim.ParameterAL2023); err != nil || got != ec2sim.ImageAL2023Next {
		t.Errorf("after the edit: %s, %v", got, err)
	}
	out, err := r.ssm("eu-west-1").GetParameters(t.Context(), &ssm.GetParametersInput{Names: []string{ec2sim.ParameterAL2023ARM, "/no/such", ec2sim.ParameterAL2023}})
	r.must(err)
	got := []string{}
	for _, p := range out.Parameters {
		got = append(got, *p.Value)
	}
	if diff := cmp.Diff([]string{ec2sim.ImageAL2023ARM, ec2sim.ImageAL2023}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/no/such"}, out.InvalidParameters); diff != "" {
		t.Error(diff)
	}
	_, err = r.ssm("us-east-1").DescribeParameters(t.Context(), &ssm.DescribeParametersInput{})
	wantError(t, err, "UnknownOperationException", badRequest, "DescribeParameters")
}
