// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"net/http"
	"testing"
)

// templateAnswer is an answer with versions, each the XML inside of its item.
func templateAnswer(versions ...string) answer {
	items := ""
	for _, v := range versions {
		items += "<item>" + v + "</item>"
	}
	return ok("<R><launchTemplateVersionSet>" + items + "</launchTemplateVersionSet></R>")
}

const templateSeven = "<launchTemplateId>lt-1</launchTemplateId><launchTemplateName>web</launchTemplateName><versionNumber>7</versionNumber>" +
	"<launchTemplateData><imageId>ami-1</imageId><instanceType>t3.micro</instanceType></launchTemplateData>"

func TestResolveTemplate(t *testing.T) {
	asked := func(lines string) string {
		return "Action=DescribeLaunchTemplateVersions\n" + lines + "ResolveAlias=true\nVersion=2016-11-15\n"
	}
	full := Template{ID: "lt-1", Version: "7", ImageID: "ami-1", InstanceType: "t3.micro"}
	tests := map[string]struct {
		ref    TemplateRef
		answer answer
		sent   string
		want   Template
		class  Class
	}{
		"by id, the default version": {
			ref: TemplateRef{ID: "lt-1"}, answer: templateAnswer(templateSeven), want: full,
			sent: asked("LaunchTemplateId=lt-1\nLaunchTemplateVersion.1=$Default\n"),
		},
		"by name, the latest version": {
			ref: TemplateRef{Name: "web", Version: "$Latest"}, answer: templateAnswer(templateSeven), want: full,
			sent: asked("LaunchTemplateName=web\nLaunchTemplateVersion.1=$Latest\n"),
		},
		"by number, with neither image nor type": {
			ref:    TemplateRef{Name: "web", Version: "7"},
			answer: templateAnswer("<launchTemplateId>lt-1</launchTemplateId><versionNumber>7</versionNumber>"),
			sent:   asked("LaunchTemplateName=web\nLaunchTemplateVersion.1=7\n"),
			want:   Template{ID: "lt-1", Version: "7"},
		},
		"no such template": {
			ref:    TemplateRef{ID: "lt-1"},
			answer: failure(http.StatusBadRequest, "InvalidLaunchTemplateId.NotFound", "m"), class: ClassDependency,
			sent: asked("LaunchTemplateId=lt-1\nLaunchTemplateVersion.1=$Default\n"),
		},
		"no such version": {
			ref:    TemplateRef{ID: "lt-1", Version: "9"},
			answer: failure(http.StatusBadRequest, "InvalidLaunchTemplateId.VersionNotFound", "m"), class: ClassDependency,
			sent: asked("LaunchTemplateId=lt-1\nLaunchTemplateVersion.1=9\n"),
		},
		"an answer without versions": {
			ref: TemplateRef{ID: "lt-1"}, answer: templateAnswer(), class: ClassTransient,
			sent: asked("LaunchTemplateId=lt-1\nLaunchTemplateVersion.1=$Default\n"),
		},
		"an answer with two versions": {
			ref: TemplateRef{ID: "lt-1"}, answer: templateAnswer(templateSeven, templateSeven), class: ClassTransient,
			sent: asked("LaunchTemplateId=lt-1\nLaunchTemplateVersion.1=$Default\n"),
		},
		"an answer without the number": {
			ref: TemplateRef{ID: "lt-1"}, answer: templateAnswer("<launchTemplateId>lt-1</launchTemplateId>"), class: ClassTransient,
			sent: asked("LaunchTemplateId=lt-1\nLaunchTemplateVersion.1=$Default\n"),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(test.answer)}
			got, err := newTestSession(t, f).ResolveTemplate(t.Context(), test.ref)
			if got != test.want || ClassOf(err) != test.class {
				t.Errorf("got %+v, %v; want %+v, class %q", got, err, test.want, test.class)
			}
			if sent := wire(f.last(t)); sent != test.sent {
				t.Errorf("sent %q, want %q", sent, test.sent)
			}
		})
	}
}
