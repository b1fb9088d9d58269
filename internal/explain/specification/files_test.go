package specification_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/explain/specification"
)

// Lines with marks: ‹1› stands in front of what action 1 is to be found at, its definition where
// there is one.
var files = map[string]string{
	"jugs.tla": `---- MODULE jugs ----
\* Fill(x) == is described here
(* Fill == (* nested *) Fill(x) == *)
Next == \E p \in P : Fill(p) \/ Empty
‹Fill› Fill(p) == /\ small' = 3
‹Pour› LOCAL Pour == big' = small
Say == out' = "Shout"
Other == Empty /\ Fill(2)
====`,
	"abp.mcrl2": `sort D = struct d1 | d2;
% act r1: D;
‹r1› act r1, s4: D;
‹i2›     i2;
‹S› proc S(b: Bool) = r1(d1) . S(!b)
   + i2;
init S(true);`,
	"agency.lnt": `-- process TRAVEL
‹travel› process Travel [REQUEST_EM: any] is
  "VOUCHER" ; request_em
end process`,
	"leader.pml": `/* proctype node */
// active proctype node
#define N 3
‹node› active [N] proctype node(byte id) { printf("send"); send!id }
‹reset› inline reset(x) { node = 0 }`,
	"phil.fsp": `/* PHIL = */
‹PHIL› PHIL = (sitdown->eat->PHIL).
‹TABLE› ||TABLE = (phil[1..2]:PHIL).`,
	"main.go": "package main\n// func send\nvar s = `func send() {`\n‹send› func send() {}\n‹put› func (q *queue) put(x int) { send() }\n",
}

// TestDefinitionsComeFirst: a word that is marked is found at its mark, whatever stands before it
// in comments, strings and other places.
func TestDefinitionsComeFirst(t *testing.T) {
	folder := t.TempDir()
	wanted := map[string]map[string]int{}
	for name, marked := range files {
		var lines []string
		wanted[name] = map[string]int{}
		for i, line := range strings.Split(marked, "\n") {
			if rest, is := strings.CutPrefix(line, "‹"); is {
				word, after, _ := strings.Cut(rest, "›")
				wanted[name][word] = i + 1
				line = strings.TrimPrefix(after, " ")
			}
			lines = append(lines, line)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, words := range wanted {
		f := read(t, filepath.Join(folder, name))
		for word, line := range words {
			p := f.Find(word + "(1, Pour)")
			if p == nil || p.Line != line || !p.Definition {
				t.Errorf("%s: %s is at %+v, want line %d", name, word, p, line)
			}
		}
	}
	f := read(t, folder)
	for label, want := range map[string]string{
		"Fill": "jugs.tla:5 and 2 other places", "Empty": "jugs.tla:4 and 1 other place", "Shout": "", "small": "jugs.tla:5 and 1 other place", "VOUCHER !1": "", "REQUEST_EM !FALSE": "agency.lnt:2 and 1 other place",
		"s4(d1)|r1(d1)": "abp.mcrl2:3", "phil.1.eat": "phil.fsp:2", "i": "", "tau": "", "": "", `"Pour"`: "jugs.tla:6", "nowhere(Fill)": "", "Fillx": "", "(": "", "))": "",
	} {
		got := ""
		if p := f.Find(label); p != nil {
			got = strings.TrimPrefix(filepath.ToSlash(p.String()), filepath.ToSlash(folder)+"/")
		}
		if got != want {
			t.Errorf("%s is at %q, want %q", label, got, want)
		}
	}
	if p := f.Find("Fill"); p.Text != `Fill(p) == /\ small' = 3` {
		t.Errorf("the line is %q", p.Text)
	}
	var none *specification.Files
	if none.Find("Fill") != nil {
		t.Error("there are no files, and yet a place")
	}
}

func read(t *testing.T, paths ...string) *specification.Files {
	t.Helper()
	f, err := specification.Read(context.Background(), paths)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRefused: what cannot be read is refused with what to do.
func TestRefused(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(text, []byte("Fill"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		folder: "has no file of a specification", text: "is of no known language", filepath.Join(folder, "none.tla"): "there is no such file",
	} {
		if _, err := specification.Read(context.Background(), []string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	spec := filepath.Join(folder, "a.tla")
	if err := os.WriteFile(spec, []byte("Fill == 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := specification.Read(ctx, []string{spec}); err == nil {
		t.Error("it is not stopped")
	}
	if a, b := read(t, spec), read(t, spec, spec); a.Digest() != b.Digest() || len(a.Digest()) != 64 {
		t.Error("a file that is named twice is read twice")
	}
}

// FuzzRead: whatever stands in a file, what is found is a line of it that has the word.
func FuzzRead(f *testing.F) {
	for name, text := range files {
		f.Add(filepath.Ext(name), text, "Fill")
	}
	f.Fuzz(func(t *testing.T, suffix, text, label string) {
		path := filepath.Join(t.TempDir(), "a.tla")
		for _, known := range []string{".tla", ".mcrl2", ".lnt", ".lotos", ".pml", ".fsp", ".go"} {
			if known == suffix {
				path = filepath.Join(t.TempDir(), "a"+suffix)
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Skip()
		}
		p := read(t, path).Find(label)
		lines := strings.Split(text, "\n")
		if p != nil && (p.Line > len(lines) || strings.TrimSpace(lines[p.Line-1]) != p.Text) {
			t.Errorf("%+v is no line of it", p)
		}
	})
}
