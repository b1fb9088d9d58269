package clts

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Options say how a file is read.
type Options struct {
	// Name, Workers and Admit are as in [aut.Options].
	Name    string
	Workers int
	Admit   func(states, transitions int64) error
}

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
	if o.Name == "" {
		o.Name = "input"
	}
	d := &decoder{Options: o, r: r, left: lengthOf(r)}
	m, err := d.read(ctx)
	var refused *inputfile.Error
	var exceeded *resources.ExceededError
	switch {
	case err == nil, d.unwelcome, errors.As(err, &refused), errors.As(err, &exceeded):
		return m, err
	case ctx.Err() != nil:
		return nil, resources.Because(ctx, ctx.Err())
	}
	return nil, inputfile.FileError(o.Name, err)
}

// lengthOf returns how many bytes a reader has left; -1 if that is unknown.
func lengthOf(r io.Reader) int64 {
	switch r := r.(type) {
	case interface{ Len() int }:
		return int64(r.Len())
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			return info.Size() - at
		}
	}
	return -1
}

// decoder reads one file.
type decoder struct {
	Options
	r    io.Reader
	left int64 // the bytes left in the file; -1 if that is not known
	// unwelcome reports whether Options.Admit has ended the reading.
	unwelcome bool

	states, transitions int64
	initial             uint64
	labels              uint32
	index               []byte
	rows                []uint32
	column              lts.LabelColumn
	targets             []lts.State
}

func (d *decoder) read(ctx context.Context) (*lts.LTS, error) {
	text, err := compressed.NewReader(d.r, 1)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	d.r = text
	if text.Format() != "" {
		d.left = -1
	}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	if err := d.readIndex(); err != nil {
		return nil, err
	}
	if d.Admit != nil {
		if err := d.Admit(d.states, d.transitions); err != nil {
			d.unwelcome = true
			return nil, err
		}
	}
	m, err := d.readBlocks(ctx)
	if err != nil || d.left >= 0 {
		return m, err
	}
	if n, err := io.ReadFull(d.r, make([]byte, 1)); n > 0 {
		return nil, d.refuse("is damaged: bytes follow its last block; copy it again, or write it again")
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	return m, nil
}

// take reads n bytes. It allocates memory as bytes arrive, however large n is.
func (d *decoder) take(n int) ([]byte, error) {
	if d.left < 0 {
		var buffer bytes.Buffer
		if _, err := io.CopyN(&buffer, d.r, int64(n)); err != nil && err != io.EOF {
			return nil, err
		}
		if buffer.Len() < n {
			return buffer.Bytes(), d.truncated()
		}
		return buffer.Bytes(), nil
	}
	if int64(n) > d.left {
		return nil, d.truncated()
	}
	buffer := make([]byte, n)
	return buffer, d.fill(buffer)
}

func (d *decoder) fill(buffer []byte) error {
	n, err := io.ReadFull(d.r, buffer)
	if d.left >= 0 {
		d.left -= int64(n)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return d.truncated()
	}
	return err
}

func (d *decoder) readHeader() error {
	size := int64(headerSize)
	if d.left >= 0 {
		size = min(size, d.left)
	}
	h, err := d.take(int(size))
	if err != nil && len(h) == 0 {
		return err
	}
	number := binary.LittleEndian
	switch {
	case !Begins(h):
		return d.refuse("is not a .clts file: it does not begin as one")
	case len(h) < headerSize:
		return d.truncated()
	case number.Uint32(h[60:]) != checksum(h[:60]):
		return d.damaged("the header")
	case number.Uint32(h[8:]) != version:
		return d.refuse("is a .clts file of version %d, and version %d is known: read it with a later inev", number.Uint32(h[8:]), version)
	}
	d.labels = number.Uint32(h[12:])
	states, transitions := number.Uint64(h[16:]), number.Uint64(h[24:])
	d.initial = number.Uint64(h[32:])
	if states < 1 || states > lts.MaxStates || transitions > math.MaxUint32 || d.initial >= states {
		return d.refuse("is damaged: %d states, %d transitions and the initial state %d do not go together; write it again", states, transitions, d.initial)
	}
	d.states, d.transitions = int64(states), int64(transitions)
	entries := 1 + blocksFor(d.states) + 2*blocksFor(d.transitions)
	if d.index, err = d.take(entries * entrySize); err != nil {
		return err
	}
	if number.Uint32(h[56:]) != checksum(d.index) {
		return d.damaged("the index")
	}
	return nil
}

// readIndex checks the sizes of blocks against their contents, and their sum
// against the length of the file.
func (d *decoder) readIndex() error {
	sum := int64(0)
	for i := range len(d.index) / entrySize {
		size, _ := d.entry(i)
		sum += int64(size)
		if i == 0 {
			if int64(size) < int64(d.labels) {
				return d.refuse("is damaged: %d labels do not fit into %d bytes; write it again", d.labels, size)
			}
			continue
		}
		if least, most := sizes(d.numbersOf(i)); int64(size) < least || int64(size) > most {
			return d.refuse("is damaged: block %d has %d bytes; write it again", i, size)
		}
	}
	switch {
	case d.left < 0: // who reads the blocks finds out
	case sum > d.left:
		return d.truncated()
	case sum < d.left:
		return d.refuse("is damaged: %d bytes follow its last block; copy it again, or write it again", d.left-sum)
	}
	return nil
}

func (d *decoder) entry(i int) (size, sum uint32) {
	at := d.index[i*entrySize:]
	return binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
}

// rangeOf returns the range [first, end) of states or transitions of block i, and
// a description of its content.
func (d *decoder) rangeOf(i int) (first, end int64, holds string) {
	k, all := int64(i-1), d.states
	holds = "degrees"
	if of := int64(blocksFor(d.states)); k >= of {
		k, all = k-of, d.transitions
		if holds = "targets"; k%2 == 1 {
			holds = "labels"
		}
		k /= 2
	}
	return k * inBlock, min((k+1)*inBlock, all), holds
}

func (d *decoder) numbersOf(i int) int {
	first, end, _ := d.rangeOf(i)
	return int(end - first)
}

func (d *decoder) refuse(format string, args ...any) error {
	return &inputfile.Error{File: d.Name, Message: fmt.Sprintf(format, args...)}
}

func (d *decoder) damaged(what string) error {
	return d.refuse("is damaged: the checksum of %s is wrong; copy it again, or write it again", what)
}

func (d *decoder) truncated() error {
	return d.refuse("ends too early: copy it again, or write it again")
}
