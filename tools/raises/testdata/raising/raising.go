// Package raising has functions that raise, in each way, and functions that catch.
package raising

import (
	"errors"

	"example.org/raising/internal/abort"
)

var errWrong = errors.New("wrong")

// Single raises by itself.
func Single() { abort.On(errWrong) }

// Deep raises by a call of a call.
func Deep() int { return inner() }

func inner() int {
	Single()
	return 1
}

// Iterator gives away a function that raises.
func Iterator() func() { return func() { Single() } }

// Value gives away a function that raises, by its name.
func Value() func() { return Single }

type next interface{ Next() }

// Parser raises in a method.
type Parser struct{}

// Next raises.
func (*Parser) Next() { Single() }

// Method raises by way of an interface.
func Method(n next) { n.Next() }

// Caught catches what is raised.
func Caught() (err error) {
	defer abort.Caught(&err)
	Deep()
	return nil
}

// Tried catches what a literal raises.
func Tried() error {
	return abort.Try(func() { Deep() })
}

// Swallowed catches, and returns nothing.
func Swallowed() {
	_ = abort.Try(func() { Deep() })
}

// Quiet calls what catches.
func Quiet() { _ = Caught() }
