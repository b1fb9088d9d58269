// Package formula reads properties in all syntaxes. No other package chooses between their readers.
// The choice of the reader depends only on the beginning of a text.
package formula

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/property"
)

// Parse returns the property that text denotes. The beginning of the text decides how it is read:
//
//   - the name of a pattern and a parenthesis, as in Inev(…), or A[, possibly in parentheses: the result is
//     an [*actl.Formula];
//   - a beginning that is typical of MCL (CADP) or of the mu-calculus of mCRL2: the formula must be about
//     all runs, and other formulas are errors;
//   - anything else, such as G (REQ -> F ACK): linear temporal logic.
//
// The error is an [*actl.SyntaxError], or ctx.Err() once ctx is done. Cost O(length of the text).
// Binding a formula of linear temporal logic also costs the construction of its automaton.
func Parse(ctx context.Context, text string) (property.Formula, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	if _, err := textlimit.ForReading(ctx, text); err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" || actl.Text(text).Begins() {
		return inPatterns(ctx, text)
	}
	if modal.Begins(text) {
		return modal.Parse(ctx, text)
	}
	if err := slip(text); err != nil {
		return nil, err
	}
	f, err := ltl.Parse(ctx, text)
	switch {
	case err == nil:
		return f, nil
	case actl.Text(text).BeginsWithName() && ctx.Err() == nil:
		return inPatterns(ctx, text)
	}
	return nil, err
}

// IsModal reports whether the name of a file says that it contains a single formula in MCL (.mcl) or in
// the mu-calculus of mCRL2 (.mcf). Cost O(len(name)).
func IsModal(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".mcl") || strings.HasSuffix(lower, ".mcf")
}

// WithLibraries returns a context for formulas in MCL that use libraries of macros, library FILE
// end_library. A library is read from the first folder that has a regular file with its name; an
// absolute name needs no folder.
//
// If the first folder has exactly one specification of mCRL2 (.mcrl2), formulas may use the types and
// functions that it defines.
func WithLibraries(ctx context.Context, folders ...string) context.Context {
	limit := inputfile.Limit{Bytes: textlimit.MaxRead, Remedy: "list only the files of macros"}
	if len(folders) > 0 {
		ctx = modal.WithSpecification(ctx, func() (name, text string) {
			return onlySpecification(ctx, folders[0])
		})
	}
	return modal.WithLibraries(ctx, func(name string) (string, error) {
		within := folders
		if filepath.IsAbs(name) {
			within = []string{""}
		}
		for _, folder := range within {
			content, err := inputfile.ReadRegular(ctx, filepath.Join(folder, name), limit)
			if !errors.Is(err, fs.ErrNotExist) {
				return strings.TrimPrefix(string(content), "\ufeff"), err
			}
		}
		return "", missingLibrary(within)
	})
}

// onlySpecification returns the name and the text of the specification of mCRL2 in a folder. The name is
// "" if the folder has none or several, or if the file cannot be read.
func onlySpecification(ctx context.Context, folder string) (name, text string) {
	found, err := filepath.Glob(filepath.Join(literal(folder), "*.mcrl2"))
	if err != nil || len(found) != 1 {
		return "", ""
	}
	content, err := inputfile.ReadRegular(ctx, found[0], inputfile.Limit{Bytes: textlimit.MaxRead})
	if err != nil {
		return "", ""
	}
	return found[0], string(content)
}

// literal returns a pattern of [filepath.Glob] that matches exactly the given name of a folder.
func literal(folder string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(folder)
}

// missingLibrary is the error that a library is in none of these folders.
type missingLibrary []string

func (m missingLibrary) Error() string {
	return "there is no such file in " + strings.Join(m, ", ")
}

func (missingLibrary) Is(target error) bool { return target == fs.ErrNotExist }

func inPatterns(ctx context.Context, text string) (property.Formula, error) {
	f, err := actl.Parse(ctx, text)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ParseFile is [Parse] for the content of a file, in which lines that begin with # are comments. An
// [*actl.SyntaxError] has the line and the name of the file. If [IsModal] accepts the name, the content
// is read as MCL or the mu-calculus, however it begins.
func ParseFile(ctx context.Context, name string, content []byte) (property.Formula, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	if IsModal(name) {
		return formulafile.Parse(name, content, func(text string) (property.Formula, error) {
			return modal.Parse(ctx, text)
		})
	}
	return formulafile.Parse(name, content, func(text string) (property.Formula, error) {
		return Parse(ctx, text)
	})
}

// slip returns an error if the whole text is a word with parentheses, as a label may be, and the word
// is a misspelt name of a pattern, or another name for a pattern.
func slip(text string) error {
	trimmed := strings.TrimSpace(text)
	word, _, called := strings.Cut(trimmed, "(")
	word = strings.TrimSpace(word)
	if !called || !strings.HasSuffix(trimmed, ")") {
		return nil
	}
	expected := "a property (did you mean %s?)"
	meant, found := actl.MeantPattern(word)
	if !found && branching[word] != "" {
		expected = "a property of all runs in linear time, such as %s(…), without A and E (put a label in quotes)"
		meant = branching[word]
		found = true
	}
	if !found {
		return nil
	}
	err := actl.Text(text).Unexpected(strings.Index(text, word), fmt.Sprintf(expected, meant))
	err.Found = `"` + word + `"`
	return err
}

// branching maps operators of CTL to the corresponding operators of linear time.
var branching = map[string]string{
	"AG": "G",
	"AF": "F",
	"AX": "X",
	"EG": "G",
	"EF": "F",
	"EX": "X",
}
