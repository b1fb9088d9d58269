package counterexample_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// A shape is a small structure that is drawn, and scaled up: each of its places is a layer
// of states, and each of its arrows a pattern of transitions between two layers.
type shape struct {
	layers int
	arrows []arrow
	// root says how the layers are reached: a fan to the first one, a fan to all states, or
	// a tree whose leaves are all states.
	root int
}

type arrow struct {
	from, to int
	pattern  int
	shift    int
	does     bool // whether its transitions do the step of the property
}

// The patterns of an arrow: to the same place of the next layer, some places on, to a place
// that is drawn, to one place of it all, or from one in so many states only.
const (
	same = iota
	shifted
	anywhere
	toOne
	fromFew
	patterns
)

// Shapes with numbers from manyPatterns on have these, too: some rows on, where the places of
// a layer make a square; to a place that is another one for each; and to about twice the place.
const (
	rowsOn = patterns + iota
	permuted
	doubled
	allPatterns

	manyPatterns = 5_000
)

// drawnShape returns the shape of a number. Most have a ring of layers, and some arrows beside.
func drawnShape(seed uint64) shape {
	r := rand.New(rand.NewPCG(seed, 7))
	s := shape{layers: 1 + r.IntN(40), root: r.IntN(3)}
	patterns := patterns
	if seed >= manyPatterns {
		patterns = allPatterns
	}
	pattern := func() (int, int) { return r.IntN(patterns), 1 + r.IntN(3) }
	for range 1 + r.IntN(3) {
		p, by := pattern()
		for l := range s.layers {
			s.arrows = append(s.arrows, arrow{from: l, to: (l + 1) % s.layers, pattern: p, shift: by})
		}
	}
	for range r.IntN(6) {
		p, by := pattern()
		s.arrows = append(s.arrows, arrow{r.IntN(s.layers), r.IntN(s.layers), p, by, r.IntN(4) == 0})
	}
	return s
}

// scaled returns the model of a shape with so many states in all layers together; the step is
// done by K.
func (s shape) scaled(t testing.TB, states int) *lts.LTS {
	r := rand.New(rand.NewPCG(1, 2))
	width := max(1, states/s.layers)
	n := width * s.layers
	var b lts.Builder
	x, k := b.Label("x"), b.Label("K")
	inner := 1
	switch s.root {
	case 0:
		for i := range width {
			b.Add(0, x, lts.State(1+i))
		}
	case 1:
		for i := range n {
			b.Add(0, x, lts.State(1+i))
		}
	default:
		inner = (n + 5) / 7
		order := r.Perm(n)
		for from := range inner {
			for to := 8*from + 1; to <= 8*from+8 && to < inner+n; to++ {
				if to < inner {
					b.Add(lts.State(from), x, lts.State(to))
				} else {
					b.Add(lts.State(from), x, lts.State(inner+order[to-inner]))
				}
			}
		}
	}
	for _, a := range s.arrows {
		label := x
		if a.does {
			label = k
		}
		var order []int
		if a.pattern == permuted {
			order = r.Perm(width)
		}
		for i := range width {
			to := i
			switch a.pattern {
			case shifted:
				to = (i + a.shift) % width
			case anywhere:
				to = r.IntN(width)
			case toOne:
				to = 0
			case rowsOn:
				to = (i + a.shift*int(math.Sqrt(float64(width)))) % width
			case permuted:
				to = order[i]
			case doubled:
				to = (2*i + a.shift) % width
			case fromFew:
				if i%(1<<(2*a.shift)) != 0 {
					continue
				}
			}
			b.Add(lts.State(inner+a.from*width+i), label, lts.State(inner+a.to*width+to))
		}
	}
	m, err := b.Build(0, inner+n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cost returns how many states were visited for each state and transition of the model.
func cost(t testing.TB, m *lts.LTS) float64 {
	r := search(t, m, bind(t, m, "Inev(K)"), counterexample.Options{})
	return float64(r.Stats.Matched) / float64(m.NumStates()+m.NumTransitions())
}

// worst are the shapes that cost most of 9,500, numbered to 2,500, from 5,000 and from 20,000
// on (see TestWorstShapes), and below them four that did before loops were looked for from
// separators, and from many states at once.
var worst = []uint64{
	22192, 20348, 20168, 6273, 6706, 5554, 5984, 1422, 6771, 7770,
	1332, 2333, 1678, 2602,
}

// TestNoShapeIsSlow: of shapes with 1,500 states, which are searched in some steps or in none,
// none makes the search visit each state and transition more than so many times.
func TestNoShapeIsSlow(t *testing.T) {
	most, at := 0.0, uint64(0)
	each := uint64(300)
	if !randomlts.Whole() {
		each = 20
	}
	for _, seed := range slices.Concat(worst, numbers(0, each), numbers(manyPatterns, manyPatterns+each)) {
		if c := cost(t, drawnShape(seed).scaled(t, 1_500)); c > most {
			most, at = c, seed
		}
	}
	if most > 40 {
		t.Errorf("shape %d: %.1f visits for each state and transition", at, most)
	}
}

// TestHeadsAreSearchedFromTogether: layers with transitions to places that are drawn, of which
// each is about as large as any set of states that separates others.
func TestHeadsAreSearchedFromTogether(t *testing.T) {
	if c := cost(t, drawnShape(965).scaled(t, 12_000)); c > 15 {
		t.Errorf("%.1f visits for each state and transition", c)
	}
}

func numbers(from, end uint64) []uint64 {
	var all []uint64
	for i := from; i < end; i++ {
		all = append(all, i)
	}
	return all
}

// BenchmarkWorstShapes searches the worst shapes, beside a plain search of each.
func BenchmarkWorstShapes(b *testing.B) {
	for _, seed := range worst {
		m := drawnShape(seed).scaled(b, 3_000)
		b.Run(fmt.Sprintf("%d/plain", seed), func(b *testing.B) {
			for range b.N {
				plainSearch(m)
			}
		})
		b.Run(fmt.Sprintf("%d/shortest", seed), func(b *testing.B) {
			p := bind(b, m, "Inev(K)")
			for range b.N {
				search(b, m, p, counterexample.Options{})
			}
		})
	}
}

// TestWorstShapes prints the shapes that cost most of INEV_SHAPES from number INEV_FROM on:
// what to put into the list of worst ones.
func TestWorstShapes(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("INEV_SHAPES"))
	if n == 0 {
		t.Skip("INEV_SHAPES says how many shapes to draw")
	}
	type drawn struct {
		seed uint64
		cost float64
	}
	var all []drawn
	from, _ := strconv.Atoi(os.Getenv("INEV_FROM"))
	for seed := uint64(from); seed < uint64(from+n); seed++ {
		all = append(all, drawn{seed, cost(t, drawnShape(seed).scaled(t, 2_000))})
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Compare(b.cost, a.cost) })
	for _, d := range all[:10] {
		s := drawnShape(d.seed)
		fmt.Printf("%d: %.1f visits, %.1f of 20,000 states; %d layers, root %d, %v\n", d.seed, d.cost,
			cost(t, s.scaled(t, 20_000)), s.layers, s.root, s.arrows[len(s.arrows)-min(6, len(s.arrows)):])
	}
}
