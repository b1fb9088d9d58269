package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// waiting is what a violating run waits for at its end: a chain for its next step, another property
// for transitions that bring its automaton nearer to acceptance.
type waiting interface {
	// helps reports whether a transition labelled l from q is what the run waits for.
	helps(q property.Q, l lts.Label) bool
	// labels returns the labels that help in these property states, ascending.
	labels(at []property.Q) []lts.Label
}

// stepWaits waits for a step of a chain, from 1.
type stepWaits struct {
	p    *property.Property
	step int
}

func (w stepWaits) helps(_ property.Q, l lts.Label) bool { return w.p.Does(l, w.step) }

func (w stepWaits) labels([]property.Q) []lts.Label { return w.p.Step(w.step).Labels }

// tableWaits waits for transitions that bring the automaton nearer to its aim than least
// transitions.
type tableWaits struct {
	a *aim
	// least is the smallest distance from the aim on the loop or, without a loop, the distance at
	// the end.
	least int
}

func (w tableWaits) helps(q property.Q, l lts.Label) bool { return w.a.after(q, l) < w.least }

func (w tableWaits) labels(at []property.Q) []lts.Label {
	helping := bitset.New[lts.Label](w.a.p.Alphabet().Len())
	for _, q := range at {
		for l := range lts.Label(w.a.p.Alphabet().Len()) {
			if w.helps(q, l) {
				helping.Add(l)
			}
		}
	}
	return slices.Collect(helping.All)
}

// aim is what a run must still reach: a transition with a colour of wanted or, if stops is set, a
// property state where the run may end. Paths to it avoid the colours of banned.
type aim struct {
	p              *property.Property
	wanted, banned property.Marks
	stops          bool
	// distances are the distances of the property states from the aim, in transitions; [far] if
	// there is no path.
	distances []int
}

// far is the distance from the aim if there is no path.
const far = int(^uint(0) >> 1)

// find computes the distances, backwards from the aim. Cost O(states · letters).
func (a *aim) find(ctx context.Context) {
	t := a.p.Automaton()
	n := t.States()
	used := make([]bool, t.Columns)
	for _, letter := range t.Letters {
		used[letter] = true
	}
	before := make([][]property.Q, n)
	a.distances = slices.Repeat([]int{far}, n)
	var layer []property.Q
	for q := range n {
		abort.IfDone(ctx, q)
		reached := a.stops && t.Stop[q]
		for column := range t.Columns {
			i := q*t.Columns + column
			marks := property.Marks(0)
			if t.Marks != nil {
				marks = t.Marks[i]
			}
			switch {
			case !used[column] || marks&a.banned != 0:
			case marks&a.wanted != 0:
				if !reached {
					a.distances[q], layer, reached = 1, append(layer, property.Q(q)), true
				}
			default:
				before[t.Next[i]] = append(before[t.Next[i]], property.Q(q))
			}
		}
		if a.stops && t.Stop[q] {
			a.distances[q], layer = 0, append(layer, property.Q(q))
		}
	}
	// The first layer has only property states at distance 0, or only property states at distance
	// 1.
	for len(layer) > 0 {
		var next []property.Q
		for _, q := range layer {
			for _, from := range before[q] {
				if a.distances[from] == far {
					a.distances[from], next = a.distances[q]+1, append(next, from)
				}
			}
		}
		layer = next
	}
}

// after returns the distance after a transition, 0 if the transition has a wanted colour.
func (a *aim) after(q property.Q, l lts.Label) int {
	switch marks := a.p.Marks(q, l); {
	case marks&a.banned != 0:
		return far
	case marks&a.wanted != 0:
		return 0
	}
	return a.distances[a.p.Next(q, l)]
}

// round returns the product states of the loop of a run that repeat for ever, with the step that
// leaves each product state: as many rounds as the property state needs to repeat.
func round(t *counterexample.Trace, p *property.Property) (loop []product.State, steps []int) {
	start, loops := t.LoopStart()
	if !loops {
		return nil, nil
	}
	begins, again := rounds(t, start, p)
	for _, q := range begins[again:] {
		for i := start; i < t.Len(); i++ {
			loop, steps = append(loop, product.State{State: t.Step(i).From, Q: q}), append(steps, i)
			q = p.Next(q, t.Step(i).Label)
		}
	}
	return loop, steps
}

// mostPairs is the largest number of pairs of an acceptance condition for which waitsOnLoop
// searches.
const mostPairs = 256

// waitsOnLoop returns what a loop through these product states waits for. If the loop waits for
// nothing, the first result is nil, and the second has the colours that would have to stop. If
// several pairs help, waitsOnLoop uses the nearest pair.
func waitsOnLoop(ctx context.Context, p *property.Property, loop []product.State, labels []lts.Label) (waiting, property.Marks) {
	var colours property.Marks
	for i, at := range loop {
		colours |= p.Marks(at.Q, labels[i])
	}
	pairs, _ := p.Acceptance().Pairs(mostPairs)
	var nearest waiting
	recurring, least := property.Marks(0), far
	for _, pair := range pairs {
		if bad := pair.Fin & colours; bad != 0 {
			if recurring == 0 || bad.Len() < recurring.Len() {
				recurring = bad
			}
			continue
		}
		a := &aim{p: p, wanted: pair.Inf &^ colours, banned: pair.Fin}
		a.find(ctx)
		here := far
		for _, at := range loop {
			here = min(here, a.distances[at.Q])
		}
		if here < least {
			nearest, least = tableWaits{a, here}, here
		}
	}
	return nearest, recurring
}
