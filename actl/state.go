package actl

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
)

// mayBeState are the surroundings in which an element can be an atom about values of states.
func (where surroundings) mayBeState() bool {
	return where == inList || where == inInev || where == inRequest || where == inScope || where == inFormula
}

// stateElement reads an atom about values of states, NAME OP VALUE, if one comes next and
// nothing else stands behind it; otherwise it is undelimited text.
func (p *parser) stateElement(where surroundings) (e element, is bool, err error) {
	if !where.mayBeState() {
		return element{}, false, nil
	}
	start := p.pos
	a, after, is, wrong := values.Read(p.text, p.pos)
	if !is {
		return element{}, false, nil
	}
	if wrong != nil && where == inFormula {
		return element{}, false, p.fail(wrong.Offset, wrong.Expected)
	}
	if wrong == nil && where != inFormula {
		p.pos = after
		p.blanks()
		if end := p.pos == len(p.text) || p.endsBare(where) || where == inScope && p.scopeEnds(); !end {
			is = false
		}
	}
	if wrong != nil || !is {
		p.pos = start
		return element{}, false, nil
	}
	p.pos = after
	text := a.String()
	return element{kind: state, text: text, key: text, atom: a}, true, nil
}

// scopeEnds reports whether and, until comes next.
func (p *parser) scopeEnds() bool {
	ahead := parser{text: p.text, pos: p.pos}
	return ahead.keyword("and") || ahead.keyword("until")
}

// StateAtoms returns the atoms about values of states in a pattern.
func (p Pattern) StateAtoms() []*values.Atom {
	var all []*values.Atom
	for _, e := range p.elements {
		if e.kind == state {
			all = append(all, e.atom)
		}
	}
	return all
}

// HasLabels reports whether a member of the pattern is a pattern of labels.
func (p Pattern) HasLabels() bool { return len(p.StateAtoms()) < len(p.elements) }

// StateAtoms returns the atoms about values of states in some patterns, each once, in the order
// in which they first stand there.
func StateAtoms(patterns []Pattern) []*values.Atom {
	var all []*values.Atom
	known := map[string]bool{}
	for _, p := range patterns {
		for _, a := range p.StateAtoms() {
			if text := a.String(); !known[text] {
				known[text] = true
				all = append(all, a)
			}
		}
	}
	return all
}

// StateAtoms returns the atoms about values of states in the formula, each once: it can be bound
// to models the labels of which tell them, see [lts.LTS.Refined].
func (f *Formula) StateAtoms() []*values.Atom { return StateAtoms(f.steps) }

// FactsError says that an atom about values of states stands where labels do not tell it.
type FactsError struct{ Atom *values.Atom }

func (e *FactsError) Error() string {
	return fmt.Sprintf("%s is about values of states, and here only labels can be asked for (a label of this text is quoted)", e.Atom)
}

// factsOf returns the facts of the states that a pattern asks for.
func factsOf(p Pattern, a *lts.Alphabet) (facts lts.Facts, err error) {
	for _, atom := range p.StateAtoms() {
		known := false
		for i, name := range a.FactNames() {
			if name == atom.String() {
				facts |= 1 << i
				known = true
			}
		}
		if !known {
			return 0, &FactsError{atom}
		}
	}
	return facts, nil
}

// onlyLabels returns an error where a pattern is about values of states, but stands where only
// labels can.
func onlyLabels(patterns []Pattern) error {
	if atoms := StateAtoms(patterns); len(atoms) > 0 {
		return &FactsError{atoms[0]}
	}
	return nil
}

// mixed returns an error where Always is about labels and states at once: it would hold of
// neither.
func (p *parser) mixed(f *Formula) error {
	for _, step := range f.main() {
		if states := step.StateAtoms(); len(states) > 0 && step.HasLabels() {
			return p.fail(p.pos, fmt.Sprintf("labels only, or values of states only: a state is no action (write Always(%s) && Always(…) in linear temporal logic)", states[0]))
		}
	}
	return nil
}

// Split returns the members of the pattern that are patterns of labels, and those that are atoms
// about values of states, each as a pattern; false if there is none of the kind.
func (p Pattern) Split() (labels Pattern, hasLabels bool, states Pattern, hasStates bool) {
	for _, e := range p.elements {
		if e.kind == state {
			states.elements = append(states.elements, e)
		} else {
			labels.elements = append(labels.elements, e)
		}
	}
	return labels, len(labels.elements) > 0, states, len(states.elements) > 0
}
