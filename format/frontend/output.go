//go:build !js

package frontend

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// keptLines is the number of lines that are kept at the beginning and at the
	// end of the output, and keptBytes the number of bytes of each line: a
	// program may write without end.
	keptLines = 200
	keptBytes = 500
	// shownLines is the largest number of kept lines that a message shows.
	shownLines = 20
)

// output is the output of a program. Writing to it never fails.
type output struct {
	states      func(line string)
	line        []byte
	cut         bool // the rest of the line is left out
	first, last []string
	total       int
}

func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexAny(p, "\n\r")
		if end < 0 {
			o.add(p)
			break
		}
		o.add(p[:end])
		o.endLine()
		p = p[end+1:]
	}
	return n, nil
}

func (o *output) add(p []byte) {
	room := keptBytes - len(o.line)
	if len(p) > room {
		p, o.cut = p[:max(room, 0)], true
	}
	o.line = append(o.line, p...)
}

func (o *output) endLine() {
	text := strings.TrimRight(strings.ToValidUTF8(string(o.line), string(utf8.RuneError)), " \t")
	if o.cut {
		text += " …"
	}
	o.line, o.cut = o.line[:0], false
	if strings.TrimSpace(text) == "" {
		return
	}
	o.states(text)
	o.total++
	switch {
	case len(o.first) < keptLines:
		o.first = append(o.first, text)
	case len(o.last) == keptLines:
		copy(o.last, o.last[1:])
		o.last[keptLines-1] = text
	default:
		o.last = append(o.last, text)
	}
}

// failedError is the error of a tool that did not make a model.
type failedError struct {
	// file is the specification, program the program that failed, and reason how
	// it ended.
	file, program, reason string
	// cause is the most informative line of the output; "" if there is no output.
	cause string
	lines []string
	total int
	err   error
}

// Error returns one line.
func (e *failedError) Error() string {
	text := fmt.Sprintf("%s: %s failed (%s)", e.file, e.program, e.reason)
	if e.cause != "" {
		text += ": " + e.cause
	} else {
		text += ", and said nothing"
	}
	return text
}

// Said returns the output of the tool, the last line first, at most 20 of total
// lines, with positions in files as FILE:LINE:COLUMN.
func (e *failedError) Said() (lines []string, total int) { return e.lines, e.total }

// Unwrap returns the error of the system.
func (e *failedError) Unwrap() error { return e.err }

// failed returns the error of a program that failed.
func (w *work) failed(s step, err error, said *output) error {
	said.endLine()
	e := &failedError{file: w.name, program: s.shown(), reason: err.Error(), total: said.total, err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		e.reason = fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	var lines []string
	for _, line := range slices.Concat(said.first, said.last) {
		lines = append(lines, w.clickable(line))
	}
	e.cause = w.mostTelling(lines)
	slices.Reverse(lines)
	e.lines = lines[:min(len(lines), shownLines)]
	return e
}

var (
	inModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bline (\d+), col(?:umn)? (\d+)(?: to line \d+, col(?:umn)? \d+)? (?:of module|in) (\w+)`)
	})
	inLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bline (\d+),? col(?:umn)? (\d+)`) })
)

// clickable rewrites positions in files to FILE:LINE:COLUMN, which programs
// and terminals follow, with the names that the user gave.
func (w *work) clickable(line string) string {
	line = inModule().ReplaceAllStringFunc(line, func(found string) string {
		m := inModule().FindStringSubmatch(found)
		file := filepath.Join(filepath.Dir(w.spec.Path), m[3]+filepath.Ext(w.spec.Path))
		if !isFile(file) {
			return found
		}
		return file + ":" + m[1] + ":" + m[2]
	})
	line = inLine().ReplaceAllString(line, strings.ReplaceAll(w.spec.Path, "$", "$$")+":$1:$2")
	return strings.NewReplacer(w.shown...).Replace(line)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var (
	telling = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)error|exception|fail|cannot|not found|invalid|unknown`)
	})
	// mismatch matches a cause that TLC prints on the line after the
	// announcement of an error.
	mismatch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`does not match the name`) })
)

// mostTelling returns the first line with a position in the specification,
// else the first with a known cause, else the first that mentions an error,
// else the last line.
func (w *work) mostTelling(lines []string) string {
	place := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(w.spec.Path, filepath.Ext(w.spec.Path))) + `\.\w+:\d+`)
	for _, sign := range []*regexp.Regexp{place, mismatch(), telling()} {
		for _, line := range lines {
			if sign.MatchString(line) && len(strings.Fields(line)) > 1 {
				return strings.TrimSpace(line)
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
