package tlaplus

import (
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// kind is the kind of an expression.
type kind uint8

const (
	apply     kind = iota // an operator with its arguments, also one between or before them: name, args
	literal               // a number or a string: token kind in number, name
	forAll                // \A and \E: bounds, args[0]
	exists                //
	choose                // CHOOSE x \in S : p
	setOf                 // {a, b}
	filtered              // {x \in S : p}
	mapped                // {e : x \in S}
	tuple                 // <<a, b>>
	function              // [x \in S |-> e]
	at                    // f[a, b]: args[0] is f
	except                // [f EXCEPT ![a].b = e]: args[0] is f; changes
	record                // [a |-> e]: fields, args
	records               // [a : S]
	functions             // [S -> T]
	field                 // r.name
	ifThen                // IF p THEN a ELSE b
	cases                 // CASE p -> a [] q -> b [] OTHER -> c: args in pairs, OTHER is nil
	let                   // LET defs IN args[0]
	lambda                // LAMBDA x : e
	old                   // @
	square                // [A]_v
	angle                 // <<A>>_v
	fair                  // WF_v(A), SF_v(A): name is WF or SF, args are A and v
	junction              // a list of /\ or \/: name, args
	product               // S \X T: args
	selected              // I!Op(args): path, name
)

// expression is an expression in the text of a module.
type expression struct {
	kind   kind
	at     Position
	name   string
	args   []*expression
	bounds []bound
	// fields are the field names of a record, and path the names of instances
	// before a name, as in I!J!Op.
	fields  []string
	path    []string
	changes []change
	defs    []*Definition
	// number marks a number, not a string.
	number bool
	// source is the text of the expression in its file.
	source string
}

// bound is x, y \in S or <<x, y>> \in S; set is nil in CHOOSE x : p.
type bound struct {
	names []string
	tuple bool
	set   *expression
}

// change is ![a].b = e in EXCEPT: a path, and the new value there.
type change struct {
	path [][]*expression // the arguments of one application, or a field as a string
	to   *expression
}

// text returns the expression as it is written, in one line, without parentheses around the whole.
func (x *expression) text() string {
	text := oneLine(x.source)
	for bare := bared(text); bare != text; bare = bared(text) {
		text = bare
	}
	return text
}

func oneLine(source string) string {
	// The lexer skips comments, so that the text has none.
	l := &lexer{source: source, line: 1}
	var b strings.Builder
	behind := 0
	_ = abort.Try(func() {
		for l.pos < len(source) {
			l.blanks()
			if l.pos == len(source) {
				return
			}
			if behind > 0 && l.pos > behind {
				b.WriteByte(' ')
			}
			var t token
			from := l.pos
			l.next(&t)
			b.WriteString(source[from:l.pos])
			behind = l.pos
		}
	})
	return b.String()
}

// precedence is the range of an operator: an operator with a higher range binds more tightly, and
// operators whose ranges overlap conflict.
type precedence struct{ low, high int }

func (p precedence) below(q precedence) bool { return p.high < q.low }

// infix has the operators between two operands, from the table of the language; those in
// leftAssociative may follow themselves.
var infix = operatorTable(map[precedence]string{
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
})

// leftAssociative are the operators that may follow themselves.
var leftAssociative = words(`/\ \/ \land \lor @@ \cup \cap \union \intersect $ $$ ?? ## \sqcap \sqcup \uplus \wr + ++ \oplus (+) %% | || - -- \ominus (-) * ** & && \o \circ \odot (.) \otimes \star \bullet \bigcirc \X \times \cdot`)

var prefix = operatorTable(map[precedence]string{
	{4, 4}:   `~ \lnot \neg`,
	{4, 15}:  "ENABLED UNCHANGED [] <>",
	{8, 8}:   "SUBSET",
	{9, 9}:   "DOMAIN",
	{8, 9}:   "UNION",
	{12, 12}: "-",
})

// postfix bind more tightly than all others.
var postfix = words("' ^+ ^* ^#")

// synonyms are operators with two spellings.
var synonyms = map[string]string{
	`\land`: `/\`, `\lor`: `\/`, `\lnot`: "~", `\neg`: "~", `\equiv`: "<=>", `\union`: `\cup`, `\intersect`: `\cap`, "/=": "#", "=<": "<=",
	`\leq`: "<=", `\geq`: ">=", `\times`: `\X`, `\circ`: `\o`, `\oplus`: "(+)", `\ominus`: "(-)",
}

func operatorTable(rows map[precedence]string) map[string]precedence {
	table := map[string]precedence{}
	for p, row := range rows {
		for _, name := range strings.Fields(row) {
			table[name] = p
		}
	}
	return table
}

func words(row string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(row) {
		all[name] = true
	}
	return all
}

// reserved are the words of the language, which cannot be names.
var reserved = words(`ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LET LOCAL
	MODULE OTHER SF_ SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WF_ WITH LAMBDA LEMMA PROPOSITION COROLLARY RECURSIVE
	BY HAVE DEF DEFINE DEFS HIDE NEW OBVIOUS OMITTED PICK PROOF PROVE QED STATE SUFFICES TAKE TEMPORAL USE WITNESS ACTION`)
