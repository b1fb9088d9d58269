package argument

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/ctl/internal/logic"
	"github.com/inev-lts/inev/ctl/wmc"
	"github.com/inev-lts/inev/lts"
)

// MaxClaims is how many claims one argument has; what lies below more of them is left out,
// and said to be.
const maxClaims = 200

// Argument says why a formula holds in a state, or does not. Of a negation it is that of
// the operand.
type Argument struct {
	Formula string
	Holds   bool
	State   lts.State
	// Text is the argument in one sentence.
	Text string
	// Run is a run that argues; nil if there is none.
	Run *Run
	// Layers are sets of states that argue, those first in which runs are first; nil
	// where none do.
	Layers []Layer
	// Set are the states that runs stay in, where that argues.
	Set wmc.States
	// Because are the claims from which this one follows.
	Because []*Argument
	// Also are other states, next to each other on a run, of which the same can be seen.
	Also []lts.State
	// Others is of how many other states of a set the same is claimed, without an argument.
	Others int
	// Omitted is how many claims are left out among these, since there are so many.
	Omitted int
	// Weight is the number of transitions on all runs in the argument, Smallest whether no
	// argument has fewer; of the whole, and not of the claims below.
	Weight   int
	Smallest bool
	itself   bool // the state itself argues
	sets     bool // not a run argues, but all of them
	told     bool // the sentence has all of the run
}

// Run is a finite part of a run, or one that is repeated from a state on.
type Run struct {
	Steps []lts.Transition
	Start lts.State
	// LoopStart is the number of the step with which the loop begins, -1 if there is
	// none.
	LoopStart int
	// Deadlock says that the run ends where nothing can follow.
	Deadlock bool
	stops    bool // it ends where all that is possible may be blocked
}

// Layer is a set of states in which runs are after so many steps.
type Layer struct {
	States wmc.States
	// Done is how many of them runs need not go on from.
	Done int
	// Labels are those of transitions to the next layer, each once.
	Labels []lts.Label
}

// Argue returns why the formula holds in a state, or does not: one of those from which
// all that the case is about can be reached, or any of these. Cost O(|φ| (S + T) log S),
// and that of smallest loops; see the package comment.
func (x *Case) Argue(s lts.State) (*Argument, error) {
	x.shown = 0
	root := claim{x.c.Root(), true}
	root.holds = x.is(root, s)
	w, err := x.weigh(root)
	if err != nil {
		return nil, err
	}
	a, err := x.argue(root, s)
	if err == nil {
		a.Weight, a.Smallest = int(w.of[s]), w.exact && a.counts()
		if x.fair != nil && !a.Smallest {
			a.Weight = a.length() // rounds are not weighed before one is made
		}
	}
	return a, err
}

// length returns the number of transitions on the runs of the argument.
func (a *Argument) length() int {
	n := 0
	if a.Run != nil {
		n = len(a.Run.Steps)
	}
	for _, b := range a.Because {
		n += b.length()
	}
	return n
}

// counts reports whether all runs of the argument are among those that its weight counts:
// those of examples from sets are not.
func (a *Argument) counts() bool {
	for _, b := range a.Because {
		if a.sets && !b.itself || !b.counts() {
			return false
		}
	}
	return a.Omitted == 0
}

// argue returns the argument of a claim that is true.
func (x *Case) argue(c claim, s lts.State) (*Argument, error) {
	x.shown++
	n := x.c.Nodes[c.f]
	a := &Argument{Formula: n.Formula.String(), Holds: c.holds, State: s}
	how, left, right := x.shapeOf(c)
	if how == not {
		x.shown--
		return x.argue(right, s) // what is said of the operand says it
	}
	w, err := x.weigh(c)
	if err != nil {
		return nil, err
	}
	switch how {
	case fact:
		a.Text, a.itself = x.factText(n, c, s), true
	case both:
		a.Text = a.head() + ", since " + bothParts(n, c.holds) + "."
		err = x.because(a, left, s, right, s)
	case either:
		err = x.arguePart(a, left, right)
	case step:
		err = x.argueStep(a, n, right, w)
	case steps:
		err = x.argueSteps(a, n, right)
	case fairly:
		err = x.argueFairly(a, n, c, left, right, w)
	case outrun:
		err = x.argueOutrun(a, n, c, left, right)
	case finite, forever:
		err = x.argueRun(a, n, c, how, left, right, w)
	default:
		err = x.argueSets(a, n, c, how, left, right)
	}
	return a, err
}

// because adds claims that are no constants.
func (x *Case) because(a *Argument, pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		c, s := pairs[i].(claim), pairs[i+1].(lts.State)
		if x.isConstant(c) {
			continue
		}
		if x.shown >= maxClaims {
			a.Omitted++
			continue
		}
		below, err := x.argue(c, s)
		if err != nil {
			return err
		}
		if n := len(a.Because); n > 0 && a.Because[n-1].sameAs(below) {
			a.Because[n-1].Also = append(a.Because[n-1].Also, s)
			continue
		}
		a.Because = append(a.Because, below)
	}
	return nil
}

// isConstant reports whether a claim is about true or false, so that nothing need be said.
func (x *Case) isConstant(c claim) bool {
	op := x.c.Nodes[c.f].Op
	return op == logic.True || op == logic.False
}

// sameAs reports whether two claims are about one formula, and their states themselves
// argue for both.
func (a *Argument) sameAs(b *Argument) bool {
	return a.Formula == b.Formula && a.Holds == b.Holds && a.itself && b.itself
}

// factText describes a fact about a state itself.
func (x *Case) factText(n logic.Node, c claim, s lts.State) string {
	switch {
	case n.Op == logic.Deadlock && c.holds:
		return fmt.Sprintf("state %d is a deadlock.", s)
	case n.Op == logic.Deadlock:
		labels, targets := x.m.Out(s)
		return fmt.Sprintf("state %d is no deadlock: %s.", s, x.transition(lts.Transition{From: s, Label: labels.At(0), To: targets[0]}))
	}
	return fmt.Sprintf("%s %s in %d.", n.Formula, agree(c.holds), s)
}

// arguePart argues by that one of two parts that has the smaller argument.
func (x *Case) arguePart(a *Argument, left, right claim) error {
	chosen := left
	switch {
	case !x.is(left, a.State):
		chosen = right
	case x.is(right, a.State):
		l, err := x.weigh(left)
		if err != nil {
			return err
		}
		r, err := x.weigh(right)
		if err != nil {
			return err
		}
		if r.of[a.State] < l.of[a.State] {
			chosen = right
		}
	}
	a.Text = fmt.Sprintf("%s, since %s.", a.head(), x.claimed(chosen))
	return x.because(a, chosen, a.State)
}

// argueStep argues by one transition.
func (x *Case) argueStep(a *Argument, n logic.Node, right claim, w *weighing) error {
	r, err := x.weigh(right)
	if err != nil {
		return err
	}
	labels, targets := x.m.Out(a.State)
	for i, t := range targets {
		if x.has(n.Labels, labels.At(i)) && x.is(right, t) && sum(1, r.of[t]) == w.of[a.State] {
			taken := lts.Transition{From: a.State, Label: labels.At(i), To: t}
			a.Run = &Run{Start: a.State, Steps: []lts.Transition{taken}, LoopStart: -1}
			a.told = true
			a.Text = fmt.Sprintf("%s: %s%s.", a.head(), x.transition(taken), x.where(right))
			return x.because(a, right, t)
		}
	}
	return fmt.Errorf("argument: no transition argues for %s in %d", a.Formula, a.State)
}

// argueSteps argues by all transitions.
func (x *Case) argueSteps(a *Argument, n logic.Node, right claim) error {
	a.sets = true
	labels, targets := x.m.Out(a.State)
	var to wmc.States
	for i, t := range targets {
		if x.has(n.Labels, labels.At(i)) && x.counts(t) {
			to = append(to, t)
		}
	}
	slices.Sort(to)
	to = slices.Compact(to)
	by := "that the formula asks about "
	if n.Labels == logic.AnyLabel {
		by = ""
	}
	switch {
	case len(targets) == 0:
		a.Text, a.itself = a.head()+": no transition leaves it.", true
		return nil
	case len(to) == 0:
		a.Text, a.itself = a.head()+": no transition from there has such a label.", true
		return nil
	}
	a.Text = fmt.Sprintf("%s: all transitions %slead to %s%s.", a.head(), by, x.some(to), x.where(right))
	return x.examples(a, right, to)
}

// examples adds the claim for one of many states, one that takes an argument where there
// is one.
func (x *Case) examples(a *Argument, c claim, states wmc.States) error {
	if len(states) == 0 || x.isConstant(c) {
		return nil
	}
	if x.shown >= maxClaims {
		a.Omitted += len(states)
		return nil
	}
	example := slices.IndexFunc(states, func(s lts.State) bool { return !x.isVacuous(c, s) })
	below, err := x.argue(c, states[max(example, 0)])
	if err != nil {
		return err
	}
	below.Others = len(states) - 1
	a.Because = append(a.Because, below)
	return nil
}

// isVacuous reports whether a claim is true of a state because it asks nothing there: no
// transition has such a label, what stands before an implication is not so, or what runs are
// to come to is there already.
func (x *Case) isVacuous(c claim, s lts.State) bool {
	n := x.c.Nodes[c.f]
	how, left, right := x.shapeOf(c)
	switch how {
	case not:
		return x.isVacuous(right, s)
	case either:
		return n.Formula.IsImplication() && x.is(left, s)
	case finite, layers:
		return n.Last == logic.NoLast && x.is(right, s)
	case steps:
		labels, _ := x.m.Out(s)
		return !labels.Any(func(l lts.Label) bool { return x.has(n.Labels, l) })
	}
	return false
}
