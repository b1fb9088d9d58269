package aut

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/inev-lts/inev/lts"
)

// Open reads an LTS from a file, as [Read] does. Options.Name need not be
// given: it is path then.
//
// A file named .bcg is converted by CADP's bcg_io, one named .lts or .fsm by
// mCRL2's ltsconvert, where these programs are found on the PATH; where not,
// the error says what to install or how to convert by hand. Lines in errors
// and warnings are those of the converted text then.
//
// ctx also ends the waiting for a named pipe or a terminal.
func Open(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	if o.Name == "" {
		o.Name = path
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, FileError(o.Name, err)
	}
	if info.IsDir() {
		return nil, nil, &Error{File: o.Name, Message: "this is a directory: name an .aut file in it"}
	}
	if c, ok := converterOf(path); ok {
		return c.open(ctx, path, o)
	}
	return openText(ctx, path, o)
}

func openText(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	f, err := open(ctx, path)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, FileError(o.Name, err)
	}
	defer f.Close()
	return Read(ctx, Stoppable(ctx, f), o)
}

// converter is a program that turns another format into .aut text: called with
// the names of both files, it tells the formats by their suffixes.
type converter struct {
	program, format, suite, home string
}

// converterOf returns the program that converts the file, by its suffix.
func converterOf(path string) (c converter, ok bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".bcg":
		return converter{"bcg_io", "CADP's BCG format", "CADP", "https://cadp.inria.fr"}, true
	case ".lts":
		return converter{"ltsconvert", "mCRL2's .lts format", "mCRL2", "https://mcrl2.org"}, true
	case ".fsm":
		return converter{"ltsconvert", "mCRL2's .fsm format", "mCRL2", "https://mcrl2.org"}, true
	}
	return converter{}, false
}

// open converts the file into a temporary one, which it reads and removes.
func (c converter) open(ctx context.Context, path string, o Options) (*lts.LTS, []string, error) {
	program, err := exec.LookPath(c.program)
	if err != nil {
		return nil, nil, &Error{File: o.Name, cause: err, Message: c.format + " is read by way of " + c.program + ", which is not on the PATH: install " +
			c.suite + " (" + c.home + "), or convert the file where it is installed, with " + c.program + " " + path + " FILE.aut"}
	}
	dir, err := os.MkdirTemp("", "inev-")
	if err != nil {
		return nil, nil, &Error{File: o.Name, cause: err, Message: "no temporary directory to convert it in: " + err.Error()}
	}
	defer os.RemoveAll(dir)
	text := filepath.Join(dir, "model.aut")
	if strings.HasPrefix(path, "-") {
		path = "." + string(filepath.Separator) + path
	}
	if err := c.run(ctx, program, path, text); err != nil {
		return nil, nil, c.failed(ctx, o.Name, err)
	}
	if _, err := os.Stat(text); err != nil {
		return nil, nil, c.failed(ctx, o.Name, errors.New("it wrote no file"))
	}
	return openText(ctx, text, o)
}

// run calls the program; its error holds the first line of what it said.
func (c converter) run(ctx context.Context, program, from, to string) error {
	cmd := exec.CommandContext(ctx, program, from, to)
	// Children that survive the program keep its output open; they are not
	// waited for.
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
	if len(first) == 0 {
		return err
	}
	return errors.New(err.Error() + ", " + quote(first))
}

// failed returns the error for a conversion that went wrong.
func (c converter) failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{File: name, cause: err, Message: c.program + " cannot convert it: " + err.Error()}
}
