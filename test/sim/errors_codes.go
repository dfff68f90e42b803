// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// errorCode is an error of AWS's, with the class that it is to have. It is written down here anew, so that a slip in the operator's own
// table shows.
type errorCode struct {
	code string
	// status is the HTTP status: what was seen, or else 400 and 500 for what AWS calls client's and server's errors.
	status int
	class  cloud.Class
	// words are EC2's, as far as they stay the same, and blob is what comes after them and is another text in each answer.
	words, blob string
}

// What EC2's messages hold that is another text each time.
const (
	requestBlob = " (Request ID: " + ec2sim.PerRequest + ")"
	encodedBlob = " Encoded authorization failure message: 4tCz7" + ec2sim.PerRequest + "-KLS2yR4" + ec2sim.PerRequest + "_lQhzxsvtkm"
)

// errorCodes are those that a controller of instances can meet.
var errorCodes = []errorCode{
	{"RequestLimitExceeded", 503, cloud.ClassThrottled, "Request limit exceeded.", requestBlob},
	{"BandwidthLimitExceeded", 503, cloud.ClassThrottled, "The network bandwidth limit has been reached.", ""},

	{"InternalError", 500, cloud.ClassTransient, "An internal error has occurred.", requestBlob},
	{"InternalFailure", 500, cloud.ClassTransient, "The request processing has failed because of an unknown error.", requestBlob},
	{"ServerInternal", 500, cloud.ClassTransient, "An internal error has occurred.", requestBlob},
	{"Unavailable", 503, cloud.ClassTransient, "The server is overloaded and can't handle the request.", ""},
	{"ServiceUnavailable", 503, cloud.ClassTransient, "The request has failed due to a temporary failure of the server.", ""},
	{"ConcurrentTagAccess", 400, cloud.ClassTransient, "You can't run simultaneous commands to modify a tag for a specific resource.", ""},
	{"InvalidNextToken", 400, cloud.ClassTransient, "The specified token is not valid.", ""},
	{"InvalidPaginationToken", 400, cloud.ClassTransient, "The specified pagination token is not valid or is expired.", ""},

	{"InsufficientInstanceCapacity", 500, cloud.ClassCapacity, "We currently do not have sufficient t3.micro capacity in the Availability Zone you requested (eu-central-1a).", ""},
	{"InsufficientCapacityOnHost", 400, cloud.ClassCapacity, "There is not enough capacity on the Dedicated Host to launch or start the instance.", ""},
	{"InsufficientHostCapacity", 500, cloud.ClassCapacity, "There is not enough capacity to fulfill your Dedicated Host request.", ""},
	{"InsufficientReservedInstanceCapacity", 500, cloud.ClassCapacity, "There is insufficient capacity for the requested Reserved Instances.", ""},
	{"InsufficientAddressCapacity", 500, cloud.ClassCapacity, "Not enough available addresses to satisfy your minimum request.", ""},
	{"InsufficientVolumeCapacity", 500, cloud.ClassCapacity, "There is not enough capacity to fulfill your EBS volume provision request.", ""},
	{"InsufficientFreeAddressesInSubnet", 400, cloud.ClassCapacity, "There are not enough free addresses in subnet 'subnet-0aaaaaaaaaaaaaaaa' to satisfy the requested number of instances.", ""},
	{"ReservationCapacityExceeded", 400, cloud.ClassCapacity, "The targeted Capacity Reservation does not have enough available instance capacity to fulfill your request.", ""},
	{"UnfulfillableCapacity", 400, cloud.ClassCapacity, "Unable to fulfill capacity due to your request configuration.", ""},
	{"IncompatibleHostRequirements", 400, cloud.ClassCapacity, "There are no available or compatible Dedicated Hosts on which to launch or start the instance.", ""},
	{"SpotMaxPriceTooLow", 400, cloud.ClassCapacity, "Your Spot request price of 0.001 is lower than the minimum required Spot request fulfillment price of 0.0031.", ""},

	{"InstanceLimitExceeded", 400, cloud.ClassQuota, "You have requested more instances (21) than your current instance limit of 20 allows for the specified instance type.", ""},
	{"VcpuLimitExceeded", 400, cloud.ClassQuota, "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket that the specified instance type belongs to.", ""},
	{"MaxSpotInstanceCountExceeded", 400, cloud.ClassQuota, "Max spot instance count exceeded", ""},
	{"VolumeLimitExceeded", 400, cloud.ClassQuota, "You have exceeded your maximum gp3 storage limit of 50 TiB in this region.", ""},
	{"NetworkInterfaceLimitExceeded", 400, cloud.ClassQuota, "The maximum number of network interfaces has been reached.", ""},
	{"ResourceCountExceeded", 400, cloud.ClassQuota, "You have exceeded the number of resources allowed for this request.", ""},
	{"ResourceLimitExceeded", 400, cloud.ClassQuota, "You have exceeded an Amazon EC2 resource limit.", ""},
	{"MaxIOPSLimitExceeded", 400, cloud.ClassQuota, "You have reached the limit on your IOPS usage for that Region.", ""},

	{"UnauthorizedOperation", 403, cloud.ClassUnauthorized, "You are not authorized to perform this operation.", encodedBlob},
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", 400, cloud.ClassUnauthorized, "The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.", ""},
	{"OptInRequired", 401, cloud.ClassUnauthorized, "In order to use this AWS Marketplace product you need to accept terms and subscribe.", ""},
	{"PendingVerification", 400, cloud.ClassUnauthorized, "Your request for accessing resources in this region is being validated, and you will not be able to launch additional resources in this region until the validation is complete.", ""},
	{"Blocked", 400, cloud.ClassUnauthorized, "This account is currently blocked and not recognized as a valid account.", requestBlob},

	{"AuthFailure", 401, cloud.ClassCredentials, "AWS was not able to validate the provided access credentials", requestBlob},
	{"RequestExpired", 400, cloud.ClassCredentials, "Request has expired.", requestBlob},
	{"InvalidClientTokenId", 403, cloud.ClassCredentials, "The security token included in the request is invalid.", ""},
	{"SignatureDoesNotMatch", 403, cloud.ClassCredentials, "The request signature we calculated does not match the signature you provided.",
		" The Canonical String for this request should have been\n'POST\n/\n" + ec2sim.PerRequest + "'"},
	{"IncompleteSignature", 400, cloud.ClassCredentials, "The request signature does not conform to AWS standards.", ""},
	{"MissingAuthenticationToken", 403, cloud.ClassCredentials, "Request must contain either a valid (registered) AWS access key ID or X.509 certificate.", ""},

	{"IdempotentParameterMismatch", 400, cloud.ClassNotYetVisible, "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).", ""},
	{"InvalidInstanceID.NotFound", 400, cloud.ClassNotYetVisible, "The instance ID 'i-0123456789abcdef0' does not exist", ""},

	{"IdempotentInstanceTerminated", 400, cloud.ClassWrongState, "The client token you have provided is associated with a terminated instance. Please use a different client token.", ""},
	{"IncorrectInstanceState", 400, cloud.ClassWrongState, "The instance 'i-0123456789abcdef0' is not in a state from which it can be started.", ""},
	{"InvalidInstanceState", 400, cloud.ClassWrongState, "The instance is not in the 'stopped' state.", ""},
	{"IncorrectState", 400, cloud.ClassWrongState, "The resource is not in a valid state for this operation.", ""},
	{"InvalidState", 400, cloud.ClassWrongState, "The specified resource is not in the correct state for the request.", ""},
	{"IncorrectSpotRequestState", 400, cloud.ClassWrongState, "The Spot Instance request is not in a state from which its instance can be started.", ""},
	{"IncorrectModificationState", 400, cloud.ClassWrongState, "Cannot modify volume vol-0123456789abcdef0 in modification state OPTIMIZING", ""},

	{"OperationNotPermitted", 400, cloud.ClassProtected, "The instance 'i-0123456789abcdef0' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.", ""},

	{"InvalidSubnetID.NotFound", 400, cloud.ClassDependency, "The subnet ID 'subnet-0aaaaaaaaaaaaaaaa' does not exist", ""},
	{"InvalidSubnetId.NotFound", 400, cloud.ClassDependency, "The subnet ID 'subnet-0aaaaaaaaaaaaaaaa' does not exist", ""},
	{"InvalidSubnet", 400, cloud.ClassDependency, "The specified subnet is not valid.", ""},
	{"InvalidGroup.NotFound", 400, cloud.ClassDependency, "The security group 'sg-0123456789abcdef0' does not exist", ""},
	{"InvalidSecurityGroupID.NotFound", 400, cloud.ClassDependency, "The security group 'sg-0123456789abcdef0' does not exist", ""},
	{"InvalidKeyPair.NotFound", 400, cloud.ClassDependency, "The key pair 'example-key' does not exist", ""},
	{"InvalidSnapshot.NotFound", 400, cloud.ClassDependency, "The snapshot 'snap-0dddddddddddddddd' does not exist.", ""},
	{"InvalidPlacementGroup.Unknown", 400, cloud.ClassDependency, "The Placement Group 'example-spread' is unknown.", ""},
	{"InvalidLaunchTemplateId.NotFound", 400, cloud.ClassDependency, "The specified launch template, with template ID lt-0123456789abcdef0, does not exist.", ""},
	{"InvalidLaunchTemplateName.NotFoundException", 400, cloud.ClassDependency, "The specified launch template, with template name example-template, does not exist.", ""},
	{"InvalidCapacityReservationId.NotFound", 400, cloud.ClassDependency, "The capacity reservation ID 'cr-0aaaaaaaaaaaaaaaa' does not exist.", ""},
	{"InvalidHostID.NotFound", 400, cloud.ClassDependency, "The host ID 'h-0aaaaaaaaaaaaaaaa' does not exist.", ""},

	{"InvalidParameterValue", 400, cloud.ClassInvalid, "Value (t3.mikro) for parameter instanceType is invalid.", ""},
	{"InvalidParameter", 400, cloud.ClassInvalid, "Security group sg-0eeeeeeeeeeeeeeee and subnet subnet-0aaaaaaaaaaaaaaaa belong to different networks.", ""},
	{"InvalidParameterCombination", 400, cloud.ClassInvalid, "The parameter creditSpecification cannot be used with the instance type m5.large.", ""},
	{"MissingParameter", 400, cloud.ClassInvalid, "The request must contain the parameter ImageId", ""},
	{"UnknownParameter", 400, cloud.ClassInvalid, "The parameter Foo is not recognized", ""},
	{"InvalidInput", 400, cloud.ClassInvalid, "An input parameter in the request is not valid.", ""},
	{"ValidationError", 400, cloud.ClassInvalid, "The input fails to satisfy the constraints specified by an AWS service.", ""},
	{"InvalidRequest", 400, cloud.ClassInvalid, "The tenancy change is not supported for this instance.", ""},
	{"InvalidAMIID.NotFound", 400, cloud.ClassInvalid, "The image id '[ami-0123456789abcdef0]' does not exist", ""},
	{"InvalidAMIID.Malformed", 400, cloud.ClassInvalid, "Invalid id: \"ami-0123456789abcdef0\"", ""},
	{"InvalidAMIID.Unavailable", 400, cloud.ClassInvalid, "The image ID 'ami-0123456789abcdef0' is no longer available", ""},
	{"InvalidGroupId.Malformed", 400, cloud.ClassInvalid, "Invalid id: \"sg-0123456789abcdef0\"", ""},
	{"InvalidInstanceID.Malformed", 400, cloud.ClassInvalid, "Invalid id: \"i-0123456789abcdef0\"", ""},
	{"InvalidInstanceType", 400, cloud.ClassInvalid, "The specified instance does not support the operation.", ""},
	{"InvalidInstanceAttributeValue", 400, cloud.ClassInvalid, "The instance type 't4g.small' does not match the architecture of the instance.", ""},
	{"UnsupportedInstanceAttribute", 400, cloud.ClassInvalid, "The specified attribute cannot be modified.", ""},
	{"InvalidBlockDeviceMapping", 400, cloud.ClassInvalid, "Invalid device name /dev/foo", ""},
	{"InvalidUserData.Malformed", 400, cloud.ClassInvalid, "Invalid BASE64 encoding of user data.", ""},
	{"Unsupported", 400, cloud.ClassInvalid, "Your requested instance type (t3.micro) is not supported in your requested Availability Zone (eu-central-1a).", ""},
	{"UnsupportedOperation", 400, cloud.ClassInvalid, "The specified request includes an unsupported operation.", ""},
	{"VPCIdNotSpecified", 400, cloud.ClassInvalid, "No default VPC for this user.", ""},
	{"DefaultVpcDoesNotExist", 400, cloud.ClassInvalid, "There is no default VPC in which to carry out the request.", ""},
	{"TagPolicyViolation", 400, cloud.ClassInvalid, "The tag policy does not allow the specified value for the following tag key: 'team'.", ""},
	{"TagLimitExceeded", 400, cloud.ClassInvalid, "You have reached the limit on the number of tags that you can assign to the specified resource.", ""},
	{"InvalidTagKey.Malformed", 400, cloud.ClassInvalid, "Tag key was not valid.", ""},
	{"FilterLimitExceeded", 400, cloud.ClassInvalid, "The maximum number of filter values specified on a single call is 200", ""},
	{"InvalidMaxResults", 400, cloud.ClassInvalid, "The specified value for MaxResults is not valid.", ""},
	{"DryRunOperation", 412, cloud.ClassInvalid, "Request would have succeeded, but DryRun flag is set.", ""},
}

// propagation are messages that make another class of a code: what was just made in IAM is not known to EC2 yet, and so on.
var propagation = []errorCode{
	{"InvalidParameterValue", 400, cloud.ClassDependency, "Value (example-profile) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name", ""},
	{"InvalidParameterValue", 400, cloud.ClassWrongState, "The requested configuration is currently not supported: LaunchPlan instance type does not match attribute value", ""},
	{"AuthFailure", 401, cloud.ClassInvalid, "Not authorized for images: [ami-0123456789abcdef0]", ""},
}

// classRule is what is asked of all errors of a class.
type classRule struct {
	class cloud.Class
	// reason of Ready, and accountReason of the account's where its own calls fail.
	reason, accountReason string
	// stalled: somebody has to help, so the object is Stalled and not Reconciling.
	stalled bool
	// calls are the most in an hour. Each is a little more than the class's pauses leave room for (controller/cloud/backoff.go), and far
	// less than a loop would make.
	calls int
	// longest pause between two calls.
	longest time.Duration
	// does tells users what the operator does.
	does, next string
}

// classRules are all classes'.
var classRules = []classRule{
	// One when it is asked for, and then six slow checks.
	{cloud.ClassInvalid, ec2v1.ReasonInvalidRequest, ec2v1.ReasonInvalidRequest, true, 8, 10 * time.Minute,
		"Stops, and waits for an edit. One slow check finds what has become right without one, such as an image that is shared later.",
		"at the next edit, or after 10 minutes"},
	// 30 seconds, doubled to 5 minutes: 4 calls in the first 4 minutes, and one in 5 minutes then.
	{cloud.ClassCapacity, ec2v1.ReasonInsufficientCapacity, ec2v1.ReasonEC2Unavailable, false, 18, 5 * time.Minute,
		"Goes on asking: capacity comes and goes within minutes.", "after 30 seconds, doubled up to 5 minutes"},
	// One minute, doubled to ten: at 0, 1, 3, 7, 15, and each ten minutes.
	{cloud.ClassQuota, ec2v1.ReasonQuotaExceeded, ec2v1.ReasonEC2Unavailable, false, 11, 10 * time.Minute,
		"Goes on asking, slowly: less use or a higher quota frees it.", "after 1 minute, doubled up to 10 minutes"},
	// Two seconds, doubled to a minute: 6 calls in the first minute, and one a minute then.
	{cloud.ClassThrottled, ec2v1.ReasonThrottled, ec2v1.ReasonThrottled, false, 70, time.Minute,
		"Waits its turn and says nothing: it is nobody's fault, and the conditions stay what they were. The account's condition Throttled tells of lists that are throttled.",
		"after 2 seconds, doubled up to 1 minute"},
	{cloud.ClassUnauthorized, ec2v1.ReasonUnauthorized, ec2v1.ReasonUnauthorized, true, 11, 10 * time.Minute,
		"Stops, and names the action that is not allowed. Looks again slowly, since a policy changes without an edit here.",
		"at the next edit, or after 1 minute, doubled up to 10 minutes"},
	{cloud.ClassCredentials, ec2v1.ReasonCredentialsInvalid, ec2v1.ReasonCredentialsInvalid, false, 18, 5 * time.Minute,
		"Waits for credentials that AWS accepts; the account tells of it, too.", "after 30 seconds, doubled up to 5 minutes"},
	// Two seconds, doubled to 30: two a minute.
	{cloud.ClassNotYetVisible, ec2v1.ReasonNotYetVisible, ec2v1.ReasonEC2Unavailable, false, 130, 30 * time.Second,
		"Goes on looking: what was just made may not show yet. Nothing is launched before it is known what became of it.",
		"after 2 seconds, doubled up to 30 seconds"},
	{cloud.ClassWrongState, ec2v1.ReasonWrongState, ec2v1.ReasonEC2Unavailable, false, 70, time.Minute,
		"Asks again when the state has changed.", "when EC2 shows another state, or after 2 seconds, doubled up to 1 minute"},
	{cloud.ClassProtected, ec2v1.ReasonProtected, ec2v1.ReasonEC2Unavailable, true, 11, 10 * time.Minute,
		"Stops, and says so. protectionPolicy: Lift has it take the protection off.",
		"at the next edit, or after 1 minute, doubled up to 10 minutes"},
	// Five seconds, doubled to two minutes: 5 calls in the first 75 seconds, and one in two minutes then.
	{cloud.ClassDependency, ec2v1.ReasonDependencyNotReady, ec2v1.ReasonEC2Unavailable, false, 40, 2 * time.Minute,
		"Goes on asking, quickly at first: what was just made takes seconds to spread through AWS.",
		"after 5 seconds, doubled up to 2 minutes"},
	// A second, doubled to a minute.
	{cloud.ClassTransient, ec2v1.ReasonEC2Unavailable, ec2v1.ReasonEC2Unavailable, false, 72, time.Minute,
		"Asks again, with the same client token: the call may have had its effect.", "after 1 second, doubled up to 1 minute"},
}

func ruleOf(class cloud.Class) classRule {
	for _, r := range classRules {
		if r.class == class {
			return r
		}
	}
	return classRule{}
}
