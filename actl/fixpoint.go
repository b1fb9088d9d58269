package actl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/written"
	"github.com/inev-lts/inev/property"
)

// fixpoint is the notation of a logic with fixpoints, and with regular expressions of
// actions in its modalities.
type fixpoint struct {
	// Inevitability is a least fixpoint: the state has a successor; all transitions that
	// do not do the step lead to where it is inevitable still, and all that do to where
	// the rest is. first takes a variable, an action formula, and the variable again; rest
	// takes the action formula, and precedes the formula of the next step.
	first, rest string
	// until stands behind first where a scope ends before the step: it takes the action
	// formula of that.
	until string
	// after takes a regular expression, and precedes what has to hold behind it.
	after string
	// lives holds where a state has a successor.
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

// wordSize is what one string costs where a list of them is copied.
const wordSize = 16

// regular writes properties with a scope by regular expressions of runs.
type regular struct {
	fixpoint
	meter    *written.Meter
	scope    property.ScopeKind
	from, to string // action formulas; "" if there is none
}

func (w regular) closes() bool { return w.scope == property.Before || w.scope == property.Between }

// inside returns the formula for an action within the scope, of which all these hold.
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

// together is strings.Join as far as the meter allows it.
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

// any returns the expression for any actions within the scope but this one.
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

// open puts in front of an expression what leads to the beginning of a scope.
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

// bad returns that no run does this within the scope, which ends if it has to.
func (w regular) bad(expression string) string {
	if w.closes() {
		expression = w.open(expression, w.any(""), w.to)
	} else {
		expression = w.open(expression)
	}
	return fmt.Sprintf(w.after, expression) + "false"
}

// chain returns the expression for what does the steps one after the other.
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

// tooEarly returns the expression for what does the last step before it has done the
// others one after the other.
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

// either returns the expression for what one of these is for.
func (w regular) either(ways []string) string {
	if len(ways) == 1 {
		return ways[0]
	}
	return "(" + w.together(ways, w.choice) + ")"
}

// inevitability returns that after what the expressions of before are for, if there are
// any, the steps follow within the scope, which ends if it has to.
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

// variable returns the fixpoint variable of the step with this index, of n.
func variable(index, n int) string {
	if n <= 2 {
		return string("XY"[index])
	}
	return "X" + strconv.Itoa(index+1)
}

// any returns the action formula that is satisfied where one of these is.
func (x fixpoint) any(m *written.Meter, actions []string) string {
	switch len(actions) {
	case 0:
		return "false"
	case 1:
		return actions[0]
	}
	return "(" + regular{meter: m}.together(actions, x.or) + ")"
}

// placeholder stands for a step that a logic cannot express. It is no action of
// any model and not declared anywhere, so that tools refuse it.
func placeholder(step int) string { return "step" + strconv.Itoa(step) }
