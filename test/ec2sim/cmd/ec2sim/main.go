// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command ec2sim serves a simulated EC2 until it is interrupted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "ec2sim:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("ec2sim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	fast := flags.Bool("fast", false, "use delays of about a second instead of EC2's")
	settingsFile := flags.String("settings", "", "JSON `file` with settings, as GET /_ec2sim/settings shows them; those it does not name keep their defaults")
	seed := flags.Uint64("seed", 0, "`number` that decides ids, the order of listings and the chance of faults")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	settings, err := readSettings(*fast, *settingsFile)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", *listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	sim := ec2sim.New(ec2sim.Options{Settings: &settings, Seed: *seed})
	url := "http://" + listener.Addr().String()
	if _, err := fmt.Fprintf(stdout, guide, url, url, url+ec2sim.ControlPrefix, ec2sim.ImageAL2023, ec2sim.SubnetA); err != nil {
		return errors.Join(err, listener.Close())
	}
	return sim.Serve(ctx, listener)
}

// guide is what a newcomer needs to make a first call.
const guide = `ec2sim listens on %s
Point any AWS client to it:
  export AWS_ENDPOINT_URL=%s AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
Control endpoint: %s (counts, requests, instances, faults, settings, reset)
An image and a subnet to start with: %s %s
`

func readSettings(fast bool, file string) (ec2sim.Settings, error) {
	settings := ec2sim.DefaultSettings()
	if fast {
		settings = ec2sim.Fast()
	}
	if file == "" {
		return settings, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return settings, fmt.Errorf("reading settings: %w", err)
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return settings, fmt.Errorf("reading settings from %s: %w", file, err)
	}
	if err := settings.Validate(); err != nil {
		return settings, fmt.Errorf("settings in %s: %w", file, err)
	}
	return settings, nil
}
