package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/remedy"
)

// Bound is how many transitions something takes of a property that holds, see
// [explain.Bound].
type Bound struct {
	Step int    `json:"step"`
	Of   string `json:"of,omitempty"`
	// Most is nil if there is no largest number.
	Most  *int `json:"most"`
	Least int  `json:"least"`
}

// Faults is how many of certain actions a violation takes, see [explain.Faults].
type Faults struct {
	Patterns    string `json:"patterns"`
	Least       *int   `json:"least"`
	OnlyForEver bool   `json:"only_for_ever,omitempty"`
}

// MostOf returns the largest bound of a property that holds, as a number and in words; "" if
// it has none. Cost O(bounds).
func (r *Result) MostOf() (most int, said string) {
	b := r.largest()
	switch {
	case b == nil:
		return 0, ""
	case b.Most == nil:
		return 0, noBound
	}
	return *b.Most, printable.Quantity(*b.Most, "action")
}

// noBound are the words for a bound that is none.
const noBound = "no bound"

// largest returns the largest bound, nil if there is none.
func (r *Result) largest() *Bound {
	var largest *Bound
	for i := range r.Bounds {
		b := &r.Bounds[i]
		if b.Most == nil {
			return b
		}
		if largest == nil || *b.Most >= *largest.Most {
			largest = b
		}
	}
	return largest
}

// String reports how many faults it takes: "LOSS: 2".
func (f Faults) String() string {
	switch {
	case f.Least != nil:
		return fmt.Sprintf("%s: %d", f.Patterns, *f.Least)
	case f.OnlyForEver:
		return f.Patterns + ": only for ever"
	}
	return f.Patterns + ": any number"
}

// recordMargin takes over by how much the property holds, and how many faults it takes.
func (t *task) recordMargin(ctx context.Context, e *explain.Explanation) error {
	r := t.result
	if e.Holds != nil {
		for _, b := range e.Holds.Bounds {
			r.Bounds = append(r.Bounds, Bound{b.Step, printable.Text(b.Of), b.Most, b.Least})
		}
		if r.Job.Bound > 0 && len(r.Bounds) == 0 {
			return fmt.Errorf("bound: there is none of %s; inevitability has one, a response with one answer, and what is to happen again and again", r.Job.Formula)
		}
	}
	for _, text := range r.Job.Options.Faults {
		f, err := parsePattern(ctx, text)
		if err != nil {
			return fmt.Errorf("faults: %w", err)
		}
		err = actl.UnmatchedPatterns(ctx, f.Steps(), t.model.LTS.Alphabet())
		if errors.As(err, new(*actl.UnmatchedError)) {
			if !r.Job.Options.AllowUnmatched {
				return remedy.New(err, t.job.Model, ": faults: ", err, " (", remedy.Unmatched, " takes it)")
			}
			err = nil
		}
		if err != nil {
			return err
		}
		found, err := e.LeastFaults(ctx, f.Steps())
		if err != nil {
			return err
		}
		r.Faults = append(r.Faults, Faults{printable.Text(text), found.Least, found.OnlyForEver})
	}
	return nil
}

// exceeded reports which expectations about bounds and faults are not met.
func exceeded(r *Result) []string {
	var said []string
	if r.Job.Bound > 0 && r.Status == Satisfied {
		switch most, words := r.MostOf(); {
		case words == noBound:
			said = append(said, fmt.Sprintf("there is no bound, and at most %d are expected", r.Job.Bound))
		case most > r.Job.Bound:
			said = append(said, fmt.Sprintf("it takes up to %s, and at most %d are expected", words, r.Job.Bound))
		}
	}
	for i, f := range r.Faults {
		if i < len(r.Job.LeastFaults) && f.Least != nil && *f.Least < r.Job.LeastFaults[i] {
			said = append(said, fmt.Sprintf("it takes %d %s to violate it, and at least %d are expected", *f.Least, f.Patterns, r.Job.LeastFaults[i]))
		}
	}
	return said
}

// judge compares a result with what its job expects.
func (r *Result) judge() {
	r.Unexpected, r.Exceeds = unexpected(r.Job, r.Status), exceeded(r)
}

// readMargin reads what is expected of bounds and faults.
func (r *reader) readMargin(e entry, job *Job) {
	r.read(e, "bound", func(text string) (err error) {
		if job.Bound, err = strconv.Atoi(text); err != nil || job.Bound < 1 {
			return fmt.Errorf("%q is no number above 0; write the largest number of transitions that is expected", text)
		}
		return nil
	})
	f, said := e.fields["faults"]
	if !said || f.wrong {
		return
	}
	texts := f.list
	if texts == nil {
		texts = strings.Split(f.text, ";")
	}
	for i, text := range texts {
		where := f.where
		if i < len(f.places) {
			where = f.places[i]
		}
		at := strings.LastIndexAny(text, ":=")
		least := -1
		if at >= 0 {
			if n, err := strconv.Atoi(strings.TrimSpace(text[at+1:])); err == nil {
				least = n
			}
		}
		if least < 0 {
			r.add(where, "faults: %q is no pattern with a number, such as LOSS: 2; write how many a violation takes at least, 0 for any", strings.TrimSpace(text))
			continue
		}
		patterns := strings.TrimSpace(text[:at])
		if _, err := parsePattern(r.ctx, patterns); err != nil {
			r.addError(where, "faults", err)
			continue
		}
		if slices.Contains(job.Options.Faults, patterns) {
			r.add(where, "faults: %s is given twice; leave one out", patterns)
			continue
		}
		job.Options.Faults, job.LeastFaults = append(job.Options.Faults, patterns), append(job.LeastFaults, least)
	}
}
