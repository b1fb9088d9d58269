package report

import (
	"regexp"
	"strings"
	"sync"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report/claim"
)

// longestCommand is the largest length, in bytes, of a command that a report shows: nobody copies a
// longer one.
const longestCommand = 400

// onward returns the command that answers the next question after a claim about e, and the purpose
// of the command; "" if there is no such command, or if a text in it is not printable. Cost
// O(length).
func (o Options) onward(e *explain.Explanation, said claim.Claim) (what, command string) {
	if o.Onward == nil {
		return "", ""
	}
	var words []string
	switch said := said.(type) {
	case claim.Elsewhere:
		if said.Total > 0 {
			what = "How to get to each decision:"
			words, _ = o.Onward(e)
		}
	case claim.ByHistory:
		what = "What tells such runs apart:"
		_, words = o.Onward(e)
	}
	if what == "" {
		return "", ""
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	line := strings.Join(words, " ")
	if printable.Text(line) != line || len(line) > longestCommand {
		return "", ""
	}
	return what, line
}

var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=+,@%-]+$`) })

// shellWord writes a text as one word of a POSIX shell.
func shellWord(text string) string {
	if plainWord().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
