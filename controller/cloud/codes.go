// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"net/http"
	"strings"
)

// Codes that decide more than a class.
const (
	codeParameterMismatch  = "IdempotentParameterMismatch"
	codeInstanceTerminated = "IdempotentInstanceTerminated"
	codeInstanceNotFound   = "InvalidInstanceID.NotFound"
	codeRequestNotFound    = "InvalidSpotInstanceRequestID.NotFound"
	codeUnsupported        = "Unsupported"
)

// codeClasses is the one place that says what AWS's error codes mean to us. The codes of EC2 are described at
// https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html; those of STS and Systems Manager that our calls
// can meet are here too.
var codeClasses = map[string]Class{
	// Throttling. RequestLimitExceeded comes with HTTP 503.
	"RequestLimitExceeded":      ClassThrottled,
	"BandwidthLimitExceeded":    ClassThrottled,
	"EC2ThrottledException":     ClassThrottled,
	"PriorRequestNotComplete":   ClassThrottled,
	"RequestThrottled":          ClassThrottled,
	"RequestThrottledException": ClassThrottled,
	"SlowDown":                  ClassThrottled,
	"Throttling":                ClassThrottled,
	"ThrottlingException":       ClassThrottled,
	"ThrottledException":        ClassThrottled,
	"TooManyRequestsException":  ClassThrottled,

	// AWS's own trouble. The call may have had its effect.
	"InternalError":           ClassTransient,
	"InternalFailure":         ClassTransient,
	"InternalServerError":     ClassTransient,
	"ServerInternal":          ClassTransient,
	"ServiceUnavailable":      ClassTransient,
	"Unavailable":             ClassTransient,
	"RequestTimeout":          ClassTransient,
	"RequestTimeoutException": ClassTransient,
	// Two changed the same resource's tags at once.
	"ConcurrentTagAccess": ClassTransient,
	// A page's token was too old: the list begins again.
	"InvalidNextToken":       ClassTransient,
	"InvalidPaginationToken": ClassTransient,

	// No room. These come with HTTP 500, 503 and 400 alike.
	"InsufficientInstanceCapacity":         ClassCapacity,
	"InsufficientCapacity":                 ClassCapacity,
	"InsufficientCapacityOnHost":           ClassCapacity,
	"InsufficientHostCapacity":             ClassCapacity,
	"InsufficientReservedInstanceCapacity": ClassCapacity,
	"InsufficientAddressCapacity":          ClassCapacity,
	"InsufficientVolumeCapacity":           ClassCapacity,
	"InsufficientFreeAddressesInSubnet":    ClassCapacity,
	"ReservationCapacityExceeded":          ClassCapacity,
	"UnfulfillableCapacity":                ClassCapacity,
	"IncompatibleHostRequirements":         ClassCapacity,
	// The market's price is above ours, for now.
	"SpotMaxPriceTooLow": ClassCapacity,

	// The account's limits.
	"InstanceLimitExceeded":         ClassQuota,
	"VcpuLimitExceeded":             ClassQuota,
	"MaxSpotInstanceCountExceeded":  ClassQuota,
	"VolumeLimitExceeded":           ClassQuota,
	"NetworkInterfaceLimitExceeded": ClassQuota,
	"ResourceCountExceeded":         ClassQuota,
	"ResourceLimitExceeded":         ClassQuota,
	"MaxIOPSLimitExceeded":          ClassQuota,
	// A volume's own limit: so many modifications a day.
	"VolumeModificationRateExceeded": ClassQuota,

	// The account may not, or may not yet.
	"UnauthorizedOperation": ClassUnauthorized,
	"AccessDenied":          ClassUnauthorized,
	"AccessDeniedException": ClassUnauthorized,
	"AuthFailure.ServiceLinkedRoleCreationNotPermitted": ClassUnauthorized,
	"OptInRequired":       ClassUnauthorized,
	"PendingVerification": ClassUnauthorized,
	"Blocked":             ClassUnauthorized,

	// Credentials that AWS does not accept, or no longer.
	"AuthFailure":                 ClassCredentials,
	"ExpiredToken":                ClassCredentials,
	"ExpiredTokenException":       ClassCredentials,
	"IncompleteSignature":         ClassCredentials,
	"InvalidClientTokenId":        ClassCredentials,
	"InvalidSignatureException":   ClassCredentials,
	"MissingAuthenticationToken":  ClassCredentials,
	"RequestExpired":              ClassCredentials,
	"RequestTimeTooSkewed":        ClassCredentials,
	"SignatureDoesNotMatch":       ClassCredentials,
	"UnrecognizedClientException": ClassCredentials,

	// Unknown, purged, or not shown yet; and the answer that an instance of the token exists, which wants looking for.
	codeInstanceNotFound:            ClassNotYetVisible,
	"InvalidInstanceID.NotLinkable": ClassNotYetVisible,
	codeParameterMismatch:           ClassNotYetVisible,
	// A Spot request shows as late as its instance.
	codeRequestNotFound: ClassNotYetVisible,
	// The association of an instance profile has been replaced since it was described.
	"InvalidAssociationID.NotFound": ClassNotYetVisible,

	// The state does not allow it.
	"IncorrectInstanceState":     ClassWrongState,
	"IncorrectModificationState": ClassWrongState,
	"IncorrectSpotRequestState":  ClassWrongState,
	"IncorrectState":             ClassWrongState,
	"InvalidInstanceState":       ClassWrongState,
	"InvalidState":               ClassWrongState,
	codeInstanceTerminated:       ClassWrongState,

	"OperationNotPermitted": ClassProtected,

	// An address or network interface that another instance has, which may be on its way out.
	"InvalidIPAddress.InUse":        ClassDependency,
	"InvalidNetworkInterface.InUse": ClassDependency,

	// What the request names does not exist: it may be made later, by somebody else.
	"InvalidCapacityReservationId.NotFound":       ClassDependency,
	"InvalidGroup.NotFound":                       ClassDependency,
	"InvalidHostID.NotFound":                      ClassDependency,
	"InvalidKeyPair.NotFound":                     ClassDependency,
	"InvalidLaunchTemplateId.NotFound":            ClassDependency,
	"InvalidLaunchTemplateId.VersionNotFound":     ClassDependency,
	"InvalidLaunchTemplateName.NotFoundException": ClassDependency,
	"InvalidNetworkInterfaceID.NotFound":          ClassDependency,
	"InvalidPlacementGroup.Unknown":               ClassDependency,
	"InvalidSecurityGroupID.NotFound":             ClassDependency,
	"InvalidSnapshot.NotFound":                    ClassDependency,
	"InvalidSubnet":                               ClassDependency,
	"InvalidSubnetID.NotFound":                    ClassDependency,
	"InvalidSubnetId.NotFound":                    ClassDependency,
	"InvalidVolume.NotFound":                      ClassDependency,
	"ParameterNotFound":                           ClassDependency,
	"ParameterVersionNotFound":                    ClassDependency,

	// The request is wrong. An image can still be shared with the account later, hence the slow check of this class.
	"DefaultVpcDoesNotExist":        ClassInvalid,
	"FilterLimitExceeded":           ClassInvalid,
	"InvalidAMIID.Malformed":        ClassInvalid,
	"InvalidAMIID.NotFound":         ClassInvalid,
	"InvalidAMIID.Unavailable":      ClassInvalid,
	"InvalidBlockDeviceMapping":     ClassInvalid,
	"InvalidClientToken":            ClassInvalid,
	"InvalidGroupId.Malformed":      ClassInvalid,
	"InvalidInput":                  ClassInvalid,
	"InvalidInstanceAttributeValue": ClassInvalid,
	"InvalidInstanceID":             ClassInvalid,
	"InvalidInstanceID.Malformed":   ClassInvalid,
	"InvalidInstanceType":           ClassInvalid,
	"InvalidMaxResults":             ClassInvalid,
	"InvalidParameter":              ClassInvalid,
	"InvalidParameterCombination":   ClassInvalid,
	"InvalidParameterValue":         ClassInvalid,
	"InvalidRequest":                ClassInvalid,
	"InvalidTagKey.Malformed":       ClassInvalid,
	"InvalidUserData.Malformed":     ClassInvalid,
	"MissingParameter":              ClassInvalid,
	"TagLimitExceeded":              ClassInvalid,
	"TagPolicyViolation":            ClassInvalid,
	"UnknownParameter":              ClassInvalid,
	"UnsupportedInstanceAttribute":  ClassInvalid,
	"UnsupportedOperation":          ClassInvalid,
	"VPCIdNotSpecified":             ClassInvalid,
	"ValidationError":               ClassInvalid,
	// The zone does not offer the type, ever: waiting does not help as it does with capacity.
	codeUnsupported: ClassInvalid,
	// The instance's type earns no CPU credits.
	"InstanceCreditSpecification.NotSupported": ClassInvalid,
	// "Would have succeeded": we never ask for a dry run.
	"DryRunOperation": ClassInvalid,
}

// messageClasses has the codes whose meaning depends on the message, which contains text. They are used for more than one
// thing by EC2.
var messageClasses = []struct {
	code, text string
	class      Class
}{
	// A new instance profile or its role takes seconds until EC2 knows it.
	// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/iam-roles-for-amazon-ec2.html
	{"InvalidParameterValue", "Invalid IAM Instance Profile", ClassDependency},
	{"InvalidParameterValue", "has no associated IAM Roles", ClassDependency},
	// A start too soon after a change of the instance's type.
	{"InvalidParameterValue", "LaunchPlan instance type does not match attribute value", ClassWrongState},
	// For some minutes after its start an instance cannot hibernate.
	{"UnsupportedOperation", "not ready to hibernate", ClassWrongState},
	// The credentials are good; the image is not shared with the account.
	{"AuthFailure", "Not authorized for images", ClassInvalid},
}

// suffixClasses guesses at codes that are in no table from how EC2 forms them.
var suffixClasses = []struct {
	suffix string
	class  Class
}{
	{".NotFound", ClassDependency},
	{"LimitExceeded", ClassQuota},
}

// classOfCode is the class of AWS's answer.
func classOfCode(code, message string, status int) Class {
	for _, m := range messageClasses {
		if code == m.code && strings.Contains(message, m.text) {
			return m.class
		}
	}
	if class, ok := codeClasses[code]; ok {
		return class
	}
	for _, s := range suffixClasses {
		if strings.HasSuffix(code, s.suffix) {
			return s.class
		}
	}
	return classOfStatus(status)
}

// classOfStatus is AWS's general rule: 4xx means a wrong request, 5xx trouble on their side.
func classOfStatus(status int) Class {
	switch {
	case status == http.StatusUnauthorized:
		return ClassCredentials
	case status == http.StatusForbidden:
		return ClassUnauthorized
	case status == http.StatusRequestTimeout:
		return ClassTransient
	case status == http.StatusTooManyRequests:
		return ClassThrottled
	case isClientError(status):
		return ClassInvalid
	default:
		return ClassTransient
	}
}

func isClientError(status int) bool {
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError
}
