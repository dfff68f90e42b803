// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command ec2-operator runs the operator for EC2Instances.
package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/fieldowner/ec2-operator/controller/operator"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ec2-operator:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o, kubeconfig, err := options(args)
	if err != nil || o == nil {
		return err
	}
	ctrl.SetLogger(o.Log)
	cfg, err := restConfig(kubeconfig)
	if err != nil {
		return err
	}
	return operator.Run(ctrl.SetupSignalHandler(), cfg, *o)
}

// options reads the command line; without options help was asked for.
func options(args []string) (*operator.Options, string, error) {
	o := &operator.Options{}
	var kubeconfig, level string
	flags := pflag.NewFlagSet("ec2-operator", pflag.ContinueOnError)
	flags.StringVar(&kubeconfig, "kubeconfig", "", "Path of a kubeconfig; by default $KUBECONFIG, then the pod's own ServiceAccount.")
	flags.BoolVar(&o.LeaderElection, "leader-elect", true, "Make one of several operators act.")
	flags.StringVar(&o.Namespace, "namespace", namespaceFromEnvironment(), "Namespace that the operator runs in; its Lease is there.")
	flags.StringVar(&o.MetricsAddress, "metrics-bind-address", ":8443", `Address of the metrics, with TLS; "0" switches them off.`)
	flags.StringVar(&o.ProbeAddress, "health-probe-bind-address", ":8081", `Address of /healthz and /readyz; "0" switches them off.`)
	flags.StringSliceVar(&o.WatchNamespaces, "watch-namespaces", nil, "Namespaces to work in, separated by commas; by default all.")
	flags.IntVar(&o.Workers, "max-concurrent-reconciles", defaultWorkers, "EC2Instances worked on at a time.")
	flags.BoolVar(&o.DefaultAccount, "default-account", false, "Apply an EC2Account named default, for all namespaces, from AWS_REGION and the SDK's environment.")
	flags.StringVar(&level, "log-level", "info", "Least severe level that is logged: debug, info, warn or error.")
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		return nil, "", nil
	}
	if err == nil {
		err = check(flags.Args(), o)
	}
	if err == nil {
		o.Log, err = logger(level)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w (--help shows the flags)", err)
	}
	return o, kubeconfig, nil
}

// check refuses what would be misunderstood in silence.
func check(rest []string, o *operator.Options) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q: there are only flags, and values of yes and no are given with =", rest[0])
	}
	if o.Workers < 1 {
		return fmt.Errorf("--max-concurrent-reconciles must be at least 1, not %d", o.Workers)
	}
	if problems := validation.IsDNS1123Label(o.Namespace); len(problems) > 0 {
		return fmt.Errorf("--namespace must be a namespace's name, not %q: %s", o.Namespace, problems[0])
	}
	for _, name := range o.WatchNamespaces {
		// To the cache an empty name means all namespaces.
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return fmt.Errorf("--watch-namespaces must be names of namespaces, not %q: %s", name, problems[0])
		}
	}
	return nil
}

func logger(level string) (logr.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return logr.Logger{}, fmt.Errorf("--log-level must be debug, info, warn or error, not %q", level)
	}
	return logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l})), nil
}
