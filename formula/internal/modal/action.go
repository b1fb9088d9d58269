package modal

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
)

// logical is what an [action] is at its top.
type logical uint8

const (
	atomOf logical = iota
	anyOf
	allOf
	noneOf // of its one part
)

// action is a formula about labels.
type action struct {
	op    logical
	atom  actl.Pattern
	parts []*action
	// number is the index of the atom in its [Formula].
	number int
}

func anything() *action { return &action{op: allOf} }

// isAnything reports whether the formula is written as true.
func (a *action) isAnything() bool { return a.op == allOf && len(a.parts) == 0 }

// atom reads what stands for labels.
func (p *parser) atom() (*action, error) {
	t := p.next()
	switch {
	case t.is("true"):
		p.take()
		return anything(), nil
	case t.is("false"):
		p.take()
		return &action{op: anyOf}, nil
	case t.is("tau"):
		p.take()
		return p.matching(t, "{tau}")
	case t.is("val", "forall", "exists", "delay", "yaled"):
		return nil, refuse(t, "an action formula without data and time")
	}
	switch t.kind {
	case label:
		p.take()
		if strings.Contains(t.text, `\`) {
			return nil, refuse(t, `a label without "\", which versions of MCL read differently; write it as a 'regular expression'`)
		}
		return p.matching(t, actl.Quoted(t.text))
	case pattern:
		p.take()
		source, err := fromBasic(t.text)
		if err != nil {
			return nil, refuse(t, "a UNIX regular expression: %v", err)
		}
		if !strings.ContainsAny(t.text, `.*[]\^$`) {
			return p.matching(t, actl.Quoted(t.text))
		}
		return p.matching(t, "/^"+strings.ReplaceAll(source, "/", `\/`)+"$/")
	case offers:
		p.take()
		return p.offered(t)
	case word, call:
		if slices.Contains(reserved, t.text) {
			return nil, p.unexpected("an action")
		}
		if p.isMCL {
			return nil, refuse(t, `an action of MCL, as in "%s"; a macro that is not defined here is none`, t.text)
		}
		return p.multiAction()
	}
	return nil, p.unexpected(`an action: "LABEL", 'regular expression' or true in MCL, name or name(arguments) in mCRL2`)
}

// multiAction reads an action of mCRL2, or several that happen together.
func (p *parser) multiAction() (*action, error) {
	t := p.take()
	text := t.text
	for p.next().is("|") {
		behind := p.tokens[p.pos+1]
		if behind.kind != word && behind.kind != call || slices.Contains(reserved, behind.text) {
			break
		}
		p.take()
		text += "|" + p.take().text
	}
	if strings.HasSuffix(text, ")") && !strings.ContainsAny(text, `*?"{}|`) {
		return p.matching(t, "{"+text+"}") // blanks do not matter
	}
	return p.matching(t, actl.Quoted(text))
}

// matching returns what a pattern of package actl matches.
func (p *parser) matching(t token, text string) (*action, error) {
	atom, after, err := actl.Text(text).Atom(p.ctx, 0)
	if p.ctx.Err() != nil {
		return nil, p.ctx.Err()
	}
	if err != nil || after != len(text) {
		return nil, refuse(t, "a label, or a smaller regular expression of labels")
	}
	return &action{op: atomOf, atom: atom}, nil
}

// offered returns what {GATE !1 …} matches, an action of MCL's fourth version: of this,
// constant offers, and … for any others at the end.
func (p *parser) offered(t token) (*action, error) {
	words := strings.Fields(t.text)
	if len(words) == 0 || strings.ContainsAny(t.text, `"?`) || slices.Contains(words, "where") {
		return nil, refuse(t, "an action with constant offers, as in {PUT !1}; {PUT ...} has any offers")
	}
	last := len(words) - 1
	if words[last] != "..." {
		return p.matching(t, actl.Quoted(strings.Join(words, " ")))
	}
	begin := quoteRE2(strings.Join(words[:last], " "))
	return p.matching(t, "/^"+begin+"( .*)?$/")
}

// holds reports whether the formula holds of a letter, given which atoms do.
func (a *action) holds(atoms map[int]bool) bool {
	switch a.op {
	case atomOf:
		return atoms[a.number]
	case anyOf:
		return slices.ContainsFunc(a.parts, func(b *action) bool { return b.holds(atoms) })
	case noneOf:
		return !a.parts[0].holds(atoms)
	}
	return !slices.ContainsFunc(a.parts, func(b *action) bool { return !b.holds(atoms) })
}

// folded returns an equal formula with fewer atoms: a disjunction of atoms is a set of them,
// and what [actl.Formula.MCL] makes of a bare name is one again.
func (a *action) folded(ctx context.Context) *action {
	if a.op == atomOf {
		return a
	}
	parts := make([]*action, len(a.parts))
	for i, b := range a.parts {
		parts[i] = b.folded(ctx)
	}
	b := &action{op: a.op, parts: parts}
	if a.op != anyOf || len(parts) < 2 {
		return b
	}
	var members []string
	for i := 0; i < len(parts); i++ {
		if name := bareName(parts[i:]); name != "" {
			members = append(members, name)
			i++
			continue
		}
		if parts[i].op != atomOf {
			return b
		}
		members = append(members, parts[i].atom.String())
	}
	text := members[0]
	if len(members) > 1 {
		text = "{" + strings.Join(members, ", ") + "}"
	}
	set, after, err := actl.Text(text).Atom(ctx, 0)
	if err != nil || after != len(text) {
		return b
	}
	return &action{op: atomOf, atom: set}
}

// bareName returns the bare name that [actl.Formula.MCL] writes as the first two of these
// formulas; "" if there is none.
func bareName(parts []*action) string {
	if len(parts) < 2 || parts[0].op != atomOf || parts[1].op != allOf || len(parts[1].parts) != 2 {
		return ""
	}
	name := strings.Trim(parts[0].atom.String(), `"`)
	with, but := parts[1].parts[0], parts[1].parts[1]
	if with.op != atomOf || but.op != noneOf || but.parts[0].op != atomOf {
		return ""
	}
	re := quoteRE2(name)
	if with.atom.String() != "/^"+re+"[ (].*$/" || but.parts[0].atom.String() != "/^"+re+"\\(.*\\)\\|.*$/" {
		return ""
	}
	bare, after, err := actl.Text(name).Atom(context.Background(), 0)
	if err != nil || after != len(name) || !bare.Matches(name+" !1") {
		return ""
	}
	return name
}

// equal reports whether two formulas are written alike.
func (a *action) equal(b *action) bool {
	return a.op == b.op && a.atom.String() == b.atom.String() && slices.EqualFunc(a.parts, b.parts, (*action).equal)
}
