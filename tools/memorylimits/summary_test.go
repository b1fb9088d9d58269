package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSummary: a summary takes the place of the one before, wherever that stands, and
// tells the worst run of each shape and of each command.
func TestSummary(t *testing.T) {
	var s summary
	s.count("chain", "check M F", 100e6, outcome{exitCode: 1, peak: 90e6}, "")
	s.count("chain", "info M", 50e6, outcome{exitCode: exitRefused, peak: 58e6}, "")
	s.count("star", "info M", 50e6, outcome{exitCode: 0, peak: 70e6}, "says nothing")
	for before, after := range map[string]string{
		"# P\n\ntext\n":                                      "# P\n\ntext\n\n" + heading,
		"# P\n\n" + heading + "\nold\n":                      "# P\n\n" + heading,
		"# P\n\n" + heading + "\nold\n\n## Next\n\nmore\n":   "# P\n\n" + heading,
		"# P\n\n## Other\n\n" + heading + "\nold\n\n## Next": "# P\n\n## Other\n\n" + heading,
	} {
		page := filepath.Join(t.TempDir(), "p.md")
		if err := os.WriteFile(page, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.into(page, "-limits 1"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		got := string(text)
		if !strings.HasPrefix(got, after) || strings.Contains(got, "old") || strings.Contains(before, "## Next") != strings.Contains(got, "\n\n## Next") {
			t.Errorf("%q becomes %q", before, got)
		}
		for _, want := range []string{
			"Of 3 runs of 2 commands on 2 shapes, 2 ended, and 1", "; 1 did\nanything else",
			"| chain | 2 | 1 | 0 | +8.0 MB | 50 MB | `info M` |", "| star | 1 | 1 | 1 | +20 MB | 50 MB | `info M` |",
			"| `check M F` | 1 | 1 | 0 | −10 MB | 100 MB | chain |", "| `info M` | 2 | 1 | 1 | +20 MB | 50 MB | star |",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in %s", want, got)
			}
		}
	}
}
