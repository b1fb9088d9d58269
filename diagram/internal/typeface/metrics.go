package typeface

import (
	"encoding/binary"
	"errors"
	"slices"
)

// metrics are the widths of the glyphs of a weight: all that browsers need, which have outlines of
// their own.
type metrics struct {
	units    int
	glyphs   map[rune]uint16
	advances []int
	kerns    map[[2]uint16]int
}

func (m *metrics) perEm() int { return m.units }

func (m *metrics) index(r rune) uint16 { return m.glyphs[r] }

func (m *metrics) advance(glyph uint16) (int, bool) {
	if int(glyph) >= len(m.advances) {
		return 0, false
	}
	return m.advances[glyph], true
}

func (m *metrics) kern(left, right uint16) (int, bool) {
	length, is := m.kerns[[2]uint16{left, right}]
	return length, is
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

// readMetrics decodes what append has written, and returns the remaining data. Cost
// O(len(data)).
func readMetrics(data []byte) (m *metrics, rest []byte, err error) {
	next := func() int {
		n, size := binary.Varint(data)
		if size <= 0 {
			err = errors.New("typeface: the metrics end too early")
			return 0
		}
		data = data[size:]
		return int(n)
	}
	m = &metrics{units: next(), glyphs: map[rune]uint16{}, kerns: map[[2]uint16]int{}}
	for n := next(); n > 0 && err == nil; n-- {
		m.advances = append(m.advances, 64*next())
	}
	last := rune(0)
	for n := next(); n > 0 && err == nil; n-- {
		last += rune(next())
		m.glyphs[last] = uint16(next())
	}
	pair := 0
	for n := next(); n > 0 && err == nil; n-- {
		pair += next()
		m.kerns[[2]uint16{uint16(pair >> 16), uint16(pair)}] = 64 * next()
	}
	return m, data, err
}
