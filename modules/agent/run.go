package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// mostOutput is the largest size of an output, in bytes; a larger one is an error.
const mostOutput = 4 << 20

// mostExplanation is the largest size of an explanation whose steps and remedies are picked out, in bytes. It is not sent.
const mostExplanation = 32 << 20

// mostArguments bounds the total size of the arguments of a call, in bytes.
const mostArguments = 16 << 10

// A processResult is the outcome of a process.
type processResult struct {
	output    []byte // on standard output, or the picture
	messages  string // on standard error
	exitCode  int    // the exit code
	hasFailed bool   // there is no answer
	// explanation is the JSON that explain has written beside the text; nil for all else, and if it is too large.
	explanation []byte
}

// run runs a command on copies of its models. The error is one of this server; if inev itself fails,
// its messages are in the result.
func (s *Server) run(
	ctx context.Context,
	roots []string,
	c command,
	as form,
) (outcome processResult, err error) {
	if err := c.check(); err != nil {
		return processResult{}, err
	}
	s.running.Add(1)
	defer s.running.Done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return processResult{}, ctx.Err()
	}
	folder, err := os.MkdirTemp(s.options.Folder, "inev-mcp-")
	if err != nil {
		return processResult{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return s.runIn(ctx, folder, roots, c, as)
}

// runIn runs a command in a folder of its own.
func (s *Server) runIn(
	ctx context.Context,
	folder string,
	roots []string,
	c command,
	as form,
) (processResult, error) {
	// The files that inev writes lie beside the folder of the copies, so that no model can have
	// their names.
	copied := filepath.Join(folder, "models")
	if err := os.Mkdir(copied, 0o700); err != nil {
		return processResult{}, err
	}
	models, err := newCopies(roots, copied).addAll(ctx, c)
	if err != nil {
		return processResult{}, err
	}
	outcome, err := s.runProcess(ctx, copied, c, s.argumentsFor(c, models, as))
	if err != nil || outcome.hasFailed {
		return outcome, err
	}
	switch {
	case as.picture != "":
		outcome.output, err = readBounded(filepath.Join(folder, as.pictureFile()), mostOutput)
		if errors.Is(err, errTooLarge) {
			err = fmt.Errorf("the picture has more than %d MB: draw less of the model, such as view neighbourhoods", mostOutput>>20)
		}
	case hasExplanation(c, as):
		outcome.explanation, err = readBounded(filepath.Join(folder, explanationFile), mostExplanation)
		if errors.Is(err, errTooLarge) {
			err = nil
		}
	}
	return outcome, err
}

// argumentsFor returns the arguments of the process. Operands stand after "--", and a flag with its
// value in one word, so that no text becomes a flag.
func (s *Server) argumentsFor(c command, models []string, as form) []string {
	arguments := append([]string{c.name}, c.flags...)
	arguments = append(arguments, "--timeout="+s.options.Timeout.String())
	if s.options.Memory != "" {
		arguments = append(arguments, "--memory="+s.options.Memory)
	}
	arguments = append(arguments, formFlags(c, as)...)
	if c.name == "formula" && len(models) > 0 {
		arguments = append(arguments, "--model="+models[0])
		models = nil
	}
	if c.formula != "" { // an agent may name no file but models
		arguments = append(arguments, "--no-libraries")
	}
	arguments = append(append(arguments, "--"), models...)
	mayLackFormula := slices.Contains([]string{"compare", "info", "labels", "replay"}, c.name)
	if c.formula != "" || !mayLackFormula {
		arguments = append(arguments, c.formula)
	}
	return arguments
}

// formFlags returns the flags for the form of a result.
func formFlags(c command, as form) (flags []string) {
	switch {
	case as.picture != "":
		return []string{"-o", filepath.Join("..", as.pictureFile())}
	case as.format != "text":
		return []string{"--format=" + as.format}
	}
	// Lines of ctl and of texts alone are not wrapped, so a width would change nothing.
	hasWidth := c.name != "ctl" && !c.isText
	if hasWidth {
		flags = append(flags, "--width=100")
	}
	if hasExplanation(c, as) {
		flags = append(flags, "--json="+filepath.Join("..", explanationFile))
	}
	if !c.isText {
		flags = append(flags, "--format=text")
	}
	return flags
}

// runProcess runs inev in a folder, without standard input. It kills inev when the context is done, or
// some time after the limit of time that inev was given.
func (s *Server) runProcess(
	ctx context.Context,
	folder string,
	c command,
	arguments []string,
) (processResult, error) {
	limited, stop := context.WithTimeout(ctx,
		s.options.Timeout+s.options.Timeout/10+time.Second)
	defer stop()
	output := &bounded{limit: mostOutput, onFull: stop}
	messages := &bounded{limit: 64 << 10}
	p := exec.CommandContext(limited, s.options.Command, arguments...)
	p.Dir = folder
	p.Env = environment()
	p.WaitDelay = time.Second
	p.Stdout = output
	p.Stderr = messages
	err := p.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return processResult{}, ctx.Err()
	case output.isFull:
		return processResult{}, fmt.Errorf("the result has more than %d MB: ask the command inev for it", mostOutput>>20)
	case limited.Err() != nil:
		return processResult{}, fmt.Errorf("inev was stopped after %v", s.options.Timeout)
	case err != nil && !errors.As(err, &exit):
		return processResult{}, fmt.Errorf("inev cannot be run: %w", err)
	}
	exitCode := p.ProcessState.ExitCode()
	return processResult{
		output:    output.kept.Bytes(),
		messages:  messages.kept.String(),
		exitCode:  exitCode,
		hasFailed: !isAnswer(c, exitCode),
	}, nil
}

// isAnswer reports whether the exit code of a command is that of an answer. The code is 1 if the
// property is violated or the versions differ, and 3 if replay finds the property open.
func isAnswer(c command, code int) bool {
	return code == 0 || code == 1 || code == 3 && c.name == "replay"
}

// environment returns the variables that inev needs: the folders of temporary and compiled
// files. Without PATH and the variables of tools it starts no other program.
func environment() []string {
	var kept []string
	for _, name := range []string{
		"HOME",
		"XDG_CACHE_HOME",
		"INEV_CACHE",
		"TMPDIR",
		"LocalAppData",
		"SystemRoot",
		"TEMP",
		"TMP",
		"GOCOVERDIR",
	} {
		if value, is := os.LookupEnv(name); is {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

var errTooLarge = errors.New("the file is too large")

// readBounded reads a file that inev has made, unless it has more bytes than the limit.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, errTooLarge
	}
	return os.ReadFile(path)
}

// explanationFile is where explain writes its JSON beside the text.
const explanationFile = "explanation.json"

// hasExplanation reports whether a run of a command writes its JSON, too.
func hasExplanation(c command, as form) bool {
	return c.name == "explain" && as.format == "text"
}

// A bounded writer keeps a limited number of bytes; when it gets more, it calls onFull, unless that
// is nil.
type bounded struct {
	kept   bytes.Buffer
	limit  int
	isFull bool
	onFull func()
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.kept.Len()
	b.kept.Write(p[:min(room, len(p))])
	if room < len(p) && !b.isFull {
		b.isFull = true
		if b.onFull != nil {
			b.onFull()
		}
	}
	return len(p), nil
}

// A form is the form of a result: its format or, for a picture, the suffix of the file.
type form struct{ format, picture string }

// pictureFile returns the name of the file of a picture, "" if the result is no picture.
func (f form) pictureFile() string {
	if f.picture == "" {
		return ""
	}
	return "picture" + f.picture
}
