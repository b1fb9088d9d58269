package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// peakOf returns the peak memory of a process that carries out a command line,
// whatever its verdict.
func peakOf(t *testing.T, collector string, args ...string) int64 {
	t.Helper()
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "inev") // TestMain goes by the name
	if err := os.Symlink(test, program); err != nil {
		t.Skip(err)
	}
	cmd := golden.Command(t, program, append(args, "--stats")...)
	cmd.Env = append(os.Environ(), "GOGC="+collector, "GOMEMLIMIT=off")
	var told strings.Builder
	cmd.Stderr = &told
	_ = cmd.Run() // a property that is violated is no failure
	_, after, found := strings.Cut(told.String(), "peak memory: ")
	var peak int64
	if err := json.NewDecoder(strings.NewReader(after)).Decode(&peak); !found || err != nil {
		t.Fatalf("no peak memory is told: %s", told.String())
	}
	return peak
}

// TestMemoryIsEstimated: what processes take lies between the two estimates, and
// the upper one is not far off.
func TestMemoryIsEstimated(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the resident memory was measured on Linux only")
	}
	if !randomlts.Whole() {
		t.Skip("dozens of processes with models of 450,000 transitions")
	}
	for i, shape := range []generate.Spec{
		{Kind: "random", States: 150_000, Degree: 3},
		{Kind: "random", States: 75_000, Degree: 3, Shuffle: true},
		{Kind: "scc", States: 25_000, Degree: 10},
		{Kind: "layered", Width: 1000, Height: 75, Degree: 2},
	} {
		name := shape.Kind
		if shape.Shuffle {
			name += " shuffled"
		}
		t.Run(name, func(t *testing.T) {
			m, err := generate.LTS(context.Background(), shape)
			if err != nil {
				t.Fatal(err)
			}
			formula, err := shape.Formula()
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			model := filepath.Join(folder, "m.aut")
			f, err := os.Create(model)
			if err == nil {
				err = generate.Write(context.Background(), f, shape)
			}
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			for task, args := range map[footprint.Task][]string{
				footprint.Loading:    {"convert", model, "-o", filepath.Join(folder, "n.aut")},
				footprint.Describing: {"info", model},
				footprint.Checking:   {"check", model, formula},
				footprint.Analysing:  {"enrich", model, formula, "--format", "tsv"},
				footprint.Explaining: {"explain", model, formula, "--format", "json"},
				footprint.Listing:    {"check", model, formula, "--all"},
				footprint.Unfolding:  {"explain", model, formula, "--unfold", "--format", "json"},
			} {
				need := footprint.Of(task, int64(m.NumStates()), int64(m.NumTransitions()))
				if peak := peakOf(t, "100", args...); peak > need.Usual || 4*peak < need.Usual {
					t.Errorf("%s takes %s, estimated are %s", strings.Join(args, " "), progress.Bytes.Format(peak), progress.Bytes.Format(need.Usual))
				}
				if i > 0 {
					continue // that much for how little is possible
				}
				if peak := peakOf(t, "5", args...); peak < need.Least {
					t.Errorf("%s does with %s, said to be impossible below %s", args[0], progress.Bytes.Format(peak), progress.Bytes.Format(need.Least))
				}
			}
		})
	}
}
