package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/simplify/steprows"
	"github.com/inev-lts/inev/property"
)

// explanationResult is the result of explain.Explain or explain.Check, in the order of a report: the
// verdict, the counterexample, its decisions, the neighbourhoods off it. One neighbourhood is written
// at a time. Cost of writing it: O(size).
func explanationResult(e *explain.Explanation) result {
	return result{
		prose: func(s *sheet) { tell(s, e) },
		table: tableOf("step | from | label | to | class | progress | neighbourhood | fate"+columnsOf(e), func(t *table) error {
			if e.Counterexample == nil {
				return nil
			}
			columns := newShownColumns(e)
			for i, step := range e.Counterexample.Steps {
				var decides any = step.Neighbourhood.Is()
				if e.Classes == nil {
					decides = ""
				}
				cells := []any{
					i + 1,
					e.Name(step.From),
					modelText(step.Label),
					e.Name(step.To),
					step.Class,
					step.Progress,
					decides,
					step.Fate,
				}
				for _, text := range columns.at(i) {
					cells = append(cells, modelText(text))
				}
				if err := t.row(cells...); err != nil {
					return err
				}
			}
			return nil
		}),
		json: func(d *document, o Options) {
			explanationJSON(d, e, o.Pictures, o.pathLabels(), func() bool {
				return true
			})
		},
	}
}

func tell(s *sheet, e *explain.Explanation) {
	sentences := sentencesFor(e, s.o, s.quote)
	if isLong(s, sentences) {
		sentences = sentences.InBrief()
	}
	tellSentences(s, sentences)
}

// isLong reports whether the text of a run would be too long beside its table, at the default width;
// further counterexamples do not count. It returns false if the full text was requested.
func isLong(s *sheet, sentences *Sentences) bool {
	e := sentences.p.e
	if s.markdown || s.o.Full || e.Counterexample == nil || e.Classes == nil {
		return false
	}
	o := s.o
	o.Width = DefaultWidth // the same words must be shown at all widths
	counter := &lineCounter{}
	draft := &sheet{w: bufio.NewWriter(counter), o: o, isDraft: true}
	tellSentences(draft, sentences)
	const emptyLine = 1 // before the table
	return draft.w.Flush() == nil && counter.lines+emptyLine > mostLines
}

func tellSentences(s *sheet, sentences *Sentences) {
	o := s.o
	e := sentences.p.e
	style := bold + green
	if e.Verdict == explain.Violated {
		style = bold + red
	}
	s.title(style, sentences.Verdict())
	s.paragraphs("", sentences.Lacking()...)
	s.warnings(e.Warnings)
	if e.Counterexample != nil {
		tellRun(s, sentences)
	} else {
		s.link("The model")
		tellSlowest(s, sentences)
		s.items("", sentences.Holding())
	}
	elsewhere := sentences.story.Elsewhere
	more := sentences.p.inFull(sentences.story, o.MoreBy)
	switch {
	case e.Counterexample == nil:
		s.claimsAt("", sentences, elsewhere)
	case o.Full && len(elsewhere) > 0:
		s.heading("Elsewhere")
		s.claims(sentences, elsewhere)
	case !o.Full && more != "":
		s.paragraphs("", more)
	}
}

// tellRun writes the run, the diagnosis, and the advice.
func tellRun(s *sheet, sentences *Sentences) {
	e := sentences.p.e
	if !s.isDraft {
		s.steps("action", runRows(sentences, s.o), namesShown(e)...)
	}
	s.closing(sentences.About())
	s.closing(sentences.Faults())
	if s.markdown {
		s.flowchart(e)
		s.sequence()
	}
	if e.All != nil {
		tellAllShortest(s, sentences)
	}
	if e.Classes == nil {
		return
	}
	tellDecisions(s, sentences)
	hold := sentences.hold()
	if len(hold) > 0 {
		s.heading(holdTitle)
		s.claims(sentences, hold)
	}
	prevention := sentences.Prevention()
	if len(prevention) > 0 {
		s.heading(preventionTitle)
		s.paragraphs("  ", prevention...)
		tellPreventionTable(s, sentences)
	}
	if e.Nearest != nil {
		tellDiff(s, e)
		if reason := sentences.DiffReason(); reason != "" {
			s.paragraphs("  ", reason)
		}
	}
	if reason := sentences.NoDiffReason(); reason != "" {
		s.heading(nearestTitle)
		s.paragraphs("  ", reason)
	}
	if s.isDraft {
		return // further counterexamples do not shorten what is said of this one
	}
	others := sentences.Others()
	if len(others) > 0 {
		s.heading(othersTitle)
		s.items("  ", others)
	}
}

// flowchart writes the picture of the counterexample in Markdown: a link to its file, the picture
// itself, or the reason why there is no picture.
func (s *sheet) flowchart(e *explain.Explanation) {
	picture := s.o.Flowchart
	switch {
	case s.o.Picture != "" || picture.isNone() || len(e.Counterexample.Steps) == 0:
		s.link("The counterexample, its states, and what leads away from them")
	case picture.Why != "":
		s.printf("\nThere is no picture here: %s\n", printable.Code(picture.Why))
	default:
		s.printf("\n```mermaid\n%s```\n\n%s\n", picture.Text, legend(e, picture.Text))
	}
}

// sequence writes the sequence chart in Markdown, or the reason why there is no chart.
func (s *sheet) sequence() {
	chart := s.o.Sequence
	switch {
	case chart.isNone():
	case chart.Why != "":
		s.printf("\nThere is no sequence chart here: %s\n", printable.Code(chart.Why))
	default:
		s.printf("\n### Who does what\n\n```mermaid\n%s```\n", chart.Text)
		for _, note := range chart.Notes {
			s.printf("\nNote: %s.\n", printable.Code(note))
		}
	}
}

// tellAllShortest lists all shortest counterexamples.
func tellAllShortest(s *sheet, sentences *Sentences) {
	s.heading("All shortest counterexamples")
	s.paragraphs("  ", sentences.p.howMany())
	all := sentences.p.e.All.Listed
	lines := make([]string, len(all))
	for i, c := range all {
		lines[i] = sentences.p.inOneLine(c)
	}
	s.numbered(lines)
}

// tellPreventionTable writes the table of the owners who could have prevented the violation, in
// Markdown.
func tellPreventionTable(s *sheet, sentences *Sentences) {
	rows := sentences.PreventionTable()
	if !s.markdown || rows == nil {
		return
	}
	s.separate()
	s.table(tableOf(strings.Join(rows[0], " | "), func(t *table) error {
		for _, r := range rows[1:] {
			var cells []any
			for _, cell := range r {
				cells = append(cells, cell)
			}
			if err := t.row(cells...); err != nil {
				return err
			}
		}
		return nil
	}))
}

// tellDiff writes the diff between the counterexample and a correct run.
func tellDiff(s *sheet, e *explain.Explanation) {
	s.heading(diffTitle(e.Nearest))
	if s.markdown {
		s.printf("\n```diff\n")
		for _, l := range diffLines(e, s.o, func(label string) string {
			return quotedIfOdd(label, cut(printable.Text(label), s.o))
		}) {
			s.printf("%s %s\n", l.Sign, l.Text)
		}
		s.printf("```\n")
		return
	}
	for _, l := range diffLines(e, s.o, func(label string) string {
		return quotedIfOdd(label, glue(shortened(printable.Text(label), s.o)))
	}) {
		style := map[string]string{explain.Insert: green, explain.Remove: red}[l.Sign]
		s.paragraph("  "+l.Sign+" ", style, l.Text)
	}
}

// roomForDecisions is the number of lines, at [DefaultWidth], for decisions in text. Only the first
// decision may take more lines. The number does not depend on the width of the terminal, so that the
// same decisions are shown at all widths.
const roomForDecisions = 5

// roomInBrief replaces roomForDecisions in a report in brief.
const roomInBrief = 4

// tellDecisions writes the better choices on the run and, in a full report, what each choice led to.
func tellDecisions(s *sheet, sentences *Sentences) {
	story := sentences.story
	if s.o.Full {
		tellAllDecisions(s, sentences)
		return
	}
	if len(story.Better) == 0 {
		return
	}
	heading := "Decisions"
	if len(story.Better) == 1 && len(story.Better[0].Decisions) == 1 {
		heading = "Decision"
	}
	s.heading(heading)
	better := sentences.Better()
	shown := numShownDecisions(s, sentences)
	if shown == len(better) {
		s.items("  ", slices.Concat(better, sentences.Through()))
	} else {
		s.items("  ", better[:shown])
		hidden := 0
		for _, c := range story.Better[shown:] {
			hidden += len(c.Decisions)
		}
		s.paragraphs("  ", fmt.Sprintf("… and %s.", printable.Quantity(hidden, "further decision")))
		s.items("  ", sentences.Through())
	}
	s.paragraphs("  ", sentences.Owned()...)
}

// numShownDecisions returns the number of sentences about better choices for which there is room.
func numShownDecisions(s *sheet, sentences *Sentences) int {
	better := sentences.Better()
	shown := min(len(better), mostNamed)
	if s.markdown {
		return shown
	}
	room := roomForDecisions
	if sentences.p.brief {
		room = roomInBrief
	}
	return sentencesIn(better[:shown], room)
}

// tellAllDecisions writes what each choice on the run led to, what holds for all these choices together,
// and how a run could leave the loop.
func tellAllDecisions(s *sheet, sentences *Sentences) {
	story := sentences.story
	decisions := sentences.Decisions()
	aboutRun := story.Beyond // a run without decisions has such claims, too
	if len(decisions) > 0 || len(aboutRun) > 0 {
		aboutDecisions := slices.Concat(story.Through, story.Owned)
		s.heading("Decisions")
		s.numbered(decisions)
		s.claims(sentences, slices.Concat(aboutDecisions, aboutRun))
	}
	if len(story.WaysOut) > 0 {
		s.heading("Ways out of the loop")
		s.claims(sentences, story.WaysOut)
	}
}

// sentencesIn returns how many sentences fit into some lines; at least one, if there is one.
func sentencesIn(sentences []string, room int) int {
	lines := 0
	for i, sentence := range sentences {
		lines += len(wrapped(sentence, DefaultWidth-2))
		if i > 0 && lines > room {
			return i
		}
	}
	return len(sentences)
}

// runRows returns the rows of the counterexample: a row for the values at the beginning, the rows of
// its steps, and a row for the state in which it ends.
func runRows(s *Sentences, o Options) []row {
	e := s.p.e
	c := e.Counterexample
	remarks := remarksOf(s)
	steps := remarks.rows(o)
	// Growing the table by append would hold a long run in memory twice.
	table := make([]row, 0, len(steps)+3)
	columns := newShownColumns(e)
	if e.Values != nil && columns == nil && len(e.Values.Initial) > 0 {
		first := valuesText(e.Values.Initial, o)
		table = append(table, row{
			kind:   beginningRow,
			words:  "at first " + first,
			inCell: printable.CodeCell(first),
		})
	}
	for _, s := range steps {
		step := &c.Steps[s.First]
		r := rowOf(s, step.Label, e.Name(step.From))
		r.bracket = bracketAt(s.First, s.End, int(c.LoopStart), len(c.Steps))
		if s.Kind == steprows.OneStep {
			r.remarks = remarks.events(s.First)
			changed := valuesText(remarks.values[s.First], o)
			if changed != "" && columns == nil {
				r.remarks = append(r.remarks, remark{text: changed, values: true})
			}
		}
		r.shown = columns.at(s.First)
		table = append(table, r)
	}
	end := func(words, inCell string) {
		table = append(table, row{
			kind:   endRow,
			state:  e.Name(e.Trace().Last()),
			words:  words,
			inCell: inCell,
			shown:  columns.at(len(c.Steps)),
		})
	}
	switch c.Kind {
	case counterexample.Deadlock:
		end("deadlock", "")
	case counterexample.Stop:
		end("stops: "+refused(c, printable.Text), "stops: "+refused(c, printable.CodeCell))
	case counterexample.Prefix:
		end("whatever follows, the property is violated", "violated, whatever follows")
	}
	if c.Trap != nil {
		end("from here on the property is lost", "the property is lost")
	}
	return table
}

// pathLabels returns the largest number of labels of all paths to neighbourhoods.
func (o Options) pathLabels() int {
	if o.Full {
		return math.MaxInt
	}
	return explain.PathLabels
}

// PartialJSON writes the JSON of an explanation for a script element of a page, without blanks between
// tokens, and with <, > and & escaped. It serves readers without room for all data of a model. Before
// each neighbourhood it calls more; when more returns false, it leaves out this neighbourhood and all
// further ones. It writes paths only as long as they have at most [explain.PathLabels] labels together.
// The result still follows its schema, see [Schemas]. Cost as for [Writer].
func PartialJSON(w io.Writer, e *explain.Explanation, more func() bool) error {
	d := openDocument(w)
	d.script = true
	explanationJSON(d, e, nil, explain.PathLabels, more)
	return d.finish()
}

func explanationJSON(
	d *document,
	e *explain.Explanation,
	pictures []Picture,
	labels int,
	more func() bool,
) {
	d.name(e.IsUnfolded(), e.Name)
	for name, value := range e.Fields() {
		// The claims come before the pattern or, without one, before the timings.
		comesAfterClaims := name == "pattern" || name == "timings_ms" && e.Pattern() == nil
		if comesAfterClaims {
			s := NewSentences(e, sentenceText).InFull()
			d.list("claims")
			for _, c := range s.Story().All() {
				d.element(claimJSON{c.kind, c.steps, s.Say(c)})
			}
			d.close()
			remediesJSON(d, s)
		}
		if name == "timings_ms" && pictures != nil {
			d.field("pictures", pictures)
		}
		found, isNeighbourhoods := value.(*explain.Neighbourhoods)
		if !isNeighbourhoods {
			d.field(name, value)
			continue
		}
		d.list(name)
		neighbourhoodsJSON(d, found, labels, more)
		d.close()
	}
}

// remediesJSON adds the list of remedies, if there are any.
func remediesJSON(d *document, s *Sentences) {
	remedies := s.Remedies()
	if len(remedies) == 0 {
		return
	}
	d.list("remedies")
	for i, r := range remedies {
		d.element(remedyJSON{
			Number:     i + 1,
			Assumption: r.Assumption,
			Text:       r.Sentence,
		})
	}
	d.close()
}

// remedyJSON is a remedy, with its number for repair --apply.
type remedyJSON struct {
	Number     int    `json:"number"`
	Assumption string `json:"assumption,omitempty"`
	Text       string `json:"text"`
}

// neighbourhoodsJSON adds neighbourhoods to the innermost list as long as more returns true. It adds
// the paths to them as long as the paths have at most the given number of labels together.
func neighbourhoodsJSON(
	d *document,
	found *explain.Neighbourhoods,
	labels int,
	more func() bool,
) {
	for n := range found.WithPaths(labels) {
		if d.failed() || !more() {
			break
		}
		d.element(n)
	}
}

// claimJSON is a claim with its sentence.
type claimJSON struct {
	Kind  string              `json:"kind"`
	Steps []explain.StepIndex `json:"steps,omitempty"` // the decisions that the claim is about
	Text  string              `json:"text"`
}

// row is a row of the table of a run: steps with one label, steps that are left out, or words about the
// state at the beginning or the end of the run.
type row struct {
	kind    rowKind
	bracket loopBracket
	number  string // the numbers of the steps; "" in a row without a label
	state   string
	label   string // of the model
	times   int    // the number of steps with the label
	words   string // in place of a label; Markdown uses inCell if that is not ""
	inCell  string
	remarks []remark
	shown   []string // a cell for each column that the reader requested about the state
}

// rowKind says what a row is about.
type rowKind uint8

const (
	stepsRow     rowKind = iota // steps with one label
	omittedRow                  // steps that are left out; words count them
	beginningRow                // the state at the beginning
	endRow                      // the state at the end
)

// rowOf returns the row for steps with one label; state is the source of the first step.
func rowOf(r steprows.Row, label, state string) row {
	switch r.Kind {
	case steprows.Hidden:
		return row{kind: omittedRow, words: printable.Quantity(r.Len(), "step") + " hidden"}
	case steprows.LeftOut:
		return row{kind: omittedRow, words: printable.Quantity(r.Len(), "step")}
	}
	return row{
		number: numberOf(r),
		state:  state,
		label:  label,
		times:  r.Len(),
	}
}

// numberOf returns the numbers of the steps of a row, counted from 1.
func numberOf(r steprows.Row) string {
	if r.Len() == 1 {
		return strconv.Itoa(r.End)
	}
	return fmt.Sprintf("%d–%d", r.First+1, r.End)
}

// repeatedly writes a label that is taken several times in a row: "A ×3".
func repeatedly(label string, times int) string {
	if times < 2 {
		return label
	}
	return fmt.Sprintf("%s ×%d", label, times)
}

// foldedList returns labels, with consecutive repetitions of a label folded.
func foldedList(labels []string) []string {
	var list []string
	for _, r := range steprows.FoldRows(len(labels), func(i int) string { return labels[i] },
		false) {
		list = append(list, repeatedly(labels[r.First], r.Len()))
	}
	return list
}

// rows groups the steps of the counterexample into rows of the table. Cost O(steps).
func (r *remarks) rows(o Options) []steprows.Row {
	c := r.e.Counterexample
	label := func(i int) string { return c.Steps[i].Label }
	all := steprows.Rows(len(c.Steps), label, steprows.RowOptions{
		Loop:     int(c.LoopStart),
		Full:     o.Full,
		Hides:    steprows.Matching(o.Hide),
		Eventful: func(i int) bool { return r.isNamed(i) || len(r.events(i)) > 0 },
		Distinct: r.isToldByValues,
	})
	if o.Full || !r.endsInNeedlessSteps() {
		return all
	}
	firstNeedless := int(*r.e.Diagnosis.Step) + 1
	i := slices.IndexFunc(all, func(row steprows.Row) bool { return row.First == firstNeedless })
	if i <= 0 {
		return all
	}
	return append(all[:i], steprows.Row{
		First: firstNeedless,
		End:   len(c.Steps),
		Kind:  steprows.LeftOut,
	})
}

// isToldByValues reports whether the changed values tell what step i does, as its label does not tell it of
// two steps in a row. They do not if only numbers change, as those of a clock, or if the step is internal.
func (r *remarks) isToldByValues(i int) bool {
	isNumber := func(v explain.StateValue) bool {
		_, err := strconv.Atoi(v.Value)
		return err == nil
	}
	areNumbers := !slices.ContainsFunc(r.values[i], func(v explain.StateValue) bool { return !isNumber(v) })
	return !areNumbers && !isInternalLabel(r.e.Counterexample.Steps[i].Label)
}

// endsInNeedlessSteps reports whether two or more steps lead from a forbidden step to the deadlock in
// which the run ends: they add nothing.
func (r *remarks) endsInNeedlessSteps() bool {
	c := r.e.Counterexample
	d := r.e.Diagnosis
	isForbidden := d != nil && d.Kind == explain.KindForbidden && d.Step != nil
	return isForbidden && c.Kind == counterexample.Deadlock && len(c.Steps) >= int(*d.Step)+3
}

// isNamed reports whether the first sentence names step i, or the nearest correct run leaves the
// counterexample there.
func (r *remarks) isNamed(i int) bool {
	isStep := func(step *explain.StepIndex) bool {
		return step != nil && int(*step) == i
	}
	d := r.e.Diagnosis
	isInSentence := d != nil && (isStep(d.Step) || isStep(d.Instead) || isStep(d.Called))
	isFork := r.e.Nearest != nil && r.e.Nearest.Fork == i
	return isInSentence || isFork
}

// textsOf joins the texts of remarks.
func textsOf(all []remark) string {
	if len(all) == 1 {
		return all[0].text
	}
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = r.text
	}
	return strings.Join(texts, "; ")
}

// loopBracket is the part of the bracket around the loop that is next to a row.
type loopBracket uint8

const (
	outsideLoop  loopBracket = iota
	wholeLoop                // the row has all steps of the loop
	topOfLoop                // the row begins the loop
	middleOfLoop             // the loop has rows above and below
	endOfLoop                // the row ends the loop
)

// String returns the sign next to a row; "" outside of the loop.
func (b loopBracket) String() string { return [...]string{"", "↻", "╭", "│", "╰"}[b] }

// beginsLoop reports whether the loop begins in the row.
func (b loopBracket) beginsLoop() bool { return b == wholeLoop || b == topOfLoop }

// goesOn reports whether the next row is on the loop, too.
func (b loopBracket) goesOn() bool { return b == topOfLoop || b == middleOfLoop }

// bracketAt returns the part of the bracket next to the steps first to end-1 of a run with this many steps,
// whose last ones, from loopStart on, are its loop; loopStart is negative if there is none.
func bracketAt(first, end, loopStart, numSteps int) loopBracket {
	begins := first == loopStart
	ends := end == numSteps
	switch {
	case loopStart < 0 || first < loopStart:
		return outsideLoop
	case begins && ends:
		return wholeLoop
	case begins:
		return topOfLoop
	case ends:
		return endOfLoop
	}
	return middleOfLoop
}

// remark is a text next to a step.
type remark struct {
	text   string
	style  string // the style of the remark if colour is requested; it is never fainter than the label
	values bool   // it has values of the state
}

// remarks makes the texts next to the steps of the counterexample.
type remarks struct {
	e *explain.Explanation
	// number has, for each step with a decision, the number of the sentence about the decision,
	// from 1.
	number map[int]int
	late   map[int][]explain.Late
	values map[int][]explain.StateValue
	full   bool
	phrase func(property.Phrase) string
	// phrases caches the results of phrase.
	phrases map[*explain.Pending]string
	// source has, for each step with a decision, the line of the specification, formatted.
	source map[int]string
}

func remarksOf(s *Sentences) *remarks {
	r := &remarks{
		e:       s.p.e,
		number:  map[int]int{},
		late:    map[int][]explain.Late{},
		values:  map[int][]explain.StateValue{},
		full:    s.p.full,
		phrase:  s.p.phrase,
		phrases: map[*explain.Pending]string{},
		source:  map[int]string{},
	}
	for _, d := range r.e.Decisions {
		if d.Source != nil {
			r.source[int(d.Step)] = placeOf(d.Source, s.p.quote)
		}
	}
	for i, c := range s.story.decisions {
		for _, d := range c.decisions {
			r.number[int(d.Step)] = i + 1
		}
	}
	for _, l := range r.e.Counterexample.Late {
		r.late[int(l.Step)] = append(r.late[int(l.Step)], l)
	}
	if r.e.Values != nil {
		for _, s := range r.e.Values.Steps {
			r.values[int(s.Step)] = s.Changed
		}
	}
	return r
}

// events returns the remarks next to step i, except those about values.
func (r *remarks) events(i int) []remark {
	c := r.e.Counterexample
	var all []remark
	if r.changesPending(i) {
		all = append(all, remark{text: r.pending(i), style: green})
	}
	all = append(all, r.progress(i)...)
	all = append(all, r.decision(i)...)
	place := r.source[i]
	if place != "" {
		all = append(all, remark{text: place})
	}
	if i == len(c.Steps)-1 && c.LoopStart >= 0 {
		all = append(all, remark{text: "back to state " + r.e.Name(c.Steps[i].To)})
	}
	return all
}

// pending returns what is pending after step i.
func (r *remarks) pending(i int) string {
	state := stateAfter(r.e.Counterexample, i+1)
	text, isKnown := r.phrases[state]
	if !isKnown {
		text = r.phrase(pendingAfter(r.e.Counterexample, i+1))
		r.phrases[state] = text
	}
	return text
}

// progress returns the remarks about the steps of the property that are done in step i of the run, or
// there in a later round of the loop.
func (r *remarks) progress(i int) []remark {
	c := r.e.Counterexample
	before := 0
	if i > 0 {
		before = c.Steps[i-1].Progress
	}
	steps := len(r.e.Property.Steps)
	var all []remark
	done := c.Steps[i].Progress
	if done > before {
		all = append(all, remark{text: fmt.Sprintf("%d of %d done", done, steps), style: green})
	}
	for n, l := range r.late[i] {
		if n == mostNamed {
			return append(all, remark{text: "…", style: green})
		}
		all = append(all, remark{
			text:  fmt.Sprintf("in round %d: %d of %d done", l.Round, l.Progress, steps),
			style: green,
		})
	}
	return all
}

// decision returns the remarks about a decision in step i, and about the point of no return.
func (r *remarks) decision(i int) []remark {
	number := r.number[i]
	isLost := r.e.PointOfNoReturn != nil && int(r.e.PointOfNoReturn.Step) == i
	if number > 0 && isLost && !r.full {
		return []remark{{text: "decision, point of no return", style: bold + red}}
	}
	var all []remark
	switch {
	case number > 0 && r.full:
		all = append(all, remark{text: fmt.Sprintf("decision %d", number), style: bold})
	case number > 0:
		all = append(all, remark{text: "decision", style: bold})
	}
	if isLost {
		all = append(all, remark{text: "point of no return", style: bold + red})
	}
	return all
}

// changesPending reports whether step i changes what is pending. Then a remark says so.
func (r *remarks) changesPending(i int) bool {
	c := r.e.Counterexample
	if stateAfter(c, i+1) == stateAfter(c, i) {
		return false
	}
	// The diagnosis already names the forbidden step.
	d := r.e.Diagnosis
	isForbidden := d != nil && d.Kind == explain.KindForbidden
	if isForbidden && (i == len(c.Steps)-1 || i == int(*d.Step)) {
		return false
	}
	words := pendingAfter(c, i+1)
	before := pendingAfter(c, i)
	if words == nil || slices.Equal(words, before) {
		return false
	}
	return textLength(words) != textLength(before) || words.String() != before.String()
}

func textLength(words property.Phrase) (n int) {
	for _, w := range words {
		n += len(w.Text)
	}
	return n
}

// pendingAfter returns what is pending after i steps, in words; nil for inevitability.
func pendingAfter(c *explain.Counterexample, i int) property.Phrase {
	pending := stateAfter(c, i)
	switch {
	case pending == nil:
		return nil
	case pending.Words == nil:
		return property.Phrase{{Text: "nothing pending"}}
	default:
		return pending.Words
	}
}

// stateAfter returns what is pending after i steps; nil for inevitability. Consecutive steps have the
// same pointer if they do not change what is pending.
func stateAfter(c *explain.Counterexample, i int) *explain.Pending {
	if i > 0 {
		return c.Steps[i-1].Pending
	}
	return c.Pending
}

// mostChanges is the largest number of changed components of one value in a list; of one more, none is left out.
const mostChanges = 3

// valuesText writes values as assignments. Of a structured value it writes only the changed components.
func valuesText(all []explain.StateValue, o Options) string {
	var sentences []string
	for _, v := range all {
		if len(v.Changes) == 0 {
			sentences = append(sentences, v.Name+" = "+v.Value)
			continue
		}
		changes := changesTexts(v)
		if len(changes) > mostChanges+1 && !o.Full {
			more := len(changes) - mostChanges
			changes = append(changes[:mostChanges], fmt.Sprintf("%d more changes of %s", more, v.Name))
		}
		sentences = append(sentences, changes...)
	}
	return cut(printable.Text(strings.Join(sentences, ", ")), o)
}

// changesTexts writes the changed components of a value. What is added to one component is one text, and so is
// what is removed from it: "unsat[c1]: + r1, r2".
func changesTexts(v explain.StateValue) []string {
	var texts []string
	for i, c := range v.Changes {
		joins := i > 0 && v.Changes[i-1].Path == c.Path
		switch {
		case joins && c.Before == "" && v.Changes[i-1].Before == "":
			texts[len(texts)-1] += ", " + c.After
		case joins && c.After == "" && v.Changes[i-1].After == "":
			texts[len(texts)-1] += ", " + c.Before
		default:
			texts = append(texts, values.Change(c).String(v.Name))
		}
	}
	return texts
}

// DiffLine is a line of the diff between the counterexample and a correct run. Sign is the operation of
// the steps on the line, as in [explain.DiffStep].
type DiffLine struct{ Sign, Text string }

// Diff returns the diff as lines of the text report: where the runs fork, what the counterexample does
// from there, and what the correct run does; nil if there is no diff. Cost O(length of the diff).
func (s *Sentences) Diff() []DiffLine {
	return diffLines(s.p.e, Options{Full: s.p.full}, s.p.labelText)
}

// DiffTitle returns the heading of the diff. It panics if there is no diff.
func (s *Sentences) DiffTitle() string { return diffTitle(s.p.e.Nearest) }

// nearestTitle is the heading of a diff with a nearest correct run.
const nearestTitle = "The nearest correct run"

func diffTitle(d *explain.Diff) string {
	if d.Near {
		return "A near correct run"
	}
	return nearestTitle
}

// diffLines returns the diff line by line; nil if there is none. The function label formats a label.
func diffLines(e *explain.Explanation, o Options, label func(string) string) []DiffLine {
	d := e.Nearest
	if d == nil {
		return nil
	}
	stepsByOp := map[string][]explain.DiffStep{}
	for _, s := range d.Steps {
		stepsByOp[s.Op] = append(stepsByOp[s.Op], s)
	}
	var lines []DiffLine
	common := stepsByOp[explain.Keep]
	if len(common) > 0 && o.Full {
		lines = append(lines, DiffLine{explain.Keep, labelRow(common, o, label, false, nil)})
	} else if len(common) > 0 {
		lines = append(lines, DiffLine{
			explain.Keep,
			fmt.Sprintf("(%s: to state %d)", commonSteps(e, len(common)), common[len(common)-1].To),
		})
	}
	removed := stepsByOp[explain.Remove]
	inserted := withoutRepetition(stepsByOp[explain.Insert], d.Loop)
	sameLabel := len(removed) > 0 && len(inserted) > 0 && removed[0].Label == inserted[0].Label
	if len(removed) > 0 {
		lines = append(lines, DiffLine{
			explain.Remove,
			labelRow(removed, o, label, sameLabel, nil),
		})
	}
	settling := stepsUntilSettled(e, common, inserted)
	if settling < len(inserted) && goesOnAlike(e.Nearest, common, inserted, settling) && !o.Full {
		shown := labelRow(inserted[:settling], o, label, sameLabel, awaitedBy(e))
		return append(lines, DiffLine{explain.Insert, shown + ", and so on"})
	}
	return append(lines, DiffLine{
		explain.Insert,
		labelRow(inserted, o, label, sameLabel, awaitedBy(e)) + ending(e, inserted),
	})
}

// withoutRepetition returns the inserted steps without last ones that only repeat labels: if a loop follows a step
// with the label of its own last step, it may as well begin with that step. loop is the number of steps of the loop.
func withoutRepetition(inserted []explain.DiffStep, loop int) []explain.DiffStep {
	if loop == 0 {
		return inserted
	}
	for last := len(inserted) - 1; last >= loop; last-- {
		if inserted[last].Label != inserted[last-loop].Label {
			return inserted[:last+1]
		}
	}
	return inserted[:min(loop, len(inserted))]
}

// stepsUntilSettled returns how many inserted steps a correct run takes up to the first awaited step after
// which nothing is pending, as at the beginning. It returns all steps if there is no such step, or if the
// run does not repeat a loop.
func stepsUntilSettled(e *explain.Explanation, common, inserted []explain.DiffStep) int {
	start := e.Counterexample.Pending
	if e.Nearest.Ends || start == nil || len(start.Words) > 0 {
		return len(inserted)
	}
	awaited := awaitedBy(e)
	isSettled := true
	if len(common) > 0 {
		isSettled = common[len(common)-1].Progress == int(start.State)
	}
	for i, s := range inserted {
		wasSettled := isSettled
		isSettled = s.Progress == int(start.State)
		if isSettled && !wasSettled && slices.Contains(awaited, s.Label) {
			return i + 1
		}
	}
	return len(inserted)
}

// goesOnAlike reports whether a correct run, after some inserted steps, only does what it has done before.
func goesOnAlike(d *explain.Diff, common, inserted []explain.DiffStep, steps int) bool {
	known := map[string]bool{}
	for _, s := range slices.Concat(common, inserted[:steps]) {
		known[s.Label] = true
	}
	isNew := func(s explain.DiffStep) bool { return !known[s.Label] }
	loop := d.Steps[len(d.Steps)-d.Loop:]
	return !slices.ContainsFunc(inserted[steps:], isNew) && !slices.ContainsFunc(loop, isNew)
}

// DiffReason says why the nearest correct run leaves the counterexample at a step that the
// explanation does not blame. It returns "" if the run leaves it at a blamed step, or if the reason
// is not known. It panics if there is no diff.
func (s *Sentences) DiffReason() string { return s.p.whyItForksElsewhere() }

// whyItForksElsewhere is [Sentences.DiffReason]. The search for the nearest run prefers the runs that leave
// at a blamed step.
func (p *prose) whyItForksElsewhere() string {
	e := p.e
	blamed := p.blamedSteps()
	if e.Nearest.Near || len(blamed) == 0 || p.forksAt(blamed) || mayRefuse(e) {
		return ""
	}
	where := p.stepList(blamed)
	if len(blamed) > 1 {
		where = "any of " + where
	}
	if isFair := e.Fairness != nil && len(e.Fairness.Asked) > 0; isFair {
		if p.triggersProperty() {
			return fmt.Sprintf("No correct run that counts, and has what triggers the property, leaves this one at %s.", where)
		}
		return fmt.Sprintf("No correct run that counts leaves this one at %s.", where)
	}
	var reasons []string
	if p.triggersProperty() {
		reasons = append(reasons, "lacks what triggers the property")
	}
	if e.Repair == nil || e.Repair.Solvable {
		reasons = append(reasons, "takes a step that a repair forbids")
	}
	reasons = append(reasons, "differs from it in more steps")
	return fmt.Sprintf("A correct run that leaves this one at %s %s.", where, printable.List(reasons, "or"))
}

// NoDiffReason says why there is no nearest correct run; "" if there is one, if the reason is not known, and in a
// report in brief.
func (s *Sentences) NoDiffReason() string { return s.p.whyNoneIsNear() }

// whyNoneIsNear is [Sentences.NoDiffReason]. The reason is that the nearest correct run would have to
// trigger the property as the counterexample does.
func (p *prose) whyNoneIsNear() string {
	e := p.e
	if p.brief || e.Nearest != nil || !e.NoNearest || e.Repair == nil || !e.PartsRuns() || !p.triggersProperty() {
		return ""
	}
	trigger := "triggers the property as this one does"
	if len(e.Repair.Triggers) == 1 {
		trigger = "does " + p.labelText(e.Repair.Triggers[0])
	}
	return fmt.Sprintf("There is none: each run that %s violates the property.", trigger)
}

// blamedSteps returns the steps of the counterexample that the explanation blames.
func (p *prose) blamedSteps() []explain.StepIndex {
	var blamed []explain.StepIndex
	for i := range explain.StepIndex(len(p.e.Counterexample.Steps)) {
		if p.e.Blames(i) {
			blamed = append(blamed, i)
		}
	}
	return blamed
}

// forksAt reports whether the nearest correct run leaves the counterexample at one of some steps, in any
// round of its loop, or continues where the counterexample stops.
func (p *prose) forksAt(steps []explain.StepIndex) bool {
	c := p.e.Counterexample
	n := len(c.Steps)
	fork := p.e.Nearest.Fork
	if fork >= n && c.LoopStart < 0 {
		return true
	}
	if fork >= n {
		loop := int(c.LoopStart)
		fork = loop + (fork-loop)%(n-loop)
	}
	return slices.Contains(steps, explain.StepIndex(fork))
}

// triggersProperty reports whether the counterexample has a label that obliges a run to something.
func (p *prose) triggersProperty() bool {
	r := p.e.Repair
	isTrigger := func(s explain.Step) bool { return slices.Contains(r.Triggers, s.Label) }
	return r != nil && slices.ContainsFunc(p.e.Counterexample.Steps, isTrigger)
}

// awaitedBy returns the labels that are pending at the end of the counterexample. A correct run takes
// one of these labels sooner or later.
func awaitedBy(e *explain.Explanation) []string {
	if e.Diagnosis == nil {
		return nil
	}
	return e.Diagnosis.Pending
}

// shownInRow is the number of labels that a row of a diff shows at its beginning. The row shows one
// label at its end, and counts the labels between.
const shownInRow = 3

// labelRow lists the labels of steps, with repetitions of a label folded. If namesTarget is set, it names
// the target of the first step, since the other run has the same label there. If it leaves out some steps,
// it still names the first step with an awaited label.
func labelRow(
	steps []explain.DiffStep,
	o Options,
	label func(string) string,
	namesTarget bool,
	awaited []string,
) string {
	items := labelItems(steps, o, label, namesTarget)
	showsAll := len(items) <= shownInRow+2 || o.Full
	firstAwaited := slices.IndexFunc(items, func(item labelItem) bool {
		return slices.Contains(awaited, item.label)
	})
	isShown := func(i int) bool {
		return showsAll || i < shownInRow || i == len(items)-1 || i == firstAwaited
	}
	var texts []string
	hidden := 0 // the number of steps hidden since the last shown item
	for i, item := range items {
		// "… (1 more)" would save nothing.
		isSingleBetweenShown := item.steps == 1 && hidden == 0 && i+1 < len(items) && isShown(i+1)
		if !isShown(i) && !isSingleBetweenShown {
			hidden += item.steps
			continue
		}
		if hidden > 0 {
			texts = append(texts, fmt.Sprintf("… (%d more)", hidden))
			hidden = 0
		}
		texts = append(texts, item.text)
	}
	return strings.Join(texts, ", ")
}

// labelItem is an item of a row of a diff: one or more consecutive steps with one label.
type labelItem struct {
	label string
	steps int    // how many
	text  string // of the item in the row
}

// labelItems returns the items for some steps: the first step alone if namesTarget is set, so that its
// target can be named; and then the other steps, with repetitions of a label folded unless o is for a
// full report.
func labelItems(
	steps []explain.DiffStep,
	o Options,
	label func(string) string,
	namesTarget bool,
) []labelItem {
	var items []labelItem
	if namesTarget {
		first := steps[0]
		items = append(items, labelItem{
			label: first.Label,
			steps: 1,
			text:  fmt.Sprintf("%s to state %d", label(first.Label), first.To),
		})
		steps = steps[1:]
	}
	labelOf := func(i int) string { return steps[i].Label }
	for _, row := range steprows.FoldRows(len(steps), labelOf, o.Full) {
		items = append(items, labelItem{
			label: labelOf(row.First),
			steps: row.Len(),
			text:  repeatedly(label(labelOf(row.First)), row.Len()),
		})
	}
	return items
}

// commonSteps says how many steps both runs share at the beginning. In these steps, the counterexample may
// repeat its loop.
func commonSteps(e *explain.Explanation, steps int) string {
	above := len(e.Counterexample.Steps)
	if steps <= above {
		return printable.Quantity(steps, "step") + " as above"
	}
	return fmt.Sprintf("%s as above, and %d of the loop again",
		printable.Quantity(above, "step"), steps-above)
}

// ending says how the correct run ends or repeats, or that its continuation does not matter; "" if the
// last steps, which have an awaited label, show this.
func ending(e *explain.Explanation, last []explain.DiffStep) string {
	awaited := awaitedBy(e)
	d := e.Nearest
	switch {
	case d.Ends:
		return thenStops
	case d.Loop == 1:
		return " (the last step again and again)"
	case d.Loop > 1:
		return fmt.Sprintf(" (the last %d steps again and again)", d.Loop)
	case slices.ContainsFunc(last, func(s explain.DiffStep) bool { return slices.Contains(awaited, s.Label) }):
		return ""
	case e.Fairness != nil && len(e.Fairness.Asked) > 0:
		return " (then the property holds on every run that counts)"
	}
	return " (the property holds whatever follows)"
}

// Sequence writes the counterexample of e in the simple form of SEQ, CADP's format for execution
// sequences: a label in double quotes on each line, and <deadlock> on the last line if the run ends in
// a deadlock. SEQ cannot express a loop: a lasso is written with one round of its loop, and a comment
// marks where the loop begins.
//
// If abstracted is set, Sequence writes only the transitions of the abstracted counterexample, and a
// comment says that they are no run of the model.
//
// It fails before it writes anything if there is no counterexample, or if a label has a character that
// SEQ cannot express; the error names the label. Other errors are those of w. Cost O(length of the
// output).
func Sequence(w io.Writer, e *explain.Explanation, abstracted bool) error {
	c := e.Counterexample
	switch {
	case c == nil:
		return errors.New("the property holds: there is no counterexample to be written as a sequence")
	case abstracted && e.Abstracted == nil:
		return errors.New("only the verdict was computed: there is no abstracted counterexample to be written as a sequence")
	}
	kept := make([]int, len(c.Steps))
	for i := range kept {
		kept[i] = i
	}
	if abstracted {
		kept = e.Abstracted.Steps
	}
	for _, i := range kept {
		if err := checkSequenceLabel(c.Steps[i].Label); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(w)
	if abstracted {
		sequenceComment(b,
			fmt.Sprintf("Abstraction, not a run: %d of the %d transitions of a counterexample to %s",
				len(kept), len(c.Steps), e.Property.AsWritten()))
	} else {
		sequenceComment(b,
			fmt.Sprintf("Counterexample to %s: %s", e.Property.AsWritten(), sequenceShape(c)))
	}
	for _, i := range kept {
		if i == int(c.LoopStart) && !abstracted {
			sequenceComment(b,
				fmt.Sprintf("The loop begins here, after %s, and is repeated forever",
					printable.Quantity(i, "transition")))
		}
		fmt.Fprintf(b, "\"%s\"\n", c.Steps[i].Label)
	}
	if c.Kind == counterexample.Deadlock && !abstracted {
		fmt.Fprintln(b, "<deadlock>")
	}
	return b.Flush()
}

// checkSequenceLabel returns an error for a label that SEQ cannot express.
func checkSequenceLabel(label string) error {
	character := ""
	switch {
	case strings.Contains(label, `"`):
		character = "double quote"
	case strings.Contains(label, "\n"):
		character = "line feed"
	default:
		return nil
	}
	return fmt.Errorf("label %q has a %s in it, which the .seq format cannot express; use JSON instead", label, character)
}

// sequenceShape describes how a counterexample ends, for a comment before its sequence.
func sequenceShape(c *explain.Counterexample) string {
	switch {
	case c.Kind == counterexample.Prefix:
		return "a bad prefix: whatever follows it, the property is violated"
	case c.Trap != nil:
		return "a run after which the property is lost"
	case c.Kind == counterexample.Stop:
		return "a run that stops, for all that is possible after it may be blocked"
	case c.LoopStart < 0:
		return "a run to a deadlock"
	}
	return "a lasso, written once round its loop"
}

// sequenceComment writes a comment on a line of its own, between the bytes 1 and 2 as SEQ requires. No
// printable text contains these bytes.
func sequenceComment(b *bufio.Writer, text string) {
	fmt.Fprintf(b, "\x01 %s \x02\n", printable.Text(text))
}
