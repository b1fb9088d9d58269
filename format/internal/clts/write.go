package clts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
)

// Write writes a model. The file has the transitions by ascending source, those
// of a state in their order; labels with the same text become one label. It fails
// if w does, and if the model has 2³² transitions or more. Cost O(S + T) time,
// twice, and memory for the labels and the index only.
func Write(w io.Writer, m *lts.LTS) (err error) {
	defer abort.Caught(&err)
	if int64(m.NumTransitions()) > math.MaxUint32 {
		return fmt.Errorf("a .clts file has at most %d transitions, and the model has %d: write it in another format", int64(math.MaxUint32), m.NumTransitions())
	}
	x := newWriter(m)
	var index []byte
	x.blocks(func(block []byte) {
		index = binary.LittleEndian.AppendUint32(index, uint32(len(block)))
		index = binary.LittleEndian.AppendUint32(index, checksum(block))
	})
	abort.Must(w.Write(append(x.header(index), index...)))
	x.blocks(func(block []byte) { abort.Must(w.Write(block)) })
	return nil
}

type writer struct {
	m     *lts.LTS
	texts []string
	// number[l] is the number of label l in the file.
	number []lts.Label
	packer packer
}

func newWriter(m *lts.LTS) *writer {
	x := &writer{m: m, number: make([]lts.Label, m.Alphabet().Len())}
	var texts keyed.List[string, string]
	for l, text := range m.Alphabet().All() {
		x.number[l] = lts.Label(texts.Index(text, text))
	}
	x.texts = texts.All
	return x
}

func (x *writer) header(index []byte) []byte {
	h := make([]byte, 0, headerSize+len(index))
	h = append(h, magic...)
	h = binary.LittleEndian.AppendUint32(h, version)
	h = binary.LittleEndian.AppendUint32(h, uint32(len(x.texts)))
	h = binary.LittleEndian.AppendUint64(h, uint64(x.m.NumStates()))
	h = binary.LittleEndian.AppendUint64(h, uint64(x.m.NumTransitions()))
	h = binary.LittleEndian.AppendUint64(h, uint64(x.m.Initial()))
	h = append(h, make([]byte, 16)...)
	h = binary.LittleEndian.AppendUint32(h, checksum(index))
	return binary.LittleEndian.AppendUint32(h, checksum(h))
}

// blocks calls take with each block, in their order.
func (x *writer) blocks(take func([]byte)) {
	take(x.labels())
	x.degrees(take)
	x.transitions(take)
}

func (x *writer) labels() (block []byte) {
	for _, text := range x.texts {
		block = binary.AppendUvarint(block, uint64(len(text)))
		block = append(block, text...)
	}
	if len(block) > math.MaxUint32 {
		abort.On(fmt.Errorf("a .clts file holds less than 4 GiB of labels, and the model has %d bytes: write it in another format", len(block)))
	}
	return block
}

func (x *writer) degrees(take func([]byte)) {
	p, n := &x.packer, x.m.NumStates()
	p.begin(false)
	for s := range n {
		first, end := x.m.Row(lts.State(s))
		p.add(uint64(end-first), 0)
		if (s+1)%inBlock == 0 || s+1 == n {
			p.flush()
			take(p.block)
			p.begin(false)
		}
	}
}

// transitions writes the targets and the labels of each block of transitions.
func (x *writer) transitions(take func([]byte)) {
	var labels packer
	p, done, all := &x.packer, 0, x.m.NumTransitions()
	p.begin(true)
	labels.begin(false)
	for s := range x.m.NumStates() {
		of, targets := x.m.Out(lts.State(s))
		for i, t := range targets {
			p.add(uint64(t), uint64(s))
			labels.add(uint64(x.number[of.At(i)]), 0)
			if done++; done%inBlock != 0 && done != all {
				continue
			}
			p.flush()
			labels.flush()
			take(p.block)
			take(labels.block)
			p.begin(true)
			labels.begin(false)
		}
	}
}

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
func (u *unpacker) next(n int, targets bool) (mode byte) {
	if len(u.rest) <= slack {
		abort.On(errShape)
	}
	mode, width := u.rest[0]>>6, int(u.rest[0]&(1<<6-1))
	size := (n*width + 7) / 8
	if u.rest = u.rest[1:]; width > maxWidth || mode > fromTarget || mode != plain && !targets || len(u.rest) < size+slack {
		abort.On(errShape)
	}
	mask := uint64(1)<<width - 1
	for i, bit := 0, 0; i < n; i, bit = i+1, bit+width {
		u.group[i] = binary.LittleEndian.Uint64(u.rest[bit>>3:]) >> (bit & 7) & mask
	}
	u.rest = u.rest[size:]
	return mode
}

// end fails unless the whole block was read.
func (u *unpacker) end() {
	if len(u.rest) != slack {
		abort.On(errShape)
	}
}

// sizes returns the least and the largest size of a block of n numbers.
func sizes(n int) (least, most int64) {
	groups := int64(n+inGroup-1) / inGroup
	return groups, groups + (int64(n)*maxWidth+7)/8 + groups
}
