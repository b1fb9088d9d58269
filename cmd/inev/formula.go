//go:build !js

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/neighbourhood/monitor"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/sample"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// formulaCommand returns inev formula, which writes a property in other notations, and as an automaton.
func formulaCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "show what a property means, and write it for other tools",
		ArgsUsage: "FORMULA",
		Description: `Writes a property in ACTL, LTL, MCL for CADP and the mu-calculus of mCRL2. Inev(A, B)
says that on every maximal run (it goes on forever, or ends in a deadlock) A
happens and later B. A step of a property is one of:

  PUT              the label PUT, or the action PUT with any offers or arguments
  r1(d1)           this label; blanks after commas do not matter
  "PUT !1"         exactly this label
  /^RACK[01]$/     a regular expression (Go's RE2), anywhere in the label
  SDT*             a pattern for the whole label: * any text, ? any character
  {PUT, GET}       any one of these

Other patterns are below. Each can have a scope after a last semicolon: before X,
after X, between X and Y, or after X until Y (X and Y themselves excluded).

  Response(A; B, C)    after every A, strictly later, B happens and later C
  Never(A, B)          no A is followed by B; Never(A): A does not happen
  Precedes(A; B)       no B happens before the first A
  Always(A)            nothing but A happens
  AtMost(2; A)         A happens twice at most
  DeadlockFree         no run ends

A formula can also be in ACTL, as in A[true_{true} U_{A} A[true_{true} U_{B} true]],
or in linear temporal logic, as in G (A -> F B). Its operators, the tightest first, are
!, X, F, G; U, R, W, M; &&; ||; ->; <->. Its atoms are deadlock and steps such as those
above, not Inev(A) or Response(A; B); quote steps with characters other than letters,
digits and ._*? outside parentheses.
What holds of all runs may also be in MCL or the mu-calculus of mCRL2, on the command line
and in files with the suffixes .mcl and .mcf: [ true* . "A" . "B" ] false.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			value(inputFlags, "model",
				"list the labels of the model in `FILE` that match each step"),
			&cli.StringSliceFlag{
				Name:     "fair",
				Category: string(inputFlags),
				Usage:    "write that it holds under full fairness; `ASSUMPTION` is full, or any for --steps-out",
			},
			formulaFile(), libraries(), noLibraries(), automatonFile(), claimFile(), matching(inputFlags), parts(inputFlags),
		}, []cli.Flag{
			value(alsoFlags, "hoa-out",
				"write the property as a deterministic automaton to `FILE`.hoa"),
			value(alsoFlags, "steps-out",
				"write what each label of the model does for the property to `FILE`.tsv, for inev-proof"),
			value(alsoFlags, "dot", "write a picture of the automaton to `FILE`.dot"),
			value(alsoFlags, "svg", "write a picture of the automaton to `FILE`.svg"),
			value(alsoFlags, "png", "write a picture of the automaton to `FILE`.png"),
		}, modelInput(), modelRun()),
		Action: action(p, func(j *job) error {
			return (&formulaWriting{j}).run()
		}),
	},
		`inev formula 'Inev({PUT, GET}, ACK)'`,
		`inev formula 'Inev(REQ, ACK)' --model m.aut`,
		`inev formula 'Inev(REQ, ACK)' --fair full`,
		`inev formula 'Response(REQ; ACK)' --hoa-out response.hoa --svg response.svg`,
		`inev formula 'Inev("PUT !1", /^ACK/)' --format json`)
}

// isFullyFair reports whether the formula is to be about fully fair runs. Other assumptions are
// refused unless --steps-out is given, since only that file can have them.
func (j *formulaWriting) isFullyFair() (bool, error) {
	for _, a := range j.options.Fair {
		if a.Kind() != actl.FullFairness {
			if j.flag("steps-out") != "" {
				return false, nil
			}
			return false, j.refuse("--fair %s: only full fairness can be written as a formula; use --fair full, or check a model with inev check --fair %s", a, a.Kind())
		}
	}
	return len(j.options.Fair) > 0, nil
}

// formulaWriting is a run of inev formula.
type formulaWriting struct{ *job }

// run carries out inev formula. Without a model, the labels of sample runs are made up from the patterns of
// the formula.
func (j *formulaWriting) run() error {
	if _, err := j.isFullyFair(); err != nil {
		return err
	}
	f, err := j.readFormula()
	if err != nil {
		return err
	}
	isFullyFair, err := j.isFullyFair() // the formula itself may assume full fairness
	if err != nil {
		return err
	}
	var underFairness *actl.FullyFair
	if pattern, isPattern := f.(*actl.Formula); isFullyFair && isPattern {
		underFairness, _ = pattern.FullyFair()
	}
	if isFullyFair && underFairness == nil {
		return fmt.Errorf("under full fairness, only Inev(…) and Response(…) without a scope can be written for other tools, not %s", f)
	}
	if err := j.writeAutomaton(f); err != nil {
		return err
	}
	var shown render.Notation
	path := j.flag("model")
	switch {
	case path != "":
		shown, err = j.modelNotation(path, f, underFairness)
		if err != nil {
			return err
		}
	case isFullyFair:
		shown = underFairness
	default:
		shown, err = j.withSpecimens(f)
		if err != nil {
			return err
		}
	}
	return j.print(func(w io.Writer) error {
		return j.report.Formula(j.ctx, w, shown)
	})
}

// modelNotation returns a formula in all notations, its steps written with the labels of the model
// in a file. If underFairness is not nil, the notations are those of the formula under full fairness.
func (j *formulaWriting) modelNotation(
	path string,
	f property.Formula,
	underFairness *actl.FullyFair,
) (render.Notation, error) {
	j.aboutStates = len(values.AtomsOf(f)) > 0
	m, warnings, err := j.openModel(path)
	if err != nil {
		return nil, err
	}
	j.options.File = path
	j.options.States = m.States
	m.LTS, err = j.modelFor(m.LTS, f)
	if err != nil {
		return nil, err
	}
	warnings = slices.Concat(warnings, j.options.Warnings)
	happening, err := m.LTS.Happening(j.ctx)
	if err != nil {
		return nil, err
	}
	p, unmatched, err := f.Bind(j.ctx, happening)
	if err != nil {
		return nil, err
	}
	j.warn(slices.Concat(warnings, unmatched))
	if err := j.writeSteps(m.LTS, f, p); err != nil {
		return nil, err
	}
	pattern, isPattern := f.(*actl.Formula)
	switch {
	case isPattern && pattern.IsChain():
		chain, _ := p.Chain()
		bound := actl.Bound{Chain: chain}
		if underFairness != nil {
			return bound.FullyFair(), nil
		}
		return bound, nil
	case underFairness != nil:
		return underFairness, nil
	}
	return j.withLabels(f, p)
}

// withLabels returns a formula with sample runs of p, the formula as it is bound to a model, and with the
// labels of the model that do its steps.
func (j *formulaWriting) withLabels(f property.Formula, p *property.Property) (render.Notation, error) {
	shown, err := j.withRuns(f, p)
	written, hasRuns := shown.(render.Written)
	if err != nil || !hasRuns {
		return shown, err
	}
	switch f := f.(type) {
	case *actl.Formula:
		written.InModel, err = f.WithLabels(j.ctx, p.Alphabet())
	case *ltl.Formula:
		written.Steps, _, err = actl.BindAtoms(j.ctx, f.Atoms(), p.Alphabet())
	}
	return written, err
}

// shownRuns is the number of accepted and of rejected runs that show what a property means.
const shownRuns = 2

// withSpecimens returns a formula with sample runs over labels that its patterns match. Inevitability
// has none, since the formula itself is clear, and neither has a formula about values of states.
func (j *formulaWriting) withSpecimens(f property.Formula) (render.Notation, error) {
	if len(values.AtomsOf(f)) > 0 {
		return f, nil // runs are of labels
	}
	var patterns []actl.Pattern
	switch f := f.(type) {
	case *actl.Formula:
		patterns = f.Steps()
	case *ltl.Formula:
		patterns = f.Atoms()
	default:
		return f, nil
	}
	specimens, err := actl.Specimens(patterns)
	if err != nil {
		return nil, err
	}
	p, _, err := f.Bind(j.ctx, specimens)
	if err != nil {
		return nil, err
	}
	if pattern, isPattern := f.(*actl.Formula); isPattern && pattern.IsChain() {
		return f, nil
	}
	return j.withRuns(f, p)
}

// withRuns returns a formula with sample runs of p, the property of the formula. A formula about
// values of states gets none.
func (j *formulaWriting) withRuns(
	f property.Formula,
	p *property.Property,
) (render.Notation, error) {
	if len(values.AtomsOf(f)) > 0 {
		return f, nil
	}
	accepted, err := sample.Of(j.ctx, p, true, shownRuns)
	if err != nil {
		return nil, err
	}
	rejected, err := sample.Of(j.ctx, p, false, shownRuns)
	if err != nil {
		return nil, err
	}
	return render.Written{
		Notation: f,
		Alphabet: p.Alphabet(),
		Accepted: accepted,
		Rejected: rejected,
	}, nil
}

// writeAutomaton writes the automaton of a property to the requested files.
func (j *formulaWriting) writeAutomaton(f property.Formula) error {
	var p *property.Property
	var steps []property.Step
	engine := graphviz.New(1, wording.CompiledFolder())
	defer engine.Close()
	// p and steps are computed for the first requested file, and are known when a file is written.
	all := []artefact{
		{flag: "hoa-out", suffix: ".hoa", write: func(w io.Writer) error { return hoa.Write(w, p, steps) }},
		{flag: "dot", suffix: ".dot", write: func(w io.Writer) error {
			return draw.DOT(w, view.Automaton(p, steps), draw.Options{})
		}},
		{flag: "svg", suffix: ".svg", write: func(w io.Writer) error {
			return draw.SVG(j.ctx, engine, w, view.Automaton(p, steps), draw.Options{})
		}},
		{flag: "png", suffix: ".png", write: func(w io.Writer) error {
			return draw.PNG(j.ctx, engine, w, view.Automaton(p, steps), draw.Options{})
		}},
	}
	for _, a := range all {
		path := j.flag(a.flag)
		if path == "" {
			continue
		}
		if err := checkOutput(path, a.suffix); err != nil {
			return err
		}
		if p == nil {
			var err error
			p, steps, err = j.overLetters(f)
			if err != nil {
				return err
			}
		}
		if err := j.save(path, a.write); err != nil {
			return fmt.Errorf("--%s: %w", a.flag, err)
		}
	}
	return nil
}

// overLetters returns the automaton of a property without a model: its labels are letters, sets
// of steps.
func (j *formulaWriting) overLetters(f property.Formula) (*property.Property, []property.Step, error) {
	g, hasLetters := f.(monitor.Formula)
	if !hasLetters {
		return nil, nil, fmt.Errorf("%s has no automaton without a model", f)
	}
	p, letters, err := g.BindLetters(j.ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, letters.Steps(), nil
}

// writeSteps writes which labels of m do which steps of f, and the assumptions about runs, if
// --steps-out is given. p is f bound to m.
func (j *formulaWriting) writeSteps(
	m *lts.LTS,
	f property.Formula,
	p *property.Property,
) error {
	path := j.flag("steps-out")
	if path == "" {
		return nil
	}
	if err := checkOutput(path, ".tsv"); err != nil {
		return err
	}
	if j.aboutStates {
		return errors.New("--steps-out writes a formula about labels, but this property asks for values of states")
	}
	for _, a := range j.options.Fair {
		if a.Kind() == actl.Just || a.Kind() == actl.Blocking {
			return j.refuse("--fair %s: inev-proof does not know justness", a)
		}
	}
	fair, _, err := actl.BindAssumptions(j.ctx, j.options.Fair, m.Alphabet())
	if err != nil {
		return err
	}
	chain, isChain := p.Chain()
	if !isChain && fair != nil {
		return fmt.Errorf("--steps-out: under assumptions inev-proof checks certificates of Inev only, not of %s; inev verify checks it", f)
	}
	return j.save(path, func(w io.Writer) error {
		if isChain {
			return stepTable(w, m.Alphabet(), f, chain, assumptionTexts(j.options.Fair), fair)
		}
		return automatonTable(w, m.Alphabet(), f, p)
	})
}

// stepTable writes a table with tabs between its cells. The first line has the formula and the
// number of its steps. Then each label has a line: the label, and the numbers of the steps that it
// does, separated by commas, or the word "begins" if runs begin after it. Under assumptions the
// first line also has the assumptions. Then follows the line "full" for full fairness; otherwise
// "tasks" and, for each task, how fair runs are to it. Each label has two more cells: the numbers
// of its tasks, and "finitely" if it is done only finitely often.
func stepTable(
	w io.Writer,
	a *lts.Alphabet,
	f property.Formula,
	chain *property.Chain,
	assumed []string,
	fair *property.Fairness,
) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\t%d", printable.Cell(f.String()), chain.Len())
	for _, text := range assumed {
		out.WriteString("\t" + printable.Cell(text))
	}
	if fair != nil {
		out.WriteString("\n" + fairnessLine(fair))
	}
	out.WriteByte('\n')
	for l, text := range chain.Alphabet().All() {
		fmt.Fprintf(out, "%s\t%s", printable.Cell(text), stepsOf(l, a, chain))
		if fair != nil {
			fmt.Fprintf(out, "\t%s\t%s", tasksOf(l, fair), rarityOf(l, fair))
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// fairnessLine returns the line of a table of steps that says how fair runs are.
func fairnessLine(fair *property.Fairness) string {
	if fair.Full() {
		return "full"
	}
	line := "tasks"
	for _, task := range fair.Tasks() {
		word := "weak"
		if task.Strong {
			word = "strong"
		}
		if task.Nonstuttering {
			word += "!"
		}
		line += "\t" + word
	}
	return line
}

// stepsOf returns the cell of a table of steps with the steps that a label does.
func stepsOf(l lts.Label, a *lts.Alphabet, chain *property.Chain) string {
	if _, startsRuns := a.Facts(l); startsRuns {
		return begin
	}
	var steps []string
	for i := 1; i <= chain.Len(); i++ {
		if chain.Does(l, i) {
			steps = append(steps, strconv.Itoa(i))
		}
	}
	return strings.Join(steps, ",")
}

// tasksOf returns the cell of a table of steps with the tasks of a label.
func tasksOf(l lts.Label, fair *property.Fairness) string {
	if fair.Full() {
		return "" // full fairness implies all other fairness
	}
	var tasks []string
	for _, k := range fair.TasksOf(l) {
		tasks = append(tasks, strconv.Itoa(int(k)))
	}
	return strings.Join(tasks, ",")
}

// rarityOf returns the cell of a table of steps that says whether a label is done only finitely often.
func rarityOf(l lts.Label, fair *property.Fairness) string {
	if fair.Rare(l) {
		return "finitely"
	}
	return ""
}

// begin is the word in tables of steps and of automata for a label after which
// runs begin.
const begin = "begins"

// automatonTable writes the formula and the acceptance condition of its automaton, the number of
// states, the initial state, and the states where a run may end. Then each label has a line: the
// label, the word "begins" if runs begin after it, and the target from each state, in their order,
// with the colours of the transition.
func automatonTable(
	w io.Writer,
	a *lts.Alphabet,
	f property.Formula,
	p *property.Property,
) error {
	out := bufio.NewWriter(w)
	var mayEnd []string
	for q := range p.States() {
		if p.Stops(property.Q(q)) {
			mayEnd = append(mayEnd, strconv.Itoa(q))
		}
	}
	fmt.Fprintf(out, "%s\t%s\nstates\t%d\ninitial\t%d\nmay end\t%s\n",
		printable.Cell(f.String()), p.Acceptance(), p.States(), p.Initial(), strings.Join(mayEnd, ","))
	for l, text := range p.Alphabet().All() {
		out.WriteString(printable.Cell(text))
		separator := "\t"
		if _, startsRuns := a.Facts(l); startsRuns {
			separator = "\t" + begin + " "
		}
		for q := range p.States() {
			from := property.Q(q)
			fmt.Fprintf(out, "%s%d%s", separator, p.Next(from, l), coloursOf(p.Marks(from, l)))
			separator = " "
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// coloursOf returns the colours of a transition in braces; "" if it has none.
func coloursOf(marks property.Marks) string {
	var colours []string
	for c := range property.Colours {
		if marks.Has(c) {
			colours = append(colours, strconv.Itoa(c))
		}
	}
	if len(colours) == 0 {
		return ""
	}
	return "{" + strings.Join(colours, ",") + "}"
}
