package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// comparedRun is a run of inev, with another run on the same model for comparison.
type comparedRun struct {
	f file
	// name is the question, as a command; about describes the model, or says what is special.
	name, about string
	// command and yardstick are the arguments of the two runs, and yardstickName names the other one.
	yardstickName      string
	command, yardstick []string
	judge              func(own, yardstick sample) // nil if there is no target
}

// questions measures rarer questions than whether a property holds: each row next to a run that
// reads the same model and does less. The result is processor time, since on most machines other
// programs share the processors.
func (l *laboratory) questions(ctx context.Context) (string, error) {
	all, err := l.comparedRuns(ctx)
	if err != nil {
		return "", err
	}
	t := newTable("", "transitions", "processor", "next to", "processor", "ratio",
		"peak a transition")
	for _, a := range all {
		rows := []*work{l.run(a.name, nil, a.command...), l.run(a.yardstickName, nil, a.yardstick...)}
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		own := rows[0].leastProcessor()
		yardstick := rows[1].leastProcessor()
		t.add("`inev "+a.name+"`, "+a.about, grouped(a.f.transitions), seconds(own.Processor),
			"`inev "+a.yardstickName+"`", seconds(yardstick.Processor),
			times(own.Processor/yardstick.Processor), bytesEach(own.Peak, a.f.transitions))
		if a.judge != nil {
			a.judge(own, yardstick)
		}
	}
	return t.String(), nil
}

// leastProcessor returns the run with the least processor time.
func (w *work) leastProcessor() sample {
	least := w.samples[0]
	for _, s := range w.samples[1:] {
		if s.Processor < least.Processor {
			least = s
		}
	}
	return least
}

// owners are the lanes of a table of philosophers: the numbers in their labels.
const owners = `/_NO_([0-9]+)/`

// comparedModels are the models of [laboratory.comparedRuns].
type comparedModels struct {
	dining       file
	philosophers int // the number of philosophers in dining
	reference    file
	shuffled     file // the reference model with its states in another order
	small        file // a reference model for which inev still searches for the slowest run
	hub          file
}

// comparedModels generates the models.
func (l *laboratory) comparedModels(ctx context.Context) (models comparedModels, err error) {
	n := l.reference() / 10
	table, err := l.dining(ctx, n/3)
	if err != nil {
		return models, err
	}
	table.Asymmetric = true
	models.philosophers = table.Processes
	shuffled := local(n)
	shuffled.Shuffle = true
	for _, wanted := range []struct {
		model *file
		spec  generate.Spec
	}{
		{&models.dining, table},
		{&models.reference, local(n)},
		{&models.shuffled, shuffled},
		{&models.small, local(n / 10)},
	} {
		*wanted.model, err = l.model(ctx, wanted.spec, "")
		if err != nil {
			return models, err
		}
	}
	h := hub(n)
	models.hub = file{
		path:        filepath.Join(l.folder, "hub.aut"),
		states:      int64(h.states),
		transitions: h.transitions,
	}
	_, err = l.runTask(ctx, task{
		Do:          "shape",
		Path:        models.hub.path,
		Shape:       len(shapes(n)),
		Transitions: n,
	})
	return models, err
}

// asking returns the words of a command about a model. What it asks for is a formula or another model.
func asking(command string, f file, what string, options ...string) []string {
	return slices.Concat([]string{command, f.path, what}, options, []string{"--no-progress", "--quiet"})
}

// comparedRuns returns runs of commands, each with a cheaper run of the same model beside which it is judged.
func (l *laboratory) comparedRuns(ctx context.Context) ([]comparedRun, error) {
	models, err := l.comparedModels(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(
		models.runsOfDining(),
		[]comparedRun{{
			f:             models.hub,
			name:          "check 'Response(y; x)'",
			about:         "hub",
			yardstickName: "check 'Inev(x)'",
			command:       asking("check", models.hub, "Response(y; x)"),
			yardstick:     asking("check", models.hub, "Inev(x)"),
			judge:         l.judgeHub,
		}},
		models.runsOfReference(),
		[]comparedRun{{
			f:             models.small,
			name:          "explain",
			about:         "a property that holds, with bounds",
			yardstickName: "explain --no-holds",
			command:       asking("explain", models.small, "Inev(BACK)"),
			yardstick:     asking("explain", models.small, "Inev(BACK)", "--no-holds"),
		}},
	), nil
}

// runsOfDining returns the runs on the table of philosophers.
func (m *comparedModels) runsOfDining() []comparedRun {
	const eats = "Inev(EAT_NO_0)"
	about := fmt.Sprintf("%d philosophers", m.philosophers)
	return []comparedRun{
		{
			f:             m.dining,
			name:          "repair --by-owner",
			about:         about,
			yardstickName: plainExplain,
			command:       asking("repair", m.dining, eats, "--by-owner", "--lanes", owners),
			yardstick:     asking("explain", m.dining, eats, "--no-fairness", "--no-advice"),
		},
		{
			f:             m.dining,
			name:          "check --fair just",
			about:         about,
			yardstickName: "check",
			command:       asking("check", m.dining, eats, "--fair", "just", "--lanes", owners),
			yardstick:     asking("check", m.dining, eats),
		},
	}
}

// runsOfReference returns the runs on the reference model.
func (m *comparedModels) runsOfReference() []comparedRun {
	const (
		steps    = "Inev(BACK, ACTION_NO_0)"
		internal = "ACTION_NO_1"
	)
	info := []string{"info", m.reference.path, "--no-progress"}
	return []comparedRun{
		{
			f:             m.reference,
			name:          "explain --faults",
			about:         "reference model",
			yardstickName: plainExplain,
			command: asking("explain", m.reference, steps,
				"--no-fairness", "--no-advice", "--faults", "ACTION_NO_1"),
			yardstick: asking("explain", m.reference, steps, "--no-fairness", "--no-advice"),
		},
		{
			f:             m.reference,
			name:          "compare",
			about:         "states in another order",
			yardstickName: "info",
			command:       asking("compare", m.reference, m.shuffled.path),
			yardstick:     info,
		},
		{
			f:             m.reference,
			name:          "compare --by branching",
			about:         "states in another order",
			yardstickName: "compare",
			command: asking("compare", m.reference, m.shuffled.path,
				"--by", "branching", "--internal", internal),
			yardstick: asking("compare", m.reference, m.shuffled.path),
		},
		{
			f:             m.reference,
			name:          "info --internal",
			about:         "divergence",
			yardstickName: "info",
			command:       []string{"info", m.reference.path, "--internal", internal, "--no-progress"},
			yardstick:     info,
		},
	}
}

// judgeHub compares a property whose automaton is no chain with a chain.
func (l *laboratory) judgeHub(own, yardstick sample) {
	over := own.Processor / yardstick.Processor
	l.judge(over <= 3, target{
		work:     "`inev check`, hub, `Response(y; x)`",
		wanted:   "≤ 3 × `Inev(x)`",
		measured: times(over),
	})
}
