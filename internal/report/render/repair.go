package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
)

// repairStory is the sentences about a repair.
type repairStory struct {
	headline string
	// never are the items of the list of what to forbid, and leave are the items of the list of
	// parts of the model in which no run may stay. rest are the sentences after both lists.
	never, leave []string
	rest         []string
}

// sentencesOf puts a repair into sentences; quote formats the texts of the model.
func sentencesOf(r *explain.Repaired, o Options, quote func(string) string) repairStory {
	p := &prose{
		e:        &explain.Explanation{Model: r.Model, Property: r.Property},
		quote:    quote,
		full:     o.Full,
		listing:  true,
		commands: o.Commands,
	}
	byChoices := (advice{leave: r.NotForEver, fair: r.FairChoices}).asksForFairChoices() && !o.Full
	s := repairStory{headline: p.repairHeadline(r, byChoices)}
	if !r.Solvable && r.Obstacle.Kind != explain.NoCorrectRun {
		s.rest = p.whatPrevents(r)
	}
	if r.Lacking != nil && len(r.Lacking.Conjuncts) > 0 {
		s.rest = append(s.rest, p.lacking(r.Lacking))
	}
	s.never = p.neverItems(r.Repair)
	if r.Restated != nil {
		s.rest = append(s.rest,
			fmt.Sprintf("Or forbid what the property prohibits: %s.",
				p.prohibitionList(prohibitions(r.Restated))))
	}
	if byChoices {
		p.addFairChoices(&s, r)
	} else {
		p.addParts(&s, r)
	}
	if r.Fewest != nil && !r.Holds() {
		s.rest = append(s.rest, p.fewest(r.Fewest, "transition"))
	}
	if r.FewestLabels != nil && !r.Holds() {
		s.rest = append(s.rest, p.fewest(r.FewestLabels, "label"))
	}
	for _, sentence := range sayAll(p, preventionClaims(r.Prevention)) {
		if sentence != "" {
			s.rest = append(s.rest, sentence)
		}
	}
	return s
}

// addFairChoices adds that choices must be fair, in place of the components that runs must leave.
func (p *prose) addFairChoices(s *repairStory, r *explain.Repaired) {
	s.leave = []string{fmt.Sprintf("%s: %s", p.choicesIn(r.FairChoices), p.meaningOfFairBeside(r))}
	s.rest = append(s.rest,
		fmt.Sprintf("Otherwise a run can stay forever in one of %s, where the property is unfinished.", partsOf(r.NotForEver)))
}

// addParts adds the components that runs must leave, and that fair choices are enough for that.
func (p *prose) addParts(s *repairStory, r *explain.Repaired) {
	for _, part := range r.NotForEver {
		s.leave = append(s.leave, p.mustLeavePart(part))
	}
	s.leave = p.capped(s.leave, mostListLines-linesOf(s.never), "other part")
	if len(r.FairChoices) > 0 {
		s.rest = append(s.rest, fmt.Sprintf("It is enough that %s %s fair: %s.",
			p.choicesIn(r.FairChoices), be(len(r.FairChoices)), p.meaningOfFairBeside(r)))
	}
}

// meaningOfFairBeside says what fair choices mean beside the transitions that a repair forbids.
func (p *prose) meaningOfFairBeside(r *explain.Repaired) string {
	if len(r.Never) > 0 {
		return p.meaningOfFair(r.FairChoices, "every other transition")
	}
	return p.meaningOfFair(r.FairChoices, "every transition")
}

// mostListLines is the largest number of lines of the lists of a repair, unless a full list is
// requested. A screen has room for them beside the other sentences. A line has about charactersInLine
// characters.
const (
	mostListLines    = 20
	charactersInLine = 72
)

// linesOf returns the number of lines that items take.
func linesOf(items []string) (lines int) {
	for _, item := range items {
		lines += 1 + len(item)/charactersInLine
	}
	return lines
}

// neverItems returns what must never be taken, with one item for each label. If rules are fewer than
// the labels, it returns the rules, which say in which states only certain labels may happen.
func (p *prose) neverItems(r *explain.Repair) []string {
	all := prohibitions(r)
	areRulesShorter := areShort(r.Rules) && len(r.Rules) < len(all)
	if !p.full && areRulesShorter && p.areLong(all) {
		items := make([]string, len(r.Rules))
		for i, rule := range r.Rules {
			items[i] = p.ruleList([]explain.Rule{rule})
		}
		return items
	}
	if !p.full && len(all) > mostListLines {
		slices.SortStableFunc(all, func(a, b prohibition) int {
			return b.transitions - a.transitions
		})
	}
	arePlacesFewer := len(r.Places) > 0 && len(r.Places) <= len(all)
	if p.isVague(all) && arePlacesFewer {
		places := p.joinedByPlace(r.Places)
		items := make([]string, len(places))
		none := -1 // no step of a run is to be named
		for i, rule := range places {
			items[i] = p.ruleByPlace(rule, &none, nil)
		}
		return items
	}
	var items []string
	for _, same := range p.grouped(all) {
		items = append(items, p.listedProhibition(same))
	}
	return p.capped(items, mostListLines, "other action")
}

// areLong reports whether prohibitions have more places than a reader can take in at a glance.
func (p *prose) areLong(all []prohibition) bool {
	places := 0
	for _, n := range all {
		places += len(n.places)
	}
	return places > shownAdvice
}

// capped returns the first items of a list, as many as fit into the given number of lines, but at least
// one. It counts the others. If a full list is requested, it returns all items.
func (p *prose) capped(items []string, lines int, others string) []string {
	fits := linesOf(items) <= lines+1 // if all items fit, no line has to count others
	if p.full || fits || len(items) == 1 {
		return items
	}
	most := 1
	for linesOf(items[:most+1]) <= lines {
		most++
	}
	more := printable.Quantity(len(items)-most, others)
	return append(slices.Clone(items[:most]), "and "+more+"; the full report lists them")
}

// mostPlaces is the largest number of places of a label that an item lists one by one.
const mostPlaces = 4

// sameStates has labels that are forbidden in the same states under the same conditions.
type sameStates struct {
	prohibition
	labels []string
}

// grouped groups prohibitions of one owner that apply in the same states under the same conditions.
// Groups are in the order of their first prohibition. In a full report, each prohibition is a group of
// its own.
func (p *prose) grouped(all []prohibition) []sameStates {
	var groups intern.List[string, sameStates]
	for _, n := range all {
		key := n.owner + "\x00"
		if p.full {
			key += n.label
		}
		for i := range n.places {
			g := &n.places[i]
			key += fmt.Sprintln(g.to != nil, g.states, p.condition(&g.guard))
		}
		group := &groups.All[groups.Index(key, sameStates{prohibition: n})]
		group.labels = append(group.labels, n.label)
	}
	return groups.All
}

// listedProhibition is [prose.prohibitionText] as an item of a list. If there are many places, it first has
// those where all transitions with the label are forbidden, and then the others together, by their
// condition.
func (p *prose) listedProhibition(n sameStates) string {
	if len(n.labels) == 1 && (p.full || len(n.places) <= mostPlaces) {
		return p.prohibitionText(n.prohibition)
	}
	parts := p.forbiddenToAllTargets(n.places)
	parts = append(parts, p.forbiddenToSomeTargets(n.places)...)
	if most := p.numNamed(len(parts)); most < len(parts) {
		more := printable.Quantity(len(parts)-most, "other condition")
		parts = append(parts[:most], "under "+more)
	}
	return p.labelList(n.labels, "and") + " " + inSeries(parts)
}

// forbiddenToAllTargets lists the places where all transitions with the label are forbidden.
func (p *prose) forbiddenToAllTargets(places []guardedStates) []string {
	var parts []string
	for i := range places {
		g := &places[i]
		if g.to == nil {
			states := listStates(p, g.states, modelState)
			parts = append(parts, "in "+states+p.condition(&g.guard))
		}
	}
	return parts
}

// forbiddenToSomeTargets lists the other places: for each condition, the states of all places with this
// condition.
func (p *prose) forbiddenToSomeTargets(places []guardedStates) []string {
	var byCondition intern.List[string, guardedStates]
	for i := range places {
		g := &places[i]
		if g.to == nil {
			continue
		}
		first := byCondition.Index(p.condition(&g.guard), guardedStates{guard: g.guard})
		joined := &byCondition.All[first]
		joined.states = append(joined.states, g.states...)
	}
	var parts []string
	for i := range byCondition.All {
		g := &byCondition.All[i]
		slices.Sort(g.states)
		states := listStates(p, slices.Compact(g.states), modelState)
		parts = append(parts, "to some of its targets in "+states+p.condition(&g.guard))
	}
	return parts
}

// repairHeadline says whether the property can be made true, and by what. If byChoices is set, the
// sentence asks for fair choices instead of naming the components that a run must leave.
func (p *prose) repairHeadline(r *explain.Repaired, byChoices bool) string {
	name := p.quote(r.Model.File)
	formula := p.quote(r.Property.AsWritten())
	under := ""
	if len(r.Fairness) > 0 {
		under = " on every run " + p.assumptionClause(r.Fairness, "is")
	}
	switch {
	case !r.Solvable && r.Obstacle.Kind == explain.NoCorrectRun:
		return fmt.Sprintf("%s cannot be made to satisfy %s by forbidding transitions: no run satisfies it.", name, formula)
	case !r.Solvable:
		return fmt.Sprintf("%s cannot be made to satisfy %s%s by forbidding what can be forbidden.", name, formula, under)
	case r.Holds() && under != "" && len(r.Never) == 0:
		return fmt.Sprintf("%s satisfies %s%s: there is nothing to forbid.", name, formula,
			under)
	case r.Holds():
		return fmt.Sprintf("%s satisfies %s: there is nothing to repair.", name, formula)
	case len(r.Never) == 0 && byChoices:
		return fmt.Sprintf("%s violates %s. Nothing has to be forbidden, but choices have to be fair:", name, formula)
	case len(r.Never) == 0:
		return fmt.Sprintf("%s violates %s. Nothing has to be forbidden, but no run may stay forever where the property is unfinished:", name, formula)
	case r.EnoughAlone:
		return fmt.Sprintf("%s violates %s. It holds%s if these are forbidden:", name, formula,
			under)
	case byChoices:
		return fmt.Sprintf("%s violates %s. It holds if these are forbidden, and choices are fair:", name, formula)
	}
	return fmt.Sprintf("%s violates %s. It holds if these are forbidden, and no run stays forever where the property is unfinished:", name, formula)
}

// whatPrevents returns sentences about the obstacle to a repair.
func (p *prose) whatPrevents(r *explain.Repaired) []string {
	sentences := []string{p.inTheWay(r.Obstacle)}
	label := r.Obstacle.Transition.Label
	if slices.Contains(r.Triggers, label) {
		lifts := ""
		if p.commands.Triggers != "" {
			lifts = fmt.Sprintf(" (%s lifts that)", p.quote(p.commands.Triggers))
		}
		sentences = append(sentences,
			fmt.Sprintf("%s is what triggers the property: without it, the property would hold of runs that it is not about%s.", p.quote(label), lifts))
	}
	return sentences
}

// repairResult is what would make a property true. Cost of writing it: O(size).
func repairResult(r *explain.Repaired) result {
	return result{
		prose: func(s *sheet) {
			sentences := sentencesOf(r, s.o, s.quote)
			s.paragraph("", bold, sentences.headline)
			s.items("  - ", sentences.never)
			s.items("  - ", sentences.leave)
			for _, sentence := range sentences.rest {
				s.paragraphs("", sentence)
			}
		},
		table: repairTable(r),
		object: struct {
			Schema string `json:"schema"`
			*explain.Repaired
		}{"inev.repair/1", r},
	}
}

// repairTable returns a table with a row for each transition and state of a repair.
func repairTable(r *explain.Repaired) tableWriter {
	return tableOf("advice | part | from | label | to | progress", func(t *table) error {
		for _, f := range r.Never {
			progress := strings.ReplaceAll(strings.Trim(fmt.Sprint(f.Progress), "[]"), " ", ",")
			if err := t.row("never", "", f.From, modelText(f.Label), f.To, progress); err != nil {
				return err
			}
		}
		for i, part := range r.NotForEver {
			for _, stay := range part.States {
				if err := t.row("stay", i+1, stay.State, "", "", stay.Progress); err != nil {
					return err
				}
			}
			for _, out := range part.WaysOut {
				if err := t.row("way out", i+1, out.From, modelText(out.Label), out.To, out.Progress); err != nil {
					return err
				}
			}
		}
		o := r.Obstacle
		if o != nil && o.Transition != nil {
			return t.row("obstacle", "", o.Transition.From, modelText(o.Transition.Label),
				o.Transition.To, o.Progress)
		}
		return nil
	})
}
