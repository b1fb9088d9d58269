package resources

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/inev-lts/inev/progress"
)

// stage is a process whose memory a test sets.
type stage struct {
	bytes, garbage int64
	collected      int
}

func (s *stage) budget(limit Limit, again func() (Limit, bool)) *Budget {
	b := NewBudget(limit, again)
	b.taken = func() int64 { return s.bytes + s.garbage }
	b.collect = func() {
		s.collected++
		s.garbage = 0
	}
	// Nobody watches: the test looks itself.
	b.quit = make(chan struct{})
	return b
}

var hundred = Limit{100 << 20, "allowed by a test"}

// TestWorkIsStopped: garbage is no reason to stop, and the error says where the work
// stood.
func TestWorkIsStopped(t *testing.T) {
	s := &stage{bytes: 90 << 20, garbage: 20 << 20}
	b := s.budget(hundred, nil)
	ctx, leave := Join(b.With(context.Background()))
	defer leave()
	if left := b.look(); left != 10<<20 || ctx.Err() != nil || s.collected != 1 {
		t.Fatalf("garbage: %d bytes left, %v, collected %d times", left, ctx.Err(), s.collected)
	}
	progress.Start(ctx, "search", progress.States, 5000).Add(1200)
	s.bytes = 101 << 20
	b.look()
	err := Because(ctx, ctx.Err())
	const want = "stopped in the phase search, 1,200 of 5,000 states: going on would take more memory than the 105 MB that are allowed by a test: " + Advice
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	var exceeded *ExceededError
	if !errors.As(err, &exceeded) || exceeded.Limit != hundred {
		t.Errorf("%#v", err)
	}
}

// TestAsking: what is asked for is there, or the work that asks is stopped.
func TestAsking(t *testing.T) {
	s := &stage{bytes: 40 << 20, garbage: 30 << 20}
	ctx, leave := Join(s.budget(hundred, nil).With(context.Background()))
	defer leave()
	if err := Ask(ctx, 30<<20); err != nil || s.collected != 0 {
		t.Errorf("%v, collected %d times", err, s.collected)
	}
	if err := AskFor[int64](ctx, 60<<17); err != nil || s.collected != 1 {
		t.Errorf("%v, collected %d times", err, s.collected)
	}
	if err := Ask(ctx, 60<<20+1); err == nil || Because(ctx, ctx.Err()) != err {
		t.Errorf("%v, and the work goes on: %v", err, ctx.Err())
	}
	if err := Ask(context.Background(), 1<<60); err != nil {
		t.Errorf("without a budget: %v", err)
	}
}

// TestTheLastIsStoppedFirst, and no other while it ends, unless much more is taken.
func TestTheLastIsStoppedFirst(t *testing.T) {
	s := &stage{bytes: 101 << 20}
	b := s.budget(hundred, nil)
	first, leaveFirst := Join(b.With(context.Background()))
	second, leaveSecond := Join(b.With(context.Background()))
	defer leaveFirst()
	b.look()
	b.look()
	if first.Err() != nil || second.Err() == nil {
		t.Fatalf("%v, %v", first.Err(), second.Err())
	}
	leaveSecond()
	s.bytes = 99 << 20
	if b.look(); first.Err() != nil {
		t.Fatal("stopped without need")
	}
	third, leaveThird := Join(b.With(context.Background()))
	defer leaveThird()
	s.bytes = 120 << 20
	b.look()
	b.look()
	if third.Err() == nil || first.Err() == nil {
		t.Errorf("%v, %v", third.Err(), first.Err())
	}
}

// TestLimitsRise: a machine that has more by now lets work go on.
func TestLimitsRise(t *testing.T) {
	s := &stage{bytes: 101 << 20}
	now := hundred
	b := s.budget(hundred, func() (Limit, bool) { return now, true })
	ctx, leave := Join(b.With(context.Background()))
	defer leave()
	now.Bytes *= 2
	if b.look(); ctx.Err() != nil || b.limit != now {
		t.Errorf("%v, %v", ctx.Err(), b.limit)
	}
	if err := Ask(ctx, 99<<20); err != nil {
		t.Error(err)
	}
	if err := Ask(ctx, 100<<20); err == nil {
		t.Error("more than there is")
	}
}

// TestWatching: the goroutine stops work that takes too much, and ends with the last
// work.
func TestWatching(t *testing.T) {
	b := NewBudget(Limit{taken() + 16<<20, "allowed by a test"}, nil)
	ctx, leave := Join(b.With(context.Background()))
	block := make([]byte, 64<<20)
	<-ctx.Done()
	runtime.KeepAlive(block)
	leave()
	if b.quit != nil || len(b.members) != 0 {
		t.Error("it goes on")
	}
	var exceeded *ExceededError
	if !errors.As(context.Cause(ctx), &exceeded) {
		t.Error(context.Cause(ctx))
	}
}
