package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// boundedFormulas are properties that have bounds.
var boundedFormulas = []string{
	"Inev(A)", "Inev({A, B})", "Inev(A, B)", "Inev(A, A)", "Inev({B, C}, A, C)", "Inev(C, C, C)",
	"Response(A; B)", "Response(A; {A, C})", "Response({A, B}; C)", "Response(A; B; after C)",
	"Inev(A; after B)", "Inev(A, B; after C)", "Inev(B; after A until C)",
	"GF A", "GF A && GF B", "G (A -> F B)", "G (A -> X F B)", "GF (A || B)", "G (A -> GF B)", "G (B -> F A)",
}

func parseAny(t testing.TB, text string) property.Formula {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// waits explores, with what a property is in, how long something has been pending.
type waits struct {
	m       *lts.LTS
	p       *property.Property
	met     property.Marks // colours of the clause; for a chain none
	pending []bool
	counts  func(s lts.State, q property.Q) bool
}

type moment struct {
	s     lts.State
	q     property.Q
	since int // -1 where nothing is pending
}

// after returns the moment after a transition, and whether it settled something.
func (w *waits) after(at moment, l lts.Label, to lts.State) (moment, bool) {
	q := w.p.Next(at.q, l)
	marked := w.p.Steps() == 0 && w.p.Marks(at.q, l)&w.met != 0
	settled := at.since >= 0 && (marked || !w.pending[q])
	switch {
	case !w.pending[q]:
		return moment{to, q, -1}, settled
	case at.since < 0 || marked:
		return moment{to, q, 0}, settled
	}
	return moment{to, q, at.since + 1}, false
}

// all explores every moment, and returns the most and fewest transitions until something is
// settled, and whether there is no most.
func (w *waits) all() (most, least int, endless, some bool) {
	limit := w.m.NumStates()*w.p.States() + 2
	start := moment{w.m.Initial(), w.p.Initial(), -1}
	if w.pending[start.q] {
		start.since = 0
	}
	seen := map[moment]bool{start: true}
	queue := []moment{start}
	least = limit
	for i := 0; i < len(queue); i++ {
		labels, targets := w.m.Out(queue[i].s)
		for k, to := range targets {
			next, settled := w.after(queue[i], labels.At(k), to)
			if !w.counts(next.s, next.q) {
				continue
			}
			if settled {
				some, most, least = true, max(most, queue[i].since+1), min(least, queue[i].since+1)
			}
			if next.since > limit {
				endless = true
				continue
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return most, least, endless, some
}

// pendingStates finds, by going through words, the states of a property with something
// pending, for a set of colours.
func pendingStates(p *property.Property, colours property.Marks) []bool {
	n := p.States()
	pending := make([]bool, n)
	reach := func(from property.Q, marked func(property.Q, lts.Label) bool) map[property.Q]bool {
		met := map[property.Q]bool{}
		queue := []property.Q{from}
		for i := 0; i < len(queue); i++ {
			for l := range p.Alphabet().All() {
				if next := p.Next(queue[i], l); p.Alphabet().Happens(l) && !marked(queue[i], l) && !met[next] {
					met[next] = true
					queue = append(queue, next)
				}
			}
		}
		return met
	}
	around := func(q property.Q) bool {
		return reach(q, func(q property.Q, l lts.Label) bool { return p.Marks(q, l)&colours != 0 })[q]
	}
	for q := range property.Q(n) {
		// What is accepted after it: a run that ends, or one that goes round with all colours.
		accepts := p.Stops(q)
		for at := range reach(q, func(property.Q, lts.Label) bool { return false }) {
			accepts = accepts || p.Stops(at)
			for l := range p.Alphabet().All() {
				back := reach(p.Next(at, l), func(property.Q, lts.Label) bool { return false })
				accepts = accepts || p.Alphabet().Happens(l) && back[at] && p.Acceptance().Holds(^property.Marks(0)) && p.Marks(at, l) != 0
			}
		}
		pending[q] = accepts && (!p.Stops(q) || around(q))
	}
	return pending
}

// coloursOf returns the sets of colours that a condition asks for again and again.
func coloursOf(a property.Acceptance) []property.Marks {
	switch a.Operator() {
	case property.AndOp:
		var all []property.Marks
		for _, p := range a.Parts() {
			all = append(all, coloursOf(p)...)
		}
		return all
	default:
		all, _ := a.Colours()
		return []property.Marks{all}
	}
}

// TestBoundsAgreeWithAllRuns: bounds and slowest runs are those that come out where all runs
// are gone through.
func TestBoundsAgreeWithAllRuns(t *testing.T) {
	held, shown := map[string]int{}, 0
	for seed := range randomlts.Share(10_000) {
		r := rand.New(rand.NewPCG(seed, 33))
		m := randomlts.Forward(r)
		text := boundedFormulas[r.IntN(len(boundedFormulas))]
		f := parseAny(t, text)
		e, err := explain.Explain(context.Background(), m, f, explain.Options{NoFairness: true, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		if (e.Verdict == explain.Satisfied) != (e.Reasons != nil) {
			t.Fatalf("seed %d: %s is %s, and holds is %v", seed, text, e.Verdict, e.Reasons)
		}
		if e.Reasons == nil {
			continue
		}
		happening, err := m.Happening(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), happening)
		if err != nil {
			t.Fatal(err)
		}
		if p.Steps() > 0 {
			// A chain is bound to all labels.
			if p, _, err = f.Bind(context.Background(), m.Alphabet()); err != nil {
				t.Fatal(err)
			}
		}
		if err := compareBounds(m, p, e); err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, text, err, texts(m))
		}
		if len(e.Reasons.Bounds) > 0 {
			held[text]++
			if e.Reasons.Slowest.Length > 3 && len(e.Reasons.Slowest.Faster) > 0 {
				shown++
			}
		}
	}
	for _, text := range boundedFormulas {
		if held[text] == 0 && randomlts.Whole() {
			t.Errorf("%s held %d times: %v", text, held[text], held)
		}
	}
	if randomlts.Whole() && shown < int(randomlts.Share(10_000)/100) {
		t.Errorf("%d slowest runs had choices", shown)
	}
}

func texts(m *lts.LTS) string {
	text := ""
	for t := range m.Transitions() {
		text += fmt.Sprintf("%d %s %d\n", t.From, m.Alphabet().Text(t.Label), t.To)
	}
	return text
}

func everyRun(lts.State, property.Q) bool { return true }

func compareBounds(m *lts.LTS, p *property.Property, e *explain.Explanation) error {
	var all []*waits
	if n := p.Steps(); n > 0 {
		for j := 1; j <= n; j++ {
			w := &waits{m: m, p: p, pending: make([]bool, n+1), counts: everyRun}
			for q := range j {
				w.pending[q] = true
			}
			all = append(all, w)
		}
	} else {
		for _, colours := range coloursOf(p.Acceptance()) {
			all = append(all, &waits{m: m, p: p, met: colours, pending: pendingStates(p, colours), counts: everyRun})
		}
	}
	var largest *waits
	most, i := 0, 0
	for _, w := range all {
		longest, least, endless, some := w.all()
		if endless {
			return fmt.Errorf("something is pending forever")
		}
		if !some {
			continue
		}
		if i == len(e.Reasons.Bounds) {
			return fmt.Errorf("there is a bound of %d to %d, and none was found", least, longest)
		}
		b := e.Reasons.Bounds[i]
		if b.Most == nil || *b.Most != longest || b.Least != least {
			return fmt.Errorf("bound %d is %+v, and it is %d to %d", i+1, b, least, longest)
		}
		i++
		if longest > most || p.Steps() > 0 {
			largest, most = w, longest
			if e.Reasons.Slowest.Step > i && p.Steps() == 0 {
				largest = nil
			}
		}
	}
	if i != len(e.Reasons.Bounds) || (i == 0) != (e.Reasons.Slowest == nil) {
		return fmt.Errorf("%d bounds of %d, slowest %v", i, len(e.Reasons.Bounds), e.Reasons.Slowest)
	}
	if i == 0 || largest == nil {
		return nil
	}
	return largest.compareSlowest(e.Reasons.Slowest, most)
}

// longest returns how many transitions there are at most until something is settled, -1 if it
// never is.
func (w *waits) longest(at moment) int {
	best := -1
	labels, targets := w.m.Out(at.s)
	for k, to := range targets {
		next, settled := w.after(at, labels.At(k), to)
		if settled {
			best = max(best, 1)
		} else if d := w.longest(next); d >= 0 {
			best = max(best, d+1)
		}
	}
	return best
}

func (w *waits) compareSlowest(s *explain.Slowest, most int) error {
	at := moment{w.m.Initial(), w.p.Initial(), -1}
	if w.pending[at.q] {
		at.since = 0
	}
	faster := map[int]explain.Faster{}
	for _, f := range s.Faster {
		faster[int(f.Step)] = f
	}
	if len(s.Steps) != s.Length || s.Length-s.Begins != most {
		return fmt.Errorf("the slowest run has %d steps, %d of them before it", s.Length, s.Begins)
	}
	for i, step := range s.Steps {
		if step.From != at.s {
			return fmt.Errorf("step %d leaves state %d, and not %d", i+1, step.From, at.s)
		}
		if i == s.Begins && at.since != 0 || i > s.Begins && at.since != i-s.Begins {
			return fmt.Errorf("before step %d something is pending since %d", i+1, at.since)
		}
		labels, targets := w.m.Out(at.s)
		taken, left := -1, most-(i-s.Begins)
		var aside []explain.FasterChoice
		var follows moment
		ended := false
		for k, to := range targets {
			l := w.m.Alphabet().Text(labels.At(k))
			next, settled := w.after(at, labels.At(k), to)
			if i < s.Begins {
				if taken < 0 && l == step.Label && to == step.To {
					taken, follows = k, next
				}
				continue
			}
			d := 0
			if !settled {
				d = w.longest(next)
			}
			switch {
			case d+1 == left && d >= 0 && taken < 0:
				taken, follows, ended = k, next, settled
				if l != step.Label || to != step.To {
					return fmt.Errorf("step %d: the first of the slowest ways is %s to %d", i+1, l, to)
				}
			case d >= 0 && d+1 < left:
				aside = append(aside, explain.FasterChoice{Label: l, To: to, Most: d + 1})
			}
		}
		if taken < 0 {
			return fmt.Errorf("step %d, %s, is none", i+1, step.Label)
		}
		if got := faster[i]; !slices.Equal(got.Alternatives, aside) || len(aside) > 0 && got.Left != left {
			return fmt.Errorf("step %d could be faster by %v, and not %v", i+1, aside, got)
		}
		if at = follows; ended != (i == len(s.Steps)-1) {
			return fmt.Errorf("step %d settles it: %v", i+1, ended)
		}
	}
	return nil
}
