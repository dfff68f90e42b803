// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pages with generated parts.
const (
	reliabilityPage = "../../docs/reliability.md"
	instancePage    = "../../docs/ec2instance.md"
	errorsPage      = "../../docs/errors.md"
)

var docsMu sync.Mutex

// markersOf are around a generated part of the page.
func markersOf(part string) (begin, end string) {
	return fmt.Sprintf("<!-- %s:begin -->\n", part), fmt.Sprintf("<!-- %s:end -->", part)
}

// writeDocs writes a part of a page anew.
func writeDocs(t *testing.T, path, part, text string) {
	t.Helper()
	docsMu.Lock()
	defer docsMu.Unlock()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := markersOf(part)
	before, rest, found := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no part %q", path, part)
	}
	if err := os.WriteFile(path, []byte(before+begin+strings.TrimRight(text, "\n")+"\n"+end+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDocs: the page tells of every fault, every question and every scenario that there is, and of no violation. The numbers in it are
// those of the run that wrote it.
func TestDocs(t *testing.T) {
	raw, err := os.ReadFile(reliabilityPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, h := range hazards {
		if !strings.Contains(page, "| "+h.name+" |") {
			t.Errorf("no row for the fault %q: run make reliability", h.name)
		}
	}
	for _, o := range oracles {
		if !strings.Contains(page, "| "+o.text+" |") {
			t.Errorf("no row for the question whether %s: run make reliability", o.text)
		}
	}
	for _, s := range scenarios {
		if !strings.Contains(page, "| "+s.name+" |") {
			t.Errorf("no row for the scenario %q: run make reliability", s.name)
		}
	}
}

// TestFieldDocs: the page tells of every row of the fields what TestFields proves.
func TestFieldDocs(t *testing.T) {
	page, err := os.ReadFile(instancePage)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := markersOf(fieldsPart)
	_, rest, _ := strings.Cut(string(page), begin)
	part, _, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no part %q", instancePage, fieldsPart)
	}
	if diff := cmp.Diff(fieldTable(allFieldRows()), part); diff != "" {
		t.Errorf("the table is not that of the rows: run make docs (-rows +page):\n%s", diff)
	}
}
