//go:build !js

package main

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

func main() {
	ctx, _ := listening()
	os.Exit(runWithin(ctx, &walked{}, patience, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// tooLarge returns nil: here only memory limits the size of a model.
func tooLarge(*program, string, int64) error { return nil }

// interruptions are the signals that stop the work in good order. A hang-up is not among them if
// the caller ignores hang-ups, as nohup does.
func interruptions() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// outliveReaders keeps the program running when a program that reads its output ends early, as head
// does: the files and the verdict are still wanted.
func outliveReaders() (end func()) {
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGPIPE)
	return func() { signal.Stop(closed) }
}

// watched reports whether a page shows progress instead of a terminal.
const watched = false

// walked is empty: here each process answers only one question.
type walked struct{}

// purposes returns all commands: first those that most people need, last those for experts.
func purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", explainCommand}, {"why", whyCommand}, {"repair", repairCommand}, {"compare", compareCommand}, {"diagram", diagramCommand}, {"serve", serveCommand},
			{"path", pathCommand}, {"info", infoCommand}, {"labels", labelsCommand},
		}},
		{"Check, also in continuous integration", []offer{
			{"check", checkCommand}, {"batch", batchCommand}, {"ctl", ctlCommand}, {"watch", watchCommand}, {"replay", replayCommand}, {"verify", verifyCommand},
		}},
		{"Exchange with other tools", []offer{{"formula", formulaCommand}, {"convert", convertCommand}, {"doctor", doctorCommand}}},
		{"inev itself", []offer{{"version", versionCommand}, {"help", helpCommand}}},
		{"Expert", []offer{
			{"enrich", enrichCommand}, {"classify", classifyCommand}, {"lasso", lassoCommand}, {"generate", generateCommand}, {"merge", mergeCommand},
			{"man", manCommand}, {"completion", completionCommand},
		}},
	}
}

// bars shows progress on a terminal: one line for the phase that began last, which is erased before
// any other output. Until the delay is over, a run has only a timer, no goroutine and no bar.
// Consecutive phases of one name, as when several cores share a phase, are shown as one.
type bars struct {
	terminal io.Writer
	options  []mpb.ContainerOption

	phases

	// life guards whether the line is shown.
	life  sync.Mutex
	timer *time.Timer
	shown *mpb.Progress
	bar   *mpb.Bar
	over  bool
}

func newBars(terminal io.Writer, now func() time.Time, options ...mpb.ContainerOption) *bars {
	return &bars{
		terminal: terminal,
		phases:   phases{now: now},
		options:  append(options, mpb.WithOutput(terminal)),
	}
}

// showAfter shows the line after a delay; at once for a delay of 0.
func (b *bars) showAfter(d time.Duration) {
	if d <= 0 {
		b.show()
		return
	}
	b.life.Lock()
	defer b.life.Unlock()
	b.timer = time.AfterFunc(d, b.show)
}

// show makes the line visible.
func (b *bars) show() {
	b.life.Lock()
	defer b.life.Unlock()
	if b.over || b.shown != nil {
		return
	}
	b.shown = mpb.New(b.options...)
	known := mpb.BarStyle().Build()
	unknown := mpb.SpinnerStyle("|", "/", "-", `\`).PositionLeft().Build()
	fill := func(w io.Writer, s decor.Statistics) error {
		at := b.snapshot()
		s.Total = at.total
		s.Current = at.done
		if at.total > 0 {
			return known.Fill(w, s)
		}
		s.RequestedWidth = 1
		return unknown.Fill(w, s)
	}
	b.bar = b.shown.MustAdd(0, mpb.BarFillerFunc(fill),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
			return b.snapshot().title()
		})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			return b.snapshot().detail()
		})))
}

// stop erases the line for good.
func (b *bars) stop() {
	b.life.Lock()
	defer b.life.Unlock()
	if b.over {
		return
	}
	b.over = true
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.shown != nil {
		b.bar.Abort(true)
		b.shown.Wait()
	}
}

// Write writes to the terminal, above the line of progress if there is one.
func (b *bars) Write(data []byte) (int, error) {
	b.life.Lock()
	defer b.life.Unlock()
	if b.shown != nil && !b.over {
		if n, err := b.shown.Write(data); err == nil {
			return n, nil
		}
	}
	return b.terminal.Write(data)
}
