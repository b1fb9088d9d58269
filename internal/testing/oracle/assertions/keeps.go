package assertions

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// These are the forms of clauses about what a change leaves, and about other choices.
var (
	keepsForm = regexp.MustCompile("^(.+?)(?:: |; )(?:(\\d+) of (\\d+) states (?:stay|stays) reachable)?(?:, and )?(?:((?:`[^`]*`|[^`:;()])+) no longer happens?)?$")
	otherForm = regexp.MustCompile(`^(.+): (.+) (?:is the other choice|are the other choices)$`)
	ruleForm  = regexp.MustCompile(`in (?:states? ([\d, ]+)|(\d+) states) only (.+?) may happen(?:, and |, |$)`)
	likeForm  = regexp.MustCompile("^forbid (" + label + `) (?:to state (\d+) )?in state (\d+)(?: \(step (\d+) of this run\))?, and (\d+) more like it$`)
	countForm = regexp.MustCompile("(" + label + `) \((\d+) transitions?\)`)
	moreForm  = regexp.MustCompile(`(\d+) other actions?$`)
	cutPlace  = regexp.MustCompile("^(?:(" + label + `) )?(?:to state (\d+) )?in state (\d+)(?: \(step (\d+) of this run\))?$`)
)

// leftOver is the part of the product that runs reach if some moves are forbidden.
type leftOver struct {
	states map[lts.State]bool
	labels map[string]bool
}

// leftBy explores the product without the moves that are gone.
func (g *game) leftBy(gone map[move]bool) leftOver {
	found := leftOver{map[lts.State]bool{}, map[string]bool{}}
	visited := map[at]bool{}
	for todo := []at{g.initial()}; len(todo) > 0; todo = todo[1:] {
		a := todo[0]
		if visited[a] {
			continue
		}
		visited[a] = true
		found.states[a.state] = true
		for _, t := range g.o.Out(a.state) {
			if !gone[move{t, a.done}] {
				found.labels[g.Model.Alphabet().Text(t.Label)] = true
				todo = append(todo, g.next(a, t))
			}
		}
	}
	return found
}

// costOf returns the parts of keepsForm in a text; nil if it says nothing about what a change leaves.
func costOf(said string) []string {
	m := keepsForm.FindStringSubmatch(said)
	if m == nil || m[2] == "" && m[4] == "" {
		return nil
	}
	return m
}

// cutKeeps takes the clause about what a change leaves from a text, and checks it.
func (g *game) cutKeeps(said string, gone map[move]bool) (string, error) {
	before := g.leftBy(nil)
	after := g.leftBy(gone)
	targets := map[lts.State]bool{}
	named := map[string]bool{}
	for x := range gone {
		named[g.Model.Alphabet().Text(x.Label)] = true
		if !after.states[x.To] {
			targets[x.To] = true
		}
	}
	var lost []string
	for l := range before.labels {
		number, _ := g.Model.Alphabet().Lookup(l)
		if !after.labels[l] && !named[l] && !g.prohibited[number] {
			lost = append(lost, "`"+l+"`")
		}
	}
	fewer := len(after.states)+len(targets) < len(before.states)
	if fewer && 2*len(after.states) < len(before.states) {
		lost = nil // the number of states says enough
	}
	m := costOf(said)
	if m == nil {
		return said, want(!fewer && len(lost) == 0, "%d of %d states stay, and %v is lost",
			len(after.states), len(before.states), lost)
	}
	err := errors.Join(want((m[2] != "") == fewer, "it keeps %d of %d states", len(after.states), len(before.states)), want((m[4] != "") == (len(lost) > 0), "%v is lost", lost))
	if m[2] != "" {
		err = errors.Join(err,
			want(strings.Contains(said, " states stays ") == (len(after.states) == 1), "%q is no good grammar", said),
			want(number(m[2]) == len(after.states) && number(m[3]) == len(before.states),
				"it keeps %d of %d states", len(after.states), len(before.states)))
	}
	told := 0
	for _, part := range regexp.MustCompile(label).FindAllString(m[4], -1) {
		told++
		err = errors.Join(err, want(slices.Contains(lost, part), "%s still happens", part))
	}
	if more := moreForm.FindStringSubmatch(m[4]); more != nil {
		told += number(more[1])
	}
	return m[1], errors.Join(err, want(told == len(lost), "%v is lost", lost))
}

// ruled checks a text that says in short what must be forbidden; false if it has another form.
func (g *game) ruled(said string, expected map[move]bool) (bool, error) {
	transitions := map[lts.Transition]bool{}
	for x := range expected {
		transitions[x.Transition] = true
	}
	if m := likeForm.FindStringSubmatch(said); m != nil {
		return true, g.oneLike(m, transitions)
	}
	if rules, is := g.rulesIn(said); is {
		return true, g.follow(rules, expected)
	}
	if strings.HasPrefix(said, "in ") {
		return true, g.onlyMay(said, transitions)
	}
	counts := countForm.FindAllStringSubmatch(said, -1)
	if counts == nil {
		return false, nil
	}
	byLabel := map[string]int{}
	for t := range transitions {
		byLabel["`"+g.Model.Alphabet().Text(t.Label)+"`"]++
	}
	var err error
	for _, m := range counts {
		err = errors.Join(err,
			want(byLabel[m[1]] == number(m[2]), "%d transitions %s are", byLabel[m[1]], m[1]))
	}
	more := 0
	if m := moreForm.FindStringSubmatch(said); m != nil {
		more = number(m[1])
	}
	return true, errors.Join(err,
		want(len(byLabel) == len(counts)+more, "%d labels are", len(byLabel)))
}

// oneLike checks a text that names one of the transitions that must be forbidden, and counts the others.
func (g *game) oneLike(m []string, transitions map[lts.Transition]bool) error {
	isNamed := func(t lts.Transition) bool {
		return "`"+g.Model.Alphabet().Text(t.Label)+"`" == m[1] &&
			int(t.From) == number(m[3]) && (m[2] == "" || int(t.To) == number(m[2]))
	}
	err := want(number(m[5]) == len(transitions)-1, "%d transitions are forbidden",
		len(transitions))
	if m[4] != "" {
		t := g.Run.Transitions[number(m[4])-1]
		return errors.Join(err, want(transitions[t] && isNamed(t), "step %s is another", m[4]))
	}
	named := 0
	for t := range transitions {
		if isNamed(t) {
			named++
		}
	}
	all := 0
	for _, t := range g.o.Out(lts.State(number(m[3]))) {
		if isNamed(t) {
			all++
		}
	}
	return errors.Join(err,
		want(named > 0 && named == all, "%d of %d such transitions are forbidden", named, all))
}

// onlyMay checks rules that name the only labels that may happen in some states: there, exactly the
// transitions with other labels must be forbidden.
func (g *game) onlyMay(said string, transitions map[lts.Transition]bool) error {
	allowed := map[lts.State]map[string]bool{}
	for t := range transitions {
		allowed[t.From] = map[string]bool{}
	}
	for s := range allowed {
		for _, t := range g.o.Out(s) {
			if !transitions[t] {
				allowed[s]["`"+g.Model.Alphabet().Text(t.Label)+"`"] = true
			}
		}
	}
	covered := 0
	for _, m := range ruleForm.FindAllStringSubmatch(said, -1) {
		may := map[string]bool{}
		for _, l := range regexp.MustCompile(label).FindAllString(m[3], -1) {
			may[l] = true
		}
		var in []int
		for s, labels := range allowed {
			if maps.Equal(labels, may) {
				in = append(in, int(s))
			}
		}
		slices.Sort(in)
		if m[1] != "" && !slices.Equal(in, numbers(m[1])) ||
			m[1] == "" && number(m[2]) != len(in) {
			return fmt.Errorf("only %v may happen in %v", may, in)
		}
		covered += len(in)
	}
	for t := range transitions {
		if allowed[t.From]["`"+g.Model.Alphabet().Text(t.Label)+"`"] {
			return fmt.Errorf("%v is forbidden, and another with its label is not", t)
		}
	}
	return want(covered == len(allowed), "%d states are told, of %d", covered, len(allowed))
}

// cutInWords checks a sentence that names one or two transitions without which the property holds.
func (g *game) cutInWords(said string) error {
	body := said
	if m := costOf(said); m != nil {
		body = m[1]
	}
	var ways []string
	if m := otherForm.FindStringSubmatch(body); m != nil {
		body = m[1]
		ways = []string{m[2]}
	}
	var without []lts.Transition
	head := ""
	for _, part := range outside(body, "`", "in ", "to state ") {
		m := cutPlace.FindStringSubmatch(part)
		if m == nil {
			return fmt.Errorf("%q is no transition", part)
		}
		if m[1] != "" {
			head = m[1]
		}
		var those []lts.Transition
		for _, t := range g.o.Out(lts.State(number(m[3]))) {
			if "`"+g.Model.Alphabet().Text(t.Label)+"`" == head &&
				(m[2] == "" || number(m[2]) == int(t.To)) && !slices.Contains(those, t) &&
				!slices.Contains(without, t) {
				those = append(those, t)
			}
		}
		if len(those) == 0 {
			return fmt.Errorf("%q is not in the model", part)
		}
		if m[4] != "" && !slices.Contains(those, g.Run.Transitions[number(m[4])-1]) {
			return fmt.Errorf("%q is another step", part)
		}
		without = append(without, those...)
	}
	gone := map[move]bool{}
	err := want(len(without) <= 2, "%v are many", without)
	for _, t := range without {
		err = errors.Join(err, want(!g.inner(t.Label), "%v cannot be forbidden", t))
		for _, done := range g.done() {
			gone[move{t, done}] = true
		}
	}
	_, of := g.cutKeeps(said, gone)
	err = errors.Join(err, of,
		want(g.holdsWithout(without...), "it does not hold without %v", without))
	if len(without) == 1 {
		return errors.Join(err, g.areWays(ways, without[0]))
	}
	return err
}

// done returns all numbers of steps done, or states of the property.
func (g *game) done() []int {
	visited := map[int]bool{}
	seen := map[at]bool{}
	for todo := []at{g.initial()}; len(todo) > 0; todo = todo[1:] {
		if seen[todo[0]] {
			continue
		}
		seen[todo[0]] = true
		visited[todo[0].done] = true
		for _, t := range g.o.Out(todo[0].state) {
			todo = append(todo, g.next(todo[0], t))
		}
	}
	return slices.Sorted(maps.Keys(visited))
}

// areWays checks the labels of the other choices from the state of a transition.
func (g *game) areWays(said []string, t lts.Transition) error {
	others := map[string]bool{}
	for _, x := range g.o.Out(t.From) {
		if x.Label == t.Label && x.To != t.To && said == nil {
			return nil // the label itself is a choice
		}
		if x.Label != t.Label {
			others["`"+g.Model.Alphabet().Text(x.Label)+"`"] = true
		}
	}
	if said == nil {
		return want(!g.prohibited[t.Label] || len(others) == 0, "there are other choices: %v",
			others)
	}
	told := 0
	for _, l := range regexp.MustCompile(label).FindAllString(said[0], -1) {
		told++
		if !others[l] {
			return fmt.Errorf("%s is no choice in state %d", l, t.From)
		}
	}
	if m := moreForm.FindStringSubmatch(said[0]); m != nil {
		told += number(m[1])
	}
	return errors.Join(want(g.prohibited[t.Label], "%v is not prohibited", t),
		want(told == len(others), "the other choices are %v", others))
}

// prohibits returns the labels that a safety property prohibits: the given ones, and labels after
// which no word satisfies the property although some word did before. It returns none if these are
// more than half of the labels that happen.
func (c *TableChecker) prohibits() map[lts.Label]bool {
	if c.t.Prohibited == nil {
		return nil
	}
	a := c.t.Automaton
	happening := c.happening()
	all, err := c.allWords(happening)
	if err != nil {
		return nil
	}
	words := oracle.NewGeneral(all, a)
	live := func(q int) bool {
		accept, _ := words.Can(0, q)
		return accept || a.Stops(q)
	}
	if !live(a.Initial) || !isSafety(a, all, live) {
		return nil
	}
	found := maps.Clone(c.t.Prohibited)
	for q := range a.States {
		if !words.Reached(0, q) || !live(q) {
			continue
		}
		if !a.Stops(q) {
			return nil // something has to happen, too
		}
		for l := range happening {
			if !live(a.Next(q, l)) {
				found[l] = true
			}
		}
	}
	foundHappening := 0
	for l := range found {
		if happening[l] {
			foundHappening++
		}
	}
	if foundHappening == 0 || 2*foundHappening > len(happening) {
		return nil
	}
	return found
}

// happening returns the labels of the transitions that runs can reach.
func (c *TableChecker) happening() map[lts.Label]bool {
	labels := map[lts.Label]bool{}
	visited := map[lts.State]bool{}
	for todo := []lts.State{c.Model.Initial()}; len(todo) > 0; todo = todo[1:] {
		if visited[todo[0]] {
			continue
		}
		visited[todo[0]] = true
		for _, t := range c.o.Out(todo[0]) {
			labels[t.Label] = true
			todo = append(todo, t.To)
		}
	}
	return labels
}

// allWords returns a model whose runs are all words over some labels, finite ones included.
func (c *TableChecker) allWords(labels map[lts.Label]bool) (*lts.LTS, error) {
	var b lts.Builder
	for _, text := range c.Model.Alphabet().All() {
		b.Label(text)
	}
	for l := range labels {
		b.Add(0, l, 0)
		b.Add(0, l, 1)
	}
	return b.Build(0, 2)
}

// isSafety reports whether the property of an automaton is a safety property: whether each word that
// violates it passes a state that is not live. If all these states count as satisfied, then no word
// violates the property.
func isSafety(a oracle.Automaton, words *lts.LTS, live func(q int) bool) bool {
	tolerant := a
	tolerant.States = a.States + 1
	sink := a.States
	tolerant.Next = func(q int, l lts.Label) int {
		if q == sink || !live(a.Next(q, l)) {
			return sink
		}
		return a.Next(q, l)
	}
	tolerant.Stops = func(q int) bool { return q == sink || a.Stops(q) }
	tolerant.Colours = a.Colours + 1
	tolerant.Marks = func(q int, l lts.Label) map[int]bool {
		if q == sink {
			return map[int]bool{a.Colours: true}
		}
		return a.Marks(q, l)
	}
	tolerant.Accepts = func(colours map[int]bool) bool {
		return colours[a.Colours] || a.Accepts(colours)
	}
	_, reject := oracle.NewGeneral(words, tolerant).Can(0, a.Initial)
	return !reject
}

// advised returns the games by which the advice may be read. If a supervisor that leaves the
// prohibited labels alone, and forbids their causes, costs little more, the game of that supervisor
// comes first; then comes the game in which the prohibited labels may be forbidden.
func (c *TableChecker) advised() ([]*game, bool) {
	own, few := c.play()
	if !few {
		return nil, false
	}
	own.prohibited = c.prohibits()
	if own.prohibited == nil || !own.wins[own.initial()] {
		return []*game{own}, true
	}
	fixed := maps.Clone(own.prohibited)
	maps.Copy(fixed, c.t.Triggers)
	causes, few := c.playWith(fixed)
	if !few {
		return nil, false
	}
	causes.prohibited = own.prohibited
	if !causes.wins[causes.initial()] {
		return []*game{own}, true
	}
	before := own.leftBy(own.forbidden())
	after := causes.leftBy(causes.forbidden())
	enough := 10*len(after.states) >= 9*len(before.states)
	for l := range before.labels {
		number, _ := c.Model.Alphabet().Lookup(l)
		enough = enough && (after.labels[l] || own.prohibited[number])
	}
	if enough {
		return []*game{causes, own}, true
	}
	return []*game{own}, true
}

// checkForbidden checks a sentence about what to forbid. The transitions that it names must be those that a
// supervisor forbids, or a cut: without them the property holds. Under an assumption they must be a cut.
func (c *TableChecker) checkForbidden(m []string) error {
	if c.t.Assume {
		return c.checkForbiddenFairly(m)
	}
	games, few := c.advised()
	if !few {
		return nil
	}
	var failed []error
	for _, g := range games {
		err := g.advice(m)
		if err == nil {
			return nil
		}
		failed = append(failed, err)
	}
	for _, g := range games {
		err := g.cutInWords(strings.TrimPrefix(m[1], "Forbid "))
		if err == nil {
			c.Understood["cut"]++
			return nil
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// checkForbidden checks a sentence about what to forbid. The transitions that it names must be those that a
// supervisor forbids, or a cut: without them the property holds.
func (c *Checker) checkForbidden(m []string) error {
	g := c.play()
	failed := g.advice(m)
	if failed == nil {
		return nil
	}
	err := g.cutInWords(strings.TrimPrefix(m[1], "Forbid "))
	if err == nil {
		c.Understood["cut"]++
		return nil
	}
	return errors.Join(failed, err)
}

// checkForbiddenFairly checks a sentence about what to forbid under an assumption: the property then
// holds, and each state from which some run counted still has such a run.
func (c *TableChecker) checkForbiddenFairly(m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	g.prohibited = c.prohibits()
	g.satisfied = func(left *lts.LTS) bool {
		under, few := oracle.NewFairGeneral(left, c.t.Automaton, c.t.Assumed)
		if !few {
			return true
		}
		accept, reject := under.Can(left.Initial(), c.initial)
		if !accept || reject {
			return false
		}
		for s := range lts.State(left.NumStates()) {
			for q := range c.t.Automaton.States {
				before, counted := c.g.Can(s, q)
				after, counts := under.Can(s, q)
				if under.Reached(s, q) && (before || counted) && !after && !counts {
					return false
				}
			}
		}
		return true
	}
	c.Understood["fair cut"]++
	return g.cutInWords(strings.TrimPrefix(m[1], "Forbid "))
}
