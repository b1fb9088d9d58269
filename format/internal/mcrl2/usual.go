//go:build !js

package mcrl2

import (
	"context"
	"encoding/binary"

	"github.com/inev-lts/inev/lts"
)

const (
	// usualBytes is more than a usual transition takes, and a word behind it.
	usualBytes = 48
	// usualWidth bounds the width of symbols, so that one and a number fit into the 56 bits that
	// are there at least after reading on.
	usualWidth = 12
	// usualGroups bounds a number.
	usualGroups = 5
)

// labelCache remembers the labels of multi-actions.
type labelCache [1 << labelBits]struct {
	key   [2]term // actions and time
	label lts.Label
	is    bool
}

const labelBits = 10

func labelSlot(actions, time term) uint32 {
	return (uint32(actions) ^ uint32(time)<<16) * 0x9e3779b1 >> (32 - labelBits)
}

func (c *labelCache) keep(key [2]term, label lts.Label) {
	slot := &c[labelSlot(key[0], key[1])]
	slot.key, slot.label, slot.is = key, label, true
}

// usualTransitions reads transitions for as long as they are as mCRL2 writes nearly all: packet
// by packet without a term between, with a label that was met. What is otherwise is left to
// be read, from where the transition begins.
func (d *decoder) usualTransitions(ctx context.Context) error {
	for d.end-d.at >= usualBytes {
		from, label, to, ok := d.usual()
		if !ok {
			return nil
		}
		if err := d.add(ctx, from, label, to); err != nil {
			return err
		}
	}
	return nil
}

// usual reads a transition, or nothing at all.
func (d *decoder) usual() (from uint64, label lts.Label, to uint64, ok bool) {
	symbolWidth, termWidth := d.symbolWidth, d.termWidth
	if symbolWidth > usualWidth || termWidth > 32 || d.multi == 0 {
		return 0, 0, 0, false
	}
	buf, output := d.buf[:d.end], uint64(packetTermOut)<<symbolWidth
	at, bits, n := refilled(buf, d.at, d.bits, d.n)
	if bits>>(62-symbolWidth) != output|uint64(d.mark) {
		return 0, 0, 0, false
	}
	bits, n = bits<<(2+symbolWidth), n-2-symbolWidth
	from, used := numberOut(bits)
	if used == 0 {
		return 0, 0, 0, false
	}
	at, bits, n = refilled(buf, at, bits<<used, n-used)
	if bits>>(62-symbolWidth) != output|uint64(d.multi) {
		return 0, 0, 0, false
	}
	bits, n = bits<<(2+symbolWidth), n-2-symbolWidth
	actions := term(bits >> (64 - termWidth))
	at, bits, n = refilled(buf, at, bits<<termWidth, n-termWidth)
	time := term(bits >> (64 - termWidth))
	known := &d.cache[labelSlot(actions, time)]
	if !known.is || known.key != [2]term{actions, time} {
		return 0, 0, 0, false
	}
	at, bits, n = refilled(buf, at, bits<<termWidth, n-termWidth)
	if to, used = numberOut(bits); used == 0 {
		return 0, 0, 0, false
	}
	d.at, d.bits, d.n = at, bits<<used, n-used
	return from, known.label, to, true
}

// refilled returns a place in a text, the next bits, and how many of these count, with 56 of them
// at least.
func refilled(buf []byte, at int, bits uint64, n uint) (int, uint64, uint) {
	whole := (63 - n) >> 3
	return at + int(whole), bits | binary.BigEndian.Uint64(buf[at:])>>n, n + 8*whole
}

// numberOut returns the number that is output by a packet at the beginning of these bits, and how
// many of them it takes; 0 if it is another packet, or the number is long.
func numberOut(bits uint64) (v uint64, used uint) {
	if bits>>62 != packetNumberOut {
		return 0, 0
	}
	bits <<= 2
	for i := range uint(usualGroups) {
		v |= bits >> 56 & 0x7f << (7 * i)
		if bits>>63 == 0 {
			return v, 2 + 8*(i+1)
		}
		bits <<= 8
	}
	return 0, 0
}
