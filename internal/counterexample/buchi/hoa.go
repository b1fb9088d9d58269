package buchi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/automata"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Description is an automaton together with the names in its HOA file.
type Description struct {
	// Name is the text of the header item "name:"; empty if there is none.
	Name string
	// Propositions are the atomic propositions; a number in a label is an index
	// into them.
	Propositions []string
	// Aliases are the abbreviations that labels use, each defined by
	// propositions and earlier aliases.
	Aliases []automata.Alias
	// Automaton has a label on every edge: the expression of the file without blanks, and with its
	// aliases.
	Automaton *Automaton
	// Names are the names of the states, nil if no state has one.
	Names []string
	// Origins[s] is the number of state s in the file, or [NoState] for an initial state that was
	// added. Origins is nil if the numbers are those of the file. Write ignores it.
	Origins []State
	// Starts are the states of Automaton in which a run of the file begins; nil if only the initial
	// state of Automaton is such a state. Write ignores them.
	Starts []State
}

// ReadHOA reads the first automaton of a stream of HOA v1 automata. It skips automata that end in
// --ABORT--. file is the name of the stream in errors, which are of type *[automata.Error], or the
// error of a context that is done.
//
// The acceptance condition has to be Büchi, Inf(n) for one set n, or t, under which every state is
// accepting. Alternating automata (with & between states) are refused, and so are header items that
// begin with a capital letter and are not part of the format: they may change the meaning of the
// automaton.
//
// The automaton that ReadHOA returns has the language of the automaton in the file, and the form
// that [Automaton] allows:
//
//   - An edge whose label no letter satisfies, such as [f], is left out.
//   - A state is split if some, but not all, of its outgoing edges are in the
//     acceptance set. One half keeps the number of the state and the edges outside
//     the set; the other half, numbered after all states of the file, is accepting
//     and has the edges in the set. Edges into the state lead to both halves.
//     Every run keeps its length. A state all of whose outgoing edges are in the
//     set is accepting, as the format defines.
//   - If there are then several initial states, or none, a new state with the
//     highest number becomes the initial one. It has the outgoing edges of all
//     initial states, and no incoming edges. This can lengthen a shortest lasso
//     whose loop begins in an initial state.
//
// Cost O(length of the file) time and memory, and the time to find out whether labels can be
// satisfied. That is linear for the usual labels; a label for which it would take too long is
// refused.
func ReadHOA(ctx context.Context, r io.Reader, file string) (*Description, error) {
	b, err := automata.NewReader(ctx, r, file).Next()
	if err != nil {
		return nil, err
	}
	return description(ctx, b)
}

// Write writes the automaton as HOA v1 with state-based Büchi acceptance and a label on every edge,
// t for edges without one. [ReadHOA] returns the same automaton and description, except for
// origins.
//
// It fails if w fails. Before it writes anything, it fails if a label is no expression over the
// propositions and aliases, if an alias is no expression over the propositions and earlier aliases,
// if a name occurs twice, or if only some states have names.
func (d *Description) Write(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	d.writeHeader(out)
	out.WriteString("--BODY--\n")
	for s := range State(d.Automaton.NumStates()) {
		d.writeState(out, s)
	}
	out.WriteString("--END--\n")
	return out.Flush()
}

// check fails if the names or the labels cannot be written.
func (d *Description) check() error {
	if d.Names != nil && len(d.Names) != d.Automaton.NumStates() {
		return fmt.Errorf("buchi: there are %d names for %d states", len(d.Names),
			d.Automaton.NumStates())
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

// writeHeader writes the header of an automaton with state-based Büchi acceptance.
func (d *Description) writeHeader(out *bufio.Writer) {
	out.WriteString("HOA: v1\n")
	if d.Name != "" {
		fmt.Fprintf(out, "name: %s\n", automata.Quote(d.Name))
	}
	fmt.Fprintf(out, "States: %d\nStart: %d\nAP: %d", d.Automaton.NumStates(),
		d.Automaton.Initial(), len(d.Propositions))
	for _, name := range d.Propositions {
		fmt.Fprintf(out, " %s", automata.Quote(name))
	}
	out.WriteByte('\n')
	for _, alias := range d.Aliases {
		fmt.Fprintf(out, "Alias: %s %s\n", alias.Name, alias.Text)
	}
	out.WriteString("acc-name: Buchi\nAcceptance: 1 Inf(0)\n" +
		"properties: trans-labels explicit-labels state-acc no-univ-branch\n")
}

// writeState writes a state and the edges that leave it.
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

// Describe lists the reachable states of the product with their edges. The name of a state has the
// numbers of its model state, its property state and its layer, such as 5·1; propositions are the
// labels of the model, and an edge has the label of its transition. It fails if ctx is done, or if
// the number of reachable states exceeds most. Cost O(states and edges).
func (g *Product) Describe(ctx context.Context, most int) (*Description, error) {
	d := &Description{
		Name:         "the runs of the model that violate the property",
		Propositions: g.propositions(),
	}
	x := &describer{Product: g, number: map[State]State{}}
	x.numberOf(g.Initial())
	for i := 0; i < len(x.order); i++ {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d.Names = append(d.Names, g.name(x.order[i]))
		x.addEdges(State(i), most)
		if len(x.order) > most {
			return nil, fmt.Errorf("the product has more than %d states, and is not written",
				most)
		}
	}
	var err error
	d.Automaton, err = x.build.Build(0, len(x.order))
	return d, err
}

// describer numbers the states of a product in the order in which they are found.
type describer struct {
	*Product
	number map[State]State
	order  []State
	build  Builder
}

// numberOf returns the number of a state of the product. A state that is found for the first time
// gets a new number.
func (d *describer) numberOf(x State) State {
	number, known := d.number[x]
	if !known {
		number = State(len(d.order))
		d.number[x] = number
		d.order = append(d.order, x)
	}
	return number
}

// addEdges adds the edges of a state, whose number is from. Of parallel edges, it adds only the
// first. It stops once the number of states found exceeds most.
func (d *describer) addEdges(from State, most int) {
	x := d.order[from]
	if d.Accepting(x) {
		d.build.Accept(from)
	}
	s, _, _ := d.split(x)
	labels, _ := d.m.Out(s)
	visited := map[State]bool{}
	d.eachSuccessor(x, func(to State, transition int) bool {
		number := d.numberOf(to)
		if visited[to] {
			return true
		}
		visited[to] = true
		label := "t"
		if transition >= 0 {
			label = strconv.Itoa(int(labels.At(transition)))
		}
		d.build.AddLabelled(from, label, number)
		return len(d.order) <= most
	})
}

// name returns the name of a state: the numbers of its model state, its property state and its layer.
func (g *Product) name(x State) string {
	s, q, layer := g.split(x)
	name := fmt.Sprintf("%d·%d", s, q)
	switch {
	case layer == stopLayer:
		name += " ends"
	case layer > 0:
		name += fmt.Sprintf(" %d", layer)
	}
	return name
}

// propositions returns the labels of the model, one proposition for each. Labels that differ only
// in facts have the same text, and get different suffixes.
func (g *Product) propositions() []string {
	var all []string
	for l := range g.m.Alphabet().Len() {
		text := g.m.Alphabet().Text(lts.Label(l))
		if text == "" {
			text = "label " + strconv.Itoa(l)
		}
		all = append(all, text)
	}
	used := map[string]bool{}
	for i, text := range all {
		for n := 2; used[all[i]]; n++ {
			all[i] = fmt.Sprintf("%s (%d)", text, n)
		}
		used[all[i]] = true
	}
	return all
}

// description converts the automaton of a file to one with accepting states and one initial state.
// It fails if there is too little memory.
func description(ctx context.Context, file *automata.Automaton) (*Description, error) {
	c, err := newConverter(ctx, file)
	if err != nil {
		return nil, err
	}
	c.splitStates()
	for _, e := range file.Edges {
		from := State(e.From)
		if twin, isTwo := c.twinOf[from]; isTwo && e.Marks != 0 {
			from = twin
		}
		c.add(from, e)
	}
	d := &Description{
		Name:         file.Name,
		Propositions: file.Propositions,
		Aliases:      file.Aliases,
	}
	starts := c.starts()
	var initial State
	if len(starts) == 1 {
		initial = starts[0]
	} else {
		d.Starts = starts
		initial = c.addInitial()
	}
	d.Automaton, err = c.build.Build(initial, c.states)
	if err != nil {
		return nil, err
	}
	d.Origins = c.origins()
	if len(file.Names) > 0 {
		d.Names = make([]string, c.states)
		for s := range State(c.states) {
			d.Names[s] = file.Names[automata.State(d.origin(s))]
		}
	}
	return d, nil
}

// converter converts the automaton of a file.
type converter struct {
	file  *automata.Automaton
	build Builder
	// states counts the states of the file and those that were added.
	states int
	// split are the states that are split in two, ascending. twinOf has the second half of each of
	// them, which is accepting, and numbered after all states of the file.
	split  []State
	twinOf map[State]State
}

// newConverter returns a converter for a file. It first asks for memory: each edge exists twice, in
// the builder and in the rows with labels; while rows are filled, they have two offsets for each
// state, and targets exist twice if some target repeats.
func newConverter(ctx context.Context, file *automata.Automaton) (*converter, error) {
	const inRows = 8 + 16 // bytes of an edge: two numbers and a label
	edges := len(file.Edges)
	if err := resources.Ask(ctx, int64(edges)*(2*inRows+4)+int64(file.States)*24); err != nil {
		return nil, err
	}
	c := &converter{file: file, states: file.States, twinOf: map[State]State{}}
	c.build.sources = make([]State, 0, edges)
	c.build.targets = make([]State, 0, edges)
	c.build.labels = make([]string, 0, edges)
	return c, nil
}

// splitStates finds the accepting states, and the states that are split because only some of their
// edges are in the acceptance set.
func (c *converter) splitStates() {
	accepting := bitset.New[State](c.file.States)
	marked := bitset.New[State](c.file.States)
	unmarked := bitset.New[State](c.file.States)
	for _, s := range c.file.Accepting {
		accepting.Add(State(s))
	}
	for _, e := range c.file.Edges {
		if e.Marks != 0 {
			marked.Add(State(e.From))
		} else {
			unmarked.Add(State(e.From))
		}
	}
	for s := range State(c.file.States) {
		switch {
		case marked.Has(s) && unmarked.Has(s):
			twin := State(c.states)
			c.states++
			c.twinOf[s] = twin
			c.split = append(c.split, s)
			c.build.Accept(twin)
		case marked.Has(s) || accepting.Has(s):
			c.build.Accept(s)
		}
	}
}

// add adds an edge of the file. If its target was split, it adds an edge to each half.
func (c *converter) add(from State, e automata.Edge) {
	c.build.AddLabelled(from, e.Label(), State(e.To))
	if twin, isTwo := c.twinOf[State(e.To)]; isTwo {
		c.build.AddLabelled(from, e.Label(), twin)
	}
}

// starts returns the initial states of the file, and both halves of those that were split.
func (c *converter) starts() []State {
	var starts []State
	for _, start := range c.file.Starts {
		s := State(start)
		starts = append(starts, s)
		if twin, isTwo := c.twinOf[s]; isTwo {
			starts = append(starts, twin)
		}
	}
	return starts
}

// addInitial adds an initial state with the edges of all initial states of the file, in their order.
func (c *converter) addInitial() State {
	initial := State(c.states)
	c.states++
	edges := map[automata.State][]automata.Edge{}
	for _, s := range c.file.Starts {
		edges[s] = nil
	}
	for _, e := range c.file.Edges {
		if list, isStart := edges[e.From]; isStart {
			edges[e.From] = append(list, e)
		}
	}
	for _, s := range c.file.Starts {
		for _, e := range edges[s] {
			c.add(initial, e)
		}
	}
	return initial
}

// origins returns the number in the file for each state; nil if no state was added.
func (c *converter) origins() []State {
	if c.states == c.file.States {
		return nil
	}
	var origins []State
	for s := range State(c.file.States) {
		origins = append(origins, s)
	}
	origins = append(origins, c.split...)
	if len(origins) < c.states {
		origins = append(origins, NoState) // the initial state that was added
	}
	return origins
}

// Step is an edge of a lasso with the numbers and names of an HOA file.
type Step struct {
	// From and To are the numbers of the states in the file, [NoState] for an
	// initial state that was added.
	From, To State
	// Name is the name of From, empty if it has none.
	Name string
	// Label is the label of the edge with the names of propositions instead of their numbers. Names
	// are quoted unless they are plain words.
	Label string
}

// Steps returns the edges of a lasso of d, and of parallel edges the first. The last edge leads
// back to the beginning of the loop. Cost O(sum of the out-degrees of its states).
func (d *Description) Steps(l Lasso) []Step {
	steps := make([]Step, len(l.States))
	for i, s := range l.States {
		next := l.next(i)
		steps[i] = Step{From: d.origin(s), To: d.origin(next)}
		if d.Names != nil {
			steps[i].Name = d.Names[s]
		}
		targets, labels := d.Automaton.Out(s)
		edge := slices.Index(targets, next)
		if edge >= 0 && labels != nil {
			steps[i].Label = d.withNames(labels[edge])
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

// withNames returns a label with the names of its propositions instead of their numbers. Digits in
// the name of an alias are no propositions.
func (d *Description) withNames(label string) string {
	var b strings.Builder
	for i := 0; i < len(label); {
		end := i + 1
		c := label[i]
		switch {
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

// quotedName returns the name of a proposition in a form that is unambiguous in an expression,
// where t and f are constants.
func quotedName(name string) string {
	isPlain := name != "" && name != "t" && name != "f" && !isDigit(name[0])
	for _, c := range name {
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		isPlain = isPlain && (isLetter || c == '_' || c >= '0' && c <= '9')
	}
	if isPlain {
		return name
	}
	return strconv.Quote(name)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
