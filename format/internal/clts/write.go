package clts

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/inev-lts/inev/lts"
)

// Write writes a model. The file has the transitions by ascending source, those
// of a state in their order; labels with the same text become one label. It fails
// if w does, and if the model has 2³² transitions or more. Cost O(S + T) time,
// twice, and memory for the labels and the index only.
func Write(w io.Writer, m *lts.LTS) error {
	if int64(m.NumTransitions()) > math.MaxUint32 {
		return fmt.Errorf("a .clts file has at most %d transitions, and the model has %d: write it in another format", int64(math.MaxUint32), m.NumTransitions())
	}
	x := newWriter(m)
	var index []byte
	err := x.blocks(func(block []byte) error {
		index = binary.LittleEndian.AppendUint32(index, uint32(len(block)))
		index = binary.LittleEndian.AppendUint32(index, checksum(block))
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(append(x.header(index), index...)); err != nil {
		return err
	}
	return x.blocks(func(block []byte) error {
		_, err := w.Write(block)
		return err
	})
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
	known := make(map[string]lts.Label)
	for l, text := range m.Alphabet().All() {
		of, is := known[text]
		if !is {
			of = lts.Label(len(x.texts))
			known[text] = of
			x.texts = append(x.texts, text)
		}
		x.number[l] = of
	}
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
func (x *writer) blocks(take func([]byte) error) error {
	block, err := x.labels()
	if err == nil {
		err = take(block)
	}
	if err == nil {
		err = x.degrees(take)
	}
	if err == nil {
		err = x.transitions(take)
	}
	return err
}

func (x *writer) labels() (block []byte, err error) {
	for _, text := range x.texts {
		block = binary.AppendUvarint(block, uint64(len(text)))
		block = append(block, text...)
	}
	if len(block) > math.MaxUint32 {
		return nil, fmt.Errorf("a .clts file holds less than 4 GiB of labels, and the model has %d bytes: write it in another format", len(block))
	}
	return block, nil
}

func (x *writer) degrees(take func([]byte) error) error {
	p, n := &x.packer, x.m.NumStates()
	p.begin(false)
	for s := range n {
		first, end := x.m.Row(lts.State(s))
		p.add(uint64(end-first), 0)
		if (s+1)%inBlock == 0 || s+1 == n {
			p.flush()
			if err := take(p.block); err != nil {
				return err
			}
			p.begin(false)
		}
	}
	return nil
}

// transitions writes the targets and the labels of each block of transitions.
func (x *writer) transitions(take func([]byte) error) error {
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
			if err := take(p.block); err != nil {
				return err
			}
			if err := take(labels.block); err != nil {
				return err
			}
			p.begin(true)
			labels.begin(false)
		}
	}
	return nil
}
