package counterexample

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// visit is a state met breadth first over states and progress, as in prefixes.
type visit struct {
	state              lts.State
	progress, upTo     int
	distance, previous int
	by                 lts.Transition
}

// visits meets all there is.
func visits(m *lts.LTS, p *property.Chain) []visit {
	least := make([]int, m.NumStates())
	for s := range least {
		least[s] = p.Len()
	}
	all := []visit{{state: m.Initial(), upTo: p.Len() - 1}}
	least[m.Initial()] = 0
	for i := 0; i < len(all); i++ {
		labels, targets := m.Out(all[i].state)
		for j, t := range targets {
			if progress := p.Advance(all[i].progress, labels.At(j)); progress < least[t] {
				by := lts.Transition{From: all[i].state, Label: labels.At(j), To: t}
				all = append(all, visit{t, progress, least[t] - 1, all[i].distance + 1, i, by})
				least[t] = progress
			}
		}
	}
	return all
}

// girth returns the first of the shortest cycles through s without labels of step m+1,
// breadth first through all of the model.
func girth(m *lts.LTS, p *property.Chain, s lts.State, avoid int) []lts.Transition {
	ways := map[lts.State][]lts.Transition{s: nil}
	for open := []lts.State{s}; len(open) > 0; open = open[1:] {
		labels, targets := m.Out(open[0])
		for j, t := range targets {
			if p.Does(labels.At(j), avoid+1) {
				continue
			}
			way := append(slices.Clone(ways[open[0]]), lts.Transition{From: open[0], Label: labels.At(j), To: t})
			if t == s {
				return way
			}
			if _, met := ways[t]; !met {
				ways[t] = way
				open = append(open, t)
			}
		}
	}
	return nil
}

// firstByDefinition returns the counterexample that Search documents: of those with
// the fewest transitions the one whose loop begins, or which ends, at the state that
// is met first. It looks for a cycle from every state, as far as there are any.
func firstByDefinition(m *lts.LTS, p *property.Chain) (steps []lts.Transition, loop int) {
	best, end, all := infinite, 0, visits(m, p)
	var cycle []lts.Transition
	for i, v := range all {
		if m.IsDeadlock(v.state) && v.distance < best {
			best, end, cycle = v.distance, i, nil
		}
		for avoid := v.progress; avoid <= v.upTo; avoid++ {
			if c := girth(m, p, v.state, avoid); c != nil && v.distance+len(c) < best {
				best, end, cycle = v.distance+len(c), i, c
			}
		}
	}
	if best == infinite {
		return nil, noLoop
	}
	for ; end != 0; end = all[end].previous {
		steps = append(steps, all[end].by)
	}
	slices.Reverse(steps)
	if cycle == nil {
		return steps, noLoop
	}
	return append(steps, cycle...), len(steps)
}

// roundabout returns a model that goes round: layers, of which the last leads to the first
// or, in some, somewhere into the middle, after a tail; with few transitions that lead
// elsewhere, and with steps on few of all.
func roundabout(t testing.TB, r *rand.Rand) (m *lts.LTS, formula string) {
	var b lts.Builder
	labels := []lts.Label{b.Label("x"), b.Label("y"), b.Label("A"), b.Label("B")}
	height, width, tail, closing := 1+r.IntN(12), 1+r.IntN(6), r.IntN(4), 1+r.IntN(4)
	label := func() lts.Label {
		if r.IntN(8) > 0 {
			return labels[r.IntN(2)]
		}
		return labels[2+r.IntN(2)]
	}
	for s := range tail {
		b.Add(lts.State(s), label(), lts.State(s+1))
	}
	states := tail + height*width
	for s := range height * width {
		layer := s / width
		for range 1 + r.IntN(3) {
			to := (layer+1)%height*width + r.IntN(width)
			if layer == height-1 && r.IntN(closing) > 0 {
				to = r.IntN(height*width/2 + 1)
			}
			if r.IntN(30) == 0 {
				to = r.IntN(height * width)
			}
			b.Add(lts.State(tail+s), label(), lts.State(tail+min(to, height*width-1)))
		}
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m, "Inev(" + strings.Join([]string{"A", "B", "A"}[r.IntN(3):], ", ") + ")"
}

// turning returns a model of layers that go round and turn by some places, below a state with
// transitions to all others, so that loops close where the places fit; with few transitions
// that lead elsewhere, and with steps on few of all.
func turning(t testing.TB, r *rand.Rand) (m *lts.LTS, formula string) {
	var b lts.Builder
	labels := []lts.Label{b.Label("x"), b.Label("A"), b.Label("B")}
	height, width, first, second := 1+r.IntN(5), 2+r.IntN(40), r.IntN(5), r.IntN(5)
	label := func() lts.Label { return labels[max(0, r.IntN(30)-27)] }
	states := 1 + height*width
	for s := 1; s < states; s++ {
		if r.IntN(8) > 0 {
			b.Add(0, label(), lts.State(s))
		}
		layer, place := (s-1)/width, (s-1)%width
		next := 1 + (layer+1)%height*width
		b.Add(lts.State(s), label(), lts.State(next+(place+first)%width))
		b.Add(lts.State(s), label(), lts.State(next+(place+second)%width))
		if r.IntN(30) == 0 {
			b.Add(lts.State(s), label(), lts.State(r.IntN(states)))
		}
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m, "Inev(" + strings.Join([]string{"A", "B", "A"}[r.IntN(3):], ", ") + ")"
}

func bound(t testing.TB, m *lts.LTS, formula string) *property.Chain {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	p, _ := b.Chain()
	return p
}

// TestSearchFromHeadsIsThatFromAllStates compares the counterexample, transition by
// transition, with the one that the definition has: as Search finds it, and with a
// search that begins at heads from the first round on, in either direction.
func TestSearchFromHeadsIsThatFromAllStates(t *testing.T) {
	seeds := randomlts.Share(4_000)
	lassos, several, separated, few := 0, 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 19))
		m, formula := roundabout(t, r)
		switch {
		case seed%2 == 0:
			c := randomlts.Seeded(seed, randomlts.Medium())
			m, formula = c.Model, c.Formula
		case seed%8 == 5:
			m, formula = turning(t, r)
		}
		p := bound(t, m, formula)
		steps, loop := firstByDefinition(m, p)
		if loop != noLoop {
			lassos++
			if loop > 0 && p.Len() > 1 {
				several++
			}
		}
		for _, way := range []struct {
			name  string
			heads bool
			spent int
			sieve bool
			// dearer is how much dearer searches from separators are taken for.
			dearer int
			known  bool
		}{
			{name: "as it comes", dearer: 2}, {name: "heads", heads: true, dearer: 2},
			{name: "heads, backwards", heads: true, spent: 1 << 40, dearer: 2},
			{name: "sieved", heads: true, spent: 1 << 40, sieve: true, dearer: 1 << 30},
			{name: "separated", heads: true, spent: 1 << 40, sieve: true},
			{name: "separated, components known", heads: true, spent: 1 << 40, sieve: true, known: true},
		} {
			var o Options
			if way.known {
				components, err := scc.Find(context.Background(), m, "iterative")
				if err != nil {
					t.Fatal(err)
				}
				o.Components = components
			}
			s := newShortest(context.Background(), m, p, o)
			if way.heads {
				s.levels = []int{0}
				s.seekHeads()
			}
			s.bounded.work += way.spent
			s.dearer = way.dearer
			if way.sieve {
				s.patience = -1
			}
			s.run()
			got, gotLoop, found := s.steps()
			if found != (steps != nil || m.IsDeadlock(m.Initial())) || !slices.Equal(got, steps) || found && gotLoop != loop {
				t.Fatalf("seed %d, %s, %s: %v with loop at %d, want %v with loop at %d\n%v",
					seed, formula, way.name, got, gotLoop, steps, loop, slices.Collect(m.Transitions()))
			}
			if s.tried && way.dearer == 0 {
				separated++
			}
			if s.bounded.componentOf != nil && loop != noLoop {
				few++
			}
		}
	}
	if randomlts.Whole() && (lassos < 1_000 || several < 200 || separated < 400 || few < 200) {
		t.Errorf("of %d models %d have a lasso, %d one with a stem and several steps, %d were separated, and %d searches went where few states are left: too few", seeds, lassos, several, separated, few)
	}
}

// TestDecisionIsThatOfTheDefinition compares whether there is a counterexample, and the m for
// which no loop violates, with cycles looked for from every state.
func TestDecisionIsThatOfTheDefinition(t *testing.T) {
	seeds := randomlts.Share(4_000)
	holding, without, few := 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 20))
		m, formula := roundabout(t, r)
		if seed%4 != 0 {
			c := randomlts.Seeded(seed, randomlts.Medium())
			m, formula = c.Model, c.Formula
		}
		if seed%16 == 3 {
			m = crowded(t, m, r)
		}
		p := bound(t, m, formula)
		s := newShortest(context.Background(), m, p, Options{})
		// By passes until nothing changes, by few of them and then by counting, and by counting.
		d := decision{shortest: s, worthPasses: []int{1 << 30, worthPasses, 1, 0}[seed/16%4], atOnce: []int{atOnce, 2, 1}[seed/64%3]}
		// By one goroutine, by two, and where the second one has come as far as it can, or some way.
		switch seed % 5 {
		case 1:
			d.second = d.ahead
		case 2, 3:
			d.second = func() (stop func()) {
				for s := range lts.State(m.NumStates()) {
					d.remaining.set(s, 1)
				}
				for down, more := true, 1; more > 0; down = !down {
					if more, _ = d.pass(down, func() bool { return false }); seed%5 == 3 {
						break
					}
				}
				return func() {}
			}
		}
		d.decide()
		steps, _ := firstByDefinition(m, p)
		if holds := steps == nil && !m.IsDeadlock(m.Initial()); s.holds != holds {
			t.Fatalf("seed %d, %s: holds: %v, want %v\n%v", seed, formula, s.holds, holds, slices.Collect(m.Transitions()))
		}
		if s.holds {
			holding++
		}
		loops := make([]bool, p.Len())
		for _, v := range visits(m, p) {
			for avoid := v.progress; avoid <= v.upTo; avoid++ {
				loop := girth(m, p, v.state, avoid) != nil
				loops[avoid] = loops[avoid] || loop
				if set := s.cyclic[avoid]; set != nil && set.Has(v.state) != loop {
					t.Fatalf("seed %d, %s: a loop from %d that avoids step %d: %v\n%v", seed, formula, v.state, avoid+1, loop, slices.Collect(m.Transitions()))
				}
			}
		}
		for avoid, set := range s.cyclic {
			if none := set != nil && set.Empty(); none == loops[avoid] {
				t.Fatalf("seed %d, %s: loops that avoid step %d: %v\n%v", seed, formula, avoid+1, loops[avoid], slices.Collect(m.Transitions()))
			}
			if !loops[avoid] {
				without++
			}
		}
		if s.bounded.componentOf != nil {
			few++
		}
	}
	if randomlts.Whole() && (holding < 200 || without < 400 || few < 40) {
		t.Errorf("of %d models the property holds in %d, for %d m there are no loops, and in %d few states are left: too few", seeds, holding, without, few)
	}
}

// crowded returns the model with 254 to 256 copies of each transition of one state, or of
// two, so that as many lead to its successors.
func crowded(t *testing.T, m *lts.LTS, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	crowd, copies := lts.State(r.IntN(m.NumStates())), 254+r.IntN(3)
	for tr := range m.Transitions() {
		n := 1
		if tr.From == crowd || tr.From == crowd/2 {
			n = copies
		}
		for range n {
			b.Add(tr.From, tr.Label, tr.To)
		}
	}
	built, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// TestDecisionCountsWherePassesDoNotPay: a ring is taken away state by state, in one pass
// where its states are numbered along it, and by counting where they are numbered anyhow.
func TestDecisionCountsWherePassesDoNotPay(t *testing.T) {
	const states = 3000
	rising, falling := make([]int, states), make([]int, states)
	for i := range states {
		rising[i], falling[i] = i, states-1-i
	}
	for name, c := range map[string]struct {
		numbers []int
		counted bool
	}{
		"rising":  {rising, false},
		"falling": {falling, false},
		"anyhow":  {rand.New(rand.NewPCG(1, 21)).Perm(states), true},
	} {
		t.Run(name, func(t *testing.T) {
			var b lts.Builder
			a, other := b.Label("a"), b.Label("b")
			for i, s := range c.numbers {
				l := other
				if i == 7 {
					l = a
				}
				b.Add(lts.State(s), l, lts.State(c.numbers[(i+1)%states]))
			}
			m, err := b.Build(0, states)
			if err != nil {
				t.Fatal(err)
			}
			s := newShortest(context.Background(), m, bound(t, m, "Inev(a)"), Options{})
			d := decision{shortest: s, worthPasses: worthPasses, atOnce: atOnce}
			if d.decide(); !s.holds || (d.entering != nil) != c.counted {
				t.Errorf("holds: %v, counted: %v; want true, %v", s.holds, d.entering != nil, c.counted)
			}
		})
	}
}

func TestLeastProgress(t *testing.T) {
	for _, n := range []int{1, 2, 255, 256, 60_000} {
		const states = 100
		l := newLeastProgress(context.Background(), states, n)
		want := make([]int, states)
		for s := range want {
			if want[s] = n; s%3 == 0 {
				want[s] = s * (n - 1) / states
				l.set(lts.State(s), want[s])
			}
		}
		for s, least := range want {
			if got := l.at(lts.State(s)); got != least {
				t.Errorf("of %d: state %d has %d, want %d", n, s, got, least)
			}
		}
	}
}

// TestPruneKeepsLevels: heads that lie on no loop go, and the others stay at their levels.
func TestPruneKeepsLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const states = 20
		levels := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.Uint32Range(0, states-1), 0, 4, rapid.ID[uint32]), 1, 6).Draw(t, "levels")
		cyclic := bitset.New[lts.State](states)
		for _, s := range rapid.SliceOf(rapid.Uint32Range(0, states-1)).Draw(t, "cyclic") {
			cyclic.Add(lts.State(s))
		}
		h := &heads{candidates: []bitset.Set[lts.State]{bitset.New[lts.State](states)}}
		var want [][]head
		for _, level := range levels {
			h.begins = append(h.begins, h.list.Len())
			var kept []head
			for _, s := range level {
				if h.candidates[0].Has(lts.State(s)) {
					continue
				}
				h.candidates[0].Add(lts.State(s))
				h.list.Append(head{lts.State(s), 0})
				if cyclic.Has(lts.State(s)) {
					kept = append(kept, head{lts.State(s), 0})
				}
			}
			want = append(want, kept)
		}
		h.prune([]bitset.Set[lts.State]{cyclic})
		for level, kept := range want {
			end := h.list.Len()
			if level+1 < len(h.begins) {
				end = h.begins[level+1]
			}
			var got []head
			for i := h.begins[level]; i < end; i++ {
				got = append(got, *h.list.At(i))
			}
			if !slices.Equal(got, kept) {
				t.Fatalf("level %d has %v, want %v", level, got, kept)
			}
		}
		for s := range lts.State(states) {
			if h.candidates[0].Has(s) && !cyclic.Has(s) {
				t.Fatalf("%d is a head still", s)
			}
		}
	})
}
