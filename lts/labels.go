package lts

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/resources"
)

// Labels are the labels of consecutive transitions: a range of a [LabelColumn].
type Labels struct {
	column     *LabelColumn
	first, end uint64
}

// At returns the label of the i-th transition, from 0. Cost O(1).
func (l Labels) At(i int) Label {
	if l.column.narrow != nil {
		return Label(l.column.narrow[int(l.first)+i])
	}
	if l.column.middle != nil {
		return Label(l.column.middle[int(l.first)+i])
	}
	return l.column.wide[int(l.first)+i]
}

// Len returns the number of transitions. Cost O(1).
func (l Labels) Len() int { return int(l.end - l.first) }

// All yields the labels.
func (l Labels) All() iter.Seq[Label] {
	return func(yield func(Label) bool) {
		for i := range l.Len() {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Any reports whether the function is returns true for one of the labels. Cost
// O(Len).
func (l Labels) Any(is func(Label) bool) bool {
	for i := range l.Len() {
		if is(l.At(i)) {
			return true
		}
	}
	return false
}

// String returns the labels as fmt writes a list of them.
func (l Labels) String() string { return fmt.Sprint(slices.Collect(l.All())) }

// LabelColumn holds labels of transitions in 1, 2 or 4 bytes each, as the length
// of the alphabet requires. The zero LabelColumn is empty.
type LabelColumn struct {
	// At most one of the slices is not nil; all are nil in an empty column.
	narrow []uint8
	middle []uint16
	wide   []Label
}

// NewLabelColumn returns a column of this many labels, all 0, with room for labels below an
// alphabet's length. It fails if the budget of ctx does not have the memory.
func NewLabelColumn(ctx context.Context, n, alphabet int) (c LabelColumn, err error) {
	switch width(alphabet) {
	case 1:
		c.narrow, err = resources.Make[uint8](ctx, n)
	case 2:
		c.middle, err = resources.Make[uint16](ctx, n)
	default:
		c.wide, err = resources.Make[Label](ctx, n)
	}
	return c, err
}

// width returns the number of bytes for labels below an alphabet's length.
func width(alphabet int) int {
	switch {
	case alphabet <= math.MaxUint8+1:
		return 1
	case alphabet <= math.MaxUint16+1:
		return 2
	}
	return 4
}

// Width returns the number of bytes that a label takes: 1, 2 or 4. Cost O(1).
func (c *LabelColumn) Width() int {
	switch {
	case c.wide != nil:
		return 4
	case c.middle != nil:
		return 2
	}
	return 1
}

// Len returns the number of labels. Cost O(1).
func (c *LabelColumn) Len() int { return max(len(c.narrow), len(c.middle), len(c.wide)) }

// Cap returns the number of labels for which the column has memory. Cost O(1).
func (c *LabelColumn) Cap() int { return max(cap(c.narrow), cap(c.middle), cap(c.wide)) }

// Fits reports whether the column is wide enough for labels below an alphabet's
// length. Cost O(1).
func (c *LabelColumn) Fits(alphabet int) bool { return width(alphabet) <= c.Width() }

// Labels returns all labels. Cost O(1).
func (c *LabelColumn) Labels() Labels { return Labels{c, 0, uint64(c.Len())} }

// Moved returns a column of n labels, wide enough for labels below an alphabet's
// length: the labels with an index below keep are copied, and the others are 0.
// It fails if the budget of ctx does not have the memory. Cost O(n).
func (c *LabelColumn) Moved(ctx context.Context, keep, n, alphabet int) (LabelColumn, error) {
	if width(alphabet) < c.Width() {
		alphabet = 1 << (8 * c.Width())
	}
	to, err := NewLabelColumn(ctx, n, alphabet)
	if err == nil {
		to.take(c, keep)
	}
	return to, err
}

// take copies the first n labels of another column, which is not wider.
func (c *LabelColumn) take(from *LabelColumn, n int) {
	switch {
	case n == 0:
	case c.narrow != nil:
		copy(c.narrow, from.narrow[:n])
	case c.middle != nil && from.middle != nil:
		copy(c.middle, from.middle[:n])
	case c.wide != nil && from.wide != nil:
		copy(c.wide, from.wide[:n])
	default:
		for i := range n {
			c.set(i, from.Labels().At(i))
		}
	}
}

// set is Put for one label.
func (c *LabelColumn) set(i int, l Label) {
	switch {
	case c.narrow != nil:
		c.narrow[i] = uint8(l)
	case c.middle != nil:
		c.middle[i] = uint16(l)
	default:
		c.wide[i] = l
	}
}

// Put replaces the labels from index first on. The column must have that many
// labels, and be wide enough (see [LabelColumn.Fits]). Goroutines may call it at
// the same time for disjoint ranges. Cost O(len(labels)).
func (c *LabelColumn) Put(first int, labels []Label) {
	switch {
	case c.narrow != nil:
		put(c.narrow[first:], labels)
	case c.middle != nil:
		put(c.middle[first:], labels)
	default:
		copy(c.wide[first:], labels)
	}
}

func put[L uint8 | uint16](to []L, labels []Label) {
	to = to[:len(labels)]
	for i, l := range labels {
		to[i] = L(l)
	}
}

// Append adds a label, and makes the column wider if necessary. Amortised cost
// O(1).
func (c *LabelColumn) Append(l Label) {
	if !c.Fits(int(l) + 1) {
		_ = c.Grow(context.Background(), 1, int(l)+1) // which has no budget
	}
	switch {
	case c.wide != nil:
		c.wide = append(c.wide, l)
	case c.middle != nil:
		c.middle = append(c.middle, uint16(l))
	default:
		c.narrow = append(c.narrow, uint8(l))
	}
}

// AppendAll adds labels. It is fast if the column of l is as wide as c. Amortised cost
// O(Len).
func (c *LabelColumn) AppendAll(l Labels) {
	switch from := l.column; {
	case l.first == l.end:
	case from.Width() != c.Width():
		for label := range l.All() {
			c.Append(label)
		}
	case c.wide != nil:
		c.wide = append(c.wide, from.wide[l.first:l.end]...)
	case c.middle != nil:
		c.middle = append(c.middle, from.middle[l.first:l.end]...)
	default:
		c.narrow = append(c.narrow, from.narrow[l.first:l.end]...)
	}
}

// Grow makes room for this many more labels, which are below an alphabet's length. As append does,
// it takes more memory than is needed at once. It fails if the budget of ctx does not have the
// memory. Amortised cost O(more).
func (c *LabelColumn) Grow(ctx context.Context, more, alphabet int) (err error) {
	kept := c.Len()
	switch {
	case !c.Fits(alphabet):
		to, err := c.Moved(ctx, kept, max(kept+more, c.Cap()), alphabet)
		if err != nil {
			return err
		}
		*c = to
		c.Cut(kept)
	case c.wide != nil:
		c.wide, err = resources.Grow(ctx, c.wide, more)
	case c.middle != nil:
		c.middle, err = resources.Grow(ctx, c.middle, more)
	default:
		c.narrow, err = resources.Grow(ctx, c.narrow, more)
	}
	return err
}

// Cut removes all but the first n labels. Cost O(1).
func (c *LabelColumn) Cut(n int) {
	switch {
	case c.wide != nil:
		c.wide = c.wide[:n]
	case c.middle != nil:
		c.middle = c.middle[:n]
	case c.narrow != nil:
		c.narrow = c.narrow[:n]
	}
}

// largest returns the largest label, 0 if there is none. Cost O(Len).
func (c *LabelColumn) largest() Label {
	return max(Label(largest(c.narrow)), Label(largest(c.middle)), largest(c.wide))
}

// largest returns the largest of some numbers, 0 if there are none. All cores
// share long lists.
func largest[N ~uint8 | ~uint16 | ~uint32](numbers []N) N {
	workers := cores.For(len(numbers), mostWorkers)
	found := make([]N, workers)
	cores.Share(workers, func(w int) {
		most := N(0)
		for _, n := range numbers[len(numbers)*w/workers : len(numbers)*(w+1)/workers] {
			most = max(most, n)
		}
		found[w] = most
	})
	return slices.Max(found)
}
