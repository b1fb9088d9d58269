package hoa

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/automata"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

const deadlock = automata.Deadlock

// mostTransitions is the largest product of states and letters.
const mostTransitions = 1 << 24

// Formula is the property of an automaton in a file. It comes from [Read] and is
// immutable.
type Formula struct {
	file string
	g    *automata.Automaton
	// text is the beginning of the file, for errors.
	text []byte
}

// mostText is the number of bytes of a file that are kept for errors.
const mostText = 1 << 20

// beginning is a writer that stores the first mostText bytes.
type beginning struct{ text []byte }

func (b *beginning) Write(p []byte) (int, error) {
	b.text = append(b.text, p[:min(len(p), mostText-len(b.text))]...)
	return len(p), nil
}

// Read reads the first automaton of a stream; file is its name in errors, which
// are of type *[Error]. An automaton must have exactly one initial state. Cost
// O(length of the file).
func Read(ctx context.Context, r io.Reader, file string) (*Formula, error) {
	var b beginning
	g, err := automata.ReadAutomaton(ctx, io.TeeReader(r, &b), file)
	if err != nil {
		return nil, err
	}
	f := &Formula{file, g, b.text}
	if g.Meanings != nil && len(g.Meanings) != len(g.Propositions) {
		return nil, f.Fail(f.header(automata.AtomsItem, 1),
			"%s names %d meanings, but there are %d atomic propositions; leave the line out", automata.AtomsItem, len(g.Meanings), len(g.Propositions))
	}
	if len(g.Starts) != 1 {
		return nil, f.Fail(f.header("Start:", len(g.Starts)),
			"the automaton has %d initial states, but must have one; %s", len(g.Starts), instead)
	}
	return f, nil
}

// instead is the advice in errors about nondeterministic automata.
const instead = "make it deterministic, as ltl2tgba -D and autfilt -D -G of Spot do"

// header returns the number of the last line, up to line n, that begins with the given header item; 1
// if no line does.
func (f *Formula) header(item string, n int) int {
	last := 1
	for i, line := range bytes.Split(f.text, []byte("\n")) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte(item)) && n > 0 {
			last = i + 1
			n--
		}
	}
	return last
}

// Fail returns an error about a line of the file, with a caret under the beginning of the line. There
// is no caret if the file was stored only in part and the line may be cut.
func (f *Formula) Fail(line int, format string, arguments ...any) error {
	message := fmt.Sprintf(format, arguments...)
	lines := bytes.Split(f.text, []byte("\n"))
	if line < len(lines) {
		return automata.NewError(f.file, line, strings.TrimRight(string(lines[line-1]), "\r"),
			message)
	}
	return &Error{File: f.file, Line: line, Message: message}
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string { return "Automaton" }

// String returns the name of the file, and that of the automaton.
func (f *Formula) String() string {
	if f.g.Name == "" {
		return f.file
	}
	return f.file + " (" + f.g.Name + ")"
}

// idles reports whether proposition i means that nothing happens. Either the file says so, or the file
// gives no meanings, the proposition is called deadlock, and no label has this name.
func (f *Formula) idles(i int, a *lts.Alphabet) bool {
	if f.g.Meanings != nil {
		return f.g.Meanings[i] == ""
	}
	_, exact := a.Lookup(deadlock)
	return f.g.Propositions[i] == deadlock && !exact
}

// atoms returns the meaning of each proposition for a model: a pattern of labels, or nil for a
// proposition that means that nothing happens.
func (f *Formula) atoms(ctx context.Context, a *lts.Alphabet) []actl.Pattern {
	atoms := make([]actl.Pattern, len(f.g.Propositions))
	ctx = abort.Must(textlimit.ForReading(ctx, ""))
	for i, name := range f.g.Propositions {
		if f.idles(i, a) {
			continue
		}
		atom, err := f.atom(ctx, i, a)
		if err != nil {
			abort.On(fmt.Errorf("%s: the proposition %s is not a pattern of labels: %w", f.file,
				strconv.Quote(name), err))
		}
		atoms[i] = atom
	}
	return atoms
}

// atom returns the pattern of labels that proposition i means. The file may say so; otherwise the
// proposition is the label with its name or, if there is no such label, its name is read as a pattern.
func (f *Formula) atom(ctx context.Context, i int, a *lts.Alphabet) (atom actl.Pattern, err error) {
	if f.g.Meanings != nil {
		return onePattern(ctx, f.g.Meanings[i])
	}
	name := f.g.Propositions[i]
	_, isLabel := a.Lookup(name)
	if !isLabel {
		atom, err = onePattern(ctx, name)
	}
	if isLabel || err != nil {
		return onePattern(ctx, actl.Quoted(name))
	}
	return atom, nil
}

// onePattern reads a text that is a single pattern of labels.
func onePattern(ctx context.Context, text string) (pattern actl.Pattern, err error) {
	parsed, err := actl.Parse(ctx, "Inev("+text+")")
	abort.On(ctx.Err())
	if err != nil {
		return pattern, err
	}
	if parsed.Len() != 1 {
		return pattern, errors.New("these are several")
	}
	return parsed.Steps()[0], nil
}

// atomsOfLabels returns the atoms without those that mean that nothing happens.
func (f *Formula) atomsOfLabels(atoms []actl.Pattern, a *lts.Alphabet) []actl.Pattern {
	var ofLabels []actl.Pattern
	for i, atom := range atoms {
		if !f.idles(i, a) {
			ofLabels = append(ofLabels, atom)
		}
	}
	return ofLabels
}

// withIdling returns all propositions with their labels. bound are those that [Formula.atomsOfLabels]
// keeps; the others, which mean that nothing happens, get no labels.
func (f *Formula) withIdling(bound []property.Step, a *lts.Alphabet) []property.Step {
	propositions := make([]property.Step, len(f.g.Propositions))
	for i := range propositions {
		if !f.idles(i, a) {
			propositions[i] = bound[0]
			bound = bound[1:]
		}
	}
	return propositions
}

// warningsOfNames returns a warning about each proposition that is the name of a label and would match other
// labels, too, if it were read as a pattern.
func (f *Formula) warningsOfNames(ctx context.Context, a *lts.Alphabet) []string {
	if f.g.Meanings != nil {
		return nil
	}
	var warnings []string
	for _, name := range f.g.Propositions {
		_, isLabel := a.Lookup(name)
		if !isLabel {
			continue
		}
		parsed, err := actl.Parse(ctx, "Inev("+name+")")
		if err != nil || parsed.Len() != 1 {
			continue
		}
		more := 0
		for _, text := range a.All() {
			if text != name && parsed.Steps()[0].Matches(text) {
				more++
			}
		}
		if more > 0 {
			warnings = append(warnings,
				fmt.Sprintf("%s: the proposition %s means the label of this text, and not the %s that it matches as a pattern; name it %s to mean all of them",
					f.file, strconv.Quote(name), printable.Quantity(more, "other label"), strconv.Quote("{"+name+"}")))
		}
	}
	return warnings
}

// Unmatched returns an error if no label of a satisfies one of the propositions; the error names the
// closest labels.
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) (err error) {
	defer abort.Caught(&err)
	atoms := f.atomsOfLabels(f.atoms(ctx, a), a)
	return actl.Unmatched(ctx, "atom", atoms, a)
}

// Bind returns the property over the labels of a that the automaton accepts, and warnings about
// propositions without labels. The property is a chain if [product.AsChain] finds that it is one. Bind
// fails if the automaton has two different transitions for a label or more than [property.MaxStates]
// states, or if ctx is done. Cost O(labels · propositions + letters · (states + size of the labels of
// the automaton)).
func (f *Formula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (_ *property.Property, warnings []string, err error) {
	defer abort.Caught(&err)
	atoms := f.atomsOfLabels(f.atoms(ctx, a), a)
	bound, warnings, err := actl.BindAtoms(ctx, atoms, a)
	abort.On(err)
	propositions := f.withIdling(bound, a)
	p, err := f.bind(ctx, a, propositions)
	if err != nil {
		return nil, nil, err
	}
	contradiction := f.g.Contradiction(f.file)
	if contradiction != "" {
		warnings = append(warnings, contradiction)
	}
	warnings = append(warnings, f.warningsOfNames(ctx, a)...)
	return p, warnings, nil
}

// BindLetters returns the property that the automaton denotes for actions with
// any labels, as [actl.Formula.BindLetters] does: its propositions are patterns.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *actl.Letters, error) {
	return letters.BindAny(ctx, f, f.bind)
}

// bind returns the property over the labels of a.
func (f *Formula) bind(
	ctx context.Context,
	a *lts.Alphabet,
	propositions []property.Step,
) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	if f.g.States >= property.MaxStates {
		return nil, f.Fail(f.header("States:", 1),
			"the automaton has %d states; at most %d are allowed", f.g.States, property.MaxStates-1)
	}
	t := &table{f: f}
	t.colourOf = map[int]int{}
	t.absentOf = map[int]int{}
	t.Acceptance = t.condition(t.f.g.Acceptance)
	if t.Acceptance.Holds(0) {
		t.sink = len(t.colourOf) + len(t.absentOf)
		t.hasSink = true
		t.Acceptance = property.All(t.Acceptance, property.Fin(t.sink))
	}
	t.Letters, t.valuations = f.valuations(ctx, propositions, a)
	n := len(t.valuations) - 1
	if n*(f.g.States+1) > mostTransitions {
		return nil, f.Fail(f.header("States:", 1),
			"an automaton of %d states and %d letters is too large; at most %d transitions are allowed", f.g.States, n, mostTransitions)
	}
	t.fill(ctx, a)
	t.Stop = t.StopsByIdling(t.Columns - 1)
	p := abort.Must(property.Table(a, t.FromBeginning(a)))
	return product.AsChain(ctx, p, propositions)
}

// valuations returns the letter of each label and, for each letter, which
// propositions hold; the last letter is "nothing happens".
func (f *Formula) valuations(
	ctx context.Context,
	propositions []property.Step,
	a *lts.Alphabet,
) ([]uint16, [][]bool) {
	valuationOf, valuations, err := letters.Of(ctx, propositions, a, letters.Most)
	tooMany := letters.TooMany(0)
	if errors.As(err, &tooMany) {
		abort.On(f.Fail(f.header("AP:", 1), "%v", tooMany))
	}
	abort.On(err)
	idle := make([]bool, len(f.g.Propositions))
	for i := range idle {
		idle[i] = f.idles(i, a)
	}
	return valuationOf, append(valuations, idle)
}

// Automaton returns the automaton of the file, which may be nondeterministic.
func (f *Formula) Automaton() *automata.Automaton { return f.g }

// Propositions returns the propositions with their labels in a, and the warnings of [Formula.Bind] about
// propositions, at the same cost. A proposition that means "nothing happens" has no labels.
func (f *Formula) Propositions(
	ctx context.Context,
	a *lts.Alphabet,
) (_ []property.Step, warnings []string, err error) {
	defer abort.Caught(&err)
	atoms := f.atomsOfLabels(f.atoms(ctx, a), a)
	bound, warnings, err := actl.BindAtoms(ctx, atoms, a)
	abort.On(err)
	warnings = append(warnings, f.warningsOfNames(ctx, a)...)
	return f.withIdling(bound, a), warnings, nil
}

// Letters returns the propositions over letters, for actions with any labels.
func (f *Formula) Letters(ctx context.Context) (_ *actl.Letters, _ []property.Step, err error) {
	defer abort.Caught(&err)
	none := abort.Must(lts.NewAlphabet(nil))
	atoms := f.atomsOfLabels(f.atoms(ctx, none), none)
	l := abort.Must(actl.NewLetters(atoms))
	return l, f.withIdling(l.Steps(), none), nil
}

// Takes returns the letter of each label of a and, for each letter, which edges of the automaton can be
// taken with it; the last letter is "nothing happens". The propositions come from
// [Formula.Propositions] or [Formula.Letters]. Cost O(letters · size of the labels of edges).
func (f *Formula) Takes(
	ctx context.Context,
	propositions []property.Step,
	a *lts.Alphabet,
) (letterOf []uint16, edges [][]bool, err error) {
	defer abort.Caught(&err)
	letterOf, valuations := f.valuations(ctx, propositions, a)
	for _, valuation := range valuations {
		edges = append(edges, f.g.Letter(func(proposition int) bool {
			return valuation[proposition]
		}))
	}
	return letterOf, edges, nil
}

// table is the automaton of a file over the letters of a model.
type table struct {
	property.Automaton
	f          *Formula
	valuations [][]bool
	// An edge has colourOf[s] if it is in the acceptance set s, and absentOf[s] if it is not.
	colourOf, absentOf map[int]int
	// sink is the colour of the state that completes the automaton; hasSink
	// reports whether there is such a state.
	sink    int
	hasSink bool
	// edgeOf has, for each transition, the index of its edge in the file plus one; 0 if the transition
	// leads to the sink.
	edgeOf []int
	// joinsMarks reports whether edges that differ only in their marks may be joined.
	joinsMarks bool
}

// condition translates an acceptance condition of the file into a condition of the property.
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
		if e.IsIn(set) {
			m |= property.Mark(colour)
		}
	}
	for set, colour := range t.absentOf {
		if !e.IsIn(set) {
			m |= property.Mark(colour)
		}
	}
	return m
}

// hasInfOnly reports whether a condition is built from Inf alone. Then two transitions between the same
// states may be joined into one with the colours of both: a run that alternates between them meets all
// these colours, and meeting more colours never harms.
func hasInfOnly(c automata.Condition) bool {
	switch c.Op {
	case automata.ConditionAnd, automata.ConditionOr:
		return hasInfOnly(c.Parts[0]) && hasInfOnly(c.Parts[1])
	}
	return c.Op != automata.ConditionFin
}

// failAsChoice fails with the error that two edges leave a state with the same letter.
func (t *table) failAsChoice(a *lts.Alphabet, letter int, e, earlier automata.Edge) {
	differ := ""
	if e.To == earlier.To {
		differ = "the two differ in their marks alone, which cannot be joined if the acceptance condition has Fin; "
	}
	abort.On(t.f.Fail(e.Line,
		"state %d is not deterministic: with %s it has this transition and the one of line %d; %s%s",
		e.From, t.example(a, letter), earlier.Line, differ, instead))
}

// fill computes the transitions, and completes them.
func (t *table) fill(ctx context.Context, a *lts.Alphabet) {
	g := t.f.g
	colours := len(t.colourOf) + len(t.absentOf)
	if colours > property.Colours || colours == property.Colours && t.hasSink {
		abort.On(t.f.Fail(g.AcceptanceLine,
			"the acceptance condition needs more than %d colours", property.Colours))
	}
	t.Columns = len(t.valuations)
	t.Kind = property.KindHOA
	t.Name = t.f.String()
	t.Initial = property.Q(g.Starts[0])
	t.leadToSink()
	t.edgeOf = make([]int, g.States*t.Columns)
	t.joinsMarks = hasInfOnly(g.Acceptance)
	for letter, valuation := range t.valuations {
		abort.On(ctx.Err())
		takes := g.Letter(func(proposition int) bool { return valuation[proposition] })
		for edge, isTaken := range takes {
			if isTaken {
				t.take(a, letter, edge)
			}
		}
	}
	for s := range g.States {
		t.Pending = append(t.Pending, pendingIn(s, g.Names[automata.State(s)]))
	}
	t.Pending = append(t.Pending, property.Phrase{
		{Text: "the automaton has no transition for what"},
		{Text: " has happened", Kind: property.Happened},
	})
}

// leadToSink lets all transitions lead to an additional state, from which no run is accepted.
func (t *table) leadToSink() {
	sink := property.Q(t.f.g.States)
	t.Next = make([]property.Q, (t.f.g.States+1)*t.Columns)
	t.Marks = make([]property.Marks, len(t.Next))
	for i := range t.Next {
		t.Next[i] = sink
		if t.hasSink {
			t.Marks[i] = property.Mark(t.sink)
		}
	}
}

// take enters an edge of the file as the transition of its state for a letter. If there is already a
// transition, both must lead to the same state, and have the same marks or marks that can be joined.
func (t *table) take(a *lts.Alphabet, letter, edge int) {
	e := t.f.g.Edges[edge]
	to := property.Q(e.To)
	marks := t.marks(e)
	i := int(e.From)*t.Columns + letter
	if t.edgeOf[i] > 0 {
		canJoin := t.Next[i] == to && (t.joinsMarks || t.Marks[i] == marks)
		if !canJoin {
			t.failAsChoice(a, letter, e, t.f.g.Edges[t.edgeOf[i]-1])
		}
		marks |= t.Marks[i]
	}
	t.edgeOf[i] = edge + 1
	t.Next[i] = to
	t.Marks[i] = marks
}

// pendingIn describes what a run awaits in a state of the file, which may have a name.
func pendingIn(state int, name string) property.Phrase {
	p := property.Phrase{{Text: fmt.Sprintf("in state %d", state), Kind: property.Waiting}}
	if name != "" {
		p = append(p,
			property.Word{Text: ", "},
			property.Word{Text: name, Quoted: true},
			property.Word{Text: ","})
	}
	return append(p, property.Word{Text: " of the automaton"})
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
