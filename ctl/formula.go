package ctl

import (
	"strings"

	"github.com/inev-lts/inev/actl"
)

// Operator is the main operator of a formula.
type Operator uint8

// The operators. Next with [Some] is EX and <a>, with [All] AX and [a].
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
	// Taken holds on a run whose first transition has a label of the pattern. Taken and Quantified,
	// which asks for some or all runs that satisfy a formula, occur only in formulas of CTL*.
	Taken
	Quantified
)

// Quantifier is some or all, for runs or transitions.
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
	// Value is the value that Name must have; Valued is false if there is none, and Name only has
	// to hold.
	Value  string
	Valued bool
	// Atom is another condition on values, in the syntax of package values: pc[1] != "cs". If it is
	// not empty, the other fields are empty.
	Atom string
}

// String returns the predicate as formulas have it.
func (p Predicate) String() string {
	if p.Atom != "" {
		return p.Atom
	}
	if !p.Valued {
		return word(p.Name)
	}
	return word(p.Name) + "=" + word(p.Value)
}

// word returns a name or value as formulas have it.
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
	// labels is the pattern of Next, or of the transitions of Until before the last; last is that
	// of its last transition. They are nil if the formula has none.
	labels, last *actl.Pattern
}

var constantTrue, constantFalse = &Formula{op: True}, &Formula{op: False}

// The binding strengths of operators.
const (
	between = iota // an operator about one run, between its operands
	implication
	disjunction
	conjunction
	tightest
)

func (f *Formula) strength() int {
	switch f.op {
	case Implies:
		return implication
	case Or:
		return disjunction
	case And:
		return conjunction
	}
	if f.path == OnRun && !f.isPrefix() {
		return between
	}
	return tightest
}

// isPrefix reports whether a formula about a run is written before its operand.
func (f *Formula) isPrefix() bool {
	return f.op == Next || f.op == Until && f.left.op == True || f.op == Release && f.left.op == False
}

// String returns the formula with as few parentheses as possible. [Parse] turns it into a formula
// equal to f. Cost O(length of the text).
func (f *Formula) String() string {
	var b strings.Builder
	f.write(&b)
	return b.String()
}

// IsImplication reports whether f is written as an implication. Cost O(1).
func (f *Formula) IsImplication() bool { return f.op == Implies }

func (f *Formula) write(b *strings.Builder) {
	switch f.op {
	case True:
		b.WriteString("true")
	case False:
		b.WriteString("false")
	case Deadlock:
		b.WriteString("deadlock")
	case Holds:
		b.WriteString(f.predicate.String())
	case Not:
		b.WriteString("!")
		f.right.within(b, tightest)
	case And:
		f.infix(b, " && ", conjunction, conjunction+1)
	case Or:
		f.infix(b, " || ", disjunction, disjunction+1)
	case Implies:
		f.infix(b, " -> ", implication+1, implication)
	case Next:
		b.WriteString(f.next())
		f.right.within(b, tightest)
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

// infix writes an operator between operands that bind at least as strongly as given.
func (f *Formula) infix(b *strings.Builder, sign string, left, right int) {
	f.left.within(b, left)
	b.WriteString(sign)
	f.right.within(b, right)
}

// within writes f, in parentheses unless it binds at least as strongly as given.
func (f *Formula) within(b *strings.Builder, strength int) {
	if f.strength() >= strength {
		f.write(b)
		return
	}
	b.WriteString("(")
	f.write(b)
	b.WriteString(")")
}

// next returns the text before the operand of Next.
func (f *Formula) next() string {
	switch {
	case f.labels == nil:
		return f.path.String() + "X "
	case f.path == Some:
		return f.labels.Within('<') + " "
	}
	return f.labels.Within('[') + " "
}

var infixes = map[Operator]string{Until: " U ", Release: " R ", WeakUntil: " W ", StrongRelease: " M "}

// writePath writes an operator about runs.
func (f *Formula) writePath(b *strings.Builder) {
	b.WriteString(f.path.String())
	plain := f.labels == nil && f.last == nil
	switch {
	case f.op == Until && f.left.op == True && plain:
		b.WriteString("F ")
		f.right.within(b, tightest)
		return
	case f.op == Release && f.left.op == False:
		b.WriteString("G ")
		f.right.within(b, tightest)
		return
	}
	if f.path == OnRun {
		f.infix(b, infixes[f.op], implication, implication)
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
