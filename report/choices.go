package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/report/claim"
)

// chosen describes what the run takes at some of its states, what that meant, and what the other
// choices would have meant.
func (p *prose) chosen(c claim.Chosen) string {
	s := p.taken(c)
	switch c.Outcome {
	case claim.LostBefore:
		return s + "; for this run the property was lost before."
	case claim.LostHere:
		s += fmt.Sprintf(". From then on %s. This is the point of no return.", p.lost(c.Gone))
	default:
		s += "; the property stays possible."
	}
	if instead := p.instead(c); instead != "" {
		s += " " + instead
	}
	return s
}

// taken names the transitions that the run takes at some states, and the steps.
func (p *prose) taken(c claim.Chosen) string {
	states := make([]lts.State, len(c.Decisions))
	labels := make([]string, len(c.Decisions))
	steps := make([]explain.StepIndex, len(c.Decisions))
	for i, d := range c.Decisions {
		states[i], steps[i] = d.State, d.Step
		labels[i] = p.quote(d.Chosen.Label)
		for _, other := range d.Alternatives {
			if other.Label == d.Chosen.Label {
				labels[i] = p.towards(d.Chosen.Label, d.Chosen.To)
			}
		}
	}
	round := ""
	if c.EveryRound {
		round = ", in every round"
	}
	labels = foldedList(labels)
	if n := len(labels); p.most(n) < n {
		labels = append(labels[:mostNamed], fmt.Sprintf("… (%d more)", n-mostNamed))
	}
	where := "In " + p.stateList(distinct(states))
	if p.e.LTS().IsBefore(states[0]) {
		where = "At the start"
	}
	return fmt.Sprintf("%s (%s%s) the run takes %s", where, p.stepList(steps), round, strings.Join(labels, ", "))
}

// stepList lists step numbers, counted from 1; three or more consecutive ones as "1–3".
func (p *prose) stepList(steps []explain.StepIndex) string {
	if len(steps) == 1 {
		return fmt.Sprintf("step %d", steps[0]+1)
	}
	var shown []string
	more := ""
	for i := 0; i < len(steps); {
		end := i + 1
		for end < len(steps) && steps[end] == steps[end-1]+1 {
			end++
		}
		if len(shown) == mostNamed && !p.full && i < len(steps)-1 {
			more = fmt.Sprintf(" and %d more", len(steps)-i)
			break
		}
		if end-i < 3 {
			shown = append(shown, fmt.Sprint(steps[i]+1))
			i++
			continue
		}
		shown = append(shown, fmt.Sprintf("%d–%d", steps[i]+1, steps[end-1]+1))
		i = end
	}
	return "steps " + strings.Join(shown, ", ") + more
}

// distinct returns the different states, in their order.
func distinct(states []lts.State) []lts.State {
	visited := map[lts.State]bool{}
	var once []lts.State
	for _, s := range states {
		if !visited[s] {
			visited[s] = true
			once = append(once, s)
		}
	}
	return once
}

func (p *prose) towards(label string, to lts.State) string {
	return fmt.Sprintf("%s to state %s", p.quote(label), p.e.Name(to))
}

// lost says that the property is lost, and which steps can no longer happen.
func (p *prose) lost(gone claim.OutOfReach) string {
	if gone.First == 0 {
		return p.none() + " satisfies the property any more"
	}
	if p.excludes() {
		return fmt.Sprintf("no run that counts does %s: the property is lost", p.stretch(gone.First, gone.Last))
	}
	if gone.First == gone.Last {
		return fmt.Sprintf("%s can no longer happen: the property is lost", p.once(gone.First))
	}
	return fmt.Sprintf("the run can no longer do %s: the property is lost", p.stretch(gone.First, gone.Last))
}

// instead describes what the alternatives to a choice would have meant.
func (p *prose) instead(c claim.Chosen) string {
	again := ""
	if c.Outcome == claim.LostHere {
		again = " as well"
	}
	o := c.Outlook
	parts := sentenceParts{subject: "the property"}
	parts.add(p.options(o.Certain), "would have made %s certain")
	parts.add(p.options(o.Possible), "would have kept %s possible")
	switch lost := p.options(o.Lost); {
	case c.Outcome == claim.LostHere && len(o.Lost) > 2 && !p.full:
		parts.add(printable.Quantity(ways(o.Lost), "other transition"), "would have lost %s"+again)
	default:
		parts.add(lost, "would have lost %s"+again)
	}
	return parts.String() + p.firstRound(o)
}

// ways counts the transitions that options stand for.
func ways(options []claim.Option) int {
	n := 0
	for _, o := range options {
		n += o.Ways
	}
	return n
}

// firstRound reports which options meant less in the first round of the loop than in the later
// rounds.
func (p *prose) firstRound(o claim.Outlook) string {
	parts := sentenceParts{subject: "the property"}
	only, still := "only ", "still "
	if !p.hasSteps() {
		only, still = "", ""
	}
	parts.add(p.options(o.FirstCertain), "would have made %s certain")
	parts.add(p.options(o.FirstPossible), "would "+only+"have kept %s possible")
	parts.add(p.options(o.FirstLost), "would "+still+"have lost %s")
	if s := parts.String(); s != "" {
		return " In the first round, " + s
	}
	return ""
}

// sentenceParts are clauses with one subject, which only the first clause names.
type sentenceParts struct {
	subject string
	parts   []string
}

func (s *sentenceParts) add(who, does string) {
	if who == "" {
		return
	}
	subject := s.subject
	if len(s.parts) > 0 {
		subject = "it"
	}
	s.parts = append(s.parts, who+" "+fmt.Sprintf(does, subject))
}

func (s *sentenceParts) String() string {
	if s.parts == nil {
		return ""
	}
	return strings.Join(s.parts, "; ") + "."
}

// widestOptions bounds the total width, in bytes, of the options in a sentence; the first
// option may be wider.
const widestOptions = 56

// options lists options, and joins those with the same targets if the targets are to be named.
func (p *prose) options(options []claim.Option) string {
	var shown []string
	groups := grouped(options)
	width := 0
	for i, group := range groups {
		if width += group.width(); i == p.most(len(groups)) || i > 0 && width > widestOptions && !p.full {
			rest := 0
			for _, g := range groups[i:] {
				rest += len(g.labels)
			}
			shown = append(shown, printable.Quantity(rest, "other action"))
			break
		}
		shown = append(shown, p.option(group))
	}
	return join(shown, "or")
}

// optionGroup is the options with the same targets.
type optionGroup struct {
	labels []string
	to     []lts.State
}

// width estimates the length of the labels and targets of a group, in bytes.
func (g *optionGroup) width() int {
	width := 7 * min(len(g.to), mostNamed)
	for _, l := range g.labels[:min(len(g.labels), mostNamed)] {
		width += len(l) + 2
	}
	return width
}

// grouped groups options by their targets. An option whose target is not to be named is a group of
// its own.
func grouped(options []claim.Option) []*optionGroup {
	var groups []*optionGroup
	for _, group := range claim.Together(len(options), func(i int) (alone int, label string, to lts.State) {
		if o := options[i]; o.ToTold {
			return 0, o.Label, o.To
		}
		return i + 1, options[i].Label, 0
	}) {
		g := &optionGroup{}
		for _, i := range group {
			o := options[i]
			if n := len(g.labels); n == 0 || g.labels[n-1] != o.Label {
				g.labels = append(g.labels, o.Label)
			}
			if o.ToTold && len(g.labels) == 1 {
				g.to = append(g.to, o.To)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// option describes the options of a group: "A", "A to state 1", "any of A, B to state 1 or 2", "A, B, C
// or one of 5 other actions".
func (p *prose) option(g *optionGroup) string {
	shown := p.most(len(g.labels))
	name := strings.Join(p.quoted(g.labels[:shown]), ", ")
	switch more := len(g.labels) - shown; {
	case more > 0:
		name += " or one of " + printable.Quantity(more, "other action")
	case shown > 1:
		name = "any of " + name
	}
	if len(g.to) > 0 {
		name += " to state " + listed(p, g.to, p.e.Name, "", "or")
	}
	return name
}

// waysOut reports how a run can leave the loop at some states, and what that means.
func (p *prose) waysOut(c claim.WaysOut) string {
	parts := sentenceParts{subject: "the property"}
	parts.add(p.options(c.Certain), "makes %s certain")
	parts.add(p.options(c.Possible), "keeps %s possible")
	parts.add(p.options(c.Lost), "loses %s")
	return fmt.Sprintf("In %s (%s), %s", p.stateList(distinct(c.States)), p.stepList(c.Steps), parts.String()) + p.firstRound(c.Outlook)
}

// nearestWay shows the shortest path from the loop to the missing step.
func (p *prose) nearestWay(c claim.NearestWay) string {
	way := c.Transitions
	last := len(way) - 1
	long := len(way) > shownInRow+2 && !p.full
	var path strings.Builder
	fmt.Fprintf(&path, "The shortest way from the loop to %s that keeps the property possible: from state %s by ", p.once(p.e.Counterexample.Done+1), p.e.Name(way[0].From))
	for i, t := range way {
		switch {
		case long && i == shownInRow:
			fmt.Fprintf(&path, "… (%d more), ", last-shownInRow)
			continue
		case long && i > shownInRow && i < last:
			continue
		case i == last:
			path.WriteString(p.towards(t.Label, t.To))
		default:
			path.WriteString(p.quote(t.Label) + ", ")
		}
	}
	return path.String() + "."
}

const preventionTitle = "Who could prevent it"

// owned reports how many of the decisions each owner makes.
func (p *prose) owned(c claim.Owned) string {
	if c.Counts[0] == c.All {
		return fmt.Sprintf("All %d decisions are made by %s.", c.All, p.owner(c.Owners[0]))
	}
	text := fmt.Sprintf("%d of the %d decisions %s made by %s", c.Counts[0], c.All, be(c.Counts[0]), p.owner(c.Owners[0]))
	for i, owner := range c.Owners[1:] {
		if i == p.most(len(c.Owners))-1 {
			return text + fmt.Sprintf(", others by %s.", printable.Quantity(len(c.Owners)-i-1, "other"))
		}
		text += fmt.Sprintf(", %d by %s", c.Counts[i+1], p.owner(owner))
	}
	return text + "."
}

// byWhom names the owner of some decisions; "" if the owner is not known, or if the decisions have
// different owners.
func (p *prose) byWhom(all []*explain.Decision) string {
	owner := all[0].Owner
	if owner == "" || slices.ContainsFunc(all, func(d *explain.Decision) bool { return d.Owner != owner }) {
		return ""
	}
	if len(all) == 1 {
		return fmt.Sprintf(", where %s takes %s,", p.owner(owner), p.quote(all[0].Chosen.Label))
	}
	return fmt.Sprintf(", where %s decides,", p.owner(owner))
}

// PreventionTable returns a table of the owners who could have prevented the violation: a column
// for owners who can prevent it alone, one for owners who can only together, and one for owners who
// cannot help, if there are any. The table is nil if the prevention is not completely known.
func (s *Sentences) PreventionTable() (head []string, rows [][]string) {
	v := s.p.e.Prevention
	if v == nil || !v.Complete || len(v.Owners) == 0 {
		return nil, nil
	}
	var alone, together, cannot []string
	part := map[string]bool{}
	for _, set := range v.Minimal {
		var quoted []string
		for _, name := range set {
			part[name] = true
			quoted = append(quoted, s.p.owner(name))
		}
		switch len(set) {
		case 0:
			return nil, nil
		case 1:
			alone = append(alone, quoted[0])
		default:
			together = append(together, join(quoted, "and"))
		}
	}
	for _, name := range v.Owners {
		if !part[name] {
			cannot = append(cannot, s.p.owner(name))
		}
	}
	for _, column := range []struct {
		head  string
		cells []string
	}{{"alone", alone}, {"together", together}, {"cannot", cannot}} {
		if len(column.cells) == 0 {
			continue
		}
		for len(rows) < len(column.cells) {
			rows = append(rows, make([]string, len(head)))
		}
		head = append(head, column.head)
		for i := range rows {
			cell := ""
			if i < len(column.cells) {
				cell = column.cells[i]
			}
			rows[i] = append(rows[i], cell)
		}
	}
	return head, rows
}

// owner formats the name of an owner. The word "lane" stands before a name that is only a number,
// so that nobody reads it as a count.
func (p *prose) owner(name string) string {
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return "lane " + p.quote(name)
	}
	return p.quote(name)
}

// Prevention says who could have prevented the violation; nil if no owners are known.
func (s *Sentences) Prevention() []string { return sayAll(&s.p, s.story.Prevention) }

// Owned reports how many decisions each owner makes; nil if no owners are known.
func (s *Sentences) Owned() []string { return sayAll(&s.p, s.story.Owned) }

// ownersMarkdown writes the table of the owners who could have prevented the violation.
func ownersMarkdown(m *markdownSheet, said *Sentences) {
	head, rows := said.PreventionTable()
	if len(rows) == 0 {
		return
	}
	m.printf("\n")
	m.table(tableOf(strings.Join(head, " | "), func(row func(cells ...any)) {
		for _, r := range rows {
			cells := make([]any, len(r))
			for i, cell := range r {
				cells[i] = cell
			}
			row(cells...)
		}
	}))
}

// through names the steps of the decisions that every violating run goes through.
func (p *prose) through(c claim.Through) string {
	return fmt.Sprintf("Every violation goes through %s.", p.stepList(c.Steps))
}
