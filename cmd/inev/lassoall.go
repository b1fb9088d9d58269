//go:build !js

package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/internal/printable"
)

// findAllLassos writes a smallest lasso for each accepting state that is on a loop, one a line.
func (j *job) findAllLassos(d *buchi.Description) error {
	if j.format != "text" && j.format != "" {
		return j.refuse("--all: lassos of all accepting states are text; leave --format out")
	}
	var lines []string
	err := d.Each(j.ctx, func(_ buchi.State, l buchi.Lasso) bool {
		lines = append(lines, lassoLine(d, l))
		return true
	})
	if err != nil {
		return err
	}
	err = j.print(func(w io.Writer) error {
		b := bufio.NewWriter(w)
		is := printable.Quantity(len(lines), "accepting state") + " on a loop"
		fmt.Fprintf(b, "%s: %s\n", printable.Text(j.operands[0]), is)
		for _, line := range lines {
			fmt.Fprintf(b, "  %s\n", line)
		}
		return b.Flush()
	})
	if err == nil && len(lines) > 0 {
		err = errViolated
	}
	return err
}

// lassoLine returns the length of a lasso and its states, ↻ before the loop, accepting ones in
// brackets.
func lassoLine(d *buchi.Description, l buchi.Lasso) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", printable.Quantity(l.Transitions(), "transition"))
	for i, step := range d.Steps(l) {
		if i == l.LoopStart {
			b.WriteString(" ↻")
		}
		state := "(start)"
		if step.From != buchi.NoState {
			state = fmt.Sprint(step.From)
		}
		if d.Automaton.Accepting(l.States[i]) {
			state = "[" + state + "]"
		}
		b.WriteString(" " + state)
	}
	return b.String()
}

// drawColours writes a picture of the colours that the colour search leaves, and counts them.
func (j *job) drawColours(d *buchi.Description, path string) error {
	c, err := d.Colour(j.ctx)
	if err != nil {
		return err
	}
	if err := j.save(path, func(w io.Writer) error { return c.WriteDOT(w, d) }); err != nil {
		return err
	}
	counts := c.Count()
	_, err = fmt.Fprintf(j.stderr, "inev: %s: %d states white (not visited), %d blue, %d red, %d black (no lasso passes them)\n",
		printable.Text(path), counts[0], counts[1], counts[2], counts[3])
	return err
}
