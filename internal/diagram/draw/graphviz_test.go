package draw

import (
	"bytes"
	"encoding/xml"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// installedDot runs the dot command of Graphviz, which tells of bad syntax on its
// standard error, and for HTML-like labels only there.
func installedDot(t *testing.T, input string, flags ...string) string {
	t.Helper()
	program, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz is not installed")
	}
	var out, complaints bytes.Buffer
	command := golden.Command(t, program, flags...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &out, &complaints
	if err := command.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	return out.String()
}

func TestGraphvizAcceptsEveryPicture(t *testing.T) {
	drawn := pictures(t)
	if !randomlts.Whole() { // all by one process, which lays out each and so reads it
		all := strings.Join(slices.Collect(maps.Values(drawn)), "\n")
		if n := strings.Count(installedDot(t, all, "-Tsvg"), "</svg>"); n != len(drawn) {
			t.Errorf("%d of %d pictures are drawn", n, len(drawn))
		}
		return
	}
	for name, text := range drawn {
		t.Run(name, func(t *testing.T) { installedDot(t, text, "-Tcanon") })
		t.Run(name+"/layout", func(t *testing.T) { installedDot(t, text, "-Tsvg") })
	}
}

// TestGraphvizShowsTextsAsTheyAre looks for every text of the hostile model in
// the SVG file that Graphviz makes of it.
func TestGraphvizShowsTextsAsTheyAre(t *testing.T) {
	shown := svgTexts(t, installedDot(t, pictures(t)["hostile"], "-Tsvg"))
	want := []string{printable.Cut(hostileFile, 60), explained(t, hostile(t), "", hostileFormula).Property.Text}
	for i, text := range hostileLabels {
		for j, version := range []string{text, text + "!"} {
			want = append(want, hostileLines(i, j, version)[0])
		}
	}
	for _, text := range want {
		if !slices.Contains(shown, strings.TrimSpace(text)) {
			t.Errorf("%q is not shown; what is:\n%q", text, shown)
		}
	}
}

// svgTexts returns what the text elements of an SVG file say.
func svgTexts(t *testing.T, svg string) []string {
	t.Helper()
	var texts []string
	d := xml.NewDecoder(strings.NewReader(svg))
	inside := false
	for {
		token, err := d.Token()
		if token == nil {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if inside = token.Name.Local == "text"; inside {
				texts = append(texts, "")
			}
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				texts[len(texts)-1] = strings.TrimSpace(string(token))
			}
		}
	}
}
