package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// Sequence writes the counterexample of e in the simple form of SEQ, the format
// that the tools of CADP have for execution sequences: a label in double quotes
// on each line, and <deadlock> on the last line if the run ends in a deadlock.
// SEQ cannot express a loop: a lasso is written once round its loop, and a
// comment stands where the loop begins.
//
// With abstracted, only the transitions of the abstracted counterexample are
// written; a comment says that they are no run of the model.
//
// It fails before it writes anything if there is no counterexample, or if a
// label has a character that SEQ cannot express; the error names the label.
// Other errors are those of w. Cost O(length of the output).
func Sequence(w io.Writer, e *explain.Explanation, abstracted bool) error {
	c := e.Counterexample
	switch {
	case c == nil:
		return errors.New("the property holds: there is no counterexample to be written as a sequence")
	case abstracted && e.Abstracted == nil:
		return errors.New("only the verdict was computed: there is no abstracted counterexample to be written as a sequence")
	}
	kept := make([]int, len(c.Steps))
	for i := range kept {
		kept[i] = i
	}
	if abstracted {
		kept = e.Abstracted.Steps
	}
	for _, i := range kept {
		if err := checkSequenceLabel(c.Steps[i].Label); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(w)
	if abstracted {
		sequenceComment(b, fmt.Sprintf("Abstraction, not a run: %d of the %d transitions of a counterexample to %s",
			len(kept), len(c.Steps), e.Property.AsWritten()))
	} else {
		sequenceComment(b, fmt.Sprintf("Counterexample to %s: %s", e.Property.AsWritten(), sequenceShape(c)))
	}
	for _, i := range kept {
		if i == int(c.LoopStart) && !abstracted {
			sequenceComment(b, fmt.Sprintf("The loop begins here, after %s, and is repeated for ever", printable.Quantity(i, "transition")))
		}
		fmt.Fprintf(b, "\"%s\"\n", c.Steps[i].Label)
	}
	if c.Kind == counterexample.Deadlock && !abstracted {
		fmt.Fprintln(b, "<deadlock>")
	}
	return b.Flush()
}

func sequenceShape(c *explain.Counterexample) string {
	if c.Kind == counterexample.Prefix {
		return "a bad prefix: whatever follows it, the property is violated"
	}
	if c.Trap != nil {
		return "a run after which the property is lost"
	}
	if c.Kind == counterexample.Stop {
		return "a run that stops, for all that is possible after it may be blocked"
	}
	if c.LoopStart < 0 {
		return "a run to a deadlock"
	}
	return "a lasso, written once round its loop"
}

// sequenceComment writes a comment on a line of its own: between the bytes 1 and 2, as in SEQ. No
// printable text contains these.
func sequenceComment(b *bufio.Writer, text string) {
	fmt.Fprintf(b, "\x01 %s \x02\n", printable.Text(text))
}

func checkSequenceLabel(label string) error {
	switch {
	case strings.Contains(label, `"`):
		return fmt.Errorf("label %q has a double quote in it, which the .seq format cannot express; use JSON instead", label)
	case strings.Contains(label, "\n"):
		return fmt.Errorf("label %q has a line feed in it, which the .seq format cannot express; use JSON instead", label)
	}
	return nil
}
