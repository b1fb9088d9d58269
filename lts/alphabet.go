package lts

import (
	"fmt"
	"hash/maphash"
	"iter"
	"strings"
)

// Alphabet is the immutable list of the distinct labels of an LTS.
type Alphabet struct {
	table labelTable
	// happens[l] reports whether a run can do label l; nil if every label may
	// happen.
	happens []bool
	// refined is not nil if labels also carry facts about states.
	refined *refinement
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

// Len returns the number of labels. Cost O(1).
func (a *Alphabet) Len() int { return len(a.table.texts) }

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
func (b *AlphabetBuilder) Len() int { return len(b.table.texts) }

// Text returns the text of a label. Cost O(1).
func (b *AlphabetBuilder) Text(l Label) string { return b.table.texts[l] }

// Label returns the label with this text, a new one where it is seen for the
// first time. Amortised cost O(len(text)); the text is kept.
func (b *AlphabetBuilder) Label(text string) Label {
	b.table.grow()
	hash := maphash.String(b.table.seed, text)
	l, slot := lookup(&b.table, text, hash)
	if l == none {
		l = b.table.add(text, hash, slot)
	}
	return l
}

// LabelBytes is Label for bytes that the caller goes on to change: they are
// copied for new labels only.
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
	// slots holds the label plus 1 in its low half and the low half of the hash
	// in its high one; 0 marks an empty slot. Its length is a power of two.
	slots []uint64
}

// grow makes room for one more label: at most three of four slots are taken.
func (t *labelTable) grow() {
	if 4*(len(t.texts)+1) <= 3*len(t.slots) {
		return
	}
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]uint64, max(16, 2*len(old)))
	t.texts = append(make([]string, 0, len(t.slots)/4*3), t.texts...)
	mask := uint64(len(t.slots) - 1)
	for _, entry := range old {
		if entry == 0 {
			continue
		}
		at := entry >> 32 & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = entry
	}
}

// add puts a new label into the empty slot that lookup has returned.
func (t *labelTable) add(text string, hash, slot uint64) Label {
	l := Label(len(t.texts))
	t.texts = append(t.texts, text)
	t.slots[slot] = hash<<32 | uint64(l) + 1
	return l
}

// lookup returns the label with this text, or none and the slot where it
// belongs.
func lookup[Text string | []byte](t *labelTable, text Text, hash uint64) (l Label, slot uint64) {
	mask := uint64(len(t.slots) - 1)
	for at := hash & (1<<32 - 1) & mask; ; at = (at + 1) & mask {
		entry := t.slots[at]
		if entry == 0 {
			return none, at
		}
		if l := Label(entry - 1); entry>>32 == hash&(1<<32-1) && t.texts[l] == string(text) {
			return l, at
		}
	}
}
