package view

import (
	"cmp"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// Argument is a picture of arguments, as plain data. It has claims; below each claim the run or the
// layers of states that prove it; and the claims that imply it. Texts are the model's own.
type Argument struct {
	Caption Caption
	Nodes   []Claim
	Links   []Link
}

// ClaimKind is the kind of a node of a picture of arguments.
type ClaimKind uint8

// The kinds of nodes.
const (
	Claimed  ClaimKind = iota // a claim that a formula holds in a state, or does not hold there
	OnTheWay                  // a state of a run
	Layered                   // the states that runs can be in after this number of steps
	Unargued                  // claims or layers that are left out for lack of room
)

// Claim is a node of a picture of arguments.
type Claim struct {
	Kind ClaimKind
	// Formula is the formula of a claim; "" for other nodes. Holds reports whether the claim is that
	// the formula holds.
	Formula string
	Holds   bool
	// State is the state that a claim is about, or the state on a run.
	State lts.State
	// Deadlock reports whether the state is a deadlock.
	Deadlock bool
	// Lines are the lines of text of a node that is no claim. In a claim, they are the number of
	// further states.
	Lines []string
	// Sentence is the text of a claim.
	Sentence string
}

// LinkKind is the kind of a link between two nodes.
type LinkKind uint8

// The kinds of links.
const (
	Argues LinkKind = iota // from a claim to its run or layers
	Needs                  // from a claim, or a state on its run, to a claim that implies it
	Taken                  // a transition of a run, or the transitions between two layers
	Unseen                 // hidden steps of a run
)

// Link leads from one node to another, by their indices.
type Link struct {
	From, To int
	Kind     LinkKind
	Labels   []string // of transitions
	More     int      // the number of hidden labels, or steps
}

// Bounds of a picture of arguments.
const (
	drawnClaims = 40
	drawnNodes  = 150 // about this number, since an argument that was begun is completed
	drawnSteps  = 30  // of one run
	drawnLayers = 30
	drawnLabels = 4
)

// NewArgument returns the picture of arguments about states of a model. It leaves out further claims if
// there are many, and the middle of long runs. Cost O(what is shown).
func NewArgument(m *lts.LTS, all []*argument.Argument, caption Caption) *Argument {
	p := &argumentBuilder{m: m, picture: &Argument{Caption: caption}}
	for i, a := range all {
		if p.isFull() {
			p.add(Claim{
				Kind:  Unargued,
				Lines: []string{"… " + printable.Quantity(len(all)-i, "more argument")},
			})
			break
		}
		p.addClaim(a, -1)
	}
	return p.picture
}

// argumentBuilder builds a picture of arguments.
type argumentBuilder struct {
	m       *lts.LTS
	picture *Argument
	claims  int // the number of claims so far
}

// isFull reports whether there is no room for another claim.
func (p *argumentBuilder) isFull() bool {
	return p.claims >= drawnClaims || len(p.picture.Nodes) >= drawnNodes
}

func (p *argumentBuilder) add(c Claim) int {
	p.picture.Nodes = append(p.picture.Nodes, c)
	return len(p.picture.Nodes) - 1
}

func (p *argumentBuilder) link(l Link) { p.picture.Links = append(p.picture.Links, l) }

// addClaim adds a claim with its argument, and a link to it from the node that follows from it.
// from is the index of this node; -1 for a claim that answers the question itself.
func (p *argumentBuilder) addClaim(a *argument.Argument, from int) {
	p.claims++
	box := Claim{
		Kind:     Claimed,
		Formula:  a.Formula,
		Holds:    a.Holds,
		State:    a.State,
		Sentence: a.Text,
	}
	others := cmp.Or(len(a.Also), a.Others)
	if others > 0 {
		box.Lines = []string{"and in " + printable.Quantity(others, "other state")}
	}
	claimed := p.add(box)
	if from >= 0 {
		p.link(Link{From: from, To: claimed, Kind: Needs})
	}
	nodesOnRun := map[lts.State]int{}
	switch {
	case a.Run != nil && len(a.Run.Steps) > 0:
		nodesOnRun = p.addRun(claimed, a.Run)
	case len(a.Layers) > 1:
		p.addLayers(claimed, a.Layers)
	case len(a.Set) > 1:
		p.link(Link{
			From: claimed,
			To:   p.add(Claim{Kind: Layered, Lines: []string{"runs stay in", a.Named()}}),
			Kind: Argues,
		})
	}
	leftOut := a.Omitted
	for i, reason := range a.Because {
		if p.isFull() {
			leftOut += len(a.Because) - i
			break
		}
		node, isOnRun := nodesOnRun[reason.State]
		if !isOnRun {
			node = claimed
		}
		p.addClaim(reason, node)
	}
	if leftOut > 0 {
		p.link(Link{
			From: claimed,
			To: p.add(Claim{
				Kind:  Unargued,
				Lines: []string{"… " + printable.Quantity(leftOut, "more claim")},
			}),
			Kind: Needs,
		})
	}
}

// addRun adds the states of a run, linked below a claim. It returns the node of each state. If the run is
// longer than drawnSteps, one link replaces the steps in its middle.
func (p *argumentBuilder) addRun(claimed int, r *argument.Run) map[lts.State]int {
	nodes := map[lts.State]int{}
	nodeOf := func(s lts.State) int {
		if node, known := nodes[s]; known {
			return node
		}
		nodes[s] = p.add(Claim{
			Kind:     OnTheWay,
			State:    s,
			Deadlock: p.m.IsDeadlock(s),
		})
		return nodes[s]
	}
	p.link(Link{From: claimed, To: nodeOf(r.Start), Kind: Argues})
	for i := 0; i < len(r.Steps); i++ {
		t := r.Steps[i]
		omitted := len(r.Steps) - drawnSteps
		if i == drawnSteps/2 && omitted > 1 {
			i += omitted - 1 // the last omitted step
			p.link(Link{
				From: nodeOf(t.From),
				To:   nodeOf(r.Steps[i].To),
				Kind: Unseen,
				More: omitted,
			})
			continue
		}
		p.link(Link{
			From:   nodeOf(t.From),
			To:     nodeOf(t.To),
			Kind:   Taken,
			Labels: []string{p.m.Alphabet().Text(t.Label)},
		})
	}
	return nodes
}

// addLayers adds layers of states, one below the other, below a claim.
func (p *argumentBuilder) addLayers(claimed int, all []argument.Layer) {
	above := claimed
	for i, l := range all {
		omitted := len(all) - i
		if i == drawnLayers && omitted > 1 {
			p.link(Link{
				From: above,
				To: p.add(Claim{
					Kind:  Unargued,
					Lines: []string{fmt.Sprintf("… %d more layers", omitted)},
				}),
				Kind: Taken,
			})
			return
		}
		lines := []string{"after " + printable.Quantity(i, "step"), l.Named()}
		if l.Done > 0 {
			lines = append(lines, fmt.Sprintf("decided in %d", l.Done))
		}
		node := p.add(Claim{Kind: Layered, Lines: lines})
		link := Link{From: above, To: node, Kind: Argues}
		if i > 0 {
			link.Kind = Taken
			labels := all[i-1].Labels
			for _, label := range labels[:min(len(labels), drawnLabels)] {
				link.Labels = append(link.Labels, p.m.Alphabet().Text(label))
			}
			link.More = max(0, len(labels)-drawnLabels)
		}
		p.link(link)
		above = node
	}
}
