// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
)

// chance gives an operator its random numbers. Each place in the code that asks has a sequence of its own: what one goroutine draws does not
// depend on how often another one has drawn.
type chance struct {
	seed, process uint64

	mu    sync.Mutex
	drawn map[string]uint64
}

func newChance(seed uint64, process int) *chance {
	return &chance{seed: seed, process: uint64(process), drawn: map[string]uint64{}}
}

// next is a number in [0, 1).
func (c *chance) next() float64 {
	place := "?"
	if pc, _, _, ok := runtime.Caller(1); ok {
		place = runtime.FuncForPC(pc).Name()
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(place)) // It cannot fail.
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn[place]++
	return rand.New(rand.NewPCG(c.seed^h.Sum64(), c.process<<32|c.drawn[place])).Float64() // It is to be foreseen.
}

// depth is how many of the operator's functions tell callers apart, and stackDepth how far down they are looked for.
const (
	depth      = 3
	stackDepth = 40
)

// callers names the innermost of the operator's functions that lead here, so that what two goroutines do is told apart.
func callers() string {
	pcs := make([]uintptr, stackDepth)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	var names []string
	for len(names) < depth {
		frame, more := frames.Next()
		if _, name, found := strings.Cut(frame.Function, "/ec2-operator/controller/"); found {
			names = append(names, name)
		}
		if !more {
			break
		}
	}
	return strings.Join(names, " < ")
}
