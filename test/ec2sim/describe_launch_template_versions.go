// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// ResolveAlias has nothing to resolve: the templates of a world name images by their ids.
const describeTemplateVersionsParameters = describeParameters +
	" IncludeManagedResources LaunchTemplateId LaunchTemplateName LaunchTemplateVersion MaxVersion MinVersion ResolveAlias"

type templateVersionsResponse struct {
	wire.Head
	Versions  []xmlTemplateVersion `xml:"launchTemplateVersionSet>item"`
	NextToken string               `xml:"nextToken,omitempty"`
}

type xmlTemplateVersion struct {
	TemplateID   string       `xml:"launchTemplateId"`
	TemplateName string       `xml:"launchTemplateName"`
	Number       int          `xml:"versionNumber"`
	Description  string       `xml:"versionDescription,omitempty"`
	IsDefault    bool         `xml:"defaultVersion"`
	Data         templateData `xml:"launchTemplateData"`
}

// templateVersionFilters are the DescribeLaunchTemplateVersions filters with the values they look at.
var templateVersionFilters = map[string]func(xmlTemplateVersion) string{
	"image-id":           func(v xmlTemplateVersion) string { return v.Data["ImageId"] },
	"instance-type":      func(v xmlTemplateVersion) string { return v.Data["InstanceType"] },
	"is-default-version": func(v xmlTemplateVersion) string { return strconv.FormatBool(v.IsDefault) },
}

// describeLaunchTemplateVersions gives versions of one template or, when it names none, the latest or default ones of all.
func describeLaunchTemplateVersions(c *call) (any, error) {
	filters, p, err := c.readListing(func(name string) bool { return templateVersionFilters[name] != nil })
	if err != nil {
		return nil, err
	}
	versions, err := c.templateVersions()
	if err == nil {
		err = c.resolveAliases(versions)
	}
	if err != nil {
		return nil, err
	}
	var items []xmlTemplateVersion
	for _, v := range versions {
		if matches(filters, func(name string) []string { return []string{templateVersionFilters[name](v)} }) {
			items = append(items, v)
		}
	}
	template := func(v xmlTemplateVersion) string { return v.TemplateID }
	key := func(v xmlTemplateVersion) string { return fmt.Sprintf("%s/%012d", v.TemplateID, v.Number) }
	shown, next := paginate(c, p, items, template, key)
	return &templateVersionsResponse{Versions: shown, NextToken: next}, nil
}

// resolveAliases gives the ids of images in the place of the SSM parameters that name them, where the call asks for that.
func (c *call) resolveAliases(versions []xmlTemplateVersion) error {
	if asked, err := c.params.Bool("ResolveAlias"); err != nil || !asked {
		return err
	}
	for i, v := range versions {
		if !strings.HasPrefix(v.Data["ImageId"], ssmImagePrefix) {
			continue
		}
		image, err := c.region.resolveImage(v.Data["ImageId"])
		if err != nil {
			return err
		}
		versions[i].Data = maps.Clone(v.Data)
		versions[i].Data["ImageId"] = image.ID
	}
	return nil
}

func (c *call) templateVersions() ([]xmlTemplateVersion, error) {
	names := c.params.List("LaunchTemplateVersion")
	if c.params["LaunchTemplateId"] != "" || c.params["LaunchTemplateName"] != "" {
		template, err := c.region.template(c.params)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return template.between(c.params)
		}
		return template.named(names)
	}
	var out []xmlTemplateVersion
	for _, name := range names {
		if name != versionDefault && name != versionLatest {
			return nil, fail(codeInvalidParameterValue, "Without a launch template only the versions %s and %s can be described.", versionLatest, versionDefault)
		}
	}
	if len(names) == 0 {
		return nil, missingParameter("LaunchTemplateId, LaunchTemplateName or LaunchTemplateVersion")
	}
	for _, template := range c.region.world.LaunchTemplates {
		versions, err := template.named(names)
		if err != nil {
			return nil, err
		}
		out = append(out, versions...)
	}
	return out, nil
}

// named are the versions with the names, each once.
func (t LaunchTemplate) named(names []string) ([]xmlTemplateVersion, error) {
	var out []xmlTemplateVersion
	seen := map[int]bool{}
	for _, name := range names {
		version, err := t.mustVersion(name)
		if err != nil {
			return nil, err
		}
		if !seen[version.Number] {
			seen[version.Number] = true
			out = append(out, t.xml(version))
		}
	}
	return out, nil
}

// between are the versions from MinVersion to MaxVersion.
func (t LaunchTemplate) between(params wire.Params) ([]xmlTemplateVersion, error) {
	least, _, err := params.Int("MinVersion")
	if err != nil {
		return nil, err
	}
	most, bounded, err := params.Int("MaxVersion")
	if err != nil {
		return nil, err
	}
	var out []xmlTemplateVersion
	for _, version := range t.Versions {
		if version.Number >= least && (!bounded || version.Number <= most) {
			out = append(out, t.xml(version))
		}
	}
	return out, nil
}

func (t LaunchTemplate) xml(v LaunchTemplateVersion) xmlTemplateVersion {
	return xmlTemplateVersion{t.ID, t.Name, v.Number, v.Description, v.Number == t.Default, templateData(v.Data)}
}
