package graphviz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/internal/contained"
)

// TestLayoutsAreKept: the same graph is laid out once, another one, or in another way, for
// itself; and whoever has a layout may change it.
func TestLayoutsAreKept(t *testing.T) {
	ctx := context.Background()
	e := engine(t, 10)
	first, err := e.Render(ctx, small, "svg", "")
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(first)
	clear(first)
	// From now on nothing can be laid out.
	broken := errors.New("broken")
	inside := e.inside
	ended := contained.Go(func() {})
	e.inside = [parts]*compilation{{compiling: ended, err: broken}, {compiling: ended, err: broken}}
	for range 2 {
		if got, err := e.Render(ctx, small, "svg", ""); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the same graph: %v\n%s", err, got)
		} else {
			clear(got)
		}
	}
	for _, other := range []struct{ graph, format, layout string }{{small + " ", "svg", ""}, {small, "json", ""}, {small, "svg", "neato"}} {
		if got, err := e.Render(ctx, other.graph, other.format, other.layout); !errors.Is(err, broken) {
			t.Errorf("%v: %v\n%s", other, err, got)
		}
	}
	e.inside = inside
	if svg := renderBy(t, e, small+" ", "svg", ""); svg == "" {
		t.Error("an error is kept")
	}
}

// TestLayoutsAreNotHoarded: the last ones are kept, as many as there is room for.
func TestLayoutsAreNotHoarded(t *testing.T) {
	var l layouts
	key := func(i int) [32]byte { return request{graph: fmt.Sprint(i), format: "svg", layout: "dot"}.key() }
	const quarter = keptLayouts / 4
	for i := range 10 {
		for range 2 {
			l.put(key(i), bytes.Repeat([]byte{byte(i)}, quarter))
		}
	}
	l.put(key(11), make([]byte, keptLayouts+1))
	for i := range 12 {
		drawn, is := l.get(key(i))
		if want := i >= 6 && i < 10; is != want || is && (len(drawn) != quarter || drawn[0] != byte(i)) {
			t.Errorf("of number %d are kept %d bytes (%v)", i, len(drawn), is)
		}
	}
	if l.size != keptLayouts || len(l.drawn) != 4 || len(l.oldest) != 4 {
		t.Errorf("%d bytes in %d layouts", l.size, len(l.drawn))
	}
}
