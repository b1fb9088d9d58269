package assertions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// labelsIn returns the labels that a list quotes.
func (c *Checker) labelsIn(list string) []lts.Label {
	var labels []lts.Label
	for _, q := range quotedLabel.FindAllString(list, -1) {
		if l, known := c.Model.Alphabet().Lookup(text(q)); known {
			labels = append(labels, l)
		}
	}
	return labels
}

// keptBy checks which labels keep a run from what it waits for.
func (c *Checker) keptBy(m []string) error {
	isPending := func(l lts.Label) bool { return c.Steps[c.done][l] }
	labels := c.labelsIn(m[3])
	before := slices.ContainsFunc(c.Run.Transitions, func(t lts.Transition) bool {
		return isPending(t.Label)
	})
	errs := []error{
		c.named(m[1], c.done+1),
		want(before == (m[2] != ""), "it happens before: %t", before),
		c.inEveryRound(labels, isPending),
		want(c.isEnough(labels, func(labels []lts.Label) bool { return c.fair.underLabels("finitely", labels) }),
			"it is violated without %s, and one label besides", m[3]),
	}
	ways, leaves := c.shortestWays(isPending)
	leavesAtOne := false
	for _, l := range labels {
		errs = append(errs, want(!ways[l], "%d is on a shortest way", l))
		leavesAtOne = leavesAtOne || leaves[l]
	}
	c.Understood["cause"]++
	return errors.Join(append(errs,
		want(leavesAtOne, "no shortest way leaves the loop where one of %s is taken", m[3]))...)
}

// isEnough reports whether the property holds if runs do some labels finitely often or, for one label, this
// one and another that is not on the loop.
func (c *Checker) isEnough(labels []lts.Label, holds func([]lts.Label) bool) bool {
	if holds(labels) {
		return true
	}
	for other := range c.Model.Alphabet().All() {
		isOther := !slices.ContainsFunc(c.Run.Transitions[c.Run.Loop:], func(t lts.Transition) bool {
			return t.Label == other
		})
		if len(labels) == 1 && isOther && holds(append(slices.Clone(labels), other)) {
			return true
		}
	}
	return false
}

// inEveryRound checks that each of these labels is on the loop, that none of them is internal, and
// that no pending label is on the loop.
func (c *Checker) inEveryRound(labels []lts.Label, isPending func(lts.Label) bool) error {
	onLoop := map[lts.Label]bool{}
	for i, t := range c.Run.Transitions {
		if c.onLoop(i) {
			onLoop[t.Label] = true
			if isPending(t.Label) {
				return errors.New("what is pending happens on the loop")
			}
		}
	}
	for _, l := range labels {
		name := c.Model.Alphabet().Text(l)
		if name == "i" || name == "tau" {
			return fmt.Errorf("%s is internal", name)
		}
		if !onLoop[l] {
			return fmt.Errorf("the loop does not have %s", name)
		}
	}
	return want(len(labels) == 1 || len(labels) == 2, "%d labels are named", len(labels))
}

// shortestWays returns the labels on all shortest ways from the loop to a pending label. For each
// state of the loop where such a way begins, it also returns the first visible label that the run
// takes from there.
func (c *Checker) shortestWays(isPending func(lts.Label) bool) (ways, leaves map[lts.Label]bool) {
	// within[n] are the states from where n steps, and no fewer, are needed.
	least := map[lts.State]int{}
	for n, found := 1, true; found; n++ {
		found = false
		for s := range lts.State(c.Model.NumStates()) {
			if least[s] > 0 {
				continue
			}
			if slices.ContainsFunc(c.o.Out(s), func(t lts.Transition) bool {
				return n == 1 && isPending(t.Label) || n > 1 && least[t.To] == n-1
			}) {
				least[s] = n
				found = true
			}
		}
	}
	nearest := 0
	for i := range c.Run.Transitions {
		if n := least[c.states[i]]; c.onLoop(i) && n > 0 && (nearest == 0 || n < nearest) {
			nearest = n
		}
	}
	ways = map[lts.Label]bool{}
	leaves = map[lts.Label]bool{}
	var open []lts.State
	for i := range c.Run.Transitions {
		if c.onLoop(i) && least[c.states[i]] == nearest {
			leaves[c.visibleFrom(i)] = true
			open = append(open, c.states[i])
		}
	}
	for ; nearest > 0; nearest-- {
		var next []lts.State
		for _, s := range open {
			for _, t := range c.o.Out(s) {
				if nearest == 1 && isPending(t.Label) ||
					nearest > 1 && least[t.To] == nearest-1 {
					ways[t.Label] = true
					next = append(next, t.To)
				}
			}
		}
		slices.Sort(next)
		open = slices.Compact(next)
	}
	return ways, leaves
}

// visibleFrom returns the first label of the loop, from a step on, that is not internal; the label
// of the step if all are internal.
func (c *Checker) visibleFrom(step int) lts.Label {
	i := step
	for range c.Run.Transitions {
		l := c.Run.Transitions[i].Label
		name := c.Model.Alphabet().Text(l)
		if name != "i" && name != "tau" {
			return l
		}
		i++
		if i == len(c.Run.Transitions) {
			i = c.Run.Loop
		}
	}
	return c.Run.Transitions[step].Label
}

// keptBy checks which labels keep a run from what it waits for.
func (c *TableChecker) keptBy(m []string) error {
	pending := c.labelsIn(m[1])
	labels := c.labelsIn(m[3])
	happens := slices.ContainsFunc(c.Run.Transitions, func(t lts.Transition) bool {
		return slices.Contains(pending, t.Label)
	})
	errs := []error{want(!happens || m[2] != "", "%s happens", m[1])}
	for _, l := range labels {
		errs = append(errs, want(slices.ContainsFunc(c.Run.Transitions[c.Run.Loop:], func(t lts.Transition) bool {
			return t.Label == l
		}), "the loop does not have %d of %s", l, m[3]))
	}
	for _, t := range c.Run.Transitions[c.Run.Loop:] {
		errs = append(errs, want(!slices.Contains(pending, t.Label), "%s is on the loop", m[1]))
	}
	c.Understood["cause"]++
	isEnough := c.isEnough(labels, func(labels []lts.Label) bool {
		rare := map[lts.Label]bool{}
		for _, l := range labels {
			rare[l] = true
		}
		return len(labels) > 0 && c.holds(oracle.Assumption{Rare: rare})
	})
	return errors.Join(append(errs, want(isEnough, "it is violated without %s", m[3]))...)
}
