package resources

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/progress"
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

// hundred is a limit that leaves 100 MiB besides what is for the time between two looks.
var hundred = Limit{6400 << 20 / 63, "allowed by a test"}

// TestWorkIsStopped: garbage is no reason to stop, and the error says where the work
// stood.
func TestWorkIsStopped(t *testing.T) {
	s := &stage{bytes: 90 << 20, garbage: 20 << 20}
	b := s.budget(hundred, nil)
	ctx, leave := Join(b.With(context.Background()))
	defer leave()
	if left := b.checkMemory(); left != 10<<20 || ctx.Err() != nil || s.collected != 1 {
		t.Fatalf("garbage: %d bytes left, %v, collected %d times", left, ctx.Err(), s.collected)
	}
	progress.Start(ctx, "search", progress.States, 5000).Add(1200)
	s.bytes = 101 << 20
	b.checkMemory()
	err := Because(ctx, ctx.Err())
	const want = "stopped in the phase search, 1,200 of 5,000 states: going on would take more memory than the 107 MB that are allowed by a test: use a larger machine, or reduce the model first (as ltsconvert -edpbranching-bisim of mCRL2 or bcg_min -divbranching of CADP do), or allow more memory"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	var exceeded *ExceededError
	if !errors.As(err, &exceeded) || exceeded.Limit != hundred {
		t.Errorf("%#v", err)
	}
}

// TestGarbageIsCollectedInTime: before the limit is met, for work goes on meanwhile, and
// once for as much as may be taken meanwhile.
func TestGarbageIsCollectedInTime(t *testing.T) {
	s := &stage{bytes: 90 << 20, garbage: 7 << 20}
	b := s.budget(hundred, nil)
	ctx, leave := Join(b.With(context.Background()))
	defer leave()
	if left := b.checkMemory(); left != 10<<20 || s.collected != 1 {
		t.Errorf("near the limit: %d bytes left, collected %d times", left, s.collected)
	}
	s.bytes = 98 << 20
	if left := b.checkMemory(); left != 2<<20 || s.collected != 2 || ctx.Err() != nil {
		t.Errorf("nearer: %d bytes left, collected %d times, %v", left, s.collected, ctx.Err())
	}
	s.bytes = 101 << 20
	if b.checkMemory(); s.collected != 2 || ctx.Err() == nil {
		t.Errorf("beyond it: collected %d times, %v", s.collected, ctx.Err())
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

// TestLists: lists ask before they outgrow their arrays, and for no more than that.
func TestLists(t *testing.T) {
	s := &stage{bytes: 90 << 20}
	ctx, leave := Join(s.budget(hundred, nil).With(context.Background()))
	defer leave()
	list, err := Make[uint64](ctx, 1<<20)
	if err != nil || len(list) != 1<<20 {
		t.Fatalf("%d values, %v", len(list), err)
	}
	list = list[:1<<20-5]
	if same, err := Grow(ctx, list, 5); err != nil || &same[0] != &list[0] || len(same) != len(list) {
		t.Errorf("room for five: %v", err)
	}
	var exceeded *ExceededError
	if same, err := Grow(ctx, list, 6); !errors.As(err, &exceeded) || &same[0] != &list[0] {
		t.Errorf("10 MiB beside 8: %v", err)
	}
	if _, err := Make[uint64](ctx, 2<<20); !errors.As(err, &exceeded) {
		t.Errorf("16 MiB: %v", err)
	}
	grown, err := Grow(context.Background(), list, 6)
	if err != nil || cap(grown) < len(list)+6 || cap(grown) < cap(list)+cap(list)/5 {
		t.Errorf("room for %d values, %v", cap(grown), err)
	}
}

// TestTheLastIsStoppedFirst, and no other while it ends, unless much more is taken.
func TestTheLastIsStoppedFirst(t *testing.T) {
	s := &stage{bytes: 101 << 20}
	b := s.budget(hundred, nil)
	first, leaveFirst := Join(b.With(context.Background()))
	second, leaveSecond := Join(b.With(context.Background()))
	defer leaveFirst()
	b.checkMemory()
	b.checkMemory()
	if first.Err() != nil || second.Err() == nil {
		t.Fatalf("%v, %v", first.Err(), second.Err())
	}
	leaveSecond()
	s.bytes = 99 << 20
	if b.checkMemory(); first.Err() != nil {
		t.Fatal("stopped without need")
	}
	third, leaveThird := Join(b.With(context.Background()))
	defer leaveThird()
	s.bytes = 120 << 20
	b.checkMemory()
	b.checkMemory()
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
	if b.checkMemory(); ctx.Err() != nil || b.limit != now {
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
	debug.FreeOSMemory() // else the block may lie in memory that is counted already, which other tests have left
	b := NewBudget(Limit{taken() + 16<<20, "allowed by a test"}, nil)
	ctx, leave := Join(b.With(context.Background()))
	block := bytes.Repeat([]byte{1}, 64<<20) // written to, so that it is resident, too
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Error("nothing stops the work")
	}
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
