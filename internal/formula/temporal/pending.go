package temporal

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/property"
)

const (
	// longestPhrase is the largest number of characters of a phrase, and mostClauses is the
	// largest number of alternatives in it.
	longestPhrase = 120
	mostClauses   = 2
)

// speaker describes in words what a state still requires.
type speaker struct {
	*determined
	names        []string
	initialNodes []nodeID // the nodes that must hold from the beginning, ascending
	isExhausted  bool     // whether a limit was exceeded; then all further phrases are nil
}

// speaker returns the speaker of a formula over these atoms.
func (d *determined) speaker(atoms []property.Step) *speaker {
	p := &speaker{determined: d, names: namesOf(atoms)}
	p.isExhausted = abort.Try(func() {
		first := d.space.forms.All[d.demand(d.initial)]
		if len(first) == 1 {
			p.initialNodes = first[0]
		}
	}) != nil
	return p
}

// namesOf returns the texts of atoms.
func namesOf(atoms []property.Step) []string {
	var names []string
	for _, a := range atoms {
		names = append(names, a.Pattern.String())
	}
	return names
}

// demand returns the form that must hold, given the form that each operand demands.
func (d *determined) demand(demandOf []form) form {
	return evaluated(d.condition, func(literal int) form {
		demand := demandOf[operandOf(literal)]
		if isNegative(literal) {
			return d.space.negation(demand)
		}
		return demand
	}, d.space.conjunction, d.space.disjunction)
}

// negation returns the negation of a form: the conjunction of its negated clauses.
func (s *space) negation(f form) form {
	if f <= verum {
		return verum - f
	}
	result := verum
	for _, c := range s.forms.All[f] {
		negatedClause := falsum
		for _, id := range c {
			negatedClause = s.or(negatedClause, s.negatedNode(s.nodes.All[id]))
		}
		result = s.and(result, negatedClause)
	}
	return result
}

// negatedNode returns the negation of a node.
func (s *space) negatedNode(n node) form {
	dual := dualKinds[n.kind]
	switch n.kind {
	case positive, negative:
		return s.single(node{kind: dual, atom: n.atom})
	case next:
		return s.single(node{kind: dual, a: s.negation(n.a)})
	}
	return s.single(node{
		kind: dual,
		a:    s.negation(n.a),
		b:    s.negation(n.b),
	})
}

// phrase describes what must still hold, given what the operands demand. It is nil if nothing must
// still hold except invariants that had to hold from the beginning.
func (p *speaker) phrase(of []form) (said property.Phrase) {
	p.isExhausted = p.isExhausted || abort.Try(func() { said = p.phraseOf(p.demand(of)) }) != nil
	return said
}

// phraseOf describes a form that must hold, by its clauses if they are few and short.
func (p *speaker) phraseOf(f form) property.Phrase {
	switch f {
	case verum:
		return nil
	case falsum:
		return property.Hopeless()
	}
	clauses := p.space.forms.All[f]
	if len(clauses) > mostClauses {
		return p.mustHold(f)
	}
	var all property.Phrase
	for i, c := range clauses {
		words := p.clause(c)
		if len(words) == 0 {
			return nil
		}
		if i > 0 {
			all = append(all, property.Word{Text: " or "})
		}
		all = append(all, words...)
	}
	if len(all.String()) > longestPhrase {
		return p.mustHold(f)
	}
	return all
}

// mustHold returns the phrase that a formula must hold.
func (p *speaker) mustHold(f form) property.Phrase {
	text := p.text(f)
	if len(text) > longestPhrase {
		return property.Phrase{{Text: "waiting for one of several things", Kind: property.Waiting}}
	}
	return property.Phrase{{Text: text, Quoted: true}, {Text: " must hold"}}
}

func (p *speaker) text(f form) string { return p.space.formula(f).Text(p.names) }

// clause describes a conjunction. What is awaited comes first.
func (p *speaker) clause(c clause) property.Phrase {
	var awaited, others property.Phrase
	for _, id := range c {
		n := p.space.nodes.All[id]
		wait := p.awaited(n)
		if wait == nil {
			other := p.required(id, n)
			if other != nil && others != nil {
				others = append(others, property.Word{Text: "; "})
			}
			others = append(others, other...)
			continue
		}
		if awaited == nil {
			awaited = property.Phrase{{Text: "waiting for ", Kind: property.Waiting}}
		} else {
			awaited = append(awaited, property.Word{Text: " and "})
		}
		awaited = append(awaited, wait...)
	}
	if awaited != nil && others != nil {
		awaited = append(awaited, property.Word{Text: "; "})
	}
	return append(awaited, others...)
}

// awaited describes what an eventuality waits for; nil for other nodes.
func (p *speaker) awaited(n node) property.Phrase {
	switch {
	case n.kind == until && n.a == verum:
		return property.Phrase{{Text: p.text(n.b), Quoted: true}}
	case n.kind == weak && n.b == falsum:
		if recurring, isEventuality := p.space.isEventually(n.a); isEventuality {
			return property.Phrase{
				{Text: p.text(recurring), Quoted: true},
				{Text: " again and again", Kind: property.Again},
			}
		}
	case n.kind == until:
		forbidden, forbids := p.forbiddenAtoms(n.a)
		if forbids {
			before := property.Phrase{
				{Text: p.text(n.b), Quoted: true},
				{Text: ", with no "},
			}
			return slices.Concat(before, forbidden, property.Phrase{{Text: " before it"}})
		}
		return property.Phrase{
			{Text: p.text(n.b), Quoted: true},
			{Text: ", until then "},
			{Text: p.text(n.a), Quoted: true},
		}
	case n.kind == strong:
		return property.Phrase{
			{Text: p.text(n.a), Quoted: true},
			{Text: ", up to then "},
			{Text: p.text(n.b), Quoted: true},
		}
	}
	return nil
}

// required describes what a node other than an eventuality requires. It is nil for an invariant that had
// to hold from the beginning, unless the invariant only forbids atoms.
func (p *speaker) required(id nodeID, n node) property.Phrase {
	isAlways := n.kind == weak && n.b == falsum
	switch n.kind {
	case weak:
		isInitial := slices.Contains(p.initialNodes, id)
		forbidden, forbids := p.forbiddenAtoms(n.a)
		if forbids {
			return p.forbiddenUntil(n.b, forbidden, isInitial)
		}
		if isAlways && isInitial {
			return nil
		}
	case positive:
		return property.Phrase{
			{Text: p.atomName(n.atom), Quoted: true},
			{Text: " must come next"},
		}
	case negative:
		return property.Phrase{
			{Text: p.atomName(n.atom), Quoted: true},
			{Text: " must not come next", Kind: property.ForbiddingNext},
		}
	case next:
		if said := p.later(n); said != nil {
			return said
		}
	case release:
		if forbidden, forbids := p.forbiddenAtoms(n.b); forbids {
			return append(forbidden,
				property.Word{Text: " is not allowed", Kind: property.ForbiddingBefore},
				property.Word{Text: " up to the first ", Kind: property.Limit},
				property.Word{Text: p.text(n.a), Quoted: true})
		}
	}
	if said := p.onlyAllowed(n); said != nil {
		return said
	}
	if said := p.answers(n); isAlways && said != nil {
		return said
	}
	return property.Phrase{
		{Text: p.text(p.space.intern([]clause{{id}})), Quoted: true},
		{Text: " must hold"},
	}
}

// forbiddenUntil describes the requirement that these atoms do not happen before a goal, or never if the goal is
// impossible; isInitial reports whether this had to hold from the beginning.
func (p *speaker) forbiddenUntil(goal form, forbidden property.Phrase, isInitial bool) property.Phrase {
	switch {
	case goal != falsum:
		return append(forbidden,
			property.Word{Text: " is not allowed", Kind: property.ForbiddingBefore},
			property.Word{Text: " before ", Kind: property.Limit},
			property.Word{Text: p.text(goal), Quoted: true})
	case isInitial:
		return append(forbidden, property.Word{Text: " is not allowed", Kind: property.Forbidding})
	}
	return append(forbidden, property.Word{
		Text: " is not allowed any more",
		Kind: property.ForbiddingSince,
	})
}

// onlyAllowed describes a node that allows only some atoms, always or until something happens; nil for
// other nodes.
func (p *speaker) onlyAllowed(n node) property.Phrase {
	allowing := n.a
	if n.kind == release {
		allowing = n.b
	}
	allowed := p.allowedAtoms(allowing)
	if allowed == nil {
		return nil
	}
	only := property.Phrase{{Text: "only "}}
	only = append(only, allowed...)
	switch {
	case n.kind == weak && n.b == falsum:
		return append(only, property.Word{Text: " may happen from now on"})
	case n.kind == weak:
		return append(only, property.Word{Text: " may happen"},
			property.Word{Text: " before ", Kind: property.Limit},
			property.Word{Text: p.text(n.b), Quoted: true})
	case n.kind == release:
		return append(only, property.Word{Text: " may happen"},
			property.Word{Text: " up to the first ", Kind: property.Limit},
			property.Word{Text: p.text(n.a), Quoted: true})
	}
	return nil
}

// allowedAtoms returns the atoms of a form that demands one of them now; nil for other forms.
func (p *speaker) allowedAtoms(f form) (all property.Phrase) {
	if f <= verum {
		return nil
	}
	for i, c := range p.space.forms.All[f] {
		if len(c) != 1 || p.space.nodes.All[c[0]].kind != positive {
			return nil
		}
		if i > 0 {
			all = append(all, property.Word{Text: " or "})
		}
		name := p.atomName(p.space.nodes.All[c[0]].atom)
		all = append(all, property.Word{Text: name, Quoted: true})
	}
	return all
}

// answers describes a node that demands, after each of some atoms, something that happens later; nil for
// other nodes.
func (p *speaker) answers(n node) property.Phrase {
	if n.a <= verum {
		return nil
	}
	var asked, answer property.Phrase
	for _, c := range p.space.forms.All[n.a] {
		if len(c) != 1 {
			return nil
		}
		disjunct := p.space.nodes.All[c[0]]
		switch {
		case disjunct.kind == negative && asked == nil:
			asked = property.Phrase{{Text: p.atomName(disjunct.atom), Quoted: true}}
		case disjunct.kind == until && disjunct.a == verum && answer == nil:
			answer = property.Phrase{{Text: p.text(disjunct.b), Quoted: true}}
		default:
			return nil
		}
	}
	if asked == nil || answer == nil {
		return nil
	}
	return slices.Concat(answer, property.Phrase{{Text: " must follow each "}}, asked)
}

// later describes a node that demands an atom after a number of actions; nil for other nodes.
func (p *speaker) later(n node) property.Phrase {
	actions := 0
	for n.kind == next {
		clauses := p.space.forms.All[n.a]
		if n.a <= verum || len(clauses) != 1 || len(clauses[0]) != 1 {
			return nil
		}
		n = p.space.nodes.All[clauses[0][0]]
		actions++
	}
	if n.kind != positive {
		return nil
	}
	after := " must come after the next action"
	if actions > 1 {
		after = fmt.Sprintf(" must come after the next %d actions", actions)
	}
	return property.Phrase{{Text: p.atomName(n.atom), Quoted: true}, {Text: after}}
}

// atomName returns the name of an atom, or of deadlock.
func (p *speaker) atomName(atom int) string {
	if atom < len(p.names) {
		return p.names[atom]
	}
	return constants[DeadlockOp]
}

// forbiddenAtoms returns the atoms that a form forbids; false if the form demands anything else.
func (p *speaker) forbiddenAtoms(f form) (property.Phrase, bool) {
	if f <= verum || len(p.space.forms.All[f]) != 1 {
		return nil, false
	}
	var all property.Phrase
	for i, id := range p.space.forms.All[f][0] {
		n := p.space.nodes.All[id]
		if n.kind != negative {
			return nil, false
		}
		if i > 0 {
			all = append(all, property.Word{Text: " or "})
		}
		all = append(all, property.Word{Text: p.atomName(n.atom), Quoted: true})
	}
	return all, true
}

// formula returns a form as a formula.
func (s *space) formula(f form) *Formula {
	var disjuncts []*Formula
	for _, c := range s.forms.All[f] {
		var conjuncts []*Formula
		for _, id := range c {
			conjuncts = append(conjuncts, s.formulaOf(s.nodes.All[id]))
		}
		disjuncts = append(disjuncts, And(conjuncts...))
	}
	return Or(disjuncts...)
}

// formulaOf returns a node as a formula.
func (s *space) formulaOf(n node) *Formula {
	switch n.kind {
	case positive, negative:
		f := Atom(n.atom)
		if n.atom == len(s.letters[0])-1 {
			f = Deadlock()
		}
		if n.kind == negative {
			return Not(f)
		}
		return f
	case next:
		return Next(s.formula(n.a))
	case weak:
		if n.b == falsum {
			return Always(s.formula(n.a))
		}
		return WeakUntil(s.formula(n.a), s.formula(n.b))
	case until:
		if n.a == verum {
			return Eventually(s.formula(n.b))
		}
		return Until(s.formula(n.a), s.formula(n.b))
	case release:
		return Release(s.formula(n.a), s.formula(n.b))
	}
	return StrongRelease(s.formula(n.a), s.formula(n.b))
}
