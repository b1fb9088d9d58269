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
	cache          *FolderStore
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
	path, release, err := e.cache.Fetch(ctx, e.models, digest, filepath.Ext(j.Path))
	if err != nil {
		e.t.Fatal(err)
	}
	defer release()
	there.Path = path
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

func newStore(t *testing.T, limit int64) *FolderStore {
	t.Helper()
	s, err := NewFolderStore(filepath.Join(t.TempDir(), "store"), limit)
	if err != nil {
		t.Fatal(err)
	}
	return s
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
	w := &elsewhere{t: t, models: newStore(t, 0), files: newStore(t, 0), cache: newStore(t, 0), folder: t.TempDir(), target: there}
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
	s, folder := newStore(t, 0), t.TempDir()
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
	if err := os.WriteFile(filepath.Join(s.folder, digest), []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	var damaged *DigestError
	if err := r.FetchFiles(ctx, s, folder); !errors.As(err, &damaged) {
		t.Errorf("error %v, want that of a digest", err)
	}
}

// TestFolderStoreForgets: what is in use stays, of the rest what was used last.
func TestFolderStoreForgets(t *testing.T) {
	ctx := context.Background()
	source, s := newStore(t, 0), newStore(t, 8)
	var digests []string
	for _, text := range []string{"aaaa", "bbbb", "cccc", "dddd"} {
		digest, err := source.Put(ctx, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
	}
	fetch := func(i int) (path string, release func()) {
		t.Helper()
		path, release, err := s.Fetch(ctx, source, digests[i], ".aut")
		if err != nil {
			t.Fatal(err)
		}
		return path, release
	}
	first, release := fetch(0)
	for i := 1; i < 4; i++ {
		_, done := fetch(i)
		done()
	}
	if s.held != 8 {
		t.Errorf("holds %d bytes, want 8", s.held)
	}
	if text, err := os.ReadFile(first); string(text) != "aaaa" {
		t.Errorf("what is in use is %q (error %v)", text, err)
	}
	release()
	_, done := fetch(2)
	done()
	if _, err := os.Stat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was not used for longest is there still (error %v)", err)
	}

	again, err := NewFolderStore(s.folder, 8)
	if err != nil || len(again.files) != 2 || again.held != 8 {
		t.Errorf("opened again, it holds %d files, %d bytes (error %v)", len(again.files), again.held, err)
	}
	for name := range again.files {
		if err := os.WriteFile(filepath.Join(s.folder, name), []byte("xxxx"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path, done, err := again.Fetch(ctx, source, digests[2], ".aut")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if text, _ := os.ReadFile(path); string(text) != "cccc" {
		t.Errorf("a file that was damaged is %q", text)
	}
}

// TestFolderStoreRefuses: a content that another store has under a wrong digest is taken
// from nowhere, nor is one that leads out of the folder.
func TestFolderStoreRefuses(t *testing.T) {
	ctx := context.Background()
	s := newStore(t, 0)
	var wrong *DigestError
	if _, _, err := s.Fetch(ctx, lying{}, sum([]byte("right")), ".aut"); !errors.As(err, &wrong) {
		t.Errorf("error %v, want that of a digest", err)
	}
	for _, name := range []string{"", "../../x", strings.Repeat("x", digestDigits)} {
		if _, _, err := s.Fetch(ctx, lying{}, name, ".aut"); err == nil {
			t.Errorf("fetched %q", name)
		}
	}
	if _, _, err := s.Fetch(ctx, lying{}, sum([]byte("wrong")), "/../x"); err == nil {
		t.Error("fetched to another folder")
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil || len(entries) > 0 {
		t.Errorf("left over: %v (error %v)", entries, err)
	}
}

// lying is a store that has the same content for every digest.
type lying struct{}

func (lying) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("wrong")), nil
}
func (lying) Put(context.Context, io.Reader) (string, error) { return "", errors.ErrUnsupported }
