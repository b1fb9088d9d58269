package assertions

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// What is said of who acts, and of who could have prevented the violation.
const (
	someOwners = label + `(?:(?:, ` + label + `)*(?:, ` + label + `)? (?:and|or) (?:` + label + `|\d+ others?))?`

	standing     = `(?:, for (?:(no run satisfies it)|(` + label + `) leaves state (\d+), and (is nobody's to forbid|triggers the property)))?`
	nobodyCan    = `(?:Nobody can prevent it: not even (` + someOwners + `) together|(` + label + `) cannot prevent it)` + standing
	onlyTogether = `Only (` + someOwners + `) together can prevent it(?:: (.+))?`
	supervised   = `For that: (.+)`
	eachAlone    = `Each of (?:(` + someOwners + `)|the (\d+) owners) alone can prevent it`
	someAlone    = `(` + someOwners + `) alone can prevent it(?:; (` + someOwners + `) cannot(, not even together)?)?`
	anyOfThese   = `Any of these can prevent it: (.+?)(?:; and (\d+) other sets?)?`
	sharesForm   = `Shares in what all together can prevent \(Shapley values\): (.+)`
	ownedForm    = `All (\d+) decisions are made by (` + label + `)|(\d+) of the (\d+) decisions (?:is|are) made by (` + label + `)((?:, \d+ by ` + label + `)*)(?:, others by (\d+) others?)?`

	byWhom = `(?:, where ` + label + ` (?:takes ` + label + `|decides),)?`
)

var (
	byWhomOne  = regexp.MustCompile(`, where (` + label + `) (?:takes (` + label + `)|decides),`)
	manyOthers = regexp.MustCompile(` (\d+) others?$`)
	shareOne   = regexp.MustCompile(`(` + label + `): ([\d/]+)`)
	ownedOne   = regexp.MustCompile(`(\d+) by (` + label + `)`)
)

// mostSupervisors is how many supervisors are tried at most for a coalition.
const mostSupervisors = 20_000

// justness checks that the property holds on just runs.
func (c *Checker) justness([]string) error {
	return want(c.Violated && c.Just != nil && c.fair.Holds(oracle.Assumption{Just: c.Just}), "it does not hold on just runs")
}

// able are the sets of owners, as bits of names, who can prevent the violation; few is false if
// there are too many supervisors.
type able struct {
	names []string
	can   []bool
	few   bool
}

// coalitions tries all supervisors for each set of owners.
func (c *Checker) coalitions() *able {
	a := &able{few: c.colours <= 1} // who meets several conditions in turn has to remember
	for _, name := range c.Owners {
		for l := range c.Model.Alphabet().All() {
			if c.owns(name, l) && !slices.Contains(a.names, name) {
				a.names = append(a.names, name)
			}
		}
	}
	for set := range 1 << len(a.names) {
		can, few := c.canPrevent(func(owner string) bool {
			i := slices.Index(a.names, owner)
			return i >= 0 && set>>i&1 != 0
		})
		a.can, a.few = append(a.can, can), a.few && few
	}
	return a
}

// canPrevent tries all supervisors, who know the state and the progress, forbid only what these
// owners take, and leave a way on. It is enough to try those who forbid as much as they can:
// all if others have a way on, else all but one; for fewer runs violate no more.
func (c *Checker) canPrevent(in func(owner string) bool) (can, few bool) {
	type choice struct {
		from at
		ways []lts.Transition
	}
	number := map[at]lts.State{}
	var pairs []at
	add := func(a at) lts.State {
		if _, met := number[a]; !met {
			number[a] = lts.State(len(pairs))
			pairs = append(pairs, a)
		}
		return number[a]
	}
	add(at{c.Model.Initial(), c.initial})
	forced := map[at][]lts.Transition{}
	var choices []choice
	supervisors := 1
	for i := 0; i < len(pairs); i++ {
		a := pairs[i]
		var theirs, others []lts.Transition
		for _, t := range c.o.Out(a.state) {
			add(at{t.To, c.o.Advance(a.done, t.Label)})
			if (c.satisfied != nil || a.done < len(c.Steps)) && !c.Triggers[t.Label] && in(c.Owner(c.Model.Alphabet().Text(t.Label))) {
				theirs = append(theirs, t)
			} else {
				others = append(others, t)
			}
		}
		if forced[a] = others; len(others) == 0 && len(theirs) > 0 {
			choices = append(choices, choice{a, theirs})
			if supervisors *= len(theirs); supervisors > mostSupervisors {
				return false, false
			}
		}
	}
	for way := range supervisors {
		var b lts.Builder
		for _, text := range c.Model.Alphabet().All() {
			b.Label(text)
		}
		take := func(a at, t lts.Transition) {
			b.Add(number[a], t.Label, number[at{t.To, c.o.Advance(a.done, t.Label)}])
		}
		for _, a := range pairs {
			for _, t := range forced[a] {
				take(a, t)
			}
		}
		for _, x := range choices {
			take(x.from, x.ways[way%len(x.ways)])
			way /= len(x.ways)
		}
		m, err := b.Build(0, len(pairs))
		if err != nil {
			return false, false
		}
		if c.satisfies(m) {
			return true, true
		}
	}
	return false, true
}

func (c *Checker) satisfies(m *lts.LTS) bool {
	if c.satisfied != nil {
		return c.satisfied(m)
	}
	o, err := oracle.New(m, c.Steps)
	return err == nil && o.Satisfied()
}

// owns reports whether somebody can forbid a label.
func (c *Checker) owns(name string, l lts.Label) bool {
	return c.Owner(c.Model.Alphabet().Text(l)) == name && !c.Triggers[l]
}

// minimal returns the sets who can, and cannot without any of their members.
func (a *able) minimal() (sets [][]string) {
	for set, can := range a.can {
		var names []string
		for i, name := range a.names {
			if set>>i&1 != 0 {
				names = append(names, name)
				can = can && !a.can[set&^(1<<i)]
			}
		}
		if can {
			sets = append(sets, names)
		}
	}
	return sets
}

// ownersIn reads a list of owners, and how many others it counts.
func (c *Checker) ownersIn(list string) (names []string, others int) {
	if m := manyOthers.FindStringSubmatch(list); m != nil {
		others = number(m[1])
	}
	return c.texts(list), others
}

// areThese checks that a list names some owners in their order, and counts the others.
func (c *Checker) areThese(list string, expected []string) error {
	names, others := c.ownersIn(list)
	return want(len(names)+others == len(expected) && slices.Equal(names, expected[:min(len(names), len(expected))]), "%q: it is %v", list, expected)
}

// compared checks a sentence against the minimal sets.
func (c *Checker) compared(check func(a *able, minimal [][]string) error) error {
	if c.Owner == nil || !c.Violated {
		return errors.New("it is not known who acts, or nothing is violated")
	}
	a := c.coalitions()
	if !a.few {
		c.Understood["too many supervisors"]++
		return nil
	}
	return check(a, a.minimal())
}

func (c *Checker) nobodyCan(m []string) error {
	return c.compared(func(a *able, minimal [][]string) error {
		return errors.Join(want(len(minimal) == 0, "%v can", minimal), want((m[2] != "") == (len(a.names) == 1), "there are %v", a.names), c.areThese(m[1]+m[2], a.names), c.stands(a.names, m[3:]))
	})
}

func (c *Checker) onlyTogether(m []string) error {
	return c.compared(func(_ *able, minimal [][]string) error {
		if len(minimal) != 1 || len(minimal[0]) < 2 {
			return fmt.Errorf("%v can", minimal)
		}
		return errors.Join(c.areThese(m[1], minimal[0]), c.supervise(m[2], minimal[0]))
	})
}

// singlesOf returns the owners who can alone; nil if some set of several is minimal, too.
func singlesOf(minimal [][]string) (alone []string) {
	for _, set := range minimal {
		if len(set) != 1 {
			return nil
		}
		alone = append(alone, set[0])
	}
	return alone
}

func (c *Checker) eachAlone(m []string) error {
	return c.compared(func(a *able, minimal [][]string) error {
		err := want(len(a.names) > 1 && len(singlesOf(minimal)) == len(a.names), "%v can", minimal)
		if m[2] != "" {
			return errors.Join(err, want(number(m[2]) == len(a.names), "there are %v", a.names))
		}
		return errors.Join(err, c.areThese(m[1], a.names))
	})
}

func (c *Checker) someAlone(m []string) error {
	return c.compared(func(a *able, minimal [][]string) error {
		alone := singlesOf(minimal)
		if len(alone) == 0 {
			return fmt.Errorf("%v can", minimal)
		}
		cannot := slices.DeleteFunc(slices.Clone(a.names), func(name string) bool { return slices.Contains(alone, name) })
		err := errors.Join(c.areThese(m[1], alone), want((m[2] == "") == (len(cannot) == 0) && (m[3] != "") == (len(cannot) > 1), "%v cannot", cannot))
		if m[2] != "" {
			err = errors.Join(err, c.areThese(m[2], cannot))
		}
		return err
	})
}

func (c *Checker) anyOfThese(m []string) error {
	return c.compared(func(_ *able, minimal [][]string) error {
		said := strings.Split(m[1], "; ")
		err := want(len(minimal) > 1 && singlesOf(minimal) == nil && len(said)+number(m[2]) == len(minimal), "%v can", minimal)
		for _, list := range said {
			if !slices.ContainsFunc(minimal, func(set []string) bool { return c.areThese(list, set) == nil }) {
				err = errors.Join(err, fmt.Errorf("%q: %v can", list, minimal))
			}
		}
		return err
	})
}

// shares checks shares: owners can join in any order.
func (c *Checker) shares(m []string) error {
	return c.compared(func(a *able, _ [][]string) error {
		pivotal, orders := make([]int64, len(a.names)), int64(0)
		var join func(set int)
		join = func(set int) {
			if set == len(a.can)-1 {
				orders++
			}
			for i := range a.names {
				if set>>i&1 != 0 {
					continue
				}
				before := orders
				join(set | 1<<i)
				if !a.can[set] && a.can[set|1<<i] {
					pivotal[i] += orders - before
				}
			}
		}
		join(0)
		if each, is := strings.CutSuffix(m[1], " each"); is {
			for i := range a.names {
				share := big.NewRat(pivotal[i], orders).RatString()
				if share != each {
					return fmt.Errorf("%s has %s", a.names[i], share)
				}
			}
			return nil
		}
		said := shareOne.FindAllStringSubmatch(m[1], -1)
		err := want(len(said) == len(a.names), "%d shares of %v", len(said), a.names)
		for i, one := range said[:min(len(said), len(a.names))] {
			share := big.NewRat(pivotal[i], orders).RatString()
			err = errors.Join(err, want(text(one[1]) == a.names[i] && one[2] == share, "%s has %s", a.names[i], share))
		}
		return err
	})
}

// prevention are the forms of what is said of who acts, and of who could have prevented it.
func (c *Checker) prevention() []tableForm {
	var list []tableForm
	for _, f := range allForms {
		if slices.Contains([]string{"nobody can", "only together", "supervised", "each alone", "some alone", "any of these", "shares", "owned"}, f.name) {
			list = append(list, tableForm{f.name, f.is, func(m []string) error { return f.check(c, m) }})
		}
	}
	return list
}

// decides reports whether step i, from 0, is a decision: another transition would have meant
// more, or the property is lost by it.
func (c *Checker) decides(i int) bool {
	if !c.free(0) {
		return false
	}
	rank := func(t lts.Transition) int {
		return slices.Index([]oracle.Class{oracle.Incorrect, oracle.Neutral, oracle.Correct}, c.o.ClassAfter(c.at(i), t))
	}
	taken := rank(c.Run.Transitions[i])
	better := slices.ContainsFunc(c.others(i), func(t lts.Transition) bool { return rank(t) > taken })
	return better || c.free(i) && !c.free(i+1)
}

// owned checks whose the decisions of the run are.
func (c *Checker) owned(m []string) error {
	if c.Owner == nil {
		return errors.New("it is not known who acts")
	}
	counts, all := map[string]int{}, 0
	for i, t := range c.Run.Transitions {
		if c.decides(i) {
			counts[c.Owner(c.Model.Alphabet().Text(t.Label))]++
			all++
		}
	}
	nobodys := counts[""]
	delete(counts, "")
	said := map[string]int{}
	if m[2] != "" {
		said[text(m[2])] = number(m[1])
		return want(number(m[1]) == all && counts[text(m[2])] == all && nobodys == 0 && all > 1, "of %d decisions are %v", all, counts)
	}
	said[text(m[5])] = number(m[3])
	for _, one := range ownedOne.FindAllStringSubmatch(m[6], -1) {
		said[text(one[2])] = number(one[1])
	}
	err := want(number(m[4]) == all && len(said)+number(m[7]) == len(counts), "of %d decisions are %v", all, counts)
	for name, n := range said {
		err = errors.Join(err, want(counts[name] == n && n <= number(m[3]), "%s makes %d", name, counts[name]))
	}
	return err
}

// decidedBy checks who is said to decide at steps, from 0: nobody unless it is one for all.
func (c *Checker) decidedBy(said string, steps []int) error {
	m := byWhomOne.FindStringSubmatch(said)
	if m == nil {
		return want(c.Owner == nil || len(steps) != 1 || c.ownerOf(steps[0]) == "", "nobody is said to decide")
	}
	if c.Owner == nil {
		return errors.New("it is not known who acts")
	}
	for _, i := range steps {
		if err := errors.Join(want(c.ownerOf(i) == text(m[1]), "step %d is taken by %q", i+1, c.ownerOf(i)),
			want(m[2] == "" || c.Model.Alphabet().Text(c.Run.Transitions[i].Label) == text(m[2]), "step %d takes something else", i+1)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) ownerOf(i int) string {
	return c.Owner(c.Model.Alphabet().Text(c.Run.Transitions[i].Label))
}
