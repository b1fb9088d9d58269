package buchi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/automata"
)

// Description is an automaton together with the names in its HOA file.
type Description struct {
	// Name is the text of the header item name:, empty if there is none.
	Name string
	// Propositions are the atomic propositions; a number in a label is an index
	// into them.
	Propositions []string
	// Aliases are the abbreviations that labels use, each defined by
	// propositions and earlier aliases.
	Aliases []automata.Alias
	// Automaton has a label on every edge: the expression of the file without
	// blanks, aliases kept.
	Automaton *Automaton
	// Names are the names of the states, nil if no state has one.
	Names []string
	// Origins[s] is the number of state s in the file, [NoState] for an initial
	// state that was added. It is nil if the numbers are those of the file. It is
	// ignored when HOA is written.
	Origins []State
	// Starts are the states of Automaton in which a run of the file begins, nil
	// if only the initial state of Automaton is such a state. Starts are
	// ignored when HOA is written.
	Starts []State
}

// ReadHOA reads the first automaton of a stream of HOA v1 automata; ones that
// end in --ABORT-- are passed over. file is the name of the stream in errors,
// which are of type *[automata.Error], or the error of a context that is done.
//
// The acceptance condition has to be Büchi, Inf(n) for one set n, or t, by which
// every state is accepting. Alternating automata (with & between states) are
// refused, and so are header items that begin with a capital letter and are not
// part of the format: they may change the meaning of the automaton.
//
// The automaton read has the language of the one in the file, and the form that
// [Automaton] allows:
//
//   - An edge whose label no letter satisfies, such as [f], is left out.
//   - Where the outgoing edges of a state are partly in the acceptance set and
//     partly not, it becomes two states: one keeps its number, and the edges that
//     are not in the set; the other, numbered after all states of the file, is
//     accepting and has the edges that are. Edges into the state lead to both.
//     Every run keeps its length. A state all of whose outgoing edges are in the
//     set is an accepting state, as the format defines it.
//   - Where this, or the file, gives other than one initial state, a new state
//     with the highest number becomes the initial one; it has the outgoing edges
//     of all the others, and is never returned to. A shortest lasso can become
//     longer by that, where it begins with its loop.
//
// Cost O(length of the file) time and memory, and the time that it takes to find
// out whether labels can be satisfied, which is linear for the usual ones; a
// label for which it would take too long is refused.
func ReadHOA(ctx context.Context, r io.Reader, file string) (*Description, error) {
	b, err := automata.NewReader(ctx, r, file).Next()
	if err != nil {
		return nil, err
	}
	return description(ctx, b)
}

// Write writes the automaton as HOA v1 with state-based Büchi acceptance and a
// label on every edge, t for edges without one. [ReadHOA] returns the same
// automaton and description, except for origins.
//
// It fails before it has written anything if a label or an alias is no expression
// over the propositions and the aliases before it, if a name occurs twice, or if
// only some states have names; it also fails if w does. Cost O(size of the
// description).
func (d *Description) Write(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	d.writeHeader(out)
	for i := range d.Automaton.NumStates() {
		d.writeState(out, State(i))
	}
	out.WriteString("--END--\n")
	return out.Flush()
}

func (d *Description) writeHeader(out *bufio.Writer) {
	out.WriteString("HOA: v1\n")
	if d.Name != "" {
		fmt.Fprintf(out, "name: %s\n", automata.Quote(d.Name))
	}
	fmt.Fprintf(out, "States: %d\nStart: %d\nAP: %d", d.Automaton.NumStates(), d.Automaton.Initial(), len(d.Propositions))
	for _, name := range d.Propositions {
		fmt.Fprintf(out, " %s", automata.Quote(name))
	}
	out.WriteByte('\n')
	for _, alias := range d.Aliases {
		fmt.Fprintf(out, "Alias: %s %s\n", alias.Name, alias.Text)
	}
	out.WriteString("acc-name: Buchi\nAcceptance: 1 Inf(0)\n" +
		"properties: trans-labels explicit-labels state-acc no-univ-branch\n--BODY--\n")
}

func (d *Description) writeState(out *bufio.Writer, s State) {
	out.WriteString("State: " + strconv.Itoa(int(s)))
	if d.Names != nil && d.Names[s] != "" {
		out.WriteString(" " + automata.Quote(d.Names[s]))
	}
	if d.Automaton.Accepting(s) {
		out.WriteString(" {0}")
	}
	out.WriteByte('\n')
	targets, labels := d.Automaton.Out(s)
	for i, t := range targets {
		label := "t"
		if labels != nil {
			label = labels[i]
		}
		out.WriteString("[" + label + "] " + strconv.Itoa(int(t)) + "\n")
	}
}

// check returns an error if the text could not be read back.
func (d *Description) check() error {
	if d.Names != nil && len(d.Names) != d.Automaton.NumStates() {
		return fmt.Errorf("buchi: there are %d names for %d states", len(d.Names), d.Automaton.NumStates())
	}
	labels, err := automata.NewLabels(d.Propositions, d.Aliases)
	if err != nil {
		return fmt.Errorf("buchi: %w", err)
	}
	for _, label := range d.Automaton.labels {
		if err := labels.Check(label); err != nil {
			return fmt.Errorf("buchi: %w", err)
		}
	}
	return nil
}

// Describe lists the reachable states of the product with their edges. The name
// of a state has the numbers of its model state, its property state and its
// layer, such as 5·1; propositions are the labels of the model, and an edge has
// the label of its transition. It fails if ctx is done, and if the number of
// reachable states exceeds most. Cost O(states and edges).
func (g *Product) Describe(ctx context.Context, most int) (*Description, error) {
	d := &Description{Name: "the runs of the model that violate the property"}
	for l := range g.m.Alphabet().Len() {
		d.Propositions = append(d.Propositions, "label "+strconv.Itoa(l))
	}
	number := map[State]State{g.Initial(): 0}
	order := []State{g.Initial()}
	var b Builder
	for i := 0; i < len(order); i++ {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x := order[i]
		s, q, layer := g.split(x)
		name := fmt.Sprintf("%d·%d", s, q)
		if layer == stopLayer {
			name += " ends"
		} else if layer > 0 {
			name += fmt.Sprintf(" %d", layer)
		}
		d.Names = append(d.Names, name)
		if g.Accepting(x) {
			b.Accept(State(i))
		}
		labels, _ := g.m.Out(s)
		visited := map[State]bool{}
		g.each(x, func(to State, transition int) bool {
			if _, known := number[to]; !known {
				number[to] = State(len(order))
				order = append(order, to)
			}
			if visited[to] {
				return true
			}
			visited[to] = true
			label := "t"
			if transition >= 0 {
				label = strconv.Itoa(int(labels.At(transition)))
			}
			b.AddLabelled(State(i), label, number[to])
			return len(order) <= most
		})
		if len(order) > most {
			return nil, fmt.Errorf("the product has more than %d states, and is not written", most)
		}
	}
	for l := range d.Propositions {
		if text := g.m.Alphabet().Text(lts.Label(l)); text != "" {
			d.Propositions[l] = text
		}
	}
	d.Propositions = distinct(d.Propositions)
	var err error
	d.Automaton, err = b.Build(0, len(order))
	return d, err
}

// distinct returns names made different by suffixes: labels that differ only in
// facts have the same text.
func distinct(names []string) []string {
	visited := map[string]bool{}
	for i, name := range names {
		for n := 2; visited[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s (%d)", name, n)
		}
		visited[names[i]] = true
	}
	return names
}
