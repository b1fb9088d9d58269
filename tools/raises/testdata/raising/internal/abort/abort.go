// Package abort has the names of the module's own.
package abort

// On raises an error.
func On(err error) { panic(err) }

// Caught catches it.
func Caught(err *error) { recover() }

// Try returns it.
func Try(do func()) (err error) {
	defer Caught(&err)
	do()
	return nil
}
