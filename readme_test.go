package inev_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostWords is how many words README has at most, outside fenced blocks.
const mostWords = 1200

func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(unfenced(string(text)))); words > mostWords {
		t.Errorf("README has %d words outside fenced blocks, want at most %d", words, mostWords)
	}
}

// unfenced returns a document without its fenced blocks.
func unfenced(text string) string {
	var b strings.Builder
	inside := false
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		} else if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestUnfenced(t *testing.T) {
	if got, want := unfenced("a\n```sh\nb\n```\nc `d`\n"), "a\nc `d`\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// links are the targets of links in a document that are files of the project.
var links = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// documents returns all pages of the documentation, from the root.
func documents(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"docs/*.md", "docs/research/*.md", "modules/*/README.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// TestIndexLinksEveryDocument: docs/README.md is where one looks first.
func TestIndexLinksEveryDocument(t *testing.T) {
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{"README.md": true}
	for _, link := range links.FindAllStringSubmatch(string(index), -1) {
		linked[link[1]] = true
	}
	for _, document := range documents(t) {
		name, err := filepath.Rel("docs", document)
		if err != nil || !linked[filepath.ToSlash(name)] {
			t.Errorf("docs/README.md has no link to %s", document)
		}
	}
}

// code is what stands in a line as code, which may look like a link.
var code = regexp.MustCompile("`[^`\n]*`")

// TestLinksLeadSomewhere: in README and the documents.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, document := range append(documents(t), "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(code.ReplaceAllString(unfenced(string(text)), ""), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", document, link[1], err)
			}
		}
	}
}
