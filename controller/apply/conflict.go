// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Conflict is one field that others own with another value.
type Conflict struct {
	// Field is the path as the API server writes it, such as `.spec.tags[key="a"].value`.
	Field string
	// Path is the same with types; nil where the cached object does not have the field.
	Path fieldpath.Path
	// Owners of the field, at least one, sorted by name.
	Owners []Owner
	// Wanted is the value of the intent and Live that of the object. Both are nil where there is none or where it
	// is not known, and MaskedValue where the field bears a secret.
	Wanted, Live any
}

// String says who owns the field and with which value. It is the same for the same conflict.
func (c Conflict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is owned by %s", c.Field, listed(c.Owners))
	if c.Live != nil {
		fmt.Fprintf(&b, " with %s", inline(c.Live))
	}
	if c.Wanted != nil {
		fmt.Fprintf(&b, ", wanted %s", inline(c.Wanted))
	}
	return b.String()
}

func listed(owners []Owner) string {
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = o.String()
	}
	return strings.Join(names, " and ")
}

// inlineMax is how much of a value a text shows, in bytes: a conflict is told in one line. Of a longer one not even the length is told,
// which may be another one at each try.
const inlineMax = 80

func inline(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "a value that cannot be shown"
	}
	if len(text) > inlineMax {
		return "a long value"
	}
	return string(text)
}

// Explain reads from an API server's answer, or from the merge code's, which fields are in conflict: whose they
// are and with which values. live is the object as it was last seen and wanted the intent; both may be nil, and
// what they would tell is then missing. ok is false for every error that is no conflict of ownership, an old
// resourceVersion among them.
func Explain(err error, live, wanted *unstructured.Unstructured) (conflicts []Conflict, ok bool) {
	if !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return nil, false
	}
	known := pathsOf(live)
	index := map[string]int{}
	for _, cause := range details(err) {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		i, seen := index[cause.Field]
		if !seen {
			i = len(conflicts)
			index[cause.Field] = i
			conflicts = append(conflicts, Conflict{Field: cause.Field, Path: known[cause.Field]})
		}
		conflicts[i].Owners = append(conflicts[i].Owners, completed(ownerNamed(cause.Message), live))
	}
	for i := range conflicts {
		conflicts[i].fill(live, wanted)
	}
	// The API server gives the causes in any order.
	slices.SortFunc(conflicts, func(a, b Conflict) int { return strings.Compare(a.Field, b.Field) })
	return conflicts, true
}

// fill adds the values.
func (c *Conflict) fill(live, wanted *unstructured.Unstructured) {
	slices.SortFunc(c.Owners, compareOwners)
	if c.Path == nil {
		return
	}
	read := func(u *unstructured.Unstructured) any {
		if u == nil {
			return nil
		}
		value, _ := ValueAt(u.Object, c.Path)
		return Masked(groupKind(u), c.Path, value)
	}
	c.Live, c.Wanted = read(live), read(wanted)
}

func groupKind(u *unstructured.Unstructured) schema.GroupKind {
	return u.GroupVersionKind().GroupKind()
}

// pathsOf are the paths that anybody owns in an object, by how the API server writes them: a field in conflict is
// always one of them, and there is no other way back from the text.
func pathsOf(live *unstructured.Unstructured) map[string]fieldpath.Path {
	out := map[string]fieldpath.Path{}
	if live == nil {
		return out
	}
	for _, entry := range live.GetManagedFields() {
		set, err := FieldsOf(entry)
		if err != nil {
			continue // A manager whose fields cannot be read leaves its conflicts without a typed path.
		}
		set.Iterate(func(path fieldpath.Path) { out[path.String()] = path.Copy() })
	}
	return out
}

// completed adds to an owner what the object knows of it.
func completed(o Owner, live *unstructured.Unstructured) Owner {
	if live == nil {
		return o
	}
	for _, entry := range live.GetManagedFields() {
		if known := ownerOf(entry); known.Is(o) && (o.APIVersion == "" || o.APIVersion == known.APIVersion) {
			return known
		}
	}
	return o
}

// The parts of the API server's text on an owner, in their order (apimachinery, pkg/util/managedfields/internal,
// printManager): `conflict with "NAME"`, and then, where it applies, ` with subresource "STATUS"`, ` using VERSION`
// for owners by Update, and ` at TIME`.
const (
	textConflict    = "conflict with "
	textSubresource = " with subresource "
	textVersion     = " using "
	textTime        = " at "
)

// ownerNamed reads the owner from the API server's text. A text of another form is taken for the name.
func ownerNamed(message string) Owner {
	o := Owner{Operation: metav1.ManagedFieldsOperationApply}
	rest := strings.TrimPrefix(message, textConflict)
	name, rest, err := unquoted(rest)
	if err != nil {
		o.Manager = rest
		return o
	}
	o.Manager = name
	if text, ok := strings.CutPrefix(rest, textSubresource); ok {
		if o.Subresource, rest, err = unquoted(text); err != nil {
			return o
		}
	}
	if text, ok := strings.CutPrefix(rest, textVersion); ok {
		o.Operation = metav1.ManagedFieldsOperationUpdate
		version, at, _ := strings.Cut(text, textTime)
		o.APIVersion = version
		if when, err := time.Parse(time.RFC3339, at); err == nil {
			o.Time = &metav1.Time{Time: when}
		}
	}
	return o
}

func details(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}

// unquoted takes a quoted word off the front of a text.
func unquoted(text string) (word, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", text, fmt.Errorf("reading %q: %w", text, err)
	}
	word, err = strconv.Unquote(quoted)
	if err != nil {
		return "", text, fmt.Errorf("reading %q: %w", text, err)
	}
	return word, text[len(quoted):], nil
}
