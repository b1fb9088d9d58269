package actl

import (
	"fmt"
	"slices"
	"strings"
)

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes on
// what this does not express. mCRL2 has formulas for actions with given arguments
// only: a bare name becomes the action without any, and where there is no action
// to name (a glob, a regular expression, a label with offers) a placeholder
// stands in the step's place, which mCRL2 refuses. [Property.MuCalculus] lists the
// labels instead. Cost O(length of the text).
func (f *Formula) MuCalculus() (text string, notes []string) {
	actions := make([]string, len(f.steps))
	for i, step := range f.steps {
		var terms []string
		for _, e := range step.elements {
			action, ok := mcrl2Action(e.text)
			if ok = ok && e.kind != glob && e.kind != regex; ok {
				terms = append(terms, action)
			}
			if note := e.muCalculusNote(ok); note != "" {
				notes = append(notes, fmt.Sprintf("step %d, %s%s", i+1, e.String(), note))
			}
		}
		if len(terms) < len(step.elements) {
			terms = []string{placeholder(i + 1)}
			notes = append(notes, placeholderNote(i+1))
		}
		actions[i] = muCalculus.any(terms)
	}
	return muCalculus.nest(actions), notes
}

// muCalculusNote returns what there is to say where e has, or has not, become an
// action of mCRL2.
func (e *element) muCalculusNote(ok bool) string {
	switch {
	case !ok && (e.kind == glob || e.kind == regex):
		return ", stands for actions that only a model can tell"
	case !ok:
		return ", is not an action of mCRL2"
	case e.text == "i":
		return ", the internal action, is tau in mCRL2"
	case e.kind == name && e.text != "tau":
		return ", is the action without arguments only: mCRL2 needs a model to tell the others"
	}
	return ""
}

// MuCalculus returns the property in the modal mu-calculus of mCRL2, each step as
// the actions that do it, and notes as [Formula.MuCalculus] does. Cost O(length of
// the text).
func (p *Property) MuCalculus() (text string, notes []string) {
	actions := make([]string, p.n)
	for i := range actions {
		var terms []string
		labels := p.Step(i + 1).Labels
		for _, l := range labels {
			label := p.alphabet.Text(l)
			action, ok := mcrl2Action(label)
			if !ok {
				notes = append(notes, fmt.Sprintf("step %d, the label %s is not an action of mCRL2", i+1, quote(label)),
					placeholderNote(i+1))
				terms = []string{placeholder(i + 1)}
				break
			}
			if label == "i" {
				notes = append(notes, fmt.Sprintf("step %d, i, the internal action, is tau in mCRL2", i+1))
			}
			if !slices.Contains(terms, action) {
				terms = append(terms, action)
			}
		}
		actions[i] = muCalculus.any(terms)
	}
	return muCalculus.nest(actions), notes
}

func placeholderNote(step int) string {
	return fmt.Sprintf("step %d: %s stands in its place", step, placeholder(step))
}

// mcrl2Action returns the multi-action of mCRL2 that a label stands for, as an
// action formula has it. It fails for a label that is none.
func mcrl2Action(label string) (string, bool) {
	if label == "i" || label == "tau" {
		return "tau", true
	}
	for rest := label; ; {
		end := identifierEnd(rest)
		if end == 0 || slices.Contains(mcrl2Words, rest[:end]) {
			return "", false
		}
		rest = rest[end:]
		if strings.HasPrefix(rest, "(") {
			end = closing(rest)
			if end <= len("()") || strings.ContainsAny(rest[:end], "\"\n") {
				return "", false
			}
			rest = rest[end:]
		}
		if rest == "" {
			return label, true
		}
		if rest[0] != '|' {
			return "", false
		}
		rest = rest[1:]
	}
}

// identifierEnd returns the length of the identifier that text begins with.
func identifierEnd(text string) int {
	i := 0
	for i < len(text) {
		c := text[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '\'' && (c < '0' || c > '9')) {
			break
		}
		i++
	}
	return i
}

// mcrl2Words are the words of mCRL2 that no action can have as its name.
var mcrl2Words = strings.Fields(`act allow block comm cons delay delta div end eqn exists false forall glob hide
	if in init lambda map mod mu nil nu pbes proc rename sort struct sum tau true val var whr yaled
	Bag Bool FBag FSet Int List Nat Pos Real Set`)
