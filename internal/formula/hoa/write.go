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

// Write writes a property over letters as an automaton of HOA v1, whose
// propositions are the patterns of steps, and labels without their quotes;
// [actl.Formula.BindLetters] and similar methods return both. The name of a state
// describes what it awaits. If the verdict on runs that end is not that of idling
// without any proposition, there is one more proposition, deadlock. [Read]
// returns an automaton that accepts the same runs of every model, with the same
// states and a state that completes it: a header item, which other tools ignore,
// says which patterns the propositions are.
//
// It fails if that would take more than [automata.MaxSets] sets, or if w fails.
// Cost O(states · letters · steps²).
func Write(w io.Writer, p *property.Property, steps []property.Step) error {
	t := newWriting(p, steps)
	if t.colours > automata.MaxSets {
		return fmt.Errorf("the automaton of %s needs more than %d acceptance sets", p, automata.MaxSets)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "HOA: v1\nname: %s\nStates: %d\nStart: %d\nAP: %d", automata.Quote(t.Name), t.States(), t.Initial, len(t.names))
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
	condition := t.Acceptance.String()
	name := map[string]string{"Inf(0)": "Buchi", "Fin(0)": "co-Buchi", "t": "all", "f": "none"}[condition]
	if name != "" {
		fmt.Fprintf(out, "acc-name: %s\n", name)
	}
	fmt.Fprintf(out, "Acceptance: %d %s\nproperties: trans-labels explicit-labels trans-acc deterministic\n--BODY--\n", t.colours, condition)
	for q := range t.States() {
		t.state(out, q)
	}
	out.WriteString("--END--\n")
	return out.Flush()
}

// writing is an automaton that is being written.
type writing struct {
	property.Automaton
	names []string
	// meanings are the patterns of steps in the notation of formulas.
	meanings []string
	// valuations[l] has a '1' or '0' for each proposition: whether it holds on
	// letter l.
	valuations []string
	of         []uint16 // the column of each
	// ends reports whether deadlock is a proposition, behind the others; when a
	// run meets deadlock, colour colours-1 accepts the run, and colours-2 rejects
	// the run.
	ends    bool
	colours int
}

func newWriting(p *property.Property, steps []property.Step) *writing {
	t := &writing{Automaton: p.Automaton()}
	t.names = propositions(steps)
	for _, step := range steps {
		t.meanings = append(t.meanings, step.Pattern.String())
	}
	held := make([][]byte, len(t.Letters))
	for l := range held {
		held[l] = []byte(strings.Repeat("0", len(steps)))
	}
	for i, step := range steps {
		for _, l := range step.Labels {
			held[l][i] = '1'
		}
	}
	none := -1
	for l, letter := range t.Letters {
		t.valuations = append(t.valuations, string(held[l]))
		t.of = append(t.of, letter)
		if !slices.Contains(held[l], '1') {
			none = int(letter)
		}
	}
	all, _ := t.Acceptance.Colours()
	t.colours = bits.Len64(uint64(all))
	t.ends = none < 0 || !slices.Equal(t.StopsByIdling(none), t.Stop)
	if t.ends {
		t.Acceptance = property.Any(property.All(t.Acceptance, property.Fin(t.colours)), property.Inf(t.colours+1))
		t.colours += 2
		t.names = append(t.names, deadlock)
	}
	return t
}

// propositions returns the names of patterns. A pattern for one label is named by
// the label, which other tools name like that, too. It is named by its text in
// formulas if the label would mean more as a pattern, or is the name of another
// pattern.
func propositions(steps []property.Step) []string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.Pattern.String()
	}
	for i, step := range steps {
		if names[i] == deadlock {
			names[i] = strconv.Quote(deadlock) // the label
		}
		pattern, is := step.Pattern.(actl.Pattern)
		if !is {
			continue
		}
		if label, is := pattern.Unquoted(); is && !slices.Contains(names, label) {
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
		at := q*t.Columns + int(t.of[i])
		e := edge{to: t.Next[at]}
		if t.Marks != nil {
			e.marks = t.Marks[at]
		}
		if cubes[e] == nil {
			order = append(order, e)
		}
		cubes[e] = append(cubes[e], valuation)
	}
	for _, e := range order {
		fmt.Fprintf(out, "[%s] %d%s\n", t.label(merged(cubes[e])), e.to, braces(e.marks))
	}
	if t.ends {
		mark := t.colours - 2
		if t.Stop[q] {
			mark++
		}
		fmt.Fprintf(out, "[%d] %d {%d}\n", len(t.names)-1, q, mark)
	}
}

func braces(m property.Marks) string {
	var colours []string
	for c := range property.Colours {
		if m.Has(c) {
			colours = append(colours, strconv.Itoa(c))
		}
	}
	if colours == nil {
		return ""
	}
	return " {" + strings.Join(colours, " ") + "}"
}

// merged returns conjunctions, '1', '0' or '-' for each proposition, whose
// disjunction is equivalent to that of cubes: two that differ in one proposition
// are merged into one without it.
func merged(cubes []string) []string {
	for {
		var fewer []string
		used := map[string]bool{}
		known := map[string]bool{}
		for _, c := range cubes {
			known[c] = true
		}
		for _, c := range cubes {
			if used[c] {
				continue
			}
			for i := range len(c) {
				other := c[:i] + "1" + c[i+1:]
				found := false
				if c[i] == '0' && known[other] && !used[other] {
					used[other] = true
					found = true
					c = c[:i] + "-" + c[i+1:]
				}
				if found {
					break
				}
			}
			fewer = append(fewer, c)
		}
		fewer = slices.DeleteFunc(fewer, func(c string) bool { return used[c] })
		if len(fewer) == len(cubes) {
			return fewer
		}
		cubes = fewer
	}
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
