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
	exitCode int
	peak     int64 // bytes
	stderr   string
	// results are the digests of the run's outputs by name, standard output included.
	results map[string][sha256.Size]byte
}

// outputVaries reports whether the output of a command differs from run to run: JSON has times, and
// pages have the command line.
func outputVaries(command string) bool {
	return strings.HasSuffix(command, "json") && !strings.Contains(command, "--certificate") ||
		strings.Contains(command, ".html")
}

// exitRefused is the exit code of a run without enough memory.
const exitRefused = 2

// verdictAlone is a part of the warning which says that a run gave the verdict alone.
const verdictAlone = "stopped before "

// allowedExcess is the number of bytes by which a run may exceed its limit, besides an eighth of the limit:
// for allocations between two checks, and the memory of an idle process.
const allowedExcess = 32 << 20

// fault describes what is wrong with a run under a limit, in comparison with the run without a
// limit; "" if nothing is.
func fault(command string, free, under outcome, limit int64) string {
	switch {
	case under.peak > limit+limit/8+allowedExcess:
		return "far more than its limit"
	case under.exitCode != exitRefused && under.exitCode != free.exitCode:
		return fmt.Sprintf("exit code %d, not %d", under.exitCode, free.exitCode)
	case under.exitCode != exitRefused:
		return faultOfAnswer(command, free, under)
	case free.exitCode == exitRefused:
		return ""
	}
	return faultOfRefusal(command, free, under)
}

// faultOfAnswer is fault for a run that has answered.
func faultOfAnswer(command string, free, under outcome) string {
	if strings.Contains(under.stderr, verdictAlone) {
		// The verdict was known before the memory was used up: the run must say so, and nothing
		// else.
		for name := range free.results {
			if _, isWritten := under.results[name]; !isWritten {
				return name + " is missing, without an error"
			}
		}
		return ""
	}
	if outputVaries(command) {
		return ""
	}
	for name, digest := range free.results {
		if under.results[name] != digest {
			return name + " is another one"
		}
	}
	return ""
}

// faultOfRefusal is fault for a run that had too little memory for an answer.
func faultOfRefusal(command string, free, under outcome) string {
	isOneLine := strings.Count(withoutWarnings(under.stderr), "\n") == 1
	if !isOneLine || !strings.Contains(under.stderr, "--memory") {
		return "says " + under.stderr
	}
	mayHaveOutput := strings.Contains(under.stderr, writing) ||
		strings.Contains(under.stderr, verdictAlone)
	if under.results[standardOutput] != sha256.Sum256(nil) && !mayHaveOutput {
		return "leaves results behind"
	}
	if outputVaries(command) {
		return ""
	}
	// A file that exists must be complete, even if later work had too little memory.
	for name, digest := range under.results {
		if name != standardOutput && free.results[name] != digest {
			return "leaves another " + name + " behind"
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
	messages, digest := strings.Builder{}, sha256.New()
	cmd.Stdout, cmd.Stderr = digest, &messages
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return o, err
	}
	if ctx.Err() != nil {
		return o, errSlow
	}
	o = outcome{
		exitCode: cmd.ProcessState.ExitCode(),
		stderr:   messages.String(),
		results:  map[string][sha256.Size]byte{},
	}
	o.results[standardOutput] = [sha256.Size]byte(digest.Sum(nil))
	if o.peak, err = peakOf(cmd.ProcessState); err != nil {
		return o, err
	}
	return o, l.addDigests(o.results)
}

// addDigests adds the digests of the files that a run has left.
func (l *laboratory) addDigests(results map[string][sha256.Size]byte) error {
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
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
		results[e.Name()] = [sha256.Size]byte(digest.Sum(nil))
	}
	return nil
}
