package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// parameters describe random graphs; the paper does not give them.
type parameters struct {
	states, edges, accepting int
}

func (p parameters) String() string {
	return fmt.Sprintf("%d states, %d edges, %d accepting", p.states, p.edges, p.accepting)
}

// fitted returns the candidate that -fit has found nearest to the figures of the paper.
func fitted(states int) parameters {
	for _, p := range []parameters{{20, 66, 3}, {100, 190, 7}, {1000, 1800, 100}} {
		if p.states == states {
			return p
		}
	}
	return parameters{}
}

// tried is the number of graphs that are drawn for each candidate.
const tried = 30

// candidates are the parameters to be tried: 1 to 6 edges for each state, and an accepting share
// from each state to one state in five.
func candidates(states int) []parameters {
	var all []parameters
	for tenths := 10; tenths <= 60; tenths++ {
		for _, accepting := range []int{
			1,
			2,
			3,
			4,
			5,
			7,
			10,
			15,
			20,
			30,
			50,
			70,
			100,
			150,
			200,
		} {
			if 5*accepting <= states {
				all = append(all, parameters{states, states * tenths / 10, accepting})
			}
		}
	}
	return all
}

// writeFit prints the candidates that come nearest to the averages of Table 2. The distance is the sum, over
// the nine figures for a size, of (log(figure of the candidate / figure of the paper))².
func writeFit(ctx context.Context, w io.Writer) error {
	for _, states := range []int{20, 100, 1000} {
		type scored struct {
			parameters
			far  float64
			rows []randomRow
		}
		var all []scored
		for _, p := range candidates(states) {
			rows, _, err := compareRandom(ctx, p, tried, true)
			if err != nil && ctx.Err() != nil {
				return err
			}
			if err == nil {
				all = append(all, scored{p, distance(rows, publishedRandom(states)), rows})
			}
		}
		slices.SortStableFunc(all, func(a, b scored) int {
			if a.far < b.far {
				return -1
			}
			return 1
		})
		for _, s := range all[:min(5, len(all))] {
			fmt.Fprintf(w, "%s: %.3f %v\n", s.parameters, s.far, s.rows)
		}
	}
	return nil
}

// distance returns how far rows are from the figures of Table 2.
func distance(rows, published []randomRow) float64 {
	sum := 0.
	for i, row := range rows[len(rows)-len(published):] {
		want := published[i]
		for _, pair := range [][2]string{
			{row.length, want.length},
			{row.matched, want.matched},
			{row.found, want.found},
		} {
			have, _ := strconv.ParseFloat(pair[0], 64)
			wanted, _ := strconv.ParseFloat(pair[1], 64)
			far := math.Log(have / wanted)
			sum += far * far
		}
	}
	return sum
}

// limited is a context that is done after a number of calls of Err: searches call Err once in 4,096
// visits.
type limited struct {
	context.Context
	left int
}

func (l *limited) Err() error {
	l.left--
	if l.left < 0 {
		return context.DeadlineExceeded
	}
	return l.Context.Err()
}

func (l *limited) Deadline() (time.Time, bool) { return time.Time{}, false }
