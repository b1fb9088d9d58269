package argument

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// The largest numbers of steps of runs, of layers, and of sentences of a strategy that are shown. If
// there are more, they are counted.
const (
	shownSteps  = 12
	shownLayers = 8
	shownTurns  = 8
)

// TextOptions control how much of an argument is written.
type TextOptions struct {
	// Full writes all steps, layers and sentences.
	Full bool
	// Lines is the largest number of lines; 0 means no limit. If lines are left out, the last line
	// counts them.
	Lines int
	// Rest is the text after the number of lines or sentences that are left out.
	Rest string
}

// WriteText writes an argument for a terminal: its sentence, the run, the layers or the strategy, and
// below, indented, the claims that imply it. It fails if w does.
func (a *Argument) WriteText(w io.Writer, m *lts.LTS) error {
	return a.WriteTextWith(w, m, TextOptions{})
}

// WriteTextWith is [Argument.WriteText] with options.
func (a *Argument) WriteTextWith(w io.Writer, m *lts.LTS, o TextOptions) error {
	var text bytes.Buffer
	p := &printing{
		Buffer: &text,
		m:      m,
		steps:  shownSteps,
		layers: shownLayers,
		turns:  shownTurns,
		rest:   o.Rest,
	}
	if o.Full {
		p.steps = math.MaxInt / 2
		p.layers = math.MaxInt / 2
		p.turns = math.MaxInt / 2
	}
	p.claim(a, "")
	smallest := a.smallest()
	if smallest != "" {
		p.printf("%s\n", smallest)
	}
	_, err := w.Write(o.cut(text.Bytes()))
	return err
}

// cut returns the first lines of a text, and a line that counts the lines that are left out. It
// never leaves out just one line, since the line with the count takes as much room.
func (o TextOptions) cut(text []byte) []byte {
	shown := o.Lines - 1 // the last line counts
	omitted := bytes.Count(text, []byte("\n")) - shown
	if o.Lines == 0 || omitted < 2 {
		return text
	}
	end := 0
	for range shown {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	return fmt.Appendf(slices.Clip(text[:end]), "… %d more lines%s\n", omitted, o.Rest)
}

// smallest returns the sentence that no argument is smaller; "" if that is unknown.
func (a *Argument) smallest() string {
	if !a.Smallest || a.Weight == 0 {
		return ""
	}
	return fmt.Sprintf("No argument of this kind has fewer than %s on its runs.",
		printable.Quantity(a.Weight, "transition"))
}

// printing writes an argument as text.
type printing struct {
	*bytes.Buffer
	m                    *lts.LTS
	steps, layers, turns int // the largest numbers of these that are shown of each claim
	rest                 string
}

func (p *printing) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// claim writes an argument, and below it, further indented, what proves it.
func (p *printing) claim(a *Argument, indent string) {
	p.printf("%s%s\n", indent, printable.Text(a.Text))
	below := strings.Repeat(" ", len([]rune(indent)))
	if indent != "" {
		below = strings.Replace(indent, "- ", "  ", 1)
	}
	if a.Run != nil && !a.runInText {
		p.run(a.Run, below)
	}
	if len(a.Layers) > 1 {
		p.writeLayers(a.Layers, below+"  ")
	}
	p.strategy(a.Strategy, below+"    ")
	for _, c := range a.Because {
		p.claim(c, below+"  - ")
	}
	for _, more := range a.more() {
		p.printf("%s  %s\n", below, more)
	}
}

// run writes the steps of a run. It leaves out steps in the middle of a long run.
func (p *printing) run(r *Run, indent string) {
	omitted := len(r.Steps) - p.steps
	firstOmitted := p.steps / 2
	afterOmitted := len(r.Steps) - p.steps/2
	for i, t := range r.Steps {
		if omitted > 2 && i == firstOmitted {
			p.printf("%s     … %d more\n", indent, omitted)
		}
		isOmitted := omitted > 2 && i >= firstOmitted && i < afterOmitted
		if isOmitted {
			continue
		}
		sign := "  "
		if r.LoopStart >= 0 && i >= r.LoopStart {
			sign = "↻ "
		}
		p.printf("%s  %s%d -%s-> %d\n", indent, sign, t.From,
			printable.Cut(p.m.Alphabet().Text(t.Label), 60), t.To)
	}
}

// strategy writes the first sentences of a strategy, and counts the others.
func (p *printing) strategy(sentences []string, indent string) {
	for i, sentence := range sentences {
		if i == p.turns && len(sentences) > p.turns+1 {
			p.printf("%s… %d more%s\n", indent, len(sentences)-p.turns, p.rest)
			return
		}
		p.printf("%s%s\n", indent, printable.Text(sentence))
	}
}

// more returns lines about claims that are not shown: for other states, or omitted.
func (a *Argument) more() []string {
	var all []string
	if len(a.Also) > 0 {
		noun := "states"
		if len(a.Also) == 1 {
			noun = "state"
		}
		const shown = 12
		states := numbers(a.Also[:min(len(a.Also), shown)])
		omitted := len(a.Also) - shown
		if omitted > 0 {
			states += fmt.Sprintf(" and %d more", omitted)
		}
		all = append(all, fmt.Sprintf("The same holds in %s %s.", noun, states))
	}
	if a.Others > 0 {
		all = append(all,
			fmt.Sprintf("The same holds in %s.", printable.Quantity(a.Others, "other state")))
	}
	if a.Omitted > 0 {
		verb := "are"
		if a.Omitted == 1 {
			verb = "is"
		}
		all = append(all,
			fmt.Sprintf("… %s %s left out here.", printable.Quantity(a.Omitted, "more claim"),
				verb))
	}
	return all
}

// numbers returns the numbers of states, separated by commas.
func numbers(states []lts.State) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(states), "[]"), " ", ", ")
}

// writeLayers writes a line for each of the first layers, and counts the others.
func (p *printing) writeLayers(layers []Layer, indent string) {
	for i, l := range layers {
		if i == p.layers && len(layers) > p.layers+1 {
			p.printf("%s… %d more layers\n", indent, len(layers)-p.layers)
			return
		}
		decided := ""
		if l.Done > 0 {
			decided = fmt.Sprintf(", decided in %d", l.Done)
		}
		p.printf("%safter %s: %s%s%s\n", indent, printable.Quantity(i, "step"),
			named(l.States), decided, labelsOf(p.m, l))
	}
}

// Named returns the number of states of the layer, and names the first ones.
func (l Layer) Named() string { return named(l.States) }

// Named returns the number of states of the set, and names the first ones.
func (a *Argument) Named() string { return named(a.Set) }

func named(states wmc.States) string {
	return fmt.Sprintf("%s {%s}", printable.Quantity(len(states), "state"), firstOf(states))
}

// labelsOf returns the text of the labels by which runs continue from a layer.
func labelsOf(m *lts.LTS, l Layer) string {
	const shown = 4
	if len(l.Labels) == 0 {
		return ""
	}
	labels := make([]string, 0, shown)
	for _, label := range l.Labels[:min(len(l.Labels), shown)] {
		labels = append(labels, printable.Cut(m.Alphabet().Text(label), 40))
	}
	text := "; on by " + strings.Join(labels, ", ")
	omitted := len(l.Labels) - shown
	if omitted > 0 {
		text += " and " + printable.Quantity(omitted, "more label")
	}
	return text
}
