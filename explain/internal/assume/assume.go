// Package assume finds out which assumptions about infinite runs would make a property true:
// fairness to some labels, labels that occur finitely often, or choices whose transitions are all
// taken infinitely often.
//
// Each question is monotone: for a set of transitions that a violating run can take forever, the
// assumptions that exclude the set are a conflict, and every sufficient set of assumptions has a member
// of each conflict. A smallest hitting set of all conflicts known so far is either sufficient or gives
// another conflict (implicit hitting sets).
//
// An answer is sufficient, and without any of its members it is not.
package assume

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Question is a question to [Find] about a violated property.
type Question struct {
	// Conditions are the conditions that the formula joins; nil if nothing is gained by using them
	// instead of the formula. They are used if their products are smaller than the product of the
	// property, or if they need no products.
	Conditions []*property.Property
	// Just is justness; nil if the components that an action needs are not known.
	Just *property.Fairness
	// Sets asks Find to search for sets of assumptions, within Limits.
	Sets   bool
	Limits Limits
	// Size limits the questions that Find answers: those that must visit more than this number of
	// states and transitions are left out. Unfolded is the largest number of transitions of the
	// products that Find makes.
	Size, Unfolded int64
}

// Answers has the assumptions that make a property true.
type Answers struct {
	// Deadlock reports whether a run into a deadlock violates the property. If so, no assumption
	// helps.
	Deadlock bool
	// Weak, Strong, Full and Just report whether the property holds on all runs that are weakly fair to
	// each label, strongly fair to each label, fully fair, and just.
	Weak, Strong, Full, Just bool
	// Doomed is the nearest product state from which almost no run satisfies the property; nil if Full
	// is true, or if this state is not known.
	Doomed *Doomed
	// Finitely has the minimal sets of labels such that it is enough if runs do these labels
	// finitely often. StrongSets and WeakSets have the minimal sets of labels such that it is
	// enough if runs are strongly, or weakly, fair to these labels.
	Finitely, StrongSets, WeakSets Found
	// Feasible are the sets of Finitely such that each finite path has a continuation that does
	// their labels finitely often. If a set is not feasible, no set with more labels is feasible
	// either. An example is a set with labels that every run does forever after a violation.
	Feasible [][]int
	// Choices is nil if full fairness is not enough, or for a property that is no chain.
	Choices *Choices
}

// ErrUnfolded reports that the products that Find needs are too large.
var ErrUnfolded = errors.New("assume: the products are too large")

// Find returns which assumptions would make the property of fates true. It returns nil if one
// question would visit more than q.Size states and transitions, or if the acceptance condition has
// too many pairs. fates must have been computed without assumptions, so that all runs count. Find
// fails with [ErrUnfolded], if ctx is done, and with the errors of q.Conditions. Cost as for
// [Search.Violates], and for each kind of assumption as much as its limit.
func Find(ctx context.Context, fates *fate.Map, q Question) (*Answers, error) {
	joined, err := joinedBy(ctx, fates, q.Conditions)
	if err != nil {
		return nil, err
	}
	unfolded := int64(0)
	for _, part := range joined {
		if !InModel(part) {
			unfolded += UnfoldedSize(part)
		}
	}
	if unfolded > q.Unfolded {
		return nil, ErrUnfolded
	}
	search, err := Of(ctx, joined...)
	switch {
	case errors.Is(err, ErrDeadlock):
		return &Answers{Deadlock: true}, nil
	case errors.Is(err, ErrManyPairs):
		return nil, nil
	case err != nil || search.Size() > q.Size:
		return nil, err
	}
	return search.Answers(fates, q)
}

// joinedBy returns several fates: a run violates the property of the given fates iff it violates
// the property of at least one of the results. These are the given fates alone, if the violations
// can be found in the model; otherwise the fates of the conditions that do not hold.
func joinedBy(
	ctx context.Context,
	fates *fate.Map,
	conditions []*property.Property,
) ([]*fate.Map, error) {
	if InModel(fates) {
		return []*fate.Map{fates}, nil
	}
	var failing []*fate.Map
	for _, p := range conditions {
		part, err := fate.Compute(ctx, fates.Components(), p, enrich.Options{})
		if err != nil {
			return nil, err
		}
		if !part.Holds() {
			failing = append(failing, part)
		}
	}
	if len(failing) == 0 {
		return []*fate.Map{fates}, nil
	}
	return failing, nil
}

// UnfoldedSize returns the number of transitions of the product; 0 if the product exists already, or
// is not needed. Cost O(S).
func UnfoldedSize(fates *fate.Map) (transitions int64) {
	if _, known := fates.Unfolding(); known {
		return 0
	}
	for s := range lts.State(fates.LTS().NumStates()) {
		reached, _, _ := fates.Histories(s)
		first, end := fates.LTS().Row(s)
		transitions += int64(reached) * int64(end-first)
	}
	return transitions
}

// Answers answers all questions of [Find].
func (v *Search) Answers(fates *fate.Map, q Question) (*Answers, error) {
	a := &Answers{}
	if err := v.judge(a, q.Just); err != nil {
		return nil, err
	}
	if !a.Full {
		var err error
		a.Doomed, err = v.findDoomed(fates, q.Unfolded)
		if err != nil {
			return nil, err
		}
	}
	if q.Sets {
		if err := v.findSets(a, fates, q.Limits); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// judge finds out under which notions of fairness the property holds. If it fails under one notion,
// it fails under all weaker ones.
func (v *Search) judge(a *Answers, just *property.Fairness) error {
	var err error
	a.Strong, a.Full, err = v.Notions()
	if err != nil || !a.Full {
		return err
	}
	if a.Strong {
		a.Weak, err = v.holdsIfFairTo(v.tasksOfLabels(false))
		if err != nil {
			return err
		}
	}
	if just != nil {
		violates, err := v.Violates(just)
		if err != nil {
			return err
		}
		a.Just = !violates
	}
	return nil
}

// Notions reports whether the property holds on all runs that are strongly fair to each label, and
// whether it holds on all runs that are fully fair. If it fails under full fairness, it fails under
// strong fairness. Cost as for [Search.Violates].
func (v *Search) Notions() (strong, full bool, err error) {
	full, err = v.holdsIfFullyFair()
	if err != nil || !full {
		return false, false, err
	}
	strong, err = v.holdsIfFairTo(v.tasksOfLabels(true))
	return strong, full, err
}

// tasksOfLabels returns a task for each label. Labels with the same text, which facts about states
// distinguish, are one task.
func (v *Search) tasksOfLabels(strong bool) []property.Task {
	var tasks []property.Task
	a := v.alphabet()
	for label, text := range a.All() {
		if a.Plain(label) == label {
			tasks = append(tasks, property.Task{Labels: a.Variants(text), Strong: strong})
		}
	}
	return tasks
}

// holdsIfFullyFair reports whether the property holds on all runs that are fully fair.
func (v *Search) holdsIfFullyFair() (bool, error) {
	full, err := property.NewFairness(v.alphabet(), true, nil, nil)
	if err != nil {
		return false, err
	}
	violates, err := v.Violates(full)
	return !violates, err
}

// holdsIfFairTo reports whether the property holds on all runs that are fair to some tasks.
func (v *Search) holdsIfFairTo(tasks []property.Task) (bool, error) {
	f, err := property.NewFairness(v.alphabet(), false, tasks, nil)
	if err != nil {
		return false, err
	}
	violates, err := v.Violates(f)
	return !violates, err
}

// findDoomed returns the nearest product state from which almost no run satisfies the property. It
// returns nil if there is none, or if the search would need a product with too many transitions.
func (v *Search) findDoomed(fates *fate.Map, mostUnfolded int64) (*Doomed, error) {
	nearest, err := v.findDoomedSource()
	if err != nil || nearest != nil {
		return nearest, err
	}
	isTooLarge := UnfoldedSize(fates) > mostUnfolded
	switch {
	case isTooLarge:
		return nil, nil
	case fates.Property().Steps() > 0:
		return doomedOnChain(v.ctx, fates)
	}
	return doomedInProduct(v.ctx, fates)
}

// findDoomedSource is findDoomed without a product: it uses the sources of the properties. It
// returns nil if these do not determine the state. With several properties, they show only whether
// one of them is doomed from the start.
func (v *Search) findDoomedSource() (*Doomed, error) {
	v.begin(Limits{})
	for _, x := range v.sources {
		if x.still == nil {
			continue
		}
		found, err := x.doomed()
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		isDoomedFromStart := found.Steps == 0
		if isDoomedFromStart || len(v.sources) == 1 {
			return found, nil
		}
	}
	return nil, nil
}

// findSets finds the minimal sets of labels, and the choices.
func (v *Search) findSets(a *Answers, fates *fate.Map, l Limits) error {
	var err error
	a.Finitely, err = v.Finitely(l)
	if err != nil {
		return err
	}
	for _, set := range a.Finitely.Sets {
		f, err := v.finitelyOften(set)
		if err != nil {
			return err
		}
		_, isFeasible, err := fairset.Admits(v.ctx, v.sources[0].c, f)
		if err != nil {
			return err
		}
		if isFeasible {
			a.Feasible = append(a.Feasible, set)
		}
	}
	if a.Strong {
		a.StrongSets, err = v.FairLabels(true, l)
		if err != nil {
			return err
		}
	}
	if a.Weak {
		a.WeakSets, err = v.FairLabels(false, l)
		if err != nil {
			return err
		}
	}
	if a.Full && fates.Property().Steps() > 0 {
		choices, err := v.FairChoices(l)
		if err != nil {
			return err
		}
		a.Choices = &choices
	}
	return nil
}

// Limits bound the search for answers.
type Limits struct {
	// Members is the largest number of members of an answer; 0 means 3. Answers is the largest
	// number of answers to a question; 0 means 10.
	Members, Answers int
	// With are further tasks to which all runs are fair, for [Search.FairTasks].
	With []property.Task
	// Without, unless it is nil, excludes labels from the answers of [Search.Finitely].
	Without func(lts.Label) bool
	// Work is the largest number of transitions that a question visits; 0 for no limit. Repeated
	// visits count, and so do comparisons of sets.
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
	// Sets are the sets found, of labels or of tasks by their index. Each set is ascending. Smaller
	// sets come first, and sets of the same size are in lexical order. Sets is nil if there are
	// none.
	Sets [][]int
	// Through is the largest size for which all sets were found.
	Through int
	// Complete reports whether all sets of any size were found.
	Complete bool
	// Stopped reports whether the search reached its limit of work. The sets that were found until
	// then are valid.
	Stopped bool
}

// FairLabels returns the minimal sets of labels such that the property holds on all runs that are
// fair to each label of the set, strongly or weakly. Cost of each set that is tried: O(n (S + T)),
// times its size for strong fairness. In the worst case, the number of sets is exponential in the
// limit.
func (v *Search) FairLabels(strong bool, l Limits) (Found, error) {
	tasks := v.tasksOfLabels(strong)
	found, err := v.FairTasks(tasks, l)
	for _, set := range found.Sets {
		for i, task := range set {
			set[i] = int(tasks[task].Labels[0])
		}
	}
	return found, err
}

// FairTasks finds out which fairness is enough: it returns the minimal sets of tasks such that the
// property holds on all runs that are fair to these tasks and to those of l.With. A set has the
// indices of its tasks. FairTasks fails if a task has no labels. Cost as for [Search.FairLabels].
func (v *Search) FairTasks(tasks []property.Task, l Limits) (Found, error) {
	v.begin(l)
	all, err := property.NewFairness(v.alphabet(), false, tasks, nil)
	if err != nil {
		return Found{}, err
	}
	return answers(v.budget, l.orDefault(), func(set []int) (bool, []int, error) {
		chosen := slices.Clone(l.With)
		for _, task := range set {
			chosen = append(chosen, tasks[task])
		}
		f, err := property.NewFairness(v.alphabet(), false, chosen, nil)
		if err != nil {
			return false, nil, err
		}
		found, err := v.findViolating(f)
		if err != nil || found.states == nil {
			return true, nil, err
		}
		if err := v.use(len(found.states) + len(tasks)); err != nil {
			return false, nil, err
		}
		return false, found.neglected(found.states, found.step, all), nil
	})
}

// Violates reports whether some run that counts under f violates the property. f must not have
// labels that occur finitely often. Cost O(n (S + T)), times the number of strong tasks.
func (v *Search) Violates(f *property.Fairness) (bool, error) {
	v.begin(Limits{})
	found, err := v.findAnyViolating(f)
	return found.states != nil, err
}

// neglected returns the tasks that a run neglects if it stays in a set of states forever, and takes
// all transitions within the set that do not do a step. A neglected task has no such transition. If
// it is strong, it is enabled in some state of the set; if it is weak, in all states.
func (v *source) neglected(set []lts.State, step int, f *property.Fairness) []int {
	conflict := []int{}
	for t, task := range v.tasksIn(set, step, f) {
		isAlwaysEnabled := task.enabled == len(set)
		mustBeTaken := isAlwaysEnabled || f.Tasks()[t].Strong && task.enabled > 0
		if mustBeTaken && !task.isTaken {
			conflict = append(conflict, t)
		}
	}
	return conflict
}

// taskInSet is a task in a set of states where a run stays.
type taskInSet struct {
	isTaken bool // by a transition within the set that does not do the step
	enabled int  // the number of states that enable the task
	last    int  // the last state that was counted, as an index from 1
}

// tasksIn finds out which tasks the states of a set enable, and which of them are taken within the set.
func (v *source) tasksIn(set []lts.State, step int, f *property.Fairness) []taskInSet {
	isInside := v.within(set, step, nil)
	tasks := f.Tasks()
	all := make([]taskInSet, len(tasks))
	for k, s := range set {
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			// A self-loop of the model may lead to another state of the product.
			isSelfLoop := s == to || v.u != nil && v.u.Stays(s, to)
			for _, t := range f.TasksOf(l) {
				if isSelfLoop && tasks[t].Nonstuttering {
					continue
				}
				task := &all[t]
				task.isTaken = task.isTaken || isInside(s, l, to)
				if task.last != k+1 {
					task.last = k + 1
					task.enabled++
				}
			}
		}
	}
	return all
}

// Finitely returns the minimal sets of labels such that the property holds on all runs that do
// these labels finitely often. It leaves out sets for which no such run exists. Cost as for
// [Search.FairLabels].
func (v *Search) Finitely(l Limits) (Found, error) {
	v.begin(l)
	l = l.orDefault()
	return answers(v.budget, l, func(set []int) (bool, []int, error) {
		f, err := v.finitelyOften(set)
		if err != nil {
			return false, nil, err
		}
		found, err := v.findViolating(f)
		if err != nil {
			return false, nil, err
		}
		if found.states != nil {
			return false, found.recurringTexts(f, l.Without), v.use(len(found.states))
		}
		admits, _, err := fairset.Admits(v.ctx, v.sources[0].c, f)
		if err != nil {
			return false, nil, err
		}
		return admits, nil, v.use(v.sources[0].m.NumTransitions())
	})
}

// finitelyOften returns the fairness under which runs do the labels of a set finitely often, and all
// labels with the same texts.
func (v *Search) finitelyOften(set []int) (*property.Fairness, error) {
	a := v.alphabet()
	var labels []lts.Label
	for _, label := range set {
		labels = append(labels, a.Variants(a.Text(lts.Label(label)))...)
	}
	return property.NewFairness(a, false, nil, labels)
}

// recurringTexts returns the labels of a closed walk in the violating set, one for each text. It
// leaves out the labels for which without returns true.
func (v violating) recurringTexts(f *property.Fairness, without func(lts.Label) bool) []int {
	labels := v.roundLabels(v.states, v.step, f.Rare)
	for i, label := range labels {
		labels[i] = int(v.alphabet().Plain(lts.Label(label)))
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	if without == nil {
		return labels
	}
	return slices.DeleteFunc(labels, func(label int) bool {
		return without(lts.Label(label))
	})
}
