package actl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/hint"
)

// writtenIn returns patterns of candidates as they are written in a notation, without those that have no form
// in it. If none has one, it returns the patterns as they are.
func (n *nearest) writtenIn(notation hint.Notation, patterns []string) []string {
	if notation == hint.Own {
		return patterns
	}
	var written []string
	for _, pattern := range patterns {
		i := slices.IndexFunc(n.candidates, func(c candidate) bool { return c.pattern == pattern })
		text := n.candidates[i].writtenIn(notation)
		if text != "" && !slices.Contains(written, text) {
			written = append(written, text)
		}
	}
	if len(written) == 0 {
		return patterns
	}
	return written
}

// writtenIn returns a pattern of a candidate in MCL or in the notation of mCRL2; "" if it has none there.
func (c *candidate) writtenIn(notation hint.Notation) string {
	hasOffers := strings.Contains(c.label, " !")
	switch {
	case strings.ContainsAny(c.label, `"\'`):
		return ""
	case !c.isGate && notation == hint.MCRL2 && isAction(c.label):
		return c.label
	case !c.isGate:
		return `"` + c.label + `"`
	case hasOffers: // only MCL has such labels
		return "{" + c.pattern + " ...}"
	case notation == hint.MCL:
		return "'" + c.pattern + "(.*)'"
	}
	return quantified(c.pattern, c.label)
}

// isAction reports whether mCRL2 can write a label: a name, or a name with arguments.
func isAction(label string) bool {
	gate, hasGate := gateOf(label)
	if !hasGate {
		return isName(label)
	}
	return isName(gate) && (gate == label || strings.HasSuffix(label, ")"))
}

// quantified returns an action of mCRL2 with any arguments of the sorts of this label, as in
// (exists x: Nat. ind(x)); "" if it does not know the sort of an argument.
func quantified(gate, label string) string {
	arguments := strings.Split(strings.TrimSuffix(strings.TrimPrefix(label, gate+"("), ")"), ",")
	var variables, names []string
	for i, argument := range arguments {
		argument = strings.TrimSpace(argument)
		name := "x"
		if len(arguments) > 1 {
			name = fmt.Sprintf("x%d", i+1)
		}
		sort := ""
		_, err := strconv.ParseUint(argument, 10, 64)
		switch {
		case err == nil:
			sort = "Nat"
		case argument == "true" || argument == "false":
			sort = "Bool"
		default:
			return ""
		}
		names = append(names, name)
		variables = append(variables, name+": "+sort)
	}
	return fmt.Sprintf("(exists %s. %s(%s))", strings.Join(variables, ", "), gate, strings.Join(names, ", "))
}
