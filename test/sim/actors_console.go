// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awsec2 "github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// What a hand in the console writes into tags.
const (
	consoleTag   = "note"
	consoleValue = "console"
	// consoleKey is the access key of its calls.
	consoleKey = "AKIDCONSOLE"
)

// inConsole does something to the live instances of an object.
func (w *world) inConsole(name string, do func(ec2sim.Instance) error) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	for _, i := range liveOf(w.ec2, obj.UID) {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) terminateInConsole(name string) error {
	return w.inConsole(name, func(i ec2sim.Instance) error { return w.ec2.Terminate(i.ID) })
}

func (w *world) stopInConsole(name string) error {
	return w.inConsole(name, func(i ec2sim.Instance) error {
		if i.State != "running" {
			return nil
		}
		return w.ec2.Stop(i.ID)
	})
}

func (w *world) startInConsole(name string) error {
	return w.inConsole(name, func(i ec2sim.Instance) error {
		if i.State != "stopped" {
			return nil
		}
		w.judge.started[i.ID] = time.Now()
		return w.ec2.Start(i.ID)
	})
}

// tagInConsole sets a tag of its own, or sets or removes the user's.
func (w *world) tagInConsole(name string) error {
	key := w.pick(consoleTag, consoleTag, "team")
	remove := key == "team" && w.random.IntN(2) == 0
	return w.inConsole(name, func(i ec2sim.Instance) error {
		client := w.console()
		if remove {
			_, err := client.DeleteTags(context.Background(), &awsec2.DeleteTagsInput{Resources: []string{i.ID}, Tags: []ec2types.Tag{{Key: &key}}})
			return ignoreAPIErrors(err)
		}
		in := &awsec2.CreateTagsInput{Resources: []string{i.ID}, Tags: []ec2types.Tag{{Key: &key, Value: aws.String(consoleValue)}}}
		_, err := client.CreateTags(context.Background(), in)
		if err == nil && key == consoleTag {
			w.judge.noted[i.ID] = true
		}
		return ignoreAPIErrors(err)
	})
}

// console is a client of EC2 that is not the operator's.
func (w *world) console() *awsec2.Client {
	return awsec2.New(awsec2.Options{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider(consoleKey, "secret", ""),
		HTTPClient: &http.Client{Transport: w.ec2.Transport()}, Retryer: aws.NopRetryer{},
	})
}

// ignoreAPIErrors: people are refused like everybody.
func ignoreAPIErrors(err error) error {
	if _, ok := errors.AsType[smithy.APIError](err); ok {
		return nil
	}
	return err
}
