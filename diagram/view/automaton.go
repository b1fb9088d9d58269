package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// Automaton returns the automaton of a property as a picture. States are named by what is pending,
// actions by the patterns of steps, and each state reports whether a run may end in it. The
// property must be one over letters, as [github.com/inev-lts/inev/actl.Formula.BindLetters] and
// similar methods return it with its steps. Cost O(states · letters · steps).
func Automaton(p *property.Property, steps []property.Step) *Graph {
	t := p.Automaton()
	g := &Graph{
		Whole: true, Initial: lts.State(t.Initial), States: t.States(),
		Caption: Caption{Formula: t.Name, Verdict: accepted(t.Acceptance)},
	}
	for q := range t.States() {
		n := Node{State: lts.State(q), Name: fmt.Sprint(q), Initial: property.Q(q) == t.Initial}
		if t.Pending != nil && t.Pending[q].String() != "" {
			n.Text = append(n.Text, t.Pending[q].String())
		}
		if !t.Stop[q] {
			n.Text = append(n.Text, "a run must not end here")
		}
		g.Nodes = append(g.Nodes, n)
	}
	a := automaton{t, make([][]string, t.Columns)}
	for _, step := range steps {
		seen := map[uint16]bool{}
		for _, l := range step.Labels {
			if k := t.Letters[l]; !seen[k] {
				seen[k] = true
				a.matched[k] = append(a.matched[k], step.Pattern.String())
			}
		}
	}
	for q := range t.States() {
		a.arrows(g, property.Q(q))
	}
	g.Shown = Size{len(g.Nodes), len(g.Arrows)}
	g.Reachable = g.Shown
	return g
}

// accepted describes the infinite runs that the automaton accepts.
func accepted(a property.Acceptance) string {
	switch a.Operator() {
	case property.True:
		return "every run that goes on for ever is accepted"
	case property.False:
		return "no run that goes on for ever is accepted"
	case property.InfOp:
		return fmt.Sprintf("accepted: runs that take {%d} again and again", a.Colour())
	case property.FinOp:
		return fmt.Sprintf("accepted: runs that stop taking {%d}", a.Colour())
	}
	return "accepted: " + a.String() + " (Inf: taken again and again; Fin: not)"
}

// automaton is the state of drawing an automaton.
type automaton struct {
	property.Automaton
	// matched has, for each letter, the texts of the patterns that match its labels; nil for labels
	// that no pattern matches.
	matched [][]string
}

// arrows adds the arrows that leave a state: one for each pair of a target and a set of colours.
func (a automaton) arrows(g *Graph, q property.Q) {
	type arrow struct {
		to    property.Q
		marks property.Marks
	}
	var order []arrow
	letters := map[arrow][]int{}
	visited := map[uint16]bool{}
	for _, letter := range a.Letters {
		if visited[letter] {
			continue
		}
		visited[letter] = true
		at := int(q)*a.Columns + int(letter)
		to := arrow{to: a.Next[at]}
		if a.Marks != nil {
			to.marks = a.Marks[at]
		}
		if letters[to] == nil {
			order = append(order, to)
		}
		letters[to] = append(letters[to], int(letter))
	}
	for _, to := range order {
		text := a.actions(letters[to], len(visited))
		if to.marks != 0 {
			var colours []string
			for c := range property.Colours {
				if to.marks.Has(c) {
					colours = append(colours, fmt.Sprint(c))
				}
			}
			text += " {" + strings.Join(colours, ", ") + "}"
		}
		g.Arrows = append(g.Arrows, Arrow{
			From: lts.State(q), To: lts.State(to.to), Class: neighbourhood.Neutral, Meaning: neighbourhood.Neutral,
			Labels: []Label{{Text: text, Times: 1}},
		})
	}
}

// actions describes the actions of a set of letters; the parameter of is the number of all letters.
func (a automaton) actions(letters []int, of int) string {
	if len(letters) == of {
		return "any action"
	}
	others := slices.ContainsFunc(letters, func(k int) bool { return a.matched[k] == nil })
	var texts []string
	for k, patterns := range a.matched {
		if patterns == nil || slices.Contains(letters, k) == others {
			continue
		}
		texts = append(texts, strings.Join(patterns, " that is "))
	}
	if others {
		return "all but " + strings.Join(texts, ", ")
	}
	return strings.Join(texts, ", ")
}
