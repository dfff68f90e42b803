// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package glob matches EC2 filter values: case-sensitive text in which * stands
// for any run of characters, ? for exactly one, and a backslash takes the next
// character literally (EC2 User Guide, "List and filter your resources").
//
// path.Match is not used because EC2 gives no meaning to [ and lets * cross /.
package glob

// Match reports whether value matches pattern as a whole.
func Match(pattern, value string) bool {
	tokens := compile(pattern)
	text := []rune(value)
	next, at := 0, 0
	starToken, starAt := -1, 0 // where to resume when a later token fails
	for at < len(text) {
		switch {
		case next < len(tokens) && tokens[next].kind == anyRun:
			starToken, starAt = next, at
			next++
		case next < len(tokens) && tokens[next].accepts(text[at]):
			next++
			at++
		case starToken >= 0:
			starAt++
			next, at = starToken+1, starAt
		default:
			return false
		}
	}
	for next < len(tokens) && tokens[next].kind == anyRun {
		next++
	}
	return next == len(tokens)
}

type kind int

const (
	literal kind = iota
	anyOne
	anyRun
)

type token struct {
	kind kind
	r    rune
}

func (t token) accepts(r rune) bool {
	return t.kind == anyOne || t.kind == literal && t.r == r
}

func compile(pattern string) []token {
	var tokens []token
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			tokens = append(tokens, token{literal, r})
			escaped = false
		case r == '\\':
			escaped = true
		case r == '*':
			tokens = append(tokens, token{kind: anyRun})
		case r == '?':
			tokens = append(tokens, token{kind: anyOne})
		default:
			tokens = append(tokens, token{literal, r})
		}
	}
	if escaped { // a trailing backslash can only mean itself
		tokens = append(tokens, token{literal, '\\'})
	}
	return tokens
}
