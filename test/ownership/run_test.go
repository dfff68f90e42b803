// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// run sends the apply, and holds what is predicted of it to what happens.
func (x applying) run(s *scene) error {
	s.t.Helper()
	if x.later {
		s.nextSecond()
	}
	body := s.object(x.body, x.whole)
	s.guard(body, x.uid, x.version)
	if x.in != "" {
		body.SetAPIVersion(s.kind.Group + "/" + x.in)
	}
	verdict := s.predictApply(x, body)
	answer, err := x.send(s, body)
	verdict.check(s, answer, err)
	switch {
	case err != nil || x.dryRun:
	case x.in != "":
		s.look() // The answer is in the other version.
	default:
		s.answered(answer)
	}
	return err
}

// answered takes the answer to a write. An object that has lost its last finalizer comes back once more though it is gone, and a write to
// the scale answers with that.
func (s *scene) answered(answer *unstructured.Unstructured) {
	s.t.Helper()
	if answer == nil || answer.GetKind() != s.kind.Kind || answer.GetDeletionTimestamp() != nil && len(answer.GetFinalizers()) == 0 {
		s.look()
		return
	}
	s.see(answer)
}

func (x applying) send(s *scene, body *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	s.t.Helper()
	if x.kubectl {
		return s.kubectlAnswer(append(x.flags(), "-o", "json", "--show-managed-fields", "-f", "-"), marshal(s.t, body.Object))
	}
	params := map[string]string{"fieldManager": string(x.who), "force": yesNo(x.force)}
	if x.dryRun {
		params["dryRun"] = "All"
	}
	maps.Copy(params, x.params)
	version := s.kind.Version
	if x.in != "" {
		version = x.in
	}
	return x.server(s).do(s.t.Context(), request{
		verb: "PATCH", path: s.kind.path(version, s.namespace, s.name, x.endpoint), patch: types.ApplyYAMLPatchType, params: params, body: marshal(s.t, body.Object),
	})
}

// server is the API server as the action's user sees it.
func (x applying) server(s *scene) *api {
	if x.as == "" {
		return direct
	}
	if x.as == mayPatch {
		s.must(grant(s.t))
	}
	cfg := shared.RESTConfig()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: x.as}
	as, err := newAPI(cfg)
	s.must(err)
	return as
}

func (x updating) run(s *scene) error {
	s.t.Helper()
	var updated *unstructured.Unstructured
	switch {
	case x.replace:
		updated = s.object(x.change, false)
		updated.SetResourceVersion(s.now.GetResourceVersion())
	case x.stale:
		updated = s.merged(s.first, x.change)
	default:
		updated = s.merged(s.now, x.change)
	}
	verdict := s.predictUpdate(updated, x.who, x.endpoint, x.excused, x.apart)
	answer, err := direct.do(s.t.Context(), request{
		verb: "PUT", path: s.path(x.endpoint), params: map[string]string{"fieldManager": string(x.who)}, body: marshal(s.t, updated.Object),
	})
	verdict.check(s, answer, err)
	if err == nil {
		s.answered(answer)
	}
	return err
}

func (x patching) run(s *scene) error {
	s.t.Helper()
	verdict := s.predictUpdate(s.merged(s.now, x.change), x.who, x.endpoint, "", x.apart)
	patch, err := yaml.YAMLToJSONStrict([]byte(x.change))
	s.must(err)
	answer, err := direct.do(s.t.Context(), request{
		verb: "PATCH", path: s.path(x.endpoint), patch: types.MergePatchType,
		params: map[string]string{"fieldManager": string(x.who)}, body: patch,
	})
	verdict.check(s, answer, err)
	if err == nil {
		s.answered(answer)
	}
	return err
}

func (x posting) run(s *scene) error {
	s.t.Helper()
	server := direct
	if x.agent != "" {
		cfg := shared.RESTConfig()
		cfg.UserAgent = x.agent
		var err error
		server, err = newAPI(cfg)
		s.must(err)
	}
	answer, err := server.do(s.t.Context(), request{
		verb: "POST", path: s.kind.path(s.kind.Version, s.namespace, "", ""), params: map[string]string{"fieldManager": string(x.who)}, body: marshal(s.t, s.object(x.body, false).Object),
	})
	if err == nil {
		s.answered(answer)
	}
	return err
}

func (deleting) run(s *scene) error {
	s.t.Helper()
	_, err := direct.do(s.t.Context(), request{verb: "DELETE", path: s.path("")})
	if err == nil {
		s.look()
	}
	return err
}

func (x kubectl) run(s *scene) error {
	s.t.Helper()
	var body []byte
	if x.body != "" {
		body = marshal(s.t, s.object(x.body, false).Object)
	}
	args := append(strings.Fields(strings.ReplaceAll(x.args, "OBJECT", s.kind.argument(s.name))), "--namespace="+s.namespace)
	_, err := s.kubectl(args, body)
	if err == nil {
		s.look()
	}
	return err
}

func (x releasing) run(s *scene) error {
	s.t.Helper()
	_, err := door(s).Release(s.t.Context(), s.now, apply.Manager(x.who), x.endpoint)
	s.look()
	return err
}

func (x migrating) run(s *scene) error {
	s.t.Helper()
	object := s.object("", false)
	migrated, err := apply.Migrate(s.t.Context(), k8s, object, apply.Migration{
		From: x.from, To: apply.Manager(x.to), Subresource: x.endpoint, DryRun: x.dryRun,
	})
	before := s.now
	s.look()
	if err == nil {
		if changed := ownersOf(before).text() != ownersOf(s.now).text(); changed != (migrated.Changed && !x.dryRun) {
			s.t.Errorf("Migrate says changed: %t, and the owners have changed: %t", migrated.Changed, changed)
		}
	}
	return err
}
