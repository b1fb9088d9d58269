package temporal

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// bindFacts is [Bind] over labels that carry facts about their targets: an atom
// about facts is evaluated in the state at a position, one about labels on the
// transition that leaves it. So a state of the table is a state of the automaton
// together with the facts of the present state, as far as these make a
// difference.
func bindFacts(ctx context.Context, alphabet *lts.Alphabet, f *Formula, atoms []property.Step, kind property.Kind, name string) *property.Property {
	b := &factBinder{ctx: ctx, alphabet: alphabet, atoms: atoms[:f.Atoms()]}
	b.readLetters()
	letters := append(slices.Clone(b.letters.All), b.letter(nil, 0, true))
	var err error
	b.d, err = determine(ctx, f, letters)
	if err == nil {
		err = abort.Try(b.explore)
	}
	var budget *BudgetError
	if errors.As(err, &budget) {
		abort.On(remedy.New(err, err, "; ", remedy.Automaton))
	}
	abort.On(err)
	unfolded := *b.product
	unfolded.next = slices.Clone(unfolded.next)
	a := unfolded.simplify(ctx)
	t := a.table()
	t.Letters, t.Kind, t.Name, t.Pending = b.columnOf, kind, name, b.phrases(f, a)
	return abort.Must(property.Table(alphabet, t))
}

// factBinder makes the table of a formula about facts.
type factBinder struct {
	ctx      context.Context
	alphabet *lts.Alphabet
	atoms    []property.Step
	letters  keyed.List[string, []bool] // the letters of the automaton
	// classes are the sets of atoms that hold of labels, and facts the sets of
	// facts of states.
	classes keyed.List[string, []int]
	facts   keyed.List[lts.Facts, lts.Facts]
	// letterOf[v][c] is the letter of class c in a state with facts v, idle[v]
	// the letter after the end of a run there, and other[v] that of a label
	// without atoms.
	letterOf    [][]int
	idle, other []int
	// columns are the columns of the table: a class, or the beginning of runs,
	// with facts.
	columns  keyed.List[column, column]
	columnOf []uint16
	d        *determined
	product  *automaton
	// meaning[q] is the state of the automaton, with the facts, that state q of
	// the product stands for.
	meaning []stateWithFacts
}

// begins is the class of transitions with which runs begin.
const begins = -1

type column struct{ class, facts int }

// stateWithFacts is a state of the automaton with the facts of the present
// state of the model; before runs begin, there are no facts.
type stateWithFacts struct {
	q     uint32
	facts int
}

const unread = -1

// readLetters finds the classes of labels, the facts and the letters.
func (b *factBinder) readLetters() {
	atomsOf := make([][]int, b.alphabet.Len())
	for i, atom := range b.atoms {
		for _, l := range atom.Labels {
			atomsOf[l] = append(atomsOf[l], i)
		}
	}
	if facts, begun := b.alphabet.InitialFacts(); begun {
		b.factsNumber(facts)
	}
	b.columnOf = make([]uint16, b.alphabet.Len())
	for l, has := range atomsOf {
		if l&(1<<12-1) == 0 {
			abort.On(b.ctx.Err())
		}
		if !b.alphabet.Happens(lts.Label(l)) {
			continue
		}
		facts, first := b.alphabet.Facts(lts.Label(l))
		of := column{begins, b.factsNumber(facts)}
		if !first {
			of.class = b.classes.Index(keyOf(has, len(b.atoms)), has)
		}
		b.columnOf[l] = uint16(b.columns.Index(of, of))
		if len(b.columns.All) > maxLetters {
			abort.On(remedy.New(nil, &BudgetError{What: "letters", Most: maxLetters}, "; ", remedy.Automaton))
		}
	}
	for v, facts := range b.facts.All {
		b.letterOf = append(b.letterOf, nil)
		for _, has := range b.classes.All {
			b.letterOf[v] = append(b.letterOf[v], b.letterNumber(b.letter(has, facts, false)))
		}
		b.idle = append(b.idle, b.letterNumber(b.letter(nil, facts, true)))
		b.other = append(b.other, b.letterNumber(b.letter(nil, facts, false)))
		if len(b.letters.All)*(len(b.atoms)+1) > maxHeld || len(b.letters.All) > maxLetters || b.ctx.Err() != nil {
			abort.On(errors.Join(b.ctx.Err(), &BudgetError{What: "letters", Most: maxLetters}))
		}
	}
}

func (b *factBinder) factsNumber(facts lts.Facts) int { return b.facts.Index(facts, facts) }

func keyOf(atoms []int, n int) string {
	key := make([]byte, n)
	for _, i := range atoms {
		key[i] = 1
	}
	return string(key)
}

// letter returns, for each atom, whether it holds in a state with these facts
// that is left by a label with the atoms listed in has.
func (b *factBinder) letter(has []int, facts lts.Facts, deadlock bool) []bool {
	letter := make([]bool, len(b.atoms)+1)
	for _, i := range has {
		letter[i] = true
	}
	for i, atom := range b.atoms {
		letter[i] = letter[i] || atom.Facts&facts != 0
	}
	letter[len(b.atoms)] = deadlock
	return letter
}

func (b *factBinder) letterNumber(letter []bool) int {
	key := make([]byte, len(letter))
	for i, is := range letter {
		if is {
			key[i] = 1
		}
	}
	return b.letters.Index(string(key), letter)
}

// explore makes the product of the automaton and the facts.
func (b *factBinder) explore() {
	a := b.d.automaton
	stops := b.stops()
	b.product = &automaton{letters: len(b.columns.All), accept: a.accept}
	number := map[stateWithFacts]uint32{}
	state := func(p stateWithFacts) uint32 {
		n, known := number[p]
		if !known {
			n = uint32(len(b.meaning))
			number[p] = n
			b.meaning = append(b.meaning, p)
			b.product.of = append(b.product.of, append(slices.Clone(a.of[p.q]), form(p.facts+1)))
			b.product.stop = append(b.product.stop, p.facts != unread && stops[p.facts][p.q])
		}
		return n
	}
	begin := stateWithFacts{a.initial, unread}
	if facts, begun := b.alphabet.InitialFacts(); begun {
		begin.facts = b.factsNumber(facts)
	}
	state(begin)
	for n := 0; n < len(b.meaning); n++ {
		switch {
		case b.ctx.Err() != nil:
			abort.On(b.ctx.Err())
			return
		case len(b.meaning) > property.MaxStates:
			abort.On(&BudgetError{What: "states", Most: property.MaxStates})
		case n*len(b.columns.All) > maxTransitions:
			abort.On(&BudgetError{What: "transitions", Most: maxTransitions})
		}
		p := b.meaning[n]
		for _, c := range b.columns.All {
			c = b.possible(c, p.facts == unread)
			to, marks := stateWithFacts{p.q, c.facts}, property.Marks(0)
			switch {
			case p.facts != unread && c.class == begins:
				to = p // there are no other columns
			case c.class != begins:
				at := int(p.q)*a.letters + b.letterOf[p.facts][c.class]
				to.q, marks = a.next[at], a.marks[at]
			}
			b.product.next = append(b.product.next, state(to))
			b.product.marks = append(b.product.marks, marks)
		}
	}
}

// possible returns the column itself if a run can do it at this point, and
// otherwise the first column that a run can do: so the automaton accepts no
// additional words.
func (b *factBinder) possible(c column, unread bool) column {
	if (c.class == begins) == unread {
		return c
	}
	for _, other := range b.columns.All {
		if (other.class == begins) == unread {
			return other
		}
	}
	return column{begins, c.facts}
}

// stops returns, for all facts, which states of the automaton accept a run that
// ends in a state with these facts.
func (b *factBinder) stops() [][]bool {
	t := b.d.table()
	var all [][]bool
	known := map[int][]bool{}
	for _, letter := range b.idle {
		if known[letter] == nil {
			known[letter] = t.StopsByIdling(letter)
		}
		all = append(all, known[letter])
	}
	return all
}

// phrases returns what the states of the table wait for. A state of the table
// merges states of the product with the same demands, and has the shortest of
// their phrases. If the formula is only about the present state, and not about
// the next one, the atoms of that state are known already.
func (b *factBinder) phrases(f *Formula, a *automaton) []property.Phrase {
	speaker := b.d.speaker(b.atoms)
	ahead := !f.has(NextOp) && !slices.ContainsFunc(b.atoms, func(s property.Step) bool { return len(s.Labels) > 0 }) && !f.has(DeadlockOp)
	said := map[uint32]property.Phrase{}
	phrase := func(n uint32) property.Phrase {
		p := b.meaning[n]
		if ahead && p.facts != unread {
			p.q = b.d.automaton.next[int(p.q)*b.d.automaton.letters+b.other[p.facts]]
		}
		words, known := said[p.q]
		if !known {
			words = speaker.phrase(b.d.rest(b.d.c, b.d.automaton.of[p.q]))
			said[p.q] = words
		}
		return words
	}
	all, known := make([]property.Phrase, a.states()), make([]bool, a.states())
	met := map[[2]uint32]bool{}
	line := [][2]uint32{{b.product.initial, a.initial}}
	met[line[0]] = true
	for len(line) > 0 {
		n, q := line[0][0], line[0][1]
		line = line[1:]
		if words := phrase(n); !known[q] || len(words.String()) < len(all[q].String()) {
			all[q], known[q] = words, true
		}
		for c := range a.letters {
			next := [2]uint32{b.product.next[int(n)*a.letters+c], a.next[int(q)*a.letters+c]}
			if !met[next] {
				met[next] = true
				line = append(line, next)
			}
		}
	}
	return all
}

// has reports whether the formula contains an operator.
func (f *Formula) has(op Operator) bool {
	return f.op == op || slices.ContainsFunc(f.parts, func(p *Formula) bool { return p.has(op) })
}
