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
	codeIncorrectState                    = "IncorrectState"
	codeInsufficientFreeAddressesInSubnet = "InsufficientFreeAddressesInSubnet"
	codeInsufficientInstanceCapacity      = "InsufficientInstanceCapacity"
	codeInternalError                     = "InternalError"
	codeInvalidAction                     = "InvalidAction"
	codeInvalidAMIIDMalformed             = "InvalidAMIID.Malformed"
	codeInvalidAMIIDNotFound              = "InvalidAMIID.NotFound"
	codeInvalidAssociationIDNotFound      = "InvalidAssociationID.NotFound"
	codeInvalidClientToken                = "InvalidClientToken"
	codeInvalidGroupIDMalformed           = "InvalidGroupId.Malformed"
	codeInvalidGroupNotFound              = "InvalidGroup.NotFound"
	codeInvalidID                         = "InvalidID"
	codeInvalidInstanceAttributeValue     = "InvalidInstanceAttributeValue"
	codeInvalidInstanceIDMalformed        = "InvalidInstanceID.Malformed"
	codeInvalidInstanceIDNotFound         = "InvalidInstanceID.NotFound"
	codeInvalidIPAddressInUse             = "InvalidIPAddress.InUse"
	codeInvalidKeyPairNotFound            = "InvalidKeyPair.NotFound"
	codeInvalidInterfaceIDNotFound        = "InvalidNetworkInterfaceID.NotFound"
	codeInvalidInterfaceIDMalformed       = "InvalidNetworkInterfaceId.Malformed"
	codeInvalidNextToken                  = "InvalidNextToken"
	codeInvalidParameter                  = "InvalidParameter"
	codeInvalidParameterCombination       = "InvalidParameterCombination"
	codeInvalidParameterValue             = "InvalidParameterValue"
	codeInvalidSubnetIDMalformed          = "InvalidSubnetID.Malformed"
	codeInvalidSubnetIDNotFound           = "InvalidSubnetID.NotFound"
	codeInvalidUserDataMalformed          = "InvalidUserData.Malformed"
	codeMissingAuthenticationToken        = "MissingAuthenticationToken"
	codeMissingParameter                  = "MissingParameter"
	codeOperationNotPermitted             = "OperationNotPermitted"
	codeParameterNotFound                 = "ParameterNotFound"
	codeParameterVersionNotFound          = "ParameterVersionNotFound"
	codeRequestExpired                    = "RequestExpired"
	codeRequestLimitExceeded              = "RequestLimitExceeded"
	codeTagLimitExceeded                  = "TagLimitExceeded"
	codeUnknownOperation                  = "UnknownOperationException"
	codeUnknownParameter                  = "UnknownParameter"
	codeUnsupported                       = "Unsupported"
	codeUnsupportedOperation              = "UnsupportedOperation"
	codeVCPULimitExceeded                 = "VcpuLimitExceeded"
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
	"InsufficientHostCapacity":             http.StatusInternalServerError,
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
