package property

import (
	"slices"

	"github.com/inev-lts/inev/internal/printable"
)

// patternStates knows what the states of the automaton of a pattern mean. States 0 to last are those
// of the pattern in a scope: the number of steps that have happened. In a response these are counted
// since the last request, and in state last nothing is pending.
type patternStates struct {
	Specification
	last Q
}

// patternStatesOf returns what the states of the body of a specification mean.
func patternStatesOf(s Specification, b *body) *patternStates {
	last := Q(b.states - 1)
	if b.bad == last {
		last--
	}
	return &patternStates{s, last}
}

// When returns words for being in one of some states of p instead of one of the others of a list, as
// they follow a verb: " once A has happened". It returns nil if p was not made by [Specify], or if no
// words are known that are true in these states, and in no others of the list. Both lists are
// ascending. Cost O(length of among).
func (p *Property) When(in, among []Q) Phrase {
	if p.table == nil || p.table.pattern == nil {
		return nil
	}
	return p.table.pattern.when(in, among)
}

// when is [Property.When].
func (s *patternStates) when(in, among []Q) Phrase {
	isInScope := func(q Q) bool { return q <= s.last }
	scoped := slices.DeleteFunc(slices.Clone(among), func(q Q) bool { return !isInScope(q) })
	switch {
	case len(in) == 0 || len(in) == len(among) || !isInScope(in[len(in)-1]):
		return nil
	case len(in) == len(scoped):
		return s.inScope()
	}
	switch s.Kind {
	case KindInev, KindResponse:
		return s.whileAwaited(in, among)
	case KindNever, KindPrecedes, KindAtMost:
		return s.whenDone(in, scoped)
	}
	return nil
}

// inScope returns words for being in the scope; nil if the scope is the whole run.
func (s *patternStates) inScope() Phrase {
	from := quoted(s.From)
	to := quoted(s.To)
	switch s.Scope {
	case Before:
		return Phrase{{Text: " before "}, to}
	case After:
		return Phrase{{Text: " after "}, from}
	case Between:
		return Phrase{{Text: " between "}, from, {Text: " and "}, to}
	case AfterUntil:
		return Phrase{{Text: " after "}, from, {Text: " until "}, to}
	}
	return nil
}

// inThisScope returns words that restrict others to what has happened in the scope. In a precedence,
// the action that begins the scope begins it again if it happens once more.
func (s *patternStates) inThisScope() Phrase {
	var p Phrase
	beginsAgain := s.Kind == KindPrecedes && s.Scope >= Between
	switch {
	case beginsAgain:
		p = append(p, Word{Text: " since the last "}, quoted(s.From))
	case s.Scope.HasFrom():
		p = append(p, Word{Text: " after "}, quoted(s.From))
	}
	if s.Scope.HasTo() {
		p = append(p, Word{Text: ", until "}, quoted(s.To))
	}
	return p
}

// whileAwaited returns words for waiting for certain steps.
func (s *patternStates) whileAwaited(in, among []Q) Phrase {
	isAwaited := map[string]bool{}
	p := Phrase{{Text: " while "}}
	for i, q := range in {
		if q == s.last {
			return nil
		}
		if i > 0 {
			p = append(p, Word{Text: " or "})
		}
		p = append(p, s.awaited(q))
		isAwaited[s.awaited(q).Text] = true
	}
	for _, q := range among {
		isOther := !slices.Contains(in, q) && q < s.last
		if isOther && isAwaited[s.awaited(q).Text] {
			return nil
		}
	}
	return append(p, Word{Text: " is awaited"})
}

// awaited returns the step that is awaited in a state.
func (s *patternStates) awaited(q Q) Word {
	if s.Kind == KindResponse {
		return s.text(int(q) + 1)
	}
	return s.text(int(q))
}

// whenDone returns words for having done at least, or less than, a number of steps in the scope.
func (s *patternStates) whenDone(in, scoped []Q) Phrase {
	first := slices.Index(scoped, in[0])
	isConsecutive := slices.Equal(in, scoped[first:first+len(in)])
	switch {
	case !isConsecutive:
		return nil
	case first+len(in) == len(scoped):
		return append(s.afterSteps(int(in[0])), s.inThisScope()...)
	case first == 0:
		return append(s.beforeSteps(int(in[len(in)-1])+1), s.inThisScope()...)
	}
	return nil
}

// afterSteps returns words for having done the first n steps, or n times the only step.
func (s *patternStates) afterSteps(n int) Phrase {
	if s.Kind == KindAtMost {
		return Phrase{{Text: " after the " + printable.Ordinal(n) + " "}, s.text(0)}
	}
	p := s.chain(" once ", n)
	has := " has happened"
	if n > 1 {
		has = " have happened"
	}
	return append(p, Word{Text: has})
}

// beforeSteps returns words for not having done the first n steps, or not n times the only step.
func (s *patternStates) beforeSteps(n int) Phrase {
	if s.Kind == KindAtMost {
		return Phrase{{Text: " before the " + printable.Ordinal(n) + " "}, s.text(0)}
	}
	return s.chain(" before ", n)
}

// chain lists the first n steps after a word: " once A and then B".
func (s *patternStates) chain(before string, n int) Phrase {
	var p Phrase
	for _, step := range s.Steps[:n] {
		p = append(p, Word{Text: before}, quoted(step))
		before = " and then "
	}
	return p
}
