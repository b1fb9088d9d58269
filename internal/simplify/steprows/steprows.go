// Package steprows puts the steps of a run into the rows of a table. Repeated steps form one row,
// as do steps that are hidden or left out. The rows have all steps, each once, in order.
package steprows

import "slices"

// Row is a sequence of steps that a table shows as one row. If it has several steps, none of them
// is eventful, and only its first step can be the start of the loop.
type Row struct {
	First, End int // indices of the first step, and of the step after the last one
	Kind       RowKind
}

// RowKind is the reason why steps form one row.
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

// RowOptions decide which steps a table shows one by one.
type RowOptions struct {
	// Loop is the first step of the loop, -1 if there is none.
	Loop int
	// Full reports whether every row is shown, and no repeated steps are folded.
	Full bool
	// Hides reports whether steps with a label are left out of the table, unless they are eventful; nil
	// hides none. It is called once for each label.
	Hides func(label string) bool
	// Eventful reports whether the table shows more about a step than its label.
	Eventful func(step int) bool
	// Distinct reports whether a step differs from others with its label, so that it is not folded with
	// them; nil if all steps with one label are alike. A long run may leave it out, unlike an eventful one.
	Distinct func(step int) bool
}

// Matching returns a function for [RowOptions].Hides: it returns true for labels
// that match one of the patterns.
func Matching[P interface{ Matches(label string) bool }](patterns []P) func(label string) bool {
	if len(patterns) == 0 {
		return nil
	}
	return func(label string) bool {
		return slices.ContainsFunc(patterns, func(p P) bool {
			return p.Matches(label)
		})
	}
}

// FoldFrom is the least number of consecutive equal labels that are folded.
const FoldFrom = 3

// In a run of at least elideFrom rows, rows without events are left out.
const (
	elideFrom = 40 // a run with at least this number of rows is long
	margin    = 2  // the number of rows shown before and after each eventful row
)

// Rows divides the n steps of a run into the rows of its table: consecutive steps with equal labels
// become one row, and long stretches without events are left out. Every step is in one row, and the
// rows are in the order of the steps. Cost O(n) time, and memory for the
// rows that are returned.
func Rows(n int, label func(i int) string, o RowOptions) []Row {
	hides := o.hides(label)
	joins := func(next int) bool { return next != o.Loop && !o.Eventful(next) }
	repeats := func(next int) bool { return joins(next) && !o.isDistinct(next) }
	rows := elision{off: o.Full}
	for i := 0; i < n; {
		r := Row{First: i, End: i + 1}
		eventful := o.Eventful(i)
		switch {
		case eventful:
			// An eventful step is a row of its own.
		case hides(i):
			r.Kind = Hidden
			for r.End < n && hides(r.End) && joins(r.End) {
				r.End++
			}
		case !o.Full && !o.isDistinct(i):
			r = folded(i, n, label, repeats)
		}
		rows.add(r, eventful || i == o.Loop)
		i = r.End
	}
	return rows.finish()
}

func (o RowOptions) isDistinct(step int) bool { return o.Distinct != nil && o.Distinct(step) }

// FoldRows divides n labels into rows: FoldFrom or more consecutive equal labels are
// one row, unless full is set. Cost O(n).
func FoldRows(n int, label func(i int) string, full bool) []Row {
	var all []Row
	for i := 0; i < n; {
		r := folded(i, n, label, func(int) bool { return !full })
		all = append(all, r)
		i = r.End
	}
	return all
}

// folded returns the row that begins with step i: step i and the following steps with the same
// label, up to a step that must not join them. If there are too few such steps, the row has step i
// alone.
func folded(i, n int, label func(i int) string, joins func(next int) bool) Row {
	end := i + 1
	for end < n && label(end) == label(i) && joins(end) {
		end++
	}
	if end-i < FoldFrom {
		return Row{First: i, End: i + 1}
	}
	return Row{First: i, End: end, Kind: Folded}
}

// hides returns a function that reports whether Hides selects the label of a
// step.
func (o RowOptions) hides(label func(i int) string) func(i int) bool {
	if o.Hides == nil {
		return func(int) bool { return false }
	}
	known := map[string]bool{}
	return func(i int) bool {
		hidden, isKnown := known[label(i)]
		if !isKnown {
			hidden = o.Hides(label(i))
			known[label(i)] = hidden
		}
		return hidden
	}
}

// elision chooses the rows of a long run that are left out: all rows except the first and last
// ones, eventful rows, and rows near eventful rows.
type elision struct {
	off bool // none is left out
	// first are the rows so far, as long as the run is not known to be long; eventful[i] reports
	// whether first[i] is eventful.
	first    []Row
	eventful []bool
	// kept are the rows of a long run that are shown. undecided is the number of undecided rows after
	// these; lastUndecided has the last of the undecided rows, which are shown if an eventful row
	// follows soon.
	kept          []Row
	undecided     int
	begin         int // the first step of the undecided rows
	lastUndecided []Row
	// after is the number of next rows that are shown because they follow an eventful row.
	after int
	long  bool
}

// add adds the next row.
func (e *elision) add(r Row, eventful bool) {
	if e.off {
		e.kept = append(e.kept, r)
		return
	}
	if e.long {
		e.decide(r, eventful)
		return
	}
	e.eventful = append(e.eventful, eventful || len(e.first) == 0)
	e.first = append(e.first, r)
	if len(e.first) == elideFrom {
		e.long = true
		for i, r := range e.first {
			e.decide(r, e.eventful[i])
		}
	}
}

// decide shows the next row of a long run, or postpones the decision until it is known whether an
// eventful row follows soon.
func (e *elision) decide(r Row, eventful bool) {
	switch {
	case eventful:
		e.keepLast(margin)
		e.kept = append(e.kept, r)
		e.after = margin
	case e.after > 0:
		e.kept = append(e.kept, r)
		e.after--
	default:
		e.undecided++
		if e.undecided == 1 {
			e.begin = r.First
		}
		e.lastUndecided = append(e.lastUndecided, r)
		if len(e.lastUndecided) > margin+1 {
			e.lastUndecided = slices.Delete(e.lastUndecided, 0, 1)
		}
	}
}

// keepLast shows the last of the undecided rows, at most the given number, and leaves out the others.
func (e *elision) keepLast(most int) {
	last := e.lastUndecided[max(0, len(e.lastUndecided)-most):]
	if e.undecided > len(last) {
		e.kept = append(e.kept, Row{
			First: e.begin,
			End:   last[0].First,
			Kind:  LeftOut,
		})
	}
	e.kept = append(e.kept, last...)
	e.undecided = 0
	e.lastUndecided = e.lastUndecided[:0]
}

// finish returns the rows of the run, after the last one has been added.
func (e *elision) finish() []Row {
	if !e.long && !e.off {
		return e.first
	}
	e.keepLast(margin + 1)
	return e.kept
}
