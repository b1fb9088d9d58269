package explain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func TestWithMemory(t *testing.T) {
	var b lts.Builder
	a := b.Label("A")
	states := lts.State(400_000)
	if !randomlts.Whole() {
		states /= 4
	}
	for s := range states {
		b.Add(s, a, (s*7919+1)%states)
		b.Add(s, a, (s*104729+3)%states)
	}
	m, err := b.Build(0, int(states))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bytes    int64
		exceeded bool
	}{{1 << 20, true}, {1 << 40, false}} {
		ctx, release := explain.WithMemory(context.Background(), c.bytes)
		_, err := explain.Explain(ctx, m, parse(t, "Inev(A, B)"), explain.Options{})
		if is := errors.Is(context.Cause(ctx), explain.ErrMemory); is != c.exceeded || (err != nil) != c.exceeded {
			t.Errorf("%d bytes: error %v, cause %v", c.bytes, err, context.Cause(ctx))
		}
		if c.exceeded && !errors.Is(err, explain.ErrMemory) && !errors.Is(err, context.Canceled) {
			t.Errorf("%d bytes: the error is %v", c.bytes, err)
		}
		release()
	}
}

func ExampleWithProgress() {
	var mu sync.Mutex
	units := map[string]string{}
	ctx := explain.WithProgress(context.Background(), func(p explain.Progress) {
		mu.Lock()
		defer mu.Unlock()
		units[p.Phase()] = p.Unit()
		if p.Done() > p.Total() && p.Total() > 0 {
			fmt.Println("more is done than there is")
		}
	})
	model := strings.NewReader("des (0, 1, 2)\n(0, REQ, 1)\n")
	m, _, err := aut.Read(ctx, model, aut.Options{Name: "model.aut"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("read, in", units["read"], "a model of", m.NumStates(), "states")
	// Output: read, in bytes a model of 2 states
}
