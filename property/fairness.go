package property

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// Task is a set of transitions, those with certain labels. It is enabled in a
// state that one of its transitions leaves. An infinite run is weakly fair to the
// task if it takes it infinitely often or if the task is disabled infinitely
// often; it is strongly fair if it takes it infinitely often or if the task is
// enabled only finitely often.
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
	full  bool
	tasks []Task
	// of[start[l]:start[l+1]] are the indexes in tasks of the tasks of label l.
	start  []int
	of     []uint32
	rare   []bool // whether a label occurs finitely often; nil if none does
	labels int

	// These fields are for justness; just is nil if it is not assumed. The first
	// own tasks are those given besides justness. metBy[l] are the tasks that
	// label l meets, as [Fairness.MetBy] defines it; meeting[k] are the labels
	// that meet task k, in lists that tasks share. blocking is indexed by label;
	// nil if no label blocks.
	just     *Justness
	own      int
	metBy    [][]uint32
	meeting  [][][]lts.Label
	blocking []bool
}

// NewFairness returns assumptions about models with alphabet a. With full, every
// transition that is enabled infinitely often is taken infinitely often. The
// labels of finitely occur finitely often; this assumption is no fairness, since
// there may be states from which no run meets it. NewFairness keeps the slices.
// It fails if a label is not in a, and if a task has no labels. Cost O(labels of
// a + all labels of tasks).
func NewFairness(a *lts.Alphabet, full bool, tasks []Task, finitely []lts.Label) (*Fairness, error) {
	f := &Fairness{full: full, tasks: tasks, start: make([]int, a.Len()+1), labels: a.Len()}
	for _, t := range tasks {
		if len(t.Labels) == 0 {
			return nil, fmt.Errorf("property: task %s has no labels", t.Name)
		}
		for _, l := range t.Labels {
			if int(l) >= a.Len() {
				return nil, fmt.Errorf("property: task %s has label %d of %d", t.Name, l, a.Len())
			}
			f.start[l+1]++
		}
	}
	for l := range a.Len() {
		f.start[l+1] += f.start[l]
	}
	next := append([]int(nil), f.start...)
	f.of = make([]uint32, f.start[a.Len()])
	for i, t := range tasks {
		for _, l := range t.Labels {
			f.of[next[l]] = uint32(i)
			next[l]++
		}
	}
	for _, l := range finitely {
		if int(l) >= a.Len() {
			return nil, fmt.Errorf("property: label %d of %d is to be done finitely often", l, a.Len())
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
func (f *Fairness) TasksOf(l lts.Label) []uint32 { return f.of[f.start[l]:f.start[l+1]] }

// Excludes reports whether some labels are assumed to occur finitely often, so
// that there may be states from which no run counts.
func (f *Fairness) Excludes() bool { return f.rare != nil }

// Rare reports whether label l is assumed to occur finitely often. Cost O(1).
func (f *Fairness) Rare(l lts.Label) bool { return f.rare != nil && f.rare[l] }
