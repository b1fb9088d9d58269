package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// outcome is the result of a run.
type outcome struct {
	code   int
	peak   int64 // bytes
	stderr string
	// results are the digests of its outputs by name, standard output included.
	results map[string][sha256.Size]byte
}

// varies reports whether the output of a command differs from run to run: JSON has times, and
// pages have the command line.
func varies(command string) bool {
	return strings.HasSuffix(command, "json") && !strings.Contains(command, "--certificate") ||
		strings.Contains(command, ".html")
}

// refused is the exit code of a run without enough memory.
const refused = 2

// verdictAlone is a part of the warning which says that a run gave the verdict alone.
const verdictAlone = "stopped before "

// slack is the number of bytes by which a run may exceed its limit, besides an eighth of the limit:
// for allocations between two checks, and the memory of an idle process.
const slack = 32 << 20

// fault describes what is wrong with a run under a limit, in comparison with the run without a
// limit; "" if nothing is.
func fault(command string, free, under outcome, limit int64) string {
	switch {
	case under.peak > limit+limit/8+slack:
		return "far more than its limit"
	case under.code != refused && under.code != free.code:
		return fmt.Sprintf("exit code %d, not %d", under.code, free.code)
	case under.code != refused && strings.Contains(under.stderr, verdictAlone):
		// The verdict was known before the memory was used up: the run must say so, and nothing
		// else.
		for name := range free.results {
			if _, written := under.results[name]; !written {
				return name + " is missing, without an error"
			}
		}
	case under.code != refused && !varies(command):
		for name, digest := range free.results {
			if under.results[name] != digest {
				return name + " is another one"
			}
		}
	case free.code == refused, under.code != refused:
	case strings.Count(withoutWarnings(under.stderr), "\n") != 1 ||
		!strings.Contains(under.stderr, "--memory"):
		return "says " + under.stderr
	case under.results[standardOutput] != sha256.Sum256(nil) &&
		!strings.Contains(under.stderr, writing) &&
		!strings.Contains(under.stderr, verdictAlone):
		return "leaves results behind"
	case !varies(command):
		// A file that exists must be complete, even if later work had too little memory.
		for name, digest := range under.results {
			if name != standardOutput && free.results[name] != digest {
				return "leaves another " + name + " behind"
			}
		}
	}
	return ""
}

// withoutWarnings removes warnings, since they may have been printed before the error.
func withoutWarnings(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "inev: warning: ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// writing is the phase that may already have written a part of the result to standard output.
const writing = "stopped in the phase write the result"

const standardOutput = "standard output"

// patience is how long a run may take.
const patience = 2 * time.Minute

var errSlow = fmt.Errorf("it takes more than %v", patience)

// run carries out a command in a folder of its own.
func (l *laboratory) run(command, memory string) (o outcome, err error) {
	if err := os.RemoveAll(l.folder); err != nil {
		return o, err
	}
	if err := os.Mkdir(l.folder, 0o755); err != nil {
		return o, err
	}
	args := strings.Fields(command)
	for i, word := range args {
		switch word {
		case "M":
			args[i] = l.model
		case "F":
			args[i] = l.formula
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, l.program, append(args, "--memory", memory)...)
	cmd.Dir = l.folder
	told, digest := strings.Builder{}, sha256.New()
	cmd.Stdout, cmd.Stderr = digest, &told
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return o, err
	}
	if ctx.Err() != nil {
		return o, errSlow
	}
	o = outcome{
		code:    cmd.ProcessState.ExitCode(),
		stderr:  told.String(),
		results: map[string][sha256.Size]byte{},
	}
	o.results[standardOutput] = [sha256.Size]byte(digest.Sum(nil))
	if o.peak, err = peakOf(cmd.ProcessState); err != nil {
		return o, err
	}
	return o, l.digest(o.results)
}

// digest adds the digests of the files that a run has left.
func (l *laboratory) digest(results map[string][sha256.Size]byte) error {
	entries, err := os.ReadDir(l.folder)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	})
	for _, e := range entries {
		f, err := os.Open(filepath.Join(l.folder, e.Name()))
		if err != nil {
			return err
		}
		digest := sha256.New()
		_, err = io.Copy(digest, f)
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		results[e.Name()] = [sha256.Size]byte(digest.Sum(nil))
	}
	return nil
}
