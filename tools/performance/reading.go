package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// readings are the rows that read the reference model.
type readings struct {
	counting *work // counts the lines of the file
	// These read the file in its plain form: with all cores, and with one worker.
	onAllCores, byOneWorker *work
	shuffled                *work // all cores, the sources are in random order
	gzip, zstd              *work // all cores, the file is compressed
	peer                    *work // mCRL2's reader; nil if it is not installed
}

// all returns the rows in the order of their table.
func (r *readings) all() []*work {
	all := []*work{r.counting, r.onAllCores, r.byOneWorker, r.shuffled, r.gzip, r.zstd}
	if r.peer != nil {
		all = append(all, r.peer)
	}
	return all
}

// reading measures the reader on the reference model.
func (l *laboratory) reading(ctx context.Context) (string, error) {
	plain, err := l.model(ctx, local(l.reference()), "")
	if err != nil {
		return "", err
	}
	rows, err := l.readings(ctx, plain)
	if err != nil {
		return "", err
	}
	if err := l.measure(ctx, l.runs, rows.all()); err != nil {
		return "", err
	}
	l.judgeReading(rows, plain)
	return fmt.Sprintf("The reference model: %s transitions, %s states, %d bytes a line. Counting lines reads the\n"+
		"file as `wc -l` does, 1 MiB at a time.\n\n%s", grouped(plain.transitions), grouped(plain.states), plain.bytes/plain.transitions, rows.table(plain)), nil
}

// readings returns the rows that read the reference model, which is given in its plain form.
func (l *laboratory) readings(ctx context.Context, plain file) (*readings, error) {
	rows := &readings{
		counting:    l.task("counting lines", task{Do: "count", Path: plain.path}),
		onAllCores:  l.task("all cores", task{Do: "read", Path: plain.path}),
		byOneWorker: l.task("one worker", task{Do: "read", Path: plain.path, Workers: 1}),
	}
	reference := local(l.reference())
	shuffled := reference
	shuffled.Shuffle = true
	for _, other := range []struct {
		row    **work
		name   string
		spec   generate.Spec
		suffix string
	}{
		{row: &rows.shuffled, name: "all cores, sources in random order", spec: shuffled},
		{row: &rows.gzip, name: "all cores, gzip", spec: reference, suffix: ".gz"},
		{row: &rows.zstd, name: "all cores, zstd", spec: reference, suffix: ".zst"},
	} {
		f, err := l.model(ctx, other.spec, other.suffix)
		if err != nil {
			return nil, err
		}
		*other.row = l.task(other.name, task{Do: "read", Path: f.path})
	}
	if l.peers.has("ltsinfo") {
		rows.peer = l.peerRead(plain)
	}
	return rows, nil
}

// table returns the measured rows as a table.
func (r *readings) table(plain file) *table {
	t := newTable("", "median", "best", "transitions", "text", "÷ counting",
		"peak a transition", "allocations")
	for _, w := range r.all() {
		m := w.median()
		allocations := ""
		if w != r.counting && m.Allocations > 0 {
			allocations = grouped(m.Allocations)
		}
		textPerSecond := size(float64(plain.bytes)/m.Seconds) + "/s"
		overCounting := times(m.Seconds / r.counting.median().Seconds)
		t.add(slices.Concat([]string{w.name}, w.timeCells(), []string{
			rate(plain.transitions, m.Seconds),
			textPerSecond,
			overCounting,
			bytesEach(m.Peak, plain.transitions),
			allocations,
		})...)
	}
	return t
}

// judgeReading judges the speed and the memory of the reader.
func (l *laboratory) judgeReading(rows *readings, plain file) {
	millionsPerSecond := func(w *work) float64 {
		return float64(plain.transitions) / w.median().Seconds / 1e6
	}
	ascending := millionsPerSecond(rows.onAllCores)
	l.judge(ascending >= 30, target{
		work:     "reading, sources ascend",
		wanted:   "≥ 30 M transitions/s on two cores",
		measured: digits(ascending) + " M/s",
	})
	inRandomOrder := millionsPerSecond(rows.shuffled)
	l.judge(inRandomOrder >= 8, target{
		work:     "reading, sources in random order",
		wanted:   "≥ 8 M transitions/s on two cores",
		measured: digits(inRandomOrder) + " M/s",
	})
	each := float64(rows.onAllCores.median().Peak) / float64(plain.transitions)
	l.judge(each <= 12, target{
		work:     "memory for reading, sources ascend",
		wanted:   "≤ 12 bytes a transition",
		measured: digits(each) + " bytes, the whole process at its peak",
	})
}

func bytesEach(bytes, n int64) string {
	if bytes == 0 || n == 0 {
		return ""
	}
	return digits(float64(bytes)/float64(n)) + " bytes"
}
