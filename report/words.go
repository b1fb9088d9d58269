package report

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
)

// Sentences is the sentences of the text report about an explanation, for outputs that arrange them
// in another way. Its methods compute nothing new; each costs O(length of its result).
type Sentences struct {
	p     prose
	story *Story
}

// NewSentences returns the sentences about e. quote, such as [printable.Text], formats every text
// of the model in them (names of files, labels, formulas); the words between are plain text. Cost
// O(size of e, and the number of
// neighbourhoods).
func NewSentences(e *explain.Explanation, quote func(text string) string) *Sentences {
	return &Sentences{prose{e: e, quote: quote}, newStory(e)}
}

// InFull returns the same sentences with no list cut.
func (s *Sentences) InFull() *Sentences {
	full := *s
	full.p.full = true
	return &full
}

// sentencesFor returns the sentences of a report with these options.
func sentencesFor(e *explain.Explanation, o Options, quote func(text string) string) *Sentences {
	s := NewSentences(e, quote)
	s.p.full, s.p.commands = o.Full, o.Commands
	return s
}

// Story returns the claims behind the sentences.
func (s *Sentences) Story() *Story { return s.story }

// Say returns the sentence of one claim about the explanation.
func (s *Sentences) Say(c Claim) string { return c.say(&s.p) }

// Verdict is the sentence whether the property holds.
func (s *Sentences) Verdict() string { return s.p.verdict() }

// Requirement lists the steps of the property: "A, later B".
func (s *Sentences) Requirement() string { return s.p.requirement() }

// Shape describes the counterexample, and names the step that never comes; "" if the property
// holds.
func (s *Sentences) Shape() string { return strings.Join(sayAll(&s.p, s.story.Run), " ") }

// About describes the counterexample: whether a shorter one exists, how a given one was changed,
// and how its states are shown; "" if the property holds.
func (s *Sentences) About() string {
	var said []string
	for _, c := range slices.Concat(s.story.Run, s.story.Elsewhere) {
		if slices.Contains([]string{"minimal", "conditions", "note", "doomed", "unfolded"}, c.kind) {
			said = append(said, s.Say(c))
		}
	}
	return strings.Join(said, " ")
}

// Diagnosis says why the property fails, in the form that follows a verdict; "" if that is not
// known.
func (s *Sentences) Diagnosis() string {
	if s.story.Diagnosis == nil {
		return ""
	}
	return s.p.diagnosis()
}

// Decisions describes all decisions of the run, in its order. Consecutive decisions with the same
// description share a sentence.
func (s *Sentences) Decisions() []string { return sayAll(&s.p, s.story.chosen()) }

// Missing names the step that never comes, and the steps before it. The property must be
// violated.
func (s *Sentences) Missing() string { return s.p.once(s.p.e.Counterexample.Done + 1) }

// Better describes what would have been better on the counterexample; decisions with the same
// alternatives share a sentence. It is nil in the result of [explain.Check].
func (s *Sentences) Better() []string {
	var said []string
	for _, b := range s.story.Better {
		said = append(said, s.p.better(b))
	}
	return said
}

// Through names the decisions that all violating runs have in common; nil if none are known.
func (s *Sentences) Through() []string { return sayAll(&s.p, s.story.Through) }

// Hold describes what would make the property true, the smallest change first, or why nothing does;
// nil if neither is known.
func (s *Sentences) Hold() []string { return sayAll(&s.p, s.hold()) }

func (s *Sentences) hold() []Claim {
	if s.p.full {
		return slices.Concat(s.story.Hold, s.story.HoldMore)
	}
	return s.story.Hold
}

// Elsewhere names the neighbourhoods off the counterexample; nil in the result of [explain.Check].
func (s *Sentences) Elsewhere() []string { return sayAll(&s.p, s.story.Elsewhere) }
