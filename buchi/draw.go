package buchi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// Colours are the colours that Algorithm 1 of [SPIN04] has given to the states of
// an automaton, by state number: white states were not visited, because a lasso
// was found before, and no lasso passes black states.
type Colours struct {
	of    []uint8
	Found *Lasso // the lasso that ended the search; nil if there is none
}

// Names of colours, as the paper has them.
var colourNames = [...]string{"white", "blue", "red", "black"}

// Count returns how many states are white, blue, red and black.
func (c *Colours) Count() (counts [4]int) {
	for _, colour := range c.of {
		counts[colour&colourBits]++
	}
	return counts
}

// Colour runs colourDFS on the automaton, from its first initial state, and
// returns the final colours. It fails as colourDFS does, at the same cost.
func (d *Description) Colour(ctx context.Context) (_ *Colours, err error) {
	defer abort.Caught(&err)
	c := newColouring(d.Automaton, newRecord(ctx, d.Automaton))
	found := c.search()
	return &Colours{of: c.marks, Found: found}, nil
}

// fills are the colours of states, with the colours for the texts in them.
var fills = [...][2]string{{"white", "black"}, {"#9ecae1", "black"}, {"#fb8072", "black"}, {"black", "white"}}

// WriteDOT draws the automaton for Graphviz: states in their colours, accepting
// states with two lines, and the edges of the lasso that was found bold. It fails
// if w does. Cost O(S + E).
func (c *Colours) WriteDOT(w io.Writer, d *Description) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "digraph automaton {\n  rankdir=LR\n  node [style=filled, shape=circle]\n  begin [shape=point, style=solid]\n")
	edges := map[[2]State]bool{}
	if l := c.Found; l != nil {
		for i, s := range l.States {
			edges[[2]State{s, l.next(i)}] = true
		}
	}
	for s := range State(d.Automaton.NumStates()) {
		fill := fills[c.of[s]&colourBits]
		lines := 1
		if d.Automaton.Accepting(s) {
			lines = 2
		}
		name := fmt.Sprint(s)
		if d.Names != nil && d.Names[s] != "" {
			name = d.Names[s]
		}
		fmt.Fprintf(b, "  %d [label=%s, fillcolor=%q, fontcolor=%q, peripheries=%d, tooltip=%q]\n", s, quotedDOT(name), fill[0], fill[1], lines, colourNames[c.of[s]&colourBits])
	}
	fmt.Fprintf(b, "  begin -> %d\n", d.Automaton.Initial())
	for s := range State(d.Automaton.NumStates()) {
		for _, t := range d.Automaton.Successors(s, nil) {
			bold := ""
			if edges[[2]State{s, t}] {
				bold = " [penwidth=3]"
			}
			fmt.Fprintf(b, "  %d -> %d%s\n", s, t, bold)
		}
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

// quotedDOT returns a text in quotes, escaped so that no part is syntax.
func quotedDOT(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(text) + `"`
}
