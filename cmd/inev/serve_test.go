package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServedUntilInterrupted: the page is at the address that is told, and with Ctrl-C the
// server ends as other commands do.
func TestServedUntilInterrupted(t *testing.T) {
	folder := t.TempDir()
	model, table := filepath.Join(folder, "m.aut"), filepath.Join(folder, "m.tsv")
	for name, text := range map[string]string{model: "des (0, 2, 3)\n(0, \"REQ\", 1)\n(1, \"DROP\", 2)\n", table: "0\tleft=2\n1\tleft=1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	told, out := io.Pipe()
	var stderr strings.Builder
	p := &program{stdout: newResults(context.Background(), out), stderr: &stderr}
	code := make(chan int, 1)
	go func() {
		code <- p.exitCode(ctx, p.run(ctx, []string{"inev", "serve", model, "Inev(DROP, REQ)", "--states", table, "--lanes", `/^(.)/`}))
		out.Close()
	}()
	address, err := bufio.NewReader(told).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "Walk off the run") {
		t.Errorf("status %d, error %v", answer.StatusCode, err)
	}
	for _, shown := range []string{"left = 1", "Sequence"} {
		if !strings.Contains(string(text), shown) {
			t.Errorf("the page does not show %q", shown)
		}
	}
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "connect-src 'self'") {
		t.Errorf("policy %s", policy)
	}
	cancel()
	if got := <-code; got != exitInterrupted || stderr.String() != "inev: interrupted\n" {
		t.Errorf("code %d, errors %q", got, stderr.String())
	}
}
