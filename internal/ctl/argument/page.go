package argument

import (
	"bufio"
	_ "embed" // the style
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/internal/contentpolicy"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

//go:embed page.css
var style string

// Page is what a page shows in addition to arguments.
type Page struct {
	Model, Formula, Verdict string
	Holds                   bool
	// WithoutStates leaves out the headings that name the states of the arguments.
	WithoutStates bool
	// Picture is an SVG from package diagram; "" if there is none.
	Picture string
}

// The largest numbers of entries that a page lists: steps of a run, layers of a claim, and states of a
// layer.
const (
	listedSteps  = 1000
	listedLayers = 300
	listedStates = 2000
)

// WriteHTML writes arguments as one HTML file without scripts that needs no other file. Readers can
// open claims and layers. Texts of models are always escaped. WriteHTML fails if w does.
func (p Page) WriteHTML(w io.Writer, m *lts.LTS, all []*Argument) error {
	b := &sheet{Writer: bufio.NewWriter(w), m: m}
	// Users may send the page to others, so it does not name folders of this machine.
	p.Model = filepath.Base(p.Model)
	contentpolicy.Page{
		Title:      printable.Text(p.Model + ": " + p.Verdict),
		Style:      style,
		Policy:     contentpolicy.Static(style),
		IsComplete: true,
	}.WriteHead(b)
	b.printf("<body>\n")
	class, sign := signOf(p.Holds)
	b.printf("<header><span class=\"brand\">inev</span> <span>%s</span></header>\n<main>\n",
		escaped(p.Model))
	b.printf("<h1><span class=\"stamp %s\">%s %s</span> <code>%s</code></h1>\n", class, sign,
		escaped(p.Verdict), escaped(p.Formula))
	for _, a := range all {
		b.printf("<section class=\"card\">\n")
		if !p.WithoutStates {
			b.printf("<h2>State %d</h2>\n", a.State)
		}
		b.claim(a, 0)
		text := a.smallest()
		if text != "" {
			b.printf("<p class=\"note\">%s</p>\n", text)
		}
		b.printf("</section>\n")
	}
	if p.Picture != "" {
		b.printf("<section class=\"card picture\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\">\n%s\n</section>\n", p.Picture)
	}
	b.printf("</main>\n</body>\n</html>\n")
	return b.Flush()
}

func escaped(text string) string { return template.HTMLEscapeString(printable.Text(text)) }

// signOf returns the style and the sign of a claim that a formula holds, or that it does not.
func signOf(holds bool) (class, sign string) {
	if holds {
		return "holds", "✓"
	}
	return "fails", "✗"
}

// sheet writes a page.
type sheet struct {
	*bufio.Writer
	m *lts.LTS
}

func (b *sheet) printf(format string, args ...any) { fmt.Fprintf(b, format, args...) }

// openDepth is the depth to which claims are open when the page is loaded.
const openDepth = 3

// claim writes an argument, as a line or as an element that readers can open.
func (b *sheet) claim(a *Argument, depth int) {
	class, sign := signOf(a.Holds)
	summary := fmt.Sprintf("<span class=\"sign\" aria-hidden=\"true\">%s</span> %s", sign, claimText(a))
	if !hasDetails(a) {
		b.printf("<div class=\"claim %s\">%s</div>\n", class, summary)
		return
	}
	open := ""
	if depth < openDepth {
		open = " open"
	}
	b.printf("<details%s class=\"claim %s\"><summary class=\"%[2]s\">%s</summary>\n", open,
		class, summary)
	b.details(a, depth)
	b.printf("</details>\n")
}

// claimText returns the text of an argument as HTML, with the formula at its beginning as code.
func claimText(a *Argument) string {
	text := escaped(a.Text)
	formula := escaped(printable.Cut(a.Formula, longestFormula))
	if rest, found := strings.CutPrefix(text, formula); found {
		return "<code>" + formula + "</code>" + rest
	}
	return text
}

// hasDetails reports whether an argument has more than its text.
func hasDetails(a *Argument) bool {
	hasStates := len(a.Layers) > 1 || len(a.Set) > 1
	hasParts := len(a.Strategy) > 0 || len(a.Because) > 0 || len(a.more()) > 0
	return showsRun(a) || hasStates || hasParts
}

// showsRun reports whether an argument has a run that its text does not contain.
func showsRun(a *Argument) bool { return a.Run != nil && !a.runInText && len(a.Run.Steps) > 0 }

// details writes what an argument has below its text.
func (b *sheet) details(a *Argument, depth int) {
	if showsRun(a) {
		b.run(a.Run)
	}
	if len(a.Layers) > 1 {
		b.layers(a.Layers)
	}
	if len(a.Set) > 1 {
		b.printf("<div class=\"layers\">\n")
		b.states("all "+printable.Quantity(len(a.Set), "state"), "All states", a.Set)
		b.printf("</div>\n")
	}
	b.strategy(a.Strategy)
	for _, c := range a.Because {
		b.claim(c, depth+1)
	}
	for _, more := range a.more() {
		b.printf("<p class=\"note\">%s</p>\n", more)
	}
}

// run writes the steps of a run as a list. It leaves out steps in the middle of a long run.
func (b *sheet) run(r *Run) {
	b.printf("<ol class=\"run\" tabindex=\"0\" aria-label=\"Run\">\n")
	omitted := len(r.Steps) - listedSteps
	firstOmitted := listedSteps / 2
	for i, t := range r.Steps {
		isOmitted := omitted > 1 && i >= firstOmitted && i < firstOmitted+omitted
		if isOmitted {
			if i == firstOmitted {
				b.printf("<li value=\"%d\">… %d more</li>\n", i+1, omitted)
			}
			continue
		}
		sign := ""
		if r.LoopStart >= 0 && i >= r.LoopStart {
			sign = "<span class=\"loops\" role=\"img\" aria-label=\"repeated forever\">↻</span> "
		}
		b.printf("<li value=\"%d\">%s%d <span aria-hidden=\"true\">→</span> <code>%s</code> <span aria-hidden=\"true\">→</span> %d</li>\n",
			i+1, sign, t.From, escaped(b.m.Alphabet().Text(t.Label)), t.To)
	}
	b.printf("</ol>\n")
}

// strategy writes the sentences of a strategy as a list that is closed until a reader opens it.
func (b *sheet) strategy(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	b.printf("<details class=\"layer\"><summary>the strategy, in %s</summary>\n", printable.Quantity(len(sentences), "sentence"))
	for _, sentence := range sentences {
		b.printf("<p class=\"states\">%s</p>\n", escaped(sentence))
	}
	b.printf("</details>\n")
}

// layers writes the layers of a claim, each as a list of states that is closed until a reader opens it.
func (b *sheet) layers(all []Layer) {
	b.printf("<div class=\"layers\">\n")
	for i, l := range all[:min(len(all), listedLayers)] {
		decided := ""
		if l.Done > 0 {
			decided = fmt.Sprintf(", decided in %d", l.Done)
		}
		steps := printable.Quantity(i, "step")
		states := printable.Quantity(len(l.States), "state")
		labels := escaped(labelsOf(b.m, l))
		b.states(fmt.Sprintf("after %s: %s%s%s", steps, states, decided, labels),
			"States after "+steps, l.States)
	}
	more := len(all) - listedLayers
	if more > 0 {
		b.printf("<p class=\"note\">… %s</p>\n", printable.Quantity(more, "more layer"))
	}
	b.printf("</div>\n")
}

// states writes states as a list that is closed until a reader opens it. Until then only the
// summary is shown, which is HTML. The name is for screen readers.
func (b *sheet) states(summary, name string, states wmc.States) {
	listed := states[:min(len(states), listedStates)]
	b.printf("<details class=\"layer\"><summary>%s</summary><p class=\"states\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">%s", summary, name, numbers(listed))
	more := len(states) - listedStates
	if more > 0 {
		b.printf(" and %d more", more)
	}
	b.printf("</p></details>\n")
}
