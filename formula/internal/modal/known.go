package modal

import (
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/property"
)

// known returns the pattern of package actl whose formula this is as [actl.Formula.MCL] and
// [actl.Formula.MuCalculus] write them, and F G !A for mu X . [ true* . A ] X; nil if there is none.
func (p *parser) known(f *state) property.Formula {
	var text string
	if step := p.finitely(f); step != "" {
		known, err := ltl.Parse(p.ctx, "F G !"+step)
		if err != nil {
			return nil
		}
		return known
	}
	if steps := p.inevitable(f); steps != nil {
		text = "Inev(" + strings.Join(steps, ", ") + ")"
	} else if f.op == boxOp {
		text = p.afterwards(f)
	}
	if text == "" {
		return nil
	}
	known, err := actl.Parse(p.ctx, text)
	if err != nil {
		return nil
	}
	return known
}

// finitely returns the step A of mu X . [ true* . A ] X, that no run does A for ever.
func (p *parser) finitely(f *state) string {
	if f.op != muOp || f.parts[0].op != boxOp {
		return ""
	}
	run, again := f.parts[0].run, f.parts[0].parts[0]
	if again.op != variableOp || again.name != f.name || run.shape != sequence || !isAnyRun(run.parts[0]) || run.parts[1].shape != single {
		return ""
	}
	return p.pattern(run.parts[1].action)
}

// pattern returns what an action formula matches as a step of a pattern; "" if it is none.
func (p *parser) pattern(a *action) string {
	if a = a.folded(p.ctx); a.op != atomOf {
		return ""
	}
	text := a.atom.String()
	if !strings.HasPrefix(text, "{") {
		text = "{" + text + "}"
	}
	return text
}

// inevitable returns the steps of mu X . (< true > true and [ not A ] X and [ A ] …).
func (p *parser) inevitable(f *state) []string {
	if f.op != muOp || f.parts[0].op != andOp {
		return nil
	}
	parts := f.parts[0].parts
	if len(parts) > 3 || !isAlive(parts[0], false) {
		return nil
	}
	around := parts[1]
	if around.op != boxOp || around.run.shape != single || around.parts[0].op != variableOp || around.parts[0].name != f.name {
		return nil
	}
	not := around.run.action
	if not.op != noneOf {
		return nil
	}
	return p.chain(not.parts[0], parts[2:], p.inevitable)
}

// chain returns the steps that begin with A: A alone, or A and the steps of what stands behind
// [ A ], none of true.
func (p *parser) chain(a *action, behind []*state, steps func(*state) []string) []string {
	step := p.pattern(a)
	switch {
	case step == "":
		return nil
	case len(behind) == 0:
		return []string{step}
	}
	on := behind[0]
	if on.op != boxOp || on.run.shape != single || !on.run.action.equal(a) {
		return nil
	}
	if on.parts[0].op == trueOp {
		return []string{step}
	}
	rest := steps(on.parts[0])
	if rest == nil {
		return nil
	}
	return append([]string{step}, rest...)
}

// afterwards returns the pattern of [ true* . A ] with inevitability behind it, and of
// [ true* . A . true* . B ] false, perhaps with true* at the end, and [ true* ] < true > true.
func (p *parser) afterwards(f *state) string {
	var steps []string
	run, rest := f.run, 0
	if f.parts[0].op == falseOp && run.shape == sequence && isAnyRun(run.parts[1]) {
		run = run.parts[0] // what may follow changes nothing
	}
	for ; run.shape == sequence; run = run.parts[0] {
		// true* and actions take turns, from the last action on.
		last := run.parts[1]
		if rest++; rest%2 == 0 {
			if !isAnyRun(last) {
				return ""
			}
			continue
		}
		if last.shape != single {
			return ""
		}
		step := p.pattern(last.action)
		if step == "" {
			return ""
		}
		steps = append([]string{step}, steps...)
	}
	if !isAnyRun(run) || rest%2 == 0 && rest > 0 {
		return ""
	}
	after := f.parts[0]
	switch {
	case len(steps) == 0 && isAlive(after, false):
		return "DeadlockFree"
	case len(steps) > 0 && after.op == falseOp:
		return "Never(" + strings.Join(steps, ", ") + ")"
	case len(steps) == 1:
		if later := p.inevitable(after); later != nil {
			return "Response(" + steps[0] + "; " + strings.Join(later, ", ") + ")"
		}
	}
	return ""
}

// isAnyRun reports whether an expression is true*.
func isAnyRun(r *regular) bool {
	return r.shape == star && r.parts[0].shape == single && r.parts[0].action.isAnything()
}
