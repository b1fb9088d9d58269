package format

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
)

// converter is a program that turns another format into .aut text: called with
// the names of both files, it tells the formats by their suffixes.
type converter struct {
	program, suite, home string
}

// convert has the file converted into a temporary one, which it reads and removes.
func (f *Format) convert(ctx context.Context, path string, o aut.Options) (*lts.LTS, []string, error) {
	if err := aut.CheckModel(path, o.Name); err != nil {
		return nil, nil, err
	}
	c := f.converter
	program, err := exec.LookPath(c.program)
	if err != nil {
		return nil, nil, aut.NewError(o.Name, 0, remedy.New(err, f.Name+" is read by way of "+c.program+", which is not on the PATH: install "+
			c.suite+" ("+c.home+"), or convert the file where it is installed, with "+c.program+" "+path+" FILE.aut"))
	}
	dir, err := os.MkdirTemp("", "inev-")
	if err != nil {
		return nil, nil, aut.NewError(o.Name, 0, remedy.New(err, "no temporary directory to convert it in: "+err.Error()))
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
	return aut.Open(ctx, text, o)
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
	const most = 40
	quoted := strconv.Quote(string(first[:min(len(first), most)]))
	if len(first) > most {
		quoted += "..."
	}
	return errors.New(err.Error() + ", " + quoted)
}

// failed returns the error for a conversion that went wrong.
func (c converter) failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return aut.NewError(name, 0, remedy.New(err, c.program+" cannot convert it: "+err.Error()))
}
