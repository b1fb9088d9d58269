package clts

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Modes of a group.
const (
	plain byte = iota
	fromSource
	fromTarget
)

// packer writes the groups of one block.
type packer struct {
	block []byte
	room  [3][inGroup]uint64 // a group by mode
	all   [3]uint64          // the bits that occur in numbers of the group, by mode
	n     int
	modes int // the number of modes in use
	// before is the previous target.
	before uint64
}

// begin begins a block of numbers, or of targets.
func (p *packer) begin(targets bool) {
	p.block, p.n, p.before, p.modes = p.block[:0], 0, 0, 1
	if targets {
		p.modes = 3
	}
}

// add adds a number, or a target with its source.
func (p *packer) add(value, source uint64) {
	p.put(plain, value)
	if p.modes > 1 {
		p.put(fromSource, zigzag(int64(value)-int64(source)))
		p.put(fromTarget, zigzag(int64(value)-int64(p.before)))
		p.before = value
	}
	if p.n++; p.n == inGroup {
		p.flush()
	}
}

func (p *packer) put(mode byte, value uint64) {
	p.room[mode][p.n] = value
	p.all[mode] |= value
}

// flush writes the group in the mode that takes fewest bits.
func (p *packer) flush() {
	if p.n == 0 {
		return
	}
	mode := plain
	for other := range byte(p.modes) {
		if bits.Len64(p.all[other]) < bits.Len64(p.all[mode]) {
			mode = other
		}
	}
	width := bits.Len64(p.all[mode])
	p.block = append(p.block, mode<<6|byte(width))
	waiting, filled := uint64(0), 0
	for _, value := range p.room[mode][:p.n] {
		waiting |= value << filled
		for filled += width; filled >= 8; filled -= 8 {
			p.block = append(p.block, byte(waiting))
			waiting >>= 8
		}
	}
	if filled > 0 {
		p.block = append(p.block, byte(waiting))
	}
	p.n, p.all = 0, [3]uint64{}
}

func zigzag(d int64) uint64 { return uint64(d<<1) ^ uint64(d>>63) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// errShape is the error of a block whose checksum is right, and whose numbers are not.
var errShape = errors.New("its numbers are out of range")

// slack is the number of bytes that must follow a block when it is unpacked.
const slack = 8

// unpacker reads the groups of one block.
type unpacker struct {
	rest  []byte // with slack
	group [inGroup]uint64
}

// next reads a group of n numbers, and returns its mode. All modes except plain
// are for targets only.
func (u *unpacker) next(n int, targets bool) (mode byte, err error) {
	if len(u.rest) <= slack {
		return 0, errShape
	}
	mode, width := u.rest[0]>>6, int(u.rest[0]&(1<<6-1))
	size := (n*width + 7) / 8
	if u.rest = u.rest[1:]; width > maxWidth || mode > fromTarget || mode != plain && !targets || len(u.rest) < size+slack {
		return 0, errShape
	}
	mask := uint64(1)<<width - 1
	for i, bit := 0, 0; i < n; i, bit = i+1, bit+width {
		u.group[i] = binary.LittleEndian.Uint64(u.rest[bit>>3:]) >> (bit & 7) & mask
	}
	u.rest = u.rest[size:]
	return mode, nil
}

// end returns an error unless the whole block was read.
func (u *unpacker) end() error {
	if len(u.rest) != slack {
		return errShape
	}
	return nil
}

// sizes returns the least and the largest size of a block of n numbers.
func sizes(n int) (least, most int64) {
	groups := int64(n+inGroup-1) / inGroup
	return groups, groups + (int64(n)*maxWidth+7)/8 + groups
}
