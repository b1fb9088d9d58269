package resources

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
)

// Allowance is the memory that a user allows the process to take: the zero value is the amount that
// the system allows.
type Allowance struct {
	unlimited bool
	limit     Limit // its Bytes are 0 for what the system allows
}

// leastMemory is the smallest limit, in bytes, that is accepted: in a smaller one the user has
// forgotten the unit.
const leastMemory = 100_000

// ParseAllowance reads the value of a flag --memory: a size, "none", or "" for what the system
// allows. The errors begin with the flag.
func ParseAllowance(text string) (Allowance, error) {
	switch text {
	case "":
		return Allowance{}, nil
	case "none":
		return Allowance{unlimited: true}, nil
	}
	bytes, err := ParseSize(text)
	if err != nil {
		return Allowance{}, fmt.Errorf("--memory %w, nor none", err)
	}
	if bytes < leastMemory {
		return Allowance{}, fmt.Errorf("--memory %s is too little for any model; is a unit missing, as in 6GB?", text)
	}
	return Allowance{limit: Limit{Bytes: bytes, By: "allowed by --memory"}}, nil
}

// Keep returns a context whose work may join a budget of that much memory, and has the garbage
// collector of the process keep to it; if there is no limit, it returns ctx. forget frees the
// garbage collector again. If the limit is that of the system, the budget follows its changes.
func (a Allowance) Keep(ctx context.Context) (budgeted context.Context, forget func()) {
	limit := a.limit
	var again func() (Limit, bool)
	switch {
	case a.unlimited:
		before := debug.SetMemoryLimit(math.MaxInt64)
		return ctx, func() { debug.SetMemoryLimit(before) }
	case limit.Bytes == 0:
		var known bool
		if limit, known = withReserve(available()); !known {
			return ctx, func() {}
		}
		if limit.By != byRuntime {
			again = func() (Limit, bool) { return withReserve(fromSystem()) }
		}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, collectAt(limit.Bytes)))
	return NewBudget(limit, again).With(ctx), func() { debug.SetMemoryLimit(before) }
}

// byRuntime is the source of the limit of Go's runtime.
const byRuntime = "allowed by GOMEMLIMIT"

// withReserve takes a sixteenth off the amount that the system allows: if the process took all of
// it, the system would kill the process without a message.
func withReserve(l Limit, known bool) (Limit, bool) {
	if known && l.By != byRuntime {
		l.Bytes -= l.Bytes / 16
	}
	return l, known
}

// collectAt returns the limit for Go's garbage collector: less than limit, since the program itself
// and memory that Go does not manage count, too.
func collectAt(limit int64) int64 {
	const program = 24 << 20
	return max(limit-max(limit/16, program), limit/2)
}
