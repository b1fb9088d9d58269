package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// emptyProgram builds a program that does nothing: its time is that of starting any program.
func (l *laboratory) emptyProgram(ctx context.Context) (string, error) {
	source := filepath.Join(l.folder, "empty.go")
	program := filepath.Join(l.folder, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("an empty program cannot be built: %w\n%s", err, said)
	}
	return program, nil
}

// Times of starting inev and of explaining a small model without advice, as multiples of the time
// of an empty program, for the version on the day of the targets. They were measured later, both in
// the same run.
const (
	versionThen = 5.1
	explainThen = 5.9
)

// smallModel measures the least time that a run takes.
func (l *laboratory) smallModel(ctx context.Context) (string, error) {
	f, err := l.model(ctx, generate.Spec{Kind: "scc", States: 50, Degree: 2}, "")
	if err != nil {
		return "", err
	}
	program, err := l.emptyProgram(ctx)
	if err != nil {
		return "", err
	}
	empty := startOf("a Go program that does nothing", program)
	version := startOf("`inev --version`", l.inev, "--version")
	plain := l.command("`inev "+plainExplain+"`", plainExplain, f, f.formula)
	explain := l.command("`inev explain`", "explain", f, f.formula)
	rows := []*work{
		empty,
		version,
		l.command("`inev check`", "check", f, f.formula),
		plain,
		explain,
	}
	if err := l.measure(ctx, l.smallRuns, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ `inev --version`")
	for _, w := range rows {
		t.add(append([]string{w.name},
			append(w.timeCells(), times(w.median().Seconds/version.median().Seconds))...)...)
	}
	took := explain.median().Seconds
	l.judge(took <= 0.015, target{
		work:     fmt.Sprintf("`inev explain` of %d transitions, whole process", f.transitions),
		wanted:   "≤ 15 ms",
		measured: seconds(took),
	})
	l.judgeUnchanged(version, empty, 0.0044, versionThen)
	l.judgeUnchanged(plain, empty, 0.0054, explainThen)
	return fmt.Sprintf("A model of %d transitions, the median of %d runs.\n\n%s", f.transitions,
		l.smallRuns, t), nil
}

// startOf returns a row for the time in which a program starts and ends.
func startOf(name, program string, arguments ...string) *work {
	return &work{
		name: name,
		run: func(ctx context.Context) (sample, error) {
			p, err := runProgram(ctx, 0, nil, program, arguments...)
			return sample{Seconds: p.seconds}, err
		},
	}
}

// judgeUnchanged judges whether a small piece of work takes no more than on the day of the targets, both in
// seconds and in comparison with an empty program, with an allowance of a tenth for the clock.
func (l *laboratory) judgeUnchanged(w, base *work, then, ratioThen float64) {
	const clock = 1.1
	took := w.median().Seconds
	over := took / base.median().Seconds
	most := clock * then
	mostRatio := clock * ratioThen
	l.judgeBoth(outcomes{inSeconds: took <= most, byRatio: over <= mostRatio}, target{
		work: w.name,
		wanted: fmt.Sprintf("as when the target was set, + 10 %%: ≤ %s, ≤ %s %s",
			seconds(most), times(mostRatio), base.name),
		measured: seconds(took) + ", " + times(over),
	})
}
