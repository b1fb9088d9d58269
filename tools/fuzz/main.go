// Command fuzz runs every fuzz test of inev, one after the other, each for the given time, and
// prints a table of the results:
//
//	go -C tools run ./fuzz -for 5m
//	go -C tools run ./fuzz -total 20m -keep
//
// One processor is used. An input that fails is kept in testdata/fuzz of its package, as the
// fuzzer of Go does, and the exit code is 1. With -keep, small inputs that reached new parts
// of the program go there, too, so that plain tests run them.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// minimising is the number of runs that the fuzzer spends on shortening an input that reached new
// code. The fuzzer's default, a minute for each input, would be most of a short run if inputs have
// some kilobytes, as certificates do: it would shorten only 4 inputs in a minute.
const minimising = "200x"

func main() {
	each := flag.Duration("for", time.Minute, "how long each test runs")
	total := flag.Duration("total", 0, "how long all run together, in place of -for")
	only := flag.String("run", "", "only tests whose package and name match this `expression`")
	keep := flag.Bool("keep", false,
		"keep small inputs that reach something new in testdata/fuzz")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := campaign{root: "..", each: *each, total: *total, only: *only, keep: *keep}
	if err := c.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// target is a fuzz test.
type target struct{ folder, name string }

// campaign says which fuzz tests are run, and for how long, as the flags do.
type campaign struct {
	root        string        // the folder of the module
	each, total time.Duration // how long each test runs, and all tests together; 0 for no limit on all
	only        string        // a regular expression for the packages and names of the tests to run
	keep        bool          // whether inputs that reach something new are kept
}

// run runs the tests one after the other, and writes a table of their results. It fails if a test fails.
func (c campaign) run(ctx context.Context, out io.Writer) error {
	filter, err := regexp.Compile(c.only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	targets, err := targetsIn(c.root, filter)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return fmt.Errorf("no fuzz test matches %s", c.only)
	}
	if c.total > 0 {
		c.each = c.total / time.Duration(len(targets))
	}
	fmt.Fprintln(out,
		"| test | seconds | inputs | new | result |\n| --- | ---: | ---: | ---: | --- |")
	failed := 0
	for _, t := range targets {
		f := c.fuzz(ctx, t)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result := "ok"
		if f.err != nil {
			failed++
			result = "**failed**"
			fmt.Fprintf(os.Stderr, "%s %s: %v\n%s\n", t.folder, t.name, f.err, f.tail)
		}
		fmt.Fprintf(out, "| %s %s | %.0f | %d | %d | %s |\n", t.folder, t.name,
			f.took.Seconds(), f.inputs, f.fresh, result)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d tests failed", failed, len(targets))
	}
	return nil
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// isSkipped reports whether a folder below root has no Go packages of the module of root.
func isSkipped(root, folder string) bool {
	switch filepath.Base(folder) {
	case "testdata", "node_modules":
		return true
	}
	return folder != root && exists(filepath.Join(folder, "go.mod"))
}

// targetsIn returns the fuzz tests below a folder, ordered by the names of their packages.
func targetsIn(root string, filter *regexp.Regexp) ([]target, error) {
	var all []target
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isSkipped(root, path):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, found := range declared.FindAllSubmatch(text, -1) {
			t := target{filepath.ToSlash(folder), string(found[1])}
			if filter.MatchString(t.folder + " " + t.name) {
				all = append(all, t)
			}
		}
		return nil
	})
	return all, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// figures are the results of a run of one test.
type figures struct {
	took          time.Duration
	inputs, fresh int
	err           error
	tail          string // of its output
}

var counted = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)

// fuzz runs one test. Its figures are those of the last line that the fuzzer writes about its progress.
func (c campaign) fuzz(ctx context.Context, t target) (f figures) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$",
		"-fuzztime", c.each.String(),
		"-fuzzminimizetime", minimising, "-parallel", "1", "./"+t.folder)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var output bytes.Buffer
	cmd.Stdout = &output
	cmd.Stderr = &output
	start := time.Now()
	f.err = cmd.Run()
	f.took = time.Since(start)
	lines := bufio.NewScanner(bytes.NewReader(output.Bytes()))
	for lines.Scan() {
		if found := counted.FindStringSubmatch(lines.Text()); found != nil {
			f.inputs, _ = strconv.Atoi(found[1])
			f.fresh, _ = strconv.Atoi(found[2])
		}
	}
	const longestTail = 4000
	f.tail = output.String()[max(0, output.Len()-longestTail):]
	if f.err == nil && f.inputs == 0 {
		f.err = fmt.Errorf("no input was tried")
	}
	if f.err == nil && c.keep {
		f.err = c.keepInputs(t)
	}
	return f
}

// keepInputs keeps the inputs of a test that the fuzzer has stored in Go's cache.
func (c campaign) keepInputs(t target) error {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	stored := filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "github.com/inev-lts/inev",
		filepath.FromSlash(t.folder), t.name)
	return t.keep(c.root, stored)
}

// Bounds on the inputs kept for a test: their number, and the size of each.
const (
	mostKept  = 12
	mostBytes = 400
)

// keep adds small inputs, spread evenly over the sizes, to the inputs in the tree.
func (t target) keep(root, cache string) error {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return nil // nothing new was found
	}
	texts := map[string][]byte{}
	var names []string
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(cache, e.Name()))
		if err != nil {
			return err
		}
		if len(text) <= mostBytes {
			texts[e.Name()] = text
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := len(texts[a]) - len(texts[b]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	folder := filepath.Join(root, filepath.FromSlash(t.folder), "testdata", "fuzz", t.name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range min(mostKept, len(names)) {
		name := names[i*len(names)/min(mostKept, len(names))]
		if err := os.WriteFile(filepath.Join(folder, name), texts[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
