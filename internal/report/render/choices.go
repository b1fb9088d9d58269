package render

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/alike"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/simplify"
)

// effect is what a choice means for the run.
type effect int

const (
	staysPossible effect = iota // the run could still satisfy the property
	lostHere                    // after this choice, the run can no longer satisfy the property
	lostBefore                  // the property was lost before
)

// option represents one or more transitions with one label that the run could have taken instead.
type option struct {
	label string
	// to is the target. toTold reports whether the sentence must name the target, since the label does
	// not identify the transition.
	to     lts.State
	toTold bool
	// differs are the values of the target that differ from those after the step of the run; none
	// unless the target is to be named.
	differs []explain.StateValue
	// ways is the number of transitions with this label and meaning. It is always 1 in firstPossible,
	// firstLost and firstCertain.
	ways int
	// stops reports whether the run can only end in a deadlock after the transitions, see
	// [explain.Choice].
	stops bool
}

// outlook classifies the transitions that the run does not take at a state by their effect on the
// property. At a state on the loop, it is the effect from the second round on.
type outlook struct {
	certain  []option // every run that continues with such a transition satisfies the property
	possible []option // some runs that continue with such a transition satisfy the property, some do not
	lost     []option // no run that continues with such a transition satisfies the property
	// firstPossible and firstLost are options whose effect is worse in the first round of the loop than
	// later: in this round they only kept the property possible, or lost it.
	firstPossible, firstLost []option
	// firstCertain are options that made the property certain only in the first round. Only properties
	// without steps have such options.
	firstCertain []option
}

// chosen describes the choices of the run at consecutive decisions with the same effect and outlook.
type chosen struct {
	decisions []*explain.Decision
	effect    effect
	outlook   outlook
	// everyRound reports whether all these decisions are on the loop.
	everyRound bool
}

// steps returns the steps of the decisions.
func (c chosen) steps() []explain.StepIndex { return stepsOf(c.decisions) }

func stepsOf(decisions []*explain.Decision) []explain.StepIndex {
	steps := make([]explain.StepIndex, len(decisions))
	for i, d := range decisions {
		steps[i] = d.Step
	}
	return steps
}

// statesOf returns the different states of decisions, in their order.
func statesOf(decisions []*explain.Decision) []lts.State {
	states := make([]lts.State, len(decisions))
	for i, d := range decisions {
		states[i] = d.State
	}
	return distinct(states)
}

// Better has the transitions that would have been better at some decisions of the run. They would have
// made the property certain or, if Certain is false, kept it possible.
type Better struct {
	Decisions []*explain.Decision
	Certain   bool
	stops     bool // whether the run can only end in a deadlock after these transitions
	instead   []option
}

// Claim returns the claim about some of the decisions.
func (b Better) Claim(decisions []*explain.Decision) Claim {
	b.Decisions = decisions
	return Claim{kind: "better", say: func(p *prose) string { return p.better(b) }}
}

// decisionsOf returns the claims about the decisions of the run. Consecutive decisions with the same
// effect and outlook share a claim.
func decisionsOf(e *explain.Explanation, choices []*explain.Decision) []chosen {
	var claims []chosen
	type description struct {
		effect     effect
		everyRound bool
		outlook    [sha256.Size]byte
	}
	var previous description
	for _, d := range choices {
		c := chosen{decisions: []*explain.Decision{d}, everyRound: e.IsOnLoop(d)}
		if d.Fate == simplify.Fated {
			c.effect = lostBefore
		} else {
			if d.Chosen.After == fate.Incorrect {
				c.effect = lostHere
			}
			c.outlook = outlookOf(d.Alternatives, d.Chosen.Label)
		}
		current := description{c.effect, c.everyRound, c.outlook.key()}
		last := len(claims) - 1
		if last >= 0 && current == previous {
			claims[last].decisions = append(claims[last].decisions, d)
			continue
		}
		claims = append(claims, c)
		previous = current
	}
	return claims
}

// outlookOf groups choices by their effect. It marks the target of a choice to be named if transitions
// with this label differ in effect, or if the run takes one of them. Cost O(choices), of which a state
// can have very many.
func outlookOf(choices []explain.Choice, taken string) outlook {
	type meaning struct {
		after, first fate.Class
		stops        bool
		// needsTarget reports whether the label has several meanings, or the run takes it.
		needsTarget bool
		// number is the index of the option of the label, plus 1. It is 0 before there is an option, or if
		// needsTarget is set.
		number int
	}
	meanings := map[string]*meaning{taken: {needsTarget: true}}
	for _, c := range choices {
		m := meanings[c.Label]
		switch {
		case m == nil:
			meanings[c.Label] = &meaning{after: c.After, first: c.First, stops: c.Stops}
		case m.after != c.After || m.first != c.First || m.stops != c.Stops:
			m.needsTarget = true
		}
	}
	var o outlook
	for _, c := range choices {
		m := meanings[c.Label]
		later, first := o.lists(c)
		if m.needsTarget {
			withTarget := option{
				label:   c.Label,
				to:      c.To,
				toTold:  true,
				differs: c.Values,
				ways:    1,
				stops:   c.Stops,
			}
			*later = append(*later, withTarget)
			if first != nil {
				*first = append(*first, withTarget)
			}
			continue
		}
		if m.number > 0 {
			(*later)[m.number-1].ways++
			continue
		}
		*later = append(*later, option{label: c.Label, ways: 1, stops: c.Stops})
		m.number = len(*later)
		if first != nil {
			*first = append(*first, option{label: c.Label, ways: 1})
		}
	}
	return o
}

// lists returns the list for the effect of a choice from the second round on, and the list for its
// effect in the first round; the latter is nil if both effects are the same.
func (o *outlook) lists(c explain.Choice) (later, first *[]option) {
	switch c.After {
	case fate.Correct:
		later = &o.certain
	case fate.Neutral:
		later = &o.possible
	default:
		later = &o.lost
	}
	switch {
	case c.First == c.After:
		return later, nil
	case c.First == fate.Neutral:
		return later, &o.firstPossible
	case c.First == fate.Correct:
		return later, &o.firstCertain
	}
	return later, &o.firstLost
}

// key returns a hash of the options, which is the same for outlooks with the same options.
func (o outlook) key() [sha256.Size]byte {
	hash := sha256.New()
	var line []byte
	for _, list := range [][]option{
		o.certain,
		o.possible,
		o.lost,
		o.firstCertain,
		o.firstPossible,
		o.firstLost,
	} {
		line = append(strconv.AppendInt(line[:0], int64(len(list)), 10), '\n')
		hash.Write(line)
		for _, option := range list {
			line = strconv.AppendQuote(line[:0], option.label)
			if option.stops {
				line = append(line, '.')
			}
			if option.toTold {
				line = strconv.AppendUint(line, uint64(option.to), 10)
			}
			for _, v := range option.differs {
				for _, c := range v.Changes {
					line = strconv.AppendQuote(line, v.Name+c.Path+c.Before)
				}
			}
			hash.Write(append(line, '\n'))
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// betterChoices returns the claims about better transitions. Decisions with the same better transitions
// share a claim, even if other decisions lie between them.
func betterChoices(choices []*explain.Decision) []Better {
	var claims intern.List[[sha256.Size]byte, Better]
	for _, d := range choices {
		best := d.Recommended()
		if len(best) == 0 {
			continue
		}
		all := outlookOf(d.Alternatives, d.Chosen.Label)
		b := Better{Certain: best[0].After == fate.Correct, stops: best[0].Stops}
		var sum outlook
		if b.Certain {
			b.instead = optionsThat(all.certain, b.stops)
			sum.certain = b.instead
		} else {
			b.instead = optionsThat(all.possible, b.stops)
			sum.possible = b.instead
		}
		claim := &claims.All[claims.Index(sum.key(), b)]
		claim.Decisions = append(claim.Decisions, d)
	}
	slices.SortStableFunc(claims.All, func(a, b Better) int {
		return weight(b) - weight(a)
	})
	return claims.All
}

// optionsThat returns the options after which the run can only end in a deadlock, or the others.
func optionsThat(all []option, stop bool) []option {
	var chosen []option
	for _, o := range all {
		if o.stops == stop {
			chosen = append(chosen, o)
		}
	}
	return chosen
}

// weight orders claims by importance: 2 for a point of no return, 1 for a decision that could have made
// the property certain, and 0 otherwise. Claims about choices that only end in a deadlock come last.
func weight(b Better) int {
	switch {
	case b.stops:
		return -1
	case slices.ContainsFunc(b.Decisions, func(d *explain.Decision) bool { return d.PointOfNoReturn }):
		return 2
	case b.Certain && b.Decisions[0].Chosen.After == fate.Neutral:
		return 1
	}
	return 0
}

// thenStops stands after choices that make the property certain, or keep it possible, but after which the
// run can only end in a deadlock.
const thenStops = " (the run then stops)"

// decisionText describes what the run takes at some of its states, what effect that had, and what effect the
// other choices would have had.
func (p *prose) decisionText(c chosen) string {
	text := p.takenText(c)
	switch c.effect {
	case lostBefore:
		return text + "; for this run the property was lost before."
	case lostHere:
		text += fmt.Sprintf(". From then on %s. This is the point of no return.", p.lossClause())
	default:
		text += "; the property stays possible."
	}
	asWell := "" // after what lost the property, too
	if c.effect == lostHere {
		asWell = " as well"
	}
	o := c.outlook
	parts := sentenceParts{subject: "the property"}
	parts.add(p.optionList(optionsThat(o.certain, false)), "would have made %s certain")
	parts.add(p.optionList(optionsThat(o.certain, true)), "would have made %s certain"+thenStops)
	parts.add(p.optionList(optionsThat(o.possible, false)), "would have kept %s possible")
	parts.add(p.optionList(optionsThat(o.possible, true)), "would have kept %s possible"+thenStops)
	lost := p.optionList(o.lost)
	switch {
	case c.effect == lostHere && len(o.lost) > 2 && !p.full:
		transitions := 0
		for _, option := range o.lost {
			transitions += option.ways
		}
		parts.add(printable.Quantity(transitions, "other transition"), "would have lost %s"+asWell)
	default:
		parts.add(lost, "would have lost %s"+asWell)
	}
	instead := parts.String() + p.firstRound(o)
	if instead != "" {
		text += " " + instead
	}
	return text
}

// takenText names the transitions that the run takes at some states, and the steps.
func (p *prose) takenText(c chosen) string {
	labels := make([]string, len(c.decisions))
	for i, d := range c.decisions {
		labels[i] = p.labelText(d.Chosen.Label)
		for _, other := range d.Alternatives {
			if other.Label == d.Chosen.Label {
				labels[i] = p.labelAndTarget(d.Chosen.Label, d.Chosen.To)
			}
		}
	}
	round := ""
	if c.everyRound {
		round = ", in every round"
	}
	labels = foldedList(labels)
	labels = shortenMiddle(labels, p.numNamed(len(labels)), 0)
	where := "In " + p.stateList(statesOf(c.decisions))
	if p.e.LTS().IsBefore(c.decisions[0].State) {
		where = "At the start"
	}
	return fmt.Sprintf("%s (%s%s) the run takes %s", where, p.stepList(c.steps()), round,
		strings.Join(labels, ", "))
}

// stepList lists step numbers, counted from 1. It writes three or more consecutive numbers as "1–3".
func (p *prose) stepList(steps []explain.StepIndex) string {
	if len(steps) == 1 {
		return fmt.Sprintf("step %d", steps[0]+1)
	}
	var shown []string
	more := ""
	for i := 0; i < len(steps); {
		end := i + 1 // the end of the consecutive steps from i on
		for end < len(steps) && steps[end] == steps[end-1]+1 {
			end++
		}
		if len(shown) == mostNamed && !p.full && i < len(steps)-1 {
			more = fmt.Sprintf(" and %d more", len(steps)-i)
			break
		}
		isRange := end-i >= 3
		if !isRange {
			shown = append(shown, steps[i].String())
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

func (p *prose) labelAndTarget(label string, to lts.State) string {
	return fmt.Sprintf("%s to state %s", p.labelText(label), p.e.Name(to))
}

// lossClause says that the property is lost, and which steps can no longer happen.
func (p *prose) lossClause() string {
	first, last := outOfReach(p.e)
	if first == 0 {
		return p.none() + " satisfies the property any more"
	}
	if p.excludes() {
		return fmt.Sprintf("no run that counts does %s: the property is lost",
			p.stepSequence(first, last))
	}
	if first == last {
		return fmt.Sprintf("%s can no longer happen: the property is lost", p.nextStep(first))
	}
	return fmt.Sprintf("the run can no longer do %s: the property is lost",
		p.stepSequence(first, last))
}

// firstRound reports which options had another effect in the first round of the loop than in the later
// rounds.
func (p *prose) firstRound(o outlook) string {
	parts := sentenceParts{subject: "the property"}
	only := ""
	still := ""
	if p.hasSteps() {
		only = "only "
		still = "still "
	}
	parts.add(p.optionList(o.firstCertain), "would have made %s certain")
	parts.add(p.optionList(o.firstPossible), "would "+only+"have kept %s possible")
	parts.add(p.optionList(o.firstLost), "would "+still+"have lost %s")
	s := parts.String()
	if s != "" {
		return " In the first round, " + s
	}
	return ""
}

// sentenceParts are clauses with the same subject. Only the first clause names the subject.
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

// optionList lists options. It joins options with the same targets if the targets are to be named.
func (p *prose) optionList(options []option) string {
	var shown []string
	groups := groupOptions(options)
	width := 0
	for i, group := range groups {
		width += group.width()
		isTooWide := i > 0 && width > widestOptions && !p.full
		if i == p.numNamed(len(groups)) || isTooWide {
			rest := 0
			for _, g := range groups[i:] {
				rest += len(g.labels)
			}
			shown = append(shown, printable.Quantity(rest, "other action"))
			break
		}
		shown = append(shown, p.optionText(group))
	}
	return printable.List(shown, "or")
}

// optionGroup is a group of options with the same targets.
type optionGroup struct {
	labels []string
	to     []lts.State
	// differs has, for each target, the values that differ from those after the step of the run.
	differs map[lts.State][]explain.StateValue
}

// width estimates the length of the labels and targets of a group, in bytes.
func (g *optionGroup) width() int {
	width := 7 * min(len(g.to), mostNamed)
	for _, l := range g.labels[:min(len(g.labels), mostNamed)] {
		width += len(l) + 2
	}
	return width
}

// groupOptions groups options by their targets. An option whose target is not named is a group of its own.
func groupOptions(options []option) []*optionGroup {
	const withTarget = 0
	indices := alike.Groups(len(options), func(i int) (kind int, label string, to lts.State) {
		o := options[i]
		if o.toTold {
			return withTarget, o.label, o.to
		}
		return i + 1, o.label, 0 // a kind that no other option has
	})
	var groups []*optionGroup
	for _, group := range indices {
		g := &optionGroup{differs: map[lts.State][]explain.StateValue{}}
		for _, i := range group {
			g.add(options[i])
		}
		groups = append(groups, g)
	}
	return groups
}

// add adds an option with the same targets. Options with one label must be added one after the other.
func (g *optionGroup) add(o option) {
	last := len(g.labels) - 1
	if last < 0 || g.labels[last] != o.label {
		g.labels = append(g.labels, o.label)
	}
	// The first label gives the targets. Another component of a network may lead to the same target.
	isFirstLabel := len(g.labels) == 1
	if o.toTold && isFirstLabel && !slices.Contains(g.to, o.to) {
		g.to = append(g.to, o.to)
		if len(o.differs) > 0 {
			g.differs[o.to] = o.differs
		}
	}
}

// optionText describes the options of a group: "A", "A to state 1", "any of A, B to state 1 or 2", "A, B, C
// or one of 5 other actions".
func (p *prose) optionText(g *optionGroup) string {
	shown := p.numNamed(len(g.labels))
	name := strings.Join(p.labelTexts(g.labels[:shown]), ", ")
	more := len(g.labels) - shown
	switch {
	case more > 0:
		name += " or one of " + printable.Quantity(more, "other action")
	case shown > 1:
		name = "any of " + name
	}
	if len(g.to) > 0 {
		nameTarget := func(to lts.State) string { return p.e.Name(to) + p.differenceText(g.differs[to]) }
		name += " to state " + listed(p, g.to, nameTarget, "", "or")
	}
	return name
}

// The bounds of what is said about the values of a target, unless reports are full: the number of values, and the
// width of each, in bytes.
const (
	mostDiffering   = 2
	widestDiffering = 40
)

// differenceText says in parentheses in which values a target differs from the state after the step of the run; "" if there
// are no such values.
func (p *prose) differenceText(differs []explain.StateValue) string {
	var parts []string
	for _, v := range differs {
		for _, c := range v.Changes {
			isShort := max(len(c.Before), len(c.After)) <= widestDiffering
			if !isShort && !p.full {
				parts = append(parts, p.quote(v.Name+c.Path)+" differs")
				continue
			}
			assigned := v.Name + c.Path + " = " + c.After
			parts = append(parts, fmt.Sprintf("%s instead of %s", p.quote(assigned), p.quote(c.Before)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if more := len(parts) - mostDiffering; more > 1 && !p.full {
		parts = append(parts[:mostDiffering], printable.Quantity(more, "other difference"))
	}
	return " (" + printable.List(parts, "and") + ")"
}

// trapped says that no transition leaves the loop.
func (p *prose) trapped() string {
	if p.excludes() {
		return "No run that counts leaves the loop: once in it, the run stays forever."
	}
	return "No transition leaves the loop: once in it, the run stays forever."
}

// nearestWay shows the shortest path from the loop to the missing step.
func (p *prose) nearestWay() string {
	way := p.e.Way.Transitions
	last := len(way) - 1
	path := make([]string, len(way))
	for i, t := range way {
		path[i] = t.Label
	}
	path = p.labelTexts(path)
	path[last] = p.labelAndTarget(way[last].Label, way[last].To)
	if len(way) > shownInRow+2 && !p.full {
		path = shortenMiddle(path, shownInRow, 1)
	}
	return fmt.Sprintf("The shortest way from the loop to %s that keeps the property possible: from state %s by %s.",
		p.nextStep(p.e.Counterexample.Done+1), p.e.Name(way[0].From), strings.Join(path, ", "))
}
