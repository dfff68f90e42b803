// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// The error codes that the simulator gives by itself. Faults can bring any other.
const (
	codeAccessDenied                      = "AccessDenied"
	codeDryRunOperation                   = "DryRunOperation"
	codeExpiredToken                      = "ExpiredToken"
	codeFilterLimitExceeded               = "FilterLimitExceeded"
	codeIdempotentInstanceTerminated      = "IdempotentInstanceTerminated"
	codeIdempotentParameterMismatch       = "IdempotentParameterMismatch"
	codeIncompleteSignature               = "IncompleteSignature"
	codeIncorrectInstanceState            = "IncorrectInstanceState"
	codeIncorrectModificationState        = "IncorrectModificationState"
	codeIncorrectSpotRequestState         = "IncorrectSpotRequestState"
	codeIncorrectState                    = "IncorrectState"
	codeInsufficientFreeAddressesInSubnet = "InsufficientFreeAddressesInSubnet"
	codeInsufficientCapacityOnHost        = "InsufficientCapacityOnHost"
	codeInsufficientHostCapacity          = "InsufficientHostCapacity"
	codeInsufficientInstanceCapacity      = "InsufficientInstanceCapacity"
	codeInternalError                     = "InternalError"
	codeInvalidAction                     = "InvalidAction"
	codeInvalidAMIIDMalformed             = "InvalidAMIID.Malformed"
	codeInvalidAMIIDNotFound              = "InvalidAMIID.NotFound"
	codeInvalidAssociationIDNotFound      = "InvalidAssociationID.NotFound"
	codeInvalidAttachmentIDNotFound       = "InvalidAttachmentID.NotFound"
	codeInvalidBlockDeviceMapping         = "InvalidBlockDeviceMapping"
	codeInvalidReservationIDNotFound      = "InvalidCapacityReservationId.NotFound"
	codeInvalidClientToken                = "InvalidClientToken"
	codeInvalidGroupIDMalformed           = "InvalidGroupId.Malformed"
	codeInvalidGroupNotFound              = "InvalidGroup.NotFound"
	codeInvalidHostIDNotFound             = "InvalidHostID.NotFound"
	codeInvalidID                         = "InvalidID"
	codeInvalidInstanceAttributeValue     = "InvalidInstanceAttributeValue"
	codeInvalidInstanceID                 = "InvalidInstanceID"
	codeInvalidInstanceIDMalformed        = "InvalidInstanceID.Malformed"
	codeInvalidInstanceIDNotFound         = "InvalidInstanceID.NotFound"
	codeInvalidInstanceState              = "InvalidInstanceState"
	codeInvalidIPAddressInUse             = "InvalidIPAddress.InUse"
	codeInvalidKeyPairNotFound            = "InvalidKeyPair.NotFound"
	codeInvalidInterfaceIDNotFound        = "InvalidNetworkInterfaceID.NotFound"
	codeInvalidInterfaceIDMalformed       = "InvalidNetworkInterfaceId.Malformed"
	codeInvalidNextToken                  = "InvalidNextToken"
	codeInvalidTemplateIDMalformed        = "InvalidLaunchTemplateId.Malformed"
	codeInvalidTemplateIDNotFound         = "InvalidLaunchTemplateId.NotFound"
	codeInvalidTemplateNameNotFound       = "InvalidLaunchTemplateName.NotFoundException"
	codeInvalidTemplateVersionNotFound    = "InvalidLaunchTemplateId.VersionNotFound"
	codeInvalidParameter                  = "InvalidParameter"
	codeInvalidParameterCombination       = "InvalidParameterCombination"
	codeInvalidParameterDependency        = "InvalidParameterDependency"
	codeInvalidParameterValue             = "InvalidParameterValue"
	codeInvalidPlacementGroupUnknown      = "InvalidPlacementGroup.Unknown"
	codeInvalidRequest                    = "InvalidRequest"
	codeInvalidSnapshotNotFound           = "InvalidSnapshot.NotFound"
	codeInvalidSpotRequestIDMalformed     = "InvalidSpotInstanceRequestID.Malformed"
	codeInvalidSpotRequestIDNotFound      = "InvalidSpotInstanceRequestID.NotFound"
	codeInvalidSubnetIDMalformed          = "InvalidSubnetID.Malformed"
	codeInvalidSubnetIDNotFound           = "InvalidSubnetID.NotFound"
	codeInvalidUserDataMalformed          = "InvalidUserData.Malformed"
	codeInvalidVolumeIDMalformed          = "InvalidVolumeID.Malformed"
	codeInvalidVolumeNotFound             = "InvalidVolume.NotFound"
	codeInvalidVolumeModificationNotFound = "InvalidVolumeModification.NotFound"
	codeMissingAuthenticationToken        = "MissingAuthenticationToken"
	codeMissingParameter                  = "MissingParameter"
	codeOperationNotPermitted             = "OperationNotPermitted"
	codeParameterNotFound                 = "ParameterNotFound"
	codeParameterVersionNotFound          = "ParameterVersionNotFound"
	codeRequestExpired                    = "RequestExpired"
	codeRequestLimitExceeded              = "RequestLimitExceeded"
	codeReservationCapacityExceeded       = "ReservationCapacityExceeded"
	codeTagLimitExceeded                  = "TagLimitExceeded"
	codeUnknownOperation                  = "UnknownOperationException"
	codeUnknownParameter                  = "UnknownParameter"
	codeUnsupported                       = "Unsupported"
	codeUnsupportedHibernation            = "UnsupportedHibernationConfiguration"
	codeUnsupportedOperation              = "UnsupportedOperation"
	codeVCPULimitExceeded                 = "VcpuLimitExceeded"
	codeVolumeModificationRateExceeded    = "VolumeModificationRateExceeded"
)

// statuses are the codes that are not HTTP 400. AWS sorts them into client errors
// (4xx) and server errors (5xx); the exact values are what has been seen live.
var statuses = map[string]int{
	codeAccessDenied:                       http.StatusForbidden,
	"AuthFailure":                          http.StatusUnauthorized,
	"BandwidthLimitExceeded":               http.StatusServiceUnavailable,
	codeDryRunOperation:                    http.StatusPreconditionFailed,
	codeExpiredToken:                       http.StatusForbidden,
	codeIncompleteSignature:                http.StatusForbidden,
	"InsufficientAddressCapacity":          http.StatusInternalServerError,
	codeInsufficientHostCapacity:           http.StatusInternalServerError,
	codeInsufficientInstanceCapacity:       http.StatusInternalServerError,
	"InsufficientReservedInstanceCapacity": http.StatusInternalServerError,
	"InsufficientVolumeCapacity":           http.StatusInternalServerError,
	codeInternalError:                      http.StatusInternalServerError,
	"InternalFailure":                      http.StatusInternalServerError,
	"InvalidClientTokenId":                 http.StatusForbidden,
	codeMissingAuthenticationToken:         http.StatusForbidden,
	"OptInRequired":                        http.StatusUnauthorized,
	codeRequestLimitExceeded:               http.StatusServiceUnavailable,
	"ServerInternal":                       http.StatusInternalServerError,
	"ServiceUnavailable":                   http.StatusServiceUnavailable,
	"SignatureDoesNotMatch":                http.StatusForbidden,
	"Unavailable":                          http.StatusServiceUnavailable,
	"UnauthorizedOperation":                http.StatusForbidden,
}

func statusOf(code string) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusBadRequest
}

func fail(code, format string, args ...any) *wire.Error {
	return &wire.Error{Status: statusOf(code), Code: code, Message: fmt.Sprintf(format, args...)}
}

func missingParameter(name string) *wire.Error {
	return fail(codeMissingParameter, "The request must contain the parameter %s", name)
}

// invalidValue is EC2's usual wording for a parameter whose value does not do.
func invalidValue(parameter, value, why string) *wire.Error {
	return fail(codeInvalidParameterValue, "Value ( %s ) for parameter %s is invalid. %s", value, parameter, why)
}

func notModelled(what string) *wire.Error {
	return fail(codeUnsupportedOperation, "%s: not modelled by ec2sim", what)
}

func instancesNotFound(ids []string) *wire.Error {
	if len(ids) == 1 {
		return fail(codeInvalidInstanceIDNotFound, "The instance ID '%s' does not exist", ids[0])
	}
	return fail(codeInvalidInstanceIDNotFound, "The instance IDs '%s' do not exist", strings.Join(ids, ", "))
}
