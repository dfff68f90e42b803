// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

// index finds ids by something that instances share.
type index[K comparable] map[K]map[string]bool

func (x index[K]) add(key K, id string) {
	var none K
	if key == none {
		return
	}
	ids, ok := x[key]
	if !ok {
		ids = map[string]bool{}
		x[key] = ids
	}
	ids[id] = true
}

func (x index[K]) remove(key K, id string) {
	ids := x[key]
	delete(ids, id)
	if len(ids) == 0 {
		delete(x, key)
	}
}
