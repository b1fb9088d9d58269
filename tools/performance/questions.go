package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// asked is a run of inev next to another one about the same model, by which it is measured.
type asked struct {
	f file
	// name is what is asked, as a command, and about the model or what is special.
	name, about, measure string
	command, yardstick   []string
	judged               func(own, measure sample)
}

// questions measures what is asked less often than whether a property holds: each row next to a
// run that reads the same model and does less. Processors are shared with other work on most machines,
// so that what is told is the time of processors.
func (l *laboratory) questions(ctx context.Context) (string, error) {
	all, err := l.askedOf(ctx)
	if err != nil {
		return "", err
	}
	t := newTable("", "transitions", "processor", "next to", "processor", "ratio", "peak a transition")
	for _, a := range all {
		rows := []*work{l.run(a.name, nil, a.command...), l.run(a.measure, nil, a.yardstick...)}
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		own, measure := rows[0].leastProcessor(), rows[1].leastProcessor()
		t.add("`inev "+a.name+"`, "+a.about, grouped(a.f.transitions), seconds(own.Processor), "`inev "+a.measure+"`", seconds(measure.Processor),
			times(own.Processor/measure.Processor), bytesEach(own.Peak, a.f.transitions))
		if a.judged != nil {
			a.judged(own, measure)
		}
	}
	return t.String(), nil
}

// leastProcessor returns the run that took the processors the shortest time.
func (w *work) leastProcessor() sample {
	least := w.samples[0]
	for _, s := range w.samples[1:] {
		if s.Processor < least.Processor {
			least = s
		}
	}
	return least
}

// owners is the lanes of philosophers, who are the numbers in their labels.
const owners = `/_NO_([0-9]+)/`

func (l *laboratory) askedOf(ctx context.Context) ([]asked, error) {
	n := l.reference() / 10
	table, err := l.dining(ctx, n/3)
	if err != nil {
		return nil, err
	}
	table.Asymmetric = true
	dining, err := l.model(ctx, table, "")
	if err != nil {
		return nil, err
	}
	reference, err := l.model(ctx, local(n), "")
	if err != nil {
		return nil, err
	}
	shuffled := local(n)
	shuffled.Shuffle = true
	version, err := l.model(ctx, shuffled, "")
	if err != nil {
		return nil, err
	}
	// Of larger ones the slowest run is not looked for.
	small, err := l.model(ctx, local(n/10), "")
	if err != nil {
		return nil, err
	}
	h := hub(n)
	spokes := file{path: filepath.Join(l.folder, "hub.aut"), states: int64(h.states), transitions: h.transitions}
	if _, err := l.do(ctx, task{Do: "shape", Path: spokes.path, Shape: len(shapes(n)), Transitions: n}); err != nil {
		return nil, err
	}
	const eats, steps = "Inev(EAT_NO_0)", "Inev(BACK, ACTION_NO_0)"
	plain := []string{"explain", "--no-fairness", "--no-advice"}
	of := func(f file, formula string, words ...string) []string {
		return append(append([]string{words[0], f.path}, formula), append(words[1:], "--no-progress", "--quiet")...)
	}
	philosophers := fmt.Sprintf("%d philosophers", table.Processes)
	return []asked{
		{dining, "repair --by-owner", philosophers, plainExplain, of(dining, eats, "repair", "--by-owner", "--lanes", owners), of(dining, eats, plain...), nil},
		{dining, "check --fair just", philosophers, "check", of(dining, eats, "check", "--fair", "just", "--lanes", owners), of(dining, eats, "check"), nil},
		{spokes, "check 'Response(y; x)'", "hub", "check 'Inev(x)'", of(spokes, "Response(y; x)", "check"), of(spokes, "Inev(x)", "check"), l.judgeHub},
		{reference, "explain --faults", "reference model", plainExplain, of(reference, steps, append(plain, "--faults", "ACTION_NO_1")...), of(reference, steps, plain...), nil},
		{reference, "compare", "states in another order", "info", of(reference, version.path, "compare"), []string{"info", reference.path, "--no-progress"}, nil},
		{reference, "compare --by branching", "states in another order", "compare", of(reference, version.path, "compare", "--by", "branching", "--internal", "ACTION_NO_1"), of(reference, version.path, "compare"), nil},
		{reference, "info --internal", "divergence", "info", []string{"info", reference.path, "--internal", "ACTION_NO_1", "--no-progress"}, []string{"info", reference.path, "--no-progress"}, nil},
		{small, "explain", "a property that holds, with bounds", "explain --no-holds", of(small, "Inev(BACK)", "explain"), of(small, "Inev(BACK)", "explain", "--no-holds"), nil},
	}, nil
}

// judgeHub judges a property that is an automaton by a chain.
func (l *laboratory) judgeHub(own, measure sample) {
	over := own.Processor / measure.Processor
	l.judge(over <= 3, "`inev check`, hub, `Response(y; x)`", "≤ 3 × `Inev(x)`", times(over))
}
