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

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/remedy"
)

// Refuse returns the error for work that does not fit into memory: what is wrong, and
// what to do about it.
func Refuse(wrong string) *remedy.Error {
	return remedy.New(nil, wrong, ": use a larger machine, or reduce the model first "+
		"(as ltsconvert -edpbranching-bisim of mCRL2 or bcg_min -divbranching of CADP do), or ", remedy.MoreMemory)
}

// ExceededError reports that work was stopped because it would have taken more memory
// than there is.
type ExceededError struct {
	// Place says how far the work was, such as "search, 1,200 states"; "" if
	// nobody knows.
	Place string
	Limit Limit
}

func (e *ExceededError) Error() string { return e.Unwrap().Error() }

// Unwrap returns the same text with its remedies, a [*remedy.Error].
func (e *ExceededError) Unwrap() error {
	stopped := "stopped"
	if e.Place != "" {
		stopped += " in the phase " + e.Place
	}
	return Refuse(fmt.Sprintf("%s: going on would take more memory than the %s that are %s", stopped, progress.Bytes.Format(e.Limit.Bytes), e.Limit.By))
}

// Budget is the memory that the process may take. Work that has joined it is
// stopped, by its context, before the process takes more: the work that joined
// last first.
type Budget struct {
	again   func() (Limit, bool)
	taken   func() int64
	collect func()
	// collected is what was taken after garbage was collected last.
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

// NewBudget returns a budget. A limit may rise, as that of a machine when other
// programs end: again, where it is not nil, is asked for it before work is stopped.
func NewBudget(limit Limit, again func() (Limit, bool)) *Budget {
	return &Budget{limit: limit, again: again, taken: taken, collect: debug.FreeOSMemory}
}

type budgetKey struct{}

type memberKey struct{}

// With returns a context whose work may join the budget.
func (b *Budget) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, budgetKey{}, b)
}

// Join lets work take part in the budget of its context, where there is one: the
// context that it returns is done, with an [*ExceededError] as its cause, before
// the process takes more memory than the budget allows. The work calls leave when
// it has ended. While anybody takes part, a goroutine looks at the memory of the
// process, the more often the less is left: up to 500 times a second, each time in
// some microseconds.
func Join(ctx context.Context) (joined context.Context, leave func()) {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	if b == nil {
		return ctx, func() {}
	}
	joined, cancel := context.WithCancelCause(ctx)
	phases := &phases{}
	m := &member{budget: b, cancel: cancel, place: phases.place}
	joined = context.WithValue(progress.Also(joined, phases.observe), memberKey{}, m)
	b.add(m)
	return joined, func() { b.remove(m) }
}

// Ask reports whether there is room for so many bytes more, before they are taken.
// Where there is not, the work that asks is stopped, and the error is an
// [*ExceededError]. Where the context has no budget there is always room. Cost O(1),
// and that of collecting garbage where it is tight.
func Ask(ctx context.Context, bytes int64) error {
	m, _ := ctx.Value(memberKey{}).(*member)
	if m == nil || bytes < smallest {
		return nil
	}
	return m.budget.ask(m, bytes)
}

// Spare reports whether there is room for so many bytes, where nothing needs them: unlike [Ask] it
// stops no work. Where the context has no budget there always is. Cost O(1).
func Spare(ctx context.Context, bytes int64) bool {
	m, _ := ctx.Value(memberKey{}).(*member)
	return m == nil || m.budget.left() >= bytes
}

// AskFor is [Ask] for n values of a type.
func AskFor[T any](ctx context.Context, n int) error {
	var value T
	return Ask(ctx, int64(n)*int64(unsafe.Sizeof(value)))
}

// Make returns n zero values of a type in memory that was asked for, as by [AskFor].
func Make[T any](ctx context.Context, n int) ([]T, error) {
	if err := AskFor[T](ctx, n); err != nil {
		return nil, err
	}
	return make([]T, n), nil
}

// Grow returns list with room for n more values, as [slices.Grow] does, in memory that
// was asked for: so much that appending them one by one costs O(1) amortised.
func Grow[T any](ctx context.Context, list []T, n int) ([]T, error) {
	if cap(list)-len(list) >= n {
		return list, nil
	}
	return larger(ctx, list, n)
}

func larger[T any](ctx context.Context, list []T, n int) ([]T, error) {
	// The array that append makes is longer by a quarter, and there beside the old one.
	if err := AskFor[T](ctx, cap(list)+cap(list)/4+n); err != nil {
		return list, err
	}
	return slices.Grow(list, n), nil
}

// smallest is what nobody has to ask for.
const smallest = 1 << 20

// Because returns the [*ExceededError] that ended the work of ctx, where err is what
// came of that, and err elsewhere.
func Because(ctx context.Context, err error) error {
	var exceeded *ExceededError
	if errors.As(err, &exceeded) || errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &exceeded) {
		return exceeded
	}
	return err
}

func (b *Budget) add(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = append(b.members, m)
	if b.quit == nil {
		b.quit = make(chan struct{})
		go b.watch(b.quit)
	}
}

func (b *Budget) remove(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.members {
		if other == m {
			b.members = append(b.members[:i:i], b.members[i+1:]...)
			break
		}
	}
	m.cancel(nil)
	if len(b.members) == 0 && b.quit != nil {
		close(b.quit)
		b.quit = nil
	}
}

func (b *Budget) watch(quit <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-quit:
			return
		case <-timer.C:
			timer.Reset(pause(b.look()))
		}
	}
}

// pause returns how long nothing can happen where so many bytes are left: memory is
// not taken faster than it can be written.
func pause(left int64) time.Duration {
	const bytesPerMillisecond = 4 << 20
	return min(max(time.Duration(left/bytesPerMillisecond)*time.Millisecond, 2*time.Millisecond), 100*time.Millisecond)
}

// look stops the work that joined last where too much is taken, and returns how
// many bytes are left. Garbage is collected before that much is taken, since work goes
// on meanwhile, and not again until as much as could be garbage has been taken.
func (b *Budget) look() int64 {
	margin := b.margin()
	left := b.left()
	if left < margin && b.taken()-b.collected.Load() >= margin {
		b.tidy()
		left = b.left()
	}
	if left >= 0 {
		return left
	}
	if b.raise() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.members) - 1; i >= 0; i-- {
		if m := b.members[i]; m.why == nil {
			b.stop(m)
			break
		}
		// A run that was stopped is given time to end, as long as it takes little more memory.
		if -left < b.limit.Bytes/8 {
			break
		}
	}
	return 0
}

// left returns how many bytes the process may still take. A part of the limit is for
// what is taken between two looks.
func (b *Budget) left() int64 {
	b.mu.Lock()
	limit := b.limit.Bytes
	b.mu.Unlock()
	return limit - limit/64 - b.taken()
}

// raise takes over a limit that has risen, and reports whether it did.
func (b *Budget) raise() bool {
	if b.again == nil {
		return false
	}
	l, known := b.again()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !known || l.Bytes <= b.limit.Bytes {
		return false
	}
	b.limit = l
	return true
}

// margin is how much may be taken while garbage is collected.
func (b *Budget) margin() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit.Bytes / 32
}

// tidy collects garbage.
func (b *Budget) tidy() {
	b.collect()
	b.collected.Store(b.taken())
}

func (b *Budget) ask(m *member, bytes int64) error {
	if b.left() >= bytes {
		return nil
	}
	b.tidy()
	if b.left() >= bytes || b.raise() && b.left() >= bytes {
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
