package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/property"
)

// describeEnough finds out which of the tasks that runs of a were assumed to be fair to are
// enough to make the property true: of those it holds under, fair as they were assumed to
// be; of weakly fair ones under which it does not, strongly. It says nothing where other
// things are assumed as well, or not all tasks are fair in the same way, and where a model
// is so large that the search would end at once.
func (f *Fairness) describeEnough(ctx context.Context, a *Analysis, most int64) error {
	fair, m := a.fairness, a.m
	tasks := slices.Clone(fair.Tasks())
	if len(tasks) == 0 || fair.Full() || fair.Excludes() || fair.Justness() != nil || fewestPasses*int64(m.NumTransitions()) > workForAssumptions {
		return nil
	}
	strong := tasks[0].Strong
	if slices.ContainsFunc(tasks, func(t property.Task) bool { return t.Strong != strong }) {
		return nil
	}
	if !a.Fates.Holds() {
		if strong {
			return nil
		}
		strong = true
		for i := range tasks {
			tasks[i].Strong = true
		}
	}
	search, err := assume.Of(ctx, a.Fates)
	switch {
	case errors.Is(err, assume.ErrManyPairs):
		return nil
	case errors.Is(err, assume.ErrDeadlock):
		f.Deadlock = true
		return nil
	case err != nil:
		return err
	case search.Size() > most:
		return nil
	}
	kind := Weak
	if strong {
		kind = Strong
	}
	found, err := search.FairTasks(tasks, assume.Limits{Work: workForAssumptions})
	if err != nil {
		return err
	}
	f.Tasks = len(tasks)
	f.addTasks(kind, tasks, found)
	return nil
}

func (f *Fairness) addTasks(kind AssumptionKind, tasks []property.Task, found assume.Found) {
	more := make([]Assumption, 0, len(found.Tasks))
	for _, set := range found.Tasks {
		names := make([]string, len(set))
		for i, task := range set {
			names[i] = tasks[task].Name
		}
		slices.Sort(names)
		more = append(more, Assumption{Kind: kind, Tasks: names})
	}
	f.append(kind, found, more)
}
