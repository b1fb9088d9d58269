package tlaplus

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeJar writes a jar with modules, by their paths in it.
func writeJar(t *testing.T, path string, modules map[string]string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := zip.NewWriter(file)
	for name, text := range modules {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestModulesInJars: a module is found in the jars and folders of TLC's class paths, and in community modules beside them; a module next to
// the specification comes first, and built-in modules are not read.
func TestModulesInJars(t *testing.T) {
	folder := t.TempDir()
	module := func(name, body string) string { return "---- MODULE " + name + " ----\n" + body + "\n====\n" }
	tools := filepath.Join(folder, "tla2tools.jar")
	writeJar(t, tools, map[string]string{
		"tla2sany/StandardModules/InTools.tla":  module("InTools", "LOCAL INSTANCE Naturals\nTools(a) == a + 1"),
		"tla2sany/StandardModules/Naturals.tla": module("Naturals", "a + b == 7"),
		"Near.tla":                              module("Near", "Where == \"jar\""),
	})
	writeJar(t, filepath.Join(folder, "CommunityModules-deps.jar"), map[string]string{
		"Beside.tla":  module("Beside", "EXTENDS InTools\nBe(a) == Tools(a) * 2\r\nWrong(a) == a[1]"),
		"IOUtils.tla": module("IOUtils", "IOEnv == CHOOSE r \\in [{} -> {}] : TRUE"),
	})
	classes := filepath.Join(folder, "classes")
	specification := filepath.Join(folder, "spec")
	for _, made := range []string{classes, specification} {
		if err := os.Mkdir(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(classes, "InFolder.tla"):    module("InFolder", "Fo == 5"),
		filepath.Join(specification, "Near.tla"):  module("Near", "Where == \"near\""),
		filepath.Join(specification, "Asked.tla"): module("Asked", "EXTENDS Naturals, Beside, InFolder, Near, Absent\nT == INSTANCE InTools\nB == INSTANCE Bags\nIO == INSTANCE IOUtils\nP == Be(1) = 4 /\\ Fo = 5 /\\ Where = \"near\" /\\ T!Tools(2) = 3 /\\ B!BagIn(1, B!SetToBag({1}))\nNone == Gone\nOut == IO!IOEnv = <<>>\nFails == Wrong(1) = 1"),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TLA2TOOLS", tools)
	t.Setenv("CLASSPATH", strings.Join([]string{filepath.Join(folder, "absent.jar"), classes}, string(filepath.ListSeparator)))
	s, err := Load(t.Context(), filepath.Join(specification, "Asked.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.State("P")
	if err != nil {
		t.Fatal(err)
	}
	if holds, err := s.Evaluator(t.Context()).Holds(p, nil, nil, nil); err != nil || !holds {
		t.Errorf("holds %t, error %v", holds, err)
	}
	if !slices.Contains(s.Files(), tools) {
		t.Errorf("files %q", s.Files())
	}
	if _, err := s.State("Out"); err == nil || !strings.Contains(err.Error(), "Asked.tla:8: IOEnv is what TLC reads from its environment, a file or another program") {
		t.Errorf("error %v", err)
	}
	fails, err := s.State("Fails")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evaluator(t.Context()).Holds(fails, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "CommunityModules-deps.jar!/Beside.tla:4: a[1]") {
		t.Errorf("error %v", err)
	}
	if _, err := s.State("None"); err == nil || !strings.Contains(err.Error(), "module Absent is not there") {
		t.Errorf("error %v", err)
	}
}

// TestModulesBehindTheFirst: modules that no file has are looked for in the file of the specification, behind its first module, and errors
// have their lines there.
func TestModulesBehindTheFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "Asked.tla")
	text := `---- MODULE Asked ----
EXTENDS Inner
I == INSTANCE Other WITH N <- 3
P == Twice(I!More) = 8
Fails == Wrong(1) = 1
None == I!Absent
====
The modules of ---- MODULE Asked ---- follow.

------ MODULE Inner ------
EXTENDS Naturals
Twice(a) == a * 2
Wrong(a) == a[1]
====

---- MODULE Other ----
EXTENDS Naturals
CONSTANT N
More == N + 1
====
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), file, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.State("P")
	if err != nil {
		t.Fatal(err)
	}
	if holds, err := s.Evaluator(t.Context()).Holds(p, nil, nil, nil); err != nil || !holds {
		t.Errorf("holds %t, error %v", holds, err)
	}
	fails, err := s.State("Fails")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evaluator(t.Context()).Holds(fails, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "Asked.tla:13: a[1]") {
		t.Errorf("error %v", err)
	}
	if _, err := s.State("None"); err == nil || !strings.Contains(err.Error(), "Asked.tla:6: ") {
		t.Errorf("error %v", err)
	}
	if len(s.Files()) != 1 {
		t.Errorf("files %q", s.Files())
	}
}
