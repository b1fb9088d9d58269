package assertions

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// fairness decides, by brute force, whether the property holds under an
// assumption.
type fairness struct {
	*oracle.FairStates
	labels []lts.Label
}

func newFairness(s Subject) (fairness, error) {
	f := fairness{labels: make([]lts.Label, s.Model.Alphabet().Len())}
	for i := range f.labels {
		f.labels[i] = lts.Label(i)
	}
	var err error
	f.FairStates, err = oracle.NewFairStates(s.Model, s.Steps)
	return f, err
}

// underLabels reports whether the property holds if runs do labels finitely
// often, or are weakly or strongly fair to each.
func (f fairness) underLabels(kind string, labels []lts.Label) bool {
	a := oracle.Assumption{Rare: map[lts.Label]bool{}}
	for _, l := range labels {
		if kind == "finitely" {
			a.Rare[l] = true
		} else {
			a.Tasks = append(a.Tasks, oracle.FairTask{
				Labels: map[lts.Label]bool{l: true},
				Strong: kind == "strong",
			})
		}
	}
	return f.Holds(a)
}

func (f fairness) underChoices(states []int) bool {
	a := oracle.Assumption{Choices: map[lts.State]bool{}}
	for _, s := range states {
		a.Choices[lts.State(s)] = true
	}
	return f.Holds(a)
}

// notion returns the weakest notion that makes the property true.
func (f fairness) notion() string {
	switch {
	case f.Deadlock():
		return "deadlock"
	case f.underLabels("weak", f.labels):
		return "weak"
	case f.underLabels("strong", f.labels):
		return "strong"
	case f.Holds(oracle.Assumption{Full: true}):
		return "full"
	}
	return "none"
}

func (c *Checker) wantNotion(want string) error {
	if is := c.fair.notion(); !c.Violated || is != want {
		return fmt.Errorf("the weakest notion that is enough: %s", is)
	}
	return nil
}

// deadlockViolates checks the sentence that fairness does not help because a run that ends violates
// the property. Without the word "alone", fairness does not help together with a supervisor,
// either.
func (c *Checker) deadlockViolates(m []string) error {
	saysAlone := strings.Contains(m[0], " alone ")
	err := errors.Join(c.wantNotion("deadlock"), c.checkEnd(m[1]))
	if saysAlone {
		return err
	}
	return errors.Join(err,
		want(!c.advised().helpsTogether(), "fairness helps together with a supervisor"))
}

// checkEnd checks whether a clause speaks of the end of the run itself, and not of other runs that end.
func (c *Checker) checkEnd(clause string) error {
	return want((clause == "the run ends") == (c.Run.Loop == oracle.NoLoop),
		"the run loops at %d", c.Run.Loop)
}

func (c *Checker) weakFairness([]string) error { return c.wantNotion("weak") }

// strongFairness checks that strong fairness is enough and, if the sentence says so, that weak fairness
// is not.
func (c *Checker) strongFairness(m []string) error {
	if m[1] == "" && c.fair.notion() == "weak" {
		return nil
	}
	return c.wantNotion("strong")
}

func (c *Checker) fullFairness([]string) error { return c.wantNotion("full") }

// nothingHelps checks that no run satisfies the property.
func (c *Checker) nothingHelps([]string) error {
	return want(!c.free(0), "some run satisfies it")
}

// fairlyGone checks the steps that are out of reach in a state, and that no
// doomed state is nearer.
func (c *Checker) fairlyGone(m []string) error {
	singleStep := m[2]
	severalSteps := m[3]
	first, last, err := c.stepRange(singleStep + severalSteps)
	if err != nil {
		return err
	}
	s := lts.State(number(m[1]))
	progress := first - 1
	return errors.Join(
		c.wantNotion("none"),
		want((singleStep != "") == (first == last), "%d steps are listed", last-progress),
		want(c.judge.Free(c.Model.Initial(), 0), "no run satisfies the property"),
		want(c.judge.Arrives(s, progress), "no run comes there with progress %d", progress),
		want(!c.steps.CanDo(s, first, last), "some continuation does"),
		want(last == first || c.steps.CanDo(s, first, last-1), "even less is out of reach"),
		want(slices.Contains(c.nearestDoomed(), s), "nearer ones are %v", c.nearestDoomed()))
}

// nearestDoomed returns the states at the end of shortest runs to a state from
// which the property can no longer be satisfied.
func (c *Checker) nearestDoomed() []lts.State {
	type productState struct {
		state    lts.State
		progress int
	}
	level := []productState{{c.Model.Initial(), 0}}
	for visited := map[productState]bool{}; len(level) > 0; {
		var doomed []lts.State
		var next []productState
		for _, at := range level {
			if !c.judge.Free(at.state, at.progress) {
				doomed = append(doomed, at.state)
			}
			for _, t := range c.judge.Out(at.state) {
				to := productState{t.To, c.judge.Advance(at.progress, t.Label)}
				if !visited[to] {
					visited[to] = true
					next = append(next, to)
				}
			}
		}
		if doomed != nil {
			return doomed
		}
		level = next
	}
	return nil
}

func (c *Checker) finitely(m []string) error {
	return errors.Join(
		want((m[2] == "happens") == (len(quoted.FindAllString(m[1], -1)) == 1), "it %s", m[2]),
		c.checkSufficientSets("finitely", m[1], m[3]))
}

func (c *Checker) stronglyFair(m []string) error { return c.fairTo("strong", m) }
func (c *Checker) weaklyFair(m []string) error   { return c.fairTo("weak", m) }

func (c *Checker) fairTo(kind string, m []string) error {
	each := strings.HasPrefix(m[1], "Each of ")
	return errors.Join(
		want(each == (len(quoted.FindAllString(m[1], -1)) > 1), "each: %t", each),
		want(kind == c.fairKind(), "%q fairness of few is enough", c.fairKind()),
		c.checkSufficientSets(kind, m[1], m[3]))
}

var (
	quoted   = regexp.MustCompile(label)
	singles  = regexp.MustCompile(`^(?:L(?:, L)*)?(?:(?:^|, )(?:at least )?(\d+) more)?$`)
	severals = regexp.MustCompile(`^L(?:, L)* and L(?:, or L(?:, L)* and L)*(?:, or (?:at least )?(\d+) more)?$`)
)

// checkSufficientSets checks that a sentence names the smallest sufficient sets of labels,
// in their order, and leaves none out.
func (c *Checker) checkSufficientSets(kind, first, others string) error {
	expected := c.smallestSets(kind)
	if expected == nil {
		return errors.New("no set suffices")
	}
	size := len(expected[0])
	named := [][]string{c.quotedLabels(first)}
	omitted := 0
	if others != "" {
		pattern := singles
		if size > 1 {
			pattern = severals
		}
		m := pattern.FindStringSubmatch(quoted.ReplaceAllString(others, "L"))
		if m == nil {
			return fmt.Errorf("%q", others)
		}
		omitted = number(m[1])
		named = slices.AppendSeq(named, slices.Chunk(c.quotedLabels(others), size))
	}
	errs := []error{want(len(named)+omitted == len(expected), "the smallest sets are %v", expected)}
	for i, set := range named {
		isExpected := i < len(expected) && slices.Equal(set, expected[i])
		errs = append(errs, want(isExpected, "%v: the smallest sets are %v", set, expected))
	}
	return errors.Join(errs...)
}

// quotedLabels returns the labels quoted in a text.
func (c *Checker) quotedLabels(s string) []string {
	var all []string
	for _, l := range quoted.FindAllString(s, -1) {
		all = append(all, text(l))
	}
	return all
}

// fairKind returns the kind of fairness that a sentence must name: weak if one
// label or two suffice, otherwise strong if they do; "" if neither does.
func (c *Checker) fairKind() string {
	for _, kind := range []string{"weak", "strong"} {
		sets := c.smallestSets(kind)
		if sets != nil && len(sets[0]) <= 2 {
			return kind
		}
	}
	return ""
}

// smallestSets returns the smallest sufficient sets of at most three labels, in the
// order of their texts; single labels that do steps of the property come last.
func (c *Checker) smallestSets(kind string) [][]string {
	var sets, stepLabels [][]string
	for size := 1; size <= 3 && sets == nil && stepLabels == nil; size++ {
		for _, set := range c.labelSets(size) {
			isEnough := c.fair.underLabels(kind, set) && (kind != "finitely" || c.isAdvice(set))
			if !isEnough {
				continue
			}
			var texts []string
			for _, l := range set {
				texts = append(texts, c.labelText(l))
			}
			slices.Sort(texts)
			if size == 1 && c.doesSomeStep(set[0]) {
				stepLabels = append(stepLabels, texts)
			} else {
				sets = append(sets, texts)
			}
		}
	}
	slices.SortFunc(sets, slices.Compare)
	slices.SortFunc(stepLabels, slices.Compare)
	return append(sets, stepLabels...)
}

// labelSets returns all sets of so many labels.
func (c *Checker) labelSets(size int) [][]lts.Label {
	var sets [][]lts.Label
	for choice := range 1 << len(c.fair.labels) {
		if bits.OnesCount(uint(choice)) != size {
			continue
		}
		var set []lts.Label
		for i, l := range c.fair.labels {
			isChosen := has(choice, i)
			if isChosen {
				set = append(set, l)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// doesSomeStep reports whether a label does a step of the property.
func (c *Checker) doesSomeStep(l lts.Label) bool {
	return slices.ContainsFunc(c.Steps, func(step map[lts.Label]bool) bool { return step[l] })
}

// isAdvice reports whether every finite path has a continuation that does these labels finitely often, and a
// path without them does the step that the run waits for.
func (c *Checker) isAdvice(labels []lts.Label) bool {
	rare := map[lts.Label]bool{}
	for _, l := range labels {
		rare[l] = true
	}
	if !c.fair.Feasible(rare) {
		return false
	}
	reached := c.reachedWithout(rare)
	return slices.Contains(reached[c.finalProgress+1], true)
}

// reachedWithout returns, for each number of steps done, the states to which a path without these
// labels leads with so many steps done.
func (c *Checker) reachedWithout(rare map[lts.Label]bool) [][]bool {
	reached := make([][]bool, len(c.Steps)+1)
	for progress := range reached {
		reached[progress] = make([]bool, c.Model.NumStates())
	}
	reached[0][c.Model.Initial()] = true
	longest := c.Model.NumStates() * len(reached) // no shortest path is longer
	for range longest {
		for progress, states := range reached {
			for s, isReached := range states {
				if isReached {
					c.reachSuccessors(reached, lts.State(s), progress, rare)
				}
			}
		}
	}
	return reached
}

// reachSuccessors adds the states to which one transition without these labels leads.
func (c *Checker) reachSuccessors(
	reached [][]bool,
	s lts.State,
	progress int,
	rare map[lts.Label]bool,
) {
	for _, t := range c.judge.Out(s) {
		if !rare[t.Label] {
			reached[c.judge.Advance(progress, t.Label)][t.To] = true
		}
	}
}

// fairChoices checks that fair choices in some states suffice, and that none of
// them can be left out.
func (c *Checker) fairChoices(m []string) error {
	states := numbers(m[1])
	if !c.fair.underChoices(states) {
		return errors.New("they do not suffice")
	}
	for i, s := range states {
		if c.fair.underChoices(slices.Delete(slices.Clone(states), i, i+1)) {
			return fmt.Errorf("%d can be left out", s)
		}
	}
	return nil
}

// WhenComplete checks that the sentences checked so far say all about when the property would hold.
// If the property holds, or no run satisfies it, they must say nothing. Otherwise they must name
// the labels that must occur finitely often. They must also name the labels to which runs must be
// fair, or the notion of fairness that suffices, or say that no notion suffices.
func (c *Checker) WhenComplete() error {
	finitely := c.countForms("finitely")
	fair := c.countForms("fair to strong", "fair to weak")
	notions := c.countForms("weak fairness", "strong fairness", "full fairness")
	useless := c.countForms("only a deadlock", "fairly gone")
	if !c.Violated || !c.free(0) {
		return want(finitely+fair+notions+useless == 0, "it is said when it would hold")
	}
	notion := c.fair.notion()
	if notion == "deadlock" {
		return want(finitely+fair+notions == 0 && useless == 1, "no assumption helps")
	}
	rareIsEnough := c.smallestSets("finitely") != nil
	fewAreEnough := c.fairKind() != ""
	justIsEnough := c.Just != nil && c.fair.Holds(oracle.Assumption{Just: c.Just})
	return errors.Join(
		want((c.countForms("justness") == 1) == justIsEnough, "justness is enough: %t", justIsEnough),
		want((finitely == 1) == rareIsEnough, "labels that happen finitely often are enough: %t", rareIsEnough),
		want((fair == 1) == fewAreEnough, "fairness of few labels is enough: %t", fewAreEnough),
		want((notions == 1) == (!fewAreEnough && notion != "none"), "%s fairness is enough", notion),
		want((useless == 1) == (!rareIsEnough && notion == "none"),
			"%d sentences say that nothing helps", useless))
}

// countForms returns how many of these forms the sentences checked so far had.
func (c *Checker) countForms(names ...string) int {
	n := 0
	for _, name := range names {
		if c.Understood[name] > 0 {
			n++
		}
	}
	return n
}

// FairChecker checks sentences about the runs that count under an assumption.
type FairChecker struct {
	*Checker
	runs       *oracle.Fair
	assumption oracle.Assumption
	lastState  lts.State
	// lastProgress is the final progress of the run.
	lastProgress int
}

// fairJudge also computes the length of a shortest run that counts and violates a
// chain.
type fairJudge struct {
	*judgeUnder
	runs *oracle.Fair
}

func (j fairJudge) Free(s lts.State, progress int) bool {
	accept, _ := j.runs.Can(s, progress)
	return accept
}
func (j fairJudge) ShortestLength() (int, bool) { return j.runs.ShortestViolation() }

// counted decides which steps runs that count can do. If every finite run can be
// continued to one that counts, these are all steps that the model can do.
type counted struct {
	judge fairJudge
	o     *oracle.Oracle
}

// CanDo reports whether some run that counts can do the steps from first to last after s.
func (c counted) CanDo(s lts.State, first, last int) bool {
	type productState struct {
		s        lts.State
		progress int
	}
	visited := map[productState]bool{}
	for open := []productState{{s, first - 1}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if visited[at] || !c.judge.runs.Counts(at.s) {
			continue
		}
		visited[at] = true
		if at.progress >= last {
			return true
		}
		for _, t := range c.judge.Out(at.s) {
			open = append(open, productState{t.To, c.o.Advance(at.progress, t.Label)})
		}
	}
	return false
}

// NewFair returns a checker of sentences about s under an assumption.
func NewFair(s Subject, a oracle.Assumption) (*FairChecker, error) {
	o, err := oracle.New(s.Model, s.Steps)
	if err != nil {
		return nil, err
	}
	f := oracle.NewFair(s.Model, s.Steps, a)
	j := fairJudge{newJudgeUnder(s.Model, f, 0, len(s.Steps)+1, o.Advance), f}
	c := &FairChecker{
		Checker: &Checker{
			Subject:    s,
			judge:      j,
			steps:      counted{j, o},
			assumed:    a,
			Understood: map[string]int{},
		},
		runs:       f,
		assumption: a,
		lastState:  s.Model.Initial(),
	}
	if c.fair, err = newFairness(s); err != nil {
		return nil, err
	}
	for _, t := range s.Run.Transitions {
		c.lastState, c.lastProgress = t.To, o.Advance(c.lastProgress, t.Label)
	}
	if s.Violated {
		c.follow()
		c.isStemOnly = s.Run.Loop == oracle.NoLoop && !c.mayEnd(c.lastState)
	}
	return c, nil
}

var (
	fairlySatisfied = regexp.MustCompile("^(?:.+) satisfies " + label +
		" on every run (?:that is|on which) .+: each does (.+)\\.$")
	fairlyViolated = regexp.MustCompile("^(?:.+) violates " + label +
		", also on runs (?:that are|on which) [^:]+(?:: (.+))?\\.$")
	lostAtOnce   = regexp.MustCompile(`^No run is needed to show it\.$`)
	intoDeadlock = regexp.MustCompile(`^A shortest counterexample into a deadlock has (\d+) transitions? and ends in state (\d+)\.$`)
	trap         = regexp.MustCompile(`^(?:A shortest|This) counterexample has (\d+) transitions? and ends in state (\d+), from where on the property is lost\.$`)
	fairChange   = regexp.MustCompile(`^((?:One or two transitions are not enough: f|F)orbid .+|In (?:states? [\d, ]+|\d+ states) only .+)\.$`)
	doomed       = regexp.MustCompile(`^Whatever is done from there on, no (?:such )?run does (.+): it stays in (\d+) states?, where only (.+) can happen\.$`)
)

// Sentence checks one sentence. A sentence with the same words as one about all
// runs is checked for the runs that count.
func (c *FairChecker) Sentence(s string) error {
	type fairForm struct {
		name    string
		pattern *regexp.Regexp
		check   func([]string) error
	}
	for _, f := range []fairForm{
		{"satisfied", fairlySatisfied, c.satisfied},
		{"violated", fairlyViolated, c.violated},
		{"no run", lostAtOnce, c.lostAtOnce},
		{"into a deadlock", intoDeadlock, c.intoDeadlock},
		{"trap", trap, c.trap},
		{"unneeded", unneeded, c.enough},
		{"all needed", allNeeded, c.enough},
		{"enough", enough, c.enough},
		{"doomed", doomed, c.doomed},
		{"fair change", fairChange, c.changedFairly},
		// This checks only some claims of these reasons. The test of advice under fairness compares
		// them with all small cuts.
		{"no repair", regexp.MustCompile("^" + noRepair + `\.$`), func(m []string) error { return checkKeptActions(m, c.Model.Alphabet()) }},
	} {
		if m := f.pattern.FindStringSubmatch(s); m != nil {
			c.Understood[f.name]++
			if err := f.check(m); err != nil {
				return fmt.Errorf("%q: %w", s, err)
			}
			return nil
		}
	}
	return c.Checker.Sentence(s)
}

func (c *FairChecker) satisfied(m []string) error {
	first, last, err := c.stepRange(m[1])
	return errors.Join(err, want(c.runs.Holds(), "some run that counts does not"),
		want(first == 1 && last == len(c.Steps), "that is not all"))
}

func (c *FairChecker) violated(m []string) error {
	_, reject := c.runs.Can(c.Model.Initial(), 0)
	return errors.Join(want(reject, "no run that counts does"), c.checkDiagnosis(m[1]))
}

func (c *FairChecker) enough(m []string) error {
	return checkEnough(m, c.Model.Alphabet(), c.assumption.Tasks, c.fair.Holds)
}

// changedFairly checks a sentence about what to forbid: it must name a cut or, under full fairness,
// the transitions that a supervisor forbids.
func (c *FairChecker) changedFairly(m []string) error {
	g := c.play()
	g.satisfied = c.holdsFairly
	err := g.checkCut(strings.TrimPrefix(m[1], "Forbid "))
	mayBeSupervisor := c.runs.Full() && len(c.assumption.Rare) == 0
	if err == nil {
		return nil
	}
	if !mayBeSupervisor {
		// It may also make the property true of all runs.
		ofAllRuns := c.advised().checkAdvice(m)
		if ofAllRuns != nil {
			return errors.Join(err, ofAllRuns)
		}
		c.Understood["fair advice"]++
		return nil
	}
	g.winFairly()
	c.Understood["fair guards"]++
	if !g.wins[g.initial()] {
		return errors.New("nothing that is forbidden makes it true")
	}
	prohibitions, err := g.checkRemainder(lowerFirst(m[1]), g.forbidden())
	return errors.Join(err, g.checkAllProhibitions(prohibitions))
}

// holdsFairly reports whether a model from which transitions were removed satisfies the property,
// and whether each of its states from which some run counted still has such a run.
func (c *FairChecker) holdsFairly(m *lts.LTS) bool {
	left := oracle.NewFair(m, c.Steps, c.assumption)
	if !left.Holds() {
		return false
	}
	for s := range lts.State(m.NumStates()) {
		if m.Reachable().Has(s) && c.runs.Counts(s) && !left.Counts(s) {
			return false
		}
	}
	return true
}

// winFairly computes the winning region of a supervisor under full fairness, as a greatest set: from
// each of its pairs, the supervisor can stay in it, and some run in it does all steps.
func (g *game) winFairly() {
	g.wins = map[position]bool{}
	for s := range lts.State(g.Model.NumStates()) {
		for j := range len(g.Steps) + 1 {
			g.wins[position{s, j}] = true
		}
	}
	for changed := true; changed; {
		changed = false
		finishing := g.finishing()
		for a, wins := range g.wins {
			if !wins {
				continue
			}
			isLeft := !g.finished(a) && g.isForcedOut(a)
			if !finishing[a] || isLeft {
				g.wins[a] = false
				changed = true
			}
		}
	}
	g.explore()
}

// finishing returns the pairs from where some run in the winning region does all steps.
func (g *game) finishing() map[position]bool {
	found := map[position]bool{}
	for changed := true; changed; {
		changed = false
		for a, wins := range g.wins {
			if !wins || found[a] {
				continue
			}
			leads := g.finished(a)
			for _, t := range g.judge.Out(a.state) {
				next := g.next(a, t)
				leads = leads || g.wins[next] && found[next]
			}
			if leads {
				found[a] = true
				changed = true
			}
		}
	}
	return found
}

// isForcedOut reports whether a transition that cannot be forbidden leads out of the winning
// region.
func (g *game) isForcedOut(a position) bool {
	return slices.ContainsFunc(g.judge.Out(a.state), func(t lts.Transition) bool {
		return g.cannotForbid(t.Label) && !g.wins[g.next(a, t)]
	})
}

func (c *FairChecker) lostAtOnce([]string) error {
	accept, reject := c.runs.Can(c.Model.Initial(), 0)
	return errors.Join(want(!accept && reject, "some run satisfies it: %t", accept),
		want(len(c.Run.Transitions) == 0, "there is one"))
}

// intoDeadlock checks that no shorter run ends in a deadlock with steps pending.
func (c *FairChecker) intoDeadlock(m []string) error {
	n := len(c.Run.Transitions)
	isRun := number(m[1]) == n && number(m[2]) == int(c.lastState)
	endsPending := len(c.judge.Out(c.lastState)) == 0 && c.lastProgress < len(c.Steps)
	least := c.nearestPendingDeadlock()
	return errors.Join(
		want(c.runs.Full() && isRun && endsPending, "it has %d and ends in %d", n, c.lastState),
		want(n == least, "one has %d", least))
}

// nearestPendingDeadlock returns the length of a shortest run to a deadlock with steps pending; -1 if
// there is none.
func (c *FairChecker) nearestPendingDeadlock() int {
	type productState struct {
		s        lts.State
		progress int
	}
	initial := productState{c.Model.Initial(), 0}
	depth := map[productState]int{initial: 0}
	for open := []productState{initial}; len(open) > 0; open = open[1:] {
		here := open[0]
		out := c.judge.Out(here.s)
		if len(out) == 0 && here.progress < len(c.Steps) {
			return depth[here]
		}
		for _, t := range out {
			next := productState{t.To, c.judge.Advance(here.progress, t.Label)}
			if _, met := depth[next]; !met {
				depth[next] = depth[here] + 1
				open = append(open, next)
			}
		}
	}
	return -1
}

// trap checks a claim about the run into a state from where on the property is lost: that the
// property is lost there, and that no shorter run leads to such a state.
func (c *FairChecker) trap(m []string) error {
	n := len(c.Run.Transitions)
	accepts, rejects := c.runs.Can(c.lastState, c.lastProgress)
	shortest, _ := c.runs.ShortestLoss()
	isRun := number(m[1]) == n && number(m[2]) == int(c.lastState)
	return errors.Join(
		want(!accepts && rejects, "from %d on, runs can satisfy it: %t", c.lastState, accepts),
		want(isRun, "the run has %d and ends in %d", n, c.lastState),
		want(n == shortest, "one has %d", shortest))
}

// doomed checks the steps that no run does from the end of the run on, and the states and labels that stay
// possible there.
func (c *FairChecker) doomed(m []string) error {
	first, last, err := c.stepRange(m[1])
	visited := map[lts.State]bool{c.lastState: true}
	labels := map[string]bool{}
	for open := []lts.State{c.lastState}; len(open) > 0; open = open[1:] {
		for _, t := range c.judge.Out(open[0]) {
			labels[c.quote(t.Label)] = true
			if !visited[t.To] {
				visited[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	claimed := strings.Split(strings.Replace(m[3], " and ", ", ", 1), ", ")
	for _, l := range claimed {
		err = errors.Join(err, want(labels[l], "%s cannot happen there", l))
	}
	isOutOfReach := first == c.lastProgress+1 && !c.steps.CanDo(c.lastState, first, last)
	return errors.Join(err,
		want(number(m[2]) == len(visited) && len(claimed) == len(labels),
			"%d states, where %d actions can happen", len(visited), len(labels)),
		want(isOutOfReach, "some run does, or it has done more"))
}

// excluded is the class of transitions after which no run counts.
const excluded oracle.Class = "excluded"

// prospects are the outcomes, by brute force, of the runs that count under an
// assumption. For a property without steps, progress is the state of an
// automaton.
type prospects interface {
	Can(s lts.State, progress int) (accept, reject bool)
	Class(t lts.Transition) oracle.Class
	Reached(s lts.State, progress int) bool
}

// judgeUnder is a [judge] for the runs that count.
type judgeUnder struct {
	prospects
	model     *lts.LTS
	initial   int
	next      func(progress int, l lts.Label) int
	reachable map[lts.State]bool
}

// newJudgeUnder returns a judge of runs that count. A progress is a number below progresses, and is
// initial when a run begins; next returns the progress after a transition.
func newJudgeUnder(
	model *lts.LTS,
	fates prospects,
	initial, progresses int,
	next func(int, lts.Label) int,
) *judgeUnder {
	j := &judgeUnder{fates, model, initial, next, map[lts.State]bool{}}
	for s := range lts.State(model.NumStates()) {
		for progress := range progresses {
			if fates.Reached(s, progress) {
				j.reachable[s] = true
			}
		}
	}
	return j
}

func (j *judgeUnder) Satisfied() bool {
	_, reject := j.Can(j.model.Initial(), j.initial)
	return !reject
}

func (j *judgeUnder) Free(s lts.State, progress int) bool {
	accept, reject := j.Can(s, progress)
	return accept || !reject
}
func (j *judgeUnder) Arrives(s lts.State, progress int) bool { return j.Reached(s, progress) }
func (j *judgeUnder) Advance(progress int, l lts.Label) int  { return j.next(progress, l) }
func (j *judgeUnder) Reachable(s lts.State) bool             { return j.reachable[s] }
func (j *judgeUnder) ShortestLength() (int, bool)            { return 0, false }
func (j *judgeUnder) Out(s lts.State) []lts.Transition {
	var out []lts.Transition
	for t := range j.model.Transitions() {
		if t.From == s && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (j *judgeUnder) Count() (of map[oracle.Class]int, all int) {
	of = map[oracle.Class]int{}
	for t := range j.model.Transitions() {
		if j.reachable[t.From] {
			of[j.Class(t)]++
			all++
		}
	}
	return of, all
}

// ClassAfter returns what is possible after t: it is excluded if no run that counts continues there.
func (j *judgeUnder) ClassAfter(progress int, t lts.Transition) oracle.Class {
	accept, reject := j.Can(t.To, j.next(progress, t.Label))
	switch {
	case !accept && !reject:
		return excluded
	case !reject:
		return oracle.Correct
	case !accept:
		return oracle.Incorrect
	}
	return oracle.Neutral
}

// Neighbourhoods returns the states whose incoming transitions are all neutral, and that have an
// outgoing one that is not, with their kinds.
func (j *judgeUnder) Neighbourhoods(oracle.Reading) map[lts.State]oracle.Kind {
	kinds := map[lts.State]oracle.Kind{}
	for s := range j.reachable {
		allEnterNeutral := true
		leaving := map[oracle.Class]bool{}
		for t := range j.model.Transitions() {
			if !j.reachable[t.From] {
				continue
			}
			if t.To == s {
				allEnterNeutral = allEnterNeutral && j.Class(t) == oracle.Neutral
			}
			if t.From == s {
				leaving[j.Class(t)] = true
			}
		}
		correct := leaving[oracle.Correct]
		incorrect := leaving[oracle.Incorrect]
		isNeighbourhood := allEnterNeutral && (correct || incorrect)
		switch {
		case !isNeighbourhood:
		case correct && incorrect && leaving[oracle.Neutral]:
			kinds[s] = oracle.KindMixedNeutral
		case correct && incorrect:
			kinds[s] = oracle.KindMixed
		case correct:
			kinds[s] = oracle.KindCorrect
		default:
			kinds[s] = oracle.KindIncorrect
		}
	}
	return kinds
}

var (
	unneeded    = regexp.MustCompile(`^No assumption is needed: it holds on every run\.$`)
	allNeeded   = regexp.MustCompile(`^(?:All are needed: (weak|strong) fairness to fewer of them is not enough|It holds on every run that is (weak|strong)ly fair to all of them; fairness to fewer of them is not enough)\.$`)
	enough      = regexp.MustCompile("^(?:Of what was assumed, (weak|strong) fairness to|It holds on every run that is also (weak|strong)ly fair to) (`.+?)(?: is enough)?(?:; likewise (.+) in (?:its|their) place)?\\.$")
	severalMore = regexp.MustCompile(`(\d+) other (?:actions|pairs|sets)`)
)

// checkEnough checks which of the given fairness tasks a sentence calls sufficient; each task has one
// label. The parts m of the sentence are those of [unneeded], [allNeeded] or [enough].
func checkEnough(
	m []string,
	a *lts.Alphabet,
	tasks []oracle.FairTask,
	holds func(oracle.Assumption) bool,
) error {
	saysNoneNeeded := len(m) == 1
	saysAllNeeded := len(m) == 3
	holdsAsAssumed := holds(oracle.Assumption{Tasks: tasks})
	strong := tasks[0].Strong || !holdsAsAssumed
	var base []oracle.FairTask
	if !holdsAsAssumed {
		base = tasks // the assumed tasks stay assumed
	}
	smallest := smallestTasks(a, base, tasks, strong, holds)
	if len(smallest) == 0 {
		return errors.New("no set is enough")
	}
	size := len(smallest[0])
	saysAsAssumed := strings.HasPrefix(m[0], "Of ") || strings.HasPrefix(m[0], "All ") || saysNoneNeeded
	err := want(saysAsAssumed == holdsAsAssumed, "it holds under what was asked for: %t", holdsAsAssumed)
	if saysNoneNeeded {
		return errors.Join(err, want(size == 0, "needed are %v", smallest))
	}
	saysStrong := m[1] == "strong" || m[2] == "strong"
	err = errors.Join(err, want(saysStrong == strong, "strong fairness is meant: %t", strong))
	if saysAllNeeded {
		return errors.Join(err, want(size == len(tasks) && size > 1, "enough are %v", smallest))
	}
	first := m[3]
	alternatives := m[4]
	var names []string
	for _, l := range regexp.MustCompile(label).FindAllString(first+" "+alternatives, -1) {
		names = append(names, text(l))
	}
	omitted := 0
	if m := severalMore.FindStringSubmatch(alternatives); m != nil {
		omitted = number(m[1])
	}
	listed := len(smallest) - omitted
	if size == 0 || len(names) != size*listed {
		return fmt.Errorf("enough are %v", smallest)
	}
	for i := range listed {
		set := names[i*size : (i+1)*size]
		err = errors.Join(err, want(slices.Equal(set, smallest[i]), "enough are %v", smallest))
	}
	return err
}

// smallestTasks returns the smallest sets of tasks that are enough beside those of base, by their labels, in
// alphabetical order. The tasks are taken as strong or weak ones, whatever they are.
func smallestTasks(
	a *lts.Alphabet,
	base, tasks []oracle.FairTask,
	strong bool,
	holds func(oracle.Assumption) bool,
) (smallest [][]string) {
	for size := 0; size <= len(tasks) && smallest == nil; size++ {
		for _, chosen := range subsets(tasks, size) {
			for i := range chosen {
				chosen[i].Strong = strong
			}
			if holds(oracle.Assumption{Tasks: slices.Concat(base, chosen)}) {
				smallest = append(smallest, labelsOfTasks(a, chosen))
			}
		}
	}
	slices.SortFunc(smallest, slices.Compare)
	return smallest
}

// subsets returns the sets of this many of some tasks.
func subsets(tasks []oracle.FairTask, size int) [][]oracle.FairTask {
	var all [][]oracle.FairTask
	for set := range 1 << len(tasks) {
		if bits.OnesCount(uint(set)) != size {
			continue
		}
		var chosen []oracle.FairTask
		for i, task := range tasks {
			if has(set, i) {
				chosen = append(chosen, task)
			}
		}
		all = append(all, chosen)
	}
	return all
}

// labelsOfTasks returns the labels of some tasks, in alphabetical order.
func labelsOfTasks(a *lts.Alphabet, tasks []oracle.FairTask) []string {
	texts := []string{}
	for _, task := range tasks {
		for l := range task.Labels {
			texts = append(texts, a.Text(l))
		}
	}
	slices.Sort(texts)
	return texts
}
