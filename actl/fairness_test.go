package actl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseAssumption(t *testing.T) {
	for text, want := range map[string]string{
		"just ": "just", "blocking:A,b": "blocking:A, b", "full": "full", " weak ": "weak:each", "strong:each": "strong:each", "weak!": "weak!:each",
		"strong: A ,{b, \"c d\"}": `strong:A, {b, "c d"}`, "finitely:LOSS": "finitely:LOSS",
		`weak!:/ !(?P<task>\d)/`: `weak!:/ !(?P<task>\d)/`, "finitely:a(1, 2),b": "finitely:a(1, 2), b",
	} {
		a, err := ParseAssumption(context.Background(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if a.String() != want {
			t.Errorf("%s is %s, want %s", text, a, want)
		}
		if again, err := ParseAssumption(context.Background(), a.String()); err != nil || again.String() != a.String() {
			t.Errorf("%s is read back as %v, %v", a, again, err)
		}
	}
	for text, want := range map[string]string{
		"fair":                       `there is no assumption "fair"; choose full, weak, strong, just or finitely`,
		"":                           `there is no assumption ""; choose full, weak, strong, just or finitely`,
		"LOSS":                       `there is no assumption "LOSS"; choose full, weak, strong, just or finitely:LOSS`,
		"week:A":                     `there is no assumption "week"; did you mean weak?`,
		"weak,strong":                `there is no assumption "weak,strong": weak and strong are two, so give each by itself`,
		"weak strong full":           `there is no assumption "weak strong full": weak, strong and full are several, so give each by itself`,
		"weak, strong:A":             `there is no assumption "weak, strong": weak and strong are two, so give each by itself`,
		`["weak"]`:                   `there is no assumption "[\"weak\"]"; did you mean weak?`,
		"weak,LOSS":                  `there is no assumption "weak,LOSS"; choose full, weak, strong, just or finitely:weak,LOSS`,
		"SF(Take)":                   `there is no assumption "SF(Take)"; TLA+ writes SF_v(A), with v as in [Next]_v`,
		"full:A":                     "full takes no tasks: it is about every transition",
		"full!":                      "full takes no !, which leaves self-loops out of tasks",
		"finitely":                   "finitely needs the labels that are done finitely often, as in finitely:LOSS",
		"finitely:each":              "finitely needs the labels that are done finitely often, as in finitely:LOSS",
		"just:A":                     "just takes no tasks: lanes say which components actions need",
		"just!":                      "just takes no !, which leaves self-loops out of tasks",
		"blocking":                   "blocking needs the labels that may be refused forever, as in blocking:CONNECT",
		"weak:":                      "weak: no task follows the colon; name labels, as in weak:PUT",
		"weak:/ !(?P<p>\\d)/":        `the expression / !(?P<p>\d)/ has a group named p; the one that captures a task is (?P<task>…)`,
		`weak:{/ !(?P<task>\d)/, B}`: `the expression / !(?P<task>\d)/ makes several tasks, but stands in a set, which is one; write it outside of braces`,
		"weak:A,":                    `a label pattern after ","`,
		"weak:A)":                    `expected "," or the end of the tasks`,
	} {
		if a, err := ParseAssumption(context.Background(), text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want %s", text, a, err, want)
		}
	}
}

func TestAgree(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"full", "finitely:A"}, ""},
		{[]string{"weak", "strong:A", "weak!"}, ""},
		{[]string{"just", "blocking:A", "finitely:B", "weak"}, ""},
		{[]string{"just", "full"}, "just cannot be combined with full; leave one of them out"},
		{[]string{"blocking:A", "weak"}, "blocking:A is about just runs; add just"},
		{[]string{"full", "full"}, "full is given twice; leave one of them out"},
		{[]string{"weak: A,B", "weak:A, B"}, "weak:A, B is given twice; leave one of them out"},
		{[]string{"strong:A", "full"}, "strong:A adds nothing to full, which is fair to everything; leave one of them out"},
	} {
		var all []*Assumption
		for _, text := range c.texts {
			a, err := ParseAssumption(context.Background(), text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, a)
		}
		got := ""
		if err := Agree(all); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}

func TestBindAssumptions(t *testing.T) {
	a := mustAlphabet(t, "A !0", "A !1", "B !0", "LOSS", "i")
	bind := func(texts ...string) (string, error) {
		var all []*Assumption
		for _, text := range texts {
			x, err := ParseAssumption(context.Background(), text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, x)
		}
		f, warnings, err := BindAssumptions(context.Background(), all, a)
		if f == nil || err != nil {
			return "", err
		}
		var b strings.Builder
		fmt.Fprintf(&b, "full %t", f.Full())
		for _, task := range f.Tasks() {
			fmt.Fprintf(&b, "; %s %v strong %t nonstuttering %t", task.Name, task.Labels, task.Strong, task.Nonstuttering)
		}
		for l, text := range a.All() {
			if f.Rare(l) {
				fmt.Fprintf(&b, "; rare %s", text)
			}
		}
		for _, w := range warnings {
			fmt.Fprintf(&b, "; warning %s", w)
		}
		return b.String(), nil
	}
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{nil, ""},
		{[]string{"full"}, "full true"},
		{[]string{"weak:A, LOSS"}, "full false; A [0 1] strong false nonstuttering false; LOSS [3] strong false nonstuttering false"},
		{[]string{`strong!:/ !(?P<task>\d)/`}, "full false; 0 [0 2] strong true nonstuttering true; 1 [1] strong true nonstuttering true"},
		{[]string{"finitely:LOSS", "weak:i"}, "full false; i [4] strong false nonstuttering false; rare LOSS"},
	} {
		if got, err := bind(c.texts...); err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.texts, got, err, c.want)
		}
	}
	if got, err := bind("weak"); err != nil || strings.Count(got, ";") != 5 {
		t.Errorf("each: %s, %v", got, err)
	}
	if got, err := bind("finitely:LOST"); err != nil || got != `full false; warning finitely: task 1, "LOST", matches no label of the model, so it never happens; did you mean LOSS?` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := bind("weak:i, {LOST, A}"); err != nil || !strings.HasSuffix(got, `; {LOST, A} [0 1] strong false nonstuttering false; warning weak: task 2, {LOST, A}: "LOST" matches no label of the model; did you mean LOSS?`) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := bind(`weak:/^A( !(?P<task>1))?/`); err != nil || got != "full false; 1 [1] strong false nonstuttering false" {
		t.Errorf("%s, %v", got, err)
	}
	x, err := ParseAssumption(context.Background(), "weak:i, LOST, LOT")
	if err != nil {
		t.Fatal(err)
	}
	var unmatched *UnmatchedError
	if err := x.Unmatched(context.Background(), a); !errors.As(err, &unmatched) || err.Error() != `weak: task 2, "LOST", matches no label of the model, nor does task 3; did you mean LOSS?` {
		t.Errorf("error %v", err)
	}
}
