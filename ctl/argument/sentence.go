package argument

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/ctl/wmc"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// longestFormula is the number of characters of a formula that a sentence shows.
const longestFormula = 300

// head returns the beginning of the sentence: which formula holds, or does not, in which state.
func (a *Argument) head() string {
	return fmt.Sprintf("%s %s in %d", printable.Cut(a.Formula, longestFormula), agree(a.Holds), a.State)
}

func agree(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

// formula returns the text of the formula of a claim, shortened.
func (x *Case) formula(c claim) string {
	return printable.Cut(x.c.Nodes[c.f].Formula.String(), longestFormula)
}

// claimed returns a claim as a clause.
func (x *Case) claimed(c claim) string { return x.formula(c) + " " + agree(c.holds) }

// bothParts returns the clause about the two operands of a formula.
func bothParts(n ctl.Node, holds bool) string {
	switch {
	case holds:
		return "both parts hold"
	case n.Formula.IsImplication():
		return "its first part does, and its second does not"
	}
	return "neither part does"
}

// where returns the clause about the goal of a run; "" for a constant.
func (x *Case) where(c claim) string {
	if x.isConstant(c) {
		return ""
	}
	return ", where " + x.claimed(c)
}

// through returns the clause about the states on the way; "" for a constant.
func (x *Case) through(c claim) string {
	if x.isConstant(c) {
		return ""
	}
	return ", through states where " + x.claimed(c)
}

// there returns the clause which says that claims are true in the state itself.
func (x *Case) there(all ...claim) string {
	var told []claim
	for _, c := range all {
		if !x.isConstant(c) {
			told = append(told, c)
		}
	}
	switch {
	case len(told) == 2 && told[0].holds:
		return fmt.Sprintf(", since %s and %s hold there.", x.formula(told[0]), x.formula(told[1]))
	case len(told) == 2:
		return fmt.Sprintf(", since neither %s nor %s holds there.", x.formula(told[0]), x.formula(told[1]))
	case len(told) == 0:
		told = all
	}
	return fmt.Sprintf(", since %s there.", x.claimed(told[0]))
}

// inStates returns the clause which says that a claim is true in each of some states.
func (x *Case) inStates(c claim, states string) string {
	switch {
	case x.isConstant(c):
		return ""
	case c.holds:
		return fmt.Sprintf(", and %s holds in all of %s", x.formula(c), states)
	}
	return fmt.Sprintf(", and %s holds in none of %s", x.formula(c), states)
}

// allowed returns the labels by which runs may continue; "" if all may.
func (x *Case) allowed(l ctl.Labels) string {
	if l == ctl.AnyLabel {
		return ""
	}
	if x.c.Patterns[l].Pattern.IsNone() {
		return "by hidden labels alone"
	}
	return "by " + x.labels(l) + " or hidden labels alone"
}

// labels returns a pattern of labels as formulas have it.
func (x *Case) labels(l ctl.Labels) string {
	if l == ctl.AnyLabel {
		return "{true}"
	}
	return printable.Cut(x.c.Patterns[l].String(), longestFormula)
}

// noLast returns the clause which says that none of some transitions is a last one; "" if the
// formula has no condition on its last transition, or its goal is false.
func (x *Case) noLast(n ctl.Node, right claim, transitions string) string {
	switch op := x.c.Nodes[right.f].Op; {
	case n.Last == ctl.NoLast, op == ctl.False:
		return ""
	case op == ctl.True:
		return fmt.Sprintf(", and none of %s is by %s", transitions, x.labels(n.Last))
	}
	return fmt.Sprintf(", and none of %s by %s leads to where %s holds", transitions, x.labels(n.Last), x.formula(right))
}

func (x *Case) transition(t lts.Transition) string {
	return fmt.Sprintf("%d -%s-> %d", t.From, printable.Cut(x.m.Alphabet().Text(t.Label), 60), t.To)
}

// some returns the text that names a few states of a set.
func (x *Case) some(states wmc.States) string {
	if len(states) == 1 {
		return fmt.Sprintf("state %d", states[0])
	}
	return fmt.Sprintf("%d states (%s)", len(states), firstOf(states))
}

// oneOf returns words for one of some states.
func (x *Case) oneOf(states wmc.States) string {
	if len(states) == 1 {
		return x.some(states)
	}
	return "one of " + x.some(states)
}

// firstOf returns the numbers of the first states of a set, with … if there are more.
func firstOf(states wmc.States) string {
	const most = 6
	var b strings.Builder
	for i, s := range states[:min(len(states), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, s)
	}
	if len(states) > most {
		b.WriteString(", …")
	}
	return b.String()
}
