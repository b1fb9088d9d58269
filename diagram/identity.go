package diagram

import (
	"fmt"
	"strings"
)

// Identifiers and classes of what is drawn, by which a program finds it in DOT and
// SVG: see the comment on the package.

func nodeClasses(n node) string {
	words := []string{"state"}
	add := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	add(n.initial, "initial")
	add(n.deadlock, "deadlock")
	add(n.onRun, "on-run")
	add(n.merged > 1, "merged")
	if n.kind != 0 {
		words = append(words, "neighbourhood", word(n.kind.String()))
	}
	return strings.Join(words, " ")
}

// word makes one word of a name.
func word(name string) string { return strings.ReplaceAll(name, " ", "-") }

func nodeTooltip(n node) string {
	text := "state " + n.name
	if n.merged > 1 {
		text += fmt.Sprintf(" and %d more", n.merged-1)
	}
	if n.initial {
		text += ", initial"
	}
	if n.deadlock {
		text += ", deadlock"
	}
	if n.kind != 0 {
		text += ", decision: " + strings.Join(kindWords(n.kind), " ")
	}
	if n.onRun {
		text += ", on the counterexample"
	}
	return text
}

func (d *drawing) arrowClasses(a arrow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "transition %s from-%s to-%s", d.className(a), d.names[a.from], d.names[a.to])
	transitions := a.more
	for _, l := range a.labels {
		transitions += l.times
	}
	if transitions > 1 || a.folded > 0 {
		fmt.Fprintf(&b, " bundle")
	}
	if a.onRun {
		fmt.Fprintf(&b, " on-run")
	}
	if a.loop {
		fmt.Fprintf(&b, " loop")
	}
	if a.noReturn {
		fmt.Fprintf(&b, " no-return")
	}
	if a.better {
		fmt.Fprintf(&b, " better")
	}
	if n := len(a.steps); n > maxStepClasses {
		fmt.Fprintf(&b, " gap first-%d last-%d", a.steps[0], a.steps[n-1])
		return b.String()
	}
	for _, step := range a.steps {
		fmt.Fprintf(&b, " step-%d", step)
	}
	return b.String()
}

// maxStepClasses is the number of steps that are classes of one arrow; of more, there are
// the first and the last.
const maxStepClasses = 200

func (d *drawing) className(a arrow) string {
	if !d.picture.classified {
		return "unclassified"
	}
	return a.class.String()
}

func (d *drawing) arrowTooltip(a arrow) string {
	to := d.names[a.to]
	if way, is := d.ways[a.to]; is {
		to = way
	}
	text := fmt.Sprintf("%s to %s", d.names[a.from], to)
	if d.picture.classified {
		text += ", " + a.class.String()
	}
	return text + ": " + strings.Join(tooltipLabels(a), "; ")
}

// tooltipLabels are the labels of an arrow at greater length than beside it.
func tooltipLabels(a arrow) []string {
	var texts []string
	for _, l := range a.labels {
		texts = append(texts, showable(l.text, maxTooltipText))
	}
	if a.more > 0 {
		texts = append(texts, fmt.Sprintf("… %d more", a.more))
	}
	if a.folded > 0 {
		texts = append(texts, fmt.Sprintf("%d of them in a row", a.folded))
	}
	return texts
}

func (d *drawing) gapClasses(g gap) string {
	classes := fmt.Sprintf("gap on-run from-%s to-%s first-%d last-%d", d.names[g.from], d.names[g.to], g.first, g.last)
	if g.loop {
		classes += " loop"
	}
	return classes
}

func (d *drawing) stubClasses(s stub) string {
	if s.incoming {
		return "stub in to-" + d.names[s.state]
	}
	return "stub out from-" + d.names[s.state]
}
