package explain

import (
	"context"
	"strconv"

	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/property/values"
)

// decidingValues are values of states that are enough for a violation: no run with them satisfies
// the property, whatever follows.
type decidingValues struct {
	// After are conditions on the state after the step of the diagnosis (without a step, on the
	// first state), Before conditions on the state before that step. No word that meets them
	// satisfies the property, whatever the other atoms about values are in these two states. No
	// condition of After can be left out, and, given After, none of Before.
	Before []string `json:"before"`
	After  []string `json:"after"`
	// Action reports whether the values decide only together with the label of the step. Otherwise
	// they decide with any label.
	Action bool `json:"action"`
}

// mostDecidingLetters is the largest number of letters that are compared: labels times combinations
// of atoms.
const mostDecidingLetters = 1 << 13

// mostDecidingFacts is the largest number of atoms whose combinations are compared.
const mostDecidingFacts = 16

// decideByValues notes the values that, in step (-1: in the first state), make the property
// impossible. It notes none if the formula is about labels alone, or if there are too many letters.
// Cost: binding the formula, and O(atoms · letters · 2^atoms), bounded.
func (d diagnosis) decideByValues(step int) {
	a := d.a.m.Alphabet()
	if len(a.FactNames()) == 0 {
		return
	}
	w := d.wordsOfValues(d.a.Formula, step)
	if w == nil {
		return
	}
	path := w.path(d.violation, step)
	if len(path) == 0 {
		return // there are several initial states
	}
	found, ok := w.decide(path)
	if !ok {
		return
	}
	after, before := d.trace.Initial(), d.trace.Initial()
	if step >= 0 {
		after, before = d.trace.Step(step).To, d.trace.Step(step).From
	}
	last := len(path) - 1
	v := &decidingValues{Before: []string{}, After: d.said(found.after, path[last].facts, after), Action: found.action}
	if found.before != 0 {
		v.Before = d.said(found.before, path[last-1].facts, before)
	}
	if len(v.Before)+len(v.After) > 0 {
		d.Values = v
	}
}

// valueWords are the words over all letters, with the automaton that reads them.
type valueWords struct {
	p      *property.Property
	words  *product.Residuals
	labels []string
	index  map[string]int // of labels
	n      int            // of facts
	number map[valueLetter]lts.Label
}

// valueLetter is the index of a label (-1 if a run begins) with the facts of the state that it
// leads to.
type valueLetter struct {
	label int
	facts lts.Facts
}

// wordsOfValues binds the formula to letters that the model need not have: each combination of
// facts with each label of the model, each label that the formula names, and one more label. If
// these are too many letters, it takes the labels of the run instead of those in the model; nil if
// these are too many as well.
func (d diagnosis) wordsOfValues(f property.Formula, step int) *valueWords {
	a := d.a.m.Alphabet()
	w := &valueWords{n: len(a.FactNames()), index: map[string]int{}, number: map[valueLetter]lts.Label{}}
	add := func(text string) {
		if _, known := w.index[text]; !known {
			w.index[text] = len(w.labels)
			w.labels = append(w.labels, text)
		}
	}
	if w.n > mostDecidingFacts {
		return nil
	}
	most := mostDecidingLetters>>w.n - 2
	if a.Texts() <= most {
		for _, text := range a.All() {
			add(text)
		}
	}
	for i := range step + 1 {
		if add(d.a.m.Alphabet().Text(d.trace.Step(i).Label)); len(w.labels) > max(most, 1) {
			return nil
		}
	}
	for _, text := range namedIn(f) {
		add(text)
	}
	other := "another action"
	for w.has(other) {
		other += "'"
	}
	add(other)
	w.bind(d.ctx, f, a.FactNames())
	return w
}

// bind binds the formula to the alphabet of an artificial model that has all letters.
func (w *valueWords) bind(ctx context.Context, f property.Formula, names []string) {
	var b lts.Builder
	begin := b.Label("begin")
	for facts := range lts.State(1) << w.n {
		b.Add(0, begin, 1+facts)
		for _, text := range w.labels {
			b.Add(1, b.Label(text), 1+facts)
		}
	}
	m := abort.Must(b.Build(0, 1<<w.n+1))
	m = abort.Must(m.Refined(ctx, names, func(s lts.State) lts.Facts { return lts.Facts(max(s, 1) - 1) }, true))
	for l, text := range m.Alphabet().All() {
		facts, begins := m.Alphabet().Facts(l)
		if begins {
			w.number[valueLetter{-1, facts}] = l
		} else {
			w.number[valueLetter{w.index[text], facts}] = l
		}
	}
	w.p, _ = bindTo(ctx, f, m.Alphabet())
	w.words = abort.Must(product.ResidualsOf(ctx, w.p))
}

// namedIn returns the labels that a formula names literally, whether the model has them or not.
func namedIn(f property.Formula) []string {
	o := ltl.OccurrencesIn(f)
	if o == nil {
		return nil
	}
	var all []string
	for _, x := range o.All {
		text := x.Pattern.String()
		if plain, err := strconv.Unquote(text); err == nil {
			text = plain
		}
		if x.Pattern.Matches(text) {
			all = append(all, text)
		}
	}
	return all
}

func (w *valueWords) has(text string) bool {
	_, is := w.index[text]
	return is
}

// path returns the letters of the run up to and with a step.
func (w *valueWords) path(v violation, step int) []valueLetter {
	a := v.a.m.Alphabet()
	var path []valueLetter
	if facts, begun := a.InitialFacts(); begun {
		path = append(path, valueLetter{-1, facts})
	}
	for i := range step + 1 {
		l := v.trace.Step(i).Label
		facts, begins := a.Facts(l)
		letter := valueLetter{-1, facts}
		if !begins {
			letter.label = w.index[a.Text(l)]
		}
		path = append(path, letter)
	}
	return path
}

// decidingFacts are the facts that decide the violation, as bit sets.
type decidingFacts struct {
	before, after lts.Facts
	action        bool
}

// decide finds the fewest facts of the last two states of a path that exclude every word which
// satisfies the property. It returns false if the last letter does not exclude them.
func (w *valueWords) decide(path []valueLetter) (decidingFacts, bool) {
	last := len(path) - 1
	q, previous := w.p.Initial(), w.p.Initial()
	for _, letter := range path[:last] {
		previous, q = q, w.p.Next(q, w.number[letter])
	}
	all := lts.Facts(1)<<w.n - 1
	actual := path[last]
	if !w.words.CanAccept(q) || w.words.CanAccept(w.p.Next(q, w.number[actual])) {
		return decidingFacts{}, false
	}
	var found decidingFacts
	wrong := func(q property.Q, after lts.Facts) bool {
		if actual.label < 0 || found.action {
			return w.isWrong(q, actual.label, actual.facts, after)
		}
		for label := range w.labels {
			if !w.isWrong(q, label, actual.facts, after) {
				return false
			}
		}
		return true
	}
	found.action = actual.label >= 0 && !wrong(q, all)
	unchanged := lts.Facts(0)
	if last > 0 {
		unchanged = ^(path[last-1].facts ^ actual.facts)
	}
	found.after = w.least(all, unchanged, func(facts lts.Facts) bool { return wrong(q, facts) })
	if found.after == 0 && actual.label >= 0 {
		found.action = true
	}
	if last == 0 {
		return found, true
	}
	before := path[last-1]
	found.before = w.least(all, 0, func(facts lts.Facts) bool {
		for other := range all + 1 {
			from := w.p.Next(previous, w.number[valueLetter{before.label, other}])
			if (other^before.facts)&facts == 0 && w.words.CanAccept(from) && !wrong(from, found.after) {
				return false
			}
		}
		return true
	})
	return found, true
}

// recurByValues notes the values of a state of the loop if no word with infinitely many such states
// satisfies the property; it notes none if the property depends on more than values. Cost, for each
// state of the loop with other values and each atom: binding the formula joined with "infinitely
// often these values".
func (d diagnosis) recurByValues() {
	a := d.a.m.Alphabet()
	f, is := d.a.Formula.(*ltl.Formula)
	if !is || len(a.FactNames()) == 0 {
		return
	}
	w := valueWords{n: len(a.FactNames())}
	seen := map[lts.Facts]bool{}
	for _, step := range d.steps {
		facts, _ := a.Facts(d.trace.Step(step).Label)
		if seen[facts] {
			continue
		}
		seen[facts] = true
		enough := func(some lts.Facts) bool { return some != 0 && d.excludes(f, facts, some) }
		if all := lts.Facts(1)<<w.n - 1; enough(all) {
			d.Values = &decidingValues{Before: []string{}, After: d.said(w.least(all, 0, enough), facts, d.trace.Step(step).To)}
			return
		}
	}
}

// excludes reports whether no word satisfies f that has infinitely many states whose facts agree
// with facts on the set some. It returns false if there are too many letters.
func (d diagnosis) excludes(f *ltl.Formula, facts, some lts.Facts) bool {
	text := "(" + f.String() + ") && G F ("
	for i, name := range d.a.m.Alphabet().FactNames() {
		switch one := lts.Facts(1) << i; {
		case some&one == 0:
			continue
		case facts&one == 0:
			name = "!(" + name + ")"
		}
		text += name + " && "
	}
	var w *valueWords
	err := abort.Try(func() { w = d.wordsOfValues(abort.Must(ltl.Parse(d.ctx, text+"true)")), -1) })
	if err != nil || w == nil {
		abort.On(d.ctx.Err())
		return false
	}
	return !w.words.CanAccept(w.p.Initial())
}

// least removes facts one by one, each if enough returns true for the remaining facts, and returns
// the facts that are left. It tries the facts in first before the other facts.
func (w *valueWords) least(all, first lts.Facts, enough func(lts.Facts) bool) lts.Facts {
	for _, some := range []lts.Facts{first, ^first} {
		for i := range w.n {
			if one := lts.Facts(1) << i; some&one != 0 && enough(all&^one) {
				all &^= one
			}
		}
	}
	return all
}

// isWrong reports whether the property is impossible after state q reads the label with facts that
// agree with actual on the set some, whatever the other facts are.
func (w *valueWords) isWrong(q property.Q, label int, actual, some lts.Facts) bool {
	for facts := range lts.Facts(1) << w.n {
		if (facts^actual)&some == 0 && w.words.CanAccept(w.p.Next(q, w.number[valueLetter{label, facts}])) {
			return false
		}
	}
	return true
}

// said returns facts of a state as texts: each atom of a set, negated if the atom does not hold.
func (d diagnosis) said(of, holds lts.Facts, s lts.State) []string {
	all := []string{}
	for i, name := range d.a.m.Alphabet().FactNames() {
		switch one := lts.Facts(1) << i; {
		case of&one == 0:
		case holds&one != 0:
			all = append(all, name)
		default:
			all = append(all, opposite(name, d.a.states, d.a.inModel(s)))
		}
	}
	return all
}

// opposite returns the text of an atom that does not hold in a state: with the opposite operator (=
// as !=, < as >=) if that holds in the state; otherwise as !(atom), since the state has no value to
// compare.
func opposite(name string, t *states.Table, s lts.State) string {
	not := "!(" + name + ")"
	a, _, is, err := values.Read(name, 0)
	if !is || err != nil || t == nil {
		return not
	}
	var names []string
	for p := range t.NumParameters() {
		names = append(names, t.Parameter(p).Name)
	}
	b, bindErr := a.Opposite().Bind(names)
	if bindErr != nil {
		return not
	}
	var of []values.Value
	for _, p := range b.Parameters() {
		v := t.Value(s, p)
		if v == states.None {
			return not
		}
		of = append(of, values.Parse(t.Text(p, v)))
	}
	if holds, err := b.Holds(of...); err != nil || !holds {
		return not
	}
	return a.Opposite().String()
}
