package main

import (
	"runtime"
	"strings"
	"testing"
)

// TestRun interrupts some commands on a small model.
func TestRun(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it builds inev, and sends signals")
	}
	for _, only := range []string{"explain m.aut", "batch m.csv"} {
		var table strings.Builder
		if err := (interruptions{transitions: "40k", times: 2, seed: 1, only: only}).run(&table); err != nil {
			t.Errorf("%v\n%s", err, table.String())
		}
		if !strings.Contains(table.String(), only) {
			t.Errorf("%s is missing in\n%s", only, table.String())
		}
	}
}

func TestWorking(t *testing.T) {
	const stacks = "SIGQUIT: quit\n\ngoroutine 1 [running]:\ngithub.com/inev-lts/inev/lts.(*LTS).explore(0x1)\n\t/x.go:1\nmain.main()\n\t/y.go:2\n\n" +
		"goroutine 2 [select]:\nmain.waiting()\n\ngoroutine 3 [runnable]:\nos/signal.loop()\n"
	if got, want := runningFunctions(stacks), " < lts.(*LTS).explore < main.main"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
