package lts

import (
	"fmt"
	"iter"
	"sync"
)

// Alphabet is the immutable list of the distinct labels of an LTS.
type Alphabet struct {
	texts []string

	numbersOnce sync.Once
	numbers     map[string]Label
}

// NewAlphabet returns the alphabet in which label i has the text texts[i]. It
// keeps the slice. It fails where two texts are equal. Cost O(len(texts)).
func NewAlphabet(texts []string) (*Alphabet, error) {
	a := &Alphabet{texts: texts}
	if a.index(); len(a.numbers) != len(texts) {
		for i, text := range texts {
			if a.numbers[text] != Label(i) {
				return nil, fmt.Errorf("lts: label %q stands twice in the alphabet", text)
			}
		}
	}
	return a, nil
}

// Len returns the number of labels. Cost O(1).
func (a *Alphabet) Len() int { return len(a.texts) }

// Text returns the text of l, as it stands in the model without its quotes.
// Cost O(1).
func (a *Alphabet) Text(l Label) string { return a.texts[l] }

// All yields every label with its text, in ascending order.
func (a *Alphabet) All() iter.Seq2[Label, string] {
	return func(yield func(Label, string) bool) {
		for i, text := range a.texts {
			if !yield(Label(i), text) {
				return
			}
		}
	}
}

// Lookup returns the label with exactly this text, if there is one. Cost O(1)
// after the first call, which takes O(Len).
func (a *Alphabet) Lookup(text string) (Label, bool) {
	a.index()
	l, ok := a.numbers[text]
	return l, ok
}

// index builds the table behind Lookup; of equal texts the last one stays.
func (a *Alphabet) index() {
	a.numbersOnce.Do(func() {
		a.numbers = make(map[string]Label, len(a.texts))
		for i, text := range a.texts {
			a.numbers[text] = Label(i)
		}
	})
}
