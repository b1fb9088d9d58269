package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// FairChecker checks sentences about the runs that count under an assumption.
type FairChecker struct {
	*Checker
	f   *oracle.Fair
	all oracle.Assumption
	end lts.State
	// made is the progress of the run at its end.
	made int
}

// fairJudge knows the length of a shortest run that counts and violates a chain.
type fairJudge struct {
	*judgeUnder
	f *oracle.Fair
}

func (j fairJudge) Free(s lts.State, progress int) bool {
	accept, _ := j.f.Can(s, progress)
	return accept
}
func (j fairJudge) ShortestLength() (int, bool) { return j.f.ShortestViolation() }

// counted knows which steps runs do that count: where each finite run goes on as one, all
// that the model can do.
type counted struct {
	j fairJudge
	o *oracle.Oracle
}

func (c counted) CanDo(s lts.State, first, last int) bool {
	type place struct {
		s        lts.State
		progress int
	}
	met := map[place]bool{}
	for open := []place{{s, first - 1}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if met[at] || !c.j.f.Counts(at.s) {
			continue
		}
		met[at] = true
		if at.progress >= last {
			return true
		}
		for _, t := range c.j.Out(at.s) {
			open = append(open, place{t.To, c.o.Advance(at.progress, t.Label)})
		}
	}
	return false
}

// NewFair returns a checker of what is said of s under an assumption.
func NewFair(s Subject, a oracle.Assumption) (*FairChecker, error) {
	o, err := oracle.New(s.Model, s.Steps)
	if err != nil {
		return nil, err
	}
	f := oracle.NewFair(s.Model, s.Steps, a)
	j := fairJudge{newJudgeUnder(s.Model, f, 0, len(s.Steps)+1, o.Advance), f}
	c := &FairChecker{Checker: &Checker{Subject: s, o: j, steps: counted{j, o}, assumed: a, Understood: map[string]int{}}, f: f, all: a, end: s.Model.Initial()}
	if c.fair, err = newFairness(s); err != nil {
		return nil, err
	}
	for _, t := range s.Run.Transitions {
		c.end, c.made = t.To, o.Advance(c.made, t.Label)
	}
	if s.Violated {
		c.follow()
		c.stem = s.Run.Loop == oracle.NoLoop && !c.mayEnd(c.end)
	}
	return c, nil
}

var (
	fairlySatisfied = regexp.MustCompile("^(?:.+) satisfies " + label + " on every run (?:that is|on which) .+: each does (.+)\\.$")
	fairlyViolated  = regexp.MustCompile("^(?:.+) violates " + label + ", also on runs (?:that are|on which) [^:]+(?:: (.+))?\\.$")
	lostAtOnce      = regexp.MustCompile(`^No run is needed to show it\.$`)
	intoDeadlock    = regexp.MustCompile(`^A shortest counterexample into a deadlock has (\d+) transitions? and ends in state (\d+)\.$`)
	trap            = regexp.MustCompile(`^(?:A shortest|This) counterexample has (\d+) transitions? and ends in state (\d+), from where on the property is lost\.$`)
	doomed          = regexp.MustCompile(`^Whatever is done from there on, no (?:such )?run does (.+): it stays in (\d+) states?, where only (.+) can happen\.$`)
)

// Sentence checks one sentence. What is said in the same words as of all runs is checked of
// those that count.
func (c *FairChecker) Sentence(s string) error {
	for name, form := range map[string]struct {
		is    *regexp.Regexp
		check func([]string) error
	}{
		"satisfied": {fairlySatisfied, c.satisfied}, "violated": {fairlyViolated, c.violated}, "no run": {lostAtOnce, c.lostAtOnce}, "into a deadlock": {intoDeadlock, c.intoDeadlock}, "trap": {trap, c.trap},
		"unneeded": {unneeded, c.enough}, "all needed": {allNeeded, c.enough}, "enough": {enough, c.enough}, "doomed": {doomed, c.doomed},
	} {
		if m := form.is.FindStringSubmatch(s); m != nil {
			c.Understood[name]++
			if err := form.check(m); err != nil {
				return fmt.Errorf("%q: %w", s, err)
			}
			return nil
		}
	}
	return c.Checker.Sentence(s)
}

func (c *FairChecker) satisfied(m []string) error {
	first, last, err := c.stretch(m[1])
	return errors.Join(err, want(c.f.Holds(), "some run that counts does not"), want(first == 1 && last == len(c.Steps), "that is not all"))
}

func (c *FairChecker) violated(m []string) error {
	_, reject := c.f.Can(c.Model.Initial(), 0)
	return errors.Join(want(reject, "no run that counts does"), c.diagnosis(m[1]))
}

func (c *FairChecker) enough(m []string) error {
	return enoughOf(m, c.Model.Alphabet(), c.all.Tasks, c.fair.Holds)
}

func (c *FairChecker) lostAtOnce([]string) error {
	accept, reject := c.f.Can(c.Model.Initial(), 0)
	return errors.Join(want(!accept && reject, "some run satisfies it: %t", accept), want(len(c.Run.Transitions) == 0, "there is one"))
}

// intoDeadlock checks that no shorter run ends in a deadlock with steps to come.
func (c *FairChecker) intoDeadlock(m []string) error {
	type place struct {
		s        lts.State
		progress int
	}
	least := -1
	depth := map[place]int{{c.Model.Initial(), 0}: 0}
	for open := []place{{c.Model.Initial(), 0}}; len(open) > 0 && least < 0; open = open[1:] {
		at := open[0]
		out := c.o.Out(at.s)
		if len(out) == 0 && at.progress < len(c.Steps) {
			least = depth[at]
		}
		for _, t := range out {
			next := place{t.To, c.o.Advance(at.progress, t.Label)}
			if _, met := depth[next]; !met {
				depth[next] = depth[at] + 1
				open = append(open, next)
			}
		}
	}
	n := len(c.Run.Transitions)
	return errors.Join(
		want(c.f.Full() && number(m[1]) == n && number(m[2]) == int(c.end) && len(c.o.Out(c.end)) == 0 && c.made < len(c.Steps), "it has %d and ends in %d", n, c.end),
		want(n == least, "one has %d", least))
}

func (c *FairChecker) trap(m []string) error {
	accept, reject := c.f.Can(c.end, c.made)
	shortest, _ := c.f.ShortestLoss()
	return errors.Join(
		want(!accept && reject, "from %d on, runs can satisfy it: %t", c.end, accept),
		want(number(m[2]) == int(c.end) && number(m[1]) == len(c.Run.Transitions), "the run has %d and ends in %d", len(c.Run.Transitions), c.end),
		want(len(c.Run.Transitions) == shortest, "one has %d", shortest))
}

func (c *FairChecker) doomed(m []string) error {
	first, last, err := c.stretch(m[1])
	met, labels := map[lts.State]bool{c.end: true}, map[string]bool{}
	for open := []lts.State{c.end}; len(open) > 0; open = open[1:] {
		for _, t := range c.o.Out(open[0]) {
			labels["`"+c.Model.Alphabet().Text(t.Label)+"`"] = true
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
		want(first == c.made+1 && !c.steps.CanDo(c.end, first, last), "some run does, or it has done more"))
}
