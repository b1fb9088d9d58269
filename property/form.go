package property

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// form is a property in one of its two forms, chain or table, for the methods
// that inner loops do not call.
type form interface {
	String() string
	kindOf() Kind
	writtenAs(kind Kind, text string) *Property
	steps() int
	progress(q Q) int
	states() int
	initial() Q
	acceptance() Acceptance
	stops(q Q) bool
	pending(q Q) Phrase
	automaton() Automaton
	relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error)
}

// chainForm is a chain: its states are the progresses.
type chainForm struct{ *Chain }

func (c chainForm) kindOf() Kind           { return c.kind }
func (c chainForm) steps() int             { return c.n }
func (c chainForm) progress(q Q) int       { return int(q) }
func (c chainForm) states() int            { return c.n + 1 }
func (c chainForm) initial() Q             { return 0 }
func (c chainForm) acceptance() Acceptance { return Inf(0) }
func (c chainForm) stops(q Q) bool         { return int(q) == c.n }

func (c chainForm) writtenAs(kind Kind, text string) *Property {
	as := *c.Chain
	as.kind, as.text = kind, text
	return as.Property()
}

func (c chainForm) pending(q Q) Phrase {
	if int(q) == c.n {
		return nil
	}
	return waiting(c.Step(int(q) + 1).Pattern.String())
}

// automaton returns a table whose letters are the sets of steps that labels do.
func (c chainForm) automaton() Automaton {
	p := c.Property()
	t := Automaton{Acceptance: Inf(0), Kind: c.kind, Name: c.String()}
	letters := c.letters(&t)
	for q := range Q(p.States()) {
		t.Stop = append(t.Stop, p.Stops(q))
		t.Pending = append(t.Pending, p.Pending(q))
		for _, l := range letters {
			t.Next, t.Marks = append(t.Next, p.Next(q, l)), append(t.Marks, p.Marks(q, l))
		}
	}
	return t
}

func (c chainForm) relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error) {
	as, err := c.Relabel(a, old)
	if err != nil {
		return nil, err
	}
	return as.Property(), nil
}

// tableForm is any other automaton.
type tableForm struct {
	alphabet *lts.Alphabet
	*Automaton
}

func (t tableForm) String() string         { return t.Name }
func (t tableForm) kindOf() Kind           { return t.Kind }
func (t tableForm) steps() int             { return 0 }
func (t tableForm) progress(Q) int         { return 0 }
func (t tableForm) states() int            { return t.States() }
func (t tableForm) initial() Q             { return t.Initial }
func (t tableForm) acceptance() Acceptance { return t.Acceptance }
func (t tableForm) stops(q Q) bool         { return t.Stop[q] }
func (t tableForm) automaton() Automaton   { return *t.Automaton }

func (t tableForm) writtenAs(kind Kind, text string) *Property {
	as := *t.Automaton
	as.Kind, as.Name = kind, text
	return as.property(t.alphabet)
}

func (t tableForm) pending(q Q) Phrase {
	if t.Pending == nil {
		return Phrase{{Text: fmt.Sprintf("in state %d of the property", q)}}
	}
	return t.Pending[q]
}

func (t tableForm) relabel(a *lts.Alphabet, old func(lts.Label) lts.Label) (*Property, error) {
	if err := checkOld(t.alphabet, a, old); err != nil {
		return nil, err
	}
	as := *t.Automaton
	as.Letters = make([]uint16, a.Len())
	for l := range a.All() {
		as.Letters[l] = t.Letters[old(l)]
	}
	return as.property(a), nil
}

// property returns a checked automaton as a property.
func (t *Automaton) property(a *lts.Alphabet) *Property {
	return &Property{alphabet: a, form: tableForm{a, t}, table: t}
}
