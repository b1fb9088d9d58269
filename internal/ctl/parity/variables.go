package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/printable"
)

// mentioned has the variables of fixpoints in the texts of a claim.
type mentioned struct {
	around *mentioned // those of the claim that rests on this claim; nil for the first claim
	free   []string   // the variables that occur free in some text, each once
	bound  []string   // the variables whose fixpoint stands in some text
}

// explains reports whether the fixpoint of a variable stands in the claim or in one around it.
func (m *mentioned) explains(variable string) bool {
	for ; m != nil; m = m.around {
		if slices.Contains(m.bound, variable) {
			return true
		}
	}
	return false
}

// printed returns the text of a node for a sentence of the claim that is being made, cut to a number of
// characters, and records its variables.
func (a *arguing) printed(node, longest int) string {
	text := printable.Cut(a.text(node), longest)
	if a.claim != nil {
		free, bound := a.variablesIn(text)
		for _, name := range free {
			a.claim.free = addOnce(a.claim.free, name)
		}
		a.claim.bound = append(a.claim.bound, bound...)
	}
	return text
}

// explainVariables adds clauses to an argument about the variables in its texts that no text explains. known are the
// variables that the claims around it explain.
func (a *arguing) explainVariables(made *argument.Argument, known []string) {
	known = slices.Clip(known)
	var clauses []string
	for _, name := range a.unexplained[made] {
		if !slices.Contains(known, name) {
			clauses = append(clauses, fmt.Sprintf("%s is %s", name, a.variables[name]))
			known = append(known, name)
		}
	}
	if len(clauses) > 0 {
		made.Text = strings.TrimSuffix(made.Text, ".") + "; " + printable.List(clauses, "and") + "."
	}
	for _, below := range made.Because {
		a.explainVariables(below, known)
	}
}

// variablesIn returns the variables of fixpoints that occur free in the text of a formula, each once, and
// those of the fixpoints in the text. A variable is bound up to the parenthesis that closes around its
// fixpoint.
func (a *arguing) variablesIn(text string) (free, bound []string) {
	a.findVariables()
	r := &variableReader{isVariable: func(name string) bool { return a.variables[name] != "" }}
	for rest := text; rest != ""; {
		length := r.read(rest)
		rest = rest[length:]
	}
	return r.free, r.bound
}

// variableReader reads the text of a formula, and collects its variables.
type variableReader struct {
	isVariable  func(name string) bool
	free, bound []string
	scopes      []variableScope // of the fixpoints around the position, the inner ones last
	depth       int             // of parentheses
	last        string          // the sign or word before the position
}

// variableScope is the scope of a fixpoint variable. It ends when the depth of parentheses becomes smaller.
type variableScope struct {
	name  string
	depth int
}

// read reads the blank, sign, quoted text, modality or word at the beginning of a text, and returns its
// length. A text whose quotes are not closed has been cut, and is read to its end.
func (r *variableReader) read(text string) (length int) {
	c := text[0]
	switch {
	case c == ' ':
		return 1
	case c == '"':
		r.last = "text"
		end := strings.IndexByte(text[1:], '"')
		if end < 0 {
			return len(text)
		}
		return end + 2 // with both quotes
	case (c == '<' || c == '[') && beginsOperand(r.last):
		r.last = ">"
		return len(modalityOf(text))
	case !isNameByte(c):
		r.sign(c)
		return 1
	}
	for length < len(text) && isNameByte(text[length]) {
		length++
	}
	r.word(text[:length])
	return length
}

// sign reads a sign. A closing parenthesis ends the scopes of the fixpoints within it.
func (r *variableReader) sign(c byte) {
	r.last = string(c)
	switch c {
	case '(':
		r.depth++
	case ')':
		r.depth--
		for len(r.scopes) > 0 && r.scopes[len(r.scopes)-1].depth > r.depth {
			r.scopes = r.scopes[:len(r.scopes)-1]
		}
	}
}

// word reads a word. A word behind mu or nu is the variable of a fixpoint.
func (r *variableReader) word(name string) {
	isBound := slices.ContainsFunc(r.scopes, func(s variableScope) bool { return s.name == name })
	switch {
	case r.last == "mu" || r.last == "nu":
		r.scopes = append(r.scopes, variableScope{name: name, depth: r.depth})
		r.bound = append(r.bound, name)
	case r.isVariable(name) && !isBound:
		r.free = addOnce(r.free, name)
	}
	r.last = name
}

// beginsOperand reports whether an operand follows a sign or word, so that a bracket after it begins a
// modality.
func beginsOperand(last string) bool {
	switch last {
	case "", "not", "and", "or", "xor", "implies", "equ", "in", "then", "else":
		return true
	}
	return !isNameByte(last[0]) && last != ")"
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// binders matches each fixpoint of a formula, and texts in quotes, which contain none.
var binders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"]*"|\b(mu|nu)\s+([A-Za-z_]\w*)`)
})

// findVariables finds the variables of all fixpoints that the author of the formula wrote, once.
func (a *arguing) findVariables() {
	if a.variables != nil {
		return
	}
	a.variables = map[string]string{}
	for _, found := range binders().FindAllStringSubmatch(a.Formula.String(), -1) {
		operator := found[1]
		name := found[2]
		if name == "" {
			continue
		}
		meaning := "the least fixpoint mu " + name
		if operator == "nu" {
			meaning = "the greatest fixpoint nu " + name
		}
		if known := a.variables[name]; known != "" && known != meaning {
			meaning = "a fixpoint around it"
		}
		a.variables[name] = meaning
	}
}
