package resources

import (
	"context"
	"math"
	"runtime/debug"
	"testing"
)

// TestAllowances: what a user allows is the limit of the budget, and the garbage collector keeps
// below it until it is forgotten.
func TestAllowances(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for text, want := range map[string]Limit{
		"500MB": {500_000_000, "allowed by --memory"},
		"none":  {},
	} {
		a, err := ParseAllowance(text)
		if err != nil {
			t.Fatal(err)
		}
		ctx, forget := a.Keep(context.Background())
		if got := LimitOf(ctx); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		collected := debug.SetMemoryLimit(-1)
		if below := collected < want.Bytes; below != (want.Bytes > 0) || text == "none" && collected != math.MaxInt64 {
			t.Errorf("%s: garbage is collected at %d", text, collected)
		}
		forget()
		if now := debug.SetMemoryLimit(-1); now != before {
			t.Errorf("%s: the limit of the runtime was %d, and is %d", text, before, now)
		}
	}
	for text, want := range map[string]string{
		"6":   "--memory 6 is too little for any model; is a unit missing, as in 6GB?",
		"6XB": "--memory 6XB is not a size above zero, such as 500MB or 6GB, nor none",
	} {
		if _, err := ParseAllowance(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestReserve: what the system allows is not used up, and a limit of the runtime is.
func TestReserve(t *testing.T) {
	if l, known := withReserve(Limit{1600, "available"}, true); !known || l.Bytes != 1500 {
		t.Errorf("%+v %t", l, known)
	}
	if l, known := withReserve(Limit{1600, byRuntime}, true); !known || l.Bytes != 1600 {
		t.Errorf("%+v %t", l, known)
	}
	if _, known := withReserve(Limit{}, false); known {
		t.Error("an unknown limit is known")
	}
}
