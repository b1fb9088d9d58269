package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// prose says in sentences what an explanation found. Text and Markdown differ
// only in how they set an action: quote does that.
type prose struct {
	e     *explain.Explanation
	quote func(label string) string
}

// shownLabels is how many labels a sentence lists before it counts the rest.
const shownLabels = 5

// verdict is the first line.
func (p *prose) verdict() string {
	name := p.quote(p.e.Model.File)
	formula := p.quote(p.e.Property.Text)
	if p.e.Verdict == explain.Satisfied {
		return fmt.Sprintf("%s satisfies %s: every maximal run does %s.", name, formula, p.steps())
	}
	if c := p.e.Counterexample; c.InitialFate == "fated" {
		return fmt.Sprintf("%s violates %s, and no maximal run satisfies it.", name, formula)
	}
	return fmt.Sprintf("%s violates %s.", name, formula)
}

// steps lists the property's steps: "A, later B, later C".
func (p *prose) steps() string {
	return p.sequence(p.e.Formula().Steps())
}

// sequence lists steps.
func (p *prose) sequence(steps []actl.Pattern) string {
	patterns := make([]string, len(steps))
	for i := range patterns {
		patterns[i] = p.quote(steps[i].String())
	}
	if n := len(patterns); n > shownLabels {
		return fmt.Sprintf("%s, … (%d more), later %s", strings.Join(patterns[:shownLabels-1], ", later "), n-shownLabels, patterns[n-1])
	}
	return strings.Join(patterns, ", later ")
}

// step names step i of the property, from 1.
func (p *prose) step(i int) string { return p.quote(p.e.Property.Steps[i-1].Pattern) }

// shape says what the counterexample looks like, and what it lacks.
func (p *prose) shape() string {
	c := p.e.Counterexample
	adjective := "This counterexample"
	switch pattern := p.e.Pattern(); {
	case c.Given && c.Shortest:
		adjective = "The given counterexample, a shortest one,"
	case c.Given:
		adjective = "The given counterexample"
	case pattern != nil:
		adjective = fmt.Sprintf("A shortest counterexample that does %s", p.sequence(pattern.Steps()))
	case c.Shortest:
		adjective = "A shortest counterexample"
	}
	var s strings.Builder
	switch {
	case len(c.Steps) == 0:
		s.WriteString("The initial state is a deadlock: the run ends before it begins.")
	case c.Kind == "deadlock":
		fmt.Fprintf(&s, "%s has %s and ends in a deadlock, state %s.", adjective, count(len(c.Steps), "transition"), p.e.Name(c.Steps[len(c.Steps)-1].To))
	case c.LoopStart == 0:
		fmt.Fprintf(&s, "%s is a loop of %s at the initial state, repeated for ever.", adjective, count(len(c.Steps), "transition"))
	default:
		fmt.Fprintf(&s, "%s has %s, of which the last %s a loop that is repeated for ever.", adjective,
			count(len(c.Steps), "transition"), lastForm(len(c.Steps)-c.LoopStart))
	}
	s.WriteString(" " + p.missing())
	for _, note := range c.Notes {
		fmt.Fprintf(&s, " Note: %s.", note)
	}
	return s.String()
}

func lastForm(n int) string {
	if n == 1 {
		return "one is"
	}
	return fmt.Sprintf("%d are", n)
}

// missing names the step that never comes.
func (p *prose) missing() string {
	done := p.e.Counterexample.Done
	switch {
	case done == 0:
		return fmt.Sprintf("It never does %s.", p.step(1))
	case done == 1:
		return fmt.Sprintf("It does %s, but after that never %s.", p.step(1), p.step(2))
	}
	return fmt.Sprintf("It does the first %d steps of the property, but after %s never %s.", done, p.step(done), p.step(done+1))
}

// howMany tells the number of shortest counterexamples.
func (p *prose) howMany() string {
	all := p.e.All
	length := count(len(p.e.Counterexample.Steps), "transition")
	if all.Count.IsInt64() && all.Count.Int64() == 1 {
		return fmt.Sprintf("This is the only one of %s.", length)
	}
	listed := "all of them"
	if !all.Count.IsInt64() || all.Count.Int64() != int64(len(all.Listed)) {
		listed = fmt.Sprintf("the first %d", len(all.Listed))
	}
	return fmt.Sprintf("There are %s of %s; %s:", all.Count, length, listed)
}

// inOneLine writes a counterexample as its labels, with its loop in brackets.
func (p *prose) inOneLine(c *explain.Counterexample) string {
	labels := make([]string, len(c.Steps))
	for i, step := range c.Steps {
		labels[i] = p.quote(step.Label)
	}
	if c.LoopStart < 0 {
		return fmt.Sprintf("%s: deadlock in state %s", strings.Join(foldedList(labels), ", "), p.e.Name(p.last(c)))
	}
	stem, loop := strings.Join(foldedList(labels[:c.LoopStart]), ", "), strings.Join(foldedList(labels[c.LoopStart:]), ", ")
	if stem != "" {
		stem += ", "
	}
	return fmt.Sprintf("%sfor ever [%s]", stem, loop)
}

// last returns the state in which a counterexample ends.
func (p *prose) last(c *explain.Counterexample) lts.State {
	if len(c.Steps) == 0 {
		return p.e.Model.Initial
	}
	return c.Steps[len(c.Steps)-1].To
}

// turning says where the run passes the point of no return, or that it does not;
// "" where a decision has said so.
func (p *prose) turning() string {
	c, point := p.e.Counterexample, p.e.PointOfNoReturn
	for _, d := range p.e.Decisions {
		if point != nil && point.Step == d.Step {
			return ""
		}
	}
	switch {
	case c.InitialFate == "fated":
		return fmt.Sprintf("There is no point of no return: the property is lost from the start, for no run does %s.", p.firstImpossible())
	case point != nil:
		return fmt.Sprintf("The point of no return is state %s, left by %s (step %d): up to there the property is still possible; after it, %s.",
			p.e.Name(point.State), p.quote(point.Label), point.Step+1, p.lost())
	}
	return "There is no point of no return: at every moment of this run the property is still possible, but nothing forces it."
}

// firstImpossible names the steps up to the first one that no run does.
func (p *prose) firstImpossible() string {
	if p.e.Loss.Step == 1 {
		return p.step(1)
	}
	return fmt.Sprintf("%s after %s", p.step(p.e.Loss.Step), p.step(p.e.Loss.Step-1))
}

// exits says how the loop of a lasso could be left at those of its states that
// have not been described as decisions, states with the same ways out together;
// nil where there is nothing to add.
func (p *prose) exits() []string {
	if p.e.Counterexample.LoopStart < 0 {
		return nil
	}
	if len(p.e.Exits) == 0 {
		return []string{"No transition leaves the loop: once in it, the run stays for ever."}
	}
	described := map[lts.State]bool{}
	for _, d := range append(p.e.Decisions[:len(p.e.Decisions):len(p.e.Decisions)], p.e.Forks...) {
		described[d.State] = true
	}
	byState := map[lts.State][]explain.Choice{}
	for _, exit := range p.e.Exits {
		byState[exit.From] = append(byState[exit.From], exit.Choice)
	}
	var ways []string
	statesOf := map[string][]lts.State{}
	for _, step := range p.e.Counterexample.Steps[p.e.Counterexample.LoopStart:] {
		if choices := byState[step.From]; choices != nil && !described[step.From] {
			way := p.waysOut(choices)
			if statesOf[way] == nil {
				ways = append(ways, way)
			}
			statesOf[way] = append(statesOf[way], step.From)
		}
	}
	var sentences []string
	for i, way := range ways {
		if i == shownExits && len(ways) > shownExits+1 {
			return append(sentences, fmt.Sprintf("There are %s ways out.", numeral(len(ways)-i)))
		}
		sentences = append(sentences, fmt.Sprintf("At %s by %s.", p.stateList(statesOf[way]), way))
	}
	return sentences
}

// shownExits is how many ways out of a loop, or forks, are described.
const shownExits = 8

// waysOut lists choices with what each means.
func (p *prose) waysOut(choices []explain.Choice) string {
	groups := p.byMeaning(choices)
	var parts []string
	for i, means := range meanings {
		if groups[i] != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", groups[i], means.is))
		}
	}
	return join(parts, "or")
}

// forks says, of a counterexample without decision points, where on the way
// another choice would have meant something else for this very run.
func (p *prose) forks() []string {
	sentences := p.decisions(p.e.Forks)
	if n := len(sentences); n > shownExits+1 {
		sentences = append(sentences[:shownExits], fmt.Sprintf("There are %s such choices.", numeral(n-shownExits)))
	}
	return sentences
}

// beyondDecisions returns what there is to say about the counterexample as a
// whole, once its decisions have been described.
func (p *prose) beyondDecisions() []string {
	var sentences []string
	if len(p.e.Decisions) == 0 && p.e.Counterexample.InitialFate != "fated" {
		sentences = append(sentences, "No state on it is a decision point, where right and wrong part for every run that comes by.")
		if len(p.e.Forks) > 0 {
			sentences = append(append(sentences, "For this run, with the progress it has made, these choices count:"), p.forks()...)
		}
		if !p.e.IsUnfolded() {
			sentences = append(sentences, "States here stand for all their histories; --unfold tells those apart, and may show more.")
		}
	}
	for _, sentence := range []string{p.abstraction(), p.turning()} {
		if sentence != "" {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// abstraction says what is left of the counterexample; "" where nothing is.
func (p *prose) abstraction() string {
	kept := p.e.Abstracted.Steps
	switch len(kept) {
	case 0:
		return ""
	case len(p.e.Counterexample.Steps):
		return "Each of its transitions enters or leaves a decision point."
	}
	labels := make([]string, len(kept))
	for i, k := range kept {
		labels[i] = p.quote(p.e.Counterexample.Steps[k].Label)
	}
	if n := len(labels); n > 2*shownLabels {
		labels = append(append(labels[:shownLabels:shownLabels], fmt.Sprintf("… (%d more)", n-2*shownLabels)), labels[n-shownLabels:]...)
	}
	return fmt.Sprintf("Abstracted to its decisions, the run has %s instead of %d: %s.",
		count(len(kept), "transition"), len(p.e.Counterexample.Steps), strings.Join(labels, ", "))
}

// elsewhere says what lies off the counterexample.
func (p *prose) elsewhere() []string {
	var lines []string
	off := map[string][]lts.State{}
	total := 0
	if n := p.e.Map(); n != nil {
		on := map[lts.State]bool{}
		for _, d := range p.e.Decisions {
			on[d.State] = true
		}
		for _, s := range n.States() {
			if kind, _ := n.Kind(s); !on[s] {
				off[kind.String()] = append(off[kind.String()], s)
				total++
			}
		}
	}
	switch {
	case p.e.Counterexample == nil:
	case total == 0 && len(p.e.Decisions) > 0:
		lines = append(lines, "There is no other decision point.")
	case total == 0:
		lines = append(lines, "There is no decision point in the whole model (in this reading).")
	default:
		var parts []string
		for _, kind := range neighbourhood.Kinds() {
			if states := off[kind.String()]; states != nil {
				parts = append(parts, fmt.Sprintf("%d %s (%s)", len(states), kind, p.stateList(states)))
			}
		}
		lines = append(lines, fmt.Sprintf("%s off it: %s.", count(total, "further decision point"), strings.Join(parts, ", ")))
	}
	c := p.e.Classes
	if f := p.e.Folded; f != nil {
		lines = append(lines, p.folded(f))
	}
	if p.e.Counterexample == nil {
		return append(lines, p.unreachable(fmt.Sprintf("All %s are correct.", count(c.Correct, "transition")))...)
	}
	lines = append(lines, fmt.Sprintf("Transitions: %d correct, %d incorrect, %d neutral.", c.Correct, c.Incorrect, c.Neutral))
	return p.unreachable(lines...)
}

// unreachable adds to lines what part of the model was not looked at.
func (p *prose) unreachable(lines ...string) []string {
	m := p.e.Model
	if states, transitions := m.States-m.ReachableStates, m.Transitions-m.ReachableTransitions; states > 0 {
		lines = append(lines, fmt.Sprintf("%s with %s cannot be reached and took no part.", count(states, "state"), count(transitions, "transition")))
	}
	return lines
}

// folded says what differs when the states are not told apart by their histories.
func (p *prose) folded(f *explain.Folded) string {
	s := fmt.Sprintf("States are shown as state·progress. With their histories told apart, the decision points number %d", p.e.Neighbourhoods().Len())
	if p.e.Counterexample == nil {
		return fmt.Sprintf("%s; in the model itself, where a state stands for all its histories, %d.", s, f.Neighbourhoods)
	}
	return fmt.Sprintf("%s, %d of them on this run; in the model itself, where a state stands for all its histories, %d and %d.",
		s, len(p.e.Decisions), f.Neighbourhoods, f.Decisions)
}

// stateList names a few states.
func (p *prose) stateList(states []lts.State) string {
	const shown = 8
	word := "states "
	if len(states) == 1 {
		word = "state "
	}
	var s strings.Builder
	s.WriteString(word)
	for i, state := range states {
		if i == shown && len(states) > shown+1 {
			fmt.Fprintf(&s, ", … %d more", len(states)-shown)
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(p.e.Name(state))
	}
	return s.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func numeral(n int) string {
	if n == 1 {
		return "one more"
	}
	return fmt.Sprintf("%d more", n)
}

// join lists parts: "a", "a or b", "a, b or c".
func join(parts []string, last string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " " + last + " " + parts[len(parts)-1]
}
