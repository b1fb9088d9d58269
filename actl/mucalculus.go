package actl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/written"
	"github.com/inev-lts/inev/lts"
)

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes on
// what this does not express. mCRL2 has formulas for actions with given arguments
// only: a bare name becomes the action without any, and where there is no action
// to name (a glob, a regular expression, a label with offers) a placeholder
// stands in the step's place, which mCRL2 refuses. [Bound.MuCalculus] lists the
// labels instead. The error is that of ctx, or a [*WrittenError]. Cost O(length of the text).
func (f *Formula) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, muName, f.muActions, func(m *written.Meter, actions []string) string { return muCalculus.of(m, f, actions) })
}

// muName is what the logic is called.
const muName = "the mu-calculus"

// muActions returns the action formula of each step in that of mCRL2.
func (f *Formula) muActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, len(f.steps))
	for i, step := range f.steps {
		terms, note := step.muCalculus(m, i+1)
		if !m.Spend(len(note)) {
			return nil, nil
		}
		if note != "" {
			notes = append(notes, fmt.Sprintf("step %d, %s", i+1, note))
		}
		actions[i] = muCalculus.any(m, terms)
	}
	return actions, notes
}

// muCalculus returns the actions of mCRL2 that p stands for, which is this step,
// and what there is to say of them.
func (p Pattern) muCalculus(m *written.Meter, step int) (actions []string, note string) {
	bare, assumed := false, false
	for _, e := range p.elements {
		if !m.Spend(len(e.text)) {
			return nil, ""
		}
		switch action, ok := mcrl2Action(e.text); {
		case e.kind == glob || e.kind == regex:
			return []string{placeholder(step)}, fmt.Sprintf("%s, stands for actions that mCRL2 cannot tell without a model: %s stands in its place",
				e.String(), placeholder(step))
		case !ok:
			return []string{placeholder(step)}, notMCRL2(e.String(), step)
		case e.text == "i" && e.kind != name:
			actions, assumed = append(actions, action), true
		case e.kind == name && action != "tau":
			actions, bare = append(actions, action), true
		default:
			actions = append(actions, action)
		}
	}
	if assumed || bare && slices.ContainsFunc(p.elements, func(e element) bool { return e.text == "i" }) {
		note = internalNote
	}
	if bare {
		if note != "" {
			note += "; "
		}
		note += fmt.Sprintf("%s: a bare name is the action without arguments only, others mCRL2 cannot tell without a model", p)
	}
	return actions, note
}

// internalNote says what is assumed of i where there is no model.
const internalNote = "i: taken for an action of that name, as mCRL2 reads it; its internal action is tau"

// internalInModel is for a model of which i is the internal action.
const internalInModel = "i: the internal action of the model, which mCRL2 reads as any other; after ltsconvert --tau=i write tau instead"

// notMCRL2 says that a pattern or label cannot be written, and what is instead.
func notMCRL2(text string, step int) string {
	return fmt.Sprintf("%s, is not an action of mCRL2: %s stands in its place", text, placeholder(step))
}

// isInternal reports whether i is the internal action of a model with these labels, as
// it is in CADP: not where tau is one of them, nor where all are actions of mCRL2, and
// one has arguments or is a multi-action. Cost O(size of the alphabet).
func isInternal(a *lts.Alphabet) bool {
	if _, has := a.Lookup("tau"); has {
		return false
	}
	only, some := true, false
	for _, label := range a.All() {
		_, ok := mcrl2Action(label)
		only, some = only && ok, some || strings.ContainsAny(label, "(|")
	}
	return !(only && some)
}

// mcrl2Action returns the multi-action of mCRL2 that a label stands for, as an
// action formula has it. It fails for a label that is none.
func mcrl2Action(label string) (string, bool) {
	if label == "tau" {
		return label, true
	}
	action := label
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
			return action, true
		}
		if rest[0] != '|' {
			return "", false
		}
		rest = rest[1:]
		action = "(" + label + ")"
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
