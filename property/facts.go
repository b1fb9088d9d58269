package property

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// withFacts is [Specify] over labels that carry facts about states. Each
// transition is two letters: one for its label, and one for the state that it
// leads to; the state in which runs begin is a letter before all others. If runs
// begin behind the initial state, the transitions of that state have the letter
// of the target alone.
func (s Specification) withFacts(ctx context.Context, a *lts.Alphabet, b *body, steps []Step) (*Property, error) {
	m := scoped{body: b, scope: s.Scope, from: len(s.Steps), to: len(s.Steps) + 1}
	kinds := newMoments(a, s, steps)
	unread := Q(m.states())
	t := Automaton{Initial: unread, Acceptance: b.acceptance, Kind: s.Kind, Name: s.Name, Letters: make([]uint16, a.Len())}
	if facts, begun := a.InitialFacts(); begun {
		t.Initial, _ = m.next(m.initial(), kinds.ofFacts(facts))
	}
	pairs, err := kinds.pairs(ctx, t.Letters)
	if err != nil {
		return nil, err
	}
	t.Columns = len(pairs)
	if m.states() > MaxStates || m.states()*len(pairs) > MaxStates*8 {
		return nil, fmt.Errorf("property: %s needs an automaton of %d states and %d letters, which are too many", s.Name, m.states(), len(pairs))
	}
	for q := range unread + 1 {
		if q&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if q == unread && t.Initial != unread {
			break
		}
		from := q
		t.Stop = append(t.Stop, q != unread && m.stops(q))
		if q == unread {
			from = m.initial()
		}
		t.Pending = append(t.Pending, m.pending(from, s))
		for _, pair := range pairs {
			pair = possible(pairs, pair, q == unread)
			next, marks := from, Marks(0)
			if !pair.begins {
				next, marks = m.next(next, pair.label)
			}
			next, more := m.next(next, pair.state)
			t.Next, t.Marks = append(t.Next, next), append(t.Marks, marks|more)
		}
	}
	return Table(a, t)
}

// possible returns pair if a run can do it at this point, and otherwise the first
// pair that a run can do: so the automaton accepts no additional words.
func possible(pairs []moment, pair moment, unread bool) moment {
	for _, other := range append([]moment{pair}, pairs...) {
		if other.begins == unread {
			return other
		}
	}
	return pair
}

// LeadsTo reports whether the step is done in the targets of transitions with
// label l of a. Cost O(1).
func (s Step) LeadsTo(a *lts.Alphabet, l lts.Label) bool {
	if s.Facts == 0 {
		return false
	}
	facts, _ := a.Facts(l)
	return facts&s.Facts != 0
}

// moments computes the steps that labels and facts do.
type moments struct {
	a     *lts.Alphabet
	steps []Step
	in    incidence
	// labels is set if every label does step 0, and states if every state does:
	// an Always about facts forbids no labels, and one about labels forbids no
	// facts.
	labels, states bool
}

func newMoments(a *lts.Alphabet, s Specification, steps []Step) *moments {
	k := &moments{a: a, steps: steps, in: newIncidence(a.Len(), steps)}
	if s.Kind == KindAlways {
		k.labels = s.Steps[0].Facts != 0
		k.states = !k.labels
	}
	return k
}

func (k *moments) ofLabel(l lts.Label) letter {
	of := letter(k.in.of(l))
	if k.labels && !of.does(0) {
		of = append(letter{0}, of...)
	}
	return of
}

func (k *moments) ofFacts(f lts.Facts) letter {
	var of letter
	for i, step := range k.steps {
		if step.Facts&f != 0 || i == 0 && k.states {
			of = append(of, uint32(i))
		}
	}
	return of
}

// moment has the steps that a transition does by its label, and then by its
// target.
type moment struct {
	label, state letter
	begins       bool
}

// pairs returns the distinct moments of the labels that happen, and stores the
// index of each label's moment in letters.
func (k *moments) pairs(ctx context.Context, letters []uint16) ([]moment, error) {
	var all []moment
	number := map[string]uint16{}
	none := noneHappens(k.a)
	for l := range k.a.All() {
		if l&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !none && !k.a.Happens(l) {
			continue
		}
		facts, begins := k.a.Facts(l)
		m := moment{k.ofLabel(l), k.ofFacts(facts), begins}
		key := fmt.Sprint(m.label, m.state, begins)
		n, known := number[key]
		if !known {
			if len(all) == 1<<16 {
				return nil, fmt.Errorf("property: the patterns tell more than %d classes of steps apart", 1<<16)
			}
			n = uint16(len(all))
			number[key] = n
			all = append(all, m)
		}
		letters[l] = n
	}
	return all, nil
}
