// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crashplan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// state is how a run ended, without what differs from run to run: ids, times, addresses and names that are made up.
type state struct {
	// Objects are the object and its children.
	Objects map[string]any
	// Instances are those of EC2, also the terminated ones.
	Instances []instanceState
	// Launched and Terminated count instances.
	Launched, Terminated int
}

// instanceState is an instance in EC2.
type instanceState struct {
	State, Type, Image, Subnet string
	Groups                     []string
	Tags                       map[string]string
}

// end reads how things are.
func (s *stage) end() (state, error) {
	out := state{Objects: map[string]any{}, Launched: s.sim.Counts().Launched}
	for _, list := range []client.ObjectList{&ec2v1.EC2InstanceList{}, &corev1.ServiceList{}, &discoveryv1.EndpointSliceList{}, &corev1.ConfigMapList{}} {
		if err := k8s.List(s.Context(), list, client.InNamespace(s.name)); err != nil {
			return out, err
		}
		raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(list)
		if err != nil {
			return out, err
		}
		items, _ := raw["items"].([]any)
		for _, item := range items {
			object, _ := s.plain(item).(map[string]any)
			metadata, _ := object["metadata"].(map[string]any)
			if metadata["name"] == "kube-root-ca.crt" {
				continue // Each namespace has it.
			}
			metadata["managedFields"] = managers(metadata["managedFields"])
			// They count writes, of which there may be more or fewer.
			delete(metadata, "resourceVersion")
			if _, ours := list.(*ec2v1.EC2InstanceList); !ours {
				delete(metadata, "generation")
			}
			out.Objects[fmt.Sprintf("%T %s", list, metadata["name"])] = object
		}
	}
	for _, i := range s.sim.Instances() {
		tags, _ := s.plain(toAny(i.Tags)).(map[string]any)
		seen := instanceState{State: i.State, Type: i.InstanceType, Image: i.ImageID, Subnet: i.SubnetID, Groups: i.SecurityGroupIDs, Tags: map[string]string{}}
		for key, value := range tags {
			seen.Tags[key] = fmt.Sprint(value)
		}
		if !i.Live() {
			out.Terminated++
		}
		out.Instances = append(out.Instances, seen)
	}
	return out, nil
}

func toAny(tags map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range tags {
		out[key] = value
	}
	return out
}

// managers are who has fields, how and in what, whatever those are.
func managers(entries any) []string {
	list, _ := entries.([]any)
	var out []string
	for _, e := range list {
		entry, _ := e.(map[string]any)
		out = append(out, strings.TrimSpace(fmt.Sprint(entry["manager"], " ", entry["operation"], " ", entry["subresource"])))
	}
	slices.Sort(out)
	return out
}

// made is what is made up anew in each run, and what stands for it.
var made = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<uid>"},
	{regexp.MustCompile(`\b(i|eni|vol|eni-attach|r)-[0-9a-f]{17}\b`), "<$1>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT`), "<time>"},
	{regexp.MustCompile(`\b(ip|ec2)-\d+-\d+-\d+-\d+\b`), "<$1>"},
	{regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+\b`), "<address>"},
	{regexp.MustCompile(`\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b`), "<mac>"},
}

// hashes are the fields that hold hashes over what is made up.
var hashes = []string{"token", "clientToken", "hash"}

// plain replaces in a value what is made up anew in each run.
func (s *stage) plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if slices.Contains(hashes, key) {
				v[key] = "<" + key + ">"
				continue
			}
			v[key] = s.plain(member)
		}
		return v
	case []any:
		for i, member := range v {
			v[i] = s.plain(member)
		}
		return v
	case string:
		return s.plainText(v)
	default:
		return v
	}
}

// plainText does so in a text, which may be JSON.
func (s *stage) plainText(text string) any {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil {
		return s.plain(object)
	}
	text = strings.ReplaceAll(text, s.name, "<stage>")
	for _, m := range made {
		text = m.pattern.ReplaceAllString(text, m.name)
	}
	return text
}
