package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const graphsIntro = `
## Reading state graphs of TLC

A graph as TLC writes it with ` + "`-dump dot,actionlabels`" + `: four steps a state, two variables, about 120 bytes a step.

`

// graphs measures the reader of state graphs, with the start of the process.
func (l *laboratory) graphs(ctx context.Context) (string, error) {
	steps := min(1_000_000, l.reference())
	path := filepath.Join(l.folder, "graph.dot")
	if err := writeGraph(path, steps/4); err != nil {
		return "", err
	}
	w := l.run("`inev info`, graph of TLC", nil, "info", path, "--no-progress")
	if err := l.measure(ctx, l.runs, []*work{w}); err != nil {
		return "", err
	}
	m := w.median()
	if !m.Holds {
		return "", errors.New("the graph is not read")
	}
	t := newTable("", "median", "best", "steps", "peak")
	t.add(append([]string{w.name}, append(w.span(), rate(int64(steps), m.Seconds), size(float64(m.Peak)))...)...)
	l.judge(m.Seconds <= 0.5 && m.Peak <= 60e6, w.name+", "+grouped(int64(steps))+" steps", "≤ 0.5 s, ≤ 60 MB", seconds(m.Seconds)+", "+size(float64(m.Peak)))
	return t.String(), os.Remove(path)
}

// writeGraph writes a graph of so many states as TLC does.
func writeGraph(path string, states int) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	fingerprint := func(s int) int64 { return int64(uint64(s+1) * 0x9e3779b97f4a7c15) }
	text := func(s int) string { return fmt.Sprintf(`/\\ big = %d\n/\\ small = %d`, s%5, s%3) }
	fmt.Fprint(w, "strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	fmt.Fprintf(w, "%d [label=\"%s\",style = filled]\n", fingerprint(0), text(0))
	declared := make([]bool, states)
	declared[0] = true
	for s := range states {
		for k, action := range []string{"Fill", "Empty", "Pour(1)", "Pour(2)"} {
			to := (s + 17*k*k + 1) % states
			fmt.Fprintf(w, "%d -> %d [label=\"%s\",color=\"black\",fontcolor=\"black\"];\n", fingerprint(s), fingerprint(to), action)
			if !declared[to] {
				declared[to] = true
				fmt.Fprintf(w, "%d [label=\"%s\",tooltip=\"%s\"];\n", fingerprint(to), text(to), text(to))
			}
		}
	}
	fmt.Fprintf(w, "{rank = same; %d;}\n}\n}\n", fingerprint(0))
	return w.Flush()
}
