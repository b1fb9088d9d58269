package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Automaton returns the automaton of a property as a picture. The name of a state is what is pending
// there, and the names of actions are the patterns of steps. Each state reports whether a run may end
// in it. The property must be one over letters, as [github.com/inev-lts/inev/actl.Formula.BindLetters]
// and similar methods return it, together with its steps. Cost O(states · letters · steps).
func Automaton(p *property.Property, steps []property.Step) *Graph {
	t := p.Automaton()
	g := &Graph{
		Whole:     true,
		AllLabels: true,
		Initial:   lts.State(t.Initial),
		States:    t.States(),
		Caption:   Caption{Formula: t.Name, Verdict: accepted(t.Acceptance)},
	}
	for q := range t.States() {
		g.Nodes = append(g.Nodes, propertyNode(t, q))
	}
	letters := lettersOf(t)
	patterns := patternsOf(t, steps)
	for q := range property.Q(t.States()) {
		for _, m := range movesFrom(t, q, letters) {
			text := "any action"
			if len(m.letters) < len(letters) {
				text = actions(patterns, m.letters)
			}
			g.Arrows = append(g.Arrows, Arrow{
				From:    lts.State(q),
				To:      lts.State(m.to),
				Class:   fate.Neutral,
				Meaning: fate.Neutral,
				Labels:  []Label{{Text: text + coloursText(m.marks), Times: 1}},
			})
		}
	}
	g.Shown = Size{len(g.Nodes), len(g.Arrows)}
	g.Reachable = g.Shown
	return g
}

// propertyNode returns the node of a state of an automaton.
func propertyNode(t property.Automaton, q int) Node {
	n := Node{
		State:   lts.State(q),
		Name:    fmt.Sprint(q),
		Initial: property.Q(q) == t.Initial,
	}
	if t.Pending != nil && t.Pending[q].String() != "" {
		n.Text = append(n.Text, t.Pending[q].String())
	}
	if !t.Stop[q] {
		n.Text = append(n.Text, "a run must not end here")
	}
	return n
}

// lettersOf returns the letters of all labels, in the order of the labels.
func lettersOf(t property.Automaton) []int {
	var letters intern.List[uint16, int]
	for _, letter := range t.Letters {
		letters.Index(letter, int(letter))
	}
	return letters.All
}

// patternsOf returns, for each letter, the texts of the patterns that match the labels of the letter;
// nil if no pattern matches them.
func patternsOf(t property.Automaton, steps []property.Step) [][]string {
	patterns := make([][]string, t.Columns)
	for _, step := range steps {
		seen := map[uint16]bool{}
		for _, l := range step.Labels {
			letter := t.Letters[l]
			if !seen[letter] {
				seen[letter] = true
				patterns[letter] = append(patterns[letter], step.Pattern.String())
			}
		}
	}
	return patterns
}

// movesTo are the letters that lead from a state of an automaton to the same target with the same
// colours.
type movesTo struct {
	target
	letters []int
}

// target is a state of an automaton with the colours of the transitions to it.
type target struct {
	to    property.Q
	marks property.Marks
}

// movesFrom returns the moves from a state of an automaton.
func movesFrom(t property.Automaton, q property.Q, letters []int) []movesTo {
	var moves intern.List[target, movesTo]
	for _, letter := range letters {
		entry := int(q)*t.Columns + letter
		to := target{to: t.Next[entry]}
		if t.Marks != nil {
			to.marks = t.Marks[entry]
		}
		m := &moves.All[moves.Index(to, movesTo{target: to})]
		m.letters = append(m.letters, letter)
	}
	return moves.All
}

// coloursText returns the colours of a transition in braces; "" if it has none.
func coloursText(marks property.Marks) string {
	var colours []string
	for c := range property.Colours {
		if marks.Has(c) {
			colours = append(colours, fmt.Sprint(c))
		}
	}
	if colours == nil {
		return ""
	}
	return " {" + strings.Join(colours, ", ") + "}"
}

// accepted describes the infinite runs that the automaton accepts.
func accepted(a property.Acceptance) string {
	switch a.Operator() {
	case property.True:
		return "every run that goes on forever is accepted"
	case property.False:
		return "no run that goes on forever is accepted"
	case property.InfOp:
		return fmt.Sprintf("accepted: runs that take {%d} infinitely often", a.Colour())
	case property.FinOp:
		return fmt.Sprintf("accepted: runs that stop taking {%d}", a.Colour())
	}
	return "accepted: " + a.String() + " (Inf: taken infinitely often; Fin: only finitely often)"
}

// actions describes the actions of some letters, but not of all letters. matched has the patterns that
// match each letter. If the letters include one that no pattern matches, actions describes the letters by
// what they exclude.
func actions(matched [][]string, letters []int) string {
	isUnmatched := func(letter int) bool { return matched[letter] == nil }
	byExclusion := slices.ContainsFunc(letters, isUnmatched)
	var texts []string
	for letter, patterns := range matched {
		isListed := slices.Contains(letters, letter) != byExclusion
		if patterns != nil && isListed {
			texts = append(texts, strings.Join(patterns, " that is "))
		}
	}
	if byExclusion {
		return "all but " + strings.Join(texts, ", ")
	}
	return strings.Join(texts, ", ")
}
