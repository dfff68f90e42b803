// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Options of a server.
type Options struct {
	// Seed of uids, addresses and generated names. Two servers with the same seed and the same requests at the same
	// times are the same.
	Seed uint64
	// Namespaces that exist from the start, beside default, kube-system, kube-public and kube-node-lease.
	Namespaces []string
	// Intercept decides what becomes of a request; nil lets all pass. It is called without a lock and may sleep, or
	// make requests of its own.
	Intercept func(Request) Verdict
}

// Server is an API server. It has no goroutines. Requests are served one after another.
type Server struct {
	options Options
	catalog *catalog

	mu      sync.Mutex
	random  *rand.Rand
	version int64
	// collected is the version at which nothing was left for the garbage collector.
	collected int64
	objects   map[objectKey]*stored
	changes   []Change
	records   []Record

	clusterIPs, nodePorts uint32
}

// objectKey is what an object is stored under.
type objectKey struct {
	kind *kind
	types.NamespacedName
}

// immortal are the namespaces that cannot be deleted, in the order in which they are made.
var immortal = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

// New makes a server. The first one of a process compiles schemas, for about a second.
func New(o Options) (*Server, error) {
	c, err := shared()
	if err != nil {
		return nil, fmt.Errorf("making an API server: %w", err)
	}
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], o.Seed)
	s := &Server{options: o, catalog: c, random: rand.New(rand.NewChaCha8(seed)), objects: map[objectKey]*stored{}}
	s.nodePorts = s.random.Uint32N(nodePortCount)
	for _, name := range append(append(append([]string{}, immortal...), corev1.NamespaceNodeLease), o.Namespaces...) {
		if err := s.makeNamespace(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Server) makeNamespace(name string) error {
	k := s.catalog.byKind[schema.GroupKind{Kind: "Namespace"}]
	obj := k.codec.fresh()
	obj.SetName(name)
	c := &call{Request: Request{Verb: VerbCreate, Kind: k.gvk, Name: name}, kind: k, endpoint: k.endpoints[""]}
	if _, err := s.insert(context.Background(), c, obj); err != nil {
		return fmt.Errorf("making namespace %s: %w", name, err)
	}
	return nil
}

// Scheme is what the server and its clients know; do not change it.
func (s *Server) Scheme() *runtime.Scheme { return s.catalog.scheme }

// RESTMapper maps the server's kinds.
func (s *Server) RESTMapper() meta.RESTMapper { return s.catalog.mapper }

// ResourceVersion is that of the latest change.
func (s *Server) ResourceVersion() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Objects are all objects of a kind, by namespace and name, looked at without a request. They are the caller's.
func (s *Server) Objects(kind schema.GroupKind) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.catalog.byKind[kind]
	if k == nil {
		return nil
	}
	var out []*unstructured.Unstructured
	for _, item := range s.all(k, "") {
		if u, err := unstructuredOf(item.loaded); err == nil {
			out = append(out, u)
		}
	}
	return out
}

// Object is one object, looked at without a request; nil where there is none. It is the caller's.
func (s *Server) Object(kind schema.GroupKind, key types.NamespacedName) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.objects[objectKey{kind: s.catalog.byKind[kind], NamespacedName: key}]
	if item == nil {
		return nil
	}
	u, err := unstructuredOf(item.loaded)
	if err != nil {
		return nil
	}
	return u
}

func unstructuredOf(obj runtime.Object) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u.DeepCopy(), nil
	}
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("converting %T: %w", obj, err)
	}
	return &unstructured.Unstructured{Object: out}, nil
}

// newUID makes a random UUID, version 4.
func (s *Server) newUID() types.UID {
	a, b := s.random.Uint64(), s.random.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a>>32), uint16(a>>16), a&0xfff, 0x8000|b>>50, b&0xffffffffffff))
}

const nameSuffix = 5

// generateName adds a random suffix.
func (s *Server) generateName(base string) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	const longest = 63 - nameSuffix
	if len(base) > longest {
		base = base[:longest]
	}
	suffix := make([]byte, nameSuffix)
	for i := range suffix {
		suffix[i] = letters[s.random.IntN(len(letters))]
	}
	return base + string(suffix)
}

func (s *Server) nextClusterIP() string {
	s.clusterIPs++
	n := s.clusterIPs
	return fmt.Sprintf("10.%d.%d.%d", 96+n>>16&0xf, n>>8&0xff, n&0xff)
}

const (
	firstNodePort = 30000
	nodePortCount = 2768
)

func (s *Server) nextNodePort() int32 {
	s.nodePorts = (s.nodePorts + 1) % nodePortCount
	return firstNodePort + int32(s.nodePorts)
}

// now is the time as it is stored: whole seconds.
func now() metav1.Time { return metav1.NewTime(time.Now().Truncate(time.Second)) }
