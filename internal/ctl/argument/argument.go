package argument

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// maxClaims is the largest number of claims of one argument. Further claims are left out, and
// Omitted counts them.
const maxClaims = 200

// Argument is the reason why a formula holds or fails in a state. A negation has the argument of
// its operand.
type Argument struct {
	Formula string
	Holds   bool
	State   lts.State
	// Text is the argument as one sentence.
	Text string
	// Run is a run that proves the claim; nil if there is none.
	Run *Run
	// Layers are the sets of states that all runs pass, beginning with the first states; nil if the
	// claim is proved otherwise.
	Layers []Layer
	// Set are states that runs stay in; nil if the claim is proved otherwise.
	Set wmc.States
	// Strategy are sentences about which steps are chosen in the states of Set, and which steps may
	// follow; nil if nothing is chosen there.
	Strategy []string
	// Because are the claims that imply this one.
	Because []*Argument
	// Also are the states after this one on a run where the same claim is true for the same reason.
	Also []lts.State
	// Others is the number of other states of a set for which the same claim is made without an
	// argument.
	Others int
	// Omitted is the number of claims that are left out here, beyond maxClaims.
	Omitted int
	// Weight is the number of transitions on all runs of the whole argument. Smallest reports whether
	// no argument has fewer. Both are set only for the root.
	Weight       int
	Smallest     bool
	byStateAlone bool // whether the state itself proves the claim
	byAllRuns    bool // whether all runs together prove the claim, and not one run
	runInText    bool // whether the sentence describes the whole run
}

// Run is a finite part of a run, or a run that repeats a loop.
type Run struct {
	Steps []lts.Transition
	Start lts.State
	// LoopStart is the index of the step that begins the loop; -1 without a loop.
	LoopStart int
	// Deadlock reports whether the run ends in a deadlock.
	Deadlock    bool
	endsBlocked bool // whether the run ends in a state where everything that is possible may be blocked
}

// Layer is a set of states that runs can be in after the same number of steps.
type Layer struct {
	States wmc.States
	// Done is the number of these states from which runs need not continue.
	Done int
	// Labels are the labels of transitions to the next layer, each once.
	Labels []lts.Label
}

// Argue returns why the formula holds or fails in a state of the case. Cost O(|φ| (S + T) log S), and
// that of smallest loops; see the package comment.
func (x *Case) Argue(s lts.State) (_ *Argument, err error) {
	defer abort.Caught(&err)
	x.shown = 0
	root := claim{x.closure.Root(), true}
	root.holds = x.isTrue(root, s)
	w := x.weigh(root)
	a := x.argue(root, s)
	a.Weight = int(w.weights[s])
	a.Smallest = w.exact && a.countsAllRuns()
	if x.fair != nil && !a.Smallest {
		// The weights of claims about fair runs do not count the rounds that these runs repeat, so
		// the transitions are counted again.
		a.Weight = a.Length()
	}
	return a, nil
}

// Length returns the number of transitions on all runs of the argument.
func (a *Argument) Length() (n int) {
	if a.Run != nil {
		n = len(a.Run.Steps)
	}
	for _, b := range a.Because {
		n += b.Length()
	}
	return n
}

// countsAllRuns reports whether Weight counts all runs of the argument: Weight does not count the
// runs of examples for a set.
func (a *Argument) countsAllRuns() bool {
	for _, b := range a.Because {
		isExample := a.byAllRuns && !b.byStateAlone
		if isExample || !b.countsAllRuns() {
			return false
		}
	}
	return a.Omitted == 0
}

// argue returns the argument for a true claim.
func (x *Case) argue(c claim, s lts.State) *Argument {
	p := x.proofOf(c)
	if p.shape == byNegation {
		return x.argue(p.right, s) // the argument of the operand's claim serves
	}
	x.shown++
	a := &Argument{Formula: p.node.Formula.String(), Holds: c.holds, State: s}
	if p.shape.isAboutRuns() && !x.isAdmitted(s) {
		a.Text = a.head() + ": no run from there is admitted by the assumptions."
		a.byStateAlone = true
		return a
	}
	w := x.weigh(c)
	switch p.shape {
	case byState:
		a.Text = x.factText(p.node, c, s)
		a.byStateAlone = true
	case byBothOperands:
		a.Text = a.head() + ", since " + bothParts(p.node, c.holds) + "."
		x.addClaim(a, p.left, s)
		x.addClaim(a, p.right, s)
	case byOneOperand:
		operand := x.simplerOf(p.left, p.right, s)
		a.Text = fmt.Sprintf("%s, since %s.", a.head(), x.claimText(operand))
		x.addClaim(a, operand, s)
	case byOneStep:
		x.argueStep(a, p, w)
	case byAllSteps:
		x.argueSteps(a, p)
	case byFairRun:
		x.argueFairRun(a, p, w)
	case byAllFairRuns:
		x.argueAllFairRuns(a, p)
	case byFiniteRun, byEndlessRun:
		x.argueRun(a, p, w)
	default:
		x.argueSets(a, p)
	}
	return a
}

// isAboutRuns reports whether an argument of this shape is about runs from the state. Assumptions can
// exclude such runs.
func (how shape) isAboutRuns() bool {
	return how != byState && how != byBothOperands && how != byOneOperand
}

// simplerOf returns the claim that is true in a state. If both are true, it returns the one with the
// smaller argument.
func (x *Case) simplerOf(left, right claim, s lts.State) claim {
	switch {
	case !x.isTrue(left, s):
		return right
	case !x.isTrue(right, s):
		return left
	case x.weigh(right).weights[s] < x.weigh(left).weights[s]:
		return right
	}
	return left
}

// argueRun argues by a run that reaches the goal, or that never reaches it.
func (x *Case) argueRun(a *Argument, p proof, w *weighing) {
	a.Run = x.runsOf(p).follow(w, a.State)
	switch {
	case p.shape == byEndlessRun:
		a.Text = a.head() + x.foreverText(a.Run, p)
	case len(a.Run.Steps) == 0:
		a.Text = a.head() + x.thereText(p.right)
	default:
		a.Text = fmt.Sprintf("%s: a run of %s leads to state %d%s%s.", a.head(),
			printable.Quantity(len(a.Run.Steps), "transition"), a.Run.end(), x.clause(where, p.right), x.clause(through, p.left))
	}
	x.addClaimsOfRun(a, p, a.Run.end())
}

// runsOf returns the runs that can prove a claim.
func (x *Case) runsOf(p proof) *runs {
	return &runs{
		Case:  x,
		node:  p.node,
		shape: p.shape,
		claim: p.claim,
		left:  x.weigh(p.left),
		right: x.weigh(p.right),
	}
}

// argueSets argues by the states that all runs pass. Layers of states show that all runs reach the
// goal; a single set of states shows that no run ever reaches it.
func (x *Case) argueSets(a *Argument, p proof) {
	passed := x.layersFrom(a.State, p)
	a.byAllRuns = true
	if p.shape == byLayers {
		a.Layers = passed.layers
		a.Text = a.head() + x.layersText(a.State, &passed, p)
		x.addClaimsOfLayers(a, &passed, p)
		return
	}
	a.Set = passed.all
	a.Text = a.head() + x.setText(a.State, &passed, p)
	x.addClaimsOfSet(a, &passed, p)
}

// addClaim adds an argument for a claim in a state, unless the claim is about a constant.
func (x *Case) addClaim(a *Argument, c claim, s lts.State) {
	if x.isConstant(c) {
		return
	}
	if x.shown >= maxClaims {
		a.Omitted++
		return
	}
	added := x.argue(c, s)
	if len(a.Because) > 0 {
		last := a.Because[len(a.Because)-1]
		if last.sharesLine(added) {
			last.Also = append(last.Also, s)
			return
		}
	}
	a.Because = append(a.Because, added)
}

// sharesLine reports whether two arguments are for the same claim, and proved by facts about their states
// alone. One line shows both.
func (a *Argument) sharesLine(b *Argument) bool {
	return a.byStateAlone && b.byStateAlone && a.Formula == b.Formula && a.Holds == b.Holds
}

// isConstant reports whether a claim is about true or false. Such a claim needs no argument.
func (x *Case) isConstant(c claim) bool {
	op := x.closure.Nodes[c.f].Op
	return op == syntax.True || op == syntax.False
}

// factText returns the sentence about a claim that the state alone decides.
func (x *Case) factText(n syntax.Node, c claim, s lts.State) string {
	switch {
	case n.Op == syntax.Deadlock && c.holds:
		return fmt.Sprintf("state %d is a deadlock.", s)
	case n.Op == syntax.Deadlock:
		labels, targets := x.m.Out(s)
		return fmt.Sprintf("state %d is not a deadlock: %s.", s, x.transition(lts.Transition{
			From:  s,
			Label: labels.At(0),
			To:    targets[0],
		}))
	}
	return fmt.Sprintf("%s %s in %d.", n.Formula, verbOf(c.holds), s)
}

// argueStep argues that some transition leads to a state where the operand's
// claim is true.
func (x *Case) argueStep(a *Argument, p proof, w *weighing) {
	operand := x.weigh(p.right)
	for l, t := range x.m.From(a.State) {
		if !x.matches(p.node.Labels, l) || !x.isTrueAndAdmitted(p.right, t) {
			continue
		}
		isLightest := sum(1, operand.weights[t]) == w.weights[a.State]
		if !isLightest {
			continue
		}
		taken := lts.Transition{From: a.State, Label: l, To: t}
		a.Run = &Run{
			Start:     a.State,
			Steps:     []lts.Transition{taken},
			LoopStart: -1,
		}
		a.runInText = true
		a.Text = fmt.Sprintf("%s: %s%s.", a.head(), x.transition(taken),
			x.clause(where, p.right))
		x.addClaim(a, p.right, t)
		return
	}
	abort.On(fmt.Errorf("argument: no transition argues for %s in %d", a.Formula, a.State))
}

// argueSteps argues that all transitions lead to states where the operand's
// claim is true.
func (x *Case) argueSteps(a *Argument, p proof) {
	a.byAllRuns = true
	labels, targets := x.m.Out(a.State)
	var successors wmc.States
	for i, t := range targets {
		if x.matches(p.node.Labels, labels.At(i)) && x.isAdmitted(t) {
			successors = append(successors, t)
		}
	}
	slices.Sort(successors)
	successors = slices.Compact(successors)
	a.byStateAlone = len(successors) == 0
	switch {
	case len(targets) == 0:
		a.Text = a.head() + ": no transition leaves it."
		return
	case a.byStateAlone:
		a.Text = a.head() + ": no transition from there has such a label."
		return
	}
	restriction := "that the formula asks about "
	if p.node.Labels == syntax.AnyLabel {
		restriction = ""
	}
	a.Text = fmt.Sprintf("%s: all transitions %slead to %s%s.", a.head(), restriction,
		x.statesText(successors), x.clause(where, p.right))
	x.addExample(a, p.right, successors)
}

// addExample adds the claim for one of several states, if possible for one in which it needs an argument.
func (x *Case) addExample(a *Argument, c claim, states wmc.States) {
	if len(states) == 0 || x.isConstant(c) {
		return
	}
	if x.shown >= maxClaims {
		a.Omitted += len(states)
		return
	}
	example := slices.IndexFunc(states, func(s lts.State) bool {
		return !x.isVacuous(c, s)
	})
	below := x.argue(c, states[max(example, 0)])
	below.Others = len(states) - 1
	a.Because = append(a.Because, below)
}

// isVacuous reports whether a claim is true in a state because it demands nothing there: no transition
// has such a label, the premise of an implication is false, or the state itself is the goal.
func (x *Case) isVacuous(c claim, s lts.State) bool {
	p := x.proofOf(c)
	switch p.shape {
	case byNegation:
		return x.isVacuous(p.right, s)
	case byOneOperand:
		return p.node.Formula.IsImplication() && x.isTrueAndAdmitted(p.left, s)
	case byFiniteRun, byLayers:
		return p.node.Last == syntax.NoLast && x.isTrueAndAdmitted(p.right, s)
	case byAllSteps:
		labels, _ := x.m.Out(s)
		return !labels.Any(func(l lts.Label) bool { return x.matches(p.node.Labels, l) })
	}
	return false
}
