package generate

import "context"

// maxPeterson bounds a model to 2 GB. A model with one more process would take
// a hundred times as much.
const maxPeterson = 5

// The positions of a process in Peterson's program.
const (
	petersonRest = iota
	petersonRaise
	petersonLast
	petersonReadLevel
	petersonReadLast
	petersonEnter
	petersonInside
	petersonLower
)

// The actions of a process in Peterson's algorithm.
const (
	petersonNCS = iota
	petersonWritesLevel
	petersonWritesLast
	petersonReadsLevel
	petersonReadsLast
	petersonEnters
	petersonLeaves
)

// filter is Peterson's algorithm for n processes (Myths about the mutual
// exclusion problem, Information Processing Letters 12(3), 1981): a process
// passes levels 1 to n-1. It waits on each level until all others are on lower
// levels, or another process has come to this level after it. It reads the levels
// of the others one by one, cyclically, from the next process on; every access to
// a shared variable is a step of its own. For two processes this is Peterson's
// algorithm for two.
type filter struct {
	count int
	// at[p], level[p] and other[p] belong to process p: its position in the
	// program, the level that it tries to pass, less 1, and the number of
	// processes whose level it has read on this level. last[l] is the last
	// process that came to level l. The level of a process that the others read
	// follows from its position.
	at, level, other, last []field
}

func preparePeterson(ctx context.Context, s Spec) model {
	f := &filter{count: s.Processes, last: []field{{}}}
	end := uint(0)
	for range f.count {
		var at []field
		at, end = fields(end, 3, 2, 2)
		f.at, f.level, f.other = append(f.at, at[0]), append(f.level, at[1]), append(f.other, at[2])
	}
	for range f.count - 1 {
		var at []field
		at, end = fields(end, 3)
		f.last = append(f.last, at[0])
	}
	return explore(ctx, []event{
		petersonNCS: {"NCS", 1, ""}, petersonWritesLevel: {"WRITE_LEVEL", 2, ""}, petersonWritesLast: {"WRITE_LAST", 2, ""},
		petersonReadsLevel: {"READ_LEVEL", 3, ""}, petersonReadsLast: {"READ_LAST", 3, ""},
		petersonEnters: {"ENTER", 1, ""}, petersonLeaves: {"LEAVE", 1, ""},
	}, f.next)
}

func (f *filter) next(c configuration, do func(action, configuration)) {
	for p := range f.count {
		f.step(c, p, do)
	}
}

// step calls do for each step that process p can take next.
func (f *filter) step(c configuration, p int, do func(action, configuration)) {
	level := f.level[p].of(c) + 1
	to := func(point int) configuration { return f.at[p].set(c, point) }
	switch f.at[p].of(c) {
	case petersonRest:
		do(doing(petersonNCS, p, 0, 0), to(petersonRaise))
	case petersonRaise:
		do(doing(petersonWritesLevel, p, level, 0), to(petersonLast))
	case petersonLast:
		do(doing(petersonWritesLast, level, p, 0), f.last[level].set(to(petersonReadLevel), p))
	case petersonReadLevel:
		looked := f.other[p].of(c)
		other := (p + 1 + looked) % f.count
		found := f.seen(c, other)
		var next configuration
		switch {
		case found >= level:
			next = to(petersonReadLast)
		case looked+1 == f.count-1:
			next = f.passed(c, p, level)
		default:
			next = f.other[p].set(c, looked+1)
		}
		do(doing(petersonReadsLevel, p, other, found), next)
	case petersonReadLast:
		found := f.last[level].of(c)
		next := to(petersonReadLevel)
		if found != p {
			next = f.passed(c, p, level)
		}
		do(doing(petersonReadsLast, p, level, found), next)
	case petersonEnter:
		do(doing(petersonEnters, p, 0, 0), to(petersonInside))
	case petersonInside:
		do(doing(petersonLeaves, p, 0, 0), to(petersonLower))
	case petersonLower:
		do(doing(petersonWritesLevel, p, 0, 0), to(petersonRest))
	}
}

// seen returns the level of process p as the others see it.
func (f *filter) seen(c configuration, p int) int {
	switch f.at[p].of(c) {
	case petersonRest:
		return 0
	case petersonRaise:
		return f.level[p].of(c)
	case petersonEnter, petersonInside, petersonLower:
		return f.count - 1
	}
	return f.level[p].of(c) + 1
}

// passed moves process p to the next level, or into the critical section. Fields
// that are not used there become 0, so that configurations do not differ by them.
func (f *filter) passed(c configuration, p, level int) configuration {
	c = f.other[p].set(c, 0)
	if level == f.count-1 {
		return f.level[p].set(f.at[p].set(c, petersonEnter), 0)
	}
	return f.level[p].set(f.at[p].set(c, petersonRaise), level)
}
