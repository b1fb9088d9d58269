package replay

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Options are the options of an [Aligner].
type Options struct {
	// Property is the property, bound to the model; nil if there is none.
	Property *property.Property
	// Unlogged reports whether actions with a label are internal, so that a log lacks them.
	Unlogged func(label string) bool
}

// Aligner aligns cases with a model. Only one goroutine may use it at a time.
type Aligner struct {
	model     *lts.LTS
	unfolding *product.Unfolding // nil without a property
	fates     *fate.Map          // nil without a property
	unlogged  []bool             // for each label, whether it would not be logged

	m      *lts.LTS // the model that is searched: the given one, or its product with the property
	rows   *rows
	labels []uint32 // the labels of the events of a log, by the numbers of the events
	// possible caches the results of possibleAt.
	possible map[lts.State]possible
	meter    *progress.Meter
	metered  int // how many events of the current case the meter has counted
	// met indexes the nodes of the layer that is being made. here and before index two layers
	// during the search backwards.
	met, here, before index
	// spacing is the number of nodes between two checkpoints at the beginning of a search.
	spacing int
	// patience is the number of nodes that may be computed again before the band becomes wider.
	patience int
	// visited is the number of nodes of all layers that were computed. It measures the work of all
	// alignments.
	visited int
}

// commonSpacing is the usual number of nodes between two checkpoints: they take some megabytes.
const commonSpacing = 1 << 18

// commonPatience is the usual number of nodes that may be computed again: they take some
// milliseconds.
const commonPatience = 1 << 16

// New returns an aligner. Errors and cost as for [fate.Compute] and [product.Unfold] if there is a
// property, and O(S + T).
func New(ctx context.Context, m *lts.LTS, o Options) (*Aligner, error) {
	a := &Aligner{
		model:    m,
		m:        m,
		spacing:  commonSpacing,
		patience: commonPatience,
		possible: map[lts.State]possible{},
		unlogged: make([]bool, m.Alphabet().Len()),
	}
	for l, text := range m.Alphabet().All() {
		a.unlogged[l] = o.Unlogged != nil && o.Unlogged(text)
	}
	if o.Property != nil {
		err := a.unfold(ctx, o.Property)
		if err != nil {
			return nil, err
		}
	}
	var err error
	a.rows, err = newRows(ctx, a.m, a.isFree)
	if err != nil {
		return nil, err
	}
	for _, x := range []*index{&a.met, &a.here, &a.before} {
		err := x.init(ctx, a.m.NumStates())
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// unfold makes the product of the model and a property, which is then searched instead of the
// model.
func (a *Aligner) unfold(ctx context.Context, p *property.Property) (err error) {
	a.fates, err = fate.Of(ctx, a.model, p, fate.Options{})
	if err != nil {
		return err
	}
	a.unfolding, err = a.fates.Product(ctx)
	if err != nil {
		return err
	}
	a.m = a.unfolding.LTS()
	return nil
}

// state returns the state of the model that belongs to a state of m.
func (a *Aligner) state(s lts.State) lts.State {
	if a.unfolding == nil {
		return s
	}
	return a.unfolding.At(s).State
}

// fateAt returns the fate of runs that have reached a state of m.
func (a *Aligner) fateAt(s lts.State) fate.Fate {
	p := a.unfolding.At(s)
	return a.fates.At(p.State, p.Q)
}

// isFree reports whether a transition costs nothing if the log lacks it. It is free if it is an
// internal action, or if it only leads to an initial state. begins reports whether it only leads to
// an initial state.
func (a *Aligner) isFree(from lts.State, l lts.Label) (free, begins bool) {
	_, begins = a.model.Alphabet().Facts(l)
	begins = begins || a.model.IsBefore(a.state(from))
	return begins || a.unlogged[l], begins
}

// possible are actions that can come next.
type possible struct {
	// logged are the actions that a log has, ascending; unlogged are the others.
	logged   []string
	unlogged map[string]bool
}

// possibleAt returns the actions that can come next, at once or after actions that are not logged.
func (a *Aligner) possibleAt(s lts.State) possible {
	model := a.state(s)
	if p, known := a.possible[model]; known {
		return p
	}
	visited := map[lts.State]bool{s: true}
	logged := map[string]bool{}
	p := possible{unlogged: map[string]bool{}}
	work := []lts.State{s}
	for len(work) > 0 {
		state := work[len(work)-1]
		work = work[:len(work)-1]
		for i := a.rows.first[state]; i < a.rows.first[state+1]; i++ {
			label := a.rows.labels[i]
			if i >= a.rows.logged[state] {
				logged[a.model.Alphabet().Text(lts.Label(label))] = true
				continue
			}
			if label != begins {
				p.unlogged[a.model.Alphabet().Text(lts.Label(label))] = true
			}
			to := a.rows.targets[i]
			if !visited[to] {
				visited[to] = true
				work = append(work, to)
			}
		}
	}
	p.logged = sorted(logged)
	a.possible[model] = p
	return p
}

// sorted returns the texts of a set, ascending.
func sorted(set map[string]bool) []string {
	all := slices.AppendSeq([]string{}, maps.Keys(set))
	slices.Sort(all)
	return all
}

// alignment has the results for the cheapest alignments of a case, and the steps of one of them.
type alignment struct {
	cost  int
	ends  []lts.State // the model states where a run can be after the case
	fate  fate.Fate   // 0 without a property
	since int
	steps []step // the steps that are deviations; all steps if the run is kept
}

// align aligns a case. It searches a graph of positions and states layer by layer, for a shortest
// path (Adriansyah: Aligning Observed and Modeled Behavior, PhD thesis, Eindhoven 2014, chapter 4).
// Of each layer it keeps only a band (Ukkonen: Algorithms for Approximate String Matching,
// Information and Control 64, 1985), which is wide only where events deviate. If keep is true, the
// alignment has all its steps. align fails with errWide if whole layers would cost less; then the
// caller tries these.
//
// Cost O(n T Q) at worst, for n events and Q property states. If the model is deterministic, and a
// few events refute most guesses: O(n), with O(d (B + L)) for each place where d deviations come
// together, for B transitions within d steps of the run and L transitions with the label of an
// event.
func (s *search) align(keep bool) (_ *alignment, err error) {
	defer abort.Caught(&err)
	s.kept = kept{spaced: s.spacing}
	s.forwards()
	abort.On(s.ctx.Err())
	cost := s.now.nodes[0].cost()
	b := &back{
		search: s,
		path:   cost > 0 || keep,
		keep:   keep,
		at:     s.now.nodes[0].state,
		seeds:  s.cheapest(cost),
	}
	found := &alignment{cost: int(cost), ends: s.modelStates(b.seeds)}
	if s.fates != nil {
		found.fate = s.commonFate(b.seeds)
	}
	if found.fate != fate.Open {
		b.fate = found.fate
	}
	b.backwards()
	slices.Reverse(b.reversed)
	found.steps = b.reversed
	found.since = b.since
	return found, nil
}

// forwards makes the layers of all positions. If the best node of a layer may be a guess, it makes
// layers before it wider, and continues from there.
func (s *search) forwards() {
	s.enterFirst()
	s.keep(0)
	for i := 1; i <= s.n; i++ {
		s.advance(i)
		s.count(i, len(s.now.nodes))
		if s.isUncertain(i) {
			i = s.goBack(s.widen(i, forwards))
			continue
		}
		s.remember(i)
	}
}

// isUncertain reports whether the best node of position i may be a guess. In the last layer, it
// also reports whether another node with as few deviations is a guess.
func (s *search) isUncertain(i int) bool {
	nodes := s.now.nodes
	best := nodes[0]
	if best.guessed() || i < s.n {
		return best.guessed()
	}
	next := slices.IndexFunc(nodes, func(n node) bool {
		return n.key > best.key
	})
	// The key of a guess is larger by one than the key of a node that is no guess and has as few
	// deviations.
	return next >= 0 && nodes[next].key == best.key+1
}

// cheapest returns the states of the current layer with the given number of deviations.
func (s *search) cheapest(cost uint32) []lts.State {
	var states []lts.State
	for _, n := range s.now.nodes {
		if n.cost() == cost {
			states = append(states, n.state)
		}
	}
	return states
}

// modelStates returns the states of the model that belong to states of m, ascending. It leaves out
// the state before the initial states, where no run is.
func (s *search) modelStates(searched []lts.State) []lts.State {
	var states []lts.State
	for _, x := range searched {
		state := s.state(x)
		if !s.model.IsBefore(state) {
			states = append(states, state)
		}
	}
	slices.Sort(states)
	return slices.Compact(states)
}

// commonFate returns the fate of some states; open if they differ.
func (s *search) commonFate(states []lts.State) fate.Fate {
	common := s.fateAt(states[0])
	for _, state := range states {
		if s.fateAt(state) != common {
			return fate.Open
		}
	}
	return common
}

// backwards follows the cheapest alignments back, block by block. If a guess may lie on one of
// them, it makes the layers of the block wider.
func (b *back) backwards() {
	for end := b.n; !b.finished(); end = b.base {
		b.load(max(0, end-1), end)
		for i := end; (i > b.base || i == 0) && !b.finished(); {
			if b.process(i) {
				i--
				continue
			}
			nodes := b.load(b.widen(i, backwards), i)
			b.visited += nodes
			b.repeat(nodes)
		}
	}
}

// Kind is the side of an alignment where something is missing.
type Kind string

// The kinds of deviations.
const (
	// InLog is an event that the run of the model does not do.
	InLog Kind = "log"
	// InModel is an action of the run that the log lacks.
	InModel Kind = "model"
)

// Deviation is a difference between a log and the run of the model that it is aligned with.
type Deviation struct {
	// Event is the number of the event in its case, from 1; for an action that the log lacks, the
	// number of the next event.
	Event int    `json:"event"`
	Line  int    `json:"line,omitzero"` // the line of the event, if it is known
	Label string `json:"label"`
	Kind  Kind   `json:"kind"`
	// Next is the label of the event before which an action is missing; empty
	// for other deviations.
	Next string `json:"next,omitempty"`
	// Possible are the actions that could have been logged instead, ascending. Allowed reports that
	// the event is possible, too, but that at least as many deviations follow in that case.
	Possible []string `json:"possible"`
	Allowed  bool     `json:"allowed,omitempty"`
	// State is the state of the model before the deviation. Start reports that the run can begin in
	// several states, and that the deviation is the same for all of them.
	State lts.State `json:"state"`
	Start bool      `json:"start,omitzero"`
}

// Judgement is what a log means for a property.
type Judgement struct {
	// Fate is the fate of all runs that the log is aligned with; open if they differ.
	Fate fate.Fate `json:"fate"`
	// Since is the number of the event after which all of these runs have this fate; nil if the
	// fate is open.
	Since *int `json:"since"`
	// Line is the line of this event, 0 if it is not known.
	Line  int    `json:"line,omitzero"`
	Event string `json:"event,omitempty"`
}

// CaseResult is the result for a case.
type CaseResult struct {
	Name       string      `json:"case"`
	Events     int         `json:"events"`
	Fits       bool        `json:"fits"`
	Cost       int         `json:"cost"` // the number of deviations
	Deviations []Deviation `json:"deviations"`
	// States are all states where a run can be after the log, ascending.
	States   []lts.State `json:"states"`
	Property *Judgement  `json:"property"` // nil without a property
}

// Frequency is the number of deviations of a kind with a label, and the number of cases with such
// deviations.
type Frequency struct {
	Kind       Kind   `json:"kind"`
	Label      string `json:"label"`
	Deviations int    `json:"deviations"`
	Cases      int    `json:"cases"`
}

// Unknown is an event without a label of the model.
type Unknown struct {
	Name   string `json:"event"`
	Events int    `json:"events"`
}

// Backwards describes the events that are earlier than the previous event of their case.
type Backwards struct {
	Events int    `json:"events"` // the number of such events
	Case   string `json:"case"`   // the case of the first such event
	Event  int    `json:"event"`  // the number of the first such event in its case
}

// Result is the result for a log.
type Result struct {
	// ModelFile and LogFile are file names. Formula is the property as written, or "" without a
	// property. Warnings are about the model and the log.
	ModelFile, LogFile, Formula string
	Warnings                    []string

	Cases []CaseResult
	// Frequent are all deviations, by kind and label, the most frequent first.
	Frequent []Frequency
	// Unknown are the events that have no label in the model, the most frequent first.
	Unknown                 []Unknown
	LeftOut, Broken, Others int
	Backwards               *Backwards // nil if no event is
	// Run is the run of the model with which one case was aligned, if the caller asked for it.
	Run []lts.Transition
}

// Fits reports whether the model allows all cases.
func (r *Result) Fits() bool { return r.Fitting() == len(r.Cases) }

// Fitting counts the cases that the model allows.
func (r *Result) Fitting() int {
	n := 0
	for i := range r.Cases {
		if r.Cases[i].Fits {
			n++
		}
	}
	return n
}

// Fates returns the number of cases with each fate of the property.
func (r *Result) Fates() map[fate.Fate]int {
	all := map[fate.Fate]int{}
	for i := range r.Cases {
		p := r.Cases[i].Property
		if p != nil {
			all[p.Fate]++
		}
	}
	return all
}

// Deviates reports whether some case does not fit, or has lost the property.
func (r *Result) Deviates() bool { return slices.ContainsFunc(r.Cases, CaseResult.Deviates) }

// Deviates reports whether a case does not fit, or has lost the property.
func (c CaseResult) Deviates() bool {
	return !c.Fits || c.Property != nil && c.Property.Fate.IsLost()
}

// longestVariant is the largest number of events of a case whose result is kept for other cases
// with the same events. mostVariants is the largest number of results that are kept.
const (
	longestVariant = 1 << 10
	mostVariants   = 1 << 14
)

// Replay aligns all cases of a log; keep is the index of the case whose run is kept, -1 for none.
// It fails if ctx is done, or if there is too little memory. Cost for each case: O(n T Q) at worst
// for n events and Q property states, usually O(n).
func (a *Aligner) Replay(ctx context.Context, l *Log, keep int) (*Result, error) {
	a.meter = progress.Start(ctx, "align the log", progress.Events, int64(l.Events()))
	if err := a.m.FindPredecessors(ctx); err != nil {
		return nil, err
	}
	a.bind(l)
	r := &Result{LeftOut: l.LeftOut, Broken: l.Broken, Others: l.Others}
	variants := map[string]*alignment{}
	for i, c := range l.Cases {
		a.metered = 0
		variant := variantOf(c)
		found := variants[variant]
		if found == nil || i == keep {
			var err error
			found, err = a.alignCase(ctx, c, i == keep)
			if err != nil {
				return nil, err
			}
			if i == keep {
				r.Run = a.runOf(found)
				found.keepDeviations()
			}
			if variant != "" && len(variants) < mostVariants {
				variants[variant] = found
			}
		}
		a.meter.Add(int64(c.Len() - a.metered))
		r.Cases = append(r.Cases, a.resultOf(l, c, found))
	}
	r.Frequent = frequencies(r.Cases)
	r.Unknown = a.unknownEvents(l)
	r.Backwards = backwardsOf(l)
	return r, nil
}

// bind finds the labels of the events of a log.
func (a *Aligner) bind(l *Log) {
	a.labels = make([]uint32, len(l.names))
	for i, name := range l.names {
		a.labels[i] = unknown
		if label, known := a.model.Alphabet().Lookup(name); known {
			a.labels[i] = uint32(a.model.Alphabet().Plain(label))
		}
	}
}

// variantOf returns the events of a case as a key; "" if there are none, or too many.
func variantOf(c *Case) string {
	if c.Len() == 0 || c.Len() > longestVariant {
		return ""
	}
	key := make([]byte, 0, 4*c.Len())
	for _, e := range c.events.All() {
		key = binary.LittleEndian.AppendUint32(key, e)
	}
	return string(key)
}

// alignCase aligns a case by layers of limited width or, if these become too wide, by whole layers.
func (a *Aligner) alignCase(ctx context.Context, c *Case, keep bool) (*alignment, error) {
	s := &search{
		Aligner: a,
		ctx:     ctx,
		events:  &c.events,
		n:       c.Len(),
	}
	found, err := s.align(keep)
	if errors.Is(err, errWide) {
		s.band = band{whole: true}
		return s.align(keep)
	}
	return found, err
}

// runOf returns the run of the model on an alignment with all its steps.
func (a *Aligner) runOf(found *alignment) []lts.Transition {
	run := []lts.Transition{}
	for _, s := range found.steps {
		if s.kind != InLog {
			run = append(run, a.transition(a.state(s.from), s.label, a.state(s.to)))
		}
	}
	return run
}

// keepDeviations removes the steps that are no deviations.
func (x *alignment) keepDeviations() {
	x.steps = slices.DeleteFunc(x.steps, func(s step) bool {
		return s.kind == "" || s.free
	})
}

// frequencies counts the deviations of all cases, by kind and label, the most frequent first.
func frequencies(cases []CaseResult) []Frequency {
	type key struct {
		kind  Kind
		label string
	}
	lastCase := map[key]int{} // the last case that was counted
	var all intern.List[key, Frequency]
	for i, c := range cases {
		for _, d := range c.Deviations {
			k := key{d.Kind, d.Label}
			f := &all.All[all.Index(k, Frequency{Kind: d.Kind, Label: d.Label})]
			f.Deviations++
			last, isCounted := lastCase[k]
			if !isCounted || last != i {
				lastCase[k] = i
				f.Cases++
			}
		}
	}
	slices.SortStableFunc(all.All, func(a, b Frequency) int {
		return cmp.Or(-cmp.Compare(a.Deviations, b.Deviations), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Label, b.Label))
	})
	return all.All
}

// unknownEvents returns the events of a log that have no label in the model, the most frequent
// first.
func (a *Aligner) unknownEvents(l *Log) []Unknown {
	if !slices.Contains(a.labels, unknown) {
		return nil
	}
	counts := make([]int, len(l.names))
	for _, c := range l.Cases {
		for _, e := range c.events.All() {
			counts[e]++
		}
	}
	var all []Unknown
	for i, label := range a.labels {
		if label == unknown {
			all = append(all, Unknown{l.names[i], counts[i]})
		}
	}
	slices.SortFunc(all, func(a, b Unknown) int {
		return cmp.Or(-cmp.Compare(a.Events, b.Events), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// backwardsOf returns the events of a log that are earlier than the previous event of their case;
// nil if there are none.
func backwardsOf(l *Log) *Backwards {
	var all *Backwards
	for _, c := range l.Cases {
		if c.Backwards == 0 {
			continue
		}
		if all == nil {
			all = &Backwards{Case: c.Name, Event: c.FirstBackwards}
		}
		all.Events += c.Backwards
	}
	return all
}

// transition returns a transition with the first label of the model that has the same text as the
// given label.
func (a *Aligner) transition(from lts.State, label uint32, to lts.State) lts.Transition {
	labels, targets := a.model.Out(from)
	for i, target := range targets {
		l := labels.At(i)
		if target == to && (label == begins || uint32(a.model.Alphabet().Plain(l)) == label) {
			return lts.Transition{From: from, Label: l, To: to}
		}
	}
	return lts.Transition{From: from, Label: lts.Label(label), To: to}
}

// resultOf returns the result for a case.
func (a *Aligner) resultOf(l *Log, c *Case, found *alignment) CaseResult {
	r := CaseResult{
		Name:       c.Name,
		Events:     c.Len(),
		Fits:       found.cost == 0,
		Cost:       found.cost,
		Deviations: []Deviation{},
		States:     found.ends,
	}
	if a.fates != nil {
		r.Property = judge(l, c, found)
	}
	for _, s := range found.steps {
		r.Deviations = append(r.Deviations, a.deviation(l, c, s))
	}
	return r
}

// judge returns what a case means for the property.
func judge(l *Log, c *Case, found *alignment) *Judgement {
	j := &Judgement{Fate: found.fate}
	if found.fate == fate.Open {
		return j
	}
	j.Since = &found.since
	if found.since > 0 {
		j.Line = c.Line(found.since)
		j.Event = l.Event(c, found.since)
	}
	return j
}

// deviation describes a step of an alignment that is a deviation.
func (a *Aligner) deviation(l *Log, c *Case, s step) Deviation {
	p := a.possibleAt(s.from)
	d := Deviation{
		Event:    s.position,
		Kind:     s.kind,
		Possible: p.logged,
		State:    a.state(s.from),
	}
	if a.model.IsBefore(d.State) {
		d.State = a.model.Begin()[0]
		d.Start = true
	}
	if s.kind == InLog {
		d.Label = l.Event(c, d.Event)
		_, isLogged := slices.BinarySearch(p.logged, d.Label)
		d.Allowed = isLogged || p.unlogged[d.Label]
	} else {
		d.Event++
		d.Next = l.Event(c, d.Event)
		d.Label = a.model.Alphabet().Text(lts.Label(s.label))
	}
	d.Line = c.Line(d.Event)
	return d
}
