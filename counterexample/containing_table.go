package counterexample

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// containingOfTable looks for a run of m that violates p, a property that is no chain, and
// does the steps of pattern in this order, not necessarily contiguous; the result has no
// trace where there is none. It is one of [inProduct] for the property "p, or not the
// pattern": its loop closes with the pattern done, so that a shorter one may do part of the
// pattern on the first round of its loop. Errors, options and cost as there, for an
// automaton larger by the number of steps of the pattern.
func containingOfTable(ctx context.Context, m *lts.LTS, p *property.Property, pattern *property.Property, o Options) (*Result, error) {
	either, err := unless(p, pattern)
	if err != nil {
		return nil, err
	}
	o.Fates = nil
	r, err := inProduct(ctx, m, either, o)
	if err != nil {
		return &Result{}, err // and not what was found by then, which is about the other property
	}
	if r.Trace == nil {
		return r, nil
	}
	r.Minimal = MinimalUnknown
	loop, _ := r.Trace.LoopStart()
	if r.Trace, err = NewViolating(m, p, r.Trace.Steps(), loop); err != nil {
		return r, fmt.Errorf("counterexample: the search for a pattern went wrong, please report it: %w", err)
	}
	return r, nil
}

// unless returns the property that p holds or the pattern is not done.
func unless(p *property.Property, pattern *property.Property) (*property.Property, error) {
	used, _ := p.Acceptance().Colours()
	done := 0
	for done < property.Colours && used.Has(done) {
		done++
	}
	if done == property.Colours {
		return nil, fmt.Errorf("counterexample: %s has %d colours, which leaves none for a pattern", p, property.Colours)
	}
	first, second := p.Automaton(), pattern.Automaton()
	n := pattern.Steps()
	t := property.Automaton{Letters: make([]uint16, p.Alphabet().Len()), Acceptance: property.Any(first.Acceptance, property.Fin(done)), Name: first.Name}
	type both struct{ first, second uint16 }
	number := map[both]uint16{}
	var letters []both
	for l := range t.Letters {
		key := both{first.Letters[l], second.Letters[l]}
		letter, known := number[key]
		if !known {
			if len(letters) == 1<<16 {
				return nil, fmt.Errorf("counterexample: %s and the pattern tell more than %d classes of labels apart", p, 1<<16)
			}
			letter = uint16(len(letters))
			number[key], letters = letter, append(letters, key)
		}
		t.Letters[l] = letter
	}
	t.Columns = len(letters)
	t.Initial = first.Initial * property.Q(n+1)
	for q := range property.Q(first.States()) {
		for j := range property.Q(n + 1) {
			t.Stop = append(t.Stop, first.Stop[q] || int(j) < n)
			for _, l := range letters {
				a, b := int(q)*first.Columns+int(l.first), int(j)*second.Columns+int(l.second)
				marks := property.Marks(0)
				if first.Marks != nil {
					marks = first.Marks[a] &^ property.Mark(done)
				}
				if int(second.Next[b]) == n {
					marks |= property.Mark(done)
				}
				t.Next = append(t.Next, first.Next[a]*property.Q(n+1)+second.Next[b])
				t.Marks = append(t.Marks, marks)
			}
		}
	}
	return property.Table(p.Alphabet(), t)
}
