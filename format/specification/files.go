package specification

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
)

// Files are the files of a specification. They come from [Read] and are immutable: they may be
// shared between goroutines.
type Files struct {
	names []string
	lines [][]string
	// exact maps words to their occurrences, folded maps words in capitals to
	// them, for languages that do not distinguish case.
	exact, folded map[string][]occurrence
	digest        string
}

type occurrence struct {
	file, line int
	defines    bool
}

// Position is the line of an action: its definition, or its first occurrence if it
// is defined nowhere.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	Text string `json:"text"` // the text of the line, without blanks around it
	// Definition reports whether this line defines the action; Others counts
	// the other lines that mention it.
	Definition bool `json:"definition"`
	Others     int  `json:"others"`
}

// String returns FILE:LINE, and the number of other lines.
func (p Position) String() string {
	text := fmt.Sprintf("%s:%d", p.File, p.Line)
	switch p.Others {
	case 0:
		return text
	case 1:
		return text + " and 1 other place"
	}
	return fmt.Sprintf("%s and %d other places", text, p.Others)
}

const (
	// mostBytes is the largest size of a file; nobody writes larger
	// specifications.
	mostBytes = 16 << 20
	// mostFiles is the largest number of files that are read in folders.
	mostFiles = 5_000
)

// ReadAmong reads those of some files in which actions can be located, see [Reads]; it returns nil
// if there are none. Errors and cost as for [Read].
func ReadAmong(ctx context.Context, paths []string) (*Files, error) {
	known := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !Reads(path) })
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
	for _, path := range paths {
		all, err := filesAt(path)
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
			text, err := inputfile.ReadRegular(ctx, name, inputfile.Limit{Bytes: mostBytes, Remedy: "name the files of the specification alone"})
			if err != nil {
				return nil, inputfile.FileError(name, err)
			}
			if len(f.names) == mostFiles {
				return nil, fmt.Errorf("%s: more than %d files; name the files of the specification alone", name, mostFiles)
			}
			f.add(filepath.ToSlash(name), string(text))
			fmt.Fprintf(sum, "%s\n%d\n%s", name, len(text), text)
		}
	}
	for _, of := range []map[string][]occurrence{f.exact, f.folded} {
		for _, all := range of {
			slices.SortStableFunc(all, func(a, b occurrence) int {
				if a.defines != b.defines {
					return map[bool]int{true: -1, false: 1}[a.defines]
				}
				return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
			})
		}
	}
	f.digest = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// Digest returns the SHA-256 of names and contents, in hexadecimal digits.
func (f *Files) Digest() string { return f.digest }

// filesAt returns the file at a path, or all files of a folder, in the order of
// their names.
func filesAt(path string) ([]string, error) {
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
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch hidden := name != path && strings.HasPrefix(entry.Name(), "."); {
		case err != nil:
			return err
		case entry.IsDir() && hidden:
			return filepath.SkipDir
		case entry.Type().IsRegular() && !hidden && languages[strings.ToLower(filepath.Ext(name))] != nil:
			if all = append(all, name); len(all) > mostFiles {
				return fmt.Errorf("%s: has more than %d files of specifications; name those that are meant", path, mostFiles)
			}
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: has no file of a specification, such as *.tla; known are %s", path, strings.Join(suffixes(), ", "))
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
	of := f.exact
	if l.anyCase {
		of = f.folded
	}
	for i, t := range tokens {
		if !t.word {
			continue
		}
		key := t.text
		if l.anyCase {
			key = strings.ToUpper(key)
		}
		all := of[key]
		if n := len(all); n > 0 && all[n-1].file == number && all[n-1].line == t.line {
			all[n-1].defines = all[n-1].defines || defines[i]
			continue
		}
		of[key] = append(all, occurrence{number, t.line, defines[i]})
	}
}

// Find returns the place of the action of a label; nil if there is none. For a
// label with several actions, such as a(1)|b, and for a.b, it chooses an action
// that is defined, otherwise one that occurs. Cost O(len(label)).
func (f *Files) Find(label string) *Position {
	if f == nil || label == "i" || label == "tau" {
		return nil
	}
	var found *Position
	for _, word := range actions(label) {
		if p := f.place(word); p != nil && (found == nil || p.Definition && !found.Definition) {
			found = p
		}
	}
	return found
}

func (f *Files) place(word string) *Position {
	all := f.exact[word]
	if others := f.folded[strings.ToUpper(word)]; len(all) == 0 || len(others) > 0 && others[0].defines && !all[0].defines {
		all = others
	}
	if len(all) == 0 {
		return nil
	}
	at := all[0]
	text := strings.TrimSpace(f.lines[at.file][at.line-1])
	return &Position{File: f.names[at.file], Line: at.line, Text: text, Definition: at.defines, Others: len(all) - 1}
}

// actions returns the names in a label: its gate, or each action of a
// multi-action; for words with dots between them, the last word first.
func actions(label string) (words []string) {
	depth, dotted := 0, []string(nil)
	end := func() {
		slices.Reverse(dotted)
		words = append(words, dotted...)
		dotted = nil
	}
	label = strings.Trim(label, `" `)
	for i := 0; i < len(label); i++ {
		switch c := label[i]; {
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
