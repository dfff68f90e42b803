// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"strings"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/fieldtext"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// node is a line of the tree. A node can have an owner and nodes below it: one manager may own a map as a whole and
// another a key in it.
type node struct {
	step     fieldtext.Step
	field    *apply.Field
	children []*node
}

// grow makes a tree of a table. The order is the table's.
func grow(table apply.Table) *node {
	root := &node{}
	for i := range table {
		at := root
		for _, step := range fieldtext.Steps(table[i].Path) {
			at = at.child(step)
		}
		at.field = &table[i]
	}
	return root
}

// child finds the node of a step, or adds it. Paths come in order, so that it is among the last: a list is followed by its
// items, which are its siblings here.
func (n *node) child(step fieldtext.Step) *node {
	if last := len(n.children) - 1; last >= 0 && n.children[last].step.ID == step.ID {
		return n.children[last]
	}
	for _, c := range n.children {
		if c.step.ID == step.ID {
			return c
		}
	}
	c := &node{step: step}
	n.children = append(n.children, c)
	return c
}

// indent is how far each level of the tree is to the right of the one above.
const indent = "  "

// line is a line of the tree, indented, and the field that it is about; nil for what only has fields below it.
type line struct {
	text  string
	field *apply.Field
}

func (n *node) lines(depth int) []line {
	var out []line
	for _, c := range n.children {
		out = append(out, line{text: strings.Repeat(indent, depth) + c.step.Text, field: c.field})
		out = append(out, c.lines(depth+1)...)
	}
	return out
}
