package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall/js"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/report/page/serve"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
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

// main sets the function that the page calls, and waits: a program that ends answers no further questions.
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
	var stdout, stderr bytes.Buffer
	ctx, stop := listening()
	defer stop()
	code := runWithin(ctx, w, patience, words, bytes.NewReader(nil), &stdout, &stderr)
	return map[string]any{"code": code, "stdout": stdout.String(), "stderr": stderr.String()}
}

// tooLarge refuses a model that is too large for a browser, and names the command to run
// instead.
func tooLarge(p *program, file string, transitions int64) error {
	if transitions <= mostInBrowser {
		return nil
	}
	return fmt.Errorf("%s: %s transitions are more than the %s that a browser takes; install inev and run it there: %s",
		file, progress.Transitions.Format(transitions), progress.Transitions.Format(mostInBrowser), strings.Join(p.line[:2], " ")+" …")
}

// interruptions returns one signal, although a browser sends none: [signal.NotifyContext] takes an empty list
// to mean all signals.
func interruptions() []os.Signal { return []os.Signal{os.Interrupt} }

// outliveReaders does nothing: results go into memory.
func outliveReaders() (end func()) { return func() {} }

// watched reports whether a page shows progress instead of a terminal.
const watched = true

// engineFiles returns none: a page that an engine writes does not contain another engine.
func engineFiles(*job) (fs.FS, error) {
	return nil, errors.New("a browser does not put inev into pages: install inev, and use the command")
}

// purposes returns the commands that a page needs. All commands would double the download.
func purposes() []purpose {
	return []purpose{
		{"Understand a model and why a property fails", []offer{
			{"explain", explainCommand}, {"why", whyCommand}, {"repair", repairCommand}, {"info", infoCommand}, {"labels", labelsCommand},
			{"walk", walkCommand},
		}},
		{"Exchange with other tools", []offer{{"formula", formulaCommand}}},
		{"inev itself", []offer{{"version", versionCommand}}},
	}
}

// bars reports progress to the page. In a browser nothing else runs while the program runs, so the
// work itself must report, each time that it counts.
type bars struct {
	phases
	io.Writer
	shown time.Time
}

// pulse is the time between two reports.
const pulse = 100 * time.Millisecond

func newBars(terminal io.Writer, now func() time.Time) *bars {
	return &bars{phases: phases{now: now}, Writer: terminal}
}

// observe records and shows a phase that begins.
func (b *bars) observe(m *progress.Meter) {
	b.phases.observe(m)
	m.Each(b.show)
	b.show()
}

func (b *bars) show() {
	now := b.now()
	if now.Sub(b.shown) >= pulse {
		b.shown = now
		at := b.snapshot()
		js.Global().Call(progressHook, at.title(), at.detail())
	}
}

func (b *bars) showAfter(time.Duration) {}

func (b *bars) stop() {}

// walked is the part of a model that a page does not contain and that its questions have explored.
// It is kept from one question to the next.
type walked struct {
	about   []string // the operands and assumptions: the model and its property
	answers *serve.Server
}

// questionFlag is the flag for the question of a page, see [serve.Server.To].
const questionFlag = "question"

// walkCommand returns the command that answers questions of a page about parts of its model
// that it does not contain.
func walkCommand(p *program) *cli.Command {
	return page(&cli.Command{
		ArgsUsage: "MODEL FORMULA",
		Flags:     slices.Concat([]cli.Flag{value(resultFlags, questionFlag, "what is asked, as JSON")}, fairness(), runControl()),
		Action:    action(p, walkOn),
	})
}

// walkOn answers a question of a page, by the part of the model that earlier questions have explored if
// they were about the same model and property.
func walkOn(j *job) error {
	var q struct{ Of, State, Q, Label string }
	if err := json.Unmarshal([]byte(j.flag(questionFlag)), &q); err != nil {
		return j.refuse("--%s: %v", questionFlag, err)
	}
	about := slices.Concat(j.operands, j.c.StringSlice("fair"))
	if j.walked.answers == nil || !slices.Equal(about, j.walked.about) {
		j.options.NoAdvice = true
		j.options.NoFairness = len(j.options.Fair) == 0
		e, err := j.explained()
		if err != nil {
			return err
		}
		*j.walked = walked{about, serve.New(e)}
	}
	answer, err := j.walked.answers.To(j.ctx, q.Of, q.State, q.Q, q.Label)
	if err != nil {
		return err
	}
	return j.printf("%s", answer)
}

// Functions that the engine of a page never needs.

func showOverview(*program, *cli.Context) error {
	return &usageError{message: "a page has no help: inev --help shows it where inev is installed"}
}

func suggest(io.Writer, *cli.App, []string) {}

func tellManifest(io.Writer, error) bool { return false }

func failingWords() []string { return nil }

var errNoFile = errors.New("a page reads no file but the model")

func readHOA(*reading, string) (property.Formula, error) { return nil, errNoFile }

func readClaim(*reading, string) (property.Formula, error) { return nil, errNoFile }

type behaviour struct{}

func (*behaviour) In(*lts.LTS, *lts.Values, string) (*counterexample.Given, error) {
	return nil, errNoFile
}

func difference(*lts.Alphabet) string { return "" }

func (*call) specificationFile() string { return "" }

type specified struct{}

func (*specified) files() []string { return nil }

func (*specified) values(_ context.Context, _ *lts.LTS, t *lts.Values) (*lts.Values, error) {
	return t, nil
}

func (*specified) Expression(
	context.Context,
	*lts.LTS,
	*lts.Values,
	string,
) (func(lts.State) (string, error), error) {
	return nil, errNoFile
}

func (*reading) loadTLA() (*specified, error) { return nil, nil }

func (*reading) takeFairness(string) (bool, error) { return false, nil }

func (*reading) readTLA() (*lts.LTS, property.Formula, error) { return nil, nil, errNoFile }

func (*reading) unlessTLA(err error) error { return err }

func readRun(*reading, string) error { return errNoFile }

// formulaCommand returns the command that checks the syntax of a property while it is written,
// and nothing else.
func formulaCommand(p *program) *cli.Command {
	return page(&cli.Command{
		ArgsUsage: "FORMULA",
		Flags:     append(reporting(), runControl()...),
		Action: action(p, func(j *job) error {
			_, err := j.readFormula()
			return err
		}),
	})
}
