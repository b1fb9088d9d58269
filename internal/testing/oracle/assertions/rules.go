package assertions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// rule is a part of a text that says where labels are forbidden, or which states must not be entered.
type rule struct {
	labels       []string // as they are quoted
	into, in     []int
	areDeadlocks bool
	after, until string
	begins       bool
	when         place // the condition on the property
	step         int
}

const whenForm = `( (?:once|before) .+? is done(?:, before .+? is)?| when .+ steps of the property are done| \(.+?(?:; states? .+ of the property)?\))?`

var (
	intoForm  = regexp.MustCompile(`^whatever leads to (the deadlocks? in )?states? ((?:(?:, | and )?\d+(?: \(step \d+ of this run\))?)+)` + whenForm + `$`)
	whereForm = regexp.MustCompile("^((?:(?:, | and )?" + label + `)+) (?:(everywhere)|in states? ([\d, ]+?)|until (` + label + `)(?: and again after (` + label + `) until (` + label + `))?|after (` + label + `)(?: until (` + label + `))?)` + whenForm + `$`)
	whenIs    = regexp.MustCompile(`^ (?:(once|before) (.+?) is done(?:, before (.+?) is)?|when (.+) steps of the property are done|\((.+?)(?:; states? (.+) of the property)?\))$`)
	lastStep  = regexp.MustCompile(` \(step (\d+) of this run\)$`)
	stepIs    = regexp.MustCompile(`\(step (\d+) of this run\)`)
)

// rulesIn reads a text as rules; false if it has another form, such as one that counts states.
func (g *game) rulesIn(said string) ([]rule, bool) {
	said, is := strings.CutPrefix(said, "forbid ")
	if !is {
		return nil, false
	}
	var rules []rule
	isRuled := false // a text of places in states only is read elsewhere
	held := ""
	for _, part := range outside(said, "`", "whatever ") {
		part = held + part
		held = part + ", "
		if m := intoForm.FindStringSubmatch(part); m != nil {
			r := rule{areDeadlocks: m[1] != "", when: condition(m[3])}
			if step := stepIs.FindStringSubmatch(m[2]); step != nil {
				r.step = number(step[1])
			}
			for _, n := range regexp.MustCompile(`\d+`).FindAllString(stepIs.ReplaceAllString(m[2], ""), -1) {
				r.into = append(r.into, number(n))
			}
			rules = append(rules, r)
			held = ""
			isRuled = true
			continue
		}
		step := ""
		if s := lastStep.FindStringSubmatch(part); s != nil {
			part = strings.TrimSuffix(part, s[0])
			step = s[1]
		}
		m := whereForm.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		r := rule{
			labels: regexp.MustCompile(label).FindAllString(m[1], -1),
			when:   condition(m[9]),
			step:   number(step),
		}
		if m[3] != "" {
			r.in = numbers(m[3])
		}
		r.after, r.until, r.begins = m[5]+m[7], m[4]+m[8], m[4] != ""
		if m[6] != "" && m[6] != m[4] {
			return nil, false
		}
		isRuled = isRuled || m[3] == "" || len(r.labels) > 1 || r.step > 0
		rules = append(rules, r)
		held = ""
	}
	return rules, held == "" && isRuled
}

// condition reads when a rule applies.
func condition(said string) place {
	m := whenIs.FindStringSubmatch(said)
	if m == nil {
		return place{}
	}
	p := place{
		after:    m[2],
		before:   m[3],
		progress: m[4],
		while:    m[5],
		in:       m[6],
	}
	if m[1] == "before" {
		p.after, p.before = "", m[2]
	}
	return p
}

// applies returns the ways to read when a place applies, by the number of steps done or the state of
// the property.
func (g *game) applies(p place) (all []func(done int) bool) {
	if g.phrase != nil {
		in := numbers(strings.ReplaceAll(p.in, " or ", ", "))
		return append(all, func(q int) bool {
			return p.while == "" ||
				g.among(p.while, q) && (p.in == "" || slices.Contains(in, q))
		})
	}
	candidates := func(name string) []int {
		if name == "" {
			return []int{0}
		}
		var steps []int
		for step := range g.Steps {
			if g.named(name, step+1) == nil {
				steps = append(steps, step+1)
			}
		}
		return steps
	}
	for _, first := range candidates(p.after) {
		for _, last := range candidates(p.before) {
			all = append(all, func(done int) bool {
				return done >= first && (last == 0 || done < last) &&
					(p.progress == "" ||
						slices.Contains(numbers(strings.ReplaceAll(p.progress, " or ", ", ")),
							done))
			})
		}
	}
	return all
}

// follow checks that runs that follow the rules do exactly what they do without the moves that must be
// forbidden.
func (g *game) follow(rules []rule, expected map[move]bool) error {
	told := map[move]bool{}
	for _, r := range rules {
		if r.into != nil {
			for _, s := range r.into {
				if (len(g.o.Out(lts.State(s))) == 0) != r.areDeadlocks &&
					(r.areDeadlocks || len(r.into) == 1) {
					return fmt.Errorf("%d is a deadlock: %t", s, !r.areDeadlocks)
				}
			}
		}
		isExact := false
		for _, applies := range g.applies(r.when) {
			moves, exact := g.forbiddenBy(r, applies, expected)
			if !exact {
				continue
			}
			isExact = true
			for _, x := range moves {
				told[x] = true
			}
			break
		}
		if !isExact {
			return fmt.Errorf("%+v is not what has to be forbidden: %v", r, expected)
		}
		if r.step > 0 {
			t := g.Run.Transitions[r.step-1]
			isOne := slices.Contains(r.labels, "`"+g.Model.Alphabet().Text(t.Label)+"`") ||
				slices.Contains(r.into, int(t.To))
			if !isOne || !slices.ContainsFunc(g.done(), func(done int) bool { return expected[move{t, done}] }) {
				return fmt.Errorf("step %d breaks no rule", r.step)
			}
		}
	}
	return want(len(told) == len(expected), "%v has to be forbidden, told is %v", expected,
		told)
}

// forbiddenBy returns the expected moves that a rule is about, and whether the rule forbids exactly
// these, whatever has happened before.
func (g *game) forbiddenBy(
	r rule,
	applies func(done int) bool,
	expected map[move]bool,
) (moves []move, exact bool) {
	type memory struct {
		at
		holds bool
	}
	name := func(t lts.Transition) string {
		return "`" + g.Model.Alphabet().Text(t.Label) + "`"
	}
	first := memory{g.initial(), r.begins}
	visited := map[memory]bool{first: true}
	for open := []memory{first}; len(open) > 0; open = open[1:] {
		from := open[0]
		for _, t := range g.o.Out(from.state) {
			x := move{t, from.done}
			isAbout := slices.Contains(r.labels, name(t)) || slices.Contains(r.into, int(t.To))
			isForbidden := isAbout && applies(from.done)
			switch {
			case r.into != nil && g.phrase == nil:
				isForbidden = isAbout && applies(g.next(from.at, t).done)
			case r.in != nil:
				isForbidden = isForbidden && slices.Contains(r.in, int(t.From))
			case r.after != "" || r.until != "":
				isForbidden = isForbidden && from.holds
			}
			if isAbout && isForbidden != expected[x] {
				return nil, false
			}
			if expected[x] {
				if isAbout {
					moves = append(moves, x)
				}
				continue
			}
			next := memory{
				g.next(from.at, t),
				(from.holds || name(t) == r.after) && name(t) != r.until || name(t) == r.after,
			}
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return moves, true
}
