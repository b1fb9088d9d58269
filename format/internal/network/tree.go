package network

import "github.com/inev-lts/inev/internal/format/relabel"

// node is a behaviour of a network.
type node interface{ isNode() }

// leaf is a component.
type leaf struct{ component int }

// relabelled is a behaviour with labels cut, hidden or renamed.
type relabelled struct {
	kind  relabel.Kind
	rules *relabel.Rules
	// coActions reports that labels with the prefix of co-actions are treated as the labels without
	// it, and keep the prefix, as in CCS.
	coActions bool
	// at is where hide, rename or cut stands; the zero position for the operators of CCS and CSP, which often change
	// no label of one of several behaviours.
	at     position
	inside node
}

// prioritised is a behaviour in which some transitions have priority over others.
type prioritised struct {
	at position
	// chains are lists of sets: the transitions of each set have priority over those of the next.
	chains [][]*relabel.Rules
	inside node
}

// element is an element of a synchronisation interface.
type element struct {
	at    position
	label string
	// degree is the number of behaviours that join; all of them if it is whole.
	degree int
}

// whole is the degree of an element without one.
const whole = -1

// parallel is a composition with synchronisation interfaces.
type parallel struct {
	at position
	// wholeLabels reports that whole labels are compared, not gates.
	wholeLabels bool
	// joinAll reports that all behaviours join in each gate or label.
	joinAll bool
	// global is the interface of all behaviours, and local[k] that of behaviour k alone.
	global []element
	local  [][]element
	inside []node
	// isCCS, isMCRL and isCSP report that this is the composition of CCS, mCRL or CSP; for CSP,
	// alphabets has the alphabets of both behaviours.
	isCCS, isMCRL bool
	alphabets     [2][]string
	isCSP         bool
}

// vector is a synchronisation vector: a label for each behaviour, "" if the behaviour does not take
// part.
type vector struct {
	at     position
	parts  []string
	result string
}

// vectored is a composition with synchronisation vectors.
type vectored struct {
	at          position
	wholeLabels bool
	vectors     []vector
	inside      []node
}

func (*leaf) isNode()        {}
func (*relabelled) isNode()  {}
func (*prioritised) isNode() {}
func (*parallel) isNode()    {}
func (*vectored) isNode()    {}
