package argument

import (
	"fmt"

	"github.com/inev-lts/inev/internal/printable"
)

// Within returns the argument if its runs together have no more transitions than most allows;
// otherwise an argument of one sentence which says so, and whether a shorter one may exist. An
// argument by sets has no run to count, and stays as it is. Cost O(1).
func (a *Argument) Within(most int) *Argument {
	if a.Run == nil && a.Weight == 0 || a.Weight <= most {
		return a
	}
	is := fmt.Sprintf("what was found has %d", a.Weight)
	if a.Smallest {
		is = fmt.Sprintf("the smallest has %d", a.Weight)
	}
	short := &Argument{Formula: a.Formula, Holds: a.Holds, State: a.State}
	none := "no argument by runs"
	if !a.Smallest {
		none = "no argument by runs was found that"
	}
	short.Text = fmt.Sprintf("%s: %s has at most %s; %s.", a.head(), none, printable.Quantity(most, "transition"), is)
	return short
}
