package argument

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// spread is what all runs go through from a state, layer by layer: those states from which
// they go on, and those where they need not.
type spread struct {
	layers     [][]lts.State
	all, ends  []lts.State
	onward     []lts.State
	goOn       map[lts.State][]lts.Transition
	lastFrom   []lts.State // states with a last transition, and where these lead
	lastTo     []lts.State
	longest    int
	everything bool // no transition was met that the formula does not allow
}

func (j *judge) spread(a about, from lts.State) spread {
	u := spread{goOn: map[lts.State][]lts.Transition{}, everything: true}
	seen := map[lts.State]bool{from: true}
	for front := []lts.State{from}; len(front) > 0; {
		u.layers = append(u.layers, front)
		var next []lts.State
		for _, s := range front {
			u.all = append(u.all, s)
			if a.until && a.last == nil && j.is(a.right, s) || !a.until && j.is(a.left, s) {
				u.ends = append(u.ends, s)
				continue
			}
			leads := false
			for _, t := range j.out(s) {
				if a.last != nil && a.last(j.label(t)) && j.is(a.right, t.To) {
					u.lastFrom, u.lastTo = append(u.lastFrom, s), append(u.lastTo, t.To)
					if a.until {
						continue
					}
				}
				if !a.labels(j.label(t)) {
					u.everything = false
					continue
				}
				leads = true
				u.goOn[s] = append(u.goOn[s], t)
				if !seen[t.To] {
					seen[t.To] = true
					next = append(next, t.To)
				}
			}
			if !leads && a.until {
				u.ends = append(u.ends, s) // of a last transition
			} else {
				u.onward = append(u.onward, s)
			}
		}
		slices.Sort(next)
		front = next
	}
	u.longest = u.depth(from, len(u.all))
	for _, of := range []*[]lts.State{&u.all, &u.ends, &u.onward, &u.lastFrom, &u.lastTo} {
		slices.Sort(*of)
		*of = slices.Compact(*of)
	}
	return u
}

// depth returns the most steps from a state on, and more than limit where there is no most:
// how often all states of which some are left can take a step.
func (u *spread) depth(s lts.State, limit int) int {
	at := map[lts.State]bool{s: true}
	for steps := 0; ; steps++ {
		next := map[lts.State]bool{}
		for s := range at {
			for _, t := range u.goOn[s] {
				next[t.To] = true
			}
		}
		if len(next) == 0 || steps > limit {
			return steps
		}
		at = next
	}
}

// layersTold checks the lines about layers.
func (j *judge) layersTold(c *told, u spread) error {
	if len(u.layers) == 1 && len(c.layers) == 0 {
		return nil
	}
	if len(c.layers)+c.moreL != len(u.layers) {
		return fmt.Errorf("%d layers, and not %d", len(c.layers)+c.moreL, len(u.layers))
	}
	for i, l := range c.layers {
		done := 0
		var labels []string
		for _, s := range u.layers[i] {
			if slices.Contains(u.ends, s) {
				done++
			}
			for _, t := range u.goOn[s] {
				if !slices.Contains(labels, j.label(t)) {
					labels = append(labels, j.label(t))
				}
			}
		}
		more := ""
		if len(labels) > 4 {
			labels, more = labels[:4], fmt.Sprintf(" and %d more labels", len(labels)-4)
			more = strings.Replace(more, " 1 more labels", " 1 more label", 1)
		}
		first := u.layers[i][:min(6, len(u.layers[i]))]
		if l.count != len(u.layers[i]) || l.done != done || l.labels != strings.Join(labels, ", ")+more || !slices.Equal(first, l.first) || l.cut != (l.count > 6) {
			return fmt.Errorf("layer %d: %v, and not %v with %d by %v", i, l, u.layers[i], done, labels)
		}
	}
	return nil
}

// alone checks which labels are said to be allowed.
func alone(text string, of obligation) error {
	want := ""
	if of.f.labels != nil {
		_, after, _ := strings.Cut(of.f.text, of.f.left.text+" {")
		pattern, _, _ := strings.Cut(after, "}")
		want = "by {" + pattern + "} or hidden labels alone"
		if pattern == "false" {
			want = "by hidden labels alone"
		}
	}
	if of.f.op != "U" || want != text {
		if !(want == "" && text == "") {
			return fmt.Errorf("%q for %q", text, want)
		}
	}
	return nil
}

func checkLasts(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	a, is := of.runs()
	if !is || a.some || !a.until || a.last == nil {
		return nil, 0, errors.New("not what follows")
	}
	u := j.spread(a, of.s)
	if fmt.Sprint(u.longest+1) != found[1] {
		return nil, 0, fmt.Errorf("%d steps", u.longest+1)
	}
	if !u.everything {
		return nil, 0, errors.New("another label")
	}
	return append(owedOf(a.left, u.all), owedOf(a.right, u.lastTo)...), 0, first(j.layersTold(c, u), j.lastLabels(found[2], of),
		clause(found[3], a.right), setIs(found[4], u.lastFrom), alone(found[5], of), clause(found[6], a.left), j.all(a.left, u.all), j.all(a.right, u.lastTo))
}

func (j *judge) lastLabels(text string, of obligation) error {
	if !strings.Contains(of.f.text, " U "+text+" ") {
		return fmt.Errorf("%s is not in the formula", text)
	}
	return nil
}

func checkLayers(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	a, is := of.runs()
	if !is || a.some || !a.until || a.last != nil {
		return nil, 0, errors.New("not what follows")
	}
	u := j.spread(a, of.s)
	if fmt.Sprint(u.longest) != found[1] || !u.everything {
		return nil, 0, fmt.Errorf("%d steps", u.longest)
	}
	for _, s := range u.onward {
		if len(j.out(s)) == 0 {
			return nil, 0, fmt.Errorf("runs end in %d", s)
		}
	}
	return append(owedOf(a.left, u.onward), owedOf(a.right, u.ends)...), 0, first(j.layersTold(c, u), setIs(found[2], u.ends), clause(found[3], a.right),
		alone(found[4], of), clause(found[5], a.left), j.all(a.left, u.onward), j.all(a.right, u.ends))
}

func checkNever(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	return j.never(c, of, found[1], found[2], "", "", found[3])
}

func checkStay(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	return j.never(c, of, found[1], found[2], found[3], found[4], found[5])
}

// never checks that runs stay in a set, until they are in another one, and so are never
// where it would be decided otherwise.
func (j *judge) never(c *told, of obligation, by, in, ends, where, text string) ([]obligation, int, error) {
	a, is := of.runs()
	if !is || a.some || a.until {
		return nil, 0, errors.New("not what follows")
	}
	u := j.spread(a, of.s)
	if (len(u.ends) > 0) != (ends != "") {
		return nil, 0, fmt.Errorf("runs stay until %v", u.ends)
	}
	owed := append(owedOf(a.left, u.ends), owedOf(a.right, u.all)...)
	var err error
	if a.last != nil {
		which := "the transitions from these"
		if len(u.all) == 1 {
			which = "the transitions from there"
		}
		if len(u.ends) > 0 {
			which = "the transitions from those before"
		}
		var to []lts.State
		for _, s := range u.onward {
			for _, t := range j.out(s) {
				if a.last(j.label(t)) {
					to = append(to, t.To)
				}
			}
		}
		owed = append(owedOf(a.left, u.ends), owedOf(a.right, to)...)
		err = first(j.noLast(text, of, a, which), j.all(a.right, to))
	} else {
		err = first(j.said(text, a.right, "these"), j.all(a.right, u.all))
		if there, is := strings.CutSuffix(text, " there"); is && len(u.all) == 1 {
			err = first(clause(there, a.right), j.all(a.right, u.all))
		}
	}
	if len(u.ends) > 0 {
		err = first(err, setIs(ends, u.ends), clause(where, a.left), j.all(a.left, u.ends))
	}
	if len(c.layers) > 0 {
		return nil, 0, errors.New("layers do not argue")
	}
	return owed, 0, first(err, setIs(in, u.all), alone(by, of))
}
