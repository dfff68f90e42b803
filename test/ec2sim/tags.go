// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Limits of tags (EC2 User Guide, "Tag your resources").
const (
	maxTags        = 50
	maxTagKey      = 128
	maxTagValue    = 256
	reservedPrefix = "aws:"
)

type tag struct{ key, value string }

// Resource types that can be tagged here, and the prefixes of their ids.
const (
	kindInstance  = "instance"
	kindVolume    = "volume"
	kindInterface = "network-interface"

	kindSpotRequest = "spot-instances-request"
)

// resource is anything with tags.
type resource struct {
	id, kind string
	owner    *instance // the instance that it came with
	// outlives says of a volume or an interface whether it stays when its instance goes.
	outlives func() bool
	changes  []tagChange
}

// tagChange is one write of one key and the moment from which it shows.
type tagChange struct {
	tag
	deleted bool
	shows   time.Time
}

// tags is the truth: every write counts.
func (r *resource) tags() map[string]string {
	return fold(r.changes, func(tagChange) bool { return true })
}

// gone says whether EC2 has forgotten the resource: an instance some time after its end, what is deleted with it at once,
// and what outlives it never.
func (r *resource) gone(now time.Time, s *Settings) bool {
	switch {
	case r.outlives == nil:
		return r.owner.purged(now, s)
	case r.outlives():
		return false
	default:
		return r.owner.ended(now)
	}
}

// shownTags is what EC2 shows now: late writes are missing, and a terminated
// instance loses its tags before it disappears.
func (r *resource) shownTags(now time.Time, s *Settings) map[string]string {
	if end, ends := r.owner.history.Ended(); ends && r.outlives == nil && !now.Before(end.Add(s.TerminatedTagVisibility)) {
		return nil
	}
	return fold(r.changes, func(c tagChange) bool { return !c.shows.After(now) })
}

func fold(changes []tagChange, counts func(tagChange) bool) map[string]string {
	out := map[string]string{}
	for _, change := range changes {
		switch {
		case !counts(change):
		case change.deleted:
			delete(out, change.key)
		default:
			out[change.key] = change.value
		}
	}
	return out
}

// compactAfter bounds the record of a resource whose tags change for ever.
const compactAfter = 200

func (r *resource) set(tags []tag, shows, now time.Time) {
	for _, t := range tags {
		r.changes = append(r.changes, tagChange{tag: t, shows: shows})
	}
	r.compact(now)
}

func (r *resource) unset(keys []string, shows, now time.Time) {
	for _, key := range keys {
		r.changes = append(r.changes, tagChange{tag: tag{key: key}, deleted: true, shows: shows})
	}
	r.compact(now)
}

// compact folds the leading changes that show already into one each.
func (r *resource) compact(now time.Time) {
	if len(r.changes) < compactAfter {
		return
	}
	shown := 0
	for shown < len(r.changes) && !r.changes[shown].shows.After(now) {
		shown++
	}
	base := fold(r.changes[:shown], func(tagChange) bool { return true })
	var changes []tagChange
	for _, key := range slices.Sorted(maps.Keys(base)) {
		changes = append(changes, tagChange{tag: tag{key, base[key]}, shows: now})
	}
	r.changes = append(changes, r.changes[shown:]...)
}

// readTags reads Tag.N and checks each tag.
func readTags(params wire.Params) ([]tag, error) {
	var out []tag
	seen := map[string]bool{}
	for _, p := range params.Structs("Tag") {
		t := tag{p["Key"], p["Value"]}
		if err := checkTag(t); err != nil {
			return nil, err
		}
		if seen[t.key] {
			return nil, fail(codeInvalidParameterValue, "Duplicate tag key '%s' specified.", t.key)
		}
		seen[t.key] = true
		out = append(out, t)
	}
	return out, nil
}

func checkTag(t tag) error {
	switch {
	case t.key == "":
		return missingParameter("Tag.Key")
	case !utf8.ValidString(t.key) || !utf8.ValidString(t.value):
		return fail(codeInvalidParameterValue, "Tags must be valid UTF-8")
	case utf8.RuneCountInString(t.key) > maxTagKey:
		return fail(codeInvalidParameterValue, "Tag key exceeds the maximum length of %d characters", maxTagKey)
	case utf8.RuneCountInString(t.value) > maxTagValue:
		return fail(codeInvalidParameterValue, "Tag value exceeds the maximum length of %d characters", maxTagValue)
	case strings.HasPrefix(strings.ToLower(t.key), reservedPrefix):
		return fail(codeInvalidParameterValue, "Tag keys starting with '%s' are reserved for internal use", reservedPrefix)
	}
	return nil
}

// metadataTagKey are the keys that instance metadata can serve.
var metadataTagKey = regexp.MustCompile(`^[0-9a-zA-Z\-_+=,.@:]{1,255}$`)

// checkMetadataTags holds the keys to the stricter rule that applies while the
// instance shows its tags in its metadata.
func checkMetadataTags(tags []tag) error {
	for _, t := range tags {
		if !metadataTagKey.MatchString(t.key) || slices.Contains([]string{".", "..", "_index"}, t.key) {
			return fail(codeInvalidParameterValue,
				"'%s' is not a valid tag key. Tag keys must match pattern ([0-9a-zA-Z\\-_+=,.@:]{1,255}), and must not be a reserved name ('.', '..', '_index')", t.key)
		}
	}
	return nil
}

// checkTagCount refuses more tags than a resource may have. Those of AWS do not count.
func checkTagCount(have map[string]string, add []tag) error {
	union := maps.Clone(have)
	if union == nil {
		union = map[string]string{}
	}
	for _, t := range add {
		union[t.key] = t.value
	}
	maps.DeleteFunc(union, func(key, _ string) bool { return strings.HasPrefix(key, reservedPrefix) })
	if len(union) > maxTags {
		return fail(codeTagLimitExceeded, "The maximum number of Tags for a resource has been reached (%d)", maxTags)
	}
	return nil
}
