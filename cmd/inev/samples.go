package main

import (
	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/sample"
	"github.com/inev-lts/inev/property/values"
	"github.com/inev-lts/inev/report"
)

// shownRuns is how many runs of either kind show what a property means.
const shownRuns = 2

// withSpecimens returns a formula with runs that show what it means, over labels that its
// patterns match; inevitability, which is what it says, without.
func (j *job) withSpecimens(f property.Formula) (report.Notation, error) {
	if len(values.AtomsOf(f)) > 0 {
		return f, nil // runs are of labels
	}
	var patterns []actl.Pattern
	switch f := f.(type) {
	case *actl.Formula:
		patterns = f.Steps()
	case *ltl.Formula:
		patterns = f.Atoms()
	default:
		return f, nil
	}
	alphabet, err := actl.Specimens(patterns)
	if err != nil {
		return nil, err
	}
	p, _, err := f.Bind(j.ctx, alphabet)
	if err != nil {
		return nil, err
	}
	if pattern, is := f.(*actl.Formula); is && pattern.IsChain() {
		return f, nil
	}
	return j.withRuns(f, p)
}

// withRuns returns a formula with runs of the property that it is bound as.
func (j *job) withRuns(f property.Formula, p *property.Property) (report.Notation, error) {
	if len(values.AtomsOf(f)) > 0 {
		return f, nil
	}
	accepted, err := sample.Of(j.ctx, p, true, shownRuns)
	if err != nil {
		return nil, err
	}
	rejected, err := sample.Of(j.ctx, p, false, shownRuns)
	if err != nil {
		return nil, err
	}
	return report.Written{Notation: f, Alphabet: p.Alphabet(), Accepted: accepted, Rejected: rejected}, nil
}
