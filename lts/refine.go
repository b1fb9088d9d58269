package lts

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/resources"
)

// Facts is a set of facts about a state: bit i is set if fact i holds.
type Facts uint64

// MostFacts is the largest number of facts that labels can distinguish.
const MostFacts = 64

// refinement is the information, besides their texts, that an alphabet has about the labels of a
// refined model.
type refinement struct {
	names []string
	// facts[l] are the facts of the targets of transitions with label l. plain[l] is the first label
	// with the same text. begins[l] reports whether l only leads to the states where runs begin.
	facts  []Facts
	plain  []Label
	begins []bool
	// variants lists all labels of a text under its first label, for texts with
	// several labels.
	variants map[Label][]Label
	initial  Facts
	begun    bool
	// steps has the names of the sets of transitions, and inSets[l] the sets
	// that contain the transitions with label l.
	steps  []string
	inSets [][]uint32
}

// Telling is the information that the labels of a refined model carry beside
// their texts.
type Telling struct {
	// States are the names of facts about states; State returns the facts of a
	// state.
	States []string
	State  func(State) Facts
	// Begins reports whether runs begin in the targets of the initial state's transitions, so that these
	// transitions are no actions of the system.
	Begins bool
	// Steps are the names of sets of transitions. Kinds are the combinations of
	// sets that occur, each as ascending indices of Steps. Kind returns the index
	// in Kinds of transition i of a state; it is nil if there are no sets.
	Steps []string
	Kinds [][]uint32
	Kind  func(from State, i int) uint32
}

// Refined returns the model in which the label of a transition also has the facts that hold in the
// target of the transition: a text has one label for each combination of facts that holds in such a
// target. States, transitions and their order stay. The function factsOf returns the facts of a state;
// for begins see [Telling].
//
// It fails if there are more than [MostFacts] names, if ctx is done, or if the budget of ctx does not
// have the memory. Cost O(S + T), and 1, 2 or 4 bytes a transition.
func (m *LTS) Refined(
	ctx context.Context,
	names []string,
	factsOf func(State) Facts,
	begins bool,
) (*LTS, error) {
	return m.Telling(ctx, Telling{States: names, State: factsOf, Begins: begins})
}

// Telling returns a model whose labels carry facts about states, as [LTS.Refined] does, and also
// sets of transitions: transitions in different sets have different labels.
func (m *LTS) Telling(ctx context.Context, t Telling) (*LTS, error) {
	if len(t.States) > MostFacts {
		return nil, fmt.Errorf("lts: %d facts about states, and at most %d can be distinguished", len(t.States), MostFacts)
	}
	if t.Kind == nil {
		t.Kinds = [][]uint32{nil}
		t.Kind = func(State, int) uint32 { return 0 }
	}
	facts, err := m.factsOfStates(ctx, t)
	if err != nil {
		return nil, err
	}
	r := newRefiner(m, t)
	labels, err := r.refine(ctx, facts)
	if err != nil {
		return nil, err
	}
	if len(t.Steps) > 0 {
		for _, kind := range r.kinds {
			r.made.inSets = append(r.made.inSets, t.Kinds[kind])
		}
	}
	alphabet := &Alphabet{
		table: labelTable{
			texts: r.texts,
			seed:  m.alphabet.table.seed,
			slots: m.alphabet.table.slots,
		},
		refined: r.made,
		moving:  m.alphabet.moving.among(r.originals),
	}
	return &LTS{
		alphabet: alphabet,
		initial:  m.initial,
		rows:     m.rows,
		labels:   labels,
		targets:  m.targets,
		order:    m.order,
	}, nil
}

// stateFacts has the facts about each state: sets.All[index[s]] for state s.
type stateFacts struct {
	sets  intern.List[Facts, Facts] // the sets of facts that occur
	index []uint16
}

// factsOfStates returns the facts that hold in each state: few different ones, each with a number.
func (m *LTS) factsOfStates(ctx context.Context, t Telling) (*stateFacts, error) {
	index, err := resources.Make[uint16](ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	x := &stateFacts{index: index}
	previous := Facts(0) // the facts of the previous state, and their number
	number := 0
	for s := range index {
		facts := t.State(State(s))
		if facts != previous || s == 0 {
			previous = facts
			number = x.sets.Index(facts, facts)
			if number > math.MaxUint16 {
				return nil, fmt.Errorf("lts: more than %d combinations of facts about states",
					number)
			}
		}
		index[s] = uint16(number)
	}
	return x, nil
}

// refiner numbers the labels that also carry facts.
type refiner struct {
	m         *LTS
	telling   Telling
	made      *refinement
	texts     []string
	originals []Label  // originals[l] is the label of the original model that the new label l refines
	kinds     []uint32 // the combination of sets of each label, see [Telling]
	// isUsed[p] reports whether label p already has its text with one combination of facts, sets
	// and beginning; further has the labels for the text of p with other combinations.
	isUsed  []bool
	further map[refinedLabel]Label
}

// refinedLabel is a label with the facts that it carries.
type refinedLabel struct {
	plain  Label
	facts  Facts
	begins bool
	kind   uint32
}

// newRefiner prepares a model whose labels also have facts about their targets.
func newRefiner(m *LTS, t Telling) *refiner {
	n := m.alphabet.Len()
	made := &refinement{
		names:    t.States,
		facts:    make([]Facts, n),
		begins:   make([]bool, n),
		variants: map[Label][]Label{},
		initial:  t.State(m.initial),
		begun:    !t.Begins,
		steps:    t.Steps,
	}
	var originals []Label
	for l := range Label(n) {
		originals = append(originals, l)
		plain := m.alphabet.Plain(l)
		made.plain = append(made.plain, plain)
		if plain != l { // labels that say more than their texts, such as who moves
			made.add(plain, l)
		}
	}
	return &refiner{
		m:         m,
		telling:   t,
		made:      made,
		texts:     append(make([]string, 0, n), m.alphabet.table.texts...),
		originals: originals,
		kinds:     make([]uint32, n),
		isUsed:    make([]bool, n),
		further:   map[refinedLabel]Label{},
	}
}

// number returns the label that represents a refined label in the new alphabet. The first refined label
// of a plain label takes the number of the plain label, and all others get new numbers.
func (r *refiner) number(refined refinedLabel) (Label, error) {
	if !r.isUsed[refined.plain] {
		r.takePlain(refined)
		return refined.plain, nil
	}
	if refined == r.firstOf(refined.plain) {
		return refined.plain, nil
	}
	if l, known := r.further[refined]; known {
		return l, nil
	}
	if len(r.texts) == math.MaxUint32 {
		return 0, fmt.Errorf("lts: more than %d labels with facts", len(r.texts))
	}
	return r.addFurther(refined), nil
}

// takePlain lets the first refined label of a plain label take the number of the plain label.
func (r *refiner) takePlain(refined refinedLabel) {
	p := refined.plain
	r.isUsed[p] = true
	r.made.facts[p] = refined.facts
	r.made.begins[p] = refined.begins
	r.kinds[p] = refined.kind
}

// firstOf returns the refined label that has the number of plain label p.
func (r *refiner) firstOf(p Label) refinedLabel {
	return refinedLabel{
		plain:  p,
		facts:  r.made.facts[p],
		begins: r.made.begins[p],
		kind:   r.kinds[p],
	}
}

// addFurther gives a new number to a refined label whose plain label is taken.
func (r *refiner) addFurther(refined refinedLabel) Label {
	p := refined.plain
	made := r.made
	l := Label(len(r.texts))
	r.further[refined] = l
	r.texts = append(r.texts, r.texts[p])
	r.kinds = append(r.kinds, refined.kind)
	r.originals = append(r.originals, p)
	made.facts = append(made.facts, refined.facts)
	made.begins = append(made.begins, refined.begins)
	firstOfText := made.plain[p]
	made.plain = append(made.plain, firstOfText)
	made.add(firstOfText, l)
	return l
}

// refine returns the label of each transition with the facts that it carries.
func (r *refiner) refine(
	ctx context.Context,
	facts *stateFacts,
) (column LabelColumn, err error) {
	m := r.m
	t := r.telling
	n := m.alphabet.Len()
	if err := column.Grow(ctx, m.NumTransitions(), n); err != nil {
		return column, err
	}
	// For each plain label, set of facts and kind, the table has a cell with one more than the number
	// of the refined label, or 0 if it has no number yet. It has room for the first plain labels only.
	width := len(facts.sets.All) * len(t.Kinds)
	table, err := resources.Make[Label](ctx, min(n*width, mostTabled))
	if err != nil {
		return column, err
	}
	for s := range State(m.NumStates()) {
		if err := cores.Done(ctx, s); err != nil {
			return column, err
		}
		begins := t.Begins && s == m.initial
		labels, targets := m.Out(s)
		for i, to := range targets {
			plain := labels.At(i)
			kind := t.Kind(s, i)
			set := facts.index[to]
			cell := int(plain)*width + int(set)*len(t.Kinds) + int(kind)
			hasCell := cell < len(table) && !begins
			if hasCell && table[cell] != 0 {
				column.Append(table[cell] - 1)
				continue
			}
			l, err := r.number(refinedLabel{
				plain:  plain,
				facts:  facts.sets.All[set],
				begins: begins,
				kind:   kind,
			})
			if err != nil {
				return column, err
			}
			if hasCell {
				table[cell] = l + 1
			}
			column.Append(l)
		}
	}
	return column, nil
}

// mostTabled is the largest number of label numbers held in a table, of 4 bytes
// each.
const mostTabled = 1 << 22

// add adds label l, which has the same text as the label first.
func (x *refinement) add(first, l Label) {
	if x.variants[first] == nil {
		x.variants[first] = []Label{first}
	}
	x.variants[first] = append(x.variants[first], l)
}

// FactNames returns the names of the facts about states that labels distinguish,
// see [LTS.Refined]; nil for most alphabets. The slice must not be changed. Cost
// O(1).
func (a *Alphabet) FactNames() []string {
	if a.refined == nil {
		return nil
	}
	return a.refined.names
}

// InSet reports whether the transitions with label l are in the set with the given name, see [Telling].
// known is false if the alphabet does not know the set. Cost O(sets of the label + names).
func (a *Alphabet) InSet(l Label, name string) (isIn, known bool) {
	if a.refined == nil {
		return false, false
	}
	set := slices.Index(a.refined.steps, name)
	if set < 0 {
		return false, false
	}
	_, isIn = slices.BinarySearch(a.refined.inSets[l], uint32(set))
	return isIn, true
}

// TellsStates reports whether labels carry facts about states, or that runs begin in the successors of
// the initial state. Cost O(1).
func (a *Alphabet) TellsStates() bool {
	return a.refined != nil && (len(a.refined.names) > 0 || !a.refined.begun)
}

// Facts returns the facts that hold in the targets of transitions with label l. begins reports whether
// the label is no action, because runs begin in these targets. Cost O(1).
func (a *Alphabet) Facts(l Label) (facts Facts, begins bool) {
	if a.refined == nil {
		return 0, false
	}
	return a.refined.facts[l], a.refined.begins[l]
}

// InitialFacts returns the facts of the initial state; false if runs do not begin
// there. Cost O(1).
func (a *Alphabet) InitialFacts() (Facts, bool) {
	if a.refined == nil {
		return 0, true
	}
	return a.refined.initial, a.refined.begun
}

// Begin returns the states where runs begin, ascending. This is the initial state or, if that was only
// added in front of several initial states, the targets of its transitions, see [LTS.Refined]. Cost O(d
// log d) for d transitions of the initial state.
func (m *LTS) Begin() []State {
	if m.Before() == 0 {
		return []State{m.initial}
	}
	_, targets := m.Out(m.initial)
	all := slices.Clone(targets)
	slices.Sort(all)
	return slices.Compact(all)
}

// Before returns the number of transitions, 1 or 0, from the initial state to where runs begin, see
// [LTS.Begin]. Cost O(1).
func (m *LTS) Before() int {
	if m.IsBefore(m.initial) {
		return 1
	}
	return 0
}

// IsBefore reports whether s is no state of the system, but was added in front of
// several initial states, see [LTS.Begin]. Cost O(1).
func (m *LTS) IsBefore(s State) bool {
	_, begun := m.alphabet.InitialFacts()
	return !begun && s == m.initial
}

// Total returns the numbers of states and transitions of the system. A state that was added in front of
// several initial states does not count, nor do its transitions. initial is the number of initial states
// if there are several; otherwise 0. Cost as for [LTS.Begin].
func (m *LTS) Total() (states, transitions, initial int) {
	states = m.NumStates()
	transitions = m.NumTransitions()
	if m.Before() > 0 {
		labels, _ := m.Out(m.initial)
		states--
		transitions -= labels.Len()
		initial = len(m.Begin())
	}
	return states, transitions, initial
}

// Size returns the numbers of those states and transitions that [LTS.Total] counts and runs reach. Cost
// as for [LTS.Reachable].
func (m *LTS) Size() (states, transitions int) {
	r := m.Reachable()
	states, transitions, _ = m.Total()
	return states + r.NumStates() - m.NumStates(), transitions + r.NumTransitions() - m.NumTransitions()
}

// Plain returns the first label with the text of l. It is l itself, unless facts about states
// distinguish several labels with this text. Cost O(1).
func (a *Alphabet) Plain(l Label) Label {
	if a.refined == nil {
		return l
	}
	return a.refined.plain[l]
}

// Variants returns the labels with this text, ascending: several if facts about
// states distinguish them, none if no label has the text. Cost O(len(text)).
func (a *Alphabet) Variants(text string) []Label {
	l, known := a.Lookup(text)
	if !known {
		return nil
	}
	if a.refined != nil {
		all := a.refined.variants[l]
		if all != nil {
			return all
		}
	}
	return []Label{l}
}

// Texts returns the number of different texts of labels. Cost O(1).
func (a *Alphabet) Texts() int {
	n := a.Len()
	if a != nil && a.refined != nil {
		for _, all := range a.refined.variants {
			n -= len(all) - 1
		}
	}
	return n
}

// RepeatingAlphabet returns the alphabet whose label i has the text texts[i].
// Unlike in other alphabets, texts may repeat: their labels are different. Runs
// begin in the targets of transitions with one of the labels in begins, see
// [Telling]. Cost O(total length of the texts).
func RepeatingAlphabet(texts []string, begins ...Label) *Alphabet {
	a := repeating(texts, begins)
	if len(a.refined.variants) == 0 && a.refined.begun {
		a.refined = nil
	}
	return a
}

// repeating returns an alphabet in which labels may have the same text. begins are the labels of transitions
// that only lead to initial states.
func repeating(texts []string, begins []Label) *Alphabet {
	var b AlphabetBuilder
	x := &refinement{
		variants: map[Label][]Label{},
		facts:    make([]Facts, len(texts)),
		begins:   make([]bool, len(texts)),
		begun:    len(begins) == 0,
	}
	for _, l := range begins {
		x.begins[l] = true
	}
	for i, text := range texts {
		b.table.grow()
		hash := maphash.String(b.table.seed, text)
		l, slot := lookup(&b.table, text, hash)
		if l == none {
			l = b.table.add(text, hash, slot)
		} else {
			b.table.texts = append(b.table.texts, text)
			x.add(l, Label(i))
		}
		x.plain = append(x.plain, l)
	}
	a := b.Build()
	a.refined = x
	return a
}

// WithOther returns an alphabet of some labels of a, in their order, and one more label after them. That
// label has a new text, and leads to states without facts. All labels may happen. Cost O(total length of
// the texts).
func (a *Alphabet) WithOther(labels []Label) *Alphabet {
	texts := make([]string, 0, len(labels)+1)
	for _, l := range labels {
		texts = append(texts, a.Text(l))
	}
	other := "\x00"
	for slices.Contains(texts, other) {
		other += "\x00"
	}
	texts = append(texts, other)
	var with *Alphabet
	if a.refined == nil {
		with = RepeatingAlphabet(texts)
	} else {
		with = repeating(texts, nil)
		with.refined.copyFrom(a.refined, labels)
	}
	if a.moving != nil {
		with.moving = a.moving.among(labels)
		with.moving.movers = append(with.moving.movers, nil)
	}
	return with
}

// copyFrom copies the information of another alphabet about some of its labels, which are the first
// labels of x in the same order. x has one more label, which is in no set.
func (x *refinement) copyFrom(other *refinement, labels []Label) {
	x.names = other.names
	x.initial = other.initial
	x.begun = other.begun
	x.steps = other.steps
	for i, l := range labels {
		x.facts[i] = other.facts[l]
		x.begins[i] = other.begins[l]
	}
	if len(x.steps) == 0 {
		return
	}
	for _, l := range labels {
		x.inSets = append(x.inSets, other.inSets[l])
	}
	x.inSets = append(x.inSets, nil)
}

// RefinedLetters returns an alphabet that has each label of a with each combination of the facts with
// the given names: label l with facts f has the number l·2^n + f for n names. After these labels, it has
// one label with which runs begin for each combination of facts, in the order of f. It fails if there
// would be more than most labels.
func (a *Alphabet) RefinedLetters(names []string, most int) (*Alphabet, error) {
	combinations := 1 << len(names)
	if len(names) >= 32 || (a.Len()+1)*combinations > most {
		return nil, fmt.Errorf("lts: %d labels with %d facts about states are more than %d letters", a.Len(), len(names), most)
	}
	x := &refinement{names: names, variants: map[Label][]Label{}}
	var texts []string
	for l := range a.Len() + 1 {
		for f := range combinations {
			text := ""
			if l < a.Len() {
				text = a.Text(Label(l))
			}
			texts = append(texts, text)
			x.facts = append(x.facts, Facts(f))
			x.begins = append(x.begins, l == a.Len())
			x.plain = append(x.plain, Label(l*combinations))
		}
	}
	return &Alphabet{
		table: labelTable{
			texts: texts,
			seed:  a.table.seed,
			slots: make([]labelSlot, 16),
		},
		refined: x,
	}, nil
}

// Happening returns the alphabet of the LTS, which also knows which labels a run
// can do: those of the transitions that leave reachable states. If a run can do
// all labels, the result is [LTS.Alphabet]. The first call computes it, and fails
// if ctx is done. Cost: as much as [LTS.Reachable], and O(T) if some label does
// not happen.
func (m *LTS) Happening(ctx context.Context) (_ *Alphabet, err error) {
	defer abort.Caught(&err)
	abort.On(ctx.Err())
	abort.On(m.FindReachable(ctx))
	abort.On(within(ctx, func() {
		m.happenOnce.Do(func() { m.happening = m.findHappening() })
	}))
	return m.happening, nil
}

// findHappening returns the alphabet that knows for each label whether a run does it.
func (m *LTS) findHappening() *Alphabet {
	happens := make([]bool, m.alphabet.Len())
	missing := len(happens) // the number of labels that were not found yet
	reach := m.Reachable()
	for s := State(0); int(s) < m.NumStates() && missing > 0; s++ {
		if !reach.Has(s) {
			continue
		}
		labels, _ := m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !happens[l] {
				happens[l] = true
				missing--
			}
		}
	}
	if missing == 0 {
		return m.alphabet
	}
	return &Alphabet{
		table:   m.alphabet.table,
		happens: happens,
		refined: m.alphabet.refined,
		moving:  m.alphabet.moving,
	}
}

// Happens reports whether a run can do l. Only the alphabet of [LTS.Happening] knows this; every other
// one returns true. Cost O(1).
func (a *Alphabet) Happens(l Label) bool { return a.happens == nil || a.happens[l] }
