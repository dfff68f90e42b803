// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package docs tests the pages for users.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

var (
	// link is one in the text, image or not. Links in code are none, so code is taken out first.
	link  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	block = regexp.MustCompile("(?s)\n```.*?\n```\n")
	code  = regexp.MustCompile("`[^`\n]*`")
	// unanchored is what GitHub leaves out of a heading's anchor.
	unanchored = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// pages are README.md and all pages in docs/.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(found, filepath.Join(root, "README.md"))
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchors are those of a page's headings.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for line := range strings.Lines(block.ReplaceAllString(read(t, page), "\n\n")) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			anchor := unanchored.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			found[strings.ReplaceAll(anchor, " ", "-")] = true
		}
	}
	return found
}

// TestLinksLeadSomewhere follows each link to a file or a heading of this repository.
func TestLinksLeadSomewhere(t *testing.T) {
	followed := 0
	for _, page := range pages(t) {
		text := code.ReplaceAllString(block.ReplaceAllString(read(t, page), "\n\n"), "code")
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			file, anchor, anchored := strings.Cut(match[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			followed++
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s has a link to %s, which is not there", page, match[1])
			} else if anchored && !anchors(t, target)[anchor] {
				t.Errorf("%s has a link to %s, and there is no such heading", page, match[1])
			}
		}
	}
	if followed == 0 {
		t.Error("no link found: is the search broken?")
	}
}
