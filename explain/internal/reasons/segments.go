package reasons

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

const (
	// mostPairs limits the work of comparing property states: pairs times letters.
	mostPairs = 1 << 20
	// mostHistories is the largest number of pairs of a property state and a history that a
	// property may have.
	mostHistories = 1 << 12
)

// segments cut the infinite runs of a property into segments. The cuts depend on residual languages
// alone (docs/semantics.md, "Bounds"): equal properties have the same cuts, whatever their
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
	// used are the letters that occur after a run has begun, firsts the letters that occur only on
	// transitions to initial states.
	used, firsts []uint16
	// clauses are sets of colours. The property holds if, of each set, some colour occurs
	// infinitely often.
	clauses []property.Marks
	// class has, for each property state, the number of its residual language, members the property
	// states of each class.
	class   []int
	members [][]property.Q
	// around has, for each clause and transition of the automaton, whether the transition lies on a
	// loop without colours of the clause; loops has, for each clause and property state, whether
	// the state lies on such a loop.
	around, loops [][]bool
	// dead are the property states that accept nothing.
	dead []bool
}

// cut is a property whose states and transitions determine where segments begin and end.
type cut struct {
	p *property.Property
	t property.Automaton
	// pending reports whether a state lies in a segment, and settles whether a transition, by state
	// and letter, ends a segment.
	pending, settles []bool
	// origin returns the state of the property before the cut.
	origin func(property.Q) property.Q
	// begun reports whether runs begin in the initial state itself; otherwise they begin after a
	// first transition.
	begun bool
}

// settled reports whether a transition from a state in a segment ends the segment.
func (c *cut) settled(q property.Q, l lts.Label) bool {
	return c.settles[int(q)*c.t.Columns+int(c.t.Letters[l])]
}

// overlaps reports whether the last step of a segment settles it only because of earlier steps, and
// another segment may follow. Cost O(states² · letters).
func (c *cut) overlaps() bool {
	labels, _ := letters(c.p)
	begins := bitset.New[property.Q](c.t.States())
	if c.begun && c.pending[c.t.Initial] {
		begins.Add(c.t.Initial)
	}
	for q := range c.reach([]property.Q{c.t.Initial}, labels, func(property.Q, lts.Label) bool { return true }).All {
		for _, l := range labels {
			_, first := c.p.Alphabet().Facts(l)
			if to := c.p.Next(q, l); c.pending[to] && (first || !c.pending[q] || c.settled(q, l)) {
				begins.Add(to)
			}
		}
	}
	for begin := range begins.All {
		inside := c.reach([]property.Q{begin}, labels, func(q property.Q, l lts.Label) bool { return !c.settled(q, l) })
		for q := range inside.All {
			for _, l := range labels {
				if c.settled(q, l) && !c.settled(begin, l) && c.becomesPending(c.p.Next(q, l), labels) {
					return true
				}
			}
		}
	}
	return false
}

// becomesPending reports whether something is pending in a state, or can be later.
func (c *cut) becomesPending(q property.Q, labels []lts.Label) bool {
	for later := range c.reach([]property.Q{q}, labels, func(property.Q, lts.Label) bool { return true }).All {
		if c.pending[later] {
			return true
		}
	}
	return false
}

// reach returns the states that can be reached from some states along transitions that are selected.
func (c *cut) reach(from []property.Q, labels []lts.Label, along func(property.Q, lts.Label) bool) bitset.Set[property.Q] {
	reached := bitset.New[property.Q](c.t.States())
	for _, q := range from {
		reached.Add(q)
	}
	for i := 0; i < len(from); i++ {
		for _, l := range labels {
			if to := c.p.Next(from[i], l); along(from[i], l) && !reached.Has(to) {
				reached.Add(to)
				from = append(from, to)
			}
		}
	}
	return reached
}

// letters returns the first label of each letter of a property that occurs in runs, separately for
// transitions to initial states and for other transitions. The last result has, for each label, the
// index of the label of its letter; -1 if the label does not occur.
func letters(p *property.Property) (first []lts.Label, of []int) {
	t := p.Automaton()
	var known [2][]int // for each letter, the index of its label in first, plus 1
	known[0], known[1] = make([]int, t.Columns), make([]int, t.Columns)
	of = make([]int, p.Alphabet().Len())
	for l := range of {
		if of[l] = -1; !p.Alphabet().Happens(lts.Label(l)) {
			continue
		}
		index := &known[0][t.Letters[l]]
		if _, begins := p.Alphabet().Facts(lts.Label(l)); begins {
			index = &known[1][t.Letters[l]]
		}
		if *index == 0 {
			first = append(first, lts.Label(l))
			*index = len(first)
		}
		of[l] = *index - 1
	}
	return first, of
}

func (x *segments) next(q property.Q, c uint16) property.Q {
	return x.t.Next[int(q)*x.t.Columns+int(c)]
}

// misses reports whether a transition has no colour of a clause.
func (x *segments) misses(q property.Q, c uint16, clause property.Marks) bool {
	return x.t.Marks == nil || x.t.Marks[int(q)*x.t.Columns+int(c)]&clause == 0
}

// cyclesOf returns, for each node of a graph, the number of its strongly connected component, from
// 0; -1 if the node lies on no cycle.
func cyclesOf(ctx context.Context, next [][]int) []int {
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
	m := abort.Must(b.Build(start, len(next)+1))
	c := abort.Must(scc.Find(ctx, m, "iterative"))
	cycles := make([]int, len(next))
	for v := range cycles {
		of, _ := c.Of(lts.State(v))
		if cycles[v] = int(of); !c.IsCyclic(of) {
			cycles[v] = -1
		}
	}
	return cycles
}

// findClasses finds the classes. Two property states differ if, by the same word, they can reach a
// loop of pairs of states where the run of one is accepted, and the run of the other misses a
// clause.
func (x *segments) findClasses(ctx context.Context) {
	n := x.t.States()
	all := make([][]int, n*n)
	for v := range all {
		for _, c := range x.used {
			all[v] = append(all[v], int(x.next(property.Q(v/n), c))*n+int(x.next(property.Q(v%n), c)))
		}
	}
	differ := make([]bool, n*n)
	for _, missed := range x.clauses {
		next := make([][]int, n*n)
		for v := range next {
			for i, c := range x.used {
				if x.misses(property.Q(v%n), c, missed) {
					next[v] = append(next[v], all[v][i])
				}
			}
		}
		cycles := cyclesOf(ctx, next)
		recurring := make([]uint64, n*n+1) // for each component, the clauses with a colour that recurs for the first state of the pairs
		for v, of := range cycles {
			if of < 0 {
				continue
			}
			q, r := property.Q(v/n), property.Q(v%n)
			for _, c := range x.used {
				if to := int(x.next(q, c))*n + int(x.next(r, c)); cycles[to] != of || !x.misses(r, c, missed) {
					continue
				}
				for k, clause := range x.clauses {
					if !x.misses(q, c, clause) {
						recurring[of] |= 1 << k
					}
				}
			}
		}
		for v, of := range cycles {
			differ[v] = differ[v] || of >= 0 && recurring[of] == 1<<len(x.clauses)-1
		}
	}
	before := make([][]int, n*n)
	var queue []int
	for v, to := range all {
		for _, w := range to {
			before[w] = append(before[w], v)
		}
		if differ[v] {
			queue = append(queue, v)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, v := range before[queue[i]] {
			if !differ[v] {
				differ[v] = true
				queue = append(queue, v)
			}
		}
	}
	x.class = make([]int, n)
	for q := range n {
		of := slices.IndexFunc(x.members, func(alike []property.Q) bool {
			return !differ[q*n+int(alike[0])] && !differ[int(alike[0])*n+q]
		})
		if of < 0 {
			of = len(x.members)
			x.members = append(x.members, nil)
		}
		x.class[q] = of
		x.members[of] = append(x.members[of], property.Q(q))
	}
}

// history is what happened in a segment: for each class that the segment visited and for each
// clause, the states that loops without colours of the clause can have reached from the members of
// the class since that visit. It is empty outside of segments.
type history struct {
	q     property.Q
	since []since
}

type since struct {
	class int
	left  [][]property.Q // for each clause, the property states that the loops can have reached, ascending
}

// counts reports whether the word read since the visit of a class counts as a loop.
func (s since) counts() bool {
	return !slices.ContainsFunc(s.left, func(left []property.Q) bool { return len(left) > 0 })
}

func (h history) key() string {
	var b bytes.Buffer
	number := func(n int) { b.Write(binary.AppendUvarint(nil, uint64(n))) }
	number(int(h.q))
	for _, s := range h.since {
		number(s.class)
		for _, left := range s.left {
			number(len(left))
			for _, q := range left {
				number(int(q))
			}
		}
	}
	return b.String()
}

// begin returns the history of a segment that begins in a property state; an empty history if
// nothing is pending there.
func (x *segments) begin(q property.Q) history {
	now := since{class: x.class[q], left: make([][]property.Q, len(x.clauses))}
	for k, loops := range x.loops {
		for _, q := range x.members[now.class] {
			if loops[q] {
				now.left[k] = append(now.left[k], q)
			}
		}
	}
	if !now.counts() && !x.dead[q] {
		return history{q, []since{now}}
	}
	return history{q: q}
}

// after returns the history after a letter, and whether a segment ends with it.
func (x *segments) after(h history, c uint16) (next history, settles bool) {
	q := x.next(h.q, c)
	now := x.begin(q)
	if slices.Contains(x.firsts, c) {
		return now, false
	}
	if len(h.since) == 0 || len(now.since) == 0 {
		return now, len(h.since) > 0
	}
	next.q = q
	for _, s := range h.since {
		later := since{class: s.class, left: make([][]property.Q, len(x.clauses))}
		for k, left := range s.left {
			for _, from := range left {
				if x.around[k][int(from)*x.t.Columns+int(c)] {
					later.left[k] = append(later.left[k], x.next(from, c))
				}
			}
			slices.Sort(later.left[k])
			later.left[k] = slices.Compact(later.left[k])
		}
		if s.class == x.class[q] && later.counts() {
			return now, true
		}
		next.since = append(next.since, later)
	}
	at, known := slices.BinarySearchFunc(next.since, x.class[q], func(s since, class int) int { return s.class - class })
	if !known {
		next.since = slices.Insert(next.since, at, now.since[0])
	}
	return next, false
}

// cut returns the property whose states are pairs of a property state and a history, minimised with
// respect to where segments end.
func (x *segments) cut() *cut {
	letters := slices.Concat(x.used, x.firsts)
	var histories keyed.List[string, history]
	number := func(h history) int { return histories.Index(h.key(), h) }
	number(x.begin(x.t.Initial))
	var next []property.Q
	var settles []bool
	for v := 0; v < len(histories.All); v++ {
		if len(histories.All) > mostHistories {
			abort.On(ErrTooLarge)
		}
		for _, c := range letters {
			h, settled := x.after(histories.All[v], c)
			next, settles = append(next, property.Q(number(h))), append(settles, settled)
		}
	}
	all := histories.All
	block := partition.Coarsest(len(all), len(letters), next, func(key []byte, v int) []byte {
		flags := append([]bool{len(all[v].since) > 0}, settles[v*len(letters):(v+1)*len(letters)]...)
		for _, is := range flags {
			if key = append(key, 0); is {
				key[len(key)-1] = 1
			}
		}
		return binary.AppendUvarint(key, uint64(all[v].q))
	})
	blocks := 1 + int(slices.Max(block))
	c := &cut{t: property.Automaton{
		Letters: x.t.Letters, Columns: x.t.Columns, Initial: property.Q(block[0]), Acceptance: x.t.Acceptance,
		Next: make([]property.Q, blocks*x.t.Columns), Stop: make([]bool, blocks), Kind: x.t.Kind, Name: x.t.Name,
	}}
	if x.t.Marks != nil {
		c.t.Marks = make([]property.Marks, len(c.t.Next))
	}
	c.pending, c.settles = make([]bool, blocks), make([]bool, len(c.t.Next))
	for v, h := range all {
		at, row, from := block[v], int(block[v])*x.t.Columns, int(h.q)*x.t.Columns
		c.pending[at], c.t.Stop[at] = len(h.since) > 0, x.t.Stop[h.q]
		if x.t.Marks != nil {
			copy(c.t.Marks[row:row+x.t.Columns], x.t.Marks[from:])
		}
		for i := range x.t.Columns {
			c.t.Next[row+i] = property.Q(at) // replaced below if the letter happens
		}
		for i, letter := range letters {
			c.settles[row+int(letter)], c.t.Next[row+int(letter)] = settles[v*len(letters)+i], property.Q(block[next[v*len(letters)+i]])
		}
	}
	return c
}

// of returns the cut of p, made from c, the cut of its [Condition.Wide]. If runs reach each state
// of p with only one state of c, the property of the cut is p itself; otherwise it is made from the
// automaton of c.
func (c *cut) of(p *property.Property) *cut {
	t := p.Automaton()
	type pair struct{ q, at property.Q }
	begin := pair{t.Initial, c.t.Initial}
	visited, queue := map[pair]bool{begin: true}, []pair{begin}
	own := &cut{p: p, t: t, begun: true, pending: make([]bool, t.States()), settles: make([]bool, len(t.Next))}
	atOf := map[property.Q]property.Q{begin.q: begin.at}
	same := true
	labels, of := letters(p)
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		own.pending[v.q] = c.pending[v.at]
		for wide, l := range labels {
			_, first := p.Alphabet().Facts(l)
			own.begun = own.begun && !first
			from, in := int(v.q)*t.Columns+int(t.Letters[l]), int(v.at)*c.t.Columns+int(c.t.Letters[wide])
			own.settles[from] = c.settles[in]
			to := pair{t.Next[from], c.t.Next[in]}
			if at, known := atOf[to.q]; known && at != to.at {
				same = false
			}
			if !visited[to] {
				visited[to], atOf[to.q] = true, to.at
				queue = append(queue, to)
			}
		}
	}
	if same {
		own.origin = func(q property.Q) property.Q { return q }
		return own
	}
	origin := map[property.Q]property.Q{}
	for _, v := range queue {
		origin[v.at] = v.q
	}
	c.origin = func(q property.Q) property.Q { return origin[q] }
	letterOf := make([]uint16, len(of))
	for l, index := range of {
		if index >= 0 {
			letterOf[l] = c.t.Letters[index]
		}
	}
	c.begun, c.t.Letters = own.begun, letterOf
	c.p = abort.Must(property.Table(p.Alphabet(), c.t))
	return c
}
