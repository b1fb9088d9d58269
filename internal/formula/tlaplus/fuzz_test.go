package tlaplus

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
)

// examples returns the files of the examples with a suffix.
func examples(f *testing.F, suffix string) (all []string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "tla", "*"+suffix))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// isToldWell fails unless what is wrong is told in one line, with its place.
func isToldWell(t *testing.T, err error) {
	if e, is := err.(*Error); is && (strings.Contains(e.Error(), "\n") || e.Position.Line == 0 && e.Position.File == "") {
		t.Fatalf("%q", e.Error())
	}
}

// ofText returns the specification in a module's text.
func ofText(ctx context.Context, source string) (s *Specification, err error) {
	defer abort.Caught(&err)
	l := newLoader(ctx, nil)
	name := "M"
	if words := strings.Fields(source); len(words) > 2 {
		name = words[2]
	}
	return newSpecification(l, &Config{}, l.module(name, "M.tla", source)), nil
}

// kept returns the texts that are kept for a fuzz target, by name.
func kept(t *testing.T, target string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "fuzz", target, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, quoted, _ := strings.Cut(strings.TrimSpace(string(text)), "\nstring(")
		if all[filepath.Base(file)], err = strconv.Unquote(strings.TrimSuffix(quoted, ")")); err != nil {
			t.Fatal(file, err)
		}
	}
	return all
}

// TestKeptTexts: each text that fuzzing begins with is read to its end: P and Q in it are formulas, and
// constant ones of them true.
func TestKeptTexts(t *testing.T) {
	for name, text := range kept(t, "FuzzModule") {
		s, err := ofText(context.Background(), text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, p := range []string{"P", "Q"} {
			if s.root.module.operators[p] == nil {
				continue
			}
			formula, err := s.Property(p)
			if err == nil && formula.Predicate != nil && formula.Predicate.Level == Constant {
				var holds bool
				if holds, err = s.Evaluator(context.Background()).Holds(formula.Predicate, nil, nil, nil); err == nil && !holds {
					t.Errorf("%s: %s is false", name, p)
				}
			}
			if err != nil {
				t.Errorf("%s: %s: %v", name, p, err)
			}
		}
	}
	for name, text := range kept(t, "FuzzConfig") {
		err := func() (err error) {
			defer abort.Caught(&err)
			readConfig(newLoader(context.Background(), nil), "M.cfg", text)
			return nil
		}()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzModule reads all that a module defines, and finds what its definitions say of a state and a step.
func FuzzModule(f *testing.F) {
	for _, text := range examples(f, ".tla") {
		f.Add(text)
	}
	f.Add("---- MODULE M ----\nVARIABLE x\nP == \\A n \\in 0..1 : []<>(x = n) /\\ WF_x(x' = n)\nI == INSTANCE M\nF[k \\in 0..2] == IF k = 0 THEN 1 ELSE F[k-1]\nQ == F[2] = 1 /\\ [x EXCEPT ![1] = @].a\n====\n")
	f.Fuzz(func(t *testing.T, source string) {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		s, err := ofText(ctx, source)
		isToldWell(t, err)
		if err != nil {
			return
		}
		s.loader.spent.most = 1_000_000
		v := s.Evaluator(ctx)
		state := make([]values.Value, len(s.variables))
		for i := range state {
			state[i] = values.Parse("(1 :> {2} @@ 2 :> <<1>>)")
		}
		for _, name := range slices.Sorted(maps.Keys(s.root.module.operators)) {
			formula, err := s.Property(name)
			isToldWell(t, err)
			if err == nil && formula.Predicate != nil {
				_, err = v.Holds(formula.Predicate, state, state, nil)
				isToldWell(t, err)
			}
		}
	})
}

// FuzzConfig reads configurations.
func FuzzConfig(f *testing.F) {
	for _, text := range examples(f, ".cfg") {
		f.Add(text)
	}
	f.Add("CONSTANTS N = {1, <<\"a\", m>>}, F <- [M] G\nINIT I\nNEXT N\nSYMMETRY S\nPROPERTY I!P Q\n")
	f.Fuzz(func(t *testing.T, source string) {
		isToldWell(t, func() (err error) {
			defer abort.Caught(&err)
			readConfig(newLoader(context.Background(), nil), "M.cfg", source)
			return nil
		}())
	})
}

// TestErrorsAreToldAgain: what is wrong with a definition is told each time that it is asked for, also of a recursive one.
func TestErrorsAreToldAgain(t *testing.T) {
	s, err := ofText(context.Background(), "---- MODULE M ----\nRECURSIVE F(_)\nF(n) == G(F(n))\nH == G(1)\n====\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"F(1) = 1", "H = 1"} {
		for range 2 {
			if _, err := s.Property(text); err == nil || !strings.Contains(err.Error(), "G is not defined") {
				t.Errorf("%s: the error is %v", text, err)
			}
		}
	}
}

// TestModuleThatExtendsItself: the names of such a module are found, and those that are not there are missed, without going round.
func TestModuleThatExtendsItself(t *testing.T) {
	s, err := ofText(context.Background(), "---- MODULE M ----\nEXTENDS M\nA == 1 = 1\n====\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Property("A"); err != nil {
		t.Error(err)
	}
	if _, err := s.Property("B"); err == nil || !strings.Contains(err.Error(), "B is not defined") {
		t.Errorf("the error is %v", err)
	}
}
