// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// inOrder sorts the conflicts that the merge code found: it goes over maps. A real API server gives them in no order.
func inOrder(err error) error {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) < 2 || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return err
	}
	causes := status.ErrStatus.Details.Causes
	slices.SortFunc(causes, func(a, b metav1.StatusCause) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Field, b.Field))
	})
	var lines []string
	for i, cause := range causes {
		if i == 0 || cause.Message != causes[i-1].Message {
			lines = append(lines, strings.Replace(cause.Message, "conflict with", "conflicts with", 1)+":")
		}
		lines = append(lines, "- "+cause.Field)
	}
	status.ErrStatus.Message = fmt.Sprintf("Apply failed with %d conflicts: %s", len(causes), strings.Join(lines, "\n"))
	return status
}

// statusOf is an error as the API server tells it to clients.
func statusOf(err error) metav1.Status {
	out := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	if known, ok := err.(apierrors.APIStatus); ok { // What wraps a status is none, to a real API server, too.
		out = known.Status()
		out.Status = cmp.Or(out.Status, metav1.StatusFailure)
		out.Code = cmp.Or(out.Code, http.StatusInternalServerError)
	}
	out.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return out
}
