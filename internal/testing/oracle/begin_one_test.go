package oracle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	versions "github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/simplify"
)

// drawn is a graph with several initial states, and the model of it; of the states that are initial, each alone,
// too.
type drawnGraph struct {
	stateGraph
	initial []int
	all     *format.Model
	ones    []*format.Model
}

func drawInitial(t *testing.T, r *rand.Rand) drawnGraph {
	d := drawnGraph{stateGraph: drawGraph(r)}
	for _, s := range r.Perm(d.states)[:2+r.IntN(d.states-1)] {
		d.initial = append(d.initial, s+1)
	}
	return d.read(t)
}

func (d drawnGraph) read(t *testing.T) drawnGraph {
	d.all, d.ones = d.with(t, d.initial...), nil
	for _, s := range d.initial {
		d.ones = append(d.ones, d.with(t, s))
	}
	return d
}

func (d drawnGraph) String() string { return fmt.Sprint(strings.Join(d.edges, "\n"), "\n", d.initial) }

// TestOneByOne compares what explanations, repairs, paths, logs and comparisons say of a model with several initial
// states with the models that have one of them each. States have the same numbers in all of these.
func TestOneByOne(t *testing.T) {
	ctx := context.Background()
	formulas := []string{"Inev(A)", "Inev(A, B)", "G F A", "F A || G B", "X B", "Response(A; B)", "G (A -> X B)", "F G !B", "A", "x = 1 || A"}
	met := map[string]int{}
	for seed := range randomlts.Share(500) {
		r := rand.New(rand.NewPCG(seed, 47))
		d := drawInitial(t, r)
		if seed%5 == 0 {
			// An action may have the name of what leads to initial states.
			for i, edge := range d.edges {
				d.edges[i] = strings.Replace(edge, `"C"`, `"Init"`, 1)
			}
			d = d.read(t)
		}
		text := formulas[r.IntN(len(formulas))]
		fail := func(what string, said ...any) {
			t.Fatalf("seed %d: %s: %s: %s\n%v", seed, text, what, fmt.Sprint(said...), d)
		}
		f, err := read(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		explained := func(m *format.Model) *explain.Explanation {
			e, err := explain.Explain(ctx, m.LTS, f, explain.Options{Source: explain.Source{States: m.States}})
			if err != nil {
				fail("explain", err)
			}
			return e
		}
		e := explained(d.all)
		var ones []*explain.Explanation
		for _, one := range d.ones {
			ones = append(ones, explained(one))
		}
		if what := sameClasses(e, ones); what != "" {
			fail("classes", what)
		}
		if what := samePictures(ctx, e, d, ones, met); what != "" {
			fail("pictures", what)
		}
		if what := sameStory(e, d, ones); what != "" {
			fail("story", what)
		}
		met[e.Verdict.String()]++
		var evidence bytes.Buffer
		if err := certify.Write(ctx, &evidence, e); err != nil {
			fail("certificate", err)
		}
		if _, err := verify.Verify(ctx, e.LTS(), f, nil, &evidence); err != nil {
			fail("certificate", err)
		}
		solvable := func(m *format.Model) bool {
			fixed, err := explain.FindRepair(ctx, m.LTS, f, explain.RepairOptions{Source: explain.Source{States: m.States}})
			if err != nil {
				fail("repair", err)
			}
			for _, n := range fixed.Never {
				if m.LTS.IsBefore(lts.State(n.From)) {
					fail("repair", "forbids where runs begin")
				}
			}
			return fixed.Solvable
		}
		want := true
		for _, one := range d.ones {
			want = solvable(one) && want
		}
		if got := solvable(d.all); got != want {
			fail("repair", got)
		}
		if what := d.samePaths(ctx); what != "" {
			fail("path", what)
		}
		if what := d.sameLog(ctx, r); what != "" {
			fail("log", what)
		}
		other := d
		other.edges = slices.Clone(d.edges)
		if r.IntN(3) > 0 {
			i := r.IntN(len(other.edges))
			other.edges[i] = fmt.Sprintf("%d -> %d [label=%q];", 1+r.IntN(d.states), 1+r.IntN(d.states), []string{"A", "B", "C"}[r.IntN(3)])
		}
		if r.IntN(2) == 0 {
			other.initial = nil
			for _, s := range r.Perm(d.states)[:1+r.IntN(d.states)] {
				other.initial = append(other.initial, s+1)
			}
		}
		if what := sameComparison(ctx, t, d, other.read(t), met); what != "" {
			fail("compare", what, "\n", other)
		}
	}
	if randomlts.Whole() && (len(met) < 5 || slices.ContainsFunc([]string{"violated", "satisfied", "alike", "parted", "formula"}, func(what string) bool { return met[what] < 10 })) {
		t.Errorf("too little was met: %v", met)
	}
}

// sameClasses compares classes of transitions: one means what it means in each model whose runs take it, and is neutral
// where these differ.
func sameClasses(e *explain.Explanation, ones []*explain.Explanation) string {
	m := e.LTS()
	counts := neighbourhood.Counts{}
	for tr := range m.Transitions() {
		if !m.Reachable().Has(tr.From) || m.IsBefore(tr.From) {
			continue
		}
		var want fate.Class
		known := false
		for _, one := range ones {
			if !one.LTS().Reachable().Has(tr.From) {
				continue
			}
			labels, targets := one.LTS().Out(tr.From)
			for i, to := range targets {
				if to != tr.To || one.LTS().Alphabet().Text(labels.At(i)) != m.Alphabet().Text(tr.Label) {
					continue
				}
				class := one.Classification().Class(tr.From, labels.At(i), to)
				if known && class != want {
					class = fate.Neutral
				}
				want, known = class, true
			}
		}
		if got := e.Classification().Class(tr.From, tr.Label, tr.To); !known || got != want {
			return fmt.Sprintf("%d -%s-> %d is %v, and %v one by one", tr.From, m.Alphabet().Text(tr.Label), tr.To, got, want)
		}
		switch want {
		case fate.Correct:
			counts.Correct++
		case fate.Incorrect:
			counts.Incorrect++
		case fate.Neutral:
			counts.Neutral++
		}
	}
	if got := e.Classification().Counts(); got != counts {
		return fmt.Sprintf("%+v, counted %+v", got, counts)
	}
	for _, s := range e.Classification().States() {
		if m.IsBefore(s) {
			return fmt.Sprintf("state %d decides", s)
		}
	}
	return ""
}

// undecidedStates returns the number of states in blocks that a run enters without a correct transition. A picture of a
// violation has one end for all others.
func undecidedStates(e *explain.Explanation, q *quotient.Quotient) int {
	m := e.LTS()
	entered := map[lts.State]bool{}
	queue := []lts.State{m.Initial()}
	seen := map[lts.State]bool{m.Initial(): true}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		block, _ := q.Block(from)
		entered[block] = true
		for l, to := range m.From(from) {
			isCertain := e.Trace() != nil && e.Classification().Class(from, l, to) == fate.Correct
			if !isCertain && !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	count := 0
	for s := range lts.State(m.NumStates()) {
		block, _ := q.Block(s)
		if m.Reachable().Has(s) && !m.IsBefore(s) && entered[block] {
			count++
		}
	}
	return count
}

// samePictures checks that no picture shows as a state, counts or decides at what stands before the initial states; that an
// arrow from there means what all runs from an initial state do; and that the quotient keeps all of this.
func samePictures(ctx context.Context, e *explain.Explanation, d drawnGraph, ones []*explain.Explanation, met map[string]int) string {
	m := e.LTS()
	states, transitions := m.Size()
	q, classes, err := quotient.OfClassification(ctx, e.Classification(), 0)
	if err != nil {
		return err.Error()
	}
	for _, kind := range []view.Kind{view.Whole, view.Excerpt, view.Neighbourhoods, view.Quotient, view.Diff} {
		g, err := view.Of(ctx, e, view.Options{Kind: kind, Full: true})
		if err != nil {
			if kind == view.Quotient {
				return err.Error()
			}
			continue
		}
		met[kind.String()]++
		size := g.Reachable
		if kind == view.Quotient {
			size = g.QuotientOf
		}
		if size != (view.Size{States: states, Transitions: transitions}) {
			return fmt.Sprintf("%s: %v", kind, size)
		}
		merged := 0
		for _, n := range g.Nodes {
			switch {
			case n.Before && (n.Kind != 0 || n.Turn != view.NoTurn || n.Merged > 1) || n.Before != n.Initial:
				return fmt.Sprintf("%s: %+v", kind, n)
			case !n.Before:
				merged += n.Merged
			}
		}
		if want := undecidedStates(e, q); kind == view.Quotient && merged != want {
			return fmt.Sprintf("%d states are merged of %d", merged, want)
		}
		if kind != view.Whole {
			continue
		}
		for _, a := range g.Arrows {
			at := slices.Index(d.initial, int(a.To)+1)
			if !m.IsBefore(a.From) {
				continue
			}
			want := fate.Neutral
			one := ones[at]
			switch {
			case one.Verdict == explain.Satisfied:
				want = fate.Correct
			case one.Counterexample.InitialFate == simplify.Fated:
				want = fate.Incorrect
			}
			if a.Better || a.NoReturn || a.Class != want {
				return fmt.Sprintf("where runs begin: %+v", a)
			}
		}
	}
	begin, added := q.LTS().Begin(), q.LTS().Before() > 0
	blocks, first := map[lts.State]bool{}, map[lts.State]bool{}
	for tr := range m.Transitions() {
		if !m.Reachable().Has(tr.From) {
			continue
		}
		from, _ := q.Block(tr.From)
		to, _ := q.Block(tr.To)
		blocks[to] = true
		if m.IsBefore(tr.From) {
			first[to] = true
		} else if got, want := classes.Class(from, q.Label(tr.Label), to), e.Classification().Class(tr.From, tr.Label, tr.To); from != to && got != want {
			return fmt.Sprintf("merged, %v is %v, and %v before", tr, got, want)
		}
	}
	if n, _ := q.LTS().Size(); added != (len(d.initial) > 1) || added && (n != len(blocks) || len(begin) != len(first)) {
		return fmt.Sprintf("merged, runs begin in %v, and there are %d states of %d", begin, n, len(blocks))
	}
	for _, s := range classes.States() {
		if q.LTS().IsBefore(s) {
			return "merged, what stands before runs decides"
		}
	}
	return ""
}

// sameStory checks that what leads to where a run begins is nothing that was decided, and that what is said of other initial
// states and of what all violations have in common is so one by one.
func sameStory(e *explain.Explanation, d drawnGraph, ones []*explain.Explanation) string {
	c, m := e.Counterexample, e.LTS()
	if c == nil || len(ones) < 2 {
		return ""
	}
	for _, decision := range e.Decisions {
		if m.IsBefore(decision.State) {
			return "where it begins is a decision"
		}
	}
	if p := e.PointOfNoReturn; p != nil && m.IsBefore(p.State) {
		return "where it begins is the point of no return"
	}
	type taken struct {
		from, to lts.State
		label    string
	}
	common := func(e *explain.Explanation) map[taken]bool {
		all := map[taken]bool{}
		for _, i := range e.Necessity.Steps {
			step := e.Counterexample.Steps[i]
			all[taken{step.From, step.To, step.Label}] = true
		}
		return all
	}
	// never has what some run from one state can do without.
	var want map[taken]bool
	never := map[taken]bool{}
	var certain, possible []lts.State
	lost := c.Steps[0].Fate == simplify.Fated
	began := 0
	for i, one := range ones {
		at := lts.State(d.initial[i] - 1)
		switch {
		case one.Verdict == explain.Satisfied:
			certain = append(certain, at)
			continue
		case one.Counterexample.InitialFate == simplify.Fated && lost && at == c.Steps[0].To:
			began++
		case one.Counterexample.InitialFate == simplify.Free && lost:
			possible = append(possible, at)
		}
		if !lost && at == c.Steps[0].To && one.Counterexample.InitialFate == simplify.Free {
			began++
		}
		switch {
		case one.Necessity == nil:
			return "nothing is known of one"
		case want == nil:
			want = common(one)
		default:
			maps.DeleteFunc(want, func(t taken, _ bool) bool { return !common(one)[t] })
		}
		for _, step := range one.Counterexample.Steps {
			if t := (taken{step.From, step.To, step.Label}); !common(one)[t] {
				never[t] = true
			}
		}
	}
	// A run that is lost where it begins is told by that alone.
	on := map[taken]bool{}
	for _, step := range c.Steps {
		on[taken{step.From, step.To, step.Label}] = true
	}
	maps.DeleteFunc(want, func(t taken, _ bool) bool { return !on[t] })
	if e.Necessity == nil {
		return "nothing is known of what is necessary"
	}
	if slices.Contains(e.Necessity.Steps, 0) {
		return "where it begins is necessary"
	}
	for t := range on {
		if m.IsBefore(t.from) {
			continue
		}
		if is := common(e)[t]; is && never[t] || !is && want[t] {
			return fmt.Sprintf("%v is necessary: %t, one by one %v, and %v is not", t, is, want, never)
		}
	}
	if began != 1 {
		return fmt.Sprintf("the run begins in state %d; lost: %t", c.Steps[0].To, lost)
	}
	s, starts, told := render.NewSentences(e, printable.Text).InFull(), betterStarts(certain, possible), false
	for _, claim := range s.Story().Run {
		if claim.Kind() != "minimal" {
			continue
		}
		told = true
		said := s.Say(claim)
		if rest, is := strings.CutSuffix(said, starts); !is || !strings.HasSuffix(rest, " shorter.") && !strings.HasSuffix(rest, " sooner.") {
			return fmt.Sprintf("%q is said, and one by one %v %v", said, certain, possible)
		}
	}
	if !told && starts != "" {
		return fmt.Sprintf("nothing is said of %v %v", certain, possible)
	}
	return ""
}

// betterStarts is what is said of initial states from which all runs, or some, satisfy the property.
func betterStarts(certain, possible []lts.State) string {
	list := func(states []lts.State) string {
		slices.Sort(states)
		texts := strings.Fields(strings.Trim(fmt.Sprint(slices.Compact(states)), "[]"))
		if len(texts) == 1 {
			return "state " + texts[0]
		}
		return "states " + strings.Join(texts, ", ")
	}
	switch {
	case len(certain) == 0 && len(possible) == 0:
		return ""
	case len(possible) == 0:
		return " All runs that begin in " + list(certain) + " satisfy the property."
	case len(certain) == 0:
		return " Some runs that begin in " + list(possible) + " satisfy the property."
	}
	return " All runs that begin in " + list(certain) + " and some runs that begin in " + list(possible) + " satisfy the property."
}

// samePaths compares the lengths of shortest paths to each state.
func (d drawnGraph) samePaths(ctx context.Context) string {
	length := func(m *format.Model, s lts.State) int {
		f, err := read(ctx, "Inev(/.*/)")
		if err != nil {
			return -2
		}
		a, err := explain.Analyse(ctx, m.LTS, f, explain.Options{Source: explain.Source{States: m.States}})
		if err != nil {
			return -3
		}
		paths, _, err := a.Paths(ctx, explain.Destination{State: &s}, nil)
		if err != nil {
			return -4
		}
		for p := range paths {
			return len(p.Steps)
		}
		return -1
	}
	for s := range lts.State(d.states) {
		want := -1
		for _, one := range d.ones {
			if n := length(one, s); n >= 0 && (want < 0 || n < want) {
				want = n
			}
		}
		if got := length(d.all, s); got != want {
			return fmt.Sprintf("to state %d there are %d transitions, and %d one by one", s, got, want)
		}
	}
	return ""
}

// sameLog compares how logs are aligned.
func (d drawnGraph) sameLog(ctx context.Context, r *rand.Rand) string {
	var log strings.Builder
	for range r.IntN(4) {
		log.WriteString([]string{"A", "B", "C"}[r.IntN(3)] + "\n")
	}
	replayed := func(m *format.Model) (*replay.CaseResult, error) {
		events, err := eventlog.NewReader(ctx, strings.NewReader(log.String()), eventlog.Options{})
		if err != nil {
			return nil, err
		}
		read, err := replay.Gather(ctx, events, nil)
		if err != nil {
			return nil, err
		}
		a, err := replay.New(ctx, m.LTS, replay.Options{Unlogged: func(string) bool { return false }})
		if err != nil {
			return nil, err
		}
		result, err := a.Replay(ctx, read, -1)
		if err != nil {
			return nil, err
		}
		if len(result.Cases) != 1 {
			return nil, errors.New("not one case")
		}
		return &result.Cases[0], nil
	}
	got, err := replayed(d.all)
	if err != nil {
		return err.Error()
	}
	cost, ends := -1, []lts.State{}
	for _, one := range d.ones {
		of, err := replayed(one)
		if err != nil {
			return err.Error()
		}
		if cost < 0 || of.Cost < cost {
			cost, ends = of.Cost, nil
		}
		if of.Cost == cost {
			ends = append(ends, of.States...)
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	if got.Cost != cost || !slices.Equal(got.States, ends) {
		return fmt.Sprintf("%q costs %d and ends in %v, and one by one %d and %v", log.String(), got.Cost, got.States, cost, ends)
	}
	for _, deviation := range got.Deviations {
		if d.all.LTS.IsBefore(deviation.State) {
			return fmt.Sprintf("%+v", deviation)
		}
	}
	return ""
}

// sameComparison compares two versions: they behave alike if each initial state of one does as an initial state of
// the other; a run parts them if it can be done in both, from some state where runs begin, and after it the label in one alone.
func sameComparison(ctx context.Context, t *testing.T, d, other drawnGraph, met map[string]int) string {
	b, err := versions.Models(ctx, d.all.LTS, other.all.LTS, versions.Options{})
	if err != nil {
		return err.Error()
	}
	alike := true
	for _, side := range [][2]drawnGraph{{d, other}, {other, d}} {
		for _, one := range side[0].ones {
			found := false
			for _, counterpart := range side[1].ones {
				same, err := versions.Models(ctx, one.LTS, counterpart.LTS, versions.Options{})
				if err != nil {
					return err.Error()
				}
				found = found || same.Alike
			}
			alike = alike && found
		}
	}
	if b.Alike != alike {
		return fmt.Sprintf("alike: %t, and one by one %t", b.Alike, alike)
	}
	for _, of := range []struct {
		size versions.Size
		d    drawnGraph
	}{{b.Old, d}, {b.New, other}} {
		states, transitions := map[lts.State]bool{}, map[lts.Transition]bool{}
		for _, one := range of.d.ones {
			for tr := range one.LTS.Transitions() {
				if one.LTS.Reachable().Has(tr.From) {
					tr.Label = 0
					transitions[tr] = true
				}
			}
			for s := range lts.State(one.LTS.NumStates()) {
				if one.LTS.Reachable().Has(s) {
					states[s] = true
				}
			}
		}
		if of.size.States != len(states) {
			return fmt.Sprintf("%d states, counted %d", of.size.States, len(states))
		}
	}
	if alike {
		met["alike"]++
		return ""
	}
	if b.Strange < 0 || b.Strange > b.New.States {
		return fmt.Sprintf("%d of %d states are strange", b.Strange, b.New.States)
	}
	if named := strings.Contains(d.String()+other.String(), `"Init"`); !named && (slices.Contains(b.Added, "Init") || slices.Contains(b.Gone, "Init")) {
		return "Init counts as an action"
	}
	if b.Run != nil {
		met["parted"]++
		run := append(slices.Clone(b.Run.Run), b.Run.Label)
		for _, side := range []struct {
			d    drawnGraph
			only versions.Side
		}{{d, versions.Old}, {other, versions.New}} {
			last := len(run) - 1
			if !side.d.does(run[:last]) {
				return fmt.Sprintf("%v cannot be done by both", run[:last])
			}
			if side.d.does(run) != (b.Run.Only == side.only) {
				return fmt.Sprintf("%v is not done by the %s one alone", run, b.Run.Only)
			}
		}
	}
	if b.Formula != "" {
		met["formula"]++
		holds := func(d drawnGraph) bool {
			return !slices.ContainsFunc(d.ones, func(one *format.Model) bool { return !holdsBranching(t, one, b.Formula) })
		}
		if was, is := holds(d), holds(other); !was || is {
			return fmt.Sprintf("%s holds: %t and %t", b.Formula, was, is)
		}
	}
	return ""
}

// does reports whether a run from some initial state has these labels.
func (d drawnGraph) does(run []string) bool {
	for _, one := range d.ones {
		m := one.LTS
		at := map[lts.State]bool{m.Initial(): true}
		for _, label := range run {
			next := map[lts.State]bool{}
			for tr := range m.Transitions() {
				if at[tr.From] && m.Alphabet().Text(tr.Label) == label {
					next[tr.To] = true
				}
			}
			at = next
		}
		if len(at) > 0 {
			return true
		}
	}
	return false
}

// TestDecisionsFromWhereRunsBegin: versions make the same decision, where one of them alone has several initial states.
func TestDecisionsFromWhereRunsBegin(t *testing.T) {
	ctx := context.Background()
	g := stateGraph{states: 4, edges: []string{"1 -> 3 [label=A];", "2 -> 4 [label=B];", "3 -> 3 [label=A];", "4 -> 4 [label=C];", "2 -> 3 [label=A];"}}
	f, err := read(ctx, "Inev(A)")
	if err != nil {
		t.Fatal(err)
	}
	several, one := g.with(t, 1, 2), g.with(t, 2)
	for _, pair := range [][2]*format.Model{{several, one}, {one, several}} {
		v, err := versions.Property(ctx, versions.Version{LTS: pair[0].LTS}, versions.Version{LTS: pair[1].LTS}, f, explain.Options{}, versions.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(v.New.Decisions) != 1 || len(v.NewDecisions)+len(v.GoneDecisions) > 0 {
			t.Errorf("%+v; new: %+v, gone: %+v", v.New.Decisions, v.NewDecisions, v.GoneDecisions)
		}
	}
}
