package property

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
)

// MaxStates is the largest number of states of a table.
const MaxStates = 1 << 20

// Automaton is a complete deterministic automaton over letters, the input of
// [Table]. A letter is a class of labels that the property does not distinguish.
type Automaton struct {
	// Letters[l] is the letter of label l of the model. There may be more letters
	// than occur in it, up to Columns.
	Letters []uint16
	// Columns is the number of letters.
	Columns int
	// Next[int(q)*Columns+letter] is the state after a transition from q.
	Next []Q
	// Marks, as long as Next, are the colours of the transitions; nil for none.
	Marks []Marks
	// Initial is the state before the first transition.
	Initial Q
	// Acceptance is the condition on the colours of infinite runs.
	Acceptance Acceptance
	// Stop[q] reports that a run which ends in q, in a deadlock, is accepted.
	Stop []bool
	// Pending[q] describes in words what a run in q waits for or must not do:
	// "waiting for ACK"; empty if there is nothing to say.
	Pending []Phrase
	// Kind and Name say how the property was written.
	Kind Kind
	Name string
}

// FromBeginning returns the automaton that does not move before runs begin: the
// labels of a that lead to the states where runs begin, see [lts.LTS.Begin],
// leave each state unchanged. It returns t if there are no such labels. Cost
// O(labels of a), and O(states · letters) if there are any.
func (t Automaton) FromBeginning(a *lts.Alphabet) Automaton {
	var waits []lts.Label
	for l := range a.All() {
		if _, begins := a.Facts(l); begins {
			waits = append(waits, l)
		}
	}
	if len(waits) == 0 {
		return t
	}
	later := t
	later.Columns, later.Next, later.Marks = t.Columns+1, nil, nil
	for q := range t.States() {
		row := q * t.Columns
		later.Next = append(append(later.Next, t.Next[row:row+t.Columns]...), Q(q))
		if t.Marks != nil {
			later.Marks = append(append(later.Marks, t.Marks[row:row+t.Columns]...), 0)
		}
	}
	later.Letters = slices.Clone(t.Letters)
	for _, l := range waits {
		later.Letters[l] = uint16(t.Columns)
	}
	return later
}

// States returns the number of states.
func (t *Automaton) States() int { return len(t.Stop) }

// StopsByIdling returns Stop for an automaton with a letter for "nothing
// happens": a run that ends in a state is accepted if the automaton accepts this
// letter for ever from there. Cost O(states · size of the condition).
func (t *Automaton) StopsByIdling(letter int) []bool {
	next := func(q int) int { return int(t.Next[q*t.Columns+letter]) }
	return StopsByLoops(len(t.Next)/t.Columns, next, func(loop []int) bool {
		var met Marks
		for _, q := range loop {
			met |= t.marks(Q(q), letter)
		}
		return t.Acceptance.Holds(met)
	})
}

// StopsByLoops reports for each state whether the loop is accepted into which the
// successors of the state lead. Cost O(states), and a call of accepted for each
// loop.
func StopsByLoops(states int, next func(q int) int, accepted func(loop []int) bool) []bool {
	stop, known := make([]bool, states), make([]bool, states)
	seen := make([]int, states) // when a state was met in the present walk, from 1
	for q := range states {
		if known[q] {
			continue
		}
		var path []int
		at := q
		for ; !known[at] && seen[at] == 0; at = next(at) {
			path = append(path, at)
			seen[at] = len(path)
		}
		accepts := stop[at]
		if !known[at] {
			accepts = accepted(path[seen[at]-1:])
		}
		for _, p := range path {
			stop[p], known[p], seen[p] = accepts, true, 0
		}
	}
	return stop
}

func (t *Automaton) marks(q Q, letter int) Marks {
	if t.Marks == nil {
		return 0
	}
	return t.Marks[int(q)*t.Columns+letter]
}

// Table returns the property of a deterministic automaton over the labels of a.
// It keeps the slices of t. If no label happens, t needs no letters. It fails
// unless t has a letter for each label and a state for each transition, and
// refers only to existing letters and states and to colours 0 to [Colours]-1.
// Cost O(labels + states · letters).
func Table(a *lts.Alphabet, t Automaton) (*Property, error) {
	if t.Columns == 0 && a.Len() > 0 && noneHappens(a) {
		t.stay()
	}
	if err := t.check(a.Len()); err != nil {
		return nil, err
	}
	return t.property(a), nil
}

// stay gives an automaton without letters one letter that changes nothing, for
// labels that no run of the model does.
func (t *Automaton) stay() {
	t.Columns, t.Marks = 1, nil
	t.Next = make([]Q, t.States())
	for q := range t.Next {
		t.Next[q] = Q(q)
	}
}

func (t *Automaton) check(labels int) error {
	states := t.States()
	switch {
	case states == 0 || states > MaxStates:
		return fmt.Errorf("property: an automaton has 1 to %d states, and not %d", MaxStates, states)
	case t.Columns < 0 || t.Columns > 1<<16:
		return fmt.Errorf("property: an automaton has at most %d letters, and not %d", 1<<16, t.Columns)
	case len(t.Next) != states*t.Columns:
		return fmt.Errorf("property: %d states and %d letters need %d transitions, and not %d", states, t.Columns, states*t.Columns, len(t.Next))
	case t.Marks != nil && len(t.Marks) != len(t.Next):
		return fmt.Errorf("property: %d transitions have the marks of %d", len(t.Next), len(t.Marks))
	case len(t.Letters) != labels:
		return fmt.Errorf("property: %d labels have %d letters", labels, len(t.Letters))
	case t.Pending != nil && len(t.Pending) != states:
		return fmt.Errorf("property: %d states have %d descriptions", states, len(t.Pending))
	case int(t.Initial) >= states:
		return fmt.Errorf("property: the initial state is %d of %d", t.Initial, states)
	}
	if i := slices.IndexFunc(t.Next, func(q Q) bool { return int(q) >= states }); i >= 0 {
		return fmt.Errorf("property: a transition from state %d leads to state %d of %d", i/t.Columns, t.Next[i], states)
	}
	if l := slices.IndexFunc(t.Letters, func(x uint16) bool { return int(x) >= t.Columns }); l >= 0 {
		return fmt.Errorf("property: label %d has letter %d of %d", l, t.Letters[l], t.Columns)
	}
	return t.Acceptance.check()
}

// Automaton returns a property as an automaton; for a chain, its letters are the
// sets of steps that labels do, and its states the progresses. Cost O(labels ·
// steps + states · letters).
func (p *Property) Automaton() Automaton { return p.form.automaton() }

// letters gives labels that do the same steps the same letter of t, and returns
// one label of each letter. Without labels there are no letters.
func (c *Chain) letters(t *Automaton) []lts.Label {
	t.Letters = make([]uint16, c.alphabet.Len())
	var letters keyed.List[string, lts.Label]
	in := newIncidence(c.alphabet.Len(), c.patterns)
	for l := range c.alphabet.All() {
		t.Letters[l] = uint16(letters.Index(fmt.Sprint(in.of(l)), l))
	}
	t.Columns = len(letters.All)
	return letters.All
}
