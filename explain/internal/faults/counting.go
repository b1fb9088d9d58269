package faults

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostCounting is the largest number of states of a property that counts faults. With more states,
// searches would need a product.
const mostCounting = 64

// OrMoreFaults returns the property that p holds or more than the given number of faults happen.
// Faults after a bad prefix do not count. It returns nil if this property would have more than 64
// states, or too many letters or colours; then use [WithFewFaults]. Cost O(its size).
func OrMoreFaults(
	ctx context.Context,
	p *property.Property,
	isFault func(lts.Label) bool,
	faults int,
) (*property.Property, error) {
	plain := p.Automaton()
	n := plain.States()
	tooManyStates := faults >= mostCounting || n*(faults+1)+1 > mostCounting
	tooManyLetters := 2*plain.Columns > 1<<16
	if plain.Columns == 0 || tooManyStates || tooManyLetters {
		return nil, nil
	}
	used, _ := plain.Acceptance.Colours()
	sinkColour := 0 // the colour of the transitions into the sink, which satisfy the property
	for used.Has(sinkColour) {
		sinkColour++
	}
	if sinkColour >= property.Colours {
		return nil, nil
	}
	canAccept, err := satisfiable(ctx, p)
	if err != nil {
		return nil, err
	}
	counting := &faultCounting{
		plain:     &plain,
		faults:    faults,
		canAccept: canAccept,
		sink:      property.Q(n * (faults + 1)),
		intoSink:  property.Mark(sinkColour),
	}
	t := property.Automaton{
		Columns:    2 * plain.Columns,
		Initial:    plain.Initial,
		Acceptance: property.Any(plain.Acceptance, property.Inf(sinkColour)),
		Kind:       plain.Kind,
		Name:       plain.Name,
	}
	for l := range p.Alphabet().All() {
		letter := plain.Letters[l]
		if isFault(l) {
			letter += uint16(plain.Columns)
		}
		t.Letters = append(t.Letters, letter)
	}
	for state := range counting.sink + 1 {
		t.Stop = append(t.Stop, counting.stops(state))
		for letter := range t.Columns {
			next, marks := counting.move(state, letter)
			t.Next = append(t.Next, next)
			t.Marks = append(t.Marks, marks)
		}
	}
	return property.Table(p.Alphabet(), t)
}

// faultCounting is the automaton of [OrMoreFaults]. For n states of the plain automaton, its state n·k + q is the
// state q after k faults; the sink is the state after too many faults. Its letters are those of the plain automaton,
// followed by the same letters for transitions that are faults.
type faultCounting struct {
	plain     *property.Automaton
	faults    int // the largest number that is counted
	canAccept func(property.Q) bool
	sink      property.Q
	intoSink  property.Marks // of the transitions into the sink
}

// stops reports whether a run may end in a state.
func (c *faultCounting) stops(state property.Q) bool {
	return state == c.sink || c.plain.Stop[int(state)%c.plain.States()]
}

// move returns the state that a letter leads to, and the colours of the transition.
func (c *faultCounting) move(state property.Q, letter int) (property.Q, property.Marks) {
	if state == c.sink {
		return c.sink, c.intoSink
	}
	n := c.plain.States()
	from := int(state) % n
	count := int(state) / n
	entry := from*c.plain.Columns + letter%c.plain.Columns
	isCounted := letter >= c.plain.Columns && c.canAccept(property.Q(from))
	if isCounted {
		count++
	}
	if count > c.faults {
		return c.sink, c.intoSink
	}
	marks := property.Marks(0)
	if c.plain.Marks != nil {
		marks = c.plain.Marks[entry]
	}
	return property.Q(count*n + int(c.plain.Next[entry])), marks
}
