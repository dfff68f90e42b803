// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package ec2sim is an EC2 that behaves: a simulator that speaks the real wire
// protocols to unmodified AWS SDKs and models what breaks programs that manage
// instances. Describes lag behind launches, and tags behind both; client tokens are
// idempotent with EC2's scopes and errors; requests drain token buckets; zones run
// out of capacity; connections break before or after a call was carried out.
//
// Served are the EC2 actions around instances, their volumes, network interfaces and
// tags, launch templates and Spot requests, STS GetCallerIdentity and AssumeRole, and
// SSM GetParameter and GetParameters, all on one endpoint. Each account has a world of
// its own in each region (see World); the region comes from the SigV4 scope of a
// request and the account from its access key id. Signatures are not verified.
//
// Nothing happens in the background. An instance is its history, and what a call
// sees is a pure function of histories, settings and the clock, so a test can drive
// time with a fake clock or run in a testing/synctest bubble (use Sim.Transport
// there).
//
//	sim, url := ec2sim.StartTest(t, ec2sim.Options{Settings: new(ec2sim.Fast())})
//	client := ec2.New(ec2.Options{
//		BaseEndpoint: &url, Region: "us-east-1",
//		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", ""),
//	})
//
// # Control endpoint
//
// Below ControlPrefix, /_ec2sim/, the same listener serves JSON:
//
//	GET    health                      204 when the simulator serves
//	GET    counts                      Counts; DELETE starts anew
//	GET    requests[?action=]          the latest requests; DELETE empties the log
//	GET    instances[?state=&account=&region=]   instances in truth, without lags
//	POST   instances/{id}/{verb}       a hand in EC2: terminate, stop, start, shutdown, interrupt, resume, recover
//	POST   instances/{id}/impair[?check=]        lets a status check fail: system, instance (default), attachedEBS
//	POST   instances/{id}/events       schedules a ScheduledEvent; DELETE removes all
//	GET    faults                      those in force; POST adds a Fault, DELETE lifts all
//	DELETE faults/{id}                 lifts one
//	GET    settings                    Settings; PATCH changes those that it names
//	POST   reset                       forgets instances, tokens, faults, counts and log
//
// Errors are {"error": "..."} with a 4xx status. Package simctl is a Go client.
package ec2sim
