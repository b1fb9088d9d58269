package printable

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// plainWord matches a word that no shell interprets.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`) })

// ShellWord writes a text as one word of a POSIX shell, in quotes if a shell would interpret it. Words
// with invisible characters are written as $'…', which POSIX has since 2024 and the common shells
// had long before. Cost O(len(word)).
func ShellWord(word string) string {
	if plainWord().MatchString(word) {
		return word
	}
	for _, r := range word {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return dollarQuoted(word)
		}
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// dollarQuoted writes a word as $'…', with all but printable ASCII as octal bytes.
func dollarQuoted(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		c := word[i]
		if c >= ' ' && c < 0x7f && c != '\'' && c != '\\' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, `\%03o`, c)
	}
	return b.String() + "'"
}
