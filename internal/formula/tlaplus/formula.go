package tlaplus

import "slices"

// Operator is the outermost operator of a [Formula].
type Operator uint8

// The operators. Weak and Strong are weak and strong fairness for the steps that satisfy the predicate.
const (
	Holds Operator = iota // of a predicate
	And
	Or
	Not
	Implies
	Equivalent
	Always
	Eventually
	LeadsTo
	Weak
	Strong
)

// Formula is a formula about runs, with definitions and quantifiers expanded.
type Formula struct {
	Operator  Operator
	Parts     []*Formula
	Predicate *Predicate
	// Conjuncts are the instances of a quantified predicate of states below []. The predicate is their
	// conjunction. There are none of other predicates, or if there were more than a few.
	Conjuncts []*Formula
	// IsOfInstance is set if Name is a text of an instance of a module, whose names may mean something else in
	// the module of the specification.
	IsOfInstance bool
	// IsRefusedByTLC marks <=> and CASE of formulas about runs, which TLC cannot check.
	IsRefusedByTLC bool
	// Name is the text of the predicate. Instance has the values of quantified names, such as p = p2.
	Name, Instance string
	Position       Position
}

// IsPredicate reports whether a formula is a predicate of at most this level, or the negation of one.
// Conjunctions and other connectives of predicates are predicates themselves; only a negation is a
// formula with a predicate as its part.
func (f *Formula) IsPredicate(most Level) bool {
	for f.Operator == Not {
		f = f.Parts[0]
	}
	return f.Operator == Holds && f.Predicate.Level <= most
}

// isAboutRuns reports whether a formula has a temporal operator.
func (f *Formula) isAboutRuns() bool {
	switch f.Operator {
	case Always, Eventually, LeadsTo, Weak, Strong:
		return true
	}
	return slices.ContainsFunc(f.Parts, (*Formula).isAboutRuns)
}
