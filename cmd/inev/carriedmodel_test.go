package main

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestCarriedModelIsWhatWasRead: a page carries the bytes that its verdict is about, though the file changes
// after they were read.
func TestCarriedModelIsWhatWasRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.aut")
	const before, after = "des (0, 1, 2)\n(0, A, 1)\n", "des (0, 1, 2)\n(0, B, 1)\n"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(before)
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.Bool(engineFlag, true, "")
	app := cli.NewContext(cli.NewApp(), flags, nil)
	app.Command = &cli.Command{Name: "explain"}
	ctx := context.Background()
	j := newJob(&program{stdout: newResults(ctx, io.Discard)}, app)
	j.ctx, j.operands = ctx, []string{path}
	m, err := j.readModel()
	if err != nil {
		t.Fatal(err)
	}
	if _, is := m.Alphabet().Lookup("A"); !is {
		t.Fatal("A is not read")
	}
	write(after)
	data, name, err := (&explaining{job: j}).modelBytes(nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != before || name != "m.aut" {
		t.Errorf("%s carries %q, want %q", name, data, before)
	}
}
