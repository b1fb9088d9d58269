package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/internal/asjson"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/property/values"
	"github.com/inev-lts/inev/simplify"
	"github.com/inev-lts/inev/simplify/quotient"
)

// Explanation is every result of one run. In an explanation made by [Check],
// what it does not compute is nil, zero or empty.
type Explanation struct {
	Model    Model
	Property Property
	Verdict  Verdict
	Warnings []string
	// Diagnosis is why the counterexample violates the property; nil if it holds, and in a
	// result of [Check] where it would take long.
	Diagnosis *Diagnosis
	// Conjuncts are the conditions that the formula joins by "and", and what the counterexample
	// does to each; nil if it joins none, and if the property holds.
	Conjuncts []Conjunct
	// Counterexample is nil if the property holds.
	Counterexample *Counterexample
	// All is nil if all shortest counterexamples were not asked for, and where
	// the property holds.
	All *All
	// Abstracted is nil if the property holds.
	Abstracted *Abstracted
	// Reading is what makes a neighbourhood. It means nothing in the result of [Check].
	Reading neighbourhood.Reading
	Classes *Classes
	// PointOfNoReturn is nil if the counterexample has none.
	PointOfNoReturn *PointOfNoReturn
	// Decisions are the places of the counterexample, in its order, at which another transition
	// would have been better for this run, and its point of no return. There are none if no run
	// satisfies the property: then nothing is decided. Every output shows just these as decisions.
	Decisions []Decision
	// Exits are the transitions that leave the loop of a lasso, in its order.
	Exits []Exit
	// Way is the shortest way from the loop of a lasso to the step that never
	// comes; nil if there is none, and where there is no loop.
	Way *Way
	// Loss is what is lost when the point of no return is passed, or what was never possible if all
	// runs are lost from the start; nil if the counterexample is free to its end.
	Loss *Loss
	// Fairness has the assumptions that would make the property true; nil if it holds, if it is not
	// an inevitability, or if nobody asked for them.
	Fairness *Fairness
	// Values are the values of the states of the counterexample; nil if the options have no
	// table of them, and where the property holds.
	Values *Values
	// Repair is what would have to be forbidden if all labels but the internal actions are
	// controllable, and Nearest is a correct run that nearly is the counterexample. They are nil if
	// the property holds, under fairness, if nobody asked for them, and if they are not known or
	// would take too long.
	Repair  *Repair
	Nearest *Diff
	// Necessity is what all violations have in common; nil if no advice is asked for, and if
	// it would take too long.
	Necessity *Necessity
	// Prevention is who could have prevented the violation; nil if it is not known who takes
	// actions, and as Repair.
	Prevention *Prevention
	// Holds is why the property holds; nil if it is violated, and where it was not asked for.
	Holds *Holds
	// Faults is how many faults a violation takes; nil if it was not asked for.
	Faults *Faults
	// Stats is what the search for the counterexample counted; nil if there was
	// none.
	Stats   *counterexample.Stats
	Timings Phases
	// Cost is nil unless the options ask for it.
	Cost *Cost

	// Folded is what the model itself says where the explanation is about the
	// unfolded one; nil elsewhere.
	Folded *Folded

	lts       *lts.LTS
	unfolding *product.Unfolding
	formula   property.Formula
	pattern   *actl.Formula
	trace     *counterexample.Trace
	found     *Neighbourhoods
}

// Model is the model that was looked at, with its size.
type Model struct {
	File        string    `json:"file"`
	Initial     lts.State `json:"initial"`
	States      int       `json:"states"`
	Transitions int       `json:"transitions"`
	Labels      int       `json:"labels"`
	// InitialStates is how many initial states there are if these are several. Initial is then no state of the system
	// but one that was added before them: neither it nor its transitions are counted.
	InitialStates int `json:"initial_states,omitzero"`
	// What follows is the size of the reachable part; all 0 in the result of [Check].
	ReachableStates      int `json:"reachable_states"`
	ReachableTransitions int `json:"reachable_transitions"`
	Deadlocks            int `json:"deadlocks"` // states without outgoing transitions
	// SCCs is the number of strongly connected components, Depth the largest depth of
	// one.
	SCCs  int `json:"sccs"`
	Depth int `json:"depth"`
}

// IsBefore reports whether a state is none of the system, but stands before several initial ones.
func (m *Model) IsBefore(s int) bool { return m.InitialStates > 0 && s == int(m.Initial) }

// Property is the property that was looked at.
type Property struct {
	Kind property.Kind `json:"kind"`
	Text string        `json:"text"`
	// Written is the formula as it was written, if that is not Text; "" elsewhere.
	Written string `json:"written,omitempty"`
	ACTL    string `json:"actl"`
	// Scope is the part of runs that the property is about, as in "after A until B";
	// empty if that is the whole.
	Scope string `json:"scope,omitempty"`
	// Steps are the steps of inevitability; other properties have none.
	Steps []PropertyStep `json:"steps"`
}

// AsWritten returns the formula as it was written, if that is known, else Text.
func (p *Property) AsWritten() string {
	if p.Written != "" {
		return p.Written
	}
	return p.Text
}

// PropertyStep is a step of the property: its pattern, and the labels of the
// model that it stands for.
type PropertyStep struct {
	Pattern string   `json:"pattern"`
	Labels  []string `json:"labels"`
}

// Counterexample is a run of the model that violates the property.
type Counterexample struct {
	Kind counterexample.Kind `json:"kind"`
	// Length is the number of its transitions: of its steps, but for one that leads to where it begins, see [lts.LTS.Begin].
	Length int `json:"length"`
	// Shortest reports whether no counterexample is shorter, among the runs that Minimal says.
	// It is false if that was not found out, and of a run of [AutomatonSearch] than which
	// one of the model is known to be shorter.
	Shortest bool `json:"shortest"`
	// Minimal says where no counterexample is shorter: in the model or, of a property that is
	// no chain, among the runs whose loops close in its product with the model. It is unknown
	// of one that has to do a pattern, and where that was not found out: see
	// [AutomatonSearch].
	Minimal counterexample.Minimality `json:"minimal"`
	// LoopStart is the index of the first step of the loop, -1 if the run ends in a deadlock.
	LoopStart LoopStart `json:"loop_start"`
	Steps     []Step    `json:"steps"`
	// Trap is nil unless the run is given by its stem alone, because every run that goes on from
	// its end and counts violates the property.
	Trap *Trap `json:"trap,omitempty"`
	// Refused are the labels that are possible at its end, if all of these may be refused for ever;
	// nil if it does not end so.
	Refused []string `json:"refused,omitempty"`
	// Pending is what is pending at its beginning, of a property that has no steps; nil
	// of inevitability.
	Pending *Pending `json:"initial_pending,omitempty"`
	// Done is how many steps of the property the run does in all, however often
	// it goes round its loop: step Done+1 never comes.
	Done int `json:"done"`
	// Late are the steps of the property that come too early in the first round of the loop and are
	// done after it, in the order of the run.
	Late []Late `json:"late"`
	// Given reports whether it was given, and not searched for; then Notes say, in
	// sentences, what was done to make a run of the model of it.
	Given bool     `json:"given"`
	Notes []string `json:"notes"`
	// InitialFate is the fate of the initial state; 0 in the result of [Check].
	InitialFate simplify.Fate `json:"initial_fate,omitempty"`
}

// IsStem reports whether the run is given by its stem alone, since all that goes on from its end
// violates the property: a trap or a bad prefix.
func (c *Counterexample) IsStem() bool {
	return c.Kind == counterexample.Trap || c.Kind == counterexample.Prefix
}

// setMinimal says where no counterexample is shorter.
func (c *Counterexample) setMinimal(m counterexample.Minimality) {
	c.Minimal, c.Shortest = m, m != counterexample.MinimalUnknown
}

// Trap is what can still happen after a run on which the property is lost.
type Trap struct {
	// First to Step are the steps of the property, counted from 1, that no continuation
	// does in their order; 0 of a property that has none.
	First int `json:"first"`
	Step  int `json:"step"`
	// States is the number of states that can still be met, Labels what can still be done.
	States int      `json:"states"`
	Labels []string `json:"labels"`
}

// Pending is what a run waits for, or must not do, at a moment.
type Pending struct {
	State property.Q // of the property
	Words property.Phrase
}

// Words are a phrase; JSON has its text.
type Words property.Phrase

// Late is a step of the property that a later round of a loop does.
type Late struct {
	Round    int       `json:"round"` // of the loop, from 2
	Step     StepIndex `json:"step"`
	Progress int       `json:"progress"` // steps of the property done after it
}

// All describes all shortest counterexamples.
type All struct {
	// Count is their exact number.
	Count number `json:"count"`
	// Listed are the first of them, in the order of [counterexample.Family].
	Listed []*Counterexample `json:"listed"`
}

// Folded is what the states of the model itself, with all their histories, say
// about a counterexample.
type Folded struct {
	Classes Classes `json:"classes"`
	// Neighbourhoods is the number of neighbourhoods, Decisions how many of them
	// are on the counterexample.
	Neighbourhoods int `json:"neighbourhoods"`
	Decisions      int `json:"decisions"`
}

// Step is a transition of a counterexample.
type Step struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	// Owner is who takes it; empty if that is not known, or nobody.
	Owner    string              `json:"owner,omitempty"`
	To       lts.State           `json:"to"`
	Class    neighbourhood.Class `json:"class,omitempty"` // of the transition, over all runs; 0 in the result of [Check]
	Progress int                 `json:"progress"`        // steps of the property done after it
	// Pending is what is pending after it, of a property that has no steps; nil of
	// inevitability.
	Pending *Pending `json:"pending,omitempty"`
	// Neighbourhood reports whether From is a neighbourhood.
	Neighbourhood whether       `json:"neighbourhood,omitzero"`
	Fate          simplify.Fate `json:"fate,omitempty"` // after it; 0 in the result of [Check]
}

// Abstracted is the abstracted counterexample: indices of the steps it keeps,
// those into and out of neighbourhoods and the one that passes the point of no
// return; none where no run satisfies the property.
type Abstracted struct {
	Length int   `json:"length"` // the number of the steps kept
	Steps  []int `json:"steps"`
}

// Classes are the numbers of reachable transitions of each class.
type Classes struct {
	Correct   int `json:"correct"`
	Incorrect int `json:"incorrect"`
	Neutral   int `json:"neutral"`
	// Excluded are those on no run that counts; see [property.Fairness.Excludes].
	Excluded int `json:"excluded,omitzero"`
}

// PointOfNoReturn is the step by which a counterexample leaves its last free
// state.
type PointOfNoReturn struct {
	Step  StepIndex `json:"step"`
	State lts.State `json:"state"`
	Label string    `json:"label"`
}

// Decision is a place on the counterexample at which something was decided for this run: what was
// chosen there, and what could have been chosen. Kind is the kind of the neighbourhood at this
// state, over all runs; 0 if it is none. For a state on a loop, all is meant for the rounds that
// repeat for ever, on which the run makes no progress any more.
type Decision struct {
	Step  StepIndex          `json:"step"` // the step that leaves it
	State lts.State          `json:"state"`
	Kind  neighbourhood.Kind `json:"neighbourhood,omitempty"`
	// PointOfNoReturn reports whether the run passes the point of no return here.
	PointOfNoReturn bool `json:"point_of_no_return"`
	// Progress is the number of steps of the property done on arrival, and
	// FirstProgress that on the first arrival; they differ only on a loop.
	Progress      int `json:"progress"`
	FirstProgress int `json:"progress_first"`
	// Fate is the fate on arrival. It is the same in every round.
	Fate   simplify.Fate `json:"fate"`
	Chosen Choice        `json:"chosen"`
	// Owner is who makes the choice; empty if that is not known, or nobody.
	Owner string `json:"owner,omitempty"`
	// Source is the place of the chosen action in the specification; nil if that is not known.
	Source *specification.Place `json:"source,omitempty"`
	// Alternatives are the other transitions that leave the state, in the order of
	// the model.
	Alternatives []Choice `json:"alternatives"`
	// Rank is its place, from 1, among where a fault is likely: first the decisions that every
	// violation takes, then the others, those near the end of the run first.
	Rank int `json:"rank"`
	// Distance is the number of decisions that still lie between this one and the end of the
	// run, 0 for the last one (SEFM'18, section 3.4, technique (iv)).
	Distance int `json:"distance_to_bug"`
}

// Choice is a transition that leaves a state of the counterexample.
type Choice struct {
	Label string              `json:"label"`
	To    lts.State           `json:"to"`
	Class neighbourhood.Class `json:"class"` // over all runs
	// After is the class for the run at hand, given the progress it has made:
	// correct where all continuations satisfy the property, incorrect where none
	// does, neutral where it is still open.
	After neighbourhood.Class `json:"after"`
	// First is the same for the first time that the run comes by. It differs from
	// After only on a loop whose rounds make progress.
	First neighbourhood.Class `json:"after_first"`
}

// Exit is a transition that leaves the loop of a lasso.
type Exit struct {
	Step StepIndex `json:"step"` // the step that the run takes instead
	From lts.State `json:"from"`
	Choice
}

// Way is a path of the model that a run could take instead of going round its
// loop for ever.
type Way struct {
	// Step is the index of the step of the counterexample whose source the way
	// leaves, in a round that repeats.
	Step StepIndex `json:"step"`
	// Transitions are the transitions of the way, one at least. Only the last one does the
	// step of the property that never comes, and after it the property is still
	// possible.
	Transitions []PathStep `json:"transitions"`
}

// Loss is what no continuation can do any more after a point of the
// counterexample.
type Loss struct {
	// Steps is the number of transitions after which the run is fated.
	Steps int `json:"steps"`
	// Step is the first step of the property, from 1, that no continuation does
	// in its turn.
	Step int `json:"step"`
}

// LTS returns the model that was explained, or its unfolded model.
func (e *Explanation) LTS() *lts.LTS { return e.lts }

// Formula returns the formula that was explained.
func (e *Explanation) Formula() property.Formula { return e.formula }

// Pattern returns the steps that the counterexample was to do, nil if none
// were asked for.
func (e *Explanation) Pattern() *actl.Formula { return e.pattern }

// Trace returns the counterexample as a run of the model, nil if the property
// holds.
func (e *Explanation) Trace() *counterexample.Trace { return e.trace }

// Classification returns the classes and neighbourhoods, nil in the result of [Check].
func (e *Explanation) Classification() *neighbourhood.Classification { return e.found.types }

// Name returns how a state is shown: by its number, or as state·progress where
// the explanation is about the unfolded model.
func (e *Explanation) Name(s lts.State) string { return name(e.unfolding, s) }

// IsUnfolded reports whether the explanation is about the unfolded model. Then its states belong to
// [Explanation.LTS], and are shown by their names.
func (e *Explanation) IsUnfolded() bool { return e.unfolding != nil }

// Neighbourhoods returns the neighbourhoods, none in the result of [Check].
func (e *Explanation) Neighbourhoods() *Neighbourhoods { return e.found }

// Verdict reports whether a property holds; 0 has no name, and is none.
type Verdict uint8

// The verdicts.
const (
	Satisfied Verdict = iota + 1 // every maximal trace satisfies the property
	Violated                     // some maximal trace does not
)

var verdictNames = enumeration.New("verdict", "", "satisfied", "violated")

func (v Verdict) String() string { return verdictNames.Name(uint8(v)) }

// MarshalText returns the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return verdictNames.Text(uint8(v)) }

// UnmarshalText sets the verdict by its name.
func (v *Verdict) UnmarshalText(text []byte) error { return enumeration.Set(verdictNames, v, text) }

// whether is a fact that [Check] does not find out: then it is 0.
type whether uint8

// What is known of a fact.
const (
	no whether = iota + 1
	yes
)

// whetherIt returns a fact that is known.
func whetherIt(is bool) whether {
	if is {
		return yes
	}
	return no
}

// Is reports whether the fact is known, and true.
func (w whether) Is() bool { return w == yes }

// MarshalJSON returns true or false, null for what is unknown.
func (w whether) MarshalJSON() ([]byte, error) {
	switch w {
	case yes:
		return []byte("true"), nil
	case no:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}

// StepIndex is the index of a step of a counterexample. In data, as in words for people,
// steps are counted from 1.
type StepIndex int

// MarshalJSON returns the number of the step, counted from 1.
func (i StepIndex) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(i)+1, 10), nil }

// LoopStart is the index of the first step of a loop, in data, too; -1
// is null there.
type LoopStart int

// noLoopStart is the LoopStart of a run that ends.
const noLoopStart LoopStart = -1

// MarshalJSON returns the index, or null.
func (l LoopStart) MarshalJSON() ([]byte, error) {
	if l < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(l), 10), nil
}

// MarshalJSON returns an object with the size of the reachable part where it is known.
func (m Model) MarshalJSON() ([]byte, error) {
	if m.ReachableStates > 0 {
		type plain Model
		return asjson.Plain().Marshal(plain(m))
	}
	return asjson.Plain().Marshal(struct {
		File        string    `json:"file"`
		Initial     lts.State `json:"initial"`
		States      int       `json:"states"`
		Transitions int       `json:"transitions"`
		Labels      int       `json:"labels"`
		Begins      int       `json:"initial_states,omitzero"`
	}{m.File, m.Initial, m.States, m.Transitions, m.Labels, m.InitialStates})
}

// MarshalJSON returns an object with the state and, as text, the words.
func (p Pending) MarshalJSON() ([]byte, error) {
	return asjson.Plain().Marshal(struct {
		State property.Q `json:"state"`
		Text  string     `json:"text"`
	}{p.State, p.Words.String()})
}

// number can be larger than what programs take for a number: in data it is a text.
type number struct{ *big.Int }

// MarshalJSON returns the phrase in one piece.
func (w Words) MarshalJSON() ([]byte, error) {
	return asjson.Plain().Marshal(property.Phrase(w).String())
}

// MarshalJSON returns the decimal digits as a text.
func (c number) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, c.String()), nil }

// Phases are the phases of a run, in their order.
type Phases []Phase

// Totals returns the phases with those of one name added up, in the order in which the
// names come first. Cost O(their number).
func (p Phases) Totals() Phases {
	var sums Phases
	at := map[string]int{}
	for _, phase := range p {
		i, known := at[phase.Name]
		if !known {
			i = len(sums)
			at[phase.Name] = i
			sums = append(sums, Phase{Name: phase.Name})
		}
		sums[i].Took += phase.Took
	}
	return sums
}

// MarshalJSON returns an object with the milliseconds that the phases of each name took.
func (p Phases) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, phase := range p.Totals() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, phase.Name), ':')
		b = strconv.AppendFloat(b, phase.Milliseconds(), 'f', -1, 64)
	}
	return append(b, '}'), nil
}

// Milliseconds returns the time in milliseconds, down to the microsecond.
func (p Phase) Milliseconds() float64 {
	return float64(p.Took.Round(time.Microsecond).Microseconds()) / 1000
}

// Fields yields the fields of the JSON of e, which follows [Schema], in their order, each
// with its value: all of a result of [Explain], and those of a result of [Check] that it
// computes. The neighbourhoods are a [*Neighbourhoods], for there can be millions.
func (e *Explanation) Fields() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		complete := e.Classes != nil
		for _, f := range []struct {
			name  string
			value any
			is    bool
		}{
			{"schema", Schema, true},
			{"model", e.Model, true},
			{"property", e.Property, true},
			{"verdict", e.Verdict, true},
			{"warnings", e.Warnings, true},
			{"diagnosis", e.Diagnosis, e.Counterexample != nil},
			{"conjuncts", e.Conjuncts, e.Conjuncts != nil},
			{"counterexample", e.Counterexample, true},
			{"all_shortest", e.All, e.All != nil},
			{"abstracted", e.Abstracted, complete},
			{"neighbourhood_reading", e.Reading, complete},
			{"classes", e.Classes, complete},
			{"neighbourhoods", e.found, complete},
			{"point_of_no_return", e.PointOfNoReturn, complete},
			{"decisions", e.Decisions, complete},
			{"exits", e.Exits, complete},
			{"way", e.Way, complete},
			{"loss", e.Loss, complete},
			{"holds", e.Holds, e.Holds != nil},
			{"faults", e.Faults, e.Faults != nil},
			{"fairness", e.Fairness, e.Fairness != nil},
			{"values", e.Values, e.Values != nil},
			{"repair", e.Repair, e.Repair != nil},
			{"necessity", e.Necessity, e.Necessity != nil},
			{"nearest_correct", e.Nearest, e.Nearest != nil},
			{"prevention", e.Prevention, e.Prevention != nil},
			{"folded", e.Folded, e.Folded != nil},
			{"pattern", e.patternText(), e.pattern != nil},
			{"timings_ms", e.Timings, true},
			{"stats", e.Cost, e.Cost != nil},
		} {
			if f.is && !yield(f.name, f.value) {
				return
			}
		}
	}
}

func (e *Explanation) patternText() string {
	if e.pattern == nil {
		return ""
	}
	return e.pattern.String()
}

// MarshalJSON returns what [Explanation.Fields] yields as one object. Cost O(size of e,
// with its neighbourhoods), in memory.
func (e *Explanation) MarshalJSON() ([]byte, error) {
	format := asjson.Plain()
	if e.IsUnfolded() {
		format = asjson.Named(e.Name)
	}
	var b bytes.Buffer
	for name, value := range e.Fields() {
		if found, is := value.(*Neighbourhoods); is {
			value = slices.Collect(found.WithPaths(PathLabels))
		}
		text, err := format.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.WriteString(",")
		b.WriteString(strconv.Quote(name))
		b.WriteString(":")
		b.Write(text)
	}
	b.WriteByte('}')
	b.Bytes()[0] = '{'
	return b.Bytes(), nil
}

var _ json.Marshaler = (*Explanation)(nil)

// WithValues returns the model to which a formula about values of states can be bound: its labels
// tell the atoms of the formula, by the values of the table in o, see [states.Table.Refine]. It is m
// itself where the formula is about labels alone, or m tells the atoms already. [Explain] and its
// like do this themselves; who also asks the model for something else, and compares labels, takes
// the same model for both. The atoms that ask for a value which no state has are returned, and
// warned of in o. Errors and cost as for [states.Table.Refine].
func WithValues(ctx context.Context, m *lts.LTS, f property.Formula, o *Source) (*lts.LTS, []*values.NoValueError, error) {
	atoms := values.AtomsOf(f)
	if len(atoms) == 0 || len(m.Alphabet().FactNames()) > 0 {
		return m, nil, nil
	}
	r, err := o.States.Refine(ctx, m, atoms)
	if err != nil {
		return nil, nil, err
	}
	o.Warnings = append(o.Warnings[:len(o.Warnings):len(o.Warnings)], r.Warnings...)
	for _, missing := range r.NoState {
		o.Warnings = append(o.Warnings, missing.Error())
	}
	return r.LTS, r.NoState, nil
}

// HasQuotient reports whether there is a quotient: if classes are known. Under fairness there is
// none, since hidden transitions may count.
func (e *Explanation) HasQuotient() bool {
	return e.Classification() != nil && e.Classification().Fates().Fairness() == nil
}

// Quotient returns a small model that means the same for the property, in which states
// that cannot be told apart are one, and its classes and neighbourhoods: those of the
// model itself, since merging keeps them. It is for explanations that have classes.
//
// It fails with [quotient.ErrManyBlocks] where more than maxBlocks states are left, with
// [ErrFairQuotient] under fairness, and if ctx is done. Cost: as much as
// [quotient.ForClasses], and of [Analyse] for the quotient.
func (e *Explanation) Quotient(ctx context.Context, maxBlocks int) (*quotient.Quotient, *neighbourhood.Classification, error) {
	ofModel := e.Classification().Fates()
	if ofModel.Fairness() != nil {
		return nil, nil, errFairQuotient
	}
	q, err := quotient.ForClasses(ctx, ofModel, quotient.Options{MergeLabels: true, MaxBlocks: maxBlocks})
	if err != nil {
		return nil, nil, err
	}
	components, err := scc.Find(ctx, q.LTS(), "")
	if err != nil {
		return nil, nil, err
	}
	fates, err := fate.Compute(ctx, components, q.Property(), enrich.Options{})
	if err != nil {
		return nil, nil, err
	}
	classes, err := neighbourhood.Classify(ctx, fates, e.Classification().Reading())
	return q, classes, err
}

// describeProperty describes the property of an analysis of the model itself.
func describeProperty(a *Analysis) Property {
	p := Property{Kind: a.Property.Kind(), Text: a.Formula.String()}
	if f, is := a.Formula.(interface{ ACTL() string }); is {
		p.ACTL = f.ACTL()
	}
	if f, is := a.Formula.(interface{ Written() string }); is {
		p.Written = f.Written()
	}
	if f, is := a.Formula.(interface{ Scope() string }); is {
		p.Scope = f.Scope()
	}
	for i := 1; i <= a.Property.Steps(); i++ {
		step := a.Property.Step(i)
		described := PropertyStep{Pattern: step.Pattern.String(), Labels: []string{}}
		for _, l := range step.Labels {
			described.Labels = append(described.Labels, a.text(l))
		}
		p.Steps = append(p.Steps, described)
	}
	return p
}

// asked describes the assumptions that were asked for; nil if none were.
func asked(fair []*actl.Assumption) *Fairness {
	if len(fair) == 0 {
		return nil
	}
	f := &Fairness{Asked: []Asked{}, Assumptions: []Assumption{}, Cut: []AssumptionKind{}, Complete: true}
	for _, one := range fair {
		f.Asked = append(f.Asked, Asked{one.Kind(), one.Tasks(), one.Nonstuttering(), one.Written()})
	}
	return f
}

func modelOf(m *lts.LTS, file string) Model {
	model := Model{
		File:        file,
		Initial:     m.Initial(),
		States:      m.NumStates(),
		Transitions: m.NumTransitions(),
		Labels:      m.Alphabet().Texts(),
	}
	if begin, added := m.Begin(); added {
		labels, _ := m.Out(m.Initial())
		model.InitialStates = len(begin)
		model.States--
		model.Transitions -= labels.Len()
		model.Labels -= onlyBefore(m)
	}
	return model
}

// onlyBefore returns how many labels stand only on the transitions to the initial states.
func onlyBefore(m *lts.LTS) int {
	a := m.Alphabet()
	only := map[lts.Label]bool{}
	labels, _ := m.Out(m.Initial())
	for l := range labels.All() {
		if !slices.ContainsFunc(a.Variants(a.Text(l)), func(other lts.Label) bool {
			_, begins := a.Facts(other)
			return !begins
		}) {
			only[a.Plain(l)] = true
		}
	}
	return len(only)
}

// reach adds the size of the reachable part.
func (m *Model) reach(ctx context.Context, of *lts.LTS) error {
	if err := of.FindReachable(ctx); err != nil {
		return err
	}
	m.Deadlocks = of.Reachable().NumDeadlocks()
	m.ReachableStates, m.ReachableTransitions = of.Size()
	return nil
}

// describe adds what is known once the components are.
func (m *Model) describe(ctx context.Context, c *scc.Components) error {
	if err := m.reach(ctx, c.LTS()); err != nil {
		return err
	}
	m.SCCs, m.Depth = c.Len(), c.MaxDepth()
	if m.InitialStates > 0 {
		m.SCCs--
		m.Depth--
	}
	return nil
}
