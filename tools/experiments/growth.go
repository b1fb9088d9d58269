package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/counterexample/buchi"
)

const growthOpening = `
## Time, memory and order: what the papers claim, measured

The papers claim that the first searches take linear time, and that Contrex takes exponential time at worst, but no
more memory than SPIN. They claim that the priority search takes polynomial time, with a search through a part of the
graph for each accepting state, and linear memory, and does not depend on the order of transitions.

### Growth

Visits, by the number of states. The random graphs have %d edges a state and one accepting state in
%d; the figures are averages over %d of them. A *ladder* of n diamonds is a path that branches and
joins again n times, and then goes back to its only accepting state, the first: 2ⁿ paths of one length.

`

const growthClosing = `
"grows by" is the factor by which visits grow from the smallest size to the largest, which has %d times as many states. On ladders, the visits of Contrex
grow exponentially: from the accepting state on, it follows every path that is short enough. The visits of all
other searches grow linearly.

### The order of transitions

The same graphs, each with its transitions in %d random orders. The table divides the visits of the worst
order of a graph by those of its best one, and counts the different lengths that were found for a graph.

| search | average | at most | most lengths of a graph |
| --- | ---: | ---: | ---: |
`

const orderClosing = `
The priority search depends on the order less than the others. It is not independent of the order, because a
depth-first search first finds a bound for it, as section 4 of the paper proposes. The priority search and Contrex
find the same length in every order; the other searches do not.
`

// timesHeading begins the section about times; the section of the existing document is kept if
// nothing is measured.
const timesHeading = "\n### Times and memory\n"

const timesOpening = timesHeading + `
As measured by ` + "`go -C tools run ./experiments -measure searches`" + ` on random graphs as above: the milliseconds of
%d graphs of a size together, best of three, and for the first of
these graphs the largest memory that samples during the search found in use, in bytes a state, without the graph.

| search | %s |
| --- |%s
`

// Parameters of the graphs on which growth is measured.
const (
	growthEdges     = 2
	growthAccepting = 20
	growthGraphs    = 20
	orders          = 10
)

// ladder returns the automaton of n diamonds.
func ladder(n int) (*buchi.Automaton, error) {
	var b buchi.Builder
	at := buchi.State(0)
	b.Accept(at)
	for range n {
		b.Add(at, at+1)
		b.Add(at, at+2)
		b.Add(at+1, at+3)
		b.Add(at+2, at+3)
		at += 3
	}
	b.Add(at, 0)
	return b.Build(0, int(at)+1)
}

// shuffled returns an automaton with its transitions in another order.
func shuffled(g *buchi.Automaton, seed uint64) (*buchi.Automaton, error) {
	source := rand.NewPCG(seed, 1)
	var b buchi.Builder
	for s := range buchi.State(g.NumStates()) {
		out := g.Successors(s, nil)
		for i := len(out) - 1; i > 0; i-- {
			j := source.Uint64() % uint64(i+1)
			out[i], out[j] = out[j], out[i]
		}
		for _, t := range out {
			b.Add(s, t)
		}
		if g.Accepting(s) {
			b.Accept(s)
		}
	}
	return b.Build(g.Initial(), g.NumStates())
}

// column is a group of graphs of one size.
type column struct {
	name     string
	automata []*buchi.Automaton
}

func randomColumns(ctx context.Context, sizes ...int) ([]column, error) {
	var all []column
	for _, states := range sizes {
		automata, _, err := randomGraphs(ctx, growing(states), growthGraphs)
		if err != nil {
			return nil, err
		}
		all = append(all, column{fmt.Sprintf("%d states", states), automata})
	}
	return all, nil
}

func growing(states int) parameters {
	return parameters{states, states * growthEdges, states / growthAccepting}
}

// writeGrowth writes how the number of visits grows with the size of graphs, and how it depends on
// the order of transitions.
func writeGrowth(ctx context.Context, doc *strings.Builder, from sources) error {
	fmt.Fprintf(doc, growthOpening, growthEdges, growthAccepting, growthGraphs)
	states := []int{250, 500, 1000, 2000, 4000}
	random, err := randomColumns(ctx, states...)
	if err != nil {
		return err
	}
	ladders, err := ladderColumns()
	if err != nil {
		return err
	}
	var names []string
	for _, c := range random {
		names = append(names, c.name)
	}
	names = append(names, "grows by")
	for _, c := range ladders {
		names = append(names, c.name)
	}
	fmt.Fprintf(doc, "| search | %s |\n| --- |%s\n", strings.Join(names, " | "),
		strings.Repeat(" ---: |", len(names)))
	for _, search := range searches() {
		if err := writeVisits(ctx, doc, search, random, ladders); err != nil {
			return err
		}
	}
	fmt.Fprintf(doc, growthClosing, states[len(states)-1]/states[0], orders)
	if err := writeOrders(ctx, doc, random[2].automata); err != nil {
		return err
	}
	doc.WriteString(orderClosing)
	measured, err := from.times()
	doc.WriteString(measured)
	return err
}

// ladderColumns returns a column for each of some ladders.
func ladderColumns() ([]column, error) {
	var columns []column
	for _, n := range []int{4, 8, 12, 16} {
		g, err := ladder(n)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column{
			name:     fmt.Sprintf("ladder, n = %d", n),
			automata: []*buchi.Automaton{g},
		})
	}
	return columns, nil
}

// writeVisits writes the row of a search: its average visits on random graphs, the ratio of the visits on the
// largest of these to those on the smallest, and the visits on ladders.
func writeVisits(
	ctx context.Context,
	doc *strings.Builder,
	search search,
	random, ladders []column,
) error {
	fmt.Fprintf(doc, "| %s |", search.name)
	onRandom, err := visitsOn(ctx, search, random)
	if err != nil {
		return err
	}
	onLadders, err := visitsOn(ctx, search, ladders)
	if err != nil {
		return err
	}
	for i, n := range onRandom {
		fmt.Fprintf(doc, " %d |", rounded(n, len(random[i].automata)))
	}
	fmt.Fprintf(doc, " %.0f |", float64(onRandom[len(onRandom)-1])/float64(onRandom[0]))
	for i, n := range onLadders {
		fmt.Fprintf(doc, " %d |", rounded(n, len(ladders[i].automata)))
	}
	doc.WriteString("\n")
	return nil
}

// visitsOn returns, for each column, the number of visits of a search to all graphs together.
func visitsOn(ctx context.Context, search search, columns []column) ([]int, error) {
	var all []int
	for _, c := range columns {
		sum := 0
		for _, g := range c.automata {
			_, stats, err := search.run(ctx, g)
			if err != nil {
				return nil, err
			}
			sum += int(stats.Matched)
		}
		all = append(all, sum)
	}
	return all, nil
}

// rounded returns sum / n, rounded to the nearest integer.
func rounded(sum, n int) int { return (sum + n/2) / n }

// writeOrders compares the visits of searches in the same graphs, with transitions in several
// orders.
func writeOrders(ctx context.Context, doc *strings.Builder, graphs []*buchi.Automaton) error {
	for _, search := range searches() {
		sumOfRatios := 0.
		greatestRatio := 0.
		mostLengths := 0
		for i, g := range graphs {
			s, err := searchInOrders(ctx, search, g, uint64(i*orders))
			if err != nil {
				return err
			}
			ratio := float64(s.mostVisits) / float64(s.leastVisits)
			sumOfRatios += ratio
			greatestRatio = max(greatestRatio, ratio)
			mostLengths = max(mostLengths, len(s.lengths))
		}
		meanRatio := sumOfRatios / float64(len(graphs))
		fmt.Fprintf(doc, "| %s | %.1f | %.1f | %d |\n", search.name, meanRatio, greatestRatio, mostLengths)
	}
	return nil
}

// ordersSearched has the results of a search in one graph with its transitions in several orders.
type ordersSearched struct {
	leastVisits, mostVisits int
	lengths                 map[int]bool // of the counterexamples
}

// searchInOrders searches one graph in several orders, which are drawn from seeds from firstSeed on.
func searchInOrders(
	ctx context.Context,
	s search,
	g *buchi.Automaton,
	firstSeed uint64,
) (found ordersSearched, err error) {
	found.lengths = map[int]bool{}
	for k := range uint64(orders) {
		other, err := shuffled(g, firstSeed+k)
		if err != nil {
			return found, err
		}
		_, stats, err := s.run(ctx, other)
		if err != nil {
			return found, err
		}
		visits := int(stats.Matched)
		if k == 0 || visits < found.leastVisits {
			found.leastVisits = visits
		}
		found.mostVisits = max(found.mostVisits, visits)
		found.lengths[stats.Length] = true
	}
	return found, nil
}

// timesIn returns the section about times and memory of a document.
func timesIn(document string) string {
	_, section, _ := strings.Cut(document, timesHeading)
	section, _, _ = strings.Cut(section, "\n## ")
	return timesHeading + section
}

// measuredGraphs is how many graphs of a size are measured together.
const measuredGraphs = 5

// measure returns the table of times and memory.
func measure(ctx context.Context) (string, error) {
	columns, err := randomColumns(ctx, 1000, 4000, 16000)
	if err != nil {
		return "", err
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.name+": ms", "bytes a state")
	}
	var b strings.Builder
	fmt.Fprintf(&b, timesOpening, measuredGraphs, strings.Join(names, " | "),
		strings.Repeat(" ---: |", len(names)))
	for _, search := range searches() {
		fmt.Fprintf(&b, "| %s |", search.name)
		for _, c := range columns {
			fastest, err := fastestOf(ctx, 3, search, c.automata[:measuredGraphs])
			if err != nil {
				return "", err
			}
			bytes, err := inUse(ctx, search, c.automata[0])
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " %.1f | %d |", float64(fastest.Microseconds())/1000,
				bytes/c.automata[0].NumStates())
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nMeasured on %s; the machine did other work, too.\n",
		time.Now().Format(time.DateOnly))
	return b.String(), nil
}

// fastestOf runs a search on all graphs several times, and returns the shortest time of a round.
func fastestOf(
	ctx context.Context,
	rounds int,
	search search,
	graphs []*buchi.Automaton,
) (fastest time.Duration, err error) {
	for round := range rounds {
		began := time.Now()
		for _, g := range graphs {
			if _, _, err := search.run(ctx, g); err != nil {
				return 0, err
			}
		}
		took := time.Since(began)
		if round == 0 || took < fastest {
			fastest = took
		}
	}
	return fastest, nil
}

// sampler is a context that measures memory each time that a search checks whether it is done.
type sampler struct {
	context.Context
	looks, before, most int
}

func (s *sampler) Err() error {
	s.looks++
	if s.looks < 16 || s.looks%16 == 0 {
		s.most = max(s.most, live()-s.before)
	}
	return s.Context.Err()
}

// live returns the bytes of live memory.
func live() int {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int(now.HeapAlloc)
}

// inUse returns the largest memory in use, in bytes, during a search in g.
func inUse(ctx context.Context, search search, g *buchi.Automaton) (int, error) {
	s := &sampler{Context: ctx, before: live()}
	_, _, err := search.run(s, g)
	runtime.KeepAlive(g)
	return s.most, err
}
