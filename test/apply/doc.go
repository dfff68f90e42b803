// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package apply holds controller/apply against a real API server: what it predicts to change nothing changes nothing, and nothing else
// does; what the API server answers becomes the right error; and an intent that is skipped costs no request.
package apply
