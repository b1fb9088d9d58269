package temporal

import (
	"encoding/binary"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts/bitset"
)

// explore makes the reachable states. A state consists of the formula that must
// hold and, for each tracker, the formula that the tracker follows. Once the
// former is true or false, the state needs no trackers.
func (t *translation) explore() *machine {
	m := &machine{automaton: automaton{letters: len(t.s.letters)}, pairs: t.pairs}
	e := explorer{translation: t, m: m, number: map[string]uint32{}}
	begin := make([]form, 1+len(t.trackers))
	begin[0] = t.f
	for i := range t.trackers {
		begin[1+i] = t.begin(i, t.f)
	}
	e.state(begin)
	for q := 0; q < len(e.vectors); q++ {
		e.over()
		for letter := range m.letters {
			to, met := e.step(e.vectors[q], letter)
			m.next = append(m.next, e.state(to))
			e.met = append(e.met, met)
		}
		abort.On(t.s.err)
	}
	for range t.trackers {
		m.columns = append(m.columns, bitset.New[int](len(m.next)))
	}
	for i, met := range e.met {
		for _, c := range met {
			m.columns[c].Add(i)
		}
	}
	return m
}

type explorer struct {
	*translation
	m       *machine
	number  map[string]uint32
	vectors [][]form
	met     [][]int // colours of each transition
}

// over fails if the automaton becomes too large, or the context is
// done.
func (e *explorer) over() {
	switch states := len(e.vectors); {
	case e.s.ctx.Err() != nil:
		abort.On(e.s.ctx.Err())
	case states > maxTranslated:
		abort.On(&BudgetError{What: "states", Most: maxTranslated, of: e.f})
	case states*max(1, len(e.pairs)) > maxWork:
		abort.On(&BudgetError{What: "pairs × states", Most: maxWork, of: e.f})
	case states*e.m.letters > maxTransitions:
		abort.On(&BudgetError{What: "transitions", Most: maxTransitions, of: e.f})
	}
}

// state returns the number of a state, a new one if the state is new.
func (e *explorer) state(v []form) uint32 {
	var key []byte
	for _, f := range v {
		key = binary.AppendUvarint(key, uint64(f))
	}
	if q, known := e.number[string(key)]; known {
		return q
	}
	q := uint32(len(e.vectors))
	e.number[string(key)] = q
	e.vectors = append(e.vectors, v)
	e.m.of = append(e.m.of, v[:1:1])
	return q
}

// begin returns the formula that tracker i follows when it begins while f must
// hold.
func (t *translation) begin(i int, f form) form {
	if x := t.trackers[i]; x.kind != suffix {
		return x.begin
	}
	key := [2]uint32{uint32(i), uint32(f)}
	g, known := t.suffixes[key]
	if !known {
		g = t.insertRecur(f, t.trackers[i].recur)
		t.suffixes[key] = g
	}
	return g
}

// step returns the state after a letter, and the colours of the transition.
func (e *explorer) step(v []form, letter int) (to []form, met []int) {
	rest := e.s.step(v[0], letter)
	if rest <= verum {
		return e.decided(rest)
	}
	to = make([]form, len(v))
	to[0] = rest
	for i, x := range e.trackers {
		if x.kind >= fulfilled {
			continue
		}
		f := e.s.step(v[1+i], letter)
		if failed := f == falsum && x.kind != eventuality; failed || f == verum && x.kind == eventuality {
			met = append(met, i)
			f = e.begin(i, rest)
		}
		to[1+i] = f
	}
	return to, met
}

// decided returns the state after which every word is accepted, or none: all
// trackers rest, and the colours satisfy the condition, or do not.
func (e *explorer) decided(rest form) (to []form, met []int) {
	to = []form{rest}
	for i, x := range e.trackers {
		if (x.kind == eventuality || x.kind == fulfilled) == (rest == verum) {
			met = append(met, i)
		}
	}
	return to, met
}
