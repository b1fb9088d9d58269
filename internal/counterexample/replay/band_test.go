package replay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// wide draws a model of some size with a log: all is a walk, with this share of events that
// deviate; or the walk changes to the other half of the model, which cannot be gone back to.
func wide(t testing.TB, seed uint64) (m *lts.LTS, log []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 360))
	states, labels := 10+r.IntN(50), 2+r.IntN(20)
	halves := seed%3 == 0
	var b lts.Builder
	out := make([][]lts.Transition, states)
	add := func(from, to int) {
		step := lts.Transition{From: lts.State(from), Label: b.Label(fmt.Sprint("L", r.IntN(labels))), To: lts.State(to)}
		out[from] = append(out[from], step)
		b.Add(step.From, step.Label, step.To)
	}
	half := states / 2
	within := func(s int) int {
		switch {
		case !halves:
			return r.IntN(states)
		case s < half:
			return r.IntN(half)
		}
		return half + r.IntN(states-half)
	}
	add(0, states-1)
	for s := range states {
		for range 1 + r.IntN(3) {
			add(s, within(s))
		}
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	share := []float64{0.01, 0.05, 0.2, 0.7}[r.IntN(4)]
	for at, n := 0, 20+r.IntN(280); len(log) < n; {
		if halves && r.IntN(40) == 0 {
			at = r.IntN(states)
		}
		step := out[at][r.IntN(len(out[at]))]
		deviates := r.Float64() < share
		switch {
		case deviates && r.IntN(2) == 0:
			log = append(log, fmt.Sprint("L", r.IntN(labels)))
			continue
		case !deviates:
			log = append(log, m.Alphabet().Text(step.Label))
		}
		at = int(step.To)
	}
	return m, log
}

// whole is the table of all positions, states and states of an automaton, filled in from both ends.
type whole struct {
	from, to [][]int // by positions, then by states and states of the automaton
	cost, qs int
}

const never = 1 << 30

// tabled fills in the table; labels in free may be missing in the log.
func tabled(m *lts.LTS, a *oracle.Automaton, log []string, free map[string]bool) *whole {
	w := &whole{qs: 1}
	start, next := 0, func(q int, _ lts.Label) int { return q }
	if a != nil {
		w.qs, start, next = a.States, a.Initial, a.Next
	}
	type move struct {
		from, to, cost int
		event          string
	}
	var moves []move
	for s := range lts.State(m.NumStates()) {
		labels, targets := m.Out(s)
		for k, to := range targets {
			text, cost := m.Alphabet().Text(labels.At(k)), 1
			if free[text] {
				cost = 0
			}
			for q := range w.qs {
				moves = append(moves, move{int(s)*w.qs + q, int(to)*w.qs + next(q, labels.At(k)), cost, text})
			}
		}
	}
	empty := func() []int { return slices.Repeat([]int{never}, m.NumStates()*w.qs) }
	relax := func(row []int, back bool) {
		for changed := true; changed; {
			changed = false
			for _, v := range moves {
				from, to := v.from, v.to
				if back {
					from, to = to, from
				}
				if row[from]+v.cost < row[to] {
					row[to], changed = row[from]+v.cost, true
				}
			}
		}
	}
	row := empty()
	row[int(m.Initial())*w.qs+start] = 0
	relax(row, false)
	w.from = append(w.from, row)
	for _, event := range log {
		next := empty()
		for at, c := range row {
			next[at] = c + 1
		}
		for _, v := range moves {
			if v.event == event {
				next[v.to] = min(next[v.to], row[v.from])
			}
		}
		relax(next, false)
		w.from, row = append(w.from, next), next
	}
	w.cost = slices.Min(row)
	w.to = make([][]int, len(log)+1)
	row = make([]int, len(row))
	w.to[len(log)] = row
	for i := len(log); i > 0; i-- {
		next := empty()
		for at, c := range row {
			next[at] = c + 1
		}
		for _, v := range moves {
			if v.event == log[i-1] {
				next[v.from] = min(next[v.from], row[v.to])
			}
		}
		relax(next, true)
		w.to[i-1], row = next, next
	}
	return w
}

// best returns the places of a position that lie on an alignment with the fewest deviations.
func (w *whole) best(i int) (places []int) {
	for at := range w.from[i] {
		if w.from[i][at]+w.to[i][at] == w.cost {
			places = append(places, at)
		}
	}
	return places
}

// ends returns the states where such an alignment can end.
func (w *whole) ends() (states []lts.State) {
	for _, at := range w.best(len(w.from) - 1) {
		states = append(states, lts.State(at/w.qs))
	}
	return slices.Compact(states)
}

// fate returns what can become of all such alignments, and since when; -1 if it is open.
func (w *whole) fate(can func(lts.State, int) (accept, reject bool)) (fate string, since int) {
	known := map[int]string{}
	of := func(i int) string {
		fates := map[string]bool{}
		for _, at := range w.best(i) {
			if known[at] == "" {
				accept, reject := can(lts.State(at/w.qs), at%w.qs)
				switch {
				case accept && reject:
					known[at] = "open"
				case accept:
					known[at] = "sure"
				default:
					known[at] = "lost"
				}
			}
			fates[known[at]] = true
		}
		for fate := range fates {
			if len(fates) == 1 {
				return fate
			}
		}
		return "open"
	}
	since = len(w.from) - 1
	if fate = of(since); fate == "open" {
		return fate, -1
	}
	for since > 0 && of(since-1) == fate {
		since--
	}
	return fate, since
}

// TestBandsAreExact: however many events deviate, and however late it shows which states were the best, the
// deviations are as few as in a table of all states, what becomes of a property is so for all
// alignments with so few, and the run is one of the model that has them.
func TestBandsAreExact(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(1500) {
		m, log := wide(t, seed)
		free := map[string]bool{"L1": seed%4 == 1}
		o := replay.Options{Unlogged: func(l string) bool { return free[l] }}
		var automaton *oracle.Automaton
		if seed%10 == 0 {
			text := []string{"Inev(L0, L1)", "Never(L1)", "Response(L0; L1)", "AtMost(4; L0)", "DeadlockFree", "G F L0"}[seed/10%6]
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			if o.Property, _, err = f.Bind(ctx, m.Alphabet()); err != nil {
				t.Fatal(err)
			}
			all := fromproperty.Automaton(o.Property)
			automaton = &all
		}
		a, err := replay.New(ctx, m, o)
		if err != nil {
			t.Fatal(err)
		}
		a.Space(int(seed * 37 % 2000))
		a.Wait(int(seed * 41 % 3000))
		r, err := a.Replay(ctx, gathered(t, log), 0)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Cases[0]
		w := tabled(m, automaton, log, free)
		if ends := w.ends(); c.Cost != w.cost || len(c.Deviations) != w.cost || !slices.Equal(c.States, ends) {
			t.Fatalf("seed %d, %d events: %d deviations (%d listed), ends %v; want %d, %v", seed, len(log), c.Cost, len(c.Deviations), c.States, w.cost, ends)
		}
		if automaton != nil {
			fate, since := w.fate(oracle.NewGeneral(m, *automaton).Can)
			found := -1
			if c.Property.Since != nil {
				found = *c.Property.Since
			}
			if c.Property.Fate.String() != fate || found != since {
				t.Fatalf("seed %d: %s since %d, want %s since %d", seed, c.Property.Fate, found, fate, since)
			}
			if since > 0 {
				fate += " later"
			}
			met[fate]++
		}
		d := drawn{m: m, log: log, free: free}
		if wrong := d.checkRun(r.Run, c.Deviations); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
	}
	if randomlts.Whole() && (met["open"] < 10 || met["lost later"] < 10 || met["sure later"] < 5) {
		t.Errorf("met: %v", met)
	}
}

// near returns a model of some states whose transitions lead a few states on or back, and a walk
// through it: it leads on in that share of its steps, and anywhere else.
func near(t testing.TB, states, labels, events int, on float64, seed uint64) (m *lts.LTS, walk []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 68))
	var b lts.Builder
	out := make([][]lts.Transition, states)
	add := func(from, to int) {
		label := b.Label(fmt.Sprint("L", r.IntN(labels)))
		out[from] = append(out[from], lts.Transition{From: lts.State(from), Label: label, To: lts.State(to)})
		b.Add(lts.State(from), label, lts.State(to))
	}
	for s := range states {
		add(s, (s+1)%states)
		add(s, (s+states-1)%states)
		add(s, (s+r.IntN(7)+states-3)%states)
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for range events {
		step := out[at][r.IntN(3)]
		if r.Float64() < on {
			step = out[at][0]
		}
		walk = append(walk, m.Alphabet().Text(step.Label))
		at = int(step.To)
	}
	return m, walk
}

// TestManyDeviationsInOnePlaceAreFewest: a walk that begins again needs many deviations where it
// does; they are as few as in a table of all states.
func TestManyDeviationsInOnePlaceAreFewest(t *testing.T) {
	ctx := context.Background()
	met := 0
	for seed := range randomlts.Share(300) {
		m, walk := near(t, 60+int(seed%90), 8+int(seed%13), 70+int(seed%31), 0.5, seed)
		log := append(slices.Clone(walk), walk...)
		if seed%3 == 0 {
			log = append(log, walk[len(walk)/2:]...)
		}
		a, err := replay.New(ctx, m, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 {
			a.Space(int(seed * 37 % 2000))
		}
		r, err := a.Replay(ctx, gathered(t, log), 0)
		if err != nil {
			t.Fatal(err)
		}
		c := r.Cases[0]
		w := tabled(m, nil, log, nil)
		if ends := w.ends(); c.Cost != w.cost || len(c.Deviations) != w.cost || !slices.Equal(c.States, ends) {
			t.Fatalf("seed %d: %d deviations (%d listed), ends %v; want %d, %v", seed, c.Cost, len(c.Deviations), c.States, w.cost, ends)
		}
		if wrong := (drawn{m: m, log: log}).checkRun(r.Run, c.Deviations); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
		if c.Cost > 16 {
			met++
		}
	}
	if randomlts.Whole() && met < 100 {
		t.Errorf("%d cases with many deviations", met)
	}
}

// TestWorkFollowsTheDeviations: where a walk begins again, what the search visits depends on the
// deviations there and on the events, not on the states of the model times the events.
func TestWorkFollowsTheDeviations(t *testing.T) {
	const events = 4000
	m, walk := near(t, 3000, 40, events, 0.08, 1)
	a, err := replay.New(context.Background(), m, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Replay(context.Background(), gathered(t, append(walk, walk...)), -1)
	if err != nil {
		t.Fatal(err)
	}
	cost := r.Cases[0].Cost
	if cost < 40 || a.Visited() > 200*events {
		t.Errorf("%d nodes were visited for %d events with %d deviations in one place", a.Visited(), 2*events, cost)
	}
}

// TestFewDeviationsVisitLittleOfTheModel: three events that a log lacks, far from each other, make the
// search visit a fraction of the states that their labels lead to.
func TestFewDeviationsVisitLittleOfTheModel(t *testing.T) {
	const states, labels, events = 40_000, 20, 2000
	m, walk := near(t, states, labels, events, 0.3, 2)
	var log []string
	for i, event := range walk {
		if i%500 != 499 || i > 1500 {
			log = append(log, event)
		}
	}
	a, err := replay.New(context.Background(), m, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Replay(context.Background(), gathered(t, log), -1)
	if err != nil {
		t.Fatal(err)
	}
	cost := r.Cases[0].Cost
	if cost != 3 || a.Visited() > states/2 {
		t.Errorf("%d nodes were visited for %d deviations", a.Visited(), cost)
	}
}
