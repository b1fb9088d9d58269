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
	Automaton
	// listed are the sections of states.
	listed sections
	// highest is the highest state number mentioned, -1 before the first.
	highest int
	// labels holds each distinct label, so that equal ones share memory and are
	// examined once.
	labels map[string]*label
	// letters are the labels of implicitly labelled edges, nil before they are
	// needed.
	letters []*label
}

// unlabelled stands for a missing label, which can be satisfied.
var unlabelled = &label{kept: true}

// An automaton may cost labelBudget operations for deciding which labels can be satisfied, and this
// many more for each token. That is far more than the labels of tools need, and takes less than a
// second.
const (
	labelBudget         = 1 << 24
	labelBudgetPerToken = 1 << 6
)

// section is a state with the label and marks that its edges share.
type section struct {
	state token
	label *label
	marks uint64
}

// state reads the grammar's state-name edge*.
func (p *parser) state(b *body) {
	p.advance()
	s := section{label: p.bracketed(b), state: p.take(tokenInt, "the number of a state")}
	b.list(p, s.state)
	if p.tok.kind == tokenString {
		if p.tok.text != "" {
			b.Names[State(s.state.number)] = p.tok.text
		}
		p.advance()
	}
	if s.marks = p.signature(b); s.marks != 0 {
		b.Accepting = append(b.Accepting, State(s.state.number))
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
	first, labelled, count := len(b.Edges), 0, 0
	for ; p.tok.kind == '[' || p.tok.kind == tokenInt; count++ {
		if p.tok.kind == '[' {
			labelled++
		}
		label := p.bracketed(b)
		to := p.destination("the number of the state that the edge leads to")
		b.mention(p, to)
		marks := p.signature(b) | s.marks
		if label.kept && s.label.kept {
			b.Edges = append(abort.Must(resources.Grow(p.ctx, b.Edges, 1)), Edge{State(s.state.number), State(to.number), marks, to.line, label})
		}
	}
	b.labelEdges(p, s, b.Edges[first:], labelled, count)
}

// labelEdges gives unlabelled edges their labels. labelled is how many of the
// state's edges in the file have a label, and count how many edges it has.
func (b *body) labelEdges(p *parser, s section, edges []Edge, labelled, count int) {
	switch {
	case labelled > 0 && s.label.text != "":
		p.failAt(s.state, "state %d has a label, and so have edges of it; only one of the two is possible", s.state.number)
	case labelled > 0 && labelled < count:
		p.failAt(s.state, "state %d has %d edges, of which %d have a label; either all have one or none", s.state.number, count, labelled)
	case labelled > 0 || count == 0:
		return
	case s.label.text != "":
		for i := range edges {
			edges[i].label = s.label
		}
		return
	}
	propositions := len(b.Propositions)
	if propositions > 31 || count != 1<<propositions {
		p.failAt(s.state, "state %d has %d edges without labels; it takes one for each of the 2^%d letters, or labels", s.state.number, count, propositions)
	}
	if b.letters == nil {
		for i := range count {
			b.letters = append(b.letters, letter(i, propositions))
		}
	}
	for i := range edges {
		edges[i].label = b.letters[i]
	}
}

// letter returns the label that only letter number i satisfies: bit j of i says
// whether proposition j is in the letter.
func letter(i, propositions int) *label {
	if propositions == 0 {
		return &label{expression{[]int{codeTrue}, "t"}, true}
	}
	var text strings.Builder
	var code []int
	for j := range propositions {
		if j > 0 {
			text.WriteByte('&')
		}
		if code = append(code, j); i&(1<<j) == 0 {
			text.WriteByte('!')
			code = append(code, codeNot)
		}
		text.WriteString(strconv.Itoa(j))
		if j > 0 {
			code = append(code, codeAnd)
		}
	}
	return &label{expression{code, text.String()}, true}
}

// bracketed reads a label in brackets, if there is one. For a general automaton it is not
// asked whether it can be satisfied.
func (p *parser) bracketed(b *body) *label {
	if p.tok.kind != '[' {
		return unlabelled
	}
	line := p.tok.line
	p.advance()
	e := p.label(b.header)
	p.take(']', `"&", "|" or "]"`)
	b.checkMentioned(p)
	read, known := b.labels[e.text]
	if !known {
		kept, decided := true, true
		if !p.general {
			kept, decided = b.solver.satisfiable(e.code, labelBudget+labelBudgetPerToken*p.tokens)
		}
		if !decided {
			p.fail(line, "the label %s is too intricate to tell whether a letter satisfies it; simplify it", quote(e.text))
		}
		read = &label{e, kept}
		b.labels[e.text] = read
	}
	return read
}

// signature reads an acc-sig, if there is one, and returns its sets. For a Büchi automaton it returns
// one mark if it contains the set of the acceptance condition, and always under the condition t.
func (p *parser) signature(b *body) (marks uint64) {
	if !p.general && b.acceptance.set == codeTrue {
		marks = 1
	}
	if p.tok.kind != '{' {
		return marks
	}
	p.advance()
	for p.tok.kind == tokenInt {
		if p.tok.number >= b.acceptance.sets {
			p.failAt(p.tok, "acceptance set %d is not below the number of sets %d", p.tok.number, b.acceptance.sets)
		}
		if p.general {
			marks |= 1 << p.tok.number
		} else if p.tok.number == b.acceptance.set {
			marks = 1
		}
		p.advance()
	}
	p.take('}', `the number of an acceptance set or "}"`)
	return marks
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
			b.Starts = append(b.Starts, s)
		}
	}
	if b.States = b.header.states; b.States < 0 {
		b.States = b.highest + 1
	}
	if b.listed.len() == b.States {
		return
	}
	missing := 0
	for listed := true; listed; {
		if _, listed = b.listed.line(State(missing)); listed {
			missing++
		}
	}
	if b.header.states >= 0 {
		p.failAt(p.tok, "state %d is not listed; States: declares %d", missing, b.States)
	}
	p.failAt(p.tok, "state %d is not listed, although state %d is mentioned", missing, b.highest)
}
