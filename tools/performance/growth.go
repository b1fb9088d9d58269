package main

import (
	"context"
	"fmt"
	"os"

	"github.com/inev-lts/inev/lts/generate"
)

// curve is a piece of work on models of one kind, by their size.
type curve struct {
	name    string
	spec    func(transitions int) generate.Spec
	command string
	// works are those of the sizes, in their order; the largest size need not be
	// among them.
	works []*work
}

func curves() []*curve {
	return []*curve{
		{name: "explain, near targets", spec: local, command: "explain"},
		{name: "check, near targets", spec: local, command: "check"},
		{name: "explain, targets anywhere", spec: far, command: "explain"},
	}
}

// growth measures the command on models of all sizes.
func (l *laboratory) growth(ctx context.Context) (string, []*curve, error) {
	all := curves()
	for _, n := range l.sizes {
		if err := l.grow(ctx, n, l.runs, all); err != nil {
			return "", nil, err
		}
	}
	if l.largest > 0 {
		if err := l.forget(); err != nil {
			return "", nil, err
		}
		if err := l.grow(ctx, l.largest, 1, all[:2]); err != nil {
			return "", nil, err
		}
	}
	t := newTable("", "transitions", "median", "best", "time a transition", "peak", "a transition")
	for _, c := range all {
		for _, w := range c.works {
			m := w.median()
			t.add(append([]string{"`inev` " + c.name, grouped(m.Transitions)}, append(w.span(), nanoseconds(m), size(float64(m.Peak)), bytesEach(m.Peak, m.Transitions))...)...)
		}
		l.judgeGrowth(c)
	}
	if l.largest > 0 {
		m := all[0].works[len(all[0].works)-1].median()
		l.judge(m.Peak <= 6e9, "`inev explain` of "+grouped(m.Transitions)+" transitions", "explained, ≤ 6 GB", seconds(m.Seconds)+", "+size(float64(m.Peak)))
	}
	return t.String(), all, nil
}

// forget removes the models so far, for the largest one takes as much room on the
// disk and in its cache as all of them.
func (l *laboratory) forget() error {
	for key, f := range l.files {
		if err := os.Remove(f.path); err != nil {
			return err
		}
		delete(l.files, key)
	}
	return nil
}

func nanoseconds(s sample) string { return digits(s.Seconds/float64(s.Transitions)*1e9) + " ns" }

// grow measures one size.
func (l *laboratory) grow(ctx context.Context, transitions, runs int, all []*curve) error {
	var rows []*work
	for _, c := range all {
		f, err := l.model(ctx, c.spec(transitions), "")
		if err != nil {
			return err
		}
		w := l.command(fmt.Sprintf("%s, %d transitions", c.name, transitions), c.command, f, f.formula)
		c.works = append(c.works, w)
		rows = append(rows, w)
	}
	return l.measure(ctx, runs, rows)
}

// judgeGrowth compares the largest size with a million transitions or, where none
// of the sizes is as large, with the first one.
func (l *laboratory) judgeGrowth(c *curve) {
	from := 0
	for from < len(c.works)-2 && c.works[from].median().Transitions < 999_000 {
		from++
	}
	first, last := c.works[from].median(), c.works[len(c.works)-1].median()
	each := func(s sample) float64 { return s.Seconds / float64(s.Transitions) }
	memory := func(s sample) float64 { return float64(s.Peak) / float64(s.Transitions) }
	inTime, inMemory := each(last)/each(first), memory(last)/memory(first)
	l.judge(inTime <= 1.5 && inMemory <= 1.5, fmt.Sprintf("growth of `inev` %s, from %s to %s transitions", c.name, grouped(first.Transitions), grouped(last.Transitions)),
		"time and memory a transition ≤ 1.5 ×", times(inTime)+" and "+times(inMemory))
}
