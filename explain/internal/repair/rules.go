package repair

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// Rule says where some transitions are forbidden. It applies in certain states of the property;
// there, the transitions are forbidden exactly where Past, Values and States say so. It holds for
// all runs of the guarded model.
type Rule struct {
	// Labels are the forbidden labels, ascending, as [lts.Alphabet.Plain] returns them; nil if all
	// transitions into the states of Into are forbidden.
	Labels []lts.Label
	Into   []lts.State
	// Past is a condition on what has been done, and Values are conditions on the values of the
	// state, that hold when the labels are forbidden. States are the states in which they are
	// forbidden. Each is nil if it does not matter.
	Past   *Past
	Values []Condition
	States []lts.State
	// Progress are the property states in which the rule applies. Comes are the property states in
	// which its transitions are possible on runs of the guarded model. Both are ascending. With
	// Into, and for a chain, they are the property states after the transitions.
	Progress, Comes []int
}

// Past is the condition that, of two actions, After was done later than Until. It holds from each
// After until the next Until. If Begins is set, it also holds from the beginning until the first
// Until. If HasAfter or HasUntil is false, there is no such action.
type Past struct {
	After, Until       lts.Label
	HasAfter, HasUntil bool
	Begins             bool
}

// next reports whether the condition holds after an action, given whether it holds before.
func (p Past) next(holds bool, l lts.Label) bool {
	switch {
	case p.HasAfter && l == p.After:
		return true
	case p.HasUntil && l == p.Until:
		return false
	}
	return holds
}

// Condition is the condition that a parameter has the value Value or, if Differs is set, any other
// value.
type Condition struct {
	Parameter int
	Value     lts.Value
	Differs   bool
}

// These are the limits of rules. There are at most MostRules rules with at most mostRuled labels
// each. A rule names at most mostStates states, either states in which labels are forbidden or
// states that must not be entered. The search for a rule about the past visits at most workForRules
// transitions; repeated visits count.
const (
	MostRules    = 4
	mostRuled    = 4
	mostStates   = 3
	workForRules = 1_000_000
)

// Rules returns rules that forbid what the repair does: one rule about labels, one rule about
// states that must not be entered, or several rules about labels. It returns nil if at most
// MostRules rules are not enough, or if the search takes too much work. valueOf returns the value
// of a parameter in a state. Cost O(size of the product), and up to workForRules.
func (r *Repair) Rules(
	ctx context.Context,
	parameters int,
	valueOf func(s lts.State, parameter int) lts.Value,
) ([]Rule, error) {
	if len(r.Never) == 0 {
		return nil, nil
	}
	x := &ruling{
		game:       r.game,
		ctx:        ctx,
		parameters: parameters,
		valueOf:    valueOf,
		budget:     workForRules,
	}
	byLabels, err := x.rulesAboutLabels(r.forbiddenLabels())
	if err != nil || len(byLabels) == 1 {
		return byLabels, err
	}
	byTargets, found := x.ruleAboutTargets(r.Never)
	if found {
		return []Rule{byTargets}, nil
	}
	return byLabels, nil
}

// rulesAboutLabels returns rules about labels; nil if there are none within the limits.
func (x *ruling) rulesAboutLabels(labels []lts.Label) ([]Rule, error) {
	if len(labels) > MostRules*mostRuled {
		return nil, nil
	}
	x.findPlaces(labels)
	var rules []Rule
	for i := range x.labels {
		rule, found, err := x.firstFitting(&x.labels[i])
		if err != nil || !found {
			return nil, err
		}
		rules = addRule(rules, rule)
	}
	isLong := func(rule Rule) bool { return len(rule.Labels) > mostRuled }
	if len(rules) > MostRules || slices.ContainsFunc(rules, isLong) {
		return nil, nil
	}
	return rules, nil
}

// forbiddenLabels returns the labels of forbidden transitions, in the order of these transitions.
func (r *Repair) forbiddenLabels() (labels []lts.Label) {
	a := r.game.m.Alphabet()
	for _, g := range r.Never {
		l := a.Plain(g.Transition.Label)
		if !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// addRule adds a rule about one label to rules. If one of these differs from the new rule only in
// labels, it gets the label of the new rule instead.
func addRule(rules []Rule, rule Rule) []Rule {
	for i := range rules {
		if rules[i].differsOnlyInLabels(rule) {
			rules[i].Labels = append(rules[i].Labels, rule.Labels...)
			return rules
		}
	}
	return append(rules, rule)
}

// differsOnlyInLabels reports whether two rules differ only in their labels.
func (rule Rule) differsOnlyInLabels(other Rule) bool {
	bothHavePast := rule.Past != nil && other.Past != nil
	isSamePast := rule.Past == other.Past || bothHavePast && *rule.Past == *other.Past
	isSamePlace := slices.Equal(rule.Values, other.Values) && slices.Equal(rule.States, other.States)
	isSameProgress := slices.Equal(rule.Progress, other.Progress) &&
		slices.Equal(rule.Comes, other.Comes)
	return isSamePast && isSamePlace && isSameProgress
}

// ruling is the search for the rules of a repair.
type ruling struct {
	*game
	ctx        context.Context
	parameters int
	valueOf    func(s lts.State, parameter int) lts.Value
	labels     []ruledLabel
	// budget is the number of transitions that the search may still visit.
	budget int
	// avoided has the results of avoiding so far: for each label, the product states that runs
	// reach without it.
	avoided map[lts.Label]bitset.Set[lts.State]
}

// ruledLabel is a label with the product states of the guarded model where it is possible.
type ruledLabel struct {
	label lts.Label
	// forbidden are the product states where some transition with the label is forbidden; allowed are
	// those where some is allowed. Transitions with one label and different targets can differ in this.
	forbidden, allowed []lts.State
}

// ruleAboutTargets returns the rule that the targets of all forbidden transitions must not be entered. It
// returns false if there are too many targets, or if some allowed transition leads to one of them.
func (x *ruling) ruleAboutTargets(never []Guard) (Rule, bool) {
	rule := Rule{}
	for _, g := range never {
		if !slices.Contains(rule.Into, g.Transition.To) {
			rule.Into = append(rule.Into, g.Transition.To)
		}
		if len(rule.Into) > mostStates {
			return Rule{}, false
		}
	}
	slices.Sort(rule.Into)
	isChain := x.unfolding.Property().Steps() > 0
	var forbidden, allowed []lts.State
	for s := range x.guarded.All {
		labels, targets := x.m.Out(s)
		for i, to := range targets {
			if !slices.Contains(rule.Into, x.unfolding.At(to).State) {
				continue
			}
			place := s // its property state is that of the rule
			if isChain {
				place = to
			}
			if x.allows(s, labels.At(i), to) {
				allowed = append(allowed, place)
			} else {
				forbidden = append(forbidden, place)
			}
		}
	}
	rule.Progress = x.progressOf(forbidden)
	rule.Comes = x.progressOf(forbidden, allowed)
	isMixed := slices.ContainsFunc(allowed, func(s lts.State) bool {
		return slices.Contains(rule.Progress, int(x.unfolding.At(s).Q))
	})
	return rule, !isMixed
}

// progressOf returns the property states of the product states in some lists, ascending.
func (x *ruling) progressOf(lists ...[]lts.State) []int {
	var progress []int
	for _, list := range lists {
		for _, s := range list {
			q := int(x.unfolding.At(s).Q)
			if !slices.Contains(progress, q) {
				progress = append(progress, q)
			}
		}
	}
	slices.Sort(progress)
	return progress
}

// findPlaces finds where the labels are forbidden, and where they are allowed.
func (x *ruling) findPlaces(labels []lts.Label) {
	index := map[lts.Label]int{}
	for i, l := range labels {
		x.labels = append(x.labels, ruledLabel{label: l})
		index[l] = i
	}
	a := x.m.Alphabet()
	addOnce := func(list []lts.State, s lts.State) []lts.State {
		isLast := len(list) > 0 && list[len(list)-1] == s
		if isLast {
			return list
		}
		return append(list, s)
	}
	for s := range x.guarded.All {
		outgoing, targets := x.m.Out(s)
		for i, to := range targets {
			k, isRuled := index[a.Plain(outgoing.At(i))]
			if !isRuled {
				continue
			}
			ruled := &x.labels[k]
			if x.allows(s, outgoing.At(i), to) {
				ruled.allowed = addOnce(ruled.allowed, s)
			} else {
				ruled.forbidden = addOnce(ruled.forbidden, s)
			}
		}
	}
}

// firstFitting returns the first rule that fits a label. It tries these rules in this order: the
// label is forbidden everywhere; in few states; after one action, or before one; where a parameter
// has a value; where, of two actions, a certain one was done last; where two parameters have
// values. Each rule is tried for all states of the property, and then for those in which the label
// is forbidden somewhere.
func (x *ruling) firstFitting(l *ruledLabel) (Rule, bool, error) {
	inAll := Rule{Labels: []lts.Label{l.label}, Comes: x.progressOf(l.forbidden, l.allowed)}
	inAll.Progress = inAll.Comes
	inSome := inAll // only in the property states where the label is forbidden somewhere
	inSome.Progress = x.progressOf(l.forbidden)
	placesInSome := ruledLabel{label: l.label, forbidden: l.forbidden}
	for _, s := range l.allowed {
		if slices.Contains(inSome.Progress, int(x.unfolding.At(s).Q)) {
			placesInSome.allowed = append(placesInSome.allowed, s)
		}
	}
	for _, find := range []func(*ruledLabel, *Rule) (bool, error){
		isEverywhere,
		x.inFewStates,
		x.byOneAction,
		x.byOneValue,
		x.byTwoActions,
		x.byTwoValues,
	} {
		found, err := find(l, &inAll)
		if err != nil || found {
			return inAll, found, err
		}
		isSameQuestion := len(placesInSome.allowed) == len(l.allowed)
		if isSameQuestion {
			continue
		}
		found, err = find(&placesInSome, &inSome)
		if err != nil || found {
			return inSome, found, err
		}
	}
	return Rule{}, false, nil
}

func isEverywhere(l *ruledLabel, _ *Rule) (bool, error) { return len(l.allowed) == 0, nil }

// inFewStates sets the states of a rule to those where the label is forbidden.
func (x *ruling) inFewStates(l *ruledLabel, rule *Rule) (bool, error) {
	isForbiddenIn := map[lts.State]bool{}
	for _, s := range l.forbidden {
		isForbiddenIn[x.unfolding.At(s).State] = true
	}
	isMixed := slices.ContainsFunc(l.allowed, func(s lts.State) bool {
		return isForbiddenIn[x.unfolding.At(s).State]
	})
	if len(isForbiddenIn) > mostStates || isMixed {
		return false, nil
	}
	rule.States = slices.Sorted(maps.Keys(isForbiddenIn))
	return true, nil
}

// byOneAction sets the past of a rule to the condition that one action has been done, or has not
// been done.
func (x *ruling) byOneAction(l *ruledLabel, rule *Rule) (bool, error) {
	for _, action := range x.actions() {
		for _, past := range []Past{
			{After: action, HasAfter: true},
			{Until: action, HasUntil: true, Begins: true},
		} {
			fits, err := x.fits(l, past)
			if err != nil {
				return false, err
			}
			if fits {
				rule.Past = &past
				return true, nil
			}
		}
	}
	return false, nil
}

// byTwoActions sets the past of a rule to the condition that, of two actions, a certain one was
// done last.
func (x *ruling) byTwoActions(l *ruledLabel, rule *Rule) (bool, error) {
	all := x.actions()
	for _, after := range all {
		for _, until := range all {
			if after == until {
				continue
			}
			for _, begins := range []bool{false, true} {
				past := Past{
					After:    after,
					Until:    until,
					HasAfter: true,
					HasUntil: true,
					Begins:   begins,
				}
				fits, err := x.fits(l, past)
				if err != nil {
					return false, err
				}
				if fits {
					rule.Past = &past
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// actions returns the labels of allowed transitions that are not internal, in alphabetical order.
func (x *ruling) actions() (all []lts.Label) {
	a := x.m.Alphabet()
	seen := bitset.New[lts.Label](a.Len())
	for s := range x.guarded.All {
		labels, targets := x.m.Out(s)
		for i, to := range targets {
			l := a.Plain(labels.At(i))
			text := a.Text(l)
			_, begins := a.Facts(l)
			isVisible := text != "i" && text != "tau" && !begins
			if !seen.Has(l) && isVisible && x.allows(s, labels.At(i), to) {
				seen.Add(l)
				all = append(all, l)
			}
		}
	}
	slices.SortFunc(all, func(l, other lts.Label) int {
		return cmp.Compare(a.Text(l), a.Text(other))
	})
	return all
}

// fits reports whether, on every run of the guarded model, the label is forbidden exactly where the
// condition on the past holds.
func (x *ruling) fits(l *ruledLabel, past Past) (bool, error) {
	isPossible, err := x.mayFit(l, past)
	if err != nil || !isPossible {
		return false, err
	}
	if err := x.ctx.Err(); err != nil {
		return false, err
	}
	visited := bitset.New[placeWithPast](2 * x.m.NumStates())
	first := withPast(0, past.Begins)
	visited.Add(first)
	open := []placeWithPast{first}
	a := x.m.Alphabet()
	for len(open) > 0 {
		current := open[len(open)-1]
		open = open[:len(open)-1]
		labels, targets := x.m.Out(current.place())
		x.budget -= len(targets)
		if x.budget < 0 {
			return false, nil
		}
		for i, to := range targets {
			if !x.allows(current.place(), labels.At(i), to) {
				continue
			}
			next := withPast(to, past.next(current.holds(), a.Plain(labels.At(i))))
			if !visited.Has(next) {
				visited.Add(next)
				open = append(open, next)
			}
		}
	}
	isReachedWithout := func(s lts.State) bool { return visited.Has(withPast(s, false)) }
	isReachedWith := func(s lts.State) bool { return visited.Has(withPast(s, true)) }
	isWrong := slices.ContainsFunc(l.forbidden, isReachedWithout) ||
		slices.ContainsFunc(l.allowed, isReachedWith)
	return !isWrong, nil
}

// placeWithPast is a product state, times two, plus one if a condition on the past holds there.
type placeWithPast uint32

func withPast(s lts.State, holds bool) placeWithPast {
	if holds {
		return placeWithPast(2*s + 1)
	}
	return placeWithPast(2 * s)
}

func (p placeWithPast) place() lts.State { return lts.State(p / 2) }
func (p placeWithPast) holds() bool      { return p%2 == 1 }

// mayFit is a quick test whether fits can be true. On runs that never do After, the condition does
// not hold, so the label must not be forbidden there. If Begins is set, the condition holds on runs
// that never do Until, so the label must not be allowed there.
func (x *ruling) mayFit(l *ruledLabel, past Past) (bool, error) {
	without, places := past.After, l.forbidden
	if past.Begins {
		without, places = past.Until, l.allowed
	}
	reached, known := x.avoided[without]
	if !known {
		var err error
		reached, err = x.avoiding(without)
		if err != nil {
			return false, err
		}
	}
	return x.budget >= 0 && !slices.ContainsFunc(places, reached.Has), nil
}

// avoiding returns the product states that runs of the guarded model reach without an action.
func (x *ruling) avoiding(without lts.Label) (bitset.Set[lts.State], error) {
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	reached := bitset.New[lts.State](x.m.NumStates())
	reached.Add(0)
	a := x.m.Alphabet()
	for open := []lts.State{0}; len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		labels, targets := x.m.Out(s)
		x.budget -= len(targets)
		if x.budget < 0 {
			return reached, nil
		}
		for i, to := range targets {
			isAction := a.Plain(labels.At(i)) == without
			if !isAction && !reached.Has(to) && x.allows(s, labels.At(i), to) {
				reached.Add(to)
				open = append(open, to)
			}
		}
	}
	if x.avoided == nil {
		x.avoided = map[lts.Label]bitset.Set[lts.State]{}
	}
	x.avoided[without] = reached
	return reached, nil
}

// byOneValue gives the rule a condition on one parameter: that it has a certain value, or that it has
// any other value. It returns false if no such condition separates the forbidden product states
// from the allowed ones.
func (x *ruling) byOneValue(l *ruledLabel, rule *Rule) (bool, error) {
	for p := range x.parameters {
		forbidden, knowsForbidden := x.valuesIn(l.forbidden, p)
		allowed, knowsAllowed := x.valuesIn(l.allowed, p)
		if !knowsForbidden || !knowsAllowed {
			continue
		}
		isAllowed := func(v lts.Value) bool { return slices.Contains(allowed, v) }
		if slices.ContainsFunc(forbidden, isAllowed) {
			continue
		}
		switch {
		case len(forbidden) == 1:
			rule.Values = []Condition{{Parameter: p, Value: forbidden[0]}}
		case len(allowed) == 1:
			rule.Values = []Condition{{Parameter: p, Value: allowed[0], Differs: true}}
		default:
			continue
		}
		return true, nil
	}
	return false, nil
}

// mostValues is the largest number of values of a parameter that are compared. A parameter with
// more values is not used.
const mostValues = 64

// valuesIn returns the different values of a parameter in some product states. known is false if
// the parameter has no value in one of them, or too many different values.
func (x *ruling) valuesIn(states []lts.State, p int) (all []lts.Value, known bool) {
	for _, s := range states {
		v := x.valueOf(x.unfolding.At(s).State, p)
		if v == lts.NoValue || len(all) > mostValues {
			return nil, false
		}
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all, true
}

// byTwoValues sets the condition of a rule: two parameters have certain values.
func (x *ruling) byTwoValues(l *ruledLabel, rule *Rule) (bool, error) {
	var constant []Condition
	for p := range x.parameters {
		forbidden, known := x.valuesIn(l.forbidden, p)
		if known && len(forbidden) == 1 {
			constant = append(constant, Condition{Parameter: p, Value: forbidden[0]})
		}
	}
	for i, one := range constant {
		for _, other := range constant[i+1:] {
			hasBoth := func(s lts.State) bool {
				at := x.unfolding.At(s).State
				return x.valueOf(at, one.Parameter) == one.Value &&
					x.valueOf(at, other.Parameter) == other.Value
			}
			if !slices.ContainsFunc(l.allowed, hasBoth) {
				rule.Values = []Condition{one, other}
				return true, nil
			}
		}
	}
	return false, nil
}
