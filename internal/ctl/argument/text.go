package argument

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// Steps of runs, and layers, beyond these numbers are counted only.
const (
	shownSteps  = 12
	shownLayers = 8
)

// WriteText writes an argument for a terminal: its sentence, the run or the layers, and below,
// indented, the claims from which it follows. It fails if w does.
func (a *Argument) WriteText(w io.Writer, m *lts.LTS) error {
	b := bufio.NewWriter(w)
	writeClaim(b, m, a, "")
	text := a.smallest()
	if text != "" {
		fmt.Fprintf(b, "%s\n", text)
	}
	return b.Flush()
}

// smallest returns a sentence which says that no argument is smaller; "" if that is not known.
func (a *Argument) smallest() string {
	if !a.Smallest || a.Weight == 0 {
		return ""
	}
	return fmt.Sprintf("No argument of this kind has fewer than %s on its runs.",
		printable.Quantity(a.Weight, "transition"))
}

func writeClaim(b *bufio.Writer, m *lts.LTS, a *Argument, indent string) {
	fmt.Fprintf(b, "%s%s\n", indent, printable.Text(a.Text))
	below := strings.Repeat(" ", len([]rune(indent)))
	if indent != "" {
		below = strings.Replace(indent, "- ", "  ", 1)
	}
	r := a.Run
	if r != nil && !a.told {
		for i, t := range r.Steps {
			if len(r.Steps) > shownSteps+2 && i == shownSteps/2 {
				fmt.Fprintf(b, "%s     … %d more\n", below, len(r.Steps)-shownSteps)
			}
			if len(r.Steps) > shownSteps+2 && i >= shownSteps/2 &&
				i < len(r.Steps)-shownSteps/2 {
				continue
			}
			sign := "  "
			if r.LoopStart >= 0 && i >= r.LoopStart {
				sign = "↻ "
			}
			fmt.Fprintf(b, "%s  %s%d -%s-> %d\n", below, sign, t.From,
				printable.Cut(m.Alphabet().Text(t.Label), 60), t.To)
		}
	}
	if len(a.Layers) > 1 {
		writeLayers(b, m, a.Layers, below+"  ")
	}
	for _, c := range a.Because {
		writeClaim(b, m, c, below+"  - ")
	}
	for _, more := range a.more() {
		fmt.Fprintf(b, "%s  %s\n", below, more)
	}
}

// more returns lines about other claims: for other states, and omitted ones.
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

func writeLayers(b *bufio.Writer, m *lts.LTS, layers []Layer, indent string) {
	for i, l := range layers {
		if i == shownLayers && len(layers) > shownLayers+1 {
			fmt.Fprintf(b, "%s… %d more layers\n", indent, len(layers)-shownLayers)
			return
		}
		done := ""
		if l.Done > 0 {
			done = fmt.Sprintf(", decided in %d", l.Done)
		}
		fmt.Fprintf(b, "%safter %s: %s%s%s\n", indent, printable.Quantity(i, "step"),
			named(l.States), done, labelsOf(m, l))
	}
}

// Named returns the number of states of the layer, with the first ones.
func (l Layer) Named() string { return named(l.States) }

// Named returns the number of states of the set, with the first ones.
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
