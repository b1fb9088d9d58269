package buchi

import (
	"slices"
	"strconv"
	"strings"
)

// Step is an edge of a lasso as an HOA file names it.
type Step struct {
	// From and To are the numbers of the states in the file, [NoState] for an
	// initial state that was added.
	From, To State
	// Name is the name of From, empty if it has none.
	Name string
	// Label is the label of the edge with names in the place of the numbers of
	// propositions, quoted where they are no plain words.
	Label string
}

// Steps returns the edges of a lasso of d, of parallel ones the first; the last one
// leads back to where the loop begins. Cost O(sum of the out-degrees of its
// states).
func (d *Description) Steps(l Lasso) []Step {
	steps := make([]Step, len(l.States))
	for i, s := range l.States {
		next := l.States[l.LoopStart]
		if i+1 < len(l.States) {
			next = l.States[i+1]
		}
		steps[i] = Step{From: d.origin(s), To: d.origin(next)}
		if d.Names != nil {
			steps[i].Name = d.Names[s]
		}
		targets, labels := d.Automaton.Out(s)
		if edge := slices.Index(targets, next); edge >= 0 && labels != nil {
			steps[i].Label = d.named(labels[edge])
		}
	}
	return steps
}

// origin returns the number of s in the file.
func (d *Description) origin(s State) State {
	if d.Origins == nil {
		return s
	}
	return d.Origins[s]
}

// named returns a label with the names of its propositions. Digits within an alias
// are no proposition.
func (d *Description) named(label string) string {
	var b strings.Builder
	for i := 0; i < len(label); {
		end := i + 1
		switch c := label[i]; {
		case c == '@':
			for end < len(label) && !strings.ContainsRune("!&|()", rune(label[end])) {
				end++
			}
		case isDigit(c):
			for end < len(label) && isDigit(label[end]) {
				end++
			}
			if n, err := strconv.Atoi(label[i:end]); err == nil && n < len(d.Propositions) {
				b.WriteString(quotedName(d.Propositions[n]))
				i = end
				continue
			}
		}
		b.WriteString(label[i:end])
		i = end
	}
	return b.String()
}

// quotedName returns a proposition so that it cannot be taken for anything else in
// an expression: t and f are constants there.
func quotedName(name string) string {
	plain := name != "" && name != "t" && name != "f" && !isDigit(name[0])
	for _, c := range name {
		plain = plain && (c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
	}
	if plain {
		return name
	}
	return strconv.Quote(name)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
