//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/tools/build"
)

// violating is a model as lps2lts writes it, which violates all formulas of the specifications.
const violating = `des (0,12,1)                                  
(0,"tau",0)
(0,"a",0)
(0,"i",0)
(0,"r1(d1)",0)
(0,"s2(d1)",0)
(0,"b(0)",0)
(0,"a(1)",0)
(0,"lock(1, 1)",0)
(0,"eat(1)|free(1, 1)",0)
(0,"enter_operation(1)",0)
(0,"enter_operation(2)",0)
(0,"enter_operation(3)",0)
`

// fakes puts programs into a folder that take the places of mCRL2's tools: each is a script
// that is told of the call in the file calls.
func fakes(t *testing.T, scripts map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, script := range scripts {
		text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo " + name + " of a test; exit; fi\n" +
			"echo " + name + " >> " + filepath.Join(folder, "calls") + "\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// scripts take the places of all tools: they generate one model, and say that it violates
// everything.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.aut")
	if err := os.WriteFile(model, []byte(violating), 0o644); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"mcrl22lps": `cp "$2" "$3"`, "lps2lts": "cp " + model + ` "$4"`,
		"ltsconvert": `cp "$3" "$4"`, "lts2pbes": `cp "$4" "$6"; cat "$2" >> "$(dirname "$0")/declared"`, "pbessolve": "echo false",
	}
}

// built returns the command.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	inev := filepath.Join(t.TempDir(), "inev")
	if err := build.Command(context.Background(), inev); err != nil {
		t.Fatal(err)
	}
	return inev
}

// withSpecifications does something in a laboratory with these tools, and a folder of examples
// whose files have nothing but the lines that change.
func withSpecifications(t *testing.T, inev, tools string, do func(context.Context, *laboratory)) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o := settings{runs: 2, inev: inev, peerLimit: time.Minute, log: io.Discard, mcrl2: tools, examples: t.TempDir(), models: t.TempDir()}
	if err := o.readSizes("1e3", "", ""); err != nil {
		t.Fatal(err)
	}
	err := inLaboratory(context.Background(), o, func(l *laboratory) error {
		for _, s := range l.specifications() {
			path := filepath.Join(o.examples, filepath.FromSlash(s.path))
			text := "% " + s.name + "\n"
			for _, change := range s.changes {
				text += change[0] + "\r\n"
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				return err
			}
		}
		do(context.Background(), l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSpecifications generates models with programs that take the places of mCRL2's, once,
// and measures inev beside them.
func TestSpecifications(t *testing.T) {
	tools := fakes(t, scripts(t))
	withSpecifications(t, built(t), tools, func(ctx context.Context, l *laboratory) {
		for range 2 {
			if err := l.specify(ctx); err != nil {
				t.Fatal(err)
			}
		}
		kinds := len(l.specifications())
		calls, err := os.ReadFile(filepath.Join(tools, "calls"))
		if err != nil || strings.Count(string(calls), "lps2lts\n") != kinds {
			t.Errorf("%v\n%s", err, calls)
		}
		text, err := l.specifiedRuns(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"| `inev check`, 2 processes of 9 actions, `Inev(i, a)` | 12 | 1 | violated, 1 |",
			"| `inev explain`, FlexRay, `Inev(enter_operation_1, enter_operation_2, enter_operation_3)` | 12 | 1 | violated |",
		} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%q is not there once:\n%s", want, text)
			}
		}
		// Seven formulas, one of them by two routes.
		if n := strings.Count(text, "| mCRL2: "); n != 8 || len(l.targets) != 7 {
			t.Errorf("%d rows of mCRL2, %d targets:\n%s", n, len(l.targets), text)
		}
		declared, err := os.ReadFile(filepath.Join(tools, "declared"))
		if err != nil || !strings.Contains(string(declared), "eat_1_free_1_1") || strings.Contains(string(declared), "tau") {
			t.Errorf("declared is, %v:\n%s", err, declared)
		}
	})
}

// TestWrongSpecifications: what cannot be done is one error, which says what and where.
func TestWrongSpecifications(t *testing.T) {
	inev := built(t)
	for name, c := range map[string]struct {
		wrong func(l *laboratory, tools map[string]string) error
		want  string
	}{
		"no line": {func(l *laboratory, _ map[string]string) error {
			return os.WriteFile(filepath.Join(l.examples, "academic", "cabp", "cabp.mcrl2"), []byte("sort DATA = Nat;\n"), 0o644)
		}, `cabp.mcrl2 has no line "sort DATA = struct d1 | d2;"`},
		"no file": {func(l *laboratory, _ map[string]string) error {
			return os.RemoveAll(filepath.Join(l.examples, "industrial"))
		}, "give the folder examples of mCRL2's sources"},
		"no tools": {func(l *laboratory, _ map[string]string) error { delete(l.peers.tools, "lps2lts"); return nil }, "mcrl22lps and lps2lts are not found"},
		"failure": {func(l *laboratory, tools map[string]string) error {
			return os.WriteFile(tools["lps2lts"], []byte("#!/bin/sh\necho no memory >&2\nexit 3\n"), 0o755)
		}, "lps2lts cannot generate 2 processes of 9 actions: "},
		"no model": {func(l *laboratory, tools map[string]string) error {
			return os.WriteFile(tools["lps2lts"], []byte("#!/bin/sh\necho nothing > \"$4\"\n"), 0o755)
		}, ".aut:1: "},
		"another verdict": {func(l *laboratory, tools map[string]string) error {
			return os.WriteFile(tools["pbessolve"], []byte("#!/bin/sh\necho true\n"), 0o755)
		}, "`Inev(i, a)` and mCRL2: `ltsconvert` first do not agree"},
	} {
		t.Run(name, func(t *testing.T) {
			withSpecifications(t, inev, fakes(t, scripts(t)), func(ctx context.Context, l *laboratory) {
				if err := c.wrong(l, l.peers.tools); err != nil {
					t.Fatal(err)
				}
				err := l.specify(ctx)
				if err == nil {
					_, err = l.specifiedRuns(ctx)
				}
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v, want %q", err, c.want)
				}
			})
		})
	}
}

// TestNames: labels become names, and two of them never the same one.
func TestNames(t *testing.T) {
	folder := t.TempDir()
	at := task{Path: filepath.Join(folder, "from.aut"), To: filepath.Join(folder, "to.aut")}
	for text, want := range map[string]string{
		"des (0,2,2)   \n(0,\"lock(1, 2)|bit\",1)\r\n(1,\"tau\",0)\n": "des (0,2,2)\n(0,\"lock_1_2_bit\",1)\n(1,\"tau\",0)\n",
		"des (0,2,2)\n(0,\"a(1)\",1)\n(1,\"a_1\",0)\n":                "",
		"des (0,1,2)\n(0,\"\",1)\n":                                   "",
	} {
		if err := os.WriteFile(at.Path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := writeNames(context.Background(), at)
		got, cannot := os.ReadFile(at.To)
		if (err == nil) != (want != "") || want != "" && string(got) != want || cannot != nil {
			t.Errorf("%q: %v, %q", text, err, got)
		}
	}
}
