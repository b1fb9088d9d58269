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
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Reasons are why a property holds, and what would make it fail.
type Reasons struct {
	// Bounds are the numbers of transitions until the property is satisfied: for inevitability from
	// the start, one bound for each step; for other properties from the moment when something
	// becomes pending to the end of the transition that settles it. They are empty if nothing is
	// ever pending.
	Bounds []Bound `json:"bounds"`
	// Unbounded is a cycle that a run can repeat any number of times before the property is
	// satisfied; nil if each bound has a maximum.
	Unbounded *Unbounded `json:"unbounded"`
	// Slowest is a run with the largest number of transitions of all bounds, and for inevitability
	// of the last bound; nil if none is known.
	Slowest *Slowest `json:"slowest"`
	// NothingAsked is the reason if the property holds vacuously; nil otherwise.
	NothingAsked *NothingAsked `json:"nothing_asked,omitempty"`
	// NoRole are the elements of the property that can be replaced by false or true without making
	// it fail.
	NoRole []NoRole `json:"no_role"`
	// RestsOn are the gates, or labels, without whose transitions the property would fail.
	RestsOn []Support `json:"rests_on"`
	// Complete reports whether all searches for the reasons were completed: then Skipped is empty.
	Complete bool `json:"complete"`
	// Skipped are the searches that were left out, as text.
	Skipped []string `json:"skipped,omitempty"`
}

// Bound is how many transitions a run takes to satisfy something.
type Bound struct {
	// Step is the number of the step, from 1, for inevitability; otherwise the number of the
	// condition, from 1, among those with bounds.
	Step int `json:"step"`
	// Of is the text of what is pending, for a property without steps; "" for inevitability.
	Of string `json:"of,omitempty"`
	// Words describe what is pending, if that is the same in all states where the bound begins;
	// otherwise they are empty.
	Words property.Phrase `json:"-"`
	// Most is the largest number of transitions, nil if there is no largest number; Least is the
	// smallest number of transitions.
	Most  *int `json:"most"`
	Least int  `json:"least"`
	// ApartFrom is the label of steps that are not counted, since they can come any number of
	// times; "" if all steps are counted.
	ApartFrom string `json:"apart_from,omitempty"`
	// Overlaps reports whether a run takes several transitions to do what is pending, and may begin
	// with them before what was pending earlier is settled. Then Least is no bound of what overlaps,
	// nor is Most, unless there is a Recurring formula, which holds again and again and spans a fixed
	// number of transitions.
	Overlaps  bool   `json:"-"`
	Recurring string `json:"-"`
}

// Unbounded is a cycle that can be repeated any number of times.
type Unbounded struct {
	// Labels are the labels of the cycle, each once, in its order.
	Labels []string `json:"labels"`
}

// Slowest is a run that takes the largest number of transitions of a bound.
type Slowest struct {
	// Step is the number of the bound, from 1.
	Step   int    `json:"step"`
	Length int    `json:"length"`
	Steps  []Step `json:"steps"`
	// Begins is the number of transitions before something is pending; 0 for inevitability.
	Begins int `json:"begins"`
	// Faster are the states of the run where another transition would have been faster.
	Faster []Faster `json:"faster"`
	// LoopStart is [noLoopStart], since it does not matter how the run continues.
	LoopStart LoopStart `json:"loop_start"`
	// initial is what is pending in the initial state.
	initial *Pending
	run     *counterexample.Trace
}

// Faster is a state of the slowest run where another transition would have been faster.
type Faster struct {
	Step StepIndex `json:"step"`
	// Left is the largest number of transitions from this state on, the next step of the run
	// included.
	Left int `json:"left"`
	// Alternatives are the transitions that would make this number smaller.
	Alternatives []FasterChoice `json:"alternatives"`
}

// FasterChoice is a transition, with the largest number of transitions of a run that takes it,
// counted from this transition on.
type FasterChoice struct {
	Label string    `json:"label"`
	To    lts.State `json:"to"`
	Most  int       `json:"most"`
}

// Run returns the run, in the model or, if the unfolded model is explained, in the unfolded model.
func (s *Slowest) Run() *counterexample.Trace { return s.run }

// Last returns the state where the run satisfies the bound.
func (s *Slowest) Last() lts.State { return s.run.Last() }

// AsRun returns the run as a counterexample, for renderers of these. Cost O(1).
func (s *Slowest) AsRun() *Counterexample {
	return &Counterexample{Length: s.Length, LoopStart: noLoopStart, Steps: s.Steps, Pending: s.initial}
}

// tooManyPlaces is the text in Skipped if the model is too large for bounds.
const tooManyPlaces = "bounds, for model and property are too large together"

// tooLongToTell is the text in Skipped if the slowest run is missing although all is bounded.
var tooLongToTell = fmt.Sprintf("the slowest run, which has more than %d transitions", reasons.MostSlowest)

// fatesOfChanges returns the fates among the runs that take a step which changes nothing only if no
// other step is possible; the fates of all runs if the model has no such steps.
func (a *Analysis) fatesOfChanges(ctx context.Context) *fate.Map {
	if a.idle == "" {
		return a.Fates
	}
	m := a.Components.LTS()
	less := abort.Must(m.Without(func(t lts.Transition) bool {
		labels, _ := m.Out(t.From)
		return labels.Len() > 1 && m.Alphabet().Text(t.Label) == a.idle
	}))
	return abort.Must(fate.Of(ctx, less, a.Property, fate.Options{Options: enrich.Options{Fairness: a.fairness}, Engine: "iterative"}))
}

// boundConditions returns the conditions that the formula joins, in the form that bounds need; the
// formula itself if it joins none.
func (a *Analysis) boundConditions(ctx context.Context) ([]property.Formula, []reasons.Condition) {
	if a.Property.Steps() > 0 {
		return nil, nil
	}
	joined := a.conditions()
	if joined.formulas == nil {
		joined = conjuncts{[]property.Formula{a.Formula}, []*property.Property{a.Property}}
	}
	conditions := make([]reasons.Condition, len(joined.formulas))
	for i, p := range joined.properties {
		conditions[i].Property = p
		conditions[i].Wide, _ = bindTo(ctx, joined.formulas[i], reasons.WideAlphabet(p))
	}
	return joined.formulas, conditions
}

// skip notes a search that was left out.
func (h *Reasons) skip(what string) { h.Complete, h.Skipped = false, append(h.Skipped, what) }

// describeBounds describes the bounds of some conditions, and the slowest run.
func (h *Reasons) describeBounds(ctx context.Context, a *Analysis, found *reasons.Result, parts []property.Formula, conditions []reasons.Condition) {
	for i, b := range found.Bounds {
		described := Bound{Step: i + 1, Least: b.Least, ApartFrom: a.idle}
		if b.Bounded {
			most := b.Most
			described.Most = &most
		}
		if i < len(found.Stays) {
			stay := found.Stays[i]
			p := conditions[stay.Condition].Property
			words := p.Pending(stay.Begins[0])
			if !slices.ContainsFunc(stay.Begins, func(q property.Q) bool { return p.Pending(q).String() != words.String() }) {
				described.Words = words
			}
			described.Of = pendingIn(parts[stay.Condition], described.Words)
			described.Overlaps, described.Recurring = stay.Overlaps, recurringWindow(parts[stay.Condition])
		}
		h.Bounds = append(h.Bounds, described)
	}
	if found.Repeats != nil {
		h.Unbounded = &Unbounded{Labels: []string{}}
		for _, l := range found.Repeats {
			if text := a.text(l); !slices.Contains(h.Unbounded.Labels, text) {
				h.Unbounded.Labels = append(h.Unbounded.Labels, text)
			}
		}
	}
	overlaps := func(b Bound) bool { return b.Overlaps }
	if _, isPattern := a.Formula.(answering); !isPattern && slices.ContainsFunc(h.Bounds, overlaps) {
		return // what overlaps may take longer than a segment
	}
	if a.idle != "" {
		return // the slowest run stutters for longer
	}
	switch {
	case found.Slowest != nil:
		run := found.Slowest
		s := &Slowest{Step: run.Of + 1, Length: len(run.Steps), Begins: run.Begins, Faster: []Faster{}, LoopStart: noLoopStart}
		s.goAlong(ctx, a, run.Steps)
		for _, c := range run.Choices {
			f := Faster{Step: StepIndex(c.Step), Left: c.Left}
			for _, t := range c.Faster {
				f.Alternatives = append(f.Alternatives, FasterChoice{a.text(t.Label), t.To, t.Most})
			}
			s.Faster = append(s.Faster, f)
		}
		h.Slowest = s
	case found.Repeats == nil:
		h.skip(tooLongToTell)
	}
}

// recurringWindow returns what a formula asks for again and again if that spans a fixed number of
// transitions, such as A && X B; "" if it does not.
func recurringWindow(f property.Formula) string {
	linear, is := f.(*ltl.Formula)
	if !is {
		return ""
	}
	return linear.RecurringWindow()
}

// answering is a formula with one of Dwyer's patterns, such as response.
type answering interface {
	Specification() property.Specification
}

// pendingIn returns the text of what is pending: for a pattern its steps, "REQ … ACK"; otherwise
// the words or, if they are empty, the formula.
func pendingIn(f property.Formula, words property.Phrase) string {
	p, is := f.(answering)
	if !is {
		if text := words.String(); text != "" {
			return text
		}
		return f.String()
	}
	s := p.Specification()
	var parts []string
	if s.Scope.HasFrom() && s.Kind == property.KindInev {
		parts = append(parts, s.From.Pattern.String())
	}
	for _, step := range s.Steps {
		parts = append(parts, step.Pattern.String())
	}
	return strings.Join(parts, " … ")
}

// goAlong sets the run, with its steps.
func (s *Slowest) goAlong(ctx context.Context, a *Analysis, steps []lts.Transition) {
	s.run = abort.Must(counterexample.NewBegun(a.m, a.Property, steps))
	described := describeTrace(ctx, a, s.run, counterexample.MinimalUnknown)
	s.Steps, s.initial = described.Steps, described.Pending
}

// unfolded returns the reasons with the slowest run as a run of the unfolded model.
func (h *Reasons) unfolded(ctx context.Context, a *Analysis) *Reasons {
	if h == nil || h.Slowest == nil || a.Unfolding == nil {
		return h
	}
	s := *h.Slowest
	lifted, _ := a.Unfolding.Run(s.run.Steps(), -1)
	s.goAlong(ctx, a, lifted)
	s.Faster = slices.Clone(s.Faster)
	for i, faster := range s.Faster {
		labels, targets := a.m.Out(lifted[faster.Step].From)
		s.Faster[i].Alternatives = slices.Clone(faster.Alternatives)
		for j, choice := range faster.Alternatives {
			for k, to := range targets {
				if a.Unfolding.At(to).State == choice.To && a.text(labels.At(k)) == choice.Label {
					s.Faster[i].Alternatives[j].To = to
				}
			}
		}
	}
	lift := *h
	lift.Slowest = &s
	return &lift
}

// NoRole is an element of the property that plays no role: the property holds with false in its
// stead if it helps the property, otherwise with true.
type NoRole struct {
	Atom string `json:"atom"`
	// Still is the stronger property that holds. Because is the reason if the stronger property
	// holds only by accident, otherwise "".
	Still   string `json:"still"`
	Because string `json:"because,omitempty"`
	// Again reports whether the answer to a request comes infinitely often, with or without
	// requests.
	Again bool `json:"-"`
	// Needless reports that the property holds without the element, since one of several elements
	// is enough and another one is left.
	Needless bool `json:"-"`
}

// NothingAsked is why the property would hold even if nothing that it demands happened.
type NothingAsked struct {
	// Never is a pattern that no run of the model does; "" if there is another reason.
	Never string `json:"never"`
	// Scope reports whether the scope is empty since Never, which would begin or end the scope,
	// does not happen.
	Scope bool `json:"scope"`
	// Within is the scope, as written, if Never happens elsewhere but not in the scope; "" if Never
	// does not happen at all. With Scope, nothing at all happens within the scope.
	Within string `json:"within,omitempty"`
	// Asked are the elements that play no role.
	Asked []string `json:"asked"`
}

// The two ways to fail if a support is removed.
const (
	stopsWithout = "deadlock" // a run would stop
	loopsWithout = "loop"     // a run would go round a loop for ever
)

// Support is a gate or label without which the property fails.
type Support struct {
	Gate string `json:"gate"`
	// Kind is deadlock if a run would stop, loop if it would repeat a loop for ever.
	Kind string `json:"kind"`
	// State is where a run would stop; nil for a loop.
	State *ModelState `json:"state,omitempty"`
	// Step reports whether an element of the property is about these labels.
	Step bool `json:"step,omitzero"`
	// ByLabel reports whether the support is one label, and not all labels of a gate.
	ByLabel bool `json:"-"`
}

// At most mostOccurrences elements of a property are replaced, and at most mostSupports gates of a
// model removed; each of the two questions visits at most workForVariations product states and
// transitions.
const (
	mostOccurrences   = 32
	mostSupports      = 64
	workForVariations = 20_000_000
)

// vary finds out whether the property still holds if an element of it, or a gate of the model, is
// changed.
func (h *Reasons) vary(ctx context.Context, a *Analysis, o Options) {
	m := a.Components.LTS()
	if largestProduct(m, a.Property) > mostForAdvice {
		h.skip("what plays no role, and what it rests on, for model and property are large")
		return
	}
	occurrences := ltl.OccurrencesIn(a.Formula)
	if occurrences != nil {
		x := vacuity{m: m, a: a, h: h, all: occurrences}
		// First all elements together that say what must happen are replaced, then each element alone.
		x.alphabet = abort.Must(x.m.Happening(ctx))
		asked := func(o ltl.Occurrence) bool { return o.Asked }
		if slices.ContainsFunc(x.all.All, asked) {
			if _, verdict := x.judge(ctx, asked); verdict == Satisfied {
				x.h.NothingAsked = x.wrongReason(ctx)
			}
		}
		for i, one := range x.all.All {
			if i == mostOccurrences {
				x.h.skip(fmt.Sprintf("whether %d more elements of the property play a role", len(x.all.All)-i))
				break
			}
			switch still, verdict := x.judge(ctx, func(o ltl.Occurrence) bool { return o.Is(one) }); verdict {
			case 0:
				x.h.skip("whether " + one.Pattern.String() + " plays a role")
			case Satisfied:
				x.h.NoRole = append(x.h.NoRole, x.noRole(one, still))
			}
		}
	}
	h.findSupports(ctx, a, occurrences, o.RestsOnLabels)
}

// vacuity is a search for elements of a property that play no role.
type vacuity struct {
	m    *lts.LTS
	a    *Analysis
	h    *Reasons
	all  *ltl.Occurrences
	work int64
	// alphabet knows which labels runs do.
	alphabet *lts.Alphabet
}

// judge returns the formula with some elements replaced, and the verdict on it; none if that is too
// large to be found.
func (x *vacuity) judge(ctx context.Context, replaced func(ltl.Occurrence) bool) (*ltl.Formula, Verdict) {
	f := x.all.Strengthened(replaced)
	if x.work > workForVariations {
		return f, 0
	}
	p, _, err := f.Bind(ctx, x.alphabet)
	if errors.As(err, new(*ltl.BudgetError)) {
		return f, 0
	}
	abort.On(err)
	if largestProduct(x.m, p) > mostForAdvice {
		return f, 0
	}
	failure, work, err := reasons.Check(ctx, x.m, p, x.a.fairness)
	abort.On(err)
	x.work += work
	return f, verdictOf(failure == nil)
}

// noRole describes an element that plays no role; still is the formula without it.
func (x *vacuity) noRole(o ltl.Occurrence, still *ltl.Formula) NoRole {
	n := NoRole{Atom: o.Pattern.String(), Still: still.String()}
	if x.h.NothingAsked != nil {
		n.Because = x.h.NothingAsked.because()
	}
	f, is := x.a.Formula.(*actl.Formula)
	if !is {
		return n
	}
	s := f.Specification()
	roles := s.Roles()
	positive := o.Step < len(roles) && (roles[o.Step] == property.Demanded || roles[o.Step] == property.Allowed)
	if positive && o.Members > 1 {
		n.Still, n.Needless = f.WithoutElement(o.Step, o.Element).String(), true
	}
	n.Again = s.Kind == property.KindResponse && s.Scope == property.Globally && o.Step == 0 && len(s.Steps) == 2
	return n
}

// because returns the reason as a clause of a sentence.
func (n *NothingAsked) because() string {
	switch {
	case n.Never == "" && n.Scope:
		return "nothing happens " + n.Within + ": the scope is empty"
	case n.Never == "":
		return "nothing is asked"
	case n.Scope:
		return n.Never + " never happens: the scope is empty"
	case n.Within != "":
		return n.Never + " never happens " + n.Within + ", so that nothing is asked"
	}
	return n.Never + " never happens, so that nothing is asked"
}

// wrongReason finds out why a property would hold even if its demands were not met.
func (x *vacuity) wrongReason(ctx context.Context) *NothingAsked {
	n := &NothingAsked{}
	for _, o := range x.all.All {
		if text := o.Pattern.String(); o.Asked && !slices.Contains(n.Asked, text) {
			n.Asked = append(n.Asked, text)
		}
	}
	f, is := x.a.Formula.(conditional)
	if !is {
		return n
	}
	steps := abort.Must(f.Antecedents(ctx, x.m.Alphabet()))
	delimiters := map[string]bool{}
	p, inPatterns := x.a.Formula.(*actl.Formula)
	if inPatterns {
		s := p.Specification()
		for _, step := range []property.Step{s.From, s.To} {
			if step.Pattern != nil {
				delimiters[step.Pattern.String()] = true
			}
		}
	}
	for _, scope := range []bool{true, false} {
		for _, step := range steps {
			if text := step.Pattern.String(); delimiters[text] == scope && !happens(step, x.alphabet) {
				n.Never, n.Scope = text, scope
				return n
			}
		}
	}
	if !inPatterns || p.Scope() == "" {
		return n
	}
	// Something happens in the model, but never within the scope.
	s := p.Specification()
	occasion := slices.IndexFunc(s.Roles(), func(role property.Role) bool { return !role.Asks() })
	switch {
	case s.Kind == property.KindNever && len(s.Steps) == 1:
		// Replacing the only forbidden step changes nothing if nothing happens within the scope.
		if len(p.StateAtoms()) == 0 {
			n.Scope, n.Within = true, p.Scope()
		}
	case s.Kind == property.KindNever:
		// The other steps may happen at the end of the scope, where nothing can come later.
	case occasion >= 0:
		n.Never, n.Within = s.Steps[occasion].Pattern.String(), p.Scope()
	}
	return n
}

// happens reports whether some run does a step; happening has the labels that runs do.
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

// support is a gate or label, with the labels that it stands for.
type support struct {
	name   string
	labels []lts.Label
	step   bool // whether some element of the property mentions the gate or label
}

// findSupports finds the gates, or labels, without which the property fails.
func (h *Reasons) findSupports(ctx context.Context, a *Analysis, occurrences *ltl.Occurrences, byLabel bool) {
	m := a.Components.LTS()
	happening := abort.Must(m.Happening(ctx))
	// The gates, or labels, of all labels that runs do are in the order of the alphabet; those that the
	// property mentions come last.
	concerns := a.concerns(occurrences)
	var known keyed.List[string, support]
	for l, text := range happening.All() {
		if _, begins := happening.Facts(l); begins || !happening.Happens(l) {
			continue
		}
		name, is := actl.GateOf(text)
		if byLabel || !is {
			name = text
		}
		s := &known.All[known.Index(name, support{name: name})]
		s.labels = append(s.labels, l)
		s.step = s.step || concerns(l)
	}
	var all, last []support
	for _, s := range known.All {
		if s.step {
			last = append(last, s)
		} else {
			all = append(all, s)
		}
	}
	all = append(all, last...)
	what := "gates"
	if byLabel {
		what = "labels"
	}
	work := int64(0)
	for i, s := range all {
		if i == mostSupports || work > workForVariations {
			h.skip(fmt.Sprintf("whether it rests on %d more %s", len(all)-i, what))
			return
		}
		gone := bitset.New[lts.Label](m.Alphabet().Len())
		for _, l := range s.labels {
			gone.Add(l)
		}
		less := abort.Must(m.Without(func(t lts.Transition) bool { return gone.Has(t.Label) }))
		failure, took, err := reasons.Check(ctx, less, a.Property, a.fairness)
		abort.On(err)
		work += took + int64(m.NumTransitions())
		if failure == nil {
			continue
		}
		found := Support{Gate: s.name, Kind: loopsWithout, Step: s.step, ByLabel: byLabel}
		if failure.Deadlock {
			at := ModelState(failure.State)
			found.Kind, found.State = stopsWithout, &at
		}
		h.RestsOn = append(h.RestsOn, found)
	}
}

// concerns returns a function that reports whether the property is about a label: whether the label
// does a step of a chain, or matches an element of the formula.
func (a *Analysis) concerns(occurrences *ltl.Occurrences) func(lts.Label) bool {
	p := a.Property
	if n := p.Steps(); n > 0 {
		return func(l lts.Label) bool {
			for q := range property.Q(n) {
				if p.Next(q, l) != q {
					return true
				}
			}
			return false
		}
	}
	return func(l lts.Label) bool {
		return occurrences != nil && slices.ContainsFunc(occurrences.All, func(o ltl.Occurrence) bool { return o.Pattern.Matches(p.Alphabet().Text(l)) })
	}
}

// conditional is a formula with antecedents: a run that never does certain steps satisfies it,
// whatever else happens.
type conditional interface {
	Antecedents(context.Context, *lts.Alphabet) ([]property.Step, error)
}
