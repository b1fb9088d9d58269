package assume

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Limits say how far answers are looked for.
type Limits struct {
	// Members is the number of members of an answer, Answers the number of answers to
	// each question.
	// They are 3 and 10 where they are 0.
	Members, Answers int
	// Without, where it is not nil, tells the labels that are in no answer of [Search.Finitely].
	Without func(lts.Label) bool
	// Work is the number of transitions that a question looks at, each as often as it
	// does, and what compares to that in the search for sets; 0 for any number.
	Work int64
}

func (l Limits) orDefault() Limits {
	if l.Members == 0 {
		l.Members = 3
	}
	if l.Answers == 0 {
		l.Answers = 10
	}
	return l
}

// Found are the answers to one question.
type Found struct {
	// Labels are the sets, each ascending; the smallest ones first, and sets of one size
	// in the order of their labels. Nil where there are none.
	Labels [][]lts.Label
	// Tasks are the sets where it is tasks that were asked for, in the same order.
	Tasks [][]int
	// Through is the size up to which there are no others.
	Through int
	// Complete reports whether it is known that there are no others, of any size.
	Complete bool
	// Stopped reports whether the limit of work ended the search. The answers found until
	// then stand.
	Stopped bool
}

// FairLabels returns the minimal sets of labels such that the property holds on all runs
// that are fair to each label of the set, strongly or weakly. Cost of each set that is
// tried O(n (S + T)), times its size where strong; the number of sets is exponential in
// the limit at worst.
func (v *Search) FairLabels(strong bool, l Limits) (Found, error) {
	var tasks []property.Task
	a := v.alphabet()
	for label, text := range a.All() {
		if a.Plain(label) == label {
			tasks = append(tasks, property.Task{Labels: a.Variants(text), Strong: strong})
		}
	}
	found, err := v.FairTasks(tasks, l)
	found.Labels, found.Tasks = inSets[lts.Label](found.Tasks), nil
	for _, set := range found.Labels {
		for i, task := range set {
			set[i] = tasks[task].Labels[0]
		}
	}
	return found, err
}

// FairTasks returns the minimal sets of the tasks such that the property holds on all runs
// that are fair to each task of the set, as numbers in tasks. It fails if a task has no
// labels. Cost as for [Search.FairLabels].
func (v *Search) FairTasks(tasks []property.Task, l Limits) (Found, error) {
	v.begin(l)
	a := v.alphabet()
	all, err := property.NewFairness(a, false, tasks, nil)
	if err != nil {
		return Found{}, err
	}
	found, err := v.collect(l.orDefault(), func(set []int) (bool, []int, error) {
		chosen := make([]property.Task, len(set))
		for i, task := range set {
			chosen[i] = tasks[task]
		}
		f, err := property.NewFairness(a, false, chosen, nil)
		if err != nil {
			return false, nil, err
		}
		at, err := v.under(f)
		if err != nil || at.states == nil {
			return err == nil, nil, err
		}
		return false, at.neglected(at.states, at.step, all), v.spend(len(at.states) + len(tasks))
	})
	return found, err
}

// Violates reports whether some run that counts under f, which has no labels that are to
// be done finitely often, violates the property. Cost O(n (S + T)), times the number of
// strong tasks.
func (v *Search) Violates(f *property.Fairness) (bool, error) {
	v.begin(Limits{})
	return v.some(f)
}

func (v *Search) collect(l Limits, test func([]int) (bool, []int, error)) (Found, error) {
	sets, through, complete, err := answers(v.budget, l.Answers, l.Members, test)
	f := Found{Tasks: sets, Through: through, Complete: complete, Stopped: errors.Is(err, errLimit)}
	if f.Stopped {
		err = nil
	}
	return f, err
}

// inSets gives the members of sets their type.
func inSets[T ~uint32](sets [][]int) (typed [][]T) {
	for _, set := range sets {
		members := make([]T, len(set))
		for i, x := range set {
			members[i] = T(x)
		}
		typed = append(typed, members)
	}
	return typed
}

// neglected returns the tasks that a run neglects if it takes the transitions of a set without a
// step for ever: tasks that are enabled in some states of the set, or in all, and never taken.
func (v *source) neglected(set []lts.State, step int, f *property.Fairness) []int {
	shows := v.within(set, step, nil)
	type inSet struct {
		taken   bool
		enabled int // in how many states
		last    int // the state that was counted last, as an index from 1
	}
	tasks := f.Tasks()
	all := make([]inSet, len(tasks))
	for k, s := range set {
		labels, targets := v.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			for _, t := range f.TasksOf(l) {
				if tasks[t].Nonstuttering && v.isLoop(s, targets[i]) {
					continue
				}
				of := &all[t]
				of.taken = of.taken || shows(s, l, targets[i])
				if of.last != k+1 {
					of.last = k + 1
					of.enabled++
				}
			}
		}
	}
	conflict := []int{}
	for t, of := range all {
		if !of.taken && of.enabled > 0 && (tasks[t].Strong || of.enabled == len(set)) {
			conflict = append(conflict, t)
		}
	}
	return conflict
}

// isLoop reports whether a transition is a self-loop of the model: in the product it may lead
// on.
func (v *source) isLoop(from, to lts.State) bool {
	return from == to || v.u != nil && v.u.Stays(from, to)
}

// Finitely returns the minimal sets of labels such that the property holds on all runs
// that do them finitely often, of which there is one. Cost as for [Search.FairLabels].
func (v *Search) Finitely(l Limits) (Found, error) {
	v.begin(l)
	l = l.orDefault()
	found, err := v.collect(l, func(set []int) (bool, []int, error) {
		var labels []lts.Label
		for _, label := range set {
			labels = append(labels, v.alphabet().Variants(v.alphabet().Text(lts.Label(label)))...)
		}
		f, err := property.NewFairness(v.alphabet(), false, nil, labels)
		if err != nil {
			return false, nil, err
		}
		at, err := v.under(f)
		if err != nil {
			return false, nil, err
		}
		if at.states != nil {
			conflict := at.roundLabels(at.states, at.step, f.Rare)
			for i, label := range conflict {
				conflict[i] = int(v.alphabet().Plain(lts.Label(label)))
			}
			slices.Sort(conflict)
			conflict = slices.Compact(conflict)
			if l.Without != nil {
				conflict = slices.DeleteFunc(conflict, func(i int) bool { return l.Without(lts.Label(i)) })
			}
			return false, conflict, v.spend(len(at.states))
		}
		admits, err := enrich.Admits(v.ctx, v.sources[0].c, f)
		if err == nil {
			err = v.spend(v.sources[0].m.NumTransitions())
		}
		return admits, nil, err
	})
	found.Labels, found.Tasks = inSets[lts.Label](found.Tasks), nil
	return found, err
}
