package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// logs measures how long replays of logs with so many events take, and puts that into a page, in
// place of the section that is there.
func (l *laboratory) logs(ctx context.Context, events int, page string) error {
	const states, transitions, labels = 3000, 10_000, 40
	t := newTable("deviations in the log", "found", "processor time", "events/s", "peak")
	for _, share := range []float64{0, 0.0001, 0.01, 0.1} {
		m, log := filepath.Join(l.folder, "logged.aut"), filepath.Join(l.folder, "events.log")
		planted, err := writeLogged(m, log, states, transitions, labels, events, share)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s (%s %%)", grouped(int64(planted)), strconv.FormatFloat(100*share, 'f', -1, 64))
		l.tell("replay, " + name)
		p, err := start(ctx, 0, nil, l.inev, "replay", m, log, "Response(A0; A1)", "--format", "tsv", "--no-progress")
		if err != nil && p.code != 3 { // open
			return err
		}
		found, err := readAligned(p.out)
		if err != nil {
			return err
		}
		t.add(name, grouped(found.Skipped+found.Missing), seconds(p.processor), grouped(int64(float64(events)/p.processor)), size(float64(p.peak)))
	}
	return replaceSection(page, "## Logs\n", fmt.Sprintf(`
This section is written by

    go -C tools run ./performance -logs ../docs/performance.md

which walks through a random model of %s states, %s transitions and %d labels, and logs %s
events. At some steps, by chance, the event is left out, or another one is logged that
did not happen. `+"`inev replay`"+` reads the log and aligns all of it, as one case, with the property
`+"`Response(A0; A1)`"+`. Found are fewer deviations than were made where another run comes nearer.

%s`, grouped(states), grouped(transitions), labels, grouped(int64(events)), t))
}

// aligned is what inev replay found of the only case of a log.
type aligned struct{ Skipped, Missing int64 }

// readAligned reads a result of inev replay, in rows.
func readAligned(text []byte) (a aligned, err error) {
	head, row, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	cells := strings.Split(row, "\t")
	for i, name := range strings.Split(head, "\t") {
		to := map[string]*int64{"skipped": &a.Skipped, "missing": &a.Missing}[name]
		if to == nil {
			continue
		}
		if i >= len(cells) {
			return a, fmt.Errorf("inev replay wrote %q", text)
		}
		if *to, err = strconv.ParseInt(cells[i], 10, 64); err != nil {
			return a, fmt.Errorf("inev replay wrote %q: %w", row, err)
		}
	}
	return a, nil
}

// step is a transition of a model that is logged.
type step struct{ label, to int }

// randomModel returns the transitions of each state; a cycle goes through all of them, and those of a
// state have different labels.
func randomModel(r *rand.Rand, states, transitions, labels int) [][]step {
	all := make([][]step, states)
	n := 0
	add := func(from, to int) {
		label := r.IntN(labels)
		if !slices.ContainsFunc(all[from], func(s step) bool { return s.label == label }) {
			all[from] = append(all[from], step{label, to})
			n++
		}
	}
	for s := range states {
		for len(all[s]) == 0 {
			add(s, (s+1)%states)
		}
	}
	for n < transitions {
		add(r.IntN(states), r.IntN(states))
	}
	return all
}

// writeLogged writes a random model, and the log of a walk through it. At a share of the steps, by chance, the
// log lacks the event, or has another one and the walk waits; it returns how many these are.
func writeLogged(model, log string, states, transitions, labels, events int, share float64) (deviations int, err error) {
	r := rand.New(rand.NewPCG(1, 36))
	all := randomModel(r, states, transitions, labels)
	err = writeLines(model, func(w *bufio.Writer) {
		fmt.Fprintf(w, "des (0, %d, %d)\n", transitions, states)
		for s, row := range all {
			for _, t := range row {
				fmt.Fprintf(w, "(%d, \"A%d\", %d)\n", s, t.label, t.to)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	err = writeLines(log, func(w *bufio.Writer) {
		for at, n := 0, 0; n < events; {
			s := all[at][r.IntN(len(all[at]))]
			deviates := r.Float64() < share
			if deviates {
				deviations++
			}
			if deviates && r.IntN(2) == 0 {
				at = s.to
				continue
			}
			if deviates {
				s = step{r.IntN(labels), at}
			}
			fmt.Fprintf(w, "A%d\n", s.label)
			at = s.to
			n++
		}
	})
	return deviations, err
}

func writeLines(path string, write func(w *bufio.Writer)) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	write(w)
	return w.Flush()
}
