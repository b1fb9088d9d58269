package actl

import (
	"fmt"
	"strconv"
	"strings"
)

// fixpoint is the notation of a logic in which inevitability is a least fixpoint:
// the state has a successor; all transitions that do not do the step lead to
// where it is inevitable still, and all that do to where the rest is.
type fixpoint struct {
	// first takes a variable, an action formula, and the variable again; rest takes
	// the action formula, and precedes the formula of the next step.
	first, rest string
	// after takes the action formula of a request, and precedes what has to follow.
	after string
	or    string
}

var (
	mcl = fixpoint{
		first: "mu %s . (< true > true and [ not %s ] %s", rest: " and [ %s ] ", after: "[ true* . %s ] (",
		or: " or ",
	}
	muCalculus = fixpoint{
		first: "mu %s . (<true>true && [!%s]%s", rest: " && [%s]", after: "[true*.%s](",
		or: " || ",
	}
)

// of returns the formula of this form whose steps have these action formulas.
func (x fixpoint) of(f form, actions []string) string {
	if f == response {
		return fmt.Sprintf(x.after, actions[0]) + x.nest(actions[1:]) + ")"
	}
	return x.nest(actions)
}

// nest returns the formula whose steps have these action formulas.
func (x fixpoint) nest(actions []string) string {
	var b strings.Builder
	for i, action := range actions {
		variable := variable(i, len(actions))
		fmt.Fprintf(&b, x.first, variable, action, variable)
		if i+1 < len(actions) {
			fmt.Fprintf(&b, x.rest, action)
		}
	}
	b.WriteString(strings.Repeat(")", len(actions)))
	return b.String()
}

// variable returns the fixpoint variable of the step with this index, of n.
func variable(index, n int) string {
	if n <= 2 {
		return string("XY"[index])
	}
	return "X" + strconv.Itoa(index+1)
}

// any returns the action formula that is satisfied where one of these is.
func (x fixpoint) any(actions []string) string {
	switch len(actions) {
	case 0:
		return "false"
	case 1:
		return actions[0]
	}
	return "(" + strings.Join(actions, x.or) + ")"
}

// placeholder stands for a step that a logic cannot express. It is no action of
// any model and not declared anywhere, so that tools refuse it.
func placeholder(step int) string { return "step" + strconv.Itoa(step) }
