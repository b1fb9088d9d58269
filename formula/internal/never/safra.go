package never

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/property"
)

// tree is a Safra tree: a set of states of the claim, with children for runs that
// have passed an accepting state since the tree was last complete. A state that
// would be in two children stays in the older one.
type tree struct {
	d    *determiniser
	root *branch // nil for the empty tree
}

type branch struct {
	name     int
	states   []int
	children []*branch
}

func newTree(d *determiniser) *tree {
	d.names = 1
	return &tree{d, &branch{states: d.c.initial}}
}

func (t *tree) key() string {
	var b strings.Builder
	var write func(*branch)
	write = func(n *branch) {
		fmt.Fprint(&b, n.name, n.states, "(")
		for _, c := range n.children {
			write(c)
		}
		b.WriteByte(')')
	}
	if t.root != nil {
		write(t.root)
	}
	return b.String()
}

// after does a step of the construction. Colour 2n means that the branch with
// name n is complete, 2n+1 that it was removed.
func (t *tree) after(letter int) (macrostate, property.Marks) {
	x := &growth{d: t.d, used: map[int]bool{}}
	if t.root == nil {
		return t, 0
	}
	t.root.each(func(n *branch) { x.used[n.name] = true })
	before := make(map[int]bool, len(x.used))
	for name := range x.used {
		before[name] = true
	}
	root := x.grown(t.root, letter)
	root = x.pruned(root, map[int]bool{})
	var marks property.Marks
	left := map[int]bool{}
	if root != nil {
		x.complete(root)
		root.each(func(n *branch) { left[n.name] = true })
	}
	for _, name := range x.completed {
		marks |= property.Mark(2 * name)
	}
	for name := range before {
		if !left[name] {
			marks |= property.Mark(2*name + 1)
		}
	}
	// A new branch takes the smallest unused name.
	x.rename(root, before)
	if 2*t.d.names > property.Colours {
		tooLarge(fmt.Errorf("the automaton of the claim is too large: more than %d colours", property.Colours))
	}
	return &tree{t.d, root}, marks
}

func (n *branch) each(visit func(*branch)) {
	visit(n)
	for _, c := range n.children {
		c.each(visit)
	}
}

// fresh is the name of a new branch until it is renamed.
const fresh = -1

// growth is the state of one step of the construction.
type growth struct {
	d         *determiniser
	used      map[int]bool
	completed []int
}

// grown returns a copy of a branch after a letter, with a new child at each
// branch for its accepting states.
func (x *growth) grown(n *branch, letter int) *branch {
	m := &branch{name: n.name, states: x.d.c.next(n.states, letter)}
	for _, c := range n.children {
		m.children = append(m.children, x.grown(c, letter))
	}
	var accepting []int
	for _, q := range m.states {
		if x.d.c.accepts[q] {
			accepting = append(accepting, q)
		}
	}
	if len(accepting) > 0 {
		m.children = append(m.children, &branch{name: fresh, states: accepting})
	}
	return m
}

// pruned removes from a branch the states that an older branch has; nil if none
// are left.
func (x *growth) pruned(n *branch, taken map[int]bool) *branch {
	n.states = slices.DeleteFunc(n.states, func(q int) bool { return taken[q] })
	if len(n.states) == 0 {
		return nil
	}
	below := map[int]bool{}
	for q := range taken {
		below[q] = true
	}
	var children []*branch
	for _, c := range n.children {
		// A child has no states that its parent has lost.
		c.states = slices.DeleteFunc(c.states, func(q int) bool { return !slices.Contains(n.states, q) })
		if c = x.pruned(c, below); c == nil {
			continue
		}
		for _, q := range c.states {
			below[q] = true
		}
		children = append(children, c)
	}
	n.children = children
	return n
}

// complete removes the children of branches whose states are all in children.
func (x *growth) complete(n *branch) {
	count := 0
	for _, c := range n.children {
		count += len(c.states)
	}
	if count == len(n.states) {
		n.children = nil
		if n.name != fresh {
			x.completed = append(x.completed, n.name)
		}
		return
	}
	for _, c := range n.children {
		x.complete(c)
	}
}

// rename names new branches.
func (x *growth) rename(root *branch, before map[int]bool) {
	if root == nil {
		return
	}
	taken := map[int]bool{}
	for name := range before {
		taken[name] = true
	}
	root.each(func(n *branch) {
		if n.name != fresh {
			return
		}
		for n.name = 0; taken[n.name]; n.name++ {
		}
		taken[n.name] = true
		x.d.names = max(x.d.names, n.name+1)
	})
}
