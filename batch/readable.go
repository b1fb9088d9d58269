package batch

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/smalltext"
)

// resultsLimit is how much a plan or a journal may hold: some million jobs.
var resultsLimit = smalltext.Limit{Bytes: 2 << 30, Remedy: "do the batch in parts"}

// checkResults refuses what cannot be the results of an earlier run before any of it is
// read: neither waiting for a pipe nor reading a device comes to an end.
func checkResults(path string, info fs.FileInfo) error {
	files := []string{path}
	if info.IsDir() {
		files = []string{filepath.Join(path, planName), filepath.Join(path, journalName)}
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			continue // who reads it says so
		}
		if err := smalltext.CheckRegular(file, resultsLimit); err != nil {
			return inputfile.FileError(file, err)
		}
	}
	return nil
}
