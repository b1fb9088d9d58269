package quotient

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// A renaming says what becomes of the labels of a model: to[l] is the number in
// the quotient of label l, and texts[to[l]] its text. Hidden labels have the
// number tau, the last one.
type renaming struct {
	to    []lts.Label
	texts []string
	tau   lts.Label
	hides bool // whether any label is hidden
	// merged reports whether some visible labels became one.
	merged bool
}

func (r *renaming) hidden(l lts.Label) bool { return r.hides && r.to[l] == r.tau }

// hide returns the renaming that hides labels. The text of the hidden label is
// no visible label's, and if possible no pattern matches it.
func hide(a *lts.Alphabet, hides func(lts.Label) bool, patterns []property.Step) *renaming {
	r := &renaming{to: make([]lts.Label, a.Len())}
	visible := make(map[string]bool)
	var hidden []lts.Label
	for l, text := range a.All() {
		if hides(l) {
			hidden = append(hidden, l)
			continue
		}
		r.to[l] = lts.Label(len(r.texts))
		r.texts = append(r.texts, text)
		visible[text] = true
	}
	if r.hides = len(hidden) > 0; r.hides {
		r.addTau(hidden, visible, patterns)
	}
	return r
}

// addTau makes the hidden labels the last one.
func (r *renaming) addTau(hidden []lts.Label, taken map[string]bool, patterns []property.Step) {
	r.tau = lts.Label(len(r.texts))
	for _, l := range hidden {
		r.to[l] = r.tau
	}
	r.texts = append(r.texts, tauText(taken, patterns))
}

// tauText returns a text for the hidden label: the ones of CADP and of mCRL2
// first.
func tauText(taken map[string]bool, patterns []property.Step) string {
	free := ""
	for i := 0; i < 16 || free == ""; i++ {
		text := "i_" + strconv.Itoa(i)
		switch i {
		case 0:
			text = "i"
		case 1:
			text = "tau"
		}
		if taken[text] {
			continue
		}
		if !matchesAny(patterns, text) {
			return text
		}
		if free == "" {
			free = text
		}
	}
	return free
}

func matchesAny(patterns []property.Step, text string) bool {
	for _, p := range patterns {
		if p.Pattern.Matches(text) {
			return true
		}
	}
	return false
}

// merge makes one label of the visible labels that are alike: for which steps has the same
// text, which becomes that of the label where it has one. A label alone in that keeps its
// text.
func (r *renaming) merge(a *lts.Alphabet, steps []string, patterns []property.Step) {
	alike := make(map[string][]lts.Label)
	for l := range a.All() {
		if !r.hidden(l) {
			alike[steps[l]] = append(alike[steps[l]], l)
		}
	}
	merged := &renaming{to: make([]lts.Label, a.Len()), hides: r.hides}
	taken := make(map[string]bool)
	for _, group := range alike {
		if named := happening(a, group); len(named) == 1 {
			taken[a.Text(named[0])] = true
		}
	}
	var hidden []lts.Label
	for l, text := range a.All() {
		if r.hidden(l) {
			hidden = append(hidden, l)
			continue
		}
		group := alike[steps[l]]
		if group[0] != l {
			merged.to[l] = merged.to[group[0]]
			continue
		}
		named := happening(a, group)
		if text = a.Text(named[0]); slices.ContainsFunc(named, func(l lts.Label) bool { return a.Text(l) != text }) {
			merged.merged = true
			text = untaken(mergedText(a, steps[l], named), taken)
		}
		merged.to[l] = lts.Label(len(merged.texts))
		merged.texts = append(merged.texts, text)
	}
	if merged.hides {
		for _, text := range merged.texts {
			taken[text] = true
		}
		merged.addTau(hidden, taken, patterns)
	}
	*r = *merged
}

// happening returns the labels that happen, after which alone what becomes of them is named;
// all of them where none does.
func happening(a *lts.Alphabet, labels []lts.Label) []lts.Label {
	named := slices.DeleteFunc(slices.Clone(labels), func(l lts.Label) bool { return !a.Happens(l) })
	if len(named) == 0 {
		return labels
	}
	return named
}

// mergedText returns a text for a label that several become.
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

// column begins what is no list of patterns.
const column = "\x00"

// columns returns for each label what a property without steps makes of it: the same text
// for labels that it never tells apart. Cost O(labels + states · letters).
func columns(p *property.Property) []string {
	t := p.Automaton()
	texts := make([]string, t.Columns)
	of := make([]string, p.Alphabet().Len())
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
		of[l] = texts[letter]
	}
	return of
}

// untaken returns a text that is not taken yet, and takes it.
func untaken(text string, taken map[string]bool) string {
	free := text
	for i := 2; taken[free]; i++ {
		free = text + " (" + strconv.Itoa(i) + ")"
	}
	taken[free] = true
	return free
}

// stepsOf returns for each label the patterns that it is in, as a text.
func stepsOf(a *lts.Alphabet, p *property.Property) []string {
	lists := make([][]string, a.Len())
	seen := make(map[string]bool)
	for i := range p.Steps() {
		step := p.Step(i + 1)
		text := step.Pattern.String()
		if seen[text] {
			continue
		}
		seen[text] = true
		for _, l := range step.Labels {
			lists[l] = append(lists[l], text)
		}
	}
	steps := make([]string, len(lists))
	for l, list := range lists {
		steps[l] = strings.Join(list, conjunction)
	}
	return steps
}

// conjunction joins patterns so that different lists of them give different
// texts, for no pattern is written with this character.
const conjunction = " \x00 "
