package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/reasons"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/role"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Reasons are the reasons why a property holds, and what would make it fail.
type Reasons struct {
	// Bounds are the numbers of transitions until the property is satisfied. For inevitability,
	// they count from the start, with one bound for each step. For other properties, they count
	// from the moment when something becomes pending to the end of the transition that settles it.
	// They are empty if nothing is ever pending.
	Bounds []Bound `json:"bounds"`
	// Unbounded is a cycle that a run can repeat any number of times before the property is
	// satisfied; nil if each bound has a maximum.
	Unbounded *Unbounded `json:"unbounded"`
	// Slowest is a run that takes the largest number of transitions for one of the bounds; for
	// inevitability, this is the last bound. It is nil if no such run is known.
	Slowest *Slowest `json:"slowest"`
	// NothingAsked is the reason if the property holds vacuously; nil otherwise.
	NothingAsked *NothingAsked `json:"nothing_asked,omitempty"`
	// NoRole are the elements of the property that can be replaced by false or true without making
	// it fail.
	NoRole []NoRole `json:"no_role"`
	// RestsOn are the gates, or labels, such that the property fails without their transitions.
	RestsOn []Support `json:"rests_on"`
	// Margin is the distance of the property from failing; nil for most properties.
	Margin *margin `json:"margin,omitempty"`
	// Complete reports whether all searches for the reasons were completed: then Skipped is empty.
	Complete bool `json:"complete"`
	// Skipped are the searches that were left out, as text.
	Skipped []string `json:"skipped,omitempty"`
}

// Bound is the number of transitions that a run takes to satisfy something.
type Bound struct {
	// Step is the number of the step, from 1, for inevitability. For other properties, it is the
	// number of the condition, from 1, among the conditions with bounds.
	Step int `json:"step"`
	// Of is the text of what is pending, for a property without steps; "" for inevitability.
	Of string `json:"of,omitempty"`
	// Words describe what is pending. They are empty if that is not the same in all states where
	// the bound begins.
	Words property.Phrase `json:"-"`
	// Most is the largest number of transitions; nil if there is none. Least is the smallest number
	// of transitions.
	Most  *int `json:"most"`
	Least int  `json:"least"`
	// ApartFrom is the label of steps that are not counted, since there can be any number of them;
	// "" if all steps are counted.
	ApartFrom string `json:"apart_from,omitempty"`
	// Overlaps reports whether what is pending takes a run several transitions, and the run may begin
	// them while something earlier is pending. If so, Least and Most do not bound what overlaps, with
	// one exception: Most does if there is a Recurring formula, which holds again and again and spans a
	// fixed number of transitions.
	Overlaps  bool   `json:"-"`
	Recurring string `json:"-"`
}

// Unbounded is a cycle that can be repeated any number of times.
type Unbounded struct {
	// Labels are the labels of the cycle, each once, in its order.
	Labels []string `json:"labels"`
}

// Slowest is a run that takes the largest number of transitions of a bound. It comes from
// [Explanation.SlowestRun].
type Slowest struct {
	// Step is the number of the bound, from 1.
	Step   int    `json:"step"`
	Length int    `json:"length"`
	Steps  []Step `json:"steps"`
	// Begins is the number of transitions before something is pending; 0 for inevitability.
	Begins int `json:"begins"`
	// Faster are the states of the run where another transition would have been faster.
	Faster []Faster `json:"faster"`
	// LoopStart is always [noLoopStart], since it does not matter how the run continues.
	LoopStart LoopStart `json:"loop_start"`
	// initial is what is pending in the initial state.
	initial *Pending
	run     *counterexample.Trace
}

// Faster is a state of the slowest run where another transition would have been faster.
type Faster struct {
	Step StepIndex `json:"step"`
	// Left is the largest number of transitions from this state on, including the next step of the
	// run.
	Left int `json:"left"`
	// Alternatives are the transitions that would make Left smaller.
	Alternatives []FasterChoice `json:"alternatives"`
}

// FasterChoice is a transition, with the largest number of transitions of a run that takes it. The
// number counts from this transition on.
type FasterChoice struct {
	Label string    `json:"label"`
	To    lts.State `json:"to"`
	Most  int       `json:"most"`
}

// Run returns the run as a run of the model or, if the unfolded model is explained, of the unfolded
// model.
func (s *Slowest) Run() *counterexample.Trace { return s.run }

// Last returns the state where the run satisfies the bound.
func (s *Slowest) Last() lts.State { return s.run.Last() }

// AsRun returns the run as a counterexample, for renderers of counterexamples. Cost O(1).
func (s *Slowest) AsRun() *Counterexample {
	return &Counterexample{
		Length:    s.Length,
		LoopStart: noLoopStart,
		Steps:     s.Steps,
		Pending:   s.initial,
	}
}

// tooManyPlaces is the entry of Skipped if the model is too large for bounds.
const tooManyPlaces = "bounds, because model and property are too large together"

// tooLongToTell is the entry of Skipped if all bounds have a maximum, but the slowest run is too
// long.
var tooLongToTell = fmt.Sprintf("the slowest run, which has more than %d transitions",
	reasons.MostSlowest)

// fatesOfChanges returns the fates if only those runs count that never take a step without a change
// while another step is possible. If the model has no steps without changes, it returns the fates
// of all runs.
func (a *Analysis) fatesOfChanges(ctx context.Context) (*fate.Map, error) {
	if a.idle == "" {
		return a.Fates, nil
	}
	m := a.Components.LTS()
	less, err := m.Without(func(t lts.Transition) bool {
		labels, _ := m.Out(t.From)
		return labels.Len() > 1 && m.Alphabet().Text(t.Label) == a.idle
	})
	if err != nil {
		return nil, err
	}
	return fate.Of(ctx, less, a.Property, fate.Options{
		Options: enrich.Options{Fairness: a.fairness},
		Engine:  "iterative",
	})
}

// boundConditions returns the conditions that the formula joins, as formulas and in the form that
// bounds need. If the formula joins none, it returns the formula itself.
func (a *Analysis) boundConditions(ctx context.Context) ([]property.Formula, []reasons.Condition, error) {
	if a.Property.Steps() > 0 {
		return nil, nil, nil
	}
	joined, err := a.conditions()
	if err != nil {
		return nil, nil, err
	}
	if joined.formulas == nil {
		joined = conjuncts{
			formulas:   []property.Formula{a.Formula},
			properties: []*property.Property{a.Property},
		}
	}
	conditions := make([]reasons.Condition, len(joined.formulas))
	for i, p := range joined.properties {
		wide, _, err := joined.formulas[i].Bind(ctx, reasons.WideAlphabet(p))
		if err != nil {
			return nil, nil, err
		}
		conditions[i] = reasons.Condition{Property: p, Wide: wide}
	}
	return joined.formulas, conditions, nil
}

// skip records a search that was left out.
func (r *Reasons) skip(search string) {
	r.Complete = false
	r.Skipped = append(r.Skipped, search)
}

// findBounds finds the bounds and the slowest run, unless model and property are too large.
func (r *Reasons) findBounds(ctx context.Context, a *Analysis) error {
	formulas, conditions, err := a.boundConditions(ctx)
	if err != nil {
		return err
	}
	fates, err := a.fatesOfChanges(ctx)
	if err != nil {
		return err
	}
	found, err := reasons.Bounds(ctx, fates, conditions)
	if errors.Is(err, reasons.ErrTooLarge) {
		r.skip(tooManyPlaces)
		return nil
	}
	if err != nil || found == nil {
		return err
	}
	r.describeBounds(a, found, formulas, conditions)
	return r.describeSlowest(ctx, a, found)
}

// describeBounds describes the bounds of some conditions. If some bound is unbounded, it also
// describes a cycle that shows this.
func (r *Reasons) describeBounds(
	a *Analysis,
	found *reasons.Result,
	formulas []property.Formula,
	conditions []reasons.Condition,
) {
	for i, b := range found.Bounds {
		described := Bound{Step: i + 1, Least: b.Least, ApartFrom: a.idle}
		if b.Bounded {
			most := b.Most
			described.Most = &most
		}
		if i < len(found.Stays) {
			stay := found.Stays[i]
			formula := formulas[stay.Condition]
			described.Words = commonPending(conditions[stay.Condition].Property, stay.Begins)
			described.Of = pendingIn(formula, described.Words)
			described.Overlaps = stay.Overlaps
			described.Recurring = recurringWindow(formula)
		}
		r.Bounds = append(r.Bounds, described)
	}
	if found.Repeats == nil {
		return
	}
	r.Unbounded = &Unbounded{Labels: []string{}}
	for _, l := range found.Repeats {
		text := a.text(l)
		if !slices.Contains(r.Unbounded.Labels, text) {
			r.Unbounded.Labels = append(r.Unbounded.Labels, text)
		}
	}
}

// commonPending returns what is pending in some property states; nil if that differs between them.
func commonPending(p *property.Property, states []property.Q) property.Phrase {
	words := p.Pending(states[0])
	for _, q := range states[1:] {
		if p.Pending(q).String() != words.String() {
			return nil
		}
	}
	return words
}

// describeSlowest describes the slowest run, if its length is what the bounds count.
func (r *Reasons) describeSlowest(
	ctx context.Context,
	a *Analysis,
	found *reasons.Result,
) error {
	overlaps := func(b Bound) bool { return b.Overlaps }
	_, isPattern := a.Formula.(patternFormula)
	if !isPattern && slices.ContainsFunc(r.Bounds, overlaps) {
		return nil // overlapping parts may take longer than a segment
	}
	if a.idle != "" {
		return nil // the slowest run stutters for longer
	}
	run := found.Slowest
	if run == nil {
		if found.Repeats == nil {
			r.skip(tooLongToTell)
		}
		return nil
	}
	s := &Slowest{
		Step:      run.Of + 1,
		Length:    len(run.Steps),
		Begins:    run.Begins,
		Faster:    []Faster{},
		LoopStart: noLoopStart,
	}
	if err := s.setRun(ctx, a, run.Steps); err != nil {
		return err
	}
	for _, c := range run.Choices {
		f := Faster{Step: StepIndex(c.Step), Left: c.Left}
		for _, t := range c.Faster {
			f.Alternatives = append(f.Alternatives, FasterChoice{
				Label: a.text(t.Label),
				To:    t.To,
				Most:  t.Most,
			})
		}
		s.Faster = append(s.Faster, f)
	}
	r.Slowest = s
	return nil
}

// recurringWindow returns the formula that f requires again and again, such as A && X B. It returns
// "" unless this formula spans a fixed number of transitions.
func recurringWindow(f property.Formula) string {
	linear, isLTL := f.(*ltl.Formula)
	if !isLTL {
		return ""
	}
	return linear.RecurringWindow()
}

// patternFormula is a formula made of one of Dwyer's patterns, such as response.
type patternFormula interface {
	Specification() property.Specification
}

// pendingIn returns the text of what is pending: for a pattern its steps, "REQ … ACK"; for other
// formulas the words or, if they are empty, the formula.
func pendingIn(f property.Formula, words property.Phrase) string {
	pattern, isPattern := f.(patternFormula)
	if !isPattern {
		text := words.String()
		if text != "" {
			return text
		}
		return f.String()
	}
	s := pattern.Specification()
	var parts []string
	if s.Scope.HasFrom() && s.Kind == property.KindInev {
		parts = append(parts, s.From.Pattern.String())
	}
	for _, step := range s.Steps {
		parts = append(parts, step.Pattern.String())
	}
	return strings.Join(parts, " … ")
}

// setRun sets the run, with its steps.
func (s *Slowest) setRun(ctx context.Context, a *Analysis, steps []lts.Transition) error {
	run, err := counterexample.NewBegun(a.m, a.Property, steps)
	if err != nil {
		return err
	}
	described, err := describeTrace(ctx, a, run, counterexample.MinimalUnknown)
	if err != nil {
		return err
	}
	s.run = run
	s.Steps = described.Steps
	s.initial = described.Pending
	return nil
}

// unfolded returns the reasons, with the slowest run as a run of the unfolded model.
func (r *Reasons) unfolded(ctx context.Context, a *Analysis) (*Reasons, error) {
	if r == nil || r.Slowest == nil || a.Unfolding == nil {
		return r, nil
	}
	s := *r.Slowest
	lifted, _ := a.Unfolding.Run(s.run.Steps(), -1)
	if err := s.setRun(ctx, a, lifted); err != nil {
		return nil, err
	}
	s.Faster = slices.Clone(s.Faster)
	for i, faster := range s.Faster {
		s.Faster[i].Alternatives = a.lifted(lifted[faster.Step].From, faster.Alternatives)
	}
	lift := *r
	lift.Slowest = &s
	return &lift, nil
}

// lifted returns choices at a state of the unfolded model. The targets of the given choices are states
// of the model; those of the result are states of the unfolded model.
func (a *Analysis) lifted(from lts.State, choices []FasterChoice) []FasterChoice {
	choices = slices.Clone(choices)
	labels, targets := a.m.Out(from)
	for i, choice := range choices {
		for j, to := range targets {
			if a.Unfolding.At(to).State == choice.To && a.text(labels.At(j)) == choice.Label {
				choices[i].To = to
			}
		}
	}
	return choices
}

// NoRole is an element of the property that plays no role: the property still holds if the element
// is replaced by false. An element that does not help to satisfy the property is replaced by true
// instead.
type NoRole struct {
	Atom string `json:"atom"`
	// Still is the stronger property, which holds as well. If it holds only by accident, Because is
	// the reason; otherwise Because is "".
	Still   string `json:"still"`
	Because string `json:"because,omitempty"`
	// Again reports whether the answer to a request happens infinitely often, with or without
	// requests.
	Again bool `json:"-"`
	// Needless reports that the property holds without the element, since it is one of several
	// elements that are each enough.
	Needless bool `json:"-"`
}

// NothingAsked is the reason why the property would hold even if nothing that it demands happened.
type NothingAsked struct {
	// Never is a pattern that no run of the model does; "" if there is another reason.
	Never string `json:"never"`
	// Scope reports whether the scope is empty, because Never would begin or end it but does not
	// happen.
	Scope bool `json:"scope"`
	// Within is the scope, as written, if Never happens in the model but not within the scope; "" if
	// Never does not happen at all. If Scope is set as well, nothing at all happens within the scope.
	Within string `json:"within,omitempty"`
	// Asked are the elements that play no role.
	Asked []string `json:"asked"`
}

// These are the two ways in which the property can fail if a support is removed.
const (
	stopsWithout = "deadlock" // a run would stop
	loopsWithout = "loop"     // a run would repeat a loop forever
)

// Support is a gate or label without which the property fails.
type Support struct {
	Gate string `json:"gate"`
	// Kind is deadlock if a run would stop, loop if it would repeat a loop forever.
	Kind string `json:"kind"`
	// State is where a run would stop; nil for a loop.
	State *ModelState `json:"state,omitempty"`
	// Step reports whether an element of the property refers to these labels.
	Step bool `json:"step,omitzero"`
	// ByLabel reports whether the support is one label, and not all labels of a gate.
	ByLabel bool `json:"-"`
}

// At most mostOccurrences elements of a property are replaced, and at most mostSupports gates of a
// model are removed. Each of these two searches visits at most workForVariations product states and
// transitions.
const (
	mostOccurrences   = 32
	mostSupports      = 64
	workForVariations = 20_000_000
)

// vary finds out whether the property still holds after a change to one of its elements, or to a
// gate of the model.
func (r *Reasons) vary(ctx context.Context, a *Analysis, o Options) error {
	m := a.Components.LTS()
	if largestProduct(m, a.Property) > mostForAdvice {
		r.skip("the elements that play no role and the actions on which the property rests, because model and property are large")
		return nil
	}
	occurrences := ltl.OccurrencesIn(a.Formula)
	if occurrences != nil {
		happening, err := m.Happening(ctx)
		if err != nil {
			return err
		}
		v := vacuity{
			m:        m,
			a:        a,
			reasons:  r,
			all:      occurrences,
			alphabet: happening,
		}
		if err := v.replaceDemands(ctx); err != nil {
			return err
		}
		if err := v.replaceEach(ctx); err != nil {
			return err
		}
	}
	return r.findSupports(ctx, a, occurrences, o.RestsOnLabels)
}

// vacuity is a search for elements of a property that play no role in the verdict.
type vacuity struct {
	m       *lts.LTS
	a       *Analysis
	reasons *Reasons
	all     *ltl.Occurrences
	work    int64
	// alphabet knows which labels runs do.
	alphabet *lts.Alphabet
}

// replaceDemands finds out whether the property holds vacuously. It does if it still holds after
// all elements that demand something are replaced together.
func (v *vacuity) replaceDemands(ctx context.Context) error {
	asked := func(o ltl.Occurrence) bool { return o.Asked }
	if !slices.ContainsFunc(v.all.All, asked) {
		return nil
	}
	_, verdict, err := v.judge(ctx, asked)
	if err != nil || verdict != Satisfied {
		return err
	}
	v.reasons.NothingAsked, err = v.wrongReason(ctx)
	return err
}

// replaceEach finds the elements that play no role: the property still holds if one of them is
// replaced, and the others stay.
func (v *vacuity) replaceEach(ctx context.Context) error {
	for i, one := range v.all.All {
		if i == mostOccurrences {
			v.reasons.skip(fmt.Sprintf("whether %d more elements of the property play a role",
				len(v.all.All)-i))
			return nil
		}
		still, verdict, err := v.judge(ctx, func(o ltl.Occurrence) bool {
			return o.Is(one)
		})
		if err != nil {
			return err
		}
		switch verdict {
		case 0:
			v.reasons.skip("whether " + one.Pattern.String() + " plays a role")
		case Satisfied:
			v.reasons.NoRole = append(v.reasons.NoRole, v.noRole(one, still))
		}
	}
	return nil
}

// judge returns the formula in which the selected elements are replaced, and the verdict on it. The
// verdict is 0 if it would be too much work to find.
func (v *vacuity) judge(
	ctx context.Context,
	replaced func(ltl.Occurrence) bool,
) (*ltl.Formula, Verdict, error) {
	f := v.all.Strengthened(replaced)
	if v.work > workForVariations {
		return f, 0, nil
	}
	p, _, err := f.Bind(ctx, v.alphabet)
	if errors.As(err, new(*ltl.BudgetError)) {
		return f, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if largestProduct(v.m, p) > mostForAdvice {
		return f, 0, nil
	}
	failure, work, err := reasons.Check(ctx, v.m, p, v.a.fairness)
	if err != nil {
		return nil, 0, err
	}
	v.work += work
	return f, verdictOf(failure == nil), nil
}

// noRole describes an element that plays no role; still is the formula without it.
func (v *vacuity) noRole(o ltl.Occurrence, still *ltl.Formula) NoRole {
	n := NoRole{Atom: o.Pattern.String(), Still: still.String()}
	if v.reasons.NothingAsked != nil {
		n.Because = v.reasons.NothingAsked.because()
	}
	f, isPattern := v.a.Formula.(*actl.Formula)
	if !isPattern {
		return n
	}
	s := f.Specification()
	roles := role.Of(s)
	helpsToSatisfy := o.Step < len(roles) &&
		(roles[o.Step] == role.Demanded || roles[o.Step] == role.Allowed)
	isOneOfSeveral := o.Members > 1
	if helpsToSatisfy && isOneOfSeveral {
		n.Still = f.WithoutElement(o.Step, o.Element).String()
		n.Needless = true
	}
	isPlainResponse := s.Kind == property.KindResponse && s.Scope == property.Globally &&
		len(s.Steps) == 2
	n.Again = isPlainResponse && o.Step == 0
	return n
}

// because returns the reason in the form of a clause.
func (n *NothingAsked) because() string {
	switch {
	case n.Never == "" && n.Scope:
		return "nothing happens " + n.Within + ": the scope is empty"
	case n.Never == "":
		return "the property requires nothing"
	case n.Scope:
		return n.Never + " never happens: the scope is empty"
	case n.Within != "":
		return n.Never + " never happens " + n.Within + ", so the property requires nothing"
	}
	return n.Never + " never happens, so the property requires nothing"
}

// wrongReason finds out whether and why a property holds vacuously, that is, even if its demands
// are not met.
func (v *vacuity) wrongReason(ctx context.Context) (*NothingAsked, error) {
	n := &NothingAsked{}
	for _, o := range v.all.All {
		text := o.Pattern.String()
		if o.Asked && !slices.Contains(n.Asked, text) {
			n.Asked = append(n.Asked, text)
		}
	}
	f, hasAntecedents := v.a.Formula.(conditional)
	if !hasAntecedents {
		return n, nil
	}
	steps, err := f.Antecedents(ctx, v.m.Alphabet())
	if err != nil {
		return nil, err
	}
	pattern, isPattern := v.a.Formula.(*actl.Formula)
	if v.findNever(n, steps, pattern) {
		return n, nil
	}
	if isPattern && pattern.Scope() != "" {
		n.findWithin(pattern)
	}
	return n, nil
}

// findNever records the first antecedent that never happens, and reports whether there is one.
// Antecedents that begin or end the scope of the pattern come first. pattern is nil if the formula is no
// pattern.
func (v *vacuity) findNever(
	n *NothingAsked,
	antecedents []property.Step,
	pattern *actl.Formula,
) bool {
	delimiters := map[string]bool{}
	if pattern != nil {
		s := pattern.Specification()
		for _, step := range []property.Step{s.From, s.To} {
			if step.Pattern != nil {
				delimiters[step.Pattern.String()] = true
			}
		}
	}
	for _, ofScope := range []bool{true, false} {
		for _, step := range antecedents {
			text := step.Pattern.String()
			if delimiters[text] == ofScope && !happens(step, v.alphabet) {
				n.Never = text
				n.Scope = ofScope
				return true
			}
		}
	}
	return false
}

// findWithin records the elements that happen in the model, but never within the scope of the
// pattern.
func (n *NothingAsked) findWithin(pattern *actl.Formula) {
	s := pattern.Specification()
	occasion := slices.IndexFunc(role.Of(s), func(r role.Role) bool { // the first step that demands nothing
		return !r.Asks()
	})
	switch {
	case s.Kind == property.KindNever && len(s.Steps) == 1:
		// This part runs if the forbidden step has been replaced, and the property still holds. If
		// this step is the only one, nothing happens within the scope.
		if len(pattern.StateAtoms()) == 0 {
			n.Scope = true
			n.Within = pattern.Scope()
		}
	case s.Kind == property.KindNever:
		// Nothing is recorded here: the other steps may happen at the end of the scope, which says nothing
		// about what happens within it.
	case occasion >= 0:
		n.Never = s.Steps[occasion].Pattern.String()
		n.Within = pattern.Scope()
	}
}

// happens reports whether some run does a step. The alphabet happening has the labels that runs do.
func happens(step property.Step, happening *lts.Alphabet) bool {
	if slices.ContainsFunc(step.Labels, happening.Happens) {
		return true
	}
	for l := range happening.All() {
		if happening.Happens(l) && step.LeadsTo(happening, l) {
			return true
		}
	}
	facts, _ := happening.InitialFacts()
	return facts&step.Facts != 0
}

// support is a gate or a label, with its labels.
type support struct {
	name   string
	labels []lts.Label
	step   bool // whether some element of the property mentions the gate or label
}

// findSupports finds the gates, or labels, without which the property fails.
func (r *Reasons) findSupports(
	ctx context.Context,
	a *Analysis,
	occurrences *ltl.Occurrences,
	byLabel bool,
) error {
	m := a.Components.LTS()
	happening, err := m.Happening(ctx)
	if err != nil {
		return err
	}
	supports := supportsIn(happening, a.concerns(occurrences), byLabel)
	work := int64(0)
	for i, s := range supports {
		if i == mostSupports || work > workForVariations {
			kind := "actions"
			if byLabel {
				kind = "labels"
			}
			r.skip(fmt.Sprintf("whether it rests on %d more %s", len(supports)-i, kind))
			return nil
		}
		failure, visited, err := a.checkWithout(ctx, m, s.labels)
		if err != nil {
			return err
		}
		work += visited + int64(m.NumTransitions())
		if failure == nil {
			continue
		}
		found := Support{
			Gate:    s.name,
			Kind:    loopsWithout,
			Step:    s.step,
			ByLabel: byLabel,
		}
		if failure.Deadlock {
			state := ModelState(failure.State)
			found.Kind = stopsWithout
			found.State = &state
		}
		r.RestsOn = append(r.RestsOn, found)
	}
	return nil
}

// checkWithout checks the property in m without the transitions of some labels. It returns how the
// property fails, or nil if it holds, and the work of the check.
func (a *Analysis) checkWithout(
	ctx context.Context,
	m *lts.LTS,
	labels []lts.Label,
) (*reasons.Failure, int64, error) {
	removed := bitset.New[lts.Label](m.Alphabet().Len())
	for _, l := range labels {
		removed.Add(l)
	}
	less, err := m.Without(func(t lts.Transition) bool {
		return removed.Has(t.Label)
	})
	if err != nil {
		return nil, 0, err
	}
	return reasons.Check(ctx, less, a.Property, a.fairness)
}

// supportsIn returns the gates, or labels, of all labels that runs do. They are in the order of the
// alphabet, except that those mentioned by the property come last.
func supportsIn(
	happening *lts.Alphabet,
	concerns func(lts.Label) bool,
	byLabel bool,
) []support {
	var known intern.List[string, support]
	for l, text := range happening.All() {
		if _, begins := happening.Facts(l); begins || !happening.Happens(l) {
			continue
		}
		name, hasGate := actl.GateOf(text)
		if byLabel || !hasGate {
			name = text
		}
		s := &known.All[known.Index(name, support{name: name})]
		s.labels = append(s.labels, l)
		s.step = s.step || concerns(l)
	}
	var others, mentioned []support
	for _, s := range known.All {
		if s.step {
			mentioned = append(mentioned, s)
		} else {
			others = append(others, s)
		}
	}
	return append(others, mentioned...)
}

// concerns returns a function that reports whether the property refers to a label: whether the
// label does a step of a chain, or matches an element of the formula.
func (a *Analysis) concerns(occurrences *ltl.Occurrences) func(lts.Label) bool {
	p := a.Property
	steps := p.Steps()
	if steps > 0 {
		return func(l lts.Label) bool {
			for q := range property.Q(steps) {
				if p.Next(q, l) != q {
					return true
				}
			}
			return false
		}
	}
	return func(l lts.Label) bool {
		if occurrences == nil {
			return false
		}
		text := p.Alphabet().Text(l)
		matches := func(o ltl.Occurrence) bool { return o.Pattern.Matches(text) }
		return slices.ContainsFunc(occurrences.All, matches)
	}
}

// conditional is a formula with antecedents. A run that never does certain steps satisfies it,
// whatever else happens.
type conditional interface {
	Antecedents(context.Context, *lts.Alphabet) ([]property.Step, error)
}
