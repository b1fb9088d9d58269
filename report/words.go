package report

import "github.com/inev-lts/inev/explain"

// Sentences says in words what an explanation found, sentence by sentence, for
// outputs that arrange them in their own way. They are the sentences of the text
// report. Its methods compute nothing new; each costs O(length of what it says),
// [Sentences.Elsewhere] O(number of neighbourhoods).
type Sentences struct{ p prose }

// NewSentences returns the sentences about e. Every text of the model in them
// (names of files, labels, formulas) has passed through quote, once, [Printable]
// being the plainest choice; what stands around it is plain text.
func NewSentences(e *explain.Explanation, quote func(text string) string) *Sentences {
	return &Sentences{prose{e: e, quote: quote}}
}

// Verdict says whether the property holds.
func (s *Sentences) Verdict() string { return s.p.verdict() }

// Requirement lists the steps of the property: "A, later B".
func (s *Sentences) Requirement() string { return s.p.steps() }

// Shape says what the counterexample looks like, and which step never comes. It
// must not be asked for where the property holds.
func (s *Sentences) Shape() string { return s.p.shape() }

// Decision says what was chosen at a state of the counterexample, what that meant,
// and what the alternatives would have meant; d is one of the explanation's
// Decisions or Forks.
func (s *Sentences) Decision(d *explain.Decision) string {
	return s.p.chosen([]explain.Decision{*d}) + s.p.meaning(d)
}

// Decisions says the same of several, in the order of the run; those that follow
// each other with the same to be said share a sentence.
func (s *Sentences) Decisions(all []explain.Decision) []string { return s.p.decisions(all) }

// Lost says what can no longer happen after the point of no return. It must not
// be asked for where there is none.
func (s *Sentences) Lost() string { return s.p.lost() }

// Impossible names what no run does: "A", or "B after A". It must not be asked for
// where the property is not lost from the start.
func (s *Sentences) Impossible() string { return s.p.firstImpossible() }

// Beyond says what there is to say about the counterexample as a whole, beside its
// decisions. It must not be asked for where the property holds, nor of the result
// of [explain.Check].
func (s *Sentences) Beyond() []string { return s.p.beyondDecisions() }

// Exits says how the loop of a lasso could be left; nil where there is nothing to
// say. It must not be asked for where the property holds.
func (s *Sentences) Exits() []string { return s.p.exits() }

// Elsewhere says what lies off the counterexample. It must not be asked for of the
// result of [explain.Check].
func (s *Sentences) Elsewhere() []string { return s.p.elsewhere() }
