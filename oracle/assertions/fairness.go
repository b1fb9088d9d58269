package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// fairness decides, by brute force, what holds under which assumption.
type fairness struct {
	*oracle.FairStates
	each []lts.Label
}

func newFairness(s Subject) (fairness, error) {
	f := fairness{each: make([]lts.Label, s.Model.Alphabet().Len())}
	for i := range f.each {
		f.each[i] = lts.Label(i)
	}
	var err error
	f.FairStates, err = oracle.NewFairStates(s.Model, s.Steps)
	return f, err
}

// underLabels reports whether the property holds where runs do labels finitely often, or
// are weakly or strongly fair to each.
func (f fairness) underLabels(kind string, labels []lts.Label) bool {
	a := oracle.Assumption{Rare: map[lts.Label]bool{}}
	for _, l := range labels {
		if kind == "finitely" {
			a.Rare[l] = true
		} else {
			a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: kind == "strong"})
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
	case f.underLabels("weak", f.each):
		return "weak"
	case f.underLabels("strong", f.each):
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

func (c *Checker) deadlockViolates([]string) error { return c.wantNotion("deadlock") }
func (c *Checker) weakFairness([]string) error     { return c.wantNotion("weak") }
func (c *Checker) strongFairness([]string) error   { return c.wantNotion("strong") }
func (c *Checker) fullFairness([]string) error     { return c.wantNotion("full") }

func (c *Checker) fairlyNever(m []string) error {
	return errors.Join(c.wantNotion("none"), c.undecided(m))
}

// fairlyGone checks what is out of reach in a state, and that no doomed state is nearer.
func (c *Checker) fairlyGone(m []string) error {
	first, last, err := c.stretch(m[2] + m[3])
	if err != nil {
		return err
	}
	s, progress := lts.State(number(m[1])), first-1
	return errors.Join(
		c.wantNotion("none"),
		want((m[2] != "") == (first == last), "%d steps are listed", last-progress),
		want(c.o.Free(c.Model.Initial(), 0), "no run satisfies the property"),
		want(c.o.Arrives(s, progress), "no run comes there with progress %d", progress),
		want(!c.steps.CanDo(s, first, last), "some continuation does"),
		want(last == first || c.steps.CanDo(s, first, last-1), "even less is out of reach"),
		want(slices.Contains(c.nearestDoomed(), s), "nearer ones are %v", c.nearestDoomed()))
}

// nearestDoomed returns the states to which shortest runs come that can no longer
// satisfy the property.
func (c *Checker) nearestDoomed() []lts.State {
	type place struct {
		state    lts.State
		progress int
	}
	level := []place{{c.Model.Initial(), 0}}
	for met := map[place]bool{}; len(level) > 0; {
		var doomed []lts.State
		var next []place
		for _, at := range level {
			if !c.o.Free(at.state, at.progress) {
				doomed = append(doomed, at.state)
			}
			for _, t := range c.o.Out(at.state) {
				to := place{t.To, c.o.Advance(at.progress, t.Label)}
				if !met[to] {
					met[to] = true
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
		c.suffices("finitely", m[1], m[3], m[4]))
}

func (c *Checker) stronglyFair(m []string) error { return c.fairTo("strong", m) }
func (c *Checker) weaklyFair(m []string) error   { return c.fairTo("weak", m) }

func (c *Checker) fairTo(kind string, m []string) error {
	single := len(quoted.FindAllString(m[2], -1)) == 1
	return errors.Join(
		want((m[1] == "") == single && (m[3] == "this action") == single, "%q, %q", m[1], m[3]),
		c.suffices(kind, m[2], m[4], m[5]))
}

var (
	quoted   = regexp.MustCompile(label)
	singles  = regexp.MustCompile(`^with (?:L(?:, L)*(?: or (?:L|(\d+) other actions))?)$`)
	severals = regexp.MustCompile(`^with L(?:, L)* and L(?:, with L(?:, L)* and L)*(?: or with (?:L(?:, L)* and L|(\d+) other (?:pairs|sets of (\d+))))?$`)
)

// suffices checks that the sets of labels that a sentence names are the smallest ones
// that suffice, in their order, that none is left out, and that nothing better is known.
func (c *Checker) suffices(kind, first, others, place string) error {
	expected, rank := c.smallest(kind)
	if expected == nil {
		return errors.New("no set suffices")
	}
	size := len(expected[0])
	said := [][]string{c.texts(first)}
	hidden := 0
	if others != "" {
		form := quoted.ReplaceAllString(others, "L")
		is := singles
		if size > 1 {
			is = severals
		}
		m := is.FindStringSubmatch(form)
		if m == nil {
			return fmt.Errorf("%q", others)
		}
		hidden = number(m[1])
		for _, l := range c.texts(others) {
			if last := len(said) - 1; len(said) > 1 && len(said[last]) < size {
				said[last] = append(said[last], l)
			} else {
				said = append(said, []string{l})
			}
		}
	}
	var errs []error
	for i, set := range said {
		errs = append(errs, want(i < len(expected) && slices.Equal(set, expected[i]), "%v: the smallest sets are %v", set, expected))
	}
	for _, other := range []string{"finitely", c.fairKind()} {
		_, better := c.smallest(other)
		errs = append(errs, want(other == kind || rank < better, "%s would have been better", other))
	}
	return errors.Join(append(errs,
		want(kind == "finitely" || kind == c.fairKind(), "%s fairness is enough", c.fairKind()),
		want(len(said)+hidden == len(expected), "the smallest sets are %v", expected),
		want((place == "its") == (size == 1 && len(expected) > 1) && (place == "their") == (size > 1 && len(expected) > 1), "in %s place", place))...)
}

// texts returns what the labels in a text stand for.
func (c *Checker) texts(s string) []string {
	var all []string
	for _, l := range quoted.FindAllString(s, -1) {
		all = append(all, text(l))
	}
	return all
}

// fairKind returns the kind of fairness to be named: the weak one where it takes no more
// labels than the strong one.
func (c *Checker) fairKind() string {
	weak, _ := c.smallest("weak")
	strong, _ := c.smallest("strong")
	if weak != nil && len(weak[0]) == len(strong[0]) {
		return "weak"
	}
	return "strong"
}

// What is named first; see smallest and fairChoices.
const (
	oneFinitely = iota
	oneFair
	oneChoice
	oneFinitelyStep
	oneFairStep
	fewChoices
	severalFinitely
	severalFair
	manyChoices
	nothing
)

// smallest returns the smallest sets of at most three labels that suffice, in the order
// of their texts, single labels that do steps of the property last; and how early they
// are to be named.
func (c *Checker) smallest(kind string) (sets [][]string, rank int) {
	var steps [][]string
	for size := 1; size <= 3 && sets == nil && steps == nil; size++ {
		for choice := range 1 << len(c.fair.each) {
			var set []lts.Label
			var texts []string
			does := false
			for _, l := range c.fair.each {
				if choice>>l&1 != 0 {
					set, texts = append(set, l), append(texts, c.Model.Alphabet().Text(l))
					does = does || slices.ContainsFunc(c.Steps, func(step map[lts.Label]bool) bool { return step[l] })
				}
			}
			slices.Sort(texts)
			switch {
			case len(set) != size || !c.fair.underLabels(kind, set):
			case size == 1 && does:
				steps = append(steps, texts)
			default:
				sets = append(sets, texts)
			}
		}
	}
	slices.SortFunc(sets, slices.Compare)
	slices.SortFunc(steps, slices.Compare)
	ranks := []int{oneFair, oneFairStep, severalFair}
	if kind == "finitely" {
		ranks = []int{oneFinitely, oneFinitelyStep, severalFinitely}
	}
	switch {
	case len(sets) > 0 && len(sets[0]) == 1:
		rank = ranks[0]
	case len(steps) > 0:
		rank = ranks[1]
	case len(sets) > 0:
		rank = ranks[2]
	default:
		rank = nothing
	}
	return append(sets, steps...), rank
}

// fairChoices checks that choices suffice, and that none of them can be left out.
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
	rank := manyChoices
	if len(states) == 1 {
		rank = oneChoice
	} else if len(states) <= 3 {
		rank = fewChoices
	}
	for _, kind := range []string{"finitely", c.fairKind()} {
		if _, better := c.smallest(kind); better < rank {
			return fmt.Errorf("%s would have been better", kind)
		}
	}
	return nil
}

// WhenComplete checks that the sentences checked so far tell when the property would
// hold: nothing where it holds; else which notion of fairness is enough, or that none is,
// and an assumption where there is one.
func (c *Checker) WhenComplete() error {
	count := func(forms string) (n int) {
		for _, form := range strings.Split(forms, ", ") {
			if c.Understood[form] > 0 {
				n++
			}
		}
		return n
	}
	notions := count("only a deadlock, fairly never, fairly gone, weak fairness, strong fairness, full fairness")
	assumptions := count("finitely, fair to strong, fair to weak, fair choice, fair choices")
	if !c.Violated {
		return want(notions+assumptions == 0, "it holds, and is said to hold under assumptions")
	}
	_, finitely := c.smallest("finitely")
	notion := c.fair.notion()
	some := notion != "deadlock" && (notion != "none" || finitely != nothing)
	return errors.Join(
		want(notions == 1, "%d sentences say which fairness is enough", notions),
		want(assumptions <= 1 && (assumptions == 1) == some, "%d sentences name assumptions, there are some: %t", assumptions, some))
}
