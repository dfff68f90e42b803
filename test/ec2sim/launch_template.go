// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Tags that EC2 gives to instances that it launches by a template.
const (
	templateIDTag      = reservedPrefix + "ec2launchtemplate:id"
	templateVersionTag = reservedPrefix + "ec2launchtemplate:version"
)

// wholly are the structures whose members exclude each other: a request that gives one of them gives all of it.
var wholly = []string{"CapacityReservationSpecification", "IamInstanceProfile"}

// byTemplate is a request for a launch with what its template adds, and the tags that tell the template.
func (r *region) byTemplate(params wire.Params) (wire.Params, []tag, error) {
	if !params.Has("LaunchTemplate") {
		return params, nil, nil
	}
	named := params.Struct("LaunchTemplate")
	template, err := r.template(named)
	if err != nil {
		return nil, nil, err
	}
	version, err := template.mustVersion(cmp.Or(named["Version"], versionDefault))
	if err != nil {
		return nil, nil, err
	}
	if err := checkRoots(version.Data, runInstancesParameters); err != nil {
		return nil, nil, err
	}
	return under(params, version.Data), []tag{{templateIDTag, template.ID}, {templateVersionTag, strconv.Itoa(version.Number)}}, nil
}

// under are the parameters of the request and, of the template's, those that the request does not give. A list is one
// parameter, and so is each member of a structure: how EC2 joins what is within one it does not say.
func under(request, template wire.Params) wire.Params {
	out := maps.Clone(request)
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(name, "LaunchTemplate.") })
	for name, value := range template {
		root, member, _ := strings.Cut(name, ".")
		listed := strings.IndexAny(member, "0123456789") == 0
		if (listed || slices.Contains(wholly, root)) && request.Has(root) {
			continue
		}
		if _, given := request[name]; !given {
			out[name] = value
		}
	}
	return out
}

// template finds the template that LaunchTemplateId or LaunchTemplateName names.
func (r *region) template(params wire.Params) (LaunchTemplate, error) {
	id, name := params["LaunchTemplateId"], params["LaunchTemplateName"]
	switch {
	case id != "" && name != "":
		return LaunchTemplate{}, fail(codeInvalidParameterCombination, "Either a launch template ID or a launch template name may be given, but not both.")
	case id == "" && name == "":
		return LaunchTemplate{}, missingParameter("LaunchTemplateId or LaunchTemplateName")
	case id != "":
		if err := checkID("lt", id, codeInvalidTemplateIDMalformed); err != nil {
			return LaunchTemplate{}, err
		}
	}
	template, ok := find(r.world.LaunchTemplates, func(t LaunchTemplate) bool { return t.ID == id || t.Name == name })
	switch {
	case ok:
		return template, nil
	case id != "":
		return template, fail(codeInvalidTemplateIDNotFound, "The specified launch template, with template ID %s, does not exist.", id)
	}
	return template, fail(codeInvalidTemplateNameNotFound, "The specified launch template, with template name %s, does not exist.", name)
}

func (t LaunchTemplate) mustVersion(name string) (LaunchTemplateVersion, error) {
	version, ok := t.version(name)
	if !ok {
		return version, fail(codeInvalidTemplateVersionNotFound, "Could not find the specified version %s for the launch template with ID %s.", name, t.ID)
	}
	return version, nil
}
