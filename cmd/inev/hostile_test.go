package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// hostileLabels are texts that a model may hold, each of which some reader of our
// output takes for more than text, unless it is told otherwise.
var hostileLabels = []string{
	// terminals
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\u009b2J", "\x00\x01\x02\x08\x0b\x7f", "\x0e", "a\rb", "\ttab\t",
	// directions, and what is not seen
	"abc\u202egnp.exe", "\u2066\u200f\u061cx\u2069", "zero\u200bwidth\u2060\ufeff", "\u2028\u2029\u0085", "\U000e0041\U000e0042", "\u00ad\u115f\u3164",
	// bytes that are no text
	"\xff\xfe", "\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	// HTML, XML, JavaScript
	`</script><img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `' onmouseover='alert(1)`, `" style="x`, `<!--<script>`, `-->`, `]]>`, `&lt;b&gt;&amp;&#60;`,
	`</style></title></template></textarea>`, `javascript:alert(1)`, "{{.Verdict}}", "${alert(1)}`", "__proto__", "constructor",
	// DOT
	`"];a->b[`, `a"b`, `\N\G\l\r\n`, `\`, `\"`, `</TD></TR></TABLE>> ]; x -> y [label=<`, `/* // #`,
	// Markdown and Mermaid
	"| a | b |", `\| a`, "`code` ``", "```", "[x](javascript:alert(1))", "![x](http://x/y)", "<details><summary>", "# head", "1. one", "- item", "***", "@someone #1",
	`%%{init: {"theme":"dark"}}%%`, "end", "subgraph x", `click s0 href "javascript:alert(1)"`, "#quot; #35;", "--> x", "A:::run",
	// .aut, .autx, tables, other programs
	`", 7)`, `(0, "x", 1)`, `":GREEN, 1)`, `"x":RED`, "a,b)", `\t\n\x1b`, "=1+1", "$(touch x)", "`touch x`", "../../etc/passwd", "CON", "NUL.txt", "%s%n%d", "-", "--help",
	// lengths
	"", " ", "  two  ", strings.Repeat("L", 100_000), strings.Repeat("<&\"`", 25_000), strings.Repeat("\u202e", 40_000), strings.Repeat("日", 40_000),
	// what is harmless, and must stay as it is
	"PUT !1 (a, b)", "naïve Ελλάδα 日本語 עברית 🙂",
}

// shortenHostileLabels makes long labels a tenth as long, where CI is not set.
func shortenHostileLabels() {
	for i, label := range hostileLabels {
		if len(label) > 10_000 {
			hostileLabels[i] = label[:len(label)/10]
		}
	}
}

// drawnHostileLabels returns the hostile labels for what Graphviz lays out: without CI every
// third one, for its time grows with the square of their number.
func drawnHostileLabels() []string {
	if randomlts.Whole() {
		return slices.Clone(hostileLabels)
	}
	var some []string
	for i := 0; i < len(hostileLabels); i += 3 {
		some = append(some, hostileLabels[i])
	}
	return some
}

// hostileFile is a name that some file systems do not take.
const hostileFile = "\x1b[2J\u202e\"];a->b[<img src=x onerror=alert(1)>|`[x](y)`%s.aut"

// hostileFormula holds more of the same. Its second and third pattern fit no label,
// which gives a warning that shows it.
const hostileFormula = "Inev({DONE, \"</script><b>\x1b[31m\u202e|`\", /^\\x1b\\[never|<i>$/})"

// hostileModel is a run through all labels, at each step of which another way would
// have been right.
func hostileModel(t *testing.T, labels []string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	n := len(labels)
	for i, label := range labels {
		good := lts.State(n + 1 + i)
		b.Add(lts.State(i), b.Label(label), lts.State(i+1))
		b.Add(lts.State(i), b.Label("or "+label), good)
		b.Add(good, b.Label("DONE"), good)
	}
	m, err := b.Build(0, 2*n+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hostilePlace is a folder with the model of the labels in a file, the name of which
// is as hostile as the file system allows.
func hostilePlace(t *testing.T, labels []string, name string) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	var text bytes.Buffer
	if _, err := aut.Write(&text, hostileModel(t, labels)); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(folder, name)
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		file = filepath.Join(folder, "hostile.aut")
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder, file
}

// hostileRun runs a command that must not fail, and checks that what it tells a
// person is fit for a terminal.
func hostileRun(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := called(strings.NewReader(""), args...)
	if code > exitViolated {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
	wantPrintable(t, fmt.Sprintf("standard error of %q", args), stderr)
	return stdout
}

func wantPrintable(t *testing.T, what, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if safe := printable.Text(line); safe != line {
			t.Errorf("%s: line %d is not fit for a terminal: %.300q", what, i+1, line)
		}
	}
}

// TestHostileTextsForPeople: no order to a terminal, nothing invisible and no text of
// any length gets into what people read.
func TestHostileTextsForPeople(t *testing.T) {
	_, file := hostilePlace(t, hostileLabels, hostileFile)
	both := []string{file, hostileFormula}
	for _, command := range [][]string{
		append([]string{"explain"}, both...), append([]string{"check"}, both...), append([]string{"enrich"}, both...),
		append([]string{"classify"}, both...), append([]string{"classify", "--neighbourhoods"}, both...),
		append([]string{"path", "--to", "each"}, both...), append([]string{"explain", "--unfold"}, both...),
		{"info", file}, {"formula", hostileFormula},
	} {
		for _, format := range []string{"text", "markdown"} {
			out := hostileRun(t, append(command, "--format", format)...)
			wantPrintable(t, fmt.Sprintf("%q as %s", command[0], format), out)
			if len(out) > 200_000 {
				t.Errorf("%q as %s has %d bytes", command[0], format, len(out))
			}
			if format == "markdown" {
				wantMarkdown(t, command[0], out)
			}
		}
	}
}

// TestHostileAutomata: names in a HOA file are as little to be trusted.
func TestHostileAutomata(t *testing.T) {
	const name = "\x1b[31m\u202e\xff| `</b>\\\\|"
	file := filepath.Join(t.TempDir(), "x.hoa")
	text := fmt.Sprintf("HOA: v1\nname: \"%[1]s\"\nStates: 1\nStart: 0\nAP: 1 \"%[1]s\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n"+
		"--BODY--\nState: 0 \"%[1]s\" {0}\n[0] 0\n--END--\n", name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "markdown", "json"} {
		out := hostileRun(t, "lasso", file, "--format", format)
		wantPrintable(t, "lasso as "+format, out)
		if format == "markdown" {
			wantMarkdown(t, "lasso", out)
		}
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^(```+)[a-z]*$.*?^```+$")
	leftOut   = regexp.MustCompile(`(?m)^\| … \| \| \*\d+ steps\* \| \|$`)
	htmlCell  = regexp.MustCompile(`<code>[^<>|\x60]*</code>`)
)

// wantMarkdown checks that tables have their columns, and that texts of the model
// stand in code and nowhere else.
func wantMarkdown(t *testing.T, what, text string) {
	t.Helper()
	rest := leftOut.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "| | | | |")
	if strings.Contains(rest, "```mermaid") {
		t.Errorf("%s: the picture does not end where it should", what)
	}
	columns := 0
	for _, line := range strings.Split(rest, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
		} else {
			bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns == 0 {
				columns = bars
			}
			if bars != columns {
				t.Errorf("%s: %d bars and not %d in %.300s", what, bars, columns, line)
			}
		}
		outside := strings.TrimPrefix(withoutCode(htmlCell.ReplaceAllString(line, "")), "> Warning: ")
		if strings.ContainsAny(outside, "<>[]`*_&\\") || strings.Contains(outside, "](") {
			t.Errorf("%s: outside of code there is %.300q", what, outside)
		}
	}
}

// withoutCode returns a line of Markdown without its code spans: they begin with so
// many backquotes and end with as many.
func withoutCode(line string) string {
	var outside strings.Builder
	for line != "" {
		before, rest, found := strings.Cut(line, "`")
		outside.WriteString(before)
		if !found {
			break
		}
		fence := "`"
		for strings.HasPrefix(rest, "`") {
			fence, rest = fence+"`", rest[1:]
		}
		end := -1
		for at := 0; at < len(rest); {
			if rest[at] != '`' {
				at++
				continue
			}
			n := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
			if n == len(fence) {
				end = at + n
				break
			}
			at += n
		}
		if end < 0 {
			outside.WriteString(fence)
			end = 0
		}
		line = rest[end:]
	}
	return outside.String()
}

// TestHostileTextsForPrograms: JSON and tables give back every label to the byte, save
// that JSON, which has no bytes, shows as \x and two digits those that are no UTF-8.
func TestHostileTextsForPrograms(t *testing.T) {
	_, file := hostilePlace(t, hostileLabels, hostileFile)
	var e struct {
		Counterexample struct {
			Steps []struct{ Label string }
		}
	}
	text := hostileRun(t, "explain", file, hostileFormula, "--format", "json")
	wantPrintable(t, "JSON", text)
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	for i, label := range hostileLabels {
		want := label
		if !utf8.ValidString(label) {
			want = printable.Text(label)
		}
		if got := e.Counterexample.Steps[i].Label; got != want {
			t.Errorf("JSON: step %d has label %.100q, want %.100q", i+1, got, want)
		}
	}
	for _, command := range [][]string{{"check"}, {"enrich"}, {"classify"}, {"classify", "--neighbourhoods"}, {"path", "--to", "each"}} {
		text := hostileRun(t, append(command, file, hostileFormula, "--format", "json")...)
		wantPrintable(t, "JSON of "+command[0], text)
		if !json.Valid([]byte(text)) {
			t.Errorf("%q gives no JSON", command)
		}
	}
	for command, column := range map[string]int{"explain": 2, "classify": 1, "labels": 0} {
		args := []string{command, file, hostileFormula, "--format", "tsv"}
		if command == "labels" {
			args = slices.Delete(args, 2, 3)
		}
		lines := strings.Split(strings.TrimSuffix(hostileRun(t, args...), "\n"), "\n")
		var labels []string
		for _, line := range lines {
			cells := strings.Split(line, "\t")
			if len(cells) != strings.Count(lines[0], "\t")+1 {
				t.Errorf("%s: %d cells in %.300q", command, len(cells), line)
				continue
			}
			labels = append(labels, printable.FromCell(cells[column]))
			if strings.Trim(cells[column], "\x1b\x07\x0b\x7f\r") != cells[column] || strings.ContainsRune(cells[column], '\x1b') {
				t.Errorf("%s: the cell %q has control characters", command, cells[column])
			}
		}
		for _, label := range hostileLabels {
			if !slices.Contains(labels, label) {
				t.Errorf("%s: no row has the label %.100q", command, label)
			}
		}
	}
}

// TestHostileTextsInPictures: DOT has the nodes and edges of the model and no others,
// an SVG is well-formed and does nothing, a PNG is one.
func TestHostileTextsInPictures(t *testing.T) {
	labels := drawnHostileLabels()
	folder, file := hostilePlace(t, labels, hostileFile)
	states := 2*len(labels) + 1
	for _, view := range []string{"whole", "excerpt", "neighbourhoods", "quotient"} {
		dot, svg := filepath.Join(folder, view+".dot"), filepath.Join(folder, view+".svg")
		hostileRun(t, "diagram", file, hostileFormula, "--view", view, "-o", dot)
		hostileRun(t, "diagram", file, hostileFormula, "--view", view, "-o", svg)
		text := contents(t, dot)
		wantPrintable(t, view+" as DOT", strings.ReplaceAll(text, "\t", ""))
		if len(text) > 1_000_000 {
			t.Errorf("%s as DOT has %d bytes", view, len(text))
		}
		picture := contents(t, svg)
		// Graphviz writes a blank that must not be lost as one that cannot be broken.
		wantPrintable(t, view+" as SVG", strings.ReplaceAll(picture, "\u00a0", " "))
		wantHarmlessSVG(t, view, picture)
		if view == "whole" {
			wantGraph(t, dot, states+1, 3*len(labels)+1)
			if n := strings.Count(picture, `class="node state`); n != states {
				t.Errorf("the SVG has %d states, want %d", n, states)
			}
		}
	}
	hostileRun(t, "diagram", file, hostileFormula, "-o", filepath.Join(folder, "x.png"), "--scale", "0.2")
	if _, err := png.Decode(strings.NewReader(contents(t, filepath.Join(folder, "x.png")))); err != nil {
		t.Error(err)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantGraph has the real Graphviz count what is in a DOT file.
func wantGraph(t *testing.T, file string, nodes, edges int) {
	t.Helper()
	program, err := exec.LookPath("dot")
	if err != nil {
		t.Log("there is no dot here to read the DOT with")
		return
	}
	out, err := golden.Command(t, program, "-Tjson0", "-Kosage", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Objects, Edges []struct{} }
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Objects) != nodes || len(read.Edges) != edges {
		t.Errorf("Graphviz reads %d nodes and %d edges, want %d and %d", len(read.Objects), len(read.Edges), nodes, edges)
	}
}

// wantHarmlessSVG checks that a picture is well-formed and has in it what draws, and
// nothing that refers to anything or is run.
func wantHarmlessSVG(t *testing.T, what, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		switch token := token.(type) {
		case xml.Comment, xml.Directive, xml.ProcInst:
			t.Errorf("%s holds %v", what, token)
		case xml.StartElement:
			if !slices.Contains([]string{"svg", "g", "title", "text", "path", "polygon", "polyline", "ellipse"}, token.Name.Local) {
				t.Errorf("%s has an element %s", what, token.Name.Local)
			}
			for _, a := range token.Attr {
				if name := a.Name.Local; strings.HasPrefix(name, "on") || name == "href" || name == "style" || strings.Contains(a.Value, "url(") {
					t.Errorf("%s has an attribute %s=%.100q", what, name, a.Value)
				}
			}
		}
	}
}
