package render

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// othersTitle is the heading of the section with further counterexamples.
const othersTitle = "Other counterexamples"

// Others returns a sentence about each further counterexample. If there are fewer than requested, it
// adds a sentence about what each violating run takes. It returns none if none were requested.
func (s *Sentences) Others() []string {
	p := s.p
	var all []string
	for i := range p.e.Others {
		all = append(all, p.other(i))
	}
	if p.e.EveryTakes != nil {
		all = append(all, p.everyTakes())
	}
	return all
}

// other describes further run number i. It names the transitions of earlier runs that this run avoids; those that
// an earlier run avoids, too, by their steps alone.
func (p *prose) other(i int) string {
	o := &p.e.Others[i]
	told := map[explain.ModelStep]bool{}
	for _, earlier := range p.e.Others[:i] {
		for _, a := range earlier.Avoids {
			told[a.ModelStep] = true
		}
	}
	var avoided []string
	named := map[explain.ModelStep]bool{}
	for _, a := range o.Avoids {
		if named[a.ModelStep] {
			continue
		}
		named[a.ModelStep] = true
		step := stepOf(a.Step, a.Run)
		if !told[a.ModelStep] {
			step = fmt.Sprintf("%s from state %d to state %d (%s)", p.labelText(a.Label), a.From, a.To, step)
		}
		avoided = append(avoided, step)
	}
	never := "It never takes "
	if len(avoided) > 1 {
		never = "It takes neither "
	}
	return fmt.Sprintf("Run %d, of %s: %s. %s%s.", i+2, printable.Quantity(o.Length, "transition"),
		p.inOneLine(o.Counterexample), never, printable.List(avoided, "nor"))
}

// stepOf names a step of a run by its number.
func stepOf(step explain.StepIndex, run int) string {
	if run == 1 {
		return fmt.Sprintf("step %d above", step+1)
	}
	return fmt.Sprintf("step %d of run %d", step+1, run)
}

// everyTakes says what each violating run takes.
func (p *prose) everyTakes() string {
	var parts []string
	for _, t := range p.e.EveryTakes {
		c := p.e.Counterexample
		if t.Run > 1 {
			c = p.e.Others[t.Run-2].Counterexample
		}
		switch {
		case t.Step != nil:
			step := c.Steps[*t.Step]
			parts = append(parts,
				fmt.Sprintf("%s from state %s to state %s (%s)", p.labelText(step.Label),
					p.e.Name(step.From), p.e.Name(step.To), stepOf(*t.Step, t.Run)))
		case c.LoopStart < 0:
			return "There is no other run."
		case t.Run == 1:
			parts = append(parts, "each step of the loop above")
		default:
			parts = append(parts, fmt.Sprintf("each step of the loop of run %d", t.Run))
		}
	}
	return fmt.Sprintf("There is no further one: every violation takes %s.",
		strings.Join(parts, ", or "))
}
