// Package star decides formulas of CTL* part by part. A subformula about some or all runs is a
// formula of linear temporal logic over the state formulas in it; an automaton decides it. Then a
// predicate replaces the subformula: it holds in the states that satisfy the subformula. So a
// formula of computation tree logic remains.
//
// A run may end: X demands a next state. For the automaton, the last state is repeated without end, and
// marked.
//
// A part is decided in all reachable states before any formula that contains it.
package star

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Question asks about a formula of CTL* in some states of a model, which must have its predecessors.
type Question struct {
	Model   *lts.LTS
	Formula *syntax.Formula
	Hidden  []actl.Pattern // labels that are hidden
	Holding func(syntax.Predicate) (wmc.States, error)
	Asked   wmc.States
	// Fairness is the condition on runs that count; nil if all runs do. It must not be full fairness.
	Fairness *property.Fairness
}

// Reduced is a formula of CTL* whose parts about runs have been decided and replaced.
type Reduced struct {
	Question
	// Formula is the formula of computation tree logic that remains. Some of its predicates replace
	// formulas about runs.
	Formula *syntax.Formula
	// Warnings are about patterns that match no label.
	Warnings []string
	ctx      context.Context
	states   wmc.States // the reachable states
	parts    map[string]*onRuns
}

// errFull is the error of a question about fully fair runs.
var errFull = errors.New("full fairness cannot be assumed for formulas of CTL*; weak and strong fairness can")

// Reduce decides the parts of a formula that begin with A or E, innermost first. It fails if ctx is
// done, if an automaton becomes too large, and as [wmc.Explicit.Holding] does. Each part costs a
// product of the model and the automaton, which is at worst doubly exponential in the part.
func Reduce(ctx context.Context, q Question) (_ *Reduced, err error) {
	defer abort.Caught(&err)
	if q.Fairness != nil && q.Fairness.Full() {
		return nil, errFull
	}
	r := &Reduced{Question: q, ctx: ctx, parts: map[string]*onRuns{}}
	reach := abort.Must(bfs.From(ctx, q.Model, q.Asked, bfs.Options{}))
	for s := range lts.State(q.Model.NumStates()) {
		if _, reached := reach.Distance(s); reached {
			r.states = append(r.states, s)
		}
	}
	r.Formula = q.Formula.Replaced(r.decide)
	return r, nil
}

// Holding returns the states that satisfy a predicate of the reduced formula.
func (r *Reduced) Holding(p syntax.Predicate) (wmc.States, error) {
	known := r.parts[p.Atom]
	if known != nil {
		return known.holds, nil
	}
	if r.Question.Holding == nil {
		return nil, wmc.NoPredicateError{Predicate: p}
	}
	return r.Question.Holding(p)
}

// decide decides in which states some runs, or all runs, satisfy a formula. It returns the predicate
// that replaces the formula.
func (r *Reduced) decide(
	q syntax.Quantifier,
	run *syntax.Formula,
	text string,
) syntax.Predicate {
	p := syntax.Predicate{Atom: text}
	if r.parts[text] != nil {
		return p
	}
	x := &onRuns{Reduced: r, allRuns: q == syntax.All, original: run.String()}
	err := abort.Try(func() {
		x.translate(run)
		x.holds = x.decide()
		r.parts[text] = x
	})
	if err != nil {
		abort.On(fmt.Errorf("%s: %w", text, err))
	}
	return p
}

// translate decides the atoms of a formula about runs, and writes the formula over letters. Atoms about
// states are numbered first. Atoms about labels need no decision, but are numbered once the number of
// the others is known.
func (x *onRuns) translate(run *syntax.Formula) {
	x.number = map[string]string{}
	var labels []*syntax.Formula
	run.WriteRun(ended, func(part *syntax.Formula) string {
		text := part.String()
		if _, known := x.number[text]; known {
			return ""
		}
		x.number[text] = ""
		if part.Taken() != nil {
			labels = append(labels, part)
			return ""
		}
		x.states = append(x.states, bitset.Of(x.Model.NumStates(), x.satisfying(part)))
		x.number[text] = atom(len(x.states))
		return ""
	})
	for _, f := range labels {
		means, warnings, err := f.BindTaken(x.ctx, x.Model.Alphabet())
		abort.On(err)
		x.Warnings = append(x.Warnings, warnings...)
		x.taken = append(x.taken, means)
		x.number[f.String()] = atom(len(x.states) + len(x.taken))
	}
	x.overLetters = run.WriteRun(ended, func(part *syntax.Formula) string {
		return x.number[part.String()]
	})
}

// satisfying returns the reachable states that satisfy a formula of computation tree logic.
func (r *Reduced) satisfying(f *syntax.Formula) wmc.States {
	c := f.Closure()
	means, warnings, err := c.Bind(r.ctx, r.Model.Alphabet(), r.Hidden)
	abort.On(err)
	r.Warnings = append(r.Warnings, warnings...)
	if r.Fairness == nil {
		all := abort.Must(wmc.Decide(r.ctx, wmc.NewExplicit(r.Model, means, r.Holding), c,
			r.states))
		return all[len(all)-1]
	}
	d := abort.Must(fair.Decide(r.ctx, fair.Question{
		Model:    r.Model,
		Closure:  c,
		Means:    means,
		Fairness: r.Fairness,
		Asked:    r.Asked,
		Holding: func(p syntax.Predicate) ([]lts.State, error) {
			return r.Holding(p)
		},
	}))
	return slices.DeleteFunc(slices.Clone(d.States), func(s lts.State) bool {
		return !d.Holds(c.Root(), s)
	})
}

// onRuns is a formula about runs, written as a formula of linear temporal logic over letters. The
// letter of a transition is a text: 0 or 1 for each atom, then the number of its label.
type onRuns struct {
	*Reduced
	holds       wmc.States // the states that satisfy the formula
	allRuns     bool
	original    string // the formula as it was written
	overLetters string // the formula over letters
	// states has, for each atom about states, the states that satisfy it. taken has, for each atom
	// about labels, the labels that match it.
	states []bitset.Set[lts.State]
	taken  [][]bool
	number map[string]string // maps the text of an atom to the pattern of the letters where the atom holds
}

// ended is the first atom, which holds once the run has ended.
const ended = "/^1.*$/"

// atom returns the pattern of the letters that have a 1 for an atom.
func atom(number int) string { return fmt.Sprintf("/^.{%d}1.*$/", number) }

// letter returns the letter of a transition from a state.
func (x *onRuns) letter(s lts.State, label lts.Label) string {
	bits := x.stateBits(s)
	for i, means := range x.taken {
		if means[label] {
			bits[1+len(x.states)+i] = '1'
		}
	}
	return fmt.Sprintf("%s:%d", bits, label)
}

// lastLetter returns the letter of a step that ends a run in a state.
func (x *onRuns) lastLetter(s lts.State) string { return string(x.stateBits(s)) + ":" }

// overLetter returns the letter of the steps after the end of a run in a state.
func (x *onRuns) overLetter(s lts.State) string {
	bits := x.stateBits(s)
	bits[0] = '1' // the atom ended
	return string(bits) + ":"
}

// stateBits returns a bit for each atom. The bits of the atoms about states that hold in this state
// are set.
func (x *onRuns) stateBits(s lts.State) []byte {
	bits := make([]byte, 1+len(x.states)+len(x.taken))
	for i := range bits {
		bits[i] = '0'
	}
	for i, set := range x.states {
		if set.Has(s) {
			bits[1+i] = '1'
		}
	}
	return bits
}

// letters is the model with letters. A state s where a run may end leads to state size + s, which is
// repeated forever. The state start, which has the largest number, leads to all states of the model.
type letters struct {
	m       *lts.LTS
	labelOf map[lts.Label]lts.Label // the labels of the model
	size    int
	start   lts.State
}

// begin is the label of the transitions from start.
const begin = "begin"

// lettersFrom returns the model with letters, with this initial state.
func (x *onRuns) lettersFrom(initial lts.State) *letters {
	l := x.newLetters()
	var b lts.Builder
	for _, s := range x.Reduced.states {
		x.addLetters(&b, l, s)
	}
	l.m = abort.Must(b.Build(initial, 2*l.size+1))
	return l
}

// lettersFromAll returns the model with letters. Its initial state leads to all states.
func (x *onRuns) lettersFromAll() *letters {
	l := x.newLetters()
	var b lts.Builder
	for _, s := range x.Reduced.states {
		x.addLetters(&b, l, s)
		b.Add(l.start, b.Label(begin), s)
	}
	l.m = abort.Must(b.Build(l.start, 2*l.size+1))
	return l
}

// newLetters returns letters without transitions.
func (x *onRuns) newLetters() *letters {
	size := x.Model.NumStates()
	return &letters{
		labelOf: map[lts.Label]lts.Label{},
		size:    size,
		start:   lts.State(2 * size),
	}
}

// addLetters adds the transitions of a state, and the steps after a run that ends there.
func (x *onRuns) addLetters(b *lts.Builder, l *letters, s lts.State) {
	for label, t := range x.Model.From(s) {
		letter := b.Label(x.letter(s, label))
		l.labelOf[letter] = label
		b.Add(s, letter, t)
	}
	if x.Fairness.MayEnd(x.Model, s) {
		over := lts.State(l.size) + s
		b.Add(s, b.Label(x.lastLetter(s)), over)
		b.Add(over, b.Label(x.overLetter(s)), over)
	}
}

// fairness returns the assumptions, about letters.
func (x *onRuns) fairness(l *letters) *property.Fairness {
	if x.Fairness == nil {
		return nil
	}
	tasks, rare := x.tasks(l)
	alphabet := l.m.Alphabet()
	justness := x.Fairness.Justness()
	if justness == nil {
		return abort.Must(property.NewFairness(alphabet, false, tasks, rare))
	}
	return abort.Must(x.justness(l, justness).Fairness(alphabet, tasks, rare))
}

// tasks returns the tasks and the rare labels of the assumptions, in terms of letters. There may be as
// many tasks as labels, so the letters of each label are looked up only once.
func (x *onRuns) tasks(l *letters) (tasks []property.Task, rare []lts.Label) {
	lettersOf := make([][]lts.Label, x.Model.Alphabet().Len())
	if x.Fairness.Excludes() {
		rare = []lts.Label{}
	}
	for letter := range lts.Label(l.m.Alphabet().Len()) {
		label, isLetter := l.labelOf[letter]
		if !isLetter {
			continue
		}
		lettersOf[label] = append(lettersOf[label], letter)
		if x.Fairness.Rare(label) {
			rare = append(rare, letter)
		}
	}
	for _, t := range x.Fairness.BesidesJustness() {
		task := t
		task.Labels = nil
		for _, label := range t.Labels {
			task.Labels = append(task.Labels, lettersOf[label]...)
		}
		if len(task.Labels) > 0 {
			slices.Sort(task.Labels)
			task.Labels = slices.Compact(task.Labels)
			tasks = append(tasks, task)
		}
	}
	return tasks, rare
}

// justness returns a condition of justness about labels in terms of letters. The steps after a last state
// are repeated without end, so they may interfere with all others; otherwise no run could end.
func (x *onRuns) justness(l *letters, aboutLabels *property.Justness) *property.Justness {
	numLetters := lts.Label(l.m.Alphabet().Len())
	j := &property.Justness{Components: make([][]uint32, numLetters)}
	// alone has the names of the labels that need no component. Variants of a label share a name, so the key is
	// the first variant.
	var alone intern.List[lts.Label, string]
	for letter := range numLetters {
		label, isTransition := l.labelOf[letter]
		if !isTransition {
			continue
		}
		j.Components[letter] = aboutLabels.Components[label]
		if len(aboutLabels.Components[label]) == 0 {
			// All letters of a label that needs no component count as one action.
			action := alone.Index(x.Model.Alphabet().Plain(label), x.Model.Alphabet().Text(label))
			j.Components[letter] = []uint32{uint32(len(aboutLabels.Names) + action)}
		}
		if x.Fairness.Blocks(label) {
			j.Blocking = append(j.Blocking, letter)
		}
	}
	j.Names = slices.Concat(aboutLabels.Names, alone.All)
	var everyComponent []uint32
	for i := range j.Names {
		everyComponent = append(everyComponent, uint32(i))
	}
	for letter := range numLetters {
		if _, isTransition := l.labelOf[letter]; !isTransition {
			j.Components[letter] = everyComponent
		}
	}
	return j
}

// bind binds a formula to letters.
func bind(ctx context.Context, text string, l *letters) *property.Property {
	f := abort.Must(ltl.Parse(ctx, text))
	p, _, err := f.Bind(ctx, l.m.Alphabet())
	abort.On(err)
	return p
}

// decide returns the states that satisfy the formula. It searches the product of letters and automaton.
// If the formula asks for some run, a state satisfies it if a run from there reaches an accepting
// component: one where the rest of a run can stay so that the run is accepted. If the formula is about
// all runs, a state satisfies it if no run from there reaches a rejecting component.
func (x *onRuns) decide() wmc.States {
	l := x.lettersFromAll()
	p := bind(x.ctx, "X ("+x.overLetters+")", l)
	unfolded := abort.Must(product.Unfold(x.ctx, l.m, p))
	components := abort.Must(unfolded.Components(x.ctx))
	accepting, rejecting, err := unfolded.Verdicts(x.ctx, components, x.fairness(l))
	abort.On(err)
	deciding := accepting
	if x.allRuns {
		deciding = rejecting
	}
	reachesDeciding := abort.Must(bfs.Back(x.ctx, unfolded.LTS(), func(s lts.State) bool {
		component, reached := components.Of(s)
		return reached && deciding[component]
	}, nil))
	var holds wmc.States
	_, starts := unfolded.LTS().Out(unfolded.LTS().Initial())
	for _, start := range starts {
		if reachesDeciding.Has(start) != x.allRuns {
			holds = append(holds, unfolded.At(start).State)
		}
	}
	slices.Sort(holds)
	return holds
}

// Run is a run of the model that proves a claim about runs.
type Run struct {
	Steps []lts.Transition
	// LoopStart is the index of the step that begins the loop; -1 without a loop. Then the run ends in
	// a deadlock or, if Open is set, every continuation proves the claim.
	LoopStart int
	Open      bool
}

// Run returns a run from a state that shows the value of predicate p there. p replaces a formula
// about some or all runs. The run satisfies the formula if it is about some run, and violates it if
// it is about all runs. Run returns nil if there is no such run, or if p replaces no formula.
// Errors and cost are those of [counterexample.Shortest].
func (r *Reduced) Run(p syntax.Predicate, s lts.State) (_ *Run, err error) {
	defer abort.Caught(&err)
	x := r.parts[p.Atom]
	if x == nil {
		return nil, nil
	}
	l := x.lettersFrom(s)
	text := x.overLetters
	if !x.allRuns {
		text = "!(" + text + ")"
	}
	violated := bind(r.ctx, text, l)
	f := x.fairness(l)
	var found *counterexample.Result
	if f == nil {
		found = abort.Must(counterexample.Shortest(r.ctx, l.m, violated, counterexample.Options{}))
	} else {
		fates := abort.Must(fate.Of(r.ctx, l.m, violated, fate.Options{Options: enrich.Options{Fairness: f}}))
		found = abort.Must(counterexample.Fair(r.ctx, fates))
	}
	if found.Trace == nil {
		return nil, nil
	}
	return l.run(found.Trace), nil
}

// run returns the run of the model for a run with letters. It leaves out the steps after the end of a run
// that stops.
func (l *letters) run(t *counterexample.Trace) *Run {
	run := &Run{
		LoopStart: -1,
		Open:      t.Kind() == counterexample.Prefix || t.Kind() == counterexample.Trap,
	}
	for i, step := range t.Steps() {
		hasEnded := int(step.To) >= l.size
		if hasEnded {
			run.Open = false
			return run
		}
		first, loops := t.LoopStart()
		if loops && first == i {
			run.LoopStart = i
		}
		step.Label = l.labelOf[step.Label]
		run.Steps = append(run.Steps, step)
	}
	return run
}

// Argue adds runs to an argument for the reduced formula. They prove its claims about replaced parts:
// that some run satisfies a part, or that not all runs do. The argument is then no longer known to be
// smallest. Errors and cost are those of [Reduced.Run], for each such claim.
func (r *Reduced) Argue(a *argument.Argument) (err error) {
	defer abort.Caught(&err)
	r.addRuns(a)
	a.Weight = a.Length()
	a.Smallest = false
	return nil
}

// addRuns adds runs to an argument, and to the arguments below it.
func (r *Reduced) addRuns(a *argument.Argument) {
	known := r.parts[a.Formula]
	if known != nil && a.Run == nil {
		r.addRun(a, known)
	}
	for _, b := range a.Because {
		r.addRuns(b)
	}
}

// longestFormula is the largest number of characters of a formula that a sentence shows.
const longestFormula = 300

// addRun adds the run that proves a claim about a replaced part, and writes the sentence about it.
func (r *Reduced) addRun(a *argument.Argument, part *onRuns) {
	if part.allRuns == a.Holds {
		a.Text = part.sentence(a, "no run from there", !a.Holds)
		return
	}
	run := abort.Must(r.Run(syntax.Predicate{Atom: a.Formula}, a.State))
	if run == nil {
		return
	}
	end := a.State
	if len(run.Steps) > 0 {
		end = run.Steps[len(run.Steps)-1].To
	}
	if len(run.Steps) > 0 || !run.Open {
		a.Run = &argument.Run{
			Start:     a.State,
			Steps:     run.Steps,
			LoopStart: run.LoopStart,
			Deadlock:  run.LoopStart < 0 && !run.Open && r.Model.IsDeadlock(end),
		}
	}
	a.Text = part.sentence(a, r.describe(run, end), a.Holds)
}

// sentence returns the sentence that some runs satisfy, or violate, the replaced formula, which proves a
// claim about it.
func (x *onRuns) sentence(a *argument.Argument, runs string, satisfy bool) string {
	holds := "holds"
	if !a.Holds {
		holds = "does not hold"
	}
	verb := "satisfies"
	if !satisfy {
		verb = "violates"
	}
	return fmt.Sprintf("%s %s in %d: %s %s %s.", printable.Cut(a.Formula, longestFormula), holds, a.State,
		runs, verb, printable.Cut(x.original, longestFormula))
}

// describe returns the words for a run, or for all runs that begin like it. end is its last state.
func (r *Reduced) describe(run *Run, end lts.State) string {
	steps := printable.Quantity(len(run.Steps), "transition")
	switch {
	case run.Open && len(run.Steps) == 0:
		return "each run from there"
	case run.Open:
		return fmt.Sprintf("after a run of %s, whatever follows", steps)
	case run.LoopStart >= 0:
		kind := "a run"
		if r.Fairness != nil {
			kind = "a fair run" // its loop is fair, too
		}
		loop := printable.Quantity(len(run.Steps)-run.LoopStart, "transition")
		return fmt.Sprintf("%s with a loop of %s", kind, loop)
	case !r.Model.IsDeadlock(end):
		return fmt.Sprintf("a run of %s that stops in state %d, where all that is possible may be blocked,", steps, end)
	}
	return fmt.Sprintf("a run of %s that ends in a deadlock", steps)
}
