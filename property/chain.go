package property

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// MaxSteps is the largest number of steps of a chain, so that 16 bits hold the
// progress of a state.
const MaxSteps = 1<<16 - 1

// wordSteps is the number of steps that fit into a bit mask.
const wordSteps = 64

// Pattern is the notation of a step: a set of labels, given by their texts.
type Pattern interface {
	// String returns the pattern as it stands in a formula.
	String() string
	// Matches reports whether a transition with this label text does the step.
	Matches(label string) bool
}

// Step is a step of a chain: its pattern and the labels of the model that
// match it, ascending. The labels belong to the property and must not be changed.
type Step struct {
	Pattern Pattern
	Labels  []lts.Label
	// Facts: the step is also done in states in which any of these facts holds,
	// see [lts.LTS.Refined].
	Facts lts.Facts
}

// Chain is inevitability: on every maximal trace transitions occur that do the
// steps 1 to n in this order, not necessarily one directly after the other. Its
// states are the progresses 0 to n, the numbers of steps done so far. It is
// immutable.
type Chain struct {
	alphabet *lts.Alphabet
	n        int
	// patterns are the distinct patterns with their labels; patternOf[i-1] is the
	// index in patterns of the pattern of step i.
	patterns  []Step
	patternOf []uint32
	// kind and text say how the property was written; text is empty for Inev(…).
	kind Kind
	text string

	// wide reports whether n is greater than wordSteps: then does lists the
	// patterns that match each label. Otherwise masks holds a word for each
	// label, in which bit i-1 is set if the label does step i, and suffixMasks
	// the same bits in the opposite order, bit m for step n-m.
	wide               bool
	masks, suffixMasks []uint64
	does               incidence
}

// incidence lists for each label l the numbers of the patterns that match it,
// ascending, as patterns[start[l]:start[l+1]].
type incidence struct {
	start    []int
	patterns []uint32
}

// Inev returns the chain over the labels of a whose step i is
// patterns[order[i-1]]. patterns lists each distinct step once, with the labels
// that do it ascending. It keeps the slices. It fails if order is empty, has more
// than [MaxSteps] members, or a number that is no index of patterns; if a label
// is not in a or out of order; and if ctx is done.
//
// Cost O(labels of a + all labels of patterns); with more than 64 steps the
// property holds only the labels of patterns, otherwise 16 bytes for each label
// of a.
func Inev(ctx context.Context, a *lts.Alphabet, patterns []Step, order []uint32) (*Property, error) {
	if len(order) == 0 || len(order) > MaxSteps {
		return nil, fmt.Errorf("property: a chain has 1 to %d steps, and not %d", MaxSteps, len(order))
	}
	for i, q := range order {
		if int(q) >= len(patterns) {
			return nil, fmt.Errorf("property: step %d is pattern %d of %d", i+1, q, len(patterns))
		}
	}
	if err := checkLabels(a, patterns); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Chain{alphabet: a, n: len(order), patterns: patterns, patternOf: order, kind: KindInev}
	if c.wide = c.n > wordSteps; c.wide {
		c.does = newIncidence(a.Len(), patterns)
	} else {
		c.masks, c.suffixMasks = newMasks(a.Len(), patterns, order)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.Property(), nil
}

// Property returns the chain as a [Property]. Cost O(1).
func (c *Chain) Property() *Property {
	return &Property{alphabet: c.alphabet, form: chainForm{c}, chain: c}
}

// Alphabet returns the labels that the chain is about. Cost O(1).
func (c *Chain) Alphabet() *lts.Alphabet { return c.alphabet }

// Len returns the number of steps, n. Cost O(1).
func (c *Chain) Len() int { return c.n }

// Step returns step i, 1 ≤ i ≤ n. Cost O(1).
func (c *Chain) Step(i int) Step { return c.patterns[c.patternOf[i-1]] }

// String returns the chain as it was written, otherwise as Inev(…). Cost O(length
// of the text).
func (c *Chain) String() string {
	if c.text != "" {
		return c.text
	}
	var b strings.Builder
	b.WriteString("Inev(")
	for i, q := range c.patternOf {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.patterns[q].Pattern.String())
	}
	b.WriteByte(')')
	return b.String()
}

// Advance returns the progress, 0 to n, of a trace of progress j after one more
// transition, labelled l: j+1 if l does step j+1, and j otherwise. Cost O(1),
// without a branch that depends on j or l, if n is at most 64; otherwise
// logarithmic in the number of patterns that match l.
func (c *Chain) Advance(j int, l lts.Label) int {
	if c.wide {
		return c.advanceWide(j, l)
	}
	// Bit n is never set, and a shift by 64 gives 0, so that a complete trace
	// stays complete.
	return j + int(c.masks[l]>>uint(j)&1)
}

// AdvanceSuffix returns the length, 0 to n, of the longest suffix of the steps
// that a trace does. The trace begins with label l, and m is this length for the
// trace behind l: the result is m+1 if l does step n-m, and m otherwise. Cost as
// for [Chain.Advance].
func (c *Chain) AdvanceSuffix(m int, l lts.Label) int {
	if c.wide {
		return c.advanceSuffixWide(m, l)
	}
	return m + int(c.suffixMasks[l]>>uint(m)&1)
}

// Does reports whether a transition labelled l does step i, 1 ≤ i ≤ n. Cost as for
// [Chain.Advance].
func (c *Chain) Does(l lts.Label, i int) bool {
	if c.wide {
		return c.doesWide(l, i)
	}
	return c.masks[l]>>uint(i-1)&1 != 0
}

// Concerns reports whether a transition labelled l does any step. Cost O(1).
func (c *Chain) Concerns(l lts.Label) bool {
	if c.wide {
		return len(c.does.of(l)) > 0
	}
	return c.masks[l] != 0
}

// The methods for many steps are functions of their own, so that the methods
// above are cheap enough to be inlined.

//go:noinline
func (c *Chain) advanceWide(j int, l lts.Label) int {
	if j < c.n && c.doesWide(l, j+1) {
		return j + 1
	}
	return j
}

//go:noinline
func (c *Chain) advanceSuffixWide(m int, l lts.Label) int {
	if m < c.n && c.doesWide(l, c.n-m) {
		return m + 1
	}
	return m
}

//go:noinline
func (c *Chain) doesWide(l lts.Label, i int) bool {
	_, found := slices.BinarySearch(c.does.of(l), c.patternOf[i-1])
	return found
}

// of returns the numbers of the patterns that match l, ascending.
func (x *incidence) of(l lts.Label) []uint32 {
	return x.patterns[x.start[l]:x.start[l+1]]
}

// newMasks returns the masks and suffix masks of a chain with at most wordSteps
// steps.
func newMasks(labels int, patterns []Step, patternOf []uint32) (masks, suffixMasks []uint64) {
	masks, suffixMasks = make([]uint64, labels), make([]uint64, labels)
	for i, q := range patternOf {
		for _, l := range patterns[q].Labels {
			masks[l] |= 1 << uint(i)
			suffixMasks[l] |= 1 << uint(len(patternOf)-1-i)
		}
	}
	return masks, suffixMasks
}

// newIncidence returns the patterns of each label. It takes memory for each label
// of each pattern, whereas masks of many steps would take a word of every label
// for each 64 steps.
func newIncidence(labels int, patterns []Step) incidence {
	x := incidence{start: make([]int, labels+1)}
	for _, q := range patterns {
		for _, l := range q.Labels {
			x.start[l+1]++
		}
	}
	for l := range labels {
		x.start[l+1] += x.start[l]
	}
	next := slices.Clone(x.start[:labels])
	x.patterns = make([]uint32, x.start[labels])
	for i, q := range patterns {
		for _, l := range q.Labels {
			x.patterns[next[l]] = uint32(i)
			next[l]++
		}
	}
	return x
}
