// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// report is what a migration did, or would do.
type report struct {
	name          cli.Reference
	migration     apply.Migration
	before, after []count
	// moved are the fields that the new manager gets.
	moved []string
	// shared is how many it owned together with the old ones, which it keeps.
	shared int
	// lost are those that nobody owns any more.
	lost []string
}

// count is how many fields an owner has.
type count struct {
	owner  apply.Owner
	fields int
}

func reportOf(name cli.Reference, moved apply.Migrated, m apply.Migration) (report, error) {
	r := report{name: name, migration: m}
	before, err := tableOf(moved.Before)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	after, err := tableOf(moved.After)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	r.before, r.after = countsOf(moved.Before, before), countsOf(moved.After, after)
	r.compare(before, after)
	return r, nil
}

// compare finds what has become of the fields of the old managers.
func (r *report) compare(before, after apply.Table) {
	owners := map[string][]apply.Owner{}
	for _, f := range after {
		owners[f.Path.String()] = f.Owners
	}
	for _, f := range before {
		if !slices.ContainsFunc(f.Owners, r.isFrom) {
			continue
		}
		path := f.Path.String()
		switch has := slices.ContainsFunc(owners[path], r.to().Is); {
		case has && slices.ContainsFunc(f.Owners, r.to().Is):
			r.shared++
		case has:
			r.moved = append(r.moved, path)
		case len(owners[path]) == 0:
			r.lost = append(r.lost, path)
		}
	}
}

func (r *report) isFrom(o apply.Owner) bool {
	m := r.migration
	return o.Operation == metav1.ManagedFieldsOperationUpdate && o.Subresource == m.Subresource && slices.Contains(m.From, o.Manager)
}

// to is the new owner.
func (r *report) to() apply.Owner {
	m := r.migration
	return apply.Owner{Manager: string(m.To), Operation: metav1.ManagedFieldsOperationApply, Subresource: m.Subresource}
}

func tableOf(entries []metav1.ManagedFieldsEntry) (apply.Table, error) {
	return apply.Ownership(&metav1.ObjectMeta{ManagedFields: entries})
}

func countsOf(entries []metav1.ManagedFieldsEntry, table apply.Table) []count {
	counts := make([]count, len(entries))
	for i, e := range entries {
		counts[i].owner = ownerOf(e)
		for _, f := range table {
			if slices.ContainsFunc(f.Owners, counts[i].owner.Is) {
				counts[i].fields++
			}
		}
	}
	slices.SortFunc(counts, func(a, b count) int { return strings.Compare(a.owner.String(), b.owner.String()) })
	return counts
}

// write tells people. again is the command that does it after a dry run.
func (r *report) write(w io.Writer, p paint.Painter, again string) {
	p = p.With(r.managers())
	if r.migration.DryRun {
		fmt.Fprintf(w, "%s (dry run: nothing is stored)\n", r.name)
	} else {
		fmt.Fprintf(w, "%s\n", r.name)
	}
	r.writeCounts(w, "Before", r.before, p)
	r.writeCounts(w, "After", r.after, p)
	verb := "moved to"
	if r.migration.DryRun {
		verb = "would move to"
	}
	fmt.Fprintf(w, "\n%s %s %s", fields(len(r.moved)), verb, p.Name(r.to().Manager, r.to().String()))
	if r.shared > 0 {
		fmt.Fprintf(w, ", which owned %s together with the old owner", fields(r.shared))
	}
	writePaths(w, r.moved)
	if len(r.lost) > 0 {
		fmt.Fprintf(w, "\n%s without an owner afterwards", fields(len(r.lost)))
		writePaths(w, r.lost)
	}
	if r.migration.DryRun {
		fmt.Fprintf(w, "\nTo do it:\n  %s\n", again)
	}
}

func writePaths(w io.Writer, paths []string) {
	if len(paths) == 0 {
		fmt.Fprintln(w, ".")
		return
	}
	fmt.Fprintln(w, ":")
	for _, path := range paths {
		fmt.Fprintf(w, "  %s\n", path)
	}
}

func (r *report) managers() []string {
	var names []string
	for _, c := range slices.Concat(r.before, r.after) {
		names = append(names, c.owner.Manager)
	}
	return names
}

func (r *report) writeCounts(w io.Writer, title string, counts []count, p paint.Painter) {
	width := 0
	for _, c := range slices.Concat(r.before, r.after) {
		width = max(width, len(c.owner.String()))
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, c := range counts {
		text := c.owner.String()
		fmt.Fprintf(w, "  %s%s  %s\n", p.Name(c.owner.Manager, text), strings.Repeat(" ", width-len(text)), fields(c.fields))
	}
}

func fields(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}
