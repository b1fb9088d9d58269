package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/report"
	"github.com/inev-lts/inev/report/internal/claim"
)

// content is what the template arranges.
type content struct {
	Violated   bool
	Classified bool // false for the result of explain.Check
	Headline   template.HTML
	Folder     string // where the model is, with its last slash
	File       string // its name alone
	Formula    string
	ACTL       string
	Steps      []propertyStep
	Shape      template.HTML
	Decisive   *decisive
	Lost       template.HTML // why nothing was decided on the run, "" where something was
	Decisions  []template.HTML
	More       int // decisions that are not said in words
	Unprinted  int // decisions that are said in words, but not on paper
	Beyond     []template.HTML
	Exits      []template.HTML
	When       []template.HTML
	Values     [][2]string // where, and which values hold from there on
	MoreValues int         // steps that change values and are not told
	Change     []template.HTML
	Diff       []diffLine
	Under      template.HTML // the verdict where only some runs count
	Elsewhere  []template.HTML
	Warnings   []string
	Pictures   []picture
	// Undrawn says which pictures the page does not have, Omits whether there is
	// anything to say about what it leaves out.
	Undrawn    []string
	Omits      bool
	Drawn      bool // some picture is there
	Facts      []fact
	Command    string
	Version    string
	Length     int // of the counterexample
	Abstracted int // length of the abstracted one
	Places     int // number of neighbourhoods
	Legend     view.Legend
	Walks      bool // the script can walk through what travels of the model
}

type propertyStep struct {
	Number  int
	Pattern string
	Labels  string // what the pattern stands for, "" where it is just itself
}

type fact struct {
	Name, Value, Note string
}

// Bounds of what is said in words. The JSON has everything.
const (
	maxDecisions = 100    // sentences about decisions that are shown at once
	maxPrinted   = 15     // of these on paper; the style sheet has the number, too
	maxSentences = 10_000 // sentences that the page holds for single steps
	maxChoices   = 6      // alternatives to the decisive choice
	maxBetter    = 40     // the same, of those that would have been better
	maxListed    = 5      // labels that a pattern stands for
)

func contentOf(p *Page) *content {
	e := p.e
	s := report.NewSentences(e, quote)
	c := &content{
		Violated:   e.Verdict == explain.Violated,
		Classified: e.Classes != nil,
		Headline:   markup(headline(e, s)),
		Under:      under(e, s),
		Formula:    report.Printable(e.Property.Text),
		ACTL:       report.Printable(e.Property.ACTL),
		Pictures:   p.pictures,
		Facts:      factsOf(e, p.tour.Neighbourhoods),
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
		c.Length = len(e.Counterexample.Steps)
		c.Shape = markup(s.Shape())
		c.Values, c.MoreValues = report.ValuesOf(e)
	}
	if c.Classified {
		c.Legend = p.tour.Legend
		c.Elsewhere = markups(s.Elsewhere())
	}
	if c.Classified && c.Violated {
		c.why(e, s)
	}
	return c
}

// why says what was decided on the counterexample.
func (c *content) why(e *explain.Explanation, s *report.Sentences) {
	c.Abstracted = len(e.Abstracted.Steps)
	c.Beyond = markups(s.Beyond())
	c.Exits = markups(s.Exits())
	c.When = markups(s.When())
	c.Change = markups(s.Change())
	c.Diff = diffOf(s)
	said := s.Decisions()
	if len(said) > maxDecisions {
		c.More = len(said) - maxDecisions
		said = said[:maxDecisions]
	}
	c.Unprinted = max(0, len(said)-maxPrinted)
	c.Decisions = markups(said)
	if d := e.Decisive(); d != nil {
		c.Decisive = describe(e, s, d)
		return
	}
	for _, said := range s.Story().Beyond {
		if undecided, is := said.(claim.Undecided); is {
			c.Lost = markup(s.Say(undecided))
		}
	}
}

// decisive is the choice at which the page begins.
type decisive struct {
	Step     int // from 1
	State    string
	After    string // the label before, "" where the run begins there
	NoReturn bool
	Looping  bool // it is met in every round of the loop
	Chosen   choice
	Better   []choice
	Worse    []choice
	More     int // alternatives that are not listed
}

// choice is transitions that mean the same and lead to the same states.
type choice struct {
	Class, Sign, Means string
	Labels, To         []string
	Again              bool // the choice before it means the same
}

// signs stand beside colours, so that nobody has to tell these apart.
var signs = map[neighbourhood.Class]string{neighbourhood.Correct: "✓", neighbourhood.Incorrect: "✗", neighbourhood.Neutral: "?"}

// wouldHave says what a choice would have meant; as well, where the run has lost the
// property at the same place.
func wouldHave(class neighbourhood.Class, asWell bool) string {
	switch {
	case class == neighbourhood.Correct:
		return "would have made the property certain"
	case class == neighbourhood.Neutral:
		return "would have kept the property possible"
	case asWell:
		return "would have lost the property as well"
	}
	return "would have lost the property"
}

// firstRound says where a choice meant less the first time that the run came by.
func firstRound(c explain.Choice) string {
	switch {
	case c.First == c.After:
		return ""
	case c.First == neighbourhood.Neutral:
		return "; in the first round it would only have kept it possible"
	}
	return "; in the first round it would still have lost it"
}

func describe(e *explain.Explanation, s *report.Sentences, d *explain.Decision) *decisive {
	found := &decisive{Step: int(d.Step) + 1, State: e.Name(d.State)}
	if d.Step > 0 {
		found.After = brief(e.Counterexample.Steps[d.Step-1].Label)
	}
	found.NoReturn = d.PointOfNoReturn
	found.Looping = e.IsOnLoop(d)
	found.Chosen = choiceOf(e, []explain.Choice{d.Chosen}, "the property stays possible, but nothing forces it")
	if about := claim.About(e, d); about.Outcome == claim.LostHere {
		found.Chosen.Means = strings.NewReplacer(string(codeBegins), "", string(codeEnds), "").Replace(s.Lost(about.Gone))
	}
	shown := 0
	for _, class := range []neighbourhood.Class{neighbourhood.Correct, neighbourhood.Neutral, neighbourhood.Incorrect} {
		for _, group := range alike(d.Alternatives, class) {
			better := group[0].IsBetter(d.Chosen)
			if shown >= maxChoices && !(better && shown < maxBetter) {
				found.More += len(group)
				continue
			}
			shown++
			described := choiceOf(e, group, wouldHave(class, found.NoReturn)+firstRound(group[0]))
			if better {
				found.Better = append(found.Better, described)
			} else {
				found.Worse = append(found.Worse, described)
			}
		}
	}
	sayOnce(found.Better)
	sayOnce(found.Worse)
	return found
}

// sayOnce marks the choices that mean the same as the one before them.
func sayOnce(choices []choice) {
	for i := 1; i < len(choices); i++ {
		choices[i].Again = choices[i].Means == choices[i-1].Means
	}
}

// alike groups the choices of a class: labels that mean the same and lead to the same
// states stand together, in the order of the model.
func alike(all []explain.Choice, class neighbourhood.Class) [][]explain.Choice {
	all = slices.DeleteFunc(slices.Clone(all), func(c explain.Choice) bool { return c.After != class })
	var groups [][]explain.Choice
	for _, group := range claim.Together(len(all), func(i int) (neighbourhood.Class, string, lts.State) {
		return all[i].First, all[i].Label, all[i].To
	}) {
		var choices []explain.Choice
		for _, i := range group {
			choices = append(choices, all[i])
		}
		groups = append(groups, choices)
	}
	return groups
}

// choiceOf describes choices that are alike, of which there can be very many: labels
// and states are found again by hashing.
func choiceOf(e *explain.Explanation, group []explain.Choice, means string) choice {
	described := choice{Class: group[0].After.String(), Sign: signs[group[0].After], Means: means}
	labels, states := map[string]bool{}, map[lts.State]bool{}
	for _, c := range group {
		if label := brief(c.Label); !labels[label] {
			labels[label] = true
			described.Labels = append(described.Labels, label)
		}
		if !states[c.To] {
			states[c.To] = true
			described.To = append(described.To, e.Name(c.To))
		}
	}
	return described
}

// standsFor lists the labels of a pattern that is not simply one of them.
func standsFor(step explain.PropertyStep) string {
	if len(step.Labels) == 0 {
		return "matches no label of the model"
	}
	if len(step.Labels) == 1 && step.Labels[0] == step.Pattern {
		return ""
	}
	var labels []string
	for i, l := range step.Labels {
		if i == maxListed {
			labels = append(labels, fmt.Sprintf("… %d more", len(step.Labels)-i))
			break
		}
		labels = append(labels, brief(l))
	}
	return strings.Join(labels, "  ·  ")
}

func factsOf(e *explain.Explanation, neighbourhoods int) []fact {
	m := e.Model
	part := func(all, reachable int) string {
		if all == reachable {
			return ""
		}
		return grouped(all-reachable) + " more cannot be reached and took no part"
	}
	facts := []fact{
		{"Model", report.Printable(m.File), ""},
		{"Initial state", fmt.Sprint(m.Initial), ""},
		{"States", grouped(m.ReachableStates), part(m.States, m.ReachableStates)},
		{"Transitions", grouped(m.ReachableTransitions), part(m.Transitions, m.ReachableTransitions)},
		{"Labels", grouped(m.Labels), "different actions"},
		{"Deadlocks", grouped(m.Deadlocks), "states in which nothing can happen any more"},
	}
	if e.Classes == nil {
		return facts
	}
	facts = append(facts,
		fact{"Strongly connected components", grouped(m.SCCs), "sets of states that all reach each other"},
		fact{"Depth", grouped(m.Depth), "how often a run can move on from one component to another, at most"},
		fact{"Correct transitions", grouped(e.Classes.Correct), "every run through one satisfies the property"},
		fact{"Incorrect transitions", grouped(e.Classes.Incorrect), "no run through one satisfies it"},
		fact{"Neutral transitions", grouped(e.Classes.Neutral), "both are still possible"},
	)
	if e.Classes.Excluded > 0 {
		facts = append(facts, fact{"Excluded transitions", grouped(e.Classes.Excluded), "no run through one counts"})
	}
	return append(facts,
		fact{"Decisions", grouped(neighbourhoods), "neighbourhoods, in the reading “" + e.Reading.String() + "”"},
	)
}

// grouped writes a number with thin spaces between the thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u2009" + digits[i:]
	}
	return digits
}

// extra is what the script needs beside the explanation.
type extra struct {
	// Sentences say in words what was decided, by the number of the step.
	Sentences map[int]string `json:"sentences"`
	// Decisions are the numbers of the sentences about decisions, by that of the step.
	Decisions map[int]int `json:"decisions"`
	Decisive  int         `json:"decisive,omitempty"`
	// All is the number of neighbourhoods where the JSON has not all of them.
	All int `json:"all_neighbourhoods,omitempty"`
}

func writeExtra(w io.Writer, e *explain.Explanation, cut int) error {
	x := extra{Sentences: map[int]string{}, Decisions: map[int]int{}, All: cut}
	s := report.NewSentences(e, quote)
	for i, c := range s.Story().Decisions {
		for _, d := range c.Decisions {
			x.Decisions[int(d.Step)+1] = i + 1
		}
	}
	for i := max(0, len(e.Decisions)-maxSentences); i < len(e.Decisions); i++ {
		x.Sentences[int(e.Decisions[i].Step)+1] = s.Decision(&e.Decisions[i])
	}
	if d := e.Decisive(); d != nil {
		x.Decisive = int(d.Step) + 1
	}
	data, err := json.Marshal(x) // escapes <, > and & as well
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "<script type=\"application/json\" id=\"extra\">%s</script>\n", data)
	return err
}
