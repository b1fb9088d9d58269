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
	likeForm  = regexp.MustCompile("^forbid (" + label + `) (?:to state (\d+) )?in state (\d+)(?: \(step (\d+) of this run\))?, and (\d+) (more like it|other transitions?)$`)
	countForm = regexp.MustCompile("(" + label + `) \((\d+) transitions?\)`)
	moreForm  = regexp.MustCompile(`(\d+) other actions?$`)
	cutPlace  = regexp.MustCompile("^(?:(" + label + `) )?(?:to state (\d+) )?in state (\d+)(?: \(step (\d+) of this run\))?$`)
)

// remainder is the part of the product that runs reach if some moves are forbidden.
type remainder struct {
	states map[lts.State]bool
	labels map[string]bool
}

// remainderWithout explores the product without the moves that are gone.
func (g *game) remainderWithout(gone map[move]bool) remainder {
	found := remainder{map[lts.State]bool{}, map[string]bool{}}
	visited := map[position]bool{}
	for todo := []position{g.initial()}; len(todo) > 0; todo = todo[1:] {
		a := todo[0]
		if visited[a] {
			continue
		}
		visited[a] = true
		found.states[a.state] = true
		for _, t := range g.judge.Out(a.state) {
			if !gone[move{t, a.done}] {
				found.labels[g.labelText(t.Label)] = true
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

// checkRemainder takes the clause about what a change leaves from a text, and checks it: the number of
// states that stay reachable, if there are fewer, and the labels that no longer happen.
func (g *game) checkRemainder(said string, gone map[move]bool) (rest string, err error) {
	before := g.remainderWithout(nil)
	after := g.remainderWithout(gone)
	isSmaller, lost := g.losses(before, after, gone)
	m := costOf(said)
	if m == nil {
		return said, want(!isSmaller && len(lost) == 0, "%d of %d states stay, and %v is lost",
			len(after.states), len(before.states), lost)
	}
	kept := m[2]
	all := m[3]
	lostList := m[4]
	err = errors.Join(want((kept != "") == isSmaller, "it keeps %d of %d states", len(after.states), len(before.states)),
		want((lostList != "") == (len(lost) > 0), "%v is lost", lost))
	if kept != "" {
		isSingular := strings.Contains(said, " states stays ")
		hasNumbers := number(kept) == len(after.states) && number(all) == len(before.states)
		err = errors.Join(err,
			want(isSingular == (len(after.states) == 1), "%q is no good grammar", said),
			want(hasNumbers, "it keeps %d of %d states", len(after.states), len(before.states)))
	}
	told := 0
	for _, l := range regexp.MustCompile(label).FindAllString(lostList, -1) {
		told++
		err = errors.Join(err, want(slices.Contains(lost, l), "%s still happens", l))
	}
	unlisted := moreForm.FindStringSubmatch(lostList)
	if unlisted != nil {
		told += number(unlisted[1])
	}
	return m[1], errors.Join(err, want(told == len(lost), "%v is lost", lost))
}

// losses returns what a text must say about a change: whether states become unreachable, besides
// the targets of forbidden moves, and the labels that no longer happen, besides those that are
// forbidden or prohibited.
func (g *game) losses(before, after remainder, gone map[move]bool) (isSmaller bool, labels []string) {
	targets := map[lts.State]bool{}
	forbidden := map[string]bool{}
	for x := range gone {
		forbidden[g.labelText(x.Label)] = true
		if !after.states[x.To] {
			targets[x.To] = true
		}
	}
	isSmaller = len(after.states)+len(targets) < len(before.states)
	for text := range before.labels {
		l, _ := g.Model.Alphabet().Lookup(text)
		// The end of a scope is not prohibited by what is forbidden in the scope.
		isMissed := !g.prohibited[l] || g.allowed[l] || g.hasScope()
		if !after.labels[text] && !forbidden[text] && isMissed {
			labels = append(labels, "`"+text+"`")
		}
	}
	return isSmaller, labels
}

// checkShortForm checks a text that says in short what must be forbidden; isShort is false if it has
// another form.
func (g *game) checkShortForm(said string, expected map[move]bool) (isShort bool, err error) {
	transitions := map[lts.Transition]bool{}
	for x := range expected {
		transitions[x.Transition] = true
	}
	m := likeForm.FindStringSubmatch(said)
	if m != nil {
		return true, g.checkOneLike(m, transitions)
	}
	if rules, areRules := g.rulesIn(said); areRules {
		return true, g.checkRules(rules, expected)
	}
	if strings.HasPrefix(said, "in ") {
		return true, g.checkOnlyMay(said, transitions)
	}
	counts := countForm.FindAllStringSubmatch(said, -1)
	if counts == nil {
		return false, nil
	}
	return true, g.checkLabelCounts(said, counts, transitions)
}

// checkNotEnough takes the clause that a change needs three or more transitions from a text, and
// checks it.
func (g *game) checkNotEnough(said string) (rest string, err error) {
	rest, hasClause := strings.CutPrefix(said, "one or two transitions are not enough: ")
	if !hasClause {
		return said, nil
	}
	g.Understood["not enough"]++
	var all []lts.Transition
	for t := range g.Model.Transitions() {
		if !g.cannotForbid(t.Label) {
			all = append(all, t)
		}
	}
	for i, first := range all {
		for _, second := range all[i:] {
			if g.holdsWithout(first, second) {
				return rest, fmt.Errorf("it holds without %v and %v", first, second)
			}
		}
	}
	return rest, nil
}

// checkLabelCounts checks a text that counts the forbidden transitions of each label.
func (g *game) checkLabelCounts(said string, counts [][]string, transitions map[lts.Transition]bool) error {
	byLabel := map[string]int{}
	for t := range transitions {
		byLabel[g.quote(t.Label)]++
	}
	var err error
	for _, m := range counts {
		label := m[1]
		n := number(m[2])
		err = errors.Join(err, want(byLabel[label] == n, "%d transitions %s are", byLabel[label], label))
	}
	unlisted := 0
	if m := moreForm.FindStringSubmatch(said); m != nil {
		unlisted = number(m[1])
	}
	return errors.Join(err, want(len(byLabel) == len(counts)+unlisted, "%d labels are", len(byLabel)))
}

// checkOneLike checks a text that names one of the transitions that must be forbidden, and counts the others.
func (g *game) checkOneLike(m []string, transitions map[lts.Transition]bool) error {
	label := m[1]
	target := m[2]
	source := number(m[3])
	step := m[4]
	others := number(m[5])
	isNamed := func(t lts.Transition) bool {
		hasTarget := target == "" || int(t.To) == number(target)
		return g.quote(t.Label) == label && int(t.From) == source && hasTarget
	}
	err := want(others == len(transitions)-1, "%d transitions are forbidden", len(transitions))
	if m[6] == "more like it" {
		for t := range transitions {
			err = errors.Join(err, want(g.quote(t.Label) == label, "%v is not like it", t))
		}
	}
	if step != "" {
		t := g.Run.Transitions[number(step)-1]
		return errors.Join(err, want(transitions[t] && isNamed(t), "step %s is another", step))
	}
	forbidden := 0
	for t := range transitions {
		if isNamed(t) {
			forbidden++
		}
	}
	all := 0
	for _, t := range g.judge.Out(lts.State(source)) {
		if isNamed(t) {
			all++
		}
	}
	return errors.Join(err,
		want(forbidden > 0 && forbidden == all, "%d of %d such transitions are forbidden", forbidden, all))
}

// checkOnlyMay checks rules that name the only labels that may happen in some states: there, exactly the
// transitions with other labels must be forbidden.
func (g *game) checkOnlyMay(said string, transitions map[lts.Transition]bool) error {
	allowed := g.allowedLabels(transitions)
	covered := 0
	for _, m := range ruleForm.FindAllStringSubmatch(said, -1) {
		listed := m[1]
		counted := number(m[2])
		may := map[string]bool{}
		for _, l := range regexp.MustCompile(label).FindAllString(m[3], -1) {
			may[l] = true
		}
		states := statesThatAllow(allowed, may)
		areThese := len(states) == counted
		if listed != "" {
			areThese = slices.Equal(states, numbers(listed))
		}
		if !areThese {
			return fmt.Errorf("only %v may happen in %v", may, states)
		}
		covered += len(states)
	}
	for t := range transitions {
		if allowed[t.From][g.quote(t.Label)] {
			return fmt.Errorf("%v is forbidden, and another with its label is not", t)
		}
	}
	return want(covered == len(allowed), "%d states are told, of %d", covered, len(allowed))
}

// allowedLabels returns, for each state with a forbidden transition, the labels of its other
// transitions.
func (g *game) allowedLabels(forbidden map[lts.Transition]bool) map[lts.State]map[string]bool {
	allowed := map[lts.State]map[string]bool{}
	for t := range forbidden {
		allowed[t.From] = map[string]bool{}
	}
	for s := range allowed {
		for _, t := range g.judge.Out(s) {
			if !forbidden[t] {
				allowed[s][g.quote(t.Label)] = true
			}
		}
	}
	return allowed
}

// statesThatAllow returns the states that allow exactly these labels, ascending.
func statesThatAllow(allowed map[lts.State]map[string]bool, labels map[string]bool) []int {
	var states []int
	for s, allowedThere := range allowed {
		if maps.Equal(allowedThere, labels) {
			states = append(states, int(s))
		}
	}
	slices.Sort(states)
	return states
}

// checkCut checks a sentence that names one or two transitions without which the property holds.
func (g *game) checkCut(said string) error {
	list := said
	if m := costOf(said); m != nil {
		list = m[1]
	}
	var otherChoices []string // the list of the other choices, if the sentence has one
	if m := otherForm.FindStringSubmatch(list); m != nil {
		list = m[1]
		otherChoices = []string{m[2]}
	}
	cut, err := g.readCut(list)
	if err != nil {
		return err
	}
	err = want(len(cut) <= 2, "%v are many", cut)
	gone := map[move]bool{}
	for _, t := range cut {
		err = errors.Join(err, want(!g.cannotForbid(t.Label), "%v cannot be forbidden", t))
		for _, done := range g.progressValues() {
			gone[move{t, done}] = true
		}
	}
	_, ofRemainder := g.checkRemainder(said, gone)
	err = errors.Join(err, ofRemainder,
		want(g.holdsWithout(cut...), "it does not hold without %v", cut))
	if len(cut) == 1 {
		return errors.Join(err, g.checkOtherChoices(otherChoices, cut[0]))
	}
	return err
}

// readCut reads a list of transitions. A label belongs to all places after it up to the next label.
func (g *game) readCut(list string) ([]lts.Transition, error) {
	var cut []lts.Transition
	label := ""
	for _, part := range splitOutside(list, "`", "in ", "to state ") {
		m := cutPlace.FindStringSubmatch(part)
		if m == nil {
			return nil, fmt.Errorf("%q is no transition", part)
		}
		if m[1] != "" {
			label = m[1]
		}
		target := m[2]
		source := lts.State(number(m[3]))
		step := m[4]
		isKnown := func(t lts.Transition) bool { return slices.Contains(cut, t) }
		meant := slices.DeleteFunc(g.labelledFrom(source, label, target), isKnown)
		if len(meant) == 0 {
			return nil, fmt.Errorf("%q is not in the model", part)
		}
		if step != "" && !slices.Contains(meant, g.Run.Transitions[number(step)-1]) {
			return nil, fmt.Errorf("%q is another step", part)
		}
		cut = append(cut, meant...)
	}
	return cut, nil
}

// labelledFrom returns the transitions with a quoted label from a state, each once. If target is not empty,
// they lead to the state with this number.
func (g *game) labelledFrom(source lts.State, label, target string) []lts.Transition {
	var found []lts.Transition
	for _, t := range g.judge.Out(source) {
		hasTarget := target == "" || number(target) == int(t.To)
		if g.quote(t.Label) == label && hasTarget && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	return found
}

// progressValues returns all numbers of steps done, or states of the property.
func (g *game) progressValues() []int {
	visited := map[int]bool{}
	seen := map[position]bool{}
	for todo := []position{g.initial()}; len(todo) > 0; todo = todo[1:] {
		if seen[todo[0]] {
			continue
		}
		seen[todo[0]] = true
		visited[todo[0].done] = true
		for _, t := range g.judge.Out(todo[0].state) {
			todo = append(todo, g.next(todo[0], t))
		}
	}
	return slices.Sorted(maps.Keys(visited))
}

// checkOtherChoices checks the labels of the other choices from the state of a transition. A sentence
// lists them in lists[0], or lists is nil.
func (g *game) checkOtherChoices(lists []string, t lts.Transition) error {
	others := map[string]bool{}
	isLabelAChoice := false
	for _, x := range g.judge.Out(t.From) {
		isLabelAChoice = isLabelAChoice || x.Label == t.Label && x.To != t.To
		if x.Label != t.Label {
			others[g.quote(x.Label)] = true
		}
	}
	if lists == nil {
		mayOmit := isLabelAChoice || !g.prohibited[t.Label] || len(others) == 0
		return want(mayOmit, "there are other choices: %v", others)
	}
	list := lists[0]
	told := 0
	for _, l := range regexp.MustCompile(label).FindAllString(list, -1) {
		told++
		if !others[l] {
			return fmt.Errorf("%s is no choice in state %d", l, t.From)
		}
	}
	m := moreForm.FindStringSubmatch(list)
	if m != nil {
		told += number(m[1])
	}
	return errors.Join(want(g.prohibited[t.Label], "%v is not prohibited", t),
		want(told == len(others), "the other choices are %v", others))
}

// prohibitedLabels returns the labels that a safety property prohibits: the given ones, and labels after
// which no word satisfies the property although some word did before. It returns none if these are
// more than half of the labels that happen.
func (c *TableChecker) prohibitedLabels() map[lts.Label]bool {
	if c.table.Prohibited == nil {
		return nil
	}
	happening := c.happening()
	losing, isSafe := c.losingLabels(happening)
	if !isSafe {
		return nil
	}
	prohibited := maps.Clone(c.table.Prohibited)
	maps.Copy(prohibited, losing)
	happen := 0
	for l := range prohibited {
		if happening[l] {
			happen++
		}
	}
	areMost := 2*happen > len(happening)
	if happen == 0 || areMost {
		return nil
	}
	return prohibited
}

// allowedLabels returns the labels that some run of the model does, and after which some word can still satisfy the
// property.
func (c *TableChecker) allowedLabels() map[lts.Label]bool {
	allowed := map[lts.Label]bool{}
	allWords, err := c.allWords(c.happening())
	if err != nil {
		return allowed
	}
	a := c.table.Automaton
	fates := oracle.NewGeneral(allWords, a)
	first := productState{c.Model.Initial(), a.Initial}
	visited := map[productState]bool{first: true}
	for open := []productState{first}; len(open) > 0; open = open[1:] {
		for _, t := range c.judge.Out(open[0].s) {
			next := productState{t.To, a.Next(open[0].q, t.Label)}
			accepts, _ := fates.Can(beginOfWords, next.q)
			if !accepts && !a.Stops(next.q) {
				continue
			}
			allowed[t.Label] = true
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return allowed
}

// losingLabels returns the labels after which no word satisfies the property although some word did
// before. isSafe is false if the property is no safety property, or demands that something happens.
func (c *TableChecker) losingLabels(happening map[lts.Label]bool) (losing map[lts.Label]bool, isSafe bool) {
	a := c.table.Automaton
	allWords, err := c.allWords(happening)
	if err != nil {
		return nil, false
	}
	fates := oracle.NewGeneral(allWords, a)
	isLive := func(q int) bool {
		accepts, _ := fates.Can(beginOfWords, q)
		return accepts || a.Stops(q)
	}
	if !isLive(a.Initial) || !isSafety(a, allWords, isLive) {
		return nil, false
	}
	losing = map[lts.Label]bool{}
	for q := range a.States {
		if !fates.Reached(0, q) || !isLive(q) {
			continue
		}
		if !a.Stops(q) {
			return nil, false
		}
		for l := range happening {
			if !isLive(a.Next(q, l)) {
				losing[l] = true
			}
		}
	}
	return losing, true
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
		for _, t := range c.judge.Out(todo[0]) {
			labels[t.Label] = true
			todo = append(todo, t.To)
		}
	}
	return labels
}

// In the model of [TableChecker.allWords], each word begins in beginOfWords, and each finite word ends in
// endOfWords.
const (
	beginOfWords lts.State = iota
	endOfWords
)

// allWords returns a model whose runs are all words over some labels, finite ones included.
func (c *TableChecker) allWords(labels map[lts.Label]bool) (*lts.LTS, error) {
	var b lts.Builder
	for _, text := range c.Model.Alphabet().All() {
		b.Label(text)
	}
	for l := range labels {
		b.Add(beginOfWords, l, beginOfWords)
		b.Add(beginOfWords, l, endOfWords)
	}
	return b.Build(beginOfWords, 2)
}

// isSafety reports whether the property of an automaton is a safety property: whether each word that
// violates it passes a state that is not live. It decides this by an automaton in which all these
// states are one satisfied state: then no word must violate the property.
func isSafety(a oracle.Automaton, allWords *lts.LTS, isLive func(q int) bool) bool {
	satisfied := a.States
	satisfiedColour := a.Colours
	tolerant := a
	tolerant.States = a.States + 1
	tolerant.Next = func(q int, l lts.Label) int {
		if q == satisfied || !isLive(a.Next(q, l)) {
			return satisfied
		}
		return a.Next(q, l)
	}
	tolerant.Stops = func(q int) bool { return q == satisfied || a.Stops(q) }
	tolerant.Colours = a.Colours + 1
	tolerant.Marks = func(q int, l lts.Label) map[int]bool {
		if q == satisfied {
			return map[int]bool{satisfiedColour: true}
		}
		return a.Marks(q, l)
	}
	tolerant.Accepts = func(colours map[int]bool) bool {
		return colours[satisfiedColour] || a.Accepts(colours)
	}
	_, rejects := oracle.NewGeneral(allWords, tolerant).Can(beginOfWords, a.Initial)
	return !rejects
}

// gamesOfAdvice returns the games that the advice may be about; areFew is false if the opponent has
// too many choices. In the last game, prohibited labels may be forbidden. Before it comes the game
// of a supervisor that leaves prohibited labels alone, and forbids their causes, if that costs
// little more.
func (c *TableChecker) gamesOfAdvice() (games []*game, areFew bool) {
	own, areFew := c.play()
	if !areFew {
		return nil, false
	}
	own, areFew = own.sparing(c.table.Demanded, c.playWith)
	if !areFew {
		return nil, false
	}
	own.prohibited = c.prohibitedLabels()
	own.allowed = c.allowedLabels()
	if own.prohibited == nil || !own.wins[own.initial()] {
		return []*game{own}, true
	}
	notForbidden := maps.Clone(own.prohibited)
	maps.Copy(notForbidden, own.triggers)
	ofCauses, areFew := c.playWith(notForbidden)
	if !areFew {
		return nil, false
	}
	ofCauses.prohibited = own.prohibited
	ofCauses.allowed = own.allowed
	if ofCauses.wins[ofCauses.initial()] && costsLittleMore(ofCauses, own) {
		return []*game{ofCauses, own}, true
	}
	return []*game{own}, true
}

// costsLittleMore reports whether the supervisor of a game leaves nine tenths of the states that the
// supervisor of the other game leaves, and all its labels but prohibited ones.
func costsLittleMore(g, other *game) bool {
	mine := g.remainderWithout(g.forbidden())
	theirs := other.remainderWithout(other.forbidden())
	for text := range theirs.labels {
		l, _ := g.Model.Alphabet().Lookup(text)
		if !mine.labels[text] && !g.prohibited[l] {
			return false
		}
	}
	return 10*len(mine.states) >= 9*len(theirs.states)
}

// checkForbidden checks a sentence about what to forbid. The transitions that it names must be those that a
// supervisor forbids, or a cut: without them the property holds. Under an assumption they must be a cut.
func (c *TableChecker) checkForbidden(m []string) error {
	if c.table.Assume {
		return c.checkForbiddenFairly(m)
	}
	games, few := c.gamesOfAdvice()
	if !few {
		return nil
	}
	var failed []error
	for _, g := range games {
		err := g.checkAdvice(m)
		if err == nil {
			return nil
		}
		failed = append(failed, err)
	}
	for _, g := range games {
		err := g.checkCut(strings.TrimPrefix(m[1], "Forbid "))
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
	g := c.advised()
	failed := g.checkAdvice(m)
	if failed == nil {
		return nil
	}
	err := g.checkCut(strings.TrimPrefix(m[1], "Forbid "))
	if err == nil {
		c.Understood["cut"]++
		return nil
	}
	return errors.Join(failed, err)
}

// checkForbiddenFairly checks a sentence about what to forbid under an assumption: the property then
// holds, and each state from which some run counted still has such a run.
func (c *TableChecker) checkForbiddenFairly(m []string) error {
	g, areFew := c.play()
	if !areFew {
		return nil
	}
	g.prohibited = c.prohibitedLabels()
	g.allowed = c.allowedLabels()
	g.satisfied = c.holdsFairly
	err := g.checkCut(strings.TrimPrefix(m[1], "Forbid "))
	if err == nil {
		c.Understood["fair cut"]++
		return nil
	}
	ofPlain := c.checkForbiddenPlainly(m)
	if ofPlain != nil {
		return errors.Join(err, ofPlain)
	}
	return nil
}

// checkForbiddenPlainly checks a sentence about what to forbid under an assumption that makes the property true of
// all runs or, under full fairness, of the fair ones.
func (c *TableChecker) checkForbiddenPlainly(m []string) error {
	games, areFew := c.gamesOfAdvice()
	if !areFew {
		return nil
	}
	var failed []error
	for _, g := range games {
		err := g.checkAdvice(m)
		if err != nil && c.table.Assumed.Full {
			err = c.checkEnoughFairly(g, m[1])
		}
		if err == nil {
			c.Understood["fair advice"]++
			return nil
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// checkEnoughFairly checks that a sentence forbids what a supervisor forbids, and that the fair runs satisfy the
// property then, although nothing keeps them from staying in a part of the model.
func (c *TableChecker) checkEnoughFairly(g *game, said string) error {
	forbidden := g.forbidden()
	prohibitions, err := g.checkNotEnough(lowerFirst(said))
	if err != nil {
		return err
	}
	prohibitions, err = g.checkOtherTransitions(prohibitions)
	if err != nil {
		return err
	}
	prohibitions, err = g.checkRemainder(prohibitions, forbidden)
	if err != nil {
		return err
	}
	left, err := g.guarded(func(a position, t lts.Transition) bool { return forbidden[move{t, a.done}] })
	if err != nil {
		return err
	}
	fates, areFew := oracle.NewFairGeneral(left, c.table.Automaton, c.table.Assumed)
	if !areFew {
		return nil
	}
	_, rejects := fates.Can(left.Initial(), c.initialProgress)
	return errors.Join(
		want(!rejects, "some run that counts violates it"),
		g.checkProhibitions(prohibitions, forbidden))
}

// holdsFairly reports whether a model from which transitions were removed satisfies the property under the
// assumption, and whether each of its states from which some run counted still has such a run. A model that is
// too large counts as satisfying it.
func (c *TableChecker) holdsFairly(m *lts.LTS) bool {
	fates, areFew := oracle.NewFairGeneral(m, c.table.Automaton, c.table.Assumed)
	if !areFew {
		return true
	}
	accepts, rejects := fates.Can(m.Initial(), c.initialProgress)
	if !accepts || rejects {
		return false
	}
	for s := range lts.State(m.NumStates()) {
		for q := range c.table.Automaton.States {
			acceptedBefore, rejectedBefore := c.fates.Can(s, q)
			accepted, rejected := fates.Can(s, q)
			countedBefore := acceptedBefore || rejectedBefore
			counts := accepted || rejected
			if fates.Reached(s, q) && countedBefore && !counts {
				return false
			}
		}
	}
	return true
}
