package batch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/compiledonce"
	"github.com/inev-lts/inev/internal/testing/faults"
)

// hub returns a model whose passes several cores share: a loop of n states that all go on to a state with A and B.
func hub(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "des (0,%d,%d)\n", 2*n+2, n+1)
	for s := range n {
		fmt.Fprintf(&b, "(%d,\"GO\",%d)\n(%d,\"A\",%d)\n", s, (s+1)%n, s, n)
	}
	fmt.Fprintf(&b, "(%d,\"B\",%d)\n(%d,\"A\",%d)\n", n, n, n, n)
	return b.String()
}

// smallKinds returns a manifest whose jobs start goroutines of the remaining kinds.
func smallKinds(t *testing.T) *Manifest {
	folder := tree(t, map[string]string{
		"a.aut": model, "b.aut": model, "b.clts": "",
		"m.yaml": "jobs:\n  - {model: a.aut, formula: Inev(ACK)}\n  - {model: b.clts, formula: Inev(ACK)}\n  - {model: b.aut, formula: Inev(REQ)}\n",
	})
	m, _, err := format.Read(context.Background(), strings.NewReader(model), format.Options{Name: "a.aut"})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := format.WriteCompressed(&file, m.LTS); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "b.clts"), file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return opened(t, folder, "m.yaml")
}

// manyKinds returns a manifest whose jobs start goroutines of many kinds.
func manyKinds(t *testing.T) *Manifest {
	folder := tree(t, map[string]string{
		"large.aut": hub(70_000), "small.aut": model, "other.aut": model,
		"m.yaml": `jobs:
  - {name: large, model: large.aut, formula: "Inev(B)"}
  - {name: other, model: other.aut, formula: Inev(ACK)}
  - {name: holds, model: small.aut, formula: Inev(REQ)}
  - {name: small, model: small.aut, formula: "Inev(REQ, ACK)"}
`})
	return opened(t, folder, "m.yaml")
}

// TestPanicEndsOneJob: a panic in a goroutine of any kind is the result of one job, with its stack in the job's log; the other
// jobs are answered as they are without it.
func TestPanicEndsOneJob(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	large, small := manyKinds(t), smallKinds(t)
	wanted := map[*Manifest][]string{small: {"page"}}
	statuses := map[*Manifest][]Status{}
	for _, m := range []*Manifest{large, small} {
		statuses[m] = statusesOf(run(t, m, Settings{Folder: filepath.Join(t.TempDir(), "r"), Parallel: 1, Wanted: wanted[m], Cache: compiledonce.Folder()}).Results)
	}
	for _, kind := range []struct {
		manifest *Manifest
		at       string
	}{
		{large, "blocks.Each"}, {large, "batch.(*task).prepare"}, {large, "resources.(*Budget).watchFor"},
		{large, "lts.within"}, {large, "lts.invertInto"}, {large, "lts.(*LTS).Happening"}, {large, "scc.number"},
		{large, "enrich.Enrich"}, {large, "enrich.(*loopSuffixes).findStuckOnCores"}, {large, "neighbourhood.classify"},
		{large, "explain.(*Analysis).fairnessAhead"}, {large, "explain.(*parts).startNeighbourhoods"},
		{small, "page.svgOf"}, {small, "graphviz.compile"}, {small, "clts.(*decoder).decodeBlocks"},
	} {
		t.Run(kind.at, func(t *testing.T) {
			want := statuses[kind.manifest]
			struck := faults.Once(t, kind.at)
			ctx := resources.NewBudget(resources.Limit{Bytes: 64 << 30}, nil).With(context.Background())
			folder := filepath.Join(t.TempDir(), "r")
			out, err := Run(ctx, kind.manifest, Settings{Folder: folder, Parallel: 1, Wanted: wanted[kind.manifest], Cache: compiledonce.Folder()})
			if err != nil {
				t.Fatal(err)
			}
			if !struck() {
				t.Fatal("no such goroutine is started")
			}
			crashed := 0
			for i, got := range statusesOf(out.Results) {
				if got == want[i] {
					continue
				}
				r := out.Results[i]
				crashed++
				log, err := os.ReadFile(filepath.Join(folder, r.Files[logKind]))
				if r.Status != Crashed || !strings.Contains(r.Error, faults.Message) || !strings.Contains(string(log), "faults.Once") {
					t.Errorf("%s: %s, %s\n%s (%v)", r.Job.Name, r.Status, r.Error, log, err)
				}
			}
			if crashed != 1 {
				t.Errorf("%d jobs are other than without it: %v", crashed, statusesOf(out.Results))
			}
		})
	}
	endsQuietly(t)
}

// TestPanicInReadingIsNoMistakeOfTheManifest: a property whose reading ends by a panic is read again by its job, whose result and
// log then have the panic; it is not told as a formula that is wrong.
func TestPanicInReadingIsNoMistakeOfTheManifest(t *testing.T) {
	folder := tree(t, map[string]string{
		"a.aut":  model,
		"m.yaml": "jobs:\n  - {model: a.aut, formula: Inev(ACK)}\n  - {model: a.aut, formula: Inev(REQ)}\n",
	})
	want := statusesOf(run(t, opened(t, folder, "m.yaml"), Settings{Folder: filepath.Join(t.TempDir(), "r")}).Results)
	struck := faults.Once(t, "batch.(*reader).inTime")
	m := opened(t, folder, "m.yaml")
	if !struck() {
		t.Fatal("no property is read there")
	}
	for i, j := range m.Jobs {
		if j.Refused != "" {
			t.Errorf("job %d is refused: %s", i, j.Refused)
		}
	}
	got := statusesOf(run(t, m, Settings{Folder: filepath.Join(t.TempDir(), "r")}).Results)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func statusesOf(results []Result) (all []Status) {
	for _, r := range results {
		all = append(all, r.Status)
	}
	return all
}
