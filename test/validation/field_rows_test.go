// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// with is the patch that sets one field to a value, and around it what the field needs to be accepted. The field may lie in a list,
// where put cannot reach it.
type with func(value any) string

// beside is the patch that sets a member of a struct, or of the only element of a list, beside others.
func beside(field string, inList bool, others map[string]any, member string) with {
	return func(value any) string {
		members := map[string]any{member: value}
		maps.Copy(members, others)
		if inList {
			return put(field, []any{members})
		}
		return put(field, members)
	}
}

// wordsIn are the rows of a field that takes one of some words.
func (s section) wordsIn(field string, in with, allowed ...string) []row {
	const other = "Other"
	rows := []row{s.refuses(field+" "+other, in(other), s.unsupported(field, other, allowed...))}
	for _, word := range allowed {
		rows = append(rows, s.accepts(field+" "+word, in(word)))
	}
	return rows
}

// numberIn are the rows of a field that takes the numbers of a range.
func (s section) numberIn(field string, in with, low, high int) []row {
	return []row{
		s.accepts(fmt.Sprintf("%s %d", field, low), in(low)),
		s.accepts(fmt.Sprintf("%s %d", field, high), in(high)),
		s.refuses(fmt.Sprintf("%s %d", field, low-1), in(low-1), s.inBody(field, "should be greater than or equal to %d", low)),
		s.refuses(fmt.Sprintf("%s %d", field, high+1), in(high+1), s.inBody(field, "should be less than or equal to %d", high)),
	}
}

// matching are the rows of a text with a rule about its form: what is accepted, what breaks the rule, and the longest text allowed
// with one letter more. An empty text breaks the rule, too.
func (s section) matching(field string, in with, rule string, high int, accepted, refused []string) []row {
	rule = s.path(field) + ": " + rule
	rows := []row{
		s.refuses(field+" that is empty", in(""), rule, s.tooShort(field, 1)),
		s.refuses(fmt.Sprintf("%s of %d characters", field, high+1), in(letters(high+1)), s.tooLong(field, high)),
	}
	for _, text := range accepted {
		rows = append(rows, s.accepts(field+" "+text, in(text)))
	}
	for _, text := range refused {
		rows = append(rows, s.refuses(field+" "+text, in(text), rule))
	}
	return rows
}

// id are the rows of one of EC2's ids: what is its beginning, such as subnet-, and rule what is said of another text.
func (s section) id(field string, in with, what, rule string) []row {
	return s.matching(field, in, rule, 32,
		[]string{what + "01234567", what + "0123456789abcdef0"},
		[]string{what + "0123456", what + "0123456789abcdef01", what + "0123456G", "x" + what + "01234567", "web"})
}

// arn are the rows of an ARN that begins with what, and rule what is said of another text.
func (s section) arn(field string, in with, what, rule string) []row {
	rule = s.path(field) + ": " + rule
	return []row{
		s.accepts(field, in(what+"a")),
		s.accepts(field+" of 2048 characters", in(what+letters(2048-len(what)))),
		s.refuses(field+" of 2049 characters", in(letters(2049)), s.tooLong(field, 2048)),
		s.refuses(field+" of 19 characters", in(letters(19)), rule, s.tooShort(field, 20)),
		s.refuses(field+" of another kind", in("arn:aws:iam::123456789012:role/web"), rule),
		s.refuses(field+" without a name", in(what), rule),
	}
}

// The words about an IPv4 address and about a security group's id.
const (
	isAddress = "must be an IPv4 address such as 10.0.1.17"
	isGroupID = "must be a security group id: sg- and 8 to 17 hexadecimal digits"
	isSubnet  = "must be a subnet id: subnet- and 8 to 17 hexadecimal digits"
)

// address are the rows of an IPv4 address.
func (s section) address(field string, in with) []row {
	rows := []row{
		s.refuses(field+" of 6 characters", in("1.1.1."), s.path(field)+": "+isAddress, s.tooShort(field, 7)),
		s.refuses(field+" of 16 characters", in("1"+letters(15)), s.tooLong(field, 15)),
	}
	for _, text := range []string{"0.0.0.0", "10.0.1.17", "255.255.255.255", "192.168.100.209"} {
		rows = append(rows, s.accepts(field+" "+text, in(text)))
	}
	for _, text := range []string{"256.0.0.1", "10.0.1.17.", "10.0.117", "10.0.1.017", "10.0.1.1/24", "fd00::17", "1.2.3.4.5"} {
		rows = append(rows, s.refuses(field+" "+text, in(text), s.path(field)+": "+isAddress))
	}
	return rows
}

// groups are the rows of a set of security groups. parent is how server-side apply calls the field.
func (s section) groups(field, parent string, in with) []row {
	first := field + "[0]"
	many := func(count int) []string {
		ids := make([]string, count)
		for i := range ids {
			ids[i] = fmt.Sprintf("sg-0123456789abcd%03d", i)
		}
		return ids
	}
	return slices.Concat([]row{
		s.accepts("16 of "+field, in(many(16))),
		s.refuses("17 of "+field, in(many(17)), s.tooMany(field, 17, 16)),
		s.refuses("none of "+field, in([]string{}), s.tooFew(field, 1)),
		s.refuses("one twice of "+field, in([]string{"sg-01234567", "sg-01234567"}), s.duplicate(parent, "", "sg-01234567")),
	}, s.id(first, func(value any) string { return in([]any{value}) }, "sg-", isGroupID))
}

// merged is two patches in one.
func merged(one, other string) string {
	both, err := jsonpatch.MergeMergePatches([]byte(one), []byte(other))
	if err != nil {
		panic(err) // a mistake in a table
	}
	return string(both)
}
