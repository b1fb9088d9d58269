package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// off returns the neighbourhoods that the run does not leave, by what can happen
// there.
func (c *Checker) off() map[string]map[lts.State]bool {
	can := map[oracle.Kind]string{
		oracle.KindCorrect: "saved", oracle.KindIncorrect: "lost", oracle.KindMixed: "saved or lost", oracle.KindMixedNeutral: "saved or lost",
	}
	off := map[string]map[lts.State]bool{}
	for s, kind := range c.o.Neighbourhoods(c.Reading) {
		on := false
		for _, t := range c.Run.Transitions {
			on = on || t.From == s
		}
		if on {
			continue
		}
		if off[can[kind]] == nil {
			off[can[kind]] = map[lts.State]bool{}
		}
		off[can[kind]][s] = true
	}
	return off
}

var (
	oneGroup = regexp.MustCompile(`^(?:the property|it) can be (saved or lost|saved|lost) \(states? (.+)\)$`)
	group    = regexp.MustCompile(`(\d+) where ((?:the property|it) can be (?:saved or lost|saved|lost) \(states? .+?\))`)
)

func (c *Checker) elsewhere(m []string) error {
	off := c.off()
	total := 0
	for _, states := range off {
		total += len(states)
	}
	if number(m[1]) != total {
		return fmt.Errorf("there are %v", off)
	}
	if m[3] != "" {
		return c.group(total, m[3], off)
	}
	groups := group.FindAllStringSubmatch(m[2], -1)
	var errs []error
	for _, g := range groups {
		errs = append(errs, c.group(number(g[1]), g[2], off))
	}
	return errors.Join(append(errs, want(len(groups) == len(off), "there are %v", off))...)
}

func (c *Checker) group(n int, said string, off map[string]map[lts.State]bool) error {
	m := oneGroup.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("group %q", said)
	}
	list, _, cut := strings.Cut(m[2], " and ")
	for _, s := range numbers(list) {
		if !off[m[1]][lts.State(s)] {
			return fmt.Errorf("state %d is none that %s: %v", s, m[1], off)
		}
	}
	return want(n == len(off[m[1]]) && (cut || len(numbers(list)) == n), "%s: there are %v", m[1], off[m[1]])
}

func (c *Checker) nothingElsewhere([]string) error {
	return want(len(c.off()) == 0 && len(c.o.Neighbourhoods(c.Reading)) > 0, "there are %v", c.off())
}

var classPart = regexp.MustCompile(`(\d+) (makes?|loses?|leaves?) (?:the property|it)`)

func (c *Checker) classes(m []string) error {
	of, all := c.o.Count()
	said := map[oracle.Class]int{}
	for _, part := range classPart.FindAllStringSubmatch(m[2], -1) {
		said[classOf(part[2])] = number(part[1])
	}
	for _, class := range []oracle.Class{oracle.Correct, oracle.Incorrect, oracle.Neutral} {
		if said[class] != of[class] {
			return fmt.Errorf("there are %v", of)
		}
	}
	return want(number(m[1]) == all, "there are %d", all)
}

func classOf(verb string) oracle.Class {
	switch strings.TrimSuffix(verb, "s") {
	case "make":
		return oracle.Correct
	case "lose":
		return oracle.Incorrect
	}
	return oracle.Neutral
}

func (c *Checker) unreachable(m []string) error {
	states := 0
	for s := range c.Model.NumStates() {
		if !c.o.Reachable(lts.State(s)) {
			states++
		}
	}
	_, all := c.o.Count()
	return want(number(m[1]) == states && number(m[2]) == c.Model.NumTransitions()-all, "there are %d states and %d transitions", states, c.Model.NumTransitions()-all)
}
