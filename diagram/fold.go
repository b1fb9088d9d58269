package diagram

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// minRow is the number of transitions from which on a row of them is folded.
const minRow = 6

// fold makes one arrow of every row of arrows with one label that mean the same, the
// states between which nothing else enters or leaves: `tau ×44`. It tells nothing of the
// row that the arrow does not tell, and what is decided stays. Cost O(N + A).
func (p *picture) fold() {
	r := rowsOf(p)
	gone := make([]bool, len(p.arrows))
	inside := map[lts.State]bool{}
	for i := range p.arrows {
		if gone[i] || !isPlain(&p.arrows[i]) || r.follows(i) {
			continue
		}
		row := r.from(i)
		if len(row) < minRow {
			continue
		}
		a := &p.arrows[i]
		a.labels = []label{{text: a.labels[0].text, times: 1}}
		a.steps = slices.Clone(a.steps)
		for _, next := range row[1:] {
			b := &p.arrows[next]
			inside[b.from], gone[next] = true, true
			a.steps = append(a.steps, b.steps...)
			a.to = b.to
		}
		a.folded = len(row)
		p.folded += len(row) - 1
	}
	if len(inside) == 0 {
		return
	}
	p.nodes = slices.DeleteFunc(p.nodes, func(n node) bool { return inside[n.state] })
	kept := p.arrows[:0]
	for i := range p.arrows {
		if !gone[i] {
			kept = append(kept, p.arrows[i])
		}
	}
	p.arrows = kept
}

// isPlain reports whether nothing is to be said about an arrow but one label.
func isPlain(a *arrow) bool {
	return a.from != a.to && len(a.labels) == 1 && a.labels[0].times == 1 && a.more == 0 && !a.better && !a.closing && !a.noReturn
}

// rows finds arrows one after the other.
type rows struct {
	p *picture
	// next and before are, of a state inside a row, the arrow that leaves it and the one
	// that enters it.
	next, before map[lts.State]int
}

func rowsOf(p *picture) *rows {
	r := &rows{p: p, next: map[lts.State]int{}, before: map[lts.State]int{}}
	out, in := map[lts.State]int{}, map[lts.State]int{}
	for i := range p.arrows {
		a := &p.arrows[i]
		out[a.from]++
		in[a.to]++
		r.next[a.from], r.before[a.to] = i, i
	}
	for _, n := range p.nodes {
		inside := out[n.state] == 1 && in[n.state] == 1 && !n.initial && !n.deadlock && n.kind == 0 && n.end == (endNode{})
		if !inside || !alike(&p.arrows[r.before[n.state]], &p.arrows[r.next[n.state]]) {
			delete(r.next, n.state)
			delete(r.before, n.state)
		}
	}
	return r
}

// alike reports whether two arrows, one after the other, may be one.
func alike(a, b *arrow) bool {
	return isPlain(a) && isPlain(b) && a.labels[0].text == b.labels[0].text &&
		a.class == b.class && a.meaning == b.meaning && a.onRun == b.onRun && a.loop == b.loop
}

// follows reports whether an arrow goes on with the row of another one.
func (r *rows) follows(i int) bool {
	_, is := r.before[r.p.arrows[i].from]
	return is
}

// from returns the row that begins with an arrow.
func (r *rows) from(i int) []int {
	row := []int{i}
	for {
		next, is := r.next[r.p.arrows[i].to]
		if !is {
			return row
		}
		i = next
		row = append(row, i)
	}
}
