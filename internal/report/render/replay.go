package render

import (
	"bufio"
	"cmp"
	_ "embed" // the style and the template
	"fmt"
	"html/template"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// shownCases is the number of cases in the table of a text that is not full.
const shownCases = 12

// replayProse puts a replayed log into sentences.
type replayProse struct {
	r *replay.Result
	prose
}

func newReplayProse(r *replay.Result, full bool, quote func(string) string) *replayProse {
	return &replayProse{r, prose{quote: quote, full: full}}
}

// headline returns the sentence that the log fits the model, or does not fit it.
func (p *replayProse) headline() string {
	if len(p.r.Cases) == 1 {
		return p.fitText(&p.r.Cases[0])
	}
	text := fmt.Sprintf("%d of the %d cases of %s fit %s", p.r.Fitting(), len(p.r.Cases),
		p.quote(p.r.LogFile), p.quote(p.r.ModelFile))
	fates := map[string]int{}
	for f, cases := range p.r.Fates() {
		fates[f.String()] = cases
	}
	if len(fates) == 0 {
		return text + "."
	}
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(fates)) { // lost, open, sure: the worst first
		parts = append(parts, fmt.Sprintf("%s in %d", f, fates[f]))
	}
	return fmt.Sprintf("%s; %s is %s.", text, p.quote(p.r.Formula),
		printable.List(parts, "and"))
}

// fitText says whether the only case fits: whether a run has its events or, if none has, how far the case
// deviates.
func (p *replayProse) fitText(c *replay.CaseResult) string {
	log := p.quote(p.r.LogFile)
	model := p.quote(p.r.ModelFile)
	events := printable.Quantity(c.Events, "event")
	var parts []string
	r := newCaseRow(c)
	if r.Skipped > 0 {
		parts = append(parts, printable.Quantity(r.Skipped, "event")+" skipped")
	}
	if r.Missing > 0 {
		parts = append(parts, printable.Quantity(r.Missing, "action")+" missing")
	}
	switch {
	case len(parts) > 0:
		return fmt.Sprintf("%s deviates from %s: %s, and no run of the model comes nearer to its %s.", log, model, printable.List(parts, "and"), events)
	case c.Events == 0:
		return fmt.Sprintf("%s has no events, and fits %s.", log, model)
	}
	return fmt.Sprintf("%s fits %s: a run does its %s.", log, model, events)
}

// event names an event by its number and name.
func (p *replayProse) event(number int, name string) string {
	return fmt.Sprintf("event %d, %s", number, p.quote(name))
}

// onLine names the line of an event in the log; "" if the line is unknown.
func onLine(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d)", line)
}

// deviationText describes a deviation of a case from the run that it is aligned with.
func (p *replayProse) deviationText(d replay.Deviation) string {
	if d.Kind == replay.InModel {
		return fmt.Sprintf("Before %s%s, the log lacks %s, which the run takes in state %d.",
			p.event(d.Event, d.Next), onLine(d.Line), p.quote(d.Label), d.State)
	}
	text := "E" + p.event(d.Event, d.Label)[1:] + onLine(d.Line)
	switch {
	case slices.ContainsFunc(p.r.Unknown, func(u replay.Unknown) bool { return u.Name == d.Label }):
		text += ": the model has no such label"
	case d.Allowed:
		return fmt.Sprintf("%s, is skipped: it is possible %s, but doing it saves no deviation.", text, place(d))
	default:
		text += ": not possible " + place(d)
	}
	if len(d.Possible) == 0 {
		return text + ", where nothing is possible."
	}
	return fmt.Sprintf("%s; possible: %s.", text, listed(&p.prose, d.Possible, p.quote, "", ""))
}

// place names the state in which a case deviates.
func place(d replay.Deviation) string {
	if d.Start {
		return "where runs begin"
	}
	return fmt.Sprintf("in state %d", d.State)
}

// fateText describes the fate of the property on all runs that begin with a case. If the case does not
// fit, it is about the runs with the fewest deviations.
func (p *replayProse) fateText(c *replay.CaseResult) string {
	formula := p.quote(p.r.Formula)
	runs := "run with this log"
	if !c.Fits {
		runs = "run that comes nearest to the log"
	}
	since := "from the start"
	at := c.Property
	if at.Since != nil && *at.Since > 0 {
		since = "after " + p.event(*at.Since, at.Event) + onLine(at.Line)
	}
	switch {
	case c.Property.Fate.IsSure():
		return fmt.Sprintf("%s is sure %s: every %s satisfies it, however it goes on.", formula,
			since, runs)
	case c.Property.Fate.IsLost():
		return fmt.Sprintf("%s is lost %s: no %s satisfies it, however it goes on.", formula,
			since, runs)
	}
	return fmt.Sprintf("%s is open: some %s satisfies it, and some does not.", formula, runs)
}

// afterLog describes the fate of the property after a case, and names the states in which a run can be.
func (p *replayProse) afterLog(c *replay.CaseResult) (sentences []string) {
	if c.Property != nil {
		sentences = append(sentences, p.fateText(c))
	}
	if len(c.States) == 1 {
		return append(sentences, fmt.Sprintf("After the log the run is in state %d.", c.States[0]))
	}
	return append(sentences,
		fmt.Sprintf("After the log a run can be in the states %s.",
			listed(&p.prose, c.States, func(s lts.State) string { return fmt.Sprint(s) }, "",
				"and")))
}

// deviations returns the sentences about the deviations of the only case.
func (p *replayProse) deviations() (sentences []string) {
	c := &p.r.Cases[0]
	n := p.numNamed(len(c.Deviations))
	for _, d := range c.Deviations[:n] {
		sentences = append(sentences, p.deviationText(d))
	}
	more := len(c.Deviations) - n
	if more > 0 {
		sentences = append(sentences, fmt.Sprintf("… and %d more.", more))
	}
	return sentences
}

// shown returns the cases of the table.
func (p *replayProse) shown() []*replay.CaseResult {
	if p.full {
		return p.worst(len(p.r.Cases))
	}
	return p.worst(shownCases)
}

// worst returns some cases, at most the given number. If all cases fit, they are in the order of
// the log. Otherwise cases that deviate or lose the property come first.
func (p *replayProse) worst(room int) []*replay.CaseResult {
	all := make([]*replay.CaseResult, 0, len(p.r.Cases))
	for i := range p.r.Cases {
		all = append(all, &p.r.Cases[i])
	}
	if len(all) <= room {
		return all
	}
	rank := func(c *replay.CaseResult) int {
		switch {
		case c.Property != nil && c.Property.Fate.IsLost():
			return 0
		case !c.Fits:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b *replay.CaseResult) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.Cost, b.Cost))
	})
	return all[:room]
}

// deviationWord names a kind of deviation.
func deviationWord(k replay.Kind) string {
	if k == replay.InLog {
		return "skipped"
	}
	return "missing"
}

// frequencies is a table of the most frequent deviations.
func (p *replayProse) frequencies() tableWriter {
	return tableOf("deviations: | cases: | what | label", func(t *table) error {
		for _, f := range p.r.Frequent[:p.numNamed(len(p.r.Frequent))] {
			if err := t.row(f.Deviations, f.Cases, deviationWord(f.Kind), modelText(f.Label)); err != nil {
				return err
			}
		}
		return nil
	}, 0, 0, len("skipped"))
}

// cases writes the cases as a table.
func (p *replayProse) cases(w io.Writer, l layout) error {
	all := p.shown()
	widest := 0
	for _, c := range all {
		widest = max(widest, displayWidth(l.label(c.Name)))
	}
	columns := "case | events: | fits | skipped: | missing:"
	if p.r.Formula != "" {
		columns += " | property | since:"
	}
	t := newTable(w, l, columns, widest, 7)
	for _, c := range all {
		r := newCaseRow(c)
		cells := []any{
			modelText(c.Name),
			c.Events,
			map[bool]string{true: "yes", false: "no"}[c.Fits],
			r.Skipped,
			r.Missing,
		}
		if p.r.Formula != "" {
			cells = append(cells, r.Fate, r.Since)
		}
		if err := t.row(cells...); err != nil {
			return err
		}
	}
	return t.flush()
}

// replayResult is the result of a replay. Cost of writing it: O(size).
func replayResult(found *replay.Result) result {
	return result{
		prose: func(s *sheet) { tellReplay(s, found) },
		table: tableOf("case | events | fits | skipped | missing | property | since | states", func(t *table) error {
			for i := range found.Cases {
				r := newCaseRow(&found.Cases[i])
				states := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.States), "[]"), " ", ",")
				if err := t.row(modelText(r.Name), r.Events, r.Fits, r.Skipped, r.Missing, r.Fate, r.Since, states); err != nil {
					return err
				}
			}
			return nil
		}),
		schema: "inev.replay/1",
		json: func(d *document, _ Options) {
			d.field("model", found.ModelFile)
			d.field("log", found.LogFile)
			if found.Formula == "" {
				d.field("formula", nil)
			} else {
				d.field("formula", found.Formula)
			}
			d.field("fits", found.Fitting())
			d.field("cases", found.Cases)
			d.field("frequent", found.Frequent)
			d.field("unknown", found.Unknown)
			d.field("left_out", found.LeftOut)
			d.field("broken", found.Broken)
			d.field("other_records", found.Others)
			d.field("backwards", found.Backwards)
			p := newReplayProse(found, false, sentenceText)
			sentences := []string{p.headline()}
			if len(found.Cases) == 1 {
				sentences = slices.Concat(sentences, p.deviations(), p.afterLog(&found.Cases[0]))
			}
			d.field("sentences", sentences)
			d.field("warnings", found.Warnings)
		},
	}
}

// tellReplay writes the result of replaying a log, for people.
func tellReplay(s *sheet, found *replay.Result) {
	o := s.o
	p := newReplayProse(found, o.Full, s.quote)
	style := bold
	if found.Deviates() {
		style += red
	}
	s.title(style, p.headline())
	s.warnings(found.Warnings)
	if len(found.Cases) == 1 {
		s.items("  ", p.deviations())
		s.paragraphs("  ", p.afterLog(&found.Cases[0])...)
		return
	}
	for _, part := range []struct {
		title, noun string
		all, shown  int
		write       tableWriter
	}{{"Deviations", "kind of deviation", len(found.Frequent), p.numNamed(len(found.Frequent)), p.frequencies()}, {"Cases", "case", len(found.Cases), len(p.shown()), p.cases}} {
		if part.all == 0 {
			continue
		}
		if s.markdown {
			s.line("")
		} else {
			s.heading(part.title)
		}
		s.table(part.write)
		more := part.all - part.shown
		if more > 0 {
			others := "… and " + printable.Quantity(more, "other "+part.noun)
			if o.MoreBy != "" && !s.markdown {
				others += " (" + o.MoreBy + ")"
			}
			s.separate()
			s.line(others)
		}
	}
}

//go:embed replay.css
var replayStyle string

//go:embed replay.html
var replaySource string

// replayTemplate is the template. It is parsed when the first page is written.
var replayTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("replay").Funcs(template.FuncMap{
		"text": sentenceText, "what": deviationWord,
		"deviates": (*replay.Result).Deviates, // templates of releases call no methods
	}).Parse(replaySource))
})

// Bounds on a page: rows of the table, cases with sentences, and deviations of a case.
const (
	pageRows       = 1000
	pageCases      = 100
	pageDeviations = 200
)

// replayPage is the data of the template: the result with the rows that the page has room for.
type replayPage struct {
	*replay.Result
	First                   string
	Single                  *saidOfCase
	Frequent                []replay.Frequency
	MoreFrequent, MoreCases int
	Cases, Details          []caseRow
}

// caseRow is a case with the numbers of its skipped events and missing actions. It also has the fate of
// the property as a word, and the event that decides it; without a property, both are "". Said is nil
// unless the case needs a look.
type caseRow struct {
	*replay.CaseResult
	Skipped, Missing int
	Fate, Since      string
	Said             *saidOfCase
}

// newCaseRow returns the row of a case. A deviation either skips an event of the log, or is a step of
// the model that the log lacks.
func newCaseRow(c *replay.CaseResult) caseRow {
	r := caseRow{CaseResult: c}
	for i := range c.Deviations {
		if c.Deviations[i].Kind == replay.InLog {
			r.Skipped++
		}
	}
	r.Missing = c.Cost - r.Skipped
	judged := c.Property
	if judged != nil {
		r.Fate = judged.Fate.String()
		if judged.Since != nil {
			r.Since = strconv.Itoa(*judged.Since)
		}
	}
	return r
}

// saidOfCase has the sentences about a case. More counts the deviations that are left out.
type saidOfCase struct {
	Deviations, Rest []string
	More             int
}

// ReplayPage writes the result of replaying a log as one self-contained page of HTML without scripts.
// Texts of the log are escaped. If there are many cases, the page has only some; cases that deviate or
// lose the property come first. ReplayPage fails if w does. Cost O(size of the page).
func ReplayPage(w io.Writer, r *replay.Result) error {
	b := bufio.NewWriter(w)
	page := newReplayProse(r, false, sentenceText).page()
	// Users may send the page to others, so it does not name folders of this machine.
	contentpolicy.Page{
		Title:      page.First,
		Style:      replayStyle,
		Policy:     contentpolicy.Static(replayStyle),
		IsComplete: true,
	}.WriteHead(b)
	if err := replayTemplate().Execute(b, page); err != nil {
		return err
	}
	return b.Flush()
}

// page returns the data of the template.
func (p *replayProse) page() replayPage {
	short := *p.r
	short.ModelFile, short.LogFile = filepath.Base(short.ModelFile), filepath.Base(short.LogFile)
	p.r = &short
	page := replayPage{Result: p.r, First: p.headline()}
	if len(short.Cases) == 1 {
		page.Single = p.saidOf(&short.Cases[0])
		return page
	}
	page.Frequent = short.Frequent[:min(pageRows, len(short.Frequent))]
	page.MoreFrequent = len(short.Frequent) - len(page.Frequent)
	all := p.worst(pageRows)
	page.MoreCases = len(short.Cases) - len(all)
	for _, c := range all {
		row := newCaseRow(c)
		if c.Deviates() && len(page.Details) < pageCases {
			row.Said = p.saidOf(c)
			page.Details = append(page.Details, row)
		}
		page.Cases = append(page.Cases, row)
	}
	return page
}

func (p *replayProse) saidOf(c *replay.CaseResult) *saidOfCase {
	sentences := &saidOfCase{}
	for _, d := range c.Deviations[:min(pageDeviations, len(c.Deviations))] {
		sentences.Deviations = append(sentences.Deviations, p.deviationText(d))
	}
	sentences.More = len(c.Deviations) - len(sentences.Deviations)
	sentences.Rest = p.afterLog(c)
	return sentences
}
