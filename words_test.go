package inev_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/golden"
)

// hardWords are turns of phrase that make a sentence be read twice, and what to write instead.
var hardWords = []struct {
	is, instead string
}{
	{`\b[Ff]ails where\b`, "fails if"},
	{`\b(?:nil|""|0|false|true|empty|-1) where\b`, "if"},
	{`\b(?:that|those) of\b`, "the noun again"},
	{`\bthe one (?:that|of|in|with|which)\b`, "the noun"},
	{`\b(?:tells|told|is told of)\b`, "reports, says, shows"},
	{`\bsays (?:of|what|which|how|whether)\b`, "reports, describes"},
	{`\bwhat (?:there is|is there)\b`, "what exists, the noun"},
	{`\b(?:in|at|from|by|to|with|for|of) (?:which|whom|whose)\b`, "a second sentence"},
	{`\bbeside\b`, "next to, besides"},
	{`\bin (?:the|its) place of\b`, "instead of"},
}

// TestHardWordsOnlyFall counts such turns in the comments and texts of the packages. Their
// numbers, kept in internal/packages/words.txt, may only fall: with -update, after a look at the change.
func TestHardWordsOnlyFall(t *testing.T) {
	counts := make([]int, len(hardWords))
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || path != "." && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := wordsOf(path)
		for i, hard := range hardWords {
			counts[i] += len(regexp.MustCompile(hard.is).FindAllString(text, -1))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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
		bound, known := most[hard.is]
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
func wordsOf(path string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
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
	return b.String(), nil
}
