package report

import (
	"regexp"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report/internal/claim"
)

// Next is what a reader of a report may want to know next. Who writes the report knows
// the command for it: see [Options].
type Next uint8

// What may be asked next.
const (
	WayToEach Next = iota + 1 // how to get to each decision
	TellApart                 // what tells apart the runs that come to one state
)

// longestCommand is the length, in bytes, up to which a command is shown: nobody types
// or copies a longer one by hand.
const longestCommand = 400

// onward returns the command that leads on from a claim about e, and what it is for; ""
// where there is none, and where a text in it could not be shown or written as it is.
// Cost O(length).
func (o Options) onward(e *explain.Explanation, said claim.Claim) (what, command string) {
	if o.Onward == nil {
		return "", ""
	}
	var next Next
	switch said := said.(type) {
	case claim.Elsewhere:
		if said.Total > 0 {
			what, next = "How to get to each decision:", WayToEach
		}
	case claim.ByHistory:
		what, next = "What tells such runs apart:", TellApart
	}
	if next == 0 {
		return "", ""
	}
	words := o.Onward(e, next)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	line := strings.Join(words, " ")
	if Printable(line) != line || len(line) > longestCommand {
		return "", ""
	}
	return what, line
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=+,@%-]+$`)

// shellWord writes a text as one word of a POSIX shell.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
