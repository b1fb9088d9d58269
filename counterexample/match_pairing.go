package counterexample

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// productLimit is the number of states of a product above which matching is given
// up: a machine of ordinary size still holds it. A product is about as large as
// the given trace, unless runs of the model with the same labels are many.
const productLimit = 1 << 24

// joint is a state of the model together with a node of the given trace.
type joint struct {
	state lts.State
	node  lts.State
}

// pairing is the model and a given trace run side by side: both take a step where
// the texts of their labels agree, and the model takes an internal one alone.
type pairing struct {
	m     *lts.LTS
	given *Given
	// spelling[l] are the labels of the given trace that stand for label l of the
	// model.
	spelling [][]lts.Label
	internal []bool // by label of the model

	q *lts.LTS
	// joints[s] is what state s of q stands for, and labels[l] the label of the model
	// for label l of q.
	joints []joint
	labels []lts.Label
}

func newPairing(ctx context.Context, m *lts.LTS, v *Given, internal []string) (*pairing, error) {
	x := &pairing{m: m, given: v, spelling: spelling(m.Alphabet(), v.graph.Alphabet())}
	x.internal = make([]bool, m.Alphabet().Len())
	for _, text := range internal {
		for _, l := range m.Alphabet().Variants(text) {
			x.internal[l] = true
		}
	}
	var err error
	x.q, x.joints, err = lts.Explore(ctx, joint{m.Initial(), v.graph.Initial()}, x.successors, productLimit)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("too many runs of the model fit the trace to be told apart (more than %d states side by side): give a smaller one, such as a single sequence", productLimit)
	}
	for _, text := range x.q.Alphabet().All() {
		l, _ := m.Alphabet().Lookup(text)
		if of, number, is := strings.Cut(text, variant); is && m.Alphabet().Texts() < m.Alphabet().Len() {
			n, _ := strconv.Atoi(number)
			l = m.Alphabet().Variants(of)[n]
		}
		x.labels = append(x.labels, l)
	}
	return x, nil
}

// variant stands before the number of a label among those of the same text, in the labels of the
// product: of all but the first.
const variant = "\x00"

// spelling returns for each label of the model those of the given trace that stand
// for it: the same text or, where the model has no label of that text, one that
// differs in blanks after commas.
func spelling(model, given *lts.Alphabet) [][]lts.Label {
	of := make([][]lts.Label, model.Len())
	loose := map[string][]lts.Label{}
	for e, text := range given.All() {
		if all := model.Variants(text); all != nil {
			for _, l := range all {
				of[l] = append(of[l], e)
			}
		} else {
			key := withoutBlanks(text)
			loose[key] = append(loose[key], e)
		}
	}
	if len(loose) > 0 {
		for l, text := range model.All() {
			of[l] = append(of[l], loose[withoutBlanks(text)]...)
		}
	}
	return of
}

// withoutBlanks returns text less the blanks around it and after its commas.
func withoutBlanks(text string) string {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimLeft(parts[i], " \t")
	}
	return strings.TrimRight(strings.Join(parts, ","), " \t")
}

func (x *pairing) successors(at joint, do func(label string, next joint)) {
	labels, targets := x.m.Out(at.state)
	edges, nodes := x.given.graph.Out(at.node)
	for i := range labels.Len() {
		l := labels.At(i)
		text := x.m.Alphabet().Text(l)
		if x.m.Alphabet().Plain(l) != l {
			text += variant + strconv.Itoa(slices.Index(x.m.Alphabet().Variants(text), l))
		}
		for j := range edges.Len() {
			e := edges.At(j)
			if slices.Contains(x.spelling[l], e) {
				do(text, joint{targets[i], nodes[j]})
			}
		}
		if x.internal[l] {
			do(text, joint{targets[i], at.node})
		}
	}
}

// moves reports whether the given trace takes part in a transition of the product.
func (x *pairing) moves(from lts.State, label lts.Label, to lts.State) bool {
	before, after := x.joints[from].node, x.joints[to].node
	if before != after {
		return true
	}
	edges, nodes := x.given.graph.Out(before)
	for i := range edges.Len() {
		e := edges.At(i)
		if nodes[i] == after && slices.Contains(x.spelling[x.labels[label]], e) {
			return true
		}
	}
	return false
}

// accepts reports whether a run that takes this transition for ever fits the
// given trace: for ever internal actions alone fit only where the given trace has
// ended, and left open how.
func (x *pairing) accepts(from lts.State, label lts.Label, to lts.State) bool {
	return x.given.isOpen(x.joints[from].node) || x.moves(from, label, to)
}

// isEnd reports whether a run that ends here fits the given trace.
func (x *pairing) isEnd(s lts.State) bool {
	at := x.joints[s]
	return x.m.IsDeadlock(at.state) && x.given.graph.IsDeadlock(at.node)
}

// isCut reports whether the given trace may stop here and the model does not.
func (x *pairing) isCut(s lts.State) bool {
	at := x.joints[s]
	return !x.m.IsDeadlock(at.state) && x.given.isOpen(at.node)
}

// inModel returns transitions of the product as those of the model.
func (x *pairing) inModel(steps []lts.Transition) []lts.Transition {
	mapped := make([]lts.Transition, len(steps))
	for i, step := range steps {
		mapped[i] = lts.Transition{From: x.joints[step.From].state, Label: x.labels[step.Label], To: x.joints[step.To].state}
	}
	return mapped
}

// taken returns in how many of these transitions the given trace takes part.
func (x *pairing) taken(steps []lts.Transition) int {
	count := 0
	for _, step := range steps {
		if x.moves(step.From, step.Label, step.To) {
			count++
		}
	}
	return count
}

// cuts returns the states of the product that are cuts, ascending.
func (x *pairing) cuts() []lts.State {
	var cuts []lts.State
	for s := range x.joints {
		if x.isCut(lts.State(s)) {
			cuts = append(cuts, lts.State(s))
		}
	}
	return cuts
}
