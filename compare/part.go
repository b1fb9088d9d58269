package compare

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// errLimit ends a search that reached its limit.
var errLimit = errors.New("limit reached")

// completed reports whether a search ended before its limit, given the error of the search. It returns
// all errors other than errLimit.
func completed(err error) (bool, error) {
	if err == errLimit {
		return false, nil
	}
	return err == nil, err
}

// work counts the transitions that a search may still visit.
type work struct {
	ctx  context.Context
	left int64
}

// spend counts n transitions. It fails with errLimit if fewer are left. From time to time it also
// checks whether the context is done.
func (w *work) spend(n int) error {
	w.left -= int64(n)
	if w.left < 0 {
		return errLimit
	}
	if w.left%256 == 0 {
		return w.ctx.Err()
	}
	return nil
}

// pair is a node of the search: a state that one version has reached by some run, and the state, or
// the set of states, that the other version can have reached by a run with the same labels.
type pair struct {
	one, other lts.State
	set        int32 // the index in sets of the set of states; -1 if other is the single state
	depth      int32 // the number of visible labels that lead to the pair
	// from is the index of the previous pair; the visible label leads from the previous pair to
	// this pair.
	from  int32
	label lts.Label
}

const noPair = -1

// others are the states that the other version can have reached, ascending. set is the index of
// their set, or [noSet] if they are in no set yet. If isBuffer is true, states is a buffer that
// the search will overwrite: a set that keeps it needs a copy.
type others struct {
	states   []lts.State
	marks    uint64 // as of marksOf; 0 until it is needed
	set      int32
	isBuffer bool
	closed   bool // whether hidden transitions lead to no further state
}

// marksOf returns a Bloom filter of one word for a set of states: each state sets one of 64 bits. If
// the bit of a state is not set, the state is not in the set.
func marksOf(states []lts.State) uint64 {
	marks := uint64(0)
	for _, s := range states {
		marks |= 1 << (mix(uint64(s)) >> 58)
	}
	return marks
}

const noSet = -1

// single is a pair whose other version can have reached only one state.
type single struct{ one, other lts.State }

// visitedSet is a set of others with which a state was paired.
type visitedSet struct {
	states []lts.State
	marks  uint64
	rank   uint32
}

// rank orders pairs with the same state: by depth, then the new version first. A pair makes a later
// pair with a larger set needless only if the rank of the later pair is at least its own: otherwise
// the later pair may lead to a shorter run.
func rank(depth int32, side Side) uint32 {
	r := 2 * uint32(depth)
	if side == Old {
		r++
	}
	return r
}

// level has pairs in two lists, by the version that has reached the state of the pair. The
// distinguishing runs through a pair, if any, have at least as many labels as the number of its
// level.
type level struct{ latest, old []int32 }

// mostPairs is the largest number of pairs of a search.
const mostPairs = 1<<31 - 2

// pairSearch searches for a run of both versions after which only one can do some label, in a graph
// that has both: their union, or its blocks. It decides inclusion of automata by antichains (De
// Wulf, Doyen, Henzinger, Raskin: Antichains, CAV 2006, section 3): of two pairs with the same
// state, it skips the later one if its set of others is larger, since a larger set distinguishes
// less. It does not matter which version has reached the state. The search also skips a pair whose
// state is among its own others, since equivalent states have the same runs. Most pairs have one
// state on each side, and most states occur in one such pair.
//
// With guides, pairs are visited in the order of the least length of a distinguishing run through
// them (Hart, Nilsson, Raphael: A Formal Basis for the Heuristic Determination of Minimum Cost
// Paths, 1968), so the search heads for what differs; without guides, in the order of their depth.
type pairSearch struct {
	g      *lts.LTS
	tau    lts.Label
	hides  bool
	work   work
	guides map[Side]*guide
	pairs  []pair
	levels []level
	side   Side // the version that has reached the states of the pairs that are visited
	// bytesLeft is the number of bytes that the search may still reserve.
	bytesLeft int64
	// sets are the sets of more than one state on the other side of pairs. All pairs that follow
	// one pair by the same label share their set.
	sets [][]lts.State
	// following caches the results of afterAll for sets; followed is the number of transitions in
	// these results.
	following map[int32]map[lts.Label]*others
	followed  int
	// closures caches the results of closure; reached is the number of states in these results.
	closures map[lts.State][]lts.State
	reached  int
	// These fields have the pairs that were visited, by state. first is the first single state with
	// which a state was paired, and firstRank the rank of that pair; paired has the states with such a
	// pair. singles has the ranks of pairs with other single states, and several has the states of
	// these pairs. visited has all sets with which a state was paired.
	first     []lts.State
	firstRank []uint32
	paired    bitset.Set[lts.State]
	several   bitset.Set[lts.State]
	singles   map[single]uint32
	visited   map[lts.State][]visitedSet
	// after are the states after the last label, kept to reuse their memory.
	after []lts.State
}

// distinguishingRun returns a shortest run, from the given states or blocks, after which one version can do a
// label that the other cannot. Among shortest runs, it prefers a run after which the new version
// can do more. It returns nil if the versions have the same runs, and fails with errLimit if the
// search is not complete. The cost can be exponential in the number of blocks, but the limits bound
// it.
func (p *pairSearch) distinguishingRun(ctx context.Context, old, latest lts.State) (*Parting, error) {
	n := p.g.NumStates()
	if err := resources.Ask(ctx, 8*int64(n)); err != nil {
		return nil, err
	}
	p.bytesLeft = bytesForSearch(ctx)
	p.first = make([]lts.State, n)
	p.firstRank = make([]uint32, n)
	p.paired = bitset.New[lts.State](n)
	p.several = bitset.New[lts.State](n)
	p.visited = make(map[lts.State][]visitedSet)
	p.singles = make(map[single]uint32)
	p.side = New
	onlyOld := &others{states: []lts.State{old}, set: noSet}
	if err := p.addClosed(pair{one: latest, from: noPair}, onlyOld); err != nil {
		return nil, err
	}
	p.side = Old
	onlyLatest := &others{states: []lts.State{latest}, set: noSet}
	if err := p.addClosed(pair{one: old, from: noPair}, onlyLatest); err != nil {
		return nil, err
	}
	for i := 0; i < len(p.levels); i++ {
		for _, side := range []Side{New, Old} {
			run, err := p.expandLevel(ctx, i, side)
			if err != nil || run != nil {
				return run, err
			}
		}
		p.levels[i] = level{}
	}
	return nil, nil
}

// bytesForSearch returns the number of bytes that the pairs and sets of a search may take. This is only a
// part of the budget, since the models, their union and the blocks take memory, too.
func bytesForSearch(ctx context.Context) int64 {
	const share = 8
	allowed := resources.LimitOf(ctx).Bytes
	if allowed == 0 {
		return math.MaxInt64
	}
	return allowed / share
}

// reserve counts bytes that the search keeps. It fails with errLimit if it may keep no more.
func (p *pairSearch) reserve(bytes int) error {
	p.bytesLeft -= int64(bytes)
	if p.bytesLeft < 0 {
		return errLimit
	}
	return nil
}

// expandLevel expands the pairs of a level whose state the given version has reached. It returns
// the first distinguishing run; nil if there is none. A level can grow while it is
// expanded: guides may put a new pair on it.
func (p *pairSearch) expandLevel(ctx context.Context, number int, side Side) (*Parting, error) {
	p.side = side
	for i := 0; i < len(*p.levels[number].pairsOf(side)); i++ {
		if err := checkContext(ctx, i); err != nil {
			return nil, err
		}
		if len(p.pairs) >= mostPairs {
			return nil, errLimit
		}
		index := (*p.levels[number].pairsOf(side))[i]
		label, found, err := p.expand(index)
		if err != nil {
			return nil, err
		}
		if found {
			return p.runAndLabel(index, label), nil
		}
	}
	return nil, nil
}

// pairsOf returns the list of the pairs whose state a version has reached, so that pairs can be added.
func (l *level) pairsOf(side Side) *[]int32 {
	if side == New {
		return &l.latest
	}
	return &l.old
}

// runAndLabel returns the run to a pair and the label after it. Only the version that has reached the
// state of the pair can do the label.
func (p *pairSearch) runAndLabel(i int32, label lts.Label) *Parting {
	parting := &Parting{
		Run:   []string{},
		Only:  p.side,
		Label: p.g.Alphabet().Text(label),
	}
	for p.pairs[i].from != noPair {
		parting.Run = append(parting.Run, p.g.Alphabet().Text(p.pairs[i].label))
		i = p.pairs[i].from
	}
	slices.Reverse(parting.Run)
	return parting
}

// addClosed adds a pair for each state that hidden transitions reach from the state of the given
// pair. The other side of each pair has all states that hidden transitions reach from the given
// others.
func (p *pairSearch) addClosed(a pair, o *others) error {
	if !p.hides {
		return p.addPair(a, o)
	}
	if !o.closed {
		all, err := closed(p.g, o.states, p.hidden, p.work.spend)
		if err != nil {
			return err
		}
		*o = others{states: all, set: noSet, closed: true}
	}
	reached, err := p.closure(a.one)
	if err != nil {
		return err
	}
	for _, one := range reached {
		a.one = one
		if err := p.addPair(a, o); err != nil {
			return err
		}
	}
	return nil
}

// closure returns a state and the states that hidden transitions reach from it.
func (p *pairSearch) closure(s lts.State) ([]lts.State, error) {
	if reached := p.closures[s]; reached != nil {
		return reached, p.work.spend(len(reached))
	}
	reached, err := closed(p.g, []lts.State{s}, p.hidden, p.work.spend)
	if err != nil {
		return nil, err
	}
	p.reached += len(reached)
	if p.closures == nil || p.reached > p.g.NumStates() {
		p.closures = make(map[lts.State][]lts.State)
		p.reached = len(reached)
	}
	p.closures[s] = reached
	return reached, nil
}

// perPair is the number of bytes of a pair, its place in a level and in singles; perSet is the
// number of bytes of a visited set without its states.
const (
	perPair = 64
	perSet  = 72
)

// addPair adds a pair with others. It skips the pair if no distinguishing run goes through it, or if
// the search has visited a pair with the same state and a subset of others.
func (p *pairSearch) addPair(a pair, o *others) error {
	_, isInOthers := slices.BinarySearch(o.states, a.one)
	if isInOthers {
		return nil
	}
	ownRank := rank(a.depth, p.side)
	isDominated, err := p.isDominated(a.one, o, ownRank)
	if err != nil || isDominated {
		return err
	}
	least := p.guides[p.side].least(a.one, o.states)
	if least == never {
		return nil
	}
	if err := p.reserve(perPair); err != nil {
		return err
	}
	a.other = o.states[0]
	a.set = noSet
	if len(o.states) > 1 {
		a.set, err = p.setOf(o)
		if err != nil {
			return err
		}
	}
	p.record(&a, o, ownRank)
	p.addToLevel(int(a.depth)+int(least), a)
	return nil
}

// record records that a pair with others was visited, for [pairSearch.isDominated]. The tables differ in what is
// paired with the state: a set, a further single state, or the first single state.
func (p *pairSearch) record(a *pair, o *others, ownRank uint32) {
	one := a.one
	switch {
	case a.set != noSet:
		p.visited[one] = append(p.visited[one], visitedSet{p.sets[a.set], o.marks, ownRank})
	case p.paired.Has(one) && p.first[one] != a.other: // a further one
		p.singles[single{one, a.other}] = ownRank
		p.several.Add(one)
	default:
		p.paired.Add(one)
		p.first[one] = a.other
		p.firstRank[one] = ownRank
	}
}

// addToLevel adds a pair to the pairs of a level, from 0.
func (p *pairSearch) addToLevel(number int, a pair) {
	for len(p.levels) <= number {
		p.levels = append(p.levels, level{})
	}
	list := p.levels[number].pairsOf(p.side)
	*list = append(*list, int32(len(p.pairs)))
	p.pairs = append(p.pairs, a)
}

// isDominated reports whether a visited pair makes a new pair needless: the visited pair has the
// same state and a subset of the new pair's others, and its rank is at most that of the new pair.
// It spends work for the states that it compares.
func (p *pairSearch) isDominated(one lts.State, o *others, ownRank uint32) (bool, error) {
	if !p.paired.Has(one) && len(p.visited[one]) == 0 {
		return false, nil
	}
	_, hasFirst := slices.BinarySearch(o.states, p.first[one])
	firstDominates := p.paired.Has(one) && hasFirst && p.firstRank[one] <= ownRank
	if firstDominates {
		return true, nil
	}
	dominates := func(other lts.State) bool {
		visitedRank, isVisited := p.singles[single{one, other}]
		return isVisited && visitedRank <= ownRank
	}
	if p.several.Has(one) && slices.ContainsFunc(o.states, dominates) {
		return true, nil
	}
	visited := p.visited[one]
	if len(o.states) == 1 || len(visited) == 0 {
		return false, nil
	}
	if o.marks == 0 {
		o.marks = marksOf(o.states)
	}
	// Comparing the marks of eight sets costs about as much as comparing one state.
	compared := len(visited) / 8
	found := false
	for i := range visited {
		v := &visited[i]
		mayBeSubset := v.marks&^o.marks == 0 && len(v.states) <= len(o.states)
		if v.rank > ownRank || !mayBeSubset {
			continue
		}
		compared += len(v.states)
		if subset(v.states, o.states) {
			found = true
			break
		}
	}
	return found, p.work.spend(compared)
}

// setOf returns the index in p.sets of the set of others. It adds the set if it is not there yet.
func (p *pairSearch) setOf(o *others) (int32, error) {
	if o.set != noSet {
		return o.set, p.reserve(perSet)
	}
	if err := p.reserve(2*perSet + 4*len(o.states)); err != nil {
		return noSet, err
	}
	if o.isBuffer {
		o.states = slices.Clone(o.states)
		o.isBuffer = false
	}
	if o.marks == 0 {
		o.marks = marksOf(o.states)
	}
	o.set = int32(len(p.sets))
	p.sets = append(p.sets, o.states)
	return o.set, nil
}

// subset reports whether all states of a are in b. Both are ascending.
func subset(a, b []lts.State) bool {
	if len(a) > len(b) {
		return false
	}
	rest := b // the states of b that are not below the next state of a
	for _, s := range a {
		i, found := slices.BinarySearch(rest, s)
		if !found {
			return false
		}
		rest = rest[i:]
	}
	return true
}

// expand returns a visible label that the state of a pair has and no state on the other side of the pair
// has. If there is no such label, it adds the pairs after each label.
func (p *pairSearch) expand(index int32) (_ lts.Label, found bool, err error) {
	a := p.pairs[index]
	opposite := []lts.State{a.other}
	if a.set >= 0 {
		opposite = p.sets[a.set]
	}
	labels, targets := p.g.Out(a.one)
	// If afterLabel is nil, each label is looked up by itself.
	afterLabel, err := p.afterMany(a.set, opposite, len(targets))
	if err != nil {
		return 0, false, err
	}
	for k := range targets {
		l := labels.At(k)
		if p.hidden(l) {
			continue
		}
		isShared := afterLabel[l] != nil
		if afterLabel == nil {
			isShared = p.someHas(opposite, l)
		}
		if !isShared {
			return l, true, nil
		}
	}
	for k, t := range targets {
		l := labels.At(k)
		if p.hidden(l) {
			continue
		}
		o := afterLabel[l]
		if afterLabel == nil {
			o = &others{states: p.afterOne(opposite, l), set: noSet, isBuffer: true}
		}
		if err := p.addClosed(pair{one: t, from: index, label: l, depth: a.depth + 1}, o); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// someHas reports whether a transition with the label leaves some of the states.
func (p *pairSearch) someHas(states []lts.State, label lts.Label) bool {
	return slices.ContainsFunc(states, func(s lts.State) bool {
		labels, _ := p.g.Out(s)
		return labels.Any(func(l lts.Label) bool { return l == label })
	})
}

// afterMany returns, for each label, the states after this label from the states of a set, or from
// a single state. uses is the number of transitions for which the caller needs the result. It spends
// work for these and for the transitions that it visits. If there are only a few, it returns nil: then
// it is cheaper to look up each label by itself.
func (p *pairSearch) afterMany(
	set int32,
	states []lts.State,
	uses int,
) (map[lts.Label]*others, error) {
	if after := p.following[set]; after != nil && set != noSet {
		return after, p.work.spend(uses)
	}
	visited := uses
	for _, s := range states {
		_, row := p.g.Out(s)
		visited += len(row)
	}
	if err := p.work.spend(visited); err != nil {
		return nil, err
	}
	const mostForLookup = 32 // up to this number, the caller visits all transitions for each label
	if visited <= mostForLookup {
		return nil, nil
	}
	after := p.afterAll(states)
	if set == noSet {
		return after, nil
	}
	p.followed += visited
	if p.following == nil || p.followed > p.g.NumTransitions() {
		p.following = make(map[int32]map[lts.Label]*others)
		p.followed = visited
	}
	p.following[set] = after
	return after, nil
}

// afterOne returns the targets, ascending, of the transitions with a label from some states. The result
// is valid until the next call.
func (p *pairSearch) afterOne(states []lts.State, label lts.Label) []lts.State {
	p.after = p.after[:0]
	for _, s := range states {
		for l, t := range p.g.From(s) {
			if l == label {
				p.after = append(p.after, t)
			}
		}
	}
	slices.Sort(p.after)
	p.after = slices.Compact(p.after)
	return p.after
}

func (p *pairSearch) hidden(l lts.Label) bool { return p.hides && l == p.tau }

// afterAll returns, for each label, the targets of its transitions from some states.
func (p *pairSearch) afterAll(states []lts.State) map[lts.Label]*others {
	after := make(map[lts.Label]*others)
	for _, s := range states {
		for l, t := range p.g.From(s) {
			if after[l] == nil {
				after[l] = &others{set: noSet}
			}
			after[l].states = append(after[l].states, t)
		}
	}
	for _, all := range after {
		slices.Sort(all.states)
		all.states = slices.Compact(all.states)
	}
	return after
}
