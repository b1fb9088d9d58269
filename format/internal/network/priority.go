package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/format/relabel"
)

// compilePrioritised gives each move of a behaviour its place in the order of priorities.
func (c *compiler) compilePrioritised(n *prioritised) ([]move, error) {
	inside, err := c.compile(n.inside)
	if err != nil {
		return nil, err
	}
	x := ordering{compiler: c, n: n, classOf: map[string]int{}}
	p := &priority{moves: slices.Clone(inside)}
	for _, m := range inside {
		p.classes = append(p.classes, x.classOfLabel(m.label))
	}
	if err := x.closeTransitively(); err != nil {
		return nil, err
	}
	for class := range x.members {
		p.above = append(p.above, x.classesOver(class))
	}
	number := len(c.priorities)
	c.priorities = append(c.priorities, p)
	x.warnOfEmptyLists(inside)
	for i, class := range p.classes {
		if len(p.above[class]) == 0 {
			continue
		}
		inside[i].yields = append(slices.Clone(inside[i].yields), yield{
			priority: number,
			class:    class,
		})
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
	// isOver[c][d] reports that class c has priority over class d.
	isOver [][]bool
}

// classOfLabel returns the class of a label, which may be new.
func (x *ordering) classOfLabel(text string) int {
	var members [][]bool // by chain and list
	var key strings.Builder
	for _, chain := range x.n.chains {
		var inChain []bool
		for _, list := range chain {
			isMember := x.isIn(list, text)
			inChain = append(inChain, isMember)
			fmt.Fprint(&key, isMember, " ")
		}
		members = append(members, inChain)
	}
	if class, known := x.classOf[key.String()]; known {
		return class
	}
	class := len(x.members)
	x.classOf[key.String()] = class
	x.members = append(x.members, members)
	x.texts = append(x.texts, text)
	return class
}

// isIn reports whether a label lies in a list. Regular expressions match visible labels only: the
// hidden label lies in a list only if the list names it, or if it is a list of all labels but some,
// and not among these.
func (x *ordering) isIn(list *relabel.Rules, text string) bool {
	if text == x.language.Hidden {
		return list.IsOthers() != list.Names(text)
	}
	return list.Has(text, x.language.Hidden)
}

// closeTransitively makes the order transitive, and refuses one in which a label has priority over itself.
func (x *ordering) closeTransitively() error {
	n := len(x.members)
	for range n {
		x.isOver = append(x.isOver, make([]bool, n))
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
		if x.isOver[c][c] {
			return x.n.at.errorf("%s has priority over itself by these rules; leave one of them out", x.texts[c])
		}
	}
	return nil
}

// order gives the members of place k of a chain priority over those of all later places: in a > b > c, a has priority over
// c even if the behaviour never does b.
func (x *ordering) order(chain, k int) {
	for c, members := range x.members {
		if !members[chain][k] {
			continue
		}
		for d, members := range x.members {
			laterPlaces := members[chain][k+1:]
			isInLaterPlace := slices.Contains(laterPlaces, true)
			if isInLaterPlace {
				x.isOver[c][d] = true
			}
		}
	}
}

// orderVia orders the classes that are above and below a class: a step of Warshall's algorithm.
func (x *ordering) orderVia(via int) {
	for c := range x.isOver {
		for d := range x.isOver {
			x.isOver[c][d] = x.isOver[c][d] || x.isOver[c][via] && x.isOver[via][d]
		}
	}
}

func (x *ordering) classesOver(class int) (above []int) {
	for c := range x.isOver {
		if x.isOver[c][class] {
			above = append(above, c)
		}
	}
	return above
}

// warnOfEmptyLists warns of lists that no label of the behaviour is in.
func (x *ordering) warnOfEmptyLists(inside []move) {
	for _, chain := range x.n.chains {
		for i, list := range chain {
			isInList := func(m move) bool { return x.isIn(list, m.label) }
			if !slices.ContainsFunc(inside, isInList) {
				x.warn(x.n.at,
					"no label lies in list %d of a rule of this prio: rules on both sides of it are not connected", i+1)
			}
		}
	}
}
