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

func (c *Checker) deadlockViolates(m []string) error {
	return errors.Join(c.wantNotion("deadlock"), c.ends(m[1]))
}

// ends checks that the run ends where it is this run that is said to.
func (c *Checker) ends(what string) error {
	return want((what == "the run ends") == (c.Run.Loop == oracle.NoLoop), "the run loops at %d", c.Run.Loop)
}

func (c *Checker) weakFairness([]string) error   { return c.wantNotion("weak") }
func (c *Checker) strongFairness([]string) error { return c.wantNotion("strong") }
func (c *Checker) fullFairness([]string) error   { return c.wantNotion("full") }

// nothingHelps checks that no run satisfies the property.
func (c *Checker) nothingHelps([]string) error { return want(!c.free(0), "some run satisfies it") }

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
		c.suffices("finitely", m[1], m[3]))
}

func (c *Checker) stronglyFair(m []string) error { return c.fairTo("strong", m) }
func (c *Checker) weaklyFair(m []string) error   { return c.fairTo("weak", m) }

func (c *Checker) fairTo(kind string, m []string) error {
	return errors.Join(
		want((m[2] == "is") == (len(quoted.FindAllString(m[1], -1)) == 1), "it %s", m[2]),
		want(kind == c.fairKind(), "%q fairness of few is enough", c.fairKind()),
		c.suffices(kind, m[1], m[3]))
}

var (
	quoted   = regexp.MustCompile(label)
	singles  = regexp.MustCompile(`^L(?:, L)*(?:, (?:at least )?(\d+) more)?$`)
	severals = regexp.MustCompile(`^L(?:, L)* and L(?:, or L(?:, L)* and L)*(?:, or (?:at least )?(\d+) more)?$`)
)

// suffices checks that the sets of labels that a sentence names are the smallest ones
// that suffice, in their order, and that none is left out.
func (c *Checker) suffices(kind, first, others string) error {
	expected := c.smallest(kind)
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
	return errors.Join(append(errs, want(len(said)+hidden == len(expected), "the smallest sets are %v", expected))...)
}

// texts returns what the labels in a text stand for.
func (c *Checker) texts(s string) []string {
	var all []string
	for _, l := range quoted.FindAllString(s, -1) {
		all = append(all, text(l))
	}
	return all
}

// fairKind returns the kind of fairness to be named: the weak one where it takes one label or
// two, else the strong one where that does; "" if neither does.
func (c *Checker) fairKind() string {
	for _, kind := range []string{"weak", "strong"} {
		if sets := c.smallest(kind); sets != nil && len(sets[0]) <= 2 {
			return kind
		}
	}
	return ""
}

// smallest returns the smallest sets of at most three labels that suffice, in the order
// of their texts, single labels that do steps of the property last.
func (c *Checker) smallest(kind string) (sets [][]string) {
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
	return append(sets, steps...)
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
	return nil
}

// WhenComplete checks that the sentences checked so far tell when the property would hold:
// nothing where it holds or no run satisfies it; else the labels that have to be done finitely
// often, and those that have to be fair, or the notion of fairness that is enough, or that
// nothing is.
func (c *Checker) WhenComplete() error {
	count := func(forms string) (n int) {
		for _, form := range strings.Split(forms, ", ") {
			if c.Understood[form] > 0 {
				n++
			}
		}
		return n
	}
	finitely, fair := count("finitely"), count("fair to strong, fair to weak")
	notions, useless := count("weak fairness, strong fairness, full fairness"), count("only a deadlock, fairly gone")
	if !c.Violated || !c.free(0) {
		return want(finitely+fair+notions+useless == 0, "it is said when it would hold")
	}
	notion := c.fair.notion()
	if notion == "deadlock" {
		return want(finitely+fair+notions == 0 && useless == 1, "no assumption helps")
	}
	rare, few := c.smallest("finitely") != nil, c.fairKind() != ""
	just := c.Just != nil && c.fair.Holds(oracle.Assumption{Just: c.Just})
	return errors.Join(
		want((count("justness") == 1) == just, "justness is enough: %t", just),
		want((finitely == 1) == rare, "labels that happen finitely often are enough: %t", rare),
		want((fair == 1) == few, "fairness of few labels is enough: %t", few),
		want((notions == 1) == (!few && notion != "none"), "%s fairness is enough", notion),
		want((useless == 1) == (!rare && notion == "none"), "%d sentences say that nothing helps", useless))
}
