package tlaplus

import (
	"strings"
	"sync"
)

// precedence is the precedence range of an operator. An operator with a higher range binds more
// tightly, and operators with overlapping ranges conflict.
type precedence struct{ low, high int }

func (p precedence) below(q precedence) bool { return p.high < q.low }

// infix has the infix operators, from the table of the language. Those in leftAssociative may be
// chained.
var infix = operatorTable(func() map[precedence]string {
	return map[precedence]string{
		{1, 1}:   "=>",
		{2, 2}:   `-+-> <=> \equiv ~>`,
		{3, 3}:   `/\ \/ \land \lor`,
		{5, 5}:   `= # /= < > =< <= >= \leq \geq \in \notin \subset \subseteq \supset \supseteq \sqsubset \sqsubseteq \sqsupset \sqsupseteq \prec \preceq \succ \succeq \sim \simeq \approx \asymp \cong \doteq \ll \gg \propto |- |= -| =| ::= :=`,
		{6, 6}:   "@@",
		{7, 7}:   ":> <:",
		{8, 8}:   `\ \cup \cap \union \intersect`,
		{9, 9}:   ".. ...",
		{9, 13}:  `!! ## $ $$ ?? \sqcap \sqcup \uplus`,
		{9, 14}:  `\wr`,
		{10, 10}: `+ ++ \oplus (+)`,
		{10, 11}: "% %% | ||",
		{10, 13}: `\X \times`,
		{11, 11}: `- -- \ominus (-)`,
		{13, 13}: `* ** / // & && \o \circ \div \cdot \odot (.) \oslash (/) \otimes \star \bullet \bigcirc`,
		{14, 14}: "^ ^^",
	}
})

// leftAssociative are the operators that may be chained.
var leftAssociative = words(`/\ \/ \land \lor @@ \cup \cap \union \intersect $ $$ ?? ## \sqcap \sqcup \uplus \wr + ++ \oplus (+) %% | || - -- \ominus (-) * ** & && \o \circ \odot (.) \otimes \star \bullet \bigcirc \X \times \cdot`)

// prefix has the prefix operators. In the table of the language, SUBSET and UNION have the range 8-8,
// and DOMAIN has 9-9. SANY has the ranges here, and refuses SUBSET S + T.
var prefix = operatorTable(func() map[precedence]string {
	return map[precedence]string{
		{4, 4}:   `~ \lnot \neg`,
		{4, 15}:  "ENABLED UNCHANGED [] <>",
		{10, 13}: "SUBSET UNION DOMAIN",
		{12, 12}: "- -.",
	}
})

// postfix bind more tightly than all others.
var postfix = words("' ^+ ^* ^#")

// synonyms are operators with two spellings.
var synonyms = sync.OnceValue(func() map[string]string {
	return map[string]string{
		`\land`: `/\`, `\lor`: `\/`, `\lnot`: "~", `\neg`: "~", `\equiv`: "<=>", `\union`: `\cup`, `\intersect`: `\cap`, "/=": "#", "=<": "<=",
		`\leq`: "<=", `\geq`: ">=", `\times`: `\X`, `\circ`: `\o`, `\oplus`: "(+)", `\ominus`: "(-)",
	}
})

// operatorTable returns a function that makes a table of operators when it is first called, since few
// runs of the program read TLA+.
func operatorTable(rows func() map[precedence]string) func() map[string]precedence {
	return sync.OnceValue(func() map[string]precedence {
		table := map[string]precedence{}
		for p, row := range rows() {
			for _, name := range strings.Fields(row) {
				table[name] = p
			}
		}
		return table
	})
}

// words returns a function that makes a set of words when it is first called.
func words(row string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, name := range strings.Fields(row) {
			all[name] = true
		}
		return all
	})
}

// spelled returns the text of a token. For both spellings of an operator, it returns the same text.
func spelled(t token) string {
	if s, is := synonyms()[t.text]; is && t.kind == sign {
		return s
	}
	return t.text
}

// isOperator reports whether a token is a prefix, infix or postfix operator.
func (t token) isOperator() bool {
	if t.kind != sign && t.kind != word {
		return false
	}
	return infix()[t.text] != precedence{} || prefix()[t.text] != precedence{} ||
		postfix()[t.text]
}
