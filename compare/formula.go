package compare

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// longestFormula is the largest length of a formula, in bytes.
const longestFormula = 1 << 16

// formula sets the formula of a comparison: the formula of the distinguishing run if there is such
// a run, otherwise the formula of the classes.
func (d *divided) formula(ctx context.Context, b *Behaviour, old, latest lts.State, limit int64) error {
	if b.Run != nil {
		b.Formula, b.Depth = d.ofRun(b.Run), len(b.Run.Run)+1
		if len(b.Formula) > longestFormula {
			b.Formula, b.Depth = "", 0
		}
		return nil
	}
	var said deepText
	var err error
	if tau, hides := d.q.Tau(); hides {
		said, err = d.branching(ctx, tau, old, latest, limit)
	} else {
		said, err = d.strong(ctx, old, latest, limit)
	}
	if errors.Is(err, errLimit) || len(said.text) > longestFormula {
		return nil
	}
	b.Formula, b.Depth = said.text, said.depth
	return err
}

// strong returns a formula of Hennessy and Milner's logic that holds in the first block and
// not in the second.
func (d *divided) strong(ctx context.Context, old, latest lts.State, limit int64) (deepText, error) {
	rounds, err := d.rounds(ctx, old, latest, limit)
	if err != nil {
		return deepText{}, err
	}
	f := &parting{g: d.q.LTS(), rounds: rounds, done: make(map[askedPair]string)}
	said := deepText{f.between(old, latest, len(rounds)-1), len(rounds) - 1}
	if f.tooLong {
		return deepText{}, nil
	}
	return said, nil
}

// ofRun returns the formula which says that the old version can do a run and then a label; or, for
// a label of the new version, that the old version cannot do both.
func (d *divided) ofRun(p *Parting) string {
	var text strings.Builder
	if p.Only == New {
		text.WriteString("!")
	}
	before, after, end := "<", "> ", ""
	if internal := d.hidden(); internal != "" {
		before, after, end = "E[true {"+internal+"} U {", "} ", "]"
	}
	for _, label := range append(slices.Clone(p.Run), p.Label) {
		text.WriteString(before + actl.Quoted(label) + after)
	}
	text.WriteString("true")
	for range len(p.Run) + 1 {
		text.WriteString(end)
	}
	return text.String()
}

// rounds returns, for depths 0, 1, …, the classes of blocks that formulas of this depth
// distinguish, up to the first depth that distinguishes the two blocks. Cost O(T) for each round,
// and at most as many rounds as blocks.
func (d *divided) rounds(ctx context.Context, old, latest lts.State, limit int64) ([][]uint32, error) {
	g := d.q.LTS()
	w := work{ctx, limit}
	return refined(ctx, g.NumStates(), old, latest, func(last, next []uint32) error {
		var number numbering
		var own []move
		for s := range lts.State(g.NumStates()) {
			labels, targets := g.Out(s)
			own = own[:0]
			for k, t := range targets {
				own = append(own, moveTo(labels.At(k), last[t]))
			}
			slices.Sort(own)
			next[s] = number.of(last[s], slices.Compact(own))
		}
		return w.spend(g.NumTransitions() + g.NumStates())
	})
}

// parting makes formulas of Hennessy and Milner's logic that distinguish blocks, from the rounds
// that separated them (Cleaveland: On Automatically Explaining Bisimulation Inequivalence, CAV
// 1990, section 4).
type parting struct {
	g       *lts.LTS
	rounds  [][]uint32
	done    map[askedPair]string
	tooLong bool
}

type askedPair struct{ s, t lts.State }

// between returns a formula of the least depth that holds in s and not in t. Round depth must
// separate s and t.
func (f *parting) between(s, t lts.State, depth int) string {
	asked := askedPair{s, t}
	if text, is := f.done[asked]; is || f.tooLong {
		return text
	}
	for depth > 0 && f.rounds[depth-1][s] != f.rounds[depth-1][t] {
		depth--
	}
	text, found := f.can(s, t, depth-1)
	if !found {
		text, _ = f.can(t, s, depth-1)
		text = "!" + text
	}
	f.tooLong = f.tooLong || len(text) > longestFormula
	f.done[asked] = text
	return text
}

// can returns a formula which says that s has a transition to a block of a class, in a round, to
// which t has no transition with the same label; false if there is none.
func (f *parting) can(s, t lts.State, round int) (string, bool) {
	class := f.rounds[round]
	best, fewest := -1, 0
	var against []lts.State
	labels, targets := f.g.Out(s)
	for k, to := range targets {
		reached := f.targets(t, labels.At(k))
		if slices.ContainsFunc(reached, func(x lts.State) bool { return class[x] == class[to] }) {
			continue
		}
		if best < 0 || len(reached) < fewest {
			best, fewest, against = k, len(reached), reached
		}
	}
	if best < 0 {
		return "", false
	}
	var parts []string
	for _, x := range against {
		if part := f.between(targets[best], x, round); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	rest := "true"
	switch {
	case len(parts) == 1:
		rest = parts[0]
	case len(parts) > 1:
		rest = "(" + strings.Join(parts, " && ") + ")"
	}
	return "<" + actl.Quoted(f.g.Alphabet().Text(labels.At(best))) + "> " + rest, true
}

func (f *parting) targets(s lts.State, label lts.Label) []lts.State {
	var reached []lts.State
	labels, targets := f.g.Out(s)
	for k, t := range targets {
		if labels.At(k) == label {
			reached = append(reached, t)
		}
	}
	return reached
}
