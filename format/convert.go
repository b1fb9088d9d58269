package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
)

// converter is a program that turns another format into .aut text: called with
// the names of both files, it tells the formats by their suffixes.
type converter struct {
	program, suite, home string
}

// convert has the file converted into a temporary one, which it reads and removes. Where
// the digest is asked for, what is converted is a copy, which is hashed as it is made.
func (f *Format) convert(ctx context.Context, path string, o Options) (*Model, []string, error) {
	if err := inputfile.CheckModel(path, o.Name); err != nil {
		return nil, nil, err
	}
	c := f.converter
	program, err := exec.LookPath(c.program)
	if err != nil {
		return nil, nil, inputfile.NewError(o.Name, 0, remedy.New(err, f.Name+" is read by way of "+c.program+", which is not on the PATH: install "+
			c.suite+" ("+c.home+"), or convert the file where it is installed, with "+c.program+" "+path+" FILE.aut"))
	}
	dir, err := os.MkdirTemp("", "inev-")
	if err != nil {
		return nil, nil, inputfile.NewError(o.Name, 0, remedy.New(err, "no temporary directory to convert it in: "+err.Error()))
	}
	defer os.RemoveAll(dir)
	file, err := inputfile.OpenModel(ctx, path, o.Name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	in := newContent(file, path, o.Digest)
	if o.Digest {
		path = filepath.Join(dir, "model"+f.Suffixes[0])
		if err := copyTo(path, in); err != nil {
			return nil, nil, inputfile.FileError(o.Name, err)
		}
	}
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
	m, warnings, err := aut.Open(ctx, text, o.aut())
	if err != nil {
		return nil, nil, err
	}
	digest, err := in.end(ctx, o.Name)
	if err != nil {
		return nil, nil, err
	}
	return &Model{LTS: m, Format: f, Digest: digest, File: in.before}, warnings, nil
}

func copyTo(path string, r io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
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
	return inputfile.NewError(name, 0, remedy.New(err, c.program+" cannot convert it: "+err.Error()))
}
