package temporal

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/property"
)

const (
	// longestPhrase is the largest number of characters of a phrase, and
	// mostClauses the largest number of alternatives in it.
	longestPhrase = 120
	mostClauses   = 2
)

// speaker describes in words what a state still requires.
type speaker struct {
	*determined
	names    []string
	standing []nodeID // the nodes that must hold from the beginning, ascending
	over     bool     // whether a limit was exceeded; then all further phrases are nil
}

// speaker returns the speaker of a formula over these atoms.
func (d *determined) speaker(atoms []property.Step) *speaker {
	p := &speaker{determined: d, names: namesOf(atoms)}
	p.over = abort.Try(func() {
		first := d.s.forms.All[d.rest(d.begin)]
		if len(first) == 1 {
			p.standing = first[0]
		}
	}) != nil
	return p
}

func namesOf(atoms []property.Step) []string {
	var names []string
	for _, a := range atoms {
		names = append(names, a.Pattern.String())
	}
	return names
}

// rest returns the form that must hold, given the form that each operand demands.
func (d *determined) rest(of []form) form {
	return evaluated(d.c, func(literal int) form {
		if isNegative(literal) {
			return d.s.negation(of[literal/2])
		}
		return of[literal/2]
	}, d.s.all, d.s.some)
}

func (s *space) negation(f form) form {
	if f <= verum {
		return verum - f
	}
	result := verum
	for _, c := range s.forms.All[f] {
		some := falsum
		for _, id := range c {
			some = s.or(some, s.negatedNode(s.nodes.All[id]))
		}
		result = s.conj(result, some)
	}
	return result
}

func (s *space) negatedNode(n node) form {
	dual := dualKinds[n.kind]
	switch n.kind {
	case positive, negative:
		return s.of(node{kind: dual, atom: n.atom})
	case next:
		return s.of(node{kind: dual, a: s.negation(n.a)})
	}
	return s.of(node{
		kind: dual,
		a:    s.negation(n.a),
		b:    s.negation(n.b),
	})
}

// phrase describes what must still hold, given what the operands demand. It is nil if nothing must
// still hold except invariants that had to hold from the beginning.
func (p *speaker) phrase(of []form) (said property.Phrase) {
	p.over = p.over || abort.Try(func() { said = p.said(p.rest(of)) }) != nil
	return said
}

func (p *speaker) said(f form) property.Phrase {
	switch f {
	case verum:
		return nil
	case falsum:
		return property.Hopeless()
	}
	var all property.Phrase
	clauses := p.s.forms.All[f]
	for i, c := range clauses {
		if len(clauses) > mostClauses {
			return p.must(f)
		}
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
		return p.must(f)
	}
	return all
}

// must returns the phrase that a formula must hold.
func (p *speaker) must(f form) property.Phrase {
	text := p.text(f)
	if len(text) > longestPhrase {
		return property.Phrase{{Text: "waiting for one of several things", Kind: property.Waiting}}
	}
	return property.Phrase{{Text: text, Quoted: true}, {Text: " must hold"}}
}

func (p *speaker) text(f form) string { return p.s.formula(f).Text(p.names) }

// clause describes a conjunction. What is awaited comes first.
func (p *speaker) clause(c clause) property.Phrase {
	var awaited, others property.Phrase
	for _, id := range c {
		n := p.s.nodes.All[id]
		wait := p.wait(n)
		if wait == nil {
			other := p.other(id, n)
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

// wait describes what an eventuality waits for; nil for other nodes.
func (p *speaker) wait(n node) property.Phrase {
	switch {
	case n.kind == until && n.a == verum:
		return property.Phrase{{Text: p.text(n.b), Quoted: true}}
	case n.kind == weak && n.b == falsum:
		if again, is := p.s.isEventually(n.a); is {
			return property.Phrase{
				{Text: p.text(again), Quoted: true},
				{Text: " again and again", Kind: property.Again},
			}
		}
	case n.kind == until:
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

// other describes what a node other than an eventuality requires. It is nil for an invariant that had
// to hold from the beginning, unless the invariant only forbids atoms.
func (p *speaker) other(id nodeID, n node) property.Phrase {
	standing := slices.Contains(p.standing, id)
	banned, is := p.banned(n.a)
	switch {
	case n.kind == weak && is && n.b == falsum && standing:
		return append(banned, property.Word{Text: " is not allowed", Kind: property.Forbidding})
	case n.kind == weak && is && n.b == falsum:
		return append(banned, property.Word{
			Text: " is not allowed any more",
			Kind: property.ForbiddingSince,
		})
	case n.kind == weak && is:
		return append(banned,
			property.Word{Text: " is not allowed", Kind: property.ForbiddingBefore},
			property.Word{Text: " before "},
			property.Word{Text: p.text(n.b), Quoted: true})
	case n.kind == positive:
		return property.Phrase{
			{Text: p.atomName(n.atom), Quoted: true},
			{Text: " must come next"},
		}
	case n.kind == negative:
		return property.Phrase{
			{Text: p.atomName(n.atom), Quoted: true},
			{Text: " must not come next", Kind: property.ForbiddingNext},
		}
	case standing && n.kind == weak && n.b == falsum:
		return nil
	}
	return property.Phrase{
		{Text: p.text(p.s.intern([]clause{{id}})), Quoted: true},
		{Text: " must hold"},
	}
}

// atomName returns the name of an atom, or of deadlock.
func (p *speaker) atomName(atom int) string {
	if atom < len(p.names) {
		return p.names[atom]
	}
	return constants[DeadlockOp]
}

// banned returns the atoms that a form forbids; false if the form demands anything else.
func (p *speaker) banned(f form) (property.Phrase, bool) {
	if f <= verum || len(p.s.forms.All[f]) != 1 {
		return nil, false
	}
	var all property.Phrase
	for i, id := range p.s.forms.All[f][0] {
		n := p.s.nodes.All[id]
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

func (s *space) formula(f form) *Formula {
	var some []*Formula
	for _, c := range s.forms.All[f] {
		var all []*Formula
		for _, id := range c {
			all = append(all, s.formulaOf(s.nodes.All[id]))
		}
		some = append(some, And(all...))
	}
	return Or(some...)
}

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
