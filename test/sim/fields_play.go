// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// How long the operator has to bring back what somebody changed in EC2: a poll, which comes each minute or so, and what calls and a stop take,
// which is less than two polls; and the interval of readings, an hour and up to an eighth more.
const (
	withinPoll    = 105 * time.Second
	withinReading = 75 * time.Minute
)

// moment is when all rows are looked at.
type moment string

// The moments of a play of the rows, in their order.
const (
	// created: the objects were created with the first value.
	created moment = "created"
	// edited: the second value was asked for, with the default policy.
	edited moment = "edited"
	// reverted: that edit was taken back.
	reverted moment = "reverted"
	// changed: the second value was asked for, and everything is allowed.
	changed moment = "changed"
	// takenOver: another operator has read all that EC2 tells.
	takenOver moment = "restarted"
	// ignored: somebody has changed the instances in EC2, and overrides say to ignore that.
	ignored moment = "ignored"
	// minded: the overrides are gone.
	minded moment = "minded"
	// polled and read: somebody has changed the instances again, a poll and a reading ago.
	polled moment = "polled"
	read   moment = "read"
	// repaired: what needs more than the default policy is allowed.
	repaired moment = "repaired"
)

// fieldView is what there is of a row at a moment.
type fieldView struct {
	obj  *ec2v1.EC2Instance
	live []ec2sim.Instance
	// have is EC2's truth of the one instance that lives.
	have truth
	// calls are the operator's calls about the object's instances that changed something, by action, since the moment before.
	calls map[string]int
}

// fieldsPlay plays all rows at once, each with an object of its own.
type fieldsPlay struct {
	*play

	rows []*fieldRow
	// values are the rows' specs: made once, since one tells the time.
	values map[string]*specOf
	// before is how many requests EC2 had served at the moment before.
	before int
	views  map[moment]map[*fieldRow]fieldView
}

func (w *world) newFieldsPlay(rows []*fieldRow) (*fieldsPlay, error) {
	w.furnish()
	p := &fieldsPlay{
		play: &play{scenario: &scenario{name: "fields"}, world: w, tape: newTape(w)},
		rows: rows, values: map[string]*specOf{}, views: map[moment]map[*fieldRow]fieldView{},
	}
	if err := w.pollEach(60); err != nil {
		return nil, err
	}
	if err := p.rest(startTime); err != nil {
		return nil, fmt.Errorf("starting: %w", err)
	}
	return p, nil
}

// playFresh creates the objects with their second values.
func (w *world) playFresh(rows []*fieldRow) (map[*fieldRow]fieldView, error) {
	p, err := w.newFieldsPlay(rows)
	if err != nil {
		return nil, err
	}
	if err := p.ask(quietTime, created, (*fieldRow).second); err != nil {
		return nil, err
	}
	return p.views[created], nil
}

// playFields plays all there is to see of the rows.
func (w *world) playFields(rows []*fieldRow) (map[moment]map[*fieldRow]fieldView, error) {
	p, err := w.newFieldsPlay(rows)
	if err != nil {
		return nil, err
	}
	for _, act := range []func() error{
		func() error { return p.ask(readyTime, created, (*fieldRow).first) },
		func() error { return p.ask(quietTime, edited, (*fieldRow).secondUnlessOneWay) },
		func() error { return p.ask(quietTime, reverted, (*fieldRow).first) },
		func() error { return p.ask(quietTime, changed, (*fieldRow).second, updates(ec2v1.UpdateReplace)) },
		p.restart,
		p.driftIgnored,
		func() error { return p.ask(quietTime, minded, (*fieldRow).second) },
		p.driftMinded,
		func() error { return p.ask(quietTime, repaired, (*fieldRow).second, updates(ec2v1.UpdateReplace)) },
	} {
		if err := act(); err != nil {
			return p.views, err
		}
	}
	return p.views, nil
}

func (r *fieldRow) first() (string, func(*specOf)) { return "from", r.from }

func (r *fieldRow) second() (string, func(*specOf)) { return "to", r.to }

func (r *fieldRow) secondUnlessOneWay() (string, func(*specOf)) {
	if r.oneWay != "" {
		return r.first()
	}
	return r.second()
}

// ask applies one of the values to all objects, lets the world come to rest, and looks.
func (p *fieldsPlay) ask(quiet time.Duration, m moment, value func(*fieldRow) (string, func(*specOf)), more ...func(*specOf)) error {
	p.world.trace("fields: %s", m)
	for _, r := range p.rows {
		if err := p.apply(r, value, more...); err != nil {
			return err
		}
	}
	if err := p.rest(quiet); err != nil {
		return fmt.Errorf("%s: %w; not in sync: %v", m, err, p.unsynced())
	}
	return p.look(m)
}

// unsynced are the rows whose objects the operator still has something to do for.
func (p *fieldsPlay) unsynced() (names []string) {
	for _, r := range p.rows {
		obj, err := p.world.get(r.object())
		if err != nil || obj == nil || !meta.IsStatusConditionTrue(obj.Status.Conditions, ec2v1.ConditionReady) {
			names = append(names, r.name())
		}
	}
	return names
}

func (p *fieldsPlay) apply(r *fieldRow, value func(*fieldRow) (string, func(*specOf)), more ...func(*specOf)) error {
	name, edit := value(r)
	key := r.object() + "/" + name
	if p.values[key] == nil {
		p.values[key] = r.spec(edit)
	}
	spec := *p.values[key]
	for _, change := range more {
		change(&spec)
	}
	if err := p.world.applyAsUser(r.object(), &spec); err != nil {
		return fmt.Errorf("%s with %s: %w", r.name(), name, err)
	}
	return nil
}

// restart has another operator look at everything.
func (p *fieldsPlay) restart() error {
	p.world.trace("fields: %s", takenOver)
	p.crashAll()
	if err := p.wait(withinReading); err != nil {
		return err
	}
	return p.look(takenOver)
}

// ignoring is the policy that leaves the row's field to others.
func (r *fieldRow) ignoring(s *specOf) {
	s.WithUpdatePolicy(ec2v1ac.UpdatePolicy().WithOverrides(ec2v1ac.UpdateOverride().WithField(r.field).WithAllow(ec2v1.UpdateIgnore)))
}

// ignorable tells whether somebody changes the field while overrides say to ignore it.
func (r *fieldRow) ignorable() bool { return r.drift != nil && r.drift.noIgnore == "" }

// driftIgnored has somebody change all instances whose fields are to be ignored. The operator is asked to keep its hands off those
// that have to be stopped for it, until they run again.
func (p *fieldsPlay) driftIgnored() error {
	p.world.trace("fields: drift that is ignored")
	stoppedRows := func(r *fieldRow) bool { return r.ignorable() && r.drift.stopped }
	for _, step := range []struct {
		rows func(*fieldRow) bool
		does func(*fieldRow) error
		then time.Duration
	}{
		{(*fieldRow).ignorable, func(r *fieldRow) error { return p.apply(r, (*fieldRow).second, r.ignoring, r.offHands) }, readyTime},
		{stoppedRows, p.byHand(stop), time.Minute},
		{(*fieldRow).ignorable, p.drifts, 5 * time.Second},
		{stoppedRows, p.startsByHand, time.Minute},
		{stoppedRows, func(r *fieldRow) error { return p.apply(r, (*fieldRow).second, r.ignoring) }, time.Minute},
	} {
		if err := p.each(step.rows, step.does); err != nil {
			return err
		}
		if err := p.wait(step.then); err != nil {
			return err
		}
	}
	p.mark()
	if err := p.wait(withinReading); err != nil {
		return err
	}
	return p.look(ignored)
}

// offHands suspends what has to be stopped.
func (r *fieldRow) offHands(s *specOf) {
	if r.drift.stopped {
		s.WithSuspend(true)
	}
}

// driftMinded has somebody change what the operator brings back without asking.
func (p *fieldsPlay) driftMinded() error {
	p.world.trace("fields: drift that is minded")
	p.mark()
	if err := p.each((*fieldRow).driftsAtAnyTime, p.drifts); err != nil {
		return err
	}
	if err := p.wait(withinPoll); err != nil {
		return err
	}
	if err := p.look(polled); err != nil {
		return err
	}
	if err := p.wait(withinReading); err != nil {
		return err
	}
	return p.look(read)
}

// driftsAtAnyTime tells whether somebody can change the field at any time, and the operator can change it back.
func (r *fieldRow) driftsAtAnyTime() bool {
	return r.drift != nil && !r.drift.stopped && r.drift.repair != ec2v1.PlanActionNone
}

func (p *fieldsPlay) each(which func(*fieldRow) bool, do func(*fieldRow) error) error {
	for _, r := range p.rows {
		if !which(r) {
			continue
		}
		if err := do(r); err != nil {
			return fmt.Errorf("%s: %w", r.name(), err)
		}
	}
	return nil
}

func (p *fieldsPlay) drifts(r *fieldRow) error { return p.byHand(r.drift.does)(r) }

// byHand has somebody do something to the row's instance.
func (p *fieldsPlay) byHand(does func(context.Context, hand) error) func(*fieldRow) error {
	return func(r *fieldRow) error {
		return p.world.inConsole(r.object(), func(i ec2sim.Instance) error {
			return does(context.Background(), hand{Client: p.world.console(), id: i.ID})
		})
	}
}

// startsByHand starts an instance again. EC2 takes few starts at once.
func (p *fieldsPlay) startsByHand(r *fieldRow) error {
	if err := p.byHand(start)(r); err != nil {
		return err
	}
	return p.wait(time.Second)
}

func (p *fieldsPlay) wait(d time.Duration) error {
	if err := p.world.calm(d, p.decide); err != nil {
		return err
	}
	p.tape.read()
	return nil
}

// mark begins to count calls.
func (p *fieldsPlay) mark() { p.before = len(p.world.ec2.Requests()) }

// look looks at all rows.
func (p *fieldsPlay) look(m moment) error {
	views := map[*fieldRow]fieldView{}
	requests := p.world.ec2.Requests()
	for _, r := range p.rows {
		v, err := p.viewOf(r, requests[min(p.before, len(requests)):])
		if err != nil {
			return err
		}
		views[r] = v
	}
	p.views[m] = views
	p.mark()
	return nil
}

func (p *fieldsPlay) viewOf(r *fieldRow, requests []ec2sim.Request) (fieldView, error) {
	obj, err := p.world.get(r.object())
	if err != nil || obj == nil {
		return fieldView{}, fmt.Errorf("reading %s: %w", r.object(), err)
	}
	v := fieldView{obj: obj, live: liveOf(p.world.ec2, obj.UID), calls: map[string]int{}}
	ids := p.idsOf(obj)
	for _, c := range requests {
		if c.AccessKeyID != consoleKey && changesEC2(c.Action) && about(c, ids) {
			v.calls[c.Action]++
		}
	}
	if len(v.live) == 1 {
		v.have = p.truthOf(v.live[0])
	}
	return v, nil
}

// truthOf is what EC2 has of an instance.
func (p *fieldsPlay) truthOf(i ec2sim.Instance) truth {
	have := truth(p.world.ec2.Configuration(i.ID))
	have["state"], have["privateIpAddress"], have[reboots] = i.State, i.PrivateIP, strconv.Itoa(len(i.Reboots))
	for key, value := range i.Tags {
		have["tag."+key] = value
	}
	return have
}

// idsOf are the instances that the object ever had, and what the latest has.
func (p *fieldsPlay) idsOf(obj *ec2v1.EC2Instance) []string {
	var ids []string
	for _, i := range p.world.ec2.Instances() {
		if i.Tags[ec2v1.TagUID] == string(obj.UID) {
			ids = append(ids, i.ID)
		}
	}
	for _, n := range obj.Status.NetworkInterfaces {
		ids = append(ids, n.ID)
	}
	for _, v := range obj.Status.Volumes {
		ids = append(ids, v.VolumeID)
	}
	return ids
}

// about tells whether a call names one of the ids, or has launched one.
func about(c ec2sim.Request, ids []string) bool {
	for name, value := range c.Params {
		if strings.Contains(name, "Id") && slices.Contains(ids, value) {
			return true
		}
	}
	return slices.ContainsFunc(c.Instances, func(id string) bool { return slices.Contains(ids, id) })
}
