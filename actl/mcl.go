package actl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/written"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// MCL returns the formula in MCL, the language of CADP's EVALUATOR, and notes on
// what MCL does not express. A label becomes "text"; a pattern for several labels
// becomes UNIX regular expressions in single quotes, which match the whole label,
// as in CADP's manual page regexp. A regular expression of the formula without
// such a form becomes a placeholder that EVALUATOR refuses; [Bound.MCL] has no
// placeholders. The error is that of ctx, or a [*written.Error]. Cost O(length of
// the text).
func (f *Formula) MCL(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, mclName, f.mclActions, func(m *written.Meter, actions []string) string { return mcl.of(m, f, actions) })
}

const mclName = "MCL"

// inLogic writes a formula in a logic, from the action formulas of its steps.
func inLogic(ctx context.Context, logic string, actions func(*written.Meter) (actions, notes []string), write func(*written.Meter, []string) string) (text string, notes []string, err error) {
	m := written.New(ctx, logic)
	formulas, notes := actions(m)
	if m.Spend(0) {
		text = write(m, formulas)
	}
	if err := m.Err(text); err != nil {
		return "", nil, err
	}
	return text, notes, nil
}

// mclActions returns the action formula of each step in MCL.
func (f *Formula) mclActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, len(f.steps))
	for i, step := range f.steps {
		var terms []string
		expressible := true
		for _, e := range step.elements {
			if !m.Spend(len(e.text)) {
				return nil, nil
			}
			more, ok := e.mcl()
			terms = append(terms, more...)
			notes = append(notes, primeNotes(i+1, e.text, more)...)
			expressible = expressible && ok
		}
		if !expressible {
			terms = []string{placeholder(i + 1)}
			notes = append(notes, fmt.Sprintf("step %d, %s, cannot be expressed in MCL without a model: %s stands in its place",
				i+1, step, placeholder(i+1)))
		}
		actions[i] = mcl.any(m, terms)
	}
	return actions, notes
}

// primeNotes returns a note if one of the predicates for text replaces a single
// quote.
func primeNotes(step int, text string, predicates []string) []string {
	isRegexp := func(predicate string) bool { return strings.HasPrefix(strings.TrimPrefix(predicate, "("), "'") }
	if !strings.Contains(text, "'") || !slices.ContainsFunc(predicates, isRegexp) {
		return nil
	}
	return []string{fmt.Sprintf("step %d, %s: the character ' is . (any character) in MCL's regular expressions", step, text)}
}

// mcl returns action predicates whose disjunction holds of exactly the labels
// that e matches. It fails if there are none.
func (e *element) mcl() ([]string, bool) {
	switch e.kind {
	case name:
		// A multi-action of mCRL2 such as a(1)|b(2) is not the action a. mCRL2's
		// data has no operator |, so that ")|" occurs in multi-actions only.
		name := literal(e.key)
		return []string{mclLabel(e.key), fmt.Sprintf("(%s and not %s)", mclRegexp(name+"[ (].*"), mclRegexp(name+"(.*)|.*"))}, true
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
	return []string{mclRegexp(basicGlob(e.key, e.kind == glob))}, true
}

// basicGlob returns the basic regular expression for text, in which blanks may
// follow commas, and * and ? are those of a glob if wild is set.
func basicGlob(text string, wild bool) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i : i+1]; {
		case c == ",":
			b.WriteString(", *")
		case wild && c == "*":
			b.WriteString(".*")
		case wild && c == "?":
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

// mclRegexp quotes a basic regular expression for the whole label. A ^ at the
// beginning is a character of the label, and is protected.
func mclRegexp(basic string) string {
	if strings.HasPrefix(basic, "^") {
		basic = `\` + basic
	}
	return "'" + basic + "'"
}

// Bound is a chain bound to a model. It can be written in the languages of a
// [Formula], by the labels of the model.
type Bound struct {
	*property.Chain
}

// Kind names the kind of property for people.
func (c Bound) Kind() string { return "Inevitability" }

// ACTL returns the chain as [Formula.ACTL] does, each step as the labels that do
// it, and false for a step without labels. Cost O(length of the text).
func (c Bound) ACTL() string {
	subscripts := make([]string, c.Len())
	for i := range subscripts {
		var texts []string
		for _, l := range c.Step(i + 1).Labels {
			texts = append(texts, quote(c.Alphabet().Text(l)))
		}
		if subscripts[i] = strings.Join(texts, " or "); len(texts) == 0 {
			subscripts[i] = "false"
		}
	}
	return nestedUntils(subscripts)
}

// MCL returns the chain in MCL, each step as the labels that do it, and false for
// a step without labels, with notes as [Formula.MCL] does. Cost O(length of the
// text).
func (c Bound) MCL(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, mclName, c.mclActions, mcl.nest)
}

func (c Bound) mclActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, c.Len())
	for i := range actions {
		var terms []string
		for _, l := range c.Step(i + 1).Labels {
			label := c.Alphabet().Text(l)
			if !m.Spend(len(label)) {
				return nil, nil
			}
			term := mclLabel(label)
			terms = append(terms, term)
			notes = append(notes, primeNotes(i+1, label, []string{term})...)
		}
		actions[i] = mcl.any(m, terms)
	}
	return actions, notes
}

// MuCalculus returns the chain in the modal mu-calculus of mCRL2, each step as
// the actions that do it, and false for a step without actions, with notes as
// [Formula.MuCalculus] does. Cost O(length of the text).
func (c Bound) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, muName, c.muActions, muCalculus.nest)
}

func (c Bound) muActions(m *written.Meter) (actions, notes []string) {
	actions = make([]string, c.Len())
	for i := range actions {
		var terms []string
		for _, l := range c.Step(i + 1).Labels {
			label := c.Alphabet().Text(l)
			if !m.Spend(len(label)) {
				return nil, nil
			}
			action, ok := mcrl2Action(label)
			if !ok {
				notes = append(notes, fmt.Sprintf("step %d, label %s", i+1, notMCRL2(quote(label), i+1)))
				terms = []string{placeholder(i + 1)}
				break
			}
			if label == "i" && isInternal(c.Alphabet()) {
				notes = append(notes, fmt.Sprintf("step %d, %s", i+1, internalInModel))
			}
			terms = append(terms, action)
		}
		actions[i] = muCalculus.any(m, terms)
	}
	return actions, notes
}

// FullyFair is an inevitability, or a response, under full fairness. Its methods
// write it in the logics that can express it. A fully fair run takes every
// transition infinitely often that is enabled infinitely often; a goal is
// inevitable on all such runs iff it stays reachable from every state that is
// reached before it (AG EF; see docs/semantics.md). ACTL as inev reads it,
// without negation, cannot express that.
type FullyFair struct {
	of interface {
		String() string
		mclActions(*written.Meter) (actions, notes []string)
		muActions(*written.Meter) (actions, notes []string)
	}
	// response reports that the property is a response: the other actions must
	// follow the first one.
	response bool
}

// FullyFair returns the property under full fairness; false if it is neither
// inevitability nor response.
func (f *Formula) FullyFair() (*FullyFair, bool) {
	if f.kind != property.KindInev && f.kind != property.KindResponse || f.scope != property.Globally {
		return nil, false
	}
	return &FullyFair{f, f.kind == property.KindResponse}, true
}

// FullyFair returns the property under full fairness.
func (c Bound) FullyFair() *FullyFair { return &FullyFair{of: c} }

// Kind names the kind of property for people.
func (f *FullyFair) Kind() string {
	if f.response {
		return "Response on every run that is fully fair"
	}
	return "Inevitability on every run that is fully fair"
}

// String returns the property without the assumption.
func (f *FullyFair) String() string { return f.of.String() }

// ACTL returns "", because ACTL has no such formula.
func (f *FullyFair) ACTL() string { return "" }

// MCL returns the formula in MCL, and notes as [Formula.MCL] does. Cost O(length of the
// text).
func (f *FullyFair) MCL(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, mclName, f.of.mclActions, func(m *written.Meter, actions []string) string {
		return f.after("[ true* . %s ] ", actions) + nestReachable(m, "[ (not %[1]s)* ] (< (not %[1]s)* . %[1]s > true", " and [ %s ] ", f.due(actions))
	})
}

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes as
// [Formula.MuCalculus] does. Cost O(length of the text).
func (f *FullyFair) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, muName, f.of.muActions, func(m *written.Meter, actions []string) string {
		return f.after("[true*.%s]", actions) + nestReachable(m, "[(!%[1]s)*](<(!%[1]s)*.%[1]s>true", " && [%s]", f.due(actions))
	})
}

// after formats the request of a response; "" for an inevitability.
func (f *FullyFair) after(format string, actions []string) string {
	if !f.response {
		return ""
	}
	return fmt.Sprintf(format, actions[0])
}

// due returns the actions that must happen.
func (f *FullyFair) due(actions []string) []string {
	if f.response {
		return actions[1:]
	}
	return actions
}

// nestReachable nests one formula for each step: first says that the step stays
// reachable, and then introduces the formula for the next step after it.
func nestReachable(m *written.Meter, first, then string, actions []string) string {
	var b strings.Builder
	for i, action := range actions {
		if !m.Spend(4 * len(action)) {
			return ""
		}
		fmt.Fprintf(&b, first, action)
		if i+1 < len(actions) {
			fmt.Fprintf(&b, then, action)
		}
	}
	b.WriteString(strings.Repeat(")", len(actions)))
	return b.String()
}

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes on
// what that does not express. mCRL2 has formulas only for actions with given
// arguments: a bare name becomes the action without arguments, and a pattern that
// names no action (a glob, a regular expression, a label with offers) becomes a
// placeholder, which mCRL2 refuses. [Bound.MuCalculus] lists the labels instead.
// The error is that of ctx, or a [*written.Error]. Cost O(length of the text).
func (f *Formula) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, muName, f.muActions, func(m *written.Meter, actions []string) string { return muCalculus.of(m, f, actions) })
}

const muName = "the mu-calculus"

// muActions returns the action formula of each step in the mu-calculus of mCRL2.
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

// muCalculus returns the actions of mCRL2 that p denotes, and a note about them;
// step is the number of the step.
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

// internalNote is the assumption about the action i without a model.
const internalNote = "i: taken for an action of that name, as mCRL2 reads it; its internal action is tau"

// internalInModel is the note for a model whose internal action is i.
const internalInModel = "i: the internal action of the model, which mCRL2 reads as any other; after ltsconvert --tau=i write tau instead"

// notMCRL2 says that a pattern or label cannot be written, and what stands
// instead.
func notMCRL2(text string, step int) string {
	return fmt.Sprintf("%s, is not an action of mCRL2: %s stands in its place", text, placeholder(step))
}

// isInternal reports whether i is the internal action of a model with these
// labels, as in CADP. It returns false if tau is a label, and if all labels are
// actions of mCRL2 and one has arguments or is a multi-action. Cost O(size of the
// alphabet).
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

// mcrl2Action returns the multi-action of mCRL2 that a label denotes, as an
// action formula. It fails for other labels.
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

// identifierEnd returns the length of the identifier at the beginning of text.
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

// mcrl2Words are the words of mCRL2 that cannot be names of actions.
var mcrl2Words = strings.Fields(`act allow block comm cons delay delta div end eqn exists false forall glob hide
	if in init lambda map mod mu nil nu pbes proc rename sort struct sum tau true val var whr yaled
	Bag Bool FBag FSet Int List Nat Pos Real Set`)

// fixpoint is the notation of a logic with fixpoints, and with regular
// expressions of actions in its modalities.
type fixpoint struct {
	// first and rest are formats for inevitability as a least fixpoint: the state
	// has a successor; transitions that do not do the step lead to states where
	// the step is still inevitable, and transitions that do the step lead to
	// states where the remaining steps are inevitable. first takes a variable, an
	// action formula, and the variable again; rest takes the action formula, and
	// precedes the formula of the next step.
	first, rest string
	// until follows first if a scope may end before the step: it takes the action
	// formula of the scope's end.
	until string
	// after takes a regular expression, and precedes the formula that must hold
	// after every run that matches it.
	after string
	// lives is the formula that a state has a successor.
	lives          string
	not, and, or   string
	concat, choice string
}

var (
	mcl = fixpoint{
		first: "mu %s . (< true > true and [ not %s ] %s", rest: " and [ %s ] ", until: " and [ %s ] false",
		after: "[ %s ] ", lives: "< true > true",
		not: "not ", and: " and ", or: " or ", concat: " . ", choice: " | ",
	}
	muCalculus = fixpoint{
		first: "mu %s . (<true>true && [!%s]%s", rest: " && [%s]", until: " && [%s]false",
		after: "[%s]", lives: "<true>true",
		not: "!", and: " && ", or: " || ", concat: ".", choice: " + ",
	}
)

// of returns the formula of f whose steps have these action formulas.
func (x fixpoint) of(m *written.Meter, f *Formula, actions []string) string {
	w := regular{fixpoint: x, meter: m, scope: f.scope}
	if from, to := f.delimiters(); true {
		if from >= 0 {
			w.from = actions[from]
		}
		if to >= 0 {
			w.to = actions[to]
		}
	}
	steps := actions[:len(f.main())]
	switch f.kind {
	case property.KindInev:
		return w.inevitability(nil, steps)
	case property.KindResponse:
		return w.inevitability([]string{w.any(""), w.inside(steps[0])}, steps[1:])
	case property.KindNever:
		return w.bad(w.chain(steps))
	case property.KindPrecedes:
		last := len(steps) - 1
		return w.bad(w.tooEarly(steps[:last], steps[last]))
	case property.KindAlways:
		return w.bad(w.join(w.any(""), w.inside(x.not+steps[0])))
	case property.KindAtMost:
		again := make([]string, f.times+1)
		for i := range again {
			again[i] = steps[0]
		}
		return w.bad(w.chain(again))
	}
	if w.closes() {
		return "true"
	}
	return fmt.Sprintf(x.after, w.open(w.any(""))) + x.lives
}

// wordSize is the cost of copying one string in a list.
const wordSize = 16

// regular writes properties with a scope by regular expressions over runs.
type regular struct {
	fixpoint
	meter    *written.Meter
	scope    property.ScopeKind
	from, to string // action formulas of the scope's delimiters; "" for no delimiter
}

func (w regular) closes() bool { return w.scope == property.Before || w.scope == property.Between }

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

// together is strings.Join with the limit of the meter.
func (w regular) together(parts []string, between string) string {
	n := len(between) * len(parts)
	for _, part := range parts {
		n += len(part)
	}
	if !w.meter.Spend(n) {
		return ""
	}
	return strings.Join(parts, between)
}

// any returns the expression for any sequence of actions within the scope that
// lacks the action passed as but.
func (w regular) any(but string) string {
	if but == "" {
		return w.star(w.inside())
	}
	return w.star(w.inside(w.not + but))
}

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

// bad returns the formula that no run matches the expression within the scope; a
// scope that needs an end must also end.
func (w regular) bad(expression string) string {
	if w.closes() {
		expression = w.open(expression, w.any(""), w.to)
	} else {
		expression = w.open(expression)
	}
	return fmt.Sprintf(w.after, expression) + "false"
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
	var ways, prefix []string
	for i, step := range steps {
		if !w.meter.Spend(wordSize * len(prefix)) {
			return ""
		}
		end := w.inside(last)
		if i == len(steps)-1 {
			end = w.inside(last, w.not+step)
		}
		ways = append(ways, w.join(append(slices.Clone(prefix), w.any(step), end)...))
		prefix = append(prefix, w.any(step), w.inside(step, w.not+last))
	}
	return w.either(ways)
}

// either returns the choice of these expressions.
func (w regular) either(ways []string) string {
	if len(ways) == 1 {
		return ways[0]
	}
	return "(" + w.together(ways, w.choice) + ")"
}

// inevitability returns the formula that after every sequence that the
// expressions of before match, if there are any, the steps follow within the
// scope; a scope that needs an end must also end.
func (w regular) inevitability(before, steps []string) string {
	if w.closes() {
		var ways, prefix []string
		for _, step := range steps {
			if !w.meter.Spend(wordSize * len(prefix)) {
				return ""
			}
			ways = append(ways, w.join(append(slices.Clone(prefix), w.any(step))...))
			prefix = append(prefix, w.any(step), w.inside(step))
		}
		return fmt.Sprintf(w.after, w.open(append(slices.Clone(before), w.either(ways), w.to)...)) + "false"
	}
	nested := w.nest(steps)
	if w.scope == property.Globally && len(before) == 0 {
		return nested
	}
	return fmt.Sprintf(w.after, w.open(before...)) + "(" + nested + ")"
}

// nest returns the formula whose steps have these action formulas.
func (w regular) nest(actions []string) string {
	var b strings.Builder
	for i, action := range actions {
		if !w.meter.Spend(3*len(action) + len(w.to)) {
			return ""
		}
		variable := variable(i, len(actions))
		fmt.Fprintf(&b, w.first, variable, action, variable)
		if w.to != "" {
			fmt.Fprintf(&b, w.until, w.to)
		}
		if i+1 < len(actions) {
			fmt.Fprintf(&b, w.rest, action)
		}
	}
	b.WriteString(strings.Repeat(")", len(actions)))
	return b.String()
}

// nest returns inevitability with these action formulas.
func (x fixpoint) nest(m *written.Meter, actions []string) string {
	return regular{fixpoint: x, meter: m}.nest(actions)
}

// variable returns the fixpoint variable of the step with this index among n
// steps.
func variable(index, n int) string {
	if n <= 2 {
		return string("XY"[index])
	}
	return "X" + strconv.Itoa(index+1)
}

// any returns the disjunction of these action formulas.
func (x fixpoint) any(m *written.Meter, actions []string) string {
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
