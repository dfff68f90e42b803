// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package settingsjson reads and writes flat structs as JSON objects in which a
// time.Duration is text such as "1.5s". Reading merges: a field that the JSON
// does not name keeps its value, and a name that the struct does not know is an
// error that lists the known ones.
package settingsjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

var durationType = reflect.TypeFor[time.Duration]()

// Marshal writes the struct that v points to.
func Marshal(v any) ([]byte, error) {
	out := map[string]any{}
	for name, field := range fields(v) {
		switch {
		case field.omitEmpty && field.value.IsZero():
		case field.value.Type() == durationType:
			out[name] = time.Duration(field.value.Int()).String()
		default:
			out[name] = field.value.Interface()
		}
	}
	return json.Marshal(out)
}

// Merge reads data into the struct that v points to. Nothing is changed when it
// returns an error.
func Merge(data []byte, v any) error {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("want a JSON object: %w", err)
	}
	target := reflect.ValueOf(v).Elem()
	draft := reflect.New(target.Type())
	draft.Elem().Set(target)
	known := fields(draft.Interface())
	for _, name := range slices.Sorted(maps.Keys(in)) {
		field, ok := known[name]
		if !ok {
			return fmt.Errorf("unknown field %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if err := set(field.value, in[name]); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
	}
	target.Set(draft.Elem())
	return nil
}

func set(field reflect.Value, raw json.RawMessage) error {
	if field.Type() != durationType {
		fresh := reflect.New(field.Type()) // replaces maps and slices instead of merging into shared ones
		if err := json.Unmarshal(raw, fresh.Interface()); err != nil {
			return err
		}
		field.Set(fresh.Elem())
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf(`want a duration such as "1.5s": %w`, err)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf(`want a duration such as "1.5s": %w`, err)
	}
	field.SetInt(int64(d))
	return nil
}

type field struct {
	value     reflect.Value
	omitEmpty bool
}

func fields(v any) map[string]field {
	target := reflect.ValueOf(v).Elem()
	out := map[string]field{}
	for sf, value := range target.Fields() {
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		out[name] = field{value, strings.Contains(options, "omitempty")}
	}
	return out
}
