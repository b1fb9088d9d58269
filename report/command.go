package report

import (
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// longestCommand is the largest length, in bytes, of a command that a report shows: nobody copies a
// longer one.
const longestCommand = 400

// onward returns the command that answers the next question after a claim, and the purpose
// of the command; "" if there is no such command, or if a text in it is not printable. Cost
// O(length).
func (o Options) onward(s *Sentences, c Claim) (what, command string) {
	if o.Onward == nil {
		return "", ""
	}
	var words []string
	switch {
	case c.kind == "elsewhere" && s.story.others > 0:
		what = "How to get to each decision:"
		words, _ = o.Onward(s.p.e)
	case c.kind == "by_history":
		what = "What tells such runs apart:"
		_, words = o.Onward(s.p.e)
	default:
		return "", ""
	}
	for i, word := range words {
		if printable.Text(word) != word {
			return "", ""
		}
		words[i] = printable.ShellWord(word)
	}
	line := strings.Join(words, " ")
	if len(line) > longestCommand {
		return "", ""
	}
	return what, line
}
