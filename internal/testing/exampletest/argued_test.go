package exampletest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/lts"
)

// checkArguments compares the arguments about the formulas of PATH.ctl, if that
// file exists, with PATH.argued.txt, in the form that inev ctl prints.
func checkArguments(t *testing.T, path string, m *lts.LTS) {
	t.Helper()
	name := filepath.Base(path)
	if _, err := os.Stat(path + ".ctl"); errors.Is(err, fs.ErrNotExist) {
		return
	}
	formulas, err := exampletest.Read(path + ".ctl")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for _, f := range formulas {
		fmt.Fprintf(&said, "$ inev ctl %s.aut '%s'\n", name, f.Text)
		if err := argue(&said, name+".aut", m, f); err != nil {
			t.Fatalf("%s: %v", f.Place, err)
		}
		fmt.Fprintln(&said)
	}
	golden.Check(t, path+".argued.txt", said.Bytes())
}

// argue writes the argument about a formula in the initial state.
func argue(said *bytes.Buffer, file string, m *lts.LTS, f exampletest.Formula) error {
	ctx := context.Background()
	read, err := syntax.Parse(ctx, f.Text)
	if err != nil {
		return err
	}
	c := read.Closure()
	if err := c.Unmatched(ctx, m.Alphabet()); err != nil {
		return err
	}
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		return err
	}
	initial := wmc.States{m.Initial()}
	checked, err := wmc.Check(ctx, wmc.NewExplicit(m, means, nil), c, initial, wmc.Options{})
	if err != nil {
		return err
	}
	x, err := argument.New(ctx, m, checked, means, initial)
	if err != nil {
		return err
	}
	a, err := x.Argue(m.Initial())
	if err != nil {
		return err
	}
	verdict, expected := "holds", "satisfied"
	if !a.Holds {
		verdict, expected = "does not hold", "violated"
	}
	if f.Expect != expected {
		return fmt.Errorf("%s %s; expected was: %s", f.Text, verdict, f.Expect)
	}
	fmt.Fprintf(said, "%s: %s %s\n\n", file, read, verdict)
	return a.WriteText(said, m)
}
