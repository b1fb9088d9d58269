package never

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/formula/hoa"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/automata"
)

// automaton is a claim from a file in the HOA format.
type automaton struct {
	*hoa.Formula
	// sets are the sets that must all be met infinitely often, in turn.
	sets []int
}

// FromAutomaton returns the property that the automaton of a file, which may be
// nondeterministic, accepts no run. It fails if the condition is neither a Büchi
// nor a generalised Büchi condition.
func FromAutomaton(f *hoa.Formula) (*Formula, error) {
	g := f.Automaton()
	sets, is := generalised(g.Acceptance)
	if !is {
		return nil, f.Fail(g.AcceptanceLine, "a claim has a Büchi condition, Inf(0), or a generalised one, Inf(0) & Inf(1); autfilt -B of Spot makes one")
	}
	return &Formula{source: &automaton{f, sets}, name: f.String()}, nil
}

// generalised returns the sets of a condition that demands that all of them
// recur.
func generalised(c automata.Condition) (sets []int, is bool) {
	switch c.Op {
	case automata.ConditionTrue:
		return nil, true
	case automata.ConditionInf:
		return []int{c.Set}, !c.Complement
	case automata.ConditionAnd:
		a, isA := generalised(c.Parts[0])
		b, isB := generalised(c.Parts[1])
		return append(a, b...), isA && isB
	}
	return nil, false
}

func (x *automaton) given(ctx context.Context, a *lts.Alphabet, propositions []property.Step) *property.Nondeterministic {
	of, takes, err := x.Takes(ctx, propositions, a)
	abort.On(err)
	file := x.Automaton()
	n := &property.Nondeterministic{Initial: []int{int(file.Starts[0])}, Letters: of}
	for _, set := range x.sets {
		n.All |= property.Mark(set)
	}
	for _, edges := range takes {
		moves := make([][]property.Move, file.States)
		for i, taken := range edges {
			if e := file.Edges[i]; taken {
				moves[e.From] = append(moves[e.From], property.Move{To: int(e.To), Marks: property.Marks(e.Marks)})
			}
		}
		n.Moves = append(n.Moves, moves)
	}
	return n
}

// over makes the graph of the automaton: its states are the states of the file
// with the number of sets that were met in turn since all were met; a state
// accepts if the number is that of all sets.
func (x *automaton) over(ctx context.Context, a *lts.Alphabet, propositions []property.Step) ([]uint16, *graph) {
	of, takes, err := x.Takes(ctx, propositions, a)
	abort.On(err)
	file := x.Automaton()
	levels := len(x.sets) + 1
	g := &graph{initial: []int{int(file.Starts[0]) * levels}}
	for i := range file.States * levels {
		g.accepts = append(g.accepts, i%levels == levels-1)
	}
	if len(g.accepts) > mostStates {
		abort.On(x.Fail(1, "a claim has at most %d states, and this one has %d", mostStates, len(g.accepts)))
	}
	for _, edges := range takes {
		abort.On(ctx.Err())
		moves := make([][]int, len(g.accepts))
		for i, taken := range edges {
			if !taken {
				continue
			}
			e := file.Edges[i]
			for level := range levels {
				to := level
				if level == levels-1 {
					to = 0
				}
				for to < len(x.sets) && e.Marks>>x.sets[to]&1 != 0 {
					to++
				}
				from := int(e.From)*levels + level
				moves[from] = append(moves[from], int(e.To)*levels+to)
			}
		}
		for q := range moves {
			slices.Sort(moves[q])
			moves[q] = slices.Compact(moves[q])
		}
		g.moves = append(g.moves, moves)
	}
	return of, g
}
