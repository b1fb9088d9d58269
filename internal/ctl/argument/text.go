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

// cut returns the first lines of a text, and a line that says how many are left out.
func (o TextOptions) cut(text []byte) []byte {
	more := bytes.Count(text, []byte("\n")) - o.Lines + 1
	if o.Lines == 0 || more < 2 {
		return text
	}
	end := 0
	for range o.Lines - 1 {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	return fmt.Appendf(slices.Clip(text[:end]), "… %d more lines%s\n", more, o.Rest)
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

func (p *printing) claim(a *Argument, indent string) {
	p.printf("%s%s\n", indent, printable.Text(a.Text))
	below := strings.Repeat(" ", len([]rune(indent)))
	if indent != "" {
		below = strings.Replace(indent, "- ", "  ", 1)
	}
	if a.Run != nil && !a.told {
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

func (p *printing) run(r *Run, indent string) {
	more := len(r.Steps) - p.steps
	for i, t := range r.Steps {
		if more > 2 && i == p.steps/2 {
			p.printf("%s     … %d more\n", indent, more)
		}
		if more > 2 && i >= p.steps/2 && i < len(r.Steps)-p.steps/2 {
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
		const most = 12
		text := numbers(a.Also[:min(len(a.Also), most)])
		more := len(a.Also) - most
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		all = append(all, fmt.Sprintf("The same holds in %s %s.", noun, text))
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

func (p *printing) writeLayers(layers []Layer, indent string) {
	for i, l := range layers {
		if i == p.layers && len(layers) > p.layers+1 {
			p.printf("%s… %d more layers\n", indent, len(layers)-p.layers)
			return
		}
		done := ""
		if l.Done > 0 {
			done = fmt.Sprintf(", decided in %d", l.Done)
		}
		p.printf("%safter %s: %s%s%s\n", indent, printable.Quantity(i, "step"),
			named(l.States), done, labelsOf(p.m, l))
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
	const most = 4
	if len(l.Labels) == 0 {
		return ""
	}
	texts := make([]string, 0, most)
	for _, label := range l.Labels[:min(len(l.Labels), most)] {
		texts = append(texts, printable.Cut(m.Alphabet().Text(label), 40))
	}
	text := "; on by " + strings.Join(texts, ", ")
	more := len(l.Labels) - most
	if more > 0 {
		text += " and " + printable.Quantity(more, "more label")
	}
	return text
}
