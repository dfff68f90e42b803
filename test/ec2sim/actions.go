// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Services, by the name in the SigV4 credential scope.
const (
	serviceEC2 = "ec2"
	serviceSSM = "ssm"
	serviceSTS = "sts"
)

// action is one thing that can be called.
type action struct {
	handle func(*call) (any, error)
	limits limits
	// parameters are the top-level Query parameters that are modelled, besides
	// DryRun; others are refused rather than silently ignored.
	parameters string
}

// service is one AWS API: its protocol and its actions.
type service struct {
	protocol wire.Protocol
	// parse reads action and parameters.
	parse   func(request) (string, wire.Params, error)
	unknown string // the error code for an action that does not exist
	actions map[string]action
}

const (
	describeParameters = "Filter MaxResults NextToken"
	stateParameters    = "InstanceId"
	tagParameters      = "ResourceId Tag"
)

// services is all that is served. A new action is one line here, a new service one entry.
var services = map[string]service{
	serviceEC2: {
		protocol: wire.EC2Query{Namespace: "http://ec2.amazonaws.com/doc/2016-11-15/"},
		parse:    parseQuery,
		unknown:  codeInvalidAction,
		actions: map[string]action{
			"AssociateIamInstanceProfile": {associateIAMInstanceProfile, attaching, "IamInstanceProfile InstanceId"},
			"CancelSpotInstanceRequests":  {cancelSpotInstanceRequests, modifying, "SpotInstanceRequestId"},
			"CreateTags":                  {createTags, tagLimits, tagParameters},
			"DeleteTags":                  {deleteTags, tagLimits, tagParameters},
			"DescribeIamInstanceProfileAssociations": {
				describeIAMInstanceProfileAssociations, describing, describeAssociationsParameters,
			},
			"DescribeInstanceAttribute": {describeInstanceAttribute, describing, "Attribute InstanceId"},
			"DescribeInstanceCreditSpecifications": {
				describeInstanceCreditSpecifications, describing, describeParameters + " InstanceId",
			},
			"DescribeInstances": {describeInstances, describingInBulk, describeParameters + " InstanceId IncludeManagedResources"},
			"DescribeInstanceStatus": {
				describeInstanceStatus, describingInBulk, describeParameters + " InstanceId IncludeAllInstances IncludeManagedResources",
			},
			"DescribeLaunchTemplateVersions": {describeLaunchTemplateVersions, describing, describeTemplateVersionsParameters},
			"DescribeSpotInstanceRequests": {
				describeSpotInstanceRequests, describingInBulk, describeParameters + " SpotInstanceRequestId",
			},
			"DescribeTags":    {describeTags, describing, describeParameters},
			"DescribeVolumes": {describeVolumes, describingInBulk, describeParameters + " VolumeId IncludeManagedResources"},
			"DescribeVolumesModifications": {
				describeVolumesModifications, describing, describeParameters + " VolumeId IncludeManagedResources",
			},
			"DisassociateIamInstanceProfile": {disassociateIAMInstanceProfile, attaching, "AssociationId"},
			"ModifyInstanceAttribute":        {modifyInstanceAttribute, modifying, modifyInstanceAttributeParameters},
			"ModifyInstanceCapacityReservationAttributes": {
				modifyInstanceCapacityReservationAttributes, modifying, "CapacityReservationSpecification InstanceId",
			},
			"ModifyInstanceCpuOptions": {modifyInstanceCPUOptions, modifying, "CoreCount InstanceId NestedVirtualization ThreadsPerCore"},
			"ModifyInstanceCreditSpecification": {
				modifyInstanceCreditSpecification, modifying, "ClientToken InstanceCreditSpecification",
			},
			"ModifyInstanceMaintenanceOptions": {
				modifyInstanceMaintenanceOptions, modifying, "AutoRecovery InstanceId RebootMigration",
			},
			"ModifyInstanceMetadataOptions": {modifyInstanceMetadataOptions, attaching, modifyMetadataOptionsParameters},
			"ModifyInstancePlacement":       {modifyInstancePlacement, modifying, modifyPlacementParameters},
			"ModifyNetworkInterfaceAttribute": {
				modifyNetworkInterfaceAttribute, attaching, modifyNetworkInterfaceParameters,
			},
			"ModifyPrivateDnsNameOptions": {modifyPrivateDNSNameOptions, modifying, modifyPrivateDNSNameParameters},
			"ModifyVolume":                {modifyVolume, modifying, "Iops Size Throughput VolumeId VolumeType"},
			"MonitorInstances":            {setMonitoring(true, "pending"), modifying, stateParameters},
			"RebootInstances":             {rebootInstances, modifying, stateParameters},
			"ReplaceIamInstanceProfileAssociation": {
				replaceIAMInstanceProfileAssociation, modifying, "AssociationId IamInstanceProfile",
			},
			"RunInstances":       {runInstances, runLimits, runInstancesParameters},
			"StartInstances":     {startInstances, startLimits, stateParameters},
			"StopInstances":      {stopInstances, stopLimits, stateParameters + " Force Hibernate SkipOsShutdown"},
			"TerminateInstances": {terminateInstances, terminateLimits, stateParameters + " Force SkipOsShutdown"},
			"UnmonitorInstances": {setMonitoring(false, "disabling"), modifying, stateParameters},
		},
	},
	serviceSTS: {
		protocol: wire.AWSQuery{Namespace: "https://sts.amazonaws.com/doc/2011-06-15/"},
		parse:    parseQuery,
		unknown:  codeInvalidAction,
		actions: map[string]action{
			"AssumeRole":        {assumeRole, unlimited, "RoleArn RoleSessionName DurationSeconds ExternalId"},
			"GetCallerIdentity": {getCallerIdentity, unlimited, ""},
		},
	},
	serviceSSM: {
		protocol: wire.AWSJSON{},
		parse:    parseTarget,
		unknown:  codeUnknownOperation,
		actions: map[string]action{
			"GetParameter":  {getParameter, unlimited, "Name WithDecryption"},
			"GetParameters": {getParameters, unlimited, "Names WithDecryption"},
		},
	},
}

// checkParameters refuses what the action does not model.
func (a action) checkParameters(params wire.Params) error {
	return checkRoots(params, a.parameters)
}

func checkRoots(params wire.Params, parameters string) error {
	known := strings.Fields(parameters)
	for _, name := range params.Roots() {
		switch {
		case name == "DryRun" || slices.Contains(known, name):
		default:
			return fail(codeUnknownParameter, "The parameter %s is not recognized (or not modelled by ec2sim)", name)
		}
	}
	return nil
}
