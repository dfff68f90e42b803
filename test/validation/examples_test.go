// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const (
	examplesPage = "../../docs/examples.md"
	// examples is the namespace that the examples are applied to: they name none.
	examples = "examples"
	// exampleCommand begins the first line of each example, and exampleFile ends it.
	exampleCommand = "# kubectl apply --server-side "
	exampleFile    = "-f FILE"
)

// example is a block of YAML of the page on examples, and the arguments of the command that it names.
type example struct {
	yaml      string
	arguments []string
}

// readExamples are the blocks of YAML of the page, in its order.
func readExamples(t *testing.T) []example {
	t.Helper()
	page, err := os.ReadFile(examplesPage)
	if err != nil {
		t.Fatal(err)
	}
	var found []example
	for _, rest := range strings.Split(string(page), "\n```yaml\n")[1:] {
		yaml, _, closed := strings.Cut(rest, "\n```\n")
		first, _, _ := strings.Cut(yaml, "\n")
		command, named := strings.CutPrefix(first, exampleCommand)
		arguments, whole := strings.CutSuffix(command, exampleFile)
		if !closed || !named || !whole {
			t.Fatalf("an example does not begin with %q and end with %q, or does not end: %s", exampleCommand, exampleFile, first)
		}
		found = append(found, example{yaml, strings.Fields(arguments)})
	}
	return found
}

// TestExamplesApply applies the examples as the page says, with the real kubectl, and launches in the simulator what came of them.
func TestExamplesApply(t *testing.T) {
	c := newClient(t)
	if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: examples}}); err != nil {
		t.Fatal(err)
	}
	applied := 0
	for i, e := range readExamples(t) {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("example%d.yaml", i))
		if err := os.WriteFile(file, []byte(e.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments := []string{"apply", "--server-side", "--validate=strict", "--namespace=" + examples, "--filename=" + file}
		output := kubectl(t, append(arguments, e.arguments...)...)
		applied += strings.Count(output, "serverside-applied")
	}
	instances := &ec2v1.EC2InstanceList{}
	if err := c.List(t.Context(), instances, client.InNamespace(examples)); err != nil {
		t.Fatal(err)
	}
	if len(instances.Items) == 0 || len(instances.Items) >= applied {
		t.Fatalf("%d instances came of %d objects that were applied", len(instances.Items), applied)
	}
	account := &ec2v1.EC2Account{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: ec2v1.DefaultAccountName}, account); err != nil {
		t.Fatal(err)
	}
	awsEnvironment(t)
	for _, instance := range instances.Items {
		data := exampleUserData(t, c, instance)
		t.Run(instance.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { launchesInSimulator(t, account, &instance, data) })
		})
	}
}

// awsEnvironment has the SDK find credentials and nothing else of this machine.
func awsEnvironment(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_CA_BUNDLE": "",
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_EC2": "", "AWS_ENDPOINT_URL_SSM": "", "AWS_ENDPOINT_URL_STS": "",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
}

// exampleUserData is the user data of an example, whose Secret is an example, too.
func exampleUserData(t *testing.T, c client.Client, instance ec2v1.EC2Instance) cloud.UserData {
	t.Helper()
	userData := instance.Spec.UserData
	if userData == nil || userData.SecretKeyRef == nil {
		return cloud.UserData{}
	}
	userDataExists(t, c, instance)
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: instance.Namespace, Name: userData.SecretKeyRef.Name}, secret); err != nil {
		t.Fatal(err)
	}
	return cloud.UserData{Bytes: secret.Data[userData.SecretKeyRef.Key]}
}

// launchesInSimulator launches an instance as the operator does, in a simulated EC2 of its own.
func launchesInSimulator(t *testing.T, account *ec2v1.EC2Account, instance *ec2v1.EC2Instance, data cloud.UserData) {
	t.Helper()
	sim := ec2sim.New(ec2sim.Options{Seed: 1})
	provider := cloud.NewProvider(examples, cloud.Options{HTTPClient: &http.Client{Transport: sim.Transport()}})
	session, err := provider.Session(t.Context(), account, "")
	if err != nil {
		t.Fatal(err)
	}
	spec := &instance.Spec
	image, version := spec.Image.ID, ""
	if spec.Image.SSMParameter != "" {
		if image, err = session.ResolveImage(t.Context(), spec.Image.SSMParameter); err != nil {
			t.Fatal(err)
		}
	}
	if template := spec.LaunchTemplate; template != nil {
		resolved, err := session.ResolveTemplate(t.Context(), cloud.TemplateRef{ID: template.ID, Name: template.Name, Version: template.Version})
		if err != nil {
			t.Fatal(err)
		}
		version = resolved.Version
	}
	owner := cloud.Owner{UID: instance.UID, Namespace: instance.Namespace, Name: instance.Name}
	parameters := cloud.NewLaunchParameters(spec, image, version, data, cloud.DesiredTags(examples, owner, spec))
	launched, err := session.Launch(t.Context(), cloud.ClientToken(examples, instance.UID, 1), parameters)
	if err != nil {
		t.Fatal(err)
	}
	if launched.ID == "" || spec.InstanceType != "" && launched.Type != spec.InstanceType {
		t.Errorf("launched %+v", launched)
	}
}
