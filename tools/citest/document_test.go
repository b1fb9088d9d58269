package citest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

const document = top + "/docs/ci.md"

// TestDocumentShowsTheFiles: a block marked yaml is the file that was linked to last.
func TestDocumentShowsTheFiles(t *testing.T) {
	text := read(t, document)
	block := regexp.MustCompile("(?s)```yaml\n.*?```\n")
	link := regexp.MustCompile(`\]\(([^)]+\.ya?ml)\)`)
	var real strings.Builder
	rest, shown := text, 0
	for at := block.FindStringIndex(rest); at != nil; at = block.FindStringIndex(rest) {
		before := rest[:at[0]]
		links := link.FindAllStringSubmatch(before, -1)
		if links == nil {
			t.Fatalf("no link tells which file this is:\n%s", rest[at[0]:at[1]])
		}
		file := filepath.Join(filepath.Dir(document), filepath.FromSlash(links[len(links)-1][1]))
		real.WriteString(before + "```yaml\n" + read(t, file) + "```\n")
		rest = rest[at[1]:]
		shown++
	}
	real.WriteString(rest)
	if shown != 2 {
		t.Errorf("%d files are shown", shown)
	}
	golden.Check(t, document, []byte(real.String()))
}

// TestCommandsOfDocument runs the blocks marked sh, and the line that installs inev.
// Docker is not at hand: in its place inev is run as the image would.
func TestCommandsOfDocument(t *testing.T) {
	text := read(t, document)
	const install = "git clone https://github.com/inev-lts/inev && go -C inev install ./cmd/inev"
	if !strings.Contains(text, "`"+install+"`") {
		t.Error("the document does not say how inev is installed")
	}
	m := newMachine(t)
	m.put(".", examples())
	m.standIn("git", `[ "$*" = "clone https://github.com/inev-lts/inev" ] || [ "$*" = "-C inev checkout COMMIT" ]`)
	m.standIn("docker", `[ "$1" = run ] || { [ "$*" = "build -t inev ." ]; exit; }
echo "$*" | grep -q -- "-v $PWD:/work --user $(id -u):$(id -g) inev batch"
while [ "$1" != inev ]; do shift; done
"$@" --fail-on none`)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		if out, code := m.run("-e", install+"\n"+block[1]); code != 0 {
			t.Errorf("%s%s", block[1], out)
		}
	}
	if _, err := os.Stat(m.path("results/index.html")); err != nil {
		t.Error(err)
	}
}

// TestLinksOfDocument: they lead somewhere.
func TestLinksOfDocument(t *testing.T) {
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(read(t, document), -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(document), filepath.FromSlash(link[1]))); err != nil {
			t.Error(err)
		}
	}
}
