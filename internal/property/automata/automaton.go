package automata

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
)

// State is the number of a state in a file.
type State uint32

// MaxStates is the largest number of states: the numbers of a file are below 2^31.
const MaxStates = math.MaxInt32

// Alias is an abbreviation of a label expression.
type Alias struct {
	// Name begins with "@".
	Name string
	// Text is a label expression without blanks.
	Text string
}

// MaxSets is the largest number of acceptance sets of a [Automaton].
const MaxSets = 64

// Automaton is an automaton as it is in an HOA file, with any acceptance
// condition. It is immutable.
type Automaton struct {
	// Name is the text of name:, empty if there is none.
	Name string
	// Propositions are the atomic propositions, and Aliases are the abbreviations in labels.
	Propositions []string
	Aliases      []Alias
	// Meanings[i] is the pattern of labels that proposition i represents, in the syntax of
	// formulas; "" represents that nothing happens. Meanings is nil if the file has no inev-atoms:.
	Meanings []string
	States   int
	// Starts are the initial states, each once.
	Starts []State
	// Names has the names of those states that have one, and Accepting has the states whose section
	// has marks. Lines has the line of the section of each state.
	Names     map[State]string
	Accepting []State
	Lines     []int
	// Edges are the edges of the file in their order. The slice must not be changed.
	Edges []Edge
	// Acceptance is the condition, and AcceptanceLine is its line.
	Acceptance     Condition
	AcceptanceLine int
	// AccName is the value of acc-name:, "" if it is missing.
	AccName string

	solver solver
	// condition is the condition as it stands in the file.
	condition string
}

// Edge is an edge of a [Automaton].
type Edge struct {
	From, To State
	// Marks has bit c set if the edge, or the state that it leaves, is in set c.
	Marks uint64
	// Line is the line of the edge in the file.
	Line int

	label *label
}

// IsIn reports whether the edge is in an acceptance set.
func (e *Edge) IsIn(set int) bool { return e.Marks>>set&1 != 0 }

// Label returns the label of the edge, or of its state, without blanks.
func (e *Edge) Label() string { return e.label.text }

// label is the label of edges. Edges with equal labels share it.
type label struct {
	expression
	// isSatisfiable reports whether some letter satisfies the label. In a general automaton it is always
	// true.
	isSatisfiable bool
}

// ConditionOp is the outermost operator of a [Condition].
type ConditionOp uint8

// The operators of conditions.
const (
	ConditionTrue  ConditionOp = iota // t
	ConditionFalse                    // f
	ConditionInf                      // the set is met infinitely often
	ConditionFin                      // the set is met finitely often
	ConditionAnd
	ConditionOr
)

// Condition is an acceptance condition.
type Condition struct {
	Op ConditionOp
	// Set is the acceptance set of Inf or Fin; Complement reports whether its
	// complement is meant.
	Set        int
	Complement bool
	// Parts are the two operands of and, or.
	Parts []Condition
}

// An atom of a condition is four times the number of its set, plus these.
const (
	isComplement = 1
	isFin        = 2
)

// newCondition decodes a condition in postfix order.
func newCondition(code []int) Condition {
	var stack []Condition
	for _, c := range code {
		switch {
		case c == codeTrue || c == codeFalse:
			stack = append(stack, Condition{Op: ConditionOp(codeTrue - c)})
		case c == codeAnd || c == codeOr:
			op := ConditionAnd
			if c == codeOr {
				op = ConditionOr
			}
			n := len(stack) - 2
			stack = append(stack[:n], Condition{
				Op:    op,
				Parts: []Condition{stack[n], stack[n+1]},
			})
		default:
			atom := Condition{
				Op:         ConditionInf,
				Set:        c >> 2,
				Complement: c&isComplement != 0,
			}
			if c&isFin != 0 {
				atom.Op = ConditionFin
			}
			stack = append(stack, atom)
		}
	}
	return stack[0]
}

// ReadAutomaton reads the first automaton of a stream, with any acceptance condition of at most
// [MaxSets] sets, and does not change the automaton. The error is an *[Error], or ctx.Err() once
// ctx is done. Cost O(length of the file).
func ReadAutomaton(ctx context.Context, r io.Reader, file string) (*Automaton, error) {
	p := newParser(ctx, r, file)
	p.general = true
	b, err := p.nextBody()
	if err != nil {
		return nil, err
	}
	g := b.Automaton
	if err := resources.AskFor[int](ctx, g.States); err != nil {
		return nil, err
	}
	g.Lines = make([]int, g.States)
	for s := range g.States {
		g.Lines[s], _ = b.listed.line(State(s))
	}
	return &g, nil
}

// Letter reports for each edge, by its index, whether a letter satisfies its
// label. The letter consists of the propositions for which holds returns true.
// Cost O(size of all labels and aliases).
func (g *Automaton) Letter(holds func(proposition int) bool) []bool {
	s := solver{aliases: g.solver.aliases, values: map[int]truth{}}
	for i := range g.Propositions {
		s.values[i] = isFalse
		if holds(i) {
			s.values[i] = isTrue
		}
	}
	s.results = make([]truth, len(s.aliases))
	for i, code := range s.aliases {
		s.results[i] = s.evaluate(code)
	}
	takes := make([]bool, len(g.Edges))
	for i := range g.Edges {
		takes[i] = s.evaluate(g.Edges[i].label.code) == isTrue
	}
	return takes
}

// Reader reads the Büchi automata of a stream one after the other.
type Reader struct{ p *parser }

// NewReader returns a reader of a stream; file is its name in errors.
func NewReader(ctx context.Context, r io.Reader, file string) *Reader {
	return &Reader{newParser(ctx, r, file)}
}

// Next returns the next automaton that does not end in --ABORT--, without the edges whose label no
// letter satisfies. After the last automaton, the error is io.EOF. The automaton is a Büchi
// automaton: its condition is Inf of one set, or t, in which case each edge is in the set. Other
// errors are an *[Error], or ctx.Err() once ctx is done.
//
// Cost O(length of the automaton) time and memory, and the time for deciding which labels can be
// satisfied, which is linear for usual labels; a label that would take too long is refused.
func (r *Reader) Next() (*Automaton, error) {
	b, err := r.p.nextBody()
	if err != nil {
		return nil, err
	}
	a := b.Automaton // without what only its reading needs
	return &a, nil
}

// Quote returns a string as it is written in files: quotes and backslashes are
// escaped.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Labels checks labels before they are written to a file.
type Labels struct {
	h       *body
	checked map[string]bool
}

// NewLabels returns a check of labels over the given propositions and aliases. It fails if a proposition
// occurs twice, or if an alias is no expression over the propositions and the aliases before it.
func NewLabels(propositions []string, aliases []Alias) (*Labels, error) {
	known := map[string]bool{}
	for _, name := range propositions {
		if known[name] {
			return nil, fmt.Errorf("the atomic proposition %s stands twice", quote(name))
		}
		known[name] = true
	}
	l := &Labels{&body{Automaton: Automaton{Propositions: propositions}, numbers: map[string]int{}}, map[string]bool{}}
	for i, alias := range aliases {
		if err := l.h.checkAlias(alias.Name); err != nil {
			return nil, err
		}
		if err := l.h.checkLabel(alias.Text); err != nil {
			return nil, fmt.Errorf("the alias %s: %w", alias.Name, err)
		}
		l.h.numbers[alias.Name] = i
	}
	return l, nil
}

// Check returns an error unless the label is an expression over the propositions and aliases. Cost
// O(length of the label) the first time, and O(1) after that.
func (l *Labels) Check(label string) error {
	if l.checked[label] {
		return nil
	}
	l.checked[label] = true
	if err := l.h.checkLabel(label); err != nil {
		return fmt.Errorf("the label %s: %w", quote(label), err)
	}
	return nil
}

// checkAlias checks the name of an alias.
func (h *body) checkAlias(name string) error {
	p := newParser(context.Background(), strings.NewReader(name), "")
	if err := abort.Try(p.advance); err != nil || p.tok.kind != tokenAlias || p.tok.text != name {
		return fmt.Errorf(`%s is no name of an alias; it takes "@" and letters, digits, "-" or "_"`, quote(name))
	}
	if _, ok := h.numbers[name]; ok {
		return fmt.Errorf("the alias %s is defined twice", quote(name))
	}
	return nil
}

// checkLabel checks that text is a label expression and nothing more.
func (h *body) checkLabel(text string) (err error) {
	defer abort.Caught(&err)
	p := newParser(context.Background(), strings.NewReader(text), "label")
	p.advance()
	p.label(h)
	if p.tok.kind != tokenEnd {
		p.expect(`"&", "|" or the end of the label`)
	}
	h.checkMentioned(p)
	return nil
}

// mostSets is the largest number of sets for which a condition is compared with
// its name.
const mostSets = 12

// named returns the condition that a name in acc-name: denotes, as a function of the sets that a
// run visits infinitely often, and the number of its sets. known is false for unknown names, and
// for names with unexpected parameters.
func named(name string) (holds func(recurring uint64) bool, sets int, known bool) {
	kind, number, hasNumber := strings.Cut(name, " ")
	if !hasNumber {
		return namedAlone(kind)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > mostSets {
		return nil, 0, false
	}
	switch kind {
	case "generalized-Buchi":
		return forAll(n, recurs), n, true
	case "generalized-co-Buchi":
		return not(forAll(n, recurs)), n, true
	case "Streett":
		isFair := func(recurring uint64, pair int) bool {
			return !recurs(recurring, 2*pair) || recurs(recurring, 2*pair+1)
		}
		return forAll(n, isFair), 2 * n, true
	case "Rabin":
		isUnmet := func(recurring uint64, pair int) bool {
			return recurs(recurring, 2*pair) || !recurs(recurring, 2*pair+1)
		}
		return not(forAll(n, isUnmet)), 2 * n, true
	}
	return nil, 0, false
}

// namedAlone is named for a name without parameters.
func namedAlone(name string) (holds func(recurring uint64) bool, sets int, known bool) {
	switch name {
	case "Buchi":
		return func(recurring uint64) bool { return recurs(recurring, 0) }, 1, true
	case "co-Buchi":
		return func(recurring uint64) bool { return !recurs(recurring, 0) }, 1, true
	case "all":
		return func(uint64) bool { return true }, 0, true
	case "none":
		return func(uint64) bool { return false }, 0, true
	}
	return nil, 0, false
}

// recurs reports whether a run visits set i infinitely often.
func recurs(recurring uint64, i int) bool { return recurring>>i&1 != 0 }

// forAll returns the condition that something is true for each of the numbers below n.
func forAll(n int, isTrue func(recurring uint64, i int) bool) func(uint64) bool {
	return func(recurring uint64) bool {
		for i := range n {
			if !isTrue(recurring, i) {
				return false
			}
		}
		return true
	}
}

// not returns the negation of a condition.
func not(holds func(uint64) bool) func(uint64) bool {
	return func(recurring uint64) bool { return !holds(recurring) }
}

// holds reports whether a run is accepted if it visits exactly these sets infinitely often, and the
// complements of the other sets.
func (c Condition) holds(recurring uint64) bool {
	switch c.Op {
	case ConditionTrue:
		return true
	case ConditionFalse:
		return false
	case ConditionAnd:
		return c.Parts[0].holds(recurring) && c.Parts[1].holds(recurring)
	case ConditionOr:
		return c.Parts[0].holds(recurring) || c.Parts[1].holds(recurring)
	}
	if c.Op == ConditionFin {
		return !recurs(recurring, c.Set)
	}
	return recurs(recurring, c.Set)
}

// plain reports whether the condition mentions no complements, and only sets
// below n.
func (c Condition) plain(n int) bool {
	for _, part := range c.Parts {
		if !part.plain(n) {
			return false
		}
	}
	isAtom := c.Op == ConditionInf || c.Op == ConditionFin
	return !isAtom || !c.Complement && c.Set < n
}

// Contradiction returns a warning if acc-name: and Acceptance: mean different conditions; "" if
// they mean the same, or if acc-name: is unknown.
func (g *Automaton) Contradiction(file string) string {
	holds, sets, known := named(g.AccName)
	if !known || sets > mostSets {
		return ""
	}
	isSame := g.Acceptance.plain(sets)
	for recurring := uint64(0); recurring < 1<<sets && isSame; recurring++ {
		isSame = holds(recurring) == g.Acceptance.holds(recurring)
	}
	if isSame {
		return ""
	}
	return fmt.Sprintf("%s:%d: acc-name: is %s, but Acceptance: is %s, which inev uses", file, g.AcceptanceLine, g.AccName, g.condition)
}

// Error describes an error in a file of automata, and its position.
type Error struct {
	// File is the name of the file, "input" if the reader was given none.
	File string
	// Line counts from 1.
	Line int
	// Message is one line: what is wrong, and what to do about it.
	Message string

	// text is the line, "" if it is not known; offset is the position of the
	// error in it, in bytes.
	text   string
	offset int
	cause  error
}

// NewError returns an error at the first character of a line that is not blank; text is the text of the
// line.
func NewError(file string, line int, text, message string) *Error {
	return &Error{
		File:    file,
		Line:    line,
		Message: message,
		text:    text,
		offset:  len(text) - len(strings.TrimLeft(text, " \t")),
	}
}

// Error returns "FILE:LINE: message".
func (e *Error) Error() string {
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// Caret returns two lines: the line of the file, and a caret under the position
// of the error; "" if the error has no single position.
func (e *Error) Caret() string {
	if e.text == "" {
		return ""
	}
	return printable.Caret(e.text, e.offset)
}

// Unwrap returns the error of the underlying reader, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }
