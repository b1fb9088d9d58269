package tlc_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format/internal/tlc"
	"github.com/inev-lts/inev/lts"
)

// TestValuesInAnyOrder reads states the variables of which stand in any order, with escapes and
// values broken into lines: each has the value that was written.
func TestValuesInAnyOrder(t *testing.T) {
	values := []struct{ raw, want string }{
		{"0", "0"}, {"-17", "-17"}, {`\"a\"`, `"a"`}, {`\"two\\nlines\"`, `"two\nlines"`}, {`\"\\\\\"`, `"\\"`}, {"<< >>", "<< >>"},
		{`<< 1,\n   2 >>`, "<< 1, 2 >>"}, {`{ 1,\n\n 2 }`, "{ 1, 2 }"}, {`(1 :> \"x = 1\")`, `(1 :> "x = 1")`}, {`\"/\\\\ x = 1\"`, `"/\\ x = 1"`}, {" 3 ", "3"}, {"[a |-> 1]", "[a |-> 1]"},
	}
	for seed := range uint64(3_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		names := []string{"x", "pc", "big"}[:1+r.IntN(3)]
		var statements []string
		var want []map[string]string
		for s := range 1 + r.IntN(5) {
			order := r.Perm(len(names))
			if r.IntN(3) > 0 {
				for i := range order {
					order[i] = i
				}
			}
			of, lines := map[string]string{}, []string{}
			for _, i := range order {
				v := values[r.IntN(len(values))]
				of[names[i]] = v.want
				line := names[i] + " = " + v.raw
				if len(names) > 1 {
					line = `/\\ ` + line
				}
				lines = append(lines, line)
			}
			want = append(want, of)
			text := strings.Join(lines, `\n`)
			if s == 0 {
				statements = append(statements, initial(0, text))
				continue
			}
			statements = append(statements, step(0, "A", s), state(s, text))
		}
		m, warnings, err := read(graph(statements...), tlc.Options{})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("seed %d: %v, %v", seed, err, warnings)
		}
		for s, of := range want {
			for p := range m.States.NumParameters() {
				name, v := m.States.Parameter(p).Name, m.States.Value(lts.State(s), p)
				if have := m.States.Text(p, v); have != of[name] {
					t.Fatalf("seed %d: state %d has %s = %s, written was %s\n%s", seed, s, name, have, of[name], fmt.Sprint(statements))
				}
			}
		}
	}
}
