package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestElsewhereEndsWithTheCommandThatLeadsThere takes the command as a shell does,
// and runs it: it shows the way to every decision that is not on the run.
func TestElsewhereEndsWithTheCommandThatLeadsThere(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	// States 0 and 2 are decisions; the shortest counterexample passes the first.
	const model = `des (0, 7, 6)
(0, "STOP", 1)
(0, "it's $HOME", 2)
(2, "PUT !1", 3)
(2, "STOP", 4)
(3, "i", 3)
(4, "i", 4)
(0, "PUT !1", 5)
`
	inModels(t)
	for _, file := range []string{"new.aut", "it's a `model`.aut", "-o.aut"} {
		if err := os.WriteFile(file, []byte(model), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{nil, {"--unfold"}, {"--neighbourhood", "some"}, {"--format", "markdown"}} {
			args := append(append([]string{"explain", "--full"}, more...), "--", file, `Inev("PUT !1")`)
			code, out, stderr := called(nil, args...)
			if code != exitViolated || stderr != "" {
				t.Fatalf("%q: code %d, %s", args, code, stderr)
			}
			_, rest, found := strings.Cut(out, "How to get to each decision:")
			line := strings.Trim(strings.TrimSpace(rest), "`")
			if !found || strings.Contains(line, "\n") {
				t.Fatalf("%q: the last line is no command:\n%s", args, out)
			}
			words, err := golden.Command(t, shell, "-c", `printf '%s\0' `+line).Output()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			command := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
			for _, flag := range more {
				if strings.HasPrefix(flag, "--") && flag != "--format" && !slices.Contains(command, flag) {
					t.Errorf("%s lacks %s", line, flag)
				}
			}
			code, out, stderr = called(nil, command[1:]...)
			if code != exitDone || stderr != "" || !strings.Contains(out, "State 2") {
				t.Errorf("%s: code %d, %s%s", line, code, out, stderr)
			}
		}
	}
	// None where there is nothing, or no file to name.
	if _, out, _ := called(nil, "explain", "--full", "new.aut", `Inev(STOP)`); strings.Contains(out, "How to get") != strings.Contains(out, " other decision") {
		t.Errorf("a command, or none where there should be one:\n%s", out)
	}
	if _, out, _ := called(strings.NewReader(model), "explain", "--full", "-", `Inev("PUT !1")`); strings.Contains(out, "How to get") {
		t.Errorf("a command about standard input:\n%s", out)
	}
}

// TestPrintedCommandsReadWhatTheUserGave: the command that an explanation ends with reads specification, configuration and values of
// states as the explanation did.
func TestPrintedCommandsReadWhatTheUserGave(t *testing.T) {
	inModels(t)
	var b strings.Builder
	b.WriteString("strict digraph DiskGraph {\nsubgraph cluster_graph {\ncolor=\"white\";\n0 [label=\"x = 0\",style = filled]\n")
	edges := [][2]string{{"0", "1"}, {"0", "2"}, {"1", "5"}, {"2", "3"}, {"2", "4"}, {"3", "2"}, {"3", "6"}, {"6", "5"}, {"6", "4"}}
	for _, edge := range edges {
		b.WriteString(edge[0] + " -> " + edge[1] + " [label=\"Next\"];\n")
	}
	for _, s := range []string{"1", "2", "3", "4", "5", "6"} {
		b.WriteString(s + " [label=\"x = " + s + "\"];\n")
	}
	b.WriteString("}\n}\n")
	aut, table := "des (0, 9, 7)\n", "0\tx=0\n"
	for _, edge := range edges {
		aut += "(" + edge[0] + ", \"Next\", " + edge[1] + ")\n"
	}
	for _, s := range []string{"1", "2", "3", "4", "5", "6"} {
		table += s + "\tx=" + s + "\n"
	}
	config := "SPECIFICATION Spec\nPROPERTY P\nCONSTANT N = 4\n"
	for name, text := range map[string]string{
		"K.tla": "---- MODULE K ----\nEXTENDS Naturals\nVARIABLES x\nCONSTANT N\nSpec == [][x' # x]_x /\\ WF_x(x' # x)\nP == \\A k \\in {N, 9} : k = N => <>(x = k)\n====\n",
		"K.dot": b.String(), "other.cfg": config, "K.aut": aut, "K.tsv": table,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"K.dot", "--tla", "K.tla", "--cfg", "other.cfg"},
		{"K.dot", "P", "--tla", "K.tla", "--cfg", "other.cfg"},
		{"K.dot", "<>(x = N)", "--tla", "K.tla", "--cfg", "other.cfg", "--fair", "strong:Next"},
		{"K.aut", "F x = 4", "--states", "K.tsv"},
	} {
		_, out, stderr := called(nil, append([]string{"explain", "--full"}, args...)...)
		_, rest, found := strings.Cut(out, "How to get to each decision:")
		if !found {
			t.Fatalf("%q: there is no command:\n%s%s", args, out, stderr)
		}
		line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		words, err := golden.Command(t, "/bin/sh", "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Fatal(err)
		}
		command := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
		if code, out, stderr := called(nil, command[1:]...); code != exitDone || !strings.Contains(out, "State ") {
			t.Errorf("%s: code %d, %s%s", line, code, out, stderr)
		}
	}
}
