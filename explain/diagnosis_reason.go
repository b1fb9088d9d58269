package explain

import (
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// reason notes why a property can no longer hold, or never does, if that is plain: what all runs from
// there have in common, or that the run did too early what it lacks in the end. Cost O(S + T).
func (d diagnosis) reason() error {
	at, q := d.trace.Initial(), d.trace.At(0)
	if d.Step != nil {
		at, q = d.trace.Step(int(*d.Step)).To, d.trace.At(int(*d.Step)+1)
	}
	if d.Kind == KindLost && d.Unreachable && d.Awaited == "" {
		d.tooEarly(q)
	}
	if d.a.inSteps() || d.Unreachable || d.Values != nil || d.size() > mostForDiagnosis {
		return nil
	}
	if d.trace.Kind() == counterexample.Deadlock {
		a := &aim{p: d.a.Property, stops: true}
		if err := a.find(d.ctx); err != nil {
			return err
		}
		d.AllEnd = a.distances[q] == far && endsAlways(d.a.m, at)
	}
	if d.Kind != KindImpossible || d.AllEnd {
		return nil
	}
	words, err := product.WordsOf(d.ctx, d.a.Property)
	if err != nil {
		return err
	}
	labels, _ := d.a.m.Out(at)
	begins := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for i := range labels.Len() {
		l := labels.At(i)
		if words.CanAccept(d.a.Property.Next(q, l)) {
			return nil
		}
		begins.Add(l)
	}
	for l := range begins.All {
		if d.a.m.Alphabet().Plain(l) != l {
			return nil // what values it leads to may matter
		}
		d.Begins = append(d.Begins, d.a.text(l))
	}
	return nil
}

// size is what the product of model and property has of places and transitions, at most.
func (d diagnosis) size() int64 {
	return int64(d.a.Property.States()) * (int64(d.a.m.NumStates()) + int64(d.a.m.NumTransitions()))
}

// tooEarly notes whether the step after which the run is lost, in state q of the property, is itself
// one of those that it lacks in the end; and of a property without steps, which later one calls for it.
func (d diagnosis) tooEarly(q property.Q) {
	text := d.a.text(d.trace.Step(int(*d.Step)).Label)
	if d.a.inSteps() {
		d.TooEarly = d.First < d.Last && d.a.Property.Does(d.trace.Step(int(*d.Step)).Label, d.Last)
		return
	}
	stop := d.a.Property.Automaton().Stop
	if len(d.Pending) != 1 || d.Pending[0] != text || !stop[q] {
		return
	}
	for i := int(*d.Step) + 1; i < d.trace.Len(); i++ {
		switch {
		case stop[d.trace.At(i+1)]:
			d.Called = nil
		case d.Called == nil:
			d.Called = stepIndex(i)
		}
	}
	d.TooEarly = d.Called != nil
}

// endsAlways reports whether no run from a state goes on for ever: whether it reaches no cycle. Cost
// O(S + T) of what is met, and 4 bytes for each state of the model.
func endsAlways(m *lts.LTS, from lts.State) bool {
	// waits counts the transitions into a state that were not yet followed.
	waits := make([]uint32, m.NumStates())
	met := bitset.New[lts.State](m.NumStates())
	met.Add(from)
	open := []lts.State{from}
	all := 0
	for ; len(open) > 0; all++ {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		_, targets := m.Out(s)
		for _, to := range targets {
			if waits[to]++; !met.Has(to) {
				met.Add(to)
				open = append(open, to)
			}
		}
	}
	if waits[from] > 0 {
		return false
	}
	done := 0
	for open = append(open, from); len(open) > 0; done++ {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		_, targets := m.Out(s)
		for _, to := range targets {
			if waits[to]--; waits[to] == 0 {
				open = append(open, to)
			}
		}
	}
	return done == all
}
