// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

const (
	opTemplate = "DescribeLaunchTemplateVersions"
	// defaultVersion is EC2's alias for a launch template's default version.
	defaultVersion = "$Default"
)

// TemplateRef names a version of a launch template.
type TemplateRef struct {
	// ID is the template's id; it excludes Name.
	ID string
	// Name is the template's name.
	Name string
	// Version is a number, $Default or $Latest; "" is $Default.
	Version string
}

// Template is one version of a launch template.
type Template struct {
	// ID is the template's id.
	ID string
	// Version is a number.
	Version string
	// ImageID is the image's id, also where the template names an alias for it; "" when the template names none.
	ImageID string
	// InstanceType is EC2's; "" when the template names none.
	InstanceType string
}

// ResolveTemplate implements [Session].
func (s *session) ResolveTemplate(ctx context.Context, t TemplateRef) (Template, error) {
	if (t.ID == "") == (t.Name == "") {
		return Template{}, refuse(opTemplate, "either the id or the name of a launch template is needed")
	}
	version := t.Version
	if version == "" {
		version = defaultVersion
	}
	out, err := call(ctx, opTemplate, readTimeout, func(ctx context.Context) (*ec2.DescribeLaunchTemplateVersionsOutput, error) {
		return s.ec2.DescribeLaunchTemplateVersions(ctx, &ec2.DescribeLaunchTemplateVersionsInput{
			LaunchTemplateId:   optional(t.ID),
			LaunchTemplateName: optional(t.Name),
			Versions:           []string{version},
			ResolveAlias:       aws.Bool(true),
		})
	})
	if err != nil {
		return Template{}, err
	}
	if len(out.LaunchTemplateVersions) != 1 {
		return Template{}, lacking(opTemplate, "the answer does not hold exactly one version of the launch template")
	}
	return convertTemplate(out.LaunchTemplateVersions[0])
}

func convertTemplate(v ec2types.LaunchTemplateVersion) (Template, error) {
	if v.LaunchTemplateId == nil || v.VersionNumber == nil {
		return Template{}, lacking(opTemplate, "the answer does not name the launch template and its version")
	}
	converted := Template{ID: *v.LaunchTemplateId, Version: strconv.FormatInt(*v.VersionNumber, 10)}
	if data := v.LaunchTemplateData; data != nil {
		converted.ImageID, converted.InstanceType = aws.ToString(data.ImageId), string(data.InstanceType)
	}
	return converted, nil
}
