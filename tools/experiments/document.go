package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const opening = `# Experiments: the papers' tables and figures

This page is the output of ` + "`go -C tools run ./experiments`" + `; a test compares them,
the rows of SPIN, of CLEAR and of times aside. It repeats, as far as that is possible, the experiments of
P. Gastin, P. Moro and M. Zeitoun, *Minimization of counterexamples in SPIN* (SPIN
2004, and its revised version; both print the same Table 1, Table 2 is in the first
only), and sets their figures beside ours.

How to read the tables:

- **length** is counted as in the papers: the states of the path, the one that closes
  the loop twice. **transitions** is the length of the counterexample in the model,
  one less for a lasso of ours.
- **stored** is the number of different states visited, **matched** the number of
  visits, first and repeated ones. **found** is the number of counterexamples found,
  each shorter than the one before it.
- There are no times in these tables: they would not be the same twice.

## Table 1: mutual exclusion algorithms

The property is ` + "`%s`" + ` for all four: process 0 enters. The models are in the
folder [examples](../../examples); every access to a shared variable is a
transition of its own. All searches but the last one run on the product of the model
with the automaton of the negated property, where every state is accepting; to
repeat one, say

    inev check MODEL '%s' --algorithm colour|contrex|priority --stats

and without ` + "`--algorithm`" + ` for the search on the model itself. "Contrex after
colour-DFS" is the combination that section 3.4 of the paper proposes.

SPIN runs on our own Promela models (tools/experiments/promela), of which every
statement is a transition of the LTS: statement merging (` + "`spin -o3`" + `) and partial order
reduction (` + "`-DNOREDUCE`" + `) are off. Without the property SPIN counts as many states as the
LTS has (Hyman's LTS has one more: the end of runs in which both processes are inside).
`

const differences = `
### Why the figures differ from the papers'

- **The models are not the same.** The papers print neither theirs nor the properties:
  their models are Promela with a granularity of their own, and their 80 states for
  Peterson or 211258 for Dijkstra belong to those. Compare figures of one source with
  each other, not across sources.
- **Lengths in SPIN count both sides.** In its product, steps of the model and of the
  never claim alternate: a counterexample of n transitions has length 2n + 1 there, and
  n + 1 in our product. The papers' 19 for Peterson is 9 transitions of their model.
- **The papers' Contrex is a variant.** It begins with a search for a first
  counterexample, in the first version of the paper SPIN's own, and asks each further one
  to be shorter by two, as lengths in SPIN are odd.
- **Every state of our product is accepting**, as the property is an inevitability. Any
  loop is a counterexample then, and a depth-first search soon comes upon a rather short
  one. It is also the worst case for Contrex, which is careful from the initial state
  on: it follows every path that is not too long. Dijkstra's model shows it, and shows
  what a first counterexample and the colours found beforehand are worth.
- **SPIN's search, as the papers describe it,** comes to the shortest length in all four models here, with
  fewer visits than Contrex. It need not: see the figures below.
- **SPIN -i is not what it was.** The version used here says "-i or -I work for safety
  properties only", and the last trail that it writes need not have a cycle: "no cycle"
  stands for such a trail, which is no counterexample. Its "found" are its errors.
- **SPIN stops early.** With -a alone it stops at the first counterexample. It prints as states
  matched the repeated visits alone; the tables have its first visits added, like all other rows.
- **The search on the model itself** goes breadth first, and ends when no shorter
  counterexample is possible. It counts visits to states with their progress (of a response: with the
  states of its automaton), and the visits of its searches for cycles; the passes that find components are not counted.
- **Not repeated** are: the figures of Tables 1 and 2 themselves, as said above; the papers' times, which belong to their
  machines; the variant that asks each counterexample to be shorter by two, which has a meaning in SPIN's product alone;
  bit-state hashing, since the searches here hold all states; and partial order reduction, which the first paper leaves
  open. That the shortest counterexample to a formula of LTL *in the model* is NP-complete to find is cited by the revised
  paper; like it, the searches here find a shortest one in the product.
`

// writeDocument writes the whole document; the models lie below root.
func writeDocument(ctx context.Context, w io.Writer, root string, from sources) error {
	var doc strings.Builder
	fmt.Fprintf(&doc, opening, entering, entering)
	for _, s := range subjects() {
		c, err := compare(ctx, root, s, entering, searches())
		if err != nil {
			return err
		}
		rows, err := from.spin(s)
		if err != nil {
			return err
		}
		fmt.Fprintf(&doc,
			"\n### %s\n\n`examples/%s`, made by `%s`: %d states, %d transitions.\n\n",
			s.name, s.model, s.made, c.m.NumStates(), c.m.NumTransitions())
		doc.WriteString("| search | length | transitions | stored | matched | found |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
		for _, row := range c.rows {
			doc.WriteString(row.String())
		}
		doc.WriteString(string(rows))
		for _, row := range published(s.name) {
			doc.WriteString(row.String())
		}
	}
	if err := writeResponding(ctx, &doc, root); err != nil {
		return err
	}
	doc.WriteString(differences)
	if err := writeDistribution(&doc, from); err != nil {
		return err
	}
	if err := writeMissed(ctx, &doc); err != nil {
		return err
	}
	if err := writeRandom(ctx, &doc); err != nil {
		return err
	}
	if err := writeGrowth(ctx, &doc, from); err != nil {
		return err
	}
	if err := writeSEFM(ctx, &doc, root, from); err != nil {
		return err
	}
	// Another module makes this section, since the section needs further dependencies.
	section, err := os.ReadFile(filepath.Join(root, "modules", "symbolic", "arbiter",
		"section.md"))
	if err != nil {
		return err
	}
	times, err := os.ReadFile(filepath.Join(root, "modules", "symbolic", "arbiter", "times.md"))
	if err != nil {
		return err
	}
	fmt.Fprintf(&doc, "\n%s\n%s", section, times)
	_, err = io.WriteString(w, doc.String())
	return err
}

const randomOpening = `
## Table 2: random graphs

The paper gives averages over random graphs of 20, 100 and 1000 states, and neither
the number of edges nor the number of accepting states. All its averages are multiples of
0.2, as averages of five graphs are. Ours are over %d graphs: the first seeds 1, 2, …
of ` + "`buchi.Random`" + ` whose graphs have a counterexample.

The parameters are **fitted to the printed averages**: of 1 to 6 edges a state, by tenths, and of
one accepting state up to one in five, they are those whose nine averages come nearest to the nine
printed ones (the least sum of squared logarithms of their ratios, over %d graphs each;
` + "`go -C tools run ./experiments -fit`" + `). So the table does not show that our figures are the
paper's; it shows that there are graphs whose columns are related as in the paper.
`

const randomClosing = `
Contrex and the priority search find the same lengths, as they must; SPIN's search finds longer ones on
average. Which one makes fewer visits depends on the graphs: the priority search goes through a part of the graph
for each accepting state, Contrex along every path that is short enough. A search by colours before
Contrex saves a little on larger graphs, and costs more than it saves on small ones; in the paper the
difference is as small.
`

func writeRandom(ctx context.Context, doc *strings.Builder) error {
	fmt.Fprintf(doc, randomOpening, graphs, tried)
	for _, states := range []int{20, 100, 1000} {
		p := fitted(states)
		rows, seeds, err := compareRandom(ctx, p, graphs, false)
		if err != nil {
			return err
		}
		fmt.Fprintf(doc, "\n### %d states\n\nSeeds 1 to %d; %d edges, %d accepting.\n\n",
			states, seeds, p.edges, p.accepting)
		doc.WriteString("| search | length | matched | found |\n| --- | ---: | ---: | ---: |\n")
		for _, row := range append(rows, publishedRandom(states)...) {
			doc.WriteString(row.String())
		}
	}
	doc.WriteString(randomClosing)
	return nil
}
