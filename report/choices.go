package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/claim"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// chosen says what a run takes at states on it, what that meant, and what the other
// choices would have meant.
func (p *prose) chosen(c claim.Chosen) string {
	s := p.taken(c)
	switch c.Outcome {
	case claim.LostBefore:
		return s + "; for this run the property was lost before."
	case claim.LostHere:
		s += fmt.Sprintf(". From then on %s. This is the point of no return.", p.lost(c.Gone))
	default:
		s += "; the property stays possible."
	}
	if instead := p.instead(c); instead != "" {
		s += " " + instead
	}
	return s
}

// taken says what a run takes at states on it.
func (p *prose) taken(c claim.Chosen) string {
	states := make([]lts.State, len(c.Decisions))
	labels := make([]string, len(c.Decisions))
	for i, d := range c.Decisions {
		states[i] = d.State
		labels[i] = p.quote(d.Chosen.Label)
		for _, other := range d.Alternatives {
			if other.Label == d.Chosen.Label {
				labels[i] = p.towards(d.Chosen.Label, d.Chosen.To)
			}
		}
	}
	round := ""
	if c.EveryRound {
		round = ", in every round"
	}
	if len(states) == 1 {
		return fmt.Sprintf("In state %s (step %d%s) the run takes %s", p.e.Name(states[0]), c.Decisions[0].Step+1, round, labels[0])
	}
	labels = foldedList(labels)
	if n := len(labels); n > shownLabels+1 {
		labels = append(labels[:shownLabels], fmt.Sprintf("… (%d more)", n-shownLabels))
	}
	return fmt.Sprintf("In %s (%s%s) the run takes %s", p.stateList(states), stepList(c.Decisions), round, strings.Join(labels, ", "))
}

// stepList numbers the steps that leave decisions.
func stepList(decisions []*explain.Decision) string {
	numbers := make([]string, 0, shownStates+1)
	for i, d := range decisions {
		if i == shownStates && len(decisions) > shownStates+1 {
			numbers = append(numbers, fmt.Sprintf("… %d more", len(decisions)-shownStates))
			break
		}
		numbers = append(numbers, fmt.Sprint(d.Step+1))
	}
	return "steps " + strings.Join(numbers, ", ")
}

// towards names a choice by its label and the state it leads to.
func (p *prose) towards(label string, to lts.State) string {
	return fmt.Sprintf("%s to state %s", p.quote(label), p.e.Name(to))
}

// lost says what can no longer happen.
func (p *prose) lost(gone claim.OutOfReach) string {
	if gone.First == gone.Last {
		return fmt.Sprintf("%s can no longer happen: the property is lost", p.once(gone.First))
	}
	return fmt.Sprintf("the run can no longer do %s: the property is lost", p.stretch(gone.First, gone.Last))
}

// shownBetter is how many better choices a sentence lists at the point of no return.
const shownBetter = 40

// instead says what the alternatives would have meant.
func (p *prose) instead(c claim.Chosen) string {
	better, again := shownLabels, ""
	if c.Outcome == claim.LostHere {
		better, again = shownBetter, " as well"
	}
	o := c.Outlook
	parts := sentenceParts{subject: "the property"}
	parts.add(p.options(o.Certain, better), "would have made %s certain")
	parts.add(p.options(o.Possible, better), "would have kept %s possible")
	switch lost := p.options(o.Lost, shownLabels); {
	case c.Outcome == claim.LostHere && len(o.Lost) > 2:
		parts.add(count(ways(o.Lost), "other transition"), "would have lost %s"+again)
	default:
		parts.add(lost, "would have lost %s"+again)
	}
	return parts.String() + p.firstRound(o)
}

// ways counts the transitions of options.
func ways(options []claim.Option) int {
	n := 0
	for _, o := range options {
		n += o.Ways
	}
	return n
}

// firstRound says where a choice meant less the first time round.
func (p *prose) firstRound(o claim.Outlook) string {
	parts := sentenceParts{subject: "the property"}
	parts.add(p.options(o.FirstPossible, shownLabels), "would only have kept %s possible")
	parts.add(p.options(o.FirstLost, shownLabels), "would still have lost %s")
	if s := parts.String(); s != "" {
		return " In the first round, " + s
	}
	return ""
}

// sentenceParts are clauses with one subject of which only the first names it.
type sentenceParts struct {
	subject string
	parts   []string
}

func (s *sentenceParts) add(who, does string) {
	if who == "" {
		return
	}
	subject := s.subject
	if len(s.parts) > 0 {
		subject = "it"
	}
	s.parts = append(s.parts, who+" "+fmt.Sprintf(does, subject))
}

func (s *sentenceParts) String() string {
	if s.parts == nil {
		return ""
	}
	return strings.Join(s.parts, "; ") + "."
}

// options lists options, up to most of them.
func (p *prose) options(options []claim.Option, most int) string {
	var shown []string
	for i, o := range options {
		if i == most && len(options) > most+1 {
			shown = append(shown, count(len(options)-i, "other action"))
			break
		}
		name := p.quote(o.Label)
		if o.ToTold {
			name = p.towards(o.Label, o.To)
		}
		if o.Ways > 1 {
			name = fmt.Sprintf("%s (%d ways)", name, o.Ways)
		}
		shown = append(shown, name)
	}
	return join(shown, "or")
}

// waysOut says how the loop can be left at some of its states.
func (p *prose) waysOut(c claim.WaysOut) string {
	parts := sentenceParts{subject: "the property"}
	parts.add(p.options(c.Certain, shownLabels), "makes %s certain")
	parts.add(p.options(c.Possible, shownLabels), "keeps %s possible")
	parts.add(p.options(c.Lost, shownLabels), "loses %s")
	return fmt.Sprintf("In %s, %s", p.stateList(c.States), parts.String()) + p.firstRound(c.Outlook)
}

// nearestWay says how a run could come from the loop to the step that is missing.
func (p *prose) nearestWay(c claim.NearestWay) string {
	way := c.Transitions
	last := len(way) - 1
	var path strings.Builder
	fmt.Fprintf(&path, "The shortest way from the loop to %s: from state %s by ", p.once(p.e.Counterexample.Done+1), p.e.Name(way[0].From))
	for i, t := range way {
		switch {
		case len(way) > 2*shownLabels && i == shownLabels:
			fmt.Fprintf(&path, "… (%d more), ", last-shownLabels)
			continue
		case len(way) > 2*shownLabels && i > shownLabels && i < last:
			continue
		case i == last:
			path.WriteString(p.towards(t.Label, t.To))
		default:
			path.WriteString(p.quote(t.Label) + ", ")
		}
	}
	return path.String() + "."
}
