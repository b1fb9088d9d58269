//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// automaton is a Büchi automaton with marks on states: edge[i][j] reports whether there is an edge.
type automaton struct {
	edge      [][]bool
	accepting []bool
}

// randomAutomaton returns a small Büchi automaton.
func randomAutomaton(r *rand.Rand) automaton {
	n := 1 + r.IntN(9)
	a := automaton{make([][]bool, n), make([]bool, n)}
	for i := range n {
		a.accepting[i] = r.IntN(4) == 0
		a.edge[i] = make([]bool, n)
		for j := range n {
			a.edge[i][j] = r.IntN(n) == 0
		}
	}
	return a
}

// hoa returns the automaton in the HOA format.
func (a *automaton) hoa() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"HOA: v1\nStates: %d\nStart: 0\nAP: 0\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n", len(a.edge))
	for i := range a.edge {
		fmt.Fprintf(&b, "State: %d", i)
		if a.accepting[i] {
			b.WriteString(" {0}")
		}
		b.WriteString("\n")
		for j, is := range a.edge[i] {
			if is {
				fmt.Fprintf(&b, "[t] %d\n", j)
			}
		}
	}
	b.WriteString("--END--\n")
	return b.String()
}

const unreachable = 1 << 20

// distances returns the lengths of shortest paths of at least one edge, by Floyd and
// Warshall.
func (a *automaton) distances() [][]int {
	n := len(a.edge)
	d := make([][]int, n)
	for i := range n {
		d[i] = make([]int, n)
		for j := range n {
			d[i][j] = unreachable
			if a.edge[i][j] {
				d[i][j] = 1
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}

// shortest returns the number of edges of a shortest accepting lasso, far if there is none.
func (a *automaton) shortest() int {
	d := a.distances()
	best := unreachable
	for head := range a.edge {
		stem := d[0][head]
		if head == 0 {
			stem = 0
		}
		for mark, is := range a.accepting {
			switch {
			case is && mark == head:
				best = min(best, stem+d[head][head])
			case is:
				best = min(best, stem+d[head][mark]+d[mark][head])
			}
		}
	}
	return best
}

// check follows the lasso in the table that a command printed.
func (a *automaton) check(e *ended, want int, shortest bool) error {
	cells, column := readTable(e.stdout)
	if want >= unreachable {
		if e.code != 0 || len(cells) > 0 {
			return fmt.Errorf("exit code %d and %d edges, no run is accepting", e.code,
				len(cells))
		}
		return nil
	}
	hasWantedLength := len(cells) == want || !shortest && len(cells) > want
	if e.code != 1 || !hasWantedLength {
		return fmt.Errorf("exit code %d and %d edges, want %d", e.code, len(cells), want)
	}
	at := 0
	loopBegin := -1
	isLoopAccepting := false
	for _, row := range cells {
		from := number(row[column["from"]])
		to := number(row[column["to"]])
		isEdge := to >= 0 && from == at && a.edge[from][to]
		if !isEdge {
			return fmt.Errorf("there is no edge from %d by %d to %d", at, from, to)
		}
		if row[column["loop"]] == "true" {
			if loopBegin < 0 {
				loopBegin = from
			}
			isLoopAccepting = isLoopAccepting || a.accepting[from]
		}
		at = to
	}
	if at != loopBegin || !isLoopAccepting {
		return fmt.Errorf("the loop begins in %d and ends in %d; accepting: %v", loopBegin, at,
			isLoopAccepting)
	}
	return nil
}
