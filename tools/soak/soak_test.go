//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestSoak plays some rounds of every scene.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds inev, and runs it some hundred times")
	}
	var out strings.Builder
	if err := soak(context.Background(), &out, options{rounds: 30, seed: 1}); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
}

// TestSeesWhatIsWrong has a program take the place of inev that does something wrong each
// time, which has to be seen.
func TestSeesWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"verdict":      {`echo yes; exit 1`, "the property is satisfied"},
		"exit code":    {`exit 3`, "exit code 3"},
		"stack":        {`echo 'goroutine 1 [running]:' >&2; exit 2`, "crashed"},
		"panic":        {`echo 'panic: no' >&2; exit 2`, "crashed"},
		"two errors":   {`echo 'inev: a' >&2; echo 'inev: b' >&2; exit 2`, "2 lines of error"},
		"no error":     {`exit 2`, "0 lines of error"},
		"leftover":     {`touch .inev-1.tmp`, "left .inev-1.tmp"},
		"other file":   {`touch other`, "left other"},
		"half a file":  {`printf '{' > x.json`, "x.json: unexpected end of JSON input"},
		"no JSON":      {`echo '{'`, "unexpected EOF"},
		"schema":       {`echo '{"schema": "inev.explanation/3"}'`, "missing propert"},
		"signal":       {`kill -9 $$`, "ended by signal killed"},
		"left running": {`sleep 60 > /dev/null 2>&1 &`, "left a process behind"},
		"interruption": {`exit 130`, "exit code 130 without an interruption"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			program := filepath.Join(folder, "inev")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			r := oneStep(t, program, filepath.Join(folder, "round"))
			c := &command{args: []string{"explain", "m.aut", r.formula, "--allow-unmatched", "--format", "json"}, files: []string{"x.json"}}
			e, err := r.execute(c)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := r.check(c, e, e.stdout, "json"); wrong != nil {
				r.complain(c, e, "%v", wrong)
			}
			if text := strings.Join(r.faults, "\n"); !strings.Contains(text, test.want) {
				t.Errorf("%q, want %q", text, test.want)
			}
		})
	}
}

// oneStep returns a round with a model of one transition, which satisfies its property.
func oneStep(t *testing.T, program, folder string) *round {
	t.Helper()
	schemas, err := compileSchemas()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var b lts.Builder
	b.Add(0, b.Label("A"), 1)
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := newRound(1, program, folder, schemas, &tally{ends: map[string]map[string]int{}})
	r.model, r.formula = "m.aut", "Inev(A)"
	r.small = &randomlts.Case{Model: m, Steps: []map[lts.Label]bool{{0: true}}, Formula: r.formula}
	if r.oracle, err = oracle.New(m, r.small.Steps); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSeesWrongResults changes what inev says of a model that violates its property.
func TestSeesWrongResults(t *testing.T) {
	r := oneStep(t, "", filepath.Join(t.TempDir(), "round"))
	var err error
	r.small.Steps = []map[lts.Label]bool{{}}
	if r.oracle, err = oracle.New(r.small.Model, r.small.Steps); err != nil {
		t.Fatal(err)
	}
	formula, err := actl.Parse(context.Background(), "Inev(B)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), r.small.Model, formula, explain.Options{Source: explain.Source{File: "m.aut"}})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]*bytes.Buffer{"json": {}, "markdown": {}}
	for format, to := range said {
		w, err := render.New(format, render.Options{Full: true})
		if err == nil {
			err = w.Explanation(to, e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := said["json"].String()
	c := &command{args: []string{"explain"}}
	if err := r.checkExplanation(c, text); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"length": 1`, `"length": 3`}, {`"violated"`, `"satisfied"`}, {`"to": 1`, `"to": 0`}, {`"label": "A"`, `"label": "B"`},
		{`"incorrect": 1`, `"incorrect": 0`},
	} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		if err := r.checkExplanation(c, wrong); wrong == text || err == nil {
			t.Errorf("%s for %s is not seen", change[1], change[0])
		}
	}
}
