// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// steps is how many requests one object gets.
const steps = 14

// pair is the same object in a real world and in a simulated one.
type pair struct {
	t               rapid.TB
	real, simulated *world
	done            []string
}

func newPair(t rapid.TB, s subject, name string) *pair {
	t.Helper()
	server, err := apiserver.New(apiserver.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	newWorld := func(c client.Client) *world {
		target := &unstructured.Unstructured{Object: map[string]any{}}
		target.SetGroupVersionKind(s.gvk)
		target.SetName(name)
		target.SetNamespace(s.namespace)
		return &world{t: t, name: name, client: c, target: target}
	}
	return &pair{t: t, real: newWorld(realServer), simulated: newWorld(server.Client(user))}
}

// do makes the request in both worlds, and holds the simulated one to the real one.
func (p *pair) do(o op) step {
	p.t.Helper()
	p.done = append(p.done, o.String())
	want, got := p.real.do(o), p.simulated.do(o)
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Fatalf("after\n%s\n(-real +simulated):\n%s", strings.Join(p.done, "\n"), diff)
	}
	return want
}

// TestHeadless: a Service without an address is made and changed. It is not drawn, since one that becomes another kind
// of Service is refused for its two families, in a cluster of one, which the simulation leaves out.
func TestHeadless(t *testing.T) {
	all := subjects()
	p := newPair(t, all[slices.IndexFunc(all, func(s subject) bool { return s.gvk.Kind == "Service" })], "headless")
	ports := []any{map[string]any{"name": "http", "port": int64(80), "protocol": "TCP"}}
	headless := specWith(map[string]any{"clusterIP": "None", "ports": ports})
	for _, o := range []op{
		{verb: apply, manager: "a", body: headless},
		{verb: apply, manager: "b", body: headless},
		{verb: update, manager: "c", body: specWith(map[string]any{"publishNotReadyAddresses": true})},
		{verb: apply, manager: "a", body: specWith(map[string]any{"ports": ports})},
		{verb: erase, manager: "a"},
		{verb: create, manager: "a", body: specWith(map[string]any{"clusterIP": "None", "selector": map[string]any{"app": "x"}})},
	} {
		if did := p.do(o); did.Answer.Code != 0 {
			t.Errorf("%s: %+v", o, did.Answer)
		}
	}
}

// TestParity draws the kind of an object, too: most are of the kind that the operator is about.
func TestParity(t *testing.T) {
	t.Logf("rapid's seed is %s", flag.Lookup("rapid.seed").Value)
	var objects, made int
	answers := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(weighted()).Draw(t, "kind")
		objects++
		p := newPair(t, s, fmt.Sprintf("parity-%d", objects))
		for range steps {
			o := s.draw(t)
			did := p.do(o)
			made++
			answers[fmt.Sprintf("%s %d", o.verb, did.Answer.Code)]++
		}
	})
	t.Logf("%d requests to %d objects: %v", made, objects, answers)
	if made < 1000 {
		t.Errorf("only %d requests were compared", made)
	}
	for _, v := range []verb{apply, update, merge, patch, create, erase} {
		for _, code := range []int{0, http.StatusConflict} {
			if name := fmt.Sprintf("%s %d", v, code); answers[name] == 0 {
				t.Errorf("no %s was answered with %d", v, code)
			}
		}
	}
}
