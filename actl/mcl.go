package actl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// MCL returns the formula in MCL, the language of CADP's EVALUATOR, and notes on
// what MCL does not express. A label becomes "text"; a pattern for several labels
// becomes UNIX regular expressions in single quotes, which match the whole label,
// as in CADP's manual page regexp. A regular expression of the formula without
// such a form becomes a placeholder that EVALUATOR refuses; [Bound.MCL] has no
// placeholders. The error is ctx.Err(), or that the text would be too large. Cost O(length of
// the text).
func (f *Formula) MCL(ctx context.Context) (text string, notes []string, err error) {
	return mcl.write(ctx, f)
}

// expressible is a property that a logic with fixpoints can express.
type expressible interface {
	String() string
	Len() int // the number of steps
	// terms returns action formulas, whose disjunction is the given step, and notes as [Formula.MCL]
	// does. The first step is 1.
	terms(x *fixpoint, m *textlimit.Meter, step int) (terms, notes []string)
	// textIn returns the property in the logic x; actions has the action formula of each step.
	textIn(x *fixpoint, m *textlimit.Meter, actions []string) string
}

// write returns a property in the logic, and notes on the steps that it does not express exactly.
func (x *fixpoint) write(
	ctx context.Context,
	p expressible,
) (text string, notes []string, err error) {
	m := textlimit.New(ctx, x.name)
	actions := make([]string, p.Len())
	for i := range actions {
		terms, stepNotes := p.terms(x, m, i+1)
		actions[i] = x.any(m, terms)
		notes = append(notes, stepNotes...)
	}
	isWithinLimit := m.Spend(0)
	if isWithinLimit {
		text = p.textIn(x, m, actions)
	}
	if err := m.Err(text); err != nil {
		return "", nil, err
	}
	return text, notes, nil
}

func (f *Formula) terms(x *fixpoint, m *textlimit.Meter, step int) (terms, notes []string) {
	return x.ofPattern(m, f.steps[step-1], step)
}

// inMCL returns action predicates of MCL whose disjunction is the pattern of a step. If MCL cannot
// express one of the elements, a placeholder replaces them all.
func inMCL(m *textlimit.Meter, p Pattern, step int) (terms, notes []string) {
	isExpressible := true
	for _, e := range p.elements {
		if !m.Spend(len(e.text)) {
			return nil, nil
		}
		predicates, ok := e.mcl()
		terms = append(terms, predicates...)
		notes = append(notes, primeNotes(step, e.text, predicates)...)
		isExpressible = isExpressible && ok
	}
	if isExpressible {
		return terms, notes
	}
	substitute := placeholder(step)
	notes = append(notes,
		fmt.Sprintf("step %d, %s, cannot be expressed in MCL without a model: %s stands in its place", step, p, substitute))
	return []string{substitute}, notes
}

// primeNotes returns a note if one of the predicates for text replaces a single
// quote.
func primeNotes(step int, text string, predicates []string) []string {
	isRegexp := func(predicate string) bool {
		return strings.HasPrefix(strings.TrimPrefix(predicate, "("), "'")
	}
	if !strings.Contains(text, "'") || !slices.ContainsFunc(predicates, isRegexp) {
		return nil
	}
	return []string{fmt.Sprintf("step %d, %s: the character ' is . (any character) in MCL's regular expressions", step, text)}
}

// mcl returns action predicates whose disjunction holds of exactly the labels that e matches; false if
// MCL has no such predicates.
func (e *element) mcl() ([]string, bool) {
	switch e.kind {
	case name:
		// A multi-action of mCRL2 such as a(1)|b(2) is not the action a. mCRL2's
		// data has no operator |, so that ")|" occurs in multi-actions only.
		name := literal(e.key)
		return []string{
			mclLabel(e.key),
			fmt.Sprintf("(%s and not %s)", mclRegexp(name+"[ (].*"), mclRegexp(name+"(.*)|.*")),
		}, true
	case quoted:
		return []string{mclLabel(e.key)}, true
	case regex:
		branches, ok := basicRegexps(e.text)
		for i, b := range branches {
			branches[i] = mclRegexp(b)
		}
		return branches, ok
	case plain:
		if !strings.Contains(e.key, ",") {
			return []string{mclLabel(e.key)}, true
		}
	}
	return []string{mclRegexp(e.basicRegexp())}, true
}

// basicRegexp returns the basic regular expression of a label or a glob. Blanks may follow the commas of
// the label.
func (e *element) basicRegexp() string {
	var b strings.Builder
	for i := range len(e.key) {
		c := e.key[i : i+1]
		switch {
		case c == ",":
			b.WriteString(", *")
		case e.kind == glob && c == "*":
			b.WriteString(".*")
		case e.kind == glob && c == "?":
			b.WriteString(".")
		default:
			b.WriteString(literal(c))
		}
	}
	return b.String()
}

// mclLabel returns the predicate for this label. The meaning of a backslash in a
// "string" of MCL depends on the version, so that a label with a backslash or a
// quote is written as a regular expression.
func mclLabel(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return mclRegexp(literal(text))
	}
	return `"` + text + `"`
}

// mclRegexp quotes a basic regular expression, which MCL matches against the whole label. A ^ at
// the beginning is an ordinary character, and is escaped.
func mclRegexp(basic string) string {
	if strings.HasPrefix(basic, "^") {
		basic = `\` + basic
	}
	return "'" + basic + "'"
}

// Bound is an Inev property bound to a model, as [property.Chain] is. Its methods write it in the
// languages in which a [Formula] can be written, with the labels of the model in place of patterns. The
// chain comes from [property.Inev].
type Bound struct {
	*property.Chain
}

// Kind names the kind of property for people.
func (c Bound) Kind() string { return "Inevitability" }

// ACTL returns the chain as [Formula.ACTL] does, with each step as the labels that do it; a step
// without labels is written as the constant false. Cost O(length of the text).
func (c Bound) ACTL() string {
	subscripts := make([]string, c.Len())
	for i := range subscripts {
		var texts []string
		for _, l := range c.Step(i + 1).Labels {
			texts = append(texts, quote(c.Alphabet().Text(l)))
		}
		subscripts[i] = strings.Join(texts, " or ")
		if len(texts) == 0 {
			subscripts[i] = "false"
		}
	}
	return nestedUntils(subscripts)
}

// MCL returns the chain in MCL, and notes as [Formula.MCL] does. Each step is written as the
// labels that do it, or as the constant false if there are none. Cost O(length of the text).
func (c Bound) MCL(ctx context.Context) (text string, notes []string, err error) {
	return mcl.write(ctx, c)
}

// MuCalculus returns the chain in the modal mu-calculus of mCRL2, and notes as
// [Formula.MuCalculus] does. Each step is written as the actions that do it, or as the constant
// false if there are none. Cost O(length of the text).
func (c Bound) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return muCalculus.write(ctx, c)
}

// terms returns the terms of a step, one for each of its labels; a placeholder alone if the logic has no term
// for one of them. Notes say what the logic does not express.
func (c Bound) terms(x *fixpoint, m *textlimit.Meter, step int) (terms, notes []string) {
	for _, l := range c.Step(step).Labels {
		label := c.Alphabet().Text(l)
		if !m.Spend(len(label)) {
			return nil, nil
		}
		term, more, ok := x.ofLabel(c.Alphabet(), label, step)
		notes = append(notes, more...)
		if !ok {
			return []string{placeholder(step)}, notes
		}
		terms = append(terms, term)
	}
	return terms, notes
}

func (c Bound) textIn(x *fixpoint, m *textlimit.Meter, actions []string) string {
	return regular{fixpoint: x, meter: m}.nest(actions)
}

// labelInMCL returns the action predicate of MCL for a label of a model.
func labelInMCL(
	_ *lts.Alphabet,
	label string,
	step int,
) (term string, notes []string, ok bool) {
	term = mclLabel(label)
	return term, primeNotes(step, label, []string{term}), true
}

// labelInMu returns the action formula of mCRL2 for a label of a model; false if the label is not an action
// of mCRL2.
func labelInMu(a *lts.Alphabet, label string, step int) (term string, notes []string, ok bool) {
	action, isAction := mcrl2Action(label)
	switch {
	case !isAction:
		notes = []string{fmt.Sprintf("step %d, label %s", step, notMCRL2(quote(label), step))}
	case label == "i" && isInternalIn(a):
		notes = []string{fmt.Sprintf("step %d, %s", step, internalInModel)}
	}
	return action, notes, isAction
}

// FullyFair is an inevitability, or a response, under full fairness. Its methods write it in the
// logics that can express it. A fully fair run takes infinitely often every transition that is
// enabled infinitely often; a goal is inevitable on all such runs iff it stays reachable from
// every state that is reached before it (AG EF; see docs/semantics.md). ACTL as inev reads it,
// without negation, cannot express that.
type FullyFair struct{ property fair }

// fair is a property under full fairness: in every reachable state, the next step stays reachable,
// one step after the other. In a response, this is demanded of the steps after the first one, the
// request.
type fair struct {
	expressible
	response bool
}

// FullyFair returns the property under full fairness; false if it is neither
// inevitability nor response.
func (f *Formula) FullyFair() (*FullyFair, bool) {
	if f.kind != property.KindInev && f.kind != property.KindResponse ||
		f.scope != property.Globally {
		return nil, false
	}
	return &FullyFair{fair{f, f.kind == property.KindResponse}}, true
}

// FullyFair returns the property under full fairness.
func (c Bound) FullyFair() *FullyFair { return &FullyFair{fair{c, false}} }

// Kind names the kind of property for people.
func (f *FullyFair) Kind() string {
	if f.property.response {
		return "Response on every run that is fully fair"
	}
	return "Inevitability on every run that is fully fair"
}

// String returns the property without the assumption.
func (f *FullyFair) String() string {
	switch {
	case f == nil:
		return "<nil>"
	case f.property.expressible == nil:
		return "no formula"
	}
	return f.property.String()
}

// ACTL returns "", because ACTL has no such formula.
func (f *FullyFair) ACTL() string { return "" }

// MCL returns the formula in MCL, and notes as [Formula.MCL] does. Cost O(length of the
// text).
func (f *FullyFair) MCL(ctx context.Context) (text string, notes []string, err error) {
	return mcl.write(ctx, f.property)
}

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes as
// [Formula.MuCalculus] does. Cost O(length of the text).
func (f *FullyFair) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return muCalculus.write(ctx, f.property)
}

// textIn returns the formula with these action formulas for its steps. In a response, the first
// step is the request.
func (f fair) textIn(x *fixpoint, m *textlimit.Meter, actions []string) string {
	var b strings.Builder
	if f.response {
		fmt.Fprintf(&b, x.after, "true*"+x.concat+actions[0])
		actions = actions[1:]
	}
	for i, action := range actions {
		const mostOccurrences = 4 // the action occurs three times in reachable, and once in rest
		if !m.Spend(mostOccurrences * len(action)) {
			return ""
		}
		fmt.Fprintf(&b, x.reachable, action)
		if i+1 < len(actions) {
			fmt.Fprintf(&b, x.rest, action)
		}
	}
	b.WriteString(strings.Repeat(")", len(actions)))
	return b.String()
}

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes on what that logic
// does not express. mCRL2 has formulas only for actions with given arguments: a bare name becomes
// the action without arguments, and a pattern that names no action (a glob, a regular expression,
// a label with offers) becomes a placeholder, which mCRL2 refuses. [Bound.MuCalculus] lists the
// labels instead. The error is ctx.Err(), or that the text would be too large. Cost O(length of
// the text).
func (f *Formula) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return muCalculus.write(ctx, f)
}

// inMu returns action formulas of mCRL2 whose disjunction is the pattern of a step, and a note on what they
// do not express. If mCRL2 cannot express one of the elements, a placeholder replaces them all.
func inMu(m *textlimit.Meter, p Pattern, step int) (actions, notes []string) {
	for _, e := range p.elements {
		if !m.Spend(len(e.text)) {
			return nil, nil
		}
		action, problem := e.inMu(step)
		if problem != "" {
			return []string{placeholder(step)}, noteOn(m, step, problem)
		}
		actions = append(actions, action)
	}
	assumptions := assumptionsInMu(p)
	if assumptions == nil {
		return actions, nil
	}
	return actions, noteOn(m, step, strings.Join(assumptions, "; "))
}

// noteOn returns a note on a step; none if the text would be too large.
func noteOn(m *textlimit.Meter, step int, text string) []string {
	if !m.Spend(len(text)) {
		return nil
	}
	return []string{fmt.Sprintf("step %d, %s", step, text)}
}

// inMu returns the action formula of mCRL2 for an element of a step. If there is none, the problem says why.
func (e *element) inMu(step int) (action, problem string) {
	if e.kind == glob || e.kind == regex {
		return "", fmt.Sprintf("%s, stands for actions that mCRL2 cannot tell without a model: %s stands in its place",
			e.String(), placeholder(step))
	}
	action, isAction := mcrl2Action(e.text)
	if !isAction {
		return "", notMCRL2(e.String(), step)
	}
	return action, ""
}

// assumptionsInMu returns what is assumed of models when the labels and names of a pattern are written as
// actions of mCRL2.
func assumptionsInMu(p Pattern) []string {
	isBareName := func(e element) bool { return e.kind == name && e.text != "tau" }
	isI := func(e element) bool { return e.text == "i" }
	var assumptions []string
	if slices.ContainsFunc(p.elements, isI) {
		assumptions = append(assumptions, internalNote)
	}
	if slices.ContainsFunc(p.elements, isBareName) {
		assumptions = append(assumptions,
			fmt.Sprintf("%s: a bare name is only the action without arguments; others need a model", p))
	}
	return assumptions
}

// internalNote is the note on the action i if there is no model.
const internalNote = "i: taken for an action of that name, as mCRL2 reads it; its internal action is tau"

// internalInModel is the note for a model whose internal action is i.
const internalInModel = "i: the internal action of the model, which mCRL2 reads as any other; after ltsconvert --tau=i write tau instead"

// notMCRL2 returns the note that a pattern or label cannot be written in mCRL2's logic, and which
// placeholder replaces it.
func notMCRL2(text string, step int) string {
	return fmt.Sprintf("%s, is not an action of mCRL2: %s stands in its place", text,
		placeholder(step))
}

// isInternalIn reports whether the label i of a model with this alphabet is the internal action, as
// in CADP. In a model of mCRL2, i is an ordinary action, and tau is the internal action. A model
// counts as one of mCRL2 if tau is a label, or if all labels are actions of mCRL2 and one has
// arguments or is a multi-action. Cost O(size of the alphabet).
func isInternalIn(a *lts.Alphabet) bool {
	if _, hasTau := a.Lookup("tau"); hasTau {
		return false
	}
	areAllActions := true
	hasArgumentsOrParts := false
	for _, label := range a.All() {
		_, isAction := mcrl2Action(label)
		areAllActions = areAllActions && isAction
		hasArgumentsOrParts = hasArgumentsOrParts || strings.ContainsAny(label, "(|")
	}
	isFromMCRL2 := areAllActions && hasArgumentsOrParts
	return !isFromMCRL2
}

// mcrl2Action returns the multi-action of mCRL2 that a label denotes, as an
// action formula. It fails for other labels.
func mcrl2Action(label string) (string, bool) {
	if label == "tau" {
		return label, true
	}
	rest, isAction := cutMCRL2Action(label)
	if !isAction {
		return "", false
	}
	if rest == "" {
		return label, true
	}
	for rest != "" {
		next, hasSeparator := strings.CutPrefix(rest, "|")
		if !hasSeparator {
			return "", false
		}
		rest, isAction = cutMCRL2Action(next)
		if !isAction {
			return "", false
		}
	}
	return "(" + label + ")", true
}

// cutMCRL2Action returns a text without the action at its beginning, a name that arguments may follow;
// false if the text begins with no action.
func cutMCRL2Action(text string) (rest string, isAction bool) {
	name := mcrl2Name(text)
	if name == "" || slices.Contains(mcrl2Words, name) {
		return "", false
	}
	rest = text[len(name):]
	if !strings.HasPrefix(rest, "(") {
		return rest, true
	}
	end := multiaction.Closing(rest)
	if end <= len("()") || strings.ContainsAny(rest[:end], "\"\n") {
		return "", false
	}
	return rest[end:], true
}

// mcrl2Name returns the name at the beginning of a text: letters, and from the second character on also
// digits and quotes.
func mcrl2Name(text string) string {
	for i := range len(text) {
		c := text[i]
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		isFollower := c == '\'' || '0' <= c && c <= '9'
		if !isLetter && (i == 0 || !isFollower) {
			return text[:i]
		}
	}
	return text
}

// mcrl2Words are the words of mCRL2 that cannot be names of actions.
var mcrl2Words = strings.Fields(`act allow block comm cons delay delta div end eqn exists false forall glob hide
	if in init lambda map mod mu nil nu pbes proc rename sort struct sum tau true val var whr yaled
	Bag Bool FBag FSet Int List Nat Pos Real Set`)

// fixpoint is the notation of a logic with fixpoints, and with regular
// expressions of actions in its modalities.
type fixpoint struct {
	name string
	// ofPattern returns action formulas for a pattern without a model; an action does the step if
	// it satisfies one of them. ofLabel returns the action formula for a label of a model, false if
	// the label has none.
	ofPattern func(m *textlimit.Meter, p Pattern, step int) (terms, notes []string)
	ofLabel   func(a *lts.Alphabet, label string, step int) (term string, notes []string, ok bool)
	// first and rest are formats for inevitability as a least fixpoint: the state
	// has a successor; transitions that do not do the step lead to states where
	// the step is still inevitable, and transitions that do the step lead to
	// states where the remaining steps are inevitable. first takes a variable, an
	// action formula, and the variable again; rest takes the action formula, and
	// precedes the formula of the next step.
	first, rest string
	// until follows first if a scope may end before the step. It takes the action formula of the
	// scope's end.
	until string
	// after is the format for a formula that must hold after every run that matches a regular
	// expression. It takes the expression, and the formula follows it.
	after string
	// lives is the formula that a state has a successor.
	lives string
	// reachable is the format of the formula that an action stays reachable; it takes an action
	// formula.
	reachable      string
	not, and, or   string
	concat, choice string
}

var (
	mcl = &fixpoint{
		name: "MCL", ofPattern: inMCL, ofLabel: labelInMCL,
		first: "mu %s . (< true > true and [ not %s ] %s", rest: " and [ %s ] ", until: " and [ %s ] false",
		after: "[ %s ] ", lives: "< true > true", reachable: "[ (not %[1]s)* ] (< (not %[1]s)* . %[1]s > true",
		not: "not ", and: " and ", or: " or ", concat: " . ", choice: " | ",
	}
	muCalculus = &fixpoint{
		name: "the mu-calculus", ofPattern: inMu, ofLabel: labelInMu,
		first: "mu %s . (<true>true && [!%s]%s", rest: " && [%s]", until: " && [%s]false",
		after: "[%s]", lives: "<true>true", reachable: "[(!%[1]s)*](<(!%[1]s)*.%[1]s>true",
		not: "!", and: " && ", or: " || ", concat: ".", choice: " + ",
	}
)

// textIn returns the formula in the logic x. actions has the action formulas of the steps, and after them
// those of the delimiters of the scope.
func (f *Formula) textIn(x *fixpoint, m *textlimit.Meter, actions []string) string {
	w := regular{fixpoint: x, meter: m, scope: f.scope}
	from, to := f.delimiters()
	if from >= 0 {
		w.from = actions[from]
	}
	if to >= 0 {
		w.to = actions[to]
	}
	steps := actions[:len(f.main())]
	switch f.kind {
	case property.KindInev:
		return w.inevitability(nil, steps)
	case property.KindResponse:
		return w.inevitability([]string{w.any(""), w.inside(steps[0])}, steps[1:])
	case property.KindNever:
		return w.never(w.chain(steps))
	case property.KindPrecedes:
		last := len(steps) - 1
		return w.never(w.tooEarly(steps[:last], steps[last]))
	case property.KindAlways:
		return w.never(w.join(w.any(""), w.inside(x.not+steps[0])))
	case property.KindAtMost:
		return w.never(w.chain(slices.Repeat(steps[:1], f.times+1)))
	}
	return w.deadlockFree()
}

// wordSize is the cost of copying one string in a list.
const wordSize = 16

// regular writes properties with a scope by regular expressions over runs.
type regular struct {
	*fixpoint
	meter    *textlimit.Meter
	scope    property.ScopeKind
	from, to string // action formulas of the scope's delimiters; "" for no delimiter
}

// mustEnd reports whether only a scope that ends can violate the property.
func (w regular) mustEnd() bool {
	return w.scope == property.Before || w.scope == property.Between
}

// inside returns the formula for an action within the scope that satisfies all
// these formulas.
func (w regular) inside(formulas ...string) string {
	if w.to != "" {
		formulas = append(formulas, w.not+w.to)
	}
	switch {
	case len(formulas) == 0:
		return "true"
	case len(formulas) == 1 && !strings.HasPrefix(formulas[0], "not "):
		return formulas[0]
	}
	return "(" + w.together(formulas, w.and) + ")"
}

// together is strings.Join with the limit of the meter; beyond the limit it returns "".
func (w regular) together(parts []string, between string) string {
	length := len(between) * len(parts)
	for _, part := range parts {
		length += len(part)
	}
	if !w.meter.Spend(length) {
		return ""
	}
	return strings.Join(parts, between)
}

// any returns the expression for any sequence of actions within the scope that do not satisfy the formula
// excluded; "" excludes none.
func (w regular) any(excluded string) string {
	if excluded == "" {
		return w.star(w.inside())
	}
	return w.star(w.inside(w.not + excluded))
}

// star returns the expression for any number of actions that satisfy a formula.
func (w regular) star(action string) string {
	if strings.HasPrefix(action, "!") {
		action = "(" + action + ")"
	}
	return action + "*"
}

func (w regular) join(parts ...string) string { return w.together(parts, w.concat) }

// open prepends to an expression the sequences that lead to the beginning of a
// scope.
func (w regular) open(parts ...string) string {
	switch w.scope {
	case property.After:
		outside := regular{fixpoint: w.fixpoint, meter: w.meter}
		parts = append([]string{outside.any(w.from), w.from}, parts...)
	case property.Between, property.AfterUntil:
		parts = append([]string{"true*", w.from}, parts...)
	}
	return w.join(parts...)
}

// never returns the formula that no run matches the expression within the scope. If only a scope that ends
// can violate the property, the scope must end after what the expression matches.
func (w regular) never(expression string) string {
	if w.mustEnd() {
		expression = w.open(expression, w.any(""), w.to)
	} else {
		expression = w.open(expression)
	}
	return fmt.Sprintf(w.after, expression) + "false"
}

// deadlockFree returns the formula that no state within the scope is a deadlock. If only a scope that ends
// can violate the property, nothing can: a scope with a deadlock never ends.
func (w regular) deadlockFree() string {
	if w.mustEnd() {
		return "true"
	}
	return fmt.Sprintf(w.after, w.open(w.any(""))) + w.lives
}

// chain returns the expression for sequences that do the steps one after the
// other.
func (w regular) chain(steps []string) string {
	var parts []string
	for _, step := range steps {
		if w.meter.Err("") != nil {
			return ""
		}
		parts = append(parts, w.any(""), w.inside(step))
	}
	return w.join(parts...)
}

// tooEarly returns the expression for sequences that do the last step before they
// have done the others one after the other.
func (w regular) tooEarly(steps []string, last string) string {
	var sequences []string
	var done []string // parts of the expression for sequences that have done the steps before step i
	for i, step := range steps {
		if !w.meter.Spend(wordSize * len(done)) {
			return ""
		}
		end := w.inside(last)
		if i == len(steps)-1 {
			// One action that does both steps is not too early.
			end = w.inside(last, w.not+step)
		}
		sequence := append(slices.Clone(done), w.any(step), end)
		sequences = append(sequences, w.join(sequence...))
		done = append(done, w.any(step), w.inside(step, w.not+last))
	}
	return w.either(sequences)
}

// either returns the choice of these expressions.
func (w regular) either(expressions []string) string {
	if len(expressions) == 1 {
		return expressions[0]
	}
	return "(" + w.together(expressions, w.choice) + ")"
}

// inevitability returns the formula that the steps follow, within the scope, after every sequence that
// the expressions of trigger match. Without a trigger they follow the beginning of the scope.
func (w regular) inevitability(trigger, steps []string) string {
	if w.mustEnd() {
		endsTooEarly := append(slices.Clone(trigger), w.incomplete(steps), w.to)
		return fmt.Sprintf(w.after, w.open(endsTooEarly...)) + "false"
	}
	nested := w.nest(steps)
	if w.scope == property.Globally && len(trigger) == 0 {
		return nested
	}
	return fmt.Sprintf(w.after, w.open(trigger...)) + "(" + nested + ")"
}

// incomplete returns the expression for sequences that do not do all the steps one after the other.
func (w regular) incomplete(steps []string) string {
	var sequences []string
	var done []string // parts of the expression for sequences that have done the steps so far
	for _, step := range steps {
		if !w.meter.Spend(wordSize * len(done)) {
			return ""
		}
		withoutStep := append(slices.Clone(done), w.any(step))
		sequences = append(sequences, w.join(withoutStep...))
		done = append(done, w.any(step), w.inside(step))
	}
	return w.either(sequences)
}

// nest returns the formula that steps with these action formulas inevitably occur one after the other, as in
//
//	mu X . (< true > true and [ not A ] X and [ A ] mu Y . (< true > true and [ not B ] Y))
//
// The fixpoint of each step has the fixpoints of the later steps in its parentheses.
func (w regular) nest(actions []string) string {
	var b strings.Builder
	for i, action := range actions {
		const mostOccurrences = 3 // of the action, in first and rest
		if !w.meter.Spend(mostOccurrences*len(action) + len(w.to)) {
			return ""
		}
		name := variable(i, len(actions))
		fmt.Fprintf(&b, w.first, name, action, name)
		if w.to != "" {
			fmt.Fprintf(&b, w.until, w.to)
		}
		isLast := i == len(actions)-1
		if !isLast {
			fmt.Fprintf(&b, w.rest, action)
		}
	}
	closing := strings.Repeat(")", len(actions)) // each w.first has opened one parenthesis
	b.WriteString(closing)
	return b.String()
}

// variable returns the fixpoint variable of a step: X and Y if there are at most two steps, otherwise X1,
// X2 and so on.
func variable(step, numSteps int) string {
	if numSteps <= 2 {
		return string("XY"[step])
	}
	return "X" + strconv.Itoa(step+1)
}

// any returns the disjunction of these action formulas.
func (x *fixpoint) any(m *textlimit.Meter, actions []string) string {
	switch len(actions) {
	case 0:
		return "false"
	case 1:
		return actions[0]
	}
	return "(" + regular{meter: m}.together(actions, x.or) + ")"
}

// placeholder is the name for a step that a logic cannot express. It is neither
// an action of any model nor declared anywhere, so that tools refuse it.
func placeholder(step int) string { return "step" + strconv.Itoa(step) }
