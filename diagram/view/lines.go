package view

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood"
)

// Signs beside the labels of an arrow: what it means for the run at hand where that
// is known, elsewhere for every run through it; and that it is gone round for ever.
const (
	CertainSign = "✓"
	LostSign    = "✗"
	LoopSign    = "↻"
)

// Sign returns the sign of a meaning, "" if that is open, or not known.
func (g *Graph) Sign(meaning neighbourhood.Class) string {
	switch {
	case !g.Classified:
	case meaning == neighbourhood.Correct:
		return CertainSign
	case meaning == neighbourhood.Incorrect:
		return LostSign
	}
	return ""
}

// LabelLength is the length, in runes, at which labels are cut where there is room for it.
const LabelLength = 60

// Lines returns the lines of text that stand beside an arrow of g, labels made printable
// and cut to so many runes: the steps and signs, the labels, and how many are left out.
// Cost O(what it returns).
func (g *Graph) Lines(a Arrow, length int) []string {
	var lines []string
	for _, l := range a.Labels {
		text := printable.Cut(l.Text, length)
		if strings.TrimSpace(text) != text || text == "" {
			// Without quotes it would not be seen where the label begins and ends.
			text = `"` + text + `"`
		}
		if l.Times > 1 {
			text += fmt.Sprintf(" (%d times)", l.Times)
		}
		if a.Folded > 0 {
			text += fmt.Sprintf(" ×%d", a.Folded)
		}
		if a.Loop && len(a.Steps) == 0 {
			text = LoopSign + " " + text
		}
		lines = append(lines, text)
	}
	lines = packed(lines)
	if a.More > 0 {
		lines = append(lines, fmt.Sprintf("… %d more", a.More))
	}
	if len(a.Steps) > 0 {
		lines[0] = stepNumbers(a) + ": " + lines[0]
	}
	// What follows the point of no return is lost anyway.
	if sign := g.Sign(a.Meaning); sign != "" && (!a.OnRun || a.NoReturn) {
		lines[0] = sign + " " + lines[0]
	}
	if a.Branch {
		lines[0] = "+ " + lines[0]
	}
	if a.NoReturn {
		said := "point of no return"
		if a.Return > 0 {
			said += fmt.Sprintf(": step %d", a.Return)
		}
		lines = append(lines, said)
	}
	if a.Never != "" {
		lines = append(lines, a.Never)
	}
	return lines
}

// maxPacked is the number of characters up to which labels share a line.
const maxPacked = 60

// packed puts labels into fewer lines where there are more of them than an arrow has
// lines as a rule.
func packed(labels []string) []string {
	if len(labels) <= maxLabels {
		return labels
	}
	lines := labels[:1:1]
	for _, text := range labels[1:] {
		last := &lines[len(lines)-1]
		if joined := *last + "  ·  " + text; utf8.RuneCountInString(joined) <= maxPacked {
			*last = joined
		} else {
			lines = append(lines, text)
		}
	}
	return lines
}

// maxNumbers is the number of step numbers, or ranges of them, that one arrow shows.
const maxNumbers = 5

// stepNumbers tells which steps take an arrow: "2", "2, 5" or "1–6, 9".
func stepNumbers(a Arrow) string {
	var b strings.Builder
	if a.Loop {
		b.WriteString(LoopSign + " ")
	}
	for i, shown := 0, 0; i < len(a.Steps); shown++ {
		if shown > 0 {
			b.WriteString(", ")
		}
		if shown == maxNumbers {
			b.WriteString("…")
			break
		}
		last := i
		for last+1 < len(a.Steps) && a.Steps[last+1] == a.Steps[last]+1 {
			last++
		}
		fmt.Fprint(&b, a.Steps[i])
		if last > i+1 {
			fmt.Fprintf(&b, "–%d", a.Steps[last])
			i = last + 1
		} else {
			i++
		}
	}
	return b.String()
}
