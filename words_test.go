package inev_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// hardWords are turns of phrase that make a sentence be read twice, and what to write instead.
// Each has one of the words that stand in it, since looking for a word is fast.
var hardWords = []struct {
	is      *regexp.Regexp
	words   []string
	instead string
}{
	{regexp.MustCompile(`\b[Ff]ails where\b`), []string{"ails where"}, "fails if"},
	{regexp.MustCompile(`\b(?:nil|""|0|false|true|empty|-1) where\b`), []string{" where"}, "if"},
	{regexp.MustCompile(`\b(?:that|those) of\b`), []string{"that of", "those of"}, "the noun again"},
	{regexp.MustCompile(`\bthe one (?:that|of|in|with|which)\b`), []string{"the one "}, "the noun"},
	{regexp.MustCompile(`\b(?:tells|told|is told of)\b`), []string{"tells", "told"}, "reports, says, shows"},
	{regexp.MustCompile(`\bsays (?:of|what|which|how|whether)\b`), []string{"says "}, "reports, describes"},
	{regexp.MustCompile(`\bwhat (?:there is|is there)\b`), []string{"what there", "what is"}, "what exists, the noun"},
	{regexp.MustCompile(`\b(?:in|at|from|by|to|with|for|of) (?:which|whom|whose)\b`), []string{" wh"}, "a second sentence"},
	{regexp.MustCompile(`\bbeside\b`), []string{"beside"}, "next to, besides"},
	{regexp.MustCompile(`\bin (?:the|its) place of\b`), []string{" place of"}, "instead of"},
}

// TestHardWordsOnlyFall counts such turns in the comments and texts of the packages. Their
// numbers, kept in internal/testing/packages/words.txt, may only fall: with -update, after a look at the change.
func TestHardWordsOnlyFall(t *testing.T) {
	counts := make([]int, len(hardWords))
	for _, source := range sources(t) {
		for _, text := range textsOf(source.file) {
			for i, hard := range hardWords {
				if slices.ContainsFunc(hard.words, func(word string) bool { return strings.Contains(text, word) }) {
					counts[i] += len(hard.is.FindAllStringIndex(text, -1))
				}
			}
		}
	}
	const file = "internal/testing/packages/words.txt"
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

// textsOf returns the comments and the texts in quotes of a file.
func textsOf(file *ast.File) []string {
	var all []string
	for _, group := range file.Comments {
		all = append(all, strings.Join(strings.Fields(group.Text()), " "))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING {
			all = append(all, text.Value)
		}
		return true
	})
	return all
}
