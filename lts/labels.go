package lts

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/printable"
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

// Any reports whether holds returns true for one of the labels. Cost O(Len).
func (l Labels) Any(holds func(Label) bool) bool {
	for i := range l.Len() {
		if holds(l.At(i)) {
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

// NewLabelColumn returns a column of n labels, all 0, that is wide enough for an alphabet of this
// many labels. It fails if the budget of ctx does not have the memory.
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

// width returns the number of bytes of a label in a column for an alphabet of this many labels.
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
func (c *LabelColumn) Len() int {
	if c == nil {
		return 0
	}
	return max(len(c.narrow), len(c.middle), len(c.wide))
}

// Cap returns the number of labels for which the column has memory. Cost O(1).
func (c *LabelColumn) Cap() int { return max(cap(c.narrow), cap(c.middle), cap(c.wide)) }

// Fits reports whether the column is wide enough for an alphabet of this many labels. Cost O(1).
func (c *LabelColumn) Fits(alphabet int) bool { return width(alphabet) <= c.Width() }

// Labels returns all labels. Cost O(1).
func (c *LabelColumn) Labels() Labels { return Labels{c, 0, uint64(c.Len())} }

// Moved returns a new column of n labels that is wide enough for an alphabet of this many labels.
// Its first labels, keep of them, are those of c, and the others are 0. It fails if the budget of
// ctx does not have the memory. Cost O(n).
func (c *LabelColumn) Moved(ctx context.Context, keep, n, alphabet int) (LabelColumn, error) {
	if width(alphabet) < c.Width() {
		alphabet = 1 << (8 * c.Width())
	}
	to, err := NewLabelColumn(ctx, n, alphabet)
	if err == nil {
		to.Cut(0)
		to.AppendAll(Labels{c, 0, uint64(keep)})
		to.Cut(n)
	}
	return to, err
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
	from := l.column
	switch {
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

// Grow makes room for more labels, of an alphabet with the given number of labels. Like append, it takes
// more memory than is needed at once. It fails if the budget of ctx does not have the memory. Amortised
// cost O(more).
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

// largest returns the largest of some numbers, 0 if there are none. All cores
// share long lists.
func largest[N ~uint8 | ~uint16 | ~uint32](numbers []N) N {
	workers := cores.For(len(numbers), mostWorkers)
	found := make([]N, workers)
	cores.Share(workers, func(w int) {
		most := N(0)
		first := len(numbers) * w / workers
		end := len(numbers) * (w + 1) / workers
		for _, n := range numbers[first:end] {
			most = max(most, n)
		}
		found[w] = most
	})
	return slices.Max(found)
}

// Alphabet is the immutable list of the distinct labels of an LTS.
type Alphabet struct {
	table labelTable
	// happens[l] reports whether a run can do label l; nil if every label may
	// happen.
	happens []bool
	// refined is not nil if labels also carry facts about states.
	refined *refinement
	// moving is not nil if labels also say which components move.
	moving *moving
}

// NewAlphabet returns the alphabet in which label i has the text texts[i]. It
// fails if two texts are equal. Cost O(total length of the texts).
func NewAlphabet(texts []string) (*Alphabet, error) {
	var b AlphabetBuilder
	for i, text := range texts {
		if int(b.Label(text)) != i {
			return nil, fmt.Errorf("lts: label %q stands twice in the alphabet", text)
		}
	}
	return b.Build(), nil
}

// mostPrinted is the number of labels that [Alphabet.String] lists.
const mostPrinted = 20

// String returns the labels for people, or the first ones of a long alphabet.
func (a *Alphabet) String() string {
	if a == nil {
		return "<nil>"
	}
	var shown []string
	for l, text := range a.All() {
		if l == mostPrinted {
			shown = append(shown, fmt.Sprintf("… (%d more)", a.Len()-mostPrinted))
			break
		}
		shown = append(shown, printable.Text(text))
	}
	return strings.Join(shown, ", ")
}

// Len returns the number of labels. Cost O(1).
func (a *Alphabet) Len() int {
	if a == nil {
		return 0
	}
	return len(a.table.texts)
}

// Text returns the text of l, as it stands in the model without its quotes.
// Cost O(1).
func (a *Alphabet) Text(l Label) string { return a.table.texts[l] }

// All yields every label with its text, in ascending order.
func (a *Alphabet) All() iter.Seq2[Label, string] {
	return func(yield func(Label, string) bool) {
		for i, text := range a.table.texts {
			if !yield(Label(i), text) {
				return
			}
		}
	}
}

// Lookup returns the label with exactly this text, if there is one. Cost
// O(len(text)).
func (a *Alphabet) Lookup(text string) (Label, bool) {
	if a.Len() == 0 {
		return 0, false
	}
	l, _ := lookup(&a.table, text, maphash.String(a.table.seed, text))
	return l, l != none
}

// AlphabetBuilder numbers labels in the order their texts are first
// seen. The zero AlphabetBuilder is ready for use; it is for one goroutine.
type AlphabetBuilder struct {
	table labelTable
	// room is the memory into which the texts given as bytes are copied, many to
	// one allocation.
	room strings.Builder
}

// Len returns the number of labels. Cost O(1).
func (b *AlphabetBuilder) Len() int {
	if b == nil {
		return 0
	}
	return len(b.table.texts)
}

// Text returns the text of a label. Cost O(1).
func (b *AlphabetBuilder) Text(l Label) string { return b.table.texts[l] }

// Label returns the label with the given text; a new label if the text is new. Amortised cost
// O(len(text)); the text is kept.
func (b *AlphabetBuilder) Label(text string) Label {
	b.table.grow()
	hash := maphash.String(b.table.seed, text)
	l, slot := lookup(&b.table, text, hash)
	if l == none {
		l = b.table.add(text, hash, slot)
	}
	return l
}

// LabelBytes is [AlphabetBuilder.Label] for bytes that the caller may change later: they are copied, for
// new labels only.
func (b *AlphabetBuilder) LabelBytes(text []byte) Label {
	b.table.grow()
	hash := maphash.Bytes(b.table.seed, text)
	l, slot := lookup(&b.table, text, hash)
	if l == none {
		l = b.table.add(b.keep(text), hash, slot)
	}
	return l
}

// keep copies a text. Later writes to a strings.Builder leave the bytes that it
// holds unchanged, so that texts can share its memory.
func (b *AlphabetBuilder) keep(text []byte) string {
	const least, most = 1 << 10, 1 << 16
	if len(text) > most/16 {
		return string(text)
	}
	if b.room.Cap()-b.room.Len() < len(text) {
		size := min(max(least, 2*b.room.Cap(), len(text)), most)
		b.room = strings.Builder{}
		b.room.Grow(size)
	}
	start := b.room.Len()
	b.room.Write(text)
	return b.room.String()[start:]
}

// Build returns the alphabet of the labels so far. The AlphabetBuilder is empty
// afterwards. Cost O(1).
func (b *AlphabetBuilder) Build() *Alphabet {
	a := &Alphabet{table: b.table}
	*b = AlphabetBuilder{}
	return a
}

// none is the result of a search that finds no label. No alphabet has that many
// labels.
const none Label = 1<<32 - 1

// labelTable finds labels by their texts, by hashing with linear probing. Every
// table has its own seed, so that no choice of labels makes many of them collide
// in each run.
type labelTable struct {
	texts []string
	seed  maphash.Seed
	// slots has a slot for each label, see slotOf; 0 marks an empty slot. Its length is a power of two.
	slots []labelSlot
}

// labelSlot holds a label plus 1 in its low half, and the low half of the hash of the label in its high one.
type labelSlot uint64

func slotOf(l Label, hash uint64) labelSlot { return labelSlot(hash<<32 | uint64(l) + 1) }

func (s labelSlot) label() Label { return Label(s - 1) }

// hash returns the low half of the hash.
func (s labelSlot) hash() uint64 { return uint64(s >> 32) }

// grow makes room for one more label: at most three of four slots are taken.
func (t *labelTable) grow() {
	if 4*(len(t.texts)+1) <= 3*len(t.slots) {
		return
	}
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]labelSlot, max(16, 2*len(old)))
	t.texts = append(make([]string, 0, len(t.slots)/4*3), t.texts...)
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := slot.hash() & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot
	}
}

// add puts a new label into the empty slot that lookup has returned.
func (t *labelTable) add(text string, hash, slot uint64) Label {
	l := Label(len(t.texts))
	t.texts = append(t.texts, text)
	t.slots[slot] = slotOf(l, hash)
	return l
}

// lookup returns the label with the given text; if there is none, it returns none and the slot where the
// label belongs.
func lookup[Text string | []byte](
	t *labelTable,
	text Text,
	hash uint64,
) (l Label, slot uint64) {
	mask := uint64(len(t.slots) - 1)
	lowHalf := uint64(uint32(hash))
	for at := lowHalf & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			return none, at
		}
		l := slot.label()
		if slot.hash() == lowHalf && t.texts[l] == string(text) {
			return l, at
		}
	}
}
