package buchi

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/inev-lts/inev/internal/automata"
)

// Description is an automaton together with what an HOA file says of it.
type Description struct {
	// Name is the text of the header item name:, empty if there is none.
	Name string
	// Propositions are the atomic propositions; a number in a label is an index
	// into them.
	Propositions []string
	// Aliases are the abbreviations that labels use, each defined by
	// propositions and earlier aliases.
	Aliases []Alias
	// Automaton has a label on every edge: the expression of the file without
	// blanks, aliases kept.
	Automaton *Automaton
	// Names are the names of the states, nil if no state has one.
	Names []string
	// Origins tells, for each state of Automaton, its number in the file, and
	// [NoState] for an initial state that was added. It is nil if the numbers
	// are those of the file. [WriteHOA] does not look at it.
	Origins []State
	// Starts are the states of Automaton in which a run of the file begins, nil if
	// that is its initial state only. [WriteHOA] does not look at them.
	Starts []State
}

// Alias is an abbreviation of a label expression.
type Alias = automata.Alias

// ReadHOA reads the first automaton of a stream of HOA v1 automata; ones that
// end in --ABORT-- are passed over. file is the name of the stream in errors,
// which are of type *[automata.Error], except that of a context that is done.
//
// The acceptance condition has to be Büchi, Inf(n) for one set n, or t, by which
// every state is accepting. Alternating automata (with & between states) are
// refused, and so are header items that begin with a capital letter and are not
// part of the format: they may change the meaning of the automaton.
//
// The automaton read has the language of the one in the file, and the form that
// [Automaton] allows:
//
//   - An edge whose label no letter satisfies, such as [f], is left out.
//   - Where the outgoing edges of a state are partly in the acceptance set and
//     partly not, it becomes two states: one keeps its number, and the edges that
//     are not in the set; the other, numbered after all states of the file, is
//     accepting and has the edges that are. Edges into the state lead to both.
//     Every run keeps its length. A state all of whose outgoing edges are in the
//     set is an accepting state, as the format defines it.
//   - Where this, or the file, gives other than one initial state, a new state
//     with the highest number becomes the initial one; it has the outgoing edges
//     of all the others, and is never returned to. A shortest lasso can become
//     longer by that, where it begins with its loop.
//
// Cost O(length of the file) time and memory, and the time that it takes to find
// out whether labels can be satisfied, which is linear for the usual ones; a
// label for which it would take too long is refused.
func ReadHOA(ctx context.Context, r io.Reader, file string) (*Description, error) {
	return next(ctx, automata.NewReader(ctx, r, file))
}

// AllHOA yields the automata of a stream one after the other, each as [ReadHOA]
// would return it. An error is the last thing it yields; a stream without an
// automaton is an error.
func AllHOA(ctx context.Context, r io.Reader, file string) iter.Seq2[*Description, error] {
	return func(yield func(*Description, error) bool) {
		file := automata.NewReader(ctx, r, file)
		for {
			d, err := next(ctx, file)
			if errors.Is(err, io.EOF) || !yield(d, err) || err != nil {
				return
			}
		}
	}
}

func next(ctx context.Context, file *automata.Reader) (*Description, error) {
	b, err := file.Next()
	if err != nil {
		return nil, err
	}
	return description(ctx, b)
}
