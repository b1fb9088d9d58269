package modal

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/property"
)

// known returns the pattern whose [actl.Formula.MCL] or [actl.Formula.MuCalculus] is this formula, or F
// G !A for mu X . [ true* . A ] X; nil if the formula has no such form.
func (p *parser) known(f *state) property.Formula {
	step := p.finitely(f)
	if step != "" {
		return p.read("F G !" + step)
	}
	steps := p.inevitable(f)
	if steps != nil {
		return p.read("Inev(" + strings.Join(steps, ", ") + ")")
	}
	if f.op == boxOp {
		return p.read(p.afterwards(f))
	}
	return nil
}

// read returns the property that text denotes: a formula of linear temporal logic if the second
// character is a blank, and otherwise a pattern of package actl. It returns nil if the text is neither.
func (p *parser) read(text string) property.Formula {
	if text == "" {
		return nil
	}
	isTemporal := text[1] == ' ' // such as F G !A
	if isTemporal {
		f, err := ltl.Parse(p.ctx, text)
		if err != nil {
			return nil
		}
		return f
	}
	f, err := actl.Parse(p.ctx, text)
	if err != nil {
		return nil
	}
	return f
}

// finitely returns the step A if the formula is mu X . [ true* . A ] X, which means that no run takes A
// forever; "" otherwise.
func (p *parser) finitely(f *state) string {
	if f.op != muOp || f.parts[0].op != boxOp {
		return ""
	}
	run := f.parts[0].run
	inner := f.parts[0].parts[0]
	repeatsFixpoint := inner.op == variableOp && inner.name == f.name
	isFarStep := run.shape == sequence && isAnyRun(run.parts[0]) && run.parts[1].shape == single
	if !repeatsFixpoint || !isFarStep {
		return ""
	}
	return p.pattern(run.parts[1].action)
}

// pattern returns an action formula as a step of a pattern of package actl; "" if that is impossible.
func (p *parser) pattern(a *temporal.Formula) string {
	a = p.folded(p.ctx, a)
	if a.Operator() != temporal.AtomOp {
		return ""
	}
	text := p.atoms.All[a.Number()].String()
	if !strings.HasPrefix(text, "{") {
		text = "{" + text + "}"
	}
	return text
}

// inevitable returns the steps A, … if the formula is mu X . (< true > true and [ not A ] X and [ A ]
// …); nil otherwise.
func (p *parser) inevitable(f *state) []string {
	if f.op != muOp || f.parts[0].op != andOp {
		return nil
	}
	parts := p.inOrder(f.parts[0].parts, f.name)
	if len(parts) > 3 || !isAlive(parts[0]) {
		return nil
	}
	round := parts[1]
	isOneStep := round.op == boxOp && round.run.shape == single
	if !isOneStep || round.parts[0].op != variableOp || round.parts[0].name != f.name {
		return nil
	}
	notStep := round.run.action
	if notStep.Operator() != temporal.NotOp {
		return nil
	}
	return p.chain(notStep.Parts()[0], parts[2:], p.inevitable)
}

// inOrder sorts the operands of a conjunction: first < true > true, then modalities with the variable
// after them, then the others.
func (p *parser) inOrder(parts []*state, name string) []*state {
	place := func(f *state) int {
		switch {
		case isAlive(f):
			return 0
		case f.op == boxOp && f.parts[0].op == variableOp && f.parts[0].name == name:
			return 1
		}
		return 2
	}
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(f, g *state) int {
		return place(f) - place(g)
	})
	return sorted
}

// chain returns A and the steps that follow it, given the operands behind. These are none or [ A ] true
// if A is the last step, and otherwise [ A ] with the formula of the further steps. It returns nil for
// other operands.
func (p *parser) chain(
	a *temporal.Formula,
	following []*state,
	steps func(*state) []string,
) []string {
	step := p.pattern(a)
	switch {
	case step == "":
		return nil
	case len(following) == 0:
		return []string{step}
	}
	first := following[0]
	if first.op != boxOp || first.run.shape != single || !first.run.action.Equal(a) {
		return nil
	}
	if first.parts[0].op == trueOp {
		return []string{step}
	}
	rest := steps(first.parts[0])
	if rest == nil {
		return nil
	}
	return append([]string{step}, rest...)
}

// afterwards returns the pattern for a formula of one of three forms: [ true* . A ] followed by
// inevitability; [ true* . A . true* . B ] false, which may have true* at the end; and [ true* ] < true
// > true. It returns "" for other formulas.
func (p *parser) afterwards(f *state) string {
	run := f.run
	goal := f.parts[0]
	if goal.op == falseOp && run.shape == sequence && isAnyRun(run.parts[1]) {
		run = run.parts[0] // the continuation changes nothing
	}
	steps, isSequence := p.successive(run)
	switch {
	case !isSequence:
		return ""
	case len(steps) == 0 && isAlive(goal):
		return "DeadlockFree"
	case len(steps) > 0 && goal.op == falseOp:
		return "Never(" + strings.Join(steps, ", ") + ")"
	case len(steps) == 1:
		later := p.inevitable(goal)
		if later != nil {
			return "Response(" + steps[0] + "; " + strings.Join(later, ", ") + ")"
		}
	}
	return ""
}

// successive returns the steps A, B, … of true* . A . true* . B …, and no step for true* alone; false
// for other expressions.
func (p *parser) successive(run *regular) (steps []string, isSequence bool) {
	// From the end, steps and true* alternate, and true* comes first of all.
	for run.shape == sequence {
		last := run.parts[1]
		if last.shape != single {
			return nil, false
		}
		step := p.pattern(last.action)
		if step == "" {
			return nil, false
		}
		steps = slices.Insert(steps, 0, step)
		run = run.parts[0]
		hasMoreSteps := run.shape == sequence
		if hasMoreSteps {
			if !isAnyRun(run.parts[1]) {
				return nil, false
			}
			run = run.parts[0]
			if run.shape != sequence {
				return nil, false
			}
		}
	}
	return steps, isAnyRun(run)
}

// isAnyRun reports whether an expression is true*.
func isAnyRun(r *regular) bool {
	return r.shape == star && r.parts[0].isAnyStep()
}

// fullyFair returns the property of runs that is equivalent to a formula under full fairness; nil
// if it finds none. On a fully fair run, whatever always remains possible happens infinitely often
// (Queille and Sifakis, Fairness and related properties in transition systems, Acta Informatica 19,
// 1983). fullyFair recognises the formulas that [actl.FullyFair] writes, responses, and [ true* ] <
// true* . A > true.
func (p *parser) fullyFair(f *state) property.Formula {
	steps := p.reachable(f)
	if len(steps) > 0 {
		return p.read("Inev(" + strings.Join(steps, ", ") + ")")
	}
	if f.op != boxOp {
		return nil
	}
	action := p.possible(f.parts[0])
	alwaysPossible := isAnyRun(f.run) && action != nil
	if !alwaysPossible {
		return p.read(p.response(f))
	}
	step := p.pattern(action)
	if step == "" {
		return nil
	}
	return p.read("G F " + step)
}

// possible returns A for < true* . A > true and the equivalent < (not A)* . A > true; nil for other
// formulas.
func (p *parser) possible(f *state) *temporal.Formula {
	if f.op != diamondOp || f.parts[0].op != trueOp || f.run.shape != sequence {
		return nil
	}
	start := f.run.parts[0]
	last := f.run.parts[1]
	if last.shape != single {
		return nil
	}
	if isAnyRun(start) || isWithout(start, last.action) {
		return last.action
	}
	return nil
}

// isWithout reports whether an expression is (not A)*.
func isWithout(r *regular, a *temporal.Formula) bool {
	return r.shape == star && r.parts[0].shape == single &&
		r.parts[0].action.Equal(temporal.Not(a))
}

// reachable returns the steps A, … for [ (not A)* ] (< (not A)* . A > true and [ A ] …); nil for other
// formulas.
func (p *parser) reachable(f *state) []string {
	if f.op != boxOp || f.run.shape != star {
		return nil
	}
	return p.remains(f.run, f.parts[0])
}

// remains returns the steps of the formula after [ (not A)* ]; nil if it has another form.
func (p *parser) remains(without *regular, f *state) []string {
	parts := []*state{f}
	if f.op == andOp {
		parts = f.parts
	}
	a := p.possible(parts[0])
	if a == nil || !isWithout(without, a) || len(parts) > 2 {
		return nil
	}
	return p.chain(a, parts[1:], p.reachable)
}

// response returns the pattern for [ true* . A . (not B)* ] (< (not B)* . B > true and …), where the
// last (not B)* may also be in a modality of its own; "" for other formulas.
func (p *parser) response(f *state) string {
	toRequest := f.run // true* . A
	var answers []string
	endsWithoutAnswer := f.run.shape == sequence && f.run.parts[1].shape == star
	if endsWithoutAnswer {
		answers = p.remains(f.run.parts[1], f.parts[0])
		toRequest = f.run.parts[0]
	} else {
		answers = p.reachable(f.parts[0])
	}
	if answers == nil || toRequest.shape != sequence {
		return ""
	}
	last := toRequest.parts[1]
	if !isAnyRun(toRequest.parts[0]) || last.shape != single {
		return ""
	}
	request := p.pattern(last.action)
	if request == "" {
		return ""
	}
	return "Response(" + request + "; " + strings.Join(answers, ", ") + ")"
}
