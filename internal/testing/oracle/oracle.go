package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// Oracle knows the answers for one model and one property.
type Oracle struct {
	initial lts.State
	// out[s] are the transitions that leave s, duplicates included.
	out   [][]lts.Transition
	steps monitor

	// reaches[s] says for every state, at progress 0, whether s reaches it.
	reaches []table
	// arrives says for every state and progress whether some trace from the initial state reaches them.
	arrives table
	// someSatisfies and everySatisfies say whether some, or every, maximal trace from there satisfies the
	// property.
	someSatisfies  table
	everySatisfies table

	// The lengths of the longest suffixes of the property that some, or every, maximal trace from a state
	// contains.
	suffixOfSome, suffixOfEvery []int
}

// New computes the answers for the model m and the property whose i-th step is
// done by the labels steps[i-1]. It fails if there is no step, or if the answers
// contradict a fact about all models: a state with a suffix of the property also
// has all shorter suffixes.
func New(m *lts.LTS, steps []map[lts.Label]bool) (*Oracle, error) {
	if len(steps) == 0 {
		return nil, errors.New("oracle: a property has at least one step")
	}
	o := &Oracle{
		initial: m.Initial(),
		out:     make([][]lts.Transition, m.NumStates()),
		steps:   steps,
	}
	for t := range m.Transitions() {
		o.out[t.From] = append(o.out[t.From], t)
	}
	for s := range o.out {
		o.reaches = append(o.reaches, arrivals(o.out, lts.State(s), nil))
	}
	o.arrives = arrivals(o.out, o.initial, o.steps)
	o.someSatisfies = someCompletes(o.out, o.steps)
	o.everySatisfies = everyCompletes(o.out, o.steps)
	var err error
	if o.suffixOfSome, err = o.longestSuffixes(someCompletes); err != nil {
		return nil, err
	}
	if o.suffixOfEvery, err = o.longestSuffixes(everyCompletes); err != nil {
		return nil, err
	}
	return o, nil
}

// longestSuffixes returns for every state the length of the longest suffix of
// the property whose monitor, started there, completes.
func (o *Oracle) longestSuffixes(completes func([][]lts.Transition, monitor) table) ([]int, error) {
	longest := make([]int, len(o.out))
	for m := 1; m <= len(o.steps); m++ {
		holds := completes(o.out, o.steps[len(o.steps)-m:])
		for s := range longest {
			if !holds[s][0] {
				continue
			}
			if longest[s] != m-1 {
				return nil, fmt.Errorf("oracle: state %d has the suffix of length %d but not the one of length %d", s, m, m-1)
			}
			longest[s] = m
		}
	}
	return longest, nil
}

// Satisfied reports whether every maximal trace from the initial state contains
// the steps of the property in their order.
func (o *Oracle) Satisfied() bool { return o.everySatisfies[o.initial][0] }

// Reaches reports whether some trace from s, possibly the empty one, ends in t.
func (o *Oracle) Reaches(s, t lts.State) bool { return o.reaches[s][t][0] }

// Reachable reports whether the initial state reaches s.
func (o *Oracle) Reachable(s lts.State) bool { return o.Reaches(o.initial, s) }

// MP returns the largest progress over all trace prefixes that end in s, a
// reachable state.
func (o *Oracle) MP(s lts.State) int {
	largest := 0
	for j, arrives := range o.arrives[s] {
		if arrives {
			largest = j
		}
	}
	return largest
}

// CP returns the smallest progress over all trace prefixes that end in s, a
// reachable state.
func (o *Oracle) CP(s lts.State) int {
	smallest := len(o.steps)
	for j, arrives := range o.arrives[s] {
		if arrives {
			smallest = min(smallest, j)
		}
	}
	return smallest
}

// MS returns the length of the longest suffix of the property that some maximal
// trace from s contains.
func (o *Oracle) MS(s lts.State) int { return o.suffixOfSome[s] }

// CS returns the length of the longest suffix of the property that every
// maximal trace from s contains.
func (o *Oracle) CS(s lts.State) int { return o.suffixOfEvery[s] }

// Free reports whether the property can still be satisfied from s when its first
// progress steps have been done on the way there. Otherwise s is fated.
func (o *Oracle) Free(s lts.State, progress int) bool { return o.someSatisfies[s][progress] }

// CanDo reports whether some maximal trace from s contains the steps first to last
// of the property, counted from 1, in their order.
func (o *Oracle) CanDo(s lts.State, first, last int) bool {
	return someCompletes(o.out, o.steps[first-1:last])[s][0]
}

// Arrives reports whether some trace from the initial state reaches s with this
// progress.
func (o *Oracle) Arrives(s lts.State, progress int) bool { return o.arrives[s][progress] }

// Advance returns the progress after a transition of this label.
func (o *Oracle) Advance(progress int, l lts.Label) int { return o.steps.advance(progress, l) }

// Out returns the transitions that leave s, each once.
func (o *Oracle) Out(s lts.State) []lts.Transition {
	var distinct []lts.Transition
	for _, t := range o.out[s] {
		if !slices.Contains(distinct, t) {
			distinct = append(distinct, t)
		}
	}
	return distinct
}

// Count returns the number of reachable transitions of each class, and their sum.
func (o *Oracle) Count() (of map[Class]int, all int) {
	of = map[Class]int{}
	for s, transitions := range o.out {
		if !o.Reachable(lts.State(s)) {
			continue
		}
		for _, t := range transitions {
			of[o.Class(t)]++
			all++
		}
	}
	return of, all
}
