// Package summary writes the results of a batch for teams and CI servers: JSON and CSV for programs
// and spreadsheets, Markdown for a pull request, one HTML page to sort and filter, JUnit XML for CI
// servers, and SARIF for hosts of code. A summary says nothing that the results do not say, in the
// order of the manifest, and the same results give the same bytes. Times, and whether a result was
// reused, differ from run to run although the answers are the same; each format separates them: the
// last member of the JSON, the last column of the CSV, the last line of the Markdown, a data block
// of its own in the page, the attributes time and timestamp in JUnit. SARIF contains neither.
//
// Texts of models and users may contain anything. Each format escapes them in its own way, and
// its file says how.
package summary

//go:generate go -C ../../tools test ./bundle -update

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// Batch is the data of a summary.
type Batch struct {
	// Manifest is the manifest as the user named it.
	Manifest string
	// Version is the version of the tool, "" if it is not known.
	Version string
	// Results are in the order of the manifest.
	Results []batch.Result
	// Differences are the differences from an earlier run, nil without one.
	Differences *baseline.Differences
	// Folder is the path, with slashes, at which a CI server finds the folder of results: most
	// servers take the paths of attachments in JUnit XML as relative to the working copy. If it is
	// "", they are relative to the folder of results itself.
	Folder string
	// BaseURL is the address at which the folder of results is served, without a slash at its
	// end: links in Markdown and SARIF lead there. If it is "", links in Markdown are relative
	// to the folder.
	BaseURL string
	// NoLinks omits links from the Markdown, for readers who do not have the folder.
	NoLinks bool
}

// link returns the address of a file in the folder of results, for a text that is read
// elsewhere; "" if there is none.
func (b *Batch) link(path string) string {
	to := address(path)
	if to == "" || b.NoLinks {
		return ""
	}
	if b.BaseURL != "" {
		return b.BaseURL + "/" + to
	}
	return to
}

// The names of the files that Write writes.
const (
	jsonFile     = "summary.json"
	csvFile      = "summary.csv"
	markdownFile = "summary.md"
	HTMLFile     = "index.html"
	junitFile    = "junit.xml"
	sarifFile    = "report.sarif"
)

// Write writes the summaries of a batch into the folder of its results, side by side, each file
// as a whole or not at all, and never through a link. It fails if a file cannot be written or
// if ctx is done; then other files may have been written. Cost: that of all formats.
func (b Batch) Write(ctx context.Context, dir string) error {
	files := []struct {
		name  string
		write func(Batch, io.Writer) error
	}{
		{jsonFile, Batch.JSON},
		{csvFile, writeCSV},
		{markdownFile, Batch.Markdown},
		{HTMLFile, Batch.HTML},
		{junitFile, writeJUnit},
		{sarifFile, writeSARIF},
	}
	folder, err := filesystem.Of(ctx).Open(dir)
	if err != nil {
		return inputfile.FileError(dir, err)
	}
	defer folder.Close()
	failures := make([]error, len(files))
	var written contained.Group
	for i, file := range files {
		written.Go(func() {
			failures[i] = wholefile.In(folder, file.name, func(w io.Writer) error {
				return file.write(b, stoppable.EachWrite(ctx, w))
			})
		})
	}
	written.Wait()
	err = cmp.Or(failures...) // the error of the first failed file in this list, whichever file failed first
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// finding is a result and how it differs from the earlier run.
type finding struct {
	*batch.Result
	change baseline.Change // "" if nothing has changed, or nothing is compared
	old    string          // the earlier result, in a few words
	now    string          // the current result, in a few words
	since  string          // what is new in the model, "" if that is not known
}

// findings returns the results of a batch, in its order. Cost O(results).
func findings(b Batch) []finding {
	differences := map[string]baseline.Difference{}
	if b.Differences != nil {
		for _, d := range b.Differences.List {
			if d.Change != baseline.Removed {
				differences[d.Name] = d
			}
		}
	}
	all := make([]finding, len(b.Results))
	for i := range b.Results {
		r := &b.Results[i]
		d := differences[r.Job.Name]
		all[i] = finding{
			Result: r,
			change: d.Change,
			old:    d.Old,
			now:    d.New,
			since:  d.Since,
		}
	}
	return all
}

// expectedViolation reports whether the property is violated, as expected.
func (f finding) expectedViolation() bool {
	return f.Status == batch.Violated && !f.Unexpected && !f.exceeds()
}

// staleAdvice is the remedy for a job that holds although a violation is expected.
const staleAdvice = "It holds now: remove the expectation."

// needsALook reports whether somebody must act on a job: its verdict is not the expected one, or is
// missing, or an expectation is not met.
func (f finding) needsALook() bool {
	return f.Unexpected || !f.Status.Answered() || f.exceeds()
}

// exceeds reports whether an expectation about bounds or faults is not met.
func (f finding) exceeds() bool { return len(f.Exceeds) > 0 }

// onlyExceeds reports whether an expectation about bounds or faults is not met, although the verdict is the
// expected one.
func (f finding) onlyExceeds() bool { return f.exceeds() && !f.Unexpected }

// isNew reports whether a job needs a look and did not in the earlier run.
func (f finding) isNew() bool {
	switch f.change {
	case baseline.NewlyViolated, baseline.NewlyFailed, baseline.NewlySatisfied, baseline.Repaired, baseline.Added:
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

// group returns the group of a job: the lower, the sooner a reader should look at it.
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
	_, words := f.MostOf()
	return words
}

// faults returns the number of faults that a violation takes, in words.
func (f finding) faults() string {
	all := make([]string, len(f.Faults))
	for i, faults := range f.Faults {
		all[i] = faults.String()
	}
	return strings.Join(all, "; ")
}

// lengthClause returns the beginning of a sentence about the whole counterexample, the same as in
// reports.
func lengthClause(c *batch.Counterexample) string {
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
	text := lengthClause(c) + " " + printable.Quantity(c.Length, "transition")
	repeated := c.Length + c.Before - c.LoopStart
	hasLoop := c.LoopStart >= 0 && repeated > 0
	switch {
	case hasLoop && repeated == 1 && c.Length == 1:
		return text + ", which is repeated forever"
	case hasLoop && repeated == c.Length:
		return text + ", which are repeated forever"
	case hasLoop && repeated == 1:
		return text + ", of which the last one is repeated forever"
	case hasLoop:
		return text + fmt.Sprintf(", of which the last %d are repeated forever", repeated)
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

// placeName returns the words before the transition that [finding.deciding] returns: a run without
// decisions has such a transition, too, but no decision.
func (f finding) placeName() string {
	d := decidingOf(f)
	if d != nil && d.Why.IsDecision() {
		return "decided by"
	}
	return "where"
}

// deciding returns the transition of the step that decides.
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
	withinForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^satisfied, (.*?within )(\d+) actions?(?:, |$)`)
	})
	lengthForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^violated, (\d+) transitions?(?:, |$)`)
	})
)

// marginChanges describes changes of a bound, of numbers of faults, and of the length of a run: "REQ … ACK
// within 7 → 9 actions; LOSS: 3 → 2 faults". It is "" if nothing has changed, or if the bound has or
// had no largest number.
func (f finding) marginChanges() string {
	if !slices.Contains(baseline.Margins(), f.change) {
		return ""
	}
	var changes []string
	old, now := submatches(withinForm(), f.old, f.now)
	hasSameSubject := old != nil && now != nil && old[1] == now[1]
	if hasSameSubject && differ(old, now) {
		subject := now[1] // as in "REQ … ACK within "
		if subject == "within " {
			subject = "done within "
		}
		changes = append(changes, fmt.Sprintf("%s%s → %s actions", subject, old[2], now[2]))
	}
	for _, faults := range f.Faults {
		form := regexp.MustCompile(", " + regexp.QuoteMeta(faults.Patterns) + `: (\d+|infinitely many|any number)(?:, |$)`)
		old, now := submatches(form, f.old, f.now)
		if differ(old, now) {
			changes = append(changes,
				fmt.Sprintf("%s: %s → %s faults", faults.Patterns, old[1], now[1]))
		}
	}
	old, now = submatches(lengthForm(), f.old, f.now)
	if differ(old, now) {
		changes = append(changes, fmt.Sprintf("a run of %s → %s transitions", old[1], now[1]))
	}
	return strings.Join(changes, "; ")
}

// submatches returns the submatches of a form in two descriptions, nil for one that does not match.
func submatches(form *regexp.Regexp, old, current string) (before, now []string) {
	return form.FindStringSubmatch(old), form.FindStringSubmatch(current)
}

// differ reports whether both descriptions match a form, with different last submatches.
func differ(before, now []string) bool {
	return before != nil && now != nil && before[len(before)-1] != now[len(now)-1]
}

// why says why the property fails, and who could have prevented it, or why a formula about states holds or
// fails; "" if that is not known.
func (f finding) why() string {
	c := f.Counterexample
	if c == nil {
		return f.Argument
	}
	if c.Prevention == "" {
		return c.Sentence
	}
	return c.Sentence + " " + c.Prevention
}

// whyNow returns why, and what has changed since the earlier run: bounds and faults, and the model.
func (f finding) whyNow() string {
	if f.why() == "" {
		return strings.TrimPrefix(f.news(), " ")
	}
	return f.why() + f.news()
}

// news returns sentences, each after a blank, about what has changed since the earlier run: bounds and
// faults, and the model; "" if nothing is known of that.
func (f finding) news() string {
	text := ""
	margins := f.marginChanges()
	if margins != "" {
		text += " Since the earlier run: " + margins + "."
	}
	if f.since != "" {
		text += " " + strings.ToUpper(f.since[:1]) + f.since[1:] + "."
	}
	return text
}

// before returns the earlier result, and what is new in the model since then.
func (f finding) before() string {
	if f.since == "" {
		return f.old
	}
	return f.old + "; " + f.since
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

// counter returns the number of jobs with a status, which may be changed.
func (c *counts) counter(s batch.Status) *int {
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

// counted returns how many of the jobs ended in each way. A job that exceeds a bound is counted in
// Exceeding only if its verdict is the expected one.
func counted(results []batch.Result) counts {
	c := counts{Jobs: len(results)}
	for i := range results {
		f := finding{Result: &results[i]}
		*c.counter(f.Status)++
		if f.Unexpected {
			c.Unexpected++
		}
		if f.Unexpected && f.Status == batch.Satisfied {
			c.mended++
		}
		if f.onlyExceeds() {
			c.Exceeding++
		}
		if len(f.Warnings) > 0 {
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
	n := c.needALook()
	switch {
	case c.Jobs == 0:
		return "There are no jobs"
	case n == 0 && c.Violated == 0 && c.Jobs == 1:
		text = "The property is satisfied"
	case n == 0 && c.Violated == 0:
		text = fmt.Sprintf("All %d properties are satisfied", c.Jobs)
	case n == 0 && c.Jobs == 1:
		text = "The property is violated, as expected"
	case n == 0:
		text = fmt.Sprintf("All %d verdicts are as expected: %d satisfied, %d violated", c.Jobs,
			c.Satisfied, c.Violated)
	default:
		needs := "need"
		if n == 1 {
			needs = "needs"
		}
		text = fmt.Sprintf("%d of %s %s a look: %s", n, printable.Quantity(c.Jobs, "job"),
			needs, strings.Join(c.reasons(), ", "))
	}
	if c.Warned > 0 {
		text += "; " + printable.Quantity(c.Warned, "job") + " with a warning"
	}
	return text
}

// reasons counts the jobs that need a look by the reasons for that.
func (c *counts) reasons() []string {
	var reasons []string
	add := func(number int, reason string) {
		if number > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", number, reason))
		}
	}
	add(c.Unexpected-c.mended, "violated unexpectedly")
	add(c.mended, "satisfied unexpectedly")
	add(c.Exceeding, "beyond what is expected")
	add(c.unanswered(), "without a verdict")
	return reasons
}

// changes counts the differences of each kind, in words, the most important kind first.
func changes(d *baseline.Differences) []changeCount {
	if d == nil {
		return nil
	}
	numbers := map[baseline.Change]int{}
	for _, difference := range d.List {
		numbers[difference.Change]++
	}
	var all []changeCount
	for _, c := range []baseline.Change{
		baseline.NewlyViolated, baseline.NewlyFailed, baseline.NewlySatisfied, baseline.Repaired, baseline.Longer, baseline.Shorter,
		baseline.OtherDecisions, baseline.Slower, baseline.Faster, baseline.FewerFaults, baseline.MoreFaults, baseline.Added, baseline.Removed,
	} {
		if numbers[c] > 0 {
			all = append(all, changeCount{
				Change: c,
				Words:  changeInWords(c),
				Count:  numbers[c],
			})
		}
	}
	return all
}

type changeCount struct {
	Change baseline.Change
	Words  string
	Count  int
}

// changeInWords returns the change in the words that users read.
func changeInWords(c baseline.Change) string {
	switch c {
	case baseline.Longer:
		return "longer run"
	case baseline.Shorter:
		return "shorter run"
	}
	return strings.ReplaceAll(string(c), "-", " ")
}

// brief returns a printable text of at most n characters; one that is longer ends
// in an ellipsis. Cost O(n).
func brief(text string, n int) string {
	// A printable text is at least as long as the text that it shows, hence n characters of the
	// shown text suffice.
	head := printable.First(text, n+1)
	shown := printable.Text(head)
	isWhole := len(head) == len(text) && len(printable.First(shown, n)) == len(shown)
	if isWhole {
		return shown
	}
	return printable.First(shown, max(n-1, 0)) + "…"
}

// address returns a path of the results as a relative reference of RFC 3986; "" for a path out
// of the folder, so that no result can link elsewhere.
func address(path string) string {
	if !fs.ValidPath(path) || path == "." {
		return ""
	}
	return reference(path)
}

// reference escapes the segments of a path. A colon is escaped, too: before the first slash it
// would end a scheme.
func reference(path string) string {
	parts := strings.Split(printable.UTF8(path), "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// file is one of the files that a job wrote.
type file struct{ kind, path string }

// filesOf returns the files of a job that lie in the folder of results: first those that readers
// open first, then the others by kind.
func filesOf(r *batch.Result) []file {
	first := []string{"page", "explanation", "svg", "png", "trace"}
	var files []file
	for kind, path := range r.Files {
		if address(path) != "" {
			files = append(files, file{kind, path})
		}
	}
	rank := func(f file) int {
		index := slices.Index(first, f.kind)
		if index < 0 {
			return len(first)
		}
		return index
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.kind, b.kind))
	})
	return files
}
