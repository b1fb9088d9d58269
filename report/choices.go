package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// decisions says what was chosen at states on the counterexample, what that made
// impossible, and what the alternatives were; states that follow each other with
// the same to be said share a sentence.
func (p *prose) decisions(all []explain.Decision) []string {
	var sentences []string
	for len(all) > 0 {
		meaning := p.meaning(&all[0])
		n := 1
		for n < len(all) && p.meaning(&all[n]) == meaning {
			n++
		}
		sentences = append(sentences, p.chosen(all[:n])+meaning)
		all = all[n:]
	}
	return sentences
}

// chosen says what a run takes at states on it.
func (p *prose) chosen(decisions []explain.Decision) string {
	states := make([]lts.State, len(decisions))
	labels := make([]string, len(decisions))
	for i, d := range decisions {
		states[i] = d.State
		labels[i] = p.quote(d.Chosen.Label)
		for _, other := range d.Alternatives {
			if other.Label == d.Chosen.Label {
				labels[i] = p.towards(d.Chosen)
			}
		}
	}
	if len(decisions) == 1 {
		return fmt.Sprintf("In state %s (step %d) the run takes %s", p.e.Name(states[0]), decisions[0].Step+1, labels[0])
	}
	if n := len(labels); n > shownLabels+1 {
		labels = append(labels[:shownLabels], fmt.Sprintf("… (%d more)", n-shownLabels))
	}
	return fmt.Sprintf("In %s (from step %d on) the run takes %s", p.stateList(states), decisions[0].Step+1, strings.Join(labels, ", "))
}

// towards names a choice by its label and the state it leads to.
func (p *prose) towards(c explain.Choice) string {
	return fmt.Sprintf("%s to state %s", p.quote(c.Label), p.e.Name(c.To))
}

// meaning says what the choice at a state meant, and what others would have meant.
func (p *prose) meaning(d *explain.Decision) string {
	var s strings.Builder
	switch {
	case d.Fate == "fated":
		return "; the property was lost before, and nothing here brings it back."
	case d.Chosen.After == neighbourhood.Incorrect.String():
		fmt.Fprintf(&s, ". From then on %s. This is the point of no return.", p.lost())
	default:
		s.WriteString("; the property stays possible.")
	}
	if instead := p.instead(d); instead != "" {
		s.WriteString(" " + instead)
	}
	return s.String()
}

// lost says what can no longer happen once the counterexample is fated.
func (p *prose) lost() string {
	loss := p.e.Loss
	if loss == nil {
		return "the property is lost"
	}
	done := p.e.Counterexample.Steps[max(loss.Steps-1, 0)].Progress
	switch {
	case loss.Step == 1:
		return fmt.Sprintf("%s can no longer happen: the property is lost", p.step(1))
	case loss.Step == done+1:
		return fmt.Sprintf("%s can no longer follow: the property is lost", p.step(loss.Step))
	}
	return fmt.Sprintf("%s can no longer follow %s: the property is lost", p.step(loss.Step), p.step(loss.Step-1))
}

// meanings are what a choice can mean for the run that has to make it.
var meanings = []struct {
	class          neighbourhood.Class
	was, is, again string
}{
	{neighbourhood.Correct, "would have made the property certain", "the property is then certain", "would have made it certain"},
	{neighbourhood.Neutral, "would have kept the property possible", "it stays possible", "would have kept it possible"},
	{neighbourhood.Incorrect, "would have lost the property", "the property is then lost", "would have lost it"},
}

// instead says what the alternatives would have meant.
func (p *prose) instead(d *explain.Decision) string {
	groups := p.byMeaning(d.Alternatives, d.Chosen)
	var parts []string
	for i, means := range meanings {
		switch {
		case groups[i] == "":
		case parts == nil:
			parts = append(parts, groups[i]+" "+means.was)
		default:
			parts = append(parts, groups[i]+" "+means.again)
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// byMeaning lists the labels of choices for each of the meanings. A label that
// is listed for more than one, or was taken, is told apart by the states it leads
// to.
func (p *prose) byMeaning(choices []explain.Choice, taken ...explain.Choice) [3]string {
	meaningsOf := map[string]map[string]bool{}
	for _, c := range taken {
		meaningsOf[c.Label] = map[string]bool{"taken": true}
	}
	for _, c := range choices {
		if meaningsOf[c.Label] == nil {
			meaningsOf[c.Label] = map[string]bool{}
		}
		meaningsOf[c.Label][c.After] = true
	}
	var lists [3]string
	for i, means := range meanings {
		var labels []string
		for _, c := range choices {
			switch {
			case c.After != means.class.String():
			case len(meaningsOf[c.Label]) > 1:
				labels = append(labels, p.towards(c))
			default:
				labels = append(labels, p.quote(c.Label))
			}
		}
		lists[i] = list(labels)
	}
	return lists
}

// list lists labels, each once with the number of its transitions.
func list(labels []string) string {
	var distinct []string
	times := map[string]int{}
	for _, l := range labels {
		if times[l]++; times[l] == 1 {
			distinct = append(distinct, l)
		}
	}
	var shown []string
	for i, l := range distinct {
		if i == shownLabels {
			shown = append(shown, fmt.Sprintf("%s more", count(len(distinct)-i, "action")))
			break
		}
		if times[l] > 1 {
			l = fmt.Sprintf("%s (%d ways)", l, times[l])
		}
		shown = append(shown, l)
	}
	return join(shown, "or")
}
