package summary

import (
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

// brief returns a printable text of at most n characters; one that is longer ends
// in an ellipsis. Cost O(n).
func brief(text string, n int) string {
	// A printable text is at least as long as the text that it shows, hence n characters of the
	// shown text suffice.
	head := printable.First(text, n+1)
	shown := printable.Text(head)
	if len(head) == len(text) && len(printable.First(shown, n)) == len(shown) {
		return shown
	}
	return printable.First(shown, max(n-1, 0)) + "…"
}

// address returns a path of the results as a relative reference of RFC 3986; "" for a path out
// of the folder, so that no result can link elsewhere.
func address(path string) string {
	if !fs.ValidPath(path) || path == "." {
		return ""
	}
	return reference(path)
}

// reference escapes the segments of a path. A colon is escaped, too: before the first slash it
// would end a scheme.
func reference(path string) string {
	parts := strings.Split(printable.UTF8(path), "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// file is one of the files that a job wrote.
type file struct{ kind, path string }

// filesOf returns the files of a job that lie in the folder of results: first those that readers
// open first, then the others by kind.
func filesOf(r *batch.Result) []file {
	first := []string{"page", "explanation", "svg", "png", "trace"}
	var files []file
	for kind, path := range r.Files {
		if address(path) != "" {
			files = append(files, file{kind, path})
		}
	}
	rank := func(f file) int {
		if at := slices.Index(first, f.kind); at >= 0 {
			return at
		}
		return len(first)
	}
	slices.SortFunc(files, func(a, b file) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return strings.Compare(a.kind, b.kind)
	})
	return files
}
