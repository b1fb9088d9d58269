package property

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Task is the set of the transitions with certain labels. A task is enabled in a state that one of
// its transitions leaves. An infinite run is weakly fair to a task that it takes infinitely often,
// or that is disabled infinitely often on the run; it is strongly fair to a task that it takes
// infinitely often, or that is enabled only finitely often.
type Task struct {
	// Name is the name for people: a label, a process.
	Name string
	// Labels are the labels of its transitions.
	Labels []lts.Label
	// Strong asks for strong fairness.
	Strong bool
	// Nonstuttering leaves self-loops out of the task: they neither enable nor do it.
	Nonstuttering bool
}

// Fairness is an assumption about infinite runs: only those that meet it count.
// Runs that end in a deadlock always count. Nil assumes nothing. It is immutable.
type Fairness struct {
	full   bool
	tasks  []Task
	in     incidence // the indexes in tasks of the tasks of each label
	rare   []bool    // whether a label occurs finitely often; nil if none does
	labels int

	// These fields are for justness; just is nil if justness is not assumed. own is the number of
	// tasks that are given besides justness; they come first. metBy[l] are the tasks that label l
	// meets, as [Fairness.MetBy] defines it; meeting[k] are the labels that meet task k, in lists
	// that tasks share. blocking is indexed by label; nil if no label blocks.
	just     *Justness
	numOwn   int
	metBy    [][]uint32
	meeting  [][][]lts.Label
	blocking []bool
}

// NewFairness returns assumptions about models with alphabet a. With full, every
// transition that is enabled infinitely often is taken infinitely often. The
// labels of finitely occur finitely often; this assumption is no fairness, since
// there may be states from which no run meets it. NewFairness keeps the slices.
// It fails if a label is not in a, or if a task has no labels. Cost O(labels of
// a + all labels of tasks).
func NewFairness(
	a *lts.Alphabet,
	full bool,
	tasks []Task,
	finitely []lts.Label,
) (*Fairness, error) {
	f := &Fairness{full: full, tasks: tasks, labels: a.Len()}
	for _, t := range tasks {
		if len(t.Labels) == 0 {
			return nil, fmt.Errorf("property: task %s has no labels", t.Name)
		}
		for _, l := range t.Labels {
			if int(l) >= a.Len() {
				return nil, fmt.Errorf("property: task %s has label %d of %d", t.Name, l,
					a.Len())
			}
		}
	}
	f.in = incidenceOf(a.Len(), len(tasks), func(i int) []lts.Label {
		return tasks[i].Labels
	})
	for _, l := range finitely {
		if int(l) >= a.Len() {
			return nil, fmt.Errorf("property: label %d of %d is to be done finitely often", l,
				a.Len())
		}
		if f.rare == nil {
			f.rare = make([]bool, a.Len())
		}
		f.rare[l] = true
	}
	return f, nil
}

// Full reports whether every transition that is enabled infinitely often is taken
// infinitely often.
func (f *Fairness) Full() bool { return f.full }

// Tasks returns the tasks. The slice must not be changed.
func (f *Fairness) Tasks() []Task { return f.tasks }

// TasksOf returns the numbers of the tasks that label l belongs to, ascending. Cost
// O(1). The slice must not be changed.
func (f *Fairness) TasksOf(l lts.Label) []uint32 { return f.in.of(l) }

// Excludes reports whether some labels are assumed to occur finitely often, so
// that there may be states from which no run counts.
func (f *Fairness) Excludes() bool { return f.rare != nil }

// Rare reports whether label l is assumed to occur finitely often. Cost O(1).
func (f *Fairness) Rare(l lts.Label) bool { return f.rare != nil && f.rare[l] }

// Justness has the components, such as a process and a register, that each action
// of a model needs. An action interferes with itself, and with the actions that
// share a component with it. A run is just if each action that is not blocking is
// possible finitely often on it, or interfered with infinitely often; if the run
// is finite, only blocking actions may be possible at its end. (This is the
// justness of van Glabbeek and Höfner, on labels as in Bouwman, Luttik, Willemse,
// Off-the-shelf automated analysis of liveness properties for just paths, Acta
// Informatica 57, 2020, in a form in which every finite run can be continued to a
// just one. It equals theirs if every possible action stays possible until it is
// interfered with, see [Fairness.Misfit].)
type Justness struct {
	// Names has the name of each component.
	Names []string
	// Components lists for each label the components that it needs, as ascending
	// indexes of Names; none for an action that only interferes with itself.
	Components [][]uint32
	// Blocking are the labels that need the environment, which may refuse them forever.
	Blocking []lts.Label
}

// Fairness returns fairness as [NewFairness] does, for runs that are also just. In addition to the
// errors of NewFairness, it fails if j is not about the labels of a.
func (j *Justness) Fairness(
	a *lts.Alphabet,
	tasks []Task,
	finitely []lts.Label,
) (*Fairness, error) {
	if err := j.check(a); err != nil {
		return nil, err
	}
	blocking := make([]bool, a.Len())
	for _, l := range j.Blocking {
		blocking[l] = true
	}
	classes := j.classes()
	numOwn := len(tasks)
	tasks = slices.Clone(tasks)
	// Actions with the same components are interfered with by the same actions, so that one task
	// serves for all of them.
	taskOf := make([]int, len(classes))
	for i, class := range classes {
		taskOf[i] = -1
		var labels []lts.Label
		for _, l := range class {
			if !blocking[l] {
				labels = append(labels, l)
			}
		}
		if len(labels) > 0 {
			taskOf[i] = len(tasks)
			tasks = append(tasks, Task{
				Name:   j.nameOf(a, class[0]),
				Labels: labels,
				Strong: true,
			})
		}
	}
	f, err := NewFairness(a, false, tasks, finitely)
	if err != nil {
		return nil, err
	}
	f.just = j
	f.numOwn = numOwn
	if len(j.Blocking) > 0 {
		f.blocking = blocking
	}
	f.interfere(classes, taskOf)
	return f, nil
}

// check returns an error if the components or the blocking labels are not about the labels of a.
func (j *Justness) check(a *lts.Alphabet) error {
	if len(j.Components) != a.Len() {
		return fmt.Errorf("property: components are given for %d labels, but the alphabet has %d",
			len(j.Components), a.Len())
	}
	for l, needs := range j.Components {
		for i, c := range needs {
			if int(c) >= len(j.Names) || i > 0 && needs[i-1] >= c {
				return fmt.Errorf("property: the components of label %d are not ascending numbers below %d", l, len(j.Names))
			}
		}
	}
	for _, l := range j.Blocking {
		if int(l) >= a.Len() {
			return fmt.Errorf("property: label %d of %d is blocking", l, a.Len())
		}
	}
	return nil
}

// classes returns the labels with the same components together. A label without components has its own class.
func (j *Justness) classes() [][]lts.Label {
	var classes [][]lts.Label
	known := map[string]int{}
	for l, needs := range j.Components {
		key := fmt.Sprint(needs)
		i, ok := known[key]
		if !ok || len(needs) == 0 {
			i = len(classes)
			known[key] = i
			classes = append(classes, nil)
		}
		classes[i] = append(classes[i], lts.Label(l))
	}
	return classes
}

// nameOf returns the name of the task of a label: its components.
func (j *Justness) nameOf(a *lts.Alphabet, l lts.Label) string {
	var names []string
	for _, c := range j.Components[l] {
		names = append(names, j.Names[c])
	}
	if names == nil {
		return a.Text(l)
	}
	return strings.Join(names, " and ")
}

// interfere records which tasks the actions of each class interfere with, and which classes
// interfere with each task.
func (f *Fairness) interfere(classes [][]lts.Label, taskOf []int) {
	j := f.just
	needing := make([][]int, len(j.Names)) // the classes that need each component
	for i, class := range classes {
		for _, c := range j.Components[class[0]] {
			needing[c] = append(needing[c], i)
		}
	}
	f.metBy = make([][]uint32, f.labels)
	f.meeting = make([][][]lts.Label, len(f.tasks))
	for i, class := range classes {
		others := []int{i}
		for _, c := range j.Components[class[0]] {
			others = append(others, needing[c]...)
		}
		slices.Sort(others)
		var tasks []uint32
		for _, other := range slices.Compact(others) {
			task := taskOf[other]
			if task >= 0 {
				tasks = append(tasks, uint32(task))
				f.meeting[task] = append(f.meeting[task], class)
			}
		}
		slices.Sort(tasks)
		f.noteMet(class, tasks)
	}
	for k := range f.numOwn {
		f.meeting[k] = [][]lts.Label{f.tasks[k].Labels}
	}
}

// noteMet records the tasks that each label of a class meets: its own tasks, and the given tasks,
// which are the tasks of justness with which the whole class interferes. Labels with the same own
// tasks share a list.
func (f *Fairness) noteMet(class []lts.Label, tasks []uint32) {
	shared := map[string][]uint32{}
	for _, l := range class {
		ownTasks := f.ownTasks(l)
		if len(ownTasks) == 0 {
			f.metBy[l] = tasks
			continue
		}
		key := fmt.Sprint(ownTasks)
		if shared[key] == nil {
			shared[key] = slices.Concat(ownTasks, tasks)
		}
		f.metBy[l] = shared[key]
	}
}

// ownTasks returns the tasks of a label given besides justness.
func (f *Fairness) ownTasks(l lts.Label) []uint32 {
	tasks := f.TasksOf(l)
	for i, k := range tasks {
		if int(k) >= f.numOwn {
			return tasks[:i]
		}
	}
	return tasks
}

// BesidesJustness returns the tasks given besides justness. Cost O(1). The slice
// must not be changed.
func (f *Fairness) BesidesJustness() []Task {
	if f.just == nil {
		return f.tasks
	}
	return f.tasks[:f.numOwn]
}

// IsOfComponents reports whether task k belongs to justness and is named after
// the components that its actions need. Cost O(1).
func (f *Fairness) IsOfComponents(k uint32) bool {
	return f.just != nil && int(k) >= f.numOwn && len(f.just.Components[f.tasks[k].Labels[0]]) > 0
}

// Justness returns the justness that is assumed; nil if none is. Cost O(1).
func (f *Fairness) Justness() *Justness {
	if f == nil {
		return nil
	}
	return f.just
}

// MetBy returns, ascending, the tasks that a transition labelled l does, and the
// tasks of justness that it interferes with: a run with infinitely many such
// transitions is fair to these tasks. Cost O(1). The slice must not be changed.
func (f *Fairness) MetBy(l lts.Label) []uint32 {
	if f.metBy == nil {
		return f.TasksOf(l)
	}
	return f.metBy[l]
}

// SomeMeeting reports whether wanted returns true for a label that meets task k, see
// [Fairness.MetBy]. Cost: calls of wanted until it returns true.
func (f *Fairness) SomeMeeting(k uint32, wanted func(lts.Label) bool) bool {
	if f.meeting == nil {
		return slices.ContainsFunc(f.tasks[k].Labels, wanted)
	}
	for _, class := range f.meeting[k] {
		if slices.ContainsFunc(class, wanted) {
			return true
		}
	}
	return false
}

// Blocks reports whether the environment may refuse label l forever. Cost O(1).
func (f *Fairness) Blocks(l lts.Label) bool { return f.blocking != nil && f.blocking[l] }

// MayEnd reports whether a run that counts may end in s: s is a deadlock, or only
// blocking actions are possible there. A nil f assumes nothing. Cost O(out-degree
// of s) if labels are blocking, otherwise O(1).
func (f *Fairness) MayEnd(m *lts.LTS, s lts.State) bool {
	if f == nil || f.blocking == nil || m.IsDeadlock(s) {
		return m.IsDeadlock(s)
	}
	labels, _ := m.Out(s)
	for i := range labels.Len() {
		if !f.blocking[labels.At(i)] {
			return false
		}
	}
	return true
}

// Finitely returns the same assumption, but with these labels as those that occur
// finitely often. It fails as [NewFairness] does.
func (f *Fairness) Finitely(a *lts.Alphabet, labels []lts.Label) (*Fairness, error) {
	if f.just == nil {
		return NewFairness(a, f.full, f.tasks, labels)
	}
	return f.just.Fairness(a, f.BesidesJustness(), labels)
}

// looksForVanishing limits the search for vanishing actions: the average number
// of labels examined for each state and transition of a model.
const looksForVanishing = 32

// Misfit describes the first action that can vanish without interference, although it is not
// blocking: a transition that does not interfere with the action leads to a state without it. If
// there is such an action, the components do not fit the model; if there is none, justness is as in
// the papers, see [Justness]. Actions are examined in reachable states. Misfit returns "" if there
// is none, if f does not assume justness, or if the search would take too long because states have
// too many transitions. It fails if ctx is done. Cost O(S + T), times the transitions of a state.
func (f *Fairness) Misfit(ctx context.Context, m *lts.LTS) (string, error) {
	if f.Justness() == nil {
		return "", nil
	}
	if err := m.FindReachable(ctx); err != nil {
		return "", err
	}
	lastWith, err := resources.Make[lts.State](ctx, m.Alphabet().Len())
	if err != nil {
		return "", err
	}
	x := &misfits{
		fairness: f,
		m:        m,
		lastWith: lastWith,
		left:     looksForVanishing * int64(m.NumStates()+m.NumTransitions()),
	}
	reach := m.Reachable()
	for s := range lts.State(m.NumStates()) {
		if s%4096 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		if !reach.Has(s) {
			continue
		}
		misfit := x.in(s)
		if misfit != "" || x.left < 0 {
			return misfit, nil
		}
	}
	return "", nil
}

// misfits looks for actions that vanish without interference.
type misfits struct {
	fairness *Fairness
	m        *lts.LTS
	// lastWith is, for each label, one more than the last state examined that has it.
	lastWith []lts.State
	left     int64 // the work that is left; the search ends below 0
}

// in describes an action that vanishes when a transition leaves state s; "" if there is none.
func (x *misfits) in(s lts.State) string {
	a := x.m.Alphabet()
	labels, targets := x.m.Out(s)
	for i, t := range targets {
		if t == s {
			continue
		}
		next, _ := x.m.Out(t)
		for j := range next.Len() {
			x.lastWith[a.Plain(next.At(j))] = t + 1
		}
		taken := labels.At(i)
		vanishing, found := x.vanishing(labels, taken, t)
		if found {
			return fmt.Sprintf("possible actions vanish without interference in state %d (%s, when %s is taken): the lanes do not fit the model",
				s, a.Text(vanishing), a.Text(taken))
		}
		x.left -= int64(next.Len() + labels.Len())
		if x.left < 0 {
			return ""
		}
	}
	return ""
}

// vanishing returns the first of some labels that is not possible in state t, although the label that was taken
// does not interfere with it. lastWith has the labels that are possible in t.
func (x *misfits) vanishing(
	labels lts.Labels,
	taken lts.Label,
	t lts.State,
) (vanishing lts.Label, found bool) {
	for j := range labels.Len() {
		l := labels.At(j)
		isPossible := x.lastWith[x.m.Alphabet().Plain(l)] == t+1
		if !isPossible && !x.fairness.Blocks(l) && !x.interferes(taken, l) {
			return l, true
		}
	}
	return 0, false
}

// interferes reports whether an action interferes with a label that is not blocking.
func (x *misfits) interferes(taken, l lts.Label) bool {
	tasks := x.fairness.TasksOf(l)
	ofJustness := tasks[len(tasks)-1] // for a label that is not blocking
	return slices.Contains(x.fairness.MetBy(taken), ofJustness)
}
