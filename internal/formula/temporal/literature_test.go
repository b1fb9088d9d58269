package temporal_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

const literatureIntro = `# Automata of the formulas of the literature

inev turns a formula of temporal logic into a deterministic automaton over the labels of the model. The
literature has compared the sizes of automata for the 94 formulas below for many years: 12 are from Etessami and Holzmann (EH, Optimizing Büchi
Automata, CONCUR 2000), 27 from Somenzi and Bloem (SB, Efficient Büchi Automata from LTL Formulae, CAV
2000), and 55 from Dwyer, Avrunin and Corbett (DAC, Property Specification Patterns for Finite-State
Verification, FMSP 1998). As in the literature, each set of propositions is a letter of its own. In
a model, labels usually exclude each other, and the automata are smaller.

Like the other tools, the table does not count the rejecting sink. inev's automata
also distinguish runs that stop; for these formulas this takes no additional state. "Least" is the number of
residual languages, without the empty one: no deterministic automaton has fewer states,
whatever its acceptance condition. "Spot" is the number of states for ` + "`ltl2tgba -D`" + ` that its tests expect
(release 2.9, tests/core/ltl2tgba2.test), a generalized Büchi automaton, which is not always
deterministic. "Owl" are the states and colours that the tests of its translation to Emerson–Lei
automata expect (release 22, data/formulas/sizes/dela.normalform.semantic.json).

| formula | | least | inev: states | colours | Spot: states | Owl: states | colours |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
`

const literatureClosing = `
## What stays exponential

` + "`F (a && X X … X b)`" + ` with n times X has 2ⁿ + 1 states, even if labels exclude each other. No
deterministic automaton has fewer: it has to remember at which of the last n positions there was an a, since
a b may follow n positions after any of them. With n = 14 the automaton would have more than 10,000 states, and inev
refuses the formula with an error that names the part. Formulas with X that describe one sequence of labels stay small:
` + "`F (a && X b && X X c && …)`" + ` over n labels that exclude each other has n + 1 states.
`

// TestLiterature writes the sizes of automata of well-known formulas into docs/research/automata.md.
func TestLiterature(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("takes a second")
	}
	text, err := os.ReadFile("testdata/literature.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(literatureIntro)
	var sums [6]int
	count := 0
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		row := sizesOf(t, fields[1])
		for _, f := range fields[2:] {
			n, err := strconv.Atoi(f)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, n)
		}
		fmt.Fprintf(&b, "| %s | `%s` |", fields[0], strings.ReplaceAll(fields[1], "|", `\|`))
		for i, n := range row {
			fmt.Fprintf(&b, " %d |", n)
			sums[i] += n
		}
		b.WriteString("\n")
		count++
	}
	fmt.Fprintf(&b, "| all %d | |", count)
	for _, n := range sums {
		fmt.Fprintf(&b, " %d |", n)
	}
	b.WriteString("\n" + literatureClosing)
	golden.Check(t, "../../../docs/research/automata.md", []byte(b.String()))
}

// sizesOf returns how many states the automaton of a formula has at least, how many it has, and how many
// colours. A state where nothing is accepted any more does not count.
func sizesOf(t *testing.T, text string) []int {
	f, err := ltl.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	letters, steps := lettersOf(f.Temporal().Atoms())
	p, err := temporal.Bind(context.Background(), letters, f.Temporal(), steps, property.KindLTL, "")
	if err != nil {
		t.Fatal(err)
	}
	least, infinite, err := temporal.Least(context.Background(), letters, f.Temporal(), steps)
	if err != nil {
		t.Fatal(err)
	}
	if least != infinite {
		t.Errorf("runs that stop take %d states more for %s", least-infinite, text)
	}
	states := p.States()
	for q := range property.Q(p.States()) {
		if isHopeless(p, q) {
			states, least = states-1, least-1
		}
	}
	all, _ := p.Acceptance().Colours()
	return []int{least, states, all.Len()}
}

// isHopeless reports whether the automaton stays in a state, and accepts nothing there.
func isHopeless(p *property.Property, q property.Q) bool {
	if p.Steps() > 0 {
		return false
	}
	for l := range lts.Label(p.Alphabet().Len()) {
		if p.Next(q, l) != q || p.Acceptance().Holds(p.Marks(q, l)) {
			return false
		}
	}
	return !p.Stops(q)
}
