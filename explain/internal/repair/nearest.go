package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// Op is what a step of a diff does; 0, whose name is empty, is none.
type Op uint8

// The operations, named as in a diff.
const (
	Keep   Op = iota + 1 // both runs do it
	Remove               // the run that went wrong does it, the correct one does not
	Insert               // the correct run does it
)

var opNames = enumeration.New("operation of a diff", "", " ", "-", "+")

func (o Op) String() string { return opNames.Name(uint8(o)) }

// MarshalText returns the sign of the operation.
func (o Op) MarshalText() ([]byte, error) { return opNames.Text(uint8(o)) }

// UnmarshalText sets the operation by its sign.
func (o *Op) UnmarshalText(text []byte) error { return enumeration.Set(opNames, o, text) }

// Edit is a step of a diff.
type Edit struct {
	Op Op
	// Transition belongs to the correct run; if the step is removed, to the other run.
	Transition lts.Transition
	// Progress is the progress of the correct run after the step.
	Progress int
}

// Diff is a run that satisfies the property, described by where it leaves a run that does not.
// First come the steps that both do; then the steps that the other run goes on with are removed,
// and the steps of the correct run are inserted, none of which is kept. After the last step the
// property holds whatever follows; or the run ends; or it repeats the last steps for ever.
//
// What is removed goes on to the end of the other run, or once round its loop. It is one step if
// the other run loops there and the property holds of the correct run whatever follows.
type Diff struct {
	Steps []Edit
	// Loop is the number of steps at the end that are repeated for ever; 0 if they are
	// not. They count as inserted.
	Loop int
	// Ends reports whether the run ends with the last step, in a deadlock.
	Ends bool
	// Edits is the number of steps that have to be removed and inserted where steps with the
	// same label are the same. Of inevitability, nothing counts that the other goes on with
	// once the correct run is done; of other properties all does, until the end of the other or
	// until it has gone round its loop once: without that, a run that has nothing to do with it
	// would be the nearest.
	Edits int
	// Fork is the number of steps that the runs share at the beginning.
	Fork int
}

// NearestOptions say which correct run is looked for.
type NearestOptions struct {
	// Also are sets of labels: if the other run does a label of a set, the correct run has to do
	// one, too. Only the first 8 sets that the other run meets count.
	Also [][]lts.Label
	// Limit is the number of transitions, each as often as it is looked at from pairs of places
	// of the two runs and from places of loops, after which the search ends; 0 for no limit.
	Limit int64
}

// Nearest returns a run that satisfies the property with which the repair was found and
// differs from the counterexample t in the fewest steps, removed or inserted, if steps with
// the same label are the same; of several one that shares the longest beginning with it.
// Round the loop of t it may go as often as it likes, which is left out of what is told. Where
// there is a supervisor, the run takes no transition that must never be taken. Nil where no
// such run satisfies the property.
//
// It fails if ctx is done, and with [ErrTooFar] at the limit. Cost O(p n (S + T)) at worst
// for a counterexample of length p, times 2 to the number of sets that it does, of which
// those pairs are looked at that are no farther.
func (r *Repair) Nearest(ctx context.Context, t *counterexample.Trace, o NearestOptions) (*Diff, error) {
	g := r.game
	loop, is := t.LoopStart()
	if !is {
		loop = -1
	}
	steps, loop := g.unfolding.Run(t.Steps(), loop)
	x := &nearest{game: g, guards: r.Solvable, steps: steps, loop: loop, start: loop, limit: o.Limit}
	x.demand(o.Also)
	if g.condition != nil {
		var err error
		if x.endings, err = x.findEndings(ctx); x.endings == nil || err != nil {
			return nil, err
		}
		x.once = len(steps)
		if loop >= 0 {
			x.steps, x.loop = append(slices.Clip(steps), steps[loop:]...), len(steps)
		}
	}
	if err := x.findHope(ctx); err != nil || !x.hope.Has(0) {
		return nil, err
	}
	x.met = newMet(uint64(g.m.NumStates()) * uint64(len(x.steps)+1) * (uint64(x.all) + 1))
	return x.search(ctx)
}

// ErrTooFar reports that a search for a nearest correct run has reached its limit.
var ErrTooFar = fmt.Errorf("the nearest correct run is too far away to be found within the limit")

// pair is a place of the correct run with the number of steps of the other that are
// accounted for.
type pair struct {
	place lts.State
	at    uint32
	did   uint8 // the sets of labels of which the correct run has done one
}

// nearest searches pairs in the order of their edits, those that fork latest first.
type nearest struct {
	*game
	guards bool
	steps  []lts.Transition // of the unfolded model
	loop   int
	start  int // the step with which its first round begins; -1 if there is none
	// does has a bit for each set of labels that the correct run has to do a label of; all are the
	// bits of these sets.
	does  map[lts.Label]uint8
	all   uint8
	nodes paged.List[edited]
	met   *met // the pairs, by number
	limit int64
	// now are the pairs with the current number of edits, next those with one more, both by the
	// step at which they fork.
	now, next [][]int
	// endings are the endings of correct runs, unless the property is an inevitability. once is the
	// number of steps to the end, or once round the loop; steps goes round twice.
	endings *endings
	once    int
	// hope are the places where a correct run can still go on.
	hope   bitset.Set[lts.State]
	best   ending
	looked int64
	inLoop loopSearch
}

type edited struct {
	pair
	step   lts.Transition
	op     Op
	parent int
	fork   int
}

func (x *nearest) search(ctx context.Context) (*Diff, error) {
	x.now, x.next = make([][]int, len(x.steps)+1), make([][]int, len(x.steps)+1)
	x.follow()
	for edits := 0; x.best.at == nil || edits <= x.best.edits; edits++ {
		more := false
		for fork := len(x.now) - 1; fork >= 0; fork-- {
			for k := 0; k < len(x.now[fork]); k++ {
				if k&(1<<10-1) == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				at := x.now[fork][k]
				n := x.nodes.At(at)
				if x.met.has(x.number(n.pair)) {
					continue
				}
				x.met.add(x.number(n.pair))
				if x.endings != nil {
					x.end(at, edits)
				} else if x.isDone(n.place) && n.did == x.all {
					return x.diff(ending{at: &at, edits: edits}), nil
				}
				if x.expand(at); x.isEnough() {
					return nil, ErrTooFar
				}
			}
			x.now[fork] = nil
			more = more || len(x.next[fork]) > 0
		}
		if !more {
			break
		}
		x.now, x.next = x.next, x.now
	}
	if x.best.at == nil {
		return nil, nil
	}
	return x.diff(x.best), nil
}

// number returns the number of a pair.
func (x *nearest) number(p pair) uint64 {
	return (uint64(p.place)*uint64(len(x.steps)+1)+uint64(p.at))*(uint64(x.all)+1) + uint64(p.did)
}

// isEnough reports whether the limit has been reached.
func (x *nearest) isEnough() bool { return x.limit > 0 && x.looked > x.limit }

// isDone reports whether the property is done at a place: it is won at once, or there is
// no more to be won.
func (x *nearest) isDone(s lts.State) bool { return x.rank[s] == 1 }

// follow puts down the pairs along the counterexample, as far as it takes what is allowed.
func (x *nearest) follow() {
	at := x.nodes.Len()
	x.nodes.Append(edited{parent: -1})
	x.now[0] = append(x.now[0], at)
	for i, step := range x.steps {
		if !x.may(step.From, step.Label, step.To) || !x.hope.Has(step.To) {
			return
		}
		did := x.nodes.At(at).did | x.does[step.Label]
		x.nodes.Append(edited{pair{step.To, x.after(uint32(i)), did}, step, Keep, at, i + 1})
		at++
		x.now[i+1] = append(x.now[i+1], at)
	}
}

// may reports whether the correct run may take a transition.
func (x *nearest) may(from lts.State, l lts.Label, to lts.State) bool {
	return !x.guards || x.wins(to) && x.allows(from, l, to)
}

// after returns the step that follows step i, going round the loop.
func (x *nearest) after(i uint32) uint32 {
	if int(i)+1 == len(x.steps) && x.loop >= 0 {
		return uint32(x.loop)
	}
	return i + 1
}

// expand puts down the pairs that follow.
func (x *nearest) expand(at int) {
	n := *x.nodes.At(at)
	going := int(n.at) < len(x.steps)
	labels, targets := x.m.Out(n.place)
	x.looked += 1 + int64(len(targets))
	for i, to := range targets {
		if !x.hope.Has(to) || !x.may(n.place, labels.At(i), to) {
			continue
		}
		step := lts.Transition{From: n.place, Label: labels.At(i), To: to}
		did := n.did | x.does[step.Label]
		if going && labels.At(i) == x.steps[n.at].Label {
			x.put(x.now, edited{pair{to, x.after(n.at), did}, step, Keep, at, n.fork})
		} else {
			x.put(x.next, edited{pair{to, n.at, did}, step, Insert, at, n.fork})
		}
	}
	if going {
		x.put(x.next, edited{pair{n.place, x.after(n.at), n.did}, x.steps[n.at], Remove, at, n.fork})
	}
}

func (x *nearest) put(in [][]int, n edited) {
	if x.met.has(x.number(n.pair)) {
		return
	}
	in[n.fork] = append(in[n.fork], x.nodes.Len())
	x.nodes.Append(n)
}
