package states

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// lineMax is the largest length of a line, so that a file which is no text is not
// read into memory as one line.
const lineMax = 64 << 20

// ReadTSV reads a table of the states of a model with n states. A line has the
// number of a state and, after a tab each, its values as NAME=VALUE; the values
// of a state or a parameter without an entry are unknown. A backslash, tab,
// line feed and carriage return are written \\, \t, \n and \r. name is the name
// of the file in errors.
//
// Errors are of type aut.Error, or the error of a context that is done. Cost
// O(length of the text) time, and 4 bytes for each state and parameter.
func ReadTSV(ctx context.Context, r io.Reader, name string, n int) (*Table, error) {
	b, err := NewBuilder(ctx, nil)
	if err != nil {
		return nil, err
	}
	err = inputfile.EachModelLine(ctx, r, name, lineMax, "a table of states", func(number int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		err := b.line(text, n)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return inputfile.NewError(name, number, err)
	})
	if err != nil {
		return nil, err
	}
	t, err := b.Build(n)
	if err != nil {
		return nil, inputfile.NewError(name, 0, err)
	}
	return t, nil
}

// line stores the values in the line of a state.
func (b *Builder) line(text []byte, n int) error {
	number, rest, _ := bytes.Cut(text, []byte("\t"))
	s, err := strconv.ParseUint(string(number), 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("a line is STATE, a tab, and NAME=VALUE after a tab each; %s is not a state", strconv.Quote(cut(number)))
	case s >= uint64(n):
		return fmt.Errorf("state %d, where the model has %d, numbered from 0", s, n)
	}
	for cells := 0; len(rest) > 0; cells++ {
		if cells%(1<<12) == 0 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		var cell []byte
		cell, rest, _ = bytes.Cut(rest, []byte("\t"))
		name, value, ok := strings.Cut(printable.FromCell(string(cell)), "=")
		if !ok || name == "" {
			return fmt.Errorf("a value is NAME=VALUE, found %s", strconv.Quote(cut(cell)))
		}
		p := b.Parameter(name)
		if b.columns[p].value(lts.State(s)) != None {
			return fmt.Errorf("state %d has a second value of %s", s, strconv.Quote(name))
		}
		if err := b.Set(lts.State(s), p, b.Value(p, []byte(value))); err != nil {
			return err
		}
	}
	return nil
}

func cut(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// WriteTSV writes a table in the form that [ReadTSV] reads: a line for each state
// with values. It fails if the name of a parameter is empty or has an equals
// sign, which the form cannot represent. Cost O(states · parameters).
func (t *Table) WriteTSV(w io.Writer) error {
	for _, c := range t.columns {
		if c.Name == "" || strings.Contains(c.Name, "=") {
			return fmt.Errorf("a table of states has no place for the parameter %q: its name is empty or has an equals sign", c.Name)
		}
	}
	b := bufio.NewWriterSize(w, 64<<10)
	for s := range lts.State(t.states) {
		if !t.Known(s) {
			continue
		}
		b.WriteString(strconv.Itoa(int(s)))
		for p, c := range t.columns {
			if v := t.Value(s, p); v != None {
				b.WriteByte('\t')
				b.WriteString(printable.Cell(c.Name))
				b.WriteByte('=')
				b.WriteString(printable.Cell(c.texts[v]))
			}
		}
		if err := b.WriteByte('\n'); err != nil {
			return err
		}
	}
	return b.Flush()
}
