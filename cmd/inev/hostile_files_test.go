package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestHostileTextsInFiles: what other programs read has the labels to the byte.
func TestHostileTextsInFiles(t *testing.T) {
	folder, file := hostilePlace(t, hostileLabels, hostileFile)
	in := func(name string) string { return filepath.Join(folder, name) }
	hostileRun(t, "explain", file, hostileFormula, "--autx", in("x.autx"), "--certificate", in("x.json"), "--quiet", "--format", "tsv")
	marked, _, err := format.Open(context.Background(), in("x.autx"), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, text := range marked.LTS.Alphabet().All() {
		texts = append(texts, text)
	}
	for _, label := range hostileLabels {
		if !slices.Contains(texts, label) {
			t.Errorf("the .autx file has no label %.100q", label)
		}
	}
	wantPrintable(t, "the verifier", hostileRun(t, "verify", file, hostileFormula, in("x.json")))
	hostileRun(t, "convert", file, "-o", in("again.aut"))
	if contents(t, in("again.aut")) != contents(t, file) {
		t.Error("the model is not the same when it is written again")
	}

	// A label with a double quote in it cannot be written as .seq.
	writable := slices.DeleteFunc(slices.Clone(hostileLabels), func(l string) bool { return strings.Contains(l, `"`) })
	_, file = hostilePlace(t, writable, "writable.aut")
	hostileRun(t, "explain", file, hostileFormula, "--trace", in("x.seq"), "--format", "tsv")
	runs, _, err := sequence.Open(context.Background(), in("x.seq"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, error %v", len(runs), err)
	}
	wantPrintable(t, "a given counterexample", hostileRun(t, "explain", file, hostileFormula, "--counterexample", in("x.seq")))
}

var tag = regexp.MustCompile(`<[!/?]?[A-Za-z-]+`)

// TestHostileTextsInPages: a page about hostile texts has the same elements as one
// about harmless texts; what the browser makes of it is tested in package page.
func TestHostileTextsInPages(t *testing.T) {
	short := slices.DeleteFunc(drawnHostileLabels(), func(l string) bool { return len(l) > 1000 })
	harmless := make([]string, len(short))
	for i := range short {
		// As long, for pictures put short labels into one line.
		harmless[i] = fmt.Sprint("l", i)
		harmless[i] += strings.Repeat("x", max(0, utf8.RuneCountInString(printable.Text(short[i]))-len(harmless[i])))
	}
	elements := func(labels []string, name, formula string) map[string]int {
		folder, file := hostilePlace(t, labels, name)
		page := filepath.Join(folder, "x.html")
		hostileRun(t, "explain", file, formula, "--html", page, "--quiet", "--format", "tsv")
		text := contents(t, page)
		own := strings.NewReplacer("\t", "", "\u00a0", " ").Replace(text[strings.Index(text, "</style>"):strings.LastIndex(text, "<script>")])
		wantPrintable(t, "the page", own)
		if !strings.Contains(text, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-`) {
			t.Error("the page has no policy")
		}
		counts := map[string]int{}
		for _, name := range tag.FindAllString(text, -1) {
			counts[name]++
		}
		return counts
	}
	got := elements(short, hostileFile, hostileFormula)
	want := elements(harmless, "harmless.aut", `Inev({DONE, "no label", /^no label$/})`)
	for name := range got {
		if got[name] != want[name] {
			t.Errorf("%s stands in the page %d times, in that of harmless texts %d times", name, got[name], want[name])
		}
	}
}

// TestHostileErrors: what is refused is told in one line that a terminal can show.
func TestHostileErrors(t *testing.T) {
	const hostile = "\x1b[2J\x1b]0;x\x07\u202e\u009b\xff\r\n<x>"
	folder, file := hostilePlace(t, hostileLabels, "m.aut")
	in := func(name string) string { return filepath.Join(folder, name) }
	bad := func(text string) string {
		file := in(fmt.Sprintf("bad%d", len(text)))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	long, blanks := strings.Repeat(hostile, 10_000), strings.Repeat("x. y ", 6_000)
	for _, args := range [][]string{
		{hostile}, {"--" + hostile}, {"explain", "--" + hostile}, {"explain", "--quiet=" + hostile}, {"explain", file, hostile}, {"explain", file, "Inev(\"" + hostile},
		{"explain", hostile, "Inev(A)"}, {"explain", "--formula", hostile, file}, {"explain", file, "Inev(A)", "-o", hostile}, {"explain", file, "Inev(A)", "-o", "x." + hostile},
		{"explain", file, "Inev(A)", "--format", hostile}, {"explain", file, "Inev(A)", "--timeout", hostile}, {"explain", file, "Inev(A)", "--memory", hostile},
		{"explain", file, "Inev(A)", "--search-limit", hostile}, {"explain", file, "Inev(A)", "--svg", hostile}, {"explain", file, "Inev(A)", "--pattern", hostile},
		{"explain", file, "Inev(A)", "--scc", hostile}, {"explain", file, "Inev(A)", "--neighbourhood", hostile}, {"explain", file, "Inev(A)", hostile},
		{"explain", file, "Inev(A)", "--counterexample", hostile}, {"explain", file, "Inev(A)", "--counterexample", bad("\"" + hostile + "\"\n")},
		{"explain", file, hostileFormula, "--trace", in("x.seq"), "--quiet"},
		{"diagram", file, "Inev(A)", "--view", hostile}, {"diagram", file, "Inev(A)", "--graphviz", hostile, "-o", in("x.svg")}, {"diagram", file, "Inev(A)", "--layout", hostile},
		{"diagram", file, "Inev(A)", "--font-size", hostile}, {"path", file, "Inev(A)", "--to", hostile}, {"path", file, "Inev(A)", "--from", hostile},
		{"info", bad(hostile)}, {"info", bad("des (0, 1, 2)\n" + hostile + "\n")}, {"info", bad("des (0, 1, 2)\n(0, \"" + hostile + "\", 1)\n")}, {"info", bad("des (0, 1, 2)\n(0, \"" + long + "\", x)\n")},
		{"info", bad("des (0, 1, " + hostile + ")\n")}, {"convert", file, "-o", "x" + hostile}, {"convert", file, "-o", in("x.dot") + hostile},
		{"formula", hostile}, {"formula", "Inev(/" + hostile + "(/)"}, {"formula", "Inev(/" + long + "(/)"}, {"verify", file, "Inev(A)", bad("{\"" + hostile)}, {"verify", file, "Inev(A)", hostile},
		{"lasso", bad("HOA: v1 /* " + hostile)}, {"lasso", bad("HOA: v1\nname: \"" + hostile + "\"\n" + hostile)}, {"help", hostile}, {"completion", hostile}, {"generate", hostile},
		{"explain", file, "Inev(A)", "--counterexample", bad("\"" + blanks + "\"\n")}, {"check", file, blanks + " = 1"}, {"check", file, "Inev(A)", "--fair", blanks}, {blanks}, {"formula", "[ true ] Inev(" + blanks + ")"},
		{"info", bad(blanks + "(2) S \"a\" \"b\"\n---\n5\n---\n1 1 \"A\"\n")}, {"replay", file, bad(blanks + ",b\n1,2\n"), "--field", blanks},
	} {
		code, stdout, stderr := called(strings.NewReader(""), args...)
		what := fmt.Sprintf("%.150q", args)
		if code != exitFailed || stdout != "" {
			t.Errorf("%s: exit code %d, output %.200q", what, code, stdout)
		}
		wantPrintable(t, what, stderr)
		first, rest, _ := strings.Cut(stderr, "\n")
		if !strings.HasPrefix(first, "inev: ") || rest != "" && !strings.Contains(rest, "^") && !strings.HasPrefix(first, "inev: warning: ") {
			t.Errorf("%s: the error is not one line: %.300q", what, stderr)
		}
		if len(stderr) > 1500 {
			t.Errorf("%s: the error has %d bytes", what, len(stderr))
		}
	}
}

// terminalOrders are those that we give: colours, and those of the line of progress.
var terminalOrders = regexp.MustCompile(`\x1b\[(?:\d+m|\d*A|J|\?25[lh])`)

// TestHostileTextsOnATerminal: with colours and progress, and in the formats that are
// made for programs too, a terminal gets no orders but ours.
func TestHostileTextsOnATerminal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no pseudo terminals here")
	}
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	_, file := hostilePlace(t, hostileLabels, hostileFile)
	formats := []string{"text", "markdown", "tsv", "json"}
	for i, command := range []string{"explain", "classify", "check", "enrich", "info", "diagram", "labels", "path", "repair", "why", "formula", "explain --unfold", "classify --neighbourhoods"} {
		for j, format := range formats {
			if !randomlts.Whole() && i%len(formats) != j {
				continue
			}
			name, more, _ := strings.Cut(command, " ")
			args := []string{"inev", name, file, hostileFormula, "--format", format}
			if more != "" {
				args = append(args, more)
			}
			switch command {
			case "info", "labels":
				args = slices.Delete(args, 3, 4)
			case "formula":
				args = slices.Delete(args, 2, 3)
			case "path":
				args = append(args, "--to", "each")
			case "why":
				args = append(args, "--not", "DONE")
			case "diagram":
				args = args[:4]
			}
			seen := onTerminalAll(t, args)
			rest := terminalOrders.ReplaceAllString(strings.ReplaceAll(seen, "\r\n", "\n"), "")
			if format == "tsv" || command == "diagram" {
				rest = strings.ReplaceAll(rest, "\t", "")
			}
			wantPrintable(t, command+" as "+format, rest)
		}
	}
}

// onTerminalAll returns what a terminal is sent when a command is run there.
func onTerminalAll(t *testing.T, args []string) string {
	t.Helper()
	outside, inside, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	seen := make(chan string)
	go func() {
		var b strings.Builder
		buffer := make([]byte, 1<<16)
		for {
			n, err := outside.Read(buffer)
			b.Write(buffer[:n])
			if err != nil {
				break // the end of a terminal is an error on Linux
			}
		}
		seen <- b.String()
	}()
	code := runPatiently(0, args, strings.NewReader(""), inside, inside)
	if err := inside.Close(); err != nil {
		t.Fatal(err)
	}
	text := <-seen
	if code > exitViolated {
		t.Errorf("%.100q: exit code %d: %s", args, code, text)
	}
	return text
}
