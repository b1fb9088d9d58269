package typeface

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write the metrics anew")

const metricsFile = "metrics.bin"

// measured takes the metrics of a font. Cost: all pairs of its glyphs, a second.
func measured(t trueType) *metrics {
	m := &metrics{units: t.perEm(), glyphs: map[rune]uint16{}, kerns: map[[2]uint16]int{}}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if g := t.index(r); g != 0 {
			m.glyphs[r] = g
		}
	}
	n := t.NumGlyphs()
	for g := range n {
		length, _ := t.advance(uint16(g))
		m.advances = append(m.advances, length)
	}
	for left := range n {
		for right := range n {
			if length, is := t.kern(uint16(left), uint16(right)); is && length != 0 {
				m.kerns[[2]uint16{uint16(left), uint16(right)}] = length
			}
		}
	}
	return m
}

// append encodes the metrics, increasing numbers as differences. Lengths are in font units.
func (m *metrics) append(data []byte) []byte {
	number := func(n int) { data = binary.AppendVarint(data, int64(n)) }
	number(m.units)
	number(len(m.advances))
	for _, length := range m.advances {
		number(length / 64)
	}
	var runes []rune
	for r := range m.glyphs {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	number(len(runes))
	last := rune(0)
	for _, r := range runes {
		number(int(r - last))
		number(int(m.glyphs[r]))
		last = r
	}
	var pairs []int
	for p := range m.kerns {
		pairs = append(pairs, int(p[0])<<16|int(p[1]))
	}
	slices.Sort(pairs)
	number(len(pairs))
	before := 0
	for _, p := range pairs {
		number(p - before)
		number(m.kerns[[2]uint16{uint16(p >> 16), uint16(p)}] / 64)
		before = p
	}
	return data
}

// TestMetrics: what browsers measure with is what the font says.
func TestMetrics(t *testing.T) {
	f := Load()
	if *update {
		data := measured(f.bold).append(measured(f.regular).append(nil))
		if err := os.WriteFile(metricsFile, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(metricsFile)
	if err != nil {
		t.Fatal(err)
	}
	var again []byte
	for rest, weights := data, []trueType{f.regular, f.bold}; len(weights) > 0; weights = weights[1:] {
		var m *metrics
		if m, rest, err = readMetrics(rest); err != nil {
			t.Fatal(err)
		}
		again = m.append(again)
		same(t, m, weights[0])
		if len(weights) == 1 && len(rest) > 0 {
			t.Errorf("%d bytes are behind the metrics", len(rest))
		}
	}
	if !bytes.Equal(again, data) {
		t.Error("written again, the metrics differ")
	}
	if _, _, err := readMetrics(data[:len(data)/3]); err == nil {
		t.Error("half of the metrics were read")
	}
}

// same compares metrics with a font: all characters, all pairs of letters of ASCII, others at random.
func same(t *testing.T, m *metrics, want trueType) {
	t.Helper()
	n := want.NumGlyphs()
	if m.perEm() != want.perEm() || len(m.advances) != n || len(m.kerns) < 500 {
		t.Fatalf("%d units, %d glyphs, %d pairs", m.perEm(), len(m.advances), len(m.kerns))
	}
	for r := rune(-1); r < 0x12000; r++ {
		if m.index(r) != want.index(r) {
			t.Fatalf("%q is glyph %d, and not %d", r, m.index(r), want.index(r))
		}
	}
	for g := range n + 1 {
		length, is := m.advance(uint16(g))
		if l, i := want.advance(uint16(g)); length != l || is != i {
			t.Fatalf("glyph %d is %d wide, and not %d", g, length, l)
		}
	}
	pair := func(left, right uint16) {
		got, _ := m.kern(left, right)
		if length, _ := want.kern(left, right); got != length {
			t.Fatalf("between %d and %d are %d, and not %d", left, right, got, length)
		}
	}
	for left := ' '; left < 127; left++ {
		for right := ' '; right < 127; right++ {
			pair(m.index(left), m.index(right))
		}
	}
	for p := range m.kerns {
		pair(p[0], p[1])
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		pair(uint16(random.IntN(n)), uint16(random.IntN(n)))
	}
}
