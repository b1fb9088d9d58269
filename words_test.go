package inev_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/golden"
)

// hardWords are turns of phrase that make a sentence be read twice, and what to write instead.
var hardWords = []struct {
	is      *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b[Ff]ails where\b`), "fails if"},
	{regexp.MustCompile(`\b(?:nil|""|0|false|true|empty|-1) where\b`), "if"},
	{regexp.MustCompile(`\b(?:that|those) of\b`), "the noun again"},
	{regexp.MustCompile(`\bthe one (?:that|of|in|with|which)\b`), "the noun"},
	{regexp.MustCompile(`\b(?:tells|told|is told of)\b`), "reports, says, shows"},
	{regexp.MustCompile(`\bsays (?:of|what|which|how|whether)\b`), "reports, describes"},
	{regexp.MustCompile(`\bwhat (?:there is|is there)\b`), "what exists, the noun"},
	{regexp.MustCompile(`\b(?:in|at|from|by|to|with|for|of) (?:which|whom|whose)\b`), "a second sentence"},
	{regexp.MustCompile(`\bbeside\b`), "next to, besides"},
	{regexp.MustCompile(`\bin (?:the|its) place of\b`), "instead of"},
}

// TestHardWordsOnlyFall counts such turns in the comments and texts of the packages. Their
// numbers, kept in internal/packages/words.txt, may only fall: with -update, after a look at the change.
func TestHardWordsOnlyFall(t *testing.T) {
	counts := make([]int, len(hardWords))
	for _, source := range sources(t) {
		text := wordsOf(source.file)
		for i, hard := range hardWords {
			counts[i] += len(hard.is.FindAllStringIndex(text, -1))
		}
	}
	const file = "internal/packages/words.txt"
	most := map[string]int{}
	if stored, err := os.ReadFile(file); err == nil {
		for _, line := range strings.Split(string(stored), "\n") {
			if number, is, found := strings.Cut(strings.TrimSpace(line), "  "); found {
				most[is], _ = strconv.Atoi(number)
			}
		}
	}
	var b strings.Builder
	for i, hard := range hardWords {
		bound, known := most[hard.is.String()]
		if known && counts[i] > bound {
			t.Errorf("%d times %s, where there were %d: write %s", counts[i], hard.is, bound, hard.instead)
			counts[i] = bound
		}
		fmt.Fprintf(&b, "%d  %s\n", counts[i], hard.is)
	}
	if golden.Updating() {
		golden.Check(t, file, []byte(b.String()))
	}
}

// wordsOf returns the comments and the texts in quotes of a file.
func wordsOf(file *ast.File) string {
	var b strings.Builder
	for _, group := range file.Comments {
		b.WriteString(strings.Join(strings.Fields(group.Text()), " ") + "\n")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING {
			b.WriteString(text.Value + "\n")
		}
		return true
	})
	return b.String()
}
