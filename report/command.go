package report

import (
	"regexp"
	"strings"

	"github.com/inev-lts/inev/claim"
	"github.com/inev-lts/inev/neighbourhood"
)

// longestCommand is the length, in bytes, up to which a command is shown: nobody types
// or copies a longer one by hand.
const longestCommand = 400

// Command returns the command line that shows the ways to the decisions off the
// counterexample, for a POSIX shell, or "" where there are none, or where a text in it
// could not be shown or written as it is. Cost O(length).
func (s *Sentences) Command() string {
	e := s.p.e
	off := 0
	for _, c := range s.story.Elsewhere {
		if c, is := c.(claim.Elsewhere); is {
			off = c.Total
		}
	}
	file := e.Model.File
	if off == 0 || file == "" || file == "-" {
		return ""
	}
	if strings.HasPrefix(file, "-") { // no flag
		file = "./" + file
	}
	words := []string{"inev", "path", shellWord(file), shellWord(e.Property.Text), "--to", "each"}
	if e.IsUnfolded() {
		words = append(words, "--unfold")
	}
	if e.Reading != neighbourhood.All.String() {
		words = append(words, "--neighbourhood", e.Reading)
	}
	line := strings.Join(words, " ")
	if Printable(line) != line || len(line) > longestCommand {
		return ""
	}
	return line
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=+,@%][-A-Za-z0-9_./:=+,@%]*$`)

// shellWord writes a text as one word of a POSIX shell.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
