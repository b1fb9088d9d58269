package reasons

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

const (
	// mostPairs limits the work of comparing property states: the number of pairs times the number
	// of letters.
	mostPairs = 1 << 20
	// mostHistories is the largest number of pairs of a property state and a history that a
	// property may have.
	mostHistories = 1 << 12
)

// segments cut the infinite runs of a property into segments. The cuts depend only on residual
// languages (docs/semantics.md, "Bounds"): equal properties have the same cuts, whatever their
// automata.
//
// Two prefixes u and v of runs are alike if the same infinite runs can follow them to satisfy the
// property. A loop is a word w ≠ ε such that u and uw are alike. Something is pending after u if u
// wʷ violates the property for some loop w. A loop y after u counts if u (yw)ʷ satisfies the
// property for each w with u and uyw alike. A segment begins where something becomes pending. It
// ends when nothing is pending, or when a loop that counts is closed; if something is pending then,
// the next segment begins.
//
// A run satisfies the property of a deterministic Büchi automaton iff none of its segments is
// endless.
type segments struct {
	t property.Automaton
	// used are the letters that occur after a run has begun. firsts are the letters that occur only
	// on transitions to initial states.
	used, firsts []uint16
	// clauses are sets of colours. The property holds if some colour of each set occurs infinitely
	// often.
	clauses []property.Marks
	// class has, for each property state, the number of its residual language. members has the
	// property states of each class.
	class   []int
	members [][]property.Q
	// around reports, for each clause and transition of the automaton, whether the transition lies
	// on a loop without colours of the clause. loops reports the same for each clause and property
	// state.
	around, loops [][]bool
	// dead are the property states that accept nothing.
	dead []bool
}

// cut is a property whose states and transitions determine where segments begin and end.
type cut struct {
	p *property.Property
	t property.Automaton
	// pending reports whether a state lies in a segment. settles reports whether a transition,
	// given by state and letter, ends a segment.
	pending, settles []bool
	// origin returns, for a state of p, the state of the property before the cut.
	origin func(property.Q) property.Q
	// begun reports whether runs begin in the initial state itself, and not after a first
	// transition.
	begun bool
}

// endsSegment reports whether a transition from a state in a segment ends the segment.
func (c *cut) endsSegment(q property.Q, l lts.Label) bool {
	return c.settles[int(q)*c.t.Columns+int(c.t.Letters[l])]
}

// overlaps reports whether the last step of a segment settles it only because of earlier steps, and
// another segment may follow. Cost O(states² · letters).
func (c *cut) overlaps() bool {
	labels, _ := letters(c.p)
	for begin := range c.beginnings(labels).All {
		inside := c.reach([]property.Q{begin}, labels, func(q property.Q, l lts.Label) bool {
			return !c.endsSegment(q, l)
		})
		for q := range inside.All {
			for _, l := range labels {
				needsEarlierSteps := c.endsSegment(q, l) && !c.endsSegment(begin, l)
				if needsEarlierSteps && c.becomesPending(c.p.Next(q, l), labels) {
					return true
				}
			}
		}
	}
	return false
}

// beginnings returns the states where segments begin.
func (c *cut) beginnings(labels []lts.Label) bitset.Set[property.Q] {
	begins := bitset.New[property.Q](c.t.States())
	if c.begun && c.pending[c.t.Initial] {
		begins.Add(c.t.Initial)
	}
	reached := c.reach([]property.Q{c.t.Initial}, labels, anyTransition)
	for q := range reached.All {
		for _, l := range labels {
			to := c.p.Next(q, l)
			if c.beginsBy(q, l, to) {
				begins.Add(to)
			}
		}
	}
	return begins
}

// beginsBy reports whether a segment begins in state to, after a transition with label l from q: if
// something is pending in to, and there is no segment before the transition that continues.
func (c *cut) beginsBy(q property.Q, l lts.Label, to property.Q) bool {
	if !c.pending[to] {
		return false
	}
	_, beginsRun := c.p.Alphabet().Facts(l)
	return beginsRun || !c.pending[q] || c.endsSegment(q, l)
}

func anyTransition(property.Q, lts.Label) bool { return true }

// becomesPending reports whether something is pending in a state, or in a state that can follow.
func (c *cut) becomesPending(q property.Q, labels []lts.Label) bool {
	reached := c.reach([]property.Q{q}, labels, anyTransition)
	for later := range reached.All {
		if c.pending[later] {
			return true
		}
	}
	return false
}

// reach returns the states that can be reached from some states by transitions for which along
// returns true.
func (c *cut) reach(
	from []property.Q,
	labels []lts.Label,
	along func(property.Q, lts.Label) bool,
) bitset.Set[property.Q] {
	reached := bitset.New[property.Q](c.t.States())
	for _, q := range from {
		reached.Add(q)
	}
	queue := slices.Clone(from)
	for i := 0; i < len(queue); i++ {
		for _, l := range labels {
			to := c.p.Next(queue[i], l)
			if along(queue[i], l) && !reached.Has(to) {
				reached.Add(to)
				queue = append(queue, to)
			}
		}
	}
	return reached
}

// letters returns the first label of each letter of a property that occurs in runs. Letters of
// transitions to initial states are kept apart from those of other transitions. indices has, for
// each label, the index of the label of its letter; -1 if the label does not occur.
func letters(p *property.Property) (first []lts.Label, indices []int) {
	t := p.Automaton()
	// known has, for each letter, one more than the index of its label in first.
	known := make([]int, t.Columns)
	knownAtBegin := make([]int, t.Columns)
	indices = make([]int, p.Alphabet().Len())
	for l := range indices {
		indices[l] = -1
		if !p.Alphabet().Happens(lts.Label(l)) {
			continue
		}
		index := &known[t.Letters[l]]
		if _, begins := p.Alphabet().Facts(lts.Label(l)); begins {
			index = &knownAtBegin[t.Letters[l]]
		}
		if *index == 0 {
			first = append(first, lts.Label(l))
			*index = len(first)
		}
		indices[l] = *index - 1
	}
	return first, indices
}

// newSegments returns the segments of a property whose condition has these clauses. It fails with
// [ErrTooLarge] if the property has too many states and letters.
func newSegments(
	ctx context.Context,
	p *property.Property,
	clauses []property.Marks,
) (*segments, error) {
	s := &segments{t: p.Automaton(), clauses: clauses}
	s.findLetters(p.Alphabet())
	n := s.t.States()
	if n*n*(1+len(s.used))*len(clauses) > mostPairs {
		return nil, ErrTooLarge
	}
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	s.dead = make([]bool, n)
	for q := range s.dead {
		s.dead[q] = !words.CanAccept(property.Q(q))
	}
	if err := s.findLoops(ctx); err != nil {
		return nil, err
	}
	if err := s.findClasses(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// findLetters finds the letters that occur.
func (s *segments) findLetters(labels *lts.Alphabet) {
	afterBegin := map[uint16]bool{} // the letters that occur in runs; false for those that occur only on transitions to initial states
	for l := range labels.All() {
		if _, begins := labels.Facts(l); labels.Happens(l) {
			afterBegin[s.t.Letters[l]] = afterBegin[s.t.Letters[l]] || !begins
		}
	}
	for c, isUsed := range afterBegin {
		if isUsed {
			s.used = append(s.used, c)
		} else {
			s.firsts = append(s.firsts, c)
		}
	}
	slices.Sort(s.used)
	slices.Sort(s.firsts)
}

// findLoops finds, for each clause, the loops without colours of the clause.
func (s *segments) findLoops(ctx context.Context) error {
	for _, clause := range s.clauses {
		cycles, err := cyclesOf(ctx, s.nextWithout(clause))
		if err != nil {
			return err
		}
		around := make([]bool, len(s.t.Next))
		loops := make([]bool, s.t.States())
		for q := range property.Q(s.t.States()) {
			for _, c := range s.used {
				to := s.next(q, c)
				isOnCycle := cycles[q] >= 0 && cycles[q] == cycles[to]
				if isOnCycle && s.misses(q, c, clause) {
					around[int(q)*s.t.Columns+int(c)] = true
					loops[q] = true
				}
			}
		}
		s.around = append(s.around, around)
		s.loops = append(s.loops, loops)
	}
	return nil
}

// nextWithout returns the successors of each property state by transitions without colours of a clause.
func (s *segments) nextWithout(clause property.Marks) [][]int {
	next := make([][]int, s.t.States())
	for q := range property.Q(s.t.States()) {
		for _, c := range s.used {
			if s.misses(q, c, clause) {
				next[q] = append(next[q], int(s.next(q, c)))
			}
		}
	}
	return next
}

func (s *segments) next(q property.Q, c uint16) property.Q {
	return s.t.Next[int(q)*s.t.Columns+int(c)]
}

// misses reports whether a transition has no colour of a clause.
func (s *segments) misses(q property.Q, c uint16, clause property.Marks) bool {
	return s.t.Marks == nil || s.t.Marks[int(q)*s.t.Columns+int(c)]&clause == 0
}

// cyclesOf returns, for each node of a graph, the number of its strongly connected component, from
// 0; -1 if the node lies on no cycle.
func cyclesOf(ctx context.Context, next [][]int) ([]int, error) {
	var b lts.Builder
	edge := b.Label("")
	// One more state leads to all nodes.
	start := lts.State(len(next))
	for v, all := range next {
		b.Add(start, edge, lts.State(v))
		for _, w := range all {
			b.Add(lts.State(v), edge, lts.State(w))
		}
	}
	m, err := b.Build(start, len(next)+1)
	if err != nil {
		return nil, err
	}
	components, err := scc.Find(ctx, m, "iterative")
	if err != nil {
		return nil, err
	}
	cycles := make([]int, len(next))
	for v := range cycles {
		component, _ := components.Of(lts.State(v))
		cycles[v] = -1
		if components.IsCyclic(component) {
			cycles[v] = int(component)
		}
	}
	return cycles, nil
}

// findClasses finds the classes. Two property states are in different classes if one word leads
// them to a loop of pairs of states on which the run of one state is accepted, but the run of the
// other misses a clause.
func (s *segments) findClasses(ctx context.Context) error {
	n := s.t.States()
	// Pair v consists of the property states v/n and v%n. next has, for each pair, the pairs after
	// each letter.
	next := make([][]int, n*n)
	for v := range next {
		for _, c := range s.used {
			next[v] = append(next[v],
				int(s.next(property.Q(v/n), c))*n+int(s.next(property.Q(v%n), c)))
		}
	}
	differ := make([]bool, n*n)
	for _, missed := range s.clauses {
		if err := s.findDiffering(ctx, next, missed, differ); err != nil {
			return err
		}
	}
	spreadBackwards(next, differ)
	s.class = make([]int, n)
	for q := range n {
		class := slices.IndexFunc(s.members, func(alike []property.Q) bool {
			other := int(alike[0])
			return !differ[q*n+other] && !differ[other*n+q]
		})
		if class < 0 {
			class = len(s.members)
			s.members = append(s.members, nil)
		}
		s.class[q] = class
		s.members[class] = append(s.members[class], property.Q(q))
	}
	return nil
}

// findDiffering finds the pairs on loops where the run of the first state is accepted, and the run
// of the second misses a clause.
func (s *segments) findDiffering(
	ctx context.Context,
	next [][]int,
	missed property.Marks,
	differ []bool,
) error {
	n := s.t.States()
	missing := make([][]int, n*n)
	for v := range missing {
		for i, c := range s.used {
			if s.misses(property.Q(v%n), c, missed) {
				missing[v] = append(missing[v], next[v][i])
			}
		}
	}
	cycles, err := cyclesOf(ctx, missing)
	if err != nil {
		return err
	}
	recurring := make([]uint64, n*n+1) // for each component, the clauses with a colour that recurs for the first states of the pairs
	for v, component := range cycles {
		if component < 0 {
			continue
		}
		q := property.Q(v / n)
		r := property.Q(v % n)
		for i, c := range s.used {
			if cycles[next[v][i]] == component && s.misses(r, c, missed) {
				recurring[component] |= s.clausesMet(q, c)
			}
		}
	}
	allClauses := uint64(1)<<len(s.clauses) - 1
	for v, component := range cycles {
		isAccepted := component >= 0 && recurring[component] == allClauses // the run of the first state
		differ[v] = differ[v] || isAccepted
	}
	return nil
}

// clausesMet returns, as a bit set, the clauses that have a colour of a transition.
func (s *segments) clausesMet(q property.Q, c uint16) uint64 {
	met := uint64(0)
	for k, clause := range s.clauses {
		if !s.misses(q, c, clause) {
			met |= 1 << k
		}
	}
	return met
}

// spreadBackwards marks the nodes of a graph from which a marked node can be reached.
func spreadBackwards(next [][]int, marked []bool) {
	before := make([][]int, len(next))
	var queue []int
	for v, to := range next {
		for _, w := range to {
			before[w] = append(before[w], v)
		}
		if marked[v] {
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, v := range before[queue[i]] {
			if !marked[v] {
				marked[v] = true
				queue = append(queue, v)
			}
		}
	}
}

// history is what happened in a segment. For each class that the segment visited, and for each
// clause, it has a set of states: loops without colours of the clause can have reached them since
// that visit, from the members of the class. It is empty outside of segments.
type history struct {
	q      property.Q
	visits []classVisit // by their classes, ascending
}

// classVisit is the first visit of a class in a segment.
type classVisit struct {
	class int
	// reached has, for each clause, the property states that the loops can have reached, ascending.
	reached [][]property.Q
}

// countsAsLoop reports whether the word read since the visit counts as a loop: no loop without colours
// of a clause can have read it.
func (v classVisit) countsAsLoop() bool {
	return !slices.ContainsFunc(v.reached, func(reached []property.Q) bool {
		return len(reached) > 0
	})
}

// key returns a text that differs from that of each other history.
func (h history) key() string {
	var b bytes.Buffer
	number := func(n int) { b.Write(binary.AppendUvarint(nil, uint64(n))) }
	number(int(h.q))
	for _, visit := range h.visits {
		number(visit.class)
		for _, reached := range visit.reached {
			number(len(reached))
			for _, q := range reached {
				number(int(q))
			}
		}
	}
	return b.String()
}

// beginIn returns the history of a segment that begins in a property state; an empty history if
// nothing is pending there.
func (s *segments) beginIn(q property.Q) history {
	visit := classVisit{class: s.class[q], reached: make([][]property.Q, len(s.clauses))}
	for k, loops := range s.loops {
		for _, member := range s.members[visit.class] {
			if loops[member] {
				visit.reached[k] = append(visit.reached[k], member)
			}
		}
	}
	isPending := !visit.countsAsLoop() && !s.dead[q]
	if !isPending {
		return history{q: q}
	}
	return history{q: q, visits: []classVisit{visit}}
}

// after returns the history after letter c, and reports whether the segment ends with c. It ends if
// nothing is pending any more, or if the segment returns to a class by a word that counts as a
// loop.
func (s *segments) after(h history, c uint16) (next history, ends bool) {
	q := s.next(h.q, c)
	newSegment := s.beginIn(q)
	if slices.Contains(s.firsts, c) {
		return newSegment, false
	}
	wasPending := len(h.visits) > 0
	isPending := len(newSegment.visits) > 0
	if !wasPending || !isPending {
		return newSegment, wasPending
	}
	next.q = q
	for _, visit := range h.visits {
		extended := s.extended(visit, c)
		returns := visit.class == s.class[q]
		if returns && extended.countsAsLoop() {
			return newSegment, true
		}
		next.visits = append(next.visits, extended)
	}
	i, known := slices.BinarySearchFunc(next.visits, s.class[q], func(visit classVisit, class int) int {
		return visit.class - class
	})
	if !known {
		next.visits = slices.Insert(next.visits, i, newSegment.visits[0])
	}
	return next, false
}

// extended extends a visit of a class by one more letter: for each clause, it returns the states
// that loops without its colours can have reached.
func (s *segments) extended(visit classVisit, c uint16) classVisit {
	later := classVisit{class: visit.class, reached: make([][]property.Q, len(s.clauses))}
	for k, reached := range visit.reached {
		for _, from := range reached {
			if s.around[k][int(from)*s.t.Columns+int(c)] {
				later.reached[k] = append(later.reached[k], s.next(from, c))
			}
		}
		slices.Sort(later.reached[k])
		later.reached[k] = slices.Compact(later.reached[k])
	}
	return later
}

// histories are the pairs of a property state and a history that can occur, beginning with the
// initial one.
type histories struct {
	all []history
	// next are the numbers of the histories after each history and letter. settles reports whether
	// a segment ends there.
	next    []property.Q
	settles []bool
}

// histories finds all histories. It fails with [ErrTooLarge] if there are too many.
func (s *segments) histories(letters []uint16) (*histories, error) {
	var known intern.List[string, history]
	number := func(h history) int { return known.Index(h.key(), h) }
	number(s.beginIn(s.t.Initial))
	found := &histories{}
	for v := 0; v < len(known.All); v++ {
		if len(known.All) > mostHistories {
			return nil, ErrTooLarge
		}
		for _, c := range letters {
			h, settled := s.after(known.All[v], c)
			found.next = append(found.next, property.Q(number(h)))
			found.settles = append(found.settles, settled)
		}
	}
	found.all = known.All
	return found, nil
}

// blocks returns the number of the block of each history, in the coarsest partition that is stable
// under the letters. It keeps two histories apart if their property states differ, if only one of
// them is inside a segment, or if different letters after them end a segment.
func (h *histories) blocks(letters int) []uint32 {
	return partition.Coarsest(len(h.all), letters, h.next, func(key []byte, v int) []byte {
		isInSegment := len(h.all[v].visits) > 0
		key = appendFlag(key, isInSegment)
		for _, settles := range h.settles[v*letters : (v+1)*letters] {
			key = appendFlag(key, settles)
		}
		return binary.AppendUvarint(key, uint64(h.all[v].q))
	})
}

func appendFlag(key []byte, flag bool) []byte {
	if flag {
		return append(key, 1)
	}
	return append(key, 0)
}

// cut returns the property whose states are pairs of a property state and a history. It is
// minimised, but keeps where segments end.
func (s *segments) cut() (*cut, error) {
	letters := slices.Concat(s.used, s.firsts)
	found, err := s.histories(letters)
	if err != nil {
		return nil, err
	}
	block := found.blocks(len(letters))
	blocks := 1 + int(slices.Max(block))
	c := &cut{t: property.Automaton{
		Letters:    s.t.Letters,
		Columns:    s.t.Columns,
		Initial:    property.Q(block[0]),
		Acceptance: s.t.Acceptance,
		Next:       make([]property.Q, blocks*s.t.Columns),
		Stop:       make([]bool, blocks),
		Kind:       s.t.Kind,
		Name:       s.t.Name,
	}}
	if s.t.Marks != nil {
		c.t.Marks = make([]property.Marks, len(c.t.Next))
	}
	c.pending = make([]bool, blocks)
	c.settles = make([]bool, len(c.t.Next))
	for v, h := range found.all {
		q := block[v]
		c.pending[q] = len(h.visits) > 0
		c.t.Stop[q] = s.t.Stop[h.q]
		row := int(q) * s.t.Columns
		if s.t.Marks != nil {
			copy(c.t.Marks[row:row+s.t.Columns], s.t.Marks[int(h.q)*s.t.Columns:])
		}
		for i := range s.t.Columns {
			c.t.Next[row+i] = property.Q(q) // replaced below if the letter happens
		}
		for i, letter := range letters {
			move := v*len(letters) + i
			c.settles[row+int(letter)] = found.settles[move]
			c.t.Next[row+int(letter)] = property.Q(block[found.next[move]])
		}
	}
	return c, nil
}

// forProperty returns the cut of p. It derives the cut from c: if p is the Property of a [Condition],
// c must be the cut of its Wide. If runs reach each state of p with only one state of c, the property
// of the new cut is p itself; otherwise it is made from the automaton of c.
func (c *cut) forProperty(p *property.Property) (*cut, error) {
	t := p.Automaton()
	type pair struct{ q, ofCut property.Q }
	initial := pair{t.Initial, c.t.Initial}
	visited := map[pair]bool{initial: true}
	queue := []pair{initial}
	ofProperty := &cut{
		p:       p,
		t:       t,
		begun:   true,
		pending: make([]bool, t.States()),
		settles: make([]bool, len(t.Next)),
	}
	cutOf := map[property.Q]property.Q{initial.q: initial.ofCut}
	isUnique := true // whether runs reach each state of p with only one state of c
	labels, indices := letters(p)
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		ofProperty.pending[v.q] = c.pending[v.ofCut]
		for wide, l := range labels {
			_, first := p.Alphabet().Facts(l)
			ofProperty.begun = ofProperty.begun && !first
			move := int(v.q)*t.Columns + int(t.Letters[l])
			moveOfCut := int(v.ofCut)*c.t.Columns + int(c.t.Letters[wide])
			ofProperty.settles[move] = c.settles[moveOfCut]
			to := pair{t.Next[move], c.t.Next[moveOfCut]}
			if other, known := cutOf[to.q]; known && other != to.ofCut {
				isUnique = false
			}
			if !visited[to] {
				visited[to] = true
				cutOf[to.q] = to.ofCut
				queue = append(queue, to)
			}
		}
	}
	if isUnique {
		ofProperty.origin = func(q property.Q) property.Q { return q }
		return ofProperty, nil
	}
	origin := map[property.Q]property.Q{}
	for _, v := range queue {
		origin[v.ofCut] = v.q
	}
	c.origin = func(q property.Q) property.Q { return origin[q] }
	c.begun = ofProperty.begun
	if err := c.bind(p.Alphabet(), indices); err != nil {
		return nil, err
	}
	return c, nil
}

// bind makes the property of the cut from its automaton, for another alphabet. wideLabels has, for each
// label of that alphabet, the label that the automaton reads; -1 if the label does not occur.
func (c *cut) bind(alphabet *lts.Alphabet, wideLabels []int) (err error) {
	letterOf := make([]uint16, len(wideLabels))
	for l, wide := range wideLabels {
		if wide >= 0 {
			letterOf[l] = c.t.Letters[wide]
		}
	}
	c.t.Letters = letterOf
	c.p, err = property.Table(alphabet, c.t)
	return err
}
