// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The hash is kept on objects: a new version must compute the same one for a launch that is under way.
func TestHashNeverChanges(t *testing.T) {
	tests := map[string]struct {
		parameters LaunchParameters
		want       string
	}{
		"full":  {fullLaunch(), "a6e491d34cfbd4e2680a14d4bc9c39d35003c7a26a113d3c41d27a432bf74993"},
		"empty": {LaunchParameters{}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	}
	for name, test := range tests {
		if got := test.parameters.Hash(); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func launchParameters() *rapid.Generator[LaunchParameters] {
	return rapid.Custom(func(t *rapid.T) LaunchParameters {
		p := LaunchParameters{}
		draw(t, reflect.ValueOf(&p).Elem(), "launch")
		return p
	})
}

// draw fills v, whatever it is, with little of everything, so that equal values are not too rare.
func draw(t *rapid.T, v reflect.Value, name string) {
	word := rapid.StringMatching(`[a-z "\\\n]{0,4}`)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case reflect.String:
		v.SetString(word.Draw(t, name))
	case reflect.Int32:
		v.SetInt(int64(rapid.Int32Range(0, 64).Draw(t, name)))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, name)))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 3).Draw(t, name), 3))
		for i := range v.Len() {
			draw(t, v.Index(i), name+"[]")
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(rapid.MapOfN(word, word, 0, 4).Draw(t, name)))
	default:
		t.Fatalf("add %s here, for %s", v.Kind(), name)
	}
}

// canonicalForm is p without what the hash must not see.
func canonicalForm(p LaunchParameters) LaunchParameters {
	p.SecurityGroupIDs, p.LicenseARNs = sortedSet(p.SecurityGroupIDs), sortedSet(p.LicenseARNs)
	p.NetworkInterfaces = slices.Clone(p.NetworkInterfaces)
	for i := range p.NetworkInterfaces {
		p.NetworkInterfaces[i].SecurityGroupIDs = sortedSet(p.NetworkInterfaces[i].SecurityGroupIDs)
	}
	p.NetworkInterfaces, p.BlockDevices = inOneOrder(p.NetworkInterfaces), inOneOrder(p.BlockDevices)
	if p.UserDataIdentity != "" || len(p.UserData) == 0 {
		p.UserData = nil
	}
	if len(p.Tags) == 0 {
		p.Tags = nil
	}
	return p
}

func inOneOrder[E any](set []E) []E {
	return slices.SortedFunc(slices.Values(set), func(a, b E) int {
		return strings.Compare(fmt.Sprintf("%#v", a), fmt.Sprintf("%#v", b))
	})
}

func TestHashIsTheSameExactlyForTheSameLaunch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := launchParameters().Draw(t, "a"), launchParameters().Draw(t, "b")
		same := reflect.DeepEqual(canonicalForm(a), canonicalForm(b))
		if got := a.Hash() == b.Hash(); got != same {
			t.Fatalf("hashes equal: %v; launches equal: %v", got, same)
		}
	})
}

func TestHashIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := launchParameters().Draw(t, "p")
		shuffled := p
		shuffled.SecurityGroupIDs = rapid.Permutation(slices.Concat(p.SecurityGroupIDs, p.SecurityGroupIDs)).Draw(t, "order")
		shuffled.NetworkInterfaces = rapid.Permutation(p.NetworkInterfaces).Draw(t, "interfaces")
		shuffled.BlockDevices = rapid.Permutation(p.BlockDevices).Draw(t, "devices")
		shuffled.LicenseARNs = rapid.Permutation(p.LicenseARNs).Draw(t, "licenses")
		shuffled.Tags = maps.Clone(p.Tags)
		if p.Hash() != shuffled.Hash() {
			t.Fatal("another hash")
		}
	})
}

// Each field, also one that is added later, must make another hash.
func TestHashSeesEveryField(t *testing.T) {
	base := fullLaunch()
	base.UserDataIdentity, base.ProfileARN = "", ""
	seen := map[string]string{base.Hash(): "nothing"}
	changeEachField(reflect.ValueOf(&base).Elem(), func(field string) {
		hash := base.Hash()
		if other, ok := seen[hash]; ok {
			t.Errorf("%s makes the same hash as %s", field, other)
		}
		seen[hash] = field
	})
}

func TestHashHidesASecret(t *testing.T) {
	p := fullLaunch()
	p.UserDataIdentity = "secret/1234/567/userData"
	before := p.Hash()
	p.UserData = []byte("another secret")
	if p.Hash() != before {
		t.Error("the hash depends on the secret's bytes")
	}
	p.UserDataIdentity = "secret/1234/568/userData"
	if p.Hash() == before {
		t.Error("the hash does not depend on the secret's version")
	}
}

// changeEachField changes one field of v after the other, those of structs inside it and of one more element of each list, too,
// and calls f after each, with the field changed back after that.
func changeEachField(v reflect.Value, f func(field string)) {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		before := reflect.New(field.Type()).Elem()
		before.Set(field)
		switch field.Kind() {
		case reflect.Struct:
			if field.Type().PkgPath() != "time" {
				changeEachField(field, func(inner string) { f(name + "." + inner) })
				continue
			}
			field.Set(reflect.ValueOf(someTime))
		case reflect.String:
			field.SetString(field.String() + "x")
		case reflect.Int32:
			field.SetInt(field.Int() + 1)
		case reflect.Bool:
			field.SetBool(!field.Bool())
		case reflect.Slice:
			field.Set(reflect.Append(field, reflect.New(field.Type().Elem()).Elem()))
			last := field.Index(field.Len() - 1)
			switch last.Kind() {
			case reflect.String:
				last.SetString("x")
			case reflect.Uint8:
				last.SetUint('x')
			case reflect.Struct:
				changeEachField(last, func(inner string) { f(name + "[]." + inner) })
			default:
			}
		case reflect.Map:
			changed := reflect.MakeMap(field.Type())
			changed.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf("y"))
			field.Set(changed)
		default:
			panic("add " + field.Kind().String() + " here, for " + name)
		}
		f(name)
		field.Set(before)
	}
}

func TestChangeEachFieldReachesAll(t *testing.T) {
	p, fields := LaunchParameters{}, []string{}
	changeEachField(reflect.ValueOf(&p).Elem(), func(field string) { fields = append(fields, field) })
	want := "LaunchTemplateID LaunchTemplateName LaunchTemplateVersion ImageID InstanceType SubnetID SecurityGroupIDs " +
		"PrivateIPAddress IPv6AddressCount AssociatePublicIPAddress " +
		"NetworkInterfaces[].DeviceIndex NetworkInterfaces[].NetworkCardIndex NetworkInterfaces[].NetworkInterfaceID " +
		"NetworkInterfaces[].SubnetID NetworkInterfaces[].SecurityGroupIDs NetworkInterfaces[].PrivateIPAddress " +
		"NetworkInterfaces[].IPv6AddressCount NetworkInterfaces[].AssociatePublicIPAddress " +
		"NetworkInterfaces[].DeleteOnTermination NetworkInterfaces[].Description NetworkInterfaces " +
		"PrivateDNSNameOptions.HostnameType PrivateDNSNameOptions.ARecord PrivateDNSNameOptions.AAAARecord " +
		"Placement.AvailabilityZone Placement.Tenancy Placement.GroupName Placement.GroupID Placement.PartitionNumber " +
		"Placement.HostID Placement.HostResourceGroupARN Placement.Affinity " +
		"CapacityReservation.Preference CapacityReservation.ID CapacityReservation.ResourceGroupARN " +
		"MarketType SpotOptions.MaxPrice SpotOptions.RequestType SpotOptions.InterruptionBehavior " +
		"CPUOptions.CoreCount CPUOptions.ThreadsPerCore CPUOptions.AMDSEVSNP CPUOptions.NestedVirtualization CPUCredits " +
		"EBSOptimized Monitoring AutoRecovery Hibernation Enclave LicenseARNs " +
		"DisableAPITermination DisableAPIStop ShutdownBehavior " +
		"BlockDevices[].DeviceName BlockDevices[].SizeGiB BlockDevices[].Type BlockDevices[].IOPS BlockDevices[].ThroughputMiBps " +
		"BlockDevices[].Encrypted BlockDevices[].KMSKeyID BlockDevices[].SnapshotID BlockDevices[].DeleteOnTermination " +
		"BlockDevices[].NoDevice BlockDevices " +
		"KeyName ProfileName ProfileARN UserData UserDataIdentity Tags PropagateTags " +
		"MetadataOptions.HTTPTokens MetadataOptions.HTTPEndpoint MetadataOptions.HTTPPutResponseHopLimit " +
		"MetadataOptions.HTTPProtocolIPv6 MetadataOptions.InstanceMetadataTags"
	if got := strings.Join(fields, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
