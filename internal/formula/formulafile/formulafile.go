// Package formulafile reads files of formulas, in any syntax.
package formulafile

import (
	"errors"
	"strings"

	"github.com/inev-lts/inev/actl"
)

// Parse reads the content of a formula file with the given parser. Lines that begin with # are
// comments. The name of the file is used only in errors: a [*actl.SyntaxError] gets the name and the
// line.
func Parse[F any](name string, content []byte, parse func(text string) (F, error)) (F, error) {
	text := WithoutComments(string(content))
	f, err := parse(text)
	return f, Placed(name, err)
}

// Placed adds the name of the file and the line to an error about a text that [Parse] has read, unless
// the error names a file already. Callers need it for syntaxes whose readers find some mistakes only
// when a formula is bound to a model.
func Placed(name string, err error) error {
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) || syntax.File != "" {
		return err
	}
	placed := syntax.In(name)
	if more, is := err.(interface{ At(*actl.SyntaxError) error }); is {
		return more.At(placed) // it says more than where
	}
	return placed
}

// WithoutComments replaces the comments of a formula file by blanks, and removes
// the byte order mark that some editors write. Offsets do not change.
func WithoutComments(content string) string {
	const mark = "\ufeff"
	if strings.HasPrefix(content, mark) {
		content = strings.Repeat(" ", len(mark)) + content[len(mark):]
	}
	lines := strings.SplitAfter(content, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			body := strings.TrimRight(line, "\r\n")
			lines[i] = strings.Repeat(" ", len(body)) + line[len(body):]
		}
	}
	return strings.Join(lines, "")
}
