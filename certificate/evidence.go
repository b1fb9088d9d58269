package certificate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/property"
)

// none is a length that is not known.
const none = math.MaxUint32

// errTooLong and errNoEvidence occur only if the program is wrong, or for models too large to be
// explained.
var (
	errTooLong    = errors.New("certificate: a witness run is longer than the format can say")
	errNoEvidence = errors.New("certificate: there is no evidence for a claim of the explanation, please report it")
)

// evidence has, by state number, the lengths that justify the claims about states. They are
// undefined for unreachable states.
type evidence struct {
	// first[s] has, for each progress from 0 to mp(s), the length of a shortest run to s with at
	// least that progress.
	first rows
	// least has, for each state, a shortest run to it that has, in each state s that it visits, the
	// progress cp(s).
	least *bfs.Tree
	// next[s] has, for m from 1 to ms(s), the length of a shortest run from s that does the last m
	// steps.
	next rows
	// due[s] has, for m from 1 to cs(s), the largest number of transitions on a run from s up to
	// the first transition that does step n-m+1.
	due rows
	*fairEvidence
}

// claims are the claims about states, see [enrich.Enriched].
type claims interface {
	MP(s lts.State) int
	CP(s lts.State) int
	MS(s lts.State) int
	CS(s lts.State) int
	Admits(s lts.State) bool
}

// counting are the claims with suffixes 0 in states that are not admitted: no run that counts
// continues these.
type counting struct{ claims }

func (c counting) MS(s lts.State) int {
	if !c.Admits(s) {
		return 0
	}
	return c.claims.MS(s)
}

func (c counting) CS(s lts.State) int {
	if !c.Admits(s) {
		return 0
	}
	return c.claims.CS(s)
}

type rows struct {
	start  []int
	values []uint32
}

func (r *rows) of(s lts.State) []uint32 { return r.values[r.start[s]:r.start[int(s)+1]] }

// pass is the input of all computations of evidence.
type pass struct {
	ctx     context.Context
	claimed claims
	m       *lts.LTS
	p       *property.Chain
	f       *property.Fairness // nil if all runs count
	n       int                // the number of steps of p
	reach   *lts.Reach
}

func newPass(ctx context.Context, e claims, m *lts.LTS, p *property.Chain, f *property.Fairness) *pass {
	if f != nil {
		e = counting{e}
	}
	return &pass{ctx: ctx, claimed: e, m: m, p: p, f: f, n: p.Len(), reach: m.Reachable()}
}

// newEvidence computes all evidence. Cost O(n (S + T)) time; 4 bytes for each number, and
// predecessor rows (see [lts.LTS.Predecessors]).
func newEvidence(x *pass) *evidence {
	v := &evidence{first: x.first(), least: x.least(), next: x.next()}
	if x.f == nil {
		v.due = x.due()
	} else {
		v.due, v.fairEvidence = newFairEvidence(x)
	}
	for _, r := range []rows{v.first, v.next, v.due} {
		if slices.Contains(r.values, none) {
			abort.On(errNoEvidence)
		}
	}
	for s := range lts.State(x.m.NumStates()) {
		if _, met := v.least.Distance(s); !met && x.reach.Has(s) {
			abort.On(errNoEvidence)
		}
	}
	return v
}

// newRows returns rows whose entries are all none: of the given size for reachable states, empty
// for others.
func (x *pass) newRows(size func(lts.State) int) rows {
	r := rows{start: make([]int, x.m.NumStates()+1)}
	for s := range x.m.NumStates() {
		r.start[s+1] = r.start[s]
		if x.reach.Has(lts.State(s)) {
			r.start[s+1] += size(lts.State(s))
		}
	}
	r.values = unknown(r.start[x.m.NumStates()])
	return r
}

func unknown(size int) []uint32 {
	values := make([]uint32, size)
	for i := range values {
		values[i] = none
	}
	return values
}

// productState is a state with the number of steps of the property that were done before it, or
// that are still to be done from it.
type productState struct {
	state lts.State
	done  int
}

// breadthFirst calls expand for the product states in begin, then for those that expand adds, level
// by level.
func (x *pass) breadthFirst(begin []productState, expand func(at productState, length uint32, add func(productState))) {
	var following []productState
	add := func(p productState) { following = append(following, p) }
	for length := uint32(0); len(begin) > 0; length++ {
		if length == none-1 {
			abort.On(errTooLong)
		}
		for i, at := range begin {
			if i&(1<<14-1) == 0 {
				abort.On(x.ctx.Err())
			}
			expand(at, length, add)
		}
		begin, following = following, begin[:0]
	}
}

// spread sets the distances of the states that are found breadth first from those in begin, whose
// distances are known, ascending, and differ by at most one. next returns the transitions from or
// to a state, and along selects those that the search follows.
func spread(ctx context.Context, begin []lts.State, distance []uint32, next func(lts.State) (lts.Labels, []lts.State), along func(at lts.State, l lts.Label, next lts.State) bool) {
	for i := 0; i < len(begin); i++ {
		if i&(1<<14-1) == 0 {
			abort.On(ctx.Err())
		}
		s := begin[i]
		labels, states := next(s)
		for k, t := range states {
			if distance[t] == none && along(s, labels.At(k), t) {
				distance[t] = distance[s] + 1
				begin = append(begin, t)
			}
		}
	}
}

// fromAndTo sets the distances from and to a state by the transitions that along selects.
func fromAndTo(ctx context.Context, m *lts.LTS, root lts.State, from, to []uint32, along func(from lts.State, l lts.Label, to lts.State) bool) {
	from[root], to[root] = 0, 0
	spread(ctx, []lts.State{root}, from, m.Out, along)
	spread(ctx, []lts.State{root}, to, m.Predecessors().In, func(t lts.State, l lts.Label, s lts.State) bool { return along(s, l, t) })
}

// filling is rows whose entries are set in the order of ascending lengths.
type filling struct {
	*rows
	known []uint32 // the number of known entries of each row
}

func newFilling(r *rows) *filling { return &filling{r, make([]uint32, len(r.start)-1)} }

// reach sets the entries of the row of s that are not yet set, up to the given number of entries,
// and reports whether there were any.
func (f *filling) reach(s lts.State, entries int, length uint32) bool {
	row, known := f.of(s), int(f.known[s])
	for entries = min(entries, len(row)); known < entries; known++ {
		row[known] = length
	}
	is := known > int(f.known[s])
	f.known[s] = uint32(known)
	return is
}
