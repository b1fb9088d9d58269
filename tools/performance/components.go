package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/lts/generate"
)

// resultBytes is the memory of the components themselves for each state, if every state is a
// component of its own: its number, its index in the list, the beginning of the component in the
// list, its depth, and whether it has a cycle.
const resultBytes = 4 + 4 + 4 + 4 + 1

// componentsCase is a random graph whose components are measured.
type componentsCase struct {
	spec generate.Spec
	// measuresGonum reports whether gonum's engine is measured, too, which needs more memory.
	measuresGonum bool
	// pearceThen is the time, in seconds, that Pearce's algorithm took on the day when the target was set.
	pearceThen float64
}

// components measures the engines on random graphs, next to a search of the same model and Pearce's
// algorithm alone.
func (l *laboratory) components(ctx context.Context) (string, error) {
	t := newTable("", "states", "median", "best", "÷ states reached", "÷ Pearce",
		"allocated a state")
	for _, c := range []componentsCase{
		{spec: far(3 * l.reference() / 10), measuresGonum: true, pearceThen: 0.144},
		{spec: far(3 * l.reference()), pearceThen: 3.3},
	} {
		if err := l.addComponents(ctx, t, c); err != nil {
			return "", err
		}
	}
	return t.String(), nil
}

// addComponents measures one graph, adds its rows to a table, and judges inev's own engine.
func (l *laboratory) addComponents(ctx context.Context, t *table, c componentsCase) error {
	reached := l.task("states reached", task{Do: "reach", Spec: c.spec})
	pearce := l.task("Pearce's algorithm alone", task{Do: "plain components", Spec: c.spec})
	own := l.task("iterative", task{Do: "components", Spec: c.spec, Engine: "iterative"})
	rows := []*work{reached, pearce, own}
	if c.measuresGonum {
		gonum := l.task("gonum", task{Do: "components", Spec: c.spec, Engine: "gonum"})
		rows = append(rows, gonum)
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return err
	}
	states := int64(c.spec.States)
	for _, w := range rows {
		m := w.median()
		overReached := times(m.Seconds / reached.median().Seconds)
		overPearce := times(m.Seconds / pearce.median().Seconds)
		t.add(slices.Concat([]string{w.name, grouped(states)}, w.timeCells(),
			[]string{overReached, overPearce, bytesEach(m.Bytes, states)})...)
	}
	m := own.median()
	over := m.Seconds / pearce.median().Seconds
	each := float64(m.Bytes) / float64(states)
	l.judge(over <= 1.2 && each <= 1.2*12+resultBytes, target{
		work:     "components, " + grouped(states) + " states, random",
		wanted:   fmt.Sprintf("≤ 1.2 × Pearce's algorithm (≤ %s where that took %s), ≤ 14.4 bytes a state beside the result", seconds(1.2*c.pearceThen), seconds(c.pearceThen)),
		measured: fmt.Sprintf("%s, %s, %s bytes with a result of up to %d", times(over), seconds(m.Seconds), digits(each), resultBytes),
	})
	return nil
}

// passes measures the passes for prefixes and suffixes, with both queues.
func (l *laboratory) passes(ctx context.Context) (string, error) {
	var rows []*work
	for _, m := range []struct {
		name string
		spec generate.Spec
	}{{"near targets", local(l.reference())}, {"targets anywhere", far(l.reference())}} {
		f, err := l.model(ctx, m.spec, "")
		if err != nil {
			return "", err
		}
		for _, q := range []enrich.Queue{"buckets", "heap"} {
			rows = append(rows, l.task(m.name+", "+q.String(), task{
				Do:      "enrich",
				Path:    f.path,
				Formula: f.formula,
				Queue:   q,
			}))
		}
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ buckets", "allocated a state")
	for i, w := range rows {
		m := w.median()
		t.add(append([]string{w.name},
			append(w.timeCells(), times(m.Seconds/rows[i/2*2].median().Seconds),
				bytesEach(m.Bytes, int64(l.reference()/3)))...)...)
	}
	for _, w := range []*work{rows[0], rows[2]} {
		m := w.median()
		l.judge(m.Seconds <= 0.5, target{
			work:     "common prefixes, " + w.name,
			wanted:   "≤ 500 ms",
			measured: seconds(m.Seconds) + " for all four values",
		})
	}
	return t.String(), nil
}

// searches compares the searches for a counterexample.
func (l *laboratory) searches(ctx context.Context) (string, error) {
	names := append([]string{plainSearch, ownSearch}, buchi.Algorithms()...)
	t := newTable(append([]string{"states"}, names...)...)
	for states := 1000; states <= max(1000, l.reference()/10); states *= 10 {
		s := generate.Spec{Kind: "scc", States: states, Locality: 50}
		var rows []*work
		for _, name := range names {
			rows = append(rows, l.task("search "+name, task{
				Do:        "search",
				Spec:      s,
				Formula:   `Inev("ACTION !1", "ACTION !2")`,
				Algorithm: name,
				Limit:     10,
			}))
		}
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		base := rows[0].median().Seconds
		cells := []string{grouped(int64(states)), seconds(base)}
		for _, w := range rows[1:] {
			if m := w.median(); m.Stopped {
				cells = append(cells, "over 10 s")
			} else {
				cells = append(cells, times(m.Seconds/base))
			}
		}
		t.add(cells...)
	}
	return t.String(), nil
}

// generating measures the generator, on one core.
func (l *laboratory) generating(ctx context.Context) (string, error) {
	n := l.reference() / 10
	var rows []*work
	shuffled := far(n)
	shuffled.Shuffle = true
	for _, s := range []generate.Spec{
		far(n), shuffled, local(n), layers(n), {Kind: "datarich", States: n / 3}, {Kind: "chain", States: n}, {Kind: "parallel", Transitions: n},
	} {
		name := s.Kind
		if s.Shuffle {
			name += ", shuffled"
		}
		rows = append(rows, l.task(name, task{Do: "generate", Spec: s}))
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("kind", "median", "best", "transitions", "text")
	slowest := rows[0]
	throughput := func(w *work) float64 {
		m := w.median()
		return float64(m.Bytes) / m.Seconds
	}
	for _, w := range rows {
		m := w.median()
		t.add(append([]string{w.name},
			append(w.timeCells(), rate(m.Transitions, m.Seconds), size(throughput(w))+"/s")...)...)
		if throughput(w) < throughput(slowest) {
			slowest = w
		}
	}
	l.judge(throughput(slowest) >= 200e6, target{
		work:     "generating models",
		wanted:   "≥ 200 MB/s",
		measured: size(throughput(slowest)) + "/s, the slowest: " + slowest.name,
	})
	return t.String(), nil
}
