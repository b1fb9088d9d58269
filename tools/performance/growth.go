package main

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// measureGrowth measures how much more time larger models take, next to a plain search through them.
func (l *laboratory) measureGrowth(ctx context.Context) (string, error) {
	n := l.reference()
	t := newTable("", "from", "to", "median", "median", "times")
	for _, c := range []struct {
		what, command string
		spec          func(int) generate.Spec
		from, to      int
		most          float64
	}{
		{"layers", "check", layers, n / 10, n, 12},
		{"component (`scc`), targets anywhere", plainExplain, farComponent, n, 3 * n, 4},
		{"`random`, targets anywhere", plainExplain, far, n, 3 * n, 4},
	} {
		from, err := l.model(ctx, c.spec(c.from), "")
		if err != nil {
			return "", err
		}
		to, err := l.model(ctx, c.spec(c.to), "")
		if err != nil {
			return "", err
		}
		name := "`inev " + c.command + "`, " + c.what
		searched := "a breadth-first search, " + c.what
		own := growth{
			from: l.command(name, c.command, from, from.formula),
			to:   l.command(name, c.command, to, to.formula),
		}
		plain := growth{
			from: l.task(searched, task{Do: "visit", Path: from.path}),
			to:   l.task(searched, task{Do: "visit", Path: to.path}),
		}
		isLong := c.to > n
		own.to.once = isLong
		plain.to.once = isLong
		if err := l.measure(ctx, l.runs, []*work{own.from, own.to, plain.from, plain.to}); err != nil {
			return "", err
		}
		for _, g := range []growth{own, plain} {
			t.add(g.from.name, grouped(from.transitions), grouped(to.transitions),
				seconds(g.from.median().Seconds), seconds(g.to.median().Seconds), times(g.factor()))
		}
		subject := fmt.Sprintf("%s, from %s to %s transitions", name, grouped(from.transitions),
			grouped(to.transitions))
		measured := fmt.Sprintf("%s, a breadth-first search %s", times(own.factor()), times(plain.factor()))
		l.judge(own.factor() <= c.most, target{
			work:     subject,
			wanted:   "≤ " + digits(c.most) + " × the time",
			measured: measured,
		})
	}
	return t.String(), nil
}

// growth is the work on a model and on a larger one.
type growth struct{ from, to *work }

// factor returns how many times as much time the larger model takes.
func (g growth) factor() float64 { return g.to.median().Seconds / g.from.median().Seconds }

// piped measures the check of a model that is generated at the same time and is never on a disk.
func (l *laboratory) piped(ctx context.Context) (string, error) {
	w, err := l.fromPipe(ctx, "check", local(l.pipe))
	if err != nil {
		return "", err
	}
	w.name = "`inev generate` to `inev check`"
	m := w.median()
	m.Seconds = m.Elapsed
	t := newTable("", "transitions", "verdict", "elapsed", "peak", "a transition")
	t.add(w.name, grouped(m.Transitions), verdict(m), seconds(m.Seconds), size(float64(m.Peak)),
		bytesEach(m.Peak, m.Transitions))
	l.judgePiped(m, "")
	return t.String(), nil
}

// judgePiped judges the check of a model from a pipe.
func (l *laboratory) judgePiped(m sample, where string) {
	l.judge(m.Seconds <= 240 && m.Peak <= 10e9, target{
		work:     "`inev generate` to `inev check`, " + grouped(m.Transitions) + " transitions",
		wanted:   "≤ 4 minutes, ≤ 10 GB",
		measured: seconds(m.Seconds) + ", " + size(float64(m.Peak)) + where,
	})
}
