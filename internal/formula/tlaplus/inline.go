package tlaplus

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// operandInLine returns the text of an expression as an operand of /\, on one line.
func (x *expression) operandInLine(texts map[string]string) string {
	text := x.inLine(texts)
	if x.isTight() {
		return text
	}
	return "(" + text + ")"
}

// conjunctInLine returns the text of an expression as one or several operands of /\, on one line.
func (x *expression) conjunctInLine(texts map[string]string) string {
	if x.isConjunction() {
		parts := conjuncts(x)
		written := make([]string, len(parts))
		for i, part := range parts {
			written[i] = part.operandInLine(texts)
		}
		return strings.Join(written, ` /\ `)
	}
	return x.operandInLine(texts)
}

// isTight reports whether an expression in the text of inLine needs no parentheses next to /\ and \/.
func (x *expression) isTight() bool {
	switch x.kind {
	case forAll, exists, choose, ifThen, cases, let, lambda, junction:
		return false
	case apply:
		p, isInfix := infix()[x.name]
		return len(x.args) != 2 || !isInfix || p.low > infix()[`/\`].high
	}
	return true
}

// inLine returns the text of an expression on one line, without comments and without parentheses around
// the whole. Parentheses replace the layout of lists of conjuncts and disjuncts, and texts replace
// names.
func (x *expression) inLine(texts map[string]string) string {
	if x.kind == junction {
		parts := make([]string, len(x.args))
		for i, part := range x.args {
			parts[i] = part.operandInLine(texts)
		}
		return strings.Join(parts, " "+x.name+" ")
	}
	var lists []*expression
	x.lists(&lists)
	return withoutOuterParentheses(sourceInLine(x.source, x.from, lists, texts))
}

// letInLine returns the text of a LET on one line, up to IN.
func (x *expression) letInLine(texts map[string]string) string {
	var lists []*expression
	for _, d := range x.defs {
		d.read().listsInside(&lists)
	}
	definitions := x.source[:x.args[0].from-x.from]
	text := sourceInLine(definitions, x.from, lists, texts)
	return strings.Trim(text, "( ") // without parentheses around the LET or around its body
}

// sourceInLine returns a source text on one line. The text begins at an offset of its file, and contains
// the given lists of conjuncts and disjuncts.
func sourceInLine(source string, offset int, lists []*expression, texts map[string]string) string {
	slices.SortFunc(lists, func(a, b *expression) int {
		return a.from - b.from
	})
	var b strings.Builder
	tokens := (&lexer{source: source, line: 1}).tokens()
	for i := 0; i < len(tokens)-1; i++ {
		t := tokens[i]
		if i > 0 && tokens[i-1].behind < t.from {
			b.WriteByte(' ')
		}
		beginsList := len(lists) > 0 && offset+t.from == lists[0].from
		if !beginsList {
			b.WriteString(replacedName(source, tokens, i, texts))
			continue
		}
		listEnd := t.from + len(lists[0].source)
		b.WriteString("(" + lists[0].inLine(texts) + ")")
		lists = lists[1:]
		for tokens[i+1].from < listEnd {
			i++ // skip the tokens of the list
		}
	}
	return b.String()
}

// withoutOuterParentheses removes all parentheses around the whole of a text.
func withoutOuterParentheses(text string) string {
	for {
		inner := withoutParentheses(text)
		if inner == text {
			return text
		}
		text = inner
	}
}

// lists appends the outermost lists of conjuncts and disjuncts in an expression.
func (x *expression) lists(all *[]*expression) {
	x.eachPart(func(part *expression) { part.listsInside(all) })
}

// listsInside appends the expression if it is a list, and otherwise the outermost lists in it.
func (x *expression) listsInside(all *[]*expression) {
	if x.kind == junction {
		*all = append(*all, x)
		return
	}
	x.lists(all)
}

// eachPart calls do for each direct subexpression of an expression.
func (x *expression) eachPart(do func(*expression)) {
	for _, part := range x.args {
		if part != nil {
			do(part)
		}
	}
	for i, b := range x.bounds {
		if b.set != nil && (i == 0 || x.bounds[i-1].set != b.set) {
			do(b.set)
		}
	}
	for _, d := range x.defs {
		if d.instance == nil {
			do(d.read())
		}
	}
	for _, c := range x.changes {
		for _, args := range c.path {
			for _, part := range args {
				do(part)
			}
		}
		do(c.to)
	}
}

// replacedName returns the text of token i, or the text that replaces it if it is a bound name.
func replacedName(source string, tokens []token, i int, texts map[string]string) string {
	t := tokens[i]
	text := source[t.from:t.behind]
	other, isReplaced := texts[t.text]
	if t.kind == sign && other == unnameable {
		return other
	}
	if t.kind != word || !isReplaced || other == t.text {
		return text
	}
	next := tokens[i+1]
	previous := token{}
	if i > 0 {
		previous = tokens[i-1]
	}
	isField := previous.is(".") || next.is("|->") ||
		next.is(":") && (previous.is("[") || previous.is(","))
	if isField || previous.is("!") {
		return text
	}
	if isSimple().MatchString(other) {
		return other
	}
	return "(" + other + ")"
}

// replacedIn returns a text on one line in which texts replace names.
func replacedIn(source string, texts map[string]string) string {
	return inOneLine(source, func(tokens []token, i int) string {
		return replacedName(source, tokens, i, texts)
	})
}

// isSimple matches texts that never need parentheses, and isNameable matches values that a module can
// name.
var (
	isSimple = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((\w+(\([^()]*\))?!)*\w+|"[^"]*"|\w+[(\[][^()\[\]]*[)\]]|<<[^<>]*>>|\{[^{}]*\})$`)
	})
	isNameable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d+|"[^"\\]*")$`)
	})
)
