//go:build !js

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/star"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// internalLabels are the labels that are hidden by default.
const internalLabels = "i, tau"

func ctlCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "check a CTL formula, with a witness or a counterexample",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows whether the initial state satisfies a formula of computation tree logic (CTL),
and why. Exit code: 0 if it does, 1 if it does not. A formula is made of:

  EF f, AF f, EG f, AG f  on some (E), every (A) run f holds once (F), always
  E[f U g], A[f U g]      f holds until g does; also R, W and M
  E[f {a} U {b} g]        by transitions a or hidden ones, then by one of b
  <a> f, [a] f            some, every transition labelled a leads to f
  EX f, AX f              some, every transition leads to f
  E[f], A[f] of CTL*      F, G, X, U, R, W, M and {a} (a step by a) mixed
  p, pc=3                 a value of the state
  true, false, deadlock, !, &&, ||, ->

Labels are patterns as in Inev(A, B). Runs are maximal: they go on forever or end in a
deadlock. A formula may also be any one of MCL or the mu-calculus of mCRL2, with data too:
[ true* . {PUT ?n:nat} ] < true* . {GET !n} > true, or nu X . mu Y . (<a> X || <!a> Y).

The argument is a run, a tree of runs, or layers of states through which all runs go.
With --fair, some and all runs are those that meet the assumption, as for inev explain.
With --initial, other states are asked about; at most ten get an argument, and the
formula holds if it does in all of them. inev verify checks the arguments that
--evidence writes, transition by transition.`,
		Flags: slices.Concat([]cli.Flag{
			preset(value(resultFlags, "format", "`FORMAT` is text or json"), "text"), value(resultFlags, "o", "write to `FILE`.txt or .json (its format)"),
			value(alsoFlags, "html", "write the argument as a page to `FILE`.html"),
			value(alsoFlags, "svg", "write a picture of it to `FILE`.svg"),
			value(alsoFlags, "png", "write a picture of it to `FILE`.png"),
			value(alsoFlags, "dot", "write a picture of it for Graphviz to `FILE`.dot"),
			value(alsoFlags, "evidence", "write evidence for inev verify to `FILE`.json"),
		}, []cli.Flag{
			unset(value(inputFlags, "initial", "ask about these `STATES`, such as 0,4,7-9, or all"), "the initial state"),
			preset(value(inputFlags, "internal", "labels hidden in U with labels: `PATTERNS` or none"), internalLabels), stateValues(),
			value(methodFlags, "within", "show the runs only if they have at most `N` transitions in all"),
		}, justFairness(), []cli.Flag{
			value(inputFlags, tlaFlag, "read definitions of the specification in `FILE`.tla as predicates of states"),
			formulaFile(), libraries(), noLibraries(), matching(inputFlags), parts(inputFlags),
		}, modelInput(), modelRun()),
		Action: action(p, func(j *job) error { return (&branching{job: j}).run() }),
	},
		`inev ctl m.aut 'AG [REQ] A[true U {ACK} true]'`,
		`inev ctl m.aut 'EF deadlock' --evidence m.evidence.json`,
		`inev ctl m.aut 'AG AF <ACK> true' --fair strong:ACK`,
		`inev ctl m.aut 'nu X . mu Y . (<ACK> X || <!ACK> Y)'`,
		`inev ctl m.aut 'A[true {REQ} U {ACK} true]' --initial all --format json`)
}

// branching is a run of inev ctl: a question and its parts.
type branching struct {
	*job
	m       *lts.LTS
	text    string // the formula as it is shown
	f       *syntax.Formula
	closure *syntax.Closure
	means   [][]bool
	hidden  []string
	initial wmc.States
	holding func(syntax.Predicate) (wmc.States, error)
	// star has the verdicts on the parts of a formula of CTL*; nil for other formulas.
	star *star.Reduced
	sets *wmc.Explicit
	// fair is the assumption that runs must satisfy; nil if all runs count.
	fair *property.Fairness
	// within bounds the number of transitions of an argument; -1 is no bound.
	within int
}

// branchingAnswer splits the states asked about: the formula holds in the states of good,
// and not in the states of bad.
type branchingAnswer struct {
	good, bad wmc.States
	// write writes the evidence; argument returns the arguments for single states.
	write    func(io.Writer) error
	argument func() (arguer, error)
}

// arguer makes arguments for single states.
type arguer interface {
	Argue(s lts.State) (*argument.Argument, error)
}

func (q *branching) run() error {
	f, written, err := readCTL(q.job)
	if err != nil {
		return err
	}
	if written != nil {
		return (&fixpoints{branching: q, formula: written}).run()
	}
	q.f = f
	q.text = f.String()
	if (q.format == "json" || q.flag("evidence") != "") && f.IsStar() {
		return q.refuse("%v", errNoStarEvidence)
	}
	drawn, err := q.checkOutputs()
	if err != nil {
		return err
	}
	if err := q.read(); err != nil {
		return err
	}
	a, err := q.answer()
	if err != nil {
		return err
	}
	return q.tell(a, drawn)
}

// checkOutputs refuses formats and names of files that cannot be written, and reports whether the
// arguments are drawn.
func (q *branching) checkOutputs() (drawn bool, err error) {
	if q.format != "text" && q.format != "json" {
		return false, q.refuse("--format: %s cannot show an argument, which is a tree; choose text or json, or use --html, --svg or --evidence", q.format)
	}
	pictures := q.pictures(nil, nil, nil)
	if err := q.checkArtefacts(append([]artefact{{flag: "evidence", suffix: ".json"}}, pictures...)); err != nil {
		return false, err
	}
	return slices.ContainsFunc(pictures, func(a artefact) bool { return q.flag(a.flag) != "" }), nil
}

// tell writes the evidence of an answer, draws and prints it.
func (q *branching) tell(a *branchingAnswer, drawn bool) error {
	q.unsaid = func() string { return "the formula " + verdictOf(a) }
	if path := q.flag("evidence"); path != "" {
		if err := q.save(path, a.write); err != nil {
			return err
		}
	}
	var all []*argument.Argument
	if drawn || q.format == "text" {
		found, err := q.arguments(a)
		if err != nil {
			return err
		}
		all = found
	}
	if drawn {
		if err := q.draw(a, all); err != nil {
			return err
		}
	}
	write := a.write
	if q.format == "text" {
		write = func(w io.Writer) error { return q.writeText(w, a, all) }
	}
	if err := q.print(write); err != nil {
		return err
	}
	q.unsaid = nil
	return violatedIf(len(a.bad) > 0)
}

// answer decides the formula, over all runs or over fair ones.
func (q *branching) answer() (*branchingAnswer, error) {
	if q.fair != nil {
		d, err := fair.Decide(q.ctx, fair.Question{
			Model: q.m, Closure: q.closure, Means: q.means, Asked: q.initial, Fairness: q.fair,
			Holding: func(p syntax.Predicate) ([]lts.State, error) { return q.holding(p) },
		})
		if err != nil {
			return nil, err
		}
		var left []string
		for _, s := range q.initial {
			if !d.IsAdmitted(s) {
				left = append(left, fmt.Sprint(s))
			}
		}
		if n := len(left); n > 0 {
			if n > shownArguments {
				left = append(left[:shownArguments], "…")
			}
			q.warn([]string{fmt.Sprintf("no run is admitted by the assumptions from %s (%s): A holds there, and E does not", printable.Quantity(n, "state"), strings.Join(left, ", "))})
		}
		return &branchingAnswer{
			good: d.Good, bad: d.Bad,
			write: func(w io.Writer) error {
				return fair.WriteJSON(w, fair.Asked{Formula: q.f.String(), Internal: q.hidden, Fair: assumptionTexts(q.options.Fair)}, d)
			},
			argument: func() (arguer, error) { return argument.NewFair(q.ctx, d) },
		}, nil
	}
	a, err := wmc.Check(q.ctx, q.sets, q.closure, q.initial, wmc.Options{})
	if err != nil {
		return nil, err
	}
	return &branchingAnswer{
		good: a.Good, bad: a.Bad,
		write: func(w io.Writer) error {
			return wmc.Question{Model: q.m, Formula: q.f.String(), Internal: q.hidden}.WriteJSON(w, a)
		},
		argument: func() (arguer, error) {
			return argument.New(q.ctx, q.m, q.sets, q.closure, q.means, q.initial)
		},
	}, nil
}

// read reads the model and the formula, and binds the formula to the model.
func (q *branching) read() (err error) {
	hidden, err := q.listed("internal")
	if err != nil {
		return err
	}
	for _, p := range hidden {
		q.hidden = append(q.hidden, p.String())
	}
	if err := q.readWithin(); err != nil {
		return err
	}
	q.m, err = q.readModel()
	if err != nil {
		return err
	}
	q.warn(q.options.Warnings)
	if !q.f.IsStar() {
		q.closure = q.f.Closure()
		if err := q.bind(hidden); err != nil {
			return err
		}
	}
	q.initial, err = q.readInitial(q.m)
	if err != nil {
		return err
	}
	if err := q.m.FindPredecessors(q.ctx); err != nil {
		return err
	}
	if err := q.bindAssumptions(); err != nil {
		return err
	}
	q.holding = q.statesOf
	if q.f.IsStar() {
		if err := q.reduce(hidden); err != nil {
			return err
		}
	}
	q.sets = wmc.NewExplicit(q.m, q.means, q.holding)
	return nil
}

// readWithin reads --within, -1 if it is not given.
func (q *branching) readWithin() error {
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

// bindAssumptions binds the assumptions of --fair to the model, and warns of those that do not fit it.
func (q *branching) bindAssumptions() (err error) {
	var warnings []string
	q.fair, warnings, err = actl.BindAssumptions(q.ctx, q.options.Fair, q.m.Alphabet())
	if err != nil {
		return err
	}
	misfit, err := q.fair.Misfit(q.ctx, q.m)
	if err != nil {
		return err
	}
	if misfit != "" {
		warnings = append(warnings, misfit)
	}
	q.warn(warnings)
	return nil
}

// statesOf returns the states where a predicate about values holds.
func (q *branching) statesOf(p syntax.Predicate) (wmc.States, error) {
	holds, err := p.In(q.options.States)
	if err != nil {
		return nil, q.lacking(err)
	}
	s, is, err := p.Unvalued(q.ctx, q.m, q.options.States)
	if err != nil {
		return nil, err
	}
	if is {
		q.warn([]string{fmt.Sprintf("%s: state %d has no value to compare; where there is none, no comparison holds, not even !=", p, s)})
	}
	var in wmc.States
	for s := range lts.State(q.m.NumStates()) {
		if holds(s) {
			in = append(in, s)
		}
	}
	return in, nil
}

// reduce decides the path subformulas of a formula of CTL*, which leaves a formula of CTL.
func (q *branching) reduce(hidden []actl.Pattern) (err error) {
	q.star, err = star.Reduce(q.ctx, star.Question{
		Model:    q.m,
		Formula:  q.f,
		Hidden:   hidden,
		Holding:  q.holding,
		Asked:    q.initial,
		Fairness: q.fair,
	})
	if err != nil {
		return err
	}
	q.warn(q.star.Warnings)
	q.closure = q.star.Formula.Closure()
	q.holding = q.star.Holding
	return q.bind(hidden)
}

// lacking returns the error for a predicate that the model lacks. If the model has no values at all,
// an action may be meant.
func (q *branching) lacking(err error) error {
	var unknown *syntax.UnknownPredicateError
	if errors.As(err, &unknown) && len(unknown.Names) == 0 {
		if linear := ofActions(q.ctx, q.f.String()); linear != "" {
			return fmt.Errorf("%s: %w; about the actions of all runs it is written %s, which inev check answers", q.options.File, err, linear)
		}
	}
	return fmt.Errorf("%s: %w", q.options.File, err)
}

// bind finds the labels that match the patterns of the formula.
func (q *branching) bind(hidden []actl.Pattern) error {
	if err := q.unmatched(q.closure.Unmatched(q.ctx, q.m.Alphabet())); err != nil {
		return err
	}
	var warnings []string
	var err error
	q.means, warnings, err = q.closure.Bind(q.ctx, q.m.Alphabet(), hidden)
	if err != nil {
		return err
	}
	q.warn(warnings)
	return nil
}

// readCTL reads the formula, from its operand or from a file. A formula of the mu-calculus that has no
// form in computation tree logic is the second result instead.
func readCTL(j *job) (*syntax.Formula, *modal.Written, error) {
	if j.flag("formula") == "" && len(j.operands) < len(j.usage()) {
		return nil, nil, j.refuse("FORMULA missing; the command is used as: inev %s %s", j.c.Command.Name, j.c.Command.ArgsUsage)
	}
	text, path, err := j.formulaText()
	if err != nil {
		return nil, nil, err
	}
	text, err = j.withPredicates(text)
	if err != nil {
		return nil, nil, err
	}
	var written *modal.Written
	parse := func(text string) (*syntax.Formula, error) {
		f, g, err := parseCTL(j, j.withLibraries(filepath.Dir(path)), text, formula.IsModal(path))
		written = g
		return f, err
	}
	if path == "" {
		f, err := parse(text)
		return f, written, err
	}
	f, err := formulafile.Parse(path, []byte(text), parse)
	return f, written, err
}

// modalOnly matches an expression of MCL that is hardly meant as a pattern of labels in computation
// tree logic, a fixpoint, or an offer that binds.
var modalOnly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\[<]\s*true\s*\*|\b(mu|nu)\s+[A-Za-z_]\w*\s*[.(]|\{[^{}"]*\?\s*[A-Za-z_]\w*\s*(:|of\b|[!?}]|\.\.\.)|\{[^{}]*\swhere\s|\b(forall|exists)\s+[A-Za-z_]\w*\s*[:,]|\bval\s*\(`)
})

// quoted matches texts between double quotes, in which no sign has a meaning. hasRegular matches a
// modality with signs of regular formulas, or with an action formula in braces, parentheses or single
// quotes. bareSigns matches a modality with * or | outside of quotes: in computation tree logic, b* is
// a pattern of labels and a|b a disjunction; in the other logics, b* is a repetition, and a|b of mCRL2
// the label of two actions.
var (
	quoted     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })
	hasRegular = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[\[<]\s*[({'][^\]>]*[\]>]|[\[<][^\]>=]*[*+|.][^\]>]*[\]>]`)
	})
	bareSigns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\[<][^\]>']*[*|][^\]>]*[\]>]`) })
)

// isRegular reports whether a text is a formula of MCL or of mCRL2, with a modality that has another meaning in
// computation tree logic.
func isRegular(ctx context.Context, text string) bool {
	if !hasRegular().MatchString(quoted().ReplaceAllString(text, `""`)) {
		return false
	}
	_, err := modal.Read(ctx, text)
	return err == nil
}

// mostEchoed is the largest length of a formula in a note about how it is read.
const mostEchoed = 400

// parseCTL reads a formula of computation tree logic, or a formula of MCL or of the mu-calculus of
// mCRL2: as an equivalent one of computation tree logic, or else as it is written. isModal, from the name
// of the file, decides about texts that have different meanings in computation tree logic and in
// the other logics.
func parseCTL(j *job, ctx context.Context, text string, isModal bool) (*syntax.Formula, *modal.Written, error) {
	isModal = isModal || modalOnly().MatchString(text)
	f, err := syntax.ParseStar(ctx, text)
	if err == nil && !isModal && !isRegular(ctx, text) {
		return f, nil, ctx.Err()
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err == nil && !isModal {
		isModal = true
		if bareSigns().MatchString(quoted().ReplaceAllString(text, "")) {
			j.note("* and | in modalities are those of the mu-calculus; a pattern of labels is written like /^b/")
		}
	}
	same := ""
	var wrong error
	if isModal || modal.Begins(text) {
		same, wrong = modal.Branching(ctx, text)
	}
	if same != "" {
		j.note("the formula is read as " + printable.Cut(printable.Text(same), mostEchoed))
		f, err := syntax.ParseStar(ctx, same)
		return f, nil, err
	}
	if isModal || modal.Begins(text) && wrong == nil {
		written, wrong := modal.Read(ctx, text)
		if wrong != nil {
			return nil, nil, wrong
		}
		return nil, written, nil
	}
	if _, wrong := formula.Parse(ctx, text); wrong == nil {
		return nil, nil, j.refuse("%s is a property of runs, and no formula of computation tree logic; inev check and inev explain answer it", printable.Echo(text))
	}
	if wrong != nil && readsFurther(wrong, err) {
		return nil, nil, wrong
	}
	return nil, nil, err
}

// readsFurther reports whether the reader that fails with err has read at least as much of a text as
// the one that fails with other: the place of err is not before that of other, or one of the errors is
// not about the syntax (but about a library, for example).
func readsFurther(err, other error) bool {
	var at, before *actl.SyntaxError
	if !errors.As(err, &at) || !errors.As(other, &before) {
		return true
	}
	return at.Offset >= before.Offset
}

// readInitial returns the states that --initial names, ascending.
func (q *branching) readInitial(m *lts.LTS) (wmc.States, error) {
	text := strings.TrimSpace(q.flag("initial"))
	if text == "" {
		return m.Begin(), nil
	}
	all := text == "all"
	if all {
		text = "0-" + strconv.Itoa(m.NumStates()-1)
	}
	var found wmc.States
	for _, part := range strings.Split(text, ",") {
		first, last, isRow := strings.Cut(strings.TrimSpace(part), "-")
		if !isRow {
			last = first
		}
		from, err := strconv.ParseUint(strings.TrimSpace(first), 10, 32)
		to, wrong := strconv.ParseUint(strings.TrimSpace(last), 10, 32)
		if err != nil || wrong != nil || from > to {
			return nil, q.refuse("--initial %s: states are numbers, such as 0,4,7-9, or all", text)
		}
		if to >= uint64(m.NumStates()) {
			return nil, q.refuse("--initial %s: there is no state %d; the states of the model are 0 to %d", text, to, m.NumStates()-1)
		}
		for s := from; s <= to; s++ {
			switch {
			case !m.IsBefore(lts.State(s)):
				found = append(found, lts.State(s))
			case !all:
				return nil, q.refuse("--initial %s: state %d is not in the model: inev added it before the initial states", text, s)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// shownArguments is the number of states of each verdict for which the text has arguments.
const shownArguments = 10

// arguments returns arguments for the first states of each verdict, first those for states that
// violate the formula.
func (q *branching) arguments(a *branchingAnswer) ([]*argument.Argument, error) {
	x, err := a.argument()
	if err != nil {
		return nil, err
	}
	var all []*argument.Argument
	for _, part := range []wmc.States{a.bad, a.good} {
		for _, s := range part[:min(len(part), shownArguments)] {
			found, err := x.Argue(s)
			if err != nil {
				return nil, err
			}
			if q.star != nil {
				if err := q.star.Argue(found); err != nil {
					return nil, err
				}
			}
			if q.within >= 0 {
				found = found.Within(q.within)
			}
			all = append(all, found)
		}
	}
	return all, nil
}

// verdictOf returns the verdict in words.
func verdictOf(a *branchingAnswer) string {
	if len(a.bad) > 0 {
		return "does not hold"
	}
	return "holds"
}

// writeText writes the answer for people.
func (q *branching) writeText(w io.Writer, a *branchingAnswer, all []*argument.Argument) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s %s", printable.Text(q.options.File), printable.Text(q.text), verdictOf(a))
	n := len(q.initial)
	switch {
	case n > 1 && len(a.bad) == 0:
		fmt.Fprintf(b, " in all of %d states", n)
	case n > 1:
		fmt.Fprintf(b, " in %d of %d states", len(a.bad), n)
	}
	if len(q.options.Fair) > 0 {
		fmt.Fprintf(b, ", among the runs that meet %s", printable.Text(strings.Join(assumptionTexts(q.options.Fair), " and ")))
	}
	fmt.Fprint(b, "\n")
	for _, found := range all {
		fmt.Fprint(b, "\n")
		if err := found.WriteText(b, q.m); err != nil {
			return err
		}
	}
	if left := len(q.initial) - len(all); left > 0 {
		fmt.Fprintf(b, "\nWithout an argument here: %s. --format json names them all.\n", printable.Quantity(left, "more state"))
	}
	return b.Flush()
}

// draw writes the requested pictures and page.
func (q *branching) draw(a *branchingAnswer, all []*argument.Argument) error {
	engine := graphviz.New(1, wording.CompiledFolder())
	defer engine.Close()
	return q.saveArtefacts(q.pictures(engine, a, view.NewArgument(q.m, all, view.Caption{Model: q.options.File, Formula: q.text, Verdict: verdictOf(a)}), all...))
}

// pictures are the files that show arguments, given the picture of these.
func (q *branching) pictures(engine *graphviz.Engine, a *branchingAnswer, p *view.Argument, all ...*argument.Argument) []artefact {
	return []artefact{
		{"html", ".html", func(w io.Writer) error {
			var picture bytes.Buffer
			// The page has its own caption.
			shown := *p
			shown.Caption = view.Caption{}
			if err := draw.SVG(q.ctx, engine, &picture, &shown, draw.Options{}); err != nil {
				return err
			}
			return argument.Page{Model: q.options.File, Formula: q.text, Verdict: verdictOf(a), Holds: len(a.bad) == 0, Picture: picture.String()}.WriteHTML(w, q.m, all)
		}},
		{"svg", ".svg", func(w io.Writer) error { return draw.SVG(q.ctx, engine, w, p, draw.Options{}) }},
		{"png", ".png", func(w io.Writer) error {
			return draw.PNG(q.ctx, engine, w, p, draw.Options{Software: "inev " + version()})
		}},
		{"dot", ".dot", func(w io.Writer) error { return draw.DOT(w, p, draw.Options{}) }},
	}
}

var errNoStarEvidence = errors.New("a formula of CTL* has no evidence, since parts of it are decided by automata; its text shows the verdict and the runs")
