package claim

import (
	"crypto/sha256"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/simplify"
)

// chosen returns the claims about the decisions of the run. Consecutive decisions with the same
// outcome and outlook share a claim.
func chosen(e *explain.Explanation, choices []*explain.Decision) []Chosen {
	var claims []Chosen
	type told struct {
		outcome    Outcome
		everyRound bool
		outlook    [sha256.Size]byte
	}
	var before told
	for _, d := range choices {
		c := about(e, d)
		now := told{c.Outcome, c.EveryRound, c.Outlook.key()}
		if last := len(claims) - 1; last >= 0 && now == before {
			claims[last].Decisions = append(claims[last].Decisions, d)
			continue
		}
		claims, before = append(claims, c), now
	}
	return claims
}

// about returns the claim about one decision or fork of e. Cost O(its alternatives).
func about(e *explain.Explanation, d *explain.Decision) Chosen {
	c := Chosen{Decisions: []*explain.Decision{d}, EveryRound: e.IsOnLoop(d)}
	switch {
	case d.Fate == simplify.Fated:
		c.Outcome = LostBefore
		return c
	case d.Chosen.After == neighbourhood.Incorrect:
		c.Outcome, c.Gone = LostHere, gone(e)
	}
	c.Outlook = outlookOf(d.Alternatives, d.Chosen.Label)
	return c
}

// outlookOf groups choices by their effect. The target of a choice is named if transitions with its
// label differ in effect, or if the run takes one of them. Cost O(choices), which can be very many
// in one state.
func outlookOf(choices []explain.Choice, taken string) Outlook {
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
	var o Outlook
	for _, c := range choices {
		m := meanings[c.Label]
		now, before := o.lists(c)
		if m.told {
			option := Option{Label: c.Label, To: c.To, ToTold: true, Ways: 1}
			*now = append(*now, option)
			if before != nil {
				*before = append(*before, option)
			}
			continue
		}
		if m.number > 0 {
			(*now)[m.number-1].Ways++
			continue
		}
		*now = append(*now, Option{Label: c.Label, Ways: 1})
		m.number = len(*now)
		if before != nil {
			*before = append(*before, Option{Label: c.Label, Ways: 1})
		}
	}
	return o
}

// lists returns the list for a choice by its effect from the second round on, and the list for its
// effect in the first round; nil if both are equal.
func (o *Outlook) lists(c explain.Choice) (now, before *[]Option) {
	switch c.After {
	case neighbourhood.Correct:
		now = &o.Certain
	case neighbourhood.Neutral:
		now = &o.Possible
	default:
		now = &o.Lost
	}
	switch {
	case c.First == c.After:
		return now, nil
	case c.First == neighbourhood.Neutral:
		return now, &o.FirstPossible
	case c.First == neighbourhood.Correct:
		return now, &o.FirstCertain
	}
	return now, &o.FirstLost
}

// key is a hash of the options: equal for outlooks with the same options.
func (o Outlook) key() [sha256.Size]byte {
	hash := sha256.New()
	var line []byte
	for _, list := range [][]Option{o.Certain, o.Possible, o.Lost, o.FirstCertain, o.FirstPossible, o.FirstLost} {
		line = append(strconv.AppendInt(line[:0], int64(len(list)), 10), '\n')
		hash.Write(line)
		for _, option := range list {
			line = strconv.AppendQuote(line[:0], option.Label)
			if option.ToTold {
				line = strconv.AppendUint(line, uint64(option.To), 10)
			}
			hash.Write(append(line, '\n'))
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
