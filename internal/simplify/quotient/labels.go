package quotient

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// renaming maps the labels of a model to labels of the quotient: label l becomes number to[l], with
// the text texts[to[l]]. All hidden labels become tau, the last number.
type renaming struct {
	to    []lts.Label
	texts []string
	tau   lts.Label
	hides bool // whether any label is hidden
	// merged reports whether several labels with different texts, all visible, became one label.
	merged bool
	// begins are the labels of the quotient that only lead to initial states, and so are no
	// actions.
	begins []lts.Label
}

// add adds a label of the quotient for label l of the model, or for several labels
// that become one.
func (r *renaming) add(a *lts.Alphabet, l lts.Label, text string) {
	r.to[l] = lts.Label(len(r.texts))
	if _, begins := a.Facts(l); begins {
		r.begins = append(r.begins, r.to[l])
	}
	r.texts = append(r.texts, text)
}

func (r *renaming) hidden(l lts.Label) bool { return r.hides && r.to[l] == r.tau }

// hide returns the renaming that hides labels. The text of tau differs from the text of each
// visible label and, if possible, matches no pattern.
func hide(a *lts.Alphabet, hides func(lts.Label) bool, patterns []property.Step) *renaming {
	r := &renaming{to: make([]lts.Label, a.Len())}
	visible := make(map[string]bool)
	var hidden []lts.Label
	for l, text := range a.All() {
		if _, begins := a.Facts(l); hides(l) && !begins {
			hidden = append(hidden, l)
			continue
		}
		r.add(a, l, text)
		visible[text] = true
	}
	r.hides = len(hidden) > 0
	if r.hides {
		r.addTau(hidden, visible, patterns)
	}
	return r
}

// apartInitial returns steps in which a label that only leads to initial states has a text of its own.
func apartInitial(a *lts.Alphabet, steps []string) []string {
	steps = slices.Clone(steps)
	for l, text := range a.All() {
		if _, begins := a.Facts(l); begins {
			steps[l] = column + "begins" + text + column + steps[l]
		}
	}
	return steps
}

// textsKept returns the texts of the labels that are the only one of their group to occur in runs: they keep
// their texts.
func textsKept(a *lts.Alphabet, groups map[string][]lts.Label) map[string]bool {
	kept := make(map[string]bool)
	for _, group := range groups {
		named := happening(a, group)
		if len(named) == 1 {
			kept[a.Text(named[0])] = true
		}
	}
	return kept
}

// addTau maps the hidden labels to a new last label.
func (r *renaming) addTau(hidden []lts.Label, taken map[string]bool, patterns []property.Step) {
	r.tau = lts.Label(len(r.texts))
	for _, l := range hidden {
		r.to[l] = r.tau
	}
	r.texts = append(r.texts, tauText(taken, patterns))
}

// tauText returns a text for tau, preferably that of CADP ("i") or mCRL2 ("tau").
// If each of the first 16 candidates is taken or matches a pattern, the text is the first one that is not
// taken.
func tauText(taken map[string]bool, patterns []property.Step) string {
	const enoughCandidates = 16
	firstFree := ""
	for i := 0; i < enoughCandidates || firstFree == ""; i++ {
		text := "i_" + strconv.Itoa(i)
		if i < 2 {
			text = [...]string{"i", "tau"}[i]
		}
		if taken[text] {
			continue
		}
		matchesText := func(p property.Step) bool { return p.Pattern.Matches(text) }
		if !slices.ContainsFunc(patterns, matchesText) {
			return text
		}
		firstFree = cmp.Or(firstFree, text)
	}
	return firstFree
}

// merge makes one label of all visible labels that have the same text in steps. The text of the
// merged label is that text if labels with different texts occur in runs, otherwise the text of the
// label that occurs. Labels that only lead to initial states are merged only if their own texts are
// equal.
func (r *renaming) merge(a *lts.Alphabet, steps []string, patterns []property.Step) {
	steps = apartInitial(a, steps)
	groups := r.visibleBySteps(a, steps)
	merged := &renaming{to: make([]lts.Label, a.Len()), hides: r.hides}
	taken := textsKept(a, groups)
	var hidden []lts.Label
	for l := range a.All() {
		if r.hidden(l) {
			hidden = append(hidden, l)
			continue
		}
		group := groups[steps[l]]
		if group[0] != l { // then the first of the group already has its new label
			merged.to[l] = merged.to[group[0]]
			continue
		}
		named := happening(a, group)
		text := a.Text(named[0])
		differs := func(l lts.Label) bool { return a.Text(l) != text }
		if slices.ContainsFunc(named, differs) {
			merged.merged = true
			text = untaken(mergedText(a, steps[l], named), taken)
		}
		merged.add(a, l, text)
	}
	if merged.hides {
		for _, text := range merged.texts {
			taken[text] = true
		}
		merged.addTau(hidden, taken, patterns)
	}
	*r = *merged
}

// visibleBySteps groups the visible labels by their texts in steps.
func (r *renaming) visibleBySteps(a *lts.Alphabet, steps []string) map[string][]lts.Label {
	groups := make(map[string][]lts.Label)
	for l := range a.All() {
		if !r.hidden(l) {
			groups[steps[l]] = append(groups[steps[l]], l)
		}
	}
	return groups
}

// happening returns those of the labels that occur in runs, since only these determine the text of
// a merged label. If none of the labels occurs, it returns all.
func happening(a *lts.Alphabet, labels []lts.Label) []lts.Label {
	named := slices.DeleteFunc(slices.Clone(labels), func(l lts.Label) bool {
		return !a.Happens(l)
	})
	if len(named) == 0 {
		return labels
	}
	return named
}

// mergedText returns a text for a label that represents several labels.
func mergedText(a *lts.Alphabet, steps string, group []lts.Label) string {
	if strings.HasPrefix(steps, column) {
		texts := make(map[string]bool)
		for _, l := range group {
			texts[a.Text(l)] = true
		}
		return a.Text(group[0]) + " and " + strconv.Itoa(len(texts)-1) + " more"
	}
	return strings.ReplaceAll(steps, conjunction, " and ")
}

// column begins each text that is not a list of patterns.
const column = "\x00"

// columns returns a text for each label. Two labels have the same text if a property without steps
// does not distinguish them. Cost O(labels + states · letters).
func columns(p *property.Property) []string {
	t := p.Automaton()
	texts := make([]string, t.Columns)
	columnOf := make([]string, p.Alphabet().Len())
	for l := range p.Alphabet().All() {
		letter := t.Letters[l]
		if texts[letter] == "" {
			text := []byte(column)
			for q := range property.Q(p.States()) {
				text = binary.AppendUvarint(text, uint64(p.Next(q, l)))
				text = binary.AppendUvarint(text, uint64(p.Marks(q, l)))
			}
			texts[letter] = string(text)
		}
		columnOf[l] = texts[letter]
	}
	return columnOf
}

// untaken returns a text that is not taken yet, and marks it as taken.
func untaken(text string, taken map[string]bool) string {
	free := text
	for i := 2; taken[free]; i++ {
		free = text + " (" + strconv.Itoa(i) + ")"
	}
	taken[free] = true
	return free
}

// conjunction separates the patterns of a list in a text. No pattern contains it, so different
// lists have different texts.
const conjunction = " \x00 "
