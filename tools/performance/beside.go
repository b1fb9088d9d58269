package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/inev-lts/inev/lts/generate"
)

// plainExplain leaves out the advice, which is measured apart.
const plainExplain = "explain --no-fairness --no-advice"

// run returns a row for a run of inev that does not tell what it takes.
func (l *laboratory) run(name string, environment []string, arguments ...string) *work {
	return &work{name: name, run: func(ctx context.Context) (sample, error) {
		p, err := start(ctx, 0, environment, l.inev, arguments...)
		return sample{Seconds: p.seconds, Processor: p.processor, Peak: p.peak, Holds: p.code == 0, Silent: true}, err
	}}
}

// comparison is two rows of which the first has to keep to the second.
type comparison struct {
	model  generate.Spec
	rows   func(f file) []*work
	judged func(f file, rows []*work)
}

// beside measures pieces of work for which another one is the measure.
func (l *laboratory) beside(ctx context.Context) (string, error) {
	all, err := l.comparisons(ctx)
	if err != nil {
		return "", err
	}
	t := newTable("", "transitions", "median", "best", "÷ the row before", "peak", "a transition")
	for _, c := range all {
		f, err := l.model(ctx, c.model, "")
		if err != nil {
			return "", err
		}
		rows := c.rows(f)
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		for i, w := range rows {
			m, over := w.median(), ""
			if i > 0 {
				over = times(m.Seconds / rows[i-1].median().Seconds)
			}
			t.add(append([]string{w.name, grouped(m.Transitions)}, append(w.span(), over, size(float64(m.Peak)), bytesEach(m.Peak, m.Transitions))...)...)
		}
		c.judged(f, rows)
	}
	return t.String(), nil
}

func (l *laboratory) comparisons(ctx context.Context) ([]comparison, error) {
	n := l.reference()
	dozen, err := l.dining(ctx, n*13/10)
	if err != nil {
		return nil, err
	}
	fewer := dozen
	fewer.Processes--
	return []comparison{
		{local(n), l.holding, l.judgeHolding},
		{cycle(n / 10), l.recurring("FG !ACTION_NO_1"), l.judgeRecurring},
		{cycle(n / 10), l.recurring("GF ABSENT"), l.judgeRecurring},
		{farComponent(n), func(f file) []*work {
			return []*work{l.command("`inev "+plainExplain+"`, component, targets anywhere", plainExplain, f, f.formula)}
		}, l.within(limits{seconds: 2.5, each: 22})},
		{far(n), func(f file) []*work {
			return []*work{l.command("`inev "+plainExplain+"`, targets anywhere", plainExplain, f, f.formula)}
		}, l.within(limits{seconds: 2.5, each: 22})},
		{dozen, func(f file) []*work {
			own := l.command(fmt.Sprintf("`inev %s`, %d philosophers", plainExplain, dozen.Processes), plainExplain, f, "Inev(EAT_NO_*)")
			return l.withPeer(own, f, "Inev(EAT_NO_*)")
		}, l.within(limits{seconds: 1.3, peer: 23 / 1.3})},
		{fewer, func(f file) []*work {
			const formula = "Inev(EAT_NO_*)"
			own := l.run(fmt.Sprintf("`inev diagram --view quotient`, %d philosophers", fewer.Processes), nil,
				"diagram", f.path, formula, "--view", "quotient", "-o", filepath.Join(l.folder, "quotient.dot"), "--no-progress", "--quiet")
			rows := []*work{sized(own, f)}
			if l.peers.has("ltsconvert") {
				rows = append(rows, l.peerReduction(f, formula))
			}
			return rows
		}, l.within(limits{seconds: 1.6, bytes: 200e6, peer: 3})},
	}, nil
}

// sized has a row tell the size of its model.
func sized(w *work, f file) *work {
	run := w.run
	w.run = func(ctx context.Context) (sample, error) {
		s, err := run(ctx)
		s.Transitions = f.transitions
		return s, err
	}
	return w
}

// withPeer adds the row of others, where there is one.
func (l *laboratory) withPeer(own *work, f file, formula string) []*work {
	if !l.peers.has("ltsconvert") {
		return []*work{own}
	}
	return []*work{own, l.fastest(f, formula)}
}

// holding are the rows about a property that holds.
func (l *laboratory) holding(f file) []*work {
	const formula = "Inev(BACK)"
	explain := l.command("`inev "+plainExplain+"`, reference model, holds", plainExplain, f, formula)
	return append([]*work{explain}, l.withPeer(l.command("`inev check`, reference model, holds", "check", f, formula), f, formula)...)
}

// recurring are the rows about a property of what recurs, on one long cycle.
func (l *laboratory) recurring(formula string) func(f file) []*work {
	return func(f file) []*work {
		info := l.run("`inev info`, cycle", nil, "info", f.path, "--no-progress")
		return []*work{sized(info, f), l.command("`inev check`, cycle, `"+formula+"`", "check --allow-unmatched --quiet", f, formula)}
	}
}

func (l *laboratory) judgeRecurring(_ file, rows []*work) {
	info, took := rows[0].median().Seconds, rows[1].median().Seconds
	l.judge(took <= 3*info+0.05, rows[1].name, "≤ 3 × `inev info` + 50 ms", seconds(took)+", "+times(took/info))
}

func (l *laboratory) judgeHolding(f file, rows []*work) {
	explain, check := rows[0].median(), rows[1].median()
	over := check.Seconds / explain.Seconds
	l.judge(over <= 0.6 && check.Peak <= 200e6, rows[1].name, "≤ 0.6 × `inev explain`, ≤ 200 MB", times(over)+", "+size(float64(check.Peak)))
	each := func(s sample) float64 { return float64(s.Peak) / float64(f.transitions) }
	l.judge(each(check) <= 8 && each(explain) <= 22, "memory of `inev check` and `inev explain`, reference model",
		"≤ 8 and ≤ 22 bytes a transition", digits(each(check))+" and "+digits(each(explain))+" bytes")
	if len(rows) > 2 && rows[2].median().answered() {
		over := rows[2].median().Seconds / check.Seconds
		l.judge(over >= 8, rows[1].name, "≤ 1/8 of "+rows[2].name, "1/"+digits(over))
	}
}

// limits are what a row has to keep to, those that are 0 left out.
type limits struct {
	seconds float64
	bytes   float64
	// each is in bytes for each transition.
	each float64
	// peer is how many times as long the row of others takes, which stands behind it.
	peer float64
}

// within returns what judges the first row by limits.
func (l *laboratory) within(most limits) func(file, []*work) {
	return func(f file, rows []*work) {
		m := rows[0].median()
		peak := float64(m.Peak)
		wanted := "≤ " + seconds(most.seconds)
		measured := fmt.Sprintf("%s, %s, %s", seconds(m.Seconds), size(peak), bytesEach(m.Peak, f.transitions))
		if most.bytes > 0 {
			wanted += ", ≤ " + size(most.bytes)
		}
		if most.each > 0 {
			wanted += ", ≤ " + digits(most.each) + " bytes a transition"
		}
		inMemory := (most.bytes == 0 || peak <= most.bytes) && (most.each == 0 || peak/float64(f.transitions) <= most.each)
		inSeconds := inMemory && m.Seconds <= most.seconds
		byRatio := inSeconds
		if most.peer > 0 && len(rows) > 1 && rows[1].median().answered() {
			over := rows[1].median().Seconds / m.Seconds
			wanted += fmt.Sprintf(", ≤ 1/%s of %s", digits(most.peer), rows[1].name)
			measured += ", 1/" + digits(over)
			byRatio = inMemory && over >= most.peer
		}
		l.judgeBoth(inSeconds, byRatio, rows[0].name, wanted, measured)
	}
}

// larger measures how much longer larger models take, and a plain search of them.
func (l *laboratory) larger(ctx context.Context) (string, error) {
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
		name, searched := "`inev "+c.command+"`, "+c.what, "a breadth-first search, "+c.what
		rows := []*work{
			l.command(name, c.command, from, from.formula), l.command(name, c.command, to, to.formula),
			l.task(searched, task{Do: "visit", Path: from.path}), l.task(searched, task{Do: "visit", Path: to.path}),
		}
		rows[1].once, rows[3].once = c.to > n, c.to > n
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		var grows [2]float64
		for i := range grows {
			first, last := rows[2*i].median().Seconds, rows[2*i+1].median().Seconds
			grows[i] = last / first
			t.add(rows[2*i].name, grouped(from.transitions), grouped(to.transitions), seconds(first), seconds(last), times(grows[i]))
		}
		l.judge(grows[0] <= c.most, fmt.Sprintf("%s, from %s to %s transitions", name, grouped(from.transitions), grouped(to.transitions)),
			"≤ "+digits(c.most)+" × the time", fmt.Sprintf("%s, a breadth-first search %s", times(grows[0]), times(grows[1])))
	}
	return t.String(), nil
}

// piped measures a model that is checked while it is generated, and never on a disk.
func (l *laboratory) piped(ctx context.Context) (string, error) {
	w, err := l.fromPipe(ctx, "check", local(l.pipe))
	if err != nil {
		return "", err
	}
	w.name = "`inev generate` to `inev check`"
	m := w.median()
	m.Seconds = m.Elapsed
	t := newTable("", "transitions", "verdict", "elapsed", "peak", "a transition")
	t.add(w.name, grouped(m.Transitions), verdict(m), seconds(m.Seconds), size(float64(m.Peak)), bytesEach(m.Peak, m.Transitions))
	l.judgePiped(m, "")
	return t.String(), nil
}

// judgePiped judges the check of a model from a pipe.
func (l *laboratory) judgePiped(m sample, where string) {
	l.judge(m.Seconds <= 240 && m.Peak <= 10e9, "`inev generate` to `inev check`, "+grouped(m.Transitions)+" transitions",
		"≤ 4 minutes, ≤ 10 GB", seconds(m.Seconds)+", "+size(float64(m.Peak))+where)
}
