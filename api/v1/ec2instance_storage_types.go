// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

// BlockDevice is a volume of an instance. What is not set is taken from the image's device of the same name, and else
// EC2's to choose.
//
// +kubebuilder:validation:XValidation:rule="!has(self.noDevice) || !self.noDevice || ![has(self.sizeGiB), has(self.type), has(self.iops), has(self.throughputMiBps), has(self.encrypted), has(self.kmsKeyID), has(self.snapshotID), has(self.deleteOnTermination)].exists(x, x)",message="must set nothing but deviceName beside noDevice"
// +kubebuilder:validation:XValidation:rule="!has(self.iops) || (has(self.type) && self.type in ['gp3', 'io1', 'io2'])",message="must be gp3, io1 or io2 with iops",fieldPath=".type"
// +kubebuilder:validation:XValidation:rule="!has(self.type) || !(self.type in ['io1', 'io2']) || has(self.iops)",message="must be set with type io1 and io2",fieldPath=".iops"
// +kubebuilder:validation:XValidation:rule="!has(self.throughputMiBps) || (has(self.type) && self.type == 'gp3')",message="must be gp3 with throughputMiBps",fieldPath=".type"
// +kubebuilder:validation:XValidation:rule="!has(self.kmsKeyID) || (has(self.encrypted) && self.encrypted)",message="must be true with kmsKeyID",fieldPath=".encrypted"
type BlockDevice struct {
	// deviceName is the name that the volume is attached by, such as /dev/xvda. The image names its root device.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/dev/)?[a-z][a-z0-9]*$')",message="must be a device name such as /dev/sdf or xvdb"
	// +required
	DeviceName string `json:"deviceName,omitempty"`

	// sizeGiB is the volume's size in GiB, 1 to 65536; types differ in what they allow. By default it is the
	// snapshot's. It can grow at any time and cannot shrink; the file system on it is not grown.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="must not shrink, since EC2's volumes only grow: create another EC2Instance for a smaller one"
	// +optional
	SizeGiB int32 `json:"sizeGiB,omitempty"`

	// type of the volume: gp2, gp3, io1, io2, st1, sc1 or standard. By default it is the image's, else EC2's choice.
	// It can change at any time.
	// +kubebuilder:validation:Enum=gp2;gp3;io1;io2;st1;sc1;standard
	// +optional
	Type string `json:"type,omitempty"`

	// iops are the I/O operations per second, 100 to 256000; types differ in what they allow. It must be set for
	// types io1 and io2, and can be set for gp3, where EC2's default is 3000. It can change at any time.
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=256000
	// +optional
	IOPS int32 `json:"iops,omitempty"`

	// throughputMiBps is the throughput of type gp3 in MiB per second, 125 (EC2's default) to 2000. It can change at
	// any time.
	// +kubebuilder:validation:Minimum=125
	// +kubebuilder:validation:Maximum=2000
	// +optional
	ThroughputMiBps int32 `json:"throughputMiBps,omitempty"`

	// encrypted says whether the volume is encrypted. By default the snapshot and the account's settings decide. A
	// change needs a new instance.
	// +optional
	Encrypted *bool `json:"encrypted,omitempty"`

	// kmsKeyID is the KMS key of an encrypted volume: its id, alias or ARN. By default it is the account's key for
	// EBS. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9:/_-]+$')",message="must be a KMS key's id, alias or ARN: letters, digits and : / _ -"
	// +optional
	KMSKeyID string `json:"kmsKeyID,omitempty"`

	// snapshotID is the snapshot that the volume is made from. By default it is the image's for the device; else the
	// volume is empty. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^snap-[0-9a-f]{8,17}$')",message="must be a snapshot id: snap- and 8 to 17 hexadecimal digits"
	// +optional
	SnapshotID string `json:"snapshotID,omitempty"`

	// deleteOnTermination says whether the volume goes with the instance. By default the image decides; else it
	// does. It can change at any time.
	// +optional
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`

	// noDevice leaves out the device of that name that the image has. It defaults to false, excludes all else but
	// deviceName, and a change needs a new instance.
	// +optional
	NoDevice *bool `json:"noDevice,omitempty"`
}
