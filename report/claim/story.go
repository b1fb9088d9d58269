package claim

import (
	"crypto/sha256"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/simplify"
)

// Story is the claims about an explanation, in the order of a report.
type Story struct {
	Verdict Verdict
	// Diagnosis is the reason why the property fails; nil if it holds, or if the reason is not
	// known.
	Diagnosis *Diagnosis
	// Run is the shape of the counterexample and what it lacks. This and the following fields are
	// nil if the property holds.
	Run []Claim
	// Better has the transitions that would have been better at decisions of the run. This and the
	// following fields are nil in the result of [explain.Check].
	Better    []Better
	Decisions []Chosen // the decisions of the run, with what each choice would have meant
	Through   []Claim  // the decisions that every violating run has, too
	Beyond    []Claim  // about the run as a whole
	WaysOut   []Claim  // how a run could leave the loop
	When      []Claim  // under which assumptions the property would hold
	Change    []Claim  // what would have to be forbidden
	Elsewhere []Claim  // what lies off the run
	// Within is the bound within which a property that holds is satisfied, Slowest its slowest run,
	// Holds the other reasons why it holds, and Faults the least number of faults on a violating
	// run.
	Within  *Within
	Slowest *SlowestRun
	Holds   []Claim
	Faults  []Claim
	// Owned counts the decisions by owner, and Prevention says who could have prevented the
	// violation; nil if no owners are known.
	Owned, Prevention []Claim
	// Hold are the claims of When and Change in every report, the smallest first; HoldMore the
	// claims that only a full report adds.
	Hold, HoldMore []Claim
}

// Of returns the claims about e. Cost O(size of e, and the number of neighbourhoods).
func Of(e *explain.Explanation) *Story {
	s := &Story{Verdict: Verdict{Satisfied: e.Verdict == explain.Satisfied}}
	c := e.Counterexample
	if e.Fairness != nil {
		s.Verdict.Under = e.Fairness.Asked
	}
	if e.Diagnosis != nil {
		s.Diagnosis = &Diagnosis{e.Diagnosis}
	}
	if c != nil {
		s.Verdict.Hopeless = c.InitialFate == simplify.Fated
		s.Run = aboutRun(e)
	}
	s.tellHolds(e)
	if e.Classes == nil {
		return s
	}
	if c != nil {
		choices := decisions(e)
		s.Better = better(choices)
		s.Decisions = chosen(e, choices)
		s.Through = through(e)
		s.Beyond = beyond(e, choices)
		s.WaysOut = waysOut(e, choices)
		s.When = when(e)
		s.Change = append(advice(e, s.When), gap(e)...)
		s.Owned, s.Prevention = owned(e), Preventions(e.Prevention)
		s.Hold, s.HoldMore = hold(e, s.When, s.Change)
	}
	s.Elsewhere = elsewhere(e)
	if c == nil {
		s.Elsewhere = append(enough(e), s.Elsewhere...)
	}
	return s
}

// All returns the claims of s in one list. Cost O(their number).
func (s *Story) All() []Claim {
	all := []Claim{s.Verdict}
	if s.Diagnosis != nil {
		all = append(all, *s.Diagnosis)
	}
	if s.Within != nil {
		all = append(all, *s.Within)
	}
	if s.Slowest != nil {
		all = append(all, *s.Slowest)
	}
	all = append(append(append(all, s.Holds...), s.Run...), s.Faults...)
	for _, b := range s.Better {
		all = append(all, b)
	}
	for _, d := range s.Decisions {
		all = append(all, d)
	}
	for _, part := range [][]Claim{s.Through, s.Owned, s.Beyond, s.WaysOut, s.When, s.Change, s.Prevention, s.Elsewhere} {
		all = append(all, part...)
	}
	return all
}

func aboutRun(e *explain.Explanation) []Claim {
	c := e.Counterexample
	shape := Shape{
		Length: c.Length, LoopStart: int(c.LoopStart), Last: e.Model.Initial,
		Shortest: c.Shortest, InProduct: c.Shortest && c.Minimal == counterexample.InProduct, Given: c.Given, Trap: c.Trap != nil, Prefix: c.IsStem() && c.Trap == nil, WithPattern: e.Pattern() != nil, Refused: c.Refused,
	}
	if n := len(c.Steps); n > 0 {
		shape.Last = c.Steps[n-1].To
	}
	if shape.LoopStart >= 0 {
		shape.LoopStart -= len(c.Steps) - c.Length
	}
	certain, possible := begins(e)
	claims := []Claim{shape, lacks(c), Minimal{shape, certain, possible}}
	if violated := func(c explain.Conjunct) bool { return c.Verdict == explain.Violated }; slices.ContainsFunc(e.Conjuncts, violated) {
		claims = append(claims, Conditions{e.Conjuncts})
	}
	for _, note := range c.Notes {
		claims = append(claims, Note{note})
	}
	return claims
}

// begins returns initial states that are better for the property than the initial state of the run:
// those that make the property certain, and those that keep it possible.
func begins(e *explain.Explanation) (certain, possible []lts.State) {
	c, m := e.Counterexample, e.LTS()
	if e.Classes == nil || len(c.Steps) == 0 || !m.IsBefore(c.Steps[0].From) {
		return nil, nil
	}
	labels, targets := m.Out(m.Initial())
	for i, to := range targets {
		switch e.Classification().Class(m.Initial(), labels.At(i), to) {
		case neighbourhood.Correct:
			certain = append(certain, to)
		case neighbourhood.Neutral:
			if c.Steps[0].Fate == simplify.Fated {
				possible = append(possible, to)
			}
		}
	}
	for _, states := range []*[]lts.State{&certain, &possible} {
		slices.Sort(*states)
		*states = slices.Compact(*states)
	}
	return certain, possible
}

// lacks returns the claim about the steps, or the pending things, that never come on the run.
func lacks(c *explain.Counterexample) Claim {
	if c.Trap != nil {
		return Doomed{c.Trap}
	}
	if c.Pending == nil {
		return Missing{c.Done}
	}
	at := func(i int) *explain.Pending { // what is pending after i steps
		if i == 0 {
			return c.Pending
		}
		return c.Steps[i-1].Pending
	}
	end := len(c.Steps)
	u := Unmet{Since: -1, Ends: c.LoopStart < 0}
	first := end
	if !u.Ends {
		first = int(c.LoopStart) + 1
	}
	visited := map[string]bool{}
	for i := first; i <= end; i++ {
		if i > first && at(i) == at(i-1) {
			continue // most steps of a long run share one value
		}
		if text := at(i).Words.String(); text != "" && !visited[text] {
			visited[text] = true
			u.Pending = append(u.Pending, at(i).Words)
		}
	}
	same := func(i int) bool { return at(i) == at(end) || at(i).Words.String() == at(end).Words.String() }
	for first <= end && same(first) {
		first++
	}
	if first > end {
		for u.Since = end; u.Since > 0 && same(u.Since-1); {
			u.Since--
		}
	}
	return u
}

// gone returns the steps that are out of reach after the property is lost.
func gone(e *explain.Explanation) OutOfReach {
	if e.Loss.Step == 0 {
		return OutOfReach{}
	}
	done := 0
	if n := e.Loss.Steps; n > 0 {
		done = e.Counterexample.Steps[n-1].Progress
	}
	return OutOfReach{done + 1, e.Loss.Step}
}

func beyond(e *explain.Explanation, choices []*explain.Decision) []Claim {
	c := e.Counterexample
	if c.InitialFate == simplify.Fated {
		return []Claim{Undecided{OutOfReach: gone(e)}}
	}
	if len(c.Steps) > 0 && c.Steps[0].Fate == simplify.Fated && e.LTS().IsBefore(c.Steps[0].From) {
		return []Claim{Undecided{gone(e), &c.Steps[0].To}}
	}
	var claims []Claim
	if len(choices) == 0 {
		claims = append(claims, NothingBetter{})
	}
	if by := ofHistory(e, choices); len(by) > 0 && len(by) == len(choices) && !e.IsUnfolded() && !mayRefuse(e) {
		claims = append(claims, ByHistory{distinctStates(by)})
	}
	if kept := e.Abstracted.Steps; len(kept) > 0 && len(kept) < c.Length {
		claims = append(claims, Abstraction{kept, c.Length})
	}
	if e.PointOfNoReturn == nil {
		claims = append(claims, AlwaysPossible{})
	}
	return claims
}

// mayRefuse reports whether the environment may refuse labels, so that a run may stop where labels
// are possible. Then a decision can be whether to continue at all.
func mayRefuse(e *explain.Explanation) bool {
	return e.Fairness != nil && slices.ContainsFunc(e.Fairness.Asked, func(a explain.Asked) bool { return a.Kind == actl.Blocking })
}

// decisions returns pointers to the decisions of e.
func decisions(e *explain.Explanation) []*explain.Decision {
	all := make([]*explain.Decision, len(e.Decisions))
	for i := range all {
		all[i] = &e.Decisions[i]
	}
	return all
}

// ofHistory returns the decisions in states that are no neighbourhoods: the run's history makes
// them decisions.
func ofHistory(e *explain.Explanation, choices []*explain.Decision) []*explain.Decision {
	var by []*explain.Decision
	for _, d := range choices {
		if d.Kind == 0 && !e.LTS().IsBefore(d.State) {
			by = append(by, d)
		}
	}
	return by
}

// distinctStates counts the different states of decisions.
func distinctStates(choices []*explain.Decision) int {
	states := map[lts.State]bool{}
	for _, d := range choices {
		states[d.State] = true
	}
	return len(states)
}

// waysOut reports how a run can leave the loop at each state but those of decisions, whose own
// claims say so. States with equal outlooks share a claim.
func waysOut(e *explain.Explanation, choices []*explain.Decision) []Claim {
	c := e.Counterexample
	switch {
	case c.LoopStart < 0:
		return nil
	case c.InitialFate == simplify.Fated:
		return nil // no run satisfies the property, so leaving the loop does not help
	case len(e.Exits) == 0:
		return []Claim{Trapped{}}
	case c.Steps[len(c.Steps)-1].Fate == simplify.Fated:
		return []Claim{LostInLoop{}}
	}
	described := map[explain.StepIndex]bool{}
	for _, d := range choices {
		described[d.Step] = true
	}
	instead := map[explain.StepIndex][]explain.Choice{}
	for _, exit := range e.Exits {
		instead[exit.Step] = append(instead[exit.Step], exit.Choice)
	}
	var claims []Claim
	var ways []*WaysOut
	alike := map[[sha256.Size]byte]*WaysOut{}
	for i := explain.StepIndex(c.LoopStart); int(i) < len(c.Steps); i++ {
		step := &c.Steps[i]
		if instead[i] == nil || described[i] {
			continue
		}
		outlook := outlookOf(instead[i], step.Label)
		key := outlook.key()
		w := alike[key]
		if w == nil {
			w = &WaysOut{Outlook: outlook}
			alike[key] = w
			ways = append(ways, w)
		}
		w.States, w.Steps = append(w.States, step.From), append(w.Steps, i)
	}
	for _, w := range ways {
		claims = append(claims, *w)
	}
	if e.Way != nil && !(len(e.Way.Transitions) == 1 && described[e.Way.Step]) {
		claims = append(claims, NearestWay{e.Way})
	}
	return claims
}

func elsewhere(e *explain.Explanation) []Claim {
	var claims []Claim
	if f := e.Folded; f != nil {
		claims = append(claims, Unfolded{f, e.Neighbourhoods().Len(), neighbourhoodsOn(e), !e.PartsRuns()})
	}
	if c := *e.Classes; e.PartsRuns() && c.Correct+c.Incorrect+c.Excluded > 0 {
		claims = append(claims, Classes{c})
	}
	m := e.Model
	if states := m.States - m.ReachableStates; states > 0 {
		claims = append(claims, Unreachable{states, m.Transitions - m.ReachableTransitions})
	}
	if e.PartsRuns() {
		if off := offRun(e); off.Total > 0 || off.OnRun > 0 {
			claims = append(claims, off)
		}
	}
	return claims
}

// neighbourhoodsOn counts the steps of the run that leave neighbourhoods.
func neighbourhoodsOn(e *explain.Explanation) int {
	n := 0
	if e.Counterexample == nil {
		return 0
	}
	for _, s := range e.Counterexample.Steps {
		if s.Neighbourhood.Is() {
			n++
		}
	}
	return n
}

func offRun(e *explain.Explanation) Elsewhere {
	on := map[lts.State]bool{}
	for _, s := range e.Counterexample.Steps {
		if s.Neighbourhood.Is() {
			on[s.From] = true
		}
	}
	of := map[neighbourhood.Kind][]lts.State{}
	found := Elsewhere{OnRun: len(on)}
	types := e.Classification()
	for _, s := range types.States() {
		if kind, _ := types.Kind(s); !on[s] {
			of[kind] = append(of[kind], s)
			found.Total++
		}
	}
	for _, kind := range neighbourhood.Kinds() {
		if of[kind] != nil {
			found.Groups = append(found.Groups, Group{kind, of[kind]})
		}
	}
	return found
}
