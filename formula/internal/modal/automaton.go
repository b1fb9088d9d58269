package modal

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/property"
)

// Limits of automata.
const (
	mostStates      = 1 << 14
	mostTransitions = 1 << 22
)

// breakpoint is a state of the automaton: the set of required boxes, and the subset of waiting
// boxes that have been pending since this subset was last empty, or follow from such boxes. This is
// the breakpoint construction of Miyano and Hayashi (Alternating Finite Automata on ω-Words, 1984).
// Its universal half suffices, because states only ask for conjunctions.
type breakpoint struct {
	required, waiting []*node
	lost, stops       bool
}

func (p *breakpoint) key() string {
	numbers := func(all []*node) (n []int) {
		for _, b := range all {
			n = append(n, b.number)
		}
		return n
	}
	return fmt.Sprint(p.lost, p.stops, numbers(p.required), numbers(p.waiting))
}

// determiniser makes the deterministic automaton of a formula, given as a graph of nodes.
type determiniser struct {
	letters     [][]bool // for each letter, the atoms that hold of it
	breakpoints keyed.List[string, *breakpoint]
	next        []property.Q
	marks       []property.Marks
}

// determine returns the automaton of a node over letters, minimised by merging
// states with the same future.
func determine(ctx context.Context, root *node, letters [][]bool) *property.Automaton {
	d := &determiniser{letters: letters}
	d.enter(d.settle([]*node{root}))
	for i := 0; i < len(d.breakpoints.All); i++ {
		abort.On(ctx.Err())
		if len(d.breakpoints.All) > mostStates || len(d.breakpoints.All)*len(letters) > mostTransitions {
			wrong := fmt.Errorf("the automaton of the formula is too large: more than %d states, or %d transitions", mostStates, mostTransitions)
			abort.On(remedy.New(wrong, wrong, "; ", remedy.Automaton))
		}
		for _, letter := range letters {
			d.step(d.breakpoints.All[i], letter)
		}
	}
	a := &property.Automaton{Columns: len(letters), Next: d.next, Marks: d.marks, Acceptance: property.Inf(0)}
	for _, p := range d.breakpoints.All {
		a.Stop = append(a.Stop, p.stops)
	}
	return merged(a)
}

// enter returns the number of a breakpoint.
func (d *determiniser) enter(p *breakpoint) property.Q {
	return property.Q(d.breakpoints.Index(p.key(), p))
}

// step adds the transition of a breakpoint for a letter.
func (d *determiniser) step(from *breakpoint, letter []bool) {
	if from.lost {
		d.next, d.marks = append(d.next, d.enter(&breakpoint{lost: true})), append(d.marks, 0)
		return
	}
	to := d.settle(after(from.required, letter))
	var mark property.Marks
	if !to.lost {
		still := to.required
		if len(from.waiting) > 0 {
			still = d.settle(after(from.waiting, letter)).required
		}
		to.waiting = slices.DeleteFunc(slices.Clone(still), func(b *node) bool { return !b.waits })
		if len(to.waiting) == 0 {
			mark = property.Mark(0)
		}
	}
	d.next, d.marks = append(d.next, d.enter(to)), append(d.marks, mark)
}

// after returns the nodes that boxes require after a letter.
func after(boxes []*node, letter []bool) (nodes []*node) {
	for _, b := range boxes {
		if b.action.holds(letter) {
			nodes = append(nodes, b.parts[0])
		}
	}
	return nodes
}

// settle returns the breakpoint for nodes: the boxes that they require if the run continues,
// whether that is impossible, and whether the run may stop.
func (d *determiniser) settle(nodes []*node) *breakpoint {
	p := &breakpoint{stops: true}
	for _, goesOn := range []bool{true, false} {
		seen := map[*node]bool{}
		pending := slices.Clone(nodes)
		for len(pending) > 0 {
			n := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			if seen[n] {
				continue
			}
			seen[n] = true
			fails := n.nature == never || n.nature == alive && !goesOn || n.hollow[turn(goesOn)]
			switch {
			case fails && goesOn:
				p.lost = true
			case fails:
				p.stops = false
			case n.nature == box && goesOn:
				p.required = append(p.required, n)
			default:
				pending = append(pending, n.silent(goesOn)...)
			}
		}
	}
	slices.SortFunc(p.required, func(a, b *node) int { return a.number - b.number })
	if p.lost {
		p.required = nil
	}
	return p
}

// merged returns an equivalent automaton in which states with the same future,
// marks included, are one state.
func merged(a *property.Automaton) *property.Automaton {
	class := partition.Coarsest(a.States(), a.Columns, a.Next, func(key []byte, q int) []byte {
		if key = append(key, 0); a.Stop[q] {
			key[0] = 1
		}
		for _, m := range a.Marks[q*a.Columns : (q+1)*a.Columns] {
			key = binary.LittleEndian.AppendUint64(key, uint64(m))
		}
		return key
	})
	b := &property.Automaton{Columns: a.Columns, Acceptance: a.Acceptance, Initial: property.Q(class[a.Initial])}
	for q, k := range class {
		if int(k) < len(b.Stop) {
			continue // not the first state of its class
		}
		b.Stop = append(b.Stop, a.Stop[q])
		for i := q * a.Columns; i < (q+1)*a.Columns; i++ {
			b.Next, b.Marks = append(b.Next, property.Q(class[a.Next[i]])), append(b.Marks, a.Marks[i])
		}
	}
	return b
}
