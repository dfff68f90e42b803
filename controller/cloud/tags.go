// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"maps"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// maxTagValue is EC2's limit for a tag's value, in Unicode characters.
// See https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions.
const maxTagValue = 256

// IdentityTags are the four tags that say whose an instance is. They are written by RunInstances itself, so no instance of
// ours is ever without them.
func IdentityTags(cluster string, owner Owner) map[string]string {
	return map[string]string{
		ec2v1.TagCluster:   cluster,
		ec2v1.TagUID:       string(owner.UID),
		ec2v1.TagNamespace: owner.Namespace,
		ec2v1.TagName:      owner.Name,
	}
}

// DesiredTags are all tags that the operator puts on the owner's instance: the identity tags, those of spec, and Name as
// "namespace/name" (cut to EC2's 256 characters) unless spec sets it or takes the instance over. A tag of spec never replaces an identity tag.
func DesiredTags(cluster string, owner Owner, spec *ec2v1.EC2InstanceSpec) map[string]string {
	tags := map[string]string{}
	if spec.Adopt == nil { // One that is taken over keeps the name that it has.
		tags[ec2v1.TagDisplayName] = displayName(owner)
	}
	for _, t := range spec.Tags {
		value := ""
		if t.Value != nil {
			value = *t.Value
		}
		tags[t.Key] = value
	}
	maps.Copy(tags, IdentityTags(cluster, owner))
	return tags
}

// displayName is ASCII, as the names of namespaces and objects are, so bytes are characters.
func displayName(owner Owner) string {
	name := owner.Namespace + "/" + owner.Name
	return name[:min(len(name), maxTagValue)]
}
