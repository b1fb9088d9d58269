package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report"
)

// content is the data of the template.
type content struct {
	Violated   bool
	Classified bool // false for the result of explain.Check
	Headline   template.HTML
	Folder     string // the folder of the model, with its last slash
	File       string // the name of the model's file in the folder
	Formula    string
	ACTL       string
	Steps      []propertyStep
	About      template.HTML // sentences about the run as a whole, "" for none
	Decisions  []decision
	More       int // decisions that are not next to a step
	Said       *report.Sentences
	Slowest    int // the length of the slowest run of a property that holds
	Faster     int // the number of steps that could have been faster
	Diff       []diffLine
	Under      template.HTML // the verdict, if only some runs count
	Warnings   []string
	Pictures   []picture
	// Undrawn lists the missing pictures. Omits reports whether the page leaves anything out.
	Undrawn []string
	Omits   bool
	Drawn   bool // whether there is some picture
	Command string
	Version string
	Length  int // of the counterexample
	Decided int // the number of decisions
	Places  int // number of neighbourhoods
	Legend  view.Legend
	Valued  bool          // values of its states are known
	Asking  template.HTML // where the reader asks further, "" where the page cannot answer
	Walks   bool          // whether the script can walk through the part of the model in the page
}

type propertyStep struct {
	Number  int
	Pattern string
	Labels  string // the labels of the pattern, "" if it is a label itself
}

// Bounds of sentences and lists. The JSON has everything.
const (
	maxTold      = 3      // groups of decisions that the page describes
	maxLinks     = 6      // the largest number of steps, and of targets, with links in a group
	maxSources   = 3      // the largest number of lines of the specification in a group
	maxSentences = 10_000 // sentences that the page holds for single steps
	maxListed    = 5      // labels that a pattern matches
)

func contentOf(p *Page) *content {
	e := p.e
	s := report.NewSentences(e, quote)
	c := &content{
		Violated:   e.Verdict == explain.Violated,
		Classified: e.Classes != nil,
		Said:       s,
		Headline:   markup(headline(e, s)),
		Under:      under(e, s),
		Formula:    printable.Text(e.Property.AsWritten()),
		ACTL:       printable.Text(e.Property.ACTL),
		Pictures:   p.pictures,
		Command:    commandLine(p.o.Command),
		Version:    p.o.Version,
		Places:     p.tour.Neighbourhoods,
		Walks:      p.tour.Surroundings.Property != nil,
	}
	c.Undrawn = p.tour.Undrawn
	c.Omits = len(c.Undrawn) > 0
	for _, drawn := range p.pictures {
		c.Drawn = c.Drawn || drawn.Why == ""
		c.Omits = c.Omits || len(drawn.Omitted) > 0
	}
	c.Folder, c.File = placeOf(e.Model.File)
	for i, step := range e.Property.Steps {
		c.Steps = append(c.Steps, propertyStep{i + 1, brief(step.Pattern), standsFor(step)})
	}
	for _, w := range e.Warnings {
		c.Warnings = append(c.Warnings, inFull(w))
	}
	if c.Violated {
		c.Length = e.Counterexample.Length
		c.Valued = e.Values != nil
		c.About = markup(s.About())
		if s.Diagnosis() == "" {
			c.About = markup(s.Shape())
		}
	}
	if !c.Violated {
		if run := e.SlowestRun(); run != nil {
			c.Slowest, c.Faster = len(run.Steps), len(run.Faster)
		}
	} else if faults := s.Faults(); faults != "" {
		c.About += " " + markup(faults)
	}
	if c.Classified {
		c.Legend = p.tour.Legend
	}
	if c.Classified && c.Violated {
		c.Decided = len(e.Decisions)
		c.Decisions, c.More = decisionsOf(e, s, p.o.Folder)
		c.Diff = diffOf(s)
	}
	return c
}

// standsFor lists the labels that the pattern of a step matches; "" if the only label has the same
// text.
func standsFor(step explain.PropertyStep) string {
	if len(step.Labels) == 0 {
		return "matches no label of the model"
	}
	if len(step.Labels) == 1 && step.Labels[0] == step.Pattern {
		return ""
	}
	return strings.Join(listed(step.Labels, brief, "… "), "  ·  ")
}

// listed returns some texts in their form, and counts those beyond maxListed.
func listed(texts []string, form func(string) string, more string) []string {
	var all []string
	for i, text := range texts {
		if i == maxListed {
			return append(all, fmt.Sprintf("%s%d more", more, len(texts)-i))
		}
		all = append(all, form(text))
	}
	return all
}

// grouped writes a number with thin spaces between the thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u2009" + digits[i:]
	}
	return digits
}

// extra is the data for the script beyond the explanation's JSON.
type extra struct {
	// Sentences has, by step number, what would have been better, at most maxSentences of them.
	// Decisions are the step numbers of all decisions.
	Sentences map[int]string `json:"sentences"`
	Decisions []int          `json:"decisions"`
	// Begin is the step at which the walk begins: that of the most important decision, or the first
	// step of the loop.
	Begin int `json:"begin"`
	// End is the remark at the end of the slowest run.
	End string `json:"end,omitempty"`
	// All is the number of all neighbourhoods, if the JSON lacks some; else 0.
	All int `json:"all_neighbourhoods,omitempty"`
}

func writeExtra(w io.Writer, e *explain.Explanation, cut int) {
	x := extra{Sentences: map[int]string{}, Decisions: []int{}, All: cut}
	s := report.NewSentences(e, quote)
	for i := range e.Decisions {
		x.Decisions = append(x.Decisions, int(e.Decisions[i].Step)+1)
	}
	for _, b := range s.Story().Better {
		for _, d := range b.Decisions {
			if len(x.Sentences) < maxSentences {
				x.Sentences[int(d.Step)+1] = s.Say(b.Claim([]*explain.Decision{d}))
			}
		}
	}
	if run := e.SlowestRun(); run != nil {
		x.tellSlowest(s, run)
	}
	switch c := e.Counterexample; {
	case len(x.Decisions) > 0:
		x.Begin = x.Decisions[0]
		for _, d := range e.Decisions {
			if d.Rank == 1 {
				x.Begin = int(d.Step) + 1
			}
		}
	case c != nil && c.LoopStart >= 0:
		x.Begin = int(c.LoopStart) + 1
	}
	data := abort.Must(json.Marshal(x)) // this also escapes <, > and &
	fmt.Fprintf(w, "<script type=\"application/json\" id=\"extra\">%s</script>\n", data)
}
