package diagram

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// Identifiers and classes of the elements in DOT and SVG, for programs: see the package
// comment.

func nodeClasses(n view.Node) string {
	words := []string{"state"}
	add := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	add(n.Initial, "initial")
	add(n.Before, "before")
	add(n.Deadlock, "deadlock")
	add(n.OnRun, "on-run")
	add(n.Merged > 1, "merged")
	if n.Turn != view.NoTurn {
		words = append(words, "decision", word(n.Turn.String()))
	} else if n.Says() != "" {
		words = append(words, "neighbourhood", word(n.Kind.String()))
	}
	return strings.Join(words, " ")
}

// word replaces blanks, so that a name is one class.
func word(name string) string { return strings.ReplaceAll(name, " ", "-") }

func (d *drawing) nodeTooltip(n view.Node) string {
	text := "state " + n.Name
	if n.Merged > 1 {
		text += fmt.Sprintf(" and %d more", n.Merged-1)
	}
	if n.Initial {
		text += ", initial"
	}
	for _, told := range n.Text {
		text += ", " + printable.Text(told)
	}
	if n.Deadlock {
		text += ", deadlock"
	}
	if n.Turn != view.NoTurn {
		text += ", decision: " + n.Says()
	} else if said := n.Says(); said != "" {
		text += ", " + said
	}
	if n.OnRun {
		text += ", on " + d.picture.Caption.Run()
	}
	return text
}

func (d *drawing) arrowClasses(a view.Arrow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "transition %s from-%s to-%s", d.className(a), d.names[a.From], d.names[a.To])
	transitions := a.More
	for _, l := range a.Labels {
		transitions += l.Times
	}
	if transitions > 1 || a.Folded > 0 {
		fmt.Fprintf(&b, " bundle")
	}
	if a.OnRun {
		fmt.Fprintf(&b, " on-run")
	}
	if a.Loop {
		fmt.Fprintf(&b, " loop")
	}
	if a.NoReturn {
		fmt.Fprintf(&b, " no-return")
	}
	if a.Better {
		fmt.Fprintf(&b, " better")
	}
	if a.Never != "" {
		fmt.Fprintf(&b, " never")
	}
	if a.Branch {
		fmt.Fprintf(&b, " correct-run")
	}
	if n := len(a.Steps); n > maxStepClasses {
		fmt.Fprintf(&b, " gap first-%d last-%d", a.Steps[0], a.Steps[n-1])
		return b.String()
	}
	for _, step := range a.Steps {
		fmt.Fprintf(&b, " step-%d", step)
	}
	return b.String()
}

// maxStepClasses is the largest number of step classes of an arrow. With more steps, the arrow has
// only the classes of the first and the last.
const maxStepClasses = 200

func (d *drawing) className(a view.Arrow) string {
	if !d.picture.Classified {
		return "unclassified"
	}
	return a.Class.String()
}

func (d *drawing) arrowTooltip(a view.Arrow) string {
	text := fmt.Sprintf("%s to %s", d.inWords(a.From), d.inWords(a.To))
	if d.picture.Classified {
		text += ", " + a.Class.String()
	}
	return text + ": " + strings.Join(tooltipLabels(a), "; ")
}

// tooltipLabels returns the labels of an arrow, cut to the length for tooltips.
func tooltipLabels(a view.Arrow) []string {
	var texts []string
	for _, l := range a.Labels {
		texts = append(texts, printable.Cut(l.Text, maxTooltipText))
	}
	if a.More > 0 {
		texts = append(texts, fmt.Sprintf("… %d more", a.More))
	}
	if a.Folded > 0 {
		texts = append(texts, fmt.Sprintf("%d of them in a row", a.Folded))
	}
	return texts
}

func (d *drawing) gapClasses(g view.Gap) string {
	classes := fmt.Sprintf("gap on-run from-%s to-%s first-%d last-%d", d.names[g.From], d.names[g.To], g.First, g.Last)
	if g.Loop {
		classes += " loop"
	}
	return classes
}

func (d *drawing) stubClasses(s view.Stub) string {
	return "stub out from-" + d.names[s.State]
}
