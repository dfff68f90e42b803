// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import "fmt"

// oracle is one question that the judge asks of what happened.
type oracle int

// The oracles, in the order of the design's invariants.
const (
	oneLive oracle = iota
	tokenOfIntent
	onlyHolder
	onePerAttempt
	sameParameters
	attemptRises
	emptyRead
	idStays
	finalizerLeaves
	finalizerStays
	asPolicySays
	specIsTheUsers
	nothingForNothing
	callsHaveEffect
	sortedLists
	timesStay
	nothingVolatile
	othersSurvive
	neverFight
	oursComeBack
	tookBackOnce
	othersChildren
	childrenAsAsked
	secretsByName
	secretsStay
	withinBuckets
	onceEach
	oracleCount
)

// oracles tell each one's invariant in the design, and what it asks.
var oracles = [oracleCount]struct {
	invariant int
	text      string
}{
	oneLive:           {1, "an object has at most one live instance"},
	tokenOfIntent:     {1, "RunInstances carries the token of the intent that the API server has had, and has still, on the object of that uid"},
	onlyHolder:        {1, "RunInstances is sent by the process that holds the intent, where the intent names one"},
	onePerAttempt:     {1, "an attempt has one intent: its token is the one derived for it, and the next intent is of the next attempt"},
	sameParameters:    {1, "RunInstances with one token has the same parameters each time"},
	attemptRises:      {2, "the attempt rises when its instance is terminated, or certainly never came to be, or the consistency window is over"},
	emptyRead:         {2, "a new token reaches EC2 while the object has no live instance, exists, and has its finalizer"},
	idStays:           {1, "status.instanceID stays while its instance lives and bears the object's uid"},
	finalizerLeaves:   {3, "the finalizer leaves when the instance is terminated, or is as deletionPolicy says"},
	finalizerStays:    {3, "the finalizer stays on an object that nobody has deleted"},
	asPolicySays:      {3, "EC2 is changed as the object that the pass has read says: deletion and its policy, power state, suspend"},
	specIsTheUsers:    {4, "an operator's write leaves spec, labels, owners, and the annotations and finalizers of others"},
	nothingForNothing: {5, "an operator writes nothing that changes nothing, when it could know"},
	callsHaveEffect:   {5, "a call that changes nothing in EC2 is not repeated for ever"},
	sortedLists:       {7, "lists in intents and in calls are sorted and free of duplicates"},
	timesStay:         {7, "lastTransitionTime stays while a condition's status does"},
	nothingVolatile:   {7, "a status write has a cause: messages and times do not change by themselves"},
	othersSurvive:     {8, "fields of other managers keep value and owner through an operator's write"},
	neverFight:        {8, "no field has two of our managers"},
	oursComeBack:      {8, "at rest all of the operator's status, its finalizer and its annotation are its own"},
	tookBackOnce:      {8, "one event for each time that a field was taken back"},
	othersChildren:    {9, "no write to a Service, EndpointSlice or ConfigMap that the EC2Instance does not control"},
	childrenAsAsked:   {9, "at rest children are as asked, or the condition says whose the name is"},
	secretsByName:     {10, "Secrets are read one by one, past the cache, in the object's namespace, when its spec refers to them"},
	secretsStay:       {10, "a secret's value is in no object, event, log, metric or call but RunInstances' user data"},
	withinBuckets:     {12, "calls to AWS keep within the operator's share of EC2's buckets"},
	onceEach:          {12, "a change of EC2 is sent once for each pass, with a deadline, and the SDK repeats none"},
}

func (o oracle) String() string {
	return fmt.Sprintf("invariant %d: %s", oracles[o].invariant, oracles[o].text)
}

// tally is how often each oracle was asked.
type tally [oracleCount]int64

// add adds another run's.
func (t *tally) add(o tally) {
	for i, n := range o {
		t[i] += n
	}
}
