package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/simplify"
)

// content is the data of the template.
type content struct {
	Violated   bool
	Classified bool // false for the result of explain.Check
	Headline   template.HTML
	Folder     string // the folder of the model, with a slash at its end
	File       string // the name of the model's file in the folder
	Formula    string
	ACTL       string
	Steps      []propertyStep
	About      template.HTML // sentences about the run as a whole; "" for none
	Decisions  []decision
	More       int // decisions that are not next to a step
	Said       *render.Sentences
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
	// Actions are the first steps of the counterexample, for a reader without scripts. MoreActions says how
	// many there are besides, "" if there are none. Again is the step with which the run begins again; 0 if
	// it does not.
	Actions     []string
	MoreActions string
	Again       int
	Decided     int // the number of decisions
	Places      int // number of neighbourhoods
	Legend      view.Legend
	Valued      bool          // values of its states are known
	Asking      template.HTML // where the reader can ask further questions; "" if the page cannot answer any
	Another     bool          // whether the reader can ask for further counterexamples
	Forks       bool          // whether the reader can ask for the nearest continuations
	Walks       bool          // whether the script can walk through the part of the model in the page
}

type propertyStep struct {
	Number  int
	Pattern string
	Labels  string // the labels that match the pattern; "" if the pattern is the only label
}

// Bounds on sentences and lists. The JSON has everything.
const (
	maxTold      = 3      // groups of decisions that the page describes
	maxLinks     = 6      // the largest number of steps, and of targets, with links in a group
	maxSources   = 3      // the largest number of lines of the specification in a group
	maxSentences = 10_000 // sentences about single steps in the page
	maxListed    = 5      // labels that a pattern matches
	maxActions   = 200    // steps for a page without scripts
	maxAction    = 160    // characters of such a step
)

// contentOf returns what a page shows. If the property holds, there is no counterexample. Decisions
// and a nearest correct run exist only if the model is classified.
func contentOf(p *Page) *content {
	e := p.e
	s := render.NewSentences(e, quote)
	c := &content{
		Violated:   e.Verdict == explain.Violated,
		Classified: e.Classes != nil,
		Said:       s,
		Headline:   markup(headline(e, s)),
		Formula:    printable.Text(e.Property.AsWritten()),
		ACTL:       printable.Text(e.Property.ACTL),
		Pictures:   p.pictures,
		Command:    commandLine(p.o.Command),
		Version:    p.o.Version,
		Places:     p.tour.Neighbourhoods,
		Walks:      p.tour.Surroundings.Property != nil,
	}
	answersQuestions := p.o.Served || p.o.Engine != nil
	c.Another = answersQuestions && e.HasOthers()
	c.Forks = answersQuestions && e.HasForks()
	c.addPictures(p)
	c.addInput(e)
	if e.Fairness != nil && len(e.Fairness.Asked) > 0 {
		c.Under = markup(s.Scope())
	}
	if c.Classified {
		c.Legend = p.tour.Legend
	}
	run := e.SlowestRun()
	if !c.Violated && run != nil {
		c.Slowest = len(run.Steps)
		c.Faster = len(run.Faster)
	}
	if c.Violated {
		c.addCounterexample(e, s)
	}
	if c.Violated && c.Classified {
		c.Decided = len(e.Decisions)
		c.Decisions, c.More = decisionsOf(e, s, p.o.Folder)
		c.addDiff(s)
	}
	return c
}

// addPictures records which pictures are missing, whether any was drawn, and whether any omits
// something.
func (c *content) addPictures(p *Page) {
	c.Undrawn = p.tour.Undrawn
	c.Omits = len(c.Undrawn) > 0
	for _, drawn := range p.pictures {
		c.Drawn = c.Drawn || drawn.Why == ""
		c.Omits = c.Omits || len(drawn.Omitted) > 0
	}
}

// addInput adds the file of the model, the steps of the property, and the warnings.
func (c *content) addInput(e *explain.Explanation) {
	c.Folder, c.File = placeOf(e.Model.File)
	for i, step := range e.Property.Steps {
		c.Steps = append(c.Steps, propertyStep{i + 1, brief(step.Pattern), standsFor(step)})
	}
	for _, w := range e.Warnings {
		c.Warnings = append(c.Warnings, inFull(w))
	}
}

// addCounterexample adds sentences about the counterexample.
func (c *content) addCounterexample(e *explain.Explanation, s *render.Sentences) {
	c.Length = e.Counterexample.Length
	shown := min(len(e.Counterexample.Steps), maxActions)
	for _, step := range e.Counterexample.Steps[:shown] {
		c.Actions = append(c.Actions, printable.Label(step.Label, maxAction))
	}
	more := len(e.Counterexample.Steps) - shown
	if more > 0 {
		c.MoreActions = printable.Quantity(more, "more step")
	}
	c.Again = int(e.Counterexample.LoopStart) + 1
	c.Valued = e.Values != nil
	about := s.About()
	if s.Diagnosis() == "" {
		about = s.Shape()
	}
	c.About = markup(about)
	faults := s.Faults()
	if faults != "" {
		c.About += " " + markup(faults)
	}
}

// addDiff adds the lines that compare the counterexample with the nearest correct run.
func (c *content) addDiff(s *render.Sentences) {
	for _, l := range s.Diff() {
		line := diffLine{Sign: l.Sign, Class: "keep", Text: markup(l.Text)}
		switch l.Sign {
		case explain.Insert:
			line.Class = "insert"
			line.Means = "the correct run:"
		case explain.Remove:
			line.Class = "remove"
			line.Means = "this run:"
			line.Sign = "−"
		}
		c.Diff = append(c.Diff, line)
	}
}

// standsFor lists the labels that match the pattern of a step; "" if the pattern is the only such
// label.
func standsFor(step explain.PropertyStep) string {
	if len(step.Labels) == 0 {
		return "matches no label of the model"
	}
	if len(step.Labels) == 1 && step.Labels[0] == step.Pattern {
		return ""
	}
	return strings.Join(listed(step.Labels, brief, "… "), "  ·  ")
}

// listed returns the first maxListed texts, each formatted by form. If there are more, a last item,
// which begins with more, counts them.
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

// extra is the data that the script needs in addition to the explanation's JSON.
type extra struct {
	// Sentences has, by step number, what would have been better; there are at most maxSentences.
	// Decisions are the step numbers of all decisions.
	Sentences map[int]string `json:"sentences"`
	Decisions []int          `json:"decisions"`
	// Begin is the step at which the walk begins. It is the step of the most important decision, or the
	// first step of the loop.
	Begin int `json:"begin"`
	// Blamed has, by step number, the part of the headline that is about the step. It has at most
	// maxSentences of them.
	Blamed map[int]string `json:"blamed,omitempty"`
	// End is the remark at the end of the slowest run.
	End string `json:"end,omitempty"`
	// All is the number of all neighbourhoods if the JSON lacks some; otherwise 0.
	All int `json:"all_neighbourhoods,omitempty"`
}

// writeExtra writes the data for the script. cut is the number of all neighbourhoods if the JSON lacks some, otherwise 0.
func writeExtra(w io.Writer, e *explain.Explanation, cut int) error {
	data, err := json.Marshal(scriptData(e, cut)) // this also escapes <, > and &
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "<script type=\"application/json\" id=\"extra\">%s</script>\n",
		data)
	return err
}

// scriptData returns the data that the script needs in addition to the explanation's JSON. Steps are numbered from 1 in it.
func scriptData(e *explain.Explanation, cut int) extra {
	x := extra{
		Sentences: map[int]string{},
		Decisions: []int{},
		Blamed:    map[int]string{},
		All:       cut,
	}
	s := render.NewSentences(e, quote)
	x.addDecisions(e, s)
	x.addSlowestRun(e, s)
	x.Begin = x.beginOfWalk(e)
	return x
}

// addDecisions adds the decisions of the counterexample, what would have been better there, and the steps that the headline
// blames.
func (x *extra) addDecisions(e *explain.Explanation, s *render.Sentences) {
	if e.Diagnosis != nil {
		for i := range e.Counterexample.Steps {
			blame := s.Blame(explain.StepIndex(i))
			if blame != "" && len(x.Blamed) < maxSentences {
				x.Blamed[i+1] = blame
			}
		}
	}
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
}

// addSlowestRun adds the steps of the slowest run where it could have been faster, and the remark at its end. A property
// that is violated has no such run.
func (x *extra) addSlowestRun(e *explain.Explanation, s *render.Sentences) {
	run := e.SlowestRun()
	if run == nil {
		return
	}
	sentences, end := s.SlowestRun()
	for _, f := range run.Faster {
		number := int(f.Step) + 1
		x.Decisions = append(x.Decisions, number)
		sentence := sentences[f.Step]
		if sentence != "" && len(x.Sentences) < maxSentences {
			x.Sentences[number] = sentence + "."
		}
	}
	x.End = strings.NewReplacer(string(codeBegins), "", string(codeEnds), "").Replace(end)
}

// beginOfWalk returns the number of the step at which the walk begins; 0 if the run has neither a decision nor a loop.
func (x *extra) beginOfWalk(e *explain.Explanation) int {
	for _, d := range e.Decisions {
		if d.Rank == 1 {
			return int(d.Step) + 1
		}
	}
	if len(x.Decisions) > 0 {
		return x.Decisions[0]
	}
	c := e.Counterexample
	if c != nil && c.LoopStart >= 0 {
		return int(c.LoopStart) + 1
	}
	return 0
}

// decision is a group of decisions of the run with the same better choices.
type decision struct {
	Class, Sign string
	Said        template.HTML
	// NoReturn names the step of the group that passes the point of no return; "" if none does.
	NoReturn template.HTML
	// Steps are the numbers of the steps of the group; MoreSteps counts the steps that are left out.
	Steps     []int
	MoreSteps int
	// Instead are the names of the states that the better choices lead to; MoreInstead counts the
	// states that are left out.
	Instead     []string
	MoreInstead int
	// Sources are the lines of the specification with the actions.
	Sources []sourceLine
}

// sourceLine is a line of the specification.
type sourceLine struct{ Place, Href, Text string }

// sourceOf returns a line of the specification. It has a link relative to the folder of the page if the
// folder is known.
func sourceOf(p *explain.Position, folder string) sourceLine {
	s := sourceLine{Place: brief(p.String()), Text: brief(p.Text)}
	if folder == "" {
		return s
	}
	from, wrongFolder := filepath.Abs(folder)
	file, wrongFile := filepath.Abs(filepath.FromSlash(p.File))
	if wrongFolder != nil || wrongFile != nil {
		return s
	}
	path, err := filepath.Rel(from, file)
	if err != nil { // on Windows, the two may be on different drives
		return s
	}
	link := url.URL{Path: filepath.ToSlash(path), Fragment: fmt.Sprintf("L%d", p.Line)}
	s.Href = link.String()
	return s
}

// decisionsOf describes the decisions of the run, and counts those that it leaves out.
func decisionsOf(
	e *explain.Explanation,
	s *render.Sentences,
	folder string,
) (told []decision, more int) {
	for i, b := range s.Story().Better {
		if i >= maxTold {
			more += len(b.Decisions)
			continue
		}
		class := fate.Neutral
		sign := "?" // the sign distinguishes the classes without colour
		if b.Certain {
			class = fate.Correct
			sign = "✓"
		}
		d := decision{
			Class: class.String(),
			Sign:  sign,
			Said:  markup(s.Say(b.Claim(b.Decisions))),
		}
		isListed := map[string]bool{} // the states in d.Instead
		for _, step := range b.Decisions {
			if step.PointOfNoReturn {
				d.NoReturn = markup(noReturn(e, step))
			}
			if step.Source != nil && len(d.Sources) < maxSources {
				if s := sourceOf(step.Source, folder); !slices.Contains(d.Sources, s) {
					d.Sources = append(d.Sources, s)
				}
			}
			d.Steps = append(d.Steps, int(step.Step)+1)
			for _, choice := range step.Recommended() {
				name := e.Name(choice.To)
				if !isListed[name] {
					isListed[name] = true
					d.Instead = append(d.Instead, name)
				}
			}
		}
		d.Steps, d.MoreSteps = linked(d.Steps)
		d.Instead, d.MoreInstead = linked(d.Instead)
		told = append(told, d)
	}
	return told, more
}

// noReturn names the transition of the run that passes the point of no return.
func noReturn(e *explain.Explanation, at *explain.Decision) string {
	return fmt.Sprintf("Step %d (%s from state %s to state %s) is the point of no return.",
		at.Step+1, quote(at.Chosen.Label), e.Name(at.State), e.Name(at.Chosen.To))
}

// linked returns the first items of a list, which become links, and the number of the others. A single
// item is never left out.
func linked[T any](all []T) (shown []T, more int) {
	if len(all) <= maxLinks+1 {
		return all, 0
	}
	return all[:maxLinks], len(all) - maxLinks
}

// Within sentences, these two control characters enclose texts of the model, until markup marks these
// texts as code. No printable text contains the characters. All text is escaped, also outside of them,
// so that a misplaced character could only spoil the looks of a page.
const (
	codeBegins = '\x02'
	codeEnds   = '\x03'
)

// widestText bounds the characters of a label in a sentence; the step list and the JSON have
// the whole label.
const widestText = 72

func quote(text string) string {
	return string(codeBegins) + brief(text) + string(codeEnds)
}

// brief returns a text in printable form, cut after widestText characters.
func brief(text string) string {
	// A printable text is at least as long as its original.
	shown := printable.Text(printable.First(text, widestText))
	if utf8.RuneCountInString(shown) > widestText ||
		len(printable.First(text, widestText)) < len(text) {
		return printable.First(shown, widestText-1) + "…"
	}
	return shown
}

// A sentence of at most longestSentence characters is shown in full. A longer one quotes a label that
// nobody reads to its end, so only its first keptHead and last keptTail characters are shown.
const (
	longestSentence = 2000
	keptHead        = 1200
	keptTail        = 400
)

// inFull returns a sentence in printable form. Of a long sentence it keeps the beginning, which names
// the error, and the end, which has the advice. Cost O(kept text), and O(n) to count the omitted part.
func inFull(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= longestSentence {
		return printable.Text(text)
	}
	tail := text
	for range n - keptTail {
		_, size := utf8.DecodeRuneInString(tail)
		tail = tail[size:]
	}
	return printable.Text(printable.First(text, keptHead)) + " … (" +
		grouped(n-keptHead-keptTail) + " characters left out) … " + printable.Text(tail)
}

// placeOf splits the path of a model into its folder, with a slash at the end, and its name. It
// shortens both separately, so that a long folder does not hide the name.
func placeOf(file string) (folder, name string) {
	at := strings.LastIndexAny(file, `/\`) + 1
	return brief(file[:at]), brief(file[at:])
}

// markup returns a sentence as HTML, in which the marked parts are code.
func markup(sentence string) template.HTML {
	var b strings.Builder
	isCode := false
	for sentence != "" {
		end := strings.IndexAny(sentence, string([]rune{codeBegins, codeEnds}))
		part := sentence
		if end >= 0 {
			part = sentence[:end]
		}
		b.WriteString(template.HTMLEscapeString(part))
		if end < 0 {
			break
		}
		begins := sentence[end] == codeBegins
		switch {
		case begins && !isCode:
			b.WriteString("<code>")
		case !begins && isCode:
			b.WriteString("</code>")
		}
		isCode = begins
		sentence = sentence[end+1:]
	}
	if isCode {
		b.WriteString("</code>")
	}
	return template.HTML(b.String())
}

// diffLine is a line of the diff between the counterexample and a correct run.
type diffLine struct {
	Sign, Class, Means string
	Text               template.HTML
}

// headline returns the result in one plain sentence. The sentence has the reason why the property
// fails, if that is known.
func headline(e *explain.Explanation, s *render.Sentences) string {
	d := s.Diagnosis()
	if d != "" {
		return quote(e.Property.AsWritten()) + ": " + d
	}
	within := s.Within()
	if within != "" {
		return answer(e, s) + ": " + within
	}
	return answer(e, s)
}

// answer says in one plain sentence whether the property holds on every run, on no run, or not on every
// run.
func answer(e *explain.Explanation, s *render.Sentences) string {
	c := e.Counterexample
	if len(e.Property.Steps) == 0 { // the property is no inevitability
		return formulaAnswer(e)
	}
	switch {
	case c == nil && len(e.Property.Steps) == 1:
		return s.Step(1) + " is inevitable"
	case c == nil:
		return "Every run does " + s.Requirement()
	case c.InitialFate == simplify.Fated:
		return "No run does " + s.Requirement()
	case c.Done == 0:
		return s.Step(1) + " is not inevitable"
	}
	return "After " + s.Step(c.Done) + ", " + s.Missing() + " is not inevitable"
}

// formulaAnswer is [answer] for a property without steps: its sentence quotes the formula.
func formulaAnswer(e *explain.Explanation) string {
	c := e.Counterexample
	formula := quote(e.Property.AsWritten())
	switch {
	case c == nil:
		return formula + " holds"
	case c.InitialFate == simplify.Fated:
		return formula + " holds on no run"
	}
	return formula + " does not hold"
}

// titleOf returns the title for tabs of browsers and lists of files.
func titleOf(e *explain.Explanation) string {
	_, name := placeOf(e.Model.File)
	d := render.NewSentences(e, brief).Title()
	if d != "" {
		return d + " – " + brief(e.Property.AsWritten()) + ", " + name
	}
	return brief(e.Property.AsWritten()) + ": " + e.Verdict.String() + " – " + name
}

// commandLine writes a command for a POSIX shell.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = printable.ShellWord(word)
	}
	return strings.Join(quoted, " ")
}
