package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/printable"
)

// finding is a result and how it differs from the earlier run.
type finding struct {
	*batch.Result
	change batch.Change // "" if nothing has changed, or nothing is compared
	old    string       // the earlier result, in a few words
	now    string       // the current result, in a few words
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
		all[i] = finding{r, d.Change, d.Old, d.New}
		if d.Since != "" {
			all[i].old += "; since then " + d.Since
		}
	}
	return all
}

// removed returns the differences about jobs that the manifest no longer has.
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

// expectedViolation reports whether the property is violated, as expected.
func (f finding) expectedViolation() bool {
	return f.Status == batch.Violated && !f.Unexpected && !f.exceeds()
}

// staleAdvice is the remedy for a job that holds although a violation is expected.
const staleAdvice = "It holds now: remove the expectation from the manifest."

// needsALook reports whether somebody must act on a job: its verdict is not the expected one, or is
// missing, or an expectation is not met.
func (f finding) needsALook() bool { return f.Unexpected || !f.Status.Answered() || f.exceeds() }

// exceeds reports whether an expectation about bounds or faults is not met.
func (f finding) exceeds() bool { return len(f.Exceeds) > 0 }

// isNew reports whether a job needs a look and did not in the earlier run.
func (f finding) isNew() bool {
	switch f.change {
	case batch.NewlyViolated, batch.NewlyFailed, batch.NewlySatisfied, batch.Repaired, batch.Added:
		return f.needsALook()
	}
	return false
}

// The groups of findings, the most urgent first.
const (
	groupNew        = iota // needs a look, and did not in the earlier run
	groupUnexpected        // another verdict than is expected
	groupUnanswered        // no verdict
	groupWarned            // as expected, but with a warning
	groupExpected          // violated, as it should be
	groupSatisfied
)

func (f finding) group() int {
	switch {
	case f.needsALook() && f.isNew():
		return groupNew
	case f.Unexpected || f.exceeds():
		return groupUnexpected
	case !f.Status.Answered():
		return groupUnanswered
	case len(f.Warnings) > 0:
		return groupWarned
	case f.expectedViolation():
		return groupExpected
	}
	return groupSatisfied
}

// answer says in a few words how the job ended: "violated, 8 transitions".
func (f finding) answer() string {
	if f.Status == batch.Violated && f.Counterexample != nil {
		return "violated, " + printable.Quantity(f.Counterexample.Length, "transition")
	}
	return string(f.Status)
}

// bound returns the number of transitions within which the property is satisfied, in words; ""
// if that is not known.
func (f finding) bound() string {
	_, said := f.MostOf()
	return said
}

// faults returns the number of faults that a violation takes, in words.
func (f finding) faults() string {
	all := make([]string, len(f.Faults))
	for i, faults := range f.Faults {
		all[i] = faults.String()
	}
	return strings.Join(all, "; ")
}

// begins returns the beginning of a sentence about the whole counterexample, the same as in
// reports.
func begins(c *batch.Counterexample) string {
	if c.InProduct {
		return "A shortest counterexample in the product of model and property has"
	}
	if c.Shortest {
		return "A shortest counterexample has"
	}
	return "A counterexample has"
}

// shape describes the counterexample.
func (f finding) shape() string {
	c := f.Counterexample
	if c == nil {
		return ""
	}
	text := begins(c) + " " + printable.Quantity(c.Length, "transition")
	if n := c.Length + c.Before; c.LoopStart >= 0 && c.LoopStart < n {
		return fmt.Sprintf("%s, of which the last %s repeated for ever", text, are(n-c.LoopStart))
	}
	switch c.Kind {
	case counterexample.Prefix:
		return text + "; whatever follows, the property is violated"
	case counterexample.Trap:
		return text + "; from there on the property is lost"
	case counterexample.Stop:
		return text + " and stops where all that is possible may be blocked"
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
	d := decidingOf(f)
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%s --%s--> %s", d.From, d.Label, d.To)
}

// withinForm and lengthForm match the parts of a description, in a difference, that state a bound
// and a length.
var (
	withinForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^satisfied, (.*?within )(\d+) actions?(?:, |$)`) })
	lengthForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^violated, (\d+) transitions?(?:, |$)`) })
)

// pace describes changes of a bound and of numbers of faults: "REQ … ACK within 7 → 9 actions;
// LOSS: 3 → 2 faults". It is "" if nothing has changed, or if the bound has or had no largest
// number.
func (f finding) pace() string {
	if !slices.Contains(batch.Margins(), f.change) {
		return ""
	}
	old := strings.SplitN(f.old, "; since then ", 2)[0]
	var said []string
	if was, is := withinForm().FindStringSubmatch(old), withinForm().FindStringSubmatch(f.now); was != nil && is != nil && was[1] == is[1] && was[2] != is[2] {
		of := was[1]
		if of == "within " {
			of = "done within "
		}
		said = append(said, fmt.Sprintf("%s%s → %s actions", of, was[2], is[2]))
	}
	for _, faults := range f.Faults {
		form := regexp.MustCompile(", " + regexp.QuoteMeta(faults.Patterns) + `: (\d+|only for ever|any number)(?:, |$)`)
		if was, is := form.FindStringSubmatch(old), form.FindStringSubmatch(f.now); was != nil && is != nil && was[1] != is[1] {
			said = append(said, fmt.Sprintf("%s: %s → %s faults", faults.Patterns, was[1], is[1]))
		}
	}
	if was, is := lengthForm().FindStringSubmatch(old), lengthForm().FindStringSubmatch(f.now); was != nil && is != nil && was[1] != is[1] {
		said = append(said, fmt.Sprintf("a run of %s → %s transitions", was[1], is[1]))
	}
	return strings.Join(said, "; ")
}

// why says why the property fails, and who could have prevented it.
func (f finding) why() string {
	c := f.Counterexample
	if c.Prevention == "" {
		return c.Sentence
	}
	return c.Sentence + " " + c.Prevention
}

// whyNow returns why, and the changes of bounds and faults since the earlier run.
func (f finding) whyNow() string {
	if pace := f.pace(); pace != "" {
		return strings.TrimPrefix(f.why()+" Since the earlier run: "+pace+".", " ")
	}
	return f.why()
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
	// Exceeding counts the jobs with the expected verdict that do not meet an expectation about
	// bounds or faults.
	Exceeding int `json:"exceeding"`
	// Warned is the number of jobs with a warning.
	Warned int `json:"warned"`
	// mended counts the jobs that hold although a violation was expected.
	mended int
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
			if results[i].Status == batch.Satisfied {
				c.mended++
			}
		}
		if len(results[i].Exceeds) > 0 && !results[i].Unexpected {
			c.Exceeding++
		}
		if len(results[i].Warnings) > 0 {
			c.Warned++
		}
	}
	return c
}

// needALook is the number of jobs on which somebody must act.
func (c *counts) needALook() int { return c.Unexpected + c.Exceeding + c.unanswered() }

// headline returns one sentence about the end of the batch, which begins with the jobs that need a
// look.
func (c *counts) headline() string {
	text := ""
	switch n := c.needALook(); {
	case c.Jobs == 0:
		return "There are no jobs"
	case n == 0 && c.Violated == 0 && c.Jobs == 1:
		text = "The property is satisfied"
	case n == 0 && c.Violated == 0:
		text = fmt.Sprintf("All %d properties are satisfied", c.Jobs)
	case n == 0 && c.Jobs == 1:
		text = "The property is violated, as expected"
	case n == 0:
		text = fmt.Sprintf("All %d verdicts are as expected: %d satisfied, %d violated", c.Jobs, c.Satisfied, c.Violated)
	default:
		needs := "need"
		if n == 1 {
			needs = "needs"
		}
		text = fmt.Sprintf("%d of %s %s a look: %s", n, printable.Quantity(c.Jobs, "job"), needs, c.reasons())
	}
	if c.Warned > 0 {
		text += "; " + printable.Quantity(c.Warned, "job") + " with a warning"
	}
	return text
}

// reasons returns the reasons why jobs need a look.
func (c *counts) reasons() string {
	var said []string
	for _, of := range []struct {
		n    int
		what string
	}{
		{c.Unexpected - c.mended, "violated unexpectedly"}, {c.mended, "satisfied unexpectedly"}, {c.Exceeding, "beyond what is expected"}, {c.unanswered(), "without a verdict"},
	} {
		if of.n > 0 {
			said = append(said, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return strings.Join(said, ", ")
}

// changes counts the differences of each kind, in words, the most important kind first.
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
		batch.OtherDecisions, batch.Slower, batch.Faster, batch.FewerFaults, batch.MoreFaults, batch.Added, batch.Removed,
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

// words returns the change in the words that users read.
func words(c batch.Change) string {
	switch c {
	case batch.Longer:
		return "longer run"
	case batch.Shorter:
		return "shorter run"
	}
	return strings.ReplaceAll(string(c), "-", " ")
}
