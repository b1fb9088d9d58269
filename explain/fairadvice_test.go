package explain_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// fairCase is a random model with a property under an assumption, as the command and as the oracle takes it.
type fairCase struct {
	m        *lts.LTS
	of       oracle.Automaton
	assumed  oracle.Assumption
	triggers map[lts.Label]bool
	e        *explain.Explanation
	trace    *counterexample.Trace
	unfolded *explain.Explanation // of the unfolded model
}

// assumedOf returns an assumption about all labels of an alphabet, or about its first label, as the oracle takes it.
func assumedOf(a *lts.Alphabet, text string) (assumed oracle.Assumption) {
	switch text {
	case "full":
		assumed.Full = true
	case "finitely:A":
		assumed.Rare = map[lts.Label]bool{}
		if l, known := a.Lookup("A"); known {
			assumed.Rare[l] = true
		}
	case "just":
		assumed.Just = &oracle.Just{Components: map[lts.Label]map[int]bool{}, Blocking: map[lts.Label]bool{}}
		for l, label := range a.All() {
			assumed.Just.Components[l] = map[int]bool{}
			for _, name := range neededBy(label) {
				assumed.Just.Components[l][int(name[0])] = true
			}
			assumed.Just.Blocking[l] = label == "A"
		}
	default:
		for l := range a.All() {
			assumed.Tasks = append(assumed.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: text == "strong"})
		}
	}
	return assumed
}

// neededBy returns the components that labels of random models need.
func neededBy(label string) []string {
	return map[byte][]string{'A': {"p"}, 'B': {"p", "x"}, 'C': {"q", "x"}, 'D': {"q"}}[label[0]]
}

// newFairCase explains a property of a model; nil if there is nothing to explain, or too much for the oracle.
func newFairCase(t *testing.T, m *lts.LTS, text, assumption string, triggers ...string) *fairCase {
	t.Helper()
	ctx := context.Background()
	f, err := formula.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{assumption}
	if assumption == "just" {
		texts = append(texts, "blocking:A")
	}
	fair := assumed(t, texts...)
	for i := range fair {
		fair[i] = fair[i].On(neededBy)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Fair: fair})
	if errors.Is(err, explain.ErrNoRunCounts) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.Verdict != explain.Violated {
		return nil
	}
	c := &fairCase{
		m:        m,
		of:       fromproperty.Automaton(p),
		assumed:  assumedOf(m.Alphabet(), assumption),
		triggers: map[lts.Label]bool{},
		e:        e,
		trace:    e.Trace(),
	}
	c.unfolded, err = explain.Explain(ctx, m, f, explain.Options{Fair: fair, Unfold: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range triggers {
		if l, known := m.Alphabet().Lookup(name); known {
			c.triggers[l] = true
		}
	}
	return c
}

// without returns the model without some transitions.
func (c *fairCase) without(gone []lts.Transition) *lts.LTS {
	var b lts.Builder
	for _, text := range c.m.Alphabet().All() {
		b.Label(text)
	}
	for t := range c.m.Transitions() {
		if !slices.Contains(gone, t) {
			b.Add(t.From, t.Label, t.To)
		}
	}
	left, err := b.Build(c.m.Initial(), c.m.NumStates())
	if err != nil {
		panic(err)
	}
	return left
}

// isEnough reports whether without some transitions the property holds under the assumption, there is no new
// deadlock, and each state from where some run counted keeps one.
func (c *fairCase) isEnough(before *oracle.FairGeneral, gone []lts.Transition) bool {
	left := c.without(gone)
	after, _ := oracle.NewFairGeneral(left, c.of, c.assumed)
	_, reject := after.Can(left.Initial(), c.of.Initial)
	if reject {
		return false
	}
	for s := range lts.State(left.NumStates()) {
		for q := range c.of.States {
			if !after.Reached(s, q) {
				continue
			}
			accepted, rejected := before.Can(s, q)
			accepts, rejects := after.Can(s, q)
			if left.IsDeadlock(s) && !c.m.IsDeadlock(s) || (accepted || rejected) && !accepts && !rejects {
				return false
			}
		}
	}
	return true
}

// smallestCut returns the size of a smallest cut of at most two transitions; 0 if there is none.
func (c *fairCase) smallestCut(before *oracle.FairGeneral) int {
	var all []lts.Transition
	for t := range c.m.Transitions() {
		if text := c.m.Alphabet().Text(t.Label); text != "tau" && !c.triggers[t.Label] && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, t := range all {
		if c.isEnough(before, []lts.Transition{t}) {
			return 1
		}
	}
	for i, t := range all {
		for _, other := range all[:i] {
			if c.isEnough(before, []lts.Transition{t, other}) {
				return 2
			}
		}
	}
	return 0
}

// smallestOfAnySize returns the size of a smallest cut with at most most transitions; 0 if there is none.
func (c *fairCase) smallestOfAnySize(before *oracle.FairGeneral, most int) int {
	var all []lts.Transition
	for t := range c.m.Transitions() {
		if text := c.m.Alphabet().Text(t.Label); text != "tau" && !c.triggers[t.Label] && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	least := 0
	for set := 1; set < 1<<len(all); set++ {
		size := bits.OnesCount(uint(set))
		if size > most || least > 0 && size >= least {
			continue
		}
		var gone []lts.Transition
		for i, t := range all {
			if set>>i&1 != 0 {
				gone = append(gone, t)
			}
		}
		if c.isEnough(before, gone) {
			least = size
		}
	}
	return least
}

// checkCut compares the cut with all others.
func (c *fairCase) checkCut(before *oracle.FairGeneral, anyOfSize bool) error {
	var cut []lts.Transition
	if c.e.Repair != nil && c.e.Repair.Cut != nil {
		for _, step := range c.e.Repair.Cut.Transitions {
			cut = append(cut, c.m.Transition(lts.State(step.From), step.Label, lts.State(step.To)))
		}
	}
	if cut != nil && !c.isEnough(before, cut) {
		return fmt.Errorf("the cut %v is not enough", cut)
	}
	want := c.smallestCut(before)
	if none := c.e.NoRepair; none != nil {
		switch least := c.smallestOfAnySize(before, 4); {
		case cut != nil:
			return errors.New("there is a cut and a reason why there is none")
		case none.AtLeast == 0 && least > 0, least > 0 && least < none.AtLeast:
			return fmt.Errorf("a cut of %d is enough, and at least %d are told", least, none.AtLeast)
		}
	}
	if len(cut) != want && !(anyOfSize && len(cut) > want && want > 0) {
		return fmt.Errorf("the cut is %v, want %d", cut, want)
	}
	return nil
}

// checkRepair checks that the property holds under the assumption in the model that the repair leaves, which has no
// new deadlock. It reports whether it had something to check.
func (c *fairCase) checkRepair() (isChecked bool, err error) {
	r := c.e.Repair
	if r == nil {
		return false, nil
	}
	if r.OnlyTriggers != nil && r.OnlyTriggers.Supervisor != nil {
		r = r.OnlyTriggers.Supervisor
	}
	if len(r.Never) == 0 {
		return false, nil
	}
	if len(r.NotForEver) > 0 {
		return true, fmt.Errorf("runs have to leave %v", r.NotForEver)
	}
	guarded, err := c.guarded(r.Never)
	if err != nil {
		return true, err
	}
	after, few := oracle.NewFairGeneral(guarded, c.of, c.assumed)
	if !few {
		return false, nil
	}
	_, reject := after.Can(guarded.Initial(), c.of.Initial)
	return true, wanted(!reject, "the repair %v is not enough", r.Never)
}

// guarded returns the product of model and property without forbidden transitions, as a model.
func (c *fairCase) guarded(never []explain.Forbidden) (*lts.LTS, error) {
	type place struct {
		s lts.State
		q int
	}
	isForbidden := func(t lts.Transition, q int) bool {
		return slices.ContainsFunc(never, func(f explain.Forbidden) bool {
			forbidden := c.m.Transition(lts.State(f.From), f.Label, lts.State(f.To))
			return forbidden == t && slices.Contains(f.Progress, q)
		})
	}
	var b lts.Builder
	for _, text := range c.m.Alphabet().All() {
		b.Label(text)
	}
	places := []place{{c.m.Initial(), c.of.Initial}}
	for i := 0; i < len(places); i++ {
		from := places[i]
		left := 0
		for t := range c.leaving(from.s) {
			if isForbidden(t, from.q) {
				continue
			}
			left++
			to := place{t.To, c.of.Next(from.q, t.Label)}
			if !slices.Contains(places, to) {
				places = append(places, to)
			}
			b.Add(lts.State(i), t.Label, lts.State(slices.Index(places, to)))
		}
		if left == 0 && !c.m.IsDeadlock(from.s) {
			return nil, fmt.Errorf("state %d is a new deadlock", from.s)
		}
	}
	return b.Build(0, len(places))
}

// checkNearest checks that the nearest correct run is a run of the model that begins as the counterexample does,
// satisfies the property, counts, and does a trigger if the counterexample does.
func (c *fairCase) checkNearest(before *oracle.FairGeneral, d *explain.Diff) error {
	if d == nil {
		return errors.New("there is no nearest run")
	}
	run, err := c.correctRun(d)
	if err != nil {
		return err
	}
	s := c.m.Initial()
	q := c.of.Initial
	var states []int
	isTriggered := false
	for _, step := range run {
		if step.From != s {
			return fmt.Errorf("%v does not leave state %d", step, s)
		}
		states = append(states, q)
		isTriggered = isTriggered || c.triggers[step.Label]
		q = c.of.Next(q, step.Label)
		s = step.To
	}
	for _, step := range c.trace.Steps() {
		if c.triggers[step.Label] && !isTriggered {
			return errors.New("it does not do the trigger")
		}
	}
	accept, reject := before.Can(s, q)
	switch {
	case d.Ends:
		return wanted(c.assumed.Ends(slices.Collect(c.leaving(s))) && c.of.Stops(q), "it does not end, or is not accepted")
	case d.Loop == 0:
		return wanted(accept && !reject, "what follows decides: %t, %t", accept, reject)
	}
	first := len(run) - d.Loop
	colours := map[int]bool{}
	for i, step := range run[first:] {
		for colour := range c.of.Marks(states[first+i], step.Label) {
			colours[colour] = true
		}
	}
	return errors.Join(
		wanted(run[first].From == s && states[first] == q, "its last %d steps are no loop", d.Loop),
		wanted(c.of.Accepts(colours), "its loop is not accepted"),
		wanted(c.counts(before, run[first:], states[first:]), "it does not count"))
}

// leaving returns the transitions that leave a state.
func (c *fairCase) leaving(s lts.State) iter.Seq[lts.Transition] {
	return func(yield func(lts.Transition) bool) {
		for t := range c.m.Transitions() {
			if t.From == s && !yield(t) {
				return
			}
		}
	}
}

// counts reports whether a run that repeats a loop counts.
func (c *fairCase) counts(before *oracle.FairGeneral, loop []lts.Transition, states []int) bool {
	return before.Recurs(loop, states) && (!c.assumed.Full || c.takesAll(loop))
}

// takesAll reports whether a loop takes all transitions that leave its states.
func (c *fairCase) takesAll(loop []lts.Transition) bool {
	for t := range c.m.Transitions() {
		isThere := slices.ContainsFunc(loop, func(step lts.Transition) bool { return step.From == t.From })
		if isThere && !slices.Contains(loop, t) {
			return false
		}
	}
	return true
}

func wanted(is bool, format string, args ...any) error {
	if is {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// correctRun returns the steps of the correct run, once those that both runs take and those that differ are as
// they should be.
func (c *fairCase) correctRun(d *explain.Diff) (run []lts.Transition, err error) {
	trace := c.trace
	loop, isLasso := trace.LoopStart()
	other := 0
	var forks []lts.Transition
	for i, step := range d.Steps {
		t := c.m.Transition(lts.State(step.From), step.Label, lts.State(step.To))
		if step.Op != explain.Insert {
			if trace.Step(other) != t {
				return nil, fmt.Errorf("step %d is not of the counterexample", i)
			}
			other++
			if other == trace.Len() && isLasso {
				other = loop
			}
		}
		if step.Op != explain.Remove {
			if !slices.Contains(slices.Collect(c.m.Transitions()), t) {
				return nil, fmt.Errorf("%v is not of the model", t)
			}
			run = append(run, t)
		}
		if (step.Op == explain.Keep) != (i < d.Fork) {
			return nil, fmt.Errorf("the fork is not at %d", d.Fork)
		}
		if i >= d.Fork && (i == d.Fork || step.Op != d.Steps[i-1].Op) {
			forks = append(forks, t)
		}
	}
	if trace.Kind() == counterexample.Stop && d.Fork == trace.Len() && len(forks) == 1 {
		return run, nil // the counterexample stops where the correct run goes on
	}
	if len(forks) != 2 || forks[0] == forks[1] || forks[0].From != forks[1].From {
		return nil, fmt.Errorf("it forks at %v", forks)
	}
	return run, nil
}

// TestAdviceUnderFairness compares cuts and nearest correct runs under an assumption with brute force.
func TestAdviceUnderFairness(t *testing.T) {
	properties := []struct {
		text     string
		triggers []string
		// isProhibition says that a cut of what is prohibited comes before a smaller one.
		isProhibition bool
	}{
		{text: `Inev("B")`},
		{text: `Inev("B", "C")`},
		{text: `Inev({"A", "B"}, "A", "A", "B")`},
		{text: `Response("B"; "C")`, triggers: []string{"B"}},
		{text: `Never("B")`, isProhibition: true},
		{text: `Precedes("C"; "B")`, isProhibition: true},
		{text: `G F "B"`},
		{text: `F G "B"`},
		{text: `G F "A" && G F "B"`},
	}
	met := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 1})
		p := properties[seed%uint64(len(properties))]
		assumption := []string{"weak", "strong", "full", "finitely:A", "just"}[seed/8%5]
		x := newFairCase(t, c.Model, p.text, assumption, p.triggers...)
		if x == nil {
			continue
		}
		before, few := oracle.NewFairGeneral(x.m, x.of, x.assumed)
		if !few {
			continue
		}
		isChecked, err := x.checkRepair()
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%s under %s: %v", seed, c, p.text, assumption, err)
		}
		if isChecked {
			met["repair under "+assumption]++
		}
		accept, _ := before.Can(x.m.Initial(), x.of.Initial)
		if !accept {
			if x.e.Nearest != nil {
				t.Fatalf("seed %d:\n%s\n%s under %s: no run satisfies it", seed, c, p.text, assumption)
			}
			if isChecked {
				met["repair where no run counts that satisfies it"]++
			}
			continue
		}
		isReplaced := isChecked && x.e.Repair.Cut == nil // by a repair that keeps more of the model
		if !isReplaced {
			err = x.checkCut(before, p.isProhibition)
		}
		if x.e.Nearest != nil || len(p.triggers) == 0 && assumption != "just" {
			err = errors.Join(err, x.checkNearest(before, x.e.Nearest), x.checkNearest(before, x.unfolded.Nearest))
		}
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%s under %s: %v\n%+v", seed, c, p.text, assumption, err, x.e.Nearest)
		}
		met[assumption]++
		if d := x.unfolded.Nearest; d != nil && x.e.Nearest != nil && d.Fork != x.e.Nearest.Fork {
			met["other fork"]++
		}
		if none := x.e.NoRepair; none != nil {
			met[fmt.Sprint("no repair below ", none.AtLeast)]++
		}
		if x.e.Repair != nil {
			met["cut under "+assumption]++
		}
		if x.e.Nearest != nil && x.e.Nearest.Loop > 0 {
			met["loop under "+assumption]++
		}
	}
	t.Log(met)
	for _, assumption := range []string{"weak", "strong", "full", "finitely:A", "just"} {
		if randomlts.Whole() && (met[assumption] < 50 || met["cut under "+assumption] < 10) {
			t.Errorf("under %s, %d violations and %d cuts were met", assumption, met[assumption], met["cut under "+assumption])
		}
	}
}
