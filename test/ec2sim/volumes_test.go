// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const (
	rootDevice = "/dev/xvda"
	dataDevice = "/dev/sdf"
)

// mapped adds a block device mapping to a launch.
func mapped(device string, ebs ec2types.EbsBlockDevice) launchChange {
	return func(in *ec2.RunInstancesInput) {
		in.BlockDeviceMappings = append(in.BlockDeviceMappings, ec2types.BlockDeviceMapping{DeviceName: &device, Ebs: &ebs})
	}
}

// volume is the volume at a device of an instance.
func (r *rig) volume(instance, device string) ec2types.Volume {
	r.Helper()
	found := r.volumes(filter("attachment.instance-id", instance), filter("attachment.device", device))
	if len(found) != 1 {
		r.Fatalf("%d volumes at %s of %s", len(found), device, instance)
	}
	return found[0]
}

func (r *rig) volumes(filters ...ec2types.Filter) []ec2types.Volume {
	r.Helper()
	out, err := r.ec2.DescribeVolumes(r.Context(), &ec2.DescribeVolumesInput{Filters: filters})
	r.must(err)
	return out.Volumes
}

func (r *rig) modifyVolume(id string, adjust func(*ec2.ModifyVolumeInput)) (ec2types.VolumeModification, error) {
	in := &ec2.ModifyVolumeInput{VolumeId: &id}
	adjust(in)
	out, err := r.ec2.ModifyVolume(r.Context(), in)
	if err != nil {
		return ec2types.VolumeModification{}, err
	}
	return *out.VolumeModification, nil
}

func sized(gib int32) func(*ec2.ModifyVolumeInput) {
	return func(in *ec2.ModifyVolumeInput) { in.Size = &gib }
}

func TestVolumesOfALaunch(t *testing.T) {
	type volume struct {
		Size, IOPS, Throughput int32
		Type                   string
		Encrypted, Deleted     bool
		Snapshot, Key          string
	}
	root := volume{Size: 8, IOPS: 3000, Throughput: 125, Type: "gp3", Deleted: true, Snapshot: "snap-0123456789abcdef0"}
	with := func(change func(*volume)) volume {
		v := root
		change(&v)
		return v
	}
	const key = "arn:aws:kms:us-east-1:123456789012:key/k"
	for name, test := range map[string]struct {
		device string
		launch launchChange
		want   volume
	}{
		"root of the image":    {rootDevice, func(*ec2.RunInstancesInput) {}, root},
		"greater root":         {rootDevice, mapped(rootDevice, ec2types.EbsBlockDevice{VolumeSize: aws.Int32(30)}), with(func(v *volume) { v.Size = 30 })},
		"root that stays":      {rootDevice, mapped(rootDevice, ec2types.EbsBlockDevice{DeleteOnTermination: aws.Bool(false)}), with(func(v *volume) { v.Deleted = false })},
		"encrypted root":       {rootDevice, mapped(rootDevice, ec2types.EbsBlockDevice{Encrypted: aws.Bool(true), KmsKeyId: aws.String("k")}), with(func(v *volume) { v.Encrypted, v.Key = true, key })},
		"fast root":            {rootDevice, mapped(rootDevice, ec2types.EbsBlockDevice{Iops: aws.Int32(4000), Throughput: aws.Int32(250)}), with(func(v *volume) { v.IOPS, v.Throughput = 4000, 250 })},
		"root of another type": {rootDevice, mapped(rootDevice, ec2types.EbsBlockDevice{VolumeType: "gp2"}), with(func(v *volume) { v.Type, v.IOPS, v.Throughput = "gp2", 100, 0 })},
		"data by default":      {dataDevice, mapped(dataDevice, ec2types.EbsBlockDevice{VolumeSize: aws.Int32(100)}), volume{Size: 100, IOPS: 300, Type: "gp2", Deleted: true}},
		"data of a snapshot": {
			dataDevice, mapped(dataDevice, ec2types.EbsBlockDevice{SnapshotId: aws.String(ec2sim.SnapshotEncrypted), VolumeType: "gp3", KmsKeyId: nil}),
			volume{
				Size: ec2sim.SnapshotGiB, IOPS: 3000, Throughput: 125, Type: "gp3", Deleted: true, Encrypted: true, Snapshot: ec2sim.SnapshotEncrypted,
				Key: "arn:aws:kms:us-east-1:123456789012:key/0eb50eb5-0123-4567-89ab-0123456789ab",
			},
		},
		"data with IOPS": {
			dataDevice, mapped(dataDevice, ec2types.EbsBlockDevice{VolumeSize: aws.Int32(100), VolumeType: "io2", Iops: aws.Int32(500)}),
			volume{Size: 100, IOPS: 500, Type: "io2", Deleted: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			v := r.volume(r.mustRun(test.launch), test.device)
			got := volume{
				*v.Size, aws.ToInt32(v.Iops), aws.ToInt32(v.Throughput), string(v.VolumeType), *v.Encrypted,
				*v.Attachments[0].DeleteOnTermination, *v.SnapshotId, aws.ToString(v.KmsKeyId),
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if v.State != "in-use" || *v.AvailabilityZone != "us-east-1a" || !v.CreateTime.Equal(epoch) {
				t.Errorf("%s in %s since %v", v.State, *v.AvailabilityZone, v.CreateTime)
			}
		})
	}
}

func TestWrongVolumesAreRefused(t *testing.T) {
	none := func(device string) launchChange {
		return func(in *ec2.RunInstancesInput) {
			in.BlockDeviceMappings = []ec2types.BlockDeviceMapping{{DeviceName: &device, NoDevice: aws.String("")}}
		}
	}
	data := func(change func(*ec2types.EbsBlockDevice)) launchChange {
		ebs := ec2types.EbsBlockDevice{VolumeSize: aws.Int32(100)}
		change(&ebs)
		return mapped(dataDevice, ebs)
	}
	plain := data(func(*ec2types.EbsBlockDevice) {})
	for name, test := range map[string]struct {
		launch        launchChange
		code, message string
	}{
		"root smaller than the image": {mapped(rootDevice, ec2types.EbsBlockDevice{VolumeSize: aws.Int32(7)}), "InvalidBlockDeviceMapping", "expect size >= 8GB"},
		"smaller than the snapshot": {
			mapped(dataDevice, ec2types.EbsBlockDevice{SnapshotId: aws.String(ec2sim.SnapshotData), VolumeSize: aws.Int32(19)}),
			"InvalidBlockDeviceMapping", "expect size >= 20GB",
		},
		"no root":                   {none(rootDevice), "InvalidBlockDeviceMapping", "root device"},
		"one device twice":          {func(in *ec2.RunInstancesInput) { plain(in); plain(in) }, "InvalidBlockDeviceMapping", "more than one"},
		"neither size nor snapshot": {mapped(dataDevice, ec2types.EbsBlockDevice{VolumeType: "gp3"}), "MissingParameter", "size"},
		"unknown snapshot":          {data(func(e *ec2types.EbsBlockDevice) { e.SnapshotId = aws.String("snap-0bad0bad0bad0bad0") }), "InvalidSnapshot.NotFound", "snap-0bad0bad0bad0bad0"},
		"key without encryption":    {data(func(e *ec2types.EbsBlockDevice) { e.KmsKeyId = aws.String("k") }), "InvalidParameterDependency", "Encrypted"},
		"unknown type":              {data(func(e *ec2types.EbsBlockDevice) { e.VolumeType = "gp9" }), "InvalidParameterValue", "gp9"},
		"IOPS of gp2":               {data(func(e *ec2types.EbsBlockDevice) { e.Iops = aws.Int32(3000) }), "InvalidParameterCombination", "iops is not supported for gp2"},
		"throughput of io1": {data(func(e *ec2types.EbsBlockDevice) {
			e.VolumeType, e.Iops, e.Throughput = "io1", aws.Int32(100), aws.Int32(125)
		}), "InvalidParameterCombination", "throughput is not supported for io1"},
		"io1 without IOPS":      {data(func(e *ec2types.EbsBlockDevice) { e.VolumeType = "io1" }), "MissingParameter", "io1"},
		"too few IOPS":          {data(func(e *ec2types.EbsBlockDevice) { e.VolumeType, e.Iops = "gp3", aws.Int32(100) }), "InvalidParameterValue", "too low"},
		"too much throughput":   {data(func(e *ec2types.EbsBlockDevice) { e.VolumeType, e.Throughput = "gp3", aws.Int32(3000) }), "InvalidParameterValue", "too high"},
		"too much for its size": {data(func(e *ec2types.EbsBlockDevice) { e.VolumeType, e.Iops = "io1", aws.Int32(5001) }), "InvalidParameterCombination", "ratio"},
		"small disk":            {data(func(e *ec2types.EbsBlockDevice) { e.VolumeType = "st1" }), "InvalidParameterValue", "too low"},
		"initialization rate":   {data(func(e *ec2types.EbsBlockDevice) { e.VolumeInitializationRate = aws.Int32(100) }), "UnsupportedOperation", "VolumeInitializationRate"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.run(test.launch)
			wantError(t, err, test.code, badRequest, test.message)
			if live := r.sim.Live(); len(live) > 0 {
				t.Errorf("launched although refused: %v", live)
			}
		})
	}
	r := newRig(t)
	if id := r.mustRun(none(dataDevice)); len(r.get(id).BlockDeviceMappings) != 1 {
		t.Error("NoDevice of what the image does not map changes something")
	}
}

// TestVolumesDieWithTheirInstance, as far as they are to be deleted with it.
func TestVolumesDieWithTheirInstance(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(
		mapped(dataDevice, ec2types.EbsBlockDevice{VolumeSize: aws.Int32(1), DeleteOnTermination: aws.Bool(false)}),
		mapped("/dev/sdg", ec2types.EbsBlockDevice{VolumeSize: aws.Int32(1)}),
		tagged(ec2types.ResourceTypeVolume, "k", "v"),
	)
	root, data, other := *r.volume(id, rootDevice).VolumeId, *r.volume(id, dataDevice).VolumeId, *r.volume(id, "/dev/sdg").VolumeId
	r.must(r.modify(id, func(in *ec2.ModifyInstanceAttributeInput) {
		in.BlockDeviceMappings = []ec2types.InstanceBlockDeviceMappingSpecification{{
			DeviceName: aws.String("/dev/sdg"), Ebs: &ec2types.EbsInstanceBlockDeviceSpecification{DeleteOnTermination: aws.Bool(false), VolumeId: &other},
		}}
	}))
	for _, d := range r.attribute(id, ec2types.InstanceAttributeNameBlockDeviceMapping).BlockDeviceMappings {
		if want := *d.DeviceName == rootDevice; *d.Ebs.DeleteOnTermination != want {
			t.Errorf("%s is deleted on termination: %v", *d.DeviceName, !want)
		}
	}
	r.must(r.terminate(id))
	r.clock.Step(shuttingDelay - 1)
	if left := r.volumes(); len(left) != 3 {
		t.Errorf("%d volumes while the instance shuts down", len(left))
	}
	r.clock.Step(time.Hour)
	var left []string
	for _, v := range r.volumes() {
		left = append(left, *v.VolumeId)
		if v.State != "available" || len(v.Attachments) != 0 || tagMap(v.Tags)["k"] != "v" {
			t.Errorf("%s is %s, attached %v, with tags %v", *v.VolumeId, v.State, v.Attachments, v.Tags)
		}
	}
	if diff := cmp.Diff(sorted([]string{data, other}), sorted(left)); diff != "" {
		t.Error(diff)
	}
	_, err := r.ec2.DescribeVolumes(t.Context(), &ec2.DescribeVolumesInput{VolumeIds: []string{data, root}})
	wantError(t, err, "InvalidVolume.NotFound", badRequest, root)
	_, err = r.ec2.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{root}, Tags: tags("k", "w")})
	wantError(t, err, "InvalidVolume.NotFound", badRequest, root)
	_, err = r.ec2.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{data}, Tags: tags("k", "w")})
	r.must(err)
	if found := r.volumes(filter("tag:k", "w")); len(found) != 1 || *found[0].VolumeId != data {
		t.Errorf("by tag are found %v", found)
	}
	_, err = r.ec2.DescribeVolumes(t.Context(), &ec2.DescribeVolumesInput{VolumeIds: []string{"i-x"}})
	wantError(t, err, "InvalidVolumeID.Malformed", badRequest, "i-x")
}

func TestVolumesAreFiltered(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(mapped(rootDevice, ec2types.EbsBlockDevice{DeleteOnTermination: aws.Bool(false)}), tagged(ec2types.ResourceTypeVolume, "k", "v"))
	other := r.mustRun(inSubnet(ec2sim.SubnetB), mapped(rootDevice, ec2types.EbsBlockDevice{VolumeSize: aws.Int32(30), VolumeType: "gp2", Encrypted: aws.Bool(true)}))
	first, second := *r.volume(id, rootDevice).VolumeId, *r.volume(other, rootDevice).VolumeId
	for name, test := range map[string]struct{ value, want string }{
		"attachment.delete-on-termination": {"false", first},
		"attachment.instance-id":           {other, second},
		"availability-zone":                {"us-east-1b", second},
		"encrypted":                        {"true", second},
		"size":                             {"30", second},
		"tag:k":                            {"v", first},
		"tag-key":                          {"k", first},
		"volume-id":                        {first, first},
		"volume-type":                      {"gp3", first},
	} {
		if found := r.volumes(filter(name, test.value)); len(found) != 1 || *found[0].VolumeId != test.want {
			t.Errorf("%s=%s finds %d volumes", name, test.value, len(found))
		}
	}
	for name, value := range map[string]string{
		"attachment.device": rootDevice, "attachment.status": "attached", "snapshot-id": "snap-0123456789abcdef0", "status": "in-use",
	} {
		if found := r.volumes(filter(name, value)); len(found) != 2 {
			t.Errorf("%s=%s finds %d volumes", name, value, len(found))
		}
	}
}

func TestVolumesArePaged(t *testing.T) {
	r := newRig(t)
	if _, err := r.run(counted(7, 7)); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	pages := ec2.NewDescribeVolumesPaginator(r.ec2, &ec2.DescribeVolumesInput{MaxResults: aws.Int32(5)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		r.must(err)
		for _, v := range page.Volumes {
			seen[*v.VolumeId] = true
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d volumes on all pages", len(seen))
	}
	_, err := r.ec2.DescribeVolumes(t.Context(), &ec2.DescribeVolumesInput{MaxResults: aws.Int32(5), VolumeIds: []string{"vol-0123456789abcdef0"}})
	wantError(t, err, "InvalidParameterCombination", badRequest, "maxResults")
}

func TestVolumesLagBehindLaunches(t *testing.T) {
	const lag = 3 * time.Second
	r := newRig(t, func(s *ec2sim.Settings) { s.DescribeListLag, s.ActByIDLag = lag, lag })
	out, err := r.run()
	r.must(err)
	id := *out.Instances[0].BlockDeviceMappings[0].Ebs.VolumeId
	if shown := r.volumes(); len(shown) != 0 {
		t.Errorf("%d are shown at once", len(shown))
	}
	_, err = r.modifyVolume(id, sized(9))
	wantError(t, err, "InvalidVolume.NotFound", badRequest, id)
	r.clock.Step(lag)
	if shown := r.volumes(); len(shown) != 1 {
		t.Errorf("%d are shown later", len(shown))
	}
	_, err = r.modifyVolume(id, sized(9))
	r.must(err)
}

// TestVolumeModification goes through its states.
func TestVolumeModification(t *testing.T) {
	const modifying, optimizing = 10 * time.Second, 30 * time.Second
	r := newRig(t, func(s *ec2sim.Settings) { s.VolumeModifyingDelay, s.VolumeOptimizingDelay = modifying, optimizing })
	instance := r.runningInstance()
	id := *r.volume(instance, rootDevice).VolumeId
	latest := func() ec2types.VolumeModification {
		t.Helper()
		out, err := r.ec2.DescribeVolumesModifications(t.Context(), &ec2.DescribeVolumesModificationsInput{VolumeIds: []string{id}})
		r.must(err)
		return out.VolumesModifications[0]
	}
	begun, err := r.modifyVolume(id, func(in *ec2.ModifyVolumeInput) { in.Size, in.VolumeType = aws.Int32(100), "gp2" })
	r.must(err)
	if begun.ModificationState != "modifying" || *begun.OriginalSize != 8 || *begun.TargetSize != 100 || begun.TargetVolumeType != "gp2" || *begun.TargetIops != 300 {
		t.Errorf("the answer is %+v", begun)
	}
	for _, step := range []struct {
		wait     time.Duration
		state    string
		progress int64
		size     int32
		typ      string
	}{
		{0, "modifying", 0, 8, "gp3"},
		{modifying - 1, "modifying", 24, 8, "gp3"},
		{1, "optimizing", 25, 100, "gp2"},
		{optimizing - 1, "optimizing", 99, 100, "gp2"},
		{1, "completed", 100, 100, "gp2"},
	} {
		r.clock.Step(step.wait)
		m, v := latest(), r.volume(instance, rootDevice)
		if string(m.ModificationState) != step.state || *m.Progress != step.progress || (m.EndTime != nil) != (step.state == "completed") {
			t.Errorf("%s: the modification is %s, %d%%, ended %v", step.state, m.ModificationState, *m.Progress, m.EndTime)
		}
		if *v.Size != step.size || string(v.VolumeType) != step.typ {
			t.Errorf("%s: the volume has %d GiB of %s", step.state, *v.Size, v.VolumeType)
		}
		if step.state != "completed" {
			_, err := r.modifyVolume(id, sized(200))
			wantError(t, err, "IncorrectModificationState", badRequest, step.state)
		}
	}
	out, err := r.ec2.DescribeVolumesModifications(t.Context(), &ec2.DescribeVolumesModificationsInput{
		Filters: []ec2types.Filter{filter("modification-state", "modifying", "optimizing")},
	})
	if err != nil || len(out.VolumesModifications) != 0 {
		t.Errorf("under way are %v (%v)", out.VolumesModifications, err)
	}
}

func TestVolumesAreModifiedFourTimesADay(t *testing.T) {
	r := newRig(t)
	id := *r.volume(r.runningInstance(), rootDevice).VolumeId
	for size := range int32(4) {
		_, err := r.modifyVolume(id, sized(10+size))
		r.must(err)
		r.clock.Step(time.Hour)
	}
	_, err := r.modifyVolume(id, sized(20))
	wantError(t, err, "VolumeModificationRateExceeded", badRequest, id)
	r.clock.Step(20 * time.Hour)
	_, err = r.modifyVolume(id, sized(20))
	r.must(err)
}

func TestWrongVolumeModificationsAreRefused(t *testing.T) {
	r := newRig(t)
	instance := r.runningInstance()
	id := *r.volume(instance, rootDevice).VolumeId
	for name, test := range map[string]struct {
		id            string
		change        func(*ec2.ModifyVolumeInput)
		code, message string
	}{
		"nothing":        {id, func(*ec2.ModifyVolumeInput) {}, "MissingParameter", "Size"},
		"smaller":        {id, sized(7), "InvalidParameterValue", "smaller"},
		"unknown volume": {"vol-0bad0bad0bad0bad0", sized(9), "InvalidVolume.NotFound", "vol-0bad0bad0bad0bad0"},
		"too many IOPS":  {id, func(in *ec2.ModifyVolumeInput) { in.Iops = aws.Int32(4001) }, "InvalidParameterCombination", "ratio"},
		"multi-attach":   {id, func(in *ec2.ModifyVolumeInput) { in.MultiAttachEnabled = aws.Bool(true) }, "UnknownParameter", "MultiAttachEnabled"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.modifyVolume(test.id, test.change)
			wantError(t, err, test.code, badRequest, test.message)
		})
	}
	_, err := r.ec2.DescribeVolumesModifications(t.Context(), &ec2.DescribeVolumesModificationsInput{VolumeIds: []string{id}})
	wantError(t, err, "InvalidVolumeModification.NotFound", badRequest, id)
	for device, code := range map[string]string{"/dev/sdz": "InvalidInstanceAttributeValue", rootDevice: "InvalidInstanceAttributeValue"} {
		wantError(t, r.modify(instance, func(in *ec2.ModifyInstanceAttributeInput) {
			in.BlockDeviceMappings = []ec2types.InstanceBlockDeviceMappingSpecification{{
				DeviceName: &device, Ebs: &ec2types.EbsInstanceBlockDeviceSpecification{DeleteOnTermination: aws.Bool(true), VolumeId: aws.String("vol-0bad0bad0bad0bad0")},
			}}
		}), code, badRequest, device)
	}
}
