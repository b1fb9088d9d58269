package product

import (
	"context"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
)

// Silent reports for each label whether a property is closed under stuttering by
// it: whether leaving out all transitions with such labels never changes the
// verdict on a run, as long as other transitions go on for ever or the run ends.
// For a run that finally takes only such transitions, the verdict depends on when
// that begins, and not on which of them it takes.
//
// A silent label leaves the property in each state unchanged. Its colours are
// unheard: either the transitions around it have them, too, or they do not matter
// to the condition. The latter is decided by an emptiness check if the condition
// has few colours; otherwise the label counts as heard. Cost O(labels + states ·
// letters), and for each letter at most that of [Unfolding.Accepting] on the
// automaton itself.
func Silent(ctx context.Context, p *property.Property) (_ []bool, err error) {
	defer abort.Caught(&err)
	silent := make([]bool, p.Alphabet().Len())
	if c, is := p.Chain(); is {
		for l := range p.Alphabet().All() {
			silent[l] = !c.Concerns(l)
		}
		return silent, nil
	}
	x := newStutter(p)
	ofLetter := map[uint16]bool{}
	for l := range p.Alphabet().All() {
		letter := x.t.Letters[l]
		is, known := ofLetter[letter]
		if !known {
			is = x.isSilent(ctx, letter)
			ofLetter[letter] = is
		}
		silent[l] = is
	}
	return silent, nil
}

// stutter is an automaton, restricted to the states that letters of labels reach.
type stutter struct {
	t       property.Automaton
	letters []uint16
	states  []property.Q
	// colours are those of the condition, in ascending order.
	colours []int
	all     property.Marks
}

func newStutter(p *property.Property) *stutter {
	x := &stutter{t: p.Automaton()}
	used := bitset.New[lts.Label](x.t.Columns)
	for _, letter := range x.t.Letters {
		if l := lts.Label(letter); !used.Has(l) {
			used.Add(l)
			x.letters = append(x.letters, letter)
		}
	}
	reached := bitset.New[lts.State](p.States())
	reached.Add(lts.State(p.Initial()))
	x.states = []property.Q{p.Initial()}
	for i := 0; i < len(x.states); i++ {
		for _, letter := range x.letters {
			if to := x.next(x.states[i], letter); !reached.Has(lts.State(to)) {
				reached.Add(lts.State(to))
				x.states = append(x.states, to)
			}
		}
	}
	x.all, _ = p.Acceptance().Colours()
	for c := range property.Colours {
		if x.all.Has(c) {
			x.colours = append(x.colours, c)
		}
	}
	return x
}

func (x *stutter) next(q property.Q, letter uint16) property.Q {
	return x.t.Next[int(q)*x.t.Columns+int(letter)]
}

func (x *stutter) marks(q property.Q, letter uint16) property.Marks {
	if x.t.Marks == nil {
		return 0
	}
	return x.t.Marks[int(q)*x.t.Columns+int(letter)] & x.all
}

func (x *stutter) isSilent(ctx context.Context, letter uint16) bool {
	for _, q := range x.states {
		if x.next(q, letter) != q {
			return false
		}
	}
	return x.isUnheard(letter) || len(x.colours) <= mostHeard && !x.isHeard(ctx, letter)
}

// mostHeard is the largest number of colours of a condition for which an
// emptiness check decides whether the colours of a letter matter: that takes
// exponential time at worst, and two copies of the colours and one more.
const mostHeard = 8

// isUnheard reports whether, in each state, a letter has only colours that every other letter into
// the state has, or every other letter out of it: a run that continues with other letters meets
// them anyway.
func (x *stutter) isUnheard(letter uint16) bool {
	into, out := map[property.Q]property.Marks{}, map[property.Q]property.Marks{}
	for _, q := range x.states {
		into[q], out[q] = x.all, x.all
	}
	for _, q := range x.states {
		for _, l := range x.letters {
			if l != letter {
				m := x.marks(q, l)
				into[x.next(q, l)] &= m
				out[q] &= m
			}
		}
	}
	for _, q := range x.states {
		if m := x.marks(q, letter); m&^into[q] != 0 && m&^out[q] != 0 {
			return false
		}
	}
	return true
}

// isHeard reports whether the verdict on some run on which other letters recur
// changes if the colours of this letter are left out. The automaton has two
// copies of each colour: one for the run without the letter, and one for the run
// with it.
func (x *stutter) isHeard(ctx context.Context, letter uint16) bool {
	n := len(x.colours)
	number := map[int]int{}
	for i, c := range x.colours {
		number[c] = i
	}
	shifted := func(by int) property.Acceptance {
		return x.t.Acceptance.Renumbered(func(c int) int { return number[c] + by })
	}
	without, with := shifted(0), shifted(n)
	t := property.Automaton{
		Columns: x.t.Columns, Next: x.t.Next, Initial: x.t.Initial, Stop: x.t.Stop,
		Marks:      make([]property.Marks, len(x.t.Next)),
		Acceptance: property.All(property.Inf(2*n), property.Any(property.All(without, with.Not()), property.All(with, without.Not()))),
	}
	for _, q := range x.states {
		for _, l := range x.letters {
			m := property.Marks(0)
			for i, c := range x.colours {
				if x.marks(q, l).Has(c) {
					m |= property.Mark(n + i)
					if l != letter {
						m |= property.Mark(i)
					}
				}
			}
			if l != letter {
				m |= property.Mark(2 * n)
			}
			t.Marks[int(q)*t.Columns+int(l)] = m
		}
	}
	return x.accepts(ctx, t)
}

// accepts reports whether a table over the letters accepts any infinite word.
func (x *stutter) accepts(ctx context.Context, t property.Automaton) bool {
	m, p := x.words(t)
	u, c := unfoldedParts(ctx, m, p)
	return slices.Contains(abort.Must(u.Accepting(ctx, c, t.Acceptance)), true)
}

// words returns a model whose words are all those over the letters, and a table
// as a property of it.
func (x *stutter) words(t property.Automaton) (*lts.LTS, *property.Property) {
	var b lts.Builder
	for i := range x.letters {
		b.Add(0, b.Label(strconv.Itoa(i)), 0)
	}
	m := abort.Must(b.Build(0, 1))
	t.Letters = x.letters
	return m, abort.Must(property.Table(m.Alphabet(), t))
}
