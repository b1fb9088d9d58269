package render_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/golden"
)

func TestSequenceGolden(t *testing.T) {
	files := golden.All(t, "testdata/*/*.seq")
	for _, m := range models() {
		if m.name == "satisfied" || m.name == "hostile" {
			continue
		}
		for _, abstracted := range []bool{false, true} {
			var b bytes.Buffer
			if err := render.Sequence(&b, m.explained(t), abstracted); err != nil {
				t.Fatal(err)
			}
			name := map[bool]string{false: "trace.seq", true: "abstracted.seq"}[abstracted]
			files.Check(t, filepath.Join("testdata", m.name, name), b.Bytes())
		}
	}
}

// labelsOf reads the simple form of SEQ: comments mean nothing, <deadlock> ends
// the sequence.
func labelsOf(t *testing.T, sequence string) (labels []string, deadlock bool) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(sequence, "\n"), "\n") {
		switch {
		case deadlock:
			t.Errorf("%q follows the deadlock", line)
		case strings.HasPrefix(line, "\x01") && strings.Index(line, "\x02") == len(line)-1 && strings.LastIndex(line, "\x01") == 0:
		case line == "<deadlock>":
			deadlock = true
		case len(line) >= 2 && line[0] == '"' && line[len(line)-1] == '"' && strings.Count(line, `"`) == 2:
			labels = append(labels, line[1:len(line)-1])
		default:
			t.Errorf("line %q is neither label nor comment", line)
		}
	}
	return labels, deadlock
}

func TestSequenceHoldsTheCounterexample(t *testing.T) {
	// Labels as hostile as SEQ can express them.
	odd := model{name: "odd", formula: `Inev("<deadlock>", "\x01")`, states: 4, edges: []edge{
		{0, "<deadlock>", 1}, {1, "\x02 [] \x01", 2}, {2, `back\slash, \xff ` + "\xff", 3}, {3, "", 1}}}
	for _, m := range append(models(), odd) {
		if m.name == "satisfied" || m.name == "hostile" {
			continue
		}
		e := m.explained(t)
		var b strings.Builder
		if err := render.Sequence(&b, e, false); err != nil {
			t.Fatal(err)
		}
		labels, deadlock := labelsOf(t, b.String())
		if len(labels) != len(e.Counterexample.Steps) || deadlock != (e.Counterexample.Kind.String() == "deadlock") {
			t.Errorf("%s: %d labels, deadlock %v:\n%s", m.name, len(labels), deadlock, b.String())
			continue
		}
		for i, label := range labels {
			if want := e.Counterexample.Steps[i].Label; label != want {
				t.Errorf("%s: label %d is %q, want %q", m.name, i, label, want)
			}
		}
	}
}

func TestSequenceRefuses(t *testing.T) {
	satisfied, lasso := models()[2], models()[1]
	withLabel := func(label string) *explain.Explanation {
		return model{name: "m", formula: "Inev(A)", states: 3, edges: []edge{{0, "fine", 1}, {1, label, 2}}}.explained(t)
	}
	for _, c := range []struct {
		name       string
		e          *explain.Explanation
		abstracted bool
		want       string
	}{
		{"satisfied", satisfied.explained(t), false, "the property holds"},
		{"abstraction of a check", lasso.checked(t), true, "only the verdict was computed"},
		{"quote", withLabel(`say "hi"`), false, `label "say \"hi\"" has a double quote in it`},
		{"line feed", withLabel("a\nb"), false, `label "a\nb" has a line feed in it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			err := render.Sequence(&b, c.e, c.abstracted)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
			if b.Len() > 0 {
				t.Errorf("%q was written all the same", b.String())
			}
		})
	}
	// What the abstraction leaves out may be as it likes.
	if err := render.Sequence(&strings.Builder{}, withLabel(`say "hi"`), true); err != nil {
		t.Error(err)
	}
	if err := render.Sequence(&limited{}, lasso.explained(t), false); err != errLimit {
		t.Errorf("error %v, want that of the writer", err)
	}
}
