package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }

func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-inev", self, "-root", t.TempDir()}, 0, ""},
		{[]string{"-help"}, 0, "Model Context Protocol"},
		{[]string{"-version"}, 0, "inev-mcp "},
		{[]string{"-inev", nowhere}, 2, "there is no inev"},
		{[]string{"-inev", self, "-root", nowhere}, 2, "nowhere"},
		{[]string{"-inev", self, "-root", self}, 2, "is not a folder"},
		{[]string{"-inev", self, "models"}, 2, "is not a flag"},
		{[]string{"-inev", self, "-memory", "much"}, 2, "-memory much"},
		{[]string{"-inev", self, "-memory", "0"}, 2, "-memory 0"},
		{[]string{"-inev", self, "-timeout", "-5s"}, 2, "a time above 0"},
		{[]string{"-inev", self, "-timeout", "0"}, 2, "a time above 0"},
		{[]string{"-inev", self, "-parallel", "0"}, 2, "a number from 1"},
		{[]string{"-no-such"}, 2, "-no-such"},
	} {
		var out kept
		var said bytes.Buffer
		code := run(context.Background(), test.args, io.NopCloser(strings.NewReader("")), &out, &said)
		if code != test.code || !strings.Contains(said.String(), test.says) {
			t.Errorf("%q: %d, %s", test.args, code, said.String())
		}
		if out.Len() > 0 {
			t.Errorf("%q: %s on standard output", test.args, out.String())
		}
	}
}
