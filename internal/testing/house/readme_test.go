package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
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
var links = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)

// documents returns all pages of the documentation, from the root.
func documents(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"docs/*.md", "docs/research/*.md", "modules/*/README.md", "inevtest/README.md", "internal/certificate/README.md"} {
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

// heading is a heading of a document, outside of fenced blocks.
var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// anchors returns the places in a document that links can name, as code hosts call them.
func anchors(text string) map[string]bool {
	places := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(unfenced(text), -1) {
		kept := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, h[1])
		places[kept] = true
	}
	return places
}

// TestLinksLeadSomewhere: in README and the documents, to files and to headings in them.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, document := range append(documents(t), "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(code.ReplaceAllString(unfenced(string(text)), ""), -1) {
			file := document
			if link[1] != "" {
				file = filepath.Join(filepath.Dir(document), link[1])
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", document, link[1], err)
				continue
			}
			if link[2] == "" || filepath.Ext(file) != ".md" {
				continue
			}
			target, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !anchors(string(target))[link[2]] {
				t.Errorf("%s links to %s#%s, which is no heading", document, link[1], link[2])
			}
		}
	}
}

// mostPages is how many pages may be in docs, the evidence for reviewers in docs/research aside.
const mostPages = 20

// TestDocumentsAreFew bounds the pages of docs.
func TestDocumentsAreFew(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) > mostPages {
		t.Errorf("%d pages, want at most %d: put evidence into docs/research", len(pages), mostPages)
	}
}

// mostWordsOfCADP is how many words the afternoon of a user of CADP has at most, with its commands and their output.
const mostWordsOfCADP = 900

func TestPageOfCADPIsShort(t *testing.T) {
	page, err := os.ReadFile("docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, isThere := strings.Cut(string(page), "\n## CADP\n")
	if !isThere {
		t.Fatal("docs/tools.md has no section about CADP")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	if words := len(strings.Fields(section)); words > mostWordsOfCADP {
		t.Errorf("the section about CADP of docs/tools.md has %d words, want at most %d", words, mostWordsOfCADP)
	}
}
