package hoa

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/property/automata"
	"github.com/inev-lts/inev/property"
)

// Write writes a property over letters as an automaton in HOA v1; [actl.Formula.BindLetters] and
// similar methods return the property and its steps. The propositions are the patterns of the
// steps, and a single label has no quotes. The name of a state describes what it awaits. There is
// one more proposition, deadlock, if the property may judge a run that ends differently from a run
// that goes on forever with all propositions false.
//
// [Read] returns an automaton that accepts the same runs of every model, with the same states and a
// state that completes it. Two header items of inev, which other tools ignore, make that possible:
// inev-atoms gives the pattern of each proposition; the other, inev-exclusive, lists the
// propositions if an action satisfies at most one of them. The automaton has as few acceptance sets
// as the condition allows, and acc-name has its name if HOA gives it one.
//
// Write fails if the automaton needs more than [automata.MaxSets] sets, or if w fails. Cost O(states ·
// letters · steps²).
func Write(w io.Writer, p *property.Property, steps []property.Step) error {
	t := newWriting(p, steps)
	if t.colours > automata.MaxSets {
		return fmt.Errorf("the automaton of %s needs more than %d acceptance sets", p,
			automata.MaxSets)
	}
	out := bufio.NewWriter(w)
	t.header(out)
	out.WriteString("--BODY--\n")
	for q := range t.States() {
		t.state(out, q)
	}
	out.WriteString("--END--\n")
	return out.Flush()
}

// header writes the header items.
func (t *writing) header(out *bufio.Writer) {
	fmt.Fprintf(out, "HOA: v1\nname: %s\nStates: %d\nStart: %d\nAP: %d", automata.Quote(t.Name),
		t.States(), t.Initial, len(t.names))
	for _, name := range t.names {
		out.WriteString(" " + automata.Quote(name))
	}
	out.WriteString("\n" + automata.AtomsItem)
	for _, text := range t.meanings {
		out.WriteString(" " + automata.Quote(text))
	}
	if t.ends {
		out.WriteString(" " + deadlock)
	}
	out.WriteByte('\n')
	if len(t.names) > 1 && t.areExclusive() {
		out.WriteString(exclusiveItem)
		for i := range t.names {
			fmt.Fprintf(out, " %d", i)
		}
		out.WriteByte('\n')
	}
	if name := nameOf(t.Acceptance); name != "" {
		fmt.Fprintf(out, "acc-name: %s\n", name)
	}
	fmt.Fprintf(out, "Acceptance: %d %s\n", t.colours, t.Acceptance)
	out.WriteString("properties: trans-labels explicit-labels trans-acc deterministic\n")
}

// exclusiveItem is the header item that lists propositions of which at most one holds at a time. HOA
// has no such item, but lets tools add items, which others skip.
const exclusiveItem = "inev-exclusive:"

// writing is an automaton that is being written.
type writing struct {
	property.Automaton
	names []string
	// meanings are the patterns of steps in the notation of formulas.
	meanings []string
	// valuations[l] has a '1' or '0' for each proposition: whether it holds on
	// letter l.
	valuations []string
	columnOf   []uint16 // the column of each
	// ends reports whether deadlock is a proposition; it is the last one then. A run that ends meets
	// deadlock forever, with the marks stopped if the run is to be accepted, and failed otherwise.
	ends            bool
	stopped, failed property.Marks
	// number maps each colour of the automaton to its number in the file.
	number  map[int]int
	colours int
}

// newWriting finds the names of the propositions, for each letter the propositions that hold, and the
// acceptance sets.
func newWriting(p *property.Property, steps []property.Step) *writing {
	t := &writing{Automaton: p.Automaton()}
	t.setPropositions(steps)
	t.setAcceptance()
	return t
}

// setPropositions finds the names and meanings of the propositions, and for each letter the propositions
// that hold. It adds the proposition deadlock if the automaton needs it.
func (t *writing) setPropositions(steps []property.Step) {
	t.names = propositions(steps)
	for _, step := range steps {
		t.meanings = append(t.meanings, step.Pattern.String())
	}
	t.valuations = valuationsOf(len(t.Letters), steps)
	none := -1 // the column of actions without propositions
	for l, letter := range t.Letters {
		t.columnOf = append(t.columnOf, letter)
		if !strings.Contains(t.valuations[l], "1") {
			none = int(letter)
		}
	}
	t.ends = none < 0 || !slices.Equal(t.StopsByIdling(none), t.Stop)
	if t.ends {
		t.acceptEnds()
		t.names = append(t.names, deadlock)
	}
}

// setAcceptance numbers the acceptance sets. Colours that the condition joins get the same number.
func (t *writing) setAcceptance() {
	condition, joined := joinedSets(t.Acceptance)
	t.number = numbering(condition)
	t.colours = len(t.number)
	t.Acceptance = ordered(condition.Renumbered(func(colour int) int {
		return t.number[colour]
	}))
	for colour, joinedColour := range joined {
		t.number[colour] = t.number[joinedColour]
	}
}

// valuationsOf returns a text for each letter, with a '1' for each step that the letter satisfies, and
// a '0' for each other step.
func valuationsOf(letters int, steps []property.Step) []string {
	held := make([][]byte, letters)
	for l := range held {
		held[l] = []byte(strings.Repeat("0", len(steps)))
	}
	for i, step := range steps {
		for _, l := range step.Labels {
			held[l][i] = '1'
		}
	}
	var valuations []string
	for _, text := range held {
		valuations = append(valuations, string(text))
	}
	return valuations
}

// joinedSets joins colours that the condition need not distinguish: groups of which any may recur, and
// groups of which none may recur. It returns the condition with the first colour of each group, and
// maps each other colour of a group to the first one.
func joinedSets(a property.Acceptance) (property.Acceptance, map[int]int) {
	j := &setJoiner{uses: map[int]int{}, first: map[int]int{}}
	j.count(a)
	return j.join(a), j.first
}

// setJoiner joins colours of a condition.
type setJoiner struct {
	uses  map[int]int // how often the condition has each colour
	first map[int]int // maps the other colours of a group to its first
}

// count counts the uses of colours.
func (j *setJoiner) count(a property.Acceptance) {
	op := a.Operator()
	if op == property.InfOp || op == property.FinOp {
		j.uses[a.Colour()]++
	}
	for _, p := range a.Parts() {
		j.count(p)
	}
}

// join keeps only the first of the Inf in a disjunction, and of the Fin in a conjunction, whose colours
// occur nowhere else.
func (j *setJoiner) join(a property.Acceptance) property.Acceptance {
	var alike property.Operator
	var combine func(...property.Acceptance) property.Acceptance
	switch a.Operator() {
	case property.OrOp:
		alike = property.InfOp
		combine = property.Any
	case property.AndOp:
		alike = property.FinOp
		combine = property.All
	default:
		return a
	}
	var parts []property.Acceptance
	first := -1
	for _, p := range a.Parts() {
		switch {
		case p.Operator() != alike || j.uses[p.Colour()] > 1:
			parts = append(parts, j.join(p))
		case first < 0:
			first = p.Colour()
			parts = append(parts, p)
		default:
			j.first[p.Colour()] = first
		}
	}
	return combine(parts...)
}

// acceptEnds chooses the marks of runs that end. If it finds a set of marks that the condition
// accepts and a set that the condition rejects, it uses these sets; otherwise it adds another mark
// to the condition.
func (t *writing) acceptEnds() {
	accepts, canAccept := t.marksOf(true)
	rejects, canReject := t.marksOf(false)
	all, _ := t.Acceptance.Colours()
	newColour := bits.Len64(uint64(all))
	switch {
	case canAccept && canReject:
		t.stopped = accepts
		t.failed = rejects
	case canAccept:
		t.Acceptance = property.All(t.Acceptance, property.Fin(newColour))
		t.stopped = accepts
		t.failed = property.Mark(newColour)
	default:
		t.Acceptance = property.Any(t.Acceptance, property.Inf(newColour))
		t.stopped = property.Mark(newColour)
		t.failed = rejects
	}
}

// mostMarks is the number of sets of marks that marksOf tries after the likely ones.
const mostMarks = 1 << 12

// marksOf returns a set of marks such that the condition accepts, or rejects, runs on which exactly
// these marks recur; false if it found none. It first tries no marks, all marks, the marks outside
// every Fin, and the marks of Fin: one of these sets is enough unless a colour is in both an Inf and a
// Fin.
func (t *writing) marksOf(accepted bool) (property.Marks, bool) {
	all, fin := t.Acceptance.Colours()
	for _, m := range []property.Marks{0, all, all &^ fin, fin} {
		if t.Acceptance.Holds(m) == accepted {
			return m, true
		}
	}
	m := property.Marks(0)
	for range mostMarks {
		m = (m - all) & all // the next subset of all
		if t.Acceptance.Holds(m) == accepted {
			return m, true
		}
		if m == all {
			break
		}
	}
	return 0, false
}

// numbering numbers the colours of a condition from 0. In a pair of Fin and Inf, the colour of Fin
// comes first, as in the conditions of Rabin and Streett; otherwise the colours keep their order.
func numbering(a property.Acceptance) map[int]int {
	number := map[int]int{}
	if isInfBeforeFin(a) {
		inf := a.Parts()[0].Colour()
		fin := a.Parts()[1].Colour()
		if inf != fin {
			return map[int]int{fin: 0, inf: 1}
		}
	}
	all, _ := a.Colours()
	for c := range property.Colours {
		if all.Has(c) {
			number[c] = len(number)
		}
	}
	return number
}

// isInfBeforeFin reports whether a condition is a pair of Inf and Fin, in this order.
func isInfBeforeFin(a property.Acceptance) bool {
	parts := a.Parts()
	return len(parts) == 2 && parts[0].Operator() == property.InfOp &&
		parts[1].Operator() == property.FinOp
}

// ordered puts Fin before Inf in a pair.
func ordered(a property.Acceptance) property.Acceptance {
	if !isInfBeforeFin(a) {
		return a
	}
	inf := a.Parts()[0]
	fin := a.Parts()[1]
	if a.Operator() == property.AndOp {
		return property.All(fin, inf)
	}
	return property.Any(fin, inf)
}

// nameOf returns the name that HOA gives to a condition; "" if it gives none.
func nameOf(a property.Acceptance) string {
	switch a.String() {
	case "Inf(0)":
		return "Buchi"
	case "Fin(0)":
		return "co-Buchi"
	case "t":
		return "all"
	case "f":
		return "none"
	case "Fin(0)|Inf(1)":
		return "Streett 1"
	case "Fin(0)&Inf(1)":
		return "Rabin 1"
	}
	are := func(op property.Operator) bool {
		return !slices.ContainsFunc(a.Parts(), func(p property.Acceptance) bool {
			return p.Operator() != op
		})
	}
	switch {
	case a.Operator() == property.AndOp && are(property.InfOp):
		return fmt.Sprintf("generalized-Buchi %d", len(a.Parts()))
	case a.Operator() == property.OrOp && are(property.FinOp):
		return fmt.Sprintf("generalized-co-Buchi %d", len(a.Parts()))
	}
	return ""
}

// areExclusive reports whether no letter satisfies two propositions. It ignores deadlock, since no
// other proposition holds together with it.
func (t *writing) areExclusive() bool {
	return !slices.ContainsFunc(t.valuations, func(v string) bool {
		return strings.Count(v, "1") > 1
	})
}

// propositions returns names for patterns. A pattern that means a single label is named like the label, as in
// other tools. Any other pattern is named as it is written in formulas. So is one whose label, read as a
// pattern, would match further labels, or is already the name of another pattern.
func propositions(steps []property.Step) []string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.Pattern.String()
	}
	for i, step := range steps {
		if names[i] == deadlock {
			names[i] = strconv.Quote(deadlock) // the label
		}
		pattern, isPattern := step.Pattern.(actl.Pattern)
		if !isPattern {
			continue
		}
		if label, isPattern := pattern.Unquoted(); isPattern && !slices.Contains(names, label) {
			names[i] = label
		}
	}
	return names
}

// state writes the edges of a state; edges with the same target and marks are
// merged.
func (t *writing) state(out *bufio.Writer, q int) {
	fmt.Fprintf(out, "State: %d", q)
	if t.Pending != nil && t.Pending[q].String() != "" {
		out.WriteString(" " + automata.Quote(t.Pending[q].String()))
	}
	out.WriteByte('\n')
	type edge struct {
		to    property.Q
		marks property.Marks
	}
	var order []edge
	cubes := map[edge][]string{}
	for i, valuation := range t.valuations {
		transition := q*t.Columns + int(t.columnOf[i])
		e := edge{to: t.Next[transition]}
		if t.Marks != nil {
			e.marks = t.Marks[transition]
		}
		if cubes[e] == nil {
			order = append(order, e)
		}
		cubes[e] = append(cubes[e], valuation)
	}
	for _, e := range order {
		fmt.Fprintf(out, "[%s] %d%s\n", t.label(merged(cubes[e])), e.to, t.braces(e.marks))
	}
	if t.ends {
		marks := t.failed
		if t.Stop[q] {
			marks = t.stopped
		}
		fmt.Fprintf(out, "[%d] %d%s\n", len(t.names)-1, q, t.braces(marks))
	}
}

// braces returns the sets of marks that the condition mentions.
func (t *writing) braces(m property.Marks) string {
	var sets []int
	for c, number := range t.number {
		if m.Has(c) {
			sets = append(sets, number)
		}
	}
	slices.Sort(sets)
	var colours []string
	for _, set := range slices.Compact(sets) {
		colours = append(colours, strconv.Itoa(set))
	}
	if colours == nil {
		return ""
	}
	return " {" + strings.Join(colours, " ") + "}"
}

// merged returns conjunctions whose disjunction is equivalent to that of cubes. A conjunction has '1',
// '0' or '-' for each proposition. Two that differ in one proposition are merged into one without it.
func merged(cubes []string) []string {
	for {
		fewer := mergedInPairs(cubes)
		if len(fewer) == len(cubes) {
			return fewer
		}
		cubes = fewer
	}
}

// mergedInPairs merges each conjunction with at most one other.
func mergedInPairs(cubes []string) []string {
	known := map[string]bool{}
	for _, c := range cubes {
		known[c] = true
	}
	var fewer []string
	used := map[string]bool{} // those that were merged into others
	for _, c := range cubes {
		if used[c] {
			continue
		}
		for i := range len(c) {
			other := c[:i] + "1" + c[i+1:]
			if c[i] == '0' && known[other] && !used[other] {
				used[other] = true
				c = c[:i] + "-" + c[i+1:]
				break
			}
		}
		fewer = append(fewer, c)
	}
	return slices.DeleteFunc(fewer, func(c string) bool { return used[c] })
}

// label returns a disjunction of conjunctions that excludes deadlock.
func (t *writing) label(cubes []string) string {
	var terms []string
	for _, c := range cubes {
		var literals []string
		for i := range len(c) {
			switch c[i] {
			case '1':
				literals = append(literals, strconv.Itoa(i))
			case '0':
				literals = append(literals, "!"+strconv.Itoa(i))
			}
		}
		if t.ends {
			literals = append(literals, fmt.Sprint("!", len(t.names)-1))
		}
		if literals == nil {
			literals = []string{"t"}
		}
		terms = append(terms, strings.Join(literals, "&"))
	}
	return strings.Join(terms, " | ")
}
