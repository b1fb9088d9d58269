package cluster

import (
	"context"
	"fmt"
	"maps"
	"os"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
)

// modelFiles sends files to the servers, each file once.
type modelFiles struct {
	// onRequest reports whether files are sent only to workers that ask for them.
	onRequest bool
	// mostBytes is the largest number of bytes sent in total, 0 for no limit.
	mostBytes int64

	mu      sync.Mutex
	total   int64                // the bytes sent
	counted map[string]bool      // by digest
	sent    map[string]*sentFile // by path
	needs   map[memoryKey]int64
	// resends has the files that were sent again. The keys are their digests.
	resends map[string]*resends
}

// sentFile is a file and, once it is sent, its digest.
type sentFile struct {
	sending sync.Mutex
	done    bool
	digest  string
	err     error
}

// memoryKey has the properties of a job on which its memory depends.
type memoryKey struct {
	path, formula string
	unfold        bool
}

// send sends a file, and returns its digest.
func (m *modelFiles) send(ctx context.Context, to chunks, path string) (string, error) {
	m.mu.Lock()
	if m.sent == nil {
		m.sent = map[string]*sentFile{}
	}
	f := m.sent[path]
	if f == nil {
		f = &sentFile{}
		m.sent[path] = f
	}
	m.mu.Unlock()
	f.sending.Lock()
	defer f.sending.Unlock()
	if f.done {
		return f.digest, f.err
	}
	f.digest, f.err = m.sendFile(ctx, to, path)
	f.done = ctx.Err() == nil
	return f.digest, f.err
}

// unreadable is the error of a file that this machine cannot read.
type unreadable struct{ error }

// sendFile sends a file that was not sent before, and returns its digest. With onRequest it only computes the
// digest.
func (m *modelFiles) sendFile(ctx context.Context, to chunks, path string) (string, error) {
	digest, err := batch.Digest(ctx, path)
	if err != nil {
		return "", unreadable{err}
	}
	if m.onRequest {
		return digest, nil
	}
	file, size, err := open(path)
	if err != nil {
		return "", unreadable{err}
	}
	defer file.Close()
	if err := m.count(digest, size); err != nil {
		return "", err
	}
	return digest, to.putModel(ctx, digest, size, file)
}

// count adds the size of a file to the number of bytes sent, before the file is sent.
func (m *modelFiles) count(digest string, size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counted == nil {
		m.counted = map[string]bool{}
	}
	if m.counted[digest] {
		return nil
	}
	if m.mostBytes > 0 && m.total+size > m.mostBytes {
		return &QuotaError{m.total + size, m.mostBytes}
	}
	m.counted[digest] = true
	m.total += size
	return nil
}

// QuotaError is the error of a batch whose models are too large in total.
type QuotaError struct{ Total, Most int64 }

func (e *QuotaError) Error() string {
	return fmt.Sprintf("the models of the batch have %s, but only %s are allowed; allow more, or divide the batch",
		progress.Bytes.Format(e.Total), progress.Bytes.Format(e.Most))
}

// checkQuota returns a *[QuotaError] if the files of a batch are too large in total; files with
// the same content count once. Cost: the files are read if their sizes alone exceed the bound.
func checkQuota(ctx context.Context, m *batch.Manifest, most int64) error {
	if most <= 0 {
		return nil
	}
	sizes := map[string]int64{} // by path
	for _, j := range m.Jobs {
		for _, path := range allPathsOf(ctx, j) {
			if info, err := os.Stat(path); err == nil { // if this fails, the job that reads the file reports the error
				sizes[path] = info.Size()
			}
		}
	}
	if sumOfSizes(sizes) <= most {
		return nil
	}
	distinct := map[string]int64{} // by digest
	for path, size := range sizes {
		digest, err := batch.Digest(ctx, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			distinct[digest] = size
		}
	}
	sum := sumOfSizes(distinct)
	if sum > most {
		return &QuotaError{sum, most}
	}
	return nil
}

func sumOfSizes(sizes map[string]int64) (sum int64) {
	for _, size := range sizes {
		sum += size
	}
	return sum
}

// allPathsOf returns the paths of all files that are sent for a job, with those of a network.
func allPathsOf(ctx context.Context, j batch.Job) []string {
	paths := pathsOf(j)
	if !isNetwork(j) {
		return paths
	}
	parts, err := networkOf(j).Inputs(ctx)
	if err != nil {
		return paths // the job reports the error
	}
	return append(paths, parts...)
}

// mostResends is how often a file is sent again. Servers that are short of a file lose it once or
// twice; a worker that asks for it more often does so without a reason.
const mostResends = 10

// resend sends a file again although the servers had it, since a worker got no file, or got one
// with other content. It does nothing if the file is being sent again, or has been sent again too
// often.
func (m *modelFiles) resend(ctx context.Context, to chunks, digest string) error {
	if !m.startResend(digest) {
		return nil
	}
	defer m.resent(digest)
	path := m.pathOfSent(digest)
	if path == "" {
		return nil // the file is not of this run
	}
	file, size, err := open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return to.send(ctx, digest, size, file)
}

// pathOfSent returns the path of a file that was sent; "" if no file with this digest was.
func (m *modelFiles) pathOfSent(digest string) string {
	m.mu.Lock()
	sent := maps.Clone(m.sent)
	m.mu.Unlock()
	for path, f := range sent {
		f.sending.Lock()
		found := f.done && f.digest == digest
		f.sending.Unlock()
		if found {
			return path
		}
	}
	return ""
}

// startResend reports whether a file may be sent again now. If so, it counts the sending, and the file is under way until resent
// is called.
func (m *modelFiles) startResend(digest string) (mayResend bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resends == nil {
		m.resends = map[string]*resends{}
	}
	r := m.resends[digest]
	if r == nil {
		r = &resends{}
		m.resends[digest] = r
	}
	if r.underway || r.count >= mostResends {
		return false
	}
	r.underway = true
	r.count++
	return true
}

func (m *modelFiles) resent(digest string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resends[digest].underway = false
}

// resends counts how often a file was sent again.
type resends struct {
	count    int
	underway bool
}

// open opens a file, and returns its size.
func open(path string) (*os.File, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, inputfile.FileError(path, err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, 0, inputfile.FileError(path, err)
	}
	return file, info.Size(), nil
}

// memory estimates how many bytes a job takes.
func (m *modelFiles) memory(ctx context.Context, j batch.Job) int64 {
	key := memoryKey{path: j.Path}
	if j.Options.Unfold {
		key.formula = j.Formula
		key.unfold = true
	}
	m.mu.Lock()
	need, known := m.needs[key]
	m.mu.Unlock()
	if known {
		return need
	}
	need = j.Needs(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.needs == nil {
		m.needs = map[memoryKey]int64{}
	}
	m.needs[key] = need
	return need
}
