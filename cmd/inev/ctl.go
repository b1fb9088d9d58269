//go:build !js

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/branching"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// internalLabels are the labels that are hidden by default.
const internalLabels = "i, tau"

// ctlCommand returns inev ctl, which decides formulas of branching time and of the mu-calculus, with arguments.
func ctlCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "check a CTL formula, with a witness or a counterexample",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows whether the initial state satisfies a formula of computation tree logic (CTL),
and why. Exit code: 0 if it does, 1 if it does not. A formula is made of:

  EF f, AF f, EG f, AG f  f once (F) or always (G) on some (E) or every (A) run
  E[f U g], A[f U g]      f holds until g does; also R, W and M
  E[f {a} U {b} g]        by transitions a or hidden ones, and last by one of b
  <a> f, [a] f            some (<a>) or every ([a]) transition by a leads to f
  EX f, AX f              some (E) or every (A) transition leads to f
  E[f], A[f] of CTL*      F, G, X, U, R, W, M and {a} (a step by a) mixed
  p, pc=3                 a value of the state
  true, false, deadlock, !, &&, ||, ->

Labels are patterns as in Inev(A, B). Runs are maximal: they go on forever or end in a
deadlock. A formula may also be any one of MCL or the mu-calculus of mCRL2, with data too:
[ true* . {PUT ?n:nat} ] < true* . {GET !n} > true, or nu X . mu Y . (<a> X || <!a> Y).

The argument is a run, a tree of runs, or layers of states through which all runs go.
With --fair, the formula is about the runs that meet the assumption, as for inev
explain. With --initial, it is checked in other states, and holds if it does in all of
them; at most ten of them get an argument. inev verify checks the arguments that
--evidence writes, transition by transition.`,
		Flags: slices.Concat([]cli.Flag{
			preset(value(resultFlags, "format", "`FORMAT` is text or json"), "text"), value(resultFlags, "o", "write the result to `FILE`.txt or .json"),
			inFull(),
			value(alsoFlags, "html", "write the argument as a page to `FILE`.html"),
			value(alsoFlags, "svg", "write a picture of it to `FILE`.svg"),
			value(alsoFlags, "png", "write a picture of it to `FILE`.png"),
			value(alsoFlags, "dot", "write a picture of it for Graphviz to `FILE`.dot"),
			value(alsoFlags, "evidence", "write evidence for inev verify to `FILE`.json"),
		}, []cli.Flag{
			unset(value(inputFlags, "initial", "ask about these `STATES`, such as 0,4,7-9, or all"), "the initial state"),
			preset(value(inputFlags, "internal", "labels hidden in U with labels: `PATTERNS` or none"), internalLabels), stateValues(),
			value(methodFlags, "within",
				"show the runs only if they have at most `N` transitions in all"),
		}, justFairness(), []cli.Flag{
			value(inputFlags, tlaFlag,
				"read definitions of the specification in `FILE`.tla as predicates of states"),
			formulaFile(), libraries(), noLibraries(), matching(inputFlags), parts(inputFlags),
		}, modelInput(), modelRun()),
		Action: action(p, func(j *job) error {
			return (&ctlRun{job: j}).run()
		}),
	},
		`inev ctl m.aut 'AG [REQ] A[true U {ACK} true]'`,
		`inev ctl m.aut 'EF deadlock' --evidence m.evidence.json`,
		`inev ctl m.aut 'AG AF <ACK> true' --fair strong:ACK`,
		`inev ctl m.aut 'nu X . mu Y . (<ACK> X || <!ACK> Y)'`,
		`inev ctl m.aut 'A[true {REQ} U {ACK} true]' --initial all --format json`)
}

// ctlRun is a run of inev ctl.
type ctlRun struct {
	*job
	formula *branching.Formula
	text    string // the formula as it is shown
	m       *lts.LTS
	initial wmc.States
	// within bounds the number of transitions of an argument; -1 is no bound.
	within int
}

// run carries out inev ctl. All flags are checked before the model is read.
func (q *ctlRun) run() error {
	f, err := readCTL(q.job)
	if err != nil {
		return err
	}
	q.formula = f
	q.text = f.String()
	if err := q.refuseUnfitFlags(); err != nil {
		return err
	}
	drawn, err := q.checkOutputs()
	if err != nil {
		return err
	}
	a, err := q.answer()
	if err != nil {
		return err
	}
	return q.output(a, drawn)
}

// refuseUnfitFlags refuses flags that do not go with the kind of formula.
func (q *ctlRun) refuseUnfitFlags() error {
	if q.formula.Modal == nil {
		if q.formula.Temporal.IsStar() && (q.format == "json" || q.flag("evidence") != "") {
			return q.refuse("%v", errNoStarEvidence)
		}
		return nil
	}
	if len(q.options.Fair) > 0 {
		return q.refuse("--fair: a formula with fixpoints is about transitions, not about fair runs; leave it out")
	}
	if q.c.IsSet("internal") {
		return q.refuse("--internal: a modality is about the labels that it names, hidden or not; name them there")
	}
	return nil
}

// noteOtherCommands adds a note if inev check answers the formula, too.
func (q *ctlRun) noteOtherCommands() error {
	if q.formula.Modal == nil {
		return nil
	}
	f, err := modal.Parse(q.ctx, q.text)
	if err != nil {
		return q.ctx.Err()
	}
	data, hasData := f.(*modal.DataFormula)
	if hasData && q.formula.Modal.HasParameters() {
		_, err := data.Note(q.ctx, q.m.Alphabet())
		if err != nil {
			return q.ctx.Err()
		}
	}
	q.note("the formula is a property of all runs; inev check and inev explain answer it, too")
	return nil
}

// checkOutputs refuses formats and names of files that cannot be written, and reports whether the
// arguments are drawn.
func (q *ctlRun) checkOutputs() (drawn bool, err error) {
	if q.format != "text" && q.format != "json" {
		return false, q.refuse("--format: %s cannot show an argument, which is a tree; choose text or json, or use --html, --svg or --evidence", q.format)
	}
	pictures := q.pictureFiles(drawnAnswer{}) // only their flags and suffixes are needed here
	evidence := artefact{flag: "evidence", suffix: ".json"}
	if err := q.checkArtefacts(slices.Concat([]artefact{evidence}, pictures)); err != nil {
		return false, err
	}
	isRequested := func(a artefact) bool { return q.flag(a.flag) != "" }
	return slices.ContainsFunc(pictures, isRequested), nil
}

// output writes the evidence of an answer to its file, draws the arguments, and prints the answer as
// text or its evidence as JSON.
func (q *ctlRun) output(a *branching.Answer, drawn bool) error {
	q.verdictSoFar = func() string { return "the formula " + a.Verdict() }
	path := q.flag("evidence")
	if path != "" {
		if err := q.save(path, a.WriteEvidence); err != nil {
			return err
		}
	}
	var arguments []*argument.Argument
	if drawn || q.format == "text" {
		found, err := q.arguments(a)
		if err != nil {
			return err
		}
		arguments = found
	}
	if drawn {
		if err := q.draw(a, arguments); err != nil {
			return err
		}
	}
	write := a.WriteEvidence
	if q.format == "text" {
		write = func(w io.Writer) error { return q.writeText(w, a, arguments) }
	}
	if err := q.print(write); err != nil {
		return err
	}
	q.verdictSoFar = nil
	return violatedIf(len(a.Bad) > 0)
}

// answer reads the model, and decides the formula in the states that are asked about.
func (q *ctlRun) answer() (*branching.Answer, error) {
	var hidden []actl.Pattern
	if q.formula.Modal == nil {
		listed, err := q.patternList("internal")
		if err != nil {
			return nil, err
		}
		hidden = listed
	}
	if err := q.readWithin(); err != nil {
		return nil, err
	}
	m, err := q.readModel()
	if err != nil {
		return nil, err
	}
	q.m = m
	q.warn(q.options.Warnings)
	if err := q.noteOtherCommands(); err != nil {
		return nil, err
	}
	q.initial, err = q.readInitial(m)
	if err != nil {
		return nil, err
	}
	question := branchingQuestion(q.job, m, q.formula)
	question.Hidden = hidden
	question.Fair = q.options.Fair
	question.Asked = q.initial
	a, err := branching.Decide(q.ctx, question)
	var predicate *branching.PredicateError
	if errors.As(err, &predicate) {
		return nil, q.inModel(err)
	}
	return a, err
}

// branchingQuestion returns the question whether m satisfies f, with the values of states and the handlers
// of warnings, notes and unmatched patterns from the command line. Hidden, Fair and Asked are left to the
// caller.
func branchingQuestion(j *job, m *lts.LTS, f *branching.Formula) branching.Question {
	return branching.Question{
		Formula:   f,
		Model:     m,
		States:    j.options.States,
		Unmatched: j.refuseUnmatched,
		Warn:      func(warning string) { j.warn([]string{warning}) },
		Note:      j.note,
	}
}

// readWithin reads --within, -1 if it is not given.
func (q *ctlRun) readWithin() error {
	q.within = -1
	text := q.flag("within")
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return q.refuse("--within %s: not a number of transitions, such as 10", text)
	}
	q.within = n
	return nil
}

// readCTL reads the formula, from its operand or from a file.
func readCTL(j *job) (*branching.Formula, error) {
	if j.flag("formula") == "" && len(j.operands) < len(j.expectedOperands()) {
		return nil, j.refuse("FORMULA missing; the command is used as: inev %s %s",
			j.c.Command.Name, j.c.Command.ArgsUsage)
	}
	text, path, err := j.formulaText()
	if err != nil {
		return nil, err
	}
	text, err = j.withPredicates(text)
	if err != nil {
		return nil, err
	}
	parse := func(text string) (*branching.Formula, error) {
		f, notes, err := branching.Parse(j.withLibraries(filepath.Dir(path)), text,
			formula.IsModal(path))
		for _, note := range notes {
			j.note(note)
		}
		var ofRuns *branching.OfRunsError
		if errors.As(err, &ofRuns) {
			return nil, j.refuse("%v", err)
		}
		return f, err
	}
	if path == "" {
		return parse(text)
	}
	return formulafile.Parse(path, []byte(text), parse)
}

// readInitial returns the states that --initial names, ascending.
func (q *ctlRun) readInitial(m *lts.LTS) (wmc.States, error) {
	text := strings.TrimSpace(q.flag("initial"))
	if text == "" {
		return m.Begin(), nil
	}
	isAll := text == "all"
	if isAll {
		text = "0-" + strconv.Itoa(m.NumStates()-1)
	}
	var named wmc.States
	for _, part := range strings.Split(text, ",") {
		first, last, ok := readStateRange(part)
		if !ok {
			return nil, q.refuse("--initial %s: states are numbers, such as 0,4,7-9, or all",
				text)
		}
		if last >= uint64(m.NumStates()) {
			return nil, q.refuse("--initial %s: there is no state %d; the states of the model are 0 to %d", text, last, m.NumStates()-1)
		}
		for s := lts.State(first); s <= lts.State(last); s++ {
			if !m.IsBefore(s) {
				named = append(named, s)
			} else if !isAll {
				return nil, q.refuse("--initial %s: state %d is not in the model: inev added it before the initial states", text, s)
			}
		}
	}
	slices.Sort(named)
	return slices.Compact(named), nil
}

// readStateRange reads a state, such as 4, or a range of states, such as 7-9.
func readStateRange(text string) (first, last uint64, ok bool) {
	from, to, isRange := strings.Cut(strings.TrimSpace(text), "-")
	if !isRange {
		to = from
	}
	first, wrongFirst := strconv.ParseUint(strings.TrimSpace(from), 10, 32)
	last, wrongLast := strconv.ParseUint(strings.TrimSpace(to), 10, 32)
	return first, last, wrongFirst == nil && wrongLast == nil && first <= last
}

// shownArguments is the number of states of each verdict for which the text has arguments.
const shownArguments = 10

// shownLines is the number of lines of an argument about a formula of the mu-calculus.
const shownLines = 25

// arguments returns arguments for the first states of each verdict, cut to the number of
// transitions that --within allows.
func (q *ctlRun) arguments(a *branching.Answer) ([]*argument.Argument, error) {
	all, err := a.Arguments(shownArguments)
	if err != nil || q.within < 0 {
		return all, err
	}
	for i, found := range all {
		all[i] = found.Within(q.within)
	}
	return all, nil
}

// writeText writes the answer for people.
func (q *ctlRun) writeText(w io.Writer, a *branching.Answer, all []*argument.Argument) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s %s", printable.Text(q.options.File), printable.Text(q.text),
		a.Verdict())
	n := len(q.initial)
	switch {
	case n > 1 && len(a.Bad) == 0:
		fmt.Fprintf(b, " in all of %d states", n)
	case n > 1:
		fmt.Fprintf(b, " in %d of %d states", len(a.Bad), n)
	}
	if len(q.options.Fair) > 0 {
		fmt.Fprintf(b, ", among the runs that meet %s",
			printable.Text(strings.Join(assumptionTexts(q.options.Fair), " and ")))
	}
	fmt.Fprint(b, "\n")
	shown := argument.TextOptions{
		Full: q.c.Bool("full"),
		Rest: "; --full shows them.",
	}
	if q.formula.Modal != nil && !shown.Full {
		shown.Lines = shownLines
	}
	for _, found := range all {
		fmt.Fprint(b, "\n")
		if err := found.WriteTextWith(b, q.m, shown); err != nil {
			return err
		}
	}
	left := len(q.initial) - len(all)
	if left > 0 {
		fmt.Fprintf(b, "\nWithout an argument here: %s. --format json names them all.\n",
			printable.Quantity(left, "more state"))
	}
	return b.Flush()
}

// draw writes the requested pictures and page.
func (q *ctlRun) draw(a *branching.Answer, all []*argument.Argument) error {
	engine := graphviz.New(1, wording.CompiledFolder())
	defer engine.Close()
	caption := view.Caption{
		Model:   q.options.File,
		Formula: q.text,
		Verdict: a.Verdict(),
	}
	return q.saveArtefacts(q.pictureFiles(drawnAnswer{
		answer:    a,
		arguments: all,
		picture:   view.NewArgument(q.m, all, caption),
		engine:    engine,
	}))
}

// drawnAnswer is an answer whose arguments are drawn.
type drawnAnswer struct {
	answer    *branching.Answer
	arguments []*argument.Argument
	picture   *view.Argument
	engine    *graphviz.Engine
}

// pictureFiles returns the files with pictures of the arguments.
func (q *ctlRun) pictureFiles(d drawnAnswer) []artefact {
	return []artefact{
		{flag: "html", suffix: ".html", write: func(w io.Writer) error { return q.writePage(w, d) }},
		{flag: "svg", suffix: ".svg", write: func(w io.Writer) error { return draw.SVG(q.ctx, d.engine, w, d.picture, draw.Options{}) }},
		{flag: "png", suffix: ".png", write: func(w io.Writer) error {
			return draw.PNG(q.ctx, d.engine, w, d.picture, draw.Options{Software: "inev " + version()})
		}},
		{flag: "dot", suffix: ".dot", write: func(w io.Writer) error { return draw.DOT(w, d.picture, draw.Options{}) }},
	}
}

// writePage writes the page with the arguments. The page has a caption of its own, so the picture in it has
// none.
func (q *ctlRun) writePage(w io.Writer, d drawnAnswer) error {
	uncaptioned := *d.picture
	uncaptioned.Caption = view.Caption{}
	var picture bytes.Buffer
	if err := draw.SVG(q.ctx, d.engine, &picture, &uncaptioned, draw.Options{}); err != nil {
		return err
	}
	page := argument.Page{
		Model:   q.options.File,
		Formula: q.text,
		Verdict: d.answer.Verdict(),
		Holds:   len(d.answer.Bad) == 0,
		Picture: picture.String(),
	}
	return page.WriteHTML(w, q.m, d.arguments)
}

var errNoStarEvidence = errors.New("a formula of CTL* has no evidence, since parts of it are decided by automata; its text shows the verdict and the runs")
