// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// Sessions gives the session of an account in a Region; an empty Region is the account's.
type Sessions interface {
	Session(ctx context.Context, account *ec2v1.EC2Account, region string) (cloud.Session, error)
}

// Reconciler reconciles EC2Instances.
type Reconciler struct {
	// Reader reads from the cache; Live reads past it, for Secrets and ConfigMaps only.
	Reader, Live client.Reader
	// Applier writes.
	Applier *apply.Applier
	// Sessions and Observer are the way to EC2.
	Sessions Sessions
	Observer *observer.Observer
	// Events records events.
	Events events.EventRecorder
	// Clock tells the time.
	Clock clock.PassiveClock
	// Cluster identifies this cluster in tags and tokens.
	Cluster string
	// Identity identifies this process among those of the operator; each run has another one.
	Identity string
	// OperatorNamespace may use every account that has no allowedNamespaces.
	OperatorNamespace string

	// Namespaces to work in; none are all.
	Namespaces []string

	memories memories
	stale    staleness
}

// Reconcile makes one pass over an object.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	obj := &ec2v1.EC2Instance{}
	err := r.Reader.Get(ctx, req.NamespacedName, obj)
	if apierrors.IsNotFound(err) {
		r.memories.drop(req.NamespacedName)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("reading EC2Instance from the cache: %w", err)
	}
	if !r.Applier.Fresh(obj) {
		return reconcile.Result{RequeueAfter: r.stale.pause(req.NamespacedName)}, nil
	}
	// A pass that has begun is carried to its end when the operator is asked to stop: what EC2 has accepted is
	// to be recorded.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), passTimeout)
	defer cancel()
	after, err := r.pass(ctx, obj)
	return r.result(ctx, req.NamespacedName, after, err)
}

// result turns the end of a pass into what the queue is told.
func (r *Reconciler) result(ctx context.Context, key types.NamespacedName, after time.Duration, err error) (reconcile.Result, error) {
	switch {
	case apply.IsGone(err):
		log.FromContext(ctx).V(1).Info("Object is gone", "object", key)
		return reconcile.Result{}, nil
	case apply.IsStale(err), errors.Is(err, errNotIntended):
		return reconcile.Result{RequeueAfter: r.stale.pause(key)}, nil
	case err != nil:
		return reconcile.Result{}, err
	default:
		r.stale.over(key)
		return reconcile.Result{RequeueAfter: after}, nil
	}
}

// pass is one pass over one object.
type pass struct {
	*Reconciler
	log   logr.Logger
	obj   *ec2v1.EC2Instance
	actor *actor
	in    Input
	// version is the object's resourceVersion after this pass's own writes, and written the status that it wrote.
	version, written string
	// began is when the pass began: what it writes bears one time.
	began time.Time
	// fights are the fields that others took.
	fights fights
}

func (r *Reconciler) pass(ctx context.Context, obj *ec2v1.EC2Instance) (time.Duration, error) {
	p := &pass{Reconciler: r, log: log.FromContext(ctx), obj: obj, version: obj.ResourceVersion, began: r.Clock.Now()}
	if err := p.observe(ctx); err != nil {
		return 0, err
	}
	plan, err := p.decide(ctx)
	if err != nil {
		return 0, err
	}
	if plan.Step == StepRelease {
		return p.release(ctx)
	}
	after, err := p.carryOut(ctx, plan)
	return p.fights.within(after, r.Clock.Now()), err
}

// maxLooks bounds how often a pass looks something up and decides again: launch parameters, the id, the token, attributes.
const maxLooks = 8

// decide decides, and finds out what the decision asks for, until there is something to do.
func (p *pass) decide(ctx context.Context) (Plan, error) {
	for range maxLooks {
		plan := Decide(p.in)
		if !plan.Step.looks() {
			return plan, nil
		}
		if plan.Step == StepPrepare {
			if err := p.prepare(ctx, &p.in, p.actor.session, plan.Candidate); err != nil {
				return Plan{}, err
			}
			p.actor.memory.Calls = p.in.Memory.Calls
			continue
		}
		if plan.Step.reads() {
			if err := p.read(ctx, plan); err != nil {
				return Plan{}, err
			}
		} else {
			p.actor.look(ctx, p.in, plan)
		}
		if err := p.survey(ctx); err != nil {
			return Plan{}, err
		}
	}
	plan := Decide(p.in)
	plan.Step, plan.After = StepNone, lookAgain
	return plan, nil
}

// carryOut writes what has to be written before the step, takes the step, and writes the status.
func (p *pass) carryOut(ctx context.Context, plan Plan) (time.Duration, error) {
	if plan.Quiet {
		return plan.After, nil
	}
	if err := p.applyLifecycle(ctx, plan); err != nil {
		return p.conflicted(ctx, plan, err)
	}
	if plan.tellsFirst() {
		if err := p.applyStatus(ctx, plan); err != nil {
			return 0, err
		}
	}
	if gone, err := p.complete(ctx, &plan); err != nil {
		return 0, err
	} else if gone != nil {
		return p.tell(ctx, p.incomplete(plan, gone))
	}
	told, err := p.act(ctx, plan)
	if why := cloud.Unconfirmed(err); why != nil {
		return 0, why
	}
	if plan.Step == StepNone {
		return p.tell(ctx, plan)
	}
	after := p.outcome(plan, told, err)
	if after.quiet {
		p.record(after.plan.Events)
		return after.plan.After, nil
	}
	return p.tell(ctx, after.plan)
}

// act takes the plan's step. A launch that is repeated is confirmed first, and so is one that only the intent's holder may ask for:
// between the write of the intent and its turn with EC2 another process may have taken it over.
func (p *pass) act(ctx context.Context, plan Plan) ([]Event, error) {
	if plan.Step == StepLaunch || plan.Step.launches() && plan.Intent.Holder != "" {
		ctx = cloud.Confirming(ctx, p.stillIntended(plan.Intent))
	}
	return p.actor.act(ctx, plan, p.in.Prepared)
}

// outcome is what a pass has to tell after its step.
type outcome struct {
	plan Plan
	// quiet: there is nothing new to tell.
	quiet bool
}

// outcome decides again on what the step has changed, so that the status tells the world after it.
func (p *pass) outcome(plan Plan, told []Event, err error) outcome {
	if err != nil {
		return p.failed(plan, cloud.ErrorOf(err))
	}
	p.refresh()
	next := Decide(p.in)
	next.Events = append(told, next.Events...)
	return outcome{plan: next.soon()}
}

// failed tells of a call that has failed.
func (p *pass) failed(plan Plan, failure *cloud.Error) outcome {
	p.logFailure(plan.Step, failure)
	switch {
	case p.changesThePlan(plan.Step, failure):
		return p.refused(plan, failure)
	case plan.Step.launches() && isShortage(failure) && len(candidatesOf(&p.obj.Spec)) > 0:
		return p.starved(failure)
	}
	plan.Verdict = plan.Verdict.failed(failure)
	plan.After = p.actor.memory.wait(memoryStep(plan.Step), plan.Of, p.Clock.Now())
	if p.refresh(); failure.Class == cloud.ClassThrottled {
		return outcome{plan: plan, quiet: true}
	}
	if Decide(p.in).Step != StepNone {
		plan.After = again // What has failed holds nothing else up.
	}
	plan.Events = append(plan.Events, warning(reasonOf(failure.Class), "%s", failure.Error()))
	return outcome{plan: plan}
}

// starved tells of a candidate that EC2 has refused. Where the next one follows at once, that is no state to tell of: an event does, in
// the first round.
func (p *pass) starved(failure *cloud.Error) outcome {
	p.refresh()
	next, f := Decide(p.in), learn(p.in)
	followed := next.Step == StepPrepare || next.Step == StepIntend
	if !followed || f.intent.Round == 0 {
		next.Events = append(next.Events, warning(ec2v1.ReasonInsufficientCapacity, "%s", f.tellRefused(failure)))
	}
	return outcome{plan: next.soon(), quiet: followed}
}

// changesThePlan tells whether what a failure makes of the plan is to be decided anew: a change that is refused is told there, and a
// deletion that a protection is in the way of goes on otherwise.
func (p *pass) changesThePlan(step Step, failure *cloud.Error) bool {
	switch {
	case step.modifies(), step == StepReplace:
		return true
	case p.obj.DeletionTimestamp != nil:
		return failure.Class == cloud.ClassProtected
	default:
		return step.awaited() && needsHelp(failure.Class)
	}
}

// refused tells of a change, or of an end, that EC2 has refused: the decision after it knows what becomes of it, and of all others.
func (p *pass) refused(plan Plan, failure *cloud.Error) outcome {
	p.refresh()
	next := Decide(p.in)
	note := failure.Error()
	if plan.Field != "" {
		note = "Updating " + plan.Field + ": " + note
	}
	if failure.Class != cloud.ClassThrottled {
		next.Events = append(next.Events, warning(reasonOf(failure.Class), "%s", note))
	}
	return outcome{plan: next.soon()}
}

// soon has a plan with a step come back for it at once, whatever else it is to come back for later. An intent that it would write is
// not told of before it is written: the attempt that status tells of counts as one that was begun.
func (p Plan) soon() Plan {
	if p.Step != StepNone {
		p.After = again
	}
	if p.writesIntent() {
		p.Intent = nil
	}
	return p
}

// logFailure logs a failed call; that a rate limit holds calls up is everyday.
func (p *pass) logFailure(step Step, e *cloud.Error) {
	level := 0
	if e.Class == cloud.ClassThrottled {
		level = 1
	}
	p.log.V(level).Info("AWS call failed", "step", step, "class", e.Class, "code", e.Code, "message", e.Message)
}

// again is when to come back for the next step: at once, and as a pass of its own.
const again = time.Millisecond

// memoryStep is the step under which a call is remembered.
func memoryStep(s Step) Step {
	if s.launches() {
		return StepLaunch
	}
	return s
}

// conflicted tells of a manager that holds the finalizer or the launch intent.
func (p *pass) conflicted(ctx context.Context, plan Plan, err error) (time.Duration, error) {
	if !apply.IsOwnershipConflict(err) {
		return 0, err
	}
	plan.Intent = nil // It was not written, and would be another one in each pass.
	plan.Verdict = learn(p.in).stalled(ec2v1.ReasonOwnershipConflict, err.Error())
	plan.Events = []Event{warning(ec2v1.ReasonOwnershipConflict, "%s", err.Error())}
	return accountAgain, p.applyStatus(ctx, plan)
}
