// Package faults makes goroutines panic in tests, to show that a panic ends no more than the work that it
// belongs to.
package faults

import (
	"strings"
	"sync/atomic"
	"testing"
	_ "unsafe" // for the name of another package

	_ "github.com/inev-lts/inev/internal/contained"
)

// fault is a variable of package contained that only tests set.
//
//go:linkname fault github.com/inev-lts/inev/internal/contained.fault
var fault atomic.Pointer[func(starters []string)]

// Message is the value of the panics.
const Message = "a fault that a test has put in"

// Once makes one function panic: the first function, in the rest of the test, that package
// contained runs for a caller whose name contains at, such as lts.within. struck reports whether
// this has happened. Tests that call Once do not run in parallel.
func Once(t testing.TB, at string) (struck func() bool) {
	var done atomic.Bool
	put(t, func(starters []string) {
		for _, name := range starters {
			if strings.Contains(name, at) && done.CompareAndSwap(false, true) {
				panic(Message)
			}
		}
	})
	return done.Load
}

// put sets the fault for the rest of a test.
func put(t testing.TB, f func(starters []string)) {
	fault.Store(&f)
	t.Cleanup(func() { fault.Store(nil) })
}
