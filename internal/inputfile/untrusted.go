package inputfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/inev-lts/inev/internal/stoppable"
)

// Bounds on how many names of files are looked at.
const (
	// mostVisits is the bound for one glob, or for one folder with all folders in it.
	mostVisits = 1_000_000
	// mostUntrustedVisits is the bound for one glob or folder in a context from [Untrusted], and
	// mostUntrusted the bound for all globs and folders in this context together.
	mostUntrustedVisits = 50_000
	mostUntrusted       = 200_000
	// longestGlob is the largest length of a glob, in bytes: no path is longer.
	longestGlob = 4096
)

// VisitsError reports that a glob or a folder has more names than are looked at.
type VisitsError struct {
	Most int64
}

// Error is one line, without the name of the glob or folder.
func (e *VisitsError) Error() string {
	return fmt.Sprintf("more than %d names of files would be looked at; write more of the path",
		e.Most)
}

// Globs keeps what globs have found. The zero value is empty. Many goroutines may use it.
type Globs struct {
	mu   sync.Mutex
	kept map[string]found
}

type found struct {
	names []string
	err   error
}

// mostGlobs is the largest number of globs that are kept.
const mostGlobs = 256

// Forget forgets everything: files may have come, or gone.
func (g *Globs) Forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = nil
}

// find returns what a glob has found before; isKept is false if nothing is kept for this glob.
func (g *Globs) find(pattern string) (f found, isKept bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, isKept = g.kept[pattern]
	return f, isKept
}

// keep keeps what a glob has found, and forgets all others if these are too many.
func (g *Globs) keep(pattern string, f found) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept == nil || len(g.kept) >= mostGlobs {
		g.kept = map[string]found{}
	}
	g.kept[pattern] = f
}

// untrusted is in the contexts that [Untrusted] returns.
type untrusted struct {
	globs *Globs
	left  atomic.Int64 // how many names may still be looked at
}

type untrustedKey struct{}

// Untrusted returns a context for work on files that no user has named to this process, such as
// those that a text in an editor names: all files that are opened must be regular, and fewer names
// are looked at. Results of globs are kept in globs, unless that is nil.
func Untrusted(ctx context.Context, globs *Globs) context.Context {
	u := &untrusted{globs: globs}
	u.left.Store(mostUntrusted)
	return context.WithValue(ctx, untrustedKey{}, u)
}

// IsUntrusted reports whether a context comes from [Untrusted].
func IsUntrusted(ctx context.Context) bool { return untrustedIn(ctx) != nil }

// untrustedIn returns what [Untrusted] has put into a context, nil if there is nothing.
func untrustedIn(ctx context.Context) *untrusted {
	u, _ := ctx.Value(untrustedKey{}).(*untrusted)
	return u
}

// visits counts the names that are looked at.
type visits struct {
	ctx    context.Context
	shared *untrusted // nil for none
	most   int64
	done   int64
}

func visitsIn(ctx context.Context) *visits {
	v := &visits{ctx: ctx, shared: untrustedIn(ctx), most: mostVisits}
	if v.shared != nil {
		v.most = mostUntrustedVisits
	}
	return v
}

// add counts n more names. The error is the context's, or a [*VisitsError].
func (v *visits) add(n int) error {
	v.done += int64(n)
	switch {
	case v.ctx.Err() != nil:
		return v.ctx.Err()
	case v.done > v.most:
		return &VisitsError{v.most}
	case v.shared != nil && v.shared.left.Add(-int64(n)) < 0:
		return &VisitsError{mostUntrusted}
	}
	return nil
}

// Glob returns the paths that match a pattern, as [filepath.Glob] does. Unlike that function it
// fails with the error of ctx as soon as ctx is done, and with a [*VisitsError] if the pattern would
// look at more than a million names, or fewer in a context from [Untrusted]. Cost: a system call for
// each folder and each name without a wildcard.
func Glob(ctx context.Context, pattern string) ([]string, error) {
	if len(pattern) > longestGlob {
		return nil, fmt.Errorf("it has more than %d bytes, too long for a path", longestGlob)
	}
	v := visitsIn(ctx)
	if v.shared == nil || v.shared.globs == nil {
		return v.glob(pattern)
	}
	if known, isKept := v.shared.globs.find(pattern); isKept {
		return slices.Clone(known.names), known.err
	}
	names, err := v.glob(pattern)
	// A result is not kept if other globs have used up the shared visits: the next context has new ones.
	hasVisitsLeft := v.shared.left.Load() >= 0
	if ctx.Err() == nil && hasVisitsLeft {
		v.shared.globs.keep(pattern, found{slices.Clone(names), err})
	}
	return names, err
}

// glob finds the paths on a goroutine of its own, since a file system may not answer.
func (v *visits) glob(pattern string) ([]string, error) {
	find := func() ([]string, error) { return v.matches(pattern) }
	dropLate := func([]string) {}
	names, _, err := stoppable.Do(v.ctx, find, dropLate)
	return names, err
}

// matches returns the paths that match a pattern, in the order of [filepath.Glob].
func (v *visits) matches(pattern string) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	if !hasWildcard(pattern) {
		if err := v.add(1); err != nil {
			return nil, err
		}
		if _, err := os.Lstat(pattern); err != nil {
			return nil, nil
		}
		return []string{pattern}, nil
	}
	folderPattern, name := filepath.Split(pattern)
	volume := len(filepath.VolumeName(folderPattern))
	folderPattern = withoutEnd(folderPattern, volume)
	folders := []string{folderPattern}
	if hasWildcard(folderPattern[volume:]) {
		if folderPattern == pattern {
			return nil, filepath.ErrBadPattern
		}
		var err error
		folders, err = v.matches(folderPattern)
		if err != nil {
			return nil, err
		}
	}
	var all []string
	for _, folder := range folders {
		names, err := v.namesIn(folder, name)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			all = append(all, filepath.Join(folder, n))
		}
	}
	return all, nil
}

// withoutEnd removes the separator at the end of a folder from filepath.Split, unless the folder is
// a root; it returns "." for no folder.
func withoutEnd(folder string, volume int) string {
	switch {
	case folder == "":
		return "."
	case len(folder) == volume:
		return folder + "."
	case len(folder) == volume+1 && os.IsPathSeparator(folder[volume]):
		return folder
	}
	return folder[:len(folder)-1]
}

// namesIn returns the sorted names in a folder that match a pattern. It ignores that a folder
// cannot be read.
func (v *visits) namesIn(folder, pattern string) ([]string, error) {
	if err := v.add(1); err != nil {
		return nil, err
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, nil
	}
	switch pattern {
	case "", ".", "..": // no folder lists these names
		return nil, nil
	}
	if !hasWildcard(pattern) {
		if _, err := os.Lstat(filepath.Join(folder, pattern)); err != nil {
			return nil, nil
		}
		return []string{pattern}, nil
	}
	f, err := os.OpenFile(folder, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	return v.matchingNames(f, pattern)
}

// matchingNames returns the sorted names in an open folder that match a pattern.
func (v *visits) matchingNames(folder *os.File, pattern string) ([]string, error) {
	var matching []string
	for {
		names, end := folder.Readdirnames(1024)
		if err := v.add(len(names)); err != nil {
			return nil, err
		}
		for _, name := range names {
			matches, err := filepath.Match(pattern, name)
			if err != nil {
				return nil, err
			}
			if matches {
				matching = append(matching, name)
			}
		}
		if end != nil { // io.EOF, or an error, which is ignored
			slices.Sort(matching)
			return matching, nil
		}
	}
}

// List returns the entries of a folder, by name. If the folder has more than most entries, it
// returns only some of them; for a path that is no folder, it returns none. The error is the
// context's or the operating system's.
func List(ctx context.Context, folder string, most int) ([]fs.DirEntry, error) {
	read := func() ([]fs.DirEntry, error) { return readEntries(folder, most) }
	dropLate := func([]fs.DirEntry) {}
	entries, _, err := stoppable.Do(ctx, read, dropLate)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	})
	return entries, err
}

// readEntries returns at most that many entries of a folder, in any order; none for a path that is no
// folder.
func readEntries(folder string, most int) ([]fs.DirEntry, error) {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return nil, err
	}
	f, err := os.OpenFile(folder, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// hasWildcard reports whether a path has a character with a meaning in patterns.
func hasWildcard(path string) bool {
	if runtime.GOOS == "windows" {
		return strings.ContainsAny(path, `*?[`)
	}
	return strings.ContainsAny(path, `*?[\`)
}

// Walk calls do for a path and, if that is a folder, all that is in it, as [filepath.WalkDir] does,
// until ctx is done. It fails with a [*VisitsError] where [Glob] would.
func Walk(ctx context.Context, path string, do fs.WalkDirFunc) error {
	v := visitsIn(ctx)
	return filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err := v.add(1); err != nil {
			return err
		}
		return do(name, entry, err)
	})
}
