// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Draft is an intent as it would be sent: what it would take from whom is known, and nothing has been sent.
type Draft struct {
	// Taken are the fields that it takes from others by force.
	Taken []Conflict
	// Left are the fields that it leaves to others for now, though it has force: they keep taking them.
	Left []Left

	intent Intent
	// body is the intent without what is left.
	body *unstructured.Unstructured
	live client.Object
	// before is live as the merge code sees it; nil where the intent is known to change nothing.
	before     *unstructured.Unstructured
	prediction Prediction
}

// Draft looks at what an intent would do to live, the object as the cache has it, with its managedFields; nil for
// one that is not cached. A reconciler that has to tell of contested fields drafts, adds what it has to tell, and
// sends; the others Apply.
func (a *Applier) Draft(live client.Object, in Intent) (*Draft, error) {
	body, err := in.body()
	if err != nil {
		return nil, err
	}
	if err := in.check(body); err != nil {
		return nil, err
	}
	d := &Draft{intent: in, body: body, live: live}
	key, of, told := a.noOpOf(live, in)
	if told && a.noOps.known(key, of) {
		d.prediction, _ = Prediction{NoOp: true}.filled(nil, nil)
		return d, nil
	}
	d.before, _ = a.predictor.unstructured(live) // What cannot be read is not predicted on.
	a.predict(d)
	a.leave(d)
	if told && d.prediction.NoOp && len(d.Left) == 0 && !Inherited(live) {
		a.noOps.remember(key, of)
	}
	return d, nil
}

// predict fills the prediction in. An intent that the merge code refuses is sent: the API server says what is wrong
// in its own words.
func (a *Applier) predict(d *Draft) {
	prediction, err := a.predictor.predict(d.live, d.before, d.body, d.intent)
	if err != nil {
		prediction = Prediction{}
	}
	d.prediction = prediction
	d.Taken = nil
	if d.intent.Force {
		d.Taken = slices.DeleteFunc(slices.Clone(prediction.Conflicts), func(c Conflict) bool {
			return !slices.ContainsFunc(c.Owners, isSomebody) || a.contests.unseen(d.contest(c), d.version())
		})
	}
}

// leave takes out of the draft what others are left with.
func (a *Applier) leave(d *Draft) {
	now := a.clock.Now()
	var paths []fieldpath.Path
	for _, c := range d.Taken {
		if until, leave := a.contests.leave(d.contest(c), d.version(), now); leave && c.Path != nil {
			d.Left = append(d.Left, Left{Conflict: c, Until: until})
			paths = append(paths, c.Path)
		}
	}
	if len(paths) > 0 {
		d.body = without(d.body, paths)
		a.predict(d)
	}
}

// isSomebody tells an owner from nobody, from whom nothing is taken.
func isSomebody(o Owner) bool { return !o.Nobody() }

func (d *Draft) contest(c Conflict) contestKey {
	return contestKey{uid: d.uid(), manager: d.intent.Manager, subresource: d.intent.Subresource, field: c.Field}
}

func (d *Draft) uid() types.UID {
	if d.live == nil {
		return ""
	}
	return d.live.GetUID()
}

// version is the resourceVersion of the cached object.
func (d *Draft) version() string {
	if d.live == nil {
		return ""
	}
	return d.live.GetResourceVersion()
}
