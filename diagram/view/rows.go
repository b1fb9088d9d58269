package view

import (
	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
)

// Row is steps of a run that a table shows as one row. Neither an eventful step nor the
// beginning of a loop is ever inside one that stands for several steps.
type Row struct {
	First, End int // indices of the first step, and of the one after the last
	Kind       RowKind
}

// RowKind says why steps are one row.
type RowKind uint8

// The kinds of rows.
const (
	OneStep RowKind = iota
	Folded          // several steps with one label
	Hidden          // steps that the reader does not want to see
	LeftOut         // uneventful steps of a long run
)

// Len returns the number of steps of a row.
func (r Row) Len() int { return r.End - r.First }

// RowOptions say which steps a table shows one by one.
type RowOptions struct {
	// Full says that nothing is folded or left out.
	Full bool
	// Hide are patterns of labels that the table does without, but for eventful steps.
	Hide []actl.Pattern
	// Eventful reports whether there is something to be said about a step.
	Eventful func(step int) bool
}

// FoldFrom is the number of equal labels in a row from which on they are folded.
const FoldFrom = 3

// Steps of long counterexamples are left out where nothing happens.
const (
	elideFrom = 40 // the number of rows from which on that is done
	margin    = 2  // rows shown before and after one that is eventful
)

// Rows divides the steps of a counterexample into the rows of its table. Cost O(steps).
func Rows(c *explain.Counterexample, o RowOptions) []Row {
	steps, loop := c.Steps, int(c.LoopStart)
	plain := func(i int) bool { return !o.Eventful(i) }
	hides := o.hides(steps)
	var all []Row
	for i := 0; i < len(steps); {
		r := Row{First: i, End: i + 1}
		switch {
		case !plain(i):
		case hides(i):
			r.Kind = Hidden
			for r.End < len(steps) && r.End != loop && hides(r.End) && plain(r.End) {
				r.End++
			}
		case !o.Full:
			for r.End < len(steps) && r.End != loop && steps[r.End].Label == steps[i].Label && plain(r.End) {
				r.End++
			}
			if r.Kind = Folded; r.Len() < FoldFrom {
				r.End, r.Kind = i+1, OneStep
			}
		}
		all = append(all, r)
		i = r.End
	}
	if o.Full || len(all) < elideFrom {
		return all
	}
	return withoutUneventful(all, func(r Row) bool { return !plain(r.First) || r.First == loop })
}

// Fold divides n labels into rows: of equal ones that follow each other, FoldFrom and more
// are one row, none where all are to be shown in full. Cost O(n).
func Fold(n int, label func(i int) string, full bool) []Row {
	var all []Row
	for i := 0; i < n; {
		r := Row{First: i, End: i + 1}
		for !full && r.End < n && label(r.End) == label(i) {
			r.End++
		}
		if r.Kind = Folded; r.Len() < FoldFrom {
			r.End, r.Kind = i+1, OneStep
		}
		all = append(all, r)
		i = r.End
	}
	return all
}

// hides returns a function that reports whether the label of a step is not to be shown.
// Each label is compared with the patterns once.
func (o RowOptions) hides(steps []explain.Step) func(i int) bool {
	if len(o.Hide) == 0 {
		return func(int) bool { return false }
	}
	known := map[string]bool{}
	return func(i int) bool {
		label := steps[i].Label
		is, seen := known[label]
		if !seen {
			for _, pattern := range o.Hide {
				is = is || pattern.Matches(label)
			}
			known[label] = is
		}
		return is
	}
}

// withoutUneventful leaves out the rows of a long run that are neither its first,
// its last, eventful, nor near such a one.
func withoutUneventful(all []Row, eventful func(Row) bool) []Row {
	shown := make([]bool, len(all))
	for i, r := range all {
		if !eventful(r) && i != 0 && i != len(all)-1 {
			continue
		}
		for j := max(0, i-margin); j <= min(len(all)-1, i+margin); j++ {
			shown[j] = true
		}
	}
	var kept []Row
	for i := 0; i < len(all); i++ {
		from := i
		for !shown[i] {
			i++
		}
		if i > from {
			kept = append(kept, Row{all[from].First, all[i].First, LeftOut})
		}
		kept = append(kept, all[i])
	}
	return kept
}
