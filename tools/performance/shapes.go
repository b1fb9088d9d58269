package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// shape is a model on which the search for a shortest counterexample has much work: no label does
// the step, and there are no short loops.
type shape struct {
	name        string
	states      int
	transitions int64
	// transitionsOf makes a function that yields the transitions of all states, one state after the
	// other.
	transitionsOf func() func(state int) []int
	// formulas are the properties to be checked; chainOfNone if there are none.
	formulas []string
	// mostSeconds is the largest time for a check, in seconds; 0 means mostTimesInfo times the time of
	// inev info, plus 50 ms.
	mostSeconds float64
	// mostTimesInfo is a multiple of the time of inev info; 0 means 3.
	mostTimesInfo float64
	// peers reports whether mCRL2 reduces the model, too.
	peers bool
}

// ringLayers is the number of layers of rings.
const ringLayers = 100

// ring returns a tail and layers of states; each state has two transitions to the next layer, and
// the last layer leads to the first.
func ring(name string, layers, width, tail int) shape {
	n := layers * width
	return shape{
		name:        name,
		states:      tail + n,
		transitions: int64(tail) + 2*int64(n),
		transitionsOf: func() func(int) []int {
			r := rand.New(rand.NewPCG(1, 2))
			return func(s int) []int {
				if s < tail {
					return []int{s + 1}
				}
				first := tail + ((s-tail)/width+1)%layers*width
				return []int{first + r.IntN(width), first + r.IntN(width)}
			}
		},
	}
}

// fanOut is the number of transitions of the inner states of trees.
const fanOut = 8

// treeOverRing returns a ring below a tree whose leaves are all states of the ring, in random
// order: each state of the ring may be the first of its loop.
func treeOverRing(name string, layers, width int, most float64) shape {
	leaves := layers * width
	inner := (leaves + fanOut - 2) / (fanOut - 1)
	below := ring(name, layers, width, 0)
	all := shape{name: name, states: inner + leaves, mostSeconds: most}
	all.transitions = below.transitions + int64(inner+leaves-1)
	all.transitionsOf = func() func(int) []int {
		order := rand.New(rand.NewPCG(3, 4)).Perm(leaves)
		next := below.transitionsOf()
		return func(state int) (to []int) {
			if state >= inner {
				for _, t := range next(state - inner) {
					to = append(to, inner+t)
				}
				return to
			}
			for t := fanOut*state + 1; t <= fanOut*state+fanOut && t < inner+leaves; t++ {
				if t < inner {
					to = append(to, t)
				} else {
					to = append(to, inner+order[t-inner])
				}
			}
			return to
		}
	}
	return all
}

// chainOfNone is a chain whose step is done by no label.
const chainOfNone = "Inev(K)"

// The properties of shapes that are no chains: a loop violates the first if it has some x, the
// second if it has x and y.
const (
	finallyWithout = "F G !x"
	withoutEither  = "!(G F x && G F y)"
)

// cycleShape goes once through all states.
func cycleShape(n int) shape {
	return shape{
		name:        "cycle",
		states:      n,
		transitions: int64(n),
		formulas:    []string{finallyWithout},
		transitionsOf: func() func(int) []int {
			return func(s int) []int { return []int{(s + 1) % n} }
		},
	}
}

// torus is a square whose transitions lead down and to the right and wrap around: all loops with
// both directions have the same length.
func torus(side int) shape {
	n := side * side
	return shape{
		name:          "torus",
		states:        n,
		transitions:   2 * int64(n),
		formulas:      []string{finallyWithout, withoutEither},
		mostTimesInfo: 10,
		transitionsOf: func() func(int) []int {
			return func(s int) []int { return []int{(s + side) % n, s/side*side + (s+1)%side} }
		},
	}
}

// hub leads from one state to all others and back.
func hub(transitions int) shape {
	others := max(2, transitions/2)
	return shape{
		name:        "hub",
		states:      others + 1,
		transitions: 2 * int64(others),
		transitionsOf: func() func(int) []int {
			return func(s int) []int {
				if s > 0 {
					return []int{0}
				}
				to := make([]int, others)
				for i := range to {
					to[i] = i + 1
				}
				return to
			}
		},
	}
}

// allShapes are all shapes that a task can write; the hub is the last.
func allShapes(n int) []shape { return append(shapes(n), hub(n)) }

// shapes are models whose check was slow once, in the sizes that belong to a reference model of n
// transitions.
func shapes(n int) []shape {
	width := func(share int) int { return max(2, n/share) }
	wide := ring("ring of 100 layers, wide", ringLayers, width(3_333), 0)
	wide.peers = true
	wide.formulas = []string{chainOfNone, finallyWithout}
	tail := ring("tail, then a ring", ringLayers, width(100), max(1, n/10_000))
	tail.mostSeconds = 5
	return []shape{
		ring("ring of 100 layers, small", ringLayers, width(33_333), 0),
		ring("ring of 100 layers", ringLayers, width(10_000), 0),
		wide,
		tail,
		treeOverRing("tree over a ring", 24, width(3_125), 0.78),
		treeOverRing("larger tree over a ring", 24, width(1_562), 1.77),
		cycleShape(max(2, n/10)), torus(max(2, int(math.Sqrt(float64(n)/20)))),
	}
}

// write writes a shape as .aut.
func (s shape) write(path string) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	fmt.Fprintf(w, "des (0, %d, %d)\n", s.transitions, s.states)
	var line []byte
	next := s.transitionsOf()
	written := int64(0)
	for from := range s.states {
		for i, to := range next(from) {
			line = append(strconv.AppendInt(append(line[:0], '('), int64(from), 10), ", \""...)
			line = append(append(line, 'x'+byte(i%2)), "\", "...)
			line = append(strconv.AppendInt(line, int64(to), 10), ")\n"...)
			if _, err := w.Write(line); err != nil {
				return err
			}
			written++
		}
	}
	if written != s.transitions {
		return fmt.Errorf("%s: %d transitions instead of %d", s.name, written, s.transitions)
	}
	return w.Flush()
}

// badShapes measures the searches on shapes in comparison with the time to read the shapes.
func (l *laboratory) badShapes(ctx context.Context) (string, error) {
	t := newTable("", "transitions", "verdict", "median", "best", "÷ `inev info`", "peak",
		"a transition")
	for i, s := range shapes(l.reference()) {
		l.logProgress("generating " + s.name)
		f := file{
			path:        filepath.Join(l.folder, fmt.Sprintf("shape%d.aut", i)),
			states:      int64(s.states),
			transitions: s.transitions,
		}
		if _, err := l.runTask(ctx, task{
			Do:          "shape",
			Path:        f.path,
			Shape:       i,
			Transitions: l.reference(),
		}); err != nil {
			return "", err
		}
		if s.formulas == nil {
			s.formulas = []string{chainOfNone}
		}
		for _, formula := range s.formulas {
			if err := l.badShape(ctx, t, s, f, formula); err != nil {
				return "", err
			}
		}
		if err := os.Remove(f.path); err != nil {
			return "", err
		}
	}
	return t.String(), nil
}

// badShape measures the search for one property of a shape.
func (l *laboratory) badShape(
	ctx context.Context,
	t *table,
	s shape,
	f file,
	formula string,
) error {
	name := "`inev check`, " + s.name
	f.formula = formula
	if formula != chainOfNone {
		name = "`inev check '" + formula + "'`, " + s.name
	}
	own := l.command(name, "check --allow-unmatched --quiet", f, formula)
	info := l.run("`inev info`, "+s.name, nil, "info", f.path, "--no-progress")
	rows := []*work{own, info}
	if s.peers && formula == chainOfNone && l.peers.has("ltsconvert") {
		rows = append(rows, l.fastest(f, formula))
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return err
	}
	for _, w := range rows {
		m := w.median()
		if m.answered() && !m.Silent && m.Holds != own.median().Holds {
			return fmt.Errorf("%s and %s do not agree", own.name, w.name)
		}
		t.add(append([]string{w.name, grouped(f.transitions), verdict(m)},
			append(w.timeCells(), times(m.Seconds/info.median().Seconds), size(float64(m.Peak)),
				bytesEach(m.Peak, f.transitions))...)...)
	}
	l.judgeCheck(s, f, own, info)
	return nil
}

// judgeCheck compares the time of a check with the goal for a shape: a number of seconds, or a multiple of the time in
// which inev info reads the model.
func (l *laboratory) judgeCheck(s shape, f file, check, info *work) {
	took := check.median().Seconds
	base := info.median().Seconds
	subject := check.name + ", " + grouped(f.transitions) + " transitions"
	if s.mostSeconds > 0 {
		l.judge(took <= s.mostSeconds, target{
			work:     subject,
			wanted:   "≤ " + seconds(s.mostSeconds),
			measured: fmt.Sprintf("%s, %s `inev info`", seconds(took), times(took/base)),
		})
		return
	}
	over := cmp.Or(s.mostTimesInfo, 3)
	l.judge(took <= over*base+0.05, target{
		work:     subject,
		wanted:   fmt.Sprintf("≤ %v × `inev info` + 50 ms", over),
		measured: fmt.Sprintf("%s, %s", seconds(took), times(took/base)),
	})
}
