package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/keyed"
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
	// matched has, for each letter, the texts of the patterns that match its labels; nil for labels
	// that no pattern matches.
	matched := make([][]string, t.Columns)
	for _, step := range steps {
		seen := map[uint16]bool{}
		for _, l := range step.Labels {
			if k := t.Letters[l]; !seen[k] {
				seen[k] = true
				matched[k] = append(matched[k], step.Pattern.String())
			}
		}
	}
	var all keyed.List[uint16, int] // the letters of labels
	for _, k := range t.Letters {
		all.Index(k, int(k))
	}
	// A state has an arrow for each pair of a target and a set of colours.
	type pair struct {
		to    property.Q
		marks property.Marks
	}
	type arrow struct {
		pair
		letters []int
	}
	for q := range property.Q(t.States()) {
		var arrows keyed.List[pair, arrow]
		for _, k := range all.All {
			to := pair{to: t.Next[int(q)*t.Columns+k]}
			if t.Marks != nil {
				to.marks = t.Marks[int(q)*t.Columns+k]
			}
			a := &arrows.All[arrows.Index(to, arrow{pair: to})]
			a.letters = append(a.letters, k)
		}
		for _, a := range arrows.All {
			text := "any action"
			if len(a.letters) < len(all.All) {
				text = actions(matched, a.letters)
			}
			var colours []string
			for c := range property.Colours {
				if a.marks.Has(c) {
					colours = append(colours, fmt.Sprint(c))
				}
			}
			if colours != nil {
				text += " {" + strings.Join(colours, ", ") + "}"
			}
			g.Arrows = append(g.Arrows, Arrow{
				From: lts.State(q), To: lts.State(a.to), Class: neighbourhood.Neutral, Meaning: neighbourhood.Neutral,
				Labels: []Label{{Text: text, Times: 1}},
			})
		}
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

// actions describes the actions of a set of letters, not of all.
func actions(matched [][]string, letters []int) string {
	others := slices.ContainsFunc(letters, func(k int) bool { return matched[k] == nil })
	var texts []string
	for k, patterns := range matched {
		if patterns != nil && slices.Contains(letters, k) != others {
			texts = append(texts, strings.Join(patterns, " that is "))
		}
	}
	if others {
		return "all but " + strings.Join(texts, ", ")
	}
	return strings.Join(texts, ", ")
}
