package liveness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Chosen is the question that is answered in place of several instances.
type Chosen struct {
	Question Question
	// Property are the instances that belong to the same property as the question and can be asked. If
	// several instances were given, IsViolated reports whether any is violated.
	Property   []Instance
	IsViolated bool
	Others     string // a sentence about how many instances hold and which are violated; "" if there is one instance
	Vacuous    string // a sentence if Spec allows no run, so that every property of runs holds; else ""
	// Unasked has a sentence for each property with instances that cannot be evaluated, which names the first of them
	// and says why; and one for each instance for which the time ended before isPreferred was known.
	Unasked    []string
	Unanswered string // a sentence that counts the answered properties, and names those without an answer; "" if all have one
}

// First checks instances in turn, as [Graph.Ask] does. It returns the question of a violated one: the
// first about single states, since a model checker reports these before all others, or else the first
// one. If all hold, it returns the first that is not about safety, since more can be told about it, or
// else the first one. If isPreferred is not nil, it returns the first violated one for which
// isPreferred is true, if there is one. A single instance is returned unchecked. If ctx limits
// the time, and there are several properties, each instance has a share of the time.
//
// First fails as isViolated does. If no instance can be asked, it fails as [Graph.Ask] does for the
// first one; otherwise the result names the instances that cannot be asked.
func (g *Graph) First(
	ctx context.Context,
	all []Instance,
	isViolated func(context.Context, Question) (bool, error),
	isPreferred func(context.Context, Question) (bool, error),
) (Chosen, error) {
	if len(all) == 1 {
		return g.only(ctx, all[0], isViolated)
	}
	s := &survey{
		g:           g,
		all:         all,
		isViolated:  isViolated,
		isPreferred: isPreferred,
	}
	for _, instance := range all {
		if err := s.take(ctx, instance); err != nil {
			return Chosen{}, err
		}
	}
	if s.first == nil {
		return Chosen{}, withSubject(s.refused[0].Instance, s.refused[0].why)
	}
	isOther := func(i Instance) bool { return i.property != s.first.property }
	chosen := Chosen{
		Question:   s.question,
		Property:   slices.DeleteFunc(slices.Clone(s.asked), isOther),
		IsViolated: len(s.violated) > 0,
		Others:     s.counts(),
	}
	chosen.Unasked, chosen.Unanswered = s.unanswered()
	if s.hold > 0 && slices.ContainsFunc(s.asked, g.canBeVacuous) {
		var err error
		chosen.Vacuous, err = g.allowsNone(ctx, isViolated)
		if err != nil {
			return Chosen{}, err
		}
	}
	return chosen, nil
}

// only returns the question of a single instance, which it does not check.
func (g *Graph) only(
	ctx context.Context,
	instance Instance,
	isViolated func(context.Context, Question) (bool, error),
) (chosen Chosen, err error) {
	chosen.Property = []Instance{instance}
	chosen.Question, err = g.Ask(ctx, instance)
	if err != nil || !g.canBeVacuous(instance) {
		return chosen, err
	}
	chosen.Vacuous, err = g.allowsNone(ctx, isViolated)
	return chosen, err
}

// canBeVacuous reports whether an instance is about runs, and so holds if there are no runs.
func (g *Graph) canBeVacuous(i Instance) bool {
	return !i.isSafety() || g.begunOutside && !isInvariant(i.of)
}

// survey collects the answers to the instances that [Graph.First] has checked so far.
type survey struct {
	g           *Graph
	all         []Instance
	isViolated  func(context.Context, Question) (bool, error)
	isPreferred func(context.Context, Question) (bool, error)

	first     *Instance // the instance that is answered, and its question; nil if none could be asked
	question  Question
	preferred string // the name of the preferred instance, if one was found
	asked     []Instance
	hold      int
	violated  []Instance
	refused   []refusal
	undecided []string // the violated instances for which isPreferred took too long
}

// refusal is an instance that cannot be asked, and why.
type refusal struct {
	Instance
	why error
}

// take checks the next instance.
func (s *survey) take(ctx context.Context, instance Instance) error {
	question, violates, err := s.answer(ctx, instance)
	var failed *searchError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("%s: %w", instance.Name, failed.error)
	case err != nil:
		s.refused = append(s.refused, refusal{instance, err})
		return ctx.Err()
	}
	s.asked = append(s.asked, instance)
	isPreferred := false
	if violates {
		isPreferred, err = s.prefers(ctx, instance, question)
		if err != nil {
			return fmt.Errorf("%s: %w", instance.Name, err)
		}
	}
	if isPreferred {
		s.preferred = instance.Name
	}
	if s.first == nil || isPreferred || s.preferred == "" && s.precedes(instance, violates) {
		s.first = &instance
		s.question = question
	}
	if violates {
		s.violated = append(s.violated, instance)
	} else {
		s.hold++
	}
	return nil
}

// precedes reports whether an instance is to be answered instead of the one chosen before it.
func (s *survey) precedes(instance Instance, violates bool) bool {
	switch {
	case !violates:
		return len(s.violated) == 0 && s.first.isSafety() && !instance.isSafety()
	case len(s.violated) == 0:
		return true
	}
	return isInvariant(instance.of) && !isInvariant(s.first.of)
}

// searchError is an error of the search for a violation. It ends the survey; after any other error
// of an instance, the survey continues with the next instance.
type searchError struct{ error }

// share returns the time for a task of the survey. If there are several properties, the time that
// is left is divided into equal parts: one for each instance that is still to be asked, and one for
// the explanation.
func (s *survey) share(ctx context.Context) timeShare {
	isOnlyProperty := s.all[0].property == s.all[len(s.all)-1].property
	if isOnlyProperty {
		return shareOfTime(ctx, 1)
	}
	numUnasked := len(s.all) - len(s.asked) - len(s.refused)
	return shareOfTime(ctx, numUnasked+1)
}

// prefers reports whether a violated instance is the one to explain. It returns false if an earlier
// instance was the one, or if the decision takes more than a share of the time.
func (s *survey) prefers(ctx context.Context, instance Instance, question Question) (bool, error) {
	if s.isPreferred == nil || s.preferred != "" {
		return false, nil
	}
	share := s.share(ctx)
	defer share.end()
	isPreferred, err := s.isPreferred(share.limited, question)
	if share.isUsedUp(err) {
		s.undecided = append(s.undecided, fmt.Sprintf("it is unknown whether the given counterexample violates %s, since finding out takes more than %s; allow more time",
			instance.briefName(), share.inWords()))
		return false, nil
	}
	return isPreferred, err
}

// answer asks an instance, and reports whether its property is violated.
func (s *survey) answer(ctx context.Context, instance Instance) (Question, bool, error) {
	share := s.share(ctx)
	defer share.end()
	s.g.eval.Within(share.limited)
	defer s.g.eval.Within(ctx)
	question, violates, err := s.answerWithin(share.limited, instance)
	if share.isUsedUp(err) {
		return Question{}, false, share.failure()
	}
	return question, violates, err
}

// answerWithin is [survey.answer] without a share of the time.
func (s *survey) answerWithin(ctx context.Context, instance Instance) (Question, bool, error) {
	question, err := s.g.Ask(ctx, instance)
	if err != nil {
		return Question{}, false, err
	}
	violates, err := s.isViolated(ctx, question)
	if err != nil {
		return Question{}, false, &searchError{err}
	}
	return question, violates, nil
}

// counts returns a sentence about how many instances hold, and which are violated.
func (s *survey) counts() string {
	const instances = "parts of what is asked"
	numAll := len(s.all)
	switch {
	case len(s.violated) == 0 && s.hold == numAll:
		return fmt.Sprintf("%s %s hold; %s", all(numAll), instances, s.about("the first"))
	case len(s.violated) == 0 && s.hold == 1:
		return fmt.Sprintf("of %d %s, 1 holds: %s", numAll, instances, s.first.briefName())
	case len(s.violated) == 0:
		return fmt.Sprintf("of %d %s, %d hold; %s", numAll, instances, s.hold, s.about("the first of them"))
	case len(s.violated) == 1:
		return fmt.Sprintf("of %d %s, 1 is violated: %s", numAll, instances, s.violated[0].briefName())
	}
	about := s.about("the first of them")
	if s.preferred != "" && s.preferred != s.violated[0].Name {
		about = "this is about " + beginning(s.preferred) + ", which the given counterexample violates"
	}
	var names []string
	for _, i := range s.violated {
		names = append(names, i.Name)
	}
	if len(names) == numAll {
		return fmt.Sprintf("%s %s are violated: %s; %s", all(numAll), instances, listed(names), about)
	}
	return fmt.Sprintf("of %d %s, %d are violated: %s; %s", numAll, instances, len(names),
		listed(names), about)
}

// about returns a clause that says which instance is answered: the first of those that have the same
// verdict, in the given words, or the name of a later one.
func (s *survey) about(first string) string {
	alike := s.asked
	if len(s.violated) > 0 {
		alike = s.violated
	}
	if s.first.Name == alike[0].Name {
		return "this is about " + first
	}
	return "this is about " + s.first.briefName()
}

// all returns the words for all of n things: both, or all 3.
func all(n int) string {
	if n == 2 {
		return "both"
	}
	return fmt.Sprintf("all %d", n)
}

// unanswered returns sentences about the properties with instances that cannot be asked, and about
// undecided instances. It also returns a sentence that names the properties without an answer. A
// property has none if some of its instances cannot be asked and the others hold.
func (s *survey) unanswered() (why []string, counted string) {
	var names []string
	last := -1 // the property of the refused instance before this one
	for _, refused := range s.refused {
		if refused.property == last {
			continue
		}
		last = refused.property
		why = append(why, fmt.Sprintf("%s cannot be evaluated: %v", refused.briefName(), refused.why))
		isOfProperty := func(i Instance) bool { return i.property == refused.property }
		isViolated := slices.ContainsFunc(s.violated, isOfProperty)
		if !isViolated {
			names = append(names, refused.propertyText)
		}
	}
	why = append(why, s.undecided...)
	if len(names) == 0 {
		return why, ""
	}
	numProperties := s.all[len(s.all)-1].property + 1
	numAnswered := numProperties - len(names)
	verb := "are"
	if numAnswered == 1 {
		verb = "is"
	}
	return why, fmt.Sprintf("%d of %d properties %s answered, but not %s",
		numAnswered, numProperties, verb, listed(names))
}

// listed returns a list of at most mostNamed names, each of which it may shorten.
func listed(names []string) string {
	var brief []string
	for _, name := range names[:min(len(names), mostNamed)] {
		brief = append(brief, beginning(name))
	}
	list := strings.Join(brief, ", ")
	unnamed := len(names) - mostNamed
	if unnamed > 0 {
		list += fmt.Sprintf(" and %d more", unnamed)
	}
	return list
}

// mostNamed is the largest number of instances that a sentence names.
const mostNamed = 5
