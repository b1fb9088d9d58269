//go:build !js

package mcrl2

import (
	"context"
	"encoding/binary"

	"github.com/inev-lts/inev/lts"
)

const (
	// usualBytes is the room that the fast path requires before it reads a transition, since it does not
	// check for the end of the data in between: more than a usual transition and one word.
	usualBytes = 48
	// usualWidth is the largest width of symbols such that a symbol and a number
	// fit the 56 bits that are available after a refill.
	usualWidth = 12
	// usualGroups is the largest number of groups of a number.
	usualGroups = 5
)

// labelCache maps recent multi-actions to their labels.
type labelCache [1 << labelBits]struct {
	key    [2]term // actions and time
	label  lts.Label
	isUsed bool
}

const labelBits = 10

func labelSlot(actions, time term) uint32 {
	return (uint32(actions) ^ uint32(time)<<16) * 0x9e3779b1 >> (32 - labelBits)
}

func (c *labelCache) keep(key [2]term, label lts.Label) {
	slot := &c[labelSlot(key[0], key[1])]
	slot.key = key
	slot.label = label
	slot.isUsed = true
}

// usualTransitions reads transitions as long as they have the usual form: the
// packets of nearly all transitions, without a term between them, with a known
// label. It leaves any other transition unread, from its beginning.
func (d *decoder) usualTransitions(ctx context.Context) {
	for d.end-d.at >= usualBytes {
		t, ok := d.readUsual()
		if !ok {
			return
		}
		d.addTransition(ctx, t.from, t.label, t.to)
	}
}

// usualTransition is a transition with the numbers of its states in the file.
type usualTransition struct {
	from  uint64
	label lts.Label
	to    uint64
}

// readUsual reads a transition, or nothing at all; then ok is false. The packets of a transition are: its head, the
// number of the source, the head of a multi-action with its actions and its time, and the number of the target.
func (d *decoder) readUsual() (t usualTransition, ok bool) {
	symbolWidth := d.symbolWidth
	termWidth := d.termWidth
	if symbolWidth > usualWidth || termWidth > 32 || d.actionSymbol == 0 {
		return t, false
	}
	buf := d.buf[:d.end]
	headWidth := 2 + symbolWidth
	output := uint64(packetTermOut) << symbolWidth
	w := window{at: d.at, bits: d.bits, valid: d.n}.refilled(buf)
	if w.first(headWidth) != output|uint64(d.transitionSymbol) {
		return t, false
	}
	w = w.without(headWidth)
	from, used := numberOut(w.bits)
	if used == 0 {
		return t, false
	}
	w = w.without(used).refilled(buf)
	if w.first(headWidth) != output|uint64(d.actionSymbol) {
		return t, false
	}
	w = w.without(headWidth)
	actions := term(w.first(termWidth))
	w = w.without(termWidth).refilled(buf)
	time := term(w.first(termWidth))
	known := &d.cache[labelSlot(actions, time)]
	if !known.isUsed || known.key != [2]term{actions, time} {
		return t, false
	}
	w = w.without(termWidth).refilled(buf)
	to, used := numberOut(w.bits)
	if used == 0 {
		return t, false
	}
	w = w.without(used)
	d.at = w.at
	d.bits = w.bits
	d.n = w.valid
	return usualTransition{from: from, label: known.label, to: to}, true
}

// window holds the next bits of a file. The highest ones are valid.
type window struct {
	at    int // the index of the first byte that is not in the window
	bits  uint64
	valid uint // how many bits are valid
}

// refilled returns the window with as many bytes of buf added as it has room for: at least 56 bits are valid.
func (w window) refilled(buf []byte) window {
	bytes := (63 - w.valid) / 8
	return window{
		at:    w.at + int(bytes),
		bits:  w.bits | binary.BigEndian.Uint64(buf[w.at:])>>w.valid,
		valid: w.valid + 8*bytes,
	}
}

// first returns the first n bits.
func (w window) first(n uint) uint64 { return w.bits >> (64 - n) }

// without returns the window after its first n bits.
func (w window) without(n uint) window {
	return window{at: w.at, bits: w.bits << n, valid: w.valid - n}
}

// numberOut returns the number that a packet at the beginning of these bits
// outputs, and how many bits it takes; 0 if the packet is another one, or the
// number is long.
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
