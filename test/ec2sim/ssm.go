// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type jsonParameter struct {
	ARN              string  `json:"ARN"`
	DataType         string  `json:"DataType"`
	LastModifiedDate float64 `json:"LastModifiedDate"`
	Name             string  `json:"Name"`
	Selector         string  `json:"Selector,omitempty"`
	Type             string  `json:"Type"`
	Value            string  `json:"Value"`
	Version          int64   `json:"Version"`
}

func getParameter(c *call) (any, error) {
	var in struct{ Name string }
	if err := c.readJSON(&in); err != nil {
		return nil, err
	}
	found, err := c.parameter(in.Name)
	if err != nil {
		return nil, err
	}
	return map[string]any{"Parameter": found}, nil
}

func getParameters(c *call) (any, error) {
	var in struct{ Names []string }
	if err := c.readJSON(&in); err != nil {
		return nil, err
	}
	const maxNames = 10
	if len(in.Names) == 0 || len(in.Names) > maxNames {
		return nil, fail("ValidationException", "Value at 'names' failed to satisfy constraint: Member must have length from 1 to %d", maxNames)
	}
	found, invalid := []jsonParameter{}, []string{}
	for _, name := range slices.Sorted(slices.Values(in.Names)) {
		if p, err := c.parameter(name); err == nil {
			found = append(found, p)
		} else {
			invalid = append(invalid, name)
		}
	}
	return map[string]any{"Parameters": found, "InvalidParameters": invalid}, nil
}

func (c *call) readJSON(into any) error {
	if err := json.Unmarshal(c.body, into); err != nil {
		return fail("SerializationException", "%s", err)
	}
	return nil
}

func (c *call) parameter(selector string) (jsonParameter, error) {
	p, err := c.region.readParameter(selector)
	if err != nil {
		return jsonParameter{}, err
	}
	return jsonParameter{
		ARN:      fmt.Sprintf("arn:aws:ssm:%s::parameter%s", c.region.name, p.Name),
		DataType: p.DataType, LastModifiedDate: float64(c.sim.started.Unix()),
		Name: p.Name, Selector: strings.TrimPrefix(selector, p.Name), Type: "String", Value: p.Value, Version: p.Version,
	}, nil
}

// readParameter finds a parameter by "name" or "name:version". Only the current
// version is kept, and labels are not modelled.
func (r *region) readParameter(selector string) (Parameter, error) {
	name, version, versioned := strings.Cut(selector, ":")
	p, ok := r.world.parameter(name)
	switch {
	case !ok:
		return p, fail(codeParameterNotFound, "Parameter %s not found.", name)
	case versioned && version != strconv.FormatInt(p.Version, 10):
		return p, fail(codeParameterVersionNotFound, "Systems Manager could not find version %s of %s.", version, name)
	}
	return p, nil
}

// parseTarget reads an AWS JSON call: the action from X-Amz-Target, and the
// top-level members for the log.
func parseTarget(r request) (string, wire.Params, error) {
	_, name, ok := strings.Cut(r.header.Get("X-Amz-Target"), ".")
	if !ok {
		return "", nil, fail(codeUnknownOperation, "The header X-Amz-Target is missing")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(r.body, &members); err != nil {
		return name, nil, fail("SerializationException", "%s", err)
	}
	params := wire.Params{}
	for key, raw := range members {
		params[key] = string(raw)
	}
	return name, params, nil
}
