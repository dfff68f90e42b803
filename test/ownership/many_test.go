// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"strings"
)

// labelling is a label each by several managers, by update or by apply.
type labelling struct {
	count int
	apply bool
}

func (x labelling) text(perfect bool) string {
	how := tense(perfect, "update the object (PUT)", "have updated the object (PUT)")
	if x.apply {
		how = tense(perfect, "apply", "have applied")
	}
	return fmt.Sprintf("`m01` to `m%02d` %s with `metadata: {labels: {l01: x}}` to `l%02d`", x.count, how, x.count)
}

func (x labelling) run(s *scene) error {
	s.t.Helper()
	for i := 1; i <= x.count; i++ {
		who, label := manager(fmt.Sprintf("m%02d", i)), fmt.Sprintf("metadata: {labels: {l%02d: x}}", i)
		var do action = who.updates(label)
		if x.apply {
			do = who.applies(label)
		}
		if err := do.run(s); err != nil {
			return err
		}
	}
	return nil
}

// manyKeys are so many fields that who owns them takes more room than they themselves.
var manyKeys = func() string {
	keys := make([]string, 60_000)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%06d":""`, i)
	}
	return `{"data":{` + strings.Join(keys, ",") + `}}`
}()
