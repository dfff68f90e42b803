// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// kubectl runs the real kubectl.
func (s *scene) kubectl(args []string, body []byte) ([]byte, error) {
	s.t.Helper()
	var stdin io.Reader
	if body != nil {
		stdin = bytes.NewReader(body)
	}
	out, err := shared.KubectlIn(s.t.Context(), stdin, args...)
	s.t.Logf("kubectl %v: %s", args, first(out, err))
	return out, err
}

// kubectlAnswer is kubectl's output, which is the object.
func (s *scene) kubectlAnswer(args []string, body []byte) (*unstructured.Unstructured, error) {
	s.t.Helper()
	out, err := s.kubectl(args, body)
	if err != nil {
		return nil, err
	}
	answer := &unstructured.Unstructured{}
	if err := answer.UnmarshalJSON(out); err != nil {
		return nil, fmt.Errorf("reading kubectl's output: %w", err)
	}
	return answer, nil
}

// first is enough of kubectl's output to tell what it did.
func first(out []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	const enough = 160
	return string(out[:min(len(out), enough)])
}
