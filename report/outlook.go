package report

import (
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// effect is what a choice means for the run.
type effect int

const (
	staysPossible effect = iota // the run could still satisfy the property
	lostHere                    // from here on the run can no longer satisfy the property
	lostBefore                  // the property was lost before
)

// option is one or more transitions with one label that the run could have taken instead.
type option struct {
	label string
	// to is the target. toTold reports that the sentence must name the target, since
	// the label does not identify the transition.
	to     lts.State
	toTold bool
	// ways is the number of transitions with this label and meaning; always 1 in
	// firstPossible, firstLost and firstCertain.
	ways int
}

// outlook classifies the transitions that the run does not take at a state by their effect on the
// property; at a state on the loop, by their effect from the second round on.
type outlook struct {
	certain  []option // every run that continues with such a transition satisfies the property
	possible []option // some runs that continue with such a transition satisfy the property, some do not
	lost     []option // no run that continues with such a transition satisfies the property
	// firstPossible and firstLost are options with a worse effect in the first round of the loop
	// than later: they only kept the property possible, or lost it.
	firstPossible, firstLost []option
	// firstCertain are options that made the property certain in the first round, and not later.
	// Only properties without steps have them.
	firstCertain []option
}

// chosen is the choices of the run at consecutive decisions with the same effect and outlook.
type chosen struct {
	decisions []*explain.Decision
	effect    effect
	outlook   outlook
	// everyRound says that all these decisions are on the loop.
	everyRound bool
}

// steps returns the steps of the decisions.
func (c chosen) steps() []explain.StepIndex { return stepsOf(c.decisions) }

func stepsOf(decisions []*explain.Decision) []explain.StepIndex {
	steps := make([]explain.StepIndex, len(decisions))
	for i, d := range decisions {
		steps[i] = d.Step
	}
	return steps
}

// statesOf returns the different states of decisions, in their order.
func statesOf(decisions []*explain.Decision) []lts.State {
	states := make([]lts.State, len(decisions))
	for i, d := range decisions {
		states[i] = d.State
	}
	return distinct(states)
}

// Better has the transitions that would have been better at some decisions of the run: they would
// have made the property certain or, if Certain is false, kept it possible.
type Better struct {
	Decisions []*explain.Decision
	Certain   bool
	instead   []option
}

// Claim returns the claim about some of the decisions.
func (b Better) Claim(decisions []*explain.Decision) Claim {
	b.Decisions = decisions
	return Claim{kind: "better", say: func(p *prose) string { return p.better(b) }}
}

// chosenAt returns the claims about the decisions of the run. Consecutive decisions with the same
// effect and outlook share a claim.
func chosenAt(e *explain.Explanation, choices []*explain.Decision) []chosen {
	var claims []chosen
	type told struct {
		effect     effect
		everyRound bool
		outlook    [sha256.Size]byte
	}
	var before told
	for _, d := range choices {
		c := about(e, d)
		now := told{c.effect, c.everyRound, c.outlook.key()}
		if last := len(claims) - 1; last >= 0 && now == before {
			claims[last].decisions = append(claims[last].decisions, d)
			continue
		}
		claims, before = append(claims, c), now
	}
	return claims
}

// about returns the claim about one decision or fork of e. Cost O(its alternatives).
func about(e *explain.Explanation, d *explain.Decision) chosen {
	c := chosen{decisions: []*explain.Decision{d}, everyRound: e.IsOnLoop(d)}
	switch {
	case d.Fate == explain.Fated:
		c.effect = lostBefore
		return c
	case d.Chosen.After == neighbourhood.Incorrect:
		c.effect = lostHere
	}
	c.outlook = outlookOf(d.Alternatives, d.Chosen.Label)
	return c
}

// outlookOf groups choices by their effect. The target of a choice is named if transitions with its
// label differ in effect, or if the run takes one of them. Cost O(choices), which can be very many
// in one state.
func outlookOf(choices []explain.Choice, taken string) outlook {
	type meaning struct {
		after, first neighbourhood.Class
		told         bool // the label has several meanings, or the run takes it
		number       int  // the index of the label's option plus 1; 0 before, and if targets are told
	}
	meanings := map[string]*meaning{taken: {told: true}}
	for _, c := range choices {
		switch m := meanings[c.Label]; {
		case m == nil:
			meanings[c.Label] = &meaning{after: c.After, first: c.First}
		case m.after != c.After || m.first != c.First:
			m.told = true
		}
	}
	var o outlook
	for _, c := range choices {
		m := meanings[c.Label]
		now, before := o.lists(c)
		if m.told {
			told := option{label: c.Label, to: c.To, toTold: true, ways: 1}
			*now = append(*now, told)
			if before != nil {
				*before = append(*before, told)
			}
			continue
		}
		if m.number > 0 {
			(*now)[m.number-1].ways++
			continue
		}
		*now = append(*now, option{label: c.Label, ways: 1})
		m.number = len(*now)
		if before != nil {
			*before = append(*before, option{label: c.Label, ways: 1})
		}
	}
	return o
}

// lists returns the list for a choice by its effect from the second round on, and the list for its
// effect in the first round; nil if both are equal.
func (o *outlook) lists(c explain.Choice) (now, before *[]option) {
	switch c.After {
	case neighbourhood.Correct:
		now = &o.certain
	case neighbourhood.Neutral:
		now = &o.possible
	default:
		now = &o.lost
	}
	switch {
	case c.First == c.After:
		return now, nil
	case c.First == neighbourhood.Neutral:
		return now, &o.firstPossible
	case c.First == neighbourhood.Correct:
		return now, &o.firstCertain
	}
	return now, &o.firstLost
}

// key is a hash of the options: equal for outlooks with the same options.
func (o outlook) key() [sha256.Size]byte {
	hash := sha256.New()
	var line []byte
	for _, list := range [][]option{o.certain, o.possible, o.lost, o.firstCertain, o.firstPossible, o.firstLost} {
		line = append(strconv.AppendInt(line[:0], int64(len(list)), 10), '\n')
		hash.Write(line)
		for _, option := range list {
			line = strconv.AppendQuote(line[:0], option.label)
			if option.toTold {
				line = strconv.AppendUint(line, uint64(option.to), 10)
			}
			hash.Write(append(line, '\n'))
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// better returns the claims about better transitions. Decisions with the same better transitions
// share a claim, even if other decisions lie between them.
func better(choices []*explain.Decision) []Better {
	var claims keyed.List[[sha256.Size]byte, Better]
	for _, d := range choices {
		if !d.HasBetter() {
			continue
		}
		all := outlookOf(d.Alternatives, d.Chosen.Label)
		b, sum := Better{Certain: true, instead: all.certain}, outlook{certain: all.certain}
		if len(all.certain) == 0 {
			b.Certain, b.instead, sum = false, all.possible, outlook{possible: all.possible}
		}
		claim := &claims.All[claims.Index(sum.key(), b)]
		claim.Decisions = append(claim.Decisions, d)
	}
	slices.SortStableFunc(claims.All, func(a, b Better) int { return weight(b) - weight(a) })
	return claims.All
}

// weight orders claims by importance: 2 for a point of no return, 1 for a decision that could have
// made the property certain, else 0.
func weight(b Better) int {
	switch {
	case slices.ContainsFunc(b.Decisions, func(d *explain.Decision) bool { return d.PointOfNoReturn }):
		return 2
	case b.Certain && b.Decisions[0].Chosen.After == neighbourhood.Neutral:
		return 1
	}
	return 0
}
