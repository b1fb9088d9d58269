package aiger

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// random returns a random circuit.
func random(r *rand.Rand) *Circuit {
	b := &Builder{}
	known := []Literal{0, 1}
	var latches []Literal
	for range r.IntN(3) {
		known = append(known, b.Input(""))
	}
	for range 1 + r.IntN(3) {
		latches = append(latches, b.Latch("", r.IntN(2) == 0))
	}
	known = append(known, latches...)
	pick := func() Literal { return known[r.IntN(len(known))] ^ Literal(r.IntN(2)) }
	for range r.IntN(8) {
		known = append(known, b.And(pick(), pick()))
	}
	for _, l := range latches {
		b.Next(l, pick())
	}
	b.Output("p", pick())
	b.Bad("", pick())
	c := b.Circuit()
	if r.IntN(3) == 0 {
		c.Constraints = append(c.Constraints, pick())
	}
	if r.IntN(3) == 0 {
		c.Fairness, c.Justice = append(c.Fairness, pick()), append(c.Justice, []Literal{pick(), pick()})
	}
	if r.IntN(4) == 0 {
		c.Latches[0].Reset = c.Latches[0].Literal
	}
	return c
}

// TestRoundTrip: what is written, ascii or binary, is read as a circuit that does the same.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := random(r)
		var ascii, binary bytes.Buffer
		if err := c.Write(&ascii); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteBinary(&binary); err != nil {
			t.Fatal(err)
		}
		a, err := Read(bytes.NewReader(ascii.Bytes()))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ascii.String())
		}
		if c.Symbols == nil {
			c.Symbols = map[string]string{}
		}
		if len(c.Gates) > 0 && !reflect.DeepEqual(a.Names(), c.Names()) {
			t.Fatalf("seed %d: %v and %v", seed, a.Names(), c.Names())
		}
		d, err := Read(bytes.NewReader(binary.Bytes()))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ascii.String())
		}
		latches, inputs := make([]bool, len(c.Latches)), make([]bool, len(c.Inputs))
		for range 8 {
			for i := range latches {
				latches[i] = r.IntN(2) == 0
			}
			for i := range inputs {
				inputs[i] = r.IntN(2) == 0
			}
			v, err := c.Values(latches, inputs)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range []*Circuit{a, d} {
				w, err := other.Values(latches, inputs)
				if err != nil {
					t.Fatal(err)
				}
				same := c.Meets(v) == other.Meets(w) && c.Begins(v) == other.Begins(w) && v.Of(c.Bad[0]) == w.Of(other.Bad[0]) && v.Of(c.Outputs[0]) == w.Of(other.Outputs[0])
				for i := range latches {
					same = same && v.Of(c.Latches[i].Next) == w.Of(other.Latches[i].Next)
				}
				if !same {
					t.Fatalf("seed %d: differs from\n%s", seed, ascii.String())
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "line 1: the file ends",
		"aag 1 1":                                 "line 1: \"aag 1 1\" is not a header",
		"aag 1 2 0 0 0\n":                         "2 inputs, latches and gates do not fit 1 variables",
		"aag 99999999 1 0 0 0\n":                  "more than",
		"aag 1 1 0 0 0\n3\n":                      "3 cannot be defined",
		"aag 2 2 0 0 0\n2\n2\n":                   "2 is defined twice",
		"aag 1 0 0 1 0\n2\n":                      "2 is used, and not defined",
		"aag 2 0 0 0 2\n2 4 1\n4 2 1\n":           "is made of itself",
		"aag 1 0 1 0 0\n2 2 3\n":                  "the reset of latch 2",
		"aag 1 1 0 0 0\n2\nx0 a\n":                "line 3: \"x0 a\" is not an entry of the symbol table",
		"aag 1 1 0 0 0\n2\ni1 a\n":                "there is no \"i1\"",
		"aig 1 0 0 0 1\n\x00\x00":                 "gates: gate 2 is made of what comes after it",
		"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\xff": "a number is too large",
		"aag 1 1 0 0 0\nx\n":                      "\"x\" is not a number",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for seed := range uint64(20) {
		c := random(rand.New(rand.NewPCG(seed, 1)))
		var ascii, binary bytes.Buffer
		_ = c.Write(&ascii)
		_ = c.WriteBinary(&binary)
		f.Add(ascii.Bytes())
		f.Add(binary.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(bytes.NewReader(data))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err != nil {
			t.Fatalf("%v\n%q", err, data)
		}
		if c.Max < 1000 {
			if _, err := c.Values(make([]bool, len(c.Latches)), make([]bool, len(c.Inputs))); err != nil {
				t.Fatal(err)
			}
		}
	})
}
