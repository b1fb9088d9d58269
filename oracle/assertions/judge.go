package assertions

import (
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// excluded is the class of transitions after which no run counts.
const excluded oracle.Class = "excluded"

// prospects is what a brute force knows of the runs that count under an assumption. What
// it calls progress is, of a property without steps, the state of an automaton.
type prospects interface {
	Can(s lts.State, progress int) (accept, reject bool)
	Class(t lts.Transition) oracle.Class
	Reached(s lts.State, progress int) bool
}

// judgeUnder judges by the runs that count.
type judgeUnder struct {
	prospects
	m         *lts.LTS
	initial   int
	next      func(progress int, l lts.Label) int
	reachable map[lts.State]bool
}

func newJudgeUnder(m *lts.LTS, of prospects, initial, most int, next func(int, lts.Label) int) *judgeUnder {
	j := &judgeUnder{of, m, initial, next, map[lts.State]bool{}}
	for s := range lts.State(m.NumStates()) {
		for progress := range most {
			if of.Reached(s, progress) {
				j.reachable[s] = true
			}
		}
	}
	return j
}

func (j *judgeUnder) Satisfied() bool {
	_, reject := j.Can(j.m.Initial(), j.initial)
	return !reject
}

func (j *judgeUnder) Free(s lts.State, progress int) bool {
	accept, reject := j.Can(s, progress)
	return accept || !reject
}
func (j *judgeUnder) Arrives(s lts.State, progress int) bool { return j.Reached(s, progress) }
func (j *judgeUnder) Advance(progress int, l lts.Label) int  { return j.next(progress, l) }
func (j *judgeUnder) Reachable(s lts.State) bool             { return j.reachable[s] }
func (j *judgeUnder) ShortestLength() (int, bool)            { return 0, false }
func (j *judgeUnder) Out(s lts.State) []lts.Transition {
	var out []lts.Transition
	for t := range j.m.Transitions() {
		if t.From == s && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (j *judgeUnder) Count() (of map[oracle.Class]int, all int) {
	of = map[oracle.Class]int{}
	for t := range j.m.Transitions() {
		if j.reachable[t.From] {
			of[j.Class(t)]++
			all++
		}
	}
	return of, all
}

func (j *judgeUnder) ClassAfter(progress int, t lts.Transition) oracle.Class {
	switch accept, reject := j.Can(t.To, j.next(progress, t.Label)); {
	case !accept && !reject:
		return excluded
	case !reject:
		return oracle.Correct
	case !accept:
		return oracle.Incorrect
	}
	return oracle.Neutral
}

func (j *judgeUnder) Neighbourhoods(oracle.Reading) map[lts.State]oracle.Kind {
	kinds := map[lts.State]oracle.Kind{}
	for s := range j.reachable {
		entered, has := true, map[oracle.Class]bool{}
		for t := range j.m.Transitions() {
			if !j.reachable[t.From] {
				continue
			}
			if t.To == s {
				entered = entered && j.Class(t) == oracle.Neutral
			}
			if t.From == s {
				has[j.Class(t)] = true
			}
		}
		switch {
		case !entered || !has[oracle.Correct] && !has[oracle.Incorrect]:
		case has[oracle.Correct] && has[oracle.Incorrect] && has[oracle.Neutral]:
			kinds[s] = oracle.KindMixedNeutral
		case has[oracle.Correct] && has[oracle.Incorrect]:
			kinds[s] = oracle.KindMixed
		case has[oracle.Correct]:
			kinds[s] = oracle.KindCorrect
		default:
			kinds[s] = oracle.KindIncorrect
		}
	}
	return kinds
}
