package asjson

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

type named uint32

type word string

type small uint8

func (s small) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "small \"%d\"\n", s), nil }

type own struct{ N int }

func (o own) MarshalJSON() ([]byte, error) {
	switch o.N % 4 {
	case 0:
		return Plain().Marshal(struct {
			N     int            `json:"n"`
			Empty []int          `json:"empty"`
			Of    map[string]int `json:"of"`
		}{N: o.N})
	case 1:
		return []byte("null"), nil
	case 2:
		return Plain().Marshal([]string{"a, b: {", `"]\`, ""})
	}
	return fmt.Appendf(nil, `[ ]`), nil
}

type byPointer struct{ N int }

func (p *byPointer) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{ "n" :%d}`, p.N), nil }

type inner struct {
	Deep   string  `json:"deep,omitempty"`
	Shadow int     `json:"shadow"`
	F      float64 `json:"f,omitzero"`
}

type zero struct{ N int }

func (z zero) IsZero() bool { return z.N%2 == 0 }

type sample struct {
	inner
	State    named          `json:"state"`
	Shadow   string         `json:"shadow"`
	Words    []word         `json:"words,omitempty"`
	Texts    []string       `json:"texts"`
	Small    small          `json:"small"`
	Own      own            `json:"own,omitempty"`
	ByOwn    []byPointer    `json:"by_own"`
	At       *inner         `json:"at,omitempty"`
	Any      any            `json:"any"`
	None     any            `json:"none,omitempty"`
	Zero     zero           `json:"zero,omitzero"`
	Table    map[string]int `json:"table,omitempty"`
	Named    [2]named       `json:"named"`
	Flag     bool           `json:"flag,omitzero"`
	Hidden   int            `json:"-"`
	Untagged float32
	own      int
	More     *sample `json:"more,omitempty"`
}

var letters = []string{"a", "<&>", "\xff", "\u2028", "\n\t\b\x01", `"\`, "\x7f", "é", "𝄞", "ACK", " "}

func drawn(r *rand.Rand, depth int) *sample {
	text := func() string {
		var b strings.Builder
		for range r.IntN(4) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	clean := func() string { return strings.ToValidUTF8(text(), "?") }
	in := inner{Deep: text(), Shadow: r.IntN(9), F: []float64{0, 0.1, 1e21, -3e-9, 2.5e300, math.MaxInt32, 1e20, 1e-6}[r.IntN(8)]}
	s := &sample{
		inner: in, State: named(r.IntN(5)), Shadow: text(), Small: small(r.IntN(3)), Own: own{r.IntN(8)}, own: 3, Hidden: 4,
		Zero: zero{r.IntN(4)}, Flag: r.IntN(2) == 0, Untagged: []float32{0, 1.1, 1e30}[r.IntN(3)],
	}
	for range r.IntN(3) {
		s.Words = append(s.Words, word(clean()))
		s.Texts = append(s.Texts, text())
		s.ByOwn = append(s.ByOwn, byPointer{r.IntN(4)})
	}
	s.Any = []any{nil, 7, text(), named(3), in, &in, []any{}, own{2}, map[string]int{}, uint8(3), int64(-5), true}[r.IntN(12)]
	if r.IntN(2) == 0 {
		s.At, s.Table = &in, map[string]int{clean(): 1}
	}
	if depth > 0 && r.IntN(3) > 0 {
		s.More = drawn(r, depth-1)
	}
	return s
}

// TestEncoder: what browsers write is, byte for byte, what the library writes.
func TestEncoder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	name := func(s named) string { return fmt.Sprintf("%d·%d\u2028", s, s) }
	for _, c := range []struct {
		format Format
		names  names
	}{{Plain(), names{}}, {Named(name), namesOf(name)}} {
		for range 2000 {
			value := drawn(r, 3)
			want, err := c.format.Marshal(value)
			e := encoder{names: c.names}
			if wrong := e.value(reflect.ValueOf(value)); err != nil || wrong != nil || !bytes.Equal(e.b, want) {
				t.Fatalf("on one line (%v, %v): %s", wrong, err, difference(e.b, want))
			}
			var indented, got bytes.Buffer
			err = c.format.Write(&indented, value, "    ")
			e = encoder{names: c.names, w: &got, line: "\n    "}
			wrong := e.value(reflect.ValueOf(value))
			if wrong == nil {
				wrong = e.flush()
			}
			if err != nil || wrong != nil || !bytes.Equal(got.Bytes(), indented.Bytes()) {
				t.Fatalf("indented (%v, %v): %s", wrong, err, difference(got.Bytes(), indented.Bytes()))
			}
		}
	}
	e := encoder{}
	if err := e.value(reflect.ValueOf(make(chan int))); err == nil {
		t.Error("a channel was written")
	}
}

// difference shows where two texts begin to differ.
func difference(got, want []byte) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Sprintf("%q, want %q", got[from:min(i+60, len(got))], want[from:min(i+60, len(want))])
}
