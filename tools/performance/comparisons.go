package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// comparison has two rows; the second row sets the limit for the first row.
type comparison struct {
	model generate.Spec
	rows  func(f file) []*work
	judge func(f file, rows []*work)
}

// compareWithLimits measures some work in turn with the work that limits it.
func (l *laboratory) compareWithLimits(ctx context.Context) (string, error) {
	all, err := l.comparisons(ctx)
	if err != nil {
		return "", err
	}
	t := newTable("", "transitions", "median", "best", "÷ the row before", "peak",
		"a transition")
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
			m := w.median()
			over := "" // the first row has no row before
			if i > 0 {
				over = times(m.Seconds / rows[i-1].median().Seconds)
			}
			t.add(append([]string{w.name, grouped(m.Transitions)},
				append(w.timeCells(), over, size(float64(m.Peak)),
					bytesEach(m.Peak, m.Transitions))...)...)
		}
		c.judge(f, rows)
	}
	return t.String(), nil
}

// comparisons returns the measurements on other models than the large one: each names its model, the runs on it, and
// how they are judged.
func (l *laboratory) comparisons(ctx context.Context) ([]comparison, error) {
	n := l.reference()
	dozen, err := l.dining(ctx, n*13/10)
	if err != nil {
		return nil, err
	}
	fewer := dozen
	fewer.Processes--
	return []comparison{
		{
			model: local(n),
			rows:  l.rowsAboutHolding,
			judge: l.judgeHolding,
		},
		{
			model: cycle(n / 10),
			rows:  l.rowsAboutRecurring("FG !ACTION_NO_1"),
			judge: l.judgeRecurring,
		},
		{
			model: cycle(n / 10),
			rows:  l.rowsAboutRecurring("GF ABSENT"),
			judge: l.judgeRecurring,
		},
		{
			model: farComponent(n),
			rows:  l.rowOfPlainExplain("component, targets anywhere"),
			judge: l.judgeByLimits(limits{seconds: 2.5, bytesPerTransition: 22}),
		},
		{
			model: far(n),
			rows:  l.rowOfPlainExplain("targets anywhere"),
			judge: l.judgeByLimits(limits{seconds: 2.5, bytesPerTransition: 22}),
		},
		{
			model: dozen,
			rows:  l.rowsOfPhilosophers(dozen.Processes),
			judge: l.judgeByLimits(limits{seconds: 1.3, peer: 23 / 1.3}),
		},
		{
			model: fewer,
			rows:  l.rowsOfQuotient(fewer.Processes),
			judge: l.judgeByLimits(limits{seconds: 1.6, bytes: 200e6, peer: 3}),
		},
	}, nil
}

// somebodyEats is the formula about the models of philosophers. In generated labels the gate is a part
// of the name.
const somebodyEats = "Inev(EAT_NO_*)"

// rowOfPlainExplain returns the row of an explanation without advice, for the formula of the model.
func (l *laboratory) rowOfPlainExplain(about string) func(f file) []*work {
	return func(f file) []*work {
		return []*work{l.command("`inev "+plainExplain+"`, "+about, plainExplain, f, f.formula)}
	}
}

// rowsOfPhilosophers returns the rows of an explanation without advice and of mCRL2's tools.
func (l *laboratory) rowsOfPhilosophers(philosophers int) func(f file) []*work {
	name := fmt.Sprintf("`inev %s`, %d philosophers", plainExplain, philosophers)
	return func(f file) []*work {
		own := l.command(name, plainExplain, f, somebodyEats)
		return l.withPeer(own, f, somebodyEats)
	}
}

// rowsOfQuotient returns the rows of a picture of the quotient and of mCRL2's reduction.
func (l *laboratory) rowsOfQuotient(philosophers int) func(f file) []*work {
	name := fmt.Sprintf("`inev diagram --view quotient`, %d philosophers", philosophers)
	return func(f file) []*work {
		own := l.run(name, nil, "diagram", f.path, somebodyEats, "--view", "quotient",
			"-o", filepath.Join(l.folder, "quotient.dot"), "--no-progress", "--quiet")
		rows := []*work{withSize(own, f)}
		if l.peers.has("ltsconvert") {
			rows = append(rows, l.peerReduction(f, somebodyEats))
		}
		return rows
	}
}

// withSize makes a row report the size of its model.
func withSize(w *work, f file) *work {
	run := w.run
	w.run = func(ctx context.Context) (sample, error) {
		s, err := run(ctx)
		s.Transitions = f.transitions
		return s, err
	}
	return w
}

// withPeer adds the row of mCRL2's tools, if there is one.
func (l *laboratory) withPeer(own *work, f file, formula string) []*work {
	if !l.peers.has("ltsconvert") {
		return []*work{own}
	}
	return []*work{own, l.fastest(f, formula)}
}

// rowsAboutHolding are the rows about a property that holds.
func (l *laboratory) rowsAboutHolding(f file) []*work {
	const formula = "Inev(BACK)"
	explain := l.command("`inev "+plainExplain+"`, reference model, holds", plainExplain, f,
		formula)
	return append([]*work{explain},
		l.withPeer(l.command("`inev check`, reference model, holds", "check", f, formula), f,
			formula)...)
}

// rowsAboutRecurring returns the rows about a property that something recurs, on one long cycle.
func (l *laboratory) rowsAboutRecurring(formula string) func(f file) []*work {
	return func(f file) []*work {
		info := l.run("`inev info`, cycle", nil, "info", f.path, "--no-progress")
		return []*work{
			withSize(info, f),
			l.command("`inev check`, cycle, `"+formula+"`", "check --allow-unmatched --quiet",
				f, formula),
		}
	}
}

func (l *laboratory) judgeRecurring(_ file, rows []*work) {
	info := rows[0].median().Seconds
	took := rows[1].median().Seconds
	l.judge(took <= 3*info+0.05, target{
		work:     rows[1].name,
		wanted:   "≤ 3 × `inev info` + 50 ms",
		measured: seconds(took) + ", " + times(took/info),
	})
}

// judgeHolding judges the runs about a property that holds.
func (l *laboratory) judgeHolding(f file, rows []*work) {
	explain := rows[0].median()
	check := rows[1].median()
	over := check.Seconds / explain.Seconds
	l.judge(over <= 0.6 && check.Peak <= 200e6, target{
		work:     rows[1].name,
		wanted:   "≤ 0.6 × `inev explain`, ≤ 200 MB",
		measured: times(over) + ", " + size(float64(check.Peak)),
	})
	each := func(s sample) float64 {
		return float64(s.Peak) / float64(f.transitions)
	}
	l.judge(each(check) <= 8 && each(explain) <= 22, target{
		work:     "memory of `inev check` and `inev explain`, reference model",
		wanted:   "≤ 8 and ≤ 22 bytes a transition",
		measured: digits(each(check)) + " and " + digits(each(explain)) + " bytes",
	})
	if len(rows) > 2 && rows[2].median().answered() {
		over := rows[2].median().Seconds / check.Seconds
		l.judge(over >= 8, target{
			work:     rows[1].name,
			wanted:   "≤ 1/8 of " + rows[2].name,
			measured: "1/" + digits(over),
		})
	}
}

// limits are the targets of a row; 0 means that there is no target.
type limits struct {
	seconds float64
	bytes   float64
	// bytesPerTransition is the memory, in bytes, for each transition.
	bytesPerTransition float64
	// peer is the limit of the time as a multiple of the time in mCRL2's row, which follows this
	// row.
	peer float64
}

// judgeByLimits returns a function that judges the first row by limits.
func (l *laboratory) judgeByLimits(most limits) func(file, []*work) {
	return func(f file, rows []*work) {
		m := rows[0].median()
		peak := float64(m.Peak)
		wanted := "≤ " + seconds(most.seconds)
		measured := fmt.Sprintf("%s, %s, %s", seconds(m.Seconds), size(peak),
			bytesEach(m.Peak, f.transitions))
		inMemory := true
		if most.bytes > 0 {
			wanted += ", ≤ " + size(most.bytes)
			inMemory = peak <= most.bytes
		}
		if most.bytesPerTransition > 0 {
			wanted += ", ≤ " + digits(most.bytesPerTransition) + " bytes a transition"
			inMemory = inMemory && peak/float64(f.transitions) <= most.bytesPerTransition
		}
		inSeconds := inMemory && m.Seconds <= most.seconds
		byRatio := inSeconds
		hasPeer := most.peer > 0 && len(rows) > 1 && rows[1].median().answered()
		if hasPeer {
			ratio := rows[1].median().Seconds / m.Seconds
			wanted += fmt.Sprintf(", ≤ 1/%s of %s", digits(most.peer), rows[1].name)
			measured += ", 1/" + digits(ratio)
			byRatio = inMemory && ratio >= most.peer
		}
		l.judgeBoth(outcomes{inSeconds: inSeconds, byRatio: byRatio}, target{
			work:     rows[0].name,
			wanted:   wanted,
			measured: measured,
		})
	}
}
