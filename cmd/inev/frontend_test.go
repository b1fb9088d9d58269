//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hanging writes a tool that starts a child, names both in a pipe, and never ends.
func hanging(t *testing.T, folder, pipe string) {
	t.Helper()
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	text := "#!/bin/sh\ntrap '' TERM INT HUP\nsleep 1000 &\necho half > half\necho $$ $! > " + pipe + "\nwait\n"
	for _, name := range []string{"mcrl22lps", "lps2lts"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSignalsEndTools: whatever signal ends inev, alone or in a batch, its tools are ended with
// their children, and nothing is left in the folder of temporary files.
func TestSignalsEndTools(t *testing.T) {
	// Where the tests run under nohup, inev would inherit that SIGHUP is ignored, and would rightly go on.
	hangups := make(chan os.Signal, 1)
	ossignal.Notify(hangups, syscall.SIGHUP)
	defer ossignal.Stop(hangups)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, args := range [][]string{{"explain", "m.mcrl2", "Inev(a)"}, {"batch", "jobs.yaml"}} {
			folder, temporary := t.TempDir(), t.TempDir()
			pipe := filepath.Join(folder, "pipe")
			hanging(t, folder, pipe)
			for name, text := range map[string]string{
				"m.mcrl2": "act a; init a;", "jobs.yaml": "jobs: [{model: m.mcrl2, formula: Inev(a)}]",
			} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("inev", args...)
			cmd.Dir = folder
			cmd.Env = append(os.Environ(), "PATH="+folder+":/usr/bin:/bin", "TMPDIR="+temporary, "MCRL2_HOME=")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() {
				t.Errorf("%v, %s: not ended within a minute", signal, args[0])
				_ = cmd.Process.Kill()
				if tool, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil { // who waits for the tool waits no more
					tool.Close()
				}
			})
			defer late.Stop()
			text, err := os.ReadFile(pipe) // waits for the tool
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("%v, %s: %v", signal, args[0], err)
			}
			for _, word := range strings.Fields(string(text)) {
				if pid, err := strconv.Atoi(word); err != nil || runs(pid) {
					t.Errorf("%v, %s: process %s still runs", signal, args[0], word)
				}
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("%v, %s: left: %v (error %v)", signal, args[0], left, err)
			}
		}
	}
}

// runs reports whether a process is there, and not only the note of its end.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// TestFirstMinutes goes from a specification to a page with its lines in one command, by the real
// tools, as far as they are installed.
func TestFirstMinutes(t *testing.T) {
	_, mcrl2 := exec.LookPath("lps2lts")
	for _, c := range []struct {
		missing                                 bool
		file, formula, said, headline, at, line string
	}{
		{mcrl2 != nil && os.Getenv("MCRL2_HOME") == "", "link.mcrl2", "Inev(ack)", "",
			"link.mcrl2 violates Inev(ack): ack is 2 steps away from the loop", "link.mcrl2:2 and 1 other place", "act send, lose, ack;"},
		{os.Getenv("TLA2TOOLS") == "", "Jugs.tla", "[](big # 4)", "",
			"Jugs.tla violates [](big # 4): ", "Jugs.tla:", "BigToSmall =="},
	} {
		t.Run(c.file, func(t *testing.T) {
			if c.missing {
				t.Skip("the tool is not installed")
			}
			folder, temporary := t.TempDir(), t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "specifications"))); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", temporary)
			goTo(t, folder)
			code, out, stderr := called(nil, "explain", c.file, c.formula, "--html", "why.html")
			plain := strings.Join(strings.Fields(out), " ")
			if code != exitViolated || !strings.Contains(plain, c.headline) || !strings.Contains(plain, c.at) || !strings.Contains(stderr, c.said) {
				t.Fatalf("code %d\n%s%s", code, out, stderr)
			}
			page, err := os.ReadFile("why.html")
			if err != nil || !strings.Contains(string(page), c.line) {
				t.Errorf("the page has no line %q (error %v)", c.line, err)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("left: %v (error %v)", left, err)
			}
			here, err := os.ReadDir(".")
			if err != nil || !slices.ContainsFunc(here, func(e os.DirEntry) bool { return e.Name() == "why.html" }) || len(here) != 4 {
				t.Errorf("files %v (error %v)", here, err)
			}
		})
	}
}
