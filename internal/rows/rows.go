// Package rows divides the steps of a run into the rows of a table: equal ones that follow
// each other become one row, and long uneventful stretches are left out.
//
// The invariant that holds inside: every step is in one row, and the rows are in the order of
// the steps.
package rows

// Row is steps of a run that a table shows as one row. Neither an eventful step nor the
// beginning of a loop is ever inside one that stands for several steps.
type Row struct {
	First, End int // indices of the first step, and of the one after the last
	Kind       Kind
}

// Kind says why steps are one row.
type Kind uint8

// The kinds of rows.
const (
	OneStep Kind = iota
	Folded       // several steps with one label
	Hidden       // steps that the reader does not want to see
	LeftOut      // uneventful steps of a long run
)

// Len returns the number of steps of a row.
func (r Row) Len() int { return r.End - r.First }

// Options say which steps a table shows one by one.
type Options struct {
	// Loop is the first step of the loop, -1 if there is none.
	Loop int
	// Full says that nothing is folded or left out.
	Full bool
	// Hides reports whether the table does without the steps with this label, but for
	// eventful ones; nil hides none. It is asked once for each label.
	Hides func(label string) bool
	// Eventful reports whether there is something to be said about a step.
	Eventful func(step int) bool
}

// Matching returns what [Options].Hides is for steps whose label matches one of the patterns.
func Matching[P interface{ Matches(label string) bool }](patterns []P) func(label string) bool {
	if len(patterns) == 0 {
		return nil
	}
	return func(label string) bool {
		for _, p := range patterns {
			if p.Matches(label) {
				return true
			}
		}
		return false
	}
}

// FoldFrom is the number of equal labels in a row that are folded.
const FoldFrom = 3

// Steps of long counterexamples are left out where nothing happens.
const (
	elideFrom = 40 // the number of rows where that begins
	margin    = 2  // rows shown before and after one that is eventful
)

// Of divides the n steps of a run into the rows of its table. Cost O(n) time, and memory for the
// rows that are returned.
func Of(n int, label func(i int) string, o Options) []Row {
	plain := func(i int) bool { return !o.Eventful(i) }
	hides := o.hides(label)
	all := elision{off: o.Full}
	for i := 0; i < n; {
		r := Row{First: i, End: i + 1}
		uneventful := plain(i)
		switch {
		case !uneventful:
		case hides(i):
			r.Kind = Hidden
			for r.End < n && r.End != o.Loop && hides(r.End) && plain(r.End) {
				r.End++
			}
		case !o.Full:
			for r.End < n && r.End != o.Loop && label(r.End) == label(i) && plain(r.End) {
				r.End++
			}
			if r.Kind = Folded; r.Len() < FoldFrom {
				r.End, r.Kind = i+1, OneStep
			}
		}
		all.add(r, !uneventful || i == o.Loop)
		i = r.End
	}
	return all.end()
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
func (o Options) hides(label func(i int) string) func(i int) bool {
	if o.Hides == nil {
		return func(int) bool { return false }
	}
	known := map[string]bool{}
	return func(i int) bool {
		is, seen := known[label(i)]
		if !seen {
			is = o.Hides(label(i))
			known[label(i)] = is
		}
		return is
	}
}

// elision leaves out the rows of a long run that are neither its first, its last, eventful, nor
// near such a one.
type elision struct {
	off bool // none is left out
	// first are the rows of a run that is not known to be long, with whether they are eventful.
	first    []Row
	eventful []bool
	// kept are rows of a long one, waiting is the number of rows behind them: the last ones may be
	// kept, and are in last.
	kept    []Row
	waiting int
	begin   int // the first step of those
	last    []Row
	// after is how many more are kept behind the last eventful one.
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
		e.goOn(r, eventful)
		return
	}
	e.first, e.eventful = append(e.first, r), append(e.eventful, eventful || len(e.first) == 0)
	if len(e.first) == elideFrom {
		e.long = true
		for i, r := range e.first {
			e.goOn(r, e.eventful[i])
		}
	}
}

func (e *elision) goOn(r Row, eventful bool) {
	switch {
	case eventful:
		e.keep(margin)
		e.kept, e.after = append(e.kept, r), margin
	case e.after > 0:
		e.kept = append(e.kept, r)
		e.after--
	default:
		if e.waiting++; e.waiting == 1 {
			e.begin = r.First
		}
		if len(e.last) > margin {
			copy(e.last, e.last[1:])
			e.last = e.last[:margin]
		}
		e.last = append(e.last, r)
	}
}

// keep keeps so many of the last rows that wait, and leaves out those before.
func (e *elision) keep(most int) {
	last := e.last[max(0, len(e.last)-most):]
	if e.waiting > len(last) {
		e.kept = append(e.kept, Row{e.begin, last[0].First, LeftOut})
	}
	e.kept = append(e.kept, last...)
	e.waiting, e.last = 0, e.last[:0]
}

// end returns the rows.
func (e *elision) end() []Row {
	if !e.long && !e.off {
		return e.first
	}
	e.keep(margin + 1)
	return e.kept
}
