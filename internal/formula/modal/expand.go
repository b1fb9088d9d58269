package modal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// Limits on the expansion of formulas with data for a model.
const (
	mostSteps     = 1 << 22 // of the whole work: comparisons of labels, and parts that are made
	mostParts     = 1 << 16 // of the formula
	mostValues    = 1 << 12 // of a variable
	mostInstances = 1 << 12 // of fixpoints with parameters
)

// expansion expands a formula with data to one without, for the labels of a model.
type expansion struct {
	*parser
	alphabet *lts.Alphabet
	labels   []*parsed // those that happen
	holding  [][]bool  // the labels that each atom matches
	at       token     // of the action that is written out
	steps    int
	parts    int
	names    int // the number of fixpoints that were made
	// instances counts the instances of fixpoints with parameters. values has, for each variable, the
	// largest number of values that it got.
	instances int
	order     []string
	values    map[string]int
	reach     *reach // nil unless only what a model reaches is expanded
}

// scope is a fixpoint around the part that is being expanded. Only its map of instances changes.
type scope struct {
	source    *state
	name      string
	at        within
	instances map[string]*state // by the values of the parameters
	outer     *scope
}

// within is the context of a part that is being expanded.
type within struct {
	env    *environment
	scopes *scope
	// states contains all states in which the part is asked about; nil if the expansion does not go
	// with a model.
	states states
}

func (c within) with(env *environment) within {
	c.env = env
	return c
}

func (c within) among(in states) within {
	c.states = in
	return c
}

// writtenOut expands the formula for a model. It returns the formula without data, the parser that has
// its atoms, and a note about the expansion. It refuses a formula without a finite expansion. With asked,
// the expansion has only what is needed in these states, and in those to which they lead.
func (p *parser) writtenOut(
	ctx context.Context,
	root *state,
	a *lts.Alphabet,
	asked *askedStates,
) (q *parser, f *state, note string, err error) {
	defer abort.Caught(&err)
	q = p.clone()
	q.ctx = ctx
	q.isWritten = true
	x := &expansion{parser: q, alphabet: a, values: map[string]int{}}
	for l, text := range a.All() {
		if a.Happens(l) {
			x.labels = append(x.labels, parseLabel(l, text))
		}
	}
	atoms, _, err := actl.BindAtoms(ctx, q.atoms.All, a)
	abort.On(err)
	for _, atom := range atoms {
		isMatched := make([]bool, a.Len())
		for _, l := range atom.Labels {
			isMatched[l] = true
		}
		x.holding = append(x.holding, isMatched)
	}
	whole := within{env: &environment{limits: &evaluation{ctx: ctx}}}
	if asked == nil {
		return q, x.expand(root, whole), x.note(), nil
	}
	f = x.expandFor(asked, root, whole)
	return q, f, x.note(), nil
}

// note returns how much was written out.
func (x *expansion) note() string {
	var counts []string
	for _, name := range x.order {
		counts = append(counts, printable.Quantity(x.values[name], "value")+" of "+name)
	}
	if x.instances > 0 {
		counts = append(counts,
			printable.Quantity(x.instances, "instance")+" of fixpoints with parameters")
	}
	text := "the formula's data is written out in " + printable.Quantity(x.parts, "subformula")
	if len(counts) > 0 {
		text += ", with " + strings.Join(counts, ", ")
	}
	from := x.lookup.specification.usedNames()
	if len(from) > 0 {
		text += "; " + x.lookup.specification.source.name + " defines " + strings.Join(from, ", ")
	}
	return text
}

// recordValues records how many values a variable got.
func (x *expansion) recordValues(name string, numValues int) {
	most, isRecorded := x.values[name]
	if !isRecorded {
		x.order = append(x.order, name)
	}
	x.values[name] = max(most, numValues)
}

// spend counts a step of the work, and refuses the formula when the limit is reached.
func (x *expansion) spend(at token) {
	x.steps++
	if x.steps%4096 == 0 {
		abort.On(x.ctx.Err())
	}
	if x.steps > mostSteps {
		refuse(at, "data that is written out in at most %d steps", mostSteps)
	}
}

// countPart counts a part of the result and returns it. It refuses the formula when there are too many.
func (x *expansion) countPart(f *state) *state {
	x.parts++
	x.spend(f.at)
	if x.parts > mostParts {
		refuse(f.at, "a formula whose data is written out in at most %d parts", mostParts)
	}
	return f
}

// part makes a part of the result with an operator, in place of a formula.
func (x *expansion) part(f *state, env *environment, op operator, parts ...*state) *state {
	expanded := &state{
		op:       op,
		at:       f.at,
		parts:    parts,
		first:    f.first,
		last:     f.last,
		isJoined: f.isJoined,
		text:     f.text,
	}
	if env.hasValues() {
		expanded.text = x.textIn(f, env)
	}
	return x.countPart(expanded)
}

// constant returns true or false in place of a formula.
func (x *expansion) constant(f *state, env *environment, isTrue bool) *state {
	op := falseOp
	if isTrue {
		op = trueOp
	}
	return x.part(f, env, op)
}

// textIn returns the text of a formula with values for variables.
func (x *expansion) textIn(f *state, env *environment) string {
	if f.text != "" {
		return f.text
	}
	var b strings.Builder
	text := x.textBetween(f.first, f.last)
	written := 0 // the offset up to which the text is written
	words(text, func(start int, word string) {
		end := start + len(word)
		v, isBound := env.find(word)
		isOffer := start > 0 && text[start-1] == '?'
		hasType := strings.HasPrefix(strings.TrimLeft(text[end:], " "), ":")
		isDeclaration := isOffer || hasType
		if !isBound || isDeclaration {
			return
		}
		b.WriteString(text[written:start] + v.String())
		written = end
	})
	b.WriteString(text[written:])
	return b.String()
}

// expand writes a formula out in the context c.
func (x *expansion) expand(f *state, c within) *state {
	x.spend(f.at)
	switch f.op {
	case trueOp, falseOp:
		return x.constant(f, c.env, f.op == trueOp)
	case notOp:
		operand := x.expand(f.parts[0], c)
		if operand.op == trueOp || operand.op == falseOp {
			return x.constant(f, c.env, operand.op == falseOp)
		}
		return x.part(f, c.env, notOp, operand)
	case andOp, orOp:
		return x.connective(f, c)
	case boxOp, diamondOp:
		return x.run(f, f.run, c, func(c within) *state {
			return x.expand(f.parts[0], c)
		})
	case muOp, nuOp:
		return x.fixpoint(f, c)
	case variableOp:
		return x.reference(f, c)
	case valOp:
		return x.constant(f, c.env, f.condition.condition(c.env))
	case ifOp:
		if f.condition.condition(c.env) {
			return x.expand(f.parts[0], c)
		}
		return x.expand(f.parts[1], c)
	case letOp:
		env := c.env
		for _, d := range f.declared {
			env = env.with(d.variable.name, x.valueOf(d.value, d.variable, c.env))
		}
		return x.expand(f.parts[0], c.with(env))
	}
	return x.quantified(f, f.declared, c)
}

// isConditional reports whether a formula consists of conditions only, and so does not depend on the
// model.
func (f *state) isConditional() bool {
	switch f.op {
	case trueOp, falseOp, valOp:
		return true
	case notOp, andOp, orOp:
		return !slices.ContainsFunc(f.parts, func(part *state) bool {
			return !part.isConditional()
		})
	}
	return false
}

// connective expands a conjunction or disjunction. It expands conditions first, since one of them may
// decide the whole and save the rest of the work.
func (x *expansion) connective(f *state, c within) *state {
	absorbing := f.op == orOp // the constant that decides the connective
	for _, part := range f.parts {
		if !part.isConditional() {
			continue
		}
		holds := x.expand(part, c).op == trueOp
		if holds == absorbing {
			return x.constant(f, c.env, absorbing)
		}
	}
	var parts []*state
	for _, part := range f.parts {
		if part.isConditional() {
			continue
		}
		expanded := x.expand(part, c)
		if x.decides(f.op, expanded) {
			return x.constant(f, c.env, absorbing)
		}
		parts = append(parts, expanded)
	}
	return x.joined(f, c.env, f.op, parts)
}

// decides reports whether one operand decides a conjunction or disjunction.
func (x *expansion) decides(op operator, part *state) bool {
	return op == andOp && part.op == falseOp || op == orOp && part.op == trueOp
}

// joined returns a conjunction or disjunction of parts, without neutral parts.
func (x *expansion) joined(f *state, env *environment, op operator, parts []*state) *state {
	neutral := trueOp
	if op == orOp {
		neutral = falseOp
	}
	parts = slices.DeleteFunc(parts, func(part *state) bool {
		return part.op == neutral
	})
	switch {
	case len(parts) == 0:
		return x.constant(f, env, op == andOp)
	case slices.ContainsFunc(parts, func(part *state) bool { return x.decides(op, part) }):
		return x.constant(f, env, op == orOp)
	case len(parts) == 1:
		return parts[0]
	}
	expanded := x.part(f, env, op, parts...)
	expanded.isJoined = true
	return expanded
}

// quantified expands a quantifier over some variables.
func (x *expansion) quantified(f *state, declared []declaration, c within) *state {
	if len(declared) == 0 {
		return x.expand(f.parts[0], c)
	}
	op := orOp
	if f.op == forallOp {
		op = andOp
	}
	rest := &state{
		op:       f.op,
		at:       f.at,
		declared: declared[1:],
		parts:    f.parts,
		first:    f.first,
		last:     f.last,
		text:     f.text,
	}
	v := declared[0].variable
	values := x.domain(declared[0], c.env, quantifiedState{x: x, body: rest})
	x.recordValues(v.name, len(values))
	var parts []*state
	for _, value := range values {
		part := x.quantified(rest, declared[1:], c.with(c.env.with(v.name, value)))
		if x.decides(op, part) {
			return x.constant(f, c.env, op == orOp)
		}
		parts = append(parts, part)
	}
	return x.joined(f, c.env, op, parts)
}

// valueOf returns the value of an expression for a variable, which must be of its type.
func (x *expansion) valueOf(e *expression, v *variable, env *environment) value {
	computed := e.eval(env)
	isAdmitted := computed.kind == numberValue && v.sort.admits(computed.number)
	if v.sort.isNumeric() && !isAdmitted {
		refuse(e.at, "a value of type %s for %s, and not %s", v.sort.name, v.name, computed)
	}
	if v.sort.kind() == boolSort && computed.kind != boolValue {
		refuse(e.at, "true or false for %s, and not %s", v.name, computed)
	}
	return computed
}

// fixpoint expands a fixpoint. Each copy of the fixpoint gets a name of its own.
func (x *expansion) fixpoint(f *state, c within) *state {
	x.names++
	s := &scope{
		source:    f,
		name:      fmt.Sprintf("%s#%d", f.name, x.names),
		outer:     c.scopes,
		instances: map[string]*state{},
	}
	s.at = within{env: c.env, scopes: s}
	if len(f.declared) > 0 {
		var values []value
		for _, d := range f.declared {
			values = append(values, x.valueOf(d.value, d.variable, c.env))
		}
		return x.instance(s, f, values, c.states)
	}
	body := x.expand(f.parts[0], s.at.among(x.afterAnyRun(c).states))
	if body.op == trueOp || body.op == falseOp {
		return body
	}
	expanded := x.part(f, c.env, f.op, body)
	expanded.name = s.name
	return expanded
}

// reference writes a fixpoint variable out.
func (x *expansion) reference(f *state, c within) *state {
	s := c.scopes
	for s.source.name != f.name {
		s = s.outer
	}
	if len(f.arguments) == 0 {
		expanded := x.part(f, c.env, variableOp)
		expanded.name = s.name
		return expanded
	}
	var values []value
	for i, argument := range f.arguments {
		values = append(values, x.valueOf(argument, s.source.declared[i].variable, c.env))
	}
	return x.instance(s, f, values, c.states)
}

// instance returns a variable that refers to the instance of a fixpoint with these values of its
// parameters. It expands the fixpoint when it meets these values for the first time or, if the expansion
// goes with a model, notes that the instance is asked about in some states.
func (x *expansion) instance(s *scope, at *state, values []value, in states) *state {
	x.hasInstances = true
	var texts []string
	env := s.at.env
	for i, v := range values {
		texts = append(texts, v.String())
		env = env.with(s.source.declared[i].variable.name, v)
	}
	key := strings.Join(texts, ", ")
	expanded, isKnown := s.instances[key]
	if !isKnown {
		expanded = x.newInstance(s, key, env)
	}
	if x.reach != nil {
		x.askIn(in, expanded, s, env)
	}
	use := x.part(at, env, variableOp)
	use.text = expanded.text
	use.name = expanded.name
	use.definition = expanded
	return use
}

// newInstance expands a fixpoint for one list of values of its parameters. key is the text of these
// values, and env binds the parameters to them.
func (x *expansion) newInstance(s *scope, key string, env *environment) *state {
	x.instances++
	if x.instances > mostInstances {
		abort.On(s.source.at.refused(
			fmt.Sprintf("a fixpoint with at most %d values of its parameters", mostInstances),
			fmt.Sprintf("%s(%s) is reached; bound them, as in %s", s.source.name, key, x.bound(s.source))))
	}
	expanded := x.part(s.source, env, s.source.op)
	expanded.name = fmt.Sprintf("%s(%s)", s.name, key)
	expanded.text = s.source.name + "(" + key + ")"
	expanded.isInstance = true
	s.instances[key] = expanded // before its body is expanded, which may refer to it
	if x.reach == nil {
		expanded.parts = []*state{x.expand(s.source.parts[0], s.at.with(env))}
	}
	return expanded
}

// bound returns an example of a bound on a parameter of a fixpoint.
func (x *expansion) bound(f *state) string {
	name := f.declared[0].variable.name
	for _, d := range f.declared {
		if d.variable.sort.isNumeric() {
			name = d.variable.name
			break
		}
	}
	if x.isMCL {
		return name + " <= 9 and …"
	}
	return "val(" + name + " <= 9) && …"
}

// hasData reports whether an expression has data.
func (r *regular) hasData() bool {
	return r.data != nil || slices.ContainsFunc(r.parts, (*regular).hasData)
}

// run expands a modality with a regular expression. The function continuation expands the formula after
// the modality in a context with the variables that the expression has bound.
func (x *expansion) run(f *state, r *regular, c within, continuation func(within) *state) *state {
	x.spend(r.at)
	if !r.hasData() {
		behind, isReached := x.after(r, c)
		if !isReached {
			return x.constant(f, c.env, f.op == boxOp)
		}
		return x.modality(f, c.env, r, continuation(behind))
	}
	op := f.op.connective()
	switch r.shape {
	case single:
		return x.action(f, r, c, continuation)
	case sequence:
		return x.run(f, r.parts[0], c, func(c within) *state {
			return x.run(f, r.parts[1], c, continuation)
		})
	case choice:
		first := x.run(f, r.parts[0], c, continuation)
		second := x.run(f, r.parts[1], c, continuation)
		return x.joined(f, c.env, op, []*state{first, second})
	case perhaps:
		once := x.run(f, r.parts[0], c, func(behind within) *state {
			return continuation(c.among(behind.states))
		})
		return x.joined(f, c.env, op, []*state{continuation(c), once})
	}
	c = x.afterAnyRun(c)
	return x.repetition(f, r, c, continuation(c))
}

// connective returns the operator that joins the modalities of an expansion: of boxes all must hold, of
// diamonds one.
func (op operator) connective() operator {
	if op == boxOp {
		return andOp
	}
	return orOp
}

// action expands a modality about an action with data: to one modality for each way in which labels
// match the action.
func (x *expansion) action(f *state, r *regular, c within, continuation func(within) *state) *state {
	x.at = r.data.at
	found := x.matches(r.data, c.env)
	for _, name := range binders(r.data) {
		x.recordValues(name, len(found))
	}
	var parts []*state
	for _, m := range found {
		x.at = r.data.at
		behind, isReached := x.afterLabels(m.labels, c)
		if !isReached {
			continue
		}
		labels := &regular{
			shape:  single,
			at:     r.at,
			action: x.labelled(m.labels),
		}
		parts = append(parts, x.modality(f, c.env, labels, continuation(behind.with(m.env))))
	}
	return x.joined(f, c.env, f.op.connective(), parts)
}

// repetition expands a modality about R* or R+ to a fixpoint; continuation is the formula after the modality.
func (x *expansion) repetition(f *state, r *regular, c within, continuation *state) *state {
	op := f.op.connective()
	kind := muOp
	if f.op == boxOp {
		kind = nuOp
	}
	x.names++
	loop := x.part(f, c.env, variableOp)
	loop.name = fmt.Sprintf("#%d", x.names)
	var body *state
	if r.shape == star {
		round := x.run(f, r.parts[0], c, func(within) *state { return loop })
		body = x.joined(f, c.env, op, []*state{continuation, round})
	} else {
		body = x.run(f, r.parts[0], c, func(within) *state {
			return x.joined(f, c.env, op, []*state{continuation, loop})
		})
	}
	if body.op == trueOp || body.op == falseOp {
		return body
	}
	repeated := x.part(f, c.env, kind, body)
	repeated.name = loop.name
	return repeated
}

// modality returns a modality whose expression has no data.
func (x *expansion) modality(f *state, env *environment, r *regular, continuation *state) *state {
	constant := falseOp // < R > false is false, and [ R ] true is true
	if f.op == boxOp {
		constant = trueOp
	}
	if continuation.op == constant {
		return continuation
	}
	expanded := x.part(f, env, f.op, continuation)
	expanded.run = r
	return expanded
}

// withoutData returns a formula of the same form without data; nil if the formula consists of
// conditions only. Before a model is known, [Parse] uses the result to find out whether the formula
// is a property of all runs. Formula and result agree in this, unless conditions decide parts of
// the formula.
func (p *parser) withoutData(f *state) *state {
	var parts []*state
	for _, part := range f.parts {
		plain := p.withoutData(part)
		if plain != nil {
			parts = append(parts, plain)
		}
	}
	hasOnlyConditions := len(parts) == 0
	switch f.op {
	case trueOp, falseOp, variableOp:
		return f.with(f.op)
	case boxOp, diamondOp:
		modality := f.with(f.op, parts...)
		if hasOnlyConditions {
			modality.parts = []*state{f.placeholder()}
		}
		modality.run = p.runWithoutData(f.run)
		return modality
	case muOp, nuOp:
		if hasOnlyConditions {
			return f.with(f.op, f.placeholder())
		}
		return f.with(f.op, parts...)
	}
	if hasOnlyConditions {
		return nil
	}
	switch f.op {
	case letOp, ifOp, forallOp:
		return f.with(andOp, parts...)
	case existsOp:
		oneMore := parts[0] // since a variable may have several values
		return f.with(orOp, append(parts, oneMore)...)
	}
	return f.with(f.op, parts...)
}

// placeholder returns the constant in place of the condition below a modality or fixpoint: one that keeps
// the modality from being constant.
func (f *state) placeholder() *state {
	if f.op == boxOp {
		return f.with(falseOp)
	}
	return f.with(trueOp)
}

// runWithoutData returns a regular expression with a single label in place of each action with data.
func (p *parser) runWithoutData(r *regular) *regular {
	copied := *r
	if r.data != nil {
		copied.data = nil
		copied.action = p.matching(r.at, actl.Quoted("data"))
	}
	copied.parts = nil
	for _, part := range r.parts {
		copied.parts = append(copied.parts, p.runWithoutData(part))
	}
	return &copied
}

// verdict is the known result of a formula in all states, or of an action formula for all labels.
type verdict uint8

const (
	open verdict = iota
	holds
	fails
)

func (v verdict) not() verdict { return [...]verdict{open, fails, holds}[v] }

// allOf joins verdicts as conjunctions do.
func allOf(all []verdict) verdict {
	switch {
	case slices.Contains(all, fails):
		return fails
	case slices.Contains(all, open):
		return open
	}
	return holds
}

// anyOf joins verdicts as disjunctions do.
func anyOf(all []verdict) verdict {
	var negated []verdict
	for _, v := range all {
		negated = append(negated, v.not())
	}
	return allOf(negated).not()
}

// verdictForFresh returns whether a formula holds in every state, or in none, if variable v has a fresh
// value: one that no label has as an argument. If the verdict is known, a quantifier over v needs only the
// values that labels have. assumed has the verdicts for the variables of the surrounding fixpoints.
func (f *state) verdictForFresh(v *variable, assumed map[string]verdict) verdict {
	switch f.op {
	case trueOp:
		return holds
	case falseOp:
		return fails
	case variableOp:
		return assumed[f.name]
	case muOp, nuOp:
		return f.fixpointForFresh(v, assumed)
	}
	var parts []verdict
	for _, part := range f.parts {
		parts = append(parts, part.verdictForFresh(v, assumed))
	}
	switch f.op {
	case notOp:
		return parts[0].not()
	case andOp, forallOp, letOp:
		return allOf(parts)
	case orOp, existsOp:
		return anyOf(parts)
	case boxOp, diamondOp:
		return f.modalityForFresh(v, parts[0])
	case ifOp:
		if parts[0] == parts[1] { // then the condition does not matter
			return parts[0]
		}
	}
	return open
}

// modalityForFresh is [state.verdictForFresh] for a box or a diamond, given the verdict of the formula behind it. A
// box holds, and a diamond fails, if nothing matches its action, whatever is behind it.
func (f *state) modalityForFresh(v *variable, behind verdict) verdict {
	ifNever := holds
	if f.op == diamondOp {
		ifNever = fails
	}
	if behind == ifNever || f.run.isNever(v) {
		return ifNever
	}
	return open
}

// isAlikeForFresh reports whether a formula means the same for all fresh values of variable v, see
// [state.verdictForFresh]: v stands only where it does not matter that no label has its value.
func (f *state) isAlikeForFresh(v *variable) bool {
	if f.verdictForFresh(v, map[string]verdict{}) != open {
		return true
	}
	isRunAlike := true
	if f.run != nil {
		isRunAlike = f.run.isAlikeForFresh(v)
	}
	uses := slices.Clone(f.arguments)
	for _, d := range f.declared {
		uses = append(uses, d.first, d.last, d.value)
	}
	uses = append(uses, f.condition)
	for _, e := range uses {
		if e != nil && e.uses(v) {
			return false
		}
	}
	return isRunAlike && !slices.ContainsFunc(f.parts, func(part *state) bool { return !part.isAlikeForFresh(v) })
}

// isAlikeForFresh reports whether each action of a regular expression matches the same labels for all fresh
// values of v.
func (r *regular) isAlikeForFresh(v *variable) bool {
	if r.data != nil && !r.data.isAlikeForFresh(v) {
		return false
	}
	return !slices.ContainsFunc(r.parts, func(part *regular) bool { return !part.isAlikeForFresh(v) })
}

// isAlikeForFresh reports whether an action formula matches the same labels for all fresh values of v.
func (a *action) isAlikeForFresh(v *variable) bool {
	if a.verdictForFresh(v) != open {
		return true
	}
	uses := a.operands()
	for _, d := range a.declared {
		uses = append(uses, d.first, d.last, d.value)
	}
	uses = append(uses, a.condition)
	for _, e := range uses {
		if e != nil && e.uses(v) {
			return false
		}
	}
	return !slices.ContainsFunc(a.parts, func(part *action) bool { return !part.isAlikeForFresh(v) })
}

// uses reports whether a variable occurs in an expression.
func (e *expression) uses(v *variable) bool {
	isFound := false
	e.variables(func(other *variable) { isFound = isFound || other == v })
	for _, d := range e.declared {
		for _, bound := range []*expression{d.first, d.last, d.value} {
			isFound = isFound || bound != nil && bound.uses(v)
		}
	}
	return isFound
}

// fixpointForFresh is verdictForFresh for a fixpoint. It assumes for the variable of the fixpoint the
// constant that fixpoint iteration starts with.
func (f *state) fixpointForFresh(v *variable, assumed map[string]verdict) verdict {
	outer := assumed[f.name]
	assumed[f.name] = fails
	if f.op == nuOp {
		assumed[f.name] = holds
	}
	body := f.parts[0].verdictForFresh(v, assumed)
	assumed[f.name] = outer
	return body
}

// isNever reports whether a regular expression matches no run, since it needs the value of v in a
// label.
func (r *regular) isNever(v *variable) bool {
	switch r.shape {
	case single:
		return r.data != nil && r.data.verdictForFresh(v) == fails
	case sequence:
		return r.parts[0].isNever(v) || r.parts[1].isNever(v)
	case choice:
		return r.parts[0].isNever(v) && r.parts[1].isNever(v)
	case plus:
		return r.parts[0].isNever(v)
	}
	return false
}

// verdictForFresh returns whether an action formula matches every label, or none, if v has a fresh value,
// see [state.verdictForFresh].
func (a *action) verdictForFresh(v *variable) verdict {
	var parts []verdict
	for _, part := range a.parts {
		parts = append(parts, part.verdictForFresh(v))
	}
	switch a.op {
	case plainAction:
		switch a.plain.Operator() {
		case temporal.TrueOp:
			return holds
		case temporal.FalseOp:
			return fails
		}
	case andAction:
		return allOf(parts)
	case orAction:
		return anyOf(parts)
	case notAction:
		return parts[0].not()
	case existsAction, forallAction:
		return parts[0]
	case offersAction, callAction:
		if slices.ContainsFunc(a.operands(), func(e *expression) bool { return e.needsValueOf(v) }) {
			return fails
		}
	}
	return open
}

// operands returns the expressions in the offers and arguments.
func (a *action) operands() (all []*expression) {
	for _, o := range a.offers {
		if o.value != nil {
			all = append(all, o.value)
		}
	}
	for _, called := range a.calls {
		for _, argument := range called.arguments {
			if argument.value != nil {
				all = append(all, argument.value)
			}
		}
	}
	return all
}
