// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// compared are the kinds that make an end state.
var compared = []schema.GroupKind{
	instanceKind.GroupKind(), {Kind: "Service"}, {Group: "discovery.k8s.io", Kind: "EndpointSlice"}, {Kind: "ConfigMap"},
}

// masks hide what chance and time decide: ids, addresses, names made of them, and times.
var masks = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uid>"},
	{regexp.MustCompile(`\b(i|eni|vol)-[0-9a-f]{8,17}\b`), "$1-<id>"},
	{regexp.MustCompile(`\b(ip|ec2)-\d+-\d+-\d+-\d+\b`), "$1-<address>"},
	{regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b`), "<address>"},
	{regexp.MustCompile(`\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b`), "<mac>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z| GMT| UTC)`), "<time>"},
}

// endState tells the objects and the instances that live, line by line, as far as chance and time have no part in it.
func (w *world) endState() ([]string, error) {
	var lines []string
	var uids []string
	for _, kind := range compared {
		for _, u := range w.api.Objects(kind) {
			if u.GetNamespace() != namespace {
				continue
			}
			if kind == instanceKind.GroupKind() {
				uids = append(uids, string(u.GetUID()))
			}
			text, err := w.told(u)
			if err != nil {
				return nil, err
			}
			lines = append(lines, text...)
		}
	}
	var instances []string
	for _, i := range w.ec2.Instances() {
		if i.Live() {
			instances = append(instances, toldInstance(i))
		}
	}
	lines = append(lines, instances...)
	for i := range lines {
		for _, uid := range uids {
			lines[i] = strings.ReplaceAll(lines[i], uid, "<uid of an object that is there>")
		}
		for _, m := range masks {
			lines[i] = m.pattern.ReplaceAllString(lines[i], m.instead)
		}
	}
	slices.Sort(lines[len(lines)-len(instances):])
	return lines, nil
}

func toldInstance(i ec2sim.Instance) string {
	tags := make([]string, 0, len(i.Tags))
	for key, value := range i.Tags {
		tags = append(tags, key+"="+value)
	}
	slices.Sort(tags)
	return fmt.Sprintf("EC2 instance: %s %s %s %s %v profile %s user data %q tags %v",
		i.State, i.InstanceType, i.ImageID, i.SubnetID, i.SecurityGroupIDs, i.InstanceProfile, i.UserDataSHA256, tags)
}

// told tells an object, with managedFields in an order that does not depend on their times.
func (w *world) told(u *unstructured.Unstructured) ([]string, error) {
	var owners []string
	for _, f := range u.GetManagedFields() {
		owners = append(owners, strings.Join([]string{f.Manager, string(f.Operation), f.Subresource, string(f.FieldsV1.GetRawBytes())}, " "))
	}
	slices.Sort(owners)
	unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	unstructured.RemoveNestedField(u.Object, "metadata", "resourceVersion")
	unstructured.RemoveNestedField(u.Object, "status", "launch", "clientToken")
	if err := sortConditions(u); err != nil {
		return nil, err
	}
	if err := tellLaunch(u); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(u.Object, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", u.GetName(), err)
	}
	return append(strings.Split(string(text), "\n"), owners...), nil
}

func sortConditions(u *unstructured.Unstructured) error {
	conditions, found, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil || !found {
		return err
	}
	name := func(c any) string {
		m, _ := c.(map[string]any)
		text, _ := m["type"].(string)
		return text
	}
	slices.SortFunc(conditions, func(a, b any) int { return cmp.Compare(name(a), name(b)) })
	return unstructured.SetNestedSlice(u.Object, conditions, "status", "conditions")
}

// tellLaunch leaves out of the launch intent what the uid, the time and the process that wrote it decide.
func tellLaunch(u *unstructured.Unstructured) error {
	annotations := u.GetAnnotations()
	raw, ok := annotations[ec2v1.AnnotationLaunch]
	if !ok {
		return nil
	}
	intent := map[string]any{}
	if err := json.Unmarshal([]byte(raw), &intent); err != nil {
		return fmt.Errorf("reading the launch intent: %w", err)
	}
	delete(intent, "token")
	delete(intent, "hash")
	delete(intent, "holder")
	text, err := json.Marshal(intent)
	if err != nil {
		return fmt.Errorf("encoding the launch intent: %w", err)
	}
	annotations[ec2v1.AnnotationLaunch] = string(text)
	u.SetAnnotations(annotations)
	return nil
}
