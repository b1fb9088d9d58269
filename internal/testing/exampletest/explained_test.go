package exampletest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/lts"
)

// TestExamples checks the formulas of each model, what is said of them, and what is drawn.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*/*.inev")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		path := strings.TrimSuffix(file, ".inev")
		t.Run(filepath.ToSlash(path), func(t *testing.T) { checkExample(t, path) })
	}
}

// checkExample checks the files whose names begin with the path.
func checkExample(t *testing.T, path string) {
	name := filepath.Base(path)
	m, _, err := aut.Open(context.Background(), path+".aut", aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	formulas, err := exampletest.Read(path + ".inev")
	if err != nil {
		t.Fatal(err)
	}
	var said, drawn bytes.Buffer
	for i, f := range formulas {
		e := checkFormula(t, name+".aut", m, f)
		if e == nil {
			return
		}
		fmt.Fprintf(&said, "$ inev explain %s.aut '%s'\n", name, f.Text)
		if err := writeText(&said, e); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&said)
		if i > 0 {
			continue
		}
		g, err := view.Of(context.Background(), e, view.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := draw.DOT(&drawn, g.Diagnosed(render.NewSentences(e, printable.Text).Diagnosis()), draw.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	golden.Check(t, path+".explained.txt", said.Bytes())
	golden.Check(t, path+".dot", drawn.Bytes())
	checkArguments(t, path, m)
}

func writeText(w io.Writer, e *explain.Explanation) error {
	text, err := render.New("text", render.Options{Onward: onward})
	if err != nil {
		return err
	}
	return text.Explanation(w, e)
}

// onward returns commands that the output of inev explain may name.
func onward(e *explain.Explanation) (toEach, apart []string) {
	return []string{"inev", "path", e.Model.File, e.Property.Text, "--to", "each"},
		[]string{"inev", "explain", e.Model.File, e.Property.Text, "--unfold"}
}

// checkFormula checks that every step of the formula has a label in the model,
// and that its outcome is the expected one. It returns nil if there is no
// outcome.
func checkFormula(t *testing.T, file string, m *lts.LTS, f exampletest.Formula) *explain.Explanation {
	t.Helper()
	read, err := formula.Parse(context.Background(), f.Text)
	if err != nil {
		t.Errorf("%s: %v", f.Place, err)
		return nil
	}
	e, err := explain.Explain(context.Background(), m, read, explain.Options{Source: explain.Source{File: file}})
	if err != nil {
		t.Errorf("%s: %v", f.Place, err)
		return nil
	}
	for _, w := range e.Warnings {
		t.Errorf("%s: %s", f.Place, w)
	}
	if got := outcome(e); got != f.Expect {
		t.Errorf("%s: %s is %s; expected was: %s", f.Place, f.Text, got, f.Expect)
	}
	return e
}

// outcome returns the outcome of an explained formula in the form of .inev files.
func outcome(e *explain.Explanation) string {
	if e.Verdict == explain.Satisfied {
		return "satisfied"
	}
	c := e.Counterexample
	return fmt.Sprintf("violated %s %d, neighbourhoods %d", c.Kind, len(c.Steps), e.Neighbourhoods().Len())
}
