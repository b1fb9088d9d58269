// Package clts reads and writes models in a compressed form of inev's own, with the suffix
// .clts: a labelled transition system in less than four bytes a transition, read several times
// as fast as text.
//
// All numbers are little-endian, and all checksums CRC-32C. A file is a header of 64 bytes:
//
//	0   89 43 4c 54 53 0d 0a 1a, which transfers as text would damage
//	8   the version of the form, 1, in 4 bytes
//	12  the number of labels, in 4 bytes
//	16  the numbers of states and of transitions and the initial state, in 8 bytes each
//	40  0, in 16 bytes
//	56  the checksums of the index and of the bytes 0 to 59, in 4 bytes each
//
// then the index, a size and a checksum of 4 bytes each for every block, then the blocks:
//
//   - the labels: the length of each as a varint, and its bytes;
//   - the numbers of transitions that leave the states, 65,536 states a block;
//   - for each 65,536 transitions, which are sorted by source, a block with their targets and
//     one with the numbers of their labels.
//
// Numbers in a block are in groups of 64. A group begins with a byte: its lower six bits are a
// width w, and its upper two bits a mode. The numbers of the group follow in w bits each, the
// lowest bit first, filled up to whole bytes. Mode 0 means the numbers themselves. Targets can also
// be written as their differences from the source (1) or from the target before (2; from 0 at the
// beginning of a block), where 0, -1, 1, -2 … are the numbers 0, 1, 2, 3 …
//
// No number of a block is used before its checksum is verified, and the same model gives the same
// bytes.
package clts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"runtime"
	"sort"
	"sync"

	"github.com/inev-lts/inev/format/internal/plaintext"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lineblocks"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

const (
	magic      = "\x89CLTS\r\n\x1a"
	version    = 1
	headerSize = 64
	entrySize  = 8
	// blockLength is the number of numbers in a block, and groupLength the number of numbers in a group.
	blockLength = 1 << 16
	groupLength = 64
	// maxWidth is the largest number of bits of a number: a difference has 33.
	maxWidth = 33
)

var castagnoli = sync.OnceValue(func() *crc32.Table {
	return crc32.MakeTable(crc32.Castagnoli)
})

func checksum(block []byte) uint32 { return crc32.Checksum(block, castagnoli()) }

// Begins reports whether a text is in this form, by how it begins. Cost O(1).
func Begins(start []byte) bool {
	return len(start) >= len(magic) && string(start[:len(magic)]) == magic
}

// blocksFor returns the number of blocks for this many numbers.
func blocksFor(n int64) int { return int((n + blockLength - 1) / blockLength) }

// Options control how a file is read.
type Options = plaintext.Options

// Read reads a model. It refuses a file that is damaged in any way, or in a later
// version of the format. It allocates memory only if the file is long enough to
// need it; input of unknown length, such as a pipe or compressed text, is read
// completely first. A file is not mapped but read once, block by block: all of a
// model is needed, and a file that another program truncates meanwhile ends with
// an error and not with a signal.
//
// Errors are of type [inputfile.Error], unless the context is done or Options.Admit
// fails. Cost O(S + T) time; 4 bytes a state, and 4 and the size of a label a
// transition.
func Read(ctx context.Context, r io.Reader, o Options) (*lts.LTS, error) {
	o.Name = cmp.Or(o.Name, "input")
	d := &decoder{Options: o, r: r, remaining: lineblocks.Remaining(r)}
	var m *lts.LTS
	err := abort.Try(func() { m = d.read(ctx) })
	var refused *inputfile.Error
	var exceeded *resources.ExceededError
	switch {
	case err == nil, d.isNotAdmitted, errors.As(err, &refused), errors.As(err, &exceeded):
		return m, err
	case ctx.Err() != nil:
		return nil, resources.Because(ctx, ctx.Err())
	}
	return nil, inputfile.FileError(o.Name, err)
}

// decoder reads one file.
type decoder struct {
	Options
	r         io.Reader
	remaining int64 // the bytes left in the file; -1 if that is not known
	// isNotAdmitted reports whether Options.Admit has ended the reading.
	isNotAdmitted bool

	states, transitions int64
	initial             uint64
	labels              uint32
	index               []byte
	rows                []uint32
	column              lts.LabelColumn
	targets             []lts.State
}

// read reads the whole file. What the header and the index say is checked before memory is allocated for the
// model.
func (d *decoder) read(ctx context.Context) *lts.LTS {
	text := abort.Must(compressed.NewReader(d.r, 1))
	defer text.Close()
	d.r = text
	if text.Format() != "" {
		d.remaining = -1
	}
	d.readHeader()
	d.readIndex()
	if d.Admit != nil {
		err := d.Admit(d.states, d.transitions)
		d.isNotAdmitted = err != nil
		abort.On(err)
	}
	alphabet := d.readLabels()
	d.rows = abort.Must(resources.Make[uint32](ctx, int(d.states)+1))
	ofStates := 1 + blocksFor(d.states)
	entries := len(d.index) / entrySize
	d.decodeBlocks(ctx, 1, ofStates)
	d.sumDegrees()
	d.targets = abort.Must(resources.Make[lts.State](ctx, int(d.transitions)))
	d.column = abort.Must(lts.NewLabelColumn(ctx, int(d.transitions), alphabet.Len()))
	d.decodeBlocks(ctx, ofStates, entries)
	m, err := lts.FromRows(lts.State(d.initial), alphabet, d.rows, d.column, d.targets)
	if err != nil {
		d.refuse("is damaged: %v", err)
	}
	if d.remaining < 0 {
		d.checkEnd()
	}
	return m
}

// sumDegrees turns the out-degrees of the states into the beginnings of their rows. Decoding has
// stored the out-degree of each state at the index of the next state.
func (d *decoder) sumDegrees() {
	sum := int64(0)
	for i, degree := range d.rows {
		sum += int64(degree)
		if sum > d.transitions {
			break
		}
		d.rows[i] = uint32(sum)
	}
	if sum != d.transitions {
		d.refuse("is damaged: its states do not have the %d transitions that it has; write it again", d.transitions)
	}
}

// checkEnd fails if bytes follow the last block.
func (d *decoder) checkEnd() {
	n, err := io.ReadFull(d.r, make([]byte, 1))
	if n > 0 {
		d.refuse("is damaged: bytes follow its last block; copy it again, or write it again")
	}
	if err != io.EOF {
		abort.On(err)
	}
}

// readUpTo reads n bytes, or fewer if the text ends before. It allocates memory as bytes arrive, however
// large n is.
func (d *decoder) readUpTo(n int) []byte {
	if d.remaining >= 0 {
		buffer := make([]byte, min(int64(n), d.remaining))
		d.fill(buffer)
		return buffer
	}
	var buffer bytes.Buffer
	if _, err := io.CopyN(&buffer, d.r, int64(n)); err != io.EOF {
		abort.On(err)
	}
	return buffer.Bytes()
}

// readExactly is like readUpTo, but refuses the file as truncated if fewer than n bytes are left.
func (d *decoder) readExactly(n int) []byte {
	buffer := d.readUpTo(n)
	if len(buffer) < n {
		d.refuseTruncated()
	}
	return buffer
}

func (d *decoder) fill(buffer []byte) {
	n, err := io.ReadFull(d.r, buffer)
	if d.remaining >= 0 {
		d.remaining -= int64(n)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		d.refuseTruncated()
	}
	abort.On(err)
}

// readHeader reads and checks the header, and the index of blocks after it.
func (d *decoder) readHeader() {
	h := d.readUpTo(headerSize)
	number := binary.LittleEndian
	switch {
	case len(h) == 0 && d.remaining < 0:
		d.refuseTruncated()
	case !Begins(h):
		d.refuse("is not a .clts file: it does not begin as one")
	case len(h) < headerSize:
		d.refuseTruncated()
	case number.Uint32(h[60:]) != checksum(h[:60]):
		d.refuseChecksum("the header")
	case number.Uint32(h[8:]) != version:
		d.refuse("is a .clts file of version %d, and version %d is known: read it with a newer inev", number.Uint32(h[8:]), version)
	}
	d.labels = number.Uint32(h[12:])
	states := number.Uint64(h[16:])
	transitions := number.Uint64(h[24:])
	d.initial = number.Uint64(h[32:])
	arePossible := 1 <= states && states <= lts.MaxStates && transitions <= math.MaxUint32
	if !arePossible || d.initial >= states {
		d.refuse("is damaged: %d states, %d transitions and the initial state %d do not go together; write it again", states, transitions, d.initial)
	}
	d.states = int64(states)
	d.transitions = int64(transitions)
	entries := 1 + blocksFor(d.states) + 2*blocksFor(d.transitions)
	d.index = d.readExactly(entries * entrySize)
	if number.Uint32(h[56:]) != checksum(d.index) {
		d.refuseChecksum("the index")
	}
}

// readIndex checks the sizes of blocks against their contents, and their sum
// against the length of the file.
func (d *decoder) readIndex() {
	sum := int64(0)
	for i := range len(d.index) / entrySize {
		size, _ := d.entry(i)
		sum += int64(size)
		if i == 0 {
			if int64(size) < int64(d.labels) {
				d.refuse("is damaged: %d labels do not fit into %d bytes; write it again",
					d.labels, size)
			}
			continue
		}
		first, end, _ := d.blockOf(i)
		least, most := blockSizes(int(end - first))
		if int64(size) < least || int64(size) > most {
			d.refuse("is damaged: block %d has %d bytes; write it again", i, size)
		}
	}
	switch {
	case d.remaining < 0: // the reader of the blocks finds out
	case sum > d.remaining:
		d.refuseTruncated()
	case sum < d.remaining:
		d.refuse("is damaged: %d bytes follow its last block; copy it again, or write it again",
			d.remaining-sum)
	}
}

func (d *decoder) entry(i int) (size, sum uint32) {
	at := d.index[i*entrySize:]
	return binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
}

// blockOf describes the block with an index, from 1: the range [first, end) of states or transitions in
// it, and what the block holds of them.
func (d *decoder) blockOf(index int) (first, end int64, holds string) {
	n := int64(index - 1)
	total := d.states
	holds = "degrees"
	ofDegrees := int64(blocksFor(d.states))
	if n >= ofDegrees {
		n -= ofDegrees
		total = d.transitions
		holds = "targets"
		if n%2 == 1 {
			holds = "labels"
		}
		n /= 2 // blocks of targets and of labels alternate
	}
	return n * blockLength, min((n+1)*blockLength, total), holds
}

// refuse ends the reading.
func (d *decoder) refuse(format string, args ...any) {
	abort.On(&inputfile.Error{File: d.Name, Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) refuseChecksum(what string) {
	d.refuse("is damaged: the checksum of %s is wrong; copy it again, or write it again", what)
}

func (d *decoder) refuseTruncated() { d.refuse("ends too early: copy it again, or write it again") }

// readLabels reads the block with the texts of all labels.
func (d *decoder) readLabels() *lts.Alphabet {
	size, sum := d.entry(0)
	block := d.readExactly(int(size))
	if checksum(block) != sum {
		d.refuseChecksum("the labels")
	}
	texts := make([]string, 0, d.labels)
	for range d.labels {
		length, n := binary.Uvarint(block)
		if n <= 0 || length > uint64(len(block)-n) {
			d.refuse("is damaged: its labels are cut off; write it again")
		}
		texts = append(texts, string(block[n:n+int(length)]))
		block = block[n+int(length):]
	}
	if len(block) > 0 {
		d.refuse("is damaged: %d bytes follow its labels; write it again", len(block))
	}
	alphabet, err := lts.NewAlphabet(texts)
	if err != nil {
		d.refuse("is damaged: %v", err)
	}
	return alphabet
}

// readBlock is a block that was read.
type readBlock struct {
	block  int
	buffer []byte
}

// decodeBlocks reads the blocks [first, end) in order, and decodes them on several
// goroutines. Of several errors it ends with the error of the first block.
func (d *decoder) decodeBlocks(ctx context.Context, first, end int) {
	workers := d.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, end-first))
	// There are as many buffers as can be in use at the same time.
	free := make(chan []byte, 2*workers)
	for range cap(free) {
		free <- nil
	}
	full := make(chan readBlock, cap(free))
	failed := &firstError{block: end}
	var group contained.Group
	for range workers {
		group.Go(func() {
			for b := range full {
				failed.add(b.block, contained.Call(func() error {
					return abort.Try(func() { d.decode(b.block, b.buffer) })
				}))
				free <- b.buffer
			}
		})
	}
	d.readBlocks(ctx, first, end, free, full, failed)
	group.Wait()
	contained.Again(failed.err)
	abort.On(ctx.Err())
	abort.On(failed.err)
}

// readBlocks reads the blocks [first, end) into free buffers, and sends them to full, which it closes.
// It ends early if a block cannot be read, or ctx is done.
func (d *decoder) readBlocks(
	ctx context.Context,
	first, end int,
	free <-chan []byte,
	full chan<- readBlock,
	failed *firstError,
) {
	defer close(full)
	for i := first; i < end && ctx.Err() == nil; i++ {
		size, _ := d.entry(i)
		buffer := <-free
		if cap(buffer) < int(size)+slack {
			buffer = make([]byte, int(size)+slack)
		}
		buffer = buffer[:int(size)+slack]
		if err := abort.Try(func() { d.fill(buffer[:size]) }); err != nil {
			failed.add(i, err)
			return
		}
		full <- readBlock{i, buffer}
	}
}

// firstError is the error of the first block that has one.
type firstError struct {
	mutex sync.Mutex
	err   error
	block int
}

// add records the error of a block; a nil error changes nothing.
func (f *firstError) add(block int, err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err != nil && (f.err == nil || block < f.block) {
		f.err = err
		f.block = block
	}
}

// decode checks the checksum of a block, and stores its numbers.
func (d *decoder) decode(i int, buffer []byte) {
	first, end, holds := d.blockOf(i)
	_, sum := d.entry(i)
	about := fmt.Sprintf("block %d, the %s from number %d on,", i, holds, first)
	if checksum(buffer[:len(buffer)-slack]) != sum {
		d.refuseChecksum(about)
	}
	err := abort.Try(func() {
		u := &unpacker{rest: buffer}
		switch holds {
		case "degrees":
			d.decodeDegrees(u, first, end)
		case "targets":
			d.decodeTargets(u, first, end)
		default:
			d.decodeLabels(u, first, end)
		}
		if len(u.rest) != slack {
			abort.On(errOutOfRange)
		}
	})
	if err != nil {
		d.refuse("is damaged: of %s %v; write it again", about, err)
	}
}

// decodeDegrees decodes the numbers of transitions that leave the states [first, end).
func (d *decoder) decodeDegrees(u *unpacker, first, end int64) {
	for ; first < end; first += groupLength {
		n := int(min(groupLength, end-first))
		u.readGroup(n, modesOfNumbers)
		for i, degree := range u.group[:n] {
			if degree > uint64(d.transitions) {
				abort.On(errOutOfRange)
			}
			d.rows[int(first)+i+1] = uint32(degree)
		}
	}
}

// decodeTargets decodes the targets of the transitions [first, end). A group of them is stored as numbers, or
// as differences from the source or from the target before, as its mode says.
func (d *decoder) decodeTargets(u *unpacker, first, end int64) {
	source := sort.Search(int(d.states), func(s int) bool {
		return int64(d.rows[s+1]) > first
	})
	previous := int64(0)
	for ; first < end; first += groupLength {
		n := int(min(groupLength, end-first))
		mode := u.readGroup(n, modesOfTargets)
		into := d.targets[first : first+int64(n)]
		for i := range into {
			value := int64(u.group[i])
			switch mode {
			case fromSource:
				for int64(d.rows[source+1]) <= first+int64(i) {
					source++
				}
				value = int64(source) + unzigzag(u.group[i])
			case fromTarget:
				value = previous + unzigzag(u.group[i])
			}
			if value < 0 || value >= d.states {
				abort.On(errOutOfRange)
			}
			previous = value
			into[i] = lts.State(value)
		}
	}
}

// decodeLabels decodes the labels of the transitions [first, end).
func (d *decoder) decodeLabels(u *unpacker, first, end int64) {
	var labels [groupLength]lts.Label
	for ; first < end; first += groupLength {
		n := int(min(groupLength, end-first))
		u.readGroup(n, modesOfNumbers)
		for i, l := range u.group[:n] {
			if l >= uint64(d.labels) {
				abort.On(errOutOfRange)
			}
			labels[i] = lts.Label(l)
		}
		d.column.Put(int(first), labels[:n])
	}
}

// Write writes a model. The file has the transitions by ascending source, those of a state in their
// order; labels with the same text become one label. It fails if w does, or if the model has 2³²
// transitions or more. It passes over the model twice: cost O(S + T) time, and memory for the
// labels and the index only.
func Write(w io.Writer, m *lts.LTS) (err error) {
	defer abort.Caught(&err)
	if int64(m.NumTransitions()) > math.MaxUint32 {
		return fmt.Errorf("a .clts file has at most %d transitions, but the model has %d: write it in another format", int64(math.MaxUint32), m.NumTransitions())
	}
	x := &writer{m: m, fileLabel: make([]lts.Label, m.Alphabet().Len())}
	var texts intern.List[string, string]
	for l, text := range m.Alphabet().All() {
		x.fileLabel[l] = lts.Label(texts.Index(text, text))
	}
	x.texts = texts.All
	var index []byte
	x.eachBlock(func(block []byte) {
		index = binary.LittleEndian.AppendUint32(index, uint32(len(block)))
		index = binary.LittleEndian.AppendUint32(index, checksum(block))
	})
	abort.Must(w.Write(append(x.header(index), index...)))
	x.eachBlock(func(block []byte) { abort.Must(w.Write(block)) })
	return nil
}

// header returns the header of the file, which has the checksum of the index.
func (x *writer) header(index []byte) []byte {
	number := binary.LittleEndian
	h := make([]byte, 0, headerSize+len(index))
	h = append(h, magic...)
	h = number.AppendUint32(h, version)
	h = number.AppendUint32(h, uint32(len(x.texts)))
	h = number.AppendUint64(h, uint64(x.m.NumStates()))
	h = number.AppendUint64(h, uint64(x.m.NumTransitions()))
	h = number.AppendUint64(h, uint64(x.m.Initial()))
	h = append(h, make([]byte, 16)...)
	h = number.AppendUint32(h, checksum(index))
	return number.AppendUint32(h, checksum(h))
}

// writer writes one model.
type writer struct {
	m     *lts.LTS
	texts []string
	// fileLabel[l] is the number of label l in the file.
	fileLabel []lts.Label
	packer    packer
}

// eachBlock calls take with each block, in their order.
func (x *writer) eachBlock(take func([]byte)) {
	take(x.labels())
	p := &x.packer
	n := x.m.NumStates()
	p.begin(modesOfNumbers)
	for s := range n {
		first, end := x.m.Row(lts.State(s))
		p.add(uint64(end-first), 0)
		if (s+1)%blockLength == 0 || s+1 == n {
			p.flush()
			take(p.block)
			p.begin(modesOfNumbers)
		}
	}
	x.transitions(take)
}

func (x *writer) labels() (block []byte) {
	for _, text := range x.texts {
		block = binary.AppendUvarint(block, uint64(len(text)))
		block = append(block, text...)
	}
	if len(block) > math.MaxUint32 {
		abort.On(fmt.Errorf("a .clts file holds less than 4 GiB of labels, but the model has %d bytes: write it in another format", len(block)))
	}
	return block
}

// transitions writes the targets and the labels of each block of transitions.
func (x *writer) transitions(take func([]byte)) {
	var labels packer
	p := &x.packer
	done := 0
	all := x.m.NumTransitions()
	p.begin(modesOfTargets)
	labels.begin(modesOfNumbers)
	for s := range x.m.NumStates() {
		labelsOfRow, targets := x.m.Out(lts.State(s))
		for i, t := range targets {
			p.add(uint64(t), uint64(s))
			labels.add(uint64(x.fileLabel[labelsOfRow.At(i)]), 0)
			done++
			if done%blockLength != 0 && done != all {
				continue
			}
			p.flush()
			labels.flush()
			take(p.block)
			take(labels.block)
			p.begin(modesOfTargets)
			labels.begin(modesOfNumbers)
		}
	}
}

// Modes of a group.
const (
	plain byte = iota
	fromSource
	fromTarget
)

// These are the numbers of modes that a group of such numbers can have; they are the first modes.
const (
	modesOfNumbers = 1
	modesOfTargets = 3
)

// packer writes the groups of one block.
type packer struct {
	block    []byte
	groups   [3][groupLength]uint64 // a group by mode
	usedBits [3]uint64              // for each mode, the bits that are set in any number of the group
	count    int
	modes    int // how many modes the groups can have
	// lastTarget is the previous target.
	lastTarget uint64
}

// begin begins a block whose groups can have this many modes.
func (p *packer) begin(modes int) {
	p.block = p.block[:0]
	p.count = 0
	p.lastTarget = 0
	p.modes = modes
}

// add adds a number. If it is a target, source is its source.
func (p *packer) add(value, source uint64) {
	p.putIn(plain, value)
	if p.modes == modesOfTargets {
		p.putIn(fromSource, zigzag(int64(value)-int64(source)))
		p.putIn(fromTarget, zigzag(int64(value)-int64(p.lastTarget)))
		p.lastTarget = value
	}
	p.count++
	if p.count == groupLength {
		p.flush()
	}
}

// putIn stores the next number of the group as a mode encodes it.
func (p *packer) putIn(mode byte, value uint64) {
	p.groups[mode][p.count] = value
	p.usedBits[mode] |= value
}

// flush writes the group in the mode that takes fewest bits.
func (p *packer) flush() {
	if p.count == 0 {
		return
	}
	mode := plain
	for other := range byte(p.modes) {
		if bits.Len64(p.usedBits[other]) < bits.Len64(p.usedBits[mode]) {
			mode = other
		}
	}
	width := bits.Len64(p.usedBits[mode])
	p.block = append(p.block, mode<<6|byte(width))
	pending := uint64(0) // bits that fill no byte yet
	numPending := 0
	for _, value := range p.groups[mode][:p.count] {
		pending |= value << numPending
		numPending += width
		for numPending >= 8 {
			p.block = append(p.block, byte(pending))
			pending >>= 8
			numPending -= 8
		}
	}
	if numPending > 0 {
		p.block = append(p.block, byte(pending))
	}
	p.count = 0
	p.usedBits = [3]uint64{}
}

// zigzag encodes a difference: 0, -1, 1, -2 … become 0, 1, 2, 3 …
func zigzag(d int64) uint64 { return uint64(d<<1) ^ uint64(d>>63) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// errOutOfRange is the error of a block with the right checksum but with numbers that are out of range.
var errOutOfRange = errors.New("its numbers are out of range")

// slack is the number of bytes that must follow a block when it is unpacked.
const slack = 8

// unpacker reads the groups of one block.
type unpacker struct {
	rest  []byte // with slack
	group [groupLength]uint64
}

// readGroup reads a group of n numbers, and returns its mode. It refuses a mode that is not less
// than modes.
func (u *unpacker) readGroup(n, modes int) (mode byte) {
	if len(u.rest) <= slack {
		abort.On(errOutOfRange)
	}
	mode = u.rest[0] >> 6
	width := int(u.rest[0] & (1<<6 - 1))
	size := (n*width + 7) / 8
	u.rest = u.rest[1:]
	isValid := width <= maxWidth && int(mode) < modes
	if !isValid || len(u.rest) < size+slack {
		abort.On(errOutOfRange)
	}
	mask := uint64(1)<<width - 1
	bit := 0
	for i := range n {
		u.group[i] = binary.LittleEndian.Uint64(u.rest[bit>>3:]) >> (bit & 7) & mask
		bit += width
	}
	u.rest = u.rest[size:]
	return mode
}

// blockSizes returns the least and the largest size of a block of n numbers.
func blockSizes(n int) (least, most int64) {
	groups := int64(n+groupLength-1) / groupLength
	return groups, groups + (int64(n)*maxWidth+7)/8 + groups
}
