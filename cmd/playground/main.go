// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command playground starts a Kubernetes control plane, a simulated EC2 and the
// operator on this machine: to try the operator by hand, or, as `playground demo`, to
// see its main job done and checked unattended.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
)

const usage = `Usage: playground         start everything, say what to try, and wait for Ctrl-C
       playground demo    the same unattended: create, change, lose and delete instances, and check each step
`

// What a shell gets to know.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	// A reader that has gone away, such as head, must not keep us from stopping what we have started.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A second Ctrl-C ends us at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	mode, err := modeOf(args)
	if err != nil {
		fmt.Fprintf(stderr, "playground: %s\n%s", err, usage)
		return exitUsage
	}
	if mode == modeHelp {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	s := screen.New(stdout, clock.RealClock{})
	switch err := session(ctx, mode, s); {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(stderr, "playground:", err)
		return exitInterrupted
	default:
		fmt.Fprintf(stderr, "\nplayground: FAILED: %s\n", err)
		return exitFailed
	}
}

// mode is what to do.
type mode string

const (
	modeRun  mode = "run"
	modeDemo mode = "demo"
	modeHelp mode = "help"
)

func modeOf(args []string) (mode, error) {
	if len(args) == 0 {
		return modeRun, nil
	}
	if len(args) > 1 {
		return "", fmt.Errorf("unexpected argument %q", args[1])
	}
	switch args[0] {
	case "run", "demo", "help":
		return mode(args[0]), nil
	case "-h", "--help":
		return modeHelp, nil
	default:
		return "", fmt.Errorf("unknown command %q", args[0])
	}
}
