package frontend_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/format/frontend"
)

// TestRealMCRL2 makes models of specifications by mCRL2, if it is installed, and compares them with
// what mCRL2 gave elsewhere.
func TestRealMCRL2(t *testing.T) {
	if _, err := exec.LookPath("lps2lts"); err != nil && os.Getenv("MCRL2_HOME") == "" {
		t.Skip("mCRL2 is not installed")
	}
	specifications, _ := filepath.Glob(filepath.FromSlash("../../../shared/lts/mcrl2/specs/*.mcrl2"))
	if len(specifications) == 0 {
		t.Skip("there are no specifications")
	}
	m := &frontend.Maker{}
	compared := 0
	for _, path := range specifications {
		name := strings.TrimSuffix(filepath.Base(path), ".mcrl2")
		if name == "own_dates" {
			continue // it needs options that end its enumeration
		}
		want, _, err := format.Open(context.Background(), filepath.Join(filepath.Dir(path), "..", name+".aut"), format.Options{})
		if err != nil {
			continue
		}
		got, _, err := m.Open(context.Background(), frontend.Specification{Path: path}, format.Options{States: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compared++
		if got.LTS.NumStates() != want.LTS.NumStates() || got.LTS.NumTransitions() != want.LTS.NumTransitions() || got.LTS.Alphabet().Len() != want.LTS.Alphabet().Len() {
			t.Errorf("%s: %d states, %d transitions, %d labels, want %d, %d, %d", name, got.LTS.NumStates(), got.LTS.NumTransitions(), got.LTS.Alphabet().Len(),
				want.LTS.NumStates(), want.LTS.NumTransitions(), want.LTS.Alphabet().Len())
		}
	}
	if err := m.Close(); err != nil || compared == 0 {
		t.Errorf("%d were compared, error %v", compared, err)
	}
	t.Logf("%d specifications", compared)
}

// TestRealTLC makes the model of a specification by TLC, if it is installed, and compares it with
// what TLC gave elsewhere; it is the same bytes in each run.
func TestRealTLC(t *testing.T) {
	if os.Getenv("TLA2TOOLS") == "" {
		t.Skip("TLA2TOOLS does not name TLC")
	}
	folder := filepath.FromSlash("../../../shared/lts/tlc")
	want, _, err := format.Open(context.Background(), filepath.Join(folder, "quotes.dot"), format.Options{})
	if err != nil {
		t.Skip(err)
	}
	var texts [2]string
	for i := range texts {
		kept := filepath.Join(t.TempDir(), "quotes.dot")
		m := &frontend.Maker{}
		got, _, err := m.Open(context.Background(), frontend.Specification{
			Path: filepath.Join(folder, "spec", "Quotes.tla"), Config: filepath.Join(folder, "spec", "quotes.cfg"), Keep: kept,
		}, format.Options{States: true})
		if closed := m.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		if got.LTS.NumStates() != want.LTS.NumStates() || got.LTS.NumTransitions() != want.LTS.NumTransitions() || got.States == nil {
			t.Errorf("%d states and %d transitions, want %d and %d", got.LTS.NumStates(), got.LTS.NumTransitions(), want.LTS.NumStates(), want.LTS.NumTransitions())
		}
		text, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("TLC wrote another graph in the second run")
	}
}

// TestLibrariesOfTLC: TLC finds modules in the folders that are given as libraries, unless the module is next to the specification.
func TestLibrariesOfTLC(t *testing.T) {
	if os.Getenv("TLA2TOOLS") == "" {
		t.Skip("TLA2TOOLS does not name TLC")
	}
	folder := t.TempDir()
	for path, text := range map[string]string{
		"main/Count.tla": "---- MODULE Count ----\nEXTENDS Naturals, Steps\nVARIABLE x\nInit == x = 0\nNext == x' = Step(x)\n====\n",
		"main/Count.cfg": "INIT Init\nNEXT Next\n",
		"main/Near.tla":  "---- MODULE Near ----\nMost == 3\n====\n",
		"first/Near.tla": "---- MODULE Near ----\nMost == 7\n====\n",
		"first/Far.tla":  "---- MODULE Far ----\nEXTENDS Near, Naturals\nRest(n) == n % Most\n====\n",
		"last/Steps.tla": "---- MODULE Steps ----\nEXTENDS Naturals, Far\nStep(n) == Rest(n + 1)\n====\n",
	} {
		path = filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := &frontend.Maker{}
	defer m.Close()
	got, _, err := m.Open(context.Background(), frontend.Specification{
		Path: filepath.Join(folder, "main", "Count.tla"), Libraries: []string{filepath.Join(folder, "first"), filepath.Join(folder, "last")},
	}, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.LTS.NumStates() != 3 {
		t.Errorf("%d states, want the 3 of the module next to the specification", got.LTS.NumStates())
	}
}
