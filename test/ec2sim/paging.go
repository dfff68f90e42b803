// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Bounds of MaxResults. The lower is in EC2's own error text; the upper was found
// by Karpenter's maintainers.
const (
	minPage = 5
	maxPage = 1000
)

// page is where a listing starts and how much of it is wanted.
type page struct {
	size  int // 0: all the rest
	after string
	salt  uint64 // of the order
	scope string
}

// pageToken is what NextToken holds. It names the order and the last item, not a
// position, so that items that come and go between pages cause no repetition.
type pageToken struct {
	Salt  uint64 `json:"s"`
	After string `json:"a"`
	Scope string `json:"q"`
}

// readListing reads what all listings have in common, and ends a dry run.
func (c *call) readListing(knownFilter func(name string) bool) ([]filter, page, error) {
	filters, err := readFilters(c.params, knownFilter)
	if err != nil {
		return nil, page{}, err
	}
	p, err := c.readPage()
	if err != nil {
		return nil, page{}, err
	}
	return filters, p, c.dryRun()
}

// readPage reads MaxResults and NextToken.
func (c *call) readPage() (page, error) {
	p := page{scope: c.listingScope()}
	size, given, err := c.params.Int("MaxResults")
	switch {
	case err != nil:
		return p, err
	case given && size < minPage:
		return p, invalidValue("maxResults", strconv.Itoa(size), fmt.Sprintf("Expecting a value greater than %d.", minPage))
	case given && size > maxPage:
		return p, invalidValue("maxResults", strconv.Itoa(size), fmt.Sprintf("Expecting a value less than %d.", maxPage))
	}
	p.size = size
	text := c.params["NextToken"]
	if text == "" {
		p.salt = c.sim.nextSalt()
		return p, nil
	}
	token, ok := c.sim.openPageToken(text)
	if !ok || token.Scope != p.scope {
		return p, fail(codeInvalidNextToken, "The token '%s' is invalid", text)
	}
	p.salt, p.after = token.Salt, token.After
	return p, nil
}

// listingScope ties a token to the listing that it continues.
func (c *call) listingScope() string {
	params := maps.Clone(c.params)
	delete(params, "NextToken")
	delete(params, "MaxResults")
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s\n%s\n", c.region.account, c.region.name, c.action)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		fmt.Fprintf(&text, "%s=%s\n", name, params[name])
	}
	return strconv.FormatUint(hash(0, text.String()), 36)
}

// paginate puts items into the order of the listing and cuts out the page. Items of
// one group stay together. The keys must be unique.
func paginate[T any](c *call, p page, items []T, group, key func(T) string) (out []T, next string) {
	type entry struct {
		order string
		item  T
	}
	entries := make([]entry, 0, len(items))
	for _, item := range items {
		order := key(item)
		if c.settings.Shuffle {
			order = fmt.Sprintf("%016x/%s", hash(p.salt, group(item)), order)
		}
		if order > p.after {
			entries = append(entries, entry{order, item})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.order, b.order) })
	if p.size > 0 && len(entries) > p.size {
		entries = entries[:p.size]
		next = c.sim.sealPageToken(pageToken{p.salt, entries[p.size-1].order, p.scope})
	}
	if cut := c.effects.listLimit; cut != nil && len(entries) > *cut {
		entries, next = entries[:*cut], ""
	}
	for _, e := range entries {
		out = append(out, e.item)
	}
	return out, next
}

func hash(salt uint64, text string) uint64 {
	h := fnv.New64a()
	var prefix [8]byte
	binary.BigEndian.PutUint64(prefix[:], salt)
	h.Write(prefix[:]) // a hash.Hash never returns an error
	h.Write([]byte(text))
	return h.Sum64()
}

// nextSalt gives each listing an order of its own. The caller must hold s.mu.
func (s *Sim) nextSalt() uint64 {
	s.listings++
	return hash(s.options.Seed, strconv.FormatUint(s.listings, 10))
}

const macSize = 16

func (s *Sim) mac(data []byte) []byte {
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], s.options.Seed)
	m := hmac.New(sha256.New, key[:])
	m.Write(data)
	return m.Sum(nil)[:macSize]
}

func (s *Sim) sealPageToken(t pageToken) string {
	data, err := json.Marshal(t)
	if err != nil { // two strings and a number always marshal
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(s.mac(data), data...))
}

func (s *Sim) openPageToken(text string) (pageToken, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) < macSize || !hmac.Equal(raw[:macSize], s.mac(raw[macSize:])) {
		return pageToken{}, false
	}
	var t pageToken
	if err := json.Unmarshal(raw[macSize:], &t); err != nil {
		return pageToken{}, false
	}
	return t, true
}
