package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// bandwidths measures what one goroutine gets of the machine, and what two do, with so many
// bytes of memory and of disk, and puts that into a page, in place of the section that is
// there.
func (l *laboratory) bandwidths(ctx context.Context, extent int64, page string) error {
	t := newTable("", "one", "two together", "two ÷ one")
	for _, row := range []struct{ name, do, unit string }{
		{"arithmetic in registers", "arithmetic", "additions/s"},
		{"memory, written for the first time", "touch", "bytes/s"},
		{"memory, read from its beginning to its end", "sequential", "bytes/s"},
		{"memory, 8 bytes anywhere in it", "anywhere", "reads/s"},
		{"disk, written from its beginning to its end", "write disk", "bytes/s"},
		{"disk, read from its beginning to its end", "read disk", "bytes/s"},
		{"disk, 4 KiB anywhere in it", "blocks", "reads/s"},
	} {
		var each [2]float64
		for i := range each {
			l.tell(fmt.Sprintf("%s, %d goroutines", row.name, i+1))
			s, err := l.do(ctx, task{Do: row.do, Workers: i + 1, Path: filepath.Join(l.folder, "bandwidth"), Bytes: extent})
			if err != nil {
				return err
			}
			each[i] = float64(s.Bytes) / s.Seconds
			if row.do == "write disk" {
				break // a file has one writer
			}
		}
		second, ratio := perSecond(each[1], row.unit), times(each[1]/each[0])
		if row.do == "write disk" {
			second, ratio = "", ""
		}
		t.add(row.name, perSecond(each[0], row.unit), second, ratio)
	}
	return replaceSection(page, "## What the machine gives\n", fmt.Sprintf(`
This section is written by

    go -C tools run ./performance -bandwidth ../docs/scale.md

on a machine with %d cores, %s/%s, %s, with %s of memory and of disk; the
disk is read past the memory in which the system keeps files.

%s`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), size(float64(extent)), t))
}

func perSecond(n float64, unit string) string {
	if unit == "bytes/s" {
		return size(n) + "/s"
	}
	switch {
	case n >= 1e9:
		return digits(n/1e9) + " G " + unit
	case n >= 1e6:
		return digits(n/1e6) + " M " + unit
	}
	return digits(n/1e3) + " k " + unit
}

// extentOfAll is of how much memory, and of how much disk, bandwidths are measured.
const extentOfAll = 1 << 30

// together lets so many goroutines do their part of the work, each told its number, and
// returns what they did in sum and how long all took.
func together(workers int, do func(worker int) int64) sample {
	var done sync.WaitGroup
	amounts := make([]int64, workers)
	began := time.Now()
	for i := range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			amounts[i] = do(i)
		}()
	}
	done.Wait()
	s := sample{Seconds: time.Since(began).Seconds()}
	for _, n := range amounts {
		s.Bytes += n
	}
	return s
}

// sink keeps what is computed from being left out.
var sink [64]uint64

func arithmetic(_ context.Context, t task) (sample, error) {
	n := t.Bytes / 2
	return together(t.Workers, func(worker int) int64 {
		x := uint64(worker)
		for i := range uint64(n) {
			x += i ^ x>>7
		}
		sink[8*worker] = x
		return n
	}), nil
}

func touch(_ context.Context, t task) (sample, error) {
	return together(t.Workers, func(worker int) int64 {
		part := make([]uint64, t.Bytes/8/int64(t.Workers))
		for i := range part {
			part[i] = 1
		}
		sink[8*worker] = part[len(part)/2]
		return int64(8 * len(part))
	}), nil
}

func sequential(_ context.Context, t task) (sample, error) {
	all := filled(t.Bytes)
	return together(t.Workers, func(worker int) int64 {
		const rounds = 4
		part := all[worker*len(all)/t.Workers : (worker+1)*len(all)/t.Workers]
		x := uint64(0)
		for range rounds {
			for _, value := range part {
				x += value
			}
		}
		sink[8*worker] = x
		return rounds * int64(8*len(part))
	}), nil
}

func filled(bytes int64) []uint64 {
	all := make([]uint64, bytes/8)
	for i := range all {
		all[i] = uint64(i)
	}
	return all
}

func anywhere(_ context.Context, t task) (sample, error) {
	all := filled(t.Bytes)
	return together(t.Workers, func(worker int) int64 {
		n := t.Bytes / 64
		x, at := uint64(0), uint64(worker)
		for range n {
			at = at*6364136223846793005 + 1442695040888963407
			x += all[at>>32%uint64(len(all))]
		}
		sink[8*worker] = x
		return n
	}), nil
}

// piece is how much is read from a disk, or written to it, at a time.
const piece = 1 << 20

func writeDisk(_ context.Context, t task) (sample, error) {
	var failed error
	s := together(1, func(int) int64 {
		f, err := os.Create(t.Path)
		if err != nil {
			failed = err
			return 0
		}
		buffer := make([]byte, piece)
		for range t.Bytes / piece {
			if _, err := f.Write(buffer); err != nil {
				failed = err
				break
			}
		}
		failed = errors.Join(failed, f.Sync(), f.Close())
		return t.Bytes
	})
	return s, failed
}

func readDisk(_ context.Context, t task) (sample, error) {
	n := int(t.Bytes/piece) / t.Workers
	return readPieces(t, piece, func(worker, i int) int64 {
		return (int64(worker)*int64(n) + int64(i)) * piece
	}, n)
}

func readBlocks(_ context.Context, t task) (sample, error) {
	const block = 4096
	n := int(t.Bytes >> 18)
	s, err := readPieces(t, block, func(worker, i int) int64 {
		at := uint64(worker*n+i+1) * 0x9e3779b97f4a7c15
		return int64(at%uint64(t.Bytes/block)) * block
	}, n)
	s.Bytes /= block
	return s, err
}

// readPieces reads n pieces of a file for each worker, past the memory in which the system
// keeps files.
func readPieces(t task, length int, place func(worker, i int) int64, n int) (sample, error) {
	f, err := openDirect(t.Path)
	if err != nil {
		return sample{}, err
	}
	defer f.Close() // it was only read
	failed := make([]error, t.Workers)
	s := together(t.Workers, func(worker int) int64 {
		buffer := make([]byte, piece)[:length] // of its own pages, which such reads ask for
		for i := range n {
			if _, err := f.ReadAt(buffer, place(worker, i)); err != nil {
				failed[worker] = err
				break
			}
		}
		return int64(n * length)
	})
	return s, errors.Join(failed...)
}
