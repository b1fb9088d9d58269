package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

var (
	byOwner  = regexp.MustCompile(`(?:^|, )(` + label + `) by (never |forbidding )`)
	restThey = regexp.MustCompile(`, (\d+) others? likewise$`)
)

// playedBy plays as if just the labels of some owners could be forbidden, and no triggers; false if the
// others can do too much.
func (c *Checker) playedBy(owners []string) (*game, bool) {
	forced := map[lts.Label]bool{}
	for l, text := range c.Model.Alphabet().All() {
		forced[l] = c.Triggers[l] || !slices.Contains(owners, c.Owner(text))
	}
	if c.without != nil {
		return c.without(forced)
	}
	return c.playWith(forced), true
}

// ownedBy returns what has to be forbidden by an owner.
func (g *game) ownedBy(owner string) map[move]bool {
	all := g.forbidden()
	for x := range all {
		if g.Owner(g.Model.Alphabet().Text(x.Label)) != owner {
			delete(all, x)
		}
	}
	return all
}

// supervise checks what the owners of the only minimal set are said to forbid, and to leave.
func (c *Checker) supervise(said string, owners []string) error {
	g, few := c.playedBy(owners)
	if said == "" || !few {
		return nil
	}
	said, leave, _ := cutLeave(said)
	others := 0
	if m := restThey.FindStringSubmatch(said); m != nil {
		said, others = strings.TrimSuffix(said, m[0]), number(m[1])
	}
	err := g.leaves(leave)
	told := map[string]bool{}
	heads := byOwner.FindAllStringSubmatchIndex(said, -1)
	for i, head := range heads {
		end := len(said)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		owner := text(said[head[2]:head[3]])
		told[owner] = true
		err = errors.Join(err, want(slices.Contains(owners, owner), "%s is no member", owner), g.nevers(said[head[4]:end], g.ownedBy(owner)))
	}
	for _, owner := range owners {
		if !told[owner] && len(g.ownedBy(owner)) > 0 {
			others--
		}
	}
	return errors.Join(err, want(others == 0 && (len(heads) > 0) == (said != ""), "%q: %d owners more", said, others))
}

// supervised checks what the only owner who can do so has to do.
func (c *Checker) supervised(m []string) error {
	return c.compared(func(_ *able, minimal [][]string) error {
		if len(minimal) != 1 || len(minimal[0]) != 1 {
			return fmt.Errorf("%v can", minimal)
		}
		g, few := c.playedBy(minimal[0])
		if !few {
			return nil
		}
		nevers, leave, _ := cutLeave(m[1])
		if nevers == "" {
			return errors.Join(g.leaves(leave), want(len(g.forbidden()) == 0, "%v is to be forbidden", g.forbidden()))
		}
		return errors.Join(g.leaves(leave), g.nevers(nevers, g.forbidden()))
	})
}

// cutLeave cuts off what has to be left.
func cutLeave(said string) (nevers, leave string, both bool) {
	if strings.HasPrefix(said, "in ") || strings.HasPrefix(said, "no run ") {
		return "", said, false
	}
	return strings.Cut(said, "; and ")
}

// leaves checks what has to be left; nothing is said of choices that are fair.
func (g *game) leaves(said string) error {
	if m := leaveAll.FindStringSubmatch(said); m != nil {
		places, parts := 0, g.parts()
		for _, p := range parts {
			places += len(p.places)
		}
		return want(number(m[1]) == len(parts) && number(m[2]) == places, "there are %d parts with %d states", len(parts), places)
	}
	return g.leave(said)
}

// stands checks what is said to stand in the way of all owners: after a step of nobody's, to which runs
// come, not even all can prevent it.
func (c *Checker) stands(owners []string, m []string) error {
	switch {
	case m[0] != "":
		return want(!c.free(0), "some run satisfies it")
	case m[1] == "":
		return nil
	}
	g, few := c.playedBy(owners)
	if !few {
		return nil
	}
	met := map[at]bool{}
	for todo := []at{g.initial()}; len(todo) > 0; todo = todo[1:] {
		a := todo[0]
		if met[a] {
			continue
		}
		met[a] = true
		for _, t := range c.o.Out(a.state) {
			next := g.next(a, t)
			if int(a.state) == number(m[2]) && g.inner(t.Label) && c.Model.Alphabet().Text(t.Label) == text(m[1]) && !g.wins[next] {
				return want(c.Triggers[t.Label] == (m[3] == "triggers the property"), "%s triggers the property: %t", m[1], c.Triggers[t.Label])
			}
			todo = append(todo, next)
		}
	}
	return fmt.Errorf("%s does not lead from state %s to where the property cannot be made true", m[1], m[2])
}
