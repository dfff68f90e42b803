// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// read reads what EC2 does not tell in its lists. A failure is remembered, so that the reading is put off.
func (p *pass) read(ctx context.Context, plan Plan) error {
	r := Reading{ID: plan.ID, Generation: p.obj.Generation}
	if plan.Field == fieldUserData {
		data, refused, err := p.userData(ctx, p.obj)
		if err != nil {
			return err
		}
		if refused != nil {
			p.unreadable(plan, r, refused)
			return nil
		}
		r.Wanted = standFor(data.Bytes)
	}
	err := p.actor.read(ctx, plan, &r)
	p.actor.remember(plan.Step, plan.Of, err)
	if err == nil {
		p.keep(plan.Field, r)
	}
	return nil
}

// read asks EC2 for the value of a field.
func (a *actor) read(ctx context.Context, plan Plan, into *Reading) error {
	switch plan.Field {
	case fieldCredits:
		credits, err := a.session.Credits(ctx, []string{plan.ID})
		into.Value = cmp.Or(credits[plan.ID], creditsStandard)
		return err
	case fieldDevices:
		var ids []string
		for _, v := range plan.Instance.Volumes {
			ids = append(ids, v.ID)
		}
		volumes, err := a.session.Volumes(ctx, ids)
		into.Volumes = volumes
		return err
	}
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == plan.Field })
	value, err := a.session.ReadAttribute(ctx, plan.ID, fields[i].attribute)
	into.Value = valueOf(fields[i].attribute, value)
	return err
}

// unreadable: what spec refers to is not there, or no longer. That is trouble where the reference has been changed; a Secret that is
// deleted after the launch has done its work, and says nothing of what the instance should be.
func (p *pass) unreadable(plan Plan, r Reading, why *PrepareError) {
	f := learn(p.in)
	asAtLaunch := f.sight(p.in).launched() && f.intent.launchedAs(&p.obj.Spec, fieldUserData)
	if !asAtLaunch && !f.knownInSync(p.in, fieldUserData) {
		p.actor.remember(plan.Step, plan.Of, why.asError())
		return
	}
	p.keep(fieldUserData, r)
}

// keep remembers a reading that was made just now.
func (p *pass) keep(field string, r Reading) {
	r.At = p.Clock.Now()
	if p.actor.memory.Readings == nil {
		p.actor.memory.Readings = map[string]Reading{}
	}
	p.actor.memory.Readings[field] = r
}

func valueOf(a cloud.Attribute, v cloud.AttributeValue) string {
	switch a {
	case cloud.AttributeUserData:
		return standFor(v.Bytes)
	case cloud.AttributeShutdownBehavior:
		return v.Text
	default:
		return strconv.FormatBool(v.Flag)
	}
}

// standFor is a digest of user data.
func standFor(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// complete adds to the plan what only a pass can read: the bytes of user data. What spec refers to may be gone since it was compared.
func (p *pass) complete(ctx context.Context, plan *Plan) (*PrepareError, error) {
	if plan.Step != modifying(fieldUserData) {
		return nil, nil
	}
	data, refused, err := p.userData(ctx, p.obj)
	if refused == nil && err == nil {
		plan.Modification = cloud.NewUserData(data.Bytes)
	}
	return refused, err
}

// incomplete decides anew on a change whose user data is gone: it says so, and an instance that was stopped for it is started.
func (p *pass) incomplete(plan Plan, why *PrepareError) Plan {
	delete(p.actor.memory.Readings, fieldUserData)
	p.unreadable(Plan{Step: reading(fieldUserData), Of: plan.ID}, Reading{ID: plan.ID, Generation: p.obj.Generation}, why)
	p.refresh()
	next := Decide(p.in)
	next.Events = append(next.Events, warning(why.Reason, "Not updating userData: %s", why.Message))
	return next.soon()
}
