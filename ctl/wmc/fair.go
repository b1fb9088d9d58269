package wmc

import (
	"context"
	"io"

	"github.com/inev-lts/inev/ctl/internal/fair"
)

// FairQuestion is a formula about the runs that meet assumptions, and FairAnswer what was decided
// about it, with evidence.
type (
	FairQuestion = fair.Question
	FairAnswer   = fair.Decision
)

// CheckFair is [Check] where runs count only if they meet assumptions of fairness. It fails if ctx is
// done, with the errors of the question, and if no run counts from a state that is asked about.
// Cost O(|φ| (S + T)) times one more than the number of strong tasks; it is not local: all that can
// be reached is looked at.
func CheckFair(ctx context.Context, q FairQuestion) (*FairAnswer, error) { return fair.Decide(ctx, q) }

// WriteFairJSON is [WriteJSON] for an answer about the runs that meet assumptions, given as
// [github.com/inev-lts/inev/actl.ParseAssumption] takes them. Cost O(size of the evidence).
func (q Question) WriteFairJSON(w io.Writer, assumptions []string, a *FairAnswer) error {
	return fair.WriteJSON(w, fair.Asked{Formula: q.Formula, Internal: q.Internal, Fair: assumptions}, a)
}
