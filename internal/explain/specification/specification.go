// Package specification finds the actions of a model in the files from which it
// was generated: TLA+, mCRL2, LNT, LOTOS, Promela, FSP and Go.
//
// It recognises only words, comments and strings. It finds an action as a whole
// word, preferably at its definition.
//
// A place is a line of a file that was read, and the word occurs there, outside
// of comments and strings.
package specification

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/inputfile"
)

// Files are the files of a specification. They come from [Read] and are immutable: they may be
// shared between goroutines.
type Files struct {
	names []string
	lines [][]string
	// exact maps words to their occurrences. folded maps words in capitals to the same occurrences,
	// for languages that do not distinguish case.
	exact, folded map[string][]occurrence
	digest        string
}

type occurrence struct {
	file, line int
	defines    bool
}

const (
	// mostBytes is the largest size of a file; nobody writes larger
	// specifications.
	mostBytes = 16 << 20
	// mostBytesInAll is the largest size of all files together.
	mostBytesInAll = 64 << 20
	// mostFiles is the largest number of files that are read in folders.
	mostFiles = 5_000
)

// ReadAmong reads those of some files in which actions can be located, see [Reads]; it returns nil
// if there are none. Errors and cost as for [Read].
func ReadAmong(ctx context.Context, paths []string) (*Files, error) {
	known := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return !Reads(path)
	})
	if len(known) == 0 {
		return nil, nil
	}
	return Read(ctx, known)
}

// Read reads files and, in folders, all files with the suffix of a specification.
// It fails if a file cannot be read or has another suffix, if a folder has none,
// if there are too many, and once ctx is done. Cost O(size of the files), also in
// memory.
func Read(ctx context.Context, paths []string) (*Files, error) {
	f := &Files{exact: map[string][]occurrence{}, folded: map[string][]occurrence{}}
	sum := sha256.New()
	total := 0
	for _, path := range paths {
		all, err := filesAt(ctx, path)
		if err != nil {
			return nil, err
		}
		for _, name := range all {
			if slices.Contains(f.names, name) {
				continue
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			text, err := inputfile.ReadRegular(ctx, name, inputfile.Limit{
				Bytes:  mostBytes,
				Remedy: "name the files of the specification alone",
			})
			if err != nil {
				return nil, inputfile.FileError(name, err)
			}
			if len(f.names) == mostFiles {
				return nil, fmt.Errorf("%s: more than %d files; name the files of the specification alone", name, mostFiles)
			}
			total += len(text)
			if total > mostBytesInAll {
				return nil, fmt.Errorf("%s: with this file there are more than %d MiB; name the files of the specification alone", name, mostBytesInAll>>20)
			}
			f.add(filepath.ToSlash(name), string(text))
			fmt.Fprintf(sum, "%s\n%d\n%s", name, len(text), text)
		}
	}
	for _, index := range []map[string][]occurrence{f.exact, f.folded} {
		for _, occurrences := range index {
			slices.SortStableFunc(occurrences, compareOccurrences)
		}
	}
	f.digest = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// compareOccurrences compares occurrences by their rank as the place of an action: definitions come
// first.
func compareOccurrences(a, b occurrence) int {
	switch {
	case a.defines && !b.defines:
		return -1
	case b.defines && !a.defines:
		return 1
	}
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
}

// Digest returns the SHA-256 of names and contents, in hexadecimal digits.
func (f *Files) Digest() string { return f.digest }

// filesAt returns the file at a path, or all files of a folder, in the order of
// their names.
func filesAt(ctx context.Context, path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	if !info.IsDir() {
		if languages[strings.ToLower(filepath.Ext(path))] == nil {
			return nil, fmt.Errorf("%s: is of no known language; the files of specifications end with %s", path, strings.Join(suffixes(), ", "))
		}
		return []string{path}, nil
	}
	var all []string
	err = inputfile.Walk(ctx, path, func(name string, entry fs.DirEntry, err error) error {
		hidden := name != path && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && hidden:
			return filepath.SkipDir
		case entry.Type().IsRegular() && !hidden &&
			languages[strings.ToLower(filepath.Ext(name))] != nil:
			all = append(all, name)
			if len(all) > mostFiles {
				return fmt.Errorf("%s: has more than %d files of specifications; name those that are meant", path, mostFiles)
			}
		}
		return nil
	})
	var many *inputfile.VisitsError
	if errors.As(err, &many) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: has no file of a specification, such as *.tla; known are %s",
			path, strings.Join(suffixes(), ", "))
	}
	return all, err
}

// add indexes a file.
func (f *Files) add(name, text string) {
	l := languages[strings.ToLower(filepath.Ext(name))]
	number := len(f.names)
	f.names = append(f.names, name)
	f.lines = append(f.lines, strings.Split(text, "\n"))
	tokens := l.tokens(text)
	defines := map[int]bool{}
	for _, i := range l.defines(tokens) {
		defines[i] = true
	}
	index := f.exact
	if l.anyCase {
		index = f.folded
	}
	for i, t := range tokens {
		if !t.word {
			continue
		}
		key := t.text
		if l.anyCase {
			key = strings.ToUpper(key)
		}
		all := index[key]
		if n := len(all); n > 0 && all[n-1].file == number && all[n-1].line == t.line {
			all[n-1].defines = all[n-1].defines || defines[i] // a line counts once
			continue
		}
		index[key] = append(all, occurrence{number, t.line, defines[i]})
	}
}

// Find returns the place of the action of a label; nil if there is none. For a
// label with several actions, such as a(1)|b, and for a.b, it chooses an action
// that is defined, otherwise one that occurs. Cost O(len(label)).
func (f *Files) Find(label string) *explain.Position {
	if f == nil || label == "i" || label == "tau" {
		return nil
	}
	var found *explain.Position
	for _, word := range actions(label) {
		p := f.place(word)
		if p == nil {
			continue
		}
		isBetter := found == nil || p.Definition && !found.Definition
		if isBetter {
			found = p
		}
	}
	return found
}

// place returns the best place of a word and the number of its other places; nil if there are none.
// It takes the places in languages that do not distinguish case if only they have a definition, or
// if there are no others.
func (f *Files) place(word string) *explain.Position {
	all := f.exact[word]
	folded := f.folded[strings.ToUpper(word)]
	switch {
	case len(all) == 0 && len(folded) == 0:
		return nil
	case len(all) == 0:
		all = folded
	case len(folded) > 0 && folded[0].defines && !all[0].defines:
		all = folded
	}
	best := all[0]
	text := strings.TrimSpace(f.lines[best.file][best.line-1])
	return &explain.Position{
		File:       f.names[best.file],
		Line:       best.line,
		Text:       text,
		Definition: best.defines,
		Others:     len(all) - 1,
	}
}

// actions returns the names in a label: its gate, or each action of a multi-action. Of words with
// dots between them, such as a.b, it returns the last one first.
func actions(label string) (words []string) {
	depth := 0
	var dotted []string
	end := func() {
		slices.Reverse(dotted)
		words = append(words, dotted...)
		dotted = nil
	}
	label = strings.Trim(label, `" `)
	for i := 0; i < len(label); i++ {
		c := label[i]
		switch {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth > 0 || c == '.':
		case c == '|':
			end()
		case isWord(c):
			start := i
			for i+1 < len(label) && isWord(label[i+1]) {
				i++
			}
			if word := label[start : i+1]; strings.Trim(word, "0123456789") != "" {
				dotted = append(dotted, word)
			}
		default:
			end()
			return words
		}
	}
	end()
	return words
}

// language is a notation: the forms of its comments and strings, and how names
// are defined.
type language struct {
	line    []string    // what begins a comment up to the end of the line
	block   [][2]string // what begins and ends other comments
	nested  bool        // whether comments can be nested
	quotes  string      // what begins and ends a string
	anyCase bool        // whether the case of letters does not matter
	defines func(tokens []token) []int
}

// languages maps the suffixes of files to their notations.
var languages = map[string]*language{
	".tla": {
		line:    []string{`\*`},
		block:   [][2]string{{"(*", "*)"}},
		nested:  true,
		quotes:  `"`,
		defines: definedInTLA,
	},
	".mcrl2": {line: []string{"%"}, defines: definedInMCRL2},
	".lnt": {
		line:    []string{"--"},
		block:   [][2]string{{"(*", "*)"}},
		quotes:  `"`,
		anyCase: true,
		defines: definedAfter("process"),
	},
	".lotos": {block: [][2]string{{"(*", "*)"}}, anyCase: true, defines: definedAfter("process")},
	".lot":   {block: [][2]string{{"(*", "*)"}}, anyCase: true, defines: definedAfter("process")},
	".pml":   {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"`, defines: definedAfter("proctype", "inline", "define")},
	".fsp":   {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, defines: definedInFSP},
	".go":    {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"`'", defines: definedInGo},
}

// suffixes returns the suffixes of files that can be read.
func suffixes() []string {
	return []string{".tla", ".mcrl2", ".lnt", ".lotos", ".lot", ".pml", ".fsp", ".go"}
}

// Reads reports whether a file of this name is read as a specification.
func Reads(path string) bool { return languages[strings.ToLower(filepath.Ext(path))] != nil }

// token is a word, or a single sign.
type token struct {
	text  string
	line  int
	word  bool
	first bool // whether it is the first word on its line
}

// tokens divides a text into words and signs, without comments and strings.
func (l *language) tokens(text string) []token {
	s := scanner{
		l:     l,
		text:  text,
		line:  1,
		first: true,
	}
	for s.pos < len(text) {
		s.next()
	}
	return s.tokens
}

// scanner splits a text of a language into tokens.
type scanner struct {
	l      *language
	text   string
	pos    int
	line   int
	first  bool
	tokens []token
}

// next moves over a comment, blanks or a token, and adds the token.
func (s *scanner) next() {
	rest := s.text[s.pos:]
	for _, begin := range s.l.line {
		if strings.HasPrefix(rest, begin) {
			comment, _, _ := strings.Cut(rest, "\n")
			s.advance(len(comment))
			return
		}
	}
	for _, comment := range s.l.block {
		if strings.HasPrefix(rest, comment[0]) {
			s.skipComment(comment)
			return
		}
	}
	c := rest[0]
	switch {
	case c == '\n':
		s.advance(1)
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case strings.IndexByte(s.l.quotes, c) >= 0:
		s.skipString(c)
	case isWord(c):
		n := 1
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		s.add(rest[:n], true)
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "||"):
		s.add(rest[:2], false)
	default:
		s.add(rest[:1], false)
	}
}

func (s *scanner) add(text string, word bool) {
	s.tokens = append(s.tokens, token{
		text:  text,
		line:  s.line,
		word:  word,
		first: s.first,
	})
	s.first = false
	s.pos += len(text)
}

// advance skips n bytes, and counts lines.
func (s *scanner) advance(n int) {
	if lines := strings.Count(s.text[s.pos:s.pos+n], "\n"); lines > 0 {
		s.line += lines
		s.first = true
	}
	s.pos += n
}

func (s *scanner) skipComment(signs [2]string) {
	depth := 0
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case strings.HasPrefix(rest, signs[1]) && depth > 0:
			s.advance(len(signs[1]))
			depth--
			if depth == 0 {
				return
			}
		case strings.HasPrefix(rest, signs[0]) && (depth == 0 || s.l.nested):
			depth++
			s.advance(len(signs[0]))
		default:
			s.advance(1)
		}
	}
}

// skipString skips a string; a string without an end ends with its line.
func (s *scanner) skipString(quote byte) {
	n := 1
	for rest := s.text[s.pos:]; n < len(rest); n++ {
		c := rest[n]
		switch {
		case c == '\\' && quote != '`' && n+1 < len(rest) && rest[n+1] != '\n':
			n++
		case c == '\n' && quote != '`':
			s.advance(n)
			return
		case c == quote:
			s.advance(n + 1)
			s.first = false
			return
		}
	}
	s.advance(min(n, len(s.text)-s.pos))
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' ||
		c >= 0x80
}

// definedAfter returns a function that finds the words after certain keywords.
func definedAfter(keywords ...string) func([]token) []int {
	return func(tokens []token) (found []int) {
		for i := 1; i < len(tokens); i++ {
			for _, k := range keywords {
				if tokens[i].word && strings.EqualFold(tokens[i-1].text, k) {
					found = append(found, i)
				}
			}
		}
		return found
	}
}

// afterParentheses returns the index after the (…) at i, or i if there is none.
func afterParentheses(tokens []token, i int) int {
	if i >= len(tokens) || tokens[i].text != "(" {
		return i
	}
	for depth := 0; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(":
			depth++
		case ")":
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// hasText reports whether there is a token with this index and this text.
func hasText(tokens []token, i int, text string) bool {
	return i < len(tokens) && tokens[i].text == text
}

// definedInTLA finds Name == and Name(args) == at the beginning of a line,
// possibly after LOCAL.
func definedInTLA(tokens []token) (found []int) {
	for i, t := range tokens {
		begins := t.first || i > 0 && tokens[i-1].first && tokens[i-1].text == "LOCAL"
		if t.word && begins && hasText(tokens, afterParentheses(tokens, i+1), "==") {
			found = append(found, i)
		}
	}
	return found
}

// sections are the words that begin sections of a specification in mCRL2.
var sections = map[string]bool{
	"act":  true,
	"proc": true,
	"sort": true,
	"cons": true,
	"map":  true,
	"var":  true,
	"eqn":  true,
	"glob": true,
	"init": true,
}

// definedInMCRL2 finds the names declared in the sections act and proc.
func definedInMCRL2(tokens []token) (found []int) {
	section := ""
	begins := false // whether a declaration begins
	for i, t := range tokens {
		switch {
		case t.word && sections[t.text]:
			section = t.text
			begins = true
		case section == "act" && t.text == ":":
			begins = false
		case t.text == ";":
			begins = true
		case section == "act" && begins && t.word:
			found = append(found, i)
		case section == "proc" && begins && t.word:
			found = append(found, i)
			begins = false
		}
	}
	return found
}

// definedInFSP finds NAME = and ||NAME = at the beginning of a line.
func definedInFSP(tokens []token) (found []int) {
	for i, t := range tokens {
		begins := t.first || i > 0 && tokens[i-1].first && tokens[i-1].text == "||"
		upper := t.word && 'A' <= t.text[0] && t.text[0] <= 'Z'
		if upper && begins && hasText(tokens, afterParentheses(tokens, i+1), "=") {
			found = append(found, i)
		}
	}
	return found
}

// definedInGo finds functions and methods.
func definedInGo(tokens []token) (found []int) {
	for i, t := range tokens {
		if t.text != "func" {
			continue
		}
		if name := afterParentheses(tokens, i+1); name < len(tokens) && tokens[name].word {
			found = append(found, name)
		}
	}
	return found
}
