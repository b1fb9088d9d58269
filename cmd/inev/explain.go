package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	webpage "github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
)

// explainCommand returns inev explain, which shows why a property fails, and writes that to the files that
// other flags name.
func explainCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "explain why a property fails: the run and its decisions",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows whether the property holds and, if it does not, a shortest run that violates
it, the decisions on that run, what would make the property hold, and the nearest
correct run. Exit code: 0 if it holds, 1 if it is violated.

Inev(A, B) holds if A happens and later B on every maximal run: one that goes on
forever, or ends in a deadlock, a state without outgoing transitions.

A decision of a run is a place on it where another transition would have had a
better outcome for this run: it would have made the property certain or kept it
possible. From the point of no return on, no run satisfies the property. For a loop
there is also the shortest way to the step that never happens, and the fairness
under which the property would hold, if there is one.`,
		Flags: slices.Concat(reporting(), ofRuns(),
			[]cli.Flag{lanes(), sharesOf(), specificationFlag()}, []cli.Flag{
				value(alsoFlags, "json", "write everything as JSON to `FILE`.json"),
				value(alsoFlags, "html", "write a page to walk through the run to `FILE`.html"),
				toggle(alsoFlags, engineFlag, "put inev into this page, which then answers further questions without an installed inev"), engineFolder(alsoFlags),
				value(alsoFlags, "svg", "write a picture to `FILE`.svg"),
				value(alsoFlags, "dot", "write a picture for Graphviz to `FILE`.dot"),
				value(resultFlags, showFlag,
					"a column for each of `EXPRESSIONS` about values of states, such as 'waitSet, Len(queue)'; definitions with --tla"),
				toggle(alsoFlags, "no-legend", "draw these pictures without a legend"),
				value(alsoFlags, "trace", "write the counterexample for CADP to `FILE`.seq"),
				value(alsoFlags, "abstracted",
					"write only the counterexample's steps into and out of neighbourhoods to `FILE`.seq"),
				value(alsoFlags, "autx",
					"write the classes for CLEAR's visualiser to `FILE`.autx"),
				value(alsoFlags, "certificate",
					"write evidence for inev verify to `FILE`.json"),
			}, whichRun(), []cli.Flag{another()}, bothInput(), method(), fairness(), []cli.Flag{
				toggle(methodFlags, "no-fairness",
					"do not search for assumptions under which it would hold"),
				value(methodFlags, "faults",
					"count how many labels that match `PATTERNS` a violation needs; show a run with the fewest"),
				value(methodFlags, "rests-on",
					"report what a property that holds depends on: `WHAT` is gates or labels"),
				toggle(methodFlags, "no-holds",
					"leave out bounds and other results about a property that holds"),
				toggle(methodFlags, "no-advice",
					"search neither for what to forbid nor for the nearest correct run"),
			}, modelRun()),
		Action: action(p, func(j *job) error {
			return (&explaining{job: j}).run()
		}),
	},
		`inev explain m.aut 'Inev(REQ, ACK)'`,
		`inev explain m.aut 'Inev(REQ, ACK)' --format markdown --svg m.svg`,
		`inev explain m.aut 'Inev(REQ, ACK)' --pattern 'DROP'`)
}

// recordPicture records the picture of a flag for the report, with notes about what the picture omits.
func (j *explaining) recordPicture(flag string, notes []string) {
	j.pictures = append(j.pictures, render.Picture{File: j.flag(flag), Omitted: notes})
}

// drawForReport draws a picture that accompanies the report; the report has the notes of the view.
func (j *explaining) drawForReport(
	e *explain.Explanation,
	flag string,
	drawView func(*view.Graph, draw.Options) error,
) error {
	g, err := view.Of(j.ctx, e, view.Options{Full: j.c.Bool("full"), Advice: true, Hide: j.hide})
	if err != nil {
		return err
	}
	j.recordPicture(flag, g.Notes)
	return drawView(g.Diagnosed(diagnosis(e)), draw.Options{NoLegend: j.c.Bool("no-legend")})
}

// diagnosis returns the sentence about why the property fails. Captions begin with it.
func diagnosis(e *explain.Explanation) string {
	return render.NewSentences(e, printable.Text).Title()
}

// writePage writes the page.
func (j *explaining) writePage(
	engine draw.Engine,
	w io.Writer,
	e *explain.Explanation,
) (err error) {
	tour, err := j.tour(e)
	if err != nil {
		return err
	}
	o := webpage.Options{
		Command: j.line,
		Version: version(),
		Folder:  filepath.Dir(j.flag("html")),
	}
	if err := j.putEngine(&o, e); err != nil {
		return err
	}
	p, err := webpage.New(j.ctx, engine, e, tour, o)
	if err != nil {
		return err
	}
	j.recordPicture("html", p.Omitted())
	return p.Write(j.ctx, w)
}

// artefacts returns the files in the order in which they are written: later ones mention
// earlier ones.
func (j *explaining) artefacts(engine draw.Engine, e *explain.Explanation) []artefact {
	return []artefact{
		{flag: "html", suffix: ".html", write: func(w io.Writer) error { return j.writePage(engine, w, e) }},
		{flag: "svg", suffix: ".svg", write: func(w io.Writer) error {
			return j.drawForReport(e, "svg", func(g *view.Graph, o draw.Options) error {
				return draw.SVG(j.ctx, engine, w, g, o)
			})
		}},
		{flag: "dot", suffix: ".dot", write: func(w io.Writer) error {
			return j.drawForReport(e, "dot", func(g *view.Graph, o draw.Options) error {
				return draw.DOT(w, g, o)
			})
		}},
		{flag: "json", suffix: ".json", write: func(w io.Writer) error { return j.writeJSON(w, e) }},
		{flag: "trace", suffix: ".seq", write: func(w io.Writer) error { return render.Sequence(w, e, false) }},
		{flag: "abstracted", suffix: ".seq", write: func(w io.Writer) error { return render.Sequence(w, e, true) }},
		{flag: "autx", suffix: ".autx", write: func(w io.Writer) error {
			return writeAutx(&j.call, w, e.Classification(), e.IsUnfolded())
		}},
		{flag: "certificate", suffix: ".json", write: func(w io.Writer) error { return certify.Write(j.ctx, w, e) }},
	}
}

// explaining is a run of inev explain.
type explaining struct {
	*job
	pictures []render.Picture // the pictures written so far
	written  []string         // the flags of the files written so far
}

// run carries out inev explain. If a limit stops the explanation after the verdict, the report shows what is
// known by then. If one stops the writing of files, the error names the verdict and the missing files.
func (j *explaining) run() error {
	if err := j.readFlags(); err != nil {
		return err
	}
	e, err := j.explained()
	if err != nil {
		e, err = j.keepVerdict(e, err)
		if err != nil {
			return err
		}
		return j.reportStopped(e)
	}
	j.noteOnLanes(e)
	if err := j.noteMissingPrevention(e); err != nil {
		return err
	}
	j.verdictSoFar = func() string {
		verdict := "the property is " + e.Verdict.String()
		missing := j.unwritten()
		if missing != "" {
			verdict += "; " + missing
		}
		return verdict
	}
	if err := j.reserveForDecisions(e); err != nil {
		return err
	}
	if err := j.saveArtefacts(e); err != nil {
		return err
	}
	if err := j.reserveForSteps(e); err != nil {
		return err
	}
	j.verdictSoFar = nil
	if err := j.reportOn(e, j.pictures); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error {
		return j.report.Explanation(w, e)
	}); err != nil {
		return err
	}
	return violatedIf(e.Verdict == explain.Violated)
}

// readFlags reads what is explained, and checks, before a long run, what is to be written.
func (j *explaining) readFlags() (err error) {
	// Only JSON, the page and the certificate show paths to neighbourhoods off the run.
	isForPeople := j.format == "text" || j.format == "markdown"
	hasFileWithPaths := j.flag("json") != "" || j.flag("html") != "" || j.flag("certificate") != ""
	j.options.NoPaths = isForPeople && !hasFileWithPaths
	if j.flag("certificate") != "" && j.options.Unfold {
		return j.refuse("--certificate: %s", wording.Text(certify.ErrUnfolded))
	}
	if err := j.checkEngine(); err != nil {
		return err
	}
	if err := j.call.checkArtefacts(j.artefacts(nil, nil)); err != nil {
		return err
	}
	j.options.Faults, err = j.readPatterns("faults")
	if err != nil {
		return err
	}
	j.options.Another, err = j.wholeNumber(anotherFlag, 1, mostAnother,
		fmt.Sprintf("is not a number from 1 to %d", mostAnother))
	if err != nil {
		return err
	}
	j.options.NoReasons = j.c.Bool("no-holds")
	switch restsOn := j.flag("rests-on"); restsOn {
	case "", "gates":
	case "labels":
		j.options.RestsOnLabels = true
	default:
		return j.refuse("--rests-on %s is not gates or labels", restsOn)
	}
	j.lanes, err = j.readLanes()
	return err
}

// checkEngine checks, if --engine is given, that inev for browsers is found and can answer the page.
func (j *explaining) checkEngine() error {
	if !j.c.Bool(engineFlag) {
		return nil
	}
	if len(j.c.StringSlice("fair")) > 1 {
		return j.refuse("--%s: a page asks under one assumption; leave all but one --fair out", engineFlag)
	}
	_, err := engineFiles(j.job)
	return err
}

// reserveForDecisions asks for the memory of JSON, which encodes the choices of a decision as one object.
func (j *explaining) reserveForDecisions(e *explain.Explanation) error {
	if j.format != "json" && j.flag("json") == "" {
		return nil
	}
	const choice = 800 // bytes, measured on stars
	most := 0
	for i := range e.Decisions {
		most = max(most, len(e.Decisions[i].Alternatives))
	}
	return j.reserve(choice * int64(most))
}

// reserveForSteps asks for the memory of a table of all steps, which is built before a line is written.
func (j *explaining) reserveForSteps(e *explain.Explanation) error {
	if !j.c.Bool("full") || e.Counterexample == nil {
		return nil
	}
	const row = 256 // bytes, measured on chains
	return j.reserve(row * int64(len(e.Counterexample.Steps)))
}

// reserve asks for the memory that writing the report takes.
func (j *explaining) reserve(bytes int64) error {
	progress.Start(j.ctx, "write the result", progress.Nothing, 0)
	return resources.Ask(j.ctx, bytes)
}

// saveArtefacts writes the requested files, with one Graphviz for all pictures.
func (j *explaining) saveArtefacts(e *explain.Explanation) error {
	pictures := 1
	if j.flag("html") != "" {
		pictures += view.MaxStops
	}
	engine := graphviz.New(pictures, wording.CompiledFolder())
	defer engine.Close()
	for _, a := range j.artefacts(engine, e) {
		path := j.flag(a.flag)
		switch {
		case path == "":
			continue
		case a.suffix == ".seq" && e.Counterexample == nil: // a missing counterexample is no error
			j.warn([]string{path +
				": not written: the property holds, so there is no counterexample"})
			continue
		}
		drawn := len(j.pictures)
		err := j.save(path, func(w io.Writer) error {
			if err := a.write(w); err != nil {
				return fmt.Errorf("--%s: %w", a.flag, err)
			}
			return nil
		})
		j.noteOmissions(a, j.pictures[drawn:])
		if err != nil {
			return err
		}
		j.written = append(j.written, a.flag)
	}
	return nil
}

// noteOmissions adds notes about what the pictures of a file leave out. A page says that itself.
func (j *explaining) noteOmissions(a artefact, pictures []render.Picture) {
	for _, p := range pictures {
		switch {
		case len(p.Omitted) == 0:
		case a.flag == "html":
			j.note(p.File + " does not show the whole model, and says what it leaves out")
		default:
			j.note(p.File + ": " + strings.Join(p.Omitted, "; "))
		}
	}
}

// putEngine adds the engine to the options of a page, if --engine is given.
func (j *explaining) putEngine(o *webpage.Options, e *explain.Explanation) error {
	if !j.c.Bool(engineFlag) {
		return nil
	}
	if j.tla != nil {
		return j.refuse("%s", noEngine)
	}
	n := e.LTS().NumTransitions()
	if n > mostInBrowser {
		return fmt.Errorf("%s: %s transitions are more than the %s that a browser takes; leave --%s out, and see inev serve",
			j.options.File, progress.Transitions.Format(int64(n)), progress.Transitions.Format(mostInBrowser), engineFlag)
	}
	engine, err := engineFiles(j.job)
	if err != nil {
		return err
	}
	o.Engine = engine
	all := j.c.StringSlice("fair")
	if len(all) == 1 {
		o.Fair = all[0]
	}
	model, modelName, err := j.modelBytes(e)
	if err != nil {
		return err
	}
	o.Model = model
	o.ModelName = modelName
	return nil
}

// modelBytes returns the model for a page: the bytes of its file or, if a browser cannot read
// the format, .aut.
func (j *explaining) modelBytes(e *explain.Explanation) (data []byte, name string, err error) {
	path := j.operands[0]
	if j.carried != nil {
		return j.carried, filepath.Base(path), nil
	}
	name = "model.aut"
	if path != standardInput {
		name = filepath.Base(path) + ".aut"
	}
	var written bytes.Buffer
	if _, err := aut.Write(stoppable.EachWrite(j.ctx, &written), e.LTS()); err != nil {
		return nil, "", err
	}
	return written.Bytes(), name, nil
}

// noteMissingPrevention notes why the text has nothing about who could prevent the violation, if lanes
// name the owners.
func (j *explaining) noteMissingPrevention(e *explain.Explanation) error {
	if j.lanes == nil || e.Verdict != explain.Violated || j.c.Bool("no-advice") {
		return nil
	}
	happening, err := e.LTS().Happening(j.ctx)
	if err != nil {
		return err
	}
	fair := j.options.Fair
	isFullyFair := len(fair) == 1 && fair[0].Kind() == actl.FullFairness
	hasOtherAssumptions := len(fair) > 0 && !isFullyFair
	hasOwners := len(j.lanes.Owners(labelsThatHappen(happening))) > 0
	p := e.Prevention
	switch {
	case p == nil && hasOtherAssumptions:
		j.note("the owners who could prevent the violation are found only under no assumption, or under full fairness (--fair full)")
	case p == nil && hasOwners:
		j.note("the search for the owners who could prevent the violation takes long, and is left out; inev repair --" + byOwner + " finds them")
	case p != nil && j.c.Bool(sharesFlag) && p.Shares == nil:
		j.note(fmt.Sprintf("shares are computed for up to 12 owners, but there are %d",
			len(p.Owners)))
	}
	return nil
}

// labelsThatHappen returns the labels that runs do.
func labelsThatHappen(happening *lts.Alphabet) (texts []string) {
	for l, text := range happening.All() {
		if happening.Happens(l) {
			texts = append(texts, text)
		}
	}
	return texts
}

// unwritten returns a clause that names the requested files that are not written yet; "" if there
// are none.
func (j *explaining) unwritten() string {
	var files []string
	for _, a := range j.artefacts(nil, nil) {
		path := j.flag(a.flag)
		if path != "" && !slices.Contains(j.written, a.flag) {
			files = append(files, path)
		}
	}
	switch len(files) {
	case 0:
		return ""
	case 1:
		return files[0] + " is not written"
	}
	return strings.Join(files, ", ") + " are not written"
}

// reportStopped writes the report, and the file of --json, of an explanation that a limit has stopped. It fails if
// other files were requested.
func (j *explaining) reportStopped(e *explain.Explanation) error {
	j.account(e.Timings, e.Warnings)
	if err := j.saveKnown(e); err != nil {
		return err
	}
	missing := j.unwritten()
	if err := j.print(func(w io.Writer) error {
		return j.report.Explanation(w, e)
	}); err != nil {
		return err
	}
	if missing != "" {
		err := fmt.Errorf("%s, for the explanation was stopped (the property is %s); allow it more time or memory, or ask for less", missing, e.Verdict)
		return errors.Join(err, j.stdout.finish()) // the report is true in any case
	}
	return violatedIf(e.Verdict == explain.Violated)
}

// saveKnown writes the file of --json, if it was requested: as JSON, an incomplete explanation says what it lacks.
func (j *explaining) saveKnown(e *explain.Explanation) error {
	const asJSON = "json"
	path := j.flag(asJSON)
	if path == "" {
		return nil
	}
	j.written = append(j.written, asJSON)
	return j.save(path, func(w io.Writer) error { return j.writeJSON(w, e) })
}

// writeJSON writes the explanation as JSON.
func (j *explaining) writeJSON(w io.Writer, e *explain.Explanation) error {
	writer, err := render.New("json", render.Options{Pictures: j.pictures})
	if err != nil {
		return err
	}
	return writer.Explanation(w, e)
}

const (
	// engineFlag puts inev for browsers, the engine, into a page.
	engineFlag = "engine"
	// engineFolderFlag names the folder with inev for browsers.
	engineFolderFlag = "engine-dir"
)

func engineFolder(group flagGroup) cli.Flag {
	return value(group, engineFolderFlag,
		"take inev for browsers from the folder `DIR`; releases contain it")
}

// mostInBrowser is the largest number of transitions of a model in a browser: more would take minutes, and
// more memory than a page has.
const mostInBrowser = 2_000_000
