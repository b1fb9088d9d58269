package automata

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
)

// body collects the states and edges of one automaton, as the file has them.
type body struct {
	*header
	// listed are the sections of states.
	listed sections
	// highest is the highest state number mentioned, -1 before the first.
	highest int
	// names holds the names that are not empty.
	names    map[State]string
	accepted []State
	edges    []BuchiEdge
	// all are the edges for an [Automaton], and marks the sets of the signature
	// that was read last.
	all   []Edge
	marks uint64
	// labels holds each distinct label, so that equal ones share memory and are
	// examined once.
	labels map[string]labelFact
	solver solver
	// letters are the labels of implicitly labelled edges, nil before they are
	// needed.
	letters []string
	// states is the number of states, and initials lists the initial ones, each
	// once; both are set at the end.
	states   int
	initials []State
}

// labelFact is a label, and whether some letter satisfies it.
type labelFact struct {
	text string
	kept bool
	code []int // the store of labels and edges
}

// An automaton may cost labelBudget operations for deciding which labels can be satisfied, and this
// many more for each token. That is far more than the labels of tools need, and takes less than a
// second.
const (
	labelBudget         = 1 << 24
	labelBudgetPerToken = 1 << 6
)

// section is a state with the label and marks that its edges share.
type section struct {
	state    token
	label    labelFact
	accepted bool
	marks    uint64
}

// state reads the grammar's state-name edge*.
func (p *parser) state(b *body) {
	p.advance()
	s := section{label: p.bracketed(b), state: p.take(tokenInt, "the number of a state")}
	b.list(p, s.state)
	if p.tok.kind == tokenString {
		if p.tok.text != "" {
			b.names[State(s.state.number)] = p.tok.text
		}
		p.advance()
	}
	s.accepted = p.signature(b)
	s.marks = b.marks
	if s.accepted {
		b.accepted = append(b.accepted, State(s.state.number))
	}
	p.stateEdges(b, s)
}

// list notes that a state has a section, at this line.
func (b *body) list(p *parser, t token) {
	b.mention(p, t)
	if first, again := b.listed.line(State(t.number)); again {
		p.failAt(t, "state %d is listed a second time; line %d lists it already", t.number, first)
	}
	b.listed.add(p.ctx, State(t.number), t.line)
}

// sections are the lines of the sections of states. Nearly all files list states
// in ascending order; such states are kept in slices, which take 12 bytes a
// state.
type sections struct {
	states []State // the states listed in ascending order
	lines  []int
	// others are the states listed after a larger one.
	others map[State]int
}

func (s *sections) len() int { return len(s.states) + len(s.others) }

// line returns the line of the section of a state. Cost O(1) for a state larger
// than all before, O(log S) for others.
func (s *sections) line(state State) (line int, listed bool) {
	if n := len(s.states); n == 0 || state > s.states[n-1] {
		return 0, false
	}
	if at, found := slices.BinarySearch(s.states, state); found {
		return s.lines[at], true
	}
	line, listed = s.others[state]
	return line, listed
}

func (s *sections) add(ctx context.Context, state State, line int) {
	if n := len(s.states); n > 0 && state < s.states[n-1] {
		if s.others == nil {
			s.others = map[State]int{}
		}
		s.others[state] = line
		return
	}
	s.states = append(abort.Must(resources.Grow(ctx, s.states, 1)), state)
	s.lines = append(abort.Must(resources.Grow(ctx, s.lines, 1)), line)
}

// mention records a state number and checks it against States:.
func (b *body) mention(p *parser, t token) {
	if b.header.states >= 0 && t.number >= b.header.states {
		p.failAt(t, "state %d is not below the number of states %d", t.number, b.header.states)
	}
	if t.number >= MaxStates {
		p.failAt(t, "state %d is not below the largest number of states %d", t.number, MaxStates)
	}
	b.highest = max(b.highest, t.number)
}

// stateEdges reads the edges of a state. Either all edges have labels, or none
// has; unlabelled edges share the label of the state, or stand for the letters in
// ascending order.
func (p *parser) stateEdges(b *body, s section) {
	first, labelled := len(b.edges), 0
	firstOfAll, count := len(b.all), 0
	for ; p.tok.kind == '[' || p.tok.kind == tokenInt; count++ {
		if p.tok.kind == '[' {
			labelled++
		}
		label := p.bracketed(b)
		to := p.destination("the number of the state that the edge leads to")
		b.mention(p, to)
		marked := p.signature(b)
		if p.general {
			b.addGeneral(p, s, label, to)
		} else if label.kept && s.label.kept {
			b.edges = append(abort.Must(resources.Grow(p.ctx, b.edges, 1)), BuchiEdge{State(s.state.number), State(to.number), label.text, marked || s.accepted})
		}
	}
	b.labelEdges(p, s, b.edges[first:], labelled, count)
	if p.general && labelled == 0 {
		b.labelGeneral(s, b.all[firstOfAll:])
	}
}

// labelEdges gives unlabelled edges their labels. labelled is how many of the
// state's edges in the file have a label, and count how many edges it has.
func (b *body) labelEdges(p *parser, s section, edges []BuchiEdge, labelled, count int) {
	switch {
	case labelled > 0 && s.label.text != "":
		p.failAt(s.state, "state %d has a label, and so have edges of it; only one of the two is possible", s.state.number)
	case labelled > 0 && labelled < count:
		p.failAt(s.state, "state %d has %d edges, of which %d have a label; either all have one or none", s.state.number, count, labelled)
	case labelled > 0 || count == 0:
		return
	case s.label.text != "":
		for i := range edges {
			edges[i].Label = s.label.text
		}
		return
	}
	propositions := len(b.propositions)
	if propositions > 31 || count != 1<<propositions {
		p.failAt(s.state, "state %d has %d edges without labels; it takes one for each of the 2^%d letters, or labels", s.state.number, count, propositions)
	}
	if b.letters == nil {
		for i := range count {
			b.letters = append(b.letters, letter(i, propositions))
		}
	}
	for i := range edges {
		edges[i].Label = b.letters[i]
	}
}

// letter returns the label that only letter number i satisfies: bit j of i says
// whether proposition j is in the letter.
func letter(i, propositions int) string {
	if propositions == 0 {
		return "t"
	}
	var text strings.Builder
	for j := range propositions {
		if j > 0 {
			text.WriteByte('&')
		}
		if i&(1<<j) == 0 {
			text.WriteByte('!')
		}
		text.WriteString(strconv.Itoa(j))
	}
	return text.String()
}

// bracketed reads a label in brackets, if there is one. A missing label has the
// empty text and can be satisfied.
func (p *parser) bracketed(b *body) labelFact {
	if p.tok.kind != '[' {
		return labelFact{kept: true}
	}
	line := p.tok.line
	p.advance()
	e := p.label(b.header)
	p.take(']', `"&", "|" or "]"`)
	b.checkMentioned(p)
	if p.general {
		return labelFact{e.text, true, e.code}
	}
	fact, known := b.labels[e.text]
	if !known {
		kept, decided := b.solver.satisfiable(e.code, labelBudget+labelBudgetPerToken*p.tokens)
		if !decided {
			abort.On(p.errorAt(line, "the label %s is too intricate to tell whether a letter satisfies it; simplify it", quote(e.text)))
		}
		fact = labelFact{text: e.text, kept: kept}
		b.labels[e.text] = fact
	}
	return fact
}

// signature reads an acc-sig, if there is one, and reports whether it contains
// the set of the acceptance condition; under the condition t it always reports
// true.
func (p *parser) signature(b *body) bool {
	accepted := b.acceptance.set == codeTrue
	b.marks = 0
	if p.tok.kind != '{' {
		return accepted
	}
	p.advance()
	for p.tok.kind == tokenInt {
		if p.tok.number >= b.acceptance.sets {
			p.failAt(p.tok, "acceptance set %d is not below the number of sets %d", p.tok.number, b.acceptance.sets)
		}
		accepted = accepted || p.tok.number == b.acceptance.set
		if p.general {
			b.marks |= 1 << p.tok.number
		}
		p.advance()
	}
	p.take('}', `the number of an acceptance set or "}"`)
	return accepted
}

// count determines the number of states and the initial ones, and checks that
// each state is listed: memory is allocated for states listed, never for a number
// alone.
func (b *body) count(p *parser) {
	known := map[State]bool{}
	for _, t := range b.start {
		b.mention(p, t)
		if s := State(t.number); !known[s] {
			known[s] = true
			b.initials = append(b.initials, s)
		}
	}
	if b.states = b.header.states; b.states < 0 {
		b.states = b.highest + 1
	}
	if b.listed.len() == b.states {
		return
	}
	missing := 0
	for listed := true; listed; {
		if _, listed = b.listed.line(State(missing)); listed {
			missing++
		}
	}
	if b.header.states >= 0 {
		p.failAt(p.tok, "state %d is not listed; States: declares %d", missing, b.states)
	}
	p.failAt(p.tok, "state %d is not listed, although state %d is mentioned", missing, b.highest)
}
