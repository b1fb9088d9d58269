// Command arbiter prints the section of docs/research/experiments.md on the synchronous arbiter:
// the two tables of Shankar and Sorea, next to the results of this module.
//
//	go -C modules/symbolic run -tags buddy ./arbiter > modules/symbolic/arbiter/section.md
//
// is run in the root of the main module; tools/experiments includes the section, and after it
// times.md, which -times prints.
//
// The section depends on nothing but the models, so that every run prints the same bytes. Therefore
// it has no times.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("arbiter: ")
	out := bufio.NewWriter(os.Stdout)
	section := write
	if len(os.Args) > 1 && os.Args[1] == "-times" {
		section = writeTimes
	}
	err := section(context.Background(), out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// row has figures of the paper: sizes of diagrams, and numbers of iterations.
type row struct{ cells, size, rounds, mcSize, mcRounds int }

var buggyRows = []row{
	{5, 40, 3, 381, 3}, {10, 92, 3, 1041, 4}, {15, 142, 3, 1317, 3}, {20, 199, 3, 2297, 5}, {25, 251, 3, 4838, 4},
	{30, 301, 3, 5533, 3}, {35, 347, 3, 5657, 3}, {40, 407, 3, 9976, 4}, {45, 455, 3, 6801, 3}, {47, 101, 2, 3338, 3},
}

var correctRows = []row{
	{5, 25, 1, 186, 3}, {10, 38, 1, 673, 3}, {15, 62, 1, 892, 3}, {20, 86, 1, 1265, 4}, {25, 102, 1, 2934, 4},
	{30, 121, 1, 3086, 4}, {35, 137, 1, 3406, 4}, {40, 162, 1, 8164, 4}, {45, 181, 1, 3737, 4}, {47, 96, 1, 1647, 3},
}

// most limits the size of the diagrams of backward searches.
const most = 20_000

// write writes the section, without times.
func write(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, intro)
	for _, table := range []struct {
		title string
		buggy bool
		rows  []row
	}{{"The buggy arbiter", true, buggyRows}, {"The correct arbiter", false, correctRows}} {
		fmt.Fprintf(w, "### %s\n\n%s", table.title, head)
		for _, r := range table.rows {
			if err := writeRow(ctx, w, r, table.buggy); err != nil {
				return err
			}
		}
		fmt.Fprint(w, "\n")
	}
	fmt.Fprint(w, remarks)
	return nil
}

// writeRow writes the figures of the paper about an arbiter, and ours next to them.
func writeRow(ctx context.Context, w io.Writer, r row, buggy bool) error {
	f, err := syntax.Parse(ctx, "AG exclusive")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| %d | %d | %d ", r.cells, r.size, r.rounds)
	var backward [3]string
	for _, kept := range []symbolic.Token{symbolic.OneHot, symbolic.Encoded, symbolic.Held} {
		a, err := symbolic.NewArbiter(r.cells, kept, buggy)
		if err != nil {
			return err
		}
		answer, size, err := symbolic.Check(ctx, a.Model, f, a.Initial)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %d ", size, symbolic.Rounds(a.Model, answer))
		_, rounds, size, err := symbolic.Invariant(ctx, a.Model, a.Exclusive, a.Initial, most)
		switch {
		case errors.Is(err, symbolic.ErrLarge):
			backward[kept] = "> 20,000 | "
		case err != nil:
			return err
		default:
			backward[kept] = fmt.Sprintf("%d | %d", size, rounds)
		}
	}
	fmt.Fprintf(w, "| %d | %d | %s |\n", r.mcSize, r.mcRounds, strings.Join(backward[:], " | "))
	return nil
}

const intro = `## The synchronous arbiter: CTL over sets of states

N. Shankar and M. Sorea, *Counterexample-Driven Model Checking* (2003), compare their
algorithm WMC with backward model checking on the synchronous arbiter of McMillan: does at
most one cell acknowledge its request, in all states? This section is the output of
` + "`go -C modules/symbolic run -tags buddy ./arbiter`" + `, which runs the algorithm of package wmc over binary decision
diagrams, with current and next values of variables side by side and the cells one after
the other.

**size** is the number of nodes of the largest decision diagram of a set of states, and
**iter** the number of rounds of the fixpoint until the question is decided. MC computes the
greatest fixpoint over all states, backwards. The paper does not print its models. We have three:

- *one-hot* keeps the token in one variable for each cell, as McMillan does; the token moves on at each step;
- *encoded* keeps the number of the token's cell, in binary;
- *held* is like one-hot, but a token stays at its cell while that cell requests.

In the buggy arbiter, a cell that has been waiting is acknowledged even without the token. Two
steps suffice to show that, as in the paper. In the buggy *held* model the token is also let go
too early, and it takes three steps. Times are left out, because they differ from run to run.

`

const head = `| cells | *paper:* WMC size | iter | WMC one-hot size | iter | WMC encoded size | iter | WMC held size | iter | *paper:* MC size | iter | MC one-hot size | iter | MC encoded size | iter | MC held size | iter |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`
