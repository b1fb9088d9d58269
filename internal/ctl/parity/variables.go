package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

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

// unexplained returns a clause about the variables in the texts of the claim whose fixpoints stand in
// none of the texts; "" if there are none.
func (a *arguing) unexplained() string {
	var clauses []string
	for _, name := range a.claim.free {
		if !a.claim.explains(name) {
			clauses = append(clauses, fmt.Sprintf("%s is %s", name, a.variables[name]))
		}
	}
	if len(clauses) == 0 {
		return ""
	}
	return "; " + printable.List(clauses, "and")
}

// variablesIn returns the variables of fixpoints that occur free in the text of a formula, each once, and
// those of the fixpoints in the text. A variable is bound up to the parenthesis that closes around its
// fixpoint.
func (a *arguing) variablesIn(text string) (free, bound []string) {
	a.findVariables()
	type scope struct {
		name  string
		depth int
	}
	var scopes []scope
	depth := 0
	last := "" // the sign or word before the position
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ':
			i++
			continue
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				return free, bound
			}
			i += end + 2
			last = "text"
			continue
		case (c == '<' || c == '[') && beginsOperand(last):
			modality := modalityOf(text[i:])
			i += len(modality)
			last = ">"
			continue
		case !isNameByte(c):
			if c == '(' {
				depth++
			}
			if c == ')' {
				depth--
				for len(scopes) > 0 && scopes[len(scopes)-1].depth > depth {
					scopes = scopes[:len(scopes)-1]
				}
			}
			last = string(c)
			i++
			continue
		}
		end := i
		for end < len(text) && isNameByte(text[end]) {
			end++
		}
		name := text[i:end]
		i = end
		isBound := slices.ContainsFunc(scopes, func(s scope) bool { return s.name == name })
		switch {
		case last == "mu" || last == "nu":
			scopes = append(scopes, scope{name, depth})
			bound = append(bound, name)
		case a.variables[name] != "" && !isBound:
			free = addOnce(free, name)
		}
		last = name
	}
	return free, bound
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
		name := found[2]
		if name == "" {
			continue
		}
		what := "the least fixpoint mu " + name
		if found[1] == "nu" {
			what = "the greatest fixpoint nu " + name
		}
		if known := a.variables[name]; known != "" && known != what {
			what = "a fixpoint around it"
		}
		a.variables[name] = what
	}
}
