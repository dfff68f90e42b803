// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package observer watches EC2 the way an informer watches the API server: it lists, keeps a store, and tells whose
// instances have changed. EC2 has no watch, so what is in motion is looked at often, many at a time, and everything is
// listed now and then.
//
// Each scope, an account in a Region, has a poller and a store of its own, its [View]: one scope's trouble delays no
// other's. At rest a scope costs two calls an interval: DescribeInstances for each thousand of our instances and, if any of
// them runs, DescribeInstanceStatus for each thousand that run in the account and Region, ours or not. While one that was
// just started waits for the results of its status checks, the latter is made every 15 seconds.
//
// EC2 is eventually consistent, and the store allows for it. An empty or short list deletes nothing: what it lacks is
// marked as missing. What a call that changed something answered outranks what EC2 describes for a while after. A
// terminated instance, which loses its tags, keeps its owner. And from terminated there is no way back.
package observer
