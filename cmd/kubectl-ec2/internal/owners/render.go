// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// valueWidth is how much of a value is shown, in characters: a table should fit a wide terminal.
const valueWidth = 60

// absent stands for what an owner does not have.
const absent = "-"

// tree writes each field with the names of its owners.
func tree(w io.Writer, _ *unstructured.Unstructured, table apply.Table, p paint.Painter) {
	rows := [][]cell{{{text: "FIELD"}, {text: "OWNERS"}}}
	for _, l := range grow(table).lines(0) {
		row := []cell{{text: l.text}}
		if l.field != nil {
			row = append(row, names(l.field.Owners, p))
		}
		rows = append(rows, row)
	}
	writeTable(w, rows)
}

// names are the owners' names in one cell. Two owners of one name are told apart by more.
func names(owners []apply.Owner, p paint.Painter) cell {
	count := map[string]int{}
	for _, o := range owners {
		count[o.Manager]++
	}
	plain, painted := make([]string, len(owners)), make([]string, len(owners))
	for i, o := range owners {
		plain[i] = o.Manager
		if count[o.Manager] > 1 {
			plain[i] = o.String()
		}
		painted[i] = p.Name(o.Manager, plain[i])
	}
	return cell{text: strings.Join(plain, ", "), painted: strings.Join(painted, ", ")}
}

// wide writes each field with a line for each of its owners, and its value.
func wide(w io.Writer, u *unstructured.Unstructured, table apply.Table, p paint.Painter) {
	rows := [][]cell{{{text: "FIELD"}, {text: "MANAGER"}, {text: "OPERATION"}, {text: "SUBRESOURCE"}, {text: "TIME"}, {text: "VALUE"}}}
	for _, l := range grow(table).lines(0) {
		if l.field == nil {
			rows = append(rows, []cell{{text: l.text}})
			continue
		}
		for i, o := range l.field.Owners {
			row := []cell{
				{}, {text: o.Manager, painted: p.Name(o.Manager, o.Manager)},
				{text: string(o.Operation)}, {text: orAbsent(o.Subresource)}, {text: timeOf(o.Time)},
			}
			if i == 0 {
				row[0] = cell{text: l.text}
				row = append(row, cell{text: valueOf(u, l.field)})
			}
			rows = append(rows, row)
		}
	}
	writeTable(w, rows)
}

func orAbsent(s string) string {
	if s == "" {
		return absent
	}
	return s
}

func timeOf(t *metav1.Time) string {
	if t == nil {
		return absent
	}
	return t.UTC().Format(time.RFC3339)
}

// valueOf is the value of a field, in one line. An owned field can be missing, in an object that somebody has edited.
func valueOf(u *unstructured.Unstructured, f *apply.Field) string {
	value, ok := apply.ValueAt(u.Object, f.Path)
	if !ok {
		return absent
	}
	return cli.Inline(apply.Masked(u.GroupVersionKind().GroupKind(), f.Path, value), valueWidth)
}
