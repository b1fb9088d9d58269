package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/format/relabel"
)

// prioritised gives each move of a behaviour its place in the order of priorities.
func (c *compiler) prioritised(n *prioritised) ([]move, error) {
	inside, err := c.compile(n.inside)
	if err != nil {
		return nil, err
	}
	x := ordering{compiler: c, n: n, classOf: map[string]int{}}
	p := &priority{moves: slices.Clone(inside)}
	for _, m := range inside {
		p.classes = append(p.classes, x.class(m.label))
	}
	if err := x.close(); err != nil {
		return nil, err
	}
	for class := range x.members {
		p.above = append(p.above, x.aboveOf(class))
	}
	number := len(c.priorities)
	c.priorities = append(c.priorities, p)
	x.check(inside)
	for i := range inside {
		if class := p.classes[i]; len(p.above[class]) > 0 {
			inside[i].yields = append(slices.Clone(inside[i].yields), yield{
				priority: number,
				class:    class,
			})
		}
	}
	return inside, nil
}

// ordering orders the labels of a behaviour. Labels that lie in the same lists are of one class.
type ordering struct {
	*compiler
	n       *prioritised
	classOf map[string]int // by the lists in which labels lie
	// members[c][i] are the lists of chain i in which the labels of class c lie, and texts[c] is one
	// of these labels.
	members [][][]bool
	texts   []string
	// over[c][d] reports that class c has priority over class d.
	over [][]bool
}

// class returns the class of a label.
func (x *ordering) class(text string) int {
	var lies [][]bool
	var key strings.Builder
	for _, chain := range x.n.chains {
		var in []bool
		for _, list := range chain {
			is := x.isIn(list, text)
			in = append(in, is)
			fmt.Fprint(&key, is, " ")
		}
		lies = append(lies, in)
	}
	if class, known := x.classOf[key.String()]; known {
		return class
	}
	class := len(x.members)
	x.classOf[key.String()] = class
	x.members = append(x.members, lies)
	x.texts = append(x.texts, text)
	return class
}

// isIn reports whether a label lies in a list. Regular expressions match visible labels only: the
// hidden label lies in a list only if the list names it, or if the list has all labels but some and
// does not name it.
func (x *ordering) isIn(list *relabel.Rules, text string) bool {
	if text == x.language.Hidden {
		return list.IsOthers() != list.Names(text)
	}
	return list.Has(text, x.language.Hidden)
}

// close makes the order transitive, and refuses one in which a label has priority over itself.
func (x *ordering) close() error {
	n := len(x.members)
	for range n {
		x.over = append(x.over, make([]bool, n))
	}
	for i, chain := range x.n.chains {
		for k := range chain {
			if err := x.ctx.Err(); err != nil {
				return err
			}
			x.order(i, k)
		}
	}
	for via := range n {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		x.orderVia(via)
	}
	for c := range n {
		if x.over[c][c] {
			return x.n.at.errorf("%s has priority over itself by these rules; leave one of them out", x.texts[c])
		}
	}
	return nil
}

// order gives the members of place k of a chain priority over those of all later places: in a > b > c, a has priority over
// c even if the behaviour never does b.
func (x *ordering) order(chain, k int) {
	for c, higher := range x.members {
		if !higher[chain][k] {
			continue
		}
		for d, lower := range x.members {
			if slices.Contains(lower[chain][k+1:], true) {
				x.over[c][d] = true
			}
		}
	}
}

// orderVia orders the classes that are above and below a class: a step of Warshall's algorithm.
func (x *ordering) orderVia(via int) {
	for c := range x.over {
		for d := range x.over {
			x.over[c][d] = x.over[c][d] || x.over[c][via] && x.over[via][d]
		}
	}
}

func (x *ordering) aboveOf(class int) (above []int) {
	for c := range x.over {
		if x.over[c][class] {
			above = append(above, c)
		}
	}
	return above
}

// check warns of lists that no label of the behaviour is in.
func (x *ordering) check(inside []move) {
	for _, chain := range x.n.chains {
		for i, list := range chain {
			if !slices.ContainsFunc(inside, func(m move) bool {
				return x.isIn(list, m.label)
			}) {
				x.warn(x.n.at,
					"no label lies in list %d of a rule of this prio: rules on both sides of it are not connected", i+1)
			}
		}
	}
}
