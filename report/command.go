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

// onward returns the command that leads on from a claim, and what it is for; "" where
// there is none.
func (s *Sentences) onward(said claim.Claim) (what, command string) {
	switch said := said.(type) {
	case claim.Elsewhere:
		if said.Total > 0 {
			return "How to get to each decision:", s.command("path", "--to", "each")
		}
	case claim.ByHistory:
		return "What tells such runs apart:", s.command("explain", "--unfold")
	}
	return "", ""
}

// command returns the line of a command about the same model, property and reading, for
// a POSIX shell; "" where a text in it could not be shown or written as it is. Cost
// O(length).
func (s *Sentences) command(name string, flags ...string) string {
	e := s.p.e
	file := e.Model.File
	if file == "" || file == "-" {
		return ""
	}
	if strings.HasPrefix(file, "-") { // no flag
		file = "./" + file
	}
	words := append([]string{"inev", name, shellWord(file), shellWord(e.Property.Text)}, flags...)
	if e.IsUnfolded() {
		words = append(words, "--unfold")
	}
	if e.Reading != neighbourhood.All {
		words = append(words, "--neighbourhood", e.Reading.String())
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
