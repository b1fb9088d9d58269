package hoa

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/automata"
)

// table is the automaton of a file over the letters of a model.
type table struct {
	property.Automaton
	f          *Formula
	valuations [][]bool
	// colourOf maps the sets of the condition to colours, and absentOf maps them
	// to colours for edges that are not in the set.
	colourOf, absentOf map[int]int
	// sink is the colour of the state that completes the automaton; hasSink
	// reports whether there is such a state.
	sink    int
	hasSink bool
}

// chooseColours assigns a colour to each set that the condition mentions.
func (t *table) chooseColours() {
	t.colourOf, t.absentOf = map[int]int{}, map[int]int{}
	t.Acceptance = t.condition(t.f.g.Acceptance)
	if t.Acceptance.Holds(0) {
		t.sink, t.hasSink = len(t.colourOf)+len(t.absentOf), true
		t.Acceptance = property.All(t.Acceptance, property.Fin(t.sink))
	}
}

func (t *table) condition(c automata.Condition) property.Acceptance {
	switch c.Op {
	case automata.ConditionTrue:
		return property.Always()
	case automata.ConditionFalse:
		return property.Never()
	case automata.ConditionAnd:
		return property.All(t.condition(c.Parts[0]), t.condition(c.Parts[1]))
	case automata.ConditionOr:
		return property.Any(t.condition(c.Parts[0]), t.condition(c.Parts[1]))
	}
	colours := t.colourOf
	if c.Complement {
		colours = t.absentOf
	}
	colour, known := colours[c.Set]
	if !known {
		colour = len(t.colourOf) + len(t.absentOf)
		colours[c.Set] = colour
	}
	if c.Op == automata.ConditionInf {
		return property.Inf(colour)
	}
	return property.Fin(colour)
}

// marks returns the colours of an edge.
func (t *table) marks(e automata.Edge) property.Marks {
	var m property.Marks
	for set, colour := range t.colourOf {
		if e.Marks>>set&1 != 0 {
			m |= property.Mark(colour)
		}
	}
	for set, colour := range t.absentOf {
		if e.Marks>>set&1 == 0 {
			m |= property.Mark(colour)
		}
	}
	return m
}

// fill computes the transitions, and completes them.
func (t *table) fill(ctx context.Context, a *lts.Alphabet) {
	g := t.f.g
	if n := len(t.colourOf) + len(t.absentOf); n > property.Colours || n == property.Colours && t.hasSink {
		abort.On(t.f.Fail(g.AcceptanceLine, "the acceptance condition needs more than %d colours", property.Colours))
	}
	states, columns := g.States, len(t.valuations)
	dead := property.Q(states)
	t.Columns, t.Kind, t.Name = columns, property.KindHOA, t.f.String()
	t.Initial = property.Q(g.Starts[0])
	t.Next, t.Marks = make([]property.Q, (states+1)*columns), make([]property.Marks, (states+1)*columns)
	for i := range t.Next {
		if t.Next[i] = dead; t.hasSink {
			t.Marks[i] = property.Mark(t.sink)
		}
	}
	edge := make([]int, states*columns) // one more than the index of the edge
	for letter, valuation := range t.valuations {
		abort.On(ctx.Err())
		for i, takes := range g.Letter(func(proposition int) bool { return valuation[proposition] }) {
			if !takes {
				continue
			}
			e := g.Edges[i]
			at := int(e.From)*columns + letter
			if before := edge[at]; before > 0 && (t.Next[at] != property.Q(e.To) || t.Marks[at] != t.marks(e)) {
				abort.On(t.f.Fail(e.Line, "state %d is not deterministic: with %s it has this transition and the one of line %d; %s",
					e.From, t.example(a, letter), g.Edges[before-1].Line, instead))
			}
			edge[at] = i + 1
			t.Next[at], t.Marks[at] = property.Q(e.To), t.marks(e)
		}
	}
	for s := range states {
		t.Pending = append(t.Pending, t.describe(s))
	}
	t.Pending = append(t.Pending, property.Phrase{{Text: "the automaton has no transition for what has happened"}})
}

// example returns the text of some label with this letter.
func (t *table) example(a *lts.Alphabet, letter int) string {
	for l, text := range a.All() {
		if int(t.Letters[l]) == letter {
			return strconv.Quote(text)
		}
	}
	return "the end of a run"
}

// describe says in which state of the file the automaton is.
func (t *table) describe(s int) property.Phrase {
	p := property.Phrase{{Text: fmt.Sprintf("in state %d", s)}}
	if name := t.f.g.Names[automata.State(s)]; name != "" {
		p = append(p, property.Word{Text: ", "}, property.Word{Text: name, Quoted: true}, property.Word{Text: ","})
	}
	return append(p, property.Word{Text: " of the automaton"})
}
