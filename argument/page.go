package argument

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

//go:embed page.css
var style string

// Page is what a page of arguments shows beside them.
type Page struct {
	Model, Formula, Verdict string
	Holds                   bool
	// Picture is an SVG that diagram has made; "" where there is none.
	Picture string
}

// WriteHTML writes arguments as one HTML file that needs nothing else, and has no script:
// claims and layers can be opened. Texts of models are only ever text. It fails where w
// does.
func WriteHTML(w io.Writer, m *lts.LTS, p Page, all []*Argument) error {
	b := bufio.NewWriter(w)
	sum := sha256.Sum256([]byte(style))
	fmt.Fprintf(b, "<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"+
		"<title>%s: %s</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>%s</style>\n</head>\n<body>\n",
		base64.StdEncoding.EncodeToString(sum[:]), escaped(p.Model), escaped(p.Verdict), style)
	class, sign := "holds", "✓"
	if !p.Holds {
		class, sign = "fails", "✗"
	}
	fmt.Fprintf(b, "<header><span class=\"brand\">inev</span> <span>%s</span></header>\n<main>\n", escaped(p.Model))
	fmt.Fprintf(b, "<h1><span class=\"stamp %s\">%s %s</span> <code>%s</code></h1>\n", class, sign, escaped(p.Verdict), escaped(p.Formula))
	for _, a := range all {
		fmt.Fprint(b, "<section class=\"card\">\n")
		writeHTML(b, m, a, 0)
		fmt.Fprint(b, "</section>\n")
	}
	if p.Picture != "" {
		fmt.Fprintf(b, "<section class=\"card picture\" tabindex=\"0\" aria-label=\"Picture\">\n%s\n</section>\n", p.Picture)
	}
	fmt.Fprint(b, "</main>\n</body>\n</html>\n")
	return b.Flush()
}

func escaped(text string) string { return template.HTMLEscapeString(printable.Text(text)) }

// openDepth is how deep claims are shown at first.
const openDepth = 3

func writeHTML(b *bufio.Writer, m *lts.LTS, a *Argument, depth int) {
	open := ""
	if depth < openDepth {
		open = " open"
	}
	class := "holds"
	if !a.Holds {
		class = "fails"
	}
	fmt.Fprintf(b, "<details%s class=\"claim %s\"><summary>%s</summary>\n", open, class, escaped(a.Text))
	if a.Run != nil && len(a.Run.Steps) > 0 {
		fmt.Fprint(b, "<ol class=\"run\">\n")
		for i, t := range a.Run.Steps {
			sign := ""
			if a.Run.LoopStart >= 0 && i >= a.Run.LoopStart {
				sign = "<span title=\"repeated for ever\">↻</span> "
			}
			fmt.Fprintf(b, "<li>%s%d <span aria-hidden=\"true\">→</span> <code>%s</code> <span aria-hidden=\"true\">→</span> %d</li>\n", sign, t.From, escaped(m.Alphabet().Text(t.Label)), t.To)
		}
		fmt.Fprint(b, "</ol>\n")
	}
	if len(a.Layers) > 1 {
		for i, l := range a.Layers {
			writeLayerHTML(b, m, i, l)
		}
	}
	for _, c := range a.Because {
		writeHTML(b, m, c, depth+1)
	}
	for _, more := range a.more() {
		fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", more)
	}
	fmt.Fprint(b, "</details>\n")
}

// shownStates is how many states of a layer a page lists.
const shownStates = 2000

func writeLayerHTML(b *bufio.Writer, m *lts.LTS, step int, l Layer) {
	done := ""
	if l.Done > 0 {
		done = fmt.Sprintf(", decided in %d", l.Done)
	}
	fmt.Fprintf(b, "<details class=\"layer\"><summary>after %s: %s%s%s</summary><p>", printable.Quantity(step, "step"),
		printable.Quantity(len(l.States), "state"), done, escaped(labelsOf(m, l)))
	texts := make([]string, 0, min(len(l.States), shownStates))
	for _, s := range l.States[:min(len(l.States), shownStates)] {
		texts = append(texts, fmt.Sprint(s))
	}
	fmt.Fprint(b, strings.Join(texts, ", "))
	if more := len(l.States) - shownStates; more > 0 {
		fmt.Fprintf(b, " and %d more", more)
	}
	fmt.Fprint(b, "</p></details>\n")
}
