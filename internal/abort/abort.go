// Package abort ends a reading, a check or a search at its first error, however deep in it the
// error occurs, so that the functions in between neither return the error nor look at it. No error
// leaves a package in this way: its exported functions return errors. An error that [On] raises
// ends just the calls up to the next function that has deferred [Caught], and becomes the error of
// that function. Both are in one goroutine: a goroutine that is started in between has to catch its
// own errors, as workers of package cores do.
package abort

import "context"

// aborted is the panic of [On].
type aborted struct{ err error }

// String describes an error that nothing has caught: a mistake, and a panic like any other.
func (a aborted) String() string { return "nothing has caught the error: " + a.err.Error() }

// On raises an error: it ends all calls up to the next function that has deferred [Caught]. It
// does nothing for nil.
func On(err error) {
	if err != nil {
		panic(aborted{err})
	}
}

// IfDone ends a loop with the error of a context that is done. It asks the context only in every 4096th
// round, as asking takes longer than most rounds do.
func IfDone[N ~int | ~uint32](ctx context.Context, round N) {
	if round%4096 == 0 {
		ask(ctx)
	}
}

//go:noinline
func ask(ctx context.Context) { On(ctx.Err()) } // apart, so that IfDone is inlined

// Must returns the result of a call that may also fail. If it has failed, Must raises the error
// as [On] does.
func Must[T any](result T, err error) T {
	On(err)
	return result
}

// Caught is deferred by the function that returns the error. Other panics pass it.
func Caught(err *error) {
	switch raised := recover().(type) {
	case nil:
	case aborted:
		*err = raised.err
	default:
		panic(raised)
	}
}

// Try returns the error that ends a call of do; nil if none does.
func Try(do func()) (err error) {
	defer Caught(&err)
	do()
	return nil
}
