package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
)

// ReadLanes reads a table of lanes. A line has up to four cells with a tab between them: a label of
// the model (or a gate, for all its labels); the lane that acts; for a message, the lane that
// receives it; and, if a separate step receives it, the label (or gate) of this step. Lines that
// begin with # are comments. A backslash, tab, line feed and carriage return are written \\, \t, \n
// and \r, as [inev labels] writes them. The name of the file is for errors.
//
// Errors begin with the name and the number of a line. Cost O(length of the text).
func ReadLanes(ctx context.Context, r io.Reader, name string) (*Lanes, error) {
	l := &Lanes{source: name, labels: map[string]int{}, gates: map[string]int{}}
	err := eachLine(ctx, r, func(number int, text string) error {
		if err := l.line(number, text); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		return nil
	})
	switch {
	case err != nil && ctx.Err() == nil && !strings.HasPrefix(err.Error(), name+":"):
		return nil, fmt.Errorf("%s: %w", name, err)
	case err != nil:
		return nil, err
	case len(l.routes) == 0:
		return nil, fmt.Errorf("%s: there is no lane in this file; a line is LABEL, a tab, FROM, a tab, TO", name)
	}
	for _, line := range l.routes {
		if line.Receipt == "" {
			continue
		}
		if to, _ := l.Of(line.Receipt); to.Receipt != "" {
			return nil, fmt.Errorf("%s:%d: %q receives a message, and by another line sends one; leave the receipt out of one of them", name, line.number, line.Receipt)
		}
	}
	return l, nil
}

// line reads a line of the table.
func (l *Lanes) line(number int, text string) error {
	cells := strings.Split(text, "\t")
	if len(cells) < 2 || len(cells) > 4 {
		return fmt.Errorf("found %s; a line is LABEL, a tab, FROM, and for a message TO after another tab, and after one more the label by which TO receives it", printable.Quantity(len(cells), "cell"))
	}
	for i, cell := range cells {
		cells[i] = printable.FromCell(cell)
		if i > 0 {
			cells[i] = strings.TrimSpace(cells[i])
		}
	}
	line := laneLine{number: number, label: cells[0], Route: Route{From: cells[1], To: cells[1]}}
	if len(cells) > 2 && cells[2] != "" {
		line.To = cells[2]
	}
	if len(cells) > 3 {
		line.Receipt = cells[3]
	}
	switch before, known := l.labels[line.label]; {
	case known:
		return fmt.Errorf("%q stands in line %d already", line.label, l.routes[before].number)
	case line.From == "":
		return fmt.Errorf("the lane of %q is empty", line.label)
	case line.Receipt == line.label:
		return fmt.Errorf("%q cannot be its own receipt; leave the receipt out where both lanes do the step together", line.label)
	case line.Receipt != "" && line.To == line.From:
		return fmt.Errorf("%q is received by %q, but goes to no other lane", line.label, line.Receipt)
	}
	l.labels[line.label] = len(l.routes)
	if gate, has := actl.GateOf(line.label); has && gate == line.label {
		l.gates[gate] = len(l.routes)
	}
	l.routes = append(l.routes, line)
	return nil
}

// lanesLine bounds the length of a line of a table of lanes.
const lanesLine = 1 << 20

// eachLine calls a function with the number and the text of each line that is neither empty nor
// a comment.
func eachLine(ctx context.Context, r io.Reader, do func(number int, text string) error) error {
	at, err := inputfile.EachLine(ctx, r, lanesLine, func(number int, line []byte) error {
		text := string(line)
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			return nil
		}
		return do(number, text)
	})
	if errors.Is(err, inputfile.ErrLongLine) {
		return fmt.Errorf("line %d is longer than %d bytes: this does not look like a table of lanes", at, lanesLine)
	}
	return err
}
