package render_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// valuedModel is a model the states of which have values x, from 0 to 2, and y, 0 or 1.
type valuedModel struct {
	arcs   []valuedArc
	values [][2]int
}

type valuedArc struct {
	from  int
	label string
	to    int
}

func (v *valuedModel) add(from int, label string, to int) {
	v.arcs = append(v.arcs, valuedArc{from, label, to})
}

func (v *valuedModel) state(values [2]int) int {
	v.values = append(v.values, values)
	return len(v.values) - 1
}

func (v *valuedModel) build(t testing.TB) (*lts.LTS, *lts.Values) {
	t.Helper()
	var b lts.Builder
	for _, a := range v.arcs {
		b.Add(lts.State(a.from), b.Label(a.label), lts.State(a.to))
	}
	m, err := b.Build(0, len(v.values))
	if err != nil {
		t.Fatal(err)
	}
	table, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "x"}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	for s, values := range v.values {
		for p, value := range values {
			if err := table.Set(lts.State(s), p, table.Value(p, []byte(strconv.Itoa(value)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	known, err := table.Build(len(v.values))
	if err != nil {
		t.Fatal(err)
	}
	return m, known
}

func (v *valuedModel) check(t testing.TB, text string) *explain.Explanation {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	m, table := v.build(t)
	e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{States: table}, NoAdvice: true, NoFairness: true})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func drawValuedModel(r *rand.Rand) *valuedModel {
	v := &valuedModel{}
	n := 1 + r.IntN(5)
	for range n {
		v.state([2]int{r.IntN(3), r.IntN(2)})
	}
	for range r.IntN(3 * n) {
		a := valuedArc{r.IntN(n), string("abc"[r.IntN(3)]), r.IntN(n)}
		if !slices.Contains(v.arcs, a) {
			v.arcs = append(v.arcs, a)
		}
	}
	return v
}

// aboutValues are formulas of which values may decide; X and Y stand for atoms.
var aboutValues = []string{
	"G X", "G !X", "G (X && Y)", "G (X || Y)", "Never(X)", "Never(X, Y)", "Never(a, X)", "Always(X)", "Precedes(X; Y)", "AtMost(1; Y)",
	"G (X -> X Y)", "G (a -> X Y)", "G !(a && X)", "!X W Y", "X", "X && Y", "a W X", "G (X -> !a)", "Never(a; after X)", "Never(X; before Y)",
	"F G X", "F G (X || Y)", "G F X -> F G Y", "F G (a || X)", "Never({a, X})", "Precedes(a; X)", "G (b && X -> X !Y)",
}

var (
	sinceStart = regexp.MustCompile(`^no run satisfies it, since (.+) holds? at the start$`)
	afterStep  = regexp.MustCompile(`^(.+) holds? (before and )?after step (\d+) \((\w)\)(?:, and (.+) before it|, .+)?$`)
	inState    = regexp.MustCompile(`^(\w) happens \(step (\d+)\)(?: in a state with (.+?))?(?: and leads to a state with (.+))?$`)
	recurring  = regexp.MustCompile(`^(.+) holds? again and again$`)
	inScope    = regexp.MustCompile(`^(.+) (?:holds? at the start|holds? after step (\d+) \((\w)\)|happens \(step (\d+)\))(?: before .+|.*, and .+ follows) \(step (\d+)\)$`)
)

// atomHolds evaluates x OP number, without the reader of atoms.
func atomHolds(t testing.TB, atom string, values [2]int) bool {
	t.Helper()
	parts := strings.Fields(atom)
	if len(parts) != 3 {
		t.Fatalf("the atom %q", atom)
	}
	have, want := values[strings.Index("xy", parts[0])], int(parts[2][0]-'0')
	switch parts[1] {
	case "=":
		return have == want
	case "!=":
		return have != want
	case "<":
		return have < want
	case ">=":
		return have >= want
	}
	t.Fatalf("the operator %q", parts[1])
	return false
}

func allHold(t testing.TB, atoms []string, values [2]int) bool {
	return !slices.ContainsFunc(atoms, func(atom string) bool { return !atomHolds(t, atom, values) })
}

// conditionHolds reports whether a condition with &&, || and negated atoms holds.
func conditionHolds(t testing.TB, condition string, values [2]int) bool {
	t.Helper()
	for one := range strings.SplitSeq(condition, " || ") {
		holds := true
		for atom := range strings.SplitSeq(one, " && ") {
			inside, isNegated := strings.CutPrefix(atom, "!(")
			holds = holds && atomHolds(t, strings.TrimSuffix(inside, ")"), values) != isNegated
		}
		if holds {
			return true
		}
	}
	return false
}

func valuations() (all [][2]int) {
	for x := range 3 {
		for y := range 2 {
			all = append(all, [2]int{x, y})
		}
	}
	return all
}

var allActions = []string{"a", "b", "c", "d"} // d is in no model and formula

// continued returns a model that does the run up to a step, in which the last two states have any values
// of these atoms and, if that is so, the step has any label; then anything follows.
func (v *valuedModel) continued(t testing.TB, e *explain.Explanation, step int, before, after []string, action bool) *valuedModel {
	c := &valuedModel{}
	all := valuations()
	steps := e.Counterexample.Steps
	c.state(v.values[0])
	last := []int{0}
	if step <= 0 {
		// What the state before the step is, is the first state.
		last = nil
		c.values = nil
	}
	for i := range step - 1 {
		last = []int{c.state(v.values[steps[i].To])}
		c.add(last[0]-1, steps[i].Label, last[0])
	}
	anything := func() []int {
		var universal []int
		for _, values := range all {
			universal = append(universal, c.state(values))
		}
		for _, values := range all {
			end := c.state(values)
			for _, from := range universal {
				for _, label := range allActions {
					c.add(from, label, end)
					c.add(from, label, universal[slices.Index(all, values)])
				}
			}
		}
		return universal
	}
	if step < 0 {
		return nil
	}
	if step == 0 {
		last = []int{c.state(v.values[0])}
	} else {
		from := last
		last = nil
		for _, values := range all {
			if allHold(t, before, values) {
				s := c.state(values)
				last = append(last, s)
				c.add(from[0], steps[step-1].Label, s)
			}
		}
	}
	universal := anything()
	labels := allActions
	if action {
		labels = []string{steps[step].Label}
	}
	for _, s := range last {
		for i, values := range all {
			if !allHold(t, after, values) {
				continue
			}
			stop := c.state(values)
			for _, label := range labels {
				c.add(s, label, universal[i])
				c.add(s, label, stop)
			}
		}
	}
	return c
}

// excluded reports whether no run of a model satisfies the formula.
func (v *valuedModel) excluded(t testing.TB, text string) bool {
	e := v.check(t, text)
	return e.Verdict == explain.Violated && e.Diagnosis.Kind == explain.KindImpossible
}

// TestDecidingValuesAreTold holds what a diagnosis says of values against models in which the
// run goes on in every way: none of the ways satisfies the property if the values are as it says,
// and some does if one of them is not.
func TestDecidingValuesAreTold(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(2_500) {
		r := rand.New(rand.NewPCG(seed, 31))
		v := drawValuedModel(r)
		atoms := strings.NewReplacer("X", []string{"x = 0", "x != 1", "x < 2"}[r.IntN(3)], "Y", []string{"y = 1", "y != 1"}[r.IntN(2)])
		text := aboutValues[seed%uint64(len(aboutValues))]
		text = strings.ReplaceAll(text, "X !Y", "§ !Y")
		text = strings.ReplaceAll(text, "X Y", "§ Y")
		text = strings.ReplaceAll(atoms.Replace(text), "§", "X")
		e := v.check(t, text)
		if e.Diagnosis == nil {
			continue
		}
		// Of an implication whose premises the run meets, the values decide its consequent.
		kind, err := v.checkSaid(t, e, cmp.Or(e.Diagnosis.Consequent, text))
		if err != nil {
			t.Fatalf("seed %d: %s on %+v: %v", seed, text, *v, err)
		}
		met[kind]++
	}
	t.Log(met)
	for _, kind := range []string{"start", "after", "action", "recurring"} {
		if randomlts.Whole() && met[kind] < 20 {
			t.Errorf("%s was met %d times", kind, met[kind])
		}
	}
}

// checkInScope checks what a sentence says of the step in a closed scope: m are the parts that inScope finds.
func (v *valuedModel) checkInScope(t testing.TB, e *explain.Explanation, m []string) error {
	within := int(*e.Diagnosis.InScope)
	if within < 0 {
		if m[2]+m[4] != "" || !allHold(t, strings.Split(m[1], " and "), v.values[0]) {
			return fmt.Errorf("%q, and it is so at the start", m[0])
		}
		return nil
	}
	at := e.Counterexample.Steps[within]
	if m[4] != "" {
		if m[4] != strconv.Itoa(within+1) || m[1] != at.Label {
			return fmt.Errorf("%q, and step %d is %s", m[0], within+1, at.Label)
		}
		return nil
	}
	if m[2] != strconv.Itoa(within+1) || m[3] != at.Label || !allHold(t, strings.Split(m[1], " and "), v.values[at.To]) {
		return fmt.Errorf("%q, and it is so after step %d", m[0], within+1)
	}
	return nil
}

func (v *valuedModel) checkSaid(t testing.TB, e *explain.Explanation, text string) (string, error) {
	t.Helper()
	said := render.NewSentences(e, func(text string) string { return text }).Diagnosis()
	d := e.Diagnosis
	if d.Values == nil {
		return "", nil
	}
	told := func(list string) []string { return strings.Split(list, " and ") }
	among := func(list string, all []string) error {
		for _, atom := range told(list) {
			if !slices.Contains(all, atom) {
				return fmt.Errorf("%q says %s, and %+v decide", said, atom, *d.Values)
			}
		}
		return nil
	}
	if m := sinceStart.FindStringSubmatch(said); m != nil {
		if err := among(m[1], d.Values.After); err != nil || !allHold(t, told(m[1]), v.values[0]) {
			return "", fmt.Errorf("%q: %v", said, err)
		}
		return "start", v.checkStart(t, d.Values.After, text)
	}
	if m := recurring.FindStringSubmatch(said); m != nil {
		loops := slices.ContainsFunc(e.Counterexample.Steps[e.Counterexample.LoopStart:], func(s explain.Step) bool { return allHold(t, told(m[1]), v.values[s.To]) })
		if !loops || !slices.Equal(told(m[1]), d.Values.After) {
			return "", fmt.Errorf("%q is so in no state of the loop", said)
		}
		return "recurring", checkRecurring(t, told(m[1]), text)
	}
	said = strings.TrimPrefix(said, "no run satisfies it; on this one ")
	step := int(*d.Step)
	at := e.Counterexample.Steps[step]
	if m := inScope.FindStringSubmatch(said); m != nil && d.InScope != nil {
		if m[5] != strconv.Itoa(step+1) {
			return "", fmt.Errorf("%q, and the scope ends in step %d", said, step+1)
		}
		return "scope", v.checkInScope(t, e, m)
	}
	if m := afterStep.FindStringSubmatch(said); m != nil {
		if m[3] != strconv.Itoa(step+1) || m[4] != at.Label || d.Values.Action || !allHold(t, told(m[1]), v.values[at.To]) || m[2] != "" && !allHold(t, told(m[1]), v.values[at.From]) {
			return "", fmt.Errorf("%q, and it is step %d, %s", said, step+1, at.Label)
		}
		if err := among(m[1], d.Values.After); err != nil {
			return "", err
		}
		if m[5] != "" && !slices.Equal(told(m[5]), d.Values.Before) {
			return "", fmt.Errorf("%q: %v before it", said, d.Values.Before)
		}
		return "after", v.checkStep(t, e, text)
	}
	if m := inState.FindStringSubmatch(said); m != nil {
		if m[1] != at.Label || m[2] != strconv.Itoa(step+1) || !d.Values.Action {
			return "", fmt.Errorf("%q, and it is step %d, %s", said, step+1, at.Label)
		}
		if m[3] != strings.Join(d.Values.Before, " and ") || m[4] != strings.Join(d.Values.After, " and ") {
			return "", fmt.Errorf("%q: %+v", said, *d.Values)
		}
		return "action", v.checkStep(t, e, text)
	}
	if d.Values.Action && strings.HasPrefix(said, at.Label+" happens ") {
		return "other", v.checkStep(t, e, text)
	}
	return "", fmt.Errorf("%q is not understood", said)
}

// checkStart looks for a run that satisfies the formula from a first state with these values.
func (v *valuedModel) checkStart(t testing.TB, after []string, text string) error {
	satisfied := func(after []string) bool {
		for _, values := range valuations() {
			if !allHold(t, after, values) {
				continue
			}
			c := &valuedModel{values: [][2]int{values}}
			if !c.excluded(t, text) || !c.withAnything().excluded(t, text) {
				return true
			}
		}
		return false
	}
	if satisfied(after) {
		return fmt.Errorf("a run with %v at the start satisfies it", after)
	}
	for i := range after {
		if less := slices.Delete(slices.Clone(after), i, i+1); !satisfied(less) {
			return fmt.Errorf("%v is enough of %v", less, after)
		}
	}
	return nil
}

// withAnything adds to a single state all that can follow.
func (v *valuedModel) withAnything() *valuedModel {
	c := &valuedModel{values: slices.Clone(v.values)}
	for _, values := range valuations() {
		s, end := c.state(values), c.state(values)
		_ = end
		c.add(0, "a", s)
	}
	n := len(c.values)
	for from := 1; from < n; from += 2 {
		for to := 1; to < n; to++ {
			for _, label := range allActions {
				c.add(from, label, to)
			}
		}
	}
	for to := 1; to < n; to++ {
		for _, label := range allActions {
			if !slices.Contains(c.arcs, valuedArc{0, label, to}) {
				c.add(0, label, to)
			}
		}
	}
	return c
}

func (v *valuedModel) checkStep(t testing.TB, e *explain.Explanation, text string) error {
	d, step := e.Diagnosis.Values, int(*e.Diagnosis.Step)
	if !v.continued(t, e, step, d.Before, d.After, d.Action).excluded(t, text) {
		return fmt.Errorf("a run with %+v satisfies it", *d)
	}
	for i := range d.After {
		less := slices.Delete(slices.Clone(d.After), i, i+1)
		// All that is known of the state before is as it is on the run.
		if exact := v.exactly(t, e, step, text); v.continued(t, e, step, exact, less, d.Action).excluded(t, text) {
			return fmt.Errorf("%v is enough of %+v", less, *d)
		}
	}
	for i := range d.Before {
		less := slices.Delete(slices.Clone(d.Before), i, i+1)
		if step > 0 && v.continued(t, e, step, less, d.After, d.Action).excluded(t, text) {
			return fmt.Errorf("%v before is enough of %+v", less, *d)
		}
	}
	return nil
}

// exactly returns what the state before a step says of all atoms.
func (v *valuedModel) exactly(_ testing.TB, e *explain.Explanation, step int, _ string) []string {
	values := v.values[e.Counterexample.Steps[step].From]
	return []string{fmt.Sprintf("x = %d", values[0]), fmt.Sprintf("y = %d", values[1])}
}

// checkRecurring looks for a run that satisfies the formula, and has states with these values again
// and again.
func checkRecurring(t testing.TB, atoms []string, text string) error {
	c := (&valuedModel{values: [][2]int{{0, 0}}}).withAnything()
	for _, values := range valuations() {
		c.values[0] = values
		if e := c.check(t, "!(("+text+") && G F ("+strings.Join(atoms, " && ")+"))"); e.Verdict != explain.Satisfied {
			return fmt.Errorf("a run on which %v recur satisfies it", atoms)
		}
	}
	return nil
}

// TestAwaitedStates: where the values of states alone decide what a loop lacks, the headline names their
// condition: no state of the loop meets it, and the nearest state that does is as far away as the headline says.
func TestAwaitedStates(t *testing.T) {
	formulas := []string{
		"F X", "F (X && Y)", "F (X && !Y)", "F (X || Y)", "F X && F Y", "F Y && G F X", "G F X && F Y", "G F (X && Y)", "G F X && G F Y", "G (Z -> F (X && Y))",
	}
	met := map[string]int{}
	ways := 0
	for seed := range randomlts.Share(5_000) {
		r := rand.New(rand.NewPCG(seed, 92))
		v := drawValuedModel(r)
		form := formulas[r.IntN(len(formulas))]
		atoms := strings.NewReplacer("X", fmt.Sprintf("(x = %d)", r.IntN(3)), "Y", fmt.Sprintf("(y = %d)", r.IntN(2)), "Z", fmt.Sprintf("(x < %d)", 1+r.IntN(2)))
		text := atoms.Replace(strings.ReplaceAll(form, "F", "\x00"))
		e := v.check(t, strings.ReplaceAll(text, "\x00", "F"))
		d := e.Diagnosis
		if e.Verdict != explain.Violated || d.Kind != explain.KindTurnedBack && d.Kind != explain.KindStarved {
			continue
		}
		if d.Awaited == "" {
			t.Fatalf("seed %d, %s: no state is awaited: %+v\n%v", seed, form, d, v)
		}
		met[form]++
		c := e.Counterexample
		distance := map[int]int{}
		var open []int
		for _, step := range c.Steps[c.LoopStart:] {
			if conditionHolds(t, d.Awaited, v.values[step.To]) {
				t.Fatalf("seed %d, %s: state %d of the loop has %s\n%v", seed, form, step.To, d.Awaited, v)
			}
			if _, known := distance[int(step.From)]; !known {
				distance[int(step.From)] = 0
				open = append(open, int(step.From))
			}
		}
		nearest := 0
		for i := 0; i < len(open) && nearest == 0; i++ {
			for _, arc := range v.arcs {
				if arc.from != open[i] || nearest > 0 {
					continue
				}
				if conditionHolds(t, d.Awaited, v.values[arc.to]) {
					nearest = distance[arc.from] + 1
				} else if _, known := distance[arc.to]; !known {
					distance[arc.to] = distance[arc.from] + 1
					open = append(open, arc.to)
				}
			}
		}
		said := d.Distance
		if d.Kind == explain.KindStarved {
			said = 1
		}
		if said != nearest {
			t.Fatalf("seed %d, %s: %s is %d steps away, not %d\n%v", seed, form, d.Awaited, nearest, said, v)
		}
		if way := wayToState.FindStringSubmatch(render.NewSentences(e, printable.Text).Verdict()); way != nil {
			v.checkWay(t, d.Awaited, way)
			ways++
		}
	}
	t.Log(met, ways)
	if randomlts.Whole() && (len(met) < len(formulas)-1 || ways < 20) {
		t.Errorf("met only %v, and %d ways", met, ways)
	}
}

// wayToState matches a headline about the way to an awaited state: how many steps it has, the state where it begins, and its labels.
var wayToState = regexp.MustCompile(`a\s+state\s+with\s+.*\s+is\s+(\d+)\s+steps\s+away\s+from\s+(?:the\s+loop\s+\()?state\s+(\d+)(?::\s+|\s+\()((?:[^()]|\(\d+ more\))*)\)`)

// checkWay: the labels of a way, of which the last may be counted only, lead to a state that meets a condition.
func (v *valuedModel) checkWay(t testing.TB, condition string, way []string) {
	t.Helper()
	length, _ := strconv.Atoi(way[1])
	begin, _ := strconv.Atoi(way[2])
	at := map[int]bool{begin: true}
	labels := strings.Split(way[3], ", ")
	last := labels[len(labels)-1]
	if counted := regexp.MustCompile(`^… \((\d+) more`).FindStringSubmatch(last); counted != nil {
		more, _ := strconv.Atoi(counted[1])
		labels = append(labels[:len(labels)-1], slices.Repeat([]string{""}, more)...)
	}
	if len(labels) != length {
		t.Fatalf("%q has %d labels\n%v", way[0], len(labels), v)
	}
	for _, text := range labels {
		label, target, hasTarget := strings.Cut(text, " to state ")
		next := map[int]bool{}
		for _, arc := range v.arcs {
			isMeant := label == "" || arc.label == label && (!hasTarget || target == strconv.Itoa(arc.to))
			if at[arc.from] && isMeant {
				next[arc.to] = true
			}
		}
		at = next
	}
	for state := range at {
		if conditionHolds(t, condition, v.values[state]) {
			return
		}
	}
	t.Fatalf("%q does not lead there\n%v", way[0], v)
}

// TestWhatCanNoLongerHappen: where a diagnosis says of labels that they can no longer happen, none
// does, whatever values it leads to, and one could before that step; and likewise of a state with certain values.
func TestWhatCanNoLongerHappen(t *testing.T) {
	formulas := []string{"G F X", "F X", "G F (a && X)", "F (b && X)", "G (a -> F (b && X))", "Inev(a, X)", "Response(a; X)", "G (b -> F (X && Y))", "G (Y -> F (b && X))", "F (a && X F (b && Y))", "G F (a && X) && G F (b && Y)"}
	named, aboutStates, earlier := 0, 0, 0
	for seed := range randomlts.Share(5_000) {
		r := rand.New(rand.NewPCG(seed, 91))
		v := drawValuedModel(r)
		text := strings.NewReplacer("X F", "X F", "X", fmt.Sprintf("x = %d", r.IntN(3)), "Y", fmt.Sprintf("y = %d", r.IntN(2))).Replace(formulas[r.IntN(len(formulas))])
		m, table := v.build(t)
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e, err := explain.Check(context.Background(), m, f, explain.Options{Source: explain.Source{States: table}})
		if err != nil || e.Diagnosis == nil || !e.Diagnosis.Unreachable || e.Diagnosis.First > 0 {
			continue
		}
		d := e.Diagnosis
		step := d.Step
		if d.Gone != nil {
			step = d.Gone
			earlier++
		}
		at := e.Trace().Initial()
		if step != nil {
			at = e.Trace().Step(int(*step)).To
		}
		if arc, can := v.comesFrom(t, d, int(at)); can {
			t.Fatalf("seed %d, %s: %+v, and there is %v\n%v", seed, text, d, arc, v)
		}
		if step != nil {
			before := e.Trace().Step(int(*step)).From
			if _, could := v.comesFrom(t, d, int(before)); !could && !m.IsBefore(before) {
				t.Fatalf("seed %d, %s: %+v, and it could not happen before\n%v", seed, text, d, v)
			}
		}
		if d.Awaited != "" {
			aboutStates++
		} else {
			named++
		}
	}
	if t.Log(named, aboutStates, earlier); randomlts.Whole() && (named < 5 || aboutStates < 15 || earlier < 2) {
		t.Errorf("met %d times of labels and %d times of states, %d times lost later", named, aboutStates, earlier)
	}
}

// comesFrom returns a transition that can come after a state and that does what a run waits for.
func (v *valuedModel) comesFrom(t testing.TB, d *explain.Diagnosis, from int) (valuedArc, bool) {
	reached := []int{from}
	for i := 0; i < len(reached); i++ {
		for _, arc := range v.arcs {
			if arc.from != reached[i] {
				continue
			}
			isNamed := func(pending string) bool {
				label, atoms, about := strings.Cut(pending, " to ")
				return label == arc.label && (!about || conditionHolds(t, atoms, v.values[arc.to]))
			}
			if d.Awaited != "" && conditionHolds(t, d.Awaited, v.values[arc.to]) || d.Awaited == "" && slices.ContainsFunc(d.Pending, isNamed) {
				return arc, true
			}
			if !slices.Contains(reached, arc.to) {
				reached = append(reached, arc.to)
			}
		}
	}
	return valuedArc{}, false
}

// TestFairnessOfActionsAboutValues: the fairness that would make a property of values hold is that of whole actions: it is what is found
// if runs are asked to be fair to each action.
func TestFairnessOfActionsAboutValues(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(1_000) {
		r := rand.New(rand.NewPCG(seed, 83))
		v := drawValuedModel(r)
		text := []string{"F {x = 2}", "G F {y = 1}", "G ({x = 0} -> F {y = 1})"}[r.IntN(3)]
		m, table := v.build(t)
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		options := explain.Options{Source: explain.Source{States: table}, NoAdvice: true}
		e, err := explain.Explain(context.Background(), m, f, options)
		if err != nil || e.Fairness == nil || e.Fairness.Chain == nil {
			continue // an atom that holds nowhere, or a deadlock that violates the property
		}
		for notion, said := range map[string]explain.Verdict{"weak": e.Fairness.Chain.Weak, "strong": e.Fairness.Chain.Strong, "full": e.Fairness.Chain.Full} {
			fair, err := actl.ParseAssumption(context.Background(), notion)
			if err != nil {
				t.Fatal(err)
			}
			options.Fair = []*actl.Assumption{fair}
			found, err := explain.Check(context.Background(), m, f, options)
			if err != nil {
				t.Fatal(err)
			}
			if met[notion+" "+found.Verdict.String()]++; found.Verdict != said {
				t.Fatalf("seed %d: %s is %s under %s, and said to be %s\n%v", seed, text, found.Verdict, notion, said, v)
			}
		}
	}
	if t.Log(met); randomlts.Whole() && len(met) < 6 {
		t.Errorf("met %v", met)
	}
}
