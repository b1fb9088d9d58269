// Package textlimit limits the texts of formulas: those that are read, and those that are written
// in another logic. Once a meter has refused, it refuses everything.
package textlimit

import (
	"context"
	"fmt"
)

// Max is the largest number of bytes of a formula written in another logic. There, a pattern with a
// scope or a number of times is longer than its text: up to the square of the text's length.
const Max = 32 << 20

// Error is the error of a formula that is too large to be written in some logic.
type Error struct{ Logic string }

// Error is one line.
func (e *Error) Error() string {
	return fmt.Sprintf("in %s the formula would have more than %d bytes; name many labels by a glob, or leave the scope out", e.Logic, Max)
}

// Meter counts what is written of one formula in one logic, so that writing ends in time: when its
// context is done, and when the text would be longer than [Max]. It is for one goroutine.
type Meter struct {
	ctx   context.Context
	logic string
	spent int
	err   error
}

// New returns a meter for a logic with this name.
func New(ctx context.Context, logic string) *Meter { return &Meter{ctx: ctx, logic: logic} }

// Spend counts n bytes that are about to be written, and reports whether they may be written. Bytes
// that are written twice count twice, since the meter limits the work.
func (m *Meter) Spend(n int) bool {
	if m.err != nil {
		return false
	}
	m.spent += n + 1
	if m.spent > mostWork {
		m.err = &Error{m.logic}
	} else {
		m.err = m.ctx.Err()
	}
	return m.err == nil
}

// mostWork is the largest number of bytes that may be written in all. It is more than Max, since
// pieces of a text are put together a few times.
const mostWork = 4 * Max

// Err returns why nothing more may be written, nil if more may. The length of text, the whole text,
// is checked, too.
func (m *Meter) Err(text string) error {
	if m.err == nil && len(text) > Max {
		m.err = &Error{m.logic}
	}
	return m.err
}
