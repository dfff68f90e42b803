// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/applyconfig"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/operator"
	"github.com/fieldowner/ec2-operator/test/cluster"
)

// crds are the operator's own.
const crds = "../../config/crd/bases"

// What all tests of this package share.
var (
	shared *cluster.Cluster
	// direct speaks to the API server as its admin, and k8s does so with controller-runtime's client.
	direct *api
	k8s    client.Client
	scheme *runtime.Scheme
	// predictor and ourDoor are the operator's own, for its own kinds.
	predictor *apply.Predictor
	ourDoor   *apply.Applier
	// ownDefaults are the schemas of the operator's own kinds, for their defaults.
	ownDefaults map[string]*structuralschema.Structural
)

// atOnce is how many tests run at the same time: most of their time they wait for the API server or for kubectl.
const atOnce = 8

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	flag.Parse()
	// What is told on the command line is kept.
	for name, value := range map[string]string{
		"test.parallel": strconv.Itoa(atOnce),
		"rapid.checks":  strconv.Itoa(objects),
		"rapid.seed":    strconv.FormatUint(max(rand.Uint64(), 1), 10),
	} {
		if err := setUnlessTold(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	options := cluster.Options{CRDs: []string{crds}, Audit: true, WithoutControllers: true}
	code := cluster.Main(m, options, func(c *cluster.Cluster) {
		shared = c
		if err := connect(); err != nil {
			fmt.Fprintln(os.Stderr, "Setting up the suite:", err)
			os.Exit(1)
		}
	})
	fmt.Println(tally)
	os.Exit(code)
}

func setUnlessTold(name, value string) error {
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == name })
	if told {
		return nil
	}
	return flag.Set(name, value)
}

// connect makes what speaks to the API server.
func connect() error {
	var err error
	if direct, err = newAPI(shared.RESTConfig()); err != nil {
		return err
	}
	if scheme, err = operator.Scheme(); err != nil {
		return err
	}
	if k8s, err = client.New(shared.RESTConfig(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	predictor = apply.NewPredictor(scheme, applyconfig.NewTypeConverter(scheme))
	ourDoor = apply.New(k8s, predictor)
	ownDefaults, err = readDefaults()
	return err
}
