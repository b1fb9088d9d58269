package relabel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
)

// Unmatched are the rules of a kind that do nothing: each matches no label that earlier kinds leave.
type Unmatched struct {
	Kind Kind
	// Rules are the rules as they are written. Meant[i] is the gate or label of the model that
	// differs from Rules[i] by a slip, and probably was meant. It is "" if there is none, and for
	// all but the first rules.
	Rules, Meant []string
	// All reports that the kind has no other rules.
	All bool
}

// These are the largest numbers of rules for which a sentence says what was meant, and of labels
// that are searched for it.
const (
	mostTold           = 3
	mostSearchedLabels = 10_000
)

// Sentence says which rules match nothing.
func (u *Unmatched) Sentence() string {
	var rules []string
	for i, text := range u.Rules[:min(mostTold, len(u.Rules))] {
		text = printable.Cut(text, 60)
		if u.Meant[i] != "" {
			text += fmt.Sprintf(" (did you mean %s?)", printable.Cut(u.Meant[i], 60))
		}
		rules = append(rules, text)
	}
	more := len(u.Rules) - len(rules)
	if more > 0 {
		rules = append(rules, fmt.Sprintf("%d more", more))
	}
	verb := "match"
	if len(u.Rules) == 1 {
		verb = "matches"
	}
	return fmt.Sprintf("%s %s no label of the model", printable.List(rules, "and"), verb)
}

// unmatched returns, for each kind, the rules that match no label that is left by the kinds that are
// applied before. hidden is the text of internal actions.
func (c *Changes) unmatched(fates []LabelFate, hidden string) (all []Unmatched) {
	for i, r := range []*Rules{c.Cut, c.Hide, c.Rename} { // in the order of Kinds
		if r == nil {
			continue
		}
		earlier := Kinds()[:i]
		remaining := slices.DeleteFunc(slices.Clone(fates), func(f LabelFate) bool {
			return slices.Contains(earlier, f.By)
		})
		u := Unmatched{Kind: r.kind}
		for k := range r.rules {
			rule := &r.rules[k]
			isMatched := func(f LabelFate) bool { return r.matchesBy(rule, f.Before, hidden) }
			if slices.Contains(u.Rules, rule.text) || slices.ContainsFunc(remaining, isMatched) {
				continue
			}
			meant := ""
			if len(u.Rules) < mostTold {
				meant = likelyMeant(rule.text, fates)
			}
			u.Rules = append(u.Rules, rule.text)
			u.Meant = append(u.Meant, meant)
		}
		u.All = len(u.Rules) == len(r.rules)
		if len(u.Rules) > 0 {
			all = append(all, u)
		}
	}
	return all
}

// matchesBy reports whether one of the rules matches a label. As for [Rules.Has], a hidden label is
// only matched by its own text.
func (r *Rules) matchesBy(u *rule, label, hidden string) bool {
	if label == hidden && u.text != hidden {
		return false
	}
	return u.matches(r.subject(label))
}

// plainGate matches the name at the beginning of a rule.
var plainGate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\w+`)
})

// likelyMeant returns the gate, or the label, that differs from a rule by a slip; "" if there is none.
func likelyMeant(rule string, fates []LabelFate) string {
	isTau := func(f LabelFate) bool { return f.Before == "tau" }
	if rule == "i" && slices.ContainsFunc(fates, isTau) {
		return "tau"
	}
	var labels, gates []string
	for _, f := range fates[:min(mostSearchedLabels, len(fates))] {
		labels = append(labels, f.Before)
		if gate := GateOf(f.Before); !slices.Contains(gates, gate) {
			gates = append(gates, gate)
		}
	}
	if label, found := options.Nearest(rule, labels); found {
		return label
	}
	written := plainGate().FindString(rule)
	isGate := written == rule && slices.Contains(gates, rule)
	if isGate { // the rule would match as a pattern, but in a file of CADP it is a whole label
		return rule + " !.*"
	}
	inOtherCase := slices.IndexFunc(gates, func(gate string) bool {
		return strings.EqualFold(gate, written)
	})
	if inOtherCase >= 0 && gates[inOtherCase] != written {
		return gates[inOtherCase]
	}
	gate, found := options.Nearest(written, gates)
	if !found || gate == written {
		return ""
	}
	return gate
}
