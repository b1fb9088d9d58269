package explain

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Fairness has the assumptions about infinite runs that would make a violated property
// hold.
type Fairness struct {
	// Asked are the assumptions under which the verdict was asked for.
	Asked []Asked `json:"asked"`
	// Tasks is the number of tasks that they make of the labels of the model, where it was
	// looked for those that are enough.
	Tasks int `json:"-"`
	// Chain is the verdict under each notion, of which each counts no more runs than the
	// one before it.
	Chain *FairnessChain `json:"chain,omitempty"`
	// Just is the verdict on just runs, without refusals; 0 if it is not
	// known which components actions need.
	Just Verdict `json:"just,omitzero"`
	// Deadlock reports whether a run that ends in a deadlock violates the property: then
	// no assumption helps.
	Deadlock bool `json:"deadlock"`
	// OutOfReach says what even full fairness does not bring about; nil if that makes
	// the property true, and where a deadlock violates it.
	OutOfReach *OutOfReach `json:"out_of_reach"`
	// Assumptions are minimal ones that make the property true: labels done finitely
	// often, none of which triggers it (see [Triggers]), labels that are fair, choices that
	// are; smallest first within each kind.
	Assumptions []Assumption `json:"assumptions"`
	// Cut are the kinds of which not all smallest assumptions were found.
	Cut []AssumptionKind `json:"cut"`
	// Complete reports whether there are no other minimal sets of labels.
	Complete bool `json:"complete"`
	// LimitReached reports whether the search for assumptions ended at its limit of work:
	// there may be smaller ones of any kind, and better ones.
	LimitReached bool `json:"limit_reached,omitzero"`
}

// Asked is an assumption under which the verdict was asked for.
type Asked struct {
	Kind  actl.AssumptionKind `json:"kind"`
	Tasks string              `json:"tasks,omitempty"`
	// Nonstuttering leaves self-loops out of the tasks.
	Nonstuttering bool `json:"nonstuttering,omitempty"`
	// Written is how a specification has it, "" if it comes from none.
	Written string `json:"written,omitempty"`
}

// String returns the assumption as [actl.ParseAssumption] takes it.
func (a Asked) String() string {
	if a.Written != "" {
		return a.Written
	}
	text := a.Kind.String()
	if a.Nonstuttering {
		text += "!"
	}
	if a.Tasks != "" {
		text += ":" + a.Tasks
	}
	return text
}

// FairnessChain is the verdict under each notion: without assumptions, under weak and
// under strong fairness of each label, and under full fairness.
type FairnessChain struct {
	None   Verdict `json:"none"`
	Weak   Verdict `json:"weak"`
	Strong Verdict `json:"strong"`
	Full   Verdict `json:"full"`
}

// ModelState is a state of the model itself, also where the unfolded one is explained.
type ModelState uint32

// OutOfReach says that after the first Steps transitions of some shortest run, in State
// and with Progress, no continuation does step Step of the property in its turn, counted
// from 1; of a property without steps, of which both are 0, almost no continuation satisfies
// it.
type OutOfReach struct {
	State    ModelState `json:"state"`
	Steps    int        `json:"steps"`
	Progress int        `json:"progress"`
	Step     int        `json:"property_step"`
}

// Assumption is one that makes the property true.
type Assumption struct {
	Kind AssumptionKind `json:"kind"`
	// Labels are the labels of finitely, weak and strong, in alphabetical order.
	Labels []string `json:"labels,omitempty"`
	// Tasks are the names of those tasks that were asked for, in alphabetical order, where
	// it is they that are enough.
	Tasks []string `json:"tasks,omitempty"`
	// States are the states of choices, ascending.
	States []ModelState `json:"states,omitempty"`
}

// AssumptionKind is a kind of assumption.
type AssumptionKind uint8

// The kinds of assumptions.
const (
	Finitely    AssumptionKind = iota + 1 // the labels are done finitely often
	Strong                                // runs are strongly fair to each label
	Weak                                  // runs are weakly fair to each label
	FairChoices                           // the choices in the states are made again and again all ways
)

var assumptionNames = enumeration.New("kind of assumption", "", "finitely", "strong", "weak", "choices")

func (k AssumptionKind) String() string { return assumptionNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k AssumptionKind) MarshalText() ([]byte, error) { return assumptionNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *AssumptionKind) UnmarshalText(text []byte) error {
	return enumeration.Set(assumptionNames, k, text)
}

// workForAssumptions is the number of transitions that the search for assumptions looks at
// for each question. Of a model so large that it would end before fewestPasses it is not
// begun: with fewer, hardly any question has an answer.
const (
	workForAssumptions = 3_000_000
	fewestPasses       = 4
)

// ErrNoRunCounts reports that no run of the model meets the assumptions, so that nothing is to
// be said of the property.
var ErrNoRunCounts = errors.New("no run is admitted: on every run of the model some of the labels that are to happen finitely often happen for ever; name fewer of them")

// errFairSearch reports that the way in which a counterexample was asked for does not go with
// assumptions.
var errFairSearch = errors.New("under fairness there is one counterexample: a choice among several, a pattern, a given run, or a search in the product automaton does not go with it")

// errFairQuotient reports that a quotient was asked for under assumptions, which it does not
// keep.
var errFairQuotient = errors.New("there is no quotient under fairness: it hides actions that runs may have to be fair to")

// Above MostTransitionsForFairness [Explain] does not look for assumptions, and neither
// where what a question goes through is larger than MostForFairness: the states and
// transitions of cyclic components, for each step of the property that may still be to come
// in them and that some of their transitions do.
const (
	mostTransitionsForFairness = 50_000_000
	mostForFairness            = 100_000_000
)

// mostUnfoldedForFairness is the number of transitions of products above which they are not made for
// that: it takes longer than all else.
const mostUnfoldedForFairness = 30_000_000

var defaultFairness = fairnessLimits{mostForFairness, mostUnfoldedForFairness}

const tooLargeForFairness = "which fairness would help was not looked for: the product of model and property is large; " +
	"a single assumption is decided if it is asked for"

// unfoldedSize returns the number of transitions of the product of model and property, 0 if it is
// known or not needed. Cost O(S).
func unfoldedSize(fates *fate.Map) (transitions int64) {
	if _, known := fates.Unfolding(); known || fates.Property().Steps() > 0 {
		return 0
	}
	for s := range lts.State(fates.LTS().NumStates()) {
		reached, _, _ := fates.Histories(s)
		first, end := fates.LTS().Row(s)
		transitions += int64(reached) * int64(end-first)
	}
	return transitions
}

// fairnessLimits bound the search for fairness that would make a property hold: what a question
// goes through, and the transitions of products that are made for it.
type fairnessLimits struct{ size, unfolded int64 }

// errUnfolded reports that the products are too large to be made.
var errUnfolded = errors.New(tooLargeForFairness)

// describeFairness finds out which assumptions would make the property true; nil if more than so
// much is to be gone through. It fails with [errUnfolded], too.
func (a *Analysis) describeFairness(ctx context.Context, owners *Owners, most fairnessLimits) (*Fairness, error) {
	violated, err := a.fairlyViolated(ctx)
	if err != nil {
		return nil, err
	}
	if unfoldedSizes(violated) > most.unfolded {
		return nil, errUnfolded
	}
	search, err := assume.Of(ctx, violated...)
	if errors.Is(err, assume.ErrManyPairs) {
		return nil, nil
	}
	if err == nil && search.Size() > most.size {
		return nil, nil
	}
	return a.fairnessOf(ctx, search, err, owners, most)
}

// fairnessOf asks a search, or its error, which assumptions would make the property true.
func (a *Analysis) fairnessOf(ctx context.Context, search *assume.Search, err error, owners *Owners, most fairnessLimits) (*Fairness, error) {
	f := &Fairness{Asked: []Asked{}, Chain: &FairnessChain{Violated, Violated, Violated, Violated}, Assumptions: []Assumption{}, Cut: []AssumptionKind{}, Complete: true}
	var needs func(string) []string
	if owners != nil && owners.Components != nil {
		f.Just, needs = Violated, owners.Components
	}
	if f.Deadlock = errors.Is(err, assume.ErrDeadlock); f.Deadlock {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	m := a.Fates.LTS()
	holds, err := f.findChain(search, m.Alphabet())
	if err != nil {
		return nil, err
	}
	if needs != nil && holds {
		if err := f.findJust(ctx, search, m.Alphabet(), needs); err != nil {
			return nil, err
		}
	}
	if !holds {
		if f.OutOfReach, err = a.outOfReach(ctx, search, most); err != nil {
			return nil, err
		}
		f.LimitReached = f.OutOfReach == nil
	}
	if fewestPasses*int64(m.NumTransitions()) > workForAssumptions {
		f.Complete, f.LimitReached = false, true
		return f, nil
	}
	triggers, err := triggersOf(ctx, a.Formula, m.Alphabet())
	if err != nil {
		return nil, err
	}
	return f, f.findAssumptions(search, a.inSteps(), m, assume.Limits{Work: workForAssumptions, Without: among(m, triggers)})
}

// findChain finds the verdict under each notion, and reports whether the property holds
// under full fairness. What does not hold under one does not under a weaker one.
func (f *Fairness) findChain(search *assume.Search, a *lts.Alphabet) (bool, error) {
	tasks := func(strong bool) []property.Task {
		each := make([]property.Task, a.Len())
		for l := range a.All() {
			each[l] = property.Task{Labels: []lts.Label{l}, Strong: strong}
		}
		return each
	}
	for i, notion := range []struct {
		full  bool
		tasks []property.Task
		of    *Verdict
	}{{true, nil, &f.Chain.Full}, {false, tasks(true), &f.Chain.Strong}, {false, tasks(false), &f.Chain.Weak}} {
		fair, err := property.NewFairness(a, notion.full, notion.tasks, nil)
		if err != nil {
			return false, err
		}
		violated, err := search.Violates(fair)
		if err != nil || violated {
			return i > 0, err
		}
		*notion.of = Satisfied
	}
	return true, nil
}

// findJust finds the verdict on just runs, which fully fair ones are.
func (f *Fairness) findJust(ctx context.Context, search *assume.Search, a *lts.Alphabet, needs func(string) []string) error {
	just, err := actl.ParseAssumption(ctx, actl.Just.String())
	if err != nil {
		return err
	}
	fair, _, err := actl.BindAssumptions(ctx, []*actl.Assumption{just.On(needs)}, a)
	if err != nil {
		return err
	}
	violated, err := search.Violates(fair)
	if err == nil && !violated {
		f.Just = Satisfied
	}
	return err
}

// findAssumptions adds the assumptions, choices only for a chain.
func (f *Fairness) findAssumptions(search *assume.Search, isChain bool, m *lts.LTS, l assume.Limits) error {
	finitely, err := search.Finitely(l)
	if err != nil {
		return err
	}
	f.add(m, Finitely, finitely)
	if f.Chain.Strong == Satisfied {
		strong, err := search.FairLabels(true, l)
		if err != nil {
			return err
		}
		f.add(m, Strong, strong)
	}
	if f.Chain.Weak == Satisfied {
		weak, err := search.FairLabels(false, l)
		if err != nil {
			return err
		}
		f.add(m, Weak, weak)
	}
	if f.Chain.Full == Violated || !isChain || !search.HasChoices() {
		return nil
	}
	choices, err := search.FairChoices(l)
	if err != nil {
		return err
	}
	f.Complete = f.Complete && choices.Minimal
	f.LimitReached = f.LimitReached || !choices.Minimal
	if choices.States != nil {
		states := make([]ModelState, len(choices.States))
		for i, s := range choices.States {
			states[i] = ModelState(s)
		}
		f.Assumptions = append(f.Assumptions, Assumption{Kind: FairChoices, States: states})
	}
	return nil
}

func (f *Fairness) add(m *lts.LTS, kind AssumptionKind, found assume.Found) {
	more := make([]Assumption, 0, len(found.Labels))
	for _, set := range found.Labels {
		labels := make([]string, len(set))
		for i, l := range set {
			labels[i] = m.Alphabet().Text(l)
		}
		slices.Sort(labels)
		more = append(more, Assumption{Kind: kind, Labels: labels})
	}
	f.append(kind, found, more)
}

// append adds assumptions of a kind, those that were found.
func (f *Fairness) append(kind AssumptionKind, found assume.Found, more []Assumption) {
	members := func(a Assumption) []string { return append(a.Labels, a.Tasks...) }
	slices.SortStableFunc(more, func(a, b Assumption) int {
		if d := len(members(a)) - len(members(b)); d != 0 {
			return d
		}
		return slices.Compare(members(a), members(b))
	})
	if len(more) > 0 && len(members(more[0])) > found.Through || len(more) == 0 && !found.Complete {
		f.Cut = append(f.Cut, kind)
	}
	f.Assumptions = append(f.Assumptions, more...)
	f.Complete = f.Complete && found.Complete
	f.LimitReached = f.LimitReached || found.Stopped
}

// outOfReach returns the nearest state from which, with the progress made, the property
// is out of reach; nil if a product would have to be made for that which is too large.
func (a *Analysis) outOfReach(ctx context.Context, search *assume.Search, most fairnessLimits) (*OutOfReach, error) {
	if at, known, err := search.Doomed(); known || err != nil {
		return &OutOfReach{State: ModelState(at.State), Steps: at.Steps}, err
	}
	if unfoldedSize(a.Fates) > most.unfolded {
		return nil, nil
	}
	return outOfReach(ctx, a.Fates)
}

// outOfReach is [Analysis.outOfReach] by prefixes and suffixes, or in the product.
func outOfReach(ctx context.Context, fates *fate.Map) (*OutOfReach, error) {
	if fates.Property().Steps() == 0 {
		return outOfReachInProduct(ctx, fates)
	}
	type node struct {
		state    lts.State
		progress int
		steps    int
	}
	m, p := fates.LTS(), fates.Property()
	// least is one more than the smallest progress with which a state was met: with more
	// progress nothing is lost that was not lost before.
	least, err := resources.Make[uint32](ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	queue := []node{{state: m.Initial()}}
	least[m.Initial()] = 1
	for next := 0; next < len(queue); next++ {
		if next&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := queue[next]
		if fates.At(at.state, property.Q(at.progress)) == fate.Lost {
			furthest, err := furthestProgress(ctx, fates, at.state, at.progress)
			return &OutOfReach{ModelState(at.state), at.steps, at.progress, furthest + 1}, err
		}
		labels, targets := m.Out(at.state)
		for i, to := range targets {
			after := int(p.Next(property.Q(at.progress), labels.At(i)))
			if least[to] == 0 || uint32(after)+1 < least[to] {
				least[to] = uint32(after) + 1
				queue = append(queue, node{to, after, at.steps + 1})
			}
		}
	}
	return nil, nil
}

// outOfReachInProduct is [outOfReach] for a property that is no chain: states of the product
// are numbered breadth first.
func outOfReachInProduct(ctx context.Context, fates *fate.Map) (*OutOfReach, error) {
	full, err := property.NewFairness(fates.LTS().Alphabet(), true, nil, nil)
	if err != nil {
		return nil, err
	}
	if fates, err = fates.Under(ctx, full); err != nil {
		return nil, err
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return nil, err
	}
	steps, err := resources.Make[uint32](ctx, u.LTS().NumStates())
	if err != nil {
		return nil, err
	}
	met := lts.State(0)
	for s := range lts.State(u.LTS().NumStates()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if at := u.Place(s); fates.At(at.State, at.Q) == fate.Lost {
			return &OutOfReach{State: ModelState(at.State), Steps: int(steps[s])}, nil
		}
		_, targets := u.LTS().Out(s)
		for _, t := range targets {
			if t > met {
				met, steps[t] = t, steps[s]+1
			}
		}
	}
	return nil, nil
}

const (
	// fewBeside is a number of transitions up to which the search for fairness is not worth
	// a goroutine.
	fewBeside = 1 << 15
	// bytesBeside is what that search takes for a state, at most.
	bytesBeside = 64
)

// fairnessAhead is the search for the fairness that would make a property hold, which needs the
// fates alone: it goes on during the classes and the search for a counterexample.
type fairnessAhead struct {
	stop  context.CancelFunc
	done  chan struct{}
	found *Fairness
	err   error
}

// fairnessBeside begins the search; nil if there is no core or memory to spare, or if the
// search is not worth it. Somebody must wait for it, or end it.
func (a *Analysis) fairnessBeside(ctx context.Context, o Options) *fairnessAhead {
	n := a.m.NumTransitions()
	if n <= fewBeside || n > mostTransitionsForFairness || runtime.GOMAXPROCS(0) == 1 || !resources.Spare(ctx, bytesBeside*int64(a.m.NumStates())) {
		return nil
	}
	b := &fairnessAhead{done: make(chan struct{})}
	ctx, b.stop = context.WithCancel(ctx)
	go func() {
		defer close(b.done)
		b.found, b.err = a.describeFairness(ctx, o.Owners, defaultFairness)
	}()
	return b
}

// wait returns what was found, once it is.
func (b *fairnessAhead) wait() (*Fairness, error) {
	<-b.done
	b.stop()
	return b.found, b.err
}

// end stops the search if it goes on, and waits until it has ended.
func (b *fairnessAhead) end() {
	if b != nil {
		b.stop()
		<-b.done
	}
}

// fairlyViolated returns the fates of some properties: a run violates one of them if and only if it
// violates the property of a. It is this property alone, if its violations can be found in the model;
// otherwise they are the conditions that the formula joins by "and", as far as these do not hold: their
// products are small, or not needed. Cost as for [fate.Compute] for each.
func (a *Analysis) fairlyViolated(ctx context.Context) ([]*fate.Map, error) {
	whole := []*fate.Map{a.Fates}
	joined, is := a.Formula.(interface{ Conjuncts() []property.Formula })
	if a.inSteps() || a.fairness != nil || !is || assume.InModel(a.Fates) {
		return whole, nil
	}
	parts := joined.Conjuncts()
	if len(parts) < 2 || len(parts) > mostConjuncts {
		return whole, nil
	}
	labels, err := a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	var all []*fate.Map
	for _, part := range parts {
		p, _, err := part.Bind(ctx, labels)
		if err != nil {
			return nil, err
		}
		fates, err := fate.Compute(ctx, a.Components, p, enrich.Options{})
		if err != nil {
			return nil, err
		}
		if !fates.Holds() {
			all = append(all, fates)
		}
	}
	if len(all) == 0 {
		return whole, nil
	}
	return all, nil
}

// unfoldedSizes returns how many transitions the products have that are needed to find out under
// which fairness properties hold.
func unfoldedSizes(all []*fate.Map) (transitions int64) {
	for _, fates := range all {
		if !assume.InModel(fates) {
			transitions += unfoldedSize(fates)
		}
	}
	return transitions
}

// describeEnough finds out which of the tasks that runs of a were assumed to be fair to are
// enough to make the property true: of those it holds under, fair as they were assumed to
// be; of weakly fair ones under which it does not, strongly. It says nothing where other
// things are assumed as well, or not all tasks are fair in the same way, and where a model
// is so large that the search would end at once.
func (f *Fairness) describeEnough(ctx context.Context, a *Analysis, most int64) error {
	fair, m := a.fairness, a.m
	tasks := slices.Clone(fair.Tasks())
	if len(tasks) == 0 || fair.Full() || fair.Excludes() || fair.Justness() != nil || fewestPasses*int64(m.NumTransitions()) > workForAssumptions {
		return nil
	}
	strong := tasks[0].Strong
	if slices.ContainsFunc(tasks, func(t property.Task) bool { return t.Strong != strong }) {
		return nil
	}
	if !a.Fates.Holds() {
		if strong {
			return nil
		}
		strong = true
		for i := range tasks {
			tasks[i].Strong = true
		}
	}
	search, err := assume.Of(ctx, a.Fates)
	switch {
	case errors.Is(err, assume.ErrManyPairs):
		return nil
	case errors.Is(err, assume.ErrDeadlock):
		f.Deadlock = true
		return nil
	case err != nil:
		return err
	case search.Size() > most:
		return nil
	}
	kind := Weak
	if strong {
		kind = Strong
	}
	found, err := search.FairTasks(tasks, assume.Limits{Work: workForAssumptions})
	if err != nil {
		return err
	}
	f.Tasks = len(tasks)
	f.addTasks(kind, tasks, found)
	return nil
}

func (f *Fairness) addTasks(kind AssumptionKind, tasks []property.Task, found assume.Found) {
	more := make([]Assumption, 0, len(found.Tasks))
	for _, set := range found.Tasks {
		names := make([]string, len(set))
		for i, task := range set {
			names[i] = tasks[task].Name
		}
		slices.Sort(names)
		more = append(more, Assumption{Kind: kind, Tasks: names})
	}
	f.append(kind, found, more)
}
