package clts

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"sort"
	"sync"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// readBlocks reads all blocks, and makes the model.
func (d *decoder) readBlocks(ctx context.Context) (*lts.LTS, error) {
	alphabet, err := d.readLabels()
	if err != nil {
		return nil, err
	}
	if d.rows, err = resources.Make[uint32](ctx, int(d.states)+1); err != nil {
		return nil, err
	}
	ofStates, entries := 1+blocksFor(d.states), len(d.index)/entrySize
	if err := d.inParallel(ctx, 1, ofStates); err != nil {
		return nil, err
	}
	if err := d.sumRows(); err != nil {
		return nil, err
	}
	if d.targets, err = resources.Make[lts.State](ctx, int(d.transitions)); err != nil {
		return nil, err
	}
	if d.column, err = lts.NewLabelColumn(ctx, int(d.transitions), alphabet.Len()); err != nil {
		return nil, err
	}
	if err := d.inParallel(ctx, ofStates, entries); err != nil {
		return nil, err
	}
	m, err := lts.FromRows(lts.State(d.initial), alphabet, d.rows, d.column, d.targets)
	if err != nil {
		return nil, d.refuse("is damaged: %v", err)
	}
	return m, nil
}

func (d *decoder) readLabels() (*lts.Alphabet, error) {
	size, sum := d.entry(0)
	block, err := d.take(int(size))
	if err != nil {
		return nil, err
	}
	if checksum(block) != sum {
		return nil, d.damaged("the labels")
	}
	texts := make([]string, 0, d.labels)
	for range d.labels {
		length, n := binary.Uvarint(block)
		if n <= 0 || length > uint64(len(block)-n) {
			return nil, d.refuse("is damaged: its labels are cut off; write it again")
		}
		texts = append(texts, string(block[n:n+int(length)]))
		block = block[n+int(length):]
	}
	if len(block) > 0 {
		return nil, d.refuse("is damaged: %d bytes follow its labels; write it again", len(block))
	}
	alphabet, err := lts.NewAlphabet(texts)
	if err != nil {
		return nil, d.refuse("is damaged: %v", err)
	}
	return alphabet, nil
}

// sumRows turns the numbers of transitions of the states, each stored at the
// index of the next state, into the beginnings of rows.
func (d *decoder) sumRows() error {
	sum := int64(0)
	for i, degree := range d.rows {
		if sum += int64(degree); sum > d.transitions {
			break
		}
		d.rows[i] = uint32(sum)
	}
	if sum != d.transitions {
		return d.refuse("is damaged: its states do not have the %d transitions that it has; write it again", d.transitions)
	}
	return nil
}

// read is a block that was read.
type read struct {
	block  int
	buffer []byte
}

// inParallel reads the blocks [first, end) in order, and decodes them on several
// goroutines. Of several errors it returns that of the first block.
func (d *decoder) inParallel(ctx context.Context, first, end int) error {
	workers := d.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, end-first))
	// As many buffers as can be in use at the same time.
	free := make(chan []byte, 2*workers)
	for range cap(free) {
		free <- nil
	}
	full := make(chan read, cap(free))
	var (
		group sync.WaitGroup
		mutex sync.Mutex
		worst error
		at    = end
	)
	fail := func(block int, err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil && (worst == nil || block < at) {
			worst, at = err, block
		}
	}
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for b := range full {
				fail(b.block, d.decode(b.block, b.buffer))
				free <- b.buffer
			}
		}()
	}
	for i := first; i < end && ctx.Err() == nil; i++ {
		size, _ := d.entry(i)
		buffer := <-free
		if cap(buffer) < int(size)+slack {
			buffer = make([]byte, int(size)+slack)
		}
		buffer = buffer[:int(size)+slack]
		if err := d.fill(buffer[:size]); err != nil {
			fail(i, err)
			break
		}
		full <- read{i, buffer}
	}
	close(full)
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return worst
}

// decode checks the checksum of a block, and stores its numbers.
func (d *decoder) decode(i int, buffer []byte) error {
	first, end, holds := d.rangeOf(i)
	_, sum := d.entry(i)
	about := fmt.Sprintf("block %d, the %s from number %d on,", i, holds, first)
	if checksum(buffer[:len(buffer)-slack]) != sum {
		return d.damaged(about)
	}
	u := &unpacker{rest: buffer}
	var err error
	switch holds {
	case "degrees":
		err = d.decodeDegrees(u, first, end)
	case "targets":
		err = d.decodeTargets(u, first, end)
	default:
		err = d.decodeLabels(u, first, end)
	}
	if err == nil {
		err = u.end()
	}
	if err != nil {
		return d.refuse("is damaged: of %s %v; write it again", about, err)
	}
	return nil
}

func (d *decoder) decodeDegrees(u *unpacker, first, end int64) error {
	for ; first < end; first += inGroup {
		n := int(min(inGroup, end-first))
		if _, err := u.next(n, false); err != nil {
			return err
		}
		for i, degree := range u.group[:n] {
			if degree > uint64(d.transitions) {
				return errShape
			}
			d.rows[int(first)+i+1] = uint32(degree)
		}
	}
	return nil
}

func (d *decoder) decodeTargets(u *unpacker, first, end int64) error {
	source, before := d.sourceOf(first), int64(0)
	for ; first < end; first += inGroup {
		n := int(min(inGroup, end-first))
		mode, err := u.next(n, true)
		if err != nil {
			return err
		}
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
				value = before + unzigzag(u.group[i])
			}
			if value < 0 || value >= d.states {
				return errShape
			}
			before = value
			into[i] = lts.State(value)
		}
	}
	return nil
}

// sourceOf returns the state that a transition leaves.
func (d *decoder) sourceOf(transition int64) int {
	return sort.Search(int(d.states), func(s int) bool { return int64(d.rows[s+1]) > transition })
}

func (d *decoder) decodeLabels(u *unpacker, first, end int64) error {
	var labels [inGroup]lts.Label
	for ; first < end; first += inGroup {
		n := int(min(inGroup, end-first))
		if _, err := u.next(n, false); err != nil {
			return err
		}
		for i, l := range u.group[:n] {
			if l >= uint64(d.labels) {
				return errShape
			}
			labels[i] = lts.Label(l)
		}
		d.column.Put(int(first), labels[:n])
	}
	return nil
}
