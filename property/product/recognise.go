package product

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/labelset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostToRecognise limits states times letters of the automata that [AsChain]
// examines.
const mostToRecognise = 1 << 16

// AsChain returns a chain for a property that is equivalent to one, however the
// property was written: the chain accepts the same runs over the labels that
// happen, and keeps the kind and the text of p. It returns p itself if no chain is
// equivalent, or if p is too large to examine. Atoms are patterns for naming the
// steps.
//
// The test: let a state of the automaton be final if p cannot be violated from it.
// The property is equivalent to a chain if a run satisfies p only by reaching a
// final state, and if all states at the same distance k from the final ones are
// left by the same letters, each to a state at distance k-1. Then the minimised
// automaton is a line of states with self-loops. Cost as for [Unfolding.Verdicts]
// on the automaton itself.
func AsChain(
	ctx context.Context,
	p *property.Property,
	atoms []property.Step,
) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	if p.Steps() > 0 || p.Stops(p.Initial()) {
		return p, nil
	}
	x := newStutter(p)
	if len(x.states)*len(x.letters) > mostToRecognise || len(x.colours) > mostHeard {
		return p, nil
	}
	m, table := x.allWords(x.table)
	words := newResiduals(ctx, m, table, 0)
	advancing, isLine := x.chainSteps(words, p.Initial())
	if !isLine || !words.guarantee {
		return p, nil
	}
	names := namer{alphabet: p.Alphabet(), atoms: atoms}
	var steps intern.List[string, property.Step]
	order := make([]uint32, len(advancing)) // the step of each position of the chain
	for i, letters := range advancing {
		k := steps.Index(fmt.Sprint(letters), property.Step{})
		isNew := steps.All[k].Pattern == nil
		if isNew {
			steps.All[k] = names.step(x.labelsOf(letters, p.Alphabet()))
		}
		order[i] = uint32(k)
	}
	chain := abort.Must(property.Inev(ctx, p.Alphabet(), steps.All, order))
	return chain.WrittenAs(p.Kind(), p.String()), nil
}

// labelsOf returns the labels with one of the letters that happen.
func (x *stutter) labelsOf(letters []uint16, a *lts.Alphabet) []lts.Label {
	var labels []lts.Label
	for l := range a.All() {
		if a.Happens(l) && slices.Contains(letters, x.table.Letters[l]) {
			labels = append(labels, l)
		}
	}
	return labels
}

// chainSteps returns, for each step of the chain from a state, the letters that do it;
// false if the automaton is no chain, or has no step. In a chain, each letter leads from a state to the
// next one or back to the state, and the states with equal distances to the end have the same letters.
func (x *stutter) chainSteps(words *Residuals, from property.Q) ([][]uint16, bool) {
	distance := x.distances(words)
	length, reached := distance[from]
	if !reached || length == 0 || length > property.MaxSteps {
		return nil, false
	}
	advancing := make([][]uint16, length)
	for _, q := range x.states {
		d, reached := distance[q]
		if !reached || d > length {
			return nil, false
		}
		if d == 0 {
			continue
		}
		letters, isChain := x.advancingLetters(q, distance)
		if !isChain {
			return nil, false
		}
		step := length - d
		if advancing[step] == nil {
			advancing[step] = letters
		} else if !slices.Equal(advancing[step], letters) {
			return nil, false
		}
	}
	return advancing, true
}

// advancingLetters returns the letters that lead from a state to one that is nearer to the end by one. isChain is
// false if another letter leads to a state at another distance than that of q.
func (x *stutter) advancingLetters(
	q property.Q,
	distance map[property.Q]int,
) (letters []uint16, isChain bool) {
	d := distance[q]
	for _, l := range x.letters {
		switch distance[x.next(q, l)] {
		case d - 1:
			letters = append(letters, l)
		case d:
		default:
			return nil, false
		}
	}
	return letters, true
}

// distances returns for each state the least number of letters that lead to a
// state from which no run violates the property.
func (x *stutter) distances(words *Residuals) map[property.Q]int {
	predecessors := map[property.Q][]property.Q{}
	distance := map[property.Q]int{}
	var queue []property.Q
	for _, q := range x.states {
		if !words.CanReject(q) {
			distance[q] = 0
			queue = append(queue, q)
		}
		for _, l := range x.letters {
			predecessors[x.next(q, l)] = append(predecessors[x.next(q, l)], q)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, q := range predecessors[queue[i]] {
			if _, ok := distance[q]; !ok {
				distance[q] = distance[queue[i]] + 1
				queue = append(queue, q)
			}
		}
	}
	return distance
}

// namer finds patterns for sets of labels.
type namer struct {
	alphabet *lts.Alphabet
	atoms    []property.Step
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
		happening := n.happening(atom.Labels)
		switch {
		case slices.Equal(happening, labels):
			return atom
		case len(happening) > 0 && n.isSubset(happening, labels):
			parts = append(parts, atom)
			covered = append(covered, happening...)
		}
	}
	slices.Sort(covered)
	if slices.Equal(slices.Compact(covered), labels) {
		return property.Step{Pattern: either(parts), Labels: labels}
	}
	for _, atom := range n.atoms {
		if atom.Pattern != nil && slices.Equal(n.complement(n.happening(atom.Labels)), labels) {
			return property.Step{Pattern: other{atom.Pattern}, Labels: labels}
		}
	}
	return property.Step{Pattern: labelset.Of(n.alphabet, labels), Labels: labels}
}

// happening returns those labels that happen.
func (n namer) happening(labels []lts.Label) []lts.Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l lts.Label) bool {
		return !n.alphabet.Happens(l)
	})
}

// isSubset reports whether labels is a subset of others; both ascend.
func (n namer) isSubset(labels, others []lts.Label) bool {
	return !slices.ContainsFunc(labels, func(l lts.Label) bool {
		_, is := slices.BinarySearch(others, l)
		return !is
	})
}

// complement returns the labels that happen and are not in labels, which ascend.
func (n namer) complement(labels []lts.Label) []lts.Label {
	var others []lts.Label
	for l := range n.alphabet.All() {
		if _, is := slices.BinarySearch(labels, l); !is && n.alphabet.Happens(l) {
			others = append(others, l)
		}
	}
	return others
}

// either is a pattern that matches a label if one of its patterns does.
type either []property.Step

// Matches reports whether one of the patterns matches.
func (e either) Matches(label string) bool {
	return slices.ContainsFunc(e, func(s property.Step) bool {
		return s.Pattern.Matches(label)
	})
}

// String returns the patterns with || between them.
func (e either) String() string {
	var texts []string
	for _, s := range e {
		texts = append(texts, s.Pattern.String())
	}
	return strings.Join(texts, " || ")
}

// other matches the labels that the pattern inside it does not match.
type other struct{ not property.Pattern }

// Matches reports whether the other pattern does not match.
func (o other) Matches(label string) bool { return !o.not.Matches(label) }

// String returns the other pattern, negated.
func (o other) String() string { return "!" + o.not.String() }

// Silent reports for each label whether a property is closed under stuttering by this label:
// whether leaving out all transitions with silent labels never changes the verdict on a run, as
// long as other transitions go on forever or the run ends. For a run that finally takes only such
// transitions, the verdict depends on where its silent end begins, and not on which silent
// transitions it takes.
//
// A silent label changes no state of the property, and its colours are unheard: either the
// transitions around it have them, too, or they do not matter to the condition. An emptiness check
// decides whether they matter if the condition has few colours; otherwise the label counts as
// heard. Cost O(labels + states · letters), and for each letter at most that of
// [Unfolding.Accepting] on the automaton itself.
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
	silentLetters := map[uint16]bool{}
	for l := range p.Alphabet().All() {
		letter := x.table.Letters[l]
		isSilent, known := silentLetters[letter]
		if !known {
			isSilent = x.isSilent(ctx, letter)
			silentLetters[letter] = isSilent
		}
		silent[l] = isSilent
	}
	return silent, nil
}

// stutter is an automaton, restricted to the states that letters of labels reach.
type stutter struct {
	table   property.Automaton
	letters []uint16
	states  []property.Q
	// colours are those of the condition, in ascending order.
	colours    []int
	allColours property.Marks
}

// newStutter finds the letters that labels have, the states that words reach, and the colours of the
// condition.
func newStutter(p *property.Property) *stutter {
	x := &stutter{table: p.Automaton()}
	used := bitset.New[lts.Label](x.table.Columns)
	for _, letter := range x.table.Letters {
		l := lts.Label(letter)
		if !used.Has(l) {
			used.Add(l)
			x.letters = append(x.letters, letter)
		}
	}
	x.states = x.reachedFrom(p.Initial())
	x.allColours, _ = p.Acceptance().Colours()
	for c := range property.Colours {
		if x.allColours.Has(c) {
			x.colours = append(x.colours, c)
		}
	}
	return x
}

// reachedFrom returns the states that letters of labels reach from a state, breadth first.
func (x *stutter) reachedFrom(start property.Q) []property.Q {
	reached := map[property.Q]bool{start: true}
	states := []property.Q{start}
	for i := 0; i < len(states); i++ {
		for _, letter := range x.letters {
			to := x.next(states[i], letter)
			if !reached[to] {
				reached[to] = true
				states = append(states, to)
			}
		}
	}
	return states
}

func (x *stutter) next(q property.Q, letter uint16) property.Q {
	return x.table.Next[int(q)*x.table.Columns+int(letter)]
}

func (x *stutter) marks(q property.Q, letter uint16) property.Marks {
	if x.table.Marks == nil {
		return 0
	}
	return x.table.Marks[int(q)*x.table.Columns+int(letter)] & x.allColours
}

// isSilent reports whether labels with a letter are silent, see [Silent].
func (x *stutter) isSilent(ctx context.Context, letter uint16) bool {
	for _, q := range x.states {
		if x.next(q, letter) != q {
			return false
		}
	}
	return x.isUnheard(letter) || len(x.colours) <= mostHeard && !x.isHeard(ctx, letter)
}

// mostHeard is the largest number of colours of a condition for which an emptiness check decides
// whether the colours of a letter matter: the check takes exponential time at worst, and needs two
// copies of each colour and one more colour.
const mostHeard = 8

// isUnheard reports whether a run that also takes other letters meets the colours of this letter
// anyway. It does if, in each state, every other letter into the state has all these colours, or
// every other letter out of the state has them.
func (x *stutter) isUnheard(letter uint16) bool {
	// The colours that all other letters into a state have, and those that all others out of it have.
	incoming := map[property.Q]property.Marks{}
	outgoing := map[property.Q]property.Marks{}
	for _, q := range x.states {
		incoming[q] = x.allColours
		outgoing[q] = x.allColours
	}
	for _, q := range x.states {
		for _, l := range x.letters {
			if l != letter {
				m := x.marks(q, l)
				incoming[x.next(q, l)] &= m
				outgoing[q] &= m
			}
		}
	}
	for _, q := range x.states {
		m := x.marks(q, letter)
		isCovered := m&^incoming[q] == 0 || m&^outgoing[q] == 0
		if !isCovered {
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
	otherRecurs := 2 * n // the colour of all other letters
	number := map[int]int{}
	for i, c := range x.colours {
		number[c] = i
	}
	copyFrom := func(first int) property.Acceptance {
		return x.table.Acceptance.Renumbered(func(c int) int {
			return first + number[c]
		})
	}
	without := copyFrom(0)
	with := copyFrom(n)
	differs := property.Any(property.All(without, with.Not()), property.All(with, without.Not()))
	t := property.Automaton{
		Columns:    x.table.Columns,
		Next:       x.table.Next,
		Initial:    x.table.Initial,
		Stop:       x.table.Stop,
		Marks:      make([]property.Marks, len(x.table.Next)),
		Acceptance: property.All(property.Inf(otherRecurs), differs),
	}
	for _, q := range x.states {
		for _, l := range x.letters {
			colours := x.numbered(x.marks(q, l))
			marks := colours << n
			if l != letter {
				marks |= colours | property.Mark(otherRecurs)
			}
			t.Marks[int(q)*t.Columns+int(l)] = marks
		}
	}
	m, p := x.allWords(t)
	u, c := unfoldedParts(ctx, m, p)
	return slices.Contains(abort.Must(u.Accepting(ctx, c, t.Acceptance)), true)
}

// numbered returns marks with the colours of the condition numbered from 0.
func (x *stutter) numbered(marks property.Marks) (colours property.Marks) {
	for i, c := range x.colours {
		if marks.Has(c) {
			colours |= property.Mark(i)
		}
	}
	return colours
}

// allWords returns a model whose words are all words over the letters, and the
// property of this model that has the table t.
func (x *stutter) allWords(t property.Automaton) (*lts.LTS, *property.Property) {
	var b lts.Builder
	for i := range x.letters {
		b.Add(0, b.Label(strconv.Itoa(i)), 0)
	}
	m := abort.Must(b.Build(0, 1))
	t.Letters = x.letters
	return m, abort.Must(property.Table(m.Alphabet(), t))
}
