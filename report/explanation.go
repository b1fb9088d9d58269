package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
)

// explanationResult is the result of explain.Explain or explain.Check, in the order of a report:
// the verdict, the counterexample, its decisions, the neighbourhoods off it. Writing it costs O(its
// size), one neighbourhood at a time.
func explanationResult(e *explain.Explanation) result {
	return result{
		people: func(s sheet) { tell(s, e) },
		table:  stepTable(e),
		json: func(d *document, pictures []Picture, labels int) {
			explanationJSON(d, e, pictures, labels, func() bool { return true })
		},
	}
}

func tell(s sheet, e *explain.Explanation) {
	o := s.options()
	said := sentencesFor(e, o, s.quote)
	s.title(styleOf(e.Verdict), said.Verdict())
	s.warnings(e.Warnings)
	if e.Counterexample != nil {
		tellRun(s, said)
	} else {
		apart(s, nil, func(m *markdownSheet) { m.link("The model") })
		tellSlowest(s, said)
		holding := said.Holding()
		if more := said.moreHolds(o); more != "" {
			holding = append(holding, more)
		}
		s.items("", holding)
	}
	elsewhere := said.story.Elsewhere
	switch more := said.p.more(said.story, o.MoreBy); {
	case e.Counterexample == nil:
		s.claims(said, elsewhere)
	case o.Full && len(elsewhere) > 0:
		s.heading("Elsewhere")
		s.claims(said, elsewhere)
	case !o.Full && more != "":
		s.paragraphs("", more)
	}
}

// styleOf is the style of the verdict in text.
func styleOf(v explain.Verdict) string {
	if v == explain.Violated {
		return bold + red
	}
	return bold + green
}

// tellRun writes the run, the diagnosis, and the advice.
func tellRun(s sheet, said *Sentences) {
	e := said.p.e
	s.steps("action", runRows(said, s.options()))
	s.closing(said.About())
	if faults := said.Faults(); faults != "" {
		s.closing(faults)
	}
	apart(s, nil, func(m *markdownSheet) { m.picture(e); m.sequence() })
	if e.All != nil {
		s.heading("All shortest counterexamples")
		s.paragraphs("  ", said.p.howMany())
		lines := make([]string, len(e.All.Listed))
		for i, c := range e.All.Listed {
			lines[i] = said.p.inOneLine(c)
		}
		s.numbered(lines)
	}
	if e.Classes == nil {
		return
	}
	tellDecisions(s, said)
	if hold := said.hold(); len(hold) > 0 {
		s.heading(holdTitle)
		s.claims(said, hold)
	}
	if prevention := said.Prevention(); len(prevention) > 0 {
		s.heading(preventionTitle)
		s.paragraphs("  ", prevention...)
		apart(s, nil, func(m *markdownSheet) { ownersMarkdown(m, said) })
	}
	tellNearest(s, e)
}

// roomForDecisions is the number of lines, at [DefaultWidth], for decisions in text; only the first
// decision may take more. It does not depend on the width of the terminal, so that the same
// decisions are shown at all widths.
const roomForDecisions = 5

// tellDecisions writes the better choices on the run; in a full report, what each choice meant.
func tellDecisions(s sheet, said *Sentences) {
	story := said.story
	if s.options().Full {
		decisions := said.Decisions()
		if len(decisions) > 0 || len(story.Beyond) > 0 {
			s.heading("Decisions")
			s.numbered(decisions)
			s.claims(said, slices.Concat(story.Through, story.Owned, story.Beyond))
		}
		if len(story.WaysOut) > 0 {
			s.heading("Ways out of the loop")
			s.claims(said, story.WaysOut)
		}
		return
	}
	if len(story.Better) == 0 {
		return
	}
	s.heading(headingOf(story.Better))
	better := said.Better()
	shown := min(len(better), mostNamed)
	apart(s, func(*textSheet) {
		lines := 0
		for i, sentence := range better[:shown] {
			if lines += len(wrapped(sentence, DefaultWidth-2)); i > 0 && lines > roomForDecisions {
				shown = i
				break
			}
		}
	}, nil)
	if shown == len(better) {
		s.items("  ", slices.Concat(better, said.Through()))
	} else {
		s.items("  ", better[:shown])
		s.paragraphs("  ", fmt.Sprintf("… and %s.", said.p.further(story.Better[shown:])))
		s.items("  ", said.Through())
	}
	s.paragraphs("  ", said.Owned()...)
}

// headingOf returns the heading of the section about decisions.
func headingOf(better []Better) string {
	if len(better) == 1 && len(better[0].Decisions) == 1 {
		return "Decision"
	}
	return "Decisions"
}

// runRows returns the rows of the counterexample: the values at first, its steps, and the state in
// which it ends.
func runRows(s *Sentences, o Options) []row {
	e := s.p.e
	c := e.Counterexample
	remarks := remarksOf(s)
	steps := remarks.rows(o)
	// Appended to, the table of a long run would be in memory twice.
	table := make([]row, 0, len(steps)+3)
	if first := remarks.initial(o); first != "" {
		table = append(table, row{said: "at first " + first, inCell: printable.CodeCell(first)})
	}
	for _, s := range steps {
		step := &c.Steps[s.First]
		r := rowOf(s, step.Label, e.Name(step.From))
		r.gutter = gutter(int(c.LoopStart), len(c.Steps), s.First, s.End)
		if s.Kind == rows.OneStep {
			r.remarks = remarks.of(s.First, o)
		}
		table = append(table, r)
	}
	end := func(said, inCell string) {
		table = append(table, row{state: e.Name(e.Trace().Last()), said: said, inCell: inCell})
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

// stepTable has a row for each step of the counterexample.
func stepTable(e *explain.Explanation) tableWriter {
	return tableOf("step | from | label | to | class | progress | neighbourhood | fate", func(row func(cells ...any)) {
		if e.Counterexample == nil {
			return
		}
		for i, step := range e.Counterexample.Steps {
			var decides any = step.Neighbourhood.Is()
			if e.Classes == nil {
				decides = ""
			}
			row(i+1, e.Name(step.From), modelText(step.Label), e.Name(step.To), step.Class, step.Progress, decides, step.Fate)
		}
	})
}

func pathLabelsOf(o Options) int {
	if o.Full {
		return math.MaxInt
	}
	return explain.PathLabels
}

// PartialJSON writes the JSON of an explanation for a script element of a page, without blanks between
// tokens, and with <, > and & escaped. It calls the function more before each
// neighbourhood. When that returns false, it leaves out this neighbourhood and all further ones. It
// is for readers without room for all data of a model: of the paths it writes those within
// [explain.PathLabels]. The result still follows its schema, see [Schemas]. Cost as for [Writer].
func PartialJSON(w io.Writer, e *explain.Explanation, more func() bool) (err error) {
	defer abort.Caught(&err)
	d := openDocument(w)
	d.script = true
	explanationJSON(d, e, nil, explain.PathLabels, more)
	d.finish()
	return nil
}

func explanationJSON(d *document, e *explain.Explanation, pictures []Picture, labels int, more func() bool) {
	d.name(e.IsUnfolded(), e.Name)
	for name, value := range e.Fields() {
		if name == "pattern" || name == "timings_ms" && e.Pattern() == nil {
			claimsJSON(d, e)
		}
		if name == "timings_ms" && pictures != nil {
			d.field("pictures", pictures)
		}
		if found, is := value.(*explain.Neighbourhoods); is {
			d.list(name)
			neighbourhoodsJSON(d, found, labels, more)
			d.close()
		} else {
			d.field(name, value)
		}
	}
}

// neighbourhoodsJSON adds neighbourhoods to the innermost list as long as the function more returns
// true. Each has its path, until the paths have as many labels as the parameter labels allows.
func neighbourhoodsJSON(d *document, found *explain.Neighbourhoods, labels int, more func() bool) {
	for n := range found.WithPaths(labels) {
		if !more() {
			break
		}
		d.element(n)
	}
}

// claimsJSON adds the claims of the report with their sentences.
func claimsJSON(d *document, e *explain.Explanation) {
	s := NewSentences(e, sentenceText).InFull()
	d.list("claims")
	for _, c := range s.Story().All() {
		d.element(claimJSON{c.kind, c.steps, s.Say(c)})
	}
	d.close()
}

// claimJSON is a claim with its sentence.
type claimJSON struct {
	Kind  string              `json:"kind"`
	Steps []explain.StepIndex `json:"steps,omitempty"` // the decisions that the claim is about
	Text  string              `json:"text"`
}
