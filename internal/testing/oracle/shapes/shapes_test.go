// Package shapes tests inev on models of odd shapes, as large as they can get: paths and cycles of
// a million states, one state with a million successors, a million transitions between two states,
// a label of ten megabytes. What is expected of a shape follows from how it is made, for every
// size; the oracle confirms it for small ones.
package shapes_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/lts"
)

// shape is a family of models with a property, and what is to come out, by their
// size.
type shape struct {
	name string
	// write writes the model of a size as .aut text.
	write   func(w io.Writer, size int) error
	formula func(size int) string
	want    func(size int) outcome
	// small is a size for the oracle, usual one for all tests, large one for the benchmark, which
	// may take some seconds; 0 if usual is as large as it may be.
	small, usual, large int
	// bytes bounds what is allocated for each state, transition and byte of text, in
	// the course of reading, explaining and reporting twice: 0 stands for 64, and one
	// more for each step of the property.
	bytes int
}

// outcome is what is known of a model.
type outcome struct {
	// length is that of a shortest counterexample, 0 if the property holds.
	length int
	lasso  bool
	sccs   int
	depth  int
	// classes are left out where both are -1.
	correct, incorrect int
	neighbourhoods     int
	// values are mp, cp, ms and cs of some states.
	values map[lts.State][4]int
}

// generated returns what writes a model of package generate.
func generated(spec func(size int) generate.Spec) func(io.Writer, int) error {
	return func(w io.Writer, size int) error { return generate.Write(context.Background(), w, spec(size)) }
}

func always(formula string) func(int) string { return func(int) string { return formula } }

func shapes() []shape {
	return append(append(lines(), fans()...), append(texts(), properties()...)...)
}

func lines() []shape {
	chain := generated(func(n int) generate.Spec { return generate.Spec{Kind: "chain", States: n} })
	cycle := generated(func(n int) generate.Spec { return generate.Spec{Kind: "cycle", States: n} })
	return []shape{{
		name: "chain, holds", write: chain, formula: always("Inev(END)"),
		want: func(n int) outcome {
			last := lts.State(n - 1)
			return outcome{sccs: n, depth: n - 1, correct: n - 1, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 1, 1}, last / 2: {0, 0, 1, 1}, last - 1: {0, 0, 1, 1}, last: {1, 1, 0, 0}}}
		},
		small: 8, usual: 300_000, large: 2_000_000,
	}, {
		name: "chain, violated", write: chain, formula: always(`Inev(END, "ACTION !0")`),
		want: func(n int) outcome {
			last := lts.State(n - 1)
			return outcome{length: n - 1, sccs: n, depth: n - 1, incorrect: n - 1, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 1, 1}, last - 2: {0, 0, 1, 1}, last - 1: {0, 0, 0, 0}, last: {1, 1, 0, 0}}}
		},
		small: 8, usual: 300_000,
	}, {
		name: "cycle, holds", write: cycle, formula: always("Inev(BACK, BACK)"),
		want: func(n int) outcome {
			values := [4]int{2, 0, 2, 2}
			return outcome{sccs: 1, correct: n,
				values: map[lts.State][4]int{0: values, lts.State(n / 2): values, lts.State(n - 1): values}}
		},
		small: 8, usual: 300_000, large: 2_000_000,
	}, {
		name: "cycle, violated", write: cycle, formula: always("Inev(BACK, NEVER)"),
		want: func(n int) outcome {
			values := [4]int{1, 0, 0, 0}
			return outcome{length: n, lasso: true, sccs: 1, incorrect: n,
				values: map[lts.State][4]int{0: values, lts.State(n - 1): values}}
		},
		small: 8, usual: 300_000,
	}, {
		name: "initial state inside", formula: always("Inev(BACK)"),
		write: func(w io.Writer, n int) error {
			initial := fmt.Sprintf("des (%d,", n/2)
			return generate.Write(context.Background(), &header{w: w, header: initial}, generate.Spec{Kind: "scc", States: n, Locality: 1000})
		},
		want: func(n int) outcome {
			values := [4]int{1, 0, 1, 1}
			return outcome{sccs: 1, correct: 3 * n,
				values: map[lts.State][4]int{lts.State(n / 2): values, lts.State(n - 1): values, 0: {1, 1, 1, 1}}}
		},
		small: 8, usual: 300_000, large: 1_500_000,
	}}
}

// header replaces the beginning of the first line.
type header struct {
	w      io.Writer
	header string
}

func (h *header) Write(text []byte) (int, error) {
	rest, first := bytes.CutPrefix(text, []byte("des (0,"))
	if first {
		if _, err := io.WriteString(h.w, h.header); err != nil {
			return 0, err
		}
	}
	if _, err := h.w.Write(rest); err != nil {
		return 0, err
	}
	return len(text), nil
}

func fans() []shape {
	return []shape{{
		name: "star", formula: always(`Inev("ACTION !0")`),
		write: generated(func(n int) generate.Spec { return generate.Spec{Kind: "star", States: n} }),
		want: func(n int) outcome {
			return outcome{length: 1, sccs: n, depth: 1, correct: n / 2, incorrect: (n - 1) / 2, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 1, 0}, 1: {1, 1, 0, 0}, 2: {0, 0, 0, 0}}}
		},
		small: 8, usual: 200_000, large: 1_000_000, bytes: 128, // JSON lists a million alternatives
	}, {
		name: "parallel", formula: always(`Inev("ACTION !0")`),
		write: generated(func(n int) generate.Spec { return generate.Spec{Kind: "parallel", Transitions: n} }),
		want: func(n int) outcome {
			return outcome{length: 1, sccs: 2, depth: 1, correct: (n + 1) / 2, incorrect: n / 2, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 1, 0}, 1: {1, 0, 0, 0}}}
		},
		small: 8, usual: 200_000, large: 1_000_000,
	}, {
		// One transition in ten has the label, so that the initial state has a loop of two
		// transitions without it.
		name: "complete", formula: always(`Inev("ACTION !0")`),
		write: generated(func(n int) generate.Spec { return generate.Spec{Kind: "complete", States: n, Labels: 10} }),
		want: func(n int) outcome {
			values := [4]int{1, 0, 1, 0}
			return outcome{length: 2, lasso: true, sccs: 1, correct: -1, incorrect: -1,
				values: map[lts.State][4]int{0: values, lts.State(n - 1): values}}
		},
		small: 8, usual: 1000, large: 3000,
	}}
}

func texts() []shape {
	long := func(n int) string { return strings.Repeat("LABEL ", n/6+1)[:n] }
	return []shape{{
		name: "long label", formula: always("Inev(B)"),
		write: func(w io.Writer, n int) error {
			_, err := fmt.Fprintf(w, "des (0, 2, 3)\n(0, \"B\", 1)\n(0, \"%s\", 2)\n", long(n))
			return err
		},
		want: func(int) outcome {
			return outcome{length: 1, sccs: 3, depth: 1, correct: 1, incorrect: 1, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 1, 0}, 1: {1, 1, 0, 0}, 2: {0, 0, 0, 0}}}
		},
		small: 8, usual: inputfile.MaxLabel - 8,
	}, {
		name: "long label in a formula",
		write: func(w io.Writer, n int) error {
			_, err := fmt.Fprintf(w, "des (0, 1, 2)\n(0, \"%s\", 1)\n", long(n))
			return err
		},
		formula: func(n int) string { return `Inev("` + long(n) + `")` },
		want: func(int) outcome {
			return outcome{sccs: 2, depth: 1, correct: 1, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 1, 1}, 1: {1, 1, 0, 0}}}
		},
		small: 8, usual: 1_000_000, bytes: 160, // it is written in six places
	}, {
		name:  "a label for each transition",
		write: generated(func(n int) generate.Spec { return generate.Spec{Kind: "chain", States: n, Labels: n} }),
		formula: func(n int) string {
			return fmt.Sprintf(`Inev("ACTION !0", "ACTION !%d", END)`, n/2)
		},
		want: func(n int) outcome {
			last := lts.State(n - 1)
			return outcome{sccs: n, depth: n - 1, correct: n - 1, neighbourhoods: 1,
				values: map[lts.State][4]int{0: {0, 0, 3, 3}, 1: {1, 1, 2, 2}, last - 1: {2, 2, 1, 1}, last: {3, 3, 0, 0}}}
		},
		small: 8, usual: 200_000, large: 1_000_000,
	}}
}

func properties() []shape {
	var all []shape
	for _, steps := range []int{3, 64, 65, 200} {
		small, usual, large := 0, 40_000, 100_000
		switch steps {
		case 3:
			small = 12
		case 200:
			usual, large = 20_000, 0
		}
		all = append(all, shape{
			name: fmt.Sprintf("%d different steps", steps),
			write: generated(func(n int) generate.Spec {
				return generate.Spec{Kind: "stages", Width: n / steps, Height: steps}
			}),
			formula: func(n int) string {
				formula, err := generate.Spec{Kind: "stages", Width: n / steps, Height: steps}.Formula()
				if err != nil {
					return err.Error()
				}
				return formula
			},
			// A run has to leave out one step, for which it goes through all of a stage.
			want: func(n int) outcome {
				width := n / steps
				return outcome{length: width + steps - 1, sccs: width*steps + 1, depth: width * steps, correct: -1, incorrect: -1,
					values: map[lts.State][4]int{0: {0, 0, steps, 0}, lts.State(width * steps): {steps, 0, 0, 0}}}
			},
			small: small, usual: usual, large: large,
		}, shape{
			name:  fmt.Sprintf("%d equal steps", steps),
			write: generated(func(n int) generate.Spec { return generate.Spec{Kind: "cycle", States: n, Labels: 2} }),
			// The labels are A, B, A, B and so on; a step is done once a round, or twice.
			formula: func(int) string {
				return "Inev(" + strings.Repeat("BACK, ", steps-1) + `{"ACTION !0", "ACTION !1"})`
			},
			want: func(n int) outcome {
				values := [4]int{steps, 0, steps, steps}
				return outcome{sccs: 1, correct: n,
					values: map[lts.State][4]int{0: values, lts.State(n / 2): values, lts.State(n - 1): values}}
			},
			small: small, usual: usual, large: large,
		})
	}
	return all
}

// check compares an explanation with what is expected.
func (o outcome) check(t *testing.T, e *explain.Explanation) {
	t.Helper()
	c := e.Counterexample
	switch {
	case (c != nil) != (o.length > 0):
		t.Fatalf("the property is %s", e.Verdict)
	case c == nil:
	case len(c.Steps) != o.length || (c.LoopStart >= 0) != o.lasso || !c.Shortest:
		t.Errorf("a %s of %d transitions, shortest: %v; want %d", c.Kind, len(c.Steps), c.Shortest, o.length)
	}
	if e.Model.SCCs != o.sccs || e.Model.Depth != o.depth {
		t.Errorf("%d components, depth %d; want %d, %d", e.Model.SCCs, e.Model.Depth, o.sccs, o.depth)
	}
	if o.correct < 0 {
		return
	}
	want := explain.Classes{Correct: o.correct, Incorrect: o.incorrect, Neutral: e.Model.Transitions - o.correct - o.incorrect}
	if *e.Classes != want {
		t.Errorf("classes %+v, want %+v", *e.Classes, want)
	}
	if n := e.Neighbourhoods().Len(); n != o.neighbourhoods {
		t.Errorf("%d neighbourhoods, want %d", n, o.neighbourhoods)
	}
}
