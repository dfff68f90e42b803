// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	celcommon "k8s.io/apiserver/pkg/cel/common"
)

// customRules are the CEL rules of a CRD. A real API server goes through the whole object for each write; where no rule
// is about the whole, this one leaves out spec and status that have not changed. A rule that compares with the old value
// is taken to hold for a value that is the same.
type customRules struct {
	// whole is all rules, where they cannot be asked apart.
	whole *rulesPart
	parts []rulesPart
}

// rulesPart are the rules of a field of the object, or of the whole, which has no name.
type rulesPart struct {
	name   string
	schema *structuralschema.Structural
	rules  *cel.Validator
}

func newCustomRules(schema *structuralschema.Structural) customRules {
	out := customRules{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		if rules := cel.NewValidator(&property, false, celconfig.PerCallLimit); rules != nil {
			out.parts = append(out.parts, rulesPart{name: name, schema: &property, rules: rules})
		}
	}
	if len(schema.XValidations) > 0 || slices.ContainsFunc(out.parts, func(p rulesPart) bool { return p.name == "metadata" }) {
		out.whole = &rulesPart{schema: schema, rules: cel.NewValidator(schema, true, celconfig.PerCallLimit)}
	}
	return out
}

func (r customRules) any() bool { return r.whole != nil || len(r.parts) > 0 }

// check asks the rules. old and correlated are nil for a new object.
func (r customRules) check(ctx context.Context, object, old map[string]any, correlated *celcommon.CorrelatedObject) field.ErrorList {
	if r.whole != nil {
		return r.whole.ask(ctx, object, previous(old), correlated)
	}
	var errs field.ErrorList
	for _, p := range r.parts {
		value, there := object[p.name]
		before, existed := old[p.name]
		if !there || (existed && sameJSON(value, before)) {
			continue
		}
		errs = append(errs, p.ask(ctx, value, before, correlated.Key(p.name))...)
	}
	return errs
}

func (p rulesPart) ask(ctx context.Context, value, before any, correlated *celcommon.CorrelatedObject) field.ErrorList {
	var path *field.Path
	if p.name != "" {
		path = field.NewPath(p.name)
	}
	var opts []cel.Option
	if correlated != nil {
		opts = append(opts, cel.WithRatcheting(correlated))
	}
	errs, _ := p.rules.Validate(ctx, path, p.schema, value, before, celconfig.RuntimeCELCostBudget, opts...)
	return errs
}

// previous is an old object for the rules, which tell none from an empty one.
func previous(old map[string]any) any {
	if old == nil {
		return nil
	}
	return old
}
