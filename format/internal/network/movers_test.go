package network

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// byHand is the product of a drawn network by its definition: each label has one set of movers.
type byHand struct {
	model  *lts.LTS
	gates  []string       // of each label
	movers []map[int]bool // of each label
}

// product composes a drawn network by its definition; false if the product has more transitions.
func (x *drawer) product(n behaviour, most int) (*byHand, bool) {
	var at []int
	for _, m := range x.models {
		at = append(at, int(m.Initial()))
	}
	p := &byHand{}
	var b lts.Builder
	numbers := map[string]lts.State{fmt.Sprint(at): 0}
	found := map[string]bool{}
	for left := [][]int{at}; len(left) > 0; left = left[1:] {
		from := numbers[fmt.Sprint(left[0])]
		for _, s := range n.steps(left[0]) {
			to := slices.Clone(left[0])
			for i, state := range s.to {
				to[i] = state
			}
			if _, known := numbers[fmt.Sprint(to)]; !known {
				numbers[fmt.Sprint(to)] = lts.State(len(numbers))
				left = append(left, to)
			}
			movers := slices.Sorted(maps.Keys(s.to))
			label := b.Label(fmt.Sprint(s.label, " !movers", movers))
			if int(label) == len(p.gates) {
				p.gates = append(p.gates, gateOf(x.d.inModel(s.label)))
				p.movers = append(p.movers, map[int]bool{})
				for _, c := range movers {
					p.movers[label][c] = true
				}
			}
			key := fmt.Sprint(from, label, numbers[fmt.Sprint(to)])
			if found[key] {
				continue
			}
			found[key] = true
			b.Add(from, label, numbers[fmt.Sprint(to)])
			if len(found) > most {
				return nil, false
			}
		}
	}
	m, err := b.Build(0, len(numbers))
	if err != nil {
		panic(err)
	}
	p.model = m
	return p, true
}

// just is justness where each transition needs the components that move.
func (p *byHand) just() *oracle.Just {
	j := &oracle.Just{Components: map[lts.Label]map[int]bool{}, Blocking: map[lts.Label]bool{}}
	for l, movers := range p.movers {
		j.Components[lts.Label(l)] = movers
	}
	return j
}

// steps are the labels of some gates.
func (p *byHand) steps(gates []string) (all []map[lts.Label]bool) {
	for _, gate := range gates {
		step := map[lts.Label]bool{}
		for l, other := range p.gates {
			if other == gate {
				step[lts.Label(l)] = true
			}
		}
		all = append(all, step)
	}
	return all
}

// chain is the automaton that counts steps; a run is accepted if all are done.
func chain(steps []map[lts.Label]bool) oracle.Automaton {
	last := len(steps)
	return oracle.Automaton{
		States:  last + 1,
		Colours: 1,
		Next: func(q int, l lts.Label) int {
			if q < last && steps[q][l] {
				q++
			}
			return q
		},
		Marks: func(q int, l lts.Label) map[int]bool {
			if q < last {
				return nil
			}
			return map[int]bool{0: true}
		},
		Accepts: func(colours map[int]bool) bool { return colours[0] },
		Stops:   func(q int) bool { return q == last },
	}
}

// drawnCase is a network, composed and by its definition, with a formula that matches labels of both.
type drawnCase struct {
	text    string
	have    *lts.LTS
	want    *byHand
	formula *actl.Formula
	steps   []map[lts.Label]bool
	names   []string // of the components
}

// drawCase returns a case; false if the draw is too large or has none of the labels.
func drawCase(t *testing.T, seed uint64, most int) (*drawnCase, bool) {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 8))
	x := &drawer{r: r, d: dialects[r.IntN(len(dialects))], infixes: map[string]bool{}}
	n := x.draw(2 + r.IntN(2))
	c := &drawnCase{text: x.d.head + n.text}
	want, small := x.product(n, most)
	if !small {
		return nil, false
	}
	c.want = want
	m, _, err := Compose(ctx, []byte(c.text), Options{Name: "n.exp", Open: x.open, Language: x.d.settings, Workers: 1})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, c.text)
	}
	c.have = m.LTS
	c.names = m.LTS.Alphabet().Components()
	gates := []string{"a", "b", "c"}[:1+r.IntN(3)]
	r.Shuffle(len(gates), func(i, j int) { gates[i], gates[j] = gates[j], gates[i] })
	gates = gates[:1+r.IntN(min(2, len(gates)))]
	c.steps = want.steps(gates)
	for _, step := range c.steps {
		if len(step) == 0 {
			return nil, false
		}
	}
	c.formula, err = actl.Parse(ctx, "Inev("+strings.Join(gates, ", ")+")")
	if err != nil {
		t.Fatal(err)
	}
	return c, true
}

// TestJustnessGoesByWhoMoves compares verdicts under justness with the definition on the transitions themselves:
// those with one label may need other components.
func TestJustnessGoesByWhoMoves(t *testing.T) {
	ctx := context.Background()
	verdicts := map[bool]int{}
	several := 0
	for seed, cases := uint64(0), uint64(0); cases < randomlts.Share(3_000); seed++ {
		c, drawn := drawCase(t, seed, 10)
		if !drawn {
			continue
		}
		cases++
		if c.want.isAmbiguous() {
			several++
		}
		assumption, err := actl.ParseAssumption(ctx, "just")
		if err != nil {
			t.Fatal(err)
		}
		fairness, _, err := actl.BindAssumptions(ctx, []*actl.Assumption{assumption}, c.have.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := c.formula.Bind(ctx, c.have.Alphabet())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, c.text)
		}
		components, err := scc.Find(ctx, c.have, "")
		if err != nil {
			t.Fatal(err)
		}
		have, err := fate.Compute(ctx, components, p, enrich.Options{Fairness: fairness})
		if err != nil {
			t.Fatal(err)
		}
		want := oracle.NewFair(c.want.model, c.steps, oracle.Assumption{Just: c.want.just()})
		if have.Admits() != want.Counts(0) {
			t.Fatalf("seed %d: some run is just: %t\n%s", seed, have.Admits(), c.text)
		}
		if _, rejects := want.Can(0, 0); have.Admits() && have.Holds() == rejects {
			t.Fatalf("seed %d: %v holds under justness: %t\n%s", seed, c.formula, have.Holds(), c.text)
		}
		verdicts[have.Holds()]++
	}
	t.Log(verdicts, several)
	if randomlts.Whole() && (verdicts[true] < 300 || verdicts[false] < 300 || several < 100) {
		t.Error("too few of a kind")
	}
}

// isAmbiguous reports whether a gate has transitions of other components each.
func (p *byHand) isAmbiguous() bool {
	for l, gate := range p.gates {
		for k, other := range p.gates {
			if gate == other && !maps.Equal(p.movers[l], p.movers[k]) {
				return true
			}
		}
	}
	return false
}

// TestWhoPreventsGoesByWhoMoves compares the minimal sets of components that can prevent a violation with games on the
// product by definition: each component that moves can refuse.
func TestWhoPreventsGoesByWhoMoves(t *testing.T) {
	ctx := context.Background()
	sizes := map[int]int{}
	for seed, cases := uint64(0), uint64(0); cases < randomlts.Share(2_000); seed++ {
		c, drawn := drawCase(t, seed, 12)
		if !drawn {
			continue
		}
		lanes, is := view.NetworkLanes(c.have.Alphabet())
		if !is {
			t.Fatalf("seed %d: no lanes\n%s", seed, c.text)
		}
		c.checkRoutes(t, lanes)
		owners := &explain.Owners{Names: c.names, Of: lanes.Owner, Components: lanes.Components, Moving: true}
		r, err := explain.FindRepair(ctx, c.have, c.formula, explain.RepairOptions{Owners: owners})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, c.text)
		}
		wins := map[int]bool{}
		few := true
		for set := range 1 << len(c.names) {
			var is func(lts.State, int) bool
			is, few = oracle.NewGeneral(c.want.model, chain(c.steps)).Wins(func(l lts.Label) bool {
				for component := range c.want.movers[l] {
					if set>>component&1 != 0 {
						return false
					}
				}
				return true
			})
			if !few {
				break
			}
			wins[set] = is(0, 0)
		}
		if !few || wins[0] {
			continue
		}
		cases++
		var want [][]string
		for set := range 1 << len(c.names) {
			minimal := wins[set]
			names := []string{}
			for i, name := range c.names {
				if set>>i&1 != 0 {
					names = append(names, name)
					minimal = minimal && !wins[set&^(1<<i)]
				}
			}
			if minimal {
				want = append(want, names)
			}
		}
		have := slices.Clone(r.Prevention.Minimal)
		slices.SortFunc(have, slices.Compare)
		slices.SortFunc(want, slices.Compare)
		if !slices.EqualFunc(have, want, slices.Equal) {
			t.Fatalf("seed %d: %v can be ensured by %v, want %v\n%s", seed, c.formula, have, want, c.text)
		}
		sizes[len(want)]++
	}
	t.Log("minimal sets:", sizes)
	if randomlts.Whole() && (sizes[0] < 10 || sizes[1] < 100 || sizes[2] < 10) {
		t.Error("too few of a kind")
	}
}

// checkRoutes checks that charts draw each transition from the first of its movers to the last.
func (c *drawnCase) checkRoutes(t *testing.T, lanes *view.Lanes) {
	t.Helper()
	have := map[string]bool{}
	for x := range c.have.Transitions() {
		text := c.have.Alphabet().Text(x.Label)
		route, is := lanes.OfStep(c.have.Alphabet(), x.Label, text)
		have[fmt.Sprint(gateOf(text), is, route.From, route.To)] = true
	}
	want := map[string]bool{}
	for x := range c.want.model.Transitions() {
		movers := slices.Sorted(maps.Keys(c.want.movers[x.Label]))
		want[fmt.Sprint(c.want.gates[x.Label], true, c.names[movers[0]], c.names[movers[len(movers)-1]])] = true
	}
	if !maps.Equal(have, want) {
		t.Fatalf("routes %v, want %v\n%s", have, want, c.text)
	}
}

// TestPriorityInChains: in a > d > b, a has priority over b, although the behaviour never does d.
func TestPriorityInChains(t *testing.T) {
	for text, want := range map[string]string{
		`prio c > d > b in x end prio`: "c",
		`prio b > d > c in x end prio`: "b !1",
		`prio b > d in x end prio`:     "b !1 c",
	} {
		model, _, err := Compose(context.Background(), []byte(text), Options{Name: "n.exp", Open: openSmall, Workers: 1})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var labels []string
		for l := range model.LTS.From(1) {
			labels = append(labels, model.LTS.Alphabet().Text(l))
		}
		got := strings.Join(labels, " ")
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
