//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedAtPipes: nobody writes to the pipes that are read, and nobody reads
// from those that are written; to wait for them ends with the run.
func TestInterruptedAtPipes(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(in("m.aut"), []byte("des (0,3,2)\n(0,REQ,1)\n(1,DROP,1)\n(1,ACK,0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p.aut", "p.autx", "p.seq", "p.json", "p.hoa", "p.yaml", "p.inev", "w.json", "w.txt"} {
		if err := syscall.Mkfifo(in(name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	const formula = "Inev(REQ, ACK)"
	nobody, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	defer full.Close()
	for _, args := range [][]string{
		{"check", in("p.aut"), formula},
		{"check", in("p.autx"), formula},
		{"check", in("m.aut"), "--formula", in("p.inev")},
		{"explain", in("m.aut"), formula, "--counterexample", in("p.seq")},
		{"verify", in("m.aut"), formula, in("p.json")},
		{"lasso", in("p.hoa")},
		{"batch", in("p.yaml"), "-o", in("results")},
		{"explain", in("m.aut"), formula, "--json", in("w.json")},
		{"check", in("m.aut"), formula, "-o", in("w.txt")},
		{"generate", "chain", "--states", "100k"},
	} {
		t.Run(args[0], func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			ended := make(chan struct{})
			var stderr strings.Builder
			code := 0
			go func() {
				defer close(ended)
				p := &program{stdin: strings.NewReader(""), stdout: newResults(ctx, full), stderr: &stderr}
				err := p.run(ctx, append([]string{"inev"}, args...))
				if err == nil {
					err = p.stdout.finish()
				}
				code = p.exitCode(ctx, err)
			}()
			for range 200_000 {
				runtime.Gosched() // until it waits
			}
			cancel()
			<-ended
			if code != exitInterrupted || !strings.HasPrefix(stderr.String(), "inev: interrupted") {
				t.Errorf("code %d, errors %q", code, stderr.String())
			}
		})
	}
}

// TestManifestsNameRegularFiles: a batch waits for no pipe that its manifest names.
func TestManifestsNameRegularFiles(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := syscall.Mkfifo(in("p.mcrl2"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(in("m.aut"), []byte("des (0,1,2)\n(0,A,1)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("m.tla"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"model: p.mcrl2, formula: Inev(A)", "model: m.aut, formula_file: p.mcrl2", "model: m.aut, hoa: p.mcrl2",
		"model: m.aut, formula: Inev(A), states: p.mcrl2", "model: m.aut, formula: Inev(A), lanes: p.mcrl2",
		"model: m.aut, formula: Inev(A), source: p.mcrl2", "model: m.tla, formula: Inev(A), cfg: p.mcrl2", "model: m.aut, tla: p.mcrl2",
	} {
		if err := os.WriteFile(in("b.yaml"), []byte("jobs:\n- {"+line+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		var stderr strings.Builder
		p := &program{stdin: strings.NewReader(""), stdout: newResults(ctx, io.Discard), stderr: &stderr}
		code := p.exitCode(ctx, p.run(ctx, []string{"inev", "batch", in("b.yaml"), "-o", in("results"), "--force"}))
		if code != exitFailed || !strings.Contains(stderr.String(), "p.mcrl2") || !strings.Contains(stderr.String(), "regular file") || !strings.Contains(stderr.String(), "b.yaml:2: ") {
			t.Errorf("%s: code %d, errors %q", line, code, stderr.String())
		}
		cancel()
	}
}
