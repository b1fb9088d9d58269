package buchi

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/lts"
)

// Describe lists the product state by state, as far as it can be reached: names of states show the
// model, the property and the layer, such as 5·1, propositions the labels of the model, and an edge has
// the label of the transition that it stands for. It fails if ctx is done, and if there are more than most
// states. Cost O(states and edges).
func (g *Product) Describe(ctx context.Context, most int) (*Description, error) {
	d := &Description{Name: "the runs of the model that violate the property"}
	for l := range g.m.Alphabet().Len() {
		d.Propositions = append(d.Propositions, "label "+strconv.Itoa(l))
	}
	number := map[State]State{g.Initial(): 0}
	order := []State{g.Initial()}
	var b Builder
	for i := 0; i < len(order); i++ {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x := order[i]
		s, q, layer := g.place(x)
		name := fmt.Sprintf("%d·%d", s, q)
		if layer == stopLayer {
			name += " ends"
		} else if layer > 0 {
			name += fmt.Sprintf(" %d", layer)
		}
		d.Names = append(d.Names, name)
		if g.Accepting(x) {
			b.Accept(State(i))
		}
		labels, _ := g.m.Out(s)
		met := map[State]bool{}
		g.each(x, func(to State, transition int) bool {
			if _, known := number[to]; !known {
				number[to] = State(len(order))
				order = append(order, to)
			}
			if met[to] {
				return true
			}
			met[to] = true
			label := "t"
			if transition >= 0 {
				label = strconv.Itoa(int(labels.At(transition)))
			}
			b.AddLabelled(State(i), label, number[to])
			return len(order) <= most
		})
		if len(order) > most {
			return nil, fmt.Errorf("the product has more than %d states, and is not written", most)
		}
	}
	for l := range d.Propositions {
		if text := g.m.Alphabet().Text(lts.Label(l)); text != "" {
			d.Propositions[l] = text
		}
	}
	d.Propositions = distinct(d.Propositions)
	var err error
	d.Automaton, err = b.Build(0, len(order))
	return d, err
}

// distinct returns names of which none is there twice: labels with several values have one text.
func distinct(names []string) []string {
	met := map[string]bool{}
	for i, name := range names {
		for n := 2; met[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s (%d)", name, n)
		}
		met[names[i]] = true
	}
	return names
}

// Write writes the automaton as HOA v1: see [ReadHOA]. It fails if it cannot be read back, and if w does.
func (d *Description) Write(w io.Writer) error { return writeHOA(w, d) }
