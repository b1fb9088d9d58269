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

This page is the output of ` + "`go -C tools run ./experiments`" + `. A test compares the two,
except for the rows of SPIN, the rows of CLEAR and all times. The page repeats, as far as possible, the experiments of
P. Gastin, P. Moro and M. Zeitoun, *Minimization of counterexamples in SPIN*, and sets the paper's figures
beside ours. The paper has two versions, that of SPIN 2004 and a revised one: both print the same Table 1, only the
first prints Table 2.

How to read the tables:

- **length** counts the states of the path, as the papers do; the state that closes
  the loop counts twice. **transitions** is the length of the counterexample in the model:
  for lassos that inev finds, one less than **length**.
- **stored** is the number of different states visited, **matched** the number of
  visits, first and repeated ones. **found** is the number of counterexamples found,
  each shorter than the one before it.
- These tables have no times, because times differ from run to run.

## Table 1: mutual exclusion algorithms

The property is ` + "`%s`" + ` for all four: process 0 enters. The models are in the
folder [examples](../../examples); every access to a shared variable is a
transition of its own. Except for "inev, on the model itself", all searches of inev run on the product of the model
with the automaton of the negated property, in which every state is accepting. This command
repeats one:

    inev check MODEL '%s' --algorithm colour|contrex|priority --stats

Without ` + "`--algorithm`" + `, inev searches the model itself. "Contrex after colour-DFS" is the combination that section 3.4 of the paper proposes.

SPIN runs on our own Promela models (tools/experiments/promela). Each of their statements is one
transition of the LTS, so statement merging (` + "`spin -o3`" + `) and partial order reduction
(` + "`-DNOREDUCE`" + `) are switched off. Without the property, SPIN counts as many states as the LTS has.
Only Hyman's LTS has one state more: there, a run ends when both processes are inside.
`

const differences = `
### Why the figures differ from the papers'

- **The models are not the same.** The papers print neither their models nor
  their properties. Their models are written in Promela, with another granularity: the 80 states
  for Peterson and the 211258 for Dijkstra are states of those models. Compare figures of one source with
  each other, not across sources.
- **Lengths in SPIN count both sides.** In its product, steps of the model and of the
  never claim alternate: a counterexample of n transitions has length 2n + 1 there, and
  n + 1 in our product. The papers' 19 for Peterson is 9 transitions of their model.
- **The papers' Contrex is a variant.** It begins with a search for a first
  counterexample (SPIN's own search, in the first version of the paper). Each further
  counterexample must be shorter by two, because lengths in SPIN are odd.
- **Every state of our product is accepting**, as the property is an inevitability. Any
  loop is then a counterexample, and a depth-first search soon finds a rather short
  one. Such a product is also the worst case for Contrex, which then follows every path that is not
  too long, from the initial state on. Dijkstra's model shows this. It also shows
  how many visits a first counterexample and the colours of an earlier search save.
- **SPIN's search, as the papers describe it,** finds the shortest length in all four models here, with
  fewer visits than Contrex. On other graphs it misses it: see the figures below.
- **SPIN -i is not what it was.** The version used here says "-i or -I work for safety
  properties only", and the last trail that it writes need not have a cycle: "no cycle"
  stands for such a trail, which is no counterexample. For SPIN, "found" is the number of errors that it counts.
- **SPIN stops early.** With -a alone, SPIN stops at the first counterexample. Its "states, matched"
  counts repeated visits only; the tables add its first visits, so that all rows count the same.
- **The search on the model itself** is breadth-first, and ends when no shorter
  counterexample is possible. It counts visits to pairs of a state and the progress made (for a response: the
  state of its automaton), and the visits of its searches for cycles, but not the passes that find components.
- **Not repeated** are:
  - the figures of Tables 1 and 2 themselves, for the reasons above;
  - the papers' times, which depend on their machines;
  - the variant of Contrex in which each counterexample must be shorter by two, which has a meaning in SPIN's product only;
  - bit-state hashing, since the searches here keep all states;
  - partial order reduction, which the first paper leaves open.
- **Shortest means shortest in the product.** Finding a shortest counterexample to a formula of LTL *in the model* is
  NP-complete, as the revised paper cites. Like the paper's searches, those here find a shortest one in the product.
`

// writeDocument writes the whole document; the models lie below root.
func writeDocument(ctx context.Context, w io.Writer, root string, from sources) error {
	var doc strings.Builder
	fmt.Fprintf(&doc, opening, entering, entering)
	for _, s := range subjects() {
		if err := writeSubject(ctx, &doc, root, s, from); err != nil {
			return err
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
	if err := copyArbiter(&doc, root); err != nil {
		return err
	}
	_, err := io.WriteString(w, doc.String())
	return err
}

// writeSubject writes the table of the searches on one model.
func writeSubject(
	ctx context.Context,
	doc *strings.Builder,
	root string,
	s subject,
	from sources,
) error {
	c, err := compare(ctx, root, s, entering, searches())
	if err != nil {
		return err
	}
	rows, err := from.spin(s)
	if err != nil {
		return err
	}
	fmt.Fprintf(doc,
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
	return nil
}

// copyArbiter writes the section about the arbiter, and its times. Another module makes both, since they
// need further dependencies.
func copyArbiter(doc *strings.Builder, root string) error {
	folder := filepath.Join(root, "modules", "symbolic", "arbiter")
	section, err := os.ReadFile(filepath.Join(folder, "section.md"))
	if err != nil {
		return err
	}
	times, err := os.ReadFile(filepath.Join(folder, "times.md"))
	if err != nil {
		return err
	}
	fmt.Fprintf(doc, "\n%s\n%s", section, times)
	return nil
}

const randomOpening = `
## Table 2: random graphs

The paper gives averages over random graphs of 20, 100 and 1000 states, but neither the
number of edges nor the number of accepting states. All its averages are multiples of
0.2, so they may be averages over five graphs. Ours are over %d graphs: of the seeds 1, 2, …
of ` + "`buchi.Random`" + `, the first whose graphs have a counterexample.

The parameters are **fitted to the printed averages**. Graphs were tried with 1 to 6 edges a state, in steps
of a tenth, and with one accepting state up to one in five; we use the parameters whose nine averages come
nearest to the nine printed ones (the least sum of squared logarithms of their ratios, over %d graphs each;
` + "`go -C tools run ./experiments -fit`" + `). So the table does not show that our figures are the
paper's; it shows that there are graphs whose columns are related as in the paper.
`

const randomClosing = `
Contrex and the priority search find the same lengths, as they must; SPIN's search finds longer ones on
average. Which one makes fewer visits depends on the graphs: the priority search goes through a part of the graph
for each accepting state, Contrex along every path that is short enough. A colour search before
Contrex saves a few visits on larger graphs, and costs more than it saves on small ones. The difference is as
small in the paper.
`

// writeRandom writes the comparison of the searches on random graphs.
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
