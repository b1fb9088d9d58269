package claim

import (
	"fmt"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/neighbourhood"
)

// chosen makes the claims about choices of the run; those that follow each other
// with the same to be said share one.
func chosen(e *explain.Explanation, choices []*explain.Decision) []Chosen {
	var claims []Chosen
	key := ""
	for _, d := range choices {
		c := About(e, d)
		k := fmt.Sprint(c.Outcome, c.EveryRound, c.Outlook.key())
		if last := len(claims) - 1; last >= 0 && k == key {
			claims[last].Decisions = append(claims[last].Decisions, d)
			continue
		}
		claims, key = append(claims, c), k
	}
	return claims
}

// About returns what is claimed of one decision or fork of e. Cost O(its
// alternatives).
func About(e *explain.Explanation, d *explain.Decision) Chosen {
	c := Chosen{Decisions: []*explain.Decision{d}, EveryRound: e.IsOnLoop(d)}
	switch {
	case d.Fate == "fated":
		c.Outcome = LostBefore
		return c
	case d.Chosen.After == neighbourhood.Incorrect.String():
		c.Outcome, c.Gone = LostHere, gone(e)
	}
	c.Outlook = outlookOf(d.Alternatives, d.Chosen.Label)
	return c
}

// outlookOf sorts choices by what they would have meant. Where transitions of one
// label mean different things, or the run takes one of that label, the states that
// they lead to are told.
func outlookOf(choices []explain.Choice, taken string) Outlook {
	meanings := map[string]map[[2]string]bool{taken: {{}: true}}
	for _, c := range choices {
		if meanings[c.Label] == nil {
			meanings[c.Label] = map[[2]string]bool{}
		}
		meanings[c.Label][[2]string{c.After, c.First}] = true
	}
	var o Outlook
	at := map[listed]int{}
	add := func(list *[]Option, o Option) {
		key := listed{list, o}
		if i, is := at[key]; is {
			(*list)[i].Ways++
			return
		}
		at[key] = len(*list)
		*list = append(*list, o)
	}
	for _, c := range choices {
		option := Option{Label: c.Label, Ways: 1}
		if len(meanings[c.Label]) > 1 {
			option.To, option.ToTold = c.To, true
		}
		switch c.After {
		case neighbourhood.Correct.String():
			add(&o.Certain, option)
		case neighbourhood.Neutral.String():
			add(&o.Possible, option)
		default:
			add(&o.Lost, option)
		}
		switch {
		case c.First == c.After:
		case c.First == neighbourhood.Neutral.String():
			add(&o.FirstPossible, option)
		default:
			add(&o.FirstLost, option)
		}
	}
	return o
}

// listed is an option in one of the lists of an outlook.
type listed struct {
	list   *[]Option
	option Option
}

// key is the same for outlooks of which the same is to be said.
func (o Outlook) key() string { return fmt.Sprintf("%#v", o) }
