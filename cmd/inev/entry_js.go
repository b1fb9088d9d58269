package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall/js"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
)

// In a browser inev carries out the command lines of a page: it is the page's engine. Its files
// are in memory: the page provides the file system of Node (fs). Beyond that, the page needs
// only these names.
const (
	// runHook is the function of the page's worker that this program sets: given a command line,
	// a list of words that begins with the name of the program, it returns a promise of
	// its exit code, standard output and standard error.
	runHook = "inevRun"
	// startedHook is called when runHook is set.
	startedHook = "inevStarted"
	// progressHook is called with the phase and its progress.
	progressHook = "inevProgress"
)

func main() {
	kept := &walked{}
	js.Global().Set(runHook, js.FuncOf(func(_ js.Value, args []js.Value) any {
		words := make([]string, args[0].Length())
		for i := range words {
			words[i] = args[0].Index(i).String()
		}
		executor := js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() { settle[0].Invoke(kept.carriedOut(words)) }()
			return nil
		})
		defer executor.Release()
		return js.Global().Get("Promise").New(executor)
	}))
	js.Global().Call(startedHook)
	select {}
}

// carriedOut carries out a command line, and returns its exit code and outputs.
func (w *walked) carriedOut(words []string) map[string]any {
	var out, said bytes.Buffer
	ctx, stop := listening()
	defer stop()
	code := runWithin(ctx, w, patience, words, bytes.NewReader(nil), &out, &said)
	return map[string]any{"code": code, "stdout": out.String(), "stderr": said.String()}
}

// tooLarge refuses a model that is too large for a browser, and names the command to run
// instead.
func tooLarge(p *program, file string, transitions int64) error {
	if transitions <= most {
		return nil
	}
	return fmt.Errorf("%s: %s transitions are more than the %s that a browser takes; install inev and run it there: %s",
		file, progress.Transitions.Format(transitions), progress.Transitions.Format(most), strings.Join(p.line[:2], " ")+" …")
}

// interruptions returns none, since a browser sends no signals.
func interruptions() []os.Signal { return []os.Signal{os.Interrupt} }

// outliveReaders does nothing: results go into memory.
func outliveReaders() (end func()) { return func() {} }

// watched reports whether a page shows progress instead of a terminal.
const watched = true

// engineFiles returns none: a page that an engine writes does not contain another engine.
func engineFiles(j *job) fs.FS {
	abort.On(errors.New("a browser does not put inev into pages: install inev, and use the command"))
	return nil
}
