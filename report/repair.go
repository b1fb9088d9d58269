package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report/claim"
)

const repairSchema = "inev.repair/1"

// repairStory is what is said of a repair.
type repairStory struct {
	headline string
	// never and leave are lists, fewest and why sentences.
	never, leave []string
	rest         []string
}

// storyOf puts a repair into words; its texts are set by quote.
func storyOf(r *explain.Repaired, o Options, quote func(string) string) repairStory {
	p := &prose{e: &explain.Explanation{Model: r.Model, Property: r.Property}, quote: quote, full: o.Full, listing: true, commands: o.Commands}
	name, formula := quote(r.Model.File), quote(r.Property.AsWritten())
	under := ""
	if len(r.Fairness) > 0 {
		under = " on every run " + p.counted(r.Fairness, "is")
	}
	fair := (claim.Advice{Leave: r.NotForEver, Fair: r.FairChoices}).ByChoices() && !o.Full
	var s repairStory
	switch {
	case !r.Solvable && r.Obstacle.Kind == explain.NoCorrectRun:
		s.headline = fmt.Sprintf("%s cannot be made to satisfy %s by forbidding transitions: no run satisfies it.", name, formula)
	case !r.Solvable:
		s.headline = fmt.Sprintf("%s cannot be made to satisfy %s%s by forbidding transitions.", name, formula, under)
		s.rest = append(s.rest, p.inTheWay(r.Obstacle))
		if slices.Contains(r.Triggers, r.Obstacle.Transition.Label) {
			s.rest = append(s.rest, p.leftAlone(r.Obstacle.Transition.Label))
		}
	case r.Holds() && under != "" && len(r.Never) == 0:
		s.headline = fmt.Sprintf("%s satisfies %s%s: there is nothing to forbid.", name, formula, under)
	case r.Holds():
		s.headline = fmt.Sprintf("%s satisfies %s: there is nothing to repair.", name, formula)
	case len(r.Never) == 0 && fair:
		s.headline = fmt.Sprintf("%s violates %s. Nothing has to be forbidden, but choices have to be fair:", name, formula)
	case len(r.Never) == 0:
		s.headline = fmt.Sprintf("%s violates %s. Nothing has to be forbidden, but no run may stay for ever where the property is unfinished:", name, formula)
	case r.EnoughAlone:
		s.headline = fmt.Sprintf("%s violates %s. It holds%s if these are never taken:", name, formula, under)
	case fair:
		s.headline = fmt.Sprintf("%s violates %s. It holds if these are never taken, and choices are fair:", name, formula)
	default:
		s.headline = fmt.Sprintf("%s violates %s. It holds if these are never taken, and no run stays for ever where the property is unfinished:", name, formula)
	}
	for _, n := range claim.Nevers(r.Repair) {
		s.never = append(s.never, "never "+p.never(n))
	}
	for _, part := range r.NotForEver {
		if !fair {
			s.leave = append(s.leave, p.leavePart(part))
		}
	}
	switch {
	case fair:
		s.leave = []string{fmt.Sprintf("%s: %s", p.choicesIn(r.FairChoices), p.fairTo(r.FairChoices, len(r.Never) > 0))}
		s.rest = append(s.rest, fmt.Sprintf("Otherwise a run can stay for ever in one of %s, where the property is unfinished.", partsOf(r.NotForEver)))
	case len(r.FairChoices) > 0:
		s.rest = append(s.rest, fmt.Sprintf("It is enough that %s %s fair: %s.", p.choicesIn(r.FairChoices), be(len(r.FairChoices)), p.fairTo(r.FairChoices, len(r.Never) > 0)))
	}
	for _, f := range []struct {
		found *explain.Fewest
		what  string
	}{{r.Fewest, "transition"}, {r.FewestLabels, "label"}} {
		if f.found != nil && !r.Holds() {
			s.rest = append(s.rest, p.fewest(f.found, f.what))
		}
	}
	s.rest = append(s.rest, p.preventions(r.Prevention)...)
	return s
}

// inTheWay says what stands in the way of a repair.
func (p *prose) inTheWay(o *explain.Obstacle) string {
	t := o.Transition
	at := fmt.Sprintf("state %d", t.From)
	if len(o.Path) > 0 {
		at += " (reached by " + p.some(o.Path, "and") + ")"
	}
	if o.Kind == explain.Nondeterminism {
		return fmt.Sprintf("In %s, %s may lead to state %d, and by the same label elsewhere.", at, p.quote(t.Label), t.To)
	}
	if p.e.Model.IsBefore(int(t.From)) {
		return fmt.Sprintf("Runs may begin in state %d, from where it cannot be helped.", t.To)
	}
	return fmt.Sprintf("In %s, %s can be taken to state %d, and cannot be forbidden.", at, p.quote(t.Label), t.To)
}

// leftAlone says that a label is not forbidden for what it means.
func (p *prose) leftAlone(trigger string) string {
	lifts := ""
	if p.commands.Triggers != "" {
		lifts = fmt.Sprintf(" (%s lifts that)", p.quote(p.commands.Triggers))
	}
	return fmt.Sprintf("%s is what triggers the property: without it, the property would hold of runs that it is not about%s.", p.quote(trigger), lifts)
}

// fewest says which set is the smallest that can be forbidden whatever happened before.
func (p *prose) fewest(f *explain.Fewest, what string) string {
	var parts []string
	for _, t := range f.Transitions {
		parts = append(parts, fmt.Sprintf("%s from state %d to state %d", p.quote(t.Label), t.From, t.To))
	}
	for _, l := range f.Labels {
		parts = append(parts, p.quote(l))
	}
	count := printable.Quantity(len(parts), what)
	where := ", whatever happened before"
	if what == "label" {
		where = " everywhere"
	}
	switch {
	case !f.Found && f.Exact:
		return fmt.Sprintf("There is no set of %ss to forbid%s that makes it true without new deadlocks.", what, where)
	case !f.Found:
		return fmt.Sprintf("The search for the fewest %ss to forbid%s stopped at its limit: there are at least %d.", what, where, f.AtLeast)
	}
	shown := p.most(len(parts))
	list := append([]string{}, parts[:shown]...)
	if more := len(parts) - shown; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	if !f.Exact {
		return fmt.Sprintf("The fewest %ss to forbid%s are at most %d and at least %d; it is enough to forbid %s.", what, where, len(parts), f.AtLeast, join(list, "and"))
	}
	return fmt.Sprintf("The fewest to forbid%s: %s, %s.", where, count, join(list, "and"))
}

func (r textReport) Repair(w io.Writer, d *explain.Repaired) error {
	t := &textWriter{w: bufio.NewWriter(w), o: r.o}
	s := storyOf(d, r.o, func(text string) string { return glue(cut(printable.Text(text), widestText, r.o)) })
	t.styledParagraph("", bold, s.headline)
	for _, list := range [][]string{s.never, s.leave} {
		if len(list) > 0 {
			t.line("")
		}
		for _, line := range list {
			t.paragraph("  - ", line)
		}
	}
	for _, sentence := range s.rest {
		t.line("")
		t.paragraph("", sentence)
	}
	return t.w.Flush()
}

func (r markdownReport) Repair(w io.Writer, d *explain.Repaired) error {
	b := bufio.NewWriter(w)
	s := storyOf(d, r.o, func(text string) string { return mdtext.Code(cut(printable.Text(text), widestText, r.o)) })
	fmt.Fprintf(b, "%s\n", s.headline)
	for _, list := range [][]string{s.never, s.leave} {
		if len(list) > 0 {
			fmt.Fprintln(b)
		}
		for _, line := range list {
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
	for _, sentence := range s.rest {
		fmt.Fprintf(b, "\n%s\n", sentence)
	}
	return b.Flush()
}

func (r tsvReport) Repair(w io.Writer, d *explain.Repaired) error {
	t := newTable(w, tsvLayout(r.o), column{name: "advice"}, column{name: "part"}, column{name: "from"}, column{name: "label"}, column{name: "to"}, column{name: "progress"})
	row := func(advice, part string, step *explain.ModelStep, at *explain.PlaceOf, progress string) bool {
		t.text(advice)
		t.text(part)
		switch {
		case step != nil:
			t.number(int(step.From))
			t.text(t.label(step.Label))
			t.number(int(step.To))
		default:
			t.number(int(at.State))
			t.text("")
			t.text("")
		}
		t.text(progress)
		return t.end()
	}
	for _, f := range d.Never {
		progress := make([]string, len(f.Progress))
		for i, j := range f.Progress {
			progress[i] = fmt.Sprint(j)
		}
		if !row("never", "", &explain.ModelStep{From: f.From, Label: f.Label, To: f.To}, nil, strings.Join(progress, ",")) {
			return t.flush()
		}
	}
	for i, part := range d.NotForEver {
		number := fmt.Sprint(i + 1)
		for _, at := range part.States {
			if !row("stay", number, nil, &at, fmt.Sprint(at.Progress)) {
				return t.flush()
			}
		}
		for _, out := range part.WaysOut {
			if !row("way out", number, &out.ModelStep, nil, fmt.Sprint(out.Progress)) {
				return t.flush()
			}
		}
	}
	if o := d.Obstacle; o != nil && o.Transition != nil {
		row("obstacle", "", o.Transition, nil, fmt.Sprint(o.Progress))
	}
	return t.flush()
}

func (jsonReport) Repair(w io.Writer, r *explain.Repaired) error {
	d := newDocument(w, repairSchema)
	d.field("model", r.Model)
	d.field("property", r.Property)
	d.field("assumed", r.Fairness)
	d.field("solvable", r.Solvable)
	d.field("never", r.Never)
	d.field("not_for_ever", r.NotForEver)
	if r.FairChoices != nil {
		d.field("fair_choices", r.FairChoices)
	}
	d.field("enough_alone", r.EnoughAlone)
	d.field("obstacle", r.Obstacle)
	if len(r.Triggers) > 0 {
		d.field("triggers", r.Triggers)
	}
	if r.Fewest != nil {
		d.field("fewest_transitions", r.Fewest)
	}
	if r.FewestLabels != nil {
		d.field("fewest_labels", r.FewestLabels)
	}
	if r.Prevention != nil {
		d.field("prevention", r.Prevention)
	}
	d.field("warnings", r.Warnings)
	d.cost(r.Timings, r.Cost)
	return d.finish()
}
