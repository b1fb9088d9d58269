package generate

import (
	"context"
	"strconv"

	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
)

// configuration is a configuration of an algorithm as one number: fields of bits
// side by side; the initial one is 0.
type configuration uint64

// field is a group of bits of a configuration.
type field struct{ shift, width uint }

func (f field) of(c configuration) int { return int(c >> f.shift & (1<<f.width - 1)) }

// set returns c with this value in the field.
func (f field) set(c configuration, value int) configuration {
	return c&^(configuration(1<<f.width-1)<<f.shift) | configuration(value)<<f.shift
}

// fields gives each process a field of each width, all side by side from the bit first on. It returns
// for each width the fields of the processes, and the first bit after all fields.
func fields(first uint, processes int, widths ...uint) (byWidth [][]field, end uint) {
	byWidth = make([][]field, len(widths))
	end = first
	for range processes {
		for i, width := range widths {
			byWidth[i] = append(byWidth[i], field{shift: end, width: width})
			end += width
		}
	}
	return byWidth, end
}

// action is a label in 16 bits: the number of an event and its offers, four bits
// each.
type action uint16

// doing returns the action of an event with at most three offers, each smaller than 16.
func doing(event int, offers ...int) action {
	a := event << 12
	for i, offer := range offers {
		a |= offer << offerShift(i)
	}
	return action(a)
}

// event returns the number of the action's event.
func (a action) event() int { return int(a >> 12) }

// offer returns the i-th offer, from 0.
func (a action) offer(i int) int { return int(a >> offerShift(i) & 15) }

// offerShift returns the lowest bit of the i-th offer of an action, from 0.
func offerShift(i int) int { return 8 - 4*i }

// event is an action of an algorithm: its name, its number of offers, and a
// suffix that all its labels have.
type event struct {
	name   string
	offers int
	end    string
}

// successors calls do for every step that can follow a configuration.
type successors func(c configuration, do func(action, configuration))

// explore numbers all configurations reachable from configuration 0, breadth
// first, as [lts.Explore] does. It is several times faster and smaller than
// lts.Explore, because a configuration is one word and each label is formatted
// once. Cost O(S + T) time, 8 bytes a state and 6 a transition, and up to 25
// bytes a state more while it runs.
func explore(ctx context.Context, events []event, next successors) (model, error) {
	meter := progress.Start(ctx, "explore", progress.States, 0)
	x := &explorer{slots: make([]uint32, 1<<10), shift: 64 - 10}
	x.number(0)
	actions := &actionNames{events: events, known: make([]uint16, 1<<16)}
	var (
		ends    pagedlist.List[int] // the end of the row of each state
		targets pagedlist.List[lts.State]
		labels  pagedlist.List[uint16]
	)
	addStep := func(a action, c configuration) {
		labels.Append(actions.number(a))
		targets.Append(x.number(c))
	}
	for from := 0; from < x.all.Len(); from++ {
		if from%1024 == 0 && ctx.Err() != nil {
			return model{}, ctx.Err()
		}
		next(*x.all.At(from), addStep)
		ends.Append(targets.Len())
		if ends.Len()%step == 0 {
			meter.Add(step)
		}
		if err := x.grow(ctx); err != nil {
			return model{}, err
		}
	}
	return model{
		labels:      named(actions.names...),
		states:      uint64(ends.Len()),
		transitions: uint64(targets.Len()),
		row: func(add sink, state uint64) {
			first := 0
			if state > 0 {
				first = *ends.At(int(state) - 1)
			}
			for i := first; i < *ends.At(int(state)); i++ {
				add(state, uint64(*labels.At(i)), uint64(*targets.At(i)))
			}
		},
	}, nil
}

// explorer numbers configurations.
type explorer struct {
	all pagedlist.List[configuration]
	// slots is a hash table with linear probing, in which a slot has one more than a configuration's
	// number; 0 if the slot is empty. The first slot of a configuration is its hash value, shifted to
	// the right.
	slots []uint32
	shift int
}

// number returns the number of a configuration; a new one if it has none.
func (x *explorer) number(c configuration) lts.State {
	table := x.slots
	lastSlot := uint64(len(table) - 1)
	slot := mix(uint64(c)) >> x.shift
	for table[slot] != 0 {
		s := table[slot] - 1
		if *x.all.At(int(s)) == c {
			return lts.State(s)
		}
		slot = (slot + 1) & lastSlot
	}
	x.all.Append(c)
	table[slot] = uint32(x.all.Len())
	return lts.State(x.all.Len() - 1)
}

// grow makes the table larger if more than three quarters of it are in use. It is called once for each
// state, after its transitions: these are far fewer than a quarter of the smallest table.
func (x *explorer) grow(ctx context.Context) error {
	if 4*x.all.Len() <= 3*len(x.slots) {
		return nil
	}
	x.slots = make([]uint32, 2*len(x.slots))
	x.shift--
	for i, c := range x.all.All() {
		if i%step == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		slot := mix(uint64(c)) >> x.shift
		for x.slots[slot] != 0 {
			slot = (slot + 1) & uint64(len(x.slots)-1)
		}
		x.slots[slot] = uint32(i + 1)
	}
	return nil
}

// actionNames numbers actions and has their texts.
type actionNames struct {
	events []event
	known  []uint16 // one more than the number of an action; 0 if it is new
	names  []string
}

// number returns the number of an action; a new one if it has none.
func (n *actionNames) number(a action) uint16 {
	if n.known[a] == 0 {
		n.names = append(n.names, n.text(a))
		n.known[a] = uint16(len(n.names))
	}
	return n.known[a] - 1
}

func (n *actionNames) text(a action) string {
	e := n.events[a.event()]
	text := e.name
	for i := range e.offers {
		text += " !" + strconv.Itoa(a.offer(i))
	}
	return text + e.end
}

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
	// position[p], level[p] and looked[p] belong to process p: its position in the
	// program, the level that it tries to pass, less 1, and the number of
	// processes whose level it has read on this level. last[l] is the last
	// process that came to level l. The level of a process that the others read
	// follows from its position.
	position, level, looked, last []field
}

// preparePeterson explores Peterson's algorithm.
func preparePeterson(ctx context.Context, s Spec) (model, error) {
	const (
		positionBits = 3 // the program of a process has eight positions
		levelBits    = 2
		lookedBits   = 2
		lastBits     = 3 // the number of a process
	)
	ofProcesses, end := fields(0, s.Processes, positionBits, levelBits, lookedBits)
	ofLevels, _ := fields(end, s.Processes-1, lastBits)
	var noLevel field // levels are numbered from 1
	f := &filter{
		count:    s.Processes,
		position: ofProcesses[0],
		level:    ofProcesses[1],
		looked:   ofProcesses[2],
		last:     append([]field{noLevel}, ofLevels[0]...),
	}
	return explore(ctx, []event{
		petersonNCS:         {name: "NCS", offers: 1},
		petersonWritesLevel: {name: "WRITE_LEVEL", offers: 2},
		petersonWritesLast:  {name: "WRITE_LAST", offers: 2},
		petersonReadsLevel:  {name: "READ_LEVEL", offers: 3},
		petersonReadsLast:   {name: "READ_LAST", offers: 3},
		petersonEnters:      {name: "ENTER", offers: 1},
		petersonLeaves:      {name: "LEAVE", offers: 1},
	}, f.next)
}

// next calls do with the actions that processes can do in a configuration, and with the configurations
// to which they lead.
func (f *filter) next(c configuration, do func(action, configuration)) {
	for p := range f.count {
		do(f.step(c, p))
	}
}

// step returns the only step that process p can do in a configuration.
func (f *filter) step(c configuration, p int) (action, configuration) {
	level := f.level[p].of(c) + 1
	moveTo := func(point int) configuration { return f.position[p].set(c, point) }
	switch f.position[p].of(c) {
	case petersonRest:
		return doing(petersonNCS, p), moveTo(petersonRaise)
	case petersonRaise:
		return doing(petersonWritesLevel, p, level), moveTo(petersonLast)
	case petersonLast:
		return doing(petersonWritesLast, level, p), f.last[level].set(moveTo(petersonReadLevel), p)
	case petersonReadLevel:
		return f.readLevel(c, p, level)
	case petersonReadLast:
		return f.readLast(c, p, level)
	case petersonEnter:
		return doing(petersonEnters, p), moveTo(petersonInside)
	case petersonInside:
		return doing(petersonLeaves, p), moveTo(petersonLower)
	default: // petersonLower
		return doing(petersonWritesLevel, p, 0), moveTo(petersonRest)
	}
}

// readLevel returns the step by which process p, which tries to pass a level, reads the level of the next
// one of the others.
func (f *filter) readLevel(c configuration, p, level int) (action, configuration) {
	looked := f.looked[p].of(c)
	other := (p + 1 + looked) % f.count
	found := f.seen(c, other)
	read := doing(petersonReadsLevel, p, other, found)
	switch {
	case found >= level:
		return read, f.position[p].set(c, petersonReadLast)
	case looked+1 == f.count-1:
		return read, f.passed(c, p, level)
	}
	return read, f.looked[p].set(c, looked+1)
}

// readLast returns the step by which process p reads which process came last to the level that p tries to
// pass.
func (f *filter) readLast(c configuration, p, level int) (action, configuration) {
	found := f.last[level].of(c)
	read := doing(petersonReadsLast, p, level, found)
	if found != p {
		return read, f.passed(c, p, level)
	}
	return read, f.position[p].set(c, petersonReadLevel)
}

// seen returns the level of process p as the others see it.
func (f *filter) seen(c configuration, p int) int {
	switch f.position[p].of(c) {
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
	c = f.looked[p].set(c, 0)
	if level == f.count-1 {
		return f.level[p].set(f.position[p].set(c, petersonEnter), 0)
	}
	return f.level[p].set(f.position[p].set(c, petersonRaise), level)
}

// maxDijkstra bounds a model to 2 GB. A model with one more process would take
// twenty times as much.
const maxDijkstra = 6

// The positions of a process in Dijkstra's program.
const (
	dijkstraRest = iota
	dijkstraTestK
	dijkstraUnclaim
	dijkstraTestOwner
	dijkstraTakeK
	dijkstraClaim
	dijkstraTestOthers
	dijkstraEnter
	dijkstraInside
	dijkstraRelease
	dijkstraForget
)

// The actions of a process in Dijkstra's algorithm.
const (
	dijkstraWants = iota
	dijkstraWantsNot
	dijkstraClaims
	dijkstraClaimsNot
	dijkstraWritesK
	dijkstraReadsK
	dijkstraReadsB
	dijkstraReadsC
	dijkstraEnters
	dijkstraLeaves
)

// turns is Dijkstra's algorithm (Solution of a problem in concurrent programming
// control, Communications of the ACM 8(9), 1965). His booleans b and c are stored
// negated: process p wants to enter where b[p] is false, and claims to be about
// to enter where c[p] is false. Every access to a shared variable is a step of
// its own. A process that would only read the same value again waits instead.
type turns struct {
	count int
	// tested[p] is the number of processes that p has seen without a claim.
	position, wants, claims, tested []field
	k                               field
}

// prepareDijkstra explores Dijkstra's algorithm. The program of a process has eleven positions, in four bits.
func prepareDijkstra(ctx context.Context, s Spec) (model, error) {
	ofProcesses, end := fields(0, s.Processes, 4, 1, 1, 3)
	t := &turns{
		count:    s.Processes,
		position: ofProcesses[0],
		wants:    ofProcesses[1],
		claims:   ofProcesses[2],
		tested:   ofProcesses[3],
		k:        field{shift: end, width: 3},
	}
	return explore(ctx, []event{
		dijkstraWants:     {name: "WRITE_B", offers: 1, end: " !FALSE"},
		dijkstraWantsNot:  {name: "WRITE_B", offers: 1, end: " !TRUE"},
		dijkstraClaims:    {name: "WRITE_C", offers: 1, end: " !FALSE"},
		dijkstraClaimsNot: {name: "WRITE_C", offers: 1, end: " !TRUE"},
		dijkstraWritesK:   {name: "WRITE_K", offers: 1},
		dijkstraReadsK:    {name: "READ_K", offers: 2},
		dijkstraReadsB:    {name: "READ_B", offers: 2, end: " !TRUE"},
		dijkstraReadsC:    {name: "READ_C", offers: 2, end: " !TRUE"},
		dijkstraEnters:    {name: "ENTER", offers: 1},
		dijkstraLeaves:    {name: "LEAVE", offers: 1},
	}, t.next)
}

// next calls do with the actions that processes can do in a configuration, and with the configurations
// to which they lead.
func (t *turns) next(c configuration, do func(action, configuration)) {
	for p := range t.count {
		t.step(c, p, do)
	}
}

// step calls do with the step that process p can do in a configuration. A process waits while the owner
// of k wants to enter.
func (t *turns) step(c configuration, p int, do func(action, configuration)) {
	k := t.k.of(c)
	moveTo := func(point int) configuration { return t.position[p].set(c, point) }
	switch t.position[p].of(c) {
	case dijkstraRest:
		do(doing(dijkstraWants, p), t.wants[p].set(moveTo(dijkstraTestK), 1))
	case dijkstraTestK:
		next := moveTo(dijkstraUnclaim)
		if k == p {
			next = moveTo(dijkstraClaim)
		}
		do(doing(dijkstraReadsK, p, k), next)
	case dijkstraUnclaim:
		do(doing(dijkstraClaimsNot, p), t.claims[p].set(moveTo(dijkstraTestOwner), 0))
	case dijkstraTestOwner:
		if t.wants[k].of(c) == 0 {
			do(doing(dijkstraReadsB, p, k), moveTo(dijkstraTakeK))
		}
	case dijkstraTakeK:
		do(doing(dijkstraWritesK, p), t.k.set(moveTo(dijkstraTestK), p))
	case dijkstraClaim:
		do(doing(dijkstraClaims, p), t.claims[p].set(moveTo(dijkstraTestOthers), 1))
	case dijkstraTestOthers:
		t.testOthers(c, p, do)
	case dijkstraEnter:
		do(doing(dijkstraEnters, p), moveTo(dijkstraInside))
	case dijkstraInside:
		do(doing(dijkstraLeaves, p), moveTo(dijkstraRelease))
	case dijkstraRelease:
		do(doing(dijkstraClaimsNot, p), t.claims[p].set(moveTo(dijkstraForget), 0))
	case dijkstraForget:
		do(doing(dijkstraWantsNot, p), t.wants[p].set(moveTo(dijkstraRest), 0))
	}
}

// testOthers makes the steps of a process that tests whether another one claims to enter.
func (t *turns) testOthers(c configuration, p int, do func(action, configuration)) {
	k := t.k.of(c)
	tested := t.tested[p].of(c)
	other := (p + 1 + tested) % t.count
	otherClaims := t.claims[other].of(c) != 0
	isLast := tested+1 == t.count-1
	moveTo := func(point int) configuration {
		return t.tested[p].set(t.position[p].set(c, point), 0)
	}
	switch {
	case !otherClaims && isLast:
		do(doing(dijkstraReadsC, p, other), moveTo(dijkstraEnter))
	case !otherClaims:
		do(doing(dijkstraReadsC, p, other), t.tested[p].set(c, tested+1))
	case k != p:
		do(doing(dijkstraReadsK, p, k), moveTo(dijkstraUnclaim))
	}
}

// maxPhilosophers bounds a model to 2 GB. With each further philosopher, a model
// takes over three times as much.
const maxPhilosophers = 14

// The phases of a meal, in their order.
const (
	thinking = iota
	holdingOne
	holdingBoth
	fed
	droppedOne
)

// The actions of a philosopher.
const (
	takes = iota
	eats
	drops
)

// table is the dining philosophers of Dijkstra (Hierarchical ordering of
// sequential processes, 1971). Fork p lies to the left of philosopher p, who
// takes the left fork first and drops it first. At an asymmetric table, one
// philosopher takes and drops the right one first.
type table struct {
	count      int
	asymmetric bool
	phase      []field
	taken      []field
}

// preparePhilosophers explores the dining philosophers. A meal has five phases, in three bits.
func preparePhilosophers(ctx context.Context, s Spec) (model, error) {
	ofProcesses, _ := fields(0, s.Processes, 3, 1)
	t := &table{
		count:      s.Processes,
		asymmetric: s.Asymmetric,
		phase:      ofProcesses[0],
		taken:      ofProcesses[1],
	}
	return explore(ctx, []event{
		takes: {name: "TAKE", offers: 2},
		eats:  {name: "EAT", offers: 1},
		drops: {name: "DROP", offers: 2},
	}, t.next)
}

// next calls do with the actions that philosophers can do in a configuration, and with the
// configurations to which they lead.
func (t *table) next(c configuration, do func(action, configuration)) {
	for p := range t.count {
		t.step(c, p, do)
	}
}

// step calls do with the step that philosopher p can do in a configuration. A philosopher waits while
// the fork to take is taken.
func (t *table) step(c configuration, p int, do func(action, configuration)) {
	first := p
	second := (p + 1) % t.count
	if t.asymmetric && p == t.count-1 {
		first, second = second, first
	}
	phase := t.phase[p].of(c)
	next := t.phase[p].set(c, (phase+1)%(droppedOne+1))
	take := func(fork int) {
		if t.taken[fork].of(c) == 0 {
			do(doing(takes, p, fork), t.taken[fork].set(next, 1))
		}
	}
	drop := func(fork int) {
		do(doing(drops, p, fork), t.taken[fork].set(next, 0))
	}
	switch phase {
	case thinking:
		take(first)
	case holdingOne:
		take(second)
	case holdingBoth:
		do(doing(eats, p), next)
	case fed:
		drop(first)
	case droppedOne:
		drop(second)
	}
}
