package enrich

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestAhead: package oracle holds the values against the definitions; where common prefixes are begun
// before the components, all values are the same.
func TestAhead(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "case")
		x := suffixesOf(rt, c.Model, c.Formula)
		want, err := Enrich(ctx, x.c, x.p, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		var o Options
		end := o.begin(ctx, c.Model, x.p)
		got, err := Enrich(ctx, x.c, x.p, o)
		end()
		if err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("begun before: %v (error %v), want %v", got, err, want)
		}
	})
}

// TestAheadIsStopped: a pass that was stopped leaves no values, whether its context is done or what
// Begin returned was called.
func TestAheadIsStopped(t *testing.T) {
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "cycle", States: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	x := suffixesOf(t, m, `Inev("ACTION !1")`)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for _, early := range []bool{false, true} {
		ctx := stopped
		if early {
			ctx = context.Background()
		}
		var o Options
		end := o.begin(ctx, m, x.p)
		if early {
			end()
		}
		e, err := Enrich(context.Background(), x.c, x.p, o)
		if end(); !early && !errors.Is(err, context.Canceled) || err == nil && e.CP(1) != 0 {
			t.Errorf("stopped early %t: %v (error %v)", early, e, err)
		}
	}
}
