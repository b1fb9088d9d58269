package actl

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// wordSteps is the number of steps that fit into a bit mask.
const wordSteps = 64

// Property is a formula over the alphabet of a model: the steps are sets of
// labels. It comes from [Formula.Bind] and is immutable.
type Property struct {
	formula  *Formula
	alphabet *lts.Alphabet
	n        int
	// patterns are the distinct patterns of the formula with their labels, and
	// patternOf[i-1] is the number in patterns of that of step i.
	patterns  []Step
	patternOf []uint32

	// wide tells that n is greater than wordSteps: then does lists the patterns
	// that each label is in. Otherwise masks holds a word for each label, with bit
	// i-1 set where the label does step i, and suffixMasks the same bits in the
	// opposite order, bit m for step n-m.
	wide               bool
	masks, suffixMasks []uint64
	does               incidence
}

// incidence lists for each label l the numbers of the patterns that it is in,
// ascending, as patterns[start[l]:start[l+1]].
type incidence struct {
	start    []int
	patterns []uint32
}

// Step is a step of a property: its pattern and the labels of the model that
// match it, ascending. The labels belong to the property and must not be changed.
type Step struct {
	Pattern Pattern
	Labels  []lts.Label
}

// Formula returns the formula that was bound.
func (p *Property) Formula() *Formula { return p.formula }

// String returns the formula that was bound, as [Formula.String] does.
func (p *Property) String() string { return p.formula.String() }

// Len returns the number of steps, n.
func (p *Property) Len() int { return p.n }

// Step returns step i, 1 ≤ i ≤ n. Cost O(1).
func (p *Property) Step(i int) Step { return p.patterns[p.patternOf[i-1]] }

// Advance returns the progress, 0 to n, of a trace whose progress is j after one
// more transition, labelled l: j+1 if l does step j+1, and j otherwise. Cost
// O(1), without a branch that depends on j or l where n is at most 64, and
// logarithmic in the number of patterns that l is in beyond that.
func (p *Property) Advance(j int, l lts.Label) int {
	if p.wide {
		return p.advanceWide(j, l)
	}
	// Bit n is never set, and a shift by 64 gives 0: a complete trace stays so.
	return j + int(p.masks[l]>>uint(j)&1)
}

// AdvanceSuffix returns the length, 0 to n, of the longest suffix of the steps
// that a trace does whose first transition is labelled l, where m is this length
// for the rest of the trace: m+1 if l does step n-m, and m otherwise. Cost as
// for [Property.Advance].
func (p *Property) AdvanceSuffix(m int, l lts.Label) int {
	if p.wide {
		return p.advanceSuffixWide(m, l)
	}
	return m + int(p.suffixMasks[l]>>uint(m)&1)
}

// Does reports whether a transition labelled l does step i, 1 ≤ i ≤ n. Cost as for
// [Property.Advance].
func (p *Property) Does(l lts.Label, i int) bool {
	if p.wide {
		return p.doesWide(l, i)
	}
	return p.masks[l]>>uint(i-1)&1 != 0
}

// Concerns reports whether a transition labelled l does any step. Cost O(1).
func (p *Property) Concerns(l lts.Label) bool {
	if p.wide {
		return len(p.does.of(l)) > 0
	}
	return p.masks[l] != 0
}

// The methods for many steps are kept out of line, so that those above them are
// cheap enough to be inlined.

//go:noinline
func (p *Property) advanceWide(j int, l lts.Label) int {
	if j < p.n && p.doesWide(l, j+1) {
		return j + 1
	}
	return j
}

//go:noinline
func (p *Property) advanceSuffixWide(m int, l lts.Label) int {
	if m < p.n && p.doesWide(l, p.n-m) {
		return m + 1
	}
	return m
}

//go:noinline
func (p *Property) doesWide(l lts.Label, i int) bool {
	_, found := slices.BinarySearch(p.does.of(l), p.patternOf[i-1])
	return found
}

// of returns the numbers of the patterns that l is in, ascending.
func (x *incidence) of(l lts.Label) []uint32 {
	return x.patterns[x.start[l]:x.start[l+1]]
}

// newMasks returns the masks and suffix masks of a property with at most
// wordSteps steps.
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

// newIncidence returns the patterns of each label. It takes as much memory as the
// patterns have labels, whereas masks of many steps would take a word of every
// label for each 64 of them.
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

// ACTL returns the property written out as [Formula.ACTL] does, each step as the
// labels that do it; false where there are none. Cost O(length of the text).
func (p *Property) ACTL() string {
	subscripts := make([]string, p.n)
	for i := range subscripts {
		var texts []string
		for _, l := range p.Step(i + 1).Labels {
			texts = append(texts, quote(p.alphabet.Text(l)))
		}
		if subscripts[i] = strings.Join(texts, " or "); len(texts) == 0 {
			subscripts[i] = "false"
		}
	}
	return nestedUntils(subscripts)
}
