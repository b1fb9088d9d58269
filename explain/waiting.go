package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// waiting is what a run that violates a property waits for at its end, whatever kind of
// property that is: a chain waits for its next step, an automaton for what brings it
// nearer to acceptance.
type waiting interface {
	// helps reports whether a transition labelled l from q is what the run waits for.
	helps(q property.Q, l lts.Label) bool
	// labels returns the labels that help at these states of the property, ascending.
	labels(at []property.Q) []lts.Label
}

// stepWaits waits for a step of a property that has some, from 1.
type stepWaits struct {
	p    *property.Property
	step int
}

func (w stepWaits) helps(_ property.Q, l lts.Label) bool { return w.p.Does(l, w.step) }

func (w stepWaits) labels([]property.Q) []lts.Label { return w.p.Step(w.step).Labels }

// tableWaits waits for what brings an automaton nearer to its aim than least, the
// distance that the run keeps.
type tableWaits struct {
	a *aim
	// least is the smallest distance on the loop, or that at the end.
	least int
}

func (w tableWaits) helps(q property.Q, l lts.Label) bool { return w.a.after(q, l) < w.least }

func (w tableWaits) labels(at []property.Q) []lts.Label {
	met := bitset.New[lts.Label](w.a.p.Alphabet().Len())
	for _, q := range at {
		for l := range lts.Label(w.a.p.Alphabet().Len()) {
			if w.helps(q, l) {
				met.Add(l)
			}
		}
	}
	return slices.Collect(met.All)
}

// aim says how far an automaton is from something that it lacks: a transition with a
// colour of wanted, or, if stops, a state in which the run may end. It takes no
// transition with a colour of banned.
type aim struct {
	p              *property.Property
	wanted, banned property.Marks
	stops          bool
	// distances are those of the states in letters, [far] if there is no way.
	distances []int
}

// far is the distance of what cannot be reached.
const far = int(^uint(0) >> 1)

// find computes the distances, backwards from the aim. Cost O(states · letters).
func (a *aim) find(ctx context.Context) error {
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
		if q&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
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
	// Those at distance 0 come before those at 1; no aim has both.
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
	return nil
}

// after returns the distance after a transition, 0 if it is what is wanted.
func (a *aim) after(q property.Q, l lts.Label) int {
	switch marks := a.p.Marks(q, l); {
	case marks&a.banned != 0:
		return far
	case marks&a.wanted != 0:
		return 0
	}
	return a.distances[a.p.Next(q, l)]
}

// round returns the places of the loop of a trace that repeat for ever, with the steps by
// which the run leaves them: as many rounds as the property needs to be in the same state
// again.
func round(t *counterexample.Trace, p *property.Property) (places []product.Place, steps []int) {
	start, loops := t.LoopStart()
	if !loops {
		return nil, nil
	}
	q := t.At(start)
	for from := map[property.Q]bool{}; !from[q]; {
		from[q] = true
		for i := start; i < t.Len(); i++ {
			q = p.Next(q, t.Step(i).Label)
		}
	}
	for first := q; ; {
		places, steps = slices.Grow(places, t.Len()-start), slices.Grow(steps, t.Len()-start)
		for i := start; i < t.Len(); i++ {
			places, steps = append(places, product.Place{State: t.Step(i).From, Q: q}), append(steps, i)
			q = p.Next(q, t.Step(i).Label)
		}
		if q == first {
			return places, steps
		}
	}
}

// mostPairs is the number of pairs up to which a condition is looked at.
const mostPairs = 256

// waitsOnLoop returns what a loop through these places waits for, and the colours that it
// has to stop having if it waits for nothing. Of several conditions that would do, it is
// the one that is nearest.
func waitsOnLoop(ctx context.Context, p *property.Property, places []product.Place, labels []lts.Label) (waiting, property.Marks, error) {
	var colours property.Marks
	for i, at := range places {
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
		if err := a.find(ctx); err != nil {
			return nil, 0, err
		}
		here := far
		for _, at := range places {
			here = min(here, a.distances[at.Q])
		}
		if here < least {
			nearest, least = tableWaits{a, here}, here
		}
	}
	return nearest, recurring, nil
}
