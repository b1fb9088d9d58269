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

// mostArguments bounds the total size of the arguments of a call, in bytes.
const mostArguments = 16 << 10

// A run is the outcome of a process.
type run struct {
	output []byte // on standard output, or the picture
	said   string // on standard error
	code   int    // the exit code
	failed bool   // there is no answer
	// explanation is the JSON that explain has written beside the text; nil for all else.
	explanation []byte
}

// run runs a command on copies of its models. A picture has a suffix, every other result a format.
// The error is one of this server; if inev itself fails, its message is in the run.
func (s *Server) run(
	ctx context.Context,
	roots []string,
	c command,
	format, picture string,
) (made run, err error) {
	if err := c.check(); err != nil {
		return run{}, err
	}
	s.working.Add(1)
	defer s.working.Done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)()
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return run{}, ctx.Err()
	}
	folder, err := os.MkdirTemp(s.options.Folder, "inev-mcp-")
	if err != nil {
		return run{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// The files that inev writes lie beside the folder of the copies, so that no model can have
	// their names.
	place := filepath.Join(folder, "models")
	if err := os.Mkdir(place, 0o700); err != nil {
		return run{}, err
	}
	models, err := newCopies(roots, place).addAll(ctx, c)
	if err != nil {
		return run{}, err
	}
	if picture != "" {
		picture = "picture" + picture
	}
	made, err = s.process(ctx, place, c, s.line(c, models, format, picture))
	if err != nil || made.failed {
		return made, err
	}
	switch {
	case picture != "":
		made.output, err = readBounded(filepath.Join(folder, picture), "the picture",
			"draw less of the model, such as view neighbourhoods")
	case hasExplanation(c, format):
		made.explanation, err = readBounded(filepath.Join(folder, explanationFile),
			"the explanation", "ask the command inev for it")
	}
	return made, err
}

// line returns the arguments of the process. Operands stand after "--", and a flag with its
// value in one word, so that no text becomes a flag.
func (s *Server) line(c command, models []string, format, picture string) []string {
	line := append([]string{c.name}, c.flags...)
	line = append(line, "--timeout="+s.options.Timeout.String())
	if s.options.Memory != "" {
		line = append(line, "--memory="+s.options.Memory)
	}
	switch {
	case picture != "":
		line = append(line, "-o", filepath.Join("..", picture))
	case format == "text":
		if c.name != "ctl" && !c.isText { // their lines are not wrapped
			line = append(line, "--width=100")
		}
		if hasExplanation(c, format) {
			line = append(line, "--json="+filepath.Join("..", explanationFile))
		}
		if !c.isText {
			line = append(line, "--format=text")
		}
	default:
		line = append(line, "--format="+format)
	}
	if c.name == "formula" && len(models) > 0 {
		line, models = append(line, "--model="+models[0]), nil
	}
	if c.formula != "" { // an agent may name no file but models
		line = append(line, "--no-libraries")
	}
	line = append(append(line, "--"), models...)
	if c.formula != "" || !slices.Contains([]string{"compare", "info", "labels", "replay"},
		c.name) {
		line = append(line, c.formula)
	}
	return line
}

// process runs inev in a folder, without standard input. It kills inev when the context is done, or
// some time after the limit of time that inev was given.
func (s *Server) process(
	ctx context.Context,
	folder string,
	c command,
	line []string,
) (run, error) {
	limited, stop := context.WithTimeout(ctx,
		s.options.Timeout+s.options.Timeout/10+time.Second)
	defer stop()
	p := exec.CommandContext(limited, s.options.Command, line...)
	p.Dir, p.Env, p.WaitDelay = folder, environment(), time.Second
	output, said := &bounded{most: mostOutput, full: stop}, &bounded{most: 64 << 10}
	p.Stdout, p.Stderr = output, said
	err := p.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return run{}, ctx.Err()
	case output.over:
		return run{}, fmt.Errorf("the result has more than %d MB: ask the command inev for it", mostOutput>>20)
	case limited.Err() != nil:
		return run{}, fmt.Errorf("inev was stopped after %v", s.options.Timeout)
	case err != nil && !errors.As(err, &exit):
		return run{}, fmt.Errorf("inev cannot be run: %w", err)
	}
	code := p.ProcessState.ExitCode()
	return run{
		output: output.kept.Bytes(),
		said:   said.kept.String(),
		code:   code,
		failed: !isAnswer(c, code),
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

// readBounded reads a file that inev has made, unless it is too large to be sent.
func readBounded(path, what, instead string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostOutput {
		return nil, fmt.Errorf("%s has more than %d MB: %s", what, mostOutput>>20, instead)
	}
	return os.ReadFile(path)
}

// explanationFile is where explain writes its JSON beside the text.
const explanationFile = "explanation.json"

// hasExplanation reports whether a run of a command writes its JSON, too.
func hasExplanation(c command, format string) bool {
	return c.name == "explain" && format == "text"
}

// A bounded writer keeps a limited number of bytes; when it gets more, it calls full, unless full
// is nil.
type bounded struct {
	kept bytes.Buffer
	most int
	over bool
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	left := b.most - b.kept.Len()
	if b.kept.Write(p[:min(left, len(p))]); left < len(p) && !b.over {
		if b.over = true; b.full != nil {
			b.full()
		}
	}
	return len(p), nil
}
