package page

import (
	"bufio"
	"context"
	_ "embed" // the template and its style
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

//go:embed comparison.html
var comparisonSource string

//go:embed comparison.css
var comparisonStyle string

var comparisonIndex = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("comparison").Parse(comparisonSource))
})

// Comparison writes a page about two versions, without scripts. The page has the effect of the
// changes; the runs of both versions side by side, with marks at the steps that only one version
// can take; the changes; and a picture, unless it cannot be drawn. The engine lays out the picture.
// Comparison fails if w does, or if ctx is done. Cost: the picture, and O(length of the runs).
func Comparison(
	ctx context.Context,
	engine draw.Engine,
	w io.Writer,
	c *compare.Comparison,
	o Options,
) error {
	content := comparisonContent(c, o)
	g := view.OfComparison(c)
	if g != nil {
		var svg strings.Builder
		d := o.Diagram
		d.NoCaption = true // the page has a headline
		if err := draw.SVG(ctx, engine, &svg, g.Diagnosed(content.title), d); err == nil {
			content.Picture = template.HTML(svg.String())
			content.Parts = c.Versions == nil || c.Versions.Divergence == nil ||
				!c.Versions.Divergence.Follows
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	b := bufio.NewWriter(w)
	looks := style + comparisonStyle
	contentpolicy.Page{
		Title:  content.title,
		Style:  looks,
		Policy: contentpolicy.Static(looks),
	}.WriteHead(b)
	if err := comparisonIndex().Execute(b, content); err != nil {
		return err
	}
	return b.Flush()
}

type comparisonPage struct {
	title            string
	Old, New         string
	Broken           bool
	Stamp            string
	Headline         template.HTML
	Warnings         []string
	Runs             []comparedRun
	Rest             []template.HTML
	About            string // of the changes
	Changes          []versionRow
	More             int // changes that are not listed
	Formula          string
	Picture          template.HTML
	Parts            bool // the versions, in the picture
	Facts            []fact
	Command, Version string
}

type fact struct{ Name, Value string }

// comparedRun is a run of one version. At the step where the other version cannot follow, it also has
// the transitions of the other version.
type comparedRun struct {
	Title string
	Rows  []versionRow
	End   string
}

// versionRow is a step of a run, or a change. It belongs to both versions or to one.
type versionRow struct {
	Sign, Class, Means string
	Number, State      string
	Action             template.HTML
	Said               string
}

// Bounds on the lists of changes and steps.
const (
	mostChangesListed = 100
	mostRunListed     = 2_000
)

// comparisonContent returns what the page of a comparison shows.
func comparisonContent(c *compare.Comparison, o Options) *comparisonPage {
	old, latest := c.Names()
	sentences := render.ComparisonSentences(c, quote)
	p := &comparisonPage{
		title: render.ComparisonSentences(c, brief).First,
		Old:   brief(old), New: brief(latest),
		Headline: markup(sentences.First),
		Command:  commandLine(o.Command), Version: o.Version,
	}
	for _, sentence := range sentences.Rest {
		p.Rest = append(p.Rest, markup(sentence))
	}
	p.Stamp, p.Broken = stampOf(c)
	for _, w := range c.Warnings {
		p.Warnings = append(p.Warnings, inFull(w))
	}
	p.Runs = comparedRuns(c, brief(old), brief(latest))
	if c.Behaviour.Edit != nil {
		p.addChanges(c.Behaviour.Edit.Changes, sentences.Changes)
	}
	if c.Behaviour.Formula != "" {
		p.Formula = inFull(c.Behaviour.Formula)
	}
	size := func(file string, s compare.Size) string {
		return fmt.Sprintf("%s: %s, %s", brief(file), printable.Quantity(s.States, "state"),
			printable.Quantity(s.Transitions, "transition"))
	}
	facts := []fact{{"Old", size(c.OldFile, c.Behaviour.Old)}, {"New", size(c.NewFile, c.Behaviour.New)},
		{"Compared by", string(c.Behaviour.By) + " bisimilarity"}}
	v := c.Versions
	if v != nil {
		facts[0].Value += ", " + v.Old.Verdict.String()
		facts[1].Value += ", " + v.New.Verdict.String()
		facts = append(facts, fact{"The property", brief(c.Formula)})
	}
	p.Facts = facts
	return p
}

// addChanges adds a row with a sentence for each change that leads from the old version to the new
// one.
func (p *comparisonPage) addChanges(changes []compare.Change, sentences []string) {
	p.About = "One way to get the new version from the old one. States have the numbers of the new version."
	p.More = max(0, len(changes)-mostChangesListed)
	for i, change := range changes[:len(changes)-p.More] {
		row := versionRow{
			Sign:   "~",
			Class:  "both",
			Action: markup(sentences[i]),
		}
		switch change.Kind {
		case compare.Added:
			row = row.only(compare.New)
		case compare.Removed:
			row = row.only(compare.Old)
		}
		p.Changes = append(p.Changes, row)
	}
}

// stampOf sums up the comparison in a word or two. broken reports whether the new version violates
// the property.
func stampOf(c *compare.Comparison) (stamp string, broken bool) {
	v := c.Versions
	switch {
	case v == nil && c.Behaviour.Alike:
		return "= alike", false
	case v == nil:
		return "≠ different", true
	case v.New.Verdict == explain.Violated && v.Old.Verdict == explain.Violated:
		return "✗ both violated", true
	case v.New.Verdict == explain.Violated:
		return "✗ newly violated", true
	case v.Old.Verdict == explain.Violated:
		return "✓ repaired", false
	}
	return "✓ both satisfied", false
}

// comparedRuns returns the counterexamples of the versions, once if they are the same. If there are
// none, it returns the run that only one version can take.
func comparedRuns(c *compare.Comparison, old, latest string) []comparedRun {
	v := c.Versions
	if v == nil {
		return distinguishingRuns(c, old, latest)
	}
	isOldViolated := v.Old.Verdict == explain.Violated
	isNewViolated := v.New.Verdict == explain.Violated
	// If the new version has a counterexample, the divergence is about that run.
	switch {
	case isNewViolated && isOldViolated && !v.Divergence.Follows:
		return []comparedRun{
			violatingRun(v.New, v.Divergence, compare.New, latest, old),
			violatingRun(v.Old, nil, compare.Old, old, latest),
		}
	case isNewViolated:
		return []comparedRun{violatingRun(v.New, v.Divergence, compare.New, latest, old)}
	case isOldViolated:
		return []comparedRun{violatingRun(v.Old, v.Divergence, compare.Old, old, latest)}
	}
	return nil
}

// distinguishingRuns returns the run that only one version can take; none if each version can take all runs of the other.
func distinguishingRuns(c *compare.Comparison, old, latest string) []comparedRun {
	distinguishing := c.Behaviour.Run
	if distinguishing == nil {
		return nil
	}
	run := comparedRun{Title: "A shortest run that parts the versions"}
	for i, label := range distinguishing.Run {
		run.Rows = append(run.Rows, versionRow{
			Class:  "both",
			Number: strconv.Itoa(i + 1),
			Action: markup(quote(label)),
		})
	}
	name := old
	if distinguishing.Only == compare.New {
		name = latest
	}
	last := versionRow{
		Number: strconv.Itoa(len(distinguishing.Run) + 1),
		Action: markup(quote(distinguishing.Label)),
		Said:   "only " + name,
	}
	run.Rows = append(run.Rows, last.only(distinguishing.Only))
	return []comparedRun{run}
}

// only marks a row as belonging to a single version.
func (r versionRow) only(s compare.Side) versionRow {
	if s == compare.New {
		r.Sign = "+"
		r.Class = "new"
		r.Means = "new:"
	} else {
		r.Sign = "−"
		r.Class = "old"
		r.Means = "old:"
	}
	return r
}

// violatingRun returns the counterexample of one version. At the step where the other version cannot
// follow, it also has the transitions of that version; d is nil if the other version was not compared
// on this run.
func violatingRun(
	e *explain.Explanation,
	d *compare.Divergence,
	side compare.Side,
	name, other string,
) comparedRun {
	x := e.Counterexample
	run := comparedRun{Title: "The run of " + name}
	divergesHere := d != nil && !d.Follows && d.Rounds == 0
	decided := map[int]bool{}
	for _, decision := range e.Decisions {
		decided[int(decision.Step)] = true
	}
	for i, step := range x.Steps {
		if i == mostRunListed {
			run.End = fmt.Sprintf("… and %s more. ", printable.Quantity(len(x.Steps)-i, "step"))
			break
		}
		row := versionRow{
			Class:  "both",
			Number: strconv.Itoa(i + 1),
			State:  e.Name(step.From),
			Action: markup(quote(step.Label)),
		}
		var remarks []string
		if divergesHere && i == d.Step {
			run.Rows = append(run.Rows, insteadRow(d, side, other))
			remarks = append(remarks, "only "+name)
		}
		if decided[i] {
			remarks = append(remarks, "decision")
		}
		closesLoop := x.LoopStart >= 0 && i == len(x.Steps)-1
		if closesLoop {
			remarks = append(remarks, "back to state "+e.Name(step.To))
		}
		row.Said = strings.Join(remarks, ", ")
		if divergesHere && i >= d.Step {
			row = row.only(side)
		}
		run.Rows = append(run.Rows, row)
	}
	run.End += endOfRun(e)
	if divergesHere && d.Step == len(x.Steps) {
		run.Rows = append(run.Rows, insteadRow(d, side, other))
	}
	if d != nil && d.Follows && !d.Limited {
		run.End += " " + other + " can do all of it, too."
	}
	return run
}

// endOfRun describes how the counterexample ends or continues.
func endOfRun(e *explain.Explanation) string {
	x := e.Counterexample
	firstOfLoop := int(x.LoopStart) + 1 // from 1; 0 without a loop
	switch {
	case x.IsStem():
		return "Whatever follows, the property is violated."
	case firstOfLoop == 0:
		return "It ends in state " + e.Name(e.Trace().Last()) + ", a deadlock."
	case firstOfLoop < len(x.Steps):
		return fmt.Sprintf("Steps %d to %d repeat forever.", firstOfLoop, len(x.Steps))
	}
	return fmt.Sprintf("Step %d comes again and again.", len(x.Steps))
}

// insteadRow returns the row with the transitions that the other version has at the step where it
// cannot follow.
func insteadRow(d *compare.Divergence, side compare.Side, other string) versionRow {
	row := versionRow{Said: "instead in " + other}
	could := listed(d.Could, quote, "")
	row.Action = markup(strings.Join(could, ", "))
	if len(could) == 0 {
		row.Action = "nothing more"
		row.Said = "in " + other
	}
	row = row.only(side.Other())
	row.Sign = "" // the version of the run may be able to do this, too
	return row
}
