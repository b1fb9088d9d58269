package hoa_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/hoa"
	"github.com/inev-lts/inev/property"
)

// exported writes a property, and returns its number of states.
func exported(t testing.TB, f property.Formula) (text string, states int) {
	t.Helper()
	p, letters, err := f.(interface {
		BindLetters(context.Context) (*property.Property, *actl.Letters, error)
	}).BindLetters(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := hoa.Write(&b, p, letters.Steps()); err != nil {
		t.Fatal(err)
	}
	return b.String(), p.States()
}

// TestWrittenReadsBack: what is written of patterns and of linear temporal logic means
// the same on labels, also where runs end; and what is read and written again does.
func TestWrittenReadsBack(t *testing.T) {
	a := alphabet(t, append(labels, "d !1", "G")...)
	for _, text := range []string{
		"Inev(a)", "Inev(a, b, a)", "Inev({a, b}, {b, x})", "Response(a; b)", "Response(a; b, c)", "Never(a, b; between x and y)",
		"Precedes(a; b; after x until y)", "Inev(a, b; after x until y)", "Always({a, b, x}; before x)", "AtMost(2; a)", "DeadlockFree",
		`Never("d !1", /^[ab]/)`, "Never(d)", "Never(deadlock)", "G (a -> F b)", "GF a -> GF b", "FG !a || F deadlock", "(a U b) W c && GF x", "true", "false",
		`G ({G, a} -> X "deadlock")`, "Always({})",
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		file, states := exported(t, f)
		q := bound(t, a, file)
		same(t, text, a, p, q)
		if q.States() != states+1 {
			t.Errorf("%s has %d states, and %d after it was written, with the one that completes it:\n%s", text, states, q.States(), file)
		}
		again, err := hoa.Read(context.Background(), bytes.NewReader([]byte(file)), "p.hoa")
		if err != nil {
			t.Fatal(err)
		}
		twice, _ := exported(t, again)
		same(t, text+", written again", a, p, bound(t, a, twice))
	}
}
