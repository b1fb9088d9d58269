package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// mostForAdvice limits the questions that need the unfolded model. An explanation answers them if
// the number of property states times the number of states and transitions of the model is at most
// this number.
const mostForAdvice = footprint.MostForAdvice

// Advice takes several passes through the unfolded model, while the other phases of an explanation
// take passes through the model alone. These are numbers of product states and transitions, for a
// chain and for another property. Above them, advice takes several times as long as the other
// phases, and more than a third of a second.
const (
	mostForAdviceOnChain = 2_000_000
	mostForAdviceOnTable = 450_000
)

const tooLargeForAdvice = "the search for what to forbid, and for the nearest correct run, is left out: the product of model and property is large; inev repair takes any size"

// These are the warnings when a search reaches its limit: the search for a repair (tooLong), for a
// repair that may forbid triggers (tooLongWithTriggers), and for the nearest correct run, if it
// found none (tooFar). If it found one, the heading of that run says that it may not be the nearest.
const (
	tooLong             = "what to forbid is left out: the search for it was stopped after %s places and transitions"
	tooLongWithTriggers = "whether it helps to forbid what triggers the property is left out: the search for it was stopped after %s places and transitions"
	tooFar              = "the nearest correct run is left out: the search for it was stopped after %s transitions"
)

// grouped returns a number with a comma before each group of three digits.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// largestProduct returns an upper bound of the number of product states and transitions.
func largestProduct(m *lts.LTS, p *property.Property) int64 {
	return int64(p.States()) * (int64(m.NumStates()) + int64(m.NumTransitions()))
}

// advise finds out what would make the property true, and the nearest correct run. isFirst reports
// whether v.trace is the run that [counterexample.Shortest] returns.
func (v violation) advise(
	ctx context.Context,
	isFirst bool,
	found *advised,
) (warnings []string, err error) {
	m := v.a.m
	most := int64(mostForAdviceOnTable)
	if v.a.Property.Steps() > 0 {
		most = mostForAdviceOnChain
	}
	if largestProduct(m, v.a.Property) > most {
		return []string{tooLargeForAdvice}, nil
	}
	fixed, err := v.a.triggers()
	if err != nil {
		return nil, err
	}
	isProhibited, err := v.a.prohibits(ctx, v.a.Property)
	if err != nil {
		return nil, err
	}
	isDemanded, err := v.a.demands(ctx)
	if err != nil {
		return nil, err
	}
	scope, err := v.a.scope(ctx)
	if err != nil {
		return nil, err
	}
	idle := RepairOptions{Source: Source{Idle: v.a.idle}}
	advice, err := repair.Advise(ctx, repair.Violation{
		Fates:        v.a.Fates,
		Run:          v.trace,
		First:        isFirst,
		Triggers:     fixed.steps,
		IsTrigger:    fixed.has,
		Controllable: idle.controls(m, fixed),
		WithTriggers: idle.controls(m, triggers{}),
		IsProhibited: isProhibited,
		IsDemanded:   isDemanded,
		Scope:        scope,
		Work:         repair.WorkForRepair,
	})
	if err != nil {
		return nil, err
	}
	found.advice = advice
	if advice.Necessity != nil {
		found.Necessity = v.describeNecessity(advice.Necessity)
	}
	if advice.Repair != nil {
		found.Repair, err = v.describeAdvised(ctx, advice, fixed)
		if err != nil {
			return nil, err
		}
		found.NoNearest = advice.NoNearest
		if advice.Nearest != nil {
			found.Nearest = describeNearest(m, advice.Nearest)
			found.nearestAt = nearestAtOf(m, advice)
		}
	}
	return limitsOf(advice), nil
}

// nearestAtOf returns the search for a nearest correct run that leaves the counterexample at certain
// steps.
func nearestAtOf(m *lts.LTS, advice *repair.Advice) searchAt {
	return func(ctx context.Context, at []bool) (d *Diff, isStopped bool, err error) {
		found, err := advice.NearestAt(ctx, at)
		if errors.Is(err, repair.ErrTooFar) {
			return nil, true, nil
		}
		if err != nil || found == nil {
			return nil, false, err
		}
		return describeNearest(m, found), false, nil
	}
}

// describeNecessity describes what all violating runs have in common.
func (v violation) describeNecessity(common *repair.Necessity) *Necessity {
	n := &Necessity{Steps: v.firstOf(common.Every), Stop: common.Stop}
	if common.AtLength != nil {
		n.AtLength = v.firstOf(common.AtLength)
	}
	if n.Stop {
		last := ModelState(v.trace.Last())
		n.At = &last
	}
	for _, t := range common.Missing {
		n.Missing = append(n.Missing, modelStep(v.a.m, t))
	}
	return n
}

// describeAdvised describes the repair of the advice. triggers are the elements that the repair may
// not forbid.
func (v violation) describeAdvised(
	ctx context.Context,
	advice *repair.Advice,
	triggers triggers,
) (*Repair, error) {
	m := v.a.m
	isProhibited := advice.Goal.IsProhibited
	r, err := v.a.describeRepair(ctx, advice.Repair, advice.FairChoices)
	if err != nil {
		return nil, err
	}
	r.Triggers = textsOf(m, triggers.has)
	if err := v.a.describeCauses(ctx, r, advice.Repair, advice.Restated, isProhibited); err != nil {
		return nil, err
	}
	r.CutAtLeast = cutAtLeast(advice.Cut)
	if advice.Cut != nil && advice.Cut.Found && len(advice.Cut.Transitions) > 0 {
		cut, err := v.describeCut(ctx, advice.Cut.Transitions, isProhibited)
		if err != nil {
			return nil, err
		}
		r.Cut = cut
	}
	switch {
	case advice.Lifted == nil:
		// There is no need for a supervisor that may forbid triggers.
	case !advice.Lifted.Solvable:
		// Even a supervisor that may forbid triggers does not win, so its obstacle is the stronger
		// reason.
		r.Obstacle = describeObstacle(m, advice.Lifted.Obstacle)
	case advice.Everywhere:
		r.OnlyTriggers = &OnlyTriggers{
			Labels:     describeFewest(m, advice.FewestTriggers).Labels,
			Everywhere: true,
		}
	default:
		supervisor, err := v.a.describeRepair(ctx, advice.Lifted, nil)
		if err != nil {
			return nil, err
		}
		r.OnlyTriggers = &OnlyTriggers{Labels: r.Triggers, Supervisor: supervisor}
	}
	return r, nil
}

// cutAtLeast returns a lower bound of the size of each cut, if the search for the fewest transitions
// found none; otherwise 0.
func cutAtLeast(f *repair.Fewest) int {
	if f == nil || f.Found {
		return 0
	}
	return f.AtLeast
}

// describeCauses adds what the repair keeps of the model to r. It also adds restated, the repair
// that forbids what the property prohibits, unless that is nil. isProhibited is nil if the property
// is no prohibition.
func (a *Analysis) describeCauses(
	ctx context.Context,
	r *Repair,
	found, restated *repair.Repair,
	isProhibited func(lts.Label) bool,
) (err error) {
	isMissed, err := a.missed(ctx, isProhibited)
	if err != nil {
		return err
	}
	r.Keeps = a.keptBy(found, isMissed)
	r.Prohibited = isProhibited != nil && found.ForbidsOnly(isProhibited)
	if restated == nil {
		return nil
	}
	r.Restated, err = a.describeRepair(ctx, restated, nil)
	if err != nil {
		return err
	}
	r.Restated.Keeps = a.keptBy(restated, isMissed)
	r.Restated.Prohibited = restated.ForbidsOnly(isProhibited)
	return nil
}

// keptBy returns what a repair keeps of the model; nil if the repair forbids nothing. isMissed is that of
// [Analysis.missed].
func (a *Analysis) keptBy(r *repair.Repair, isMissed func(lts.Label) bool) *Keeps {
	if len(r.Never) == 0 {
		return nil
	}
	var forbidden, everyTime []lts.Transition
	for _, g := range r.Never {
		forbidden = append(forbidden, g.Transition)
		if len(g.Progress) == len(g.Comes) {
			everyTime = append(everyTime, g.Transition)
		}
	}
	kept := r.Kept()
	k := describeKept(a.m, kept, forbidden, isMissed)
	k.Idle = a.idleWithout(kept, everyTime)
	return k
}

// idleWithout returns the states that stay reachable, but have only stuttering steps left without the
// forbidden transitions, in the order of these.
func (a *Analysis) idleWithout(kept repair.Kept, forbidden []lts.Transition) []ModelState {
	if a.idle == "" {
		return nil
	}
	isForbidden := map[lts.Transition]bool{}
	for _, t := range forbidden {
		isForbidden[t] = true
	}
	var idle []ModelState
	visited := map[lts.State]bool{}
	for _, t := range forbidden {
		s := t.From
		if !kept.Reached.Has(s) || visited[s] {
			continue
		}
		visited[s] = true
		labels, targets := a.m.Out(s)
		goesOn := false
		for i, to := range targets {
			step := lts.Transition{From: s, Label: labels.At(i), To: to}
			isIdle := a.m.Alphabet().Text(step.Label) == a.idle
			goesOn = goesOn || !isIdle && !isForbidden[step]
		}
		if !goesOn {
			idle = append(idle, ModelState(s))
		}
	}
	return idle
}

// describeKept describes what runs still reach without the forbidden transitions.
func describeKept(
	m *lts.LTS,
	kept repair.Kept,
	forbidden []lts.Transition,
	isMissed func(lts.Label) bool,
) *Keeps {
	reach := m.Reachable()
	k := &Keeps{States: kept.States, Of: reach.NumStates()}
	lostTargets := map[lts.State]bool{}
	named := map[lts.Label]bool{}
	for _, t := range forbidden {
		named[m.Alphabet().Plain(t.Label)] = true
		if !kept.Reached.Has(t.To) {
			lostTargets[t.To] = true
		}
	}
	k.Named = len(lostTargets)
	isLost := map[lts.Label]bool{}
	for t := range m.Transitions() {
		l := m.Alphabet().Plain(t.Label)
		if reach.Has(t.From) && !kept.Labels.Has(l) && isMissed(l) {
			isLost[l] = true
		}
	}
	k.Lost = textsOf(m, func(l lts.Label) bool { return isLost[l] })
	k.Besides = textsOf(m, func(l lts.Label) bool {
		return isLost[l] && !named[l]
	})
	return k
}

// describeCut describes the transitions of a cut, with the steps of the run that take them.
func (v violation) describeCut(
	ctx context.Context,
	transitions []lts.Transition,
	isProhibited func(lts.Label) bool,
) (*Cut, error) {
	c := &Cut{}
	m := v.a.m
	isCut := func(t lts.Transition) bool {
		return slices.Contains(transitions, t)
	}
	for _, t := range transitions {
		step := CutStep{ModelStep: modelStep(m, t), Others: hasOthersLeft(m, t, isCut)}
		i := slices.Index(v.trace.Steps(), t)
		if i >= 0 {
			step.Step = stepIndex(i)
		}
		c.Transitions = append(c.Transitions, step)
	}
	kept, _, err := repair.KeptWithout(ctx, m, isCut)
	if err != nil {
		return nil, err
	}
	isMissed, err := v.a.missed(ctx, isProhibited)
	if err != nil {
		return nil, err
	}
	c.Keeps = describeKept(m, kept, transitions, isMissed)
	c.Keeps.Idle = v.a.idleWithout(kept, transitions)
	isWholeChoice := len(transitions) == 1 && !c.Transitions[0].Others
	if isWholeChoice && isProhibited != nil && isProhibited(transitions[0].Label) {
		c.OtherWays = otherWays(m, transitions[0])
	}
	return c, nil
}

// hasOthersLeft reports whether, after a cut, another transition with the label of t remains in the
// state of t.
func hasOthersLeft(m *lts.LTS, t lts.Transition, isCut func(lts.Transition) bool) bool {
	labels, targets := m.Out(t.From)
	for i, to := range targets {
		other := lts.Transition{From: t.From, Label: labels.At(i), To: to}
		hasSameText := m.Alphabet().Plain(other.Label) == m.Alphabet().Plain(t.Label)
		if hasSameText && !isCut(other) {
			return true
		}
	}
	return false
}

// otherWays returns the other labels of the transitions from the state of t.
func otherWays(m *lts.LTS, t lts.Transition) []string {
	others := map[lts.Label]bool{}
	labels, _ := m.Out(t.From)
	for i := range labels.Len() {
		others[labels.At(i)] = labels.At(i) != t.Label
	}
	return textsOf(m, func(l lts.Label) bool { return others[l] })
}

// describeNearest describes the difference between the counterexample and the nearest correct run.
func describeNearest(m *lts.LTS, diff *repair.Diff) *Diff {
	d := &Diff{
		Edits: diff.Edits,
		Fork:  diff.Fork,
		Steps: []DiffStep{},
		Loop:  diff.Loop,
		Ends:  diff.Ends,
		Near:  diff.Near,
	}
	for _, s := range diff.Steps {
		d.Steps = append(d.Steps, DiffStep{
			Op:        string(s.Op),
			ModelStep: modelStep(m, s.Transition),
			Progress:  s.Progress,
		})
	}
	return d
}

// limitsOf returns a warning for each search for advice that reached its limit.
func limitsOf(a *repair.Advice) (warnings []string) {
	work := grouped(repair.WorkForRepair)
	switch {
	case a.Stopped:
		warnings = append(warnings, fmt.Sprintf(tooLong, work))
	case a.LiftedStopped:
		warnings = append(warnings, fmt.Sprintf(tooLongWithTriggers, work))
	}
	if a.TooFar {
		warnings = append(warnings, fmt.Sprintf(tooFar, grouped(a.Looks)))
	}
	return warnings
}

// workForChoices is the largest number of transitions that the search for fair choices visits.
// Repeated visits count.
const workForChoices = 20_000_000

// describeRepair describes a repair, with the states of its fair choices.
func (a *Analysis) describeRepair(
	ctx context.Context,
	r *repair.Repair,
	choices []lts.State,
) (*Repair, error) {
	m := a.m
	d := &Repair{
		Solvable:    r.Solvable,
		Never:       describeForbidden(m, a.Property, r.Never),
		NotForEver:  make([]NotForEver, 0, len(r.NotForEver)),
		EnoughAlone: r.EnoughAlone(),
		Obstacle:    describeObstacle(m, r.Obstacle),
	}
	for _, part := range r.NotForEver {
		d.NotForEver = append(d.NotForEver, describePart(m, part))
	}
	if len(choices) > 0 {
		d.FairChoices = modelStates(choices)
	}
	d.Rules = rulesOf(m, d.Never)
	if err := a.addRules(ctx, d, r); err != nil {
		return nil, err
	}
	return d, nil
}

// describeForbidden describes transitions that must never be taken.
func describeForbidden(m *lts.LTS, p *property.Property, never []repair.Guard) []Forbidden {
	described := []Forbidden{}
	allowed := allowedTargets(m, never)
	possible := possibleIn(m, never)
	for _, g := range never {
		t := modelStep(m, g.Transition)
		plain := m.Alphabet().Plain(g.Transition.Label)
		f := Forbidden{
			From:       t.From,
			Label:      t.Label,
			To:         t.To,
			Progress:   g.Progress,
			Comes:      g.Comes,
			PossibleIn: possible[plain],
		}
		if p.Steps() == 0 {
			f.describePending(p)
		}
		f.Others = slices.ContainsFunc(g.Progress, func(q int) bool {
			return allowed[productChoice{from: g.Transition.From, label: plain, q: q}] > 0
		})
		described = append(described, f)
	}
	return described
}

// describePending describes what is pending where the transition is forbidden.
func (f *Forbidden) describePending(p *property.Property) {
	f.When = p.When(propertyStates(f.Progress), propertyStates(f.Comes))
	pending := map[string]bool{}
	for _, q := range f.Progress {
		words := p.Pending(property.Q(q))
		f.Pending = append(f.Pending, Words(words))
		pending[words.String()] = true
	}
	f.Alike = slices.ContainsFunc(f.Comes, func(q int) bool {
		isAllowed := !slices.Contains(f.Progress, q)
		return isAllowed && pending[p.Pending(property.Q(q)).String()]
	})
}

// propertyStates returns numbers of property states as such states.
func propertyStates(numbers []int) []property.Q {
	states := make([]property.Q, len(numbers))
	for i, n := range numbers {
		states[i] = property.Q(n)
	}
	return states
}

// allowedTargets returns, for the label of each forbidden transition and each product state in
// which it is forbidden, the number of targets to which transitions with this label are still
// allowed.
func allowedTargets(m *lts.LTS, never []repair.Guard) map[productChoice]int {
	allowed := map[productChoice]int{}
	var targets map[lts.Label]map[lts.State]bool // those of the current source, by label
	for i, g := range never {
		t := g.Transition
		isNewSource := i == 0 || never[i-1].Transition.From != t.From
		if isNewSource {
			targets = targetsByLabel(m, t.From)
		}
		for _, q := range g.Progress {
			key := productChoice{from: t.From, label: m.Alphabet().Plain(t.Label), q: q}
			if _, known := allowed[key]; !known {
				allowed[key] = len(targets[key.label])
			}
			allowed[key]--
		}
	}
	return allowed
}

// targetsByLabel returns the targets of the transitions from a state, for each label.
func targetsByLabel(m *lts.LTS, from lts.State) map[lts.Label]map[lts.State]bool {
	all := map[lts.Label]map[lts.State]bool{}
	labels, targets := m.Out(from)
	for i, to := range targets {
		l := m.Alphabet().Plain(labels.At(i))
		if all[l] == nil {
			all[l] = map[lts.State]bool{}
		}
		all[l][to] = true
	}
	return all
}

// possibleIn returns, for the label of each forbidden transition, the number of reachable states where
// the label is possible.
func possibleIn(m *lts.LTS, never []repair.Guard) map[lts.Label]int {
	possible := map[lts.Label]int{}
	for _, g := range never {
		possible[m.Alphabet().Plain(g.Transition.Label)] = 0
	}
	if len(possible) == 0 {
		return possible
	}
	reach := m.Reachable()
	last := map[lts.Label]lts.State{} // for each label, the last state that was counted
	for t := range m.Transitions() {
		l := m.Alphabet().Plain(t.Label)
		number, isForbidden := possible[l]
		if !isForbidden || !reach.Has(t.From) {
			continue
		}
		counted, hasCounted := last[l]
		isCounted := hasCounted && counted == t.From
		if !isCounted {
			possible[l] = number + 1
			last[l] = t.From
		}
	}
	return possible
}

// rulesOf returns rules with the same meaning as a list of forbidden transitions; nil if there are
// none.
func rulesOf(m *lts.LTS, never []Forbidden) []Rule {
	forbidden := map[ModelState]map[string]bool{}
	var states []ModelState
	for _, f := range never {
		dependsOnPast := len(f.Progress) < len(f.Comes)
		if f.Others || dependsOnPast {
			return nil
		}
		if forbidden[f.From] == nil {
			forbidden[f.From] = map[string]bool{}
			states = append(states, f.From)
		}
		forbidden[f.From][f.Label] = true
	}
	var rules intern.List[string, Rule]
	for _, s := range states {
		var allowed []string
		labels, _ := m.Out(lts.State(s))
		for i := range labels.Len() {
			text := m.Alphabet().Text(labels.At(i))
			if !forbidden[s][text] {
				allowed = append(allowed, text)
			}
		}
		slices.Sort(allowed)
		allowed = slices.Compact(allowed)
		key := strings.Join(allowed, "\x00")
		rule := &rules.All[rules.Index(key, Rule{May: allowed})]
		rule.States = append(rule.States, s)
	}
	slices.SortStableFunc(rules.All, func(a, b Rule) int {
		return len(b.States) - len(a.States)
	})
	return rules.All
}

// IsTaken reports whether a step of a run takes the transition where it must not be taken. done is
// the number of steps of the property that are done before the step, or -1 if it is not known.
func (f Forbidden) IsTaken(s Step, done int) bool {
	taken := s.inModel
	if taken == nil {
		taken = &ModelStep{From: ModelState(s.From), Label: s.Label, To: ModelState(s.To)}
	}
	isSameTransition := *taken == ModelStep{From: f.From, Label: f.Label, To: f.To}
	isAlwaysForbidden := len(f.Progress) == len(f.Comes)
	return isSameTransition && (isAlwaysForbidden || slices.Contains(f.Progress, done))
}

// describePart describes a component that a run must leave.
func describePart(m *lts.LTS, p repair.Part) NotForEver {
	part := NotForEver{
		States:   []ProductState{},
		Loop:     []string{},
		WaysOut:  placeSteps(m, p.WaysOut),
		ByLabels: p.ByLabels,
	}
	for _, at := range p.Places {
		part.States = append(part.States, ProductState{ModelState(at.State), int(at.Q)})
	}
	for _, l := range p.Loop {
		part.Loop = append(part.Loop, m.Alphabet().Text(l))
	}
	slices.Sort(part.Loop)
	part.Loop = slices.Compact(part.Loop)
	for _, set := range p.Again {
		part.Again = append(part.Again, placeSteps(m, set))
	}
	return part
}

func describeObstacle(m *lts.LTS, o *repair.Obstacle) *Obstacle {
	if o == nil {
		return nil
	}
	d := &Obstacle{
		Kind:         string(o.Kind),
		ProductState: ProductState{ModelState(o.ProductState.State), int(o.ProductState.Q)},
		Path:         []string{},
	}
	for _, t := range o.Path {
		d.Path = append(d.Path, m.Alphabet().Text(t.Label))
	}
	if o.Kind != repair.NoCorrectRun {
		t := modelStep(m, o.Transition)
		d.Transition = &t
	}
	return d
}

// describeStart describes the initial state to which the transition in the way leads, by a table of values, if there is
// one. Cost O(initial states · parameters).
func (o *Obstacle) describeStart(a *Analysis, t *lts.Values) {
	if o == nil || o.Transition == nil || !a.m.IsBefore(lts.State(o.Transition.From)) {
		return
	}
	begun := lts.State(o.Transition.To)
	labels, initial := a.m.Out(a.m.Initial())
	if a.Classification != nil {
		label := labels.At(slices.Index(initial, begun))
		o.Hopeless = a.Classification.Class(a.m.Initial(), label, begun) == fate.Incorrect
	}
	if t == nil || !t.Known(a.inModel(begun)) {
		return
	}
	differs := map[string]bool{}
	for _, s := range initial {
		for p := range t.Changed(a.inModel(begun), a.inModel(s)) {
			differs[t.Parameter(p).Name] = true
		}
	}
	for _, v := range valuesOf(t, a.inModel(begun)) {
		if differs[v.Name] {
			o.Values = append(o.Values, v)
		}
	}
}

// productChoice is a choice in a product state: all transitions with the same label.
type productChoice struct {
	from  lts.State
	label lts.Label
	q     int
}

func describeFewest(m *lts.LTS, f *repair.Fewest) *Fewest {
	d := &Fewest{Found: f.Found, Exact: f.Exact, AtLeast: f.AtLeast}
	for _, t := range f.Transitions {
		d.Transitions = append(d.Transitions, modelStep(m, t))
	}
	for _, l := range f.Labels {
		d.Labels = append(d.Labels, m.Alphabet().Text(l))
	}
	slices.Sort(d.Labels)
	return d
}

func placeSteps(m *lts.LTS, moves []repair.Move) []ProductStep {
	steps := make([]ProductStep, len(moves))
	for i, move := range moves {
		steps[i] = ProductStep{
			ModelStep: modelStep(m, move.Transition),
			Progress:  move.Progress,
		}
	}
	return steps
}

func modelStep(m *lts.LTS, t lts.Transition) ModelStep {
	return ModelStep{
		From:  ModelState(t.From),
		Label: m.Alphabet().Text(t.Label),
		To:    ModelState(t.To),
	}
}

// These are the texts of the operations of a [Diff], as in a diff of files.
const (
	Keep   = string(repair.Keep)   // both runs do the step
	Remove = string(repair.Remove) // the run that went wrong takes the step, the correct run does not
	Insert = string(repair.Insert) // the correct run does it
)

// Two kinds of an [Obstacle].
const (
	NoCorrectRun   = string(repair.NoCorrectRun)   // no run of the model satisfies the property
	Nondeterminism = string(repair.Nondeterminism) // the label that would help also leads to another state
)

// textsOf returns the labels that a function selects, each once, in alphabetical order; nil if there
// are none.
func textsOf(m *lts.LTS, selects func(lts.Label) bool) []string {
	var texts []string
	for l, text := range m.Alphabet().All() {
		if selects(l) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
