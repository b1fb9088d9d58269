package render_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestShownColumns puts the cells of columns that the reader requested together again: they are the values,
// uncut, on lines of the width that is set; remarks keep their words.
func TestShownColumns(t *testing.T) {
	values := []string{
		`(r1 :> "working" @@ r2 :> "working")`, `{}`, `<<1, 2>>`, `{[type |-> "Abort"]}`, `"aborted"`,
		`[s1,s2,s3,s4,s5,s6]`, `TRUE`,
	}
	cells := 0
	for seed := range randomlts.Share(400) {
		r := rand.New(rand.NewPCG(seed, 69))
		var b lts.Builder
		const steps = 4
		for s := range lts.State(steps) {
			b.Add(s, b.Label(strings.Repeat("label", 1+r.IntN(4))), s+1)
			b.Add(s, b.Label("done"), steps)
		}
		m, err := b.Build(0, steps+1)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explainedText(m, "Inev(done)")
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"first", "second", "last"}[:1+r.IntN(3)]
		want := make([][]string, steps+1) // by state and column
		e.Values = &explain.Values{Chosen: true}
		for _, name := range names {
			e.Values.Parameters = append(e.Values.Parameters, lts.Parameter{Name: name})
		}
		for s := range want {
			var changed []explain.StateValue
			for _, name := range names {
				value := values[r.IntN(len(values))]
				want[s] = append(want[s], value)
				changed = append(changed, explain.StateValue{Name: name, Value: value})
			}
			if s == 0 {
				e.Values.Initial = changed
			} else {
				e.Values.Steps = append(e.Values.Steps, explain.ChangedValues{Step: explain.StepIndex(s - 1), Changed: changed})
			}
		}
		width := []int{80, 100, 140}[r.IntN(3)]
		var out bytes.Buffer
		w, err := render.New("text", render.Options{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Explanation(&out, e); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		head := 0
		for !strings.Contains(lines[head], "  step  state  ") {
			head++
		}
		starts := make([]int, len(names)+1)
		for i, name := range append(names, "action") {
			starts[i] = strings.Index(lines[head], name)
		}
		state := -1
		got := make([][]string, steps+1)
		for _, line := range lines[head+1:] {
			if line == "" || !strings.HasPrefix(line, " ") {
				break
			}
			if len([]rune(line)) > width {
				t.Errorf("seed %d: %q is wider than %d", seed, line, width)
			}
			before := strings.TrimSpace(line[:starts[0]])
			if strings.HasPrefix(strings.TrimSpace(line), "decision") {
				continue // a remark below its row
			}
			if before != "" {
				state++
				if state > steps {
					t.Fatalf("seed %d: %q is not a row of\n%s", seed, line, out.String())
				}
				got[state] = make([]string, len(names))
			}
			for i := range names {
				from, to := min(starts[i], len(line)), min(starts[i+1], len(line))
				got[state][i] += strings.ReplaceAll(line[from:to], " ", "")
			}
		}
		for s := range want {
			for i := range names {
				cells++
				if uncut := strings.ReplaceAll(want[s][i], " ", ""); got[s] == nil || got[s][i] != uncut {
					t.Fatalf("seed %d: state %d, %s: %q is not %q in\n%s", seed, s, names[i], got[s], uncut, out.String())
				}
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "decision, point of no return") {
			t.Errorf("seed %d: no remark in\n%s", seed, out.String())
		}
	}
	if cells < 100 {
		t.Errorf("only %d cells", cells)
	}
}
