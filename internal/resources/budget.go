// Package resources measures the memory of the process, and stops work before it takes more than it
// may: a [Budget] holds the limit, and the work that has joined it. Memory taken and available is
// measured, and never guessed; where the system does not report them, only a user can set a limit.
package resources

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/progress"
)

// Refuse returns the error for work that does not fit into memory. Its text says what is wrong, and
// then names the remedies.
func Refuse(wrong string) *hint.Error {
	return hint.New(nil, wrong, ": use a larger machine, or reduce the model first "+
		"(as ltsconvert -edpbranching-bisim of mCRL2 or bcg_min -divbranching of CADP do), or ", hint.MoreMemory)
}

// ExceededError reports that work was stopped because it would have taken more memory
// than there is.
type ExceededError struct {
	// Place describes the progress of the work, such as "search, 1,200 states";
	// "" if it is unknown.
	Place string
	Limit Limit
}

func (e *ExceededError) Error() string { return e.Unwrap().Error() }

// ErrExceeded is, by [errors.Is], every [*ExceededError].
var ErrExceeded = errors.New("more memory than allowed")

// Is reports whether target is [ErrExceeded].
func (e *ExceededError) Is(target error) bool { return target == ErrExceeded }

// Unwrap returns an error with the same text that has the remedies as values, a [*hint.Error].
func (e *ExceededError) Unwrap() error {
	stopped := "stopped"
	if e.Place != "" {
		stopped += " in the phase " + e.Place
	}
	return Refuse(fmt.Sprintf("%s: going on would take more memory than the %s that are %s",
		stopped, progress.Bytes.Format(e.Limit.Bytes), e.Limit.By))
}

// Budget is the memory that the process may take. Work that has joined the budget
// is stopped, by its context, before the process takes more: the work that joined
// last is stopped first.
type Budget struct {
	// currentLimit returns a limit that may have risen; nil if the limit does not change.
	currentLimit func() (Limit, bool)

	taken   func() int64
	collect func()
	// collected is the memory that was taken right after the last garbage collection.
	collected atomic.Int64

	mu      sync.Mutex
	limit   Limit
	members []*member
	quit    chan struct{} // nil if nobody watches
}

// member is work that has joined a budget.
type member struct {
	budget *Budget
	cancel context.CancelCauseFunc
	place  func() string
	why    error // the reason why it was stopped, nil if it was not
}

// NewBudget returns a budget. A limit may rise, for example that of a machine when other programs
// end: if currentLimit is not nil, it is called before work is stopped.
func NewBudget(limit Limit, currentLimit func() (Limit, bool)) *Budget {
	return &Budget{
		limit:        limit,
		currentLimit: currentLimit,
		taken:        taken,
		collect:      debug.FreeOSMemory,
	}
}

type budgetKey struct{}

type memberKey struct{}

// With returns a context whose work may join the budget.
func (b *Budget) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, budgetKey{}, b)
}

// LimitOf returns the limit of the budget of a context; without one, its Bytes are 0.
func LimitOf(ctx context.Context) Limit {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	if b == nil {
		return Limit{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit
}

// Join lets work take part in the budget of its context, if there is one: the returned context is
// done, with an [*ExceededError] as its cause, before the process takes more memory than the budget
// allows. The work calls leave when it has ended. While any work takes part, a goroutine measures
// the memory of the process, more often when less is left: at most 500 times a second, and some
// microseconds each time.
func Join(ctx context.Context) (joined context.Context, leave func()) {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	if b == nil {
		return ctx, func() {}
	}
	joined, cancel := context.WithCancelCause(ctx)
	var last atomic.Pointer[progress.Meter] // of the phase that began last
	m := &member{
		budget: b,
		cancel: cancel,
		place: func() string {
			if last.Load() == nil {
				return ""
			}
			return last.Load().String()
		},
	}
	joined = context.WithValue(progress.Also(joined, last.Store), memberKey{}, m)
	b.add(m)
	return joined, func() { b.remove(m) }
}

// Ask reports whether there is room for this many more bytes; call it before allocating them. If
// there is not, the work is stopped, and the error is an [*ExceededError]. A context without a
// budget always has room. Cost O(1), and a garbage collection if memory is scarce.
func Ask(ctx context.Context, bytes int64) error {
	m, _ := ctx.Value(memberKey{}).(*member)
	if m == nil || bytes < smallest {
		return nil
	}
	return m.budget.ask(m, bytes)
}

// Spare reports whether there is room for an optional allocation of this many bytes: unlike [Ask]
// it stops no work. A context without a budget always has room. Cost O(1).
func Spare(ctx context.Context, bytes int64) bool {
	m, _ := ctx.Value(memberKey{}).(*member)
	return m == nil || m.budget.left() >= bytes
}

// AskFor asks for the memory of n values of a type, see [Ask].
func AskFor[T any](ctx context.Context, n int) error {
	var value T
	return Ask(ctx, int64(n)*int64(unsafe.Sizeof(value)))
}

// Make allocates n zero values of a type after asking for their memory, as [AskFor] does.
func Make[T any](ctx context.Context, n int) ([]T, error) {
	if err := AskFor[T](ctx, n); err != nil {
		return nil, err
	}
	return make([]T, n), nil
}

// Grow returns list with room for n more values, as [slices.Grow] does, after asking for the
// memory. It allocates more than needed, so that appending values one by one costs O(1) amortised.
func Grow[T any](ctx context.Context, list []T, n int) ([]T, error) {
	if cap(list)-len(list) >= n {
		return list, nil
	}
	return larger(ctx, list, n)
}

// larger returns the list with room for n more elements. [Grow] calls it if the list has too little room.
func larger[T any](ctx context.Context, list []T, n int) ([]T, error) {
	// append makes an array that is longer by a quarter, and needs both arrays while it copies.
	if err := AskFor[T](ctx, cap(list)+cap(list)/4+n); err != nil {
		return list, err
	}
	return slices.Grow(list, n), nil
}

// smallest is the largest allocation that is made without asking the budget.
const smallest = 1 << 20

// Because returns the cause if err is a consequence of it: the [*ExceededError] that has ended
// the work of ctx, or the panic that has ended the watch over its memory. Otherwise it returns
// err.
func Because(ctx context.Context, err error) error {
	var exceeded *ExceededError
	if errors.As(err, &exceeded) {
		return exceeded
	}
	if !errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(context.Cause(ctx), &exceeded) {
		return exceeded
	}
	var panicked *contained.Panic
	if errors.As(context.Cause(ctx), &panicked) {
		return panicked
	}
	return err
}

// add lets a member join the budget. The first member starts the watch over the memory.
func (b *Budget) add(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = append(b.members, m)
	if b.quit == nil {
		quit := make(chan struct{})
		b.quit = quit
		contained.Go(func() { b.watchFor(quit) })
	}
}

// remove lets a member leave the budget. With the last member the watch ends.
func (b *Budget) remove(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = slices.DeleteFunc(b.members, func(other *member) bool {
		return other == m
	})
	m.cancel(nil)
	if len(b.members) == 0 && b.quit != nil {
		close(b.quit)
		b.quit = nil
	}
}

// watchFor watches until quit is closed. If watching panics, the work that has joined is stopped with
// the panic as the cause, since nobody watches its memory any more; when more work joins, a new watch
// begins.
func (b *Budget) watchFor(quit chan struct{}) {
	err := contained.Call(func() error {
		b.watch(quit)
		return nil
	})
	if err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.quit != quit { // all watched work has ended, and a newer watch is for what has joined since
		return
	}
	b.quit = nil
	for _, m := range b.members {
		m.cancel(err)
	}
}

// watch checks the memory again and again, sooner when less is left, until quit is closed.
func (b *Budget) watch(quit <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-quit:
			return
		case <-timer.C:
			timer.Reset(pause(b.checkMemory()))
		}
	}
}

// pause returns how long the process certainly stays below its limit if this many bytes are left:
// it cannot take memory faster than it can write to it.
func pause(left int64) time.Duration {
	const bytesPerMillisecond = 4 << 20
	return min(max(time.Duration(left/bytesPerMillisecond)*time.Millisecond, 2*time.Millisecond), 100*time.Millisecond)
}

// checkMemory stops the work that joined last if too much memory is taken, and returns how many bytes are
// left. It collects garbage when little is left, because work continues during the collection, but
// collects again only after margin more bytes have been taken.
func (b *Budget) checkMemory() int64 {
	margin := b.margin()
	left := b.left()
	mayHaveGarbage := b.taken()-b.collected.Load() >= margin
	if left < margin && mayHaveGarbage {
		b.collectGarbage()
		left = b.left()
	}
	if left >= 0 {
		return left
	}
	if !b.takeRisenLimit() {
		b.stopLast(-left)
	}
	return 0
}

// stopLast stops the work that joined last, if the process takes excess bytes more than it may. Work that
// was stopped before gets time to end while the excess is small; after that, earlier work is stopped,
// too.
func (b *Budget) stopLast(excess int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range slices.Backward(b.members) {
		if m.why == nil {
			b.stop(m)
			return
		}
		isSmall := excess < b.limit.Bytes/8
		if isSmall {
			return
		}
	}
}

// left returns how many bytes the process may still take. A small part of the limit is kept in
// reserve for the memory taken between two measurements.
func (b *Budget) left() int64 {
	b.mu.Lock()
	limit := b.limit.Bytes
	b.mu.Unlock()
	return limit - limit/64 - b.taken()
}

// takeRisenLimit takes over a limit that has risen, and reports whether it has.
func (b *Budget) takeRisenLimit() bool {
	if b.currentLimit == nil {
		return false
	}
	l, isKnown := b.currentLimit()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !isKnown || l.Bytes <= b.limit.Bytes {
		return false
	}
	b.limit = l
	return true
}

// margin is how many bytes may be taken while garbage is collected.
func (b *Budget) margin() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit.Bytes / 32
}

// collectGarbage collects garbage, and records the memory taken after that.
func (b *Budget) collectGarbage() {
	b.collect()
	b.collected.Store(b.taken())
}

// ask returns nil if there is room for this many more bytes, perhaps after a garbage collection or under
// a limit that has risen. Otherwise it stops the member.
func (b *Budget) ask(m *member, bytes int64) error {
	if b.left() >= bytes {
		return nil
	}
	b.collectGarbage()
	if b.left() >= bytes {
		return nil
	}
	if b.takeRisenLimit() && b.left() >= bytes {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stop(m)
}

// stop ends the work of a member.
func (b *Budget) stop(m *member) error {
	if m.why == nil {
		m.why = &ExceededError{m.place(), b.limit}
		m.cancel(m.why)
	}
	return m.why
}
