package ltl

import (
	"strings"

	"github.com/inev-lts/inev/actl"
)

// operandExpected describes what can begin an operand, for errors.
func (p *parser) operandExpected() string {
	const operand = "an atom, such as REQ or \"PUT !1\", or an operator, such as G"
	if p.last.kind == until || p.last.kind == unary && p.last.text != "!" && p.last.text != "[]" && p.last.text != "<>" {
		return "a formula after " + p.last.text + ", which is an operator (quote it to mean a label: \"" + p.last.text + "\")"
	}
	if p.next.kind == until {
		return operand + " (" + p.next.text + " is an operator of two formulas; quote it to mean a label: \"" + p.next.text + "\")"
	}
	return operand
}

// others maps signs of other notations, the longer ones first, to ours.
var others = []struct{ sign, ours string }{
	{"<==>", "<->"}, {"==>", "->"}, {"&", "&&"}, {"|", "||"}, {"¬", "!"},
	{"∧", "&&"}, {"∨", "||"}, {"→", "->"}, {"↔", "<->"}, {"□", "[]"}, {"◇", "<>"}, {"◊", "<>"},
}

// afterOperand reports whether an operator is expected.
func (p *parser) afterOperand() bool {
	return p.last.kind == atom || p.last.kind == constant || p.last.kind == closing
}

// wrongSign returns the error of a character that no token begins with.
func (p *parser) wrongSign() error {
	rest := p.text[p.pos:]
	for _, o := range others {
		if !strings.HasPrefix(rest, o.sign) {
			continue
		}
		err := actl.Text(p.text).Unexpected(p.pos, `"`+o.ours+`"`)
		err.Found = `"` + o.sign + `"`
		if o.sign == "|" || o.sign == "&" {
			err.Expected += ` (a label that contains "` + o.sign + `" is quoted as a whole)`
		}
		return err
	}
	if rest[0] == '\\' || rest[0] == '\'' {
		err := actl.Text(p.text).Unexpected(p.pos, "a formula without quantifiers, operators on values and definitions of the specification; write out what they say of each value, as in pc[1] = \"cs\" || pc[2] = \"cs\"")
		err.Found = `"` + strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ':' })[0] + `"`
		return err
	}
	if rest[0] == ',' || rest[0] == ';' {
		return actl.Text(p.text).Unexpected(p.pos, "an operator or the end of the formula (steps one after the other are written Inev(A, B))")
	}
	expected := "an atom or an operator"
	if p.afterOperand() {
		expected = "an operator or the end of the formula"
	}
	return actl.Text(p.text).Unexpected(p.pos, expected+` (a label with other characters than letters, digits and _ . * ? is quoted as a whole)`)
}

// spelled maps words that people write to operators.
var spelled = map[string]string{
	"and": "&&", "or": "||", "not": "!", "implies": "->", "iff": "<->", "equiv": "<->", "until": "U", "next": "X",
	"always": "G", "globally": "G", "eventually": "F", "finally": "F", "release": "R", "releases": "R",
	"unless": "W", "weak": "W", "inf": "GF",
	"ag": "G", "af": "F", "ax": "X",
}

// hint says what may have been meant by two adjacent formulas.
func (p *parser) hint() string {
	for _, t := range []token{p.last, p.next} {
		if ours := spelled[strings.ToLower(t.text)]; t.kind == atom && ours != "" {
			return t.text + " is read as a label; write " + ours
		}
	}
	if p.last.kind == atom && p.next.kind == atom {
		return "a label with blanks is quoted as a whole"
	}
	return ""
}
