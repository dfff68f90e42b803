// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// walkTries is how many walks looking for fewer edits may cost.
const walkTries = 30

var (
	editsFlag   = flag.Int("sim.edits", 100, "edits in a walk")
	objectsFlag = flag.Int("sim.objects", 5, "objects in a walk")
)

// walkResult is what came of a walk.
type walkResult struct {
	result
	edits int
	tally walkTally
}

// walkInBubble makes one walk.
func walkInBubble(t *testing.T, seed uint64, o walkOptions) (out walkResult) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(seed)
		if err != nil {
			t.Fatal(err)
		}
		k, err := newWalk(w, o)
		if err != nil {
			t.Fatal(err)
		}
		out.edits, out.err = k.walk(o)
		if err := w.end(); err != nil && out.err == nil {
			out.err = err
		}
		out.violations, out.lines, out.tally = w.judge.verdict(), w.lines(), k.tally
	})
	return out
}

// TestWalk edits objects at random: each edit settles, what the schema forbids is refused, what EC2 refuses heals when it is taken back,
// and in the end EC2 is as it is for fresh objects with the same specs.
func TestWalk(t *testing.T) {
	skip, err := parseSteps(*skipFlag)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	o := walkOptions{objects: *objectsFlag, edits: *editsFlag, skip: skip}
	r := walkInBubble(t, *seedFlag, o)
	t.Logf("%d edits of %d objects in %s: %+v", r.edits, o.objects, time.Since(began).Round(time.Second), r.tally)
	if !r.failed() {
		return
	}
	if *shrinkFlag {
		o, r = fewerEdits(t, o, r)
	}
	if *traceFlag != "" {
		if err := os.WriteFile(*traceFlag, []byte(strings.Join(r.lines, "\n")), 0o600); err != nil {
			t.Error(err)
		}
	}
	t.Errorf("seed %d: %v %v\n%s\nRepeat it: go test ./test/sim -run TestWalk -sim.seed=%d -sim.objects=%d -sim.edits=%d -sim.skip=%s",
		*seedFlag, r.err, strings.Join(r.violations, "\n"), r.evidence(), *seedFlag, o.objects, o.edits, formatSteps(o.skip))
}

// fewerEdits finds few edits with which a walk fails. It is over with the first failure, so none after it is needed.
func fewerEdits(t *testing.T, o walkOptions, r walkResult) (walkOptions, walkResult) {
	t.Helper()
	tries := 0
	edits, skip := shrink(func(edits int, skip map[int]bool) bool {
		if edits < r.edits && len(skip) == len(o.skip) {
			return false // It did not fail there.
		}
		if tries++; tries > walkTries {
			return false
		}
		return walkInBubble(t, *seedFlag, walkOptions{objects: o.objects, edits: edits, skip: skip}).failed()
	}, r.edits, o.skip)
	fewer := walkOptions{objects: o.objects, edits: edits, skip: skip}
	return fewer, walkInBubble(t, *seedFlag, fewer)
}

// TestPools: each field that names something has values to draw from, and each such value is of a field that there is and is allowed there.
func TestPools(t *testing.T) {
	s, err := schemaOfSpec()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range s.named() {
		if len(pools[path]) == 0 {
			t.Errorf("%s has no values to draw from: give it some in walk_pool.go", path)
		}
	}
	for path, pool := range pools {
		of := s.paths[path]
		if of == nil {
			t.Errorf("there is no field %s: take it from walk_pool.go", path)
			continue
		}
		for _, value := range pool {
			if _, isText := value.(string); isText != (of.Type == "string") {
				t.Errorf("%v is no value of %s, of type %s", value, path, of.Type)
			}
		}
	}
	if !slices.Contains(s.transitional(), "blockDevices[].sizeGiB") || !slices.Contains(s.transitional(), "region") {
		t.Errorf("the fields whose changes have rules are %v", s.transitional())
	}
}

// TestDrawing: in the long run every field of spec is edited, by what is in the schema alone; what was drawn to break the schema does; and
// what was drawn as allowed is, but for the fields that nobody can change.
func TestDrawing(t *testing.T) {
	s, err := schemaOfSpec()
	if err != nil {
		t.Fatal(err)
	}
	const edits = 3000 // Enough for each of the fields, some 130, to be drawn whatever the seed.
	drawn, broken := map[string]bool{}, 0
	now := firstSpec(ec2v1.UpdateInPlace)
	for n := range edits {
		d := &drawer{specSchema: s, random: stepRandom(*seedFlag, n), name: "obj", number: firstNumber}
		e := d.draw(now)
		against := s.against(e.next, now)
		if len(e.broken) > 0 {
			broken++
			if len(against) == 0 {
				t.Errorf("edit %d: %s: the schema allows it", n, e.what)
			}
		}
		for path := range s.leaves(e.next) {
			drawn[anyItem.ReplaceAllString(path, element)] = true
		}
		if len(against) == 0 {
			now = e.next
		}
	}
	for _, path := range s.names {
		if of := s.paths[path]; of.Type != "object" && !strings.HasSuffix(path, element) && !drawn[path] {
			t.Errorf("%s was not set in %d edits", path, edits)
		}
	}
	if broken < edits/10 {
		t.Errorf("of %d edits %d were to break the schema", edits, broken)
	}
}

// anyItem finds the key of an item in a path.
var anyItem = regexp.MustCompile(`\[[^]]*\]`)
