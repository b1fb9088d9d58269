package cli

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
)

// wrapped is a flag that knows its names, as those of inev do.
type wrapped struct{ *StringSliceFlag }

func (wrapped) Names() []string { return []string{"internal"} }

// TestRunContext: a command line as inev arranges it gives the command what is on it.
func TestRunContext(t *testing.T) {
	var got *Context
	keep := func(c *Context) error { got = c; return nil }
	wrong := errors.New("wrong")
	app := &App{
		Writer: &bytes.Buffer{}, Flags: []Flag{&BoolFlag{Name: "version"}}, Action: keep,
		Commands: []*Command{
			{Name: "explain", Action: keep, Flags: []Flag{
				&StringFlag{Name: "format", Value: "text"}, &StringSliceFlag{Name: "fair"}, &BoolFlag{Name: "full", Aliases: []string{"f"}},
				wrapped{&StringSliceFlag{Name: "internal", Value: NewStringSlice("i", "tau")}},
			}},
			{Name: "fails", Action: func(*Context) error { return wrong }},
		},
	}
	run := func(words ...string) error {
		got = nil
		return app.RunContext(context.Background(), append([]string{"inev"}, words...))
	}
	if err := run("explain", "--fair=weak:A,B", "--full", "--fair=strong", "--", "m.aut", "--full"); err != nil {
		t.Fatal(err)
	}
	switch {
	case got.Command.Name != "explain" || got.App != app:
		t.Errorf("%s was carried out", got.Command.Name)
	case got.NArg() != 2 || got.Args().First() != "m.aut" || !slices.Equal(got.Args().Slice(), []string{"m.aut", "--full"}):
		t.Errorf("the operands are %q", got.Args())
	case !slices.Equal(got.StringSlice("fair"), []string{"weak:A,B", "strong"}) || !got.Bool("full") || got.Bool("f"):
		t.Errorf("the flags are %q", got.values)
	case got.String("format") != "text" || got.IsSet("format") || !slices.Equal(got.StringSlice("internal"), []string{"i", "tau"}):
		t.Errorf("flags that are not there are %q and %q", got.String("format"), got.StringSlice("internal"))
	}
	if err := run("explain", "--format=json", "--internal=x=y"); err != nil || got.String("format") != "json" || !got.IsSet("format") || !slices.Equal(got.StringSlice("internal"), []string{"x=y"}) || got.NArg() != 0 {
		t.Errorf("%v, %+v", err, got)
	}
	if err := run("--version"); err != nil || !got.Bool("version") {
		t.Errorf("%v, %+v", err, got)
	}
	if err := run(); err != nil || got == nil || got.Bool("version") {
		t.Errorf("%v, %+v", err, got)
	}
	if err := run("explain", "--nosuch"); err == nil || got != nil {
		t.Error("an unknown flag was taken")
	}
	if err := run("fails"); !errors.Is(err, wrong) {
		t.Errorf("the error is %v", err)
	}
}
