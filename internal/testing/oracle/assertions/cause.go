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

// checkCause checks the diagnosis that one label of the loop, or two, keep a run from what it waits
// for: the property would hold without these labels, and a run that takes a shortest way from the
// loop to what it waits for leaves the loop before one of them.
func (c *Checker) checkCause(m []string) error {
	isPending := func(l lts.Label) bool { return c.Steps[c.finalProgress][l] }
	causes := c.labelsIn(m[3])
	happensBefore := slices.ContainsFunc(c.Run.Transitions, func(t lts.Transition) bool {
		return isPending(t.Label)
	})
	isEnough := c.isEnough(causes, func(labels []lts.Label) bool {
		return c.fair.underLabels("finitely", labels)
	})
	errs := []error{
		c.checkStepName(m[1], c.finalProgress+1),
		want(happensBefore == (m[2] != ""), "it happens before: %t", happensBefore),
		c.checkInEveryRound(causes, isPending),
		want(isEnough, "it is violated without %s, and one label besides", m[3]),
	}
	onWays, atExits := c.shortestWays(isPending)
	isAtExit := false
	for _, l := range causes {
		errs = append(errs, want(!onWays[l], "%d is on a shortest way", l))
		isAtExit = isAtExit || atExits[l]
	}
	c.Understood["cause"]++
	return errors.Join(append(errs,
		want(isAtExit, "no shortest way leaves the loop where one of %s is taken", m[3]))...)
}

// isEnough reports whether the property holds if runs do some labels finitely often. If there is
// only one label, it is also enough that the property holds together with another one that is not
// on the loop.
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

// checkInEveryRound checks that each of these labels is on the loop, that none of them is internal, and
// that no pending label is on the loop.
func (c *Checker) checkInEveryRound(labels []lts.Label, isPending func(lts.Label) bool) error {
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
		name := c.labelText(l)
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
func (c *Checker) shortestWays(isPending func(lts.Label) bool) (onWays, atExits map[lts.Label]bool) {
	distance := c.distancesTo(isPending)
	nearest := c.nearestOnLoop(distance)
	atExits = map[lts.Label]bool{}
	var level []lts.State
	for i := range c.Run.Transitions {
		if c.onLoop(i) && distance[c.states[i]] == nearest {
			atExits[c.visibleFrom(i)] = true
			level = append(level, c.states[i])
		}
	}
	onWays = map[lts.Label]bool{}
	for left := nearest; left > 0; left-- {
		var next []lts.State
		for _, s := range level {
			for _, t := range c.judge.Out(s) {
				isLast := left == 1 && isPending(t.Label)
				isNearer := left > 1 && distance[t.To] == left-1
				if isLast || isNearer {
					onWays[t.Label] = true
					next = append(next, t.To)
				}
			}
		}
		slices.Sort(next)
		level = slices.Compact(next)
	}
	return onWays, atExits
}

// nearestOnLoop returns the smallest of the distances from states of the loop; 0, which means that a
// state has no way, if none has one.
func (c *Checker) nearestOnLoop(distance map[lts.State]int) int {
	nearest := 0
	for i := range c.Run.Transitions {
		n := distance[c.states[i]]
		if !c.onLoop(i) || n == 0 {
			continue
		}
		if nearest == 0 || n < nearest {
			nearest = n
		}
	}
	return nearest
}

// distancesTo returns for each state the length of a shortest path from there whose last transition has
// a pending label. States without such a path are left out.
func (c *Checker) distancesTo(isPending func(lts.Label) bool) map[lts.State]int {
	distance := map[lts.State]int{}
	for n, found := 1, true; found; n++ {
		found = false
		for s := range lts.State(c.Model.NumStates()) {
			if distance[s] > 0 {
				continue
			}
			isAtDistance := slices.ContainsFunc(c.judge.Out(s), func(t lts.Transition) bool {
				return n == 1 && isPending(t.Label) || n > 1 && distance[t.To] == n-1
			})
			if isAtDistance {
				distance[s] = n
				found = true
			}
		}
	}
	return distance
}

// visibleFrom returns the label of the first transition of the loop, from the one with this index on,
// that is not internal; that of the transition itself if all are internal.
func (c *Checker) visibleFrom(index int) lts.Label {
	i := index
	for range c.Run.Transitions {
		l := c.Run.Transitions[i].Label
		if !isInternal(c.Model, l) {
			return l
		}
		i++
		if i == len(c.Run.Transitions) {
			i = c.Run.Loop
		}
	}
	return c.Run.Transitions[index].Label
}

// checkCause checks the diagnosis that labels of the loop keep a run from what it waits for.
func (c *TableChecker) checkCause(m []string) error {
	pending := c.labelsIn(m[1])
	causes := c.labelsIn(m[3])
	isSaidToHappenBefore := m[2] != ""
	isPending := func(t lts.Transition) bool { return slices.Contains(pending, t.Label) }
	happens := slices.ContainsFunc(c.Run.Transitions, isPending)
	loop := c.Run.Transitions[c.Run.Loop:]
	errs := []error{
		want(!happens || isSaidToHappenBefore, "%s happens", m[1]),
		want(!slices.ContainsFunc(loop, isPending), "%s is on the loop", m[1]),
	}
	for _, l := range causes {
		isOnLoop := slices.ContainsFunc(loop, func(t lts.Transition) bool { return t.Label == l })
		errs = append(errs, want(isOnLoop, "the loop does not have %d of %s", l, m[3]))
	}
	c.Understood["cause"]++
	isEnough := c.isEnough(causes, func(labels []lts.Label) bool {
		rare := map[lts.Label]bool{}
		for _, l := range labels {
			rare[l] = true
		}
		return len(labels) > 0 && c.holds(oracle.Assumption{Rare: rare})
	})
	return errors.Join(append(errs, want(isEnough, "it is violated without %s", m[3]))...)
}
