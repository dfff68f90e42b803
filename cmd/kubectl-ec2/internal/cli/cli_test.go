// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"pgregory.net/rapid"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

func TestReference(t *testing.T) {
	for _, test := range []struct{ version, kind, namespace, argument, text string }{
		{"v1", "ConfigMap", "shop", "configmap/a", "configmap/a in namespace shop"},
		{"apps/v1", "Deployment", "shop", "deployment.apps/a", "deployment.apps/a in namespace shop"},
		{"ec2.fieldowner.dev/v1", "EC2Account", "", "ec2account.ec2.fieldowner.dev/a", "ec2account.ec2.fieldowner.dev/a"},
	} {
		r := Reference{APIVersion: test.version, Kind: test.kind, Namespace: test.namespace, Name: "a"}
		if r.Argument() != test.argument || r.String() != test.text {
			t.Errorf("got %q and %q, want %q and %q", r.Argument(), r, test.argument, test.text)
		}
	}
}

func TestInline(t *testing.T) {
	for _, test := range []struct {
		name  string
		value any
		most  int
		want  string
	}{
		{"text", "a\n<b>", Whole, `"a\n<b>"`},
		{"a number", int64(3), Whole, "3"},
		{"nothing", nil, Whole, "null"},
		{"a map", map[string]any{"b": true, "a": []any{"x"}}, Whole, `{"a":["x"],"b":true}`},
		{"as long as it may be", "abc", 5, `"abc"`},
		{"longer than it may be", "abcd", 5, `"abcd…`},
		{"characters, not bytes", "äöü", 5, `"äöü"`},
		{"masked", apply.MaskedValue, 3, "(masked)"},
		{"what JSON does not know", make(chan int), Whole, "a chan int"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Inline(test.value, test.most); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestFileFlags(t *testing.T) {
	for _, test := range []struct {
		source string
		given  resource.FilenameOptions
		want   []string
	}{
		{"dir/a.yaml", resource.FilenameOptions{Filenames: []string{"dir"}, Recursive: true}, []string{"-f", "dir/a.yaml"}},
		{stdinSource, resource.FilenameOptions{Filenames: []string{"-"}}, []string{"-f", "-"}},
		{"overlay", resource.FilenameOptions{Kustomize: "overlay"}, []string{"-k", "overlay"}},
	} {
		if diff := cmp.Diff(test.want, FileFlags(test.source, test.given)); diff != "" {
			t.Errorf("%s: the flags differ (-want +got):\n%s", test.source, diff)
		}
	}
}

func TestClusterFlags(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	genericclioptions.NewConfigFlags(true).AddFlags(flags)
	if err := flags.Parse([]string{"--token=hush-hush", "--context=a b", "-n=shop", "--as=me"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"--context=a b", "--as=me"}, ClusterFlags(flags)); diff != "" {
		t.Errorf("The flags differ (-want +got):\n%s", diff)
	}
}

// TestQuote has a shell read back what was quoted for it.
func TestQuote(t *testing.T) {
	if got, want := Quote([]string{"kubectl", "-f", "a.yaml", "--from=it's"}), `kubectl -f a.yaml '--from=it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringMatching(`[ -~\n]{0,8}`).Draw(rt, "word")
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s|' "+Quote([]string{word, "x"})).Output()
		if err != nil || string(out) != word+"|x|" {
			rt.Fatalf("%q is read as %q (%v)", word, out, err)
		}
	})
}

func TestParseFormat(t *testing.T) {
	if f, err := ParseFormat("", FormatJSON); f != FormatText || err != nil {
		t.Errorf("got %q, %v", f, err)
	}
	if f, err := ParseFormat("json", FormatJSON, FormatYAML); f != FormatJSON || err != nil {
		t.Errorf("got %q, %v", f, err)
	}
	_, err := ParseFormat("wide", FormatJSON, FormatYAML)
	if _, usage := errors.AsType[*UsageError](err); !usage || err.Error() != `--output must be one of json, yaml, not "wide"` {
		t.Errorf("got %v", err)
	}
}

func TestObjectsAreNamedRightly(t *testing.T) {
	env := &Env{Cluster: genericclioptions.NewConfigFlags(true)}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "name an object: KIND/NAME"},
		{[]string{"pods"}, `"pods" names no object: use pods/NAME`},
		{[]string{"pods/a", "b"}, "as KIND/NAME KIND/NAME..., or as KIND NAME NAME..."},
	} {
		_, err := env.Objects(test.args)
		if _, usage := errors.AsType[*UsageError](err); !usage || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.args, err)
		}
	}
}

func TestExplainedKeepsTheError(t *testing.T) {
	if Explained(nil) != nil {
		t.Error("No error becomes one")
	}
	if err := errors.New("plain"); Explained(err) != err { //nolint:errorlint // It is the same, not only like it.
		t.Errorf("got %v", Explained(err))
	}
}

func TestPrintDocument(t *testing.T) {
	document := map[string]any{"b": "<1>", "a": 2}
	for _, test := range []struct {
		format Format
		first  bool
		want   string
	}{
		{FormatJSON, true, "{\n  \"a\": 2,\n  \"b\": \"<1>\"\n}\n"},
		{FormatJSON, false, "{\n  \"a\": 2,\n  \"b\": \"<1>\"\n}\n"},
		{FormatYAML, true, "a: 2\nb: <1>\n"},
		{FormatYAML, false, "---\na: 2\nb: <1>\n"},
	} {
		var got strings.Builder
		if err := PrintDocument(&got, test.format, document, test.first); err != nil || got.String() != test.want {
			t.Errorf("%s: got %q, %v", test.format, got.String(), err)
		}
	}
	if err := PrintDocument(io.Discard, FormatJSON, make(chan int), true); err == nil {
		t.Error("What JSON does not know is printed")
	}
}
