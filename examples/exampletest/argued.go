package exampletest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/ctl/argument"
	"github.com/inev-lts/inev/ctl/wmc"
	"github.com/inev-lts/inev/internal/golden"
	"github.com/inev-lts/inev/lts"
)

// checkArguments compares the arguments about the formulas of NAME.ctl, if that
// file exists, with NAME.argued.txt, in the form that inev ctl prints.
func checkArguments(t *testing.T, name string, m *lts.LTS) {
	t.Helper()
	if _, err := os.Stat(name + ".ctl"); errors.Is(err, fs.ErrNotExist) {
		return
	}
	formulas, err := Read(name + ".ctl")
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
	golden.Check(t, name+".argued.txt", said.Bytes())
}

// argue writes the argument about a formula in the initial state.
func argue(said *bytes.Buffer, file string, m *lts.LTS, f Formula) error {
	ctx := context.Background()
	read, err := ctl.Parse(ctx, f.Text)
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
	x, err := argument.New(ctx, m, wmc.NewExplicit(m, means, nil), c, means, wmc.States{m.Initial()})
	if err != nil {
		return err
	}
	verdict, expected := "holds", "satisfied"
	if !x.Holds(m.Initial()) {
		verdict, expected = "does not hold", "violated"
	}
	if f.Expect != expected {
		return fmt.Errorf("%s %s; expected was: %s", f.Text, verdict, f.Expect)
	}
	a, err := x.Argue(m.Initial())
	if err != nil {
		return err
	}
	fmt.Fprintf(said, "%s: %s %s\n\n", file, read, verdict)
	return a.WriteText(said, m)
}
