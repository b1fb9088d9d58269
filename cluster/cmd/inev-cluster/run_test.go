package main

import (
	"path/filepath"
	"testing"
)

// TestRunIsLikeBatch: one command, with its server and its workers in one process, leaves
// what inev batch leaves, file by file.
func TestRunIsLikeBatch(t *testing.T) {
	folder := manifestWith(t, 2)
	files := []string{"--html", "--svg", "--dot", "--trace"}
	want := batchOf(t, folder, files...)
	clusterIn(t, folder, 0, append([]string{"run", "m.yaml", "-o", "results", "--quiet", "--fail-on", "none"}, files...)...)
	sameContents(t, contents(t, filepath.Join(folder, "results")), want)
}
