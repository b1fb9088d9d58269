package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

func manualPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := writeManual(&program{}, &b, "2026-11-21"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestManualSaysWhatTheHelpSays: line by line, in the same order.
func TestManualSaysWhatTheHelpSays(t *testing.T) {
	shown := shownBy(manualPage(t))
	p := &program{}
	app := p.app()
	pages := []string{overview(p, app)}
	for _, command := range app.Commands {
		pages = append(pages, pageOf(command))
	}
	exits := strings.Index(shown, " EXIT STATUS ")
	commands, exitCodes := shown[:max(exits, 0)], shown[max(exits, 0):]
	for _, page := range pages {
		lines := strings.Split(page, "\n")
		isExit := false
		for _, line := range lines[1:] {
			line = strings.TrimPrefix(line, "Usage: ")
			if rest, is := strings.CutPrefix(line, "Exit codes: "); is {
				line, isExit = rest, true
			}
			words := strings.TrimSuffix(strings.Join(strings.Fields(line), " "), ":")
			text := &commands
			if isExit {
				text = &exitCodes
			}
			at := strings.Index(*text, words)
			if at < 0 {
				t.Fatalf("after the line before it, the manual does not say\n%s", line)
			}
			*text = (*text)[at:]
		}
	}
}

// shownBy returns the words that a manual page shows.
func shownBy(page string) string {
	special := regexp.MustCompile(`\\\[u([0-9A-F]+)\]`)
	words := strings.NewReplacer(`\&`, "", `\e`, `\`, `\-`, "-", `\(aq`, "'", `\(ga`, "`", `\(ha`, "^", `\(ti`, "~", `\(dq`, "\x00")
	var text []string
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, ".") {
			_, line, _ = strings.Cut(line, " ")
			line = strings.ReplaceAll(line, `"`, "")
		}
		line = special.ReplaceAllStringFunc(words.Replace(line), func(s string) string {
			code, err := strconv.ParseUint(special.FindStringSubmatch(s)[1], 16, 32)
			if err != nil {
				panic(err)
			}
			return string(rune(code))
		})
		text = append(text, strings.Fields(strings.ReplaceAll(line, "\x00", `"`))...)
	}
	return strings.Join(text, " ")
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		".aut":                     `\&.aut`,
		"'A, B'":                   `\&\(aqA, B\(aq`,
		`printf "a\n" -o ~/^`:      `printf \(dqa\en\(dq \-o \(ti/\(ha`,
		"67·1":                     `67\[u00B7]1`,
		"a.b":                      "a.b",
		"back`quote":               `back\(gaquote`,
		"\U0001F600 outside plane": `\[u1F600] outside plane`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestManualIsWellFormed: as far as the tools that are installed can tell.
func TestManualIsWellFormed(t *testing.T) {
	page := manualPage(t)
	checked := false
	for _, tool := range [][]string{{"mandoc", "-Tlint"}, {"groff", "-man", "-ww", "-z", "-Tutf8"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			continue
		}
		checked = true
		check := golden.Command(t, tool[0], tool[1:]...)
		check.Stdin = strings.NewReader(page)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", tool[0], err, out)
		}
	}
	if !checked {
		t.Skip("neither mandoc nor groff is installed")
	}
}
