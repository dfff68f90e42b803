// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Params are the parameters of a Query call. Names are flat: members of
// structures are joined by dots, elements of lists carry a number from 1.
type Params map[string]string

// ParseForm reads a Query call: the body of a POST and the query of the URL.
func ParseForm(body []byte, query url.Values) (Params, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, malformed("The request body is not form-encoded: %v", err)
	}
	params := Params{}
	for _, values := range []url.Values{query, form} {
		for name, list := range values {
			if strings.HasPrefix(name, "X-Amz-") { // presigned requests carry their signature here
				continue
			}
			if len(list) > 1 {
				return nil, malformed("The parameter %s is given more than once", name)
			}
			params[name] = list[0]
		}
	}
	return params, nil
}

func malformed(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: "MalformedQueryString", Message: fmt.Sprintf(format, args...)}
}

// Has says whether the parameter, or any member of it, was given.
func (p Params) Has(name string) bool {
	if _, ok := p[name]; ok {
		return true
	}
	for key := range p {
		if strings.HasPrefix(key, name+".") {
			return true
		}
	}
	return false
}

// Int is a whole number, and whether it was given.
func (p Params) Int(name string) (n int, given bool, err error) {
	text, given := p[name]
	if !given {
		return 0, false, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil {
		return 0, true, invalid(name, text, "Expecting an integer")
	}
	return n, true, nil
}

// Bool is a truth value; absent means false.
func (p Params) Bool(name string) (bool, error) {
	text, given := p[name]
	if !given {
		return false, nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, invalid(name, text, "Expecting true or false")
	}
	return value, nil
}

// Bytes is base64-decoded data.
func (p Params) Bytes(name string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(p[name])
}

// List is a list of plain values: name.1, name.2 and so on, in that order. Gaps
// in the numbering do not matter.
func (p Params) List(name string) []string {
	var out []string
	for _, n := range p.numbers(name) {
		if value, ok := p[fmt.Sprintf("%s.%d", name, n)]; ok {
			out = append(out, value)
		}
	}
	return out
}

// Structs is a list of structures, each with the names inside it.
func (p Params) Structs(name string) []Params {
	var out []Params
	for _, n := range p.numbers(name) {
		out = append(out, p.Struct(fmt.Sprintf("%s.%d", name, n)))
	}
	return out
}

// Struct is one structure with the names inside it.
func (p Params) Struct(name string) Params {
	out := Params{}
	for key, value := range p {
		if inner, ok := strings.CutPrefix(key, name+"."); ok {
			out[inner] = value
		}
	}
	return out
}

// Roots are the names of the top-level parameters, sorted: BlockDeviceMapping for
// BlockDeviceMapping.1.Ebs.VolumeSize.
func (p Params) Roots() []string {
	var out []string
	for key := range p {
		root, _, _ := strings.Cut(key, ".")
		out = append(out, root)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p Params) numbers(name string) []int {
	var out []int
	for key := range p {
		rest, ok := strings.CutPrefix(key, name+".")
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// invalid words the error as EC2 does, with the parameter's first letter small.
func invalid(name, value, want string) *Error {
	return &Error{
		Status: http.StatusBadRequest, Code: "InvalidParameterValue",
		Message: fmt.Sprintf("Value ( %s ) for parameter %s is invalid. %s.", value, strings.ToLower(name[:1])+name[1:], want),
	}
}
