package modal

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/formula/temporal"
)

// longestBranching bounds the length of the formulas of computation tree logic that errors propose.
const longestBranching = 300

// branching translates a formula into computation tree logic; false if a fixpoint or a regular
// expression has no translation.
func (p *parser) branching(f *state) (string, bool) {
	signs := map[operator]string{andOp: " && ", orOp: " || "}
	switch f.op {
	case trueOp:
		return "true", true
	case falseOp:
		return "false", true
	case notOp:
		text, isBranching := p.branching(f.parts[0])
		return "!" + text, isBranching
	case andOp, orOp:
		var texts []string
		for _, part := range f.parts {
			text, isBranching := p.branching(part)
			if !isBranching {
				return "", false
			}
			texts = append(texts, text)
		}
		return "(" + strings.Join(texts, signs[f.op]) + ")", true
	case boxOp, diamondOp:
		text, isBranching := p.branching(f.parts[0])
		if !isBranching {
			return "", false
		}
		return p.runBranching(f.run, f.op, text)
	case muOp, nuOp:
		text, isInevitability := p.inevitableBranching(f)
		if isInevitability {
			return text, true
		}
		return p.fixpointBranching(f)
	}
	return "", false
}

// inevitableBranching translates a fixpoint which requires that some steps inevitably occur one after
// the other; false if f is none.
func (p *parser) inevitableBranching(f *state) (text string, isInevitability bool) {
	// The limit for the patterns of a formula does not count these again: p has read them already.
	unlimited := &parser{ctx: context.Background(), atoms: p.atoms}
	steps := unlimited.inevitable(f)
	if steps == nil {
		return "", false
	}
	text = "true"
	for _, step := range slices.Backward(steps) {
		text = "A[true U " + step + " " + text + "]"
	}
	return text, true
}

// fixpointBranching translates mu X . (G or (F and R)) and nu X . (G or (F and R)) into computation
// tree logic, where R is [ true ] X or < true > X. The operands can be in any order, and F and G can be
// missing. In nu X . …, R can also be the disjunction of < true > X and [ true ] false.
func (p *parser) fixpointBranching(f *state) (string, bool) {
	r, isRound := p.roundOf(f)
	switch {
	case !isRound:
		return "", false
	case f.op == muOp:
		return p.leastBranching(r)
	}
	return p.greatestBranching(r)
}

// round is what a fixpoint requires of a state: either one of the goals, or all conditions and the
// fixpoint again after a step.
type round struct {
	goals, conditions []*state
	// isBox is set if the fixpoint must hold after every step, and not just after some step.
	isBox bool
	// mayEnd is set if the state may also be a deadlock.
	mayEnd bool
}

// roundOf splits the body of a fixpoint into its parts; false if the body has no form that
// [parser.fixpointBranching] translates.
func (p *parser) roundOf(f *state) (r round, isRound bool) {
	goals, otherwise := p.parted(f.parts[0], orOp, f.name)
	if otherwise == nil {
		return round{}, false
	}
	conditions, again := p.parted(otherwise, andOp, f.name)
	if again == nil {
		return round{}, false
	}
	step := again
	mayEnd := again.op == orOp
	if mayEnd {
		step = p.stepUnlessDeadlock(again, f.name)
	}
	if step == nil || !step.isAnyStepTo(f.name) {
		return round{}, false
	}
	isBox := step.op == boxOp
	isWeakUntil := f.op == nuOp && !isBox
	if mayEnd && !isWeakUntil {
		return round{}, false
	}
	return round{
		goals:      goals,
		conditions: conditions,
		isBox:      isBox,
		mayEnd:     mayEnd,
	}, true
}

// stepUnlessDeadlock returns R for a disjunction of R and [ true ] false, where R has the variable; nil for
// other formulas.
func (p *parser) stepUnlessDeadlock(f *state, variable string) *state {
	others, step := p.parted(f, orOp, variable)
	if len(others) != 1 || !isDeadlock(others[0]) {
		return nil
	}
	return step
}

// isAnyStepTo reports whether a formula is [ true ] X or < true > X for a variable X.
func (f *state) isAnyStepTo(variable string) bool {
	if f.op != boxOp && f.op != diamondOp {
		return false
	}
	isVariable := f.parts[0].op == variableOp && f.parts[0].name == variable
	return isVariable && f.run.isAnyStep()
}

// leastBranching translates a least fixpoint into an until.
func (p *parser) leastBranching(r round) (string, bool) {
	conditions := r.conditions
	if r.isBox {
		conditions = slices.DeleteFunc(slices.Clone(conditions), func(part *state) bool {
			return isAlive(part)
		})
	}
	condition, goal, isBranching := p.untilBranching(conditions, r.goals)
	excludesDeadlock := len(conditions) < len(r.conditions)
	switch {
	case !isBranching:
		return "", false
	case !r.isBox:
		return "E[" + condition + " U " + goal + "]", true
	case excludesDeadlock:
		return "A[" + condition + " U " + goal + "]", true
	}
	return "A[" + condition + " U (" + goal + " || (" + condition + " && deadlock))]", true
}

// greatestBranching translates a greatest fixpoint into a weak until or, without goals, into always.
func (p *parser) greatestBranching(r round) (string, bool) {
	condition, goal, isBranching := p.untilBranching(r.conditions, r.goals)
	if !isBranching {
		return "", false
	}
	path := "E"
	if r.isBox {
		path = "A"
	} else if !r.mayEnd {
		condition = "(" + condition + " && !deadlock)"
	}
	if len(r.goals) == 0 {
		return path + "G (" + condition + ")", true
	}
	return path + "[" + condition + " W " + goal + "]", true
}

// untilBranching translates both operands of an until.
func (p *parser) untilBranching(conditions, goals []*state) (condition, goal string, isBranching bool) {
	condition, isConditionBranching := p.branchingOf(conditions, " && ", "true")
	goal, isGoalBranching := p.branchingOf(goals, " || ", "false")
	return condition, goal, isConditionBranching && isGoalBranching
}

// parted returns the operands of a connective in which a variable is not free, and the only one in
// which it is free; nil if the variable is free in several. A formula with another operator counts as a
// single operand.
func (p *parser) parted(f *state, op operator, name string) (others []*state, recurring *state) {
	parts := []*state{f}
	if f.op == op {
		parts = f.parts
	}
	for _, part := range parts {
		switch {
		case !isFree(part, name):
			others = append(others, part)
		case recurring != nil:
			return nil, nil
		default:
			recurring = part
		}
	}
	return others, recurring
}

// branchingOf translates the operands of a connective. If there are none, it returns the given
// constant.
func (p *parser) branchingOf(parts []*state, sign, constant string) (string, bool) {
	var texts []string
	for _, part := range parts {
		text, isBranching := p.branching(part)
		if !isBranching || len(text) > longestBranching {
			return "", false
		}
		texts = append(texts, text)
	}
	switch len(texts) {
	case 0:
		return constant, true
	case 1:
		return texts[0], true
	}
	return "(" + strings.Join(texts, sign) + ")", true
}

// runBranching translates [ R ] f or < R > f into computation tree logic. The formula f is translated
// already.
func (p *parser) runBranching(r *regular, op operator, f string) (string, bool) {
	if len(f) > longestBranching {
		return "", false
	}
	repeated := "AG "
	sign := " && "
	bracket := byte('[')
	if op == diamondOp {
		repeated = "EF "
		sign = " || "
		bracket = '<'
	}
	switch r.shape {
	case single:
		if r.action.Operator() == temporal.TrueOp {
			return map[operator]string{boxOp: "AX ", diamondOp: "EX "}[op] + f, true
		}
		// The limit for the patterns of a formula does not count these again: p has read them already.
		a := p.folded(context.Background(), r.action)
		if a.Operator() == temporal.AtomOp {
			return p.atoms.All[a.Number()].Within(bracket) + " " + f, true
		}
	case nothing:
		return f, true
	case sequence:
		g, isBranching := p.runBranching(r.parts[1], op, f)
		if !isBranching {
			return "", false
		}
		return p.runBranching(r.parts[0], op, g)
	case choice:
		first, isFirstBranching := p.runBranching(r.parts[0], op, f)
		second, isSecondBranching := p.runBranching(r.parts[1], op, f)
		return "(" + first + sign + second + ")", isFirstBranching && isSecondBranching
	case perhaps:
		g, isBranching := p.runBranching(r.parts[0], op, f)
		return "(" + f + sign + g + ")", isBranching
	case star:
		return repeated + f, isAnyRun(r)
	}
	return "", false
}
