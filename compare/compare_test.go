package compare

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// arcsOf returns the reachable transitions of a model, with labels as texts.
func arcsOf(m *lts.LTS) []Arc {
	var all []Arc
	for t := range m.Transitions() {
		if m.Reachable().Has(t.From) {
			all = append(all, Arc{t.From, m.Alphabet().Text(t.Label), t.To})
		}
	}
	return all
}

func modelOf(t testing.TB, initial lts.State, states int, arcs []Arc) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, a := range arcs {
		b.Add(a.From, b.Label(a.Label), a.To)
	}
	m, err := b.Build(initial, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// versions draws a model and a version of it: with some transitions changed, states renumbered
// and transitions in another order.
func versions(t testing.TB, seed uint64) (old, latest *lts.LTS) {
	old = randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 1}).Model
	r := rand.New(rand.NewPCG(seed, 17))
	var arcs []Arc
	for tr := range old.Transitions() {
		arcs = append(arcs, Arc{tr.From, old.Alphabet().Text(tr.Label), tr.To})
	}
	labels := []string{"A", "B", "C", "D", "i"}
	n := old.NumStates()
	for range r.IntN(3) {
		state := func() lts.State { return lts.State(r.IntN(n)) }
		kind := r.IntN(5)
		switch {
		case kind == 0 || len(arcs) == 0:
			arcs = append(arcs, Arc{state(), labels[r.IntN(len(labels))], state()})
		case kind == 1:
			i := r.IntN(len(arcs))
			arcs = slices.Delete(arcs, i, i+1)
		case kind == 2:
			arcs[r.IntN(len(arcs))].To = state()
		case kind == 3:
			arcs[r.IntN(len(arcs))].Label = labels[r.IntN(len(labels))]
		default:
			arcs = append(arcs, Arc{state(), labels[r.IntN(len(labels))], lts.State(n)}, Arc{lts.State(n), labels[r.IntN(len(labels))], state()})
			n++
		}
	}
	number := r.Perm(n)
	for i := range arcs {
		arcs[i].From, arcs[i].To = lts.State(number[arcs[i].From]), lts.State(number[arcs[i].To])
	}
	r.Shuffle(len(arcs), func(i, j int) { arcs[i], arcs[j] = arcs[j], arcs[i] })
	return old, modelOf(t, lts.State(number[old.Initial()]), n, arcs)
}

// bisimilar is the greatest fixpoint of the definition.
func bisimilar(old, latest *lts.LTS) bool {
	related := make(map[[2]lts.State]bool)
	for s := range lts.State(old.NumStates()) {
		for u := range lts.State(latest.NumStates()) {
			related[[2]lts.State{s, u}] = true
		}
	}
	matches := func(m, other *lts.LTS, s, u lts.State, swap bool) bool {
		for _, x := range outOf(m, s) {
			if !slices.ContainsFunc(outOf(other, u), func(y Arc) bool {
				pair := [2]lts.State{x.To, y.To}
				if swap {
					pair = [2]lts.State{y.To, x.To}
				}
				return x.Label == y.Label && related[pair]
			}) {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for pair, is := range related {
			if is && !(matches(old, latest, pair[0], pair[1], false) && matches(latest, old, pair[1], pair[0], true)) {
				related[pair], changed = false, true
			}
		}
	}
	return related[[2]lts.State{old.Initial(), latest.Initial()}]
}

func outOf(m *lts.LTS, s lts.State) []Arc {
	var all []Arc
	labels, targets := m.Out(s)
	for i, t := range targets {
		all = append(all, Arc{s, m.Alphabet().Text(labels.At(i)), t})
	}
	return all
}

// words returns the words of up to n visible labels that a model can do, each path on its own.
func words(m *lts.LTS, n int, hides func(string) bool) map[string]bool {
	all := map[string]bool{"": true}
	type place struct {
		s    lts.State
		word string
	}
	seen := map[place]bool{}
	todo := []place{{m.Initial(), ""}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		all[p.word] = true
		for _, x := range outOf(m, p.s) {
			switch {
			case hides(x.Label):
				todo = append(todo, place{x.To, p.word})
			case strings.Count(p.word, " ") < n:
				todo = append(todo, place{x.To, p.word + x.Label + " "})
			}
		}
	}
	return all
}

func wordOf(labels []string) string {
	word := ""
	for _, l := range labels {
		word += l + " "
	}
	return word
}

const depth = 6 // of words that are enumerated

func checkModels(t testing.TB, old, latest *lts.LTS, o Options) (*Behaviour, error) {
	b, err := Models(context.Background(), old, latest, o)
	if err != nil {
		return nil, err
	}
	if b.By == Strong && b.Alike != bisimilar(old, latest) {
		return nil, fmt.Errorf("alike: %t", b.Alike)
	}
	if err := checkRun(b, words(old, depth, o.hides), words(latest, depth, o.hides)); err != nil {
		return nil, err
	}
	if b.By == Branching && b.Alike != branchingBisimilar(old, latest, o.hides) {
		return nil, fmt.Errorf("alike: %t", b.Alike)
	}
	if b.Formula != "" && (!holds(t, old, b.Formula) || holds(t, latest, b.Formula)) {
		return nil, fmt.Errorf("%s does not part the models", b.Formula)
	}
	if b.Alike != (b.Formula == "") {
		return nil, fmt.Errorf("alike: %t, formula %q", b.Alike, b.Formula)
	}
	if b.Edit == nil {
		return b, nil
	}
	return b, checkEdit(old, latest, b.Edit)
}

func checkRun(b *Behaviour, old, latest map[string]bool) error {
	shortest := depth + 1
	for word := range old {
		if !latest[word] {
			shortest = min(shortest, strings.Count(word, " "))
		}
	}
	newer := false
	for word := range latest {
		if n := strings.Count(word, " "); !old[word] && n <= shortest {
			newer, shortest = true, n
		}
	}
	switch {
	case b.Run == nil && shortest <= depth:
		return fmt.Errorf("no run, though one of %d labels parts them", shortest)
	case b.Run == nil || shortest > depth:
		return nil
	}
	word := wordOf(append(slices.Clone(b.Run.Run), b.Run.Label))
	if len(b.Run.Run)+1 != shortest || old[word] == latest[word] || latest[word] != (b.Run.Only == New) ||
		!old[wordOf(b.Run.Run)] || !latest[wordOf(b.Run.Run)] || newer && b.Run.Only == Old {
		return fmt.Errorf("run %+v, shortest %d", *b.Run, shortest)
	}
	return nil
}

// checkEdit looks for a numbering under which the edit makes the new model from the old one.
func checkEdit(old, latest *lts.LTS, e *Edit) error {
	oldArcs, newArcs := arcsOf(old), arcsOf(latest)
	drop := func(from []Arc, x Arc) []Arc {
		i := slices.Index(from, x)
		if i < 0 {
			return nil
		}
		return slices.Delete(from, i, i+1)
	}
	for _, c := range e.Changes {
		if c.Kind != Removed {
			newArcs = drop(newArcs, c.Transition)
		}
		switch c.Kind {
		case Removed:
			oldArcs = drop(oldArcs, c.Transition)
		case Redirected, Relabelled:
			oldArcs = drop(oldArcs, c.Was)
		}
	}
	oldArcs = slices.DeleteFunc(oldArcs, func(x Arc) bool { return slices.Contains(e.GoneStates, x.From) })
	newArcs = slices.DeleteFunc(newArcs, func(x Arc) bool { return slices.Contains(e.NewStates, x.From) })
	left := func(m *lts.LTS, without []lts.State) (states []lts.State) {
		for s := range lts.State(m.NumStates()) {
			if m.Reachable().Has(s) && !slices.Contains(without, s) {
				states = append(states, s)
			}
		}
		return states
	}
	from, to := left(old, e.GoneStates), left(latest, e.NewStates)
	if len(from) != len(to) || len(oldArcs) != len(newArcs) {
		return fmt.Errorf("edit %+v leaves %d and %d states, %v and %v", *e, len(from), len(to), oldArcs, newArcs)
	}
	if !isomorphic(map[lts.State]lts.State{}, from, to, oldArcs, newArcs) {
		return fmt.Errorf("edit %+v does not give the new model", *e)
	}
	return nil
}

func isomorphic(as map[lts.State]lts.State, from, to []lts.State, old, latest []Arc) bool {
	if len(from) == 0 {
		mapped := make([]Arc, len(old))
		for i, x := range old {
			mapped[i] = Arc{as[x.From], x.Label, as[x.To]}
		}
		compare := func(x, y Arc) int {
			return cmp.Or(cmp.Compare(x.From, y.From), strings.Compare(x.Label, y.Label), cmp.Compare(x.To, y.To))
		}
		latest = slices.Clone(latest)
		slices.SortFunc(mapped, compare)
		slices.SortFunc(latest, compare)
		return slices.Equal(mapped, latest)
	}
	for i, t := range to {
		as[from[0]] = t
		if isomorphic(as, from[1:], slices.Delete(slices.Clone(to), i, i+1), old, latest) {
			return true
		}
	}
	return false
}

// TestModelsInBulk holds comparisons against the definitions: bisimilarity by its fixpoint,
// runs by all words, formulas by evaluating them in both models, edits by trying all
// numberings of states.
func TestModelsInBulk(t *testing.T) {
	var alike, runs, renamed, edits int
	formulas := make(map[By]int)
	for seed := range randomlts.Share(10_000) {
		old, latest := versions(t, seed)
		for _, o := range []Options{{}, {Hides: func(label string) bool { return label == "i" || label == "A" }}} {
			b, err := checkModels(t, old, latest, o)
			if err != nil {
				t.Fatalf("seed %d, hidden %v: %v\nold %d %v\nnew %d %v", seed, o.Hides != nil, err, old.Initial(), arcsOf(old), latest.Initial(), arcsOf(latest))
			}
			switch {
			case b.Alike:
				alike++
			case b.Run != nil:
				runs++
			case b.Formula != "":
				formulas[b.By]++
			}
			if b.Edit != nil {
				edits++
			}
			if b.Edit != nil && b.Edit.Renamed != nil {
				renamed++
			}
		}
	}
	t.Logf("alike %d, parted by runs %d, by formulas alone %v, renamed %d; edits %d", alike, runs, formulas, renamed, edits)
	if randomlts.Whole() && (alike < 500 || runs < 500 || formulas[Strong] < 50 || formulas[Branching] < 50 || renamed < 5 || edits < 15_000) {
		t.Error("too few of a kind")
	}
}

// TestSameButForNumbers: a version that differs in the numbers of its states only behaves alike, and
// nothing was changed; whether a walk says so is what renumbering says.
func TestSameButForNumbers(t *testing.T) {
	same, other := 0, 0
	for seed := range randomlts.Share(2_000) {
		old, latest := versions(t, seed)
		if seed%2 == 0 {
			latest = renumbered(t, seed, old)
		}
		d, err := newDisjointUnion(context.Background(), old, latest, Options{})
		if err != nil {
			t.Fatal(err)
		}
		is, err := d.sameInOrder(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 && !is {
			t.Fatalf("seed %d: renumbered, and not the same", seed)
		}
		if !is {
			other++
			continue
		}
		same++
		b, err := Models(context.Background(), old, latest, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !bisimilar(old, latest) || !b.Alike || b.Edit == nil || b.Edit.size() > 0 || b.Old != b.New || b.Strange > 0 || !b.Complete {
			t.Fatalf("seed %d: %+v", seed, b)
		}
	}
	if same == 0 || other == 0 {
		t.Errorf("%d are the same, %d are not", same, other)
	}
}

// renumbered returns the same model with other numbers of states.
func renumbered(t testing.TB, seed uint64, m *lts.LTS) *lts.LTS {
	number := rand.New(rand.NewPCG(seed, 18)).Perm(m.NumStates())
	var arcs []Arc
	for tr := range m.Transitions() {
		arcs = append(arcs, Arc{lts.State(number[tr.From]), m.Alphabet().Text(tr.Label), lts.State(number[tr.To])})
	}
	return modelOf(t, lts.State(number[m.Initial()]), m.NumStates(), arcs)
}
