package counterexample

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// tableMatching searches for runs that violate a property of any kind. Infinite runs must also be
// fair.
type tableMatching struct {
	*matching
	fair []*obligations
}

// match finds the runs of a matching that violate a property that is no chain, see [Match]. If the
// given trace is a bad prefix, it is returned as it is. If it is a lasso whose loop is written once,
// the search stops after about ten million steps of runs, and may miss a counterexample.
//
// Cost as for [chainHalf.match], with the number of property states instead of n, and that of
// [inProduct] on the product of model and given trace.
func (h tableHalf) match(y *matching) violations {
	y.bound = abort.Must(h.p.Relabel(y.q.Alphabet(), func(l lts.Label) lts.Label {
		return y.labels[l]
	}))
	return &tableMatching{matching: y}
}

func (y *tableMatching) isBeginning(at product.State) bool {
	return y.fates.At(y.joints[at.State].state, at.Q) == fate.Open
}

// violatedOnceLost returns the property that no run satisfies.
func (y *tableMatching) violatedOnceLost() *property.Property {
	a := y.m.Alphabet()
	return abort.Must(property.Table(a, property.Automaton{
		Letters:    make([]uint16, a.Len()),
		Columns:    1,
		Next:       []property.Q{0},
		Stop:       []bool{false},
		Acceptance: property.Never(),
		Name:       "false",
	}))
}

func (y *tableMatching) refuseSatisfied() error { return refuse(satisfied + fitting) }

// maximal returns a shortest run. It searches for a run that violates the property "p, or only
// finitely many steps of the given trace occur, or the run is not fair". The labels of the product
// that it searches have a bit for whether a transition is a step of the given trace.
func (y *tableMatching) maximal() *match {
	f := y.newFitProduct()
	if f == nil {
		return nil
	}
	m, letters := f.model()
	var r Result
	inProduct(y.ctx, m, f.property(m, letters), Options{}, &r)
	if r.Trace == nil {
		return nil
	}
	steps := r.Trace.Steps()
	for i := range steps {
		steps[i].Label /= lts.Label(f.perLabel())
	}
	return &match{steps: steps, loop: r.Trace.loop}
}

// mostClosing limits the search for a lasso whose loop is written once: it visits at most this many
// steps of runs.
const mostClosing = 10_000_000

// closed visits runs depth first.
func (y *tableMatching) closedAtCut() *match {
	if len(y.statesWhere(y.isCut)) == 0 {
		return nil
	}
	w := &fittingRuns{
		tableMatching: y,
		onRun:         make(map[lts.State]bool),
		stepsLeft:     mostClosing,
	}
	w.enter(y.q.Initial())
	for len(w.next) > 0 && w.stepsLeft > 0 {
		w.stepsLeft--
		abort.IfDone(y.ctx, w.stepsLeft)
		w.step()
	}
	return w.best
}

// fittingRuns visits the runs of a product that pass no state twice, depth first.
type fittingRuns struct {
	*tableMatching
	steps     []lts.Transition
	at        []lts.State        // the sources of steps, and the target of the last step
	next      []int              // for each state in at, the index of the transition to be tried next
	onRun     map[lts.State]bool // the states in at
	stepsLeft int                // the number of steps that may still be visited
	best      *match
}

// enter appends a state to the run.
func (w *fittingRuns) enter(s lts.State) {
	w.at = append(w.at, s)
	w.next = append(w.next, 0)
	w.onRun[s] = true
	if w.isCut(s) {
		w.close()
	}
}

// step takes the next transition, or goes back if there is none.
func (w *fittingRuns) step() {
	last := len(w.at) - 1
	s := w.at[last]
	labels, targets := w.q.Out(s)
	mayBeShorter := w.best == nil || len(w.steps) < len(w.best.steps)
	i := w.next[last]
	if i < len(targets) && mayBeShorter {
		w.next[last]++
		t := targets[i]
		if !w.onRun[t] {
			w.steps = append(w.steps, lts.Transition{
				From:  s,
				Label: labels.At(i),
				To:    t,
			})
			w.enter(t)
		}
		return
	}
	delete(w.onRun, s)
	w.at = w.at[:last]
	w.next = w.next[:last]
	w.steps = w.steps[:max(0, last-1)]
}

// close searches for the longest loop that the run can close at its end.
func (w *fittingRuns) close() {
	end := w.joints[w.at[len(w.at)-1]].state
	var inModel []lts.Transition
	for loopStart, s := range w.at[:len(w.at)-1] {
		closesLoop := w.joints[s].state == end
		if !closesLoop || w.stepsLeft <= 0 {
			continue
		}
		hasSameLength := w.best != nil && len(w.steps) == len(w.best.steps)
		if hasSameLength && loopStart >= w.best.loop {
			return // this loop and all later ones are no longer than that of the best run
		}
		if inModel == nil {
			inModel = w.inModel(w.steps)
		}
		w.stepsLeft -= len(inModel)
		neglects := func(o *obligations) bool { return !o.isFair(inModel[loopStart:]) }
		if slices.ContainsFunc(w.fair, neglects) {
			continue
		}
		_, err := NewViolating(w.m, w.p, inModel, loopStart)
		if err == nil {
			w.best = &match{steps: slices.Clone(w.steps), loop: loopStart}
			return
		}
	}
}
