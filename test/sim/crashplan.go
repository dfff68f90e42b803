// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// mode is what goes wrong at a point.
type mode string

// The modes.
const (
	// delivered, lost and before: an operator crashes after its k-th write, whose answer it got, or did not get; or before it.
	delivered mode = "delivered"
	lost      mode = "lost"
	before    mode = "before"
	// gone and anew: the user deletes the object right after the k-th write, and makes it anew under the same name as soon as it is gone.
	gone mode = "deleted"
	anew mode = "recreated"
	// goneCrash and anewCrash: and all operators crash then.
	goneCrash mode = "deleted+crash"
	anewCrash mode = "recreated+crash"
	// goneRequest and anewRequest: right after the k-th request of any kind.
	goneRequest mode = "deleted-request"
	anewRequest mode = "recreated-request"
)

var (
	crashModes  = []mode{delivered, lost, before}
	momentModes = []mode{gone, goneCrash, anew, anewCrash}
	// requestModes are moments by requests of any kind.
	requestModes = []mode{goneRequest, anewRequest}
)

// point is one run with one fault.
type point struct {
	*scenario
	mode mode
	k    int
}

func (p point) String() string { return fmt.Sprintf("%s:%s:%d", p.name, p.mode, p.k) }

// references are what plays without a fault came to: of the scenario itself, and of a plain object that is created.
type references struct {
	own, created outcome
}

func allModes() []mode { return slices.Concat(crashModes, momentModes, requestModes) }

// always: the point is one of those that are few.
func (p point) always() bool { return slices.Contains(crashModes, p.mode) }

// points are all that there are for a scenario whose reference is known.
func (s *scenario) points(reference outcome) []point {
	var out []point
	add := func(modes []mode, from, to int) {
		for _, m := range modes {
			for k := from; k <= to; k++ {
				out = append(out, point{scenario: s, mode: m, k: k})
			}
		}
	}
	add([]mode{delivered, lost}, 1, len(reference.writes))
	add([]mode{before}, 1, reference.writing)
	if s.moments {
		add(momentModes, 0, len(reference.writes))
		add(requestModes, 1, reference.requests)
	}
	return out
}

// fate is what befalls the play of a point.
func (p point) fate(reference outcome) fate {
	switch p.mode {
	case delivered:
		return fate{meanwhile: p.crashDelivered}
	case lost:
		return ruledAt(reference.writes[p.k-1].request, crashAfter)
	case before:
		return ruledAt(p.k, crashBefore)
	default:
		return fate{meanwhile: p.moment}
	}
}

// ruledAt is a ruling over the n-th request that writes.
func ruledAt(n int, r ruling) fate {
	return fate{rule: func(i int) ruling {
		if i == n {
			return r
		}
		return pass
	}}
}

// crashDelivered crashes the operator that made the k-th write, when it waits for its next request, or for nothing.
func (p point) crashDelivered(play *play) error {
	if write, made := play.wrote(p.k); made && !play.struck {
		play.struck = true
		play.world.trace("crash after write %d, %s", p.k, write.what)
		write.process.crash()
	}
	return nil
}

// moment deletes the object at its moment, and makes it anew when it is gone.
func (p point) moment(play *play) error {
	if !play.struck {
		reached := len(play.tape.writes)
		if p.mode == goneRequest || p.mode == anewRequest {
			reached = play.tape.requests
		}
		if reached < p.k {
			return nil
		}
		play.struck = true
		play.world.trace("the user deletes the object after %d writes", len(play.tape.writes))
		if p.mode == goneCrash || p.mode == anewCrash {
			play.crashAll()
		}
		return play.world.deleteAsUser(subject)
	}
	if !p.anew() || play.again {
		return nil
	}
	obj, err := play.world.get(subject)
	if err != nil || obj != nil {
		return err
	}
	play.again = true
	play.world.trace("the user creates the object anew")
	return asked()(play.world)
}

func (p point) anew() bool { return p.mode == anew || p.mode == anewCrash || p.mode == anewRequest }

// differences compares what came of a point with what shall.
func (p point) differences(r references, o outcome) []string {
	out := slices.Clone(o.violations)
	wrong := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !o.struck {
		wrong("its moment did not come")
	}
	if slices.Contains(crashModes, p.mode) {
		if p.mode == lost && (len(o.writes) < p.k || o.writes[p.k-1].what != r.own.writes[p.k-1].what) {
			wrong("write %d is not the reference's, %s: %v", p.k, r.own.writes[p.k-1].what, o.whats())
		}
		return append(out, o.differsFrom(r.own)...)
	}
	var state []string
	live := 0
	if p.anew() {
		state, live = r.created.state, 1
	}
	out = append(out, stateDiffers(state, o.state)...)
	if o.launched > r.own.launched+live || o.launched-o.ended != live {
		wrong("operators launched %d, and %d have ended: %d was to be left", o.launched, o.ended, live)
	}
	return out
}

// differsFrom compares what came of a crash with what comes without one.
func (o outcome) differsFrom(reference outcome) []string {
	out := stateDiffers(reference.state, o.state)
	if o.launched != reference.launched || o.terminated != reference.terminated || o.ended != reference.ended {
		out = append(out, fmt.Sprintf("operators launched %d and terminated %d, %d have ended, and without the crash it is %d, %d and %d",
			o.launched, o.terminated, o.ended, reference.launched, reference.terminated, reference.ended))
	}
	if o.stops > reference.stops {
		out = append(out, fmt.Sprintf("operators stopped instances %d times, and without the crash %d times", o.stops, reference.stops))
	}
	return out
}

func stateDiffers(want, have []string) []string {
	if diff := cmp.Diff(want, have); diff != "" {
		return []string{"the end state (-reference +here):\n" + diff}
	}
	return nil
}

// planResult is what came of a scenario's points, by mode.
type planResult struct {
	scenario string
	// writes in the reference, and how many of them went to the EC2Instance.
	writes, toSubject int
	// tried and differing are points by mode, and left how many were not tried.
	tried, differing map[mode]int
	left             int
}

// total adds modes up.
func (r planResult) total(modes ...mode) (tried, differing int) {
	for _, m := range modes {
		tried += r.tried[m]
		differing += r.differing[m]
	}
	return tried, differing
}

// columns of the table, each with its modes.
var columns = []struct {
	title string
	modes []mode
}{
	{"crash, answer delivered", []mode{delivered}},
	{"crash, answer lost", []mode{lost}},
	{"crash before the write", []mode{before}},
	{"deleted meanwhile", []mode{gone, goneRequest}},
	{"deleted, and crash", []mode{goneCrash}},
	{"deleted and created anew", []mode{anew, anewRequest}},
	{"created anew, and crash", []mode{anewCrash}},
}

// crashPlanTable tells results as a table in Markdown: points tried, and how many of them ended differently, where any did.
func crashPlanTable(results []planResult) string {
	var b strings.Builder
	b.WriteString("| scenario | writes |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|---|--:|" + strings.Repeat("--:|", len(columns)) + "\n")
	sum := planResult{scenario: "**all**", tried: map[mode]int{}, differing: map[mode]int{}}
	for _, r := range results {
		r.writeRow(&b)
		sum.writes += r.writes
		for m, n := range r.tried {
			sum.tried[m] += n
			sum.differing[m] += r.differing[m]
		}
	}
	sum.writeRow(&b)
	return b.String()
}

func (r planResult) writeRow(b *strings.Builder) {
	fmt.Fprintf(b, "| %s | %d |", r.scenario, r.writes)
	for _, c := range columns {
		switch tried, differing := r.total(c.modes...); {
		case tried == 0:
			b.WriteString(" – |")
		case differing == 0:
			fmt.Fprintf(b, " %d |", tried)
		default:
			fmt.Fprintf(b, " %d, **%d differ** |", tried, differing)
		}
	}
	b.WriteString("\n")
}
