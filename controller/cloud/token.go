// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// ClientToken is the token that makes an object's nth launch happen at most once: a function of what identifies the launch
// and nothing else, so that every manager that gets there derives the same one.
//
// It is SHA-256, in 64 hexadecimal digits, over four lines that each end in a newline: the text "client-token/v1", the
// cluster and the uid, each quoted as in Go (for a UID: in double quotes), and the attempt in decimal. EC2 allows 64 ASCII
// characters and is case-sensitive: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html.
//
// The derivation must never change: a running operator may have launched with it what its successor looks for.
func ClientToken(cluster string, uid types.UID, attempt int64) string {
	// Each look at an object derives the tokens around its attempt, so this is not left to fmt.
	text := make([]byte, 0, 128)
	text = append(text, "client-token/v1\n"...)
	text = append(strconv.AppendQuote(text, cluster), '\n')
	text = append(strconv.AppendQuote(text, string(uid)), '\n')
	text = append(strconv.AppendInt(text, attempt, 10), '\n')
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
