package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/internal/oracle"
	"github.com/inev-lts/inev/lts"
)

// FairChecker checks sentences about the runs that count under an assumption: the verdict,
// where a run loses the property, and what can happen there. It understands no others.
type FairChecker struct {
	c   *Checker
	f   *oracle.Fair
	end lts.State
	// done is the progress of the run at its end.
	done int
	// Understood counts the sentences, by the form that they have.
	Understood map[string]int
}

// NewFair returns a checker of what is said of s under an assumption.
func NewFair(s Subject, a oracle.Assumption) (*FairChecker, error) {
	o, err := oracle.New(s.Model, s.Steps)
	if err != nil {
		return nil, err
	}
	c := &FairChecker{c: &Checker{Subject: s, o: o, steps: o}, f: oracle.NewFair(s.Model, s.Steps, a), end: s.Model.Initial(), Understood: map[string]int{}}
	for _, t := range s.Run.Transitions {
		c.end, c.done = t.To, o.Advance(c.done, t.Label)
	}
	return c, nil
}

var (
	fairlySatisfied = regexp.MustCompile("^(?:.+) satisfies " + label + " on every run (?:that is|on which) .+: each does (.+)\\.$")
	fairlyViolated  = regexp.MustCompile("^(?:.+) violates " + label + ", also on runs (?:that are|on which) .+?(; no run satisfies it|)\\.$")
	trap            = regexp.MustCompile(`^(?:A shortest|This) counterexample has (\d+) transitions? and ends in state (\d+), from where on the property is lost\.$`)
	doomed          = regexp.MustCompile(`^Whatever is done from there on, no run does (.+): it stays in (\d+) states?, where only (.+) can happen\.$`)
)

// Sentence checks a sentence, and reports whether it is one of those that are understood.
func (c *FairChecker) Sentence(s string) (understood bool, err error) {
	for name, form := range map[string]struct {
		is    *regexp.Regexp
		check func([]string) error
	}{
		"satisfied": {fairlySatisfied, c.satisfied}, "violated": {fairlyViolated, c.violated}, "trap": {trap, c.trap}, "doomed": {doomed, c.doomed},
	} {
		if m := form.is.FindStringSubmatch(s); m != nil {
			c.Understood[name]++
			if err := form.check(m); err != nil {
				return true, fmt.Errorf("%q: %w", s, err)
			}
			return true, nil
		}
	}
	return false, nil
}

func (c *FairChecker) satisfied(m []string) error {
	first, last, err := c.c.stretch(m[1])
	return errors.Join(err, want(c.f.Holds(), "some run that counts does not"), want(first == 1 && last == len(c.c.Steps), "that is not all"))
}

func (c *FairChecker) violated(m []string) error {
	accept, reject := c.f.Can(c.c.Model.Initial(), 0)
	return errors.Join(want(reject, "no run that counts does"), want(accept == (m[1] == ""), "some run satisfies it: %t", accept))
}

func (c *FairChecker) trap(m []string) error {
	accept, reject := c.f.Can(c.end, c.done)
	shortest, _ := c.f.ShortestLoss()
	return errors.Join(
		want(!accept && reject, "from %d on, runs can satisfy it: %t", c.end, accept),
		want(number(m[2]) == int(c.end) && number(m[1]) == len(c.c.Run.Transitions), "the run has %d and ends in %d", len(c.c.Run.Transitions), c.end),
		want(len(c.c.Run.Transitions) == shortest, "one has %d", shortest))
}

func (c *FairChecker) doomed(m []string) error {
	first, last, err := c.c.stretch(m[1])
	met, labels := map[lts.State]bool{c.end: true}, map[string]bool{}
	for open := []lts.State{c.end}; len(open) > 0; open = open[1:] {
		for _, t := range c.c.o.Out(open[0]) {
			labels["`"+c.c.Model.Alphabet().Text(t.Label)+"`"] = true
			if !met[t.To] {
				met[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	said := strings.Split(strings.Replace(m[3], " and ", ", ", 1), ", ")
	for _, l := range said {
		err = errors.Join(err, want(labels[l], "%s cannot happen there", l))
	}
	return errors.Join(err,
		want(number(m[2]) == len(met) && len(said) == len(labels), "%d states, where %d actions can happen", len(met), len(labels)),
		want(first == c.done+1 && !c.c.steps.CanDo(c.end, first, last), "some run does, or it has done more"))
}
