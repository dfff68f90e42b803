// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package stack starts and stops what the operator needs, and the operator: a control
// plane, a simulated EC2, and config/ as a cluster would get it.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/ec2sim/simctl"
)

const (
	// Namespace is the operator's, as config/ has it.
	Namespace = "ec2-operator-system"
	// ServiceAccount is the operator's.
	ServiceAccount = "ec2-operator"
	// Region is the one of the account in config/samples: the operator's default
	// account and the sample then say the same.
	Region = "eu-central-1"
	// OperatorLogName is the operator's log in the folder.
	OperatorLogName = "operator.log"
)

// Options say what to start.
type Options struct {
	// Root is the module's root, which holds bin/ and config/. It must be the working
	// directory, for kubectl's relative paths.
	Root string
	// Folder takes all that is written.
	Folder *Folder
	// Progress receives a line for each stage.
	Progress io.Writer
}

// Stack is what runs.
type Stack struct {
	// Cluster is the control plane; it records its requests.
	Cluster *cluster.Cluster
	// EC2 is the simulator's control endpoint.
	EC2 *simctl.Client
	// EC2URL is the simulator's endpoint.
	EC2URL string

	options  Options
	operator *operator
	// stops stop the parts, in the order in which they were started.
	stops []func() error
}

// Start starts everything and returns when it is ready. The caller has to Stop the
// stack. When Start fails, nothing runs any more.
func Start(ctx context.Context, o Options) (*Stack, error) {
	s := &Stack{options: o}
	for _, stage := range []func(context.Context) error{
		s.startCluster, s.startEC2, s.installConfig, s.startOperator, s.settle,
	} {
		err := ctx.Err()
		if err == nil {
			err = stage(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, s.Stop())
		}
	}
	return s, nil
}

// Stop stops everything, the operator first, and returns what went wrong with any of
// it. A part that had ended before is an error.
func (s *Stack) Stop() error {
	var errs []error
	for _, stop := range slices.Backward(s.stops) {
		errs = append(errs, stop())
	}
	s.stops = nil
	return errors.Join(errs...)
}

// OperatorLog is the file that the operator logs to.
func (s *Stack) OperatorLog() string { return s.options.Folder.Join(OperatorLogName) }

// OperatorUser is the name under which the operator's requests are recorded.
func (s *Stack) OperatorUser() string { return cluster.ServiceAccountUser(Namespace, ServiceAccount) }

// OperatorLogTail is the end of the operator's log, for people.
func (s *Stack) OperatorLogTail() string { return "The operator: " + tailOf(s.OperatorLog()) }

// ControlURL is where the simulator's control endpoint begins.
func (s *Stack) ControlURL() string { return s.EC2URL + ec2sim.ControlPrefix }

// assetsEnv names another folder with the control plane's programs.
const assetsEnv = "KUBEBUILDER_ASSETS"

func (s *Stack) startCluster(ctx context.Context) error {
	options := cluster.Options{
		DataDir: s.options.Folder.Join("control-plane"), PluginDir: filepath.Join(s.options.Root, "bin"), Audit: true, Log: s.options.Progress,
	}
	if os.Getenv(assetsEnv) == "" {
		options.AssetsDir = filepath.Join(s.options.Root, "bin", "controlplane")
	}
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	s.Cluster = c
	s.stopLater(c.Stop) // it says itself that it is stopped
	return nil
}

func (s *Stack) startEC2(ctx context.Context) error {
	s.say("Starting a simulated EC2")
	server, err := ec2sim.New(ec2sim.Options{Settings: new(ec2sim.Fast())}).Listen("127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the simulated EC2: %w", err)
	}
	s.EC2URL, s.EC2 = server.URL, simctl.New(server.URL, nil)
	s.stopLater(func() error {
		s.say("Stopping the simulated EC2")
		return server.Close()
	})
	return s.EC2.Health(ctx)
}

func (s *Stack) startOperator(ctx context.Context) error {
	program, err := findProgram(s.options.Root)
	if err != nil {
		return err
	}
	kubeconfig, home := s.options.Folder.Join("operator.kubeconfig"), s.options.Folder.Join("operator-home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return fmt.Errorf("making the operator's home: %w", err)
	}
	if err := s.Cluster.ServiceAccountKubeconfig(ctx, Namespace, ServiceAccount, kubeconfig); err != nil {
		return err
	}
	probe, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	s.say("Starting the operator as ServiceAccount %s/%s, log in %s", Namespace, ServiceAccount, s.OperatorLog())
	s.operator, err = startOperator(ctx, operatorSettings{
		program: program, kubeconfig: kubeconfig, log: s.OperatorLog(), home: home,
		namespace: Namespace, probe: probe, endpoint: s.EC2URL, region: Region,
	})
	if err != nil {
		return err
	}
	s.stopLater(func() error {
		s.say("Stopping the operator")
		return s.operator.stop()
	})
	return s.operator.waitReady(ctx)
}

// stopLater remembers how to stop what has just been started.
func (s *Stack) stopLater(stop func() error) { s.stops = append(s.stops, stop) }

// say tells people who wait what is going on. Progress that cannot be shown must not
// end the stack.
func (s *Stack) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.options.Progress, format+"\n", args...)
}
