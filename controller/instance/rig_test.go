// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientgoac "k8s.io/client-go/applyconfigurations"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// fakeEC2 is a cloud.Session that launches an instance for each token once and shows all that it has. It moves
// no instance by itself.
type fakeEC2 struct {
	mu        sync.Mutex
	instances map[string]cloud.Instance
	parameter map[string]string
	// calls that changed something, or tried to.
	calls []string
	// loseAnswers makes launches whose answers do not arrive; hidden keeps instances from all answers.
	loseAnswers, hidden bool
	// refuse fails each call that changes something.
	refuse error
	// launched counts launches: ids are never used twice.
	launched int64
	// statuses are what EC2 says of running instances' status checks, by id; refuseStatuses fails the lists of them.
	statuses       map[string]cloud.InstanceStatus
	refuseStatuses error
	// starved are the candidates that EC2 has no capacity for; reaches is called once, when a launch reaches EC2, by its token.
	starved map[candidate]bool
	reaches map[string]func()
	// unlisted is what no list of instances shows.
	unlisted unlisted
}

func newFakeEC2() *fakeEC2 {
	return &fakeEC2{
		instances: map[string]cloud.Instance{}, parameter: map[string]string{}, statuses: map[string]cloud.InstanceStatus{},
		unlisted: newUnlisted(),
	}
}

// call begins a call that changes something; the caller unlocks.
func (f *fakeEC2) call(format string, args ...any) error {
	f.mu.Lock()
	f.calls = append(f.calls, fmt.Sprintf(format, args...))
	return f.refuse
}

func (f *fakeEC2) Launch(ctx context.Context, token string, p cloud.LaunchParameters) (cloud.Instance, error) {
	if err := cloud.Confirm(ctx); err != nil {
		return cloud.Instance{}, err
	}
	if happens := f.reaches[token]; happens != nil {
		delete(f.reaches, token)
		happens()
	}
	err := f.call("Launch %s", token)
	defer f.mu.Unlock()
	if err != nil {
		return cloud.Instance{}, err
	}
	for _, i := range f.instances {
		switch {
		case i.ClientToken != token:
		case f.parameter[i.ID] != p.Hash():
			return cloud.Instance{}, &cloud.Error{Op: "RunInstances", Class: cloud.ClassNotYetVisible, Code: "IdempotentParameterMismatch", Definite: true}
		case i.State.Doomed():
			return cloud.Instance{}, &cloud.Error{Op: "RunInstances", Class: cloud.ClassWrongState, Code: "IdempotentInstanceTerminated", Definite: true}
		default:
			return i, nil
		}
	}
	if f.starved[candidate{Type: p.InstanceType, Subnet: p.SubnetID}] {
		return cloud.Instance{}, &cloud.Error{Op: "RunInstances", Class: cloud.ClassCapacity, Code: "InsufficientInstanceCapacity", Definite: true}
	}
	f.launched++
	i := cloud.Instance{
		ID: instanceID(f.launched), State: cloud.StatePending, Type: p.InstanceType, ImageID: p.ImageID, SubnetID: p.SubnetID,
		MetadataOptions: p.MetadataOptions, ClientToken: token, Tags: maps.Clone(p.Tags), LaunchTime: time.Now().UTC().Truncate(time.Second),
		AccountID: "123456789012", Region: testRegion,
	}
	f.instances[i.ID], f.parameter[i.ID] = i, p.Hash()
	if f.loseAnswers {
		return cloud.Instance{}, &cloud.Error{Op: "RunInstances", Class: cloud.ClassTransient, Message: "no answer"}
	}
	return i, nil
}

func (f *fakeEC2) move(action, id string, to cloud.State) (cloud.State, error) {
	err := f.call("%s %s", action, id)
	defer f.mu.Unlock()
	if err != nil {
		return "", err
	}
	i, ok := f.instances[id]
	if !ok {
		return "", &cloud.Error{Op: action, Class: cloud.ClassNotYetVisible, Code: "InvalidInstanceID.NotFound", Definite: true}
	}
	i.State = to
	f.instances[id] = i
	return to, nil
}

func (f *fakeEC2) Terminate(_ context.Context, id string) (cloud.State, error) {
	return f.move("Terminate", id, cloud.StateShuttingDown)
}

func (f *fakeEC2) Stop(_ context.Context, id string) (cloud.State, error) {
	return f.move("Stop", id, cloud.StateStopping)
}

func (f *fakeEC2) Hibernate(_ context.Context, id string) (cloud.State, error) {
	return f.move("Hibernate", id, cloud.StateStopping)
}

func (f *fakeEC2) Start(_ context.Context, id string) (cloud.State, error) {
	return f.move("Start", id, cloud.StatePending)
}

func (f *fakeEC2) SetTags(_ context.Context, id string, tags map[string]string) error {
	if len(tags) == 0 {
		return nil
	}
	err := f.call("SetTags %s %s", id, joinTags(tags))
	defer f.mu.Unlock()
	if err != nil {
		return err
	}
	i := f.instances[id]
	i.Tags = maps.Clone(i.Tags)
	maps.Copy(i.Tags, tags)
	f.instances[id] = i
	return nil
}

func (f *fakeEC2) RemoveTags(_ context.Context, id string, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	err := f.call("RemoveTags %s %v", id, keys)
	defer f.mu.Unlock()
	if err != nil {
		return err
	}
	i := f.instances[id]
	i.Tags = maps.Clone(i.Tags)
	maps.DeleteFunc(i.Tags, func(key, _ string) bool { return slices.Contains(keys, key) })
	f.instances[id] = i
	return nil
}

// shown are the instances that are not hidden and that match, by id.
func (f *fakeEC2) shown(match func(cloud.Instance) bool) []cloud.Instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []cloud.Instance
	for _, id := range slices.Sorted(maps.Keys(f.instances)) {
		if i := f.instances[id]; !f.hidden && match(i) {
			out = append(out, i)
		}
	}
	return out
}

func (f *fakeEC2) FindByID(_ context.Context, id string) (cloud.Instance, bool, error) {
	found := f.shown(func(i cloud.Instance) bool { return i.ID == id })
	if len(found) == 0 {
		return cloud.Instance{}, false, nil
	}
	return found[0], true, nil
}

func (f *fakeEC2) FindByToken(_ context.Context, token string) ([]cloud.Instance, error) {
	return f.shown(func(i cloud.Instance) bool { return i.ClientToken == token }), nil
}

func (f *fakeEC2) List(_ context.Context, yield func([]cloud.Instance) error) error {
	return yield(f.shown(func(cloud.Instance) bool { return true }))
}

func (f *fakeEC2) Look(_ context.Context, ids []string) ([]cloud.Instance, error) {
	return f.shown(func(i cloud.Instance) bool { return slices.Contains(ids, i.ID) }), nil
}

func (f *fakeEC2) ListStatuses(_ context.Context, yield func([]cloud.InstanceStatus) error) error {
	f.mu.Lock()
	var page []cloud.InstanceStatus
	for id, s := range f.statuses {
		if f.instances[id].State == cloud.StateRunning {
			s.ID, s.State = id, cloud.StateRunning
			page = append(page, s)
		}
	}
	err := f.refuseStatuses
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return yield(page)
}

func (f *fakeEC2) ResolveImage(context.Context, string) (string, error) { return testImage, nil }

func (f *fakeEC2) ResolveTemplate(_ context.Context, t cloud.TemplateRef) (cloud.Template, error) {
	return cloud.Template{ID: t.ID, Version: "1"}, nil
}

func (f *fakeEC2) AccountID(context.Context) (string, error) { return "123456789012", nil }

// Session makes it the Sessions of every account.
func (f *fakeEC2) Session(context.Context, *ec2v1.EC2Account, string) (cloud.Session, error) {
	return f, nil
}

// set changes what EC2 is like, from outside.
func (f *fakeEC2) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// becomes moves an instance, as EC2 does by itself.
func (f *fakeEC2) becomes(id string, state cloud.State) {
	f.set(func() {
		i := f.instances[id]
		i.State = state
		f.instances[id] = i
	})
}

// taken are the calls since the last time.
func (f *fakeEC2) taken() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.calls
	f.calls = nil
	return out
}

var testScope = observer.Scope{Account: ec2v1.DefaultAccountName, Region: testRegion}

func testNamespace(labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Labels: labels}}
}

func testScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, discoveryv1.AddToScheme, ec2v1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

func fakeClientBuilder(objects ...client.Object) *fake.ClientBuilder {
	scheme := testScheme()
	builder := fake.NewClientBuilder()
	for _, kind := range childKinds() {
		builder.WithIndex(kind, parentIndex, indexChild)
	}
	return builder.
		WithScheme(scheme).
		WithIndex(&ec2v1.EC2Instance{}, adoptIndex, indexAdopted).
		WithTypeConverters(applyconfig.NewTypeConverter(scheme), clientgoac.NewTypeConverter(scheme), managedfields.NewDeducedTypeConverter()).
		WithReturnManagedFields().
		WithStatusSubresource(&ec2v1.EC2Instance{}).
		WithObjects(objects...)
}

func predictorOf(scheme *runtime.Scheme) *apply.Predictor {
	return apply.NewPredictor(scheme, applyconfig.NewTypeConverter(scheme), clientgoac.NewTypeConverter(scheme))
}

func newFakeClient(objects ...client.Object) client.Client {
	return fakeClientBuilder(objects...).Build()
}

// recorder keeps the reasons and notes of events.
type recorder []string

//nolint:revive // The arguments are the interface's.
func (r *recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	*r = append(*r, reason+": "+fmt.Sprintf(note, args...))
}

// rig is one object, an API server, an EC2, and an operator that can be replaced.
type rig struct {
	*testing.T
	client client.WithWatch
	ec2    *fakeEC2
	// writes that changed something; failStatus makes the API server refuse those of status.
	writes     []string
	failStatus bool
	// refuse has the API server refuse applies of children, by kind and name.
	refuse map[string]error
	// made counts the children that were made.
	made int
	// lastMoment is called before each apply.
	lastMoment func(what string)
	// meanwhile happens once, between a decision and the write of the intent.
	meanwhile func()

	operator *Reconciler
	events   recorder
	// news is told when the observer wakes the object.
	news chan struct{}
	stop func()
	// started counts the operators.
	started int
}

// inBubble runs a test on an object that was just created.
func inBubble(t *testing.T, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, ec2: newFakeEC2()}
		r.client = fakeClientBuilder(testAccount(nil), testNamespace(map[string]string{ec2v1.LabelAccount: "default"})).
			WithInterceptorFuncs(interceptor.Funcs{Apply: r.apply, SubResourceApply: r.applyStatus, Delete: r.remove}).Build()
		obj := testObject()
		obj.ResourceVersion = ""
		if err := r.client.Create(t.Context(), obj, client.FieldOwner("user")); err != nil {
			t.Fatal(err)
		}
		r.restart()
		defer func() { r.stop() }()
		test(r)
	})
}

func (r *rig) apply(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	if r.meanwhile != nil {
		happens := r.meanwhile
		r.meanwhile = nil
		happens()
	}
	what := written(obj)
	if r.lastMoment != nil {
		r.lastMoment(what)
	}
	if err := r.refuse[what]; err != nil {
		return err
	}
	if err := c.Apply(ctx, obj, opts...); err != nil {
		return err
	}
	r.writes = append(r.writes, what)
	return r.finish(ctx, c, obj)
}

// applyStatus does what the API server does when the only owner of a status applies it whole. The fake one
// would file all of the object under status' manager, spec and finalizers included, and make conflicts of it.
func (r *rig) applyStatus(ctx context.Context, c client.Client, _ string, config runtime.ApplyConfiguration, _ ...client.SubResourceApplyOption) error {
	if r.failStatus {
		return errBroken
	}
	intent := &ec2v1.EC2Instance{}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, intent); err != nil {
		return err
	}
	live := r.get()
	if live == nil || live.ResourceVersion != intent.ResourceVersion {
		return apierrors.NewConflict(schema.GroupResource{Group: ec2v1.GroupName, Resource: "ec2instances"}, intent.Name, errBroken)
	}
	if !equality.Semantic.DeepEqual(live.Status, intent.Status) {
		after, err := predictorOf(r.client.Scheme()).Predict(live, apply.Intent{
			Config: config, Manager: apply.ManagerInstance, Subresource: apply.SubresourceStatus, Force: true,
		})
		if err != nil {
			return err
		}
		live.Status = intent.Status
		if err := c.Status().Update(ctx, live); err != nil {
			return err
		}
		// The update has made its sender the owner.
		live.ManagedFields = after.Object.GetManagedFields()
		if err := c.Update(ctx, live); err != nil {
			return err
		}
		r.writes = append(r.writes, "status")
	}
	if text, err = json.Marshal(live); err != nil {
		return err
	}
	return json.Unmarshal(text, config)
}

// restart replaces the operator by one that remembers nothing.
func (r *rig) restart() {
	r.Helper()
	if r.stop != nil {
		r.stop()
	}
	r.started++
	scheme := r.client.Scheme()
	o := observer.New(observer.Options{Cluster: testCluster})
	r.news = make(chan struct{}, 1)
	o.OnChange(func(cloud.Owner) { r.wake() })
	o.OnSynced(func(observer.Scope) { r.wake() })
	r.operator = &Reconciler{
		Reader: selecting{r.client}, Live: r.client,
		Applier:  apply.New(r.client, predictorOf(scheme)),
		Sessions: r.ec2, Observer: o, Events: &r.events, Clock: clock.RealClock{}, Cluster: testCluster,
		Identity: fmt.Sprintf("operator-%d", r.started), OperatorNamespace: operatorNamespace,
	}
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- o.Start(ctx) }()
	r.stop = func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
	}
}

// reconcile makes a pass, and returns when the next one is asked for.
func (r *rig) reconcile() (time.Duration, error) {
	key := client.ObjectKey{Namespace: "team", Name: "web-1"}
	result, err := r.operator.Reconcile(r.Context(), reconcile.Request{NamespacedName: key})
	return result.RequeueAfter, err
}

// get returns the object, or nil when it is gone.
func (r *rig) get() *ec2v1.EC2Instance {
	r.Helper()
	obj := &ec2v1.EC2Instance{}
	err := r.client.Get(r.Context(), client.ObjectKey{Namespace: "team", Name: "web-1"}, obj)
	if client.IgnoreNotFound(err) != nil {
		r.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return obj
}

func (r *rig) wake() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// until makes passes, when the last one asked for it and when the observer has news, until something is so.
func (r *rig) until(what string, so func(*ec2v1.EC2Instance) bool) *ec2v1.EC2Instance {
	r.Helper()
	const within = 30 * time.Minute
	for end := time.Now().Add(within); time.Now().Before(end); {
		again, err := r.reconcile()
		if err != nil {
			r.Fatal(err)
		}
		if obj := r.get(); so(obj) {
			return obj
		}
		if again == 0 {
			again = within
		}
		select {
		case <-r.news:
		case <-time.After(again):
		}
		synctest.Wait()
	}
	r.Fatalf("after %s it is not so that %s: %+v", within, what, r.get())
	return nil
}

// passes makes passes for a while.
func (r *rig) passes(d time.Duration) {
	r.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
		if _, err := r.reconcile(); err != nil {
			r.Fatal(err)
		}
	}
}

func readyIs(reason string) func(*ec2v1.EC2Instance) bool {
	return func(obj *ec2v1.EC2Instance) bool {
		return obj != nil && slices.ContainsFunc(obj.Status.Conditions, func(c metav1.Condition) bool {
			return c.Type == ec2v1.ConditionReady && c.Reason == reason && c.ObservedGeneration == obj.Generation
		})
	}
}

func isGone(obj *ec2v1.EC2Instance) bool { return obj == nil }

// run brings the object's first instance to running.
func (r *rig) run() *ec2v1.EC2Instance {
	r.Helper()
	r.until("the instance is launched", readyIs(ec2v1.ReasonStarting))
	r.ec2.becomes(instanceID(1), cloud.StateRunning)
	return r.until("the instance runs", readyIs(ec2v1.ReasonRunning))
}

// edit changes spec as its user does.
func (r *rig) edit(change func(*ec2v1.EC2InstanceSpec)) {
	r.Helper()
	obj := r.get()
	change(&obj.Spec)
	obj.Generation++ // As the API server counts; the fake one does not.
	if err := r.client.Update(r.Context(), obj, client.FieldOwner("user")); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) delete() {
	r.Helper()
	if err := r.client.Delete(r.Context(), r.get()); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) expectCalls(want ...string) {
	r.Helper()
	if got := r.ec2.taken(); !slices.Equal(got, want) {
		r.Errorf("called %q, want %q", got, want)
	}
}

func (r *rig) expectWrites(want ...string) {
	r.Helper()
	if !slices.Equal(r.writes, want) {
		r.Errorf("wrote %q, want %q", r.writes, want)
	}
	r.writes = nil
}

// expectRest makes passes for a while and expects that nothing is sent.
func (r *rig) expectRest() {
	r.Helper()
	for range 5 {
		if _, err := r.reconcile(); err != nil {
			r.Error(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
	}
	r.expectCalls()
	r.expectWrites()
}
