package editor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostOffered is how many labels are offered at a time; more as more of one is written.
const mostOffered = 200

// completion offers what could stand at a place.
func (s *Server) completion(ctx context.Context, now snapshot, p positionParams) (*completionList, error) {
	d := now[p.TextDocument.URI]
	list := &completionList{Items: []completionItem{}}
	if d == nil {
		return list, nil
	}
	line, start := d.line(p.Position.Line)
	offset := d.offset(p.Position)
	before := line[:offset-start]
	if d.isManifest() {
		s.completeManifest(ctx, d, list, line, start, offset)
		return list, nil
	}
	trimmed := strings.TrimLeft(before, " \t")
	if strings.HasPrefix(trimmed, "#") {
		s.completeComment(d, list, strings.TrimLeft(trimmed, "# \t"), offset)
		return list, nil
	}
	s.completeFormula(ctx, s.askingOf(ctx, d, false), list, line, start, offset)
	return list, nil
}

// offer adds an item that takes the place of what has been begun.
func (l *completionList) offer(d *document, from, to int, item completionItem, text string) {
	item.TextEdit = &edit{d.span(from, to), text}
	l.Items = append(l.Items, item)
}

// completeComment offers what comments mean to editors.
func (s *Server) completeComment(d *document, list *completionList, comment string, offset int) {
	if rest, is := strings.CutPrefix(comment, fairDirective); is {
		from := offset - len(strings.TrimLeft(rest, " "))
		for _, a := range assumptions {
			doc := markdown("Only runs count on which " + a.means + ", as with --fair.")
			list.offer(d, from, offset, completionItem{Label: a.text, Kind: kindKeyword, Documentation: &doc, Format: formatSnippet}, a.snippet)
		}
		return
	}
	if rest, is := strings.CutPrefix(comment, modelDirective); is {
		completeFile(d, list, strings.TrimLeft(rest, " "), offset)
		return
	}
	from := offset - len(comment)
	for _, word := range []struct{ text, means string }{
		{modelDirective + " ", "The formulas of this file are about this model. Without, they are about the model of the same name in this folder, and the jobs of inev.yaml with the same formula."},
		{fairDirective + " ", "The next formula is asked about the runs that meet this assumption, as with --fair."},
	} {
		doc := markdown(word.means)
		list.offer(d, from, offset, completionItem{Label: strings.TrimSpace(word.text), Kind: kindKeyword, Documentation: &doc}, word.text)
	}
}

// completeFile offers files, relative to the document.
func completeFile(d *document, list *completionList, begun string, offset int) {
	folder, _ := filepath.Split(filepath.FromSlash(begun))
	at := filepath.Join(filepath.Dir(d.path), folder)
	if filepath.IsAbs(folder) {
		at = folder
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.ToSlash(folder) + e.Name()
		if strings.HasPrefix(e.Name(), ".") || !strings.HasPrefix(name, begun) || len(list.Items) >= mostOffered {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		list.offer(d, offset-len(begun), offset, completionItem{Label: name, Kind: kindFile}, name)
	}
}

// completeFormula offers patterns, scopes, and what the models of the document have.
func (s *Server) completeFormula(ctx context.Context, a *asking, list *completionList, line string, start, offset int) {
	d := a.doc
	at := placeIn(line, offset-start)
	from, to := start+at.from, start+at.to
	begun := d.text[from:offset]
	if at.depth == 0 {
		for _, p := range patterns {
			if !strings.HasPrefix(strings.ToLower(p.name), strings.ToLower(begun)) {
				continue
			}
			doc := markdown(p.means)
			text := p.snippet
			if to < start+len(line) && d.text[to] == '(' {
				text = p.name
			}
			list.offer(d, from, to, completionItem{Label: p.name, Kind: kindSnippet, Detail: p.signature().Label, Documentation: &doc, Format: formatSnippet, SortText: "1" + p.name}, text)
		}
	} else if at.argument > 0 || at.call == "DeadlockFree" || at.call != "" && strings.HasSuffix(strings.TrimRight(line[:at.from], " "), ";") {
		for _, scope := range scopes {
			doc := markdown("The property is asked for " + scope.means + ".")
			list.offer(d, from, to, completionItem{Label: scope.name, Kind: kindKeyword, Documentation: &doc, Format: formatSnippet, SortText: "3" + scope.name}, scope.snippet)
		}
	}
	for _, m := range s.modelsOf(a) {
		if ctx.Err() != nil {
			return
		}
		for i := firstFrom(m.patterns, begun); i < len(m.patterns) && strings.HasPrefix(m.patterns[i], begun); i++ {
			if len(list.Items) >= mostOffered {
				list.IsIncomplete = true
				break
			}
			list.offer(d, from, to, completionItem{Label: m.patterns[i], Kind: kindEnumMember, FilterText: m.patterns[i], SortText: "2" + m.patterns[i]}, m.patterns[i])
		}
		s.completeValues(d, list, m.facts, line, start, offset, from, to, begun)
	}
	slices.SortStableFunc(list.Items, func(a, b completionItem) int { return strings.Compare(a.SortText, b.SortText) })
	list.Items = slices.CompactFunc(list.Items, func(a, b completionItem) bool { return a.Label == b.Label && a.Kind == b.Kind })
}

// firstFrom returns the index of the first text that does not come before one.
func firstFrom(sorted []string, text string) int {
	i, _ := slices.BinarySearch(sorted, text)
	return i
}

// completeValues offers variables of states, and behind an operator the values of one.
func (s *Server) completeValues(d *document, list *completionList, f *Facts, line string, start, offset, from, to int, begun string) {
	before := strings.TrimRight(line[:from-start], " ")
	operator := strings.TrimRight(before, "=<>#/")
	name := operator[strings.LastIndexAny(operator[:len(strings.TrimRight(operator, " "))], " (,;{&|!")+1:]
	for _, v := range f.Variables {
		if operator != before {
			if v.Name != strings.TrimSpace(name) {
				continue
			}
			for _, value := range v.Values {
				if strings.HasPrefix(value, begun) {
					list.offer(d, from, to, completionItem{Label: value, Kind: kindValue, SortText: "0" + value}, value)
				}
			}
			continue
		}
		if strings.HasPrefix(v.Name, begun) {
			list.offer(d, from, to, completionItem{Label: v.Name, Kind: kindVariable, Detail: counted(len(v.Values), "value"), SortText: "2" + v.Name}, v.Name)
		}
	}
}

// modelsOf returns what is known of the models of a document.
func (s *Server) modelsOf(a *asking) []*model {
	paths := map[string]bool{}
	var all []*model
	add := func(path string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if m := s.known[path]; !paths[path] && m != nil && m.facts != nil {
			all = append(all, m)
		}
		paths[path] = true
	}
	for _, q := range a.all {
		add(q.job.Path)
	}
	s.mu.Lock()
	o := s.open[a.doc.uri]
	var t *targets
	if o != nil {
		t = o.targets
	}
	s.mu.Unlock()
	if t != nil {
		for _, target := range t.paths {
			add(target.path)
		}
	}
	return all
}

// fields may stand in an entry of a manifest.
var fields = []struct{ name, means string }{
	{"name", "what the job is called"},
	{"model", "the file that is checked, or a glob such as m/*.aut"},
	{"formula", "the property"},
	{"formula_file", "a file with a formula on each line"},
	{"hoa", "a file with a deterministic automaton"},
	{"expect", "violated or satisfied"},
	{"bound", "the largest number of transitions that is expected of a property that holds"},
	{"faults", "how many of some actions a violation should take at least, such as {LOSS: 2}"},
	{"fair", "assumptions under which runs count"},
	{"timeout", "such as 90s or 5m"},
	{"memory", "such as 6GB"},
	{"tags", "words to group jobs by"},
	{"states", "a table of values of states"},
	{"source", "files and folders of the specification"},
	{"lanes", "who acts: a /regular expression/, or a table"},
	{"blocking", "labels that the environment may refuse, with fair: just"},
	{"cfg", "the configuration of TLC"},
}

// completeManifest offers fields, and values of those that have few.
func (s *Server) completeManifest(ctx context.Context, d *document, list *completionList, line string, start, offset int) {
	before := line[:offset-start]
	key, value, valued := strings.Cut(strings.TrimLeft(before, " -"), ":")
	if !valued {
		from := offset - len(key)
		words := fields
		if before == key {
			words = []struct{ name, means string }{{"jobs", "the questions"}, {"defaults", "what holds for all jobs that say nothing else"}}
		}
		for _, f := range words {
			doc := markdown(f.means)
			list.offer(d, from, offset, completionItem{Label: f.name, Kind: kindField, Documentation: &doc}, f.name+": ")
		}
		return
	}
	begun := strings.TrimLeft(value, " ")
	switch key {
	case "expect":
		for _, word := range []string{"satisfied", "violated"} {
			list.offer(d, offset-len(begun), offset, completionItem{Label: word, Kind: kindEnumMember}, word)
		}
	case "fair":
		for _, a := range assumptions {
			doc := markdown(a.means)
			list.offer(d, offset-len(begun), offset, completionItem{Label: a.text, Kind: kindKeyword, Documentation: &doc, Format: formatSnippet}, a.snippet)
		}
	case "model", "formula_file", "hoa", "states", "cfg":
		completeFile(d, list, begun, offset)
	case "formula":
		s.completeFormula(ctx, s.askingOf(ctx, d, false), list, line[len(before)-len(begun):], start+len(before)-len(begun), offset)
	}
}
