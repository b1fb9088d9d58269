package generate

import "context"

// maxPeterson bounds a model to 2 GB. The next one would take a hundred times
// that.
const maxPeterson = 5

// The places in Peterson's program where a process can be.
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

// What a process of Peterson's does.
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
// exclusion problem, Information Processing Letters 12(3), 1981): a process passes
// levels 1 to n-1, and waits on each until all others are on lower levels or
// another one came to this level after it. The others are looked at one by one, in
// turn from the next process on; every access to a shared variable is a step of its
// own. With two processes this is his algorithm for two.
type filter struct {
	count int
	// at, level and other are of each process: where it is in its program, the
	// level that it tries to pass less 1, and at whom it looks, as the number of
	// those whom it has looked at on this level. last[l] is the last process to
	// come to level l. The level of a process that the others see follows from
	// where the process is.
	at, level, other, last []field
}

func preparePeterson(ctx context.Context, s Spec) (model, error) {
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

// step does what process p can do next.
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

// passed sends process p to the next level, or inside. What it has no use for is
// set to 0, so that configurations do not differ by it.
func (f *filter) passed(c configuration, p, level int) configuration {
	c = f.other[p].set(c, 0)
	if level == f.count-1 {
		return f.level[p].set(f.at[p].set(c, petersonEnter), 0)
	}
	return f.level[p].set(f.at[p].set(c, petersonRaise), level)
}
