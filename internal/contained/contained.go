// Package contained starts goroutines, and turns a panic in one into a panic of the goroutine that
// waits for it. A panic thereby ends the job or the request that it belongs to: the function on top
// of this work turns it into an error by [Call]. A panic never ends the process, which has other
// work.
//
// The first panic keeps its value and its stack, however many goroutines wait for each other.
package contained

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// Panic is a panic that was contained.
type Panic struct {
	// Value is the argument of the call of panic.
	Value any
	// Stack is the stack of the goroutine that raised it, at that time.
	Stack []byte
}

// Error returns one line, without the stack.
func (p *Panic) Error() string {
	return "panic: " + strings.Join(strings.Fields(fmt.Sprint(p.Value)), " ")
}

// Unwrap returns the error that the panic was raised with, nil if its value is no error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Recovered returns what recover has returned as a Panic, nil for nil. A deferred function calls it, so
// that the stack still shows where the panic was raised.
func Recovered(value any) *Panic {
	switch value := value.(type) {
	case nil:
		return nil
	case *Panic:
		return value
	default:
		return &Panic{value, debug.Stack()}
	}
}

// Call calls do and returns its error; if do panics, a *[Panic].
func Call(do func() error) (err error) {
	defer func() {
		p := Recovered(recover())
		if p != nil {
			err = p
		}
	}()
	strike(starters())
	return do()
}

// Again panics if err is a [Panic], so that no caller takes a mistake in the program for an error
// of its input. It does nothing for other errors.
func Again(err error) {
	if p, is := err.(*Panic); is {
		panic(p)
	}
}

// Goroutine is a function that runs on a goroutine of its own.
type Goroutine struct {
	done  chan struct{}
	panic *Panic // nil if there was none; known once done is closed
}

// Go calls do on a goroutine of its own. If nobody waits, a panic in it is dropped: then nobody needs
// the result.
func Go(do func()) *Goroutine {
	g := &Goroutine{done: make(chan struct{})}
	started := starters()
	go func() {
		defer close(g.done)
		defer func() { g.panic = Recovered(recover()) }()
		strike(started)
		do()
	}()
	return g
}

// Done returns a channel that is closed once the function has ended, also by a panic.
func (g *Goroutine) Done() <-chan struct{} { return g.done }

// Wait waits for the function to end. If the function has panicked, so does each call of Wait.
func (g *Goroutine) Wait() {
	<-g.done
	if g.panic != nil {
		panic(g.panic)
	}
}

// Group is a number of functions that run on goroutines of their own. The zero Group has none.
type Group struct {
	running sync.WaitGroup
	mu      sync.Mutex
	started int
	// panic is the panic of the function that was started first among those that have panicked, and
	// which is the number of that function.
	panic *Panic
	which int
}

// Go calls do on a goroutine of its own.
func (g *Group) Go(do func()) {
	started := starters()
	g.mu.Lock()
	number := g.started
	g.started++
	g.mu.Unlock()
	g.running.Go(func() {
		defer func() {
			p := Recovered(recover())
			if p != nil {
				g.record(p, number)
			}
		}()
		strike(started)
		do()
	})
}

// record records the panic of the function with this number.
func (g *Group) record(p *Panic, number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.panic == nil || number < g.which {
		g.panic = p
		g.which = number
	}
}

// Wait waits for all functions to end. If some have panicked, so does Wait, with the panic of the
// function that was started first among them.
func (g *Group) Wait() {
	g.running.Wait()
	if g.panic != nil {
		panic(g.panic)
	}
}

// Once is a [sync.Once] for which a call that has panicked does not count: the next caller tries
// again. So a panic in one job does not become a panic of another job that shares the value.
type Once struct {
	done atomic.Bool
	mu   sync.Mutex
}

// Do calls f unless an earlier call has returned.
func (o *Once) Do(f func()) {
	if !o.done.Load() {
		o.first(f)
	}
}

func (o *Once) first(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done.Load() {
		f()
		o.done.Store(true)
	}
}

// Reader returns a reader for a package that reads on goroutines of its own: a panic of r is an error
// of the read.
func Reader(r io.Reader) io.Reader { return reader{r} }

type reader struct{ r io.Reader }

func (c reader) Read(data []byte) (n int, err error) {
	err = Call(func() (err error) {
		n, err = c.r.Read(data)
		return err
	})
	return n, err
}

// Writer returns a writer for a package that writes on goroutines of its own: a panic of w is an error
// of the write.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ w io.Writer }

func (c writer) Write(data []byte) (n int, err error) {
	err = Call(func() (err error) {
		n, err = c.w.Write(data)
		return err
	})
	return n, err
}

// fault, in tests alone, is called at the beginning of each function that is contained, with the names of the
// functions that have started it. Package internal/testing/faults sets it, by its name.
var fault atomic.Pointer[func(starters []string)]

// starters returns the names of the calling functions, the innermost first; nil outside tests.
func starters() []string {
	if fault.Load() == nil {
		return nil
	}
	return callers()
}

func callers() (names []string) {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			return names
		}
	}
}

// strike calls the fault of a test, if there is one.
func strike(starters []string) {
	f := fault.Load()
	if f != nil {
		(*f)(starters)
	}
}
