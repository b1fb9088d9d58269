package quotient

import (
	"context"
	"errors"
	"strconv"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// ErrManyBlocks is the error of a quotient with more blocks than were asked for.
var ErrManyBlocks = errors.New("quotient: more blocks than asked for")

// A part of a model that nothing leaves is divided on its own first, where a number of
// blocks is set: so many times that number are its states at least.
const tailFactor = 2

// checkTail fails with [ErrManyBlocks] where the deepest components of c alone have
// more than most blocks. What a state is equivalent to depends on what can follow it
// only, so that a part that no transition leaves has the blocks that it has in the
// whole: a long chain is found out by its end. Cost O(B log B) for B states of that part
// and their transitions, where it is small beside the model; otherwise nothing is done.
func checkTail(ctx context.Context, c *scc.Components, names *renaming, apart func(lts.State) uint32, most int) error {
	t := &tail{c: c, names: names}
	if !t.choose(tailFactor * most) {
		return nil
	}
	m, err := t.build()
	if err != nil {
		return err
	}
	g, err := contract(ctx, m, t.renamed, func(s lts.State) uint32 {
		if s == 0 {
			return aboveTail
		}
		return apart(t.states[s-1])
	})
	if err != nil {
		return err
	}
	_, err = refine(ctx, g, most+1) // the root is a block of its own
	return err
}

// tail is the part of a model in its deepest components, with a root above them from
// which all of it can be reached.
type tail struct {
	c       *scc.Components
	names   *renaming
	states  []lts.State // state s of the tail is states[s-1]
	number  map[lts.State]lts.State
	renamed *renaming
}

// choose takes components from the deepest on until there are enough states; false
// where that would be half of the model, or more transitions than ten times as many.
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

// build makes the tail a model. Its labels are those that the quotient would have.
func (t *tail) build() (*lts.LTS, error) {
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
	below := label(0) // which label the root has does not matter
	for i := range t.states {
		b.Add(0, below, lts.State(i+1))
	}
	for i, s := range t.states {
		labels, targets := m.Out(s)
		for j, to := range targets {
			b.Add(lts.State(i+1), label(t.names.to[labels.At(j)]), t.number[to])
		}
	}
	return b.Build(0, len(t.states)+1)
}
