package quotient

import (
	"context"
	"errors"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// ErrManyBlocks reports that a quotient has more blocks than its limit.
var ErrManyBlocks = errors.New("quotient: more blocks than asked for")

// tailFactor is the least number of states of a tail, as a multiple of the limit on blocks. If a
// quotient has such a limit, the blocks of the tail of the model are computed first, on their own.
const tailFactor = 2

// checkTail fails with [ErrManyBlocks] if the deepest components of c alone have more blocks than
// most. Which states are equivalent depends only on what can follow them, so a set of states that
// no transition leaves has the same blocks alone as in the whole model: the end of a long chain
// suffices to find that the chain is too long. Cost O(B log B) for B states of the tail and their
// transitions. It does nothing unless the tail is small compared with the model.
func checkTail(ctx context.Context, c *scc.Components, names *renaming, apart func(lts.State) uint32, most int) {
	t := &tail{c: c, names: names}
	if !t.choose(tailFactor * most) {
		return
	}
	m := t.build()
	g := contract(ctx, m, t.renamed, func(s lts.State) uint32 {
		if s == 0 {
			return aboveTail
		}
		return apart(t.states[s-1])
	})
	refine(ctx, g, most+1) // one more, since the root is a block of its own
}

// tail is the model of some of the deepest components, with a root that has transitions to all
// their states.
type tail struct {
	c       *scc.Components
	names   *renaming
	states  []lts.State // state s of the tail is states[s-1]
	number  map[lts.State]lts.State
	renamed *renaming
}

// choose takes components, the deepest first, until they have enough states; false if these are
// half of the model, or have more than ten times as many transitions.
func (t *tail) choose(enough int) bool {
	c := t.c
	m := c.LTS()
	if m.Reachable().NumStates() < 2*enough {
		return false
	}
	t.number = make(map[lts.State]lts.State, enough)
	transitions := 0
	for i := c.Len() - 1; i >= 0 && len(t.states) < enough; i-- {
		states := c.States(scc.Component(i))
		if len(t.states)+len(states) > 2*enough {
			return false
		}
		for _, s := range states {
			t.states = append(t.states, s)
			t.number[s] = lts.State(len(t.states))
			_, targets := m.Out(s)
			transitions += len(targets)
		}
		if transitions > 10*enough {
			return false
		}
	}
	return len(t.states) >= enough
}

// build returns the tail as a model, with the labels of the quotient.
func (t *tail) build() *lts.LTS {
	m := t.c.LTS()
	t.renamed = &renaming{texts: t.names.texts, tau: t.names.tau, hides: t.names.hides}
	var b lts.Builder
	label := func(renamed lts.Label) lts.Label {
		l := b.Label(strconv.Itoa(int(renamed)))
		if int(l) == len(t.renamed.to) {
			t.renamed.to = append(t.renamed.to, renamed)
		}
		return l
	}
	below := label(0) // the label of the root's transitions does not matter
	for i := range t.states {
		b.Add(0, below, lts.State(i+1))
	}
	for i, s := range t.states {
		labels, targets := m.Out(s)
		for j, to := range targets {
			b.Add(lts.State(i+1), label(t.names.to[labels.At(j)]), t.number[to])
		}
	}
	return abort.Must(b.Build(0, len(t.states)+1))
}
