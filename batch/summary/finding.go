package summary

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/batch"
)

// finding is a result together with what became of it since the earlier run.
type finding struct {
	*batch.Result
	change batch.Change // "" where nothing has changed, or nothing is compared
	old    string       // what it was, in a few words
}

// findings returns the results of a batch, in its order. Cost O(results).
func findings(b Batch) []finding {
	differences := map[string]batch.Difference{}
	if b.Differences != nil {
		for _, d := range b.Differences.List {
			if d.Change != batch.Removed {
				differences[d.Name] = d
			}
		}
	}
	all := make([]finding, len(b.Results))
	for i := range b.Results {
		r := &b.Results[i]
		d := differences[r.Job.Name]
		all[i] = finding{r, d.Change, d.Old}
	}
	return all
}

// removed returns the differences that are about jobs which are no more.
func removed(b Batch) []batch.Difference {
	var gone []batch.Difference
	if b.Differences != nil {
		for _, d := range b.Differences.List {
			if d.Change == batch.Removed {
				gone = append(gone, d)
			}
		}
	}
	return gone
}

// expectedViolation tells that the property is violated, as it should be.
func (f finding) expectedViolation() bool {
	return f.Status == batch.Violated && f.Job.Expect == string(batch.Violated)
}

// isNew tells of what is wrong now and was not wrong in the earlier run.
func (f finding) isNew() bool {
	switch f.change {
	case batch.NewlyViolated, batch.NewlyFailed:
		return !f.expectedViolation()
	case batch.Added:
		return f.Status != batch.Satisfied && !f.expectedViolation()
	}
	return false
}

// The groups in which people should look at findings.
const (
	groupUnexpected = iota
	groupNew
	groupUnanswered
	groupViolated // and nobody said what is expected
	groupExpected // violated, as it should be
	groupSatisfied
)

func (f finding) group() int {
	switch {
	case f.Unexpected:
		return groupUnexpected
	case f.isNew():
		return groupNew
	case !f.Status.Answered():
		return groupUnanswered
	case f.expectedViolation():
		return groupExpected
	case f.Status == batch.Violated:
		return groupViolated
	}
	return groupSatisfied
}

// answer says in a few words how the job ended: "violated, 8 transitions".
func (f finding) answer() string {
	if f.Status == batch.Violated && f.Counterexample != nil {
		return "violated, " + count(f.Counterexample.Length, "transition")
	}
	return string(f.Status)
}

// begins is how a sentence about the counterexample as a whole begins, here and in
// the reports.
func begins(c *batch.Counterexample) string {
	if c.Shortest {
		return "A shortest counterexample has"
	}
	return "A counterexample has"
}

// shape says what the counterexample looks like.
func (f finding) shape() string {
	c := f.Counterexample
	if c == nil {
		return ""
	}
	text := begins(c) + " " + count(c.Length, "transition")
	if c.LoopStart >= 0 && c.LoopStart < c.Length {
		return fmt.Sprintf("%s, of which the last %s repeated for ever", text, are(c.Length-c.LoopStart))
	}
	return text + " and ends in a deadlock"
}

func are(n int) string {
	if n == 1 {
		return "one is"
	}
	return fmt.Sprintf("%d are", n)
}

// deciding says which transition loses the property.
func (f finding) deciding() string {
	if f.Counterexample == nil || f.Counterexample.Deciding == nil {
		return ""
	}
	d := f.Counterexample.Deciding
	return fmt.Sprintf("%s --%s--> %s", d.From, d.Label, d.To)
}

// counts are the numbers of results of each status.
type counts struct {
	Jobs       int `json:"jobs"`
	Satisfied  int `json:"satisfied"`
	Violated   int `json:"violated"`
	Failed     int `json:"error"`
	TimedOut   int `json:"timeout"`
	Crashed    int `json:"crash"`
	Canceled   int `json:"canceled"`
	Unexpected int `json:"unexpected"`
}

func (c *counts) of(s batch.Status) *int {
	switch s {
	case batch.Satisfied:
		return &c.Satisfied
	case batch.Violated:
		return &c.Violated
	case batch.TimedOut:
		return &c.TimedOut
	case batch.Crashed:
		return &c.Crashed
	case batch.Canceled:
		return &c.Canceled
	}
	return &c.Failed
}

func (c *counts) unanswered() int { return c.Jobs - c.Satisfied - c.Violated }

func counted(results []batch.Result) counts {
	c := counts{Jobs: len(results)}
	for i := range results {
		*c.of(results[i].Status)++
		if results[i].Unexpected {
			c.Unexpected++
		}
	}
	return c
}

// headline says in one sentence how the batch ended.
func (c *counts) headline() string {
	if c.Jobs == 0 {
		return "There are no jobs"
	}
	var said []string
	switch {
	case c.Violated == 0 && c.Satisfied == c.Jobs && c.Jobs > 1:
		said = append(said, fmt.Sprintf("All %d properties are satisfied", c.Jobs))
	case c.Violated == 1:
		said = append(said, fmt.Sprintf("1 of %s is violated", properties(c.Jobs)))
	case c.Violated == 0:
		said = append(said, fmt.Sprintf("%d of %s satisfied, none violated", c.Satisfied, properties(c.Jobs)))
	default:
		said = append(said, fmt.Sprintf("%d of %s are violated", c.Violated, properties(c.Jobs)))
	}
	switch {
	case c.Unexpected == 1:
		said = append(said, "1 verdict is unexpected")
	case c.Unexpected > 1:
		said = append(said, fmt.Sprintf("%d verdicts are unexpected", c.Unexpected))
	}
	switch n := c.unanswered(); {
	case n == 1:
		said = append(said, "1 job has no answer")
	case n > 1:
		said = append(said, fmt.Sprintf("%d jobs have no answer", n))
	}
	return strings.Join(said, "; ")
}

func properties(n int) string {
	if n == 1 {
		return "1 property"
	}
	return fmt.Sprintf("%d properties", n)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// changes lists the kinds of differences that there are, with their numbers, in
// the order of their weight.
func changes(d *batch.Differences) []changeCount {
	if d == nil {
		return nil
	}
	found := map[batch.Change]int{}
	for _, difference := range d.List {
		found[difference.Change]++
	}
	var all []changeCount
	for _, c := range []batch.Change{
		batch.NewlyViolated, batch.NewlyFailed, batch.NewlySatisfied, batch.Repaired, batch.Longer, batch.Shorter,
		batch.OtherDecisions, batch.Added, batch.Removed,
	} {
		if found[c] > 0 {
			all = append(all, changeCount{c, found[c]})
		}
	}
	return all
}

type changeCount struct {
	Change batch.Change
	Count  int
}

// words returns the change as people say it.
func words(c batch.Change) string {
	switch c {
	case batch.Longer:
		return "longer run"
	case batch.Shorter:
		return "shorter run"
	}
	return strings.ReplaceAll(string(c), "-", " ")
}
