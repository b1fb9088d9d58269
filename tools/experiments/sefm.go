package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
)

const agencyFormula = "Inev(REQ_EM, PROVT_REC)"

const sefmOpening = `
## SEFM 2018: neighbourhoods

What follows repeats G. Barbon, V. Leroy and G. Salaün, *Counterexample Simplification for
Liveness Property Violation* (SEFM 2018), the paper that inev starts from. The paper's figures
are models of the folders [figures](../../examples/figures) and [figure2](../../examples/figure2), the
case studies are [agency](../../examples/agency) and [abp](../../examples/abp); tests compare the
values, loops and neighbourhoods that the paper's text gives with those that inev computes, and
the [gallery](../gallery.md) has the pictures.

### The sanitary agency

The property is ` + "`%s`" + `. ` + "`examples/agency`" + ` composes the four peers of Figure 6; the model
that the authors publish is the same up to the numbers of states.

| | states | transitions | correct, incorrect, neutral | neighbourhoods | shortest run | with REQ_EM on it | neighbourhoods on that run | kept |
| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | --- |
`

const sefmAgency = `| *paper*, Figure 7 | | | | 5 | | 15 | 2 | 4 |

- **15 and 14.** The run of Figure 7 has 14 transitions; with its last state there
  are 15 states, and 15 is what the paper counts as actions.
- **14 and 8.** In the shortest run that violates the property, the agency refuses, which takes 8 transitions, and
  REQ_EM never happens. In the paper's run REQ_EM happens, and the run passes two neighbourhoods. ` + "`--pattern REQ_EM`" + `
  asks for such a run, and finds that none is shorter. ` + "`explain`" + ` reports one decision on it, PROVM_EM instead of
  PROVT_EM: at the other neighbourhood the run takes the correct transition, ACCEPTANCE_EM.
- **What is kept** are the transitions into and out of the neighbourhoods on the run:
  PROVINF_REC, ACCEPTANCE_EM, REQ_REC and PROVM_EM, as in Figure 7.

### The alternating bit protocol

The property is ` + "`Inev(PUT)`" + `. The paper has six neighbourhoods, in states 0, 2, 5, 12, 13 and 23, all of
them with correct and neutral transitions. ` + "`examples/abp`" + ` is our own model of the protocol: it has six as
well, of the same kind, in states %s; states are numbered as they are found.
`

const clearOpening = `
### CLEAR's published examples

CLEAR is the authors' tool. Its repository has seven small models with a safety property each, a
counterexample, and the model with its classes and neighbourhoods as CLEAR has computed them
(` + "`.autx`" + `). The columns of CLEAR are counted from these files, those of inev by ` + "`inev classify --formula prop.mcl" + `
--unfold --neighbourhood some` + "`" + `. The two options follow CLEAR: it unfolds models by the property, and it
requires only one transition into a neighbourhood to be neutral, where the paper requires all. G stands for correct, R for incorrect, B for
neutral transitions out of a neighbourhood.

| example | CLEAR: length | kinds | inev: length | kinds |
| --- | ---: | --- | ---: | --- |
`

const heapOpening = `
### Algorithms 1 and 2 as printed

For models of up to 8,192 states and 65,536 transitions, and for all models with ` + "`--queue heap`" + `, inev computes
common prefixes and suffixes by the algorithms that the paper prints: component by component in the order of depth,
with a set of states that a binary heap with movable entries keeps sorted. For larger models it uses buckets, and
one queue of all components for prefixes; [semantics.md](../semantics.md) shows why that is correct. Both ways
compute the same values, here and on all random models of the tests. The table has the times of the whole
enrichment, best of three. Large components show the difference between S log S and S.

| model | states | transitions | values that differ | as printed, ms | buckets, ms |
| --- | ---: | ---: | ---: | ---: | ---: |
`

// sources are functions that return figures; not every machine can make the figures.
type sources struct {
	spin func(subject) (spinRows, error)
	// agency returns the row about the published model.
	agency func() (string, error)
	// clear returns the rows about CLEAR's examples, heap the rows about times of Algorithms 1 and
	// 2, times the section about times and memory of searches, and distribution the rows about
	// SPIN's own model.
	clear, heap, times, distribution func() (string, error)
}

// writeSEFM writes the chapter on the SEFM paper of 2018, the origin of inev.
func writeSEFM(ctx context.Context, doc *strings.Builder, root string, from sources) error {
	fmt.Fprintf(doc, sefmOpening, agencyFormula)
	m, err := openModel(ctx, filepath.Join(root, "examples", "agency", "agency.aut"))
	if err != nil {
		return err
	}
	row, err := agencyRow(ctx, m)
	if err != nil {
		return err
	}
	published, err := from.agency()
	if err != nil {
		return err
	}
	doc.WriteString("| `examples/agency` " + row + published)
	abp, err := openModel(ctx, filepath.Join(root, "examples", "abp", "abp.aut"))
	if err != nil {
		return err
	}
	e, err := explained(ctx, abp, "Inev(PUT)", explain.Options{})
	if err != nil {
		return err
	}
	var states []string
	for n := range e.Neighbourhoods().All() {
		states = append(states, fmt.Sprint(n.State))
	}
	last := len(states) - 1
	fmt.Fprintf(doc, sefmAgency, strings.Join(states[:last], ", ")+" and "+states[last])
	for _, part := range []struct {
		opening string
		rows    func() (string, error)
	}{{clearOpening, from.clear}, {heapOpening, from.heap}} {
		rows, err := part.rows()
		if err != nil {
			return err
		}
		doc.WriteString(part.opening + rows)
	}
	return nil
}

func openModel(ctx context.Context, path string) (*lts.LTS, error) {
	m, _, err := aut.Open(ctx, path, aut.Options{})
	return m, err
}

// explained returns the explanation of a formula on a model.
func explained(
	ctx context.Context,
	m *lts.LTS,
	text string,
	o explain.Options,
) (*explain.Explanation, error) {
	f, err := formula.Parse(ctx, text)
	if err != nil {
		return nil, err
	}
	return explain.Explain(ctx, m, f, o)
}

// agencyRow returns the row about a model of the agency.
func agencyRow(ctx context.Context, m *lts.LTS) (string, error) {
	shortest, err := explained(ctx, m, agencyFormula, explain.Options{})
	if err != nil {
		return "", err
	}
	o := explain.Options{}
	if o.Search.Pattern, err = actl.Parse(ctx, "Inev(REQ_EM)"); err != nil {
		return "", err
	}
	e, err := explained(ctx, m, agencyFormula, o)
	if err != nil {
		return "", err
	}
	var states, kept []string
	for n := range e.Neighbourhoods().All() {
		states = append(states, fmt.Sprint(n.State))
	}
	decisions := 0
	for _, step := range e.Counterexample.Steps {
		if step.Neighbourhood.Is() {
			decisions++
		}
	}
	for _, i := range e.Abstracted.Steps {
		kept = append(kept, e.Counterexample.Steps[i].Label)
	}
	return fmt.Sprintf("| %d | %d | %d, %d, %d | %s | %d | %d | %d | %s |\n", m.NumStates(),
		m.NumTransitions(),
		e.Classes.Correct, e.Classes.Incorrect, e.Classes.Neutral, strings.Join(states, ", "),
		shortest.Counterexample.Length, e.Counterexample.Length, decisions, strings.Join(kept,
			", ")), nil
}

// tag matches the text that CLEAR writes after the number of a state that is a neighbourhood.
var tag = regexp.MustCompile(`(?m)^\((\d+):N:([GRB]+),`)

// clearRows compares inev with CLEAR on the examples in a folder of CLEAR's repository.
func clearRows(ctx context.Context, folder, date string) (string, error) {
	dumps, err := filepath.Glob(filepath.Join(folder, "examples", "visualization", "*",
		"*_res-dump.autx"))
	if err != nil || len(dumps) == 0 {
		return "", fmt.Errorf("%s: not CLEAR's repository, or without its examples", folder)
	}
	var rows strings.Builder
	agree := 0
	for _, dump := range dumps {
		row, same, err := clearRow(ctx, dump)
		if err != nil {
			return "", err
		}
		if same {
			agree++
		}
		rows.WriteString(row)
	}
	fmt.Fprintf(&rows, "\nThey agree on %d of %d (%s).\n", agree, len(dumps), date)
	return rows.String(), nil
}

// clearRow compares a model that CLEAR has coloured with the classes of inev. It returns the row of the table, and
// whether both agree.
func clearRow(ctx context.Context, dump string) (row string, same bool, err error) {
	folder := filepath.Dir(dump)
	tagged, err := os.ReadFile(dump)
	if err != nil {
		return "", false, err
	}
	theirs := map[string]string{}
	for _, found := range tag.FindAllStringSubmatch(string(tagged), -1) {
		theirs[found[1]] = found[2]
	}
	trace, err := os.ReadFile(filepath.Join(folder, "cexp_dump.aut"))
	if err != nil {
		return "", false, err
	}
	length := strings.Count(strings.TrimSpace(string(trace)), "\n")
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(dump), "bad_prop_"),
		"_res-dump.autx")
	m, err := openModel(ctx, filepath.Join(folder, name+".aut"))
	if err != nil {
		return "", false, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "prop.mcl"))
	if err != nil {
		return "", false, err
	}
	f, err := formula.ParseFile(ctx, "prop.mcl", text)
	if err != nil {
		return "", false, err
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{
		Reading: neighbourhood.Some,
		Unfold:  true,
	})
	if err != nil {
		return "", false, err
	}
	letters := map[string]string{
		"correct":       "G",
		"incorrect":     "R",
		"mixed":         "GR",
		"mixed-neutral": "GRB",
	}
	ours := map[string]string{}
	for n := range e.Neighbourhoods().All() {
		ours[fmt.Sprint(n.State)] = letters[n.Kind.String()]
	}
	same = length == e.Counterexample.Length && counted(theirs) == counted(ours)
	return fmt.Sprintf("| %s | %d | %s | %d | %s |\n", filepath.Base(folder), length,
		counted(theirs), e.Counterexample.Length, counted(ours)), same, nil
}

// counted returns the number of states of each kind.
func counted(kinds map[string]string) string {
	count := map[string]int{}
	for _, kind := range kinds {
		count[kind]++
	}
	var all []string
	for kind, n := range count {
		all = append(all, fmt.Sprintf("%d %s", n, kind))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// heapRows measures the enrichment with either queue.
func heapRows(ctx context.Context, root string) (string, error) {
	var rows strings.Builder
	for _, of := range []struct {
		name, formula string
		make          func() (*lts.LTS, error)
	}{
		{"`examples/dijkstra`", `Inev("ENTER !0", "ENTER !1", "ENTER !2")`, func() (*lts.LTS, error) {
			return openModel(ctx, filepath.Join(root, "examples", "dijkstra", "dijkstra.aut"))
		}},
		{"random, 300,000 states, seed 1", "Inev(ACTION_1, ACTION_2)", func() (*lts.LTS, error) {
			return generate.LTS(ctx, generate.Spec{
				Kind:   "random",
				States: 300_000,
				Degree: 3,
				Labels: 20,
				Seed:   1,
			})
		}},
		{"ring, 1,000 × 300, seed 0", "Inev(NEXT, BACK, NEXT, END)", func() (*lts.LTS, error) {
			return generate.LTS(ctx, generate.Spec{Kind: "ring", Width: 1_000, Height: 300})
		}},
	} {
		m, err := of.make()
		if err != nil {
			return "", err
		}
		row, err := heapRow(ctx, m, of.formula)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&rows, "| %s | %d | %d %s", of.name, m.NumStates(), m.NumTransitions(), row)
	}
	return rows.String(), nil
}

// heapRow returns the row of a model: the number of states where the two queues give different values, which should
// be 0, and the times of both.
func heapRow(ctx context.Context, m *lts.LTS, text string) (string, error) {
	f, err := formula.Parse(ctx, text)
	if err != nil {
		return "", err
	}
	p, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		return "", err
	}
	chain, _ := p.Chain()
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		return "", err
	}
	fastest := map[enrich.Queue]time.Duration{}
	values := map[enrich.Queue]*enrich.Enriched{}
	for round := range 3 {
		for _, q := range []enrich.Queue{"heap", "buckets"} {
			begun := time.Now()
			values[q], err = enrich.Enrich(ctx, c, chain, enrich.Options{Queue: q})
			if err != nil {
				return "", err
			}
			took := time.Since(begun)
			if round == 0 || took < fastest[q] {
				fastest[q] = took
			}
		}
	}
	return fmt.Sprintf("| %d | %.1f | %.1f |\n", countDifferent(values["heap"], values["buckets"], m),
		fastest["heap"].Seconds()*1e3, fastest["buckets"].Seconds()*1e3), nil
}

// countDifferent returns the number of states in which a value differs.
func countDifferent(a, b *enrich.Enriched, m *lts.LTS) int {
	different := 0
	for s := range lts.State(m.NumStates()) {
		haveSamePrefixes := a.MP(s) == b.MP(s) && a.CP(s) == b.CP(s)
		haveSameSuffixes := a.MS(s) == b.MS(s) && a.CS(s) == b.CS(s)
		if !haveSamePrefixes || !haveSameSuffixes {
			different++
		}
	}
	return different
}

const publishedRow = "| published model "

// rowBeginning returns the first row of a document with this beginning.
func rowBeginning(document, begins string) string {
	_, row, found := strings.Cut(document, "\n"+begins)
	row, _, _ = strings.Cut(row, "\n")
	if !found {
		return ""
	}
	return begins + row + "\n"
}

// tableBelow returns the section of a document that follows an opening.
func tableBelow(document, opening string) string {
	_, rows, _ := strings.Cut(document, opening)
	rows, _, _ = strings.Cut(rows, "\n#")
	return rows
}
