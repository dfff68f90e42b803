// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

var (
	instances = schema.GroupResource{Group: ec2v1.GroupName, Resource: "ec2instances"}
	kind      = schema.GroupKind{Group: ec2v1.GroupName, Kind: "EC2Instance"}

	// The API server's answers, as one of version 1.37 makes them.
	errOneConflict = apierrors.NewApplyConflict([]metav1.StatusCause{
		owned(".spec.image", `conflict with "user"`),
	}, `Apply failed with 1 conflict: conflict with "user": .spec.image`)
	errManyConflicts = apierrors.NewApplyConflict([]metav1.StatusCause{
		owned(`.spec.tags[key="b"].value`, `conflict with "zoe"`),
		owned(`.spec.tags[key="a"].value`, `conflict with "zoe"`),
		owned(`.spec.tags[key="a"].value`, `conflict with "edit" using ec2.fieldowner.dev/v1`),
		owned(".status.instanceID", `conflict with "prov" with subresource "status"`),
		{Type: metav1.CauseTypeFieldValueInvalid, Field: ".spec", Message: "not about ownership"},
	}, "Apply failed with 4 conflicts")
	errOldVersion = apierrors.NewConflict(instances, "web",
		errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	errUIDOfNone = apierrors.NewConflict(instances, "web",
		errors.New("uid mismatch: the provided object specified uid 6a3c, and no existing object was found"))
	errUIDOfAnother = apierrors.NewInvalid(kind, "web", field.ErrorList{
		field.Invalid(field.NewPath("metadata", "uid"), types.UID("6a3c"), "field is immutable"),
	})
	errOtherwiseInvalid = apierrors.NewInvalid(kind, "web", field.ErrorList{field.Required(field.NewPath("spec"), "")})
	errNotFound         = apierrors.NewNotFound(instances, "web")
	errForbidden        = apierrors.NewForbidden(instances, "web", errors.New("no"))
	errTypingError      = apierrors.NewInternalError(errors.New("failed to create typed patch object: .spec.nope: field not declared in schema"))
	errBareConflict     = &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonConflict, Code: 409}}
)

func owned(field, message string) metav1.StatusCause {
	return metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Field: field, Message: message}
}

func TestClassify(t *testing.T) {
	const conflict, stale, gone, other = "conflict", "stale", "gone", "other"
	for _, test := range []struct {
		says string
		err  error
		want string
		text string
	}{
		{"one owner", errOneConflict, conflict, `tester does not own what it wants to set: .spec.image is owned by user (Apply)`},
		{
			"many owners, sorted", errManyConflicts, conflict,
			`tester does not own what it wants to set: .spec.tags[key="a"].value is owned by edit (Update) and zoe (Apply); ` +
				`.spec.tags[key="b"].value is owned by zoe (Apply); .status.instanceID is owned by prov (Apply, status)`,
		},
		{"an old version", errOldVersion, stale, "the object has changed since it was read: " + errOldVersion.Error()},
		{"a conflict without details", errBareConflict, stale, "the object has changed since it was read: " + errBareConflict.Error()},
		{"the uid of an object that is gone", errUIDOfNone, gone, "the object no longer exists: " + errUIDOfNone.Error()},
		{"the uid of an object that was recreated", errUIDOfAnother, gone, "the object no longer exists: " + errUIDOfAnother.Error()},
		{"no object", errNotFound, gone, "the object no longer exists: " + errNotFound.Error()},
		{"another field is invalid", errOtherwiseInvalid, other, "applying as tester: " + errOtherwiseInvalid.Error()},
		{"forbidden", errForbidden, other, "applying as tester: " + errForbidden.Error()},
		{"an unknown field", errTypingError, other, "applying as tester: " + errTypingError.Error()},
		{"no answer", context.DeadlineExceeded, other, "applying as tester: context deadline exceeded"},
	} {
		t.Run(test.says, func(t *testing.T) {
			// The client may add words of its own.
			err := classify("tester", test.err, nil, nil)
			if err.Error() != test.text {
				t.Errorf("the error is\n%s\nwant\n%s", err, test.text)
			}
			for _, e := range []error{err, fmt.Errorf("applying the status: %w", err), classify("tester", fmt.Errorf("client: %w", test.err), nil, nil)} {
				got := map[string]bool{conflict: IsOwnershipConflict(e), stale: IsStale(e), gone: IsGone(e)}
				same(t, map[string]bool{conflict: test.want == conflict, stale: test.want == stale, gone: test.want == gone}, got)
				if !errors.Is(e, test.err) {
					t.Errorf("%v does not lead to the API server's error", e)
				}
			}
		})
	}
	if err := classify("tester", nil, nil, nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

// TestAConflictTellsItsFields: and the same conflicts in another order are the same text.
func TestAConflictTellsItsFields(t *testing.T) {
	e, ok := errors.AsType[*ConflictError](classify("tester", errManyConflicts, nil, nil))
	if !ok {
		t.Fatal("no conflict")
	}
	same(t, Manager("tester"), e.Manager)
	apply, update := metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	zoe := Owner{Manager: "zoe", Operation: apply}
	same(t, []Conflict{
		{Field: `.spec.tags[key="a"].value`, Owners: []Owner{{Manager: "edit", Operation: update, APIVersion: "ec2.fieldowner.dev/v1"}, zoe}},
		{Field: `.spec.tags[key="b"].value`, Owners: []Owner{zoe}},
		{Field: ".status.instanceID", Owners: []Owner{{Manager: "prov", Operation: apply, Subresource: "status"}}},
	}, e.Conflicts)

	turned := &apierrors.StatusError{ErrStatus: *errManyConflicts.ErrStatus.DeepCopy()}
	causes := turned.ErrStatus.Details.Causes
	causes[0], causes[1], causes[2], causes[3] = causes[3], causes[2], causes[1], causes[0]
	if other := classify("tester", turned, nil, nil); other.Error() != e.Error() {
		t.Errorf("in another order the conflicts read\n%s\nnot\n%s", other, e)
	}
}
