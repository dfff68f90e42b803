// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// byTemplate launches with nothing but a template and a place.
func byTemplate(spec ec2types.LaunchTemplateSpecification) launchChange {
	return func(in *ec2.RunInstancesInput) {
		in.LaunchTemplate, in.ImageId, in.InstanceType = &spec, nil, ""
	}
}

func TestLaunchTemplatesGiveWhatTheRequestDoesNot(t *testing.T) {
	named := byTemplate(ec2types.LaunchTemplateSpecification{LaunchTemplateName: aws.String(ec2sim.TemplateName)})
	type got struct {
		Image, Type, Group, Key, Tokens string
		Hops                            int32
		Tags                            map[string]string
	}
	first := got{
		ec2sim.ImageAL2023, "t3.small", ec2sim.SecurityGroupWeb, "", "required", 3,
		map[string]string{"template": "first", "aws:ec2launchtemplate:id": ec2sim.TemplateID, "aws:ec2launchtemplate:version": "1"},
	}
	second := got{
		ec2sim.ImageAL2023Next, "m5.large", ec2sim.SecurityGroupDefault, ec2sim.KeyPairName, "required", 2,
		map[string]string{"aws:ec2launchtemplate:id": ec2sim.TemplateID, "aws:ec2launchtemplate:version": "2"},
	}
	with := func(base got, change func(*got)) got {
		change(&base)
		return base
	}
	for name, test := range map[string]struct {
		launch launchChange
		want   got
	}{
		"default version": {named, first},
		"by id, latest": {
			byTemplate(ec2types.LaunchTemplateSpecification{LaunchTemplateId: aws.String(ec2sim.TemplateID), Version: aws.String("$Latest")}), second,
		},
		"by number": {
			byTemplate(ec2types.LaunchTemplateSpecification{LaunchTemplateId: aws.String(ec2sim.TemplateID), Version: aws.String("2")}), second,
		},
		"the request wins": {all(named, ofType("m5.xlarge"), func(in *ec2.RunInstancesInput) {
			in.SecurityGroupIds = []string{ec2sim.SecurityGroupDefault}
			in.MetadataOptions = &ec2types.InstanceMetadataOptionsRequest{HttpTokens: "optional"}
		}, tagged(ec2types.ResourceTypeInstance, "mine", "1")), with(first, func(g *got) {
			g.Type, g.Group, g.Tokens = "m5.xlarge", ec2sim.SecurityGroupDefault, "optional"
			g.Tags = map[string]string{"mine": "1", "aws:ec2launchtemplate:id": ec2sim.TemplateID, "aws:ec2launchtemplate:version": "1"}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			i := r.get(r.mustRun(test.launch))
			if diff := cmp.Diff(test.want, got{
				*i.ImageId, string(i.InstanceType), *i.SecurityGroups[0].GroupId, aws.ToString(i.KeyName),
				string(i.MetadataOptions.HttpTokens), *i.MetadataOptions.HttpPutResponseHopLimit, tagMap(i.Tags),
			}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTagsOfAWSStay when all tags are deleted.
func TestTagsOfAWSStay(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(byTemplate(ec2types.LaunchTemplateSpecification{LaunchTemplateName: aws.String(ec2sim.TemplateName)}))
	_, err := r.ec2.DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{id}})
	r.must(err)
	want := map[string]string{"aws:ec2launchtemplate:id": ec2sim.TemplateID, "aws:ec2launchtemplate:version": "1"}
	if diff := cmp.Diff(want, tagMap(r.get(id).Tags)); diff != "" {
		t.Error(diff)
	}
	_, err = r.ec2.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{id}, Tags: tags(manyTags(50)...)})
	r.must(err) // those of AWS do not count
}

func TestWrongLaunchTemplatesAreRefused(t *testing.T) {
	id, name := aws.String(ec2sim.TemplateID), aws.String(ec2sim.TemplateName)
	for test, tc := range map[string]struct {
		spec          ec2types.LaunchTemplateSpecification
		code, message string
	}{
		"unknown id":      {ec2types.LaunchTemplateSpecification{LaunchTemplateId: aws.String("lt-0bad0bad0bad0bad0")}, "InvalidLaunchTemplateId.NotFound", "lt-0bad0bad0bad0bad0"},
		"malformed id":    {ec2types.LaunchTemplateSpecification{LaunchTemplateId: aws.String("x")}, "InvalidLaunchTemplateId.Malformed", "x"},
		"unknown name":    {ec2types.LaunchTemplateSpecification{LaunchTemplateName: aws.String("x")}, "InvalidLaunchTemplateName.NotFoundException", "x"},
		"unknown version": {ec2types.LaunchTemplateSpecification{LaunchTemplateId: id, Version: aws.String("3")}, "InvalidLaunchTemplateId.VersionNotFound", "3"},
		"no version":      {ec2types.LaunchTemplateSpecification{LaunchTemplateId: id, Version: aws.String("x")}, "InvalidLaunchTemplateId.VersionNotFound", "x"},
		"id and name":     {ec2types.LaunchTemplateSpecification{LaunchTemplateId: id, LaunchTemplateName: name}, "InvalidParameterCombination", "not both"},
		"neither":         {ec2types.LaunchTemplateSpecification{Version: aws.String("1")}, "MissingParameter", "LaunchTemplateId"},
	} {
		t.Run(test, func(t *testing.T) {
			r := newRig(t)
			_, err := r.run(byTemplate(tc.spec))
			wantError(t, err, tc.code, badRequest, tc.message)
		})
	}
	r := newRig(t)
	r.sim.EditWorld(ec2sim.DefaultAccount, "us-east-1", func(w *ec2sim.World) {
		w.LaunchTemplates[0].Versions[0].Data = map[string]string{"ImageId": ec2sim.ImageAL2023, "KernelId": "aki-1"}
	})
	_, err := r.run(byTemplate(ec2types.LaunchTemplateSpecification{LaunchTemplateId: id}))
	wantError(t, err, "UnknownParameter", badRequest, "KernelId")
}

func (r *rig) templateVersions(in ec2.DescribeLaunchTemplateVersionsInput) []ec2types.LaunchTemplateVersion {
	r.Helper()
	out, err := r.ec2.DescribeLaunchTemplateVersions(r.Context(), &in)
	r.must(err)
	return out.LaunchTemplateVersions
}

func TestTemplateVersionsAreDescribed(t *testing.T) {
	r := newRig(t)
	name := aws.String(ec2sim.TemplateName)
	for test, tc := range map[string]struct {
		in   ec2.DescribeLaunchTemplateVersionsInput
		want []int64
	}{
		"all":              {ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateName: name}, []int64{1, 2}},
		"from":             {ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateName: name, MinVersion: aws.String("2")}, []int64{2}},
		"default":          {ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateId: aws.String(ec2sim.TemplateID), Versions: []string{"$Default"}}, []int64{1}},
		"latest and 2":     {ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateName: name, Versions: []string{"$Latest", "2"}}, []int64{2}},
		"of all templates": {ec2.DescribeLaunchTemplateVersionsInput{Versions: []string{"$Latest"}}, []int64{2}},
		"by filter":        {ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateName: name, Filters: []ec2types.Filter{filter("is-default-version", "true")}}, []int64{1}},
	} {
		t.Run(test, func(t *testing.T) {
			var got []int64
			for _, v := range r.templateVersions(tc.in) {
				got = append(got, *v.VersionNumber)
				if *v.LaunchTemplateId != ec2sim.TemplateID || *v.LaunchTemplateName != ec2sim.TemplateName || *v.DefaultVersion != (*v.VersionNumber == 1) {
					t.Errorf("version %d is of %s, default %v", *v.VersionNumber, *v.LaunchTemplateName, *v.DefaultVersion)
				}
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.SortSlices(func(a, b int64) bool { return a < b })); diff != "" {
				t.Error(diff)
			}
		})
	}
	_, err := r.ec2.DescribeLaunchTemplateVersions(t.Context(), &ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateName: name, Versions: []string{"9"}})
	wantError(t, err, "InvalidLaunchTemplateId.VersionNotFound", badRequest, "9")
	_, err = r.ec2.DescribeLaunchTemplateVersions(t.Context(), &ec2.DescribeLaunchTemplateVersionsInput{Versions: []string{"1"}})
	wantError(t, err, "InvalidParameterValue", badRequest, "$Latest")
}

// The template's own text of an image stays as it is unless the call asks for the image's id.
func TestTemplateImagesAreResolved(t *testing.T) {
	r := newRig(t)
	alias := "resolve:ssm:" + ec2sim.ParameterAL2023
	r.sim.EditWorld(ec2sim.DefaultAccount, "us-east-1", func(w *ec2sim.World) {
		w.LaunchTemplates[0].Versions[0].Data = map[string]string{"ImageId": alias}
	})
	for _, tc := range []struct {
		resolve *bool
		want    string
	}{{aws.Bool(true), ec2sim.ImageAL2023}, {aws.Bool(false), alias}, {nil, alias}} {
		versions := r.templateVersions(ec2.DescribeLaunchTemplateVersionsInput{
			LaunchTemplateId: aws.String(ec2sim.TemplateID), Versions: []string{"1"}, ResolveAlias: tc.resolve,
		})
		if got := aws.ToString(versions[0].LaunchTemplateData.ImageId); got != tc.want {
			t.Errorf("the image is %s instead of %s", got, tc.want)
		}
	}
}

// TestTemplateDataIsDescribed, of every shape that parameters have.
func TestTemplateDataIsDescribed(t *testing.T) {
	r := newRig(t)
	r.sim.EditWorld(ec2sim.DefaultAccount, "us-east-1", func(w *ec2sim.World) {
		w.LaunchTemplates[0].Versions[0].Data = map[string]string{
			"ImageId": ec2sim.ImageAL2023, "EbsOptimized": "true", "SecurityGroupId.1": "sg-1", "SecurityGroupId.2": "sg-2",
			"BlockDeviceMapping.1.DeviceName": "/dev/sdf", "BlockDeviceMapping.1.Ebs.VolumeSize": "9", "BlockDeviceMapping.1.Ebs.Encrypted": "true",
			"NetworkInterface.1.DeviceIndex": "0", "NetworkInterface.1.SecurityGroupId.1": "sg-3", "CpuOptions.CoreCount": "1",
			"TagSpecification.1.ResourceType": "volume", "TagSpecification.1.Tag.1.Key": "k", "TagSpecification.1.Tag.1.Value": "v",
			"LicenseSpecification.1.LicenseConfigurationArn": "arn:l", "IamInstanceProfile.Name": ec2sim.InstanceProfileName,
		}
	})
	d := r.templateVersions(ec2.DescribeLaunchTemplateVersionsInput{
		LaunchTemplateId: aws.String(ec2sim.TemplateID), Versions: []string{"1"},
	})[0].LaunchTemplateData
	want := ec2types.ResponseLaunchTemplateData{
		ImageId: aws.String(ec2sim.ImageAL2023), EbsOptimized: aws.Bool(true), SecurityGroupIds: []string{"sg-1", "sg-2"},
		BlockDeviceMappings: []ec2types.LaunchTemplateBlockDeviceMapping{{
			DeviceName: aws.String("/dev/sdf"), Ebs: &ec2types.LaunchTemplateEbsBlockDevice{VolumeSize: aws.Int32(9), Encrypted: aws.Bool(true)},
		}},
		NetworkInterfaces:     []ec2types.LaunchTemplateInstanceNetworkInterfaceSpecification{{DeviceIndex: aws.Int32(0), Groups: []string{"sg-3"}}},
		CpuOptions:            &ec2types.LaunchTemplateCpuOptions{CoreCount: aws.Int32(1)},
		TagSpecifications:     []ec2types.LaunchTemplateTagSpecification{{ResourceType: "volume", Tags: tags("k", "v")}},
		LicenseSpecifications: []ec2types.LaunchTemplateLicenseConfiguration{{LicenseConfigurationArn: aws.String("arn:l")}},
		IamInstanceProfile:    &ec2types.LaunchTemplateIamInstanceProfileSpecification{Name: aws.String(ec2sim.InstanceProfileName)},
	}
	if diff := cmp.Diff(want, *d, cmpopts.IgnoreUnexported(
		ec2types.ResponseLaunchTemplateData{}, ec2types.LaunchTemplateBlockDeviceMapping{}, ec2types.LaunchTemplateEbsBlockDevice{},
		ec2types.LaunchTemplateInstanceNetworkInterfaceSpecification{}, ec2types.LaunchTemplateCpuOptions{}, ec2types.LaunchTemplateTagSpecification{},
		ec2types.LaunchTemplateLicenseConfiguration{}, ec2types.LaunchTemplateIamInstanceProfileSpecification{}, ec2types.Tag{},
	)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
