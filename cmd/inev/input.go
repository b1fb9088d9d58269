package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// standardInput is how a model is named that is read from there.
const standardInput = "-"

// readBoth reads what most commands are about. The formula comes first: it costs
// nothing, and is where most mistakes are.
func (j *job) readBoth() (*lts.LTS, *actl.Formula, error) {
	f, err := j.readFormula()
	if err != nil {
		return nil, nil, err
	}
	m, err := j.readModel()
	return m, f, err
}

// readModel reads the model that the first operand names, and notes in the
// options what was met on the way.
func (j *job) readModel() (*lts.LTS, error) {
	start := time.Now()
	m, warnings, err := j.openModel(j.operands[0])
	if err != nil {
		return nil, err
	}
	j.options.Warnings = warnings
	j.options.Before = []explain.Phase{{Name: "read", Took: time.Since(start)}}
	return m, nil
}

func (j *job) openModel(path string) (*lts.LTS, []string, error) {
	o := aut.Options{Name: path, Lenient: j.c.Bool("lenient")}
	if path == standardInput {
		o.Name = "<standard input>"
		return aut.Read(j.ctx, stoppable(j.ctx, j.stdin), o)
	}
	return aut.Open(j.ctx, path, o)
}

// readFormula reads the formula, from its operand or from the file that --formula
// names.
func (j *job) readFormula() (*actl.Formula, error) {
	path := j.flag("formula")
	if path == "" {
		return actl.Parse(j.operands[slices.Index(j.usage(), "FORMULA")])
	}
	text, err := os.ReadFile(path)
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		err = inPath.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the formula cannot be read: %w", path, err)
	}
	return actl.ParseFile(path, text)
}

// stoppable returns a reader that is given up once ctx is done: a terminal or a
// pipe may keep a reader waiting for ever. A regular file does not, and its
// length is worth knowing.
func stoppable(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f
		}
	}
	return &stoppableReader{ctx: ctx, r: r}
}

// stoppableReader leaves a read that does not end to a goroutine of its own,
// with a buffer of its own.
type stoppableReader struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte
}

func (s *stoppableReader) Read(data []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if len(s.buffer) < len(data) {
		s.buffer = make([]byte, len(data))
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func(buffer []byte) {
		n, err := s.r.Read(buffer)
		done <- result{n, err}
	}(s.buffer[:len(data)])
	select {
	case <-s.ctx.Done():
		s.buffer = nil // the goroutine may still write to it
		return 0, s.ctx.Err()
	case r := <-done:
		copy(data, s.buffer[:r.n])
		return r.n, r.err
	}
}
