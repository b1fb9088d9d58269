package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestWatchInterrupted: a log that nobody writes to is left at Ctrl-C, with the exit code
// of an interrupt.
func TestWatchInterrupted(t *testing.T) {
	stdin := newSilent(t)
	go func() {
		<-stdin.reading
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			t.Error(err)
		}
	}()
	code, stdout, stderr := called(stdin, "watch", "Response(REQ; ACK)")
	if code != exitInterrupted || stdout != "" || stderr != "inev: interrupted\n" {
		t.Errorf("code %d, output %q, errors %q", code, stdout, stderr)
	}
}

// logOf is a log with so many lines, each with a label of its own, and the heap in use at
// two of them.
type logOf struct {
	lines, at int
	left      string
	heap      []uint64
}

func (l *logOf) Read(into []byte) (int, error) {
	if l.left == "" {
		if l.at == l.lines {
			return 0, io.EOF
		}
		if l.at == l.lines/10 || l.at == l.lines-1 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			l.heap = append(l.heap, m.HeapAlloc)
		}
		l.left = fmt.Sprintf("REQ !%d\nWORK !%d\nACK !%d\n", l.at, l.at, l.at)
		l.at++
	}
	n := copy(into, l.left)
	l.left = l.left[n:]
	return n, nil
}

// TestWatchKeepsItsMemory: a long log takes no more memory than a short one, also where
// all its labels differ.
func TestWatchKeepsItsMemory(t *testing.T) {
	lines := 50_000
	if !randomlts.Whole() {
		lines = 20_000
	}
	for _, formula := range []string{"Response(REQ; ACK)", "G (REQ -> F ACK)"} {
		log := &logOf{lines: lines}
		code, stdout, stderr := called(log, "watch", formula)
		if code != exitDone || stdout != fmt.Sprintf("satisfied at the end, after %d actions\n", 3*lines) || stderr != "" {
			t.Errorf("code %d, output %q, errors %q", code, stdout, stderr)
		}
		const room = 1 << 20
		if len(log.heap) != 2 || log.heap[1] > log.heap[0]+room {
			t.Errorf("%s: the heap has %v bytes at a tenth of the log and at its end", formula, log.heap)
		}
	}
}

// endless is a line without an end.
type endless struct{ read int }

func (e *endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'x'
	}
	e.read += len(into)
	return len(into), nil
}

// TestWatchBoundsLines: a line may have a megabyte; one that is longer is refused before
// it is read to its end.
func TestWatchBoundsLines(t *testing.T) {
	line := strings.Repeat("x", (1<<20)-1) + "\n"
	code, stdout, stderr := called(strings.NewReader("A\n"+line), "watch", "Never(B)")
	if code != exitDone || stdout != "satisfied at the end, after 2 actions\n" || stderr != "" {
		t.Errorf("code %d, output %q, errors %q", code, stdout, stderr)
	}
	log := &endless{}
	code, stdout, stderr = called(io.MultiReader(strings.NewReader("A\n"), log), "watch", "Never(B)")
	want := "inev: <standard input>:2: the line is longer than 1048576 bytes, too long for an action\n"
	if code != exitFailed || stdout != "" || stderr != want || log.read > 4*(1<<20) {
		t.Errorf("code %d, output %q, errors %q after %d bytes", code, stdout, stderr, log.read)
	}
}
