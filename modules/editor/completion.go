package editor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
)

// mostOffered is the largest number of labels that are offered at a time; typing more of a label
// offers others.
const mostOffered = 200

// mostListed is the largest number of files of a folder that are looked at.
const mostListed = 10_000

// offers are the texts that could be inserted at a position.
type offers struct {
	doc *document
	// line is the relevant part of the line before the position, and start is the offset of
	// its beginning.
	line          string
	start, offset int
	models        []*model // the known models of the document
	list          *completionList
}

// addAll finds the texts that could be inserted.
func (o *offers) addAll(ctx context.Context) {
	before := strings.TrimLeft(o.line[:o.offset-o.start], " \t")
	switch {
	case o.doc.isSpecification():
	case o.doc.isManifest():
		o.addForManifest(ctx)
	case strings.HasPrefix(before, "#"):
		o.addDirectives(ctx, strings.TrimLeft(before, "# \t"))
	default:
		o.addForFormula(ctx)
	}
}

// add adds an item that replaces the text already typed.
func (o *offers) add(from, to int, item completionItem, text string) {
	item.TextEdit = &edit{o.doc.span(from, to), text}
	o.list.Items = append(o.list.Items, item)
}

// addDirectives offers the comments that have a meaning for editors.
func (o *offers) addDirectives(ctx context.Context, comment string) {
	if begun, isFair := strings.CutPrefix(comment, fairDirective); isFair {
		from := o.offset - len(strings.TrimLeft(begun, " "))
		o.addAssumptions(from, func(a assumption) string {
			return "Only runs count on which " + a.means + ", as with --fair."
		})
		return
	}
	if begun, isModel := strings.CutPrefix(comment, modelDirective); isModel {
		o.addFiles(ctx, strings.TrimLeft(begun, " "), isModelFile)
		return
	}
	for _, directive := range []described{
		{modelDirective, "The formulas of this file are about this model. Without this line, they are about the model of the same name in this folder, and the jobs of inev.yaml with the same formula."},
		{fairDirective, "The next formula is checked on the runs that meet this assumption, as with --fair."},
		{expectDirective, "The next formula is expected to be violated, as with expect in inev.yaml: a violation is then no mistake, but it is one if the formula holds."},
	} {
		doc := markdown(directive.means)
		o.add(o.offset-len(comment), o.offset,
			completionItem{
				Label:         directive.name,
				Kind:          kindKeyword,
				Documentation: &doc,
			}, directive.name+" ")
	}
}

// anyFile is a condition for [offers.addFiles] that each file meets.
func anyFile(string) bool { return true }

// addFiles offers folders, and the files that meet a condition, relative to the document.
func (o *offers) addFiles(ctx context.Context, begun string, isWanted func(path string) bool) {
	folder, _ := filepath.Split(filepath.FromSlash(begun))
	at := filepath.Join(filepath.Dir(o.doc.path), folder)
	if filepath.IsAbs(folder) {
		at = folder
	}
	entries, err := inputfile.List(ctx, at, mostListed)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.ToSlash(folder) + e.Name()
		if strings.HasPrefix(e.Name(), ".") || !strings.HasPrefix(name, begun) ||
			!e.IsDir() && !isWanted(filepath.Join(at, e.Name())) || len(o.list.Items) >= mostOffered {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		o.add(o.offset-len(begun), o.offset, completionItem{Label: name, Kind: kindFile}, name)
	}
}

// addForFormula offers patterns, scopes, and the elements of the document's models.
func (o *offers) addForFormula(ctx context.Context) {
	at := placeIn(o.line, o.offset-o.start)
	from := o.start + at.from
	to := o.start + at.to
	begun := o.doc.text[from:o.offset]
	switch {
	case at.depth == 0:
		o.addPatterns(from, to, begun)
	case at.mayHaveScope(o.line):
		o.addScopes(from, to)
	}
	for _, m := range o.models {
		if ctx.Err() != nil {
			return
		}
		o.addLabels(m.patterns, from, to, begun)
		o.addStateVariables(m.facts, from, to)
	}
	slices.SortStableFunc(o.list.Items, func(a, b completionItem) int {
		return strings.Compare(a.SortText, b.SortText)
	})
	o.list.Items = slices.CompactFunc(o.list.Items, func(a, b completionItem) bool {
		return a.Label == b.Label && a.Kind == b.Kind
	})
}

// mayHaveScope reports whether a scope may stand at a place: after a semicolon, or in a pattern without
// steps.
func (p *place) mayHaveScope(line string) bool {
	if p.argument > 0 || p.call == "DeadlockFree" {
		return true
	}
	return p.call != "" && strings.HasSuffix(strings.TrimRight(line[:p.from], " "), ";")
}

// addPatterns offers the patterns whose names begin with a text, in place of [from, to).
func (o *offers) addPatterns(from, to int, begun string) {
	hasParenthesis := to < o.start+len(o.line) && o.doc.text[to] == '('
	for _, p := range patterns {
		if !strings.HasPrefix(strings.ToLower(p.name), strings.ToLower(begun)) {
			continue
		}
		doc := markdown(p.means)
		text := p.snippet
		if hasParenthesis {
			text = p.name
		}
		o.add(from, to,
			completionItem{
				Label:         p.name,
				Kind:          kindSnippet,
				Detail:        p.signature().Label,
				Documentation: &doc,
				Format:        formatSnippet,
				SortText:      "1" + p.name,
			}, text)
	}
}

// addScopes offers the scopes of patterns in place of [from, to).
func (o *offers) addScopes(from, to int) {
	for _, scope := range scopes {
		doc := markdown("The property is asked for " + scope.means + ".")
		o.add(from, to,
			completionItem{
				Label:         scope.name,
				Kind:          kindKeyword,
				Documentation: &doc,
				Format:        formatSnippet,
				SortText:      "3" + scope.name,
			}, scope.snippet)
	}
}

// addLabels offers those of the sorted texts that begin with a text, in place of [from, to).
func (o *offers) addLabels(sorted []string, from, to int, begun string) {
	for _, label := range sorted[indexFrom(sorted, begun):] {
		if !strings.HasPrefix(label, begun) {
			return
		}
		if len(o.list.Items) >= mostOffered {
			o.list.IsIncomplete = true
			return
		}
		o.add(from, to,
			completionItem{
				Label:      label,
				Kind:       kindEnumMember,
				FilterText: label,
				SortText:   "2" + label,
			}, label)
	}
}

// indexFrom returns the index of the first sorted text that does not come before the given text.
func indexFrom(sorted []string, text string) int {
	i, _ := slices.BinarySearch(sorted, text)
	return i
}

// addStateVariables offers variables of states and, after an operator, the values of its variable.
func (o *offers) addStateVariables(f *Facts, from, to int) {
	begun := o.doc.text[from:o.offset]
	name, hasOperator := variableBefore(o.line[:from-o.start])
	for _, v := range f.Variables {
		switch {
		case hasOperator && v.Name == name:
			o.addValues(v.Values, from, to, begun)
		case !hasOperator && strings.HasPrefix(v.Name, begun):
			o.add(from, to,
				completionItem{
					Label:    v.Name,
					Kind:     kindVariable,
					Detail:   counted(len(v.Values), "value"),
					SortText: "2" + v.Name,
				}, v.Name)
		}
	}
}

// variableBefore returns the name before the comparison with which a line ends, if it ends with one.
func variableBefore(line string) (name string, hasOperator bool) {
	line = strings.TrimRight(line, " ")
	compared := strings.TrimRight(line, "=<>#/")
	if compared == line {
		return "", false
	}
	end := len(strings.TrimRight(compared, " "))
	begin := strings.LastIndexAny(compared[:end], " (,;{&|!") + 1
	return strings.TrimSpace(compared[begin:]), true
}

// addValues offers those values of a variable that begin with a text, in place of [from, to).
func (o *offers) addValues(values []string, from, to int, begun string) {
	for _, value := range values {
		if strings.HasPrefix(value, begun) {
			o.add(from, to,
				completionItem{
					Label:    value,
					Kind:     kindValue,
					SortText: "0" + value,
				}, value)
		}
	}
}

// described is a word that may be inserted, with its meaning.
type described struct{ name, means string }

// fields may stand in an entry of a manifest.
var fields = []described{
	{"name", "what the job is called"},
	{"model", "the file that is checked, or a glob such as m/*.aut"},
	{"formula", "the property"},
	{"formula_file", "a file with a formula on each line"},
	{"hoa", "a file with a deterministic automaton"},
	{"expect", "violated or satisfied"},
	{"bound", "the largest number of transitions that is expected of a property that holds"},
	{"faults", "the least number of these actions that a violation should need, such as {LOSS: 2}"},
	{"fair", "assumptions under which runs count"},
	{"timeout", "such as 90s or 5m"},
	{"memory", "such as 6GB"},
	{"tags", "words to group jobs by"},
	{"states", "a table of values of states"},
	{"source", "files and folders of the specification"},
	{"lanes", "who acts: a /regular expression/, or a table"},
	{"blocking", "labels that the environment may refuse, with fair: just"},
	{"tla", "the specification of TLC's graph: the job checks its properties, or formula, under its fairness"},
	{"cfg", "the configuration of TLC"},
	{"hide_labels", "rules that make labels internal: a .hid file of CADP, or patterns"},
	{"rename", "rules that rename labels: a .ren file of CADP, or OLD -> NEW"},
	{"cut", "rules that remove transitions: a .cut file of CADP, or patterns"},
	{"front_end", "who composes a network (.exp): inev, or cadp"},
	{"front_end_option", "options for what makes the model, such as -root"},
}

// addForManifest offers fields and, for a field with few values, its values.
func (o *offers) addForManifest(ctx context.Context) {
	before := o.line[:o.offset-o.start]
	key, value, hasValue := strings.Cut(strings.TrimLeft(before, " -"), ":")
	if !hasValue {
		isTopLevel := before == key
		o.addFields(key, isTopLevel)
		return
	}
	begun := strings.TrimLeft(value, " ")
	switch key {
	case "expect":
		for _, word := range []string{"satisfied", "violated"} {
			o.add(o.offset-len(begun), o.offset,
				completionItem{Label: word, Kind: kindEnumMember}, word)
		}
	case "fair":
		o.addAssumptions(o.offset-len(begun), func(a assumption) string { return a.means })
	case "model":
		o.addFiles(ctx, begun, isModelFile)
	case "formula_file", "hoa", "states", "tla", "cfg":
		o.addFiles(ctx, begun, anyFile)
	case "formula":
		ofValue := *o
		ofValue.line = o.line[len(before)-len(begun):]
		ofValue.start = o.offset - len(begun)
		ofValue.addForFormula(ctx)
	}
}

// addFields offers the fields of an entry, or those of the whole manifest.
func (o *offers) addFields(begun string, isTopLevel bool) {
	words := fields
	if isTopLevel {
		words = topLevelFields
	}
	for _, f := range words {
		doc := markdown(f.means)
		o.add(o.offset-len(begun), o.offset,
			completionItem{Label: f.name, Kind: kindField, Documentation: &doc}, f.name+": ")
	}
}

// topLevelFields may stand in a manifest outside of entries.
var topLevelFields = []described{
	{"jobs", "the questions"},
	{"defaults", "the values of fields that a job does not set itself"},
}

// addAssumptions offers assumptions under which runs count, in place of the text from an offset on.
func (o *offers) addAssumptions(from int, explain func(assumption) string) {
	for _, a := range assumptions {
		doc := markdown(explain(a))
		o.add(from, o.offset,
			completionItem{
				Label:         a.text,
				Kind:          kindKeyword,
				Documentation: &doc,
				Format:        formatSnippet,
			}, a.snippet)
	}
}
