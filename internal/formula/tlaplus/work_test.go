package tlaplus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
)

// doubling returns n definitions D1, D2 and so on, each of which names the one before it twice.
func doubling(first, twice string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "D0 == %s\n", first)
	for i := 1; i <= n; i++ {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(twice, "Di", fmt.Sprintf("D%d", i)), "Dj", fmt.Sprintf("D%d", i-1)) + "\n")
	}
	return b.String()
}

// instances writes n modules, each with two instances of the next one.
func instances(t *testing.T, folder string, n int) {
	t.Helper()
	for i := 1; i <= n; i++ {
		body := "V == 1"
		if i < n {
			body = fmt.Sprintf("L == INSTANCE M%d\nR == INSTANCE M%[1]d\nV == L!V + R!V", i+1)
		}
		text := fmt.Sprintf("---- MODULE M%d ----\nEXTENDS Naturals\n%s\n====\n", i, body)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("M%d.tla", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// within fails the test if what it calls has not ended after a while.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: it stands still", what)
	}
}

// short are modules that are short, and ask for very many steps: an error that ends them, which is the limit of
// steps where nothing else stops them.
var short = map[string]struct{ text, wrong string }{
	"formulas about runs": {doubling("<>(x = 2)", `Di == Dj /\ Dj`, 39) + "P == D39", "more than 200000 parts"},
	"instances":           {"I == INSTANCE M1\nP == x < I!V", "more than 10000 instances"},
	"concatenation":       {"RECURSIVE G(_, _)\nG(s, n) == IF n = 0 THEN s ELSE G(s \\o s, n - 1)\nP == x < Len(G(<<1>>, 40))", "more than "},
	"texts":               {"RECURSIVE G(_, _)\nG(s, n) == IF n = 0 THEN s ELSE G(s \\o s, n - 1)\nP == x < Len(G(\"a\", 60))", "more than "},
	"texts of texts":      {"RECURSIVE G(_, _)\nG(s, n) == IF n = 0 THEN s ELSE G(ToString(s), n - 1)\nP == x < Len(G(\"\\\"\", 60))", "more than "},
	"pairs of pairs":      {"RECURSIVE G(_, _)\nG(s, n) == IF n = 0 THEN s ELSE G(<<s, s>>, n - 1)\nP == G(1, 60) = G(2, 60)", "more than 2000000 parts"},
	"members of members":  {"RECURSIVE G(_, _)\nG(s, n) == IF n = 0 THEN s ELSE G({<<s, 1>>, <<s, 2>>}, n - 1)\nP == G(1, 60) = G(2, 60)", "more than "},
	"unlisted sets":       {"RECURSIVE G(_, _)\nG(s, n) == IF n = 0 THEN s ELSE G(s" + strings.Repeat(` \cup Nat`, 50) + ", n - 1)\nP == x \\in G(Nat, 1000)", "more than 10000 sets"},
	"two calls":           {"RECURSIVE G(_)\nG(n) == IF n = 0 THEN 0 ELSE G(n - 1) + G(n - 1)\nP == x < G(60)", "more than 1000000 steps"},
	"fields":              {doubling("x", "Di == [a |-> Dj, b |-> Dj]", 60) + "P == D60 = x", "more than 2000000 parts"},
	"LET":                 {"P == LET F(n) == LET G(m) == F(m - 1) + F(m - 1) IN IF n = 0 THEN 0 ELSE G(n) IN x < F(60)", "more than 1000000 steps"},
	"ENABLED":             {"P == " + strings.Repeat("ENABLED (", 40) + "x' = 1" + strings.Repeat(")", 40), "more than 1000000 steps"},
	"bounds":              {"P == x \\in " + strings.Repeat("{x \\in ", 60) + "1" + strings.Repeat("}", 60), ""},
	"steps with brackets": {"P == " + strings.Repeat(`[x \in `, 60) + "1" + strings.Repeat("]_x", 60), ""},
	"unchanged tuples":    {doubling("<<x, x>>", "Di == <<Dj, Dj>>", 40) + "P == [](ENABLED UNCHANGED D40)", "more than 1000000 steps"},
	"a call of itself":    {"RECURSIVE X\nX == X + 1\nP == x = X", "goes on forever"},
	"high calls":          {"RECURSIVE F(_)\nF(n) == " + strings.Repeat("1 + (", 900) + "F(n + 1)" + strings.Repeat(")", 900) + "\nP == x = F(1)", "goes on forever"},
	"many conjuncts":      {`P == ENABLED (\A n \in 1..200000 : x' \in {0, n})`, "goes on forever"},
	"large numbers":       {`P == x \in {n \in 9223372036854775806..9223372036854775807 : TRUE} \/ \E n \in -5..9223372036854775807 : n = x`, "which are too many"},
	"constants":           {doubling(`\E n \in 1..3 : n = 2`, `Di == Dj /\ Dj`, 60) + "P == D60", ""},
	"states":              {doubling("x >= 0", `Di == Dj /\ Dj`, 60) + "P == D60", ""},
}

// TestShortTextsThatAskForMuch: what doubles at each step is computed once, refused, or stopped: each step costs the size of what it
// makes.
func TestShortTextsThatAskForMuch(t *testing.T) {
	folder := t.TempDir()
	instances(t, folder, 26)
	for name, one := range short {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, "Short.tla")
			text := "---- MODULE Short ----\nEXTENDS Naturals, Sequences, TLC\nVARIABLE x\n" + one.text + "\n====\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			within(t, name, func() {
				s, err := Load(context.Background(), path, "", nil)
				if err != nil {
					t.Error(err)
					return
				}
				s.loader.spent.most = 1_000_000
				err = evaluated(s)
				if one.wrong == "" && err != nil && strings.Contains(err.Error(), "steps") || one.wrong != "" && (err == nil || !strings.Contains(err.Error(), one.wrong)) {
					t.Errorf("the error is %v, want %q", err, one.wrong)
				}
			})
		})
	}
}

// evaluated finds what P says of a state.
func evaluated(s *Specification) error {
	f, err := s.Property("P")
	if err != nil {
		return err
	}
	for f.Predicate == nil {
		f = f.Parts[0]
	}
	state := []values.Value{values.OfInt(1)}
	_, err = s.Evaluator(context.Background()).Holds(f.Predicate, state, state, nil)
	return err
}

// TestDepthOfKnownFormulas: a formula that is used again below others counts with those that are around it.
func TestDepthOfKnownFormulas(t *testing.T) {
	s, err := ofText(context.Background(), "---- MODULE Deep ----\nEXTENDS Naturals\nVARIABLE x\n"+
		doubling("x = 1", "Di == <>Dj", 9_000)+"P == D3000 /\\ D6000 /\\ D9000\n====\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Property("P")
	if err == nil || !strings.Contains(err.Error(), "more than 10000 nested formulas") {
		t.Errorf("the error is %v", err)
	}
}

// TestContextEndsEvaluation: what would go on for a long time ends with its context, be it compiled or
// evaluated.
func TestContextEndsEvaluation(t *testing.T) {
	folder := t.TempDir()
	instances(t, folder, 26)
	for name, text := range map[string]string{
		"calls":     short["two calls"].text,
		"constants": "RECURSIVE G(_)\nG(n) == IF n = 0 THEN 0 ELSE G(n - 1) + G(n - 1)\nP == \\A n \\in 1..G(60) : [](x = n)",
	} {
		path := filepath.Join(folder, "Short.tla")
		if err := os.WriteFile(path, []byte("---- MODULE Short ----\nEXTENDS Naturals\nVARIABLE x\n"+text+"\n====\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		within(t, name, func() {
			ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer stop()
			s, err := Load(ctx, path, "", nil)
			if err == nil {
				var f *Formula
				if f, err = s.Property("P"); err == nil {
					_, err = s.Evaluator(ctx).Holds(f.Predicate, []values.Value{values.OfInt(1)}, nil, nil)
				}
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: the error is %v", name, err)
			}
		})
	}
}

// TestDeepConfigurations: values that stand in each other are refused with their line.
func TestDeepConfigurations(t *testing.T) {
	const many = 100_000
	text := "SPECIFICATION Spec\nCONSTANT C = " + strings.Repeat("{", many) + strings.Repeat("}", many) + "\n"
	err := abort.Try(func() { readConfig(newLoader(context.Background(), nil), "M.cfg", text) })
	if err == nil || err.Error() != "M.cfg:2: more than 1000 nested values" {
		t.Errorf("the error is %v", err)
	}
}

// TestDeepModules: modules in modules are refused with their line.
func TestDeepModules(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "---- MODULE M%d ----\n", i)
	}
	if _, err := ofText(context.Background(), text.String()); err == nil || !strings.Contains(err.Error(), "more than 1000 nested modules") {
		t.Errorf("the error is %v", err)
	}
}
