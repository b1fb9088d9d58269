package batch_test

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

var (
	flips = flag.Int("flips", 40, "so many single bits of a folder of results are changed")
	cuts  = flag.Int("truncations", 20, "so many times a file of a folder of results is cut off")
	seed  = flag.Uint64("seed", 1, "which bits are changed")
)

// times are what differs from run to run in the summaries.
var times = regexp.MustCompile(`"started":"[^"]*","ms":[0-9.e-]+(,"timings_ms":\{[^}]*\})?(,"reused":true)?|"(ms|reused)": [^,]*` +
	`|(?m),[0-9.e-]+\r?$|The jobs took .* in all\.|id="timings">\[[^\]]*\]| (time|timestamp)="[^"]*"`)

// laboratory is a folder of results that is damaged again and again.
type laboratory struct {
	manifest *batch.Manifest
	folder   string
	files    map[string][]byte
	results  []batch.Result
	sums     map[string]string
	wanted   []string
}

func newLaboratory(t *testing.T, wanted ...string) *laboratory {
	t.Helper()
	models := t.TempDir()
	for name, text := range map[string]string{
		"a.aut":  "des (0,3,3)\n(0,\"REQ\",1)\n(1,\"ACK\",0)\n(1,\"DROP\",2)\n",
		"b.aut":  "des (0,2,2)\n(0,\"REQ\",1)\n(1,\"LOSE\",0)\n",
		"m.yaml": "defaults: {expect: satisfied}\njobs:\n  - {model: a.aut, formula: Inev(REQ)}\n  - {model: a.aut, formula: 'Inev(REQ, ACK)'}\n  - {model: b.aut, formula: 'Inev({REQ, ACK})', tags: [x]}\n",
	} {
		if err := os.WriteFile(filepath.Join(models, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := batch.Open(context.Background(), filepath.Join(models, "m.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l := &laboratory{manifest: m, folder: filepath.Join(t.TempDir(), "results"), wanted: wanted}
	l.results, _ = l.run(t)
	l.sums = l.summaries(t)
	l.files = contentsOf(t, l.folder)
	return l
}

// contentsOf returns the files in a folder and those in it.
func contentsOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// run resumes the batch, and writes its summaries.
func (l *laboratory) run(t *testing.T) (results []batch.Result, warnings []string) {
	t.Helper()
	out, err := batch.Run(context.Background(), l.manifest, batch.Settings{
		Folder: l.folder, Begin: batch.Resume, Wanted: l.wanted, Version: "v1",
		Warn: func(text string) { warnings = append(warnings, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	b := summary.Batch{Manifest: l.manifest.File, Version: "v1", Results: out.Results, Folder: "results"}
	if err := b.Write(context.Background(), l.folder); err != nil {
		t.Fatal(err)
	}
	return out.Results, warnings
}

// summaries returns the summaries less what differs from run to run.
func (l *laboratory) summaries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, text := range contentsOf(t, l.folder) {
		if !strings.ContainsRune(name, filepath.Separator) && !strings.HasPrefix(name, "results.") {
			all[name] = times.ReplaceAllString(string(text), "")
		}
	}
	return all
}

// restore makes the folder what it was in the beginning.
func (l *laboratory) restore(t *testing.T) {
	t.Helper()
	now := contentsOf(t, l.folder)
	for name := range now {
		if l.files[name] == nil {
			if err := os.Remove(filepath.Join(l.folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range l.files {
		if !bytes.Equal(now[name], text) {
			if err := os.WriteFile(filepath.Join(l.folder, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// alike reports whether the results are the same, up to what differs from run to run.
func alike(a, b []batch.Result) bool {
	plain := func(all []batch.Result) []batch.Result {
		var some []batch.Result
		for _, r := range all {
			r.Started, r.Milli, r.TimingsMS, r.Digests, r.Reused = "", 0, nil, nil, false
			some = append(some, r)
		}
		return some
	}
	return reflect.DeepEqual(plain(a), plain(b))
}

// TestFlippedBits: whatever bit of a folder of results changes, those who read the
// results are refused, or get what they would have got; and to resume mends it all.
// With CI set and -flips 6000 it tries many bits, with -seed others.
func TestFlippedBits(t *testing.T) {
	l := newLaboratory(t, "explanation", "trace")
	var names []string
	var ends []int
	total := 0
	for name := range l.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		total += len(l.files[name])
		ends = append(ends, total)
	}
	r := rand.New(rand.NewPCG(*seed, 2))
	counts := map[string]int{}
	for range inHaste(*flips) {
		// Half of the bits are in the journal and the plan, on which the rest depends.
		var name string
		var at int
		if r.IntN(2) == 0 {
			name = []string{"results.jsonl", "manifest.json"}[r.IntN(2)]
			at = r.IntN(len(l.files[name]))
		} else {
			at = r.IntN(total)
			i := 0
			for at >= ends[i] {
				i++
			}
			name = names[i]
			at -= ends[i] - len(l.files[name])
		}
		bit := byte(1) << r.IntN(8)
		counts[l.flip(t, name, at, bit)]++
		if t.Failed() {
			t.Fatalf("the bit %#x of byte %d of %s", bit, at, name)
		}
	}
	t.Logf("%v", counts)
}

// inHaste returns how many of so many damages are tried: all, and without CI a third.
func inHaste(n int) int {
	if !randomlts.Whole() {
		return (n + 2) / 3
	}
	return n
}

// TestTruncations: wherever a file of a folder of results is cut off, those who read the
// results are refused, or get what they would have got; and to resume mends it all. With
// -truncations 500 it tries many places.
func TestTruncations(t *testing.T) {
	l := newLaboratory(t, "explanation", "trace")
	var names []string
	for name := range l.files {
		names = append(names, name)
	}
	slices.Sort(names)
	r := rand.New(rand.NewPCG(*seed, 3))
	counts := map[string]int{}
	for i := range inHaste(*cuts) {
		// Half of them are in the journal, every second at the end of a line.
		name := names[r.IntN(len(names))]
		if i%2 == 0 {
			name = "results.jsonl"
		}
		text := l.files[name]
		end := r.IntN(len(text))
		if i%4 == 0 {
			end = bytes.LastIndexByte(text[:end], '\n') + 1
		}
		outcome := l.damage(t, name, end, text[:end])
		if name == "results.jsonl" && outcome != "refused" {
			t.Errorf("%d bytes of the journal were accepted", end)
		}
		counts[outcome]++
		if t.Failed() {
			t.Fatalf("%s was cut off after %d bytes of %d", name, end, len(text))
		}
	}
	t.Logf("%v", counts)
}

// flip changes a bit, and says what became of it.
func (l *laboratory) flip(t *testing.T, name string, at int, bit byte) (outcome string) {
	t.Helper()
	text := bytes.Clone(l.files[name])
	text[at] ^= bit
	return l.damage(t, name, at, text)
}

// damage makes a file another one from a place on, and says what became of it.
func (l *laboratory) damage(t *testing.T, name string, at int, text []byte) (outcome string) {
	t.Helper()
	l.restore(t)
	if err := os.WriteFile(filepath.Join(l.folder, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
	outcome = "without effect"
	merged := filepath.Join(filepath.Dir(l.folder), "merged")
	if err := os.RemoveAll(merged); err != nil {
		t.Fatal(err)
	}
	read, refused := batch.ReadResults(context.Background(), l.folder)
	if refused == nil && !alike(read, l.results) {
		t.Errorf("other results were read: %+v", read)
	}
	out, unmerged := batch.Merge(context.Background(), []string{l.folder}, batch.Settings{Folder: merged, Version: "v1"})
	switch {
	case unmerged == nil && !alike(out.Results, l.results):
		t.Errorf("other results were joined: %+v", out.Results)
	case unmerged == nil:
		for kept, content := range contentsOf(t, merged) {
			if strings.HasPrefix(kept, "jobs") && !bytes.Equal(content, l.files[kept]) {
				t.Errorf("%s was joined as it is", kept)
			}
		}
	default:
		outcome = "refused"
		if strings.Contains(unmerged.Error(), "\n") || refused != nil && strings.Contains(refused.Error(), "\n") {
			t.Errorf("more than a line: %v, %v", unmerged, refused)
		}
	}
	results, warnings := l.run(t)
	again := 0
	for _, r := range results {
		if !r.Reused {
			again++
		}
	}
	// Without the line feed between them, two lines are one. To lose the record that closes
	// the journal loses no answer.
	closing, whole := 0, l.files["results.jsonl"]
	if name == "results.jsonl" && at >= bytes.LastIndexByte(whole[:len(whole)-1], '\n') {
		closing = 1
	}
	cut := len(text) < len(l.files[name]) // of a line that is not there, nothing is said
	if len(warnings) > again+closing || again > 2*len(warnings) && !cut || refused != nil && name == "results.jsonl" && again+closing == 0 {
		t.Errorf("%d jobs were done again, with the warnings %q", again, warnings)
	}
	if !alike(results, l.results) {
		t.Errorf("other results: %+v", results)
	}
	if now := l.summaries(t); !reflect.DeepEqual(now, l.sums) {
		t.Errorf("other summaries: %v", now)
	}
	if read, err := batch.ReadResults(context.Background(), l.folder); err != nil || !alike(read, l.results) {
		t.Errorf("afterwards there are %+v (error %v)", read, err)
	}
	for _, r := range results {
		for kind, name := range r.Files {
			if digest, err := batch.Digest(context.Background(), filepath.Join(l.folder, name)); err != nil || digest != r.Digests[kind] {
				t.Errorf("%s is %s, want %s (error %v)", name, digest, r.Digests[kind], err)
			}
		}
	}
	return outcome
}
