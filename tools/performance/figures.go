package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// median returns the run that took neither long nor short, of two the longer.
func (w *work) median() sample {
	sorted := slices.Clone(w.samples)
	slices.SortStableFunc(sorted, func(a, b sample) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	return sorted[len(sorted)/2]
}

// best returns the least time of all runs.
func (w *work) best() float64 {
	least := math.Inf(1)
	for _, s := range w.samples {
		least = min(least, s.Seconds)
	}
	return least
}

// span returns the median time and, where there were several runs, the best one.
func (w *work) span() []string {
	m := w.median()
	switch {
	case m.Stopped:
		return []string{"over " + seconds(m.Seconds), ""}
	case m.Failed:
		return []string{"failed, " + seconds(m.Seconds), ""}
	}
	if len(w.samples) == 1 {
		return []string{seconds(m.Seconds), "once"}
	}
	return []string{seconds(m.Seconds), seconds(w.best())}
}

// digits writes a number with three digits that mean something.
func digits(x float64) string {
	if x == 0 {
		return "0"
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(0, min(places, 4)), 64)
}

func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	}
	return digits(s) + " s"
}

// size writes a number of bytes.
func size(bytes float64) string {
	switch {
	case bytes < 1e6:
		return digits(bytes/1e3) + " kB"
	case bytes < 1e9:
		return digits(bytes/1e6) + " MB"
	}
	return digits(bytes/1e9) + " GB"
}

// grouped writes a whole number in groups of three digits.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// rate writes how many million a second that is.
func rate(n int64, s float64) string { return digits(float64(n)/s/1e6) + " M/s" }

func times(ratio float64) string { return digits(ratio) + " ×" }

// a table has its rows in the order of its lines; the first column holds words,
// the others figures.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for i := range t.head {
			cell := ""
			if i < len(cells) {
				cell = cells[i]
			}
			if cell == "" {
				b.WriteString(" |")
			} else {
				fmt.Fprintf(&b, " %s |", cell)
			}
		}
		b.WriteString("\n")
	}
	line(t.head)
	rule := slices.Repeat([]string{"---:"}, len(t.head))
	rule[0] = "---"
	line(rule)
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// target is what was to be reached, and what was.
type target struct {
	work, wanted, measured, met string
}

const (
	yes = "yes"
	no  = "**no**"
)

func (l *laboratory) judge(met bool, work, wanted, measured string) {
	answer := no
	if met {
		answer = yes
	}
	l.targets = append(l.targets, target{work, wanted, measured, answer})
}

// judgeBoth judges a target in seconds twice, since it was set on another day: by the seconds, and
// by the ratio to a yardstick that was measured both then and now.
func (l *laboratory) judgeBoth(inSeconds, byRatio bool, work, wanted, measured string) {
	if inSeconds == byRatio {
		l.judge(inSeconds, work, wanted, measured)
		return
	}
	answer := yes + " by the ratio, " + no + " in seconds"
	if inSeconds {
		answer = yes + " in seconds, " + no + " by the ratio"
	}
	l.targets = append(l.targets, target{work, wanted, measured, answer})
}
