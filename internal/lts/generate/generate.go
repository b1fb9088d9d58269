// Package generate writes synthetic models as .aut text, and the models of a few
// well-known algorithms for any number of processes. They serve benchmarks, tests
// and comparisons of tools. [Kinds] lists them.
//
// A model is a function of its [Spec]: the same Spec gives the same bytes, on
// every platform. Random choices come from a hash of the seed and the number of
// the state, so that the transitions of a state are known without those of the
// states before it. Therefore the text is written as it is made, in memory that
// does not grow with the model, and [Spec.Shuffle] costs no memory. Only the
// models of algorithms have to be explored before the first line, and are held
// while they are written.
//
// The numbers of states and transitions are known before the first transition
// is delivered, and are exact; every state is reachable from the initial one,
// which is 0.
package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
)

// Spec describes the wanted model. The number 0 means the default of the kind; a number or switch
// that the kind does not use must be 0 or false.
type Spec struct {
	// Kind is the name of one of [Kinds].
	Kind        string
	States      int
	Transitions int
	Degree      int
	Labels      int
	Locality    int
	Width       int
	Height      int
	Processes   int
	// Wrap makes a torus of a grid; Asymmetric lets one philosopher begin with the other fork.
	Wrap, Asymmetric bool
	// Seed chooses one of the models with these numbers. It has no effect on
	// kinds without random choices.
	Seed uint64
	// Shuffle delivers the states in a random order, each with its transitions in
	// their order: the model is the same, but the sources in the file do not
	// ascend.
	Shuffle bool
}

// Kind is a family of models.
type Kind struct {
	// Name is one word, Summary part of a sentence.
	Name, Summary string
	// States, Transitions and Labels describe the numbers of states and
	// transitions, and the labels, in words.
	States, Transitions, Labels string
	// Drawn reports whether the seed chooses among models; otherwise it only chooses the
	// order of Spec.Shuffle.
	Drawn bool
	// Parameters are the parameters that a Spec of this kind may set, besides Seed and Shuffle.
	Parameters []Parameter
	// Formula is a property that is worth explaining on the model with default
	// parameters (see [Spec.Formula] for others); Interest is the reason.
	Formula, Interest string
	// Unfolded describes what the unfolded models show; "" if they show nothing special.
	Unfolded string
}

// Parameter is a number or a switch of a [Spec].
type Parameter struct {
	// Name is the name of the field of Spec, in lower case.
	Name, Usage string
	// Switch reports whether the parameter is a switch, not a number.
	Switch bool
	// Default is the number that is used if the Spec has 0; it is 0 if 0 means that there is no
	// bound.
	Default int64
	// Min and Max bound what may be set.
	Min, Max int64
}

// Parameter returns the parameter of this name, if the kind has it. Cost
// O(number of parameters).
func (k Kind) Parameter(name string) (Parameter, bool) {
	for _, p := range k.Parameters {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// Kinds returns all kinds, the most often used first. Cost O(number of kinds).
func Kinds() []Kind {
	var all []Kind
	for _, f := range families() {
		all = append(all, f.Kind)
	}
	return all
}

// KindOf returns the kind of this name, if there is one.
func KindOf(name string) (Kind, bool) {
	f, err := familyOf(name)
	return f.Kind, err == nil
}

// family is a kind with the function that makes its models.
type family struct {
	Kind
	// prepare returns the model of a Spec that is complete and in range.
	prepare preparation
	// formula is nil if Kind.Formula fits all parameters.
	formula func(Spec) string
}

func familyOf(name string) (family, error) {
	var names []string
	for _, f := range families() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return family{}, fmt.Errorf("generate: unknown kind %q; there are %s", name, strings.Join(names, ", "))
}

// Formula returns a property that is worth explaining on the model, in the syntax
// of package actl. It fails if the Spec is invalid. Cost O(length of the
// formula).
func (s Spec) Formula() (string, error) {
	s, f, err := s.complete()
	switch {
	case err != nil:
		return "", err
	case f.formula != nil:
		return f.formula(s), nil
	}
	return f.Formula, nil
}

// Set sets a parameter from text, as a user writes it: a count for a number (see
// [options.Count]), true or false for a switch. It fails if the kind, which must
// be set before, has no such parameter, or if the number is not in its range.
// "seed" and "shuffle" can be set for all kinds. Cost O(len(text)).
func (s *Spec) Set(name, text string) error {
	k, err := familyOf(s.Kind)
	if err != nil {
		return err
	}
	switch name {
	case "seed":
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number from 0 to %d", text, uint64(math.MaxUint64))
		}
		s.Seed = seed
		return nil
	case "shuffle":
		return setSwitch(&s.Shuffle, text)
	}
	p, has := k.Parameter(name)
	switch {
	case !has:
		return fmt.Errorf("a model of kind %s has no %s; it has %s", k.Name, name,
			k.parameterNames())
	case p.Switch:
		return setSwitch(s.option(name), text)
	}
	n, err := options.Count(text)
	if err == nil {
		err = p.check(n)
	}
	if err == nil {
		*s.number(name) = int(n)
	}
	return err
}

func setSwitch(value *bool, text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*value = on
	return nil
}

func (k Kind) parameterNames() string {
	var names []string
	for _, p := range k.Parameters {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func (p Parameter) check(n int64) error {
	if n < p.Min || n > p.Max {
		return fmt.Errorf("%d is not from %d to %d", n, p.Min, p.Max)
	}
	return nil
}

// number returns a pointer to the field of this name.
func (s *Spec) number(name string) *int {
	return map[string]*int{
		"states": &s.States, "transitions": &s.Transitions, "degree": &s.Degree, "labels": &s.Labels,
		"locality": &s.Locality, "width": &s.Width, "height": &s.Height, "processes": &s.Processes,
	}[name]
}

// option returns a pointer to the switch of this name.
func (s *Spec) option(name string) *bool {
	return map[string]*bool{"wrap": &s.Wrap, "asymmetric": &s.Asymmetric}[name]
}

// complete returns the Spec with all numbers set, and its family. It fails if
// something is out of range or not for this kind.
func (s Spec) complete() (Spec, family, error) {
	f, err := familyOf(s.Kind)
	if err != nil {
		return s, f, err
	}
	refuse := func(err error) (Spec, family, error) {
		return s, f, fmt.Errorf("generate: %s: %w", s.Kind, err)
	}
	for _, name := range []string{
		"states",
		"transitions",
		"degree",
		"labels",
		"locality",
		"width",
		"height",
		"processes",
	} {
		value := s.number(name)
		p, has := f.Parameter(name)
		switch {
		case *value == 0:
			*value = int(p.Default)
		case !has:
			return refuse(fmt.Errorf("has no %s; it has %s", name, f.parameterNames()))
		default:
			if err := p.check(int64(*value)); err != nil {
				return refuse(fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	for _, name := range []string{"wrap", "asymmetric"} {
		p, has := f.Parameter(name)
		if *s.option(name) && !(has && p.Switch) {
			return refuse(errors.New("has no " + name + "; it has " + f.parameterNames()))
		}
	}
	return s, f, nil
}

// The functions below return the parameters that several kinds share.
func states(least int64) Parameter {
	return Parameter{
		Name:    "states",
		Usage:   "states",
		Default: 1000,
		Min:     least,
		Max:     lts.MaxStates,
	}
}

func degree(usage string) Parameter {
	return Parameter{
		Name:    "degree",
		Usage:   usage,
		Default: 3,
		Min:     1,
		Max:     1 << 16,
	}
}

func labels(byDefault int64) Parameter {
	return Parameter{
		Name:    "labels",
		Usage:   "labels, ACTION !0 and so on",
		Default: byDefault,
		Min:     1,
		Max:     math.MaxUint32,
	}
}

func side(name, usage string, byDefault int64) Parameter {
	return Parameter{
		Name:    name,
		Usage:   usage,
		Default: byDefault,
		Min:     1,
		Max:     lts.MaxStates,
	}
}

func processes(usage string, byDefault, most int64) Parameter {
	return Parameter{
		Name:    "processes",
		Usage:   usage,
		Default: byDefault,
		Min:     2,
		Max:     most,
	}
}

// families returns all kinds, in the order they are listed.
func families() []family {
	return slices.Concat(
		randomModels(),
		chainsAndGrids(),
		layersAndRings(),
		algorithms(),
	)
}

// randomModels are the kinds for measurements on models without much structure.
func randomModels() []family {
	return []family{
		{Kind: Kind{
			Name:        "random",
			Summary:     "states with transitions to anywhere",
			States:      "as asked for, numbered breadth first along a binary tree, so that all are reachable",
			Transitions: "states × degree; the rest leads anywhere",
			Labels:      "ACTION !0 and so on, drawn",
			Drawn:       true,
			Parameters: []Parameter{
				states(1),
				degree("transitions of a state, on average"),
				labels(50),
			},
			Formula:  `Inev("ACTION !0", "ACTION !1")`,
			Interest: "violated by a short run, as a few states have no transition; nearly all choices are neutral",
		}, prepare: newRandom},
		{Kind: Kind{
			Name:        "layered",
			Summary:     "layers of states, each with transitions to the next one",
			States:      "1 + width × height; only the last layer has deadlocks",
			Transitions: "width + width × (height - 1) × degree; without cycles, all maximal traces have the length height",
			Labels:      "ACTION !0 and so on, drawn from three that change with the layer",
			Drawn:       true,
			Parameters: []Parameter{
				side("width", "states of a layer", 50), side("height", "layers", 20),
				degree("transitions of a state"), labels(10),
			},
			Formula:  layeredFormula(10),
			Interest: "violated by runs that end before all steps are done",
			Unfolded: "all classes and all kinds of neighbourhoods",
		}, prepare: newLayered, formula: func(s Spec) string { return layeredFormula(s.Labels) }},
		{Kind: Kind{
			Name:        "scc",
			Summary:     "one strongly connected component",
			States:      "as asked for, on one cycle",
			Transitions: "states × degree; the transitions beside the cycle lead anywhere, or at most as far as the locality",
			Labels:      "BACK if the number of the state does not grow, otherwise ACTION !0 and so on, drawn",
			Drawn:       true,
			Parameters: []Parameter{
				states(1), degree("transitions of a state"), labels(50),
				{
					Name:  "locality",
					Usage: "how far the numbers of source and target may differ",
					Min:   1,
					Max:   lts.MaxStates,
				},
			},
			Formula:  `Inev(BACK, "ACTION !0")`,
			Interest: "violated by a loop; Inev(BACK) holds, as numbers cannot grow all the way round a cycle",
		}, prepare: newComponent},
		{Kind: Kind{
			Name:        "datarich",
			Summary:     "as random, with a label of its own for each transition",
			States:      "as those of random",
			Transitions: "states × degree, as those of random",
			Labels:      "as many as transitions: PUT, GET or DROP, with the number of the transition",
			Drawn:       true,
			Parameters:  []Parameter{states(1), degree("transitions of a state, on average")},
			Formula:     `Inev(PUT, GET)`,
			Interest:    "each step is done by a third of all labels",
		}, prepare: newDataRich},
	}
}

// chainsAndGrids are the kinds of a simple shape.
func chainsAndGrids() []family {
	return []family{
		{Kind: Kind{
			Name:        "chain",
			Summary:     "one path",
			States:      "as asked for",
			Transitions: "states - 1",
			Labels:      "ACTION !0 and so on, in turn; END on the last transition",
			Parameters:  []Parameter{states(2), labels(1)},
			Formula:     `Inev(END, "ACTION !0")`,
			Interest:    "violated by the chain as a whole; Inev(END) holds, and only the last transition shows it",
		}, prepare: newChain},
		{Kind: Kind{
			Name:        "cycle",
			Summary:     "one cycle through all states",
			States:      "as asked for",
			Transitions: "states",
			Labels:      "ACTION !0 and so on, in turn; BACK on the transition that closes the cycle",
			Parameters:  []Parameter{states(1), labels(1)},
			Formula:     `Inev(BACK, BACK)`,
			Interest:    "holds, after going around twice",
		}, prepare: newCycle},
		{Kind: Kind{
			Name:        "grid",
			Summary:     "right and down on a board",
			States:      "width × height",
			Transitions: "(width - 1) × height + width × (height - 1); 2 × width × height where it wraps",
			Labels:      "RIGHT and DOWN",
			Parameters: []Parameter{
				side("width", "columns", 30), side("height", "rows", 30),
				{Name: "wrap", Usage: "lead from the borders to the opposite ones", Switch: true},
			},
			Formula:  `Inev(DOWN, RIGHT)`,
			Interest: "violated by a single one of exponentially many runs: first right to the end, then down",
		}, prepare: newGrid},
		{Kind: Kind{
			Name:        "star",
			Summary:     "one state with transitions to all others, which are deadlocks",
			States:      "as asked for",
			Transitions: "states - 1",
			Labels:      "ACTION !0 and so on, in turn",
			Parameters:  []Parameter{states(2), labels(2)},
			Formula:     `Inev("ACTION !0")`,
			Interest:    "one mixed neighbourhood, where everything is decided",
		}, prepare: newStar},
		{Kind: Kind{
			Name:        "complete",
			Summary:     "a transition from each state to each other one",
			States:      "as asked for",
			Transitions: "states × (states - 1)",
			Labels:      "ACTION !0 and so on, drawn",
			Drawn:       true,
			Parameters:  []Parameter{{Name: "states", Usage: "states", Default: 100, Min: 2, Max: 1 << 20}, labels(50)},
			Formula:     `Inev("ACTION !0", "ACTION !1")`,
			Interest:    "violated by a loop of two transitions, or three",
		}, prepare: newComplete},
		{Kind: Kind{
			Name:        "parallel",
			Summary:     "transitions from one state to one other",
			States:      "2",
			Transitions: "as asked for",
			Labels:      "ACTION !0 and so on, in turn; duplicates where there are more transitions than labels",
			Parameters: []Parameter{
				{Name: "transitions", Usage: "transitions", Default: 1000, Min: 1, Max: maxTransitions}, labels(2),
			},
			Formula:  `Inev("ACTION !0")`,
			Interest: "one mixed neighbourhood, where everything is decided",
		}, prepare: newParallel},
	}
}

// layersAndRings are the kinds on which steps or loops take many transitions.
func layersAndRings() []family {
	return []family{
		{Kind: Kind{
			Name:        "stages",
			Summary:     "steps in a fixed order, each of which may be left out",
			States:      "width × height + 1",
			Transitions: "2 × width × height; without cycles",
			Labels:      "WORK, and STEP !0, SKIP !0 and so on, one of each for each stage",
			Parameters: []Parameter{
				side("width", "states of a stage", 10), {Name: "height", Usage: "stages", Default: 8, Min: 1, Max: 1 << 20},
			},
			Formula:  stagesFormula(8),
			Interest: "a formula of as many steps as there are stages; each stage has an incorrect neighbourhood",
		}, prepare: newStages, formula: func(s Spec) string { return stagesFormula(s.Height) }},
		{Kind: Kind{
			Name:        "ring",
			Summary:     "as layered, with transitions from the last layer to the first",
			States:      "width × height + 2: one before the first layer, and a deadlock",
			Transitions: "width + width × height × degree + 1",
			Labels:      "NEXT and, from the last layer to the first, BACK; END into the deadlock",
			Drawn:       true,
			Parameters: []Parameter{
				side("width", "states of a layer", 50), side("height", "layers", 20), degree("transitions of a state"),
			},
			Formula:  `Inev(END)`,
			Interest: "violated by loops through all layers: no state has a shorter one, nearly all have one of that length",
		}, prepare: newRing},
		{Kind: Kind{
			Name:        "carousel",
			Summary:     "a ring of layers that turns by 1 or 3 places, below a tree",
			States:      "width × height, and about a seventh of that in the tree, which has eight branches at each state; a deadlock",
			Transitions: "2 × width × height + width, one to each state of the ring and the tree but the first, and END",
			Labels:      "DOWN in the tree, NEXT in the ring, SKIP from its last layer to the middle one; END into the deadlock",
			Parameters: []Parameter{
				side("width", "states of a layer", 50),
				side("height", "layers", 17),
			},
			Formula:  `Inev(END)`,
			Interest: "violated by loops that go round until the places fit, equally long through nearly all states: few states that all loops pass make the search short",
		}, prepare: newCarousel},
	}
}

// algorithms are the kinds that are configurations of a concurrent algorithm.
func algorithms() []family {
	return []family{
		{Kind: Kind{
			Name:        "philosophers",
			Summary:     "dining philosophers, who take the left fork first",
			States:      "118 for 4, 154,450 for 10, 18,378,370 for 14",
			Transitions: "300 for 4, 986,430 for 10, 164,329,284 for 14",
			Labels:      "TAKE !p !fork, EAT !p, DROP !p !fork",
			Parameters: []Parameter{
				processes("philosophers", 4, maxPhilosophers),
				{Name: "asymmetric", Usage: "the last philosopher takes the right fork first", Switch: true},
			},
			Formula:  `Inev(EAT)`,
			Interest: "violated by the one deadlock; holds where asymmetric; Inev(\"EAT !0\") is violated by a loop",
		}, prepare: preparePhilosophers},
		{Kind: Kind{
			Name:        "peterson",
			Summary:     "Peterson's mutual exclusion of 1981, for any number of processes",
			States:      "68 for 2, 3,114 for 3, 233,956 for 4, 24,201,990 for 5",
			Transitions: "one for each process and state, as no process ever waits without looking",
			Labels:      "NCS !p, ENTER !p, LEAVE !p, and READ and WRITE of LEVEL and LAST",
			Parameters:  []Parameter{processes("processes", 2, maxPeterson)},
			Formula:     `Inev("ENTER !0")`,
			Interest:    "violated by a loop in which the others run; Inev(READ_LEVEL) holds",
		}, prepare: preparePeterson},
		{Kind: Kind{
			Name:        "dijkstra",
			Summary:     "Dijkstra's mutual exclusion of 1965",
			States:      "174 for 2, 3,543 for 3, 69,356 for 4, 1,366,605 for 5, 27,586,674 for 6",
			Transitions: "324 for 2, 9,711 for 3, 251,968 for 4, 6,198,125 for 5, 150,241,548 for 6",
			Labels:      "ENTER !p, LEAVE !p, and READ and WRITE of B, C and K",
			Parameters:  []Parameter{processes("processes", 3, maxDijkstra)},
			Formula:     `Inev("ENTER !0")`,
			Interest:    "violated by a loop in which the others enter; Inev(ENTER) holds",
		}, prepare: prepareDijkstra},
	}
}

// labelling has the number of labels, and appends the text of one of them.
type labelling struct {
	count      uint64
	appendText func(text []byte, label uint64) []byte
}

// model is a model of any kind. row adds the transitions that leave a state.
type model struct {
	labels              labelling
	states, transitions uint64
	row                 func(add sink, state uint64)
}

type preparation func(context.Context, Spec) (model, error)

// sink adds a transition. It returns false once no more are wanted.
type sink func(from, label, to uint64) bool

// step is how many states or transitions are written between two checks of the
// context.
const step = 1 << 16

// maxTransitions keeps all sums below far from overflow. It is no limit in
// practice: that many transitions take some 40 TB.
const maxTransitions = 1 << 40

// prepared returns a Spec with its defaults, and its model.
func (s Spec) prepared(ctx context.Context) (Spec, model, error) {
	s, f, err := s.complete()
	if err != nil {
		return s, model{}, err
	}
	err = checkBoard(s)
	var m model
	if err == nil {
		m, err = f.prepare(ctx, s)
	}
	switch {
	case err != nil:
		return s, m, fmt.Errorf("generate: %s: %w", s.Kind, err)
	case m.states > lts.MaxStates:
		return s, m, fmt.Errorf("generate: %s: that would be more than %d states; ask for a smaller model", s.Kind, int64(lts.MaxStates))
	case m.transitions > maxTransitions:
		return s, m, fmt.Errorf("generate: %s: that would be more than %d transitions; ask for a smaller model", s.Kind, int64(maxTransitions))
	}
	return s, m, nil
}

// Size returns how many states and transitions the model has, all of them
// reachable. It fails if the Spec is invalid or ctx is done. Cost O(1), except
// for the models of algorithms, which are explored: then as [Write].
func (s Spec) Size(ctx context.Context) (states, transitions int64, err error) {
	_, m, err := s.prepared(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int64(m.states), int64(m.transitions), nil
}

// Write writes a model as .aut text, in the layout of [aut.Write]: what it writes
// reads back as the model, strictly. It fails before it has written anything if
// the Spec is invalid, and it fails if w fails or ctx is done.
//
// Cost O(length of the text) time, and memory that does not depend on the
// length: some hundred kilobytes, and at most 6 MB for the texts of labels. The
// models of algorithms take 6 bytes a transition and up to 33 a state.
//
// [aut.Write]: https://pkg.go.dev/github.com/inev-lts/inev/aut#Write
func Write(ctx context.Context, w io.Writer, s Spec) error {
	s, m, err := s.prepared(ctx)
	if err != nil {
		return err
	}
	t := newTextWriter(ctx, w, m)
	if err := deliver(ctx, m, s, t.add, &t.failed); err != nil {
		return err
	}
	t.flush()
	return t.failed
}

// textWriter writes the transitions of a model as lines of .aut text.
type textWriter struct {
	ctx    context.Context
	w      io.Writer
	failed error // the first error
	labels labelling
	// table has the text between the two states of a line, for the labels with the smallest numbers.
	table [][]byte
	meter *progress.Meter
	buf   []byte // text that was not written yet
	lines int64  // the number of transitions in buf
	// source is the source of the last line, and begin is the text with which all lines of this
	// source begin.
	source uint64
	begin  []byte
}

// newTextWriter returns a writer that has the header of the text in its buffer.
func newTextWriter(ctx context.Context, w io.Writer, m model) *textWriter {
	t := &textWriter{
		ctx:    ctx,
		w:      w,
		labels: m.labels,
		table:  make([][]byte, min(m.labels.count, maxTable)),
		meter:  progress.Start(ctx, "write", progress.Transitions, int64(m.transitions)),
		source: math.MaxUint64,
	}
	for l := range t.table {
		t.table[l] = t.appendLabel(nil, uint64(l))
	}
	t.buf = fmt.Appendf(make([]byte, 0, full+4<<10), "des (0, %d, %d)\n", m.transitions, m.states)
	return t
}

func (t *textWriter) appendLabel(text []byte, label uint64) []byte {
	return append(t.labels.appendText(text, label), `", `...)
}

// add adds the line of a transition; false once writing has failed.
func (t *textWriter) add(from, label, to uint64) bool {
	if len(t.buf) >= full {
		t.flush()
		if t.failed != nil {
			return false
		}
	}
	if from != t.source {
		t.source = from
		t.begin = append(t.begin[:0], '(')
		t.begin = strconv.AppendUint(t.begin, from, 10)
		t.begin = append(t.begin, `, "`...)
	}
	text := append(t.buf, t.begin...)
	if label < uint64(len(t.table)) {
		text = append(text, t.table[label]...)
	} else {
		text = t.appendLabel(text, label)
	}
	text = strconv.AppendUint(text, to, 10)
	t.buf = append(text, ")\n"...)
	t.lines++
	return true
}

// flush writes the buffer unless writing has failed or ctx is done, and empties it.
func (t *textWriter) flush() {
	t.failed = cmp.Or(t.failed, t.ctx.Err())
	if t.failed == nil {
		_, t.failed = t.w.Write(t.buf)
	}
	t.buf = t.buf[:0]
	t.meter.Add(t.lines)
	t.lines = 0
}

// LTS returns a model without writing its text: the same LTS that a reader makes of the text from
// [Write]. It fails as Write does. Cost O(S + T) time and the memory of an [lts.Builder].
func LTS(ctx context.Context, s Spec) (*lts.LTS, error) {
	s, m, err := s.prepared(ctx)
	if err != nil {
		return nil, err
	}
	var b lts.Builder
	b.Grow(int(m.transitions))
	// table[l] is one more than the Builder's number of label l; 0 if it has none yet. The Builder numbers
	// labels in the order in which they occur, as readers do.
	table := make([]lts.Label, min(m.labels.count, maxTable))
	var text []byte
	numberOf := func(label uint64) lts.Label {
		inTable := label < uint64(len(table))
		if inTable && table[label] != 0 {
			return table[label] - 1
		}
		text = m.labels.appendText(text[:0], label)
		number := b.LabelBytes(text)
		if inTable {
			table[label] = number + 1
		}
		return number
	}
	var failed error // the error of the context, once that is done
	add := func(from, label, to uint64) bool {
		if b.NumTransitions()%step == 0 && failed == nil {
			failed = ctx.Err()
		}
		b.Add(lts.State(from), numberOf(label), lts.State(to))
		return failed == nil
	}
	if err := deliver(ctx, m, s, add, &failed); err != nil {
		return nil, err
	}
	return b.Build(0, int(m.states))
}

// deliver adds all transitions of a model, until add sets *failed.
func deliver(ctx context.Context, m model, s Spec, add sink, failed *error) error {
	var order *permutation
	if s.Shuffle {
		order = newPermutation(m.states, s.Seed)
	}
	for i := range m.states {
		if i%step == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		state := i
		if order != nil {
			state = order.at(i)
		}
		m.row(add, state)
		if *failed != nil {
			return *failed
		}
	}
	return nil
}

// full is the length at which the text is written out, and maxTable the largest
// number of labels whose texts are kept ready to be written.
const (
	full     = 128 << 10
	maxTable = 1 << 16
)
