// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// Format is what -o asks for.
type Format string

// The formats.
const (
	// FormatText is for people, and what there is without -o.
	FormatText Format = ""
	FormatWide Format = "wide"
	FormatJSON Format = "json"
	FormatYAML Format = "yaml"
)

// ParseFormat reads a value of -o.
func ParseFormat(value string, known ...Format) (Format, error) {
	if f := Format(value); f == FormatText || slices.Contains(known, f) {
		return f, nil
	}
	words := make([]string, len(known))
	for i, f := range known {
		words[i] = string(f)
	}
	return "", Usagef("--output must be one of %s, not %q", strings.Join(words, ", "), value)
}

// Owner is an owner in documents.
type Owner struct {
	Manager string `json:"manager"`
	// Operation is Apply or Update.
	Operation metav1.ManagedFieldsOperationType `json:"operation"`
	// Subresource is left out for the object's own endpoint.
	Subresource string `json:"subresource,omitempty"`
	APIVersion  string `json:"apiVersion,omitempty"`
	// Time is when the owner last changed what it owns.
	Time *metav1.Time `json:"time,omitempty"`
}

// Owners are owners in documents.
func Owners(owners []apply.Owner) []Owner {
	out := make([]Owner, len(owners))
	for i, o := range owners {
		out[i] = Owner(o)
	}
	return out
}

// PrintDocument writes a document. Several documents make a stream, as jq and kubectl read it.
func PrintDocument(w io.Writer, f Format, document any, first bool) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	out := text.Bytes()
	if err == nil && f == FormatYAML {
		out, err = yaml.JSONToYAML(out)
		if !first {
			out = append([]byte("---\n"), out...)
		}
	}
	if err == nil {
		_, err = w.Write(out)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", f, err)
	}
	return nil
}

// Whole has Inline not cut a value.
const Whole = math.MaxInt

// Inline is a value in one line: JSON, cut after so many characters. A masked value is said to be masked.
func Inline(value any, most int) string {
	if value == apply.MaskedValue {
		return apply.MaskedValue
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprintf("a %T", value)
	}
	text := []rune(strings.TrimSuffix(b.String(), "\n"))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
