package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/progress"
)

// generated writes a model of one strongly connected component with so many
// states, three transitions to near states in each, and returns the name of its
// file and the model's formula.
func generated(t *testing.T, states int) (path, formula string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "generated.aut")
	spec := generate.Spec{Kind: "scc", States: states, Degree: 3, Locality: 1000, Labels: 50}
	f, err := os.Create(path)
	if err == nil {
		err = generate.Write(context.Background(), f, spec)
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		formula, err = spec.Formula()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, formula
}

// TestInterruptedInEveryPhase: whatever is being done when the user interrupts, it
// ends soon, which is told by the work that is done then, and no file is written.
func TestInterruptedInEveryPhase(t *testing.T) {
	model, formula := generated(t, 300_000)
	for _, phase := range []string{"read", "components", "enrich", "search"} {
		t.Run(phase, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var started []*progress.Meter
			ctx = progress.With(ctx, func(m *progress.Meter) {
				if started = append(started, m); m.Phase == phase {
					cancel()
				}
			})
			folder := t.TempDir()
			var stdout, stderr strings.Builder
			p := &program{stdout: newResults(context.Background(), &stdout), stderr: &stderr}
			args := []string{"inev", "explain", model, formula}
			for _, flag := range []string{"json", "dot", "certificate"} {
				args = append(args, "--"+flag, filepath.Join(folder, flag+"."+strings.Replace(flag, "certificate", "json", 1)))
			}
			code := p.exitCode(ctx, p.run(ctx, args))
			if ctx.Err() == nil {
				t.Skipf("nothing tells how far %s is", phase)
			}
			if code != exitInterrupted || stdout.String() != "" || stderr.String() != "inev: interrupted\n" {
				t.Errorf("code %d, output %q, errors %q", code, stdout.String(), stderr.String())
			}
			last := started[len(started)-1]
			if last.Phase != phase {
				t.Errorf("%s was started after the interruption in %s", last.Phase, phase)
			}
			if last.Total > 0 && last.Done() > last.Total/4 {
				t.Errorf("%d of %d were done", last.Done(), last.Total)
			}
			if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
				t.Errorf("files %v (error %v)", files, err)
			}
		})
	}
}
