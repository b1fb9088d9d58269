//go:build unix

package golden

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// failures keeps what a test is told.
type failures struct {
	*testing.T
	said []string
}

func (f *failures) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// TestCommandEnds: a program that waits forever is ended, and named; one that ends is no error.
func TestCommandEnds(t *testing.T) {
	for script, hangs := range map[string]bool{"exec sleep 1000": true, "exit 3": false} {
		f := &failures{T: t}
		most := time.Minute
		if hangs {
			most = 100 * time.Millisecond
		}
		cmd := CommandWithin(f, most, "sh", "-c", script)
		if err := cmd.Run(); err == nil {
			t.Errorf("%s: no error", script)
		}
		if said := strings.Join(f.said, "\n"); hangs != strings.Contains(said, "sh -c exec sleep 1000 has not ended after 100ms") || !hangs && said != "" {
			t.Errorf("%s: the test is told %q", script, said)
		}
	}
}
