// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// idDigits is the length of the hexadecimal part of resource ids since 2018;
// older resources have 8 digits.
const idDigits = 17

var idForm = regexp.MustCompile(`^([a-z]+)-([0-9a-f]{8}|[0-9a-f]{17})$`)

// checkID refuses text that is not an id with the prefix.
func checkID(prefix, id, malformedCode string) error {
	if parts := idForm.FindStringSubmatch(id); parts == nil || parts[1] != prefix {
		return fail(malformedCode, "Invalid id: %q (expecting \"%s-...\")", id, prefix)
	}
	return nil
}

func checkInstanceIDs(ids []string) error {
	for _, id := range ids {
		if err := checkID("i", id, codeInvalidInstanceIDMalformed); err != nil {
			return err
		}
	}
	return nil
}

// idSource makes ids that repeat for the same seed.
type idSource struct {
	seed, made uint64
}

func (s *idSource) next(prefix string) string { return prefix + "-" + s.hex()[:idDigits] }

// requestID has the form of a UUID, as in EC2.
func (s *idSource) requestID() string {
	h := s.hex()
	return h[0:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}

func (s *idSource) hex() string {
	s.made++
	var input [16]byte
	binary.BigEndian.PutUint64(input[:8], s.seed)
	binary.BigEndian.PutUint64(input[8:], s.made)
	sum := sha256.Sum256(input[:])
	return hex.EncodeToString(sum[:])
}

// uniqueInstanceIDs is the list without repetitions, in its order.
func uniqueInstanceIDs(params wire.Params) ([]string, error) {
	seen := map[string]bool{}
	var ids []string
	for _, id := range params.List("InstanceId") {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, checkInstanceIDs(ids)
}
