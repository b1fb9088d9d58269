package typeface

import (
	"encoding/binary"
	"errors"
)

// metrics are the widths of the glyphs of a weight. Browsers need no more, since they have outlines of
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
	length, isKnown := m.kerns[[2]uint16{left, right}]
	return length, isKnown
}

// readMetrics decodes metrics that a test of this package has encoded, and returns the remaining data.
// Cost O(len(data)).
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
	m = &metrics{
		units:  next(),
		glyphs: map[rune]uint16{},
		kerns:  map[[2]uint16]int{},
	}
	for n := next(); n > 0 && err == nil; n-- {
		m.advances = append(m.advances, 64*next())
	}
	last := rune(0) // characters and pairs are written as differences from the one before
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
