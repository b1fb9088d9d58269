package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

const opening = `# Gallery

This page shows what inev draws for each of the [examples](../examples): the counterexample with
its decisions, the neighbourhoods of the model, and the first screen of the page
that walks through the run. ` + "`inev diagram MODEL FORMULA --view excerpt -o FILE.svg`" + ` makes the first picture,
other views those after it, and ` + "`inev explain MODEL FORMULA --html FILE.html`" + ` the page.

This page is made by ` + "`go -C tools run ./gallery`" + `; a test compares the page and the
pictures, except for the screenshots, with what inev makes now.

How to read the pictures: a hexagon is a decision of the run that is shown. Another choice there
would have satisfied the property, or left it open. A filled oval is another neighbourhood:
runs arrive there while the property is still open, and a choice there decides it. Blue arrows are correct: whatever happens afterwards,
the property is satisfied. Dashed orange arrows are incorrect: the property can no longer be satisfied. Thin grey
arrows leave it open. The counterexample is thick, and its steps are numbered; a double line is the step after
which the property can no longer be satisfied. Better choices are written in bold.
Every picture has its own legend.
`

// makeFiles makes all files but the screenshots; their names are relative to docs.
func makeFiles(ctx context.Context, root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	engine := graphviz.New(len(subjects()), "")
	defer engine.Close()
	var doc strings.Builder
	doc.WriteString(opening)
	for _, s := range subjects() {
		e, err := s.explained(ctx, root, "")
		if err != nil {
			return nil, err
		}
		s.write(&doc, e)
		for _, v := range s.views {
			e, err := s.explained(ctx, root, v.pattern)
			if err != nil {
				return nil, err
			}
			o, err := v.options()
			if err != nil {
				return nil, err
			}
			var svg bytes.Buffer
			g, err := view.Of(ctx, e, o)
			if err == nil {
				g = g.Diagnosed(render.NewSentences(e, printable.Text).Title())
				err = draw.SVG(ctx, engine, &svg, g, draw.Options{})
			}
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.folder, v.name, err)
			}
			files[s.picture(v.file())] = svg.Bytes()
		}
	}
	if err := addArbiter(root, &doc, files); err != nil {
		return nil, err
	}
	files["gallery.md"] = []byte(doc.String())
	return files, nil
}

// arbiterSection is the heading of the section about a circuit, whose pictures another module
// makes, see modules/symbolic/arbiter.
const arbiterSection = `
## The synchronous arbiter, a circuit

McMillan's arbiter with a bug, five cells, as AIGER ([inev-symbolic](../modules/symbolic/README.md)): is at most one request
acknowledged at a time? The command computes sets of reachable states as decision diagrams, until a set has a state
that violates the formula. Then it shows a run to that state: cell 1 waits and is acknowledged without the token, and
so is cell 0. The formula names the orange wire.

![The arbiter: evidence as layers and as a run](gallery/arbiter-evidence.svg)

` + "```sh" + `
inev-symbolic arbiter -buggy 5 > arbiter.aag
inev-symbolic ctl arbiter.aag 'AG exclusive' -svg arbiter-evidence.svg
` + "```" + `

` + "```" + `
%s` + "```" + `
`

// addArbiter adds the pictures and texts of modules/symbolic about the arbiter.
func addArbiter(root string, doc *strings.Builder, files map[string][]byte) error {
	made := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(root, "modules", "symbolic", "arbiter", name))
	}
	drawn, err := made("evidence.svg")
	if err != nil {
		return err
	}
	text, err := made("evidence.txt")
	if err != nil {
		return err
	}
	files["gallery/arbiter-evidence.svg"] = drawn
	fmt.Fprintf(doc, arbiterSection, text)
	return nil
}

// write writes the section about a subject.
func (s subject) write(b *strings.Builder, e *explain.Explanation) {
	say := render.NewSentences(e, printable.Code)
	fmt.Fprintf(b, "\n## %s\n\n[examples/%s](../examples/%s): %s\n\n> %s %s\n", s.title,
		s.folder, s.folder, s.about, say.Verdict(), say.About())
	for _, v := range s.views {
		fmt.Fprintf(b, "\n![%s](%s)\n", v.text, s.picture(v.file()))
	}
	fmt.Fprintf(b, "\n![The first screen of the page](%s)\n", s.picture("page.png"))
}
