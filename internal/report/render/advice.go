package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property"
)

// holdTitle is the heading of the section with advice on how to make the property hold.
const holdTitle = "What would make it hold"

// advice is a change that makes the property true: the transitions of never are forbidden, and runs
// leave each component of leave. If the choices in the states of fair are fair, runs do leave; fair is
// nil if no such states are known.
type advice struct {
	never []prohibition
	leave []explain.NotForEver
	fair  []explain.ModelState
}

// prohibition says where transitions with a label must not be taken.
type prohibition struct {
	label string
	// owner must forbid the transitions; it is "" if owners do not matter. transitions is the number of
	// transitions that the prohibition covers.
	owner       string
	transitions int
	// possibleIn is the number of reachable states in which the label is possible.
	possibleIn int
	places     []guardedStates
}

// guardedStates are states in which the same transitions must not be taken under the same condition.
type guardedStates struct {
	guard
	// states are ascending.
	states    []explain.ModelState
	forbidden []explain.Forbidden
}

// guard says when transitions must not be taken, and which ones.
type guard struct {
	// to is the target, if another transition with the same label leaves the same state and may be
	// taken. It is nil if the guard is about all transitions with the label.
	to *explain.ModelState
	// The guard applies after the step of the property with the number after (from 1) is done, and
	// before the step with the number before is done; 0 means that there is no such step. If two steps
	// cannot express when the guard applies, progress lists the numbers of steps done.
	after, before int
	progress      []int
	// while describes, for properties without steps, what is pending when the guard applies. in are the
	// property states in which it applies, if while does not identify them.
	while []property.Phrase
	in    []int
	// when says the same in words that a sentence can use; nil if no such words are known.
	when property.Phrase
}

// isAlways reports whether the transitions must not be taken, whatever happened before.
func (g *guard) isAlways() bool {
	return g.after == 0 && g.before == 0 && g.progress == nil && g.while == nil
}

// covers reports whether the guard applies whenever a run can take a transition that is always
// forbidden.
func (g *guard) covers(f explain.Forbidden) bool {
	switch {
	case g.to != nil:
		return false
	case f.Pending != nil:
		isUncovered := func(w explain.Words) bool { return !g.appliesDuring(property.Phrase(w)) }
		coversStates := g.in == nil || isSubset(f.Progress, g.in)
		return !slices.ContainsFunc(f.Pending, isUncovered) && coversStates
	case g.progress != nil:
		return isSubset(f.Progress, g.progress)
	}
	first := f.Progress[0]
	last := f.Progress[len(f.Progress)-1]
	isBeforeEnd := g.before == 0 || last < g.before
	return first >= g.after && isBeforeEnd
}

// appliesDuring reports whether the guard applies while the words describe what is pending.
func (g *guard) appliesDuring(words property.Phrase) bool {
	return slices.ContainsFunc(g.while, func(w property.Phrase) bool {
		return w.String() == words.String()
	})
}

// isSubset reports whether each of the numbers is among the others.
func isSubset(numbers, others []int) bool {
	return !slices.ContainsFunc(numbers, func(n int) bool {
		return !slices.Contains(others, n)
	})
}

// changeClaims returns the claims about changes of the model. Assumptions have claims of their own.
func changeClaims(e *explain.Explanation, when []Claim) []Claim {
	r := e.Repair
	isUnsatisfied := len(asked(e)) == 0 && !e.PartsRuns() || e.NoRepair != nil && e.NoRepair.NoRun
	switch {
	case stopsAtOnce(e):
		return nil
	case isUnsatisfied:
		return []Claim{{
			kind: "no_run",
			say: func(p *prose) string {
				return "Nothing does: no run satisfies it."
			},
		}}
	case r == nil && e.NoRepair != nil && len(when) == 0:
		return []Claim{{kind: "no_repair", say: (*prose).noRepair}}
	case r == nil:
		return nil
	case r.Solvable:
		return repairClaims(r, when)
	case r.OnlyTriggers != nil && hasHelpfulAssumption(when):
		return nil
	case r.OnlyTriggers != nil:
		return []Claim{{kind: "only_triggers", say: (*prose).onlyTriggers}}
	}
	return []Claim{{kind: "irreparable", say: (*prose).irreparable}}
}

// noRepair says that forbidding a few transitions, or any number of them, does not make the
// property true under an assumption. It names the actions that the search must not forbid, since
// fewer transitions may be enough if these are forbidden, too.
func (p *prose) noRepair() string {
	none := p.e.NoRepair
	if none.AtLeast > 0 {
		return fmt.Sprintf("To make it true of the runs that count%s, %d or more transitions would have to be forbidden.",
			p.withoutForbidding(none.Internal, none.Triggers), none.AtLeast)
	}
	return fmt.Sprintf("Forbidding %s does not make it true of the runs that count: it would remain violated, or a new deadlock would arise.",
		p.forbiddableActions(none.Internal, none.Triggers))
}

// withoutForbidding says in which way a property is not made true: " without forbidding internal actions or
// REQ"; "" if all actions may be forbidden.
func (p *prose) withoutForbidding(internal bool, triggers []string) string {
	var kept []string
	if internal {
		kept = append(kept, "internal actions")
	}
	switch n := len(triggers); {
	case n > mostNamed:
		kept = append(kept, "what triggers the property")
	case n > 0:
		kept = append(kept, namesOf(triggers, p.labelText)...)
	}
	if len(kept) == 0 {
		return ""
	}
	return " without forbidding " + printable.List(kept, "or")
}

// forbiddableActions names the actions that may be forbidden: all except internal ones and triggers.
func (p *prose) forbiddableActions(internal bool, triggers []string) string {
	hasMany := len(triggers) > mostNamed
	var others []string
	if internal {
		others = append(others, "internal ones")
	}
	others = append(others, namesOf(triggers, p.labelText)...)
	switch {
	case hasMany && internal:
		return "actions that are not internal and do not trigger the property"
	case hasMany:
		return "actions that do not trigger the property"
	case len(others) > 0:
		return "actions other than " + printable.List(others, "and")
	}
	return "actions"
}

// namesOf names each of the texts by the function name.
func namesOf(texts []string, name func(text string) string) []string {
	var names []string
	for _, text := range texts {
		names = append(names, name(text))
	}
	return names
}

// repairClaims returns the claims about a repair that makes the property true. They name a smallest
// cut, and what the repair forbids if that differs from the cut. If the repair forbids the causes
// of what the property prohibits, another claim names what the property prohibits itself.
func repairClaims(r *explain.Repair, when []Claim) []Claim {
	var claims []Claim
	repeatsCut := repeatsCut(r) // then one of the two is enough
	replacesCut := repeatsCut && keepsMoreLabels(r)
	if r.Cut != nil && !replacesCut {
		claims = append(claims, Claim{kind: "cut", say: (*prose).cut})
	}
	all := advice{
		never: prohibitions(r),
		leave: r.NotForEver,
		fair:  r.FairChoices,
	}
	isOnlyCut := len(all.never) == 0 && len(all.leave) == 0 // so it is under an assumption
	if isOnlyCut {
		return claims
	}
	assumesTheseChoices := func(c Claim) bool {
		return c.assumed != nil && c.assumed.Kind == explain.FairChoices &&
			slices.Equal(c.assumed.States, all.fair)
	}
	needsOnlyChoices := len(all.never) == 0 && all.asksForFairChoices()
	if needsOnlyChoices && slices.ContainsFunc(when, assumesTheseChoices) {
		return claims
	}
	if !repeatsCut || replacesCut {
		claims = append(claims, Claim{
			kind: "advice",
			say:  func(p *prose) string { return p.advice(r, all) },
		})
	}
	if r.IsCutRestated() {
		slices.Reverse(claims) // causes come first
	}
	if r.Restated != nil && !isCut(r, r.Restated.Never) {
		own := advice{never: prohibitions(r.Restated)}
		claims = append(claims, Claim{
			kind: "restated",
			say:  func(p *prose) string { return p.advice(r.Restated, own) },
		})
	}
	return claims
}

// asksForFairChoices reports whether the sentence should ask for fair choices, because there are several
// components to leave. If there is one component, fair choices say no more than this component does.
func (a advice) asksForFairChoices() bool { return len(a.leave) > 1 && len(a.fair) > 0 }

// hasHelpfulAssumption reports whether some claim is an assumption that makes the property true.
func hasHelpfulAssumption(when []Claim) bool {
	return slices.ContainsFunc(when, func(c Claim) bool {
		return slices.Contains([]string{"holds_if", "fairness", "lacking", addedFairness}, c.kind)
	})
}

// restates reports whether an assumption merely denies the diagnosis that certain labels recur.
func restates(d *explain.Diagnosis, h *holdsIf) bool {
	if d == nil || d.Kind != explain.KindRecurs || h.Kind != explain.Finitely {
		return false
	}
	return !slices.ContainsFunc(h.Labels, func(l string) bool {
		return !slices.Contains(d.Recurring, l)
	})
}

// restatesByStaying reports whether a claim only says that what recurs on the run must not recur.
func restatesByStaying(e *explain.Explanation, c Claim) bool {
	if c.kind != "advice" || e.Diagnosis == nil || e.Diagnosis.Kind != explain.KindRecurs ||
		len(e.Repair.Never) > 0 {
		return false
	}
	isOther := func(t explain.ProductStep) bool {
		return !slices.Contains(e.Diagnosis.Recurring, t.Label)
	}
	hasOther := func(steps []explain.ProductStep) bool { return slices.ContainsFunc(steps, isOther) }
	forbidsMore := func(part explain.NotForEver) bool {
		return len(part.Again) == 0 || slices.ContainsFunc(part.Again, hasOther)
	}
	return !slices.ContainsFunc(e.Repair.NotForEver, forbidsMore)
}

// isOneOfMany reports whether an assumption says little, since it has many labels and there are many
// others of the same size.
func isOneOfMany(c Claim) bool {
	return c.assumed != nil && len(c.assumed.Labels) > 2 && len(c.assumed.others) > 2
}

// prohibitions returns the forbidden transitions of a repair. They are grouped by label and owner, and
// these groups by guard, in the order of the first transition of each group. Cost O(n log n) for n
// transitions, and O(guards²) for each label.
func prohibitions(r *explain.Repair) []prohibition {
	var all intern.List[string, prohibition]
	guards := map[string]*intern.List[string, guardedStates]{}
	for _, f := range r.Never {
		label := fmt.Sprint(f.Owner, "\x00", f.Label) // the key of the label and its owner
		n := &all.All[all.Index(label, prohibition{
			label:      f.Label,
			owner:      f.Owner,
			possibleIn: f.PossibleIn,
		})]
		n.transitions++
		g := guardOf(f)
		key := fmt.Sprint(g.after, g.before, g.progress, g.while, g.in)
		if g.when != nil {
			key = g.when.String()
		}
		if f.Others {
			key = fmt.Sprint(f.From, " ", f.To, " ", key)
		}
		if guards[label] == nil {
			guards[label] = &intern.List[string, guardedStates]{}
		}
		places := guards[label]
		places.All[places.Index(key, guardedStates{guard: g})].add(f)
	}
	for i := range all.All {
		n := &all.All[i]
		n.places = mergePlaces(guards[fmt.Sprint(n.owner, "\x00", n.label)].All)
	}
	return all.All
}

// add adds a transition. Transitions from one source must be added one after the other.
func (g *guardedStates) add(f explain.Forbidden) {
	g.forbidden = append(g.forbidden, f)
	n := len(g.states)
	if n == 0 || g.states[n-1] != f.From {
		g.states = append(g.states, f.From)
	}
}

// mergePlaces merges places, so that a sentence names the label only once. A place where
// transitions are always forbidden is merged into one with a condition, if this condition holds
// whenever a run can take these transitions.
func mergePlaces(places []guardedStates) []guardedStates {
	var rest []guardedStates
	for i, p := range places {
		if p.to != nil || !p.isAlways() {
			continue
		}
		into := slices.IndexFunc(places, func(other guardedStates) bool {
			isUncovered := func(f explain.Forbidden) bool { return !other.covers(f) }
			return !other.isAlways() && !slices.ContainsFunc(p.forbidden, isUncovered)
		})
		if into < 0 {
			continue
		}
		other := &places[into]
		other.forbidden = slices.Concat(other.forbidden, p.forbidden)
		other.states = slices.Concat(other.states, p.states)
		slices.Sort(other.states)
		other.states = slices.Compact(other.states)
		places[i].states = nil // marks it as merged
	}
	for _, p := range places {
		if p.states != nil {
			rest = append(rest, p)
		}
	}
	return rest
}

// guardOf returns when a transition is forbidden.
func guardOf(f explain.Forbidden) (g guard) {
	if f.Others {
		g.to = &f.To
	}
	if f.Pending != nil {
		if len(f.Progress) < len(f.Comes) {
			for _, words := range f.Pending {
				g.while = append(g.while, property.Phrase(words))
			}
			if f.Alike {
				g.in = f.Progress
			}
			g.when = f.When
		}
		return g
	}
	// If the numbers in Progress are consecutive among those of Comes, the first and the last of them
	// express the condition.
	least := f.Progress[0]
	largest := f.Progress[len(f.Progress)-1]
	first := slices.Index(f.Comes, least)
	end := slices.Index(f.Comes, largest) + 1
	isRange := end-first == len(f.Progress)
	if !isRange {
		g.progress = f.Progress
		return g
	}
	if first > 0 {
		g.after = least
	}
	if end < len(f.Comes) {
		g.before = largest + 1
	}
	return g
}

// mostInBrief is the largest number of rules that a report in brief names.
const mostInBrief = 2

// mostAlike is the largest number of forbidden transitions that a sentence calls alike after it has
// named one of them.
const mostAlike = 10

// shownAdvice is the largest number of forbidden transitions that a sentence lists. If there are more,
// it counts them.
const shownAdvice = 3

// advice says in one sentence what must be forbidden for the property to hold.
func (p *prose) advice(r *explain.Repair, a advice) string {
	areCounted := p.areMany(a.never)
	forbid := p.forbidClause(r, a.never)
	needsFairness := len(a.fair) > 0
	switch {
	case len(a.leave) == 0:
		return capital(forbid) + "."
	case areCounted && !needsFairness:
		return fmt.Sprintf("%s; and in %s, no run may violate the property by staying forever.",
			capital(forbid), partsOf(a.leave))
	case a.asksForFairChoices() && forbid == "" && !p.full:
		return fmt.Sprintf("Nothing has to be forbidden if all choices are fair (%s).",
			p.assumeFlag("full", nil, "full fairness"))
	case a.asksForFairChoices() && forbid == "":
		return fmt.Sprintf("Nothing has to be forbidden if %s %s fair: %s.",
			p.choicesIn(a.fair), be(len(a.fair)), p.meaningOfFair(a.fair, "every transition"))
	}
	saysFair := areCounted || a.asksForFairChoices()
	mayShorten := (p.brief || saysFair) && !p.full
	switch {
	case mayShorten && needsFairness && forbid != "":
		return fmt.Sprintf("%s; and all choices are fair (%s).", capital(forbid),
			p.assumeFlag("full", nil, "full fairness"))
	case saysFair:
		return fmt.Sprintf("%s; and %s %s fair: %s.", capital(forbid), p.choicesIn(a.fair),
			be(len(a.fair)), p.meaningOfFair(a.fair, "every other transition"))
	case forbid == "":
		return capital(p.mustLeave(a.leave)) + "."
	}
	return fmt.Sprintf("%s; and %s.", capital(forbid), p.mustLeave(a.leave))
}

// forbidClause says which transitions must be forbidden, and after a colon what that costs; "" if there are
// none.
func (p *prose) forbidClause(r *explain.Repair, never []prohibition) string {
	forbid := ""
	before := ": " // the separator before the notes
	switch {
	case p.areMany(never) || p.isVague(never) && len(r.Places) > 0:
		forbid = p.forbidInShort(r, never)
		isCounted := len(r.Never) > mostAlike && p.forbidByRules(r) == ""
		if isCounted && r.CutAtLeast > 2 && len(r.NotForEver) == 0 {
			forbid = "one or two transitions are not enough: " + forbid
			before = "; "
		}
	case len(never) > 0:
		forbid = "forbid " + p.prohibitionList(never)
	}
	var notes []string
	if r.Prohibited && len(r.Never) > shownAdvice {
		notes = append(notes, "each of these states keeps another transition")
	}
	if cost := p.cost(r.Keeps); cost != "" {
		notes = append(notes, cost)
	}
	if len(notes) > 0 {
		forbid += before + strings.Join(notes, "; ")
	}
	return forbid
}

// listedBy returns, in parentheses, the command that lists everything that must be forbidden; "" if
// there is no such command.
func (p *prose) listedBy() string {
	if p.commands.Repair == "" {
		return ""
	}
	return " (" + p.quote(p.commands.Repair) + ")"
}

// areMany reports whether prohibitions are too many to be listed, so that they are counted.
func (p *prose) areMany(all []prohibition) bool {
	return (p.areLong(all) || p.brief && len(all) > 1) && !p.full
}

// capital returns words that begin a sentence with a capital letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// cost returns what a change makes unreachable besides what the sentence names: how many states remain,
// which labels no longer happen, and where nothing but stuttering remains; "" if nothing is lost.
func (p *prose) cost(k *explain.Keeps) string {
	if k == nil {
		return ""
	}
	var losses []string
	if k.Less() {
		losses = append(losses, p.lossOf(k))
	}
	if len(k.Idle) > 0 {
		losses = append(losses, "then nothing but stuttering is possible in "+placesOf(k.Idle))
	}
	return strings.Join(losses, "; ")
}

// placesOf names one or two states, and counts more.
func placesOf(states []explain.ModelState) string {
	switch len(states) {
	case 1:
		return fmt.Sprintf("state %d", states[0])
	case 2:
		return fmt.Sprintf("states %d and %d", states[0], states[1])
	}
	return printable.Quantity(len(states), "state")
}

// lossOf returns how many states remain, and which labels no longer happen.
func (p *prose) lossOf(k *explain.Keeps) string {
	var parts []string
	if k.States+k.Named < k.Of {
		stay := "stay"
		if k.States == 1 {
			stay = "stays"
		}
		parts = append(parts, fmt.Sprintf("%d of %d states %s reachable", k.States, k.Of, stay))
	}
	if len(k.Besides) > 0 {
		verb := "happen"
		if len(k.Besides) == 1 {
			verb = "happens"
		}
		lost := p.labelList(k.Besides, "and")
		if p.brief && len(k.Besides) > mostListed {
			lost = printable.Quantity(len(k.Besides), "action")
		}
		parts = append(parts, fmt.Sprintf("%s no longer %s", lost, verb))
	}
	return strings.Join(parts, ", and ")
}

// forbidInShort says in short what a supervisor with many forbidden transitions forbids: a few rules if
// they say it all. Otherwise it names one transition, of the run if possible, and the number of the
// others; for an unfolded model, it names the numbers of transitions by label.
func (p *prose) forbidInShort(r *explain.Repair, all []prohibition) string {
	rules := p.forbidByRules(r)
	i := p.firstTaken(r.Never)
	if rules != "" {
		return rules
	}
	named := ""
	switch {
	case i >= 0:
		named = fmt.Sprintf("%s in state %d (step %d of this run)",
			p.labelText(p.e.Counterexample.Steps[i].Label), p.sourceOf(i, r.Never), i+1)
	case p.e.IsUnfolded():
		return "forbid " + p.countsByLabel(all) + p.listedBy()
	default:
		first := r.Never[0]
		to := ""
		if first.Others {
			to = fmt.Sprintf("to state %d ", first.To)
		}
		named = fmt.Sprintf("%s %sin state %d", p.labelText(first.Label), to, first.From)
	}
	others := printable.Quantity(len(r.Never)-1, "other transition")
	if len(r.Never) <= mostAlike && haveOneLabel(r.Never) {
		others = fmt.Sprintf("%d more like it", len(r.Never)-1)
	}
	return fmt.Sprintf("forbid %s, and %s%s", named, others, p.listedBy())
}

// haveOneLabel reports whether all transitions to forbid have the same label.
func haveOneLabel(all []explain.Forbidden) bool {
	for _, t := range all {
		if t.Label != all[0].Label {
			return false
		}
	}
	return true
}

// forbidByRules says by a few rules what a supervisor forbids; "" if no such rules are known.
func (p *prose) forbidByRules(r *explain.Repair) string {
	if areShort(r.Rules) && (len(r.Places) == 0 || p.areListed(r.Rules)) {
		return p.ruleList(r.Rules)
	}
	if len(r.Places) > 0 && (!p.brief || len(r.Places) <= mostInBrief) {
		return "forbid " + p.ruleListByPlace(r)
	}
	return ""
}

// firstTaken returns the index of the first step of the run that takes a forbidden transition; -1 if no
// step does.
func (p *prose) firstTaken(forbidden []explain.Forbidden) int {
	if p.e.Counterexample == nil {
		return -1
	}
	for i, s := range p.e.Counterexample.Steps {
		isTaken := func(f explain.Forbidden) bool { return f.IsTaken(s, p.progressBefore(i)) }
		if slices.ContainsFunc(forbidden, isTaken) {
			return i
		}
	}
	return -1
}

// progressBefore returns the number of steps of the property that are done before step i of the run or, for
// another property, its state there; -1 if it is not known.
func (p *prose) progressBefore(i int) int {
	c := p.e.Counterexample
	if !p.hasSteps() {
		pending := stateAfter(c, i)
		if pending == nil {
			return -1
		}
		return int(pending.State)
	}
	if i == 0 {
		return 0
	}
	return c.Steps[i-1].Progress
}

// sourceOf returns the state of the model in which step i of the run begins. The step takes one of the
// forbidden transitions.
func (p *prose) sourceOf(i int, forbidden []explain.Forbidden) explain.ModelState {
	return p.takenBy(i, forbidden).From
}

// takenBy returns the forbidden transition that step i of the run takes.
func (p *prose) takenBy(i int, forbidden []explain.Forbidden) explain.Forbidden {
	taken := slices.IndexFunc(forbidden, func(f explain.Forbidden) bool {
		return takes(p.e.Counterexample.Steps[i], f)
	})
	return forbidden[taken]
}

// takes reports whether a step takes a transition that is forbidden at times.
func takes(s explain.Step, f explain.Forbidden) bool {
	f.Progress = f.Comes // so that it is always forbidden
	return f.IsTaken(s, -1)
}

// areShort reports whether rules are few, and name few labels.
func areShort(rules []explain.Rule) bool {
	return len(rules) > 0 && len(rules) <= shownAdvice &&
		!slices.ContainsFunc(rules, func(r explain.Rule) bool { return len(r.May) > mostNamed })
}

// areListed reports whether a sentence names all states of the rules.
func (p *prose) areListed(rules []explain.Rule) bool {
	return !slices.ContainsFunc(rules, func(r explain.Rule) bool {
		return p.numStatesNamed(len(r.States)) < len(r.States)
	})
}

// ruleList says in which states only certain labels may happen, and names these labels.
func (p *prose) ruleList(rules []explain.Rule) string {
	parts := make([]string, len(rules))
	for i, rule := range rules {
		where := fmt.Sprintf("%d states", len(rule.States))
		if p.numStatesNamed(len(rule.States)) == len(rule.States) {
			where = listStates(p, rule.States, modelState)
		}
		parts[i] = fmt.Sprintf("in %s only %s may happen", where, p.labelList(rule.May, "or"))
	}
	return inSeries(parts)
}

// countsByLabel says how many transitions must not be taken, by label. The most frequent labels come first.
func (p *prose) countsByLabel(all []prohibition) string {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b prohibition) int {
		return b.transitions - a.transitions
	})
	counted := func(n prohibition) string {
		return fmt.Sprintf("%s (%s)", p.labelText(n.label),
			printable.Quantity(n.transitions, "transition"))
	}
	if p.brief && len(sorted) > 2 {
		return fmt.Sprintf("%s and %d other actions", counted(sorted[0]), len(sorted)-1)
	}
	return listed(p, sorted, counted, "other action", "and")
}

// cut names the transitions of a smallest cut, each with the step of the run that takes it.
func (p *prose) cut() string {
	c := p.e.Repair.Cut
	transitions := slices.Clone(c.Transitions)
	if len(transitions) == 2 && transitions[0].SameChoice(transitions[1]) {
		transitions = p.earliest(transitions)
	}
	parts := make([]string, len(transitions))
	for i, t := range transitions {
		place := fmt.Sprintf("in state %d", t.From)
		if t.Others {
			place = fmt.Sprintf("to state %d %s", t.To, place)
		}
		if t.Step != nil {
			place += fmt.Sprintf(" (step %d of this run)", *t.Step+1)
		}
		if i == 0 || t.Label != transitions[0].Label {
			place = p.labelText(t.Label) + " " + place
		}
		parts[i] = place
	}
	text := "Forbid " + inSeries(parts)
	var notes []string
	if len(c.OtherWays) > 0 && !p.brief {
		ways := "are the other choices"
		if len(c.OtherWays) == 1 {
			ways = "is the other choice"
		}
		notes = append(notes, fmt.Sprintf("%s %s", p.labelList(c.OtherWays, "and"), ways))
	}
	cost := p.cost(c.Keeps)
	if cost != "" {
		notes = append(notes, cost)
	}
	if len(notes) > 0 {
		text += ": " + strings.Join(notes, "; ")
	}
	return text + "."
}

// earliest returns the first transition of the run that belongs to a cut, in a list of its own. If the
// run takes none, it returns any transition of the cut.
func (p *prose) earliest(transitions []explain.CutStep) []explain.CutStep {
	first := slices.MinFunc(transitions, func(a, b explain.CutStep) int {
		return cmp.Compare(p.stepOf(a), p.stepOf(b))
	})
	return []explain.CutStep{first}
}

// stepOf returns the index of the step of the run that takes a transition of a cut; the number of steps
// if no step does.
func (p *prose) stepOf(t explain.CutStep) int {
	if t.Step == nil {
		return len(p.e.Counterexample.Steps)
	}
	return int(*t.Step)
}

// prohibitionList lists prohibitions: "X in state 2, and Y everywhere (22 states)".
func (p *prose) prohibitionList(all []prohibition) string {
	parts := make([]string, len(all))
	for i, n := range all {
		parts[i] = p.prohibitionText(n)
	}
	return inSeries(parts)
}

// inSeries joins parts of a sentence that may contain commas.
func inSeries(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + ", and " + parts[last]
}

// prohibitionText names a label that must not be taken, and the states and the progress in which that is
// so.
func (p *prose) prohibitionText(n prohibition) string {
	parts := make([]string, len(n.places))
	for i := range n.places {
		parts[i] = p.placeText(n, &n.places[i]) + p.condition(&n.places[i].guard)
	}
	return p.labelText(n.label) + " " + inSeries(parts)
}

// placeText names the states of one place of a prohibition, and the target if that matters.
func (p *prose) placeText(n prohibition, g *guardedStates) string {
	to := ""
	if g.to != nil {
		to = fmt.Sprintf("to state %d ", *g.to)
	}
	if p.numStatesNamed(len(g.states)) == len(g.states) {
		return to + "in " + listStates(p, g.states, modelState)
	}
	isWhereverPossible := g.when != nil && g.to == nil && len(n.places) == 1 && len(g.states) == n.possibleIn
	if isWhereverPossible {
		return fmt.Sprintf("everywhere (%d states)", len(g.states))
	}
	step := p.violating(g)
	if step == nil {
		step = p.takenIn(n, g)
	}
	if step != nil {
		return fmt.Sprintf("in state %d (step %d of this run) and %d more",
			p.sourceOf(int(*step), g.forbidden), *step+1, len(g.states)-1)
	}
	isOnlyPlace := g.isAlways() && len(n.places) == 1
	switch {
	case isOnlyPlace && len(g.states) == n.possibleIn:
		return fmt.Sprintf("everywhere (%d states)", len(g.states))
	case isOnlyPlace:
		return fmt.Sprintf("in %d of the %d states that allow it", len(g.states), n.possibleIn)
	}
	return fmt.Sprintf("in %d states", len(g.states))
}

// violating returns the step of the run that does what the property forbids, if this step takes one
// of the forbidden transitions of a place; otherwise nil. Advice to forbid this step says little
// unless it names a state, since the property says the same.
func (p *prose) violating(g *guardedStates) *explain.StepIndex {
	d := p.e.Diagnosis
	if d == nil || d.Kind != explain.KindForbidden {
		return nil
	}
	step := p.e.Counterexample.Steps[*d.Step]
	isTaken := func(f explain.Forbidden) bool { return takes(step, f) }
	if !slices.ContainsFunc(g.forbidden, isTaken) {
		return nil
	}
	return d.Step
}

// takenIn returns the first step of the run that takes a forbidden transition in a place where it is
// forbidden; nil if there is none, or if all transitions with this label are forbidden everywhere.
func (p *prose) takenIn(n prohibition, g *guardedStates) *explain.StepIndex {
	isEverywhere := g.isAlways() && len(n.places) == 1 && len(g.states) == n.possibleIn
	if isEverywhere {
		return nil
	}
	i := p.firstTaken(g.forbidden)
	if i < 0 {
		return nil
	}
	step := explain.StepIndex(i)
	return &step
}

// condition says when a guard applies; "" if it always does.
func (p *prose) condition(g *guard) string {
	switch {
	case g.when != nil:
		return p.phrase(g.when)
	case g.while != nil:
		return p.pendingWhile(g)
	case g.progress != nil:
		return fmt.Sprintf(" when %s steps of the property are done", orList(g.progress))
	case g.after > 0 && g.before > 0:
		return fmt.Sprintf(" once %s is done, before %s is", p.nextStep(g.after), p.nextStep(g.before))
	case g.after > 0:
		return fmt.Sprintf(" once %s is done", p.nextStep(g.after))
	case g.before > 0:
		return fmt.Sprintf(" before %s is done", p.nextStep(g.before))
	}
	return ""
}

// pendingWhile describes what is pending when a guard applies. If that is a restriction up to some action, it
// names only this action, and of a restriction in a scope, only the scope: what is restricted is what the
// property says.
func (p *prose) pendingWhile(g *guard) string {
	if len(g.while) == 1 && len(g.in) == 0 {
		if scope := p.scopeOf(g.while[0]); scope != "" {
			return " " + scope
		}
		end := g.while[0].UpTo()
		if end != nil {
			return p.phrase(end)
		}
	}
	var parts []string
	for _, words := range g.while {
		text := p.whilePending(words)
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	states := ""
	if len(g.in) > 0 {
		states = "; " + numbered("state", g.in) + " of the property"
	}
	return " (" + strings.Join(parts, ", or ") + states + ")"
}

// whilePending says when these words describe what is pending: "while waiting for ACK".
func (p *prose) whilePending(words property.Phrase) string {
	hasHappened := slices.ContainsFunc(words, func(w property.Word) bool {
		return w.Kind == property.Happened
	})
	switch {
	case len(words) == 0:
		return "while nothing is pending"
	case hasHappened:
		return "once " + p.phrase(words)
	}
	return "while " + p.phrase(words)
}

// scopeOf names the scope of the property if these words say that its only step is not allowed, should the
// scope end; otherwise it returns "".
func (p *prose) scopeOf(words property.Phrase) string {
	const wordsOfBan = 5 // "X", " is not allowed", ", should ", "B", " follow"
	isBan := len(words) == wordsOfBan && words[1].Kind == property.Forbidding
	scope := p.e.Property.Scope
	countsOnceEnded := strings.HasPrefix(scope, "before ") || strings.HasPrefix(scope, "between ")
	if !isBan || !countsOnceEnded {
		return ""
	}
	f, isPattern := p.e.Formula().(interface{ Specification() property.Specification })
	if !isPattern {
		return scope // a repair has no formula
	}
	s := f.Specification()
	end := p.pattern(s.To.Pattern.String())
	if s.Scope == property.Before {
		return "before " + end
	}
	return fmt.Sprintf("between %s and %s", p.pattern(s.From.Pattern.String()), end)
}

// orList joins numbers by "or". numbered puts a noun before such a list.
func orList(numbers []int) string {
	return printable.List(strings.Fields(strings.Trim(fmt.Sprint(numbers), "[]")), "or")
}

func numbered(noun string, numbers []int) string {
	if len(numbers) > 1 {
		noun += "s"
	}
	return noun + " " + orList(numbers)
}

// mustLeave says in which components of the model a run must not stay forever; "" if there are none.
func (p *prose) mustLeave(parts []explain.NotForEver) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return p.mustLeavePart(parts[0])
	}
	hasAgain := func(part explain.NotForEver) bool { return part.Again != nil }
	if !slices.ContainsFunc(parts, hasAgain) {
		return "no run may stay forever in one of " + partsOf(parts)
	}
	one := p.partToName(parts)
	if one < 0 {
		return fmt.Sprintf("in %s, no run may violate the property by staying forever",
			partsOf(parts))
	}
	others := slices.Delete(slices.Clone(parts), one, one+1)
	return fmt.Sprintf("%s; likewise in %s%s", p.mustLeavePart(parts[one]), otherParts(others), p.listedBy())
}

// partToName returns the index of a component whose labels alone say what no run may do there forever. It
// prefers the component in which the run stays, and returns -1 if there is none.
func (p *prose) partToName(parts []explain.NotForEver) int {
	isTold := func(part explain.NotForEver) bool { return part.ByLabels && part.Again != nil }
	i := -1
	if c := p.e.Counterexample; c != nil && c.LoopStart >= 0 && !p.e.IsUnfolded() {
		last := explain.ModelState(c.Steps[len(c.Steps)-1].From)
		i = slices.IndexFunc(parts, func(part explain.NotForEver) bool {
			isLast := func(at explain.ProductState) bool { return at.State == last }
			return isTold(part) && slices.ContainsFunc(part.States, isLast)
		})
	}
	if i < 0 {
		i = slices.IndexFunc(parts, isTold)
	}
	return i
}

// choicesIn names the choices in some states.
func (p *prose) choicesIn(states []explain.ModelState) string {
	noun := "the choices in "
	if len(states) == 1 {
		noun = "the choice in "
	}
	return noun + listStates(p, states, modelState)
}

func modelState(s explain.ModelState) string { return fmt.Sprint(s) }

// meaningOfFair says what it means that the choices in some states are fair. The text transitions names
// the transitions that are then taken again and again.
func (p *prose) meaningOfFair(states []explain.ModelState, transitions string) string {
	place := "to one of them"
	if len(states) == 1 {
		place = "there"
	}
	return fmt.Sprintf("a run that comes %s again and again takes %s from there again and again", place, transitions)
}

// partsOf counts components of the model, and their states.
func partsOf(parts []explain.NotForEver) string { return countedParts(parts, "part") }

// otherParts is [partsOf] for the components that a sentence has not named.
func otherParts(parts []explain.NotForEver) string { return countedParts(parts, "other part") }

// countedParts counts components by a noun for one of them, and their states.
func countedParts(parts []explain.NotForEver, noun string) string {
	places := 0
	for _, part := range parts {
		places += len(part.States)
	}
	return fmt.Sprintf("%s of the model (%s)", printable.Quantity(len(parts), noun),
		printable.Quantity(places, "state"))
}

// mustLeavePart says that a run must not stay forever in one component of the model, and by which
// transitions it can leave.
func (p *prose) mustLeavePart(part explain.NotForEver) string {
	states, in := p.statesOf(part)
	switch {
	case !part.ByLabels && !p.hasSteps():
		return fmt.Sprintf("in %s no run may violate the property by staying forever", in)
	case part.Again != nil:
		again := printable.List(p.repeatedLabels(part), "and")
		inside := slices.DeleteFunc(slices.Clone(part.WaysOut), func(t explain.ProductStep) bool {
			return !states[t.To]
		})
		if len(inside) == 0 {
			return fmt.Sprintf("no run may stay in %s forever and do %s again and again", in, again)
		}
		return fmt.Sprintf("no run may stay in %s forever and do %s again and again but %s only finitely often", in, again, p.wayOutList(part, inside))
	}
	before := ""
	if !part.ByLabels {
		before = fmt.Sprintf(" before %s is done", p.nextStep(part.States[0].Progress+1))
	}
	return fmt.Sprintf("in %s not %s forever%s, but sooner or later %s", in,
		p.labelList(part.Loop, "and"), before, p.wayOutList(part, part.WaysOut))
}

// repeatedLabels returns a text for each set of transitions such that a violating run takes some of
// them again and again.
func (p *prose) repeatedLabels(part explain.NotForEver) []string {
	texts := make([]string, len(part.Again))
	for i, steps := range part.Again {
		var labels []string
		for _, t := range steps {
			labels = append(labels, t.Label)
		}
		slices.Sort(labels)
		texts[i] = p.labelList(slices.Compact(labels), "or")
	}
	return texts
}

// statesOf returns the states of a component, each once, as a set and as text.
func (p *prose) statesOf(part explain.NotForEver) (map[explain.ModelState]bool, string) {
	var states []explain.ModelState
	known := map[explain.ModelState]bool{}
	for _, at := range part.States {
		if !known[at.State] {
			known[at.State] = true
			states = append(states, at.State)
		}
	}
	return known, listStates(p, states, modelState)
}

// wayOutList lists the labels of transitions that leave a component. It adds the target if a transition
// within the component has the same label.
func (p *prose) wayOutList(part explain.NotForEver, ways []explain.ProductStep) string {
	var different []way
	for _, t := range ways {
		w := way{label: t.Label, to: -1}
		if slices.Contains(part.Loop, t.Label) {
			w.to = int(t.To)
		}
		different = append(different, w)
	}
	slices.SortFunc(different, func(a, b way) int {
		return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to))
	})
	return listed(p, slices.Compact(different), func(w way) string {
		if w.to < 0 {
			return p.labelText(w.label)
		}
		return fmt.Sprintf("%s to state %d", p.labelText(w.label), w.to)
	}, "other action", "or")
}

// way is a transition, given by its label and its target. The target is -1 if the label is enough.
type way struct {
	label string
	to    int
}

// labelList lists labels, with the word last ("and" or "or") before the last one. It counts the labels
// beyond the limit.
func (p *prose) labelList(labels []string, last string) string {
	return listed(p, labels, p.labelText, "other action", last)
}

// onlyTriggers says that forbidding makes the property true only if some triggers are forbidden. A
// trigger is a label that begins an obligation of the property.
func (p *prose) onlyTriggers() string {
	only := p.e.Repair.OnlyTriggers
	if only.Everywhere {
		why := ""
		if isInternal(p.e.Repair.Obstacle) {
			why = ": " + p.unforbidden(p.e.Repair.Obstacle)
		}
		return fmt.Sprintf("Only forbidding %s everywhere would make it true%s.",
			p.labelList(only.Labels, "and"), why)
	}
	r := only.Supervisor
	all := prohibitions(r)
	text := p.forbids(all, "forbid")
	if p.areMany(all) || p.isVague(all) && len(r.Places) > 0 {
		text = p.forbidInShort(r, all)
	}
	return fmt.Sprintf("Only a supervisor that forbids what triggers the property makes it true: %s.", p.withMustLeave(text, r))
}

// irreparable says why forbidding transitions does not help.
func (p *prose) irreparable() string {
	o := p.e.Repair.Obstacle
	t := o.Transition
	if o.Kind == explain.Nondeterminism {
		return fmt.Sprintf("Forbidding actions does not make it true: in state %d, %s leads to state %d or elsewhere, and can only be forbidden as a whole.", t.From, p.labelText(t.Label), t.To)
	}
	if p.e.Model.IsBefore(int(t.From)) {
		return fmt.Sprintf("Forbidding actions does not make it true: %s.", p.mayBegin(o))
	}
	return fmt.Sprintf("Forbidding actions does not make it true: %s.", p.unforbidden(o))
}

// mayBegin says in which initial state runs may begin although nothing helps from there. If values of the state are known, the
// sentence is in the words of TLA+: Init allows x = 0 /\ y = 1.
func (p *prose) mayBegin(o *explain.Obstacle) string {
	t := o.Transition
	begin := fmt.Sprintf("runs may begin in state %d", t.To)
	values := p.initialValues(o.Values)
	switch {
	case values != "" && t.Label == "Init":
		begin = fmt.Sprintf("%s allows %s (state %d)", p.labelText(t.Label), values, t.To)
	case values != "":
		begin = fmt.Sprintf("runs may begin with %s (state %d)", values, t.To)
	}
	if o.Hopeless {
		return begin + ", from where every run violates it"
	}
	return begin + ", from where forbidding actions does not help"
}

// widestInitial is the largest width, in bytes, of the values of an initial state in a sentence that is not full.
const widestInitial = 80

// initialValues writes the values of an initial state as a conjunction; "" if there are none, or if they are too long.
func (p *prose) initialValues(all []explain.StateValue) string {
	assigned := make([]string, len(all))
	for i, v := range all {
		assigned[i] = v.Name + " = " + v.Value
	}
	text := strings.Join(assigned, ` /\ `)
	if text == "" || len(text) > widestInitial && !p.full {
		return ""
	}
	return p.quote(text)
}

// unforbidden says that a transition in the way cannot be forbidden. If the transition is internal, it
// also says which action comes before it; if there is none, the environment decides.
func (p *prose) unforbidden(o *explain.Obstacle) string {
	t := o.Transition
	text := fmt.Sprintf("%s in state %d", p.labelText(t.Label), t.From)
	if !isInternal(o) {
		return text + " cannot be forbidden"
	}
	for _, label := range slices.Backward(o.Path) {
		if !isInternalLabel(label) {
			return fmt.Sprintf("%s, after %s, is internal, and cannot be forbidden", text,
				p.labelText(label))
		}
	}
	return text + " is internal, and no action comes before it: the environment decides"
}

// isInternal reports whether an internal transition is in the way of a supervisor.
func isInternal(o *explain.Obstacle) bool {
	return o != nil && o.Kind != explain.Nondeterminism && o.Transition != nil &&
		isInternalLabel(o.Transition.Label)
}

func isInternalLabel(label string) bool { return label == "i" || label == "tau" }

// inTheWay names the transition because of which no supervisor can make the property true.
func (p *prose) inTheWay(o *explain.Obstacle) string {
	t := o.Transition
	at := fmt.Sprintf("state %d", t.From)
	if len(o.Path) > 0 {
		at += " (reached by " + p.labelList(o.Path, "and") + ")"
	}
	if o.Kind == explain.Nondeterminism {
		return fmt.Sprintf("In %s, %s leads to state %d or elsewhere, and can only be forbidden as a whole.", at, p.labelText(t.Label), t.To)
	}
	if p.e.Model.IsBefore(int(t.From)) {
		return capital(p.mayBegin(o)) + "."
	}
	return fmt.Sprintf("In %s, %s can be taken to state %d, and cannot be forbidden.", at,
		p.labelText(t.Label), t.To)
}

// fewest names a smallest set of transitions, or of labels. The property becomes true if they are never
// taken, whatever happened before.
func (p *prose) fewest(f *explain.Fewest, noun string) string {
	var parts []string
	for _, t := range f.Transitions {
		parts = append(parts,
			fmt.Sprintf("%s from state %d to state %d", p.labelText(t.Label), t.From, t.To))
	}
	for _, l := range f.Labels {
		parts = append(parts, p.labelText(l))
	}
	count := printable.Quantity(len(parts), noun)
	where := ", whatever happened before"
	if noun == "label" {
		where = " everywhere"
	}
	switch {
	case !f.Found && f.Exact:
		return fmt.Sprintf("There is no set of %ss to forbid%s that makes it true without new deadlocks.", noun, where)
	case !f.Found:
		return fmt.Sprintf("The search for the fewest %ss to forbid%s stopped at its limit: there are at least %d.", noun, where, f.AtLeast)
	}
	list := p.listed(parts, "")
	if !f.Exact {
		return fmt.Sprintf("The fewest %ss to forbid%s are at most %d and at least %d; it is enough to forbid %s.", noun, where, len(parts), f.AtLeast, list)
	}
	return fmt.Sprintf("The fewest to forbid%s: %s, %s.", where, count, list)
}

// missingTransitionClaim returns the claim that the violating runs are those that stop in a certain state, so that any
// transition from there would make the property hold.
func missingTransitionClaim(e *explain.Explanation) []Claim {
	if e.Necessity == nil || len(e.Necessity.Missing) == 0 {
		return nil // the diagnosis says already that the run stops
	}
	return []Claim{{kind: "gap", say: func(p *prose) string {
		var ways []string
		for _, t := range e.Necessity.Missing {
			ways = append(ways, fmt.Sprintf("%s to state %d", p.labelText(t.Label), t.To))
		}
		return fmt.Sprintf("All violations stop in state %d, and no other run does: perhaps a transition is missing there. With %s it would hold (a guess).",
			*e.Necessity.At, printable.List(ways, "or"))
	}}}
}

// obstacleClause says why all owners together cannot prevent the violation.
func (p *prose) obstacleClause(r *explain.Repair) string {
	switch {
	case r == nil || r.Obstacle == nil || r.Obstacle.Kind == explain.Nondeterminism:
		return ""
	case r.Obstacle.Kind == explain.NoCorrectRun:
		return ", for no run satisfies it"
	}
	t := r.Obstacle.Transition
	why := "is nobody's to forbid"
	all := p.e.Repair
	if all != nil && slices.Contains(all.Triggers, t.Label) {
		why = "triggers the property"
	}
	return fmt.Sprintf(", for %s leaves state %d, and %s", p.labelText(t.Label), t.From, why)
}

// withMustLeave appends the components that runs must leave to a text about what must be forbidden.
func (p *prose) withMustLeave(text string, r *explain.Repair) string {
	leave := p.mustLeave(r.NotForEver)
	if text != "" && leave != "" {
		return text + "; and " + leave
	}
	return text + leave
}

// shareOfEach describes what each owner in a set must forbid, and which components runs must leave.
func (p *prose) shareOfEach(r *explain.Repair, set []string) string {
	owned := map[string][]prohibition{}
	for _, n := range prohibitions(r) {
		owned[n.owner] = append(owned[n.owner], n)
	}
	var parts []string
	for _, owner := range set {
		text := p.forbids(owned[owner], "forbidding")
		if text != "" {
			parts = append(parts, fmt.Sprintf("%s by %s", p.owner(owner), text))
		}
	}
	if n := p.numNamed(len(parts)); n < len(parts) {
		more := len(parts) - n
		parts = append(parts[:n], printable.Quantity(more, "other")+" likewise")
	}
	return p.withMustLeave(strings.Join(parts, ", "), r)
}

// forbids says which transitions must never be taken, or how many if there are many. The verb is a form
// of "to forbid". forbids returns "" if there are none.
func (p *prose) forbids(list []prohibition, verb string) string {
	switch {
	case len(list) == 0:
		return ""
	case !p.areMany(list):
		return verb + " " + p.prohibitionList(list)
	}
	return verb + " " + p.countsByLabel(list)
}
