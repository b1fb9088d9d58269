package render

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// Claim is one statement about an explanation. It is complete in itself: it can be checked against the
// model, the property and the run without the analysis. Every output makes the same claims.
type Claim struct {
	kind  string
	steps []explain.StepIndex // the decisions that the claim is about
	say   func(p *prose) string
	// assumed is the assumption of a claim that the property holds under an assumption; nil for other
	// claims.
	assumed *holdsIf
	// notion is the notion of fairness in such a claim, in the syntax of [actl.ParseAssumption]; "" for
	// none.
	notion string
	// isDetail reports that the claim only makes another claim more precise.
	isDetail bool
	// number is the number of a remedy among several; 0 for other claims.
	number int
}

// Kind names the claim in data.
func (c Claim) Kind() string { return c.kind }

// fixedClaim returns a claim with a sentence that is the same in all outputs.
func fixedClaim(kind, sentence string) Claim {
	return Claim{kind: kind, say: func(*prose) string { return sentence }}
}

// Story has the claims about an explanation, in the order of a report.
type Story struct {
	Verdict Claim
	// Diagnosis is the reason why the property fails; nil if the property holds, or if the reason is
	// unknown.
	Diagnosis *Claim
	// Within is the bound within which a property that holds is satisfied, and Slowest is its slowest
	// run. Holds are the other reasons why it holds, and Faults is the smallest number of faults on a
	// violating run.
	Within, Slowest *Claim
	Holds, Faults   []Claim
	// Lacking is the fairness that a specification lacks, if it can be said in short.
	Lacking []Claim
	// Run is the shape of the counterexample and what it lacks. This and the following fields are
	// nil if the property holds.
	Run []Claim
	// Better has the transitions that would have been better at decisions of the run. This and the
	// following fields are nil in the result of [explain.Check].
	Better    []Better
	decisions []chosen // the decisions of the run, with what each choice would have meant
	Through   []Claim  // the decisions that every violating run makes, too
	// Owned counts the decisions by owner, and Prevention says who could have prevented the
	// violation; nil if no owners are known.
	Owned, Prevention []Claim
	Beyond            []Claim // about the run as a whole
	WaysOut           []Claim // how a run could leave the loop
	When              []Claim // under which assumptions the property would hold
	Change            []Claim // what would have to be forbidden
	// Hold are the claims of When and Change that every report makes, the smallest first. HoldMore are
	// the claims that only a full report adds.
	Hold, HoldMore []Claim
	Elsewhere      []Claim // what lies off the run
	others         int     // neighbourhoods that no step of the run leaves
}

// newStory returns the claims about e. Cost O(size of e, and the number of neighbourhoods).
func newStory(e *explain.Explanation) *Story {
	s := &Story{Verdict: Claim{kind: "verdict", say: (*prose).verdict}}
	if e.Diagnosis != nil {
		s.Diagnosis = &Claim{kind: "diagnosis", say: (*prose).diagnosed}
	}
	if e.Counterexample != nil {
		s.Run = runClaims(e)
	}
	s.addReasons(e)
	if e.Classes == nil {
		return s
	}
	s.addElsewhere(e)
	if e.Counterexample == nil {
		s.Elsewhere = append(enoughClaim(e), s.Elsewhere...)
		return s
	}
	choices := make([]*explain.Decision, len(e.Decisions))
	for i := range choices {
		choices[i] = &e.Decisions[i]
	}
	s.Better = betterChoices(choices)
	s.decisions = decisionsOf(e, choices)
	s.Through = necessaryClaim(e)
	s.Beyond = wholeRunClaims(e, choices)
	s.WaysOut = wayOutClaims(e, choices)
	s.Lacking = lackingAbove(e)
	s.When = assumptionClaims(e)
	s.Change = append(changeClaims(e, s.When), missingTransitionClaim(e)...)
	s.Owned = ownerClaim(e)
	s.Prevention = preventionClaims(e.Prevention)
	s.Hold, s.HoldMore = sortRemedies(e, s.When, s.Change)
	numberRemedies(e, s.Hold, s.HoldMore)
	return s
}

// All returns the claims of s in one list. Cost O(number of claims).
func (s *Story) All() []Claim {
	all := []Claim{s.Verdict}
	for _, c := range []*Claim{s.Diagnosis, s.Within, s.Slowest} {
		if c != nil {
			all = append(all, *c)
		}
	}
	all = slices.Concat(all, s.Lacking, s.Holds, s.Run, s.Faults)
	for _, b := range s.Better {
		all = append(all, b.Claim(b.Decisions))
	}
	return slices.Concat(all, s.chosen(), s.Through, s.Owned, s.Beyond, s.WaysOut, s.When,
		s.Change, s.Prevention, s.Elsewhere)
}

// chosen returns the claims about the decisions of the run.
func (s *Story) chosen() []Claim {
	all := make([]Claim, len(s.decisions))
	for i, c := range s.decisions {
		all[i] = Claim{
			kind:  "decision",
			steps: c.steps(),
			say:   func(p *prose) string { return p.decisionText(c) },
		}
	}
	return all
}

// runClaims returns the claims about the shape of the counterexample and what it lacks.
func runClaims(e *explain.Explanation) []Claim {
	c := e.Counterexample
	lacks := Claim{kind: "unmet", say: (*prose).unmet}
	switch {
	case c.Trap != nil:
		lacks = Claim{kind: "doomed", say: (*prose).doomed}
	case c.Pending == nil:
		lacks = Claim{kind: "missing", say: (*prose).missing}
	}
	claims := []Claim{
		{kind: "shape", say: (*prose).shape},
		lacks,
	}
	if !stopsAtOnce(e) {
		claims = append(claims, Claim{kind: "minimal", say: (*prose).minimal})
	}
	isViolated := func(c explain.Conjunct) bool {
		return c.Verdict == explain.Violated
	}
	if slices.ContainsFunc(e.Conjuncts, isViolated) {
		claims = append(claims, Claim{kind: "conditions", say: (*prose).conditions})
	}
	if e.Diagnosis != nil && len(e.Diagnosis.Way) > 0 {
		claims = append(claims, wayClaims(e)...)
	}
	for _, note := range c.Notes {
		claims = append(claims, fixedClaim("note", fmt.Sprintf("Note: %s.", note)))
	}
	return claims
}

// wayClaims returns the claim about the shortest way from the loop to what the run waits for, unless the headline
// tells all of it, or the nearest correct run takes it.
func wayClaims(e *explain.Explanation) []Claim {
	d := e.Diagnosis
	plain := prose{e: e, quote: printable.Text}
	switch {
	case d.Cause != nil:
		return []Claim{{kind: "way", say: func(p *prose) string {
			return p.beginning(d, p.nearestPath(d, true)+".")
		}}}
	case plain.fitsInHeadline(d), takesWay(e.Nearest, d.Way):
		return nil
	}
	return []Claim{{kind: "way", say: func(p *prose) string { return p.pathToAwaited(d) }}}
}

// takesWay reports whether the steps that the nearest correct run adds begin with a way.
func takesWay(nearest *explain.Diff, way []explain.PathStep) bool {
	if nearest == nil {
		return false
	}
	var added []string
	for _, step := range nearest.Steps {
		if step.Op == explain.Insert {
			added = append(added, step.Label)
		}
	}
	if len(added) < len(way) {
		return false
	}
	for i, step := range way {
		if added[i] != step.Label {
			return false
		}
	}
	return true
}

// addReasons adds the claims about why the property holds, and about the least number of faults.
func (s *Story) addReasons(e *explain.Explanation) {
	if e.Faults != nil {
		s.Faults = []Claim{{kind: "faults", say: (*prose).leastFaults}}
	}
	h := e.Reasons
	if h == nil {
		return
	}
	if knownBounds(e) != nil {
		s.Within = &Claim{
			kind: "within",
			say:  func(p *prose) string { return capitalIfWord(p.within()) + "." },
		}
	}
	if h.Slowest != nil {
		s.Slowest = &Claim{kind: "slowest_run", say: (*prose).slowestRun}
	}
	for _, c := range []struct {
		known bool
		kind  string
		say   func(p *prose) string
	}{
		{h.Unbounded != nil, "unbounded", (*prose).unbounded},
		{h.NothingAsked != nil, "nothing_asked", (*prose).nothingAsked},
		{h.Margin != nil, "margin", (*prose).margin},
		{len(h.RestsOn) > 0, "rests_on", (*prose).restsOn},
		{moreHolds(e) > 0, "more_holds", (*prose).moreHolds},
	} {
		if c.known {
			s.Holds = append(s.Holds, Claim{kind: c.kind, say: c.say})
		}
	}
	if len(h.Skipped) > 0 {
		s.Holds = append(s.Holds,
			fixedClaim("not_looked",
				fmt.Sprintf("Not looked for: %s.", strings.Join(h.Skipped, "; "))))
	}
}

// outOfReach returns the numbers, from 1, of the first and the last step of the property that no run
// can take in their order once the property is lost; 0, 0 for a property without steps.
func outOfReach(e *explain.Explanation) (first, last int) {
	if e.Loss.Step == 0 {
		return 0, 0
	}
	done := 0
	steps := e.Loss.Steps
	if steps > 0 {
		done = e.Counterexample.Steps[steps-1].Progress
	}
	return done + 1, e.Loss.Step
}

// wholeRunClaims returns the claims about the run as a whole: that nothing is decided on it or, if something
// is, on what its decisions depend, and what remains possible.
func wholeRunClaims(e *explain.Explanation, choices []*explain.Decision) []Claim {
	c := e.Counterexample
	if c.InitialFate == simplify.Fated {
		return []Claim{{kind: "undecided", say: func(p *prose) string { return p.undecided("") }}}
	}
	isLostAtOnce := len(c.Steps) > 0 && c.Steps[0].Fate == simplify.Fated
	if isLostAtOnce && e.LTS().IsBefore(c.Steps[0].From) { // by the choice among several initial states
		where := fmt.Sprintf(" from state %s, where it begins,", e.Name(c.Steps[0].To))
		return []Claim{{kind: "undecided", say: func(p *prose) string { return p.undecided(where) }}}
	}
	var claims []Claim
	if len(choices) == 0 {
		claims = append(claims, fixedClaim("nothing_better", nothingBetter(e)))
	}
	// byHistory are the states that are no neighbourhoods, but where this run decides because of its history.
	var byHistory []lts.State
	for _, d := range choices {
		if d.Kind == 0 && !e.LTS().IsBefore(d.State) {
			byHistory = append(byHistory, d.State)
		}
	}
	areAllByHistory := len(byHistory) > 0 && len(byHistory) == len(choices)
	if areAllByHistory && !e.IsUnfolded() && !mayRefuse(e) {
		where := "this state"
		if len(distinct(byHistory)) > 1 {
			where = "these states"
		}
		claims = append(claims,
			fixedClaim("by_history",
				fmt.Sprintf("Here the right choice depends on the past: for other runs that come to %s, the same choices can have another effect.", where)))
	}
	kept := len(e.Abstracted.Steps)
	if kept > 0 && kept < c.Length {
		claims = append(claims, Claim{kind: "abstraction", say: (*prose).abstraction})
	}
	if e.PointOfNoReturn == nil {
		claims = append(claims,
			fixedClaim("always_possible",
				"There is no point of no return: at every moment of this run the property is still possible, but nothing forces it."))
	}
	return claims
}

// nothingBetter says, for a run without decisions, that no other choice would have been better. If the
// rounds of a loop make progress, only the choices of the rounds that recur are decisions, so that a
// choice of the first round may have been better.
func nothingBetter(e *explain.Explanation) string {
	isBetterOnce := func(x explain.Exit) bool { return x.First == fate.Correct }
	if slices.ContainsFunc(e.Exits, isBetterOnce) {
		return "At no state of this run would another choice have made the property certain, but in the first round of the loop."
	}
	return "At no state of this run would another choice have made the property certain."
}

// mayRefuse reports whether the environment may refuse labels, so that a run may stop although labels
// are possible. Then a decision can be whether to continue at all.
func mayRefuse(e *explain.Explanation) bool { return assumes(e, actl.Blocking) }

// stopsAtOnce reports whether a property that forbids deadlocks fails in the initial state, where
// nothing can happen. Then no shorter run and no change of the model is worth a sentence.
func stopsAtOnce(e *explain.Explanation) bool {
	c := e.Counterexample
	isRun := len(c.Steps) > 0 || c.IsStem() || c.Idle != nil
	return e.Property.Kind == property.KindDeadlockFree && !isRun && !mayRefuse(e)
}

// undecided says that nothing is decided on the run, since the property is lost from the start. The
// text where names the state from which all runs lose it; if it is "", all runs of the model do.
func (p *prose) undecided(where string) string {
	first, last := outOfReach(p.e)
	if first == 0 {
		return fmt.Sprintf("Nothing is decided on this run, for %s%s satisfies the property.",
			p.none(), where)
	}
	none := "no run"
	if p.excludes() {
		none = "no run that counts"
	}
	return fmt.Sprintf("Nothing is decided on this run, for %s%s satisfies the property: none does %s.", none, where, p.stepSequence(first, last))
}

// wayOut describes how a run can leave the loop in some states: the steps that leave these states, and
// the effect of each option from the second round on.
type wayOut struct {
	states []lts.State
	steps  []explain.StepIndex
	outlook
}

// wayOutClaims returns claims about how a run can leave the loop in its states. It skips states with
// decisions, since the claims about decisions say that already. States with equal outlooks share a
// claim.
func wayOutClaims(e *explain.Explanation, choices []*explain.Decision) []Claim {
	c := e.Counterexample
	switch {
	case c.LoopStart < 0:
		return nil
	case c.InitialFate == simplify.Fated:
		return nil // no run satisfies the property, so leaving the loop would not help
	case len(e.Exits) == 0:
		return []Claim{{kind: "trapped", say: (*prose).trapped}}
	case c.Steps[len(c.Steps)-1].Fate == simplify.Fated:
		return []Claim{fixedClaim("lost_in_loop",
			"Leaving the loop does not help: the property was lost before.")}
	}
	isDescribed := map[explain.StepIndex]bool{}
	for _, d := range choices {
		isDescribed[d.Step] = true
	}
	var claims []Claim
	for _, w := range waysOut(e, isDescribed) {
		claims = append(claims, w.claim())
	}
	if e.Way == nil {
		return claims
	}
	isDecision := len(e.Way.Transitions) == 1 && isDescribed[e.Way.Step]
	isInDiagnosis := e.Diagnosis != nil && slices.Equal(e.Diagnosis.Way, e.Way.Transitions)
	if !isDecision && !isInDiagnosis {
		claims = append(claims, Claim{
			kind:  "nearest_way",
			steps: []explain.StepIndex{e.Way.Step},
			say:   (*prose).nearestWay,
		})
	}
	return claims
}

// waysOut returns the ways out of the states of the loop whose steps are not described already.
func waysOut(e *explain.Explanation, isDescribed map[explain.StepIndex]bool) []wayOut {
	c := e.Counterexample
	instead := map[explain.StepIndex][]explain.Choice{}
	for _, exit := range e.Exits {
		instead[exit.Step] = append(instead[exit.Step], exit.Choice)
	}
	var ways intern.List[[sha256.Size]byte, wayOut]
	for i := explain.StepIndex(c.LoopStart); int(i) < len(c.Steps); i++ {
		step := &c.Steps[i]
		if instead[i] == nil || isDescribed[i] {
			continue
		}
		outlook := outlookOf(instead[i], step.Label)
		w := &ways.All[ways.Index(outlook.key(), wayOut{outlook: outlook})]
		w.states = append(w.states, step.From)
		w.steps = append(w.steps, i)
	}
	return ways.All
}

// claim returns the claim about what leaving the loop in these states means.
func (w wayOut) claim() Claim {
	return Claim{kind: "ways_out", steps: w.steps, say: func(p *prose) string {
		parts := sentenceParts{subject: "the property"}
		parts.add(p.optionList(w.certain), "makes %s certain")
		parts.add(p.optionList(w.possible), "keeps %s possible")
		parts.add(p.optionList(w.lost), "loses %s")
		return fmt.Sprintf("In %s (%s), %s", p.stateList(distinct(w.states)), p.stepList(w.steps), parts.String()) + p.firstRound(w.outlook)
	}}
}

// necessaryClaim returns the claim about the decisions that all violating runs share.
func necessaryClaim(e *explain.Explanation) []Claim {
	if e.Necessity == nil {
		return nil
	}
	var steps []explain.StepIndex
	for _, d := range e.Decisions {
		if slices.Contains(e.Necessity.Steps, d.Step) {
			steps = append(steps, d.Step)
		}
	}
	if steps == nil {
		return nil
	}
	return []Claim{{kind: "necessary", say: func(p *prose) string {
		return fmt.Sprintf("Every violation goes through %s.", p.stepList(steps))
	}}}
}

// addElsewhere adds the claims about what lies off the run.
func (s *Story) addElsewhere(e *explain.Explanation) {
	if e.Folded != nil {
		s.Elsewhere = append(s.Elsewhere, Claim{kind: "unfolded", say: (*prose).unfolded})
	}
	c := *e.Classes
	if e.PartsRuns() && c.Correct+c.Incorrect+c.Excluded > 0 {
		s.Elsewhere = append(s.Elsewhere, Claim{kind: "classes", say: (*prose).classes})
	}
	s.addUnreachable(e)
	if e.PartsRuns() {
		s.addOtherNeighbourhoods(e)
	}
}

// addUnreachable adds the claim about states that no run reaches.
func (s *Story) addUnreachable(e *explain.Explanation) {
	m := e.Model
	unreachable := m.States - m.ReachableStates
	if unreachable == 0 {
		return
	}
	transitions := printable.Quantity(m.Transitions-m.ReachableTransitions, "transition")
	s.Elsewhere = append(s.Elsewhere, fixedClaim("unreachable",
		fmt.Sprintf("%s with %s cannot be reached and took no part.",
			printable.Quantity(unreachable, "state"), transitions)))
}

// addOtherNeighbourhoods adds the claim about the neighbourhoods that are not on the run, and counts them.
func (s *Story) addOtherNeighbourhoods(e *explain.Explanation) {
	onRun := neighbourhoodsOn(e)
	statesByOutcome := map[string][]lts.State{}
	classification := e.Classification()
	total := 0
	for _, state := range classification.States() {
		if onRun[state] {
			continue
		}
		kind, _ := classification.Kind(state)
		outcome := canBe(kind)
		statesByOutcome[outcome] = append(statesByOutcome[outcome], state)
		total++
	}
	s.others = total
	if total > 0 || len(onRun) > 0 {
		s.Elsewhere = append(s.Elsewhere, Claim{
			kind: "elsewhere",
			say:  func(p *prose) string { return p.elsewhere(total, statesByOutcome) },
		})
	}
}

// neighbourhoodsOn returns the neighbourhoods on the run; nil if there is no run.
func neighbourhoodsOn(e *explain.Explanation) map[lts.State]bool {
	if e.Counterexample == nil {
		return nil
	}
	onRun := map[lts.State]bool{}
	for _, step := range e.Counterexample.Steps {
		if step.Neighbourhood.Is() {
			onRun[step.From] = true
		}
	}
	return onRun
}

// Sentences has the sentences of the text report about an explanation, for outputs that arrange them
// differently. Its methods compute nothing new. Cost of each: O(length of its result).
type Sentences struct {
	p     prose
	story *Story
}

// NewSentences returns the sentences about e. The function quote, such as [printable.Text], formats
// every text of the model in them (names of files, labels, formulas); the words between are plain text.
// Cost O(size of e, and the number of neighbourhoods).
func NewSentences(e *explain.Explanation, quote func(text string) string) *Sentences {
	return &Sentences{prose{e: e, quote: quote}, newStory(e)}
}

// InFull returns the same sentences without shortened lists.
func (s *Sentences) InFull() *Sentences {
	full := *s
	full.p.full = true
	return &full
}

// InBrief returns sentences for a text that would be too long otherwise. Of the changes that make the
// property hold, it has only the first, and says in few words what this change forbids and assumes.
func (s *Sentences) InBrief() *Sentences {
	brief := *s
	brief.p.brief = true
	return &brief
}

// sentencesFor returns the sentences of a report with these options.
func sentencesFor(
	e *explain.Explanation,
	o Options,
	quote func(text string) string,
) *Sentences {
	s := NewSentences(e, quote)
	s.p.full = o.Full
	s.p.commands = o.Commands
	return s
}

// Story returns the claims behind the sentences.
func (s *Sentences) Story() *Story { return s.story }

// Say returns the sentence of one claim about the explanation.
func (s *Sentences) Say(c Claim) string { return c.say(&s.p) }

// Verdict says whether the property holds.
func (s *Sentences) Verdict() string { return s.p.verdict() }

// Requirement lists the steps of the property: "A, later B".
func (s *Sentences) Requirement() string { return s.p.requirement() }

// Shape describes the counterexample, and names the step that is never taken; "" if the property holds.
func (s *Sentences) Shape() string { return strings.Join(sayAll(&s.p, s.story.Run), " ") }

// About describes the counterexample: whether a shorter one exists, how the given one was changed, and
// how its states are shown; "" if the property holds.
func (s *Sentences) About() string {
	var sentences []string
	for _, c := range slices.Concat(s.story.Run, s.story.Elsewhere) {
		if slices.Contains([]string{"minimal", "way", "conditions", "note", "doomed", "unfolded"}, c.kind) {
			sentences = append(sentences, s.Say(c))
		}
	}
	return strings.Join(sentences, " ")
}

// Lacking says which fairness a specification in TLA+ lacks; nil if it is unknown, or cannot be said in
// short.
func (s *Sentences) Lacking() []string { return sayAll(&s.p, s.story.Lacking) }

// Diagnosis says why the property fails, in the form that follows a verdict; "" if the reason is
// unknown.
func (s *Sentences) Diagnosis() string {
	if s.story.Diagnosis == nil {
		return ""
	}
	return s.p.diagnosis()
}

// Title is the diagnosis as the title of a picture: without a full stop, and with a capital letter at
// its beginning, unless it begins with a label. It is "" if the reason is unknown.
func (s *Sentences) Title() string {
	if s.story.Diagnosis == nil {
		return ""
	}
	return strings.TrimSuffix(s.p.diagnosed(), ".")
}

// Decisions describes all decisions of the run, in its order. Consecutive decisions with the same
// description share a sentence.
func (s *Sentences) Decisions() []string { return sayAll(&s.p, s.story.chosen()) }

// Step names step i of the property, from 1.
func (s *Sentences) Step(i int) string { return s.p.step(i) }

// Missing names the step that is never taken. The property must be violated.
func (s *Sentences) Missing() string { return s.p.nextStep(s.p.e.Counterexample.Done + 1) }

// Better describes what would have been better on the counterexample; decisions with the same
// alternatives share a sentence. It is nil in the result of [explain.Check].
func (s *Sentences) Better() []string {
	var sentences []string
	for _, b := range s.story.Better {
		sentences = append(sentences, s.p.better(b))
	}
	return sentences
}

// Through names the decisions that all violating runs share; nil if none are known, and in a report in brief.
func (s *Sentences) Through() []string {
	if s.p.brief {
		return nil
	}
	return sayAll(&s.p, s.story.Through)
}

// Hold says what would make the property true, the smallest change first, or why nothing would; nil if
// neither is known.
func (s *Sentences) Hold() []string { return sayAll(&s.p, s.hold()) }

func (s *Sentences) hold() []Claim {
	if s.p.full {
		return slices.Concat(s.story.Hold, s.story.HoldMore)
	}
	if s.p.brief {
		return firstChange(s.story.Hold)
	}
	return s.story.Hold
}

// firstChange removes all changes except the first from a list of claims.
func firstChange(claims []Claim) []Claim {
	var kept []Claim
	hasChange := false
	for _, c := range claims {
		if isChange(c) && hasChange {
			continue
		}
		hasChange = hasChange || isChange(c)
		kept = append(kept, c)
	}
	return kept
}

// Elsewhere names the neighbourhoods off the counterexample; nil in the result of [explain.Check].
func (s *Sentences) Elsewhere() []string { return sayAll(&s.p, s.story.Elsewhere) }
