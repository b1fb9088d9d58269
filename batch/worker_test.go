package batch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// elsewhere does jobs in a folder of its own, as another machine does, and hands models
// and files over by stores.
type elsewhere struct {
	t              *testing.T
	models, files  Store
	work           Work
	folder, target string

	mu    sync.Mutex
	asked []string
}

func (e *elsewhere) Do(ctx context.Context, j Job) Result {
	e.mu.Lock()
	e.asked = append(e.asked, j.Name)
	e.mu.Unlock()
	f, err := os.Open(j.Path)
	if err != nil {
		return Do(ctx, j, e.work)
	}
	defer f.Close()
	digest, err := e.models.Put(ctx, f)
	if err != nil {
		e.t.Error(err)
	}
	there := j
	there.Path = filepath.Join(e.t.TempDir(), filepath.Base(j.Path))
	var copied bytes.Buffer
	if err := errors.Join(Verified(ctx, e.models, digest, &copied), os.WriteFile(there.Path, copied.Bytes(), 0o600)); err != nil {
		e.t.Error(err)
	}
	r := e.work.Do(ctx, there)
	if err := r.PutFiles(ctx, e.folder, e.files); err != nil {
		e.t.Error(err)
	}
	r.Job = j
	if err := r.FetchFiles(ctx, e.files, e.target); err != nil {
		e.t.Error(err)
	}
	return r
}

// inMemory is a store in memory.
type inMemory map[string]string

func (s inMemory) Open(_ context.Context, digest string) (io.ReadCloser, error) {
	text, is := s[digest]
	if !is {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func (s inMemory) Put(_ context.Context, content io.Reader) (digest string, err error) {
	text, err := io.ReadAll(content)
	s[sum(text)] = string(text)
	return sum(text), err
}

// TestWorkerElsewhere: jobs that are done in another folder, with models and files that
// went through stores, have the results of jobs that are done here.
func TestWorkerElsewhere(t *testing.T) {
	folder := t.TempDir()
	short := filepath.Join(folder, "short.aut")
	long := filepath.Join(folder, "long.aut")
	for path, text := range map[string]string{
		short: "des (0,2,2)\n(0,\"A\",1)\n(1,\"B\",0)\n",
		long:  "des (0,4,4)\n(0,\"A\",1)\n(1,\"B\",2)\n(2,\"A\",3)\n(2,\"C\",0)\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	job := func(name, path, formula string) Job {
		return Job{Name: name, Model: filepath.Base(path), Path: path, Formula: formula}
	}
	m := &Manifest{File: "m.yaml", Jobs: []Job{
		job("one", short, "Inev(A)"), job("two", short, "Inev(B, C)"), job("three", long, "Inev(A, C)"),
		job("gone", filepath.Join(folder, "gone.aut"), "Inev(A)"),
	}}
	here, there := filepath.Join(folder, "here"), filepath.Join(folder, "there")
	settings := Settings{Folder: here, Wanted: []string{"explanation", "dot"}, Version: "v1"}
	want, err := Run(context.Background(), m, settings)
	if err != nil {
		t.Fatal(err)
	}
	w := &elsewhere{t: t, models: inMemory{}, files: inMemory{}, folder: t.TempDir(), target: there}
	w.work = Work{Folder: w.folder, Wanted: settings.Wanted, Version: settings.Version}
	settings.Folder, settings.Worker, settings.Parallel = there, w, 1
	got, err := Run(context.Background(), m, settings)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"three", "two", "one", "gone"}; !reflect.DeepEqual(w.asked, want) {
		t.Errorf("asked for %q, want the dearest first: %q", w.asked, want)
	}
	if len(got.Results) != len(m.Jobs) {
		t.Fatalf("%d results, want %d", len(got.Results), len(m.Jobs))
	}
	for i := range got.Results {
		got, want := got.Results[i], want.Results[i]
		for kind, name := range want.Files {
			a, err1 := os.ReadFile(filepath.Join(there, name))
			b, err2 := os.ReadFile(filepath.Join(here, name))
			if kind != "explanation" && (err1 != nil || err2 != nil || !bytes.Equal(a, b)) {
				t.Errorf("%s of %s is another file (errors %v, %v)", kind, want.Job.Name, err1, err2)
			}
		}
		for _, r := range []*Result{&got, &want} {
			r.Started, r.Milli, r.TimingsMS, r.Digests = "", 0, nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant\n%+v", got, want)
		}
	}
}

// TestFilesOfResultsAreNotTrusted: what a worker says of its files leads nowhere else.
func TestFilesOfResultsAreNotTrusted(t *testing.T) {
	ctx := context.Background()
	s, folder := inMemory{}, t.TempDir()
	digest, err := s.Put(ctx, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r := Result{Job: Job{Name: "one"}, Key: "k", Digests: map[string]string{"explanation": digest}}
	for _, name := range []string{"../x", "jobs/other/explanation.json", "/etc/passwd", folderOf("one") + "/page.html"} {
		r.Files = map[string]string{"explanation": name}
		if err := r.FetchFiles(ctx, s, folder); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	r.Files = map[string]string{"explanation": folderOf("one") + "/explanation.json"}
	if err := r.FetchFiles(ctx, s, folder); err != nil {
		t.Error(err)
	}
	s[digest] = "[]"
	var damaged *DigestError
	if err := r.FetchFiles(ctx, s, folder); !errors.As(err, &damaged) {
		t.Errorf("error %v, want that of a digest", err)
	}
}
