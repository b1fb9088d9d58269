package counterexample

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// tasksAtOnce is the number of tasks in one set, which is a machine word.
const tasksAtOnce = 64

// obligations are at most [tasksAtOnce] tasks to which a run has to be fair. Each task has a bit.
type obligations struct {
	m      *lts.LTS
	n      int
	strong uint64   // the tasks that ask for strong fairness
	taken  []uint64 // for each label of the model, the tasks whose transitions have it
}

// obligationsOf divides tasks into obligations.
func obligationsOf(m *lts.LTS, tasks []property.Task) []*obligations {
	var all []*obligations
	for chunk := range slices.Chunk(tasks, tasksAtOnce) {
		o := &obligations{
			m:     m,
			n:     len(chunk),
			taken: make([]uint64, m.Alphabet().Len()),
		}
		for i, task := range chunk {
			if task.Strong {
				o.strong |= 1 << i
			}
			for _, l := range task.Labels {
				o.taken[l] |= 1 << i
			}
		}
		all = append(all, o)
	}
	return all
}

// enabled returns the tasks that some transition from a state of the model does.
func (o *obligations) enabled(s lts.State) (tasks uint64) {
	labels, _ := o.m.Out(s)
	for i := range labels.Len() {
		tasks |= o.taken[labels.At(i)]
	}
	return tasks
}

// isFair reports whether a run that repeats a loop of the model forever is fair to the tasks.
func (o *obligations) isFair(loop []lts.Transition) bool {
	always := ^uint64(0)
	sometimes := uint64(0)
	taken := uint64(0)
	for _, step := range loop {
		enabled := o.enabled(step.From)
		always &= enabled
		sometimes |= enabled
		taken |= o.taken[step.Label]
	}
	// A weak task must be taken if it is always enabled, a strong task if it is enabled at least once.
	demanded := always&^o.strong | sometimes&o.strong
	return demanded&^taken == 0
}

// fairRun returns a run of the model that fits the given trace and violates the property. If the
// run is infinite, it is fair to the tasks. fairRun returns nil if it finds no such run.
func (y *matching) fairRun(tasks []property.Task) (t *Trace, note MatchNote) {
	w := tableHalf{y.p}.match(y).(*tableMatching)
	w.fair = obligationsOf(y.m, tasks)
	found := w.maximal()
	if found == nil {
		found = w.closedAtCut()
		note.Closed = found != nil
	}
	if found == nil {
		return nil, MatchNote{}
	}
	if !note.Closed {
		note.Rounds = y.rounds(found)
	}
	t = violating("matching", y.m, y.p, y.inModel(found.steps), found.loop)
	note.Skipped = len(found.steps) - y.countTaken(found.steps)
	note.last = t.Last()
	return t, note
}

// fitProduct is a product of the model and the given trace. Its labels have the data on which the
// acceptance of a run depends: the label of the model, whether the transition is a step of the
// given trace, and which tasks are enabled before it.
type fitProduct struct {
	y         *tableMatching
	automaton property.Automaton // of the property
	o         *obligations       // nil if there are no tasks
	// fits is the colour of the transitions that are steps of the given trace.
	fits int
	// did[i] is the colour of transitions that do task i. can[i] is the colour of transitions from
	// states that enable a strong task i, or do not enable a weak task i.
	did, can []int
	// enabled are the sets of tasks that some state enables. taken are the sets of tasks that some
	// label does. Both ascend.
	enabled, taken []uint64
}

// newFitProduct returns the product; nil if there are not enough colours or letters to distinguish
// so many tasks, or if the complement of its condition has too many pairs. Then a run is chosen without
// regard to the tasks, and whether this run is fair is decided on its loop.
func (y *tableMatching) newFitProduct() *fitProduct {
	f := &fitProduct{
		y:         y,
		automaton: y.p.Automaton(),
		fits:      spareColour(y.p, "a given trace"),
		enabled:   []uint64{0},
		taken:     []uint64{0},
	}
	if len(y.fair) == 0 {
		return f
	}
	used, _ := f.automaton.Acceptance.Colours()
	var spare []int
	for c := range property.Colours {
		if !used.Has(c) && c != f.fits {
			spare = append(spare, c)
		}
	}
	f.o = y.fair[0]
	if len(y.fair) > 1 || len(spare) < 2*f.o.n || y.numFairPairs(f.o.n) > mostPairs {
		return nil
	}
	f.did = spare[:f.o.n]
	f.can = spare[f.o.n : 2*f.o.n]
	for s := range y.q.NumStates() {
		f.enabled = append(f.enabled, f.o.enabled(y.joints[s].state))
	}
	for _, l := range y.labels {
		f.taken = append(f.taken, f.o.taken[l])
	}
	f.enabled = ascending(f.enabled)
	f.taken = ascending(f.taken)
	if f.columns() > math.MaxUint16 {
		return nil
	}
	return f
}

// numFairPairs returns the number of pairs of the complement of the condition "p, or the run is unfair to one
// of n tasks": each pair of p, with one of two ways to be fair for each task.
func (y *tableMatching) numFairPairs(n int) int {
	pairs, isSmall := y.p.Acceptance().Not().Pairs(mostPairs)
	if !isSmall || n > bits.Len(mostPairs) {
		return mostPairs + 1
	}
	return len(pairs) << n
}

// ascending sorts sets of tasks, and removes duplicates.
func ascending(sets []uint64) []uint64 {
	slices.Sort(sets)
	return slices.Compact(sets)
}

// columns returns the number of letters of [fitProduct.property].
func (f *fitProduct) columns() int {
	return 2*f.automaton.Columns*len(f.enabled)*len(f.taken) + 1
}

// perLabel returns how many labels [fitProduct.model] has for each label of y.q: for each set of
// enabled tasks, one for steps of the given trace and one for other transitions.
func (f *fitProduct) perLabel() int { return 2 * len(f.enabled) }

// model returns the product with these labels, and the letter of each label. The last label, stuck,
// belongs to states from which the run cannot follow the given trace.
func (f *fitProduct) model() (m *lts.LTS, letters []uint16) {
	var b lts.Builder
	letters = f.addLabels(&b)
	stuck := b.Label("stuck")
	letters = append(letters, uint16(f.columns()-1))
	y := f.y
	for s := range lts.State(y.q.NumStates()) {
		enabled := uint64(0)
		if f.o != nil {
			enabled = f.o.enabled(y.joints[s].state)
		}
		enabledIndex, _ := slices.BinarySearch(f.enabled, enabled)
		labels, targets := y.q.Out(s)
		for i, t := range targets {
			l := int(labels.At(i))*f.perLabel() + 2*enabledIndex
			isStepOfTrace := y.accepts(s, labels.At(i), t)
			if isStepOfTrace {
				l++
			}
			b.Add(s, lts.Label(l), t)
		}
		isStuck := len(targets) == 0 && !y.isEnd(s)
		if isStuck {
			b.Add(s, stuck, s)
		}
	}
	return abort.Must(b.Build(y.q.Initial(), y.q.NumStates())), letters
}

// addLabels adds the labels of the product but the last one, and returns their letters.
func (f *fitProduct) addLabels(b *lts.Builder) (letters []uint16) {
	for l, original := range f.y.labels {
		taken := uint64(0)
		if f.o != nil {
			taken = f.o.taken[original]
		}
		takenIndex, _ := slices.BinarySearch(f.taken, taken)
		for i := range f.perLabel() {
			b.Label(strconv.Itoa(l) + " " + strconv.Itoa(i))
			withEnabled := int(f.automaton.Letters[original])*f.perLabel() + i
			letters = append(letters, uint16(withEnabled*len(f.taken)+takenIndex))
		}
	}
	return letters
}

// property returns the property "p, or only finitely many steps of the given trace occur, or the
// run is not fair". A letter combines a letter of p with an index below perLabel and an index of
// taken; the last letter is that of stuck.
func (f *fitProduct) property(m *lts.LTS, letters []uint16) *property.Property {
	t := property.Automaton{
		Letters:    letters,
		Columns:    f.columns(),
		Initial:    f.automaton.Initial,
		Stop:       f.automaton.Stop,
		Name:       f.automaton.Name,
		Acceptance: f.acceptance(),
	}
	added := property.Mark(f.fits) | property.Mark(f.did...) | property.Mark(f.can...)
	for q := range property.Q(f.automaton.States()) {
		for l := range f.automaton.Columns {
			entry := int(q)*f.automaton.Columns + l
			marks := property.Marks(0)
			if f.automaton.Marks != nil {
				marks = f.automaton.Marks[entry] &^ added
			}
			for i := range f.perLabel() {
				isStepOfTrace := i%2 == 1
				enabled := f.enabled[i/2]
				for _, taken := range f.taken {
					t.Next = append(t.Next, f.automaton.Next[entry])
					t.Marks = append(t.Marks, marks|f.marks(isStepOfTrace, enabled, taken))
				}
			}
		}
		t.Next = append(t.Next, q)
		t.Marks = append(t.Marks, 0)
	}
	return abort.Must(property.Table(m.Alphabet(), t))
}

// marks returns those colours of a transition that are no colours of p.
func (f *fitProduct) marks(isStepOfTrace bool, enabled, taken uint64) (marks property.Marks) {
	if isStepOfTrace {
		marks |= property.Mark(f.fits)
	}
	for i := range f.did {
		if taken>>i&1 != 0 {
			marks |= property.Mark(f.did[i])
		}
		isEnabled := enabled>>i&1 != 0
		if isEnabled == f.isStrong(i) {
			marks |= property.Mark(f.can[i])
		}
	}
	return marks
}

func (f *fitProduct) isStrong(task int) bool { return f.o.strong>>task&1 != 0 }

// acceptance returns the condition of [fitProduct.property]: the condition of p holds, or only
// finitely many steps of the given trace occur, or the run neglects a task.
func (f *fitProduct) acceptance() property.Acceptance {
	accepted := []property.Acceptance{f.automaton.Acceptance, property.Fin(f.fits)}
	for i := range f.did {
		// The colour can[i] marks states that do not enable a weak task, or that enable a strong one. So
		// fairness demands a weak task if the colour does not recur, since the task is then always
		// enabled from some state on. It demands a strong task if the colour recurs.
		isDemanded := property.Fin(f.can[i])
		if f.isStrong(i) {
			isDemanded = property.Inf(f.can[i])
		}
		isTakenFinitely := property.Fin(f.did[i])
		accepted = append(accepted, property.All(isTakenFinitely, isDemanded))
	}
	return property.Any(accepted...)
}
