// Package plaintext has what the readers of formats share: the options, the model, and opening a
// text that may be compressed. Each error names the file.
package plaintext

import (
	"bytes"
	"cmp"
	"context"
	"io"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

// Options control how a file is read. A reader ignores what it has no use for. The zero value is
// strict.
type Options struct {
	// Name is the name of the file in errors and warnings.
	Name string
	// Path is the path of the file; names of other files in it are relative to its folder. Path is
	// "" if the text comes from no file.
	Path string
	// Network are options for a network, see package network.
	Network []string
	// Lenient accepts, with a warning, what a strict reading takes as a sign of a damaged file;
	// each reader documents what that is.
	Lenient bool
	// Constrained accepts states that TLC has marked as outside of the constraints of a
	// specification, and whose steps are unknown. It is for a caller that removes these states.
	Constrained bool
	// States requests the values of states. Otherwise they are skipped.
	States bool
	// Workers is the number of goroutines that read or sort; 0 means as many as there are
	// processors to run them. Results do not depend on it.
	Workers int
	// Admit is as in [aut.Options].
	Admit func(states, transitions int64) error
}

// Model is the content of a file.
type Model struct {
	LTS *lts.LTS
	// States is nil if the file has no values of states, or Options.States is false.
	States *lts.Values
	// Outside are the states whose steps are unknown, if Options.Constrained accepts them.
	Outside []lts.State
}

// Lines calls take with each line of a file that is not blank, without the blanks around it, and
// returns the number of all lines. take ends the reading by [abort.On]. The file is read as by
// [Open], and messages call it name. A line longer than 256 MiB is an error that says what the file
// should be, such as "an .fsm file": so a binary file is not read into memory as one line.
func Lines(
	ctx context.Context,
	r io.Reader,
	name, what string,
	take func(number int, text []byte),
) (lines int, err error) {
	text, _, err := Open(ctx, r, name)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	err = inputfile.EachModelLine(ctx, text, name, 256<<20, what, func(number int, line []byte) (err error) {
		defer abort.Caught(&err)
		lines = number
		line = bytes.TrimSpace(line)
		if len(line) > 0 {
			take(number, line)
		}
		return nil
	})
	return lines, err
}

// Open returns the text of a file, and the name of the file in messages. The file may be compressed
// by gzip, zstd or bzip2; its first bytes show how. The name is "input" if none is given. Errors
// are of type [inputfile.Error], unless ctx is done.
func Open(
	ctx context.Context,
	r io.Reader,
	name string,
) (text *compressed.Reader, shown string, err error) {
	name = cmp.Or(name, "input")
	text, err = compressed.NewReader(r, 1)
	switch {
	case ctx.Err() != nil:
		return nil, name, ctx.Err()
	case err != nil:
		return nil, name, inputfile.FileError(name, err)
	}
	return text, name, nil
}
