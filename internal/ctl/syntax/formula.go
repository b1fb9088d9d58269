package syntax

import (
	"context"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
)

// Operator is the outermost operator of a formula.
type Operator uint8

// The operators. Next with the quantifier [Some] is EX and <a>, with [All] it is AX and [a].
const (
	True Operator = iota
	False
	Deadlock
	Holds // a predicate of the state
	Not
	And
	Or
	Implies
	Next
	Until
	Release
	WeakUntil
	StrongRelease
	// Taken holds on a run whose first transition has a label of the pattern. Quantified says that some
	// or all runs satisfy a formula. Both occur only in formulas of CTL*.
	Taken
	Quantified
)

// Quantifier is some or all, of runs or of transitions.
type Quantifier uint8

// The quantifiers.
const (
	Some Quantifier = iota
	All
	// OnRun is the quantifier of an operator about one run, in a formula of CTL*.
	OnRun
)

// String returns E or A.
func (q Quantifier) String() string { return [...]string{"E", "A", ""}[min(q, OnRun)] }

// Predicate is a condition on a single state: that something holds there, or has a value.
type Predicate struct {
	Name string
	// Value is the value that Name must have. Valued is false if there is none, so that Name only has
	// to hold.
	Value  string
	Valued bool
	// Atom is any other condition on values, in the syntax of package values: pc[1] != "cs". If it is
	// not empty, the other fields are empty.
	Atom string
}

// String returns the predicate as formulas write it.
func (p Predicate) String() string {
	if p.Atom != "" {
		return p.Atom
	}
	if !p.Valued {
		return word(p.Name)
	}
	return word(p.Name) + "=" + word(p.Value)
}

// word returns a name or value as formulas write it.
func word(text string) string {
	for i := range text {
		if !actl.Text(text).IsBare(i) {
			return actl.Quoted(text)
		}
	}
	if _, reserved := words[text]; reserved || text == "" {
		return actl.Quoted(text)
	}
	return text
}

// Formula is a property of states. It comes from [Parse] and is immutable.
type Formula struct {
	op          Operator
	path        Quantifier
	left, right *Formula // the operands; a single operand is right
	predicate   Predicate
	// labels is the pattern of Next, or of all transitions of Until before the last one. last is the
	// pattern of the last transition. Each is nil if the formula has none.
	labels, last *actl.Pattern
}

// lefts has the implicit left operands: F f is an Until, and G f a Release.
var lefts = map[Operator]*Formula{Until: {op: True}, Release: {op: False}}

// The binding strengths of operators.
const (
	between = iota // an operator about one run, between its operands
	implication
	disjunction
	conjunction
	tightest
)

// strength returns the binding strength of the outermost operator.
func (f *Formula) strength() int {
	switch f.op {
	case Implies:
		return implication
	case Or:
		return disjunction
	case And:
		return conjunction
	}
	if f.path == OnRun && !f.isPrefixed() {
		return between
	}
	return tightest
}

// isPrefixed reports whether an operator about runs is X, F or G, which is written before its operand.
func (f *Formula) isPrefixed() bool {
	switch f.op {
	case Next:
		return true
	case Until:
		return f.left.op == True
	case Release:
		return f.left.op == False
	}
	return false
}

// String returns the formula with as few parentheses as possible. [Parse] turns it into a formula
// equal to f. Cost O(length of the text).
func (f *Formula) String() string {
	var b strings.Builder
	f.write(&b)
	return b.String()
}

// HasPredicates reports whether f is about values of states. Cost O(length of f).
func (f *Formula) HasPredicates() bool {
	return f != nil && (f.op == Holds || f.left.HasPredicates() || f.right.HasPredicates())
}

// IsImplication reports whether f is written as an implication. Cost O(1).
func (f *Formula) IsImplication() bool { return f.op == Implies }

// write writes the formula, without parentheses around it.
func (f *Formula) write(b *strings.Builder) {
	switch f.op {
	case True, False, Deadlock:
		b.WriteString([...]string{
			True:     "true",
			False:    "false",
			Deadlock: "deadlock",
		}[f.op])
	case Holds:
		b.WriteString(f.predicate.String())
	case Not:
		b.WriteString("!")
		f.right.writeWithin(b, tightest)
	case And, Or:
		f.writeInfix(b, f.strength(), f.strength()+1)
	case Implies:
		f.writeInfix(b, implication+1, implication)
	case Next:
		switch {
		case f.labels == nil:
			b.WriteString(f.path.String() + "X")
		case f.path == Some:
			b.WriteString(f.labels.Within('<'))
		default:
			b.WriteString(f.labels.Within('['))
		}
		b.WriteString(" ")
		f.right.writeWithin(b, tightest)
	case Taken:
		b.WriteString(f.labels.Within('{'))
	case Quantified:
		b.WriteString(f.path.String() + "[")
		f.right.write(b)
		b.WriteString("]")
	default:
		f.writePath(b)
	}
}

// writeInfix writes an operator between its operands. An operand is in parentheses unless it binds at least
// as strongly as the number left, or right, demands.
func (f *Formula) writeInfix(b *strings.Builder, left, right int) {
	f.left.writeWithin(b, left)
	b.WriteString(infixes[f.op])
	f.right.writeWithin(b, right)
}

// writeWithin writes f, in parentheses unless it binds at least as strongly as the number strength demands.
func (f *Formula) writeWithin(b *strings.Builder, strength int) {
	if f.strength() >= strength {
		f.write(b)
		return
	}
	b.WriteString("(")
	f.write(b)
	b.WriteString(")")
}

var infixes = map[Operator]string{
	And: " && ", Or: " || ", Implies: " -> ", Until: " U ", Release: " R ", WeakUntil: " W ", StrongRelease: " M ",
}

// writePath writes an operator about runs.
func (f *Formula) writePath(b *strings.Builder) {
	b.WriteString(f.path.String())
	plain := f.labels == nil && f.last == nil
	switch {
	case f.op == Until && f.left.op == True && plain:
		b.WriteString("F ")
		f.right.writeWithin(b, tightest)
		return
	case f.op == Release && f.left.op == False:
		b.WriteString("G ")
		f.right.writeWithin(b, tightest)
		return
	}
	if f.path == OnRun {
		f.writeInfix(b, implication, implication)
		return
	}
	b.WriteString("[")
	f.left.write(b)
	if f.labels != nil {
		b.WriteString(" " + f.labels.Within('{'))
	}
	b.WriteString(infixes[f.op])
	if f.last != nil {
		b.WriteString(f.last.Within('{') + " ")
	}
	f.right.write(b)
	b.WriteString("]")
}

// Index is the number of a formula in a [Closure].
type Index int

// Labels is the number of a pattern of a [Closure], for the labels that a transition may have. It can
// also be AnyLabel or NoLast.
type Labels int

const (
	AnyLabel Labels = -1
	// NoLast is the [Node.Last] of an Until without a condition on its last transition. Such an Until
	// may hold without any transition.
	NoLast Labels = -2
)

// Node is a formula of a [Closure]. It refers to its operands by number.
type Node struct {
	// Op is neither Implies nor WeakUntil nor StrongRelease.
	Op   Operator
	Path Quantifier // the quantifier of Next, Until and Release
	// Left and Right are the operands, whose numbers are smaller than that of the node. A single
	// operand is Right.
	Left, Right Index
	// Labels are the labels of the transition of Next, or of all transitions of Until before the last
	// one; AnyLabel for other operators.
	Labels Labels
	// Last are the labels of the last transition of an Until.
	Last      Labels
	Predicate Predicate // the predicate of Holds
	// Formula is the formula as its author wrote it.
	Formula *Formula
}

// Closure has a formula and its subformulas, each once and after its own subformulas. The formula is
// the last one. Operators that a [Node] cannot have are replaced: f W g by g R (f || g), f M g by g U
// (f && g), and f -> g by !f || g. A closure is immutable.
type Closure struct {
	Nodes []Node
	// Patterns are the patterns that Labels refer to.
	Patterns []Labelled
}

// Labelled is a pattern of labels, which hidden labels may match, too.
type Labelled struct {
	Pattern actl.Pattern
	// Hidden reports whether hidden labels match as well. They do for the transitions of an Until
	// before the last one.
	Hidden bool
}

// String returns the pattern as formulas write it, in braces. Cost O(length of the text).
func (l Labelled) String() string { return l.Pattern.Within('{') }

// Closure returns the closure of f. It has at most twice as many formulas as f has operators. Cost
// O(length of f and of its text).
func (f *Formula) Closure() *Closure {
	var b collector
	b.add(f)
	return &Closure{Nodes: b.nodes.All, Patterns: b.patterns.All}
}

// Root returns the number of the whole formula.
func (c *Closure) Root() Index { return Index(len(c.Nodes) - 1) }

// collector builds a closure.
type collector struct {
	nodes    intern.List[Node, Node] // the keys have no Formula
	patterns intern.List[string, Labelled]
}

// add adds a formula, and returns its number.
func (b *collector) add(f *Formula) Index {
	n := Node{
		Op:        f.op,
		Path:      f.path,
		Labels:    AnyLabel,
		Last:      NoLast,
		Predicate: f.predicate,
	}
	if f.left != nil {
		n.Left = b.add(f.left)
	}
	if f.right != nil {
		n.Right = b.add(f.right)
	}
	switch f.op {
	case Implies: // !f || g
		not := Node{Op: Not, Right: n.Left, Labels: AnyLabel, Last: NoLast}
		n.Op = Or
		n.Left = b.addNode(not, &Formula{op: Not, right: f.left})
	case WeakUntil: // g R (f || g)
		either := Node{Op: Or, Left: n.Left, Right: n.Right, Labels: AnyLabel, Last: NoLast}
		n.Op = Release
		n.Left = n.Right
		n.Right = b.addNode(either, &Formula{op: Or, left: f.left, right: f.right})
	case StrongRelease: // g U (f && g)
		both := Node{Op: And, Left: n.Left, Right: n.Right, Labels: AnyLabel, Last: NoLast}
		n.Op = Until
		n.Left = n.Right
		n.Right = b.addNode(both, &Formula{op: And, left: f.left, right: f.right})
	case Next:
		n.Labels = b.labels(f.labels)
	case Until:
		n.Labels = b.labelsOrHidden(f.labels)
		if f.last != nil {
			n.Last = b.labels(f.last)
		}
	}
	return b.addNode(n, f)
}

// addNode adds a node unless there is an equal one. It returns the number of the node.
func (b *collector) addNode(n Node, f *Formula) Index {
	key := n
	n.Formula = f
	return Index(b.nodes.Index(key, n))
}

// labels adds a pattern that hidden labels match only if they match its text. It returns the number of
// the pattern.
func (b *collector) labels(p *actl.Pattern) Labels {
	if matchesAll(p) {
		return AnyLabel
	}
	return Labels(b.patterns.Index(p.String(), Labelled{Pattern: *p}))
}

// labelsOrHidden adds a pattern that all hidden labels match as well. It returns the number of the
// pattern.
func (b *collector) labelsOrHidden(p *actl.Pattern) Labels {
	if matchesAll(p) {
		return AnyLabel
	}
	key := p.String() + "\x00" // not the key of the same pattern in labels
	return Labels(b.patterns.Index(key, Labelled{Pattern: *p, Hidden: true}))
}

// matchesAll reports whether an optional pattern allows every label.
func matchesAll(p *actl.Pattern) bool { return p == nil || p.IsAny() }

// patterns returns the patterns that should match labels of the model; {} need not.
func (c *Closure) patterns() (all intern.List[string, actl.Pattern]) {
	for _, l := range c.Patterns {
		if !l.Pattern.IsNone() {
			all.Index(l.Pattern.String(), l.Pattern)
		}
	}
	return all
}

// Unmatched is [actl.Unmatched] for the patterns of the formula.
func (c *Closure) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return actl.Unmatched(ctx, "atom", c.patterns().All, a)
}

// Bind returns for each pattern in Patterns which labels of the alphabet match it. It also returns
// warnings about patterns that match none, as [actl.BindAtoms] does. hidden are the patterns of hidden
// labels. Cost: as much as [actl.BindAtoms], and O(labels) for each pattern.
func (c *Closure) Bind(
	ctx context.Context,
	a *lts.Alphabet,
	hidden []actl.Pattern,
) (means [][]bool, warnings []string, err error) {
	patterns := c.patterns()
	visibleSteps, warnings, err := actl.BindAtoms(ctx, patterns.All, a)
	if err != nil {
		return nil, nil, err
	}
	hiddenSteps, _, err := actl.BindAtoms(ctx, hidden, a)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range c.Patterns {
		matches := make([]bool, a.Len())
		if !l.Pattern.IsNone() {
			number := patterns.Index(l.Pattern.String(), l.Pattern)
			mark(matches, visibleSteps[number].Labels)
		}
		if l.Hidden {
			for _, step := range hiddenSteps {
				mark(matches, step.Labels)
			}
		}
		means = append(means, matches)
	}
	return means, warnings, nil
}

// mark marks some labels.
func mark(marked []bool, labels []lts.Label) {
	for _, l := range labels {
		marked[l] = true
	}
}
