package product

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostToRecognise limits states times letters of the automata that [AsChain]
// examines.
const mostToRecognise = 1 << 16

// AsChain returns the chain that is equivalent to a property, however that was
// written: it has the same language on the labels that happen, and the kind and
// text of p. It returns p itself if p is no chain, or too large to examine. Atoms
// are patterns for naming the steps.
//
// A table is a chain if a run satisfies it exactly by reaching the states from
// which it cannot be violated, and if all states at the same distance k from
// there are left by the same letters, and only towards distance k-1: the
// minimised automaton is a line of states with self-loops. Cost: as much as
// [Unfolding.Verdicts] on the automaton itself.
func AsChain(ctx context.Context, p *property.Property, atoms []property.Step) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	if p.Steps() > 0 || p.Stops(p.Initial()) {
		return p, nil
	}
	x := newStutter(p)
	if len(x.states)*len(x.letters) > mostToRecognise || len(x.colours) > mostHeard {
		return p, nil
	}
	m, table := x.words(x.t)
	words := newResiduals(ctx, m, table, 0)
	advancing, is := x.line(words, p.Initial())
	if !is || !words.guarantee {
		return p, nil
	}
	n := namer{p.Alphabet(), atoms}
	var patterns []property.Step
	order := make([]uint32, len(advancing))
	number := map[string]uint32{}
	for i, letters := range advancing {
		key := fmt.Sprint(letters)
		k, known := number[key]
		if !known {
			k = uint32(len(patterns))
			number[key] = k
			patterns = append(patterns, n.step(x.labels(p.Alphabet(), letters)))
		}
		order[i] = k
	}
	chain := abort.Must(property.Inev(ctx, p.Alphabet(), patterns, order))
	return chain.WrittenAs(p.Kind(), p.String()), nil
}

// line returns, for each step of the chain from a state, the letters that do it;
// false if the automaton is no chain, or has no step.
func (x *stutter) line(words *Residuals, from property.Q) ([][]uint16, bool) {
	left := x.distances(words)
	n, reached := left[from]
	if !reached || n == 0 || n > property.MaxSteps {
		return nil, false
	}
	advancing := make([][]uint16, n)
	for _, q := range x.states {
		k, reached := left[q]
		if !reached || k > n {
			return nil, false
		}
		if k == 0 {
			continue
		}
		var letters []uint16
		for _, l := range x.letters {
			switch left[x.next(q, l)] {
			case k - 1:
				letters = append(letters, l)
			case k:
			default:
				return nil, false
			}
		}
		if i := n - k; advancing[i] == nil {
			advancing[i] = letters
		} else if !slices.Equal(advancing[i], letters) {
			return nil, false
		}
	}
	return advancing, true
}

// distances returns for each state the least number of letters that lead to a
// state from which no run violates the property.
func (x *stutter) distances(words *Residuals) map[property.Q]int {
	into := map[property.Q][]property.Q{}
	left := map[property.Q]int{}
	var queue []property.Q
	for _, q := range x.states {
		if !words.CanReject(q) {
			left[q] = 0
			queue = append(queue, q)
		}
		for _, l := range x.letters {
			into[x.next(q, l)] = append(into[x.next(q, l)], q)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, q := range into[queue[i]] {
			if _, met := left[q]; !met {
				left[q] = left[queue[i]] + 1
				queue = append(queue, q)
			}
		}
	}
	return left
}

// labels returns the labels that happen and belong to one of these letters,
// ascending.
func (x *stutter) labels(a *lts.Alphabet, letters []uint16) []lts.Label {
	var labels []lts.Label
	for l := range a.All() {
		if a.Happens(l) && slices.Contains(letters, x.t.Letters[l]) {
			labels = append(labels, l)
		}
	}
	return labels
}

// namer finds patterns for sets of labels.
type namer struct {
	a     *lts.Alphabet
	atoms []property.Step
}

// step returns a step for labels that happen: an atom with exactly these labels
// if there is one, otherwise a disjunction of atoms or the negation of an atom,
// otherwise the labels themselves.
func (n namer) step(labels []lts.Label) property.Step {
	var parts []property.Step
	var covered []lts.Label
	for _, atom := range n.atoms {
		if atom.Pattern == nil {
			continue
		}
		of := n.happening(atom.Labels)
		switch {
		case slices.Equal(of, labels):
			return atom
		case len(of) > 0 && n.within(of, labels):
			parts = append(parts, atom)
			covered = append(covered, of...)
		}
	}
	slices.Sort(covered)
	if slices.Equal(slices.Compact(covered), labels) {
		return property.Step{Pattern: either(parts), Labels: labels}
	}
	for _, atom := range n.atoms {
		if atom.Pattern != nil && slices.Equal(n.others(n.happening(atom.Labels)), labels) {
			return property.Step{Pattern: other{atom.Pattern}, Labels: labels}
		}
	}
	return property.Step{Pattern: property.LabelSet(n.a, labels), Labels: labels}
}

func (n namer) happening(labels []lts.Label) []lts.Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l lts.Label) bool { return !n.a.Happens(l) })
}

// within reports whether labels is a subset of others; both ascend.
func (n namer) within(labels, others []lts.Label) bool {
	return !slices.ContainsFunc(labels, func(l lts.Label) bool {
		_, is := slices.BinarySearch(others, l)
		return !is
	})
}

// others returns the labels that happen and are not in labels, which ascend.
func (n namer) others(labels []lts.Label) []lts.Label {
	var others []lts.Label
	for l := range n.a.All() {
		if _, is := slices.BinarySearch(labels, l); !is && n.a.Happens(l) {
			others = append(others, l)
		}
	}
	return others
}

// either is a pattern that matches a label if one of its patterns does.
type either []property.Step

// Matches reports whether one of the patterns matches.
func (e either) Matches(label string) bool {
	return slices.ContainsFunc(e, func(s property.Step) bool { return s.Pattern.Matches(label) })
}

// String returns the patterns with || between them.
func (e either) String() string {
	text := ""
	for i, s := range e {
		if i > 0 {
			text += " || "
		}
		text += s.Pattern.String()
	}
	return text
}

// other matches what the pattern inside it does not match.
type other struct{ not property.Pattern }

// Matches reports whether the other pattern does not match.
func (o other) Matches(label string) bool { return !o.not.Matches(label) }

// String returns the other pattern, negated.
func (o other) String() string { return "!" + o.not.String() }
