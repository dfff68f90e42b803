// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

// Condition types. Each has one owner; no other manager applies it.
const (
	// ConditionReady is True when the instance exists, is in the wanted power state and nothing is left to do
	// that policy allows.
	ConditionReady = "Ready"
	// ConditionLaunched is True when EC2 has an instance for the object.
	ConditionLaunched = "Launched"
	// ConditionSynced is True when EC2 matches spec.
	ConditionSynced = "Synced"
	// ConditionReachable is True when the instance runs and EC2's system and instance status checks pass. It is
	// Unknown while there is nothing to check or no result. Ready does not depend on it.
	ConditionReachable = "Reachable"
	// ConditionReconciling is present, and True, while the operator works towards spec (kstatus).
	ConditionReconciling = "Reconciling"
	// ConditionStalled is present, and True, when nothing more happens without somebody's help (kstatus).
	ConditionStalled = "Stalled"
	// ConditionContested is present, and True, while another field manager keeps taking fields that are the
	// operator's, of status or of a child; they are left to it for a time that grows.
	ConditionContested = "Contested"
	// ConditionThrottled, on an EC2Account, is True while EC2 refuses the account's calls for their rate.
	ConditionThrottled = "Throttled"
)

// Reasons of the conditions of an EC2Instance.
const (
	// ReasonRunning: the instance runs, as spec asks.
	ReasonRunning = "Running"
	// ReasonStopped: the instance is stopped, as spec asks.
	ReasonStopped = "Stopped"
	// ReasonLaunching: a launch is decided or under way.
	ReasonLaunching = "Launching"
	// ReasonLaunched: EC2 has an instance for the object.
	ReasonLaunched = "Launched"
	// ReasonStarting: the instance is on its way to running.
	ReasonStarting = "Starting"
	// ReasonStopping: the instance is on its way to stopped.
	ReasonStopping = "Stopping"
	// ReasonChecksPassed: EC2's system and instance status checks pass.
	ReasonChecksPassed = "ChecksPassed"
	// ReasonChecksFailed: EC2's system or instance status check fails.
	ReasonChecksFailed = "ChecksFailed"
	// ReasonInitializing: the instance runs, and EC2's status checks have no result yet, or none any more.
	ReasonInitializing = "Initializing"
	// ReasonNotRunning: the instance does not run, so there is nothing to check.
	ReasonNotRunning = "NotRunning"
	// ReasonInSync: EC2 matches spec.
	ReasonInSync = "InSync"
	// ReasonUpdatePending: a change of spec is being carried out.
	ReasonUpdatePending = "UpdatePending"
	// ReasonStopRequired: a change of spec needs the instance stopped, which policy does not allow.
	ReasonStopRequired = "StopRequired"
	// ReasonReplacementRequired: a change of spec needs a new instance, which policy does not allow.
	ReasonReplacementRequired = "ReplacementRequired"
	// ReasonNotAllowed: a change of spec that could be made at any time and that policy does not allow.
	ReasonNotAllowed = "NotAllowed"
	// ReasonBlocked: EC2 refuses a change of spec, or nothing can make it; an edit, or a change of what stands in the way,
	// is needed.
	ReasonBlocked = "Blocked"
	// ReasonSuspended: spec.suspend keeps the operator from acting.
	ReasonSuspended = "Suspended"
	// ReasonDeleting: the object is being deleted.
	ReasonDeleting = "Deleting"
	// ReasonTerminated: the instance was terminated and recreatePolicy is Never.
	ReasonTerminated = "Terminated"
	// ReasonTerminating: the instance was terminated by somebody else and is shutting down.
	ReasonTerminating = "Terminating"
	// ReasonAdopting: the instance that adopt names is looked for.
	ReasonAdopting = "Adopting"
	// ReasonAdoptionRefused: the instance that adopt names is not there, or is somebody else's.
	ReasonAdoptionRefused = "AdoptionRefused"
	// ReasonNothingToObserve: managementPolicy is Observe, and the object has no instance.
	ReasonNothingToObserve = "NothingToObserve"
	// ReasonObserved: the instance is not in the wanted power state, and managementPolicy is Observe.
	ReasonObserved = "Observed"
	// ReasonLaunchFailed: EC2 accepted the launch and could not start the instance; it is launched again, after a pause
	// that grows.
	ReasonLaunchFailed = "LaunchFailed"
	// ReasonInterrupted: EC2 has stopped the Spot Instance, and alone can start it again.
	ReasonInterrupted = "Interrupted"
	// ReasonReplacing: the instance was terminated for another one to take its place, and is shutting down.
	ReasonReplacing = "Replacing"
	// ReasonRecreating: the instance was terminated and another one is launched, after a pause that grows.
	ReasonRecreating = "Recreating"
	// ReasonNotYetVisible: EC2 accepted the launch but does not show the instance yet.
	ReasonNotYetVisible = "NotYetVisible"
	// ReasonAccountNotFound: the EC2Account does not exist.
	ReasonAccountNotFound = "AccountNotFound"
	// ReasonAccountNotAllowed: the EC2Account does not allow the namespace.
	ReasonAccountNotAllowed = "AccountNotAllowed"
	// ReasonUserDataNotFound: the Secret or ConfigMap of spec.userData, or its key, is missing or too large.
	ReasonUserDataNotFound = "UserDataNotFound"
	// ReasonImageNotFound: the SSM parameter of spec.image cannot be resolved.
	ReasonImageNotFound = "ImageNotFound"
	// ReasonOwnershipConflict: another field manager holds a field that the operator needs.
	ReasonOwnershipConflict = "OwnershipConflict"
	// ReasonInvalidRequest: EC2 refuses the request; an edit of spec is needed.
	ReasonInvalidRequest = "InvalidRequest"
	// ReasonInsufficientCapacity: EC2 has no room for the instance type in that zone at the moment.
	ReasonInsufficientCapacity = "InsufficientCapacity"
	// ReasonQuotaExceeded: a quota of the account is used up.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonThrottled: EC2 refuses the account's calls for their rate.
	ReasonThrottled = "Throttled"
	// ReasonUnauthorized: IAM does not allow the call.
	ReasonUnauthorized = "Unauthorized"
	// ReasonCredentialsInvalid: the account's credentials are missing, wrong or expired.
	ReasonCredentialsInvalid = "CredentialsInvalid"
	// ReasonWrongState: EC2 refuses the call in the instance's present state; it is tried again.
	ReasonWrongState = "WrongState"
	// ReasonProtected: termination or stop protection refuses the call.
	ReasonProtected = "Protected"
	// ReasonDependencyNotReady: something the instance refers to is missing in EC2 or IAM, or not usable yet.
	ReasonDependencyNotReady = "DependencyNotReady"
	// ReasonChildNotControlled: an object of the name of the Service, an EndpointSlice or the ConfigMap exists and
	// is not this object's; it is left alone.
	ReasonChildNotControlled = "ChildNotControlled"
	// ReasonChildRefused: the API server refuses the Service, an EndpointSlice or the ConfigMap, by a quota or an
	// admission rule, or for a field that somebody else has set; it is tried again.
	ReasonChildRefused = "ChildRefused"
	// ReasonEC2Unavailable: EC2 failed or did not answer; the call is tried again.
	ReasonEC2Unavailable = "EC2Unavailable"
)

// Reasons of the conditions of an EC2Account.
const (
	// ReasonAuthenticated: AWS accepts the account's credentials.
	ReasonAuthenticated = "Authenticated"
	// ReasonNotThrottled: EC2 takes the account's calls.
	ReasonNotThrottled = "NotThrottled"
)
