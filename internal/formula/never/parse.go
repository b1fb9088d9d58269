package never

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/textlimit"
)

// maxDepth is the largest nesting depth of claims.
const maxDepth = 200

// mostStates is the largest number of states of a claim.
const mostStates = 1 << 12

// point is a point of a claim, with its own edges and those of the points that it reaches without
// an action.
type point struct {
	edges   []edge
	silent  []*point
	accepts bool
	number  int
}

type edge struct {
	on *temporal.Formula
	to *point
}

// parser reads a claim.
type parser struct {
	ctx     context.Context
	text    string
	pos     int
	depth   int
	defined map[string]string
	labels  map[string]*point
	// wanted maps the labels in goto statements to their offsets.
	wanted map[string]int
	atoms  intern.List[string, actl.Pattern]
	points []*point
	end    *point
}

// fail ends the reading with the error that something else is expected at an offset.
func (p *parser) fail(at int, format string, arguments ...any) {
	abort.On(actl.Text(p.text).Unexpected(at, fmt.Sprintf(format, arguments...)))
}

// blanks skips blanks, comments and directives, and stores definitions in them.
func (p *parser) blanks() {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		line, _, _ := strings.Cut(rest, "\n")
		switch {
		case strings.IndexByte(" \t\n\v\f\r", rest[0]) >= 0:
			p.pos++
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				length = len(rest) - 4
			}
			p.pos += length + 4
		case strings.HasPrefix(rest, "//"):
			p.pos += len(line)
		case rest[0] == '#':
			p.define(line)
			p.pos += len(line)
		default:
			return
		}
	}
	p.pos = min(p.pos, len(p.text)) // a comment may lack its end
}

// define stores the definition in a line #define NAME MEANING; it ignores other directives.
func (p *parser) define(line string) {
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[0] != "#define" {
		return
	}
	name := fields[1]
	definition := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#define"))
	p.defined[name] = strings.TrimSpace(strings.TrimPrefix(definition, name))
}

// word returns the next name; "" if no name is next.
func (p *parser) word() string {
	p.blanks()
	end := p.pos
	for end < len(p.text) {
		c := p.text[end]
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		isLaterDigit := end > p.pos && '0' <= c && c <= '9'
		if !isLetter && !isLaterDigit {
			break
		}
		end++
	}
	return p.text[p.pos:end]
}

// skip consumes a sign or word if it comes next, and reports whether it does.
func (p *parser) skip(text string) bool {
	w := p.word() // the whole word, of which text could be only the beginning
	if w != "" && w != text {
		return false
	}
	if !strings.HasPrefix(p.text[p.pos:], text) {
		return false
	}
	p.pos += len(text)
	return true
}

// want consumes a sign or word, which must come next.
func (p *parser) want(text string) {
	if !p.skip(text) {
		p.fail(p.pos, "%q", text)
	}
}

// deeper counts the nesting depth of the claim up to a call of shallower, and fails beyond a limit.
func (p *parser) deeper() (shallower func()) {
	p.depth++
	if p.depth > maxDepth || len(p.points) > mostStates {
		p.fail(p.pos, "a claim of at most %d states that nests at most %d deep", mostStates,
			maxDepth)
	}
	abort.On(p.ctx.Err())
	return func() { p.depth-- }
}

func (p *parser) point() *point {
	n := &point{number: len(p.points)}
	p.points = append(p.points, n)
	return n
}

// labelled returns the point with a label; the point accepts if the label begins with accept.
func (p *parser) labelled(name string) *point {
	if p.labels[name] == nil {
		p.labels[name] = p.point()
		p.labels[name].accepts = strings.HasPrefix(name, "accept")
	}
	return p.labels[name]
}

// Parse returns the property of the claim in a text, which has optional
// definitions and one claim, never { … }. The error is an [*actl.SyntaxError], or
// ctx.Err() once ctx is done. Cost O(length of the text).
func Parse(ctx context.Context, text string) (f *Formula, err error) {
	defer abort.Caught(&err)
	ctx = abort.Must(textlimit.ForReading(ctx, text))
	p := &parser{
		ctx:     ctx,
		text:    text,
		defined: map[string]string{},
		labels:  map[string]*point{},
		wanted:  map[string]int{},
	}
	p.want("never")
	name := p.word()
	if name != "" {
		p.pos += len(name)
	}
	p.want("{")
	p.end = p.point()
	p.end.accepts = true
	p.end.edges = []edge{{temporal.True(), p.end}}
	begin := p.sequence(p.end, nil)
	p.want("}")
	if p.blanks(); p.pos < len(p.text) {
		p.fail(p.pos, "the end of the file behind the claim; a model is not read")
	}
	for name, at := range p.wanted {
		n := p.labels[name]
		if len(n.edges)+len(n.silent) == 0 {
			p.fail(at, "a label of the claim; there is no %s", name)
		}
	}
	return &Formula{source: p.claim(begin), text: text}, nil
}

// sequence reads statements up to a closing sign. The last statement leads to the point last, and a
// break leads to out.
func (p *parser) sequence(last, out *point) *point {
	defer p.deeper()()
	begin := p.point()
	at := begin
	for {
		for p.skip(";") || p.skip("->") {
		}
		if p.sequenceEnds() {
			at.silent = append(at.silent, last)
			return begin
		}
		next := p.point()
		p.statement(at, next, out)
		at = next
	}
}

// sequenceEnds reports whether no statement comes next, but a closing sign, the next option or the end of
// the text.
func (p *parser) sequenceEnds() bool {
	w := p.word()
	rest := p.text[p.pos:]
	return w == "od" || w == "fi" || rest == "" || strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "::")
}

// statement reads a statement that leads from a point to another.
func (p *parser) statement(from, to, out *point) {
	w := p.word()
	start := p.pos
	switch w {
	case "do", "if":
		p.pos += len(w)
		p.options(w, from, to, out)
	case "goto":
		p.pos += len(w)
		name := p.word()
		if name == "" {
			p.fail(p.pos, "the label that goto leads to")
		}
		p.wanted[name] = p.pos
		p.pos += len(name)
		from.silent = append(from.silent, p.labelled(name))
	case "break":
		if out == nil {
			p.fail(start, "break within do")
		}
		p.pos += len(w)
		from.silent = append(from.silent, out)
	case "atomic", "d_step":
		p.pos += len(w)
		p.want("{")
		begin := p.sequence(to, out)
		from.silent = append(from.silent, begin)
		p.want("}")
	case "assert":
		// spin -f writes a guard, and then an assertion of its negation, which always fails
		p.pos += len(w)
		p.condition()
		from.silent = append(from.silent, p.end)
	case "else", "printf", "run", "unless":
		p.fail(start, "a condition, do, if, goto, skip, break or atomic")
	default:
		p.step(w, from, to)
	}
}

// step reads either a condition, which becomes an edge between two points, or a label before a
// statement, which joins the points without an action. w is the next word; "" if no word comes next.
func (p *parser) step(w string, from, to *point) {
	at := p.pos
	if !p.skipLabel(w) {
		from.edges = append(from.edges, edge{p.condition(), to})
		return
	}
	here := p.labelled(w)
	if len(here.silent) > 0 {
		p.fail(at, "a label that is not in use yet")
	}
	// The statement after an accept label begins at an accepting point.
	from.accepts = from.accepts || here.accepts
	to.accepts = to.accepts || from.accepts
	here.silent = append(here.silent, from)
	from.silent = append(from.silent, to)
}

// skipLabel reports whether the next word w is a label, and consumes it with its colon if it is.
func (p *parser) skipLabel(w string) bool {
	if w == "" {
		return false
	}
	start := p.pos
	p.pos += len(w)
	p.blanks()
	rest := p.text[p.pos:]
	if strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::") {
		p.pos++
		return true
	}
	p.pos = start
	return false
}

// options reads the options of do … od or if … fi between the points from and to. In do, an option leads
// back to from, and break to to; in if, break leads to out, behind the loop around it.
func (p *parser) options(word string, from, to, out *point) {
	afterOption := to
	afterBreak := out
	closing := "fi"
	if word == "do" {
		afterOption = from
		afterBreak = to
		closing = "od"
	}
	p.blanks()
	if !strings.HasPrefix(p.text[p.pos:], "::") {
		p.fail(p.pos, `"::" behind %s`, word)
	}
	for p.skip("::") {
		begin := p.sequence(afterOption, afterBreak)
		from.silent = append(from.silent, begin)
	}
	p.want(closing)
}

// condition reads alternatives of conjunctions.
func (p *parser) condition() *temporal.Formula {
	return p.joined(temporal.Or, "||", func() *temporal.Formula {
		return p.joined(temporal.And, "&&", p.operand)
	})
}

// joined reads one operand, or several that are joined by an operator with this sign.
func (p *parser) joined(
	join func(...*temporal.Formula) *temporal.Formula,
	sign string,
	operand func() *temporal.Formula,
) *temporal.Formula {
	e := operand()
	for p.skip(sign) {
		e = join(e, operand())
	}
	return e
}

// operand reads a constant, an atom, a negation, or a condition in parentheses.
func (p *parser) operand() *temporal.Formula {
	defer p.deeper()()
	p.blanks()
	switch {
	case p.skip("!"):
		return temporal.Not(p.operand())
	case p.skip("("):
		e := p.condition()
		p.want(")")
		return e
	case p.skip("true"), p.skip("skip"), p.skipDigit('1'):
		return temporal.True()
	case p.skip("false"), p.skipDigit('0'):
		return temporal.False()
	}
	return p.atom()
}

// skipDigit reports whether the next token is this digit alone, and consumes it if it is.
func (p *parser) skipDigit(digit byte) bool {
	rest := p.text[p.pos:]
	if rest == "" || rest[0] != digit {
		return false
	}
	if len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9' {
		return false
	}
	p.pos++
	return true
}

// atom reads a name, or a pattern in delimiters.
func (p *parser) atom() *temporal.Formula {
	start := p.pos
	text := p.word()
	if text == "" {
		_, end, err := actl.Text(p.text).Atom(p.ctx, p.pos)
		if err != nil || p.pos >= len(p.text) || strings.IndexByte(`"/{`, p.text[p.pos]) < 0 {
			p.fail(p.pos, "a condition: true, false, a name, a label in quotes, !, && and ||")
		}
		text = p.text[p.pos:end]
	}
	p.pos = start + len(text)
	meant, isDefined := p.defined[text]
	if !isDefined {
		meant = text
	}
	pattern, isPattern := p.wholePattern(meant)
	if !isPattern {
		bare := strings.TrimSuffix(strings.TrimPrefix(meant, "("), ")")
		pattern, isPattern = p.wholePattern(bare)
	}
	if !isPattern || len(actl.StateAtoms([]actl.Pattern{pattern})) > 0 {
		p.fail(start, "a pattern of labels; #define %s as one, such as %s", text,
			strconv.Quote(strings.ToUpper(text)))
	}
	return temporal.Atom(p.atoms.Index(pattern.String(), pattern))
}

// wholePattern returns the pattern that a text denotes; false if it denotes none.
func (p *parser) wholePattern(text string) (actl.Pattern, bool) {
	pattern, after, err := actl.Text(text).Atom(p.ctx, 0)
	abort.On(p.ctx.Err())
	return pattern, err == nil && after == len(text)
}

// claim returns the automaton that begins at a point. Its states are points, and moves without an
// action are eliminated.
func (p *parser) claim(begin *point) *claim {
	c := &claim{Atoms: p.atoms.All}
	var states intern.List[*point, *point]
	// stateOf returns the number of the state for a point, and adds the state if it is new.
	stateOf := func(n *point) int {
		shared := p.skipSilent(n)
		return states.Index(shared, shared)
	}
	c.initial = []int{stateOf(begin)}
	for i := 0; i < len(states.All); i++ { // the list grows meanwhile
		from := states.All[i]
		accepts := from.accepts
		var steps []step
		for _, via := range from.silently() {
			for _, e := range via.edges {
				steps = append(steps, step{e.on, stateOf(e.to)})
			}
			accepts = accepts || via == p.end // the claim may end without an action
		}
		c.accepts = append(c.accepts, accepts)
		c.steps = append(c.steps, slices.Clip(steps))
	}
	return c
}

// skipSilent follows moves without an action as long as a point has a single such move and no other
// edge, and returns the point where they end. It does not go from an accepting point to one that does
// not accept.
func (p *parser) skipSilent(n *point) *point {
	for range p.points { // the moves may form a cycle
		isPassed := len(n.edges) == 0 && len(n.silent) == 1 &&
			(!n.accepts || n.silent[0].accepts)
		if !isPassed {
			return n
		}
		n = n.silent[0]
	}
	return n
}

// silently returns the points that are reachable by moves without an action, breadth first. The first
// of them is n.
func (n *point) silently() (reached []*point) {
	seen := map[*point]bool{}
	pending := []*point{n}
	for len(pending) > 0 {
		next := pending[0]
		pending = pending[1:]
		if seen[next] {
			continue
		}
		seen[next] = true
		reached = append(reached, next)
		pending = append(pending, next.silent...)
	}
	return reached
}
