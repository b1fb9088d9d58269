package temporal

import "strings"

// The priorities of operators: tighter operators have greater ones.
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

// Text returns the formula in the notation of inev, atom i as names[i], with no
// more parentheses than necessary. Cost O(length of the text).
func (f *Formula) Text(names []string) string {
	return f.TextWithin(names, func(int) bool { return true })
}

// TextWithin is [Formula.Text] with a limit: before it writes, it calls spend with the number of
// bytes, and stops when spend returns false. The text is then incomplete.
func (f *Formula) TextWithin(names []string, spend func(bytes int) bool) string {
	w := writer{names: names, spend: spend}
	w.write(f, 0)
	return w.text.String()
}

type writer struct {
	names []string
	spend func(bytes int) bool
	over  bool // whether the text ends there
	text  strings.Builder
}

func (w *writer) add(text string) {
	if w.over = w.over || !w.spend(len(text)); !w.over {
		w.text.WriteString(text)
	}
}

// write writes a formula, in parentheses unless it binds tighter than its
// context.
func (w *writer) write(f *Formula, around int) {
	if text, is := constants[f.op]; is {
		w.add(text)
		return
	}
	if f.op == AtomOp {
		w.add(w.names[f.atom])
		return
	}
	s := spellings[f.op]
	if s.priority <= around {
		w.add("(")
		defer w.add(")")
	}
	if s.priority == unaryPriority {
		w.unary(f, s)
		return
	}
	for i, p := range f.parts {
		if w.over {
			return
		}
		if i > 0 {
			w.add(" " + s.text + " ")
		}
		inside := s.priority
		last := i == len(f.parts)-1
		if last && (s.priority == untilPriority || s.priority == impliesPriority) || i == 0 && s.priority == iffPriority {
			inside-- // to the right, and <-> to the left
		}
		w.write(p, inside)
	}
}

// unary writes an operator that takes one formula. G F and F G are written as one word.
func (w *writer) unary(f *Formula, s spelling) {
	w.add(s.text)
	p := f.parts[0]
	switch {
	case f.op == NotOp:
	case f.op == AlwaysOp && p.op == EventuallyOp || f.op == EventuallyOp && p.op == AlwaysOp:
		w.add(spellings[p.op].text + " ")
		p = p.parts[0]
	default:
		w.add(" ")
	}
	w.write(p, unaryPriority-1)
}
