package temporal

import (
	"slices"
	"strings"
)

// Operator is the outermost operator of a [Formula].
type Operator uint8

// The operators. Those from NextOp on are temporal, and those from UntilOp on are binary.
const (
	TrueOp Operator = iota
	FalseOp
	AtomOp
	DeadlockOp
	NotOp
	AndOp
	OrOp
	ImpliesOp
	IffOp
	NextOp       // X
	EventuallyOp // F
	AlwaysOp     // G
	UntilOp      // U
	WeakUntilOp  // W
	ReleaseOp    // R
	StrongOp     // M, strong release
)

// Formula is a formula of linear temporal logic. The functions of this package make formulas, which are
// immutable and may share parts.
type Formula struct {
	op    Operator
	atom  int
	parts []*Formula
}

func build(op Operator, parts ...*Formula) *Formula { return &Formula{op: op, parts: parts} }

// True returns the formula that always holds.
func True() *Formula { return build(TrueOp) }

// False returns the formula that never holds.
func False() *Formula { return build(FalseOp) }

// Atom returns the formula that holds if the first transition has a label of this
// atom; the number is 0 or greater.
func Atom(number int) *Formula { return &Formula{op: AtomOp, atom: number} }

// Deadlock returns the formula that holds after the end of a run.
func Deadlock() *Formula { return build(DeadlockOp) }

// Not returns the negation.
func Not(f *Formula) *Formula { return build(NotOp, f) }

// And returns the conjunction. Without formulas it is true, and of a single formula f it is f.
func And(all ...*Formula) *Formula { return joined(AndOp, True, all) }

// Or returns the disjunction. Without formulas it is false, and of a single formula f it is f.
func Or(all ...*Formula) *Formula { return joined(OrOp, False, all) }

// joined joins formulas by an operator. Without formulas it returns the neutral one.
func joined(op Operator, neutral func() *Formula, all []*Formula) *Formula {
	switch len(all) {
	case 0:
		return neutral()
	case 1:
		return all[0]
	}
	return build(op, slices.Clone(all)...)
}

// All returns the conjunction without the parts that are true; false if one of them is false.
func All(all ...*Formula) *Formula { return And(without(all, TrueOp, FalseOp)...) }

// Any returns the disjunction without the parts that are false; true if one of them is true.
func Any(all ...*Formula) *Formula { return Or(without(all, FalseOp, TrueOp)...) }

// without returns formulas without those whose operator is neutral; only the first one with the decisive
// operator if there is one.
func without(all []*Formula, neutral, decisive Operator) []*Formula {
	i := slices.IndexFunc(all, func(f *Formula) bool {
		return f.op == decisive
	})
	if i >= 0 {
		return all[i : i+1]
	}
	return slices.DeleteFunc(slices.Clone(all), func(f *Formula) bool {
		return f.op == neutral
	})
}

// Implies returns the implication a -> b.
func Implies(a, b *Formula) *Formula { return build(ImpliesOp, a, b) }

// Iff returns the equivalence a <-> b.
func Iff(a, b *Formula) *Formula { return build(IffOp, a, b) }

// Next returns X f: f holds at the next position.
func Next(f *Formula) *Formula { return build(NextOp, f) }

// Eventually returns F f: f holds at this position or a later one.
func Eventually(f *Formula) *Formula { return build(EventuallyOp, f) }

// Always returns G f: f holds at this position and all later ones.
func Always(f *Formula) *Formula { return build(AlwaysOp, f) }

// Until returns a U b: b holds at some position, and a at all positions before it.
func Until(a, b *Formula) *Formula { return build(UntilOp, a, b) }

// WeakUntil returns a W b: either a U b holds, or a holds always.
func WeakUntil(a, b *Formula) *Formula { return build(WeakUntilOp, a, b) }

// Release returns a R b: b holds up to and including the first position with a. If there is no such
// position, b holds always.
func Release(a, b *Formula) *Formula { return build(ReleaseOp, a, b) }

// StrongRelease returns a M b: a R b, and a holds at some position.
func StrongRelease(a, b *Formula) *Formula { return build(StrongOp, a, b) }

// Operator returns the outermost operator of the formula.
func (f *Formula) Operator() Operator { return f.op }

// Parts returns the operands of the operator. The slice belongs to the formula
// and must not be changed.
func (f *Formula) Parts() []*Formula { return f.parts }

// Number returns the number of an atom; 0 for other formulas.
func (f *Formula) Number() int { return f.atom }

// Atoms returns the largest number of an atom plus one. Cost O(size).
func (f *Formula) Atoms() int {
	n := 0
	if f.op == AtomOp {
		n = f.atom + 1
	}
	for _, p := range f.parts {
		n = max(n, p.Atoms())
	}
	return n
}

// Equal reports whether two formulas are the same syntactically. Cost O(size).
func (f *Formula) Equal(g *Formula) bool {
	return f == g || f.op == g.op && f.atom == g.atom &&
		slices.EqualFunc(f.parts, g.parts, (*Formula).Equal)
}

// Substituted returns the formula with other formulas in place of its atoms. It calls replacement for each
// atom, in the order of the text. Cost O(size).
func (f *Formula) Substituted(replacement func(atom int) *Formula) *Formula {
	if f.op == AtomOp {
		return replacement(f.atom)
	}
	parts := make([]*Formula, len(f.parts))
	for i, p := range f.parts {
		parts[i] = p.Substituted(replacement)
	}
	return f.With(parts)
}

// With returns the formula with the operator of f and other parts. A conjunction or disjunction may
// have any number of parts, other operators as many as f.
func (f *Formula) With(parts []*Formula) *Formula {
	switch f.op {
	case AndOp:
		return And(parts...)
	case OrOp:
		return Or(parts...)
	}
	return build(f.op, parts...)
}

// Priorities of operators. Operators that bind tighter have greater priorities.
const (
	iffPriority = iota + 1
	impliesPriority
	orPriority
	andPriority
	untilPriority
	unaryPriority
)

// spelling is the notation of an operator.
type spelling struct {
	text     string
	priority int
}

var spellings = map[Operator]spelling{
	NotOp: {"!", unaryPriority}, NextOp: {"X", unaryPriority}, EventuallyOp: {"F", unaryPriority}, AlwaysOp: {"G", unaryPriority},
	UntilOp: {"U", untilPriority}, WeakUntilOp: {"W", untilPriority}, ReleaseOp: {"R", untilPriority}, StrongOp: {"M", untilPriority},
	AndOp: {"&&", andPriority}, OrOp: {"||", orPriority}, ImpliesOp: {"->", impliesPriority}, IffOp: {"<->", iffPriority},
}

var constants = map[Operator]string{TrueOp: "true", FalseOp: "false", DeadlockOp: "deadlock"}

// Text returns the formula in the notation of inev, with names[i] for atom i and no more parentheses
// than necessary. Cost O(length of the text).
func (f *Formula) Text(names []string) string {
	return f.TextWithin(names, func(int) bool { return true })
}

// TextWithin is [Formula.Text] with a limit. Before it writes, it calls spend with the number of bytes;
// if spend returns false, it stops with an incomplete text.
func (f *Formula) TextWithin(names []string, spend func(bytes int) bool) string {
	w := writer{names: names, spend: spend}
	w.write(f, 0)
	return w.text.String()
}

type writer struct {
	names  []string
	spend  func(bytes int) bool
	isFull bool // whether the text ends there
	text   strings.Builder
}

func (w *writer) add(text string) {
	w.isFull = w.isFull || !w.spend(len(text))
	if !w.isFull {
		w.text.WriteString(text)
	}
}

// write writes a formula, in parentheses unless it binds tighter than its
// context.
func (w *writer) write(f *Formula, around int) {
	text, isConstant := constants[f.op]
	switch {
	case isConstant:
		w.add(text)
		return
	case f.op == AtomOp:
		w.add(w.names[f.atom])
		return
	}
	priority := spellings[f.op].priority
	if priority <= around {
		w.add("(")
		defer w.add(")")
	}
	if priority == unaryPriority {
		w.writeUnary(f)
	} else {
		w.writeJoined(f)
	}
}

// writeUnary writes a unary operator and its operand. G F and F G are written as one word.
func (w *writer) writeUnary(f *Formula) {
	w.add(spellings[f.op].text)
	operand := f.parts[0]
	isWord := f.op == AlwaysOp && operand.op == EventuallyOp ||
		f.op == EventuallyOp && operand.op == AlwaysOp
	if isWord {
		w.add(spellings[operand.op].text)
		operand = operand.parts[0]
	}
	if f.op != NotOp {
		w.add(" ")
	}
	w.write(operand, unaryPriority-1)
}

// writeJoined writes operands with an operator between them. Until and implication associate to the
// right, and <-> to the left.
func (w *writer) writeJoined(f *Formula) {
	s := spellings[f.op]
	last := len(f.parts) - 1
	for i, p := range f.parts {
		if w.isFull {
			return
		}
		if i > 0 {
			w.add(" " + s.text + " ")
		}
		isToRight := s.priority == untilPriority || s.priority == impliesPriority
		isToLeft := s.priority == iffPriority
		inside := s.priority
		if isToRight && i == last || isToLeft && i == 0 {
			inside--
		}
		w.write(p, inside)
	}
}
