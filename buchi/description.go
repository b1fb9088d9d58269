package buchi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property/automata"
)

// twins are the states of a file that become two states each; the second of the
// two is accepting, and numbered after all states of the file.
type twins struct {
	of map[State]State
	// states are the states that become two, in ascending order.
	states []State
}

// described is an automaton of a file that is being converted.
type described struct {
	*automata.Automaton
	initials []State
}

// description converts the automaton of a file to one with accepting states and
// one initial state. It fails if there is too little memory.
func description(ctx context.Context, file *automata.Automaton) (*Description, error) {
	b := described{Automaton: file}
	for _, s := range file.Starts {
		b.initials = append(b.initials, State(s))
	}
	// Edges are collected once more, and then stored in rows with their labels;
	// rows have two offsets for each state while they are filled, and targets
	// twice if some target repeats.
	edges := len(b.Edges)
	if err := resources.Ask(ctx, int64(edges)*(2*inRows+4)+int64(b.States)*24); err != nil {
		return nil, err
	}
	pairs, accepting := b.split()
	build := Builder{sources: make([]State, 0, edges), targets: make([]State, 0, edges), labels: make([]string, 0, edges)}
	for _, s := range accepting {
		build.Accept(s)
	}
	for _, s := range pairs.states {
		build.Accept(pairs.of[s])
	}
	for _, e := range b.Edges {
		from := State(e.From)
		if twin, isTwo := pairs.of[from]; isTwo && e.Marks != 0 {
			from = twin
		}
		pairs.add(&build, from, e)
	}
	states := b.States + len(pairs.states)
	initial, added := b.initial(pairs), false
	if initial == NoState {
		initial, added = State(states), true
		states++
		b.addInitial(&build, initial, pairs)
	}
	a, err := build.Build(initial, states)
	if err != nil {
		return nil, err
	}
	d := &Description{Name: b.Name, Propositions: b.Propositions, Aliases: b.Aliases, Automaton: a}
	if added {
		d.Starts = b.starts(pairs)
	}
	b.nameStates(d, pairs, added)
	return d, nil
}

// inRows is the size of an edge in bytes: two numbers and a label.
const inRows = 8 + 16

// addInitial gives the added initial state the outgoing edges of all initial
// states of the file, in the order of these states.
func (b described) addInitial(build *Builder, initial State, pairs *twins) {
	out := map[State][]automata.Edge{}
	for _, s := range b.initials {
		out[s] = nil
	}
	for _, e := range b.Edges {
		if list, isInitial := out[State(e.From)]; isInitial {
			out[State(e.From)] = append(list, e)
		}
	}
	for _, s := range b.initials {
		for _, e := range out[s] {
			pairs.add(build, initial, e)
		}
	}
}

// add adds an edge of the file with a new source: to the target of the edge,
// and to the target's twin.
func (t *twins) add(build *Builder, from State, e automata.Edge) {
	build.AddLabelled(from, e.Label(), State(e.To))
	if twin, isTwo := t.of[State(e.To)]; isTwo {
		build.AddLabelled(from, e.Label(), twin)
	}
}

// split finds the states that must become two, and the accepting states among the
// others.
func (b described) split() (*twins, []State) {
	accepting := bitset.New[State](b.States)
	marked, unmarked := bitset.New[State](b.States), bitset.New[State](b.States)
	for _, s := range b.Accepting {
		accepting.Add(State(s))
	}
	for _, e := range b.Edges {
		if e.Marks != 0 {
			marked.Add(State(e.From))
		} else {
			unmarked.Add(State(e.From))
		}
	}
	pairs := &twins{of: map[State]State{}}
	var single []State
	for i := range b.States {
		s := State(i)
		switch {
		case marked.Has(s) && unmarked.Has(s):
			pairs.of[s] = State(b.States + len(pairs.states))
			pairs.states = append(pairs.states, s)
		case marked.Has(s) || accepting.Has(s):
			single = append(single, s)
		}
	}
	return pairs, single
}

// initial returns the only initial state, NoState if one must be added.
func (b described) initial(pairs *twins) State {
	if len(b.initials) != 1 {
		return NoState
	}
	if _, isTwo := pairs.of[b.initials[0]]; isTwo {
		return NoState
	}
	return b.initials[0]
}

// starts returns the initial states of the file, with both twins of a state that
// became two.
func (b described) starts(pairs *twins) []State {
	var starts []State
	for _, s := range b.initials {
		starts = append(starts, s)
		if twin, isTwo := pairs.of[s]; isTwo {
			starts = append(starts, twin)
		}
	}
	return starts
}

// nameStates sets the names and origins of the states.
func (b described) nameStates(d *Description, pairs *twins, added bool) {
	if len(pairs.states) > 0 || added {
		for s := range b.States {
			d.Origins = append(d.Origins, State(s))
		}
		d.Origins = append(d.Origins, pairs.states...)
		if added {
			d.Origins = append(d.Origins, NoState)
		}
	}
	if len(b.Names) == 0 {
		return
	}
	d.Names = make([]string, d.Automaton.NumStates())
	for s := range d.Names {
		origin := State(s)
		if d.Origins != nil {
			origin = d.Origins[s]
		}
		d.Names[s] = b.Names[automata.State(origin)]
	}
}

// Step is an edge of a lasso with the numbers and names of an HOA file.
type Step struct {
	// From and To are the numbers of the states in the file, [NoState] for an
	// initial state that was added.
	From, To State
	// Name is the name of From, empty if it has none.
	Name string
	// Label is the label of the edge with names instead of the numbers of
	// propositions, quoted unless they are plain words.
	Label string
}

// Steps returns the edges of a lasso of d, the first of parallel edges; the last
// edge leads back to the beginning of the loop. Cost O(sum of the out-degrees of
// its states).
func (d *Description) Steps(l Lasso) []Step {
	steps := make([]Step, len(l.States))
	for i, s := range l.States {
		next := l.next(i)
		steps[i] = Step{From: d.origin(s), To: d.origin(next)}
		if d.Names != nil {
			steps[i].Name = d.Names[s]
		}
		targets, labels := d.Automaton.Out(s)
		if edge := slices.Index(targets, next); edge >= 0 && labels != nil {
			steps[i].Label = d.named(labels[edge])
		}
	}
	return steps
}

// origin returns the number of s in the file.
func (d *Description) origin(s State) State {
	if d.Origins == nil {
		return s
	}
	return d.Origins[s]
}

// named returns a label with the names of its propositions. Digits within an
// alias are not propositions.
func (d *Description) named(label string) string {
	var b strings.Builder
	for i := 0; i < len(label); {
		end := i + 1
		switch c := label[i]; {
		case c == '@':
			for end < len(label) && !strings.ContainsRune("!&|()", rune(label[end])) {
				end++
			}
		case isDigit(c):
			for end < len(label) && isDigit(label[end]) {
				end++
			}
			if n, err := strconv.Atoi(label[i:end]); err == nil && n < len(d.Propositions) {
				b.WriteString(quotedName(d.Propositions[n]))
				i = end
				continue
			}
		}
		b.WriteString(label[i:end])
		i = end
	}
	return b.String()
}

// quotedName returns a proposition in a form that is unambiguous in an
// expression: t and f are constants there.
func quotedName(name string) string {
	plain := name != "" && name != "t" && name != "f" && !isDigit(name[0])
	for _, c := range name {
		plain = plain && (c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
	}
	if plain {
		return name
	}
	return strconv.Quote(name)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
