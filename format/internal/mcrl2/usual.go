//go:build !js

package mcrl2

import (
	"context"
	"encoding/binary"

	"github.com/inev-lts/inev/lts"
)

const (
	// usualBytes is more than the length of a usual transition and one word.
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
		from, label, to, ok := d.readUsual()
		if !ok {
			return
		}
		d.addTransition(ctx, from, label, to)
	}
}

// readUsual reads a transition, or nothing at all; then ok is false.
func (d *decoder) readUsual() (from uint64, label lts.Label, to uint64, ok bool) {
	symbolWidth := d.symbolWidth
	termWidth := d.termWidth
	if symbolWidth > usualWidth || termWidth > 32 || d.actionSymbol == 0 {
		return 0, 0, 0, false
	}
	buf := d.buf[:d.end]
	output := uint64(packetTermOut) << symbolWidth
	at, bits, n := refilled(buf, d.at, d.bits, d.n)
	if bits>>(62-symbolWidth) != output|uint64(d.transitionSymbol) {
		return 0, 0, 0, false
	}
	bits = bits << (2 + symbolWidth)
	n = n - 2 - symbolWidth
	from, used := numberOut(bits)
	if used == 0 {
		return 0, 0, 0, false
	}
	at, bits, n = refilled(buf, at, bits<<used, n-used)
	if bits>>(62-symbolWidth) != output|uint64(d.actionSymbol) {
		return 0, 0, 0, false
	}
	bits = bits << (2 + symbolWidth)
	n = n - 2 - symbolWidth
	actions := term(bits >> (64 - termWidth))
	at, bits, n = refilled(buf, at, bits<<termWidth, n-termWidth)
	time := term(bits >> (64 - termWidth))
	known := &d.cache[labelSlot(actions, time)]
	if !known.isUsed || known.key != [2]term{actions, time} {
		return 0, 0, 0, false
	}
	at, bits, n = refilled(buf, at, bits<<termWidth, n-termWidth)
	to, used = numberOut(bits)
	if used == 0 {
		return 0, 0, 0, false
	}
	d.at = at
	d.bits = bits << used
	d.n = n - used
	return from, known.label, to, true
}

// refilled adds bytes of buf to bits, so that at least 56 bits are valid. It returns the new
// position in buf, the bits, and how many of them are valid.
func refilled(buf []byte, at int, bits uint64, n uint) (int, uint64, uint) {
	whole := (63 - n) >> 3
	return at + int(whole), bits | binary.BigEndian.Uint64(buf[at:])>>n, n + 8*whole
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
