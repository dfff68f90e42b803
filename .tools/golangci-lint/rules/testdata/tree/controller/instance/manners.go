// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Manners shows none.
func Manners(deadline time.Time) metav1.Time {
	if time.Now().After(deadline) { // want "forbidigo: .*use the clock that is passed in"
		panic("too late") // want "forbidigo: .*nothing panics on input"
	}

	time.Sleep(time.Until(deadline))  // want "forbidigo: .*wait for the condition" "forbidigo: .*use the clock that is passed in"
	fmt.Println(context.Background()) // want "forbidigo: .*log structured" "forbidigo: .*pass the caller's context on"

	return metav1.Now() // want "forbidigo: .*use the clock that is passed in"
}
