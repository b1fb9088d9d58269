package page

import (
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// commandLine writes a command for a POSIX shell.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = printable.ShellWord(word)
	}
	return strings.Join(quoted, " ")
}
