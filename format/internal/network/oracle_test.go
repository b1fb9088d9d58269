package network

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// behaviour is a behaviour as the manual page defines it, step by step: its state is the tuple of
// the states of all components. It shares no code with the composition.
type behaviour struct {
	text  string
	steps func(at []int) []step
	// labels are the labels that its transitions may have.
	labels []string
}

// step is a step of a behaviour: its label, and the components that move, with their new states.
type step struct {
	label string
	to    map[int]int
}

func (s step) with(other step, label string) step {
	to := maps.Clone(s.to)
	maps.Copy(to, other.to)
	return step{label, to}
}

// dialect is the reference language of a drawn network.
type dialect struct {
	head, hidden, ends string
	isMCRL             bool // || is mCRL's composition
	settings           Settings
}

// inModel returns the text of a label in the model of a network: the hidden label is an internal action there.
func (d dialect) inModel(label string) string {
	if label == d.hidden && label != "tau" {
		return "i"
	}
	return label
}

var dialects = []dialect{
	{hidden: "i", ends: "exit"},
	{head: "elotos behaviour\n", hidden: "i", ends: "exit"},
	{head: "mcrl behaviour comm a | b = c, a | c = a end comm\n", hidden: "tau", isMCRL: true},
	{head: "ccs behaviour\n", hidden: "t", settings: Settings{CaseSensitive: true}},
	{hidden: "STEP", ends: "exit", settings: Settings{Hidden: "STEP"}},
}

// drawer draws networks.
type drawer struct {
	r      *rand.Rand
	d      dialect
	models []*lts.LTS // of the components
	// infixes are the texts that are an infix operator in parentheses.
	infixes map[string]bool
}

var drawnLabels = []string{"a", "a !1", "a !2", "b", "b !1", "c", "'a", "'b !1"}

// component draws a component.
func (x *drawer) component() behaviour {
	number := len(x.models)
	states := 1 + x.r.IntN(4)
	labels := append(slices.Clone(drawnLabels[:2+x.r.IntN(7)]), x.d.hidden)
	if x.d.ends != "" {
		labels = append(labels, x.d.ends)
	}
	var b lts.Builder
	edges := map[int][]step{}
	for range x.r.IntN(3 * states) {
		from, to := x.r.IntN(states), x.r.IntN(states)
		label := labels[x.r.IntN(len(labels))]
		b.Add(lts.State(from), b.Label(label), lts.State(to))
		edges[from] = append(edges[from], step{label, map[int]int{number: to}})
	}
	m, err := b.Build(lts.State(x.r.IntN(states)), states)
	if err != nil {
		panic(err)
	}
	x.models = append(x.models, m)
	return behaviour{fmt.Sprintf("\"c%d.aut\"", number), func(at []int) []step { return edges[at[number]] }, labels}
}

func gateOf(label string) string { return label[:strings.IndexAny(label+" ", "!?( \t")] }

// draw draws a behaviour with so many components, without infix operators unless they stand in parentheses.
func (x *drawer) draw(components int) behaviour {
	switch {
	case components > 1 && x.r.IntN(3) == 0:
		return x.chain(components)
	case components > 1:
		return x.composed(components)
	}
	n := x.component()
	if x.r.IntN(3) == 0 {
		n = x.unary(n)
	}
	return n
}

// unary puts an operator on one behaviour.
func (x *drawer) unary(n behaviour) behaviour {
	switch x.r.IntN(6) {
	case 0:
		return x.cutOrHide(n, "hide")
	case 1:
		return x.cutOrHide(n, "cut")
	case 2:
		return x.rename(n)
	case 3:
		return x.prio(n)
	case 4:
		return x.restricted(n)
	default:
		return x.relabelledCCS(n)
	}
}

// matcher draws labels of an operator, and how they match: a text before the operator, the list, and who is in it.
func (x *drawer) matcher() (how, list string, in func(label string) bool) {
	how = []string{"gate", "total", "partial", ""}[x.r.IntN(4)]
	others := x.r.IntN(4) == 0
	pattern := []string{"a", "b", "a !1", "c", "'a", "!1", "[ab]", ".*"}[x.r.IntN(8)]
	re := regexp.MustCompile(pattern)
	whole := regexp.MustCompile("^(?:" + pattern + ")$")
	matches := func(label string) bool {
		switch how {
		case "total":
			return whole.MatchString(label)
		case "partial":
			return re.MatchString(label)
		}
		return whole.MatchString(gateOf(label))
	}
	list = `"` + pattern + `"`
	if others {
		list = "all but " + list
	}
	return how, list, func(label string) bool { return matches(label) != others }
}

func (x *drawer) cutOrHide(n behaviour, kind string) behaviour {
	how, list, in := x.matcher()
	text := fmt.Sprintf("%s %s %s in %s end %s", how, kind, list, n.text, kind)
	return behaviour{text, func(at []int) (all []step) {
		for _, s := range n.steps(at) {
			if s.label != x.d.hidden && in(s.label) {
				if kind == "cut" {
					continue
				}
				s.label = x.d.hidden
			}
			all = append(all, s)
		}
		return all
	}, append(n.labels, x.d.hidden)}
}

func (x *drawer) rename(n behaviour) behaviour {
	how := []string{"gate", "total", "single", "multiple", ""}[x.r.IntN(5)]
	old := []string{"a", "b", "a !1", "c"}[x.r.IntN(4)]
	if (how == "gate" || how == "") && old == "a !1" {
		old = "a"
	}
	now := []string{"a", "b", "d"}[x.r.IntN(3)]
	rename := func(label string) string {
		switch {
		case label == x.d.hidden:
		case how == "total" && label == old:
			return now
		case how == "single":
			return strings.Replace(label, old, now, 1)
		case how == "multiple":
			return strings.ReplaceAll(label, old, now)
		case (how == "gate" || how == "") && gateOf(label) == old:
			return now + label[len(old):]
		}
		return label
	}
	return x.mapped(n, fmt.Sprintf("%s rename %q -> %q in %s end rename", how, old, now, n.text), rename)
}

func (x *drawer) mapped(n behaviour, text string, rename func(string) string) behaviour {
	var labels []string
	for _, l := range n.labels {
		labels = append(labels, rename(l))
	}
	return behaviour{text, func(at []int) (all []step) {
		for _, s := range n.steps(at) {
			s.label = rename(s.label)
			all = append(all, s)
		}
		return all
	}, labels}
}

// restricted is CCS's \.
func (x *drawer) restricted(n behaviour) behaviour {
	gate := []string{"a", "b", "c"}[x.r.IntN(3)]
	return behaviour{fmt.Sprintf("(%s) \\ {%s}", n.text, gate), func(at []int) (all []step) {
		for _, s := range n.steps(at) {
			if g := gateOf(strings.TrimPrefix(s.label, "'")); s.label == x.d.hidden || g != gate {
				all = append(all, s)
			}
		}
		return all
	}, n.labels}
}

// relabelledCCS is CCS's [b/a], or CSP's [[a <- b]].
func (x *drawer) relabelledCCS(n behaviour) behaviour {
	old, now := []string{"a", "b"}[x.r.IntN(2)], []string{"b", "d"}[x.r.IntN(2)]
	if x.r.IntN(2) == 0 {
		return x.mapped(n, fmt.Sprintf("(%s) [[%s <- %s]]", n.text, old, now), func(label string) string {
			if label != x.d.hidden && gateOf(label) == old {
				return now + label[len(old):]
			}
			return label
		})
	}
	return x.mapped(n, fmt.Sprintf("(%s) [%s/%s]", n.text, now, old), func(label string) string {
		rest, is := strings.CutPrefix(label, "'")
		if label == x.d.hidden || gateOf(rest) != old {
			return label
		}
		rest = now + rest[len(old):]
		if is {
			rest = "'" + rest
		}
		return rest
	})
}

// prio draws an order that is never cyclic: a before b before c.
func (x *drawer) prio(n behaviour) behaviour {
	in := func(gate string) func(string) bool { return func(label string) bool { return gateOf(label) == gate } }
	chains := [][]func(string) bool{{in("a"), in("b"), in("c")}, {in("b"), in("a")}, {in("a"), func(l string) bool { return gateOf(l) != "a" }}}
	texts := []string{"a > b > c", "b > a", `a > all but "a"`}
	k := x.r.IntN(3)
	// The relation, made transitive over the labels that the behaviour may have.
	over := map[[2]string]bool{}
	labels := slices.Compact(slices.Sorted(slices.Values(n.labels)))
	for _, a := range labels {
		for _, b := range labels {
			for i := range len(chains[k]) - 1 {
				visible := a != x.d.hidden
				if visible && chains[k][i](a) && chains[k][i+1](b) && (b != x.d.hidden || k == 2) {
					over[[2]string{a, b}] = true
				}
			}
		}
	}
	if k == 0 {
		for _, a := range labels {
			for _, b := range labels {
				if gateOf(a) == "a" && gateOf(b) == "c" {
					over[[2]string{a, b}] = true
				}
			}
		}
	}
	return behaviour{"prio " + texts[k] + " in " + n.text + " end prio", func(at []int) (all []step) {
		steps := n.steps(at)
		for _, s := range steps {
			if !slices.ContainsFunc(steps, func(other step) bool { return over[[2]string{other.label, s.label}] }) {
				all = append(all, s)
			}
		}
		return all
	}, n.labels}
}

func (x *drawer) open(_ context.Context, path string) (*lts.LTS, error) {
	var n int
	if _, err := fmt.Sscanf(path, "c%d.aut", &n); err != nil {
		return nil, err
	}
	return x.models[n], nil
}

// composed draws a composition.
func (x *drawer) composed(components int) behaviour {
	var inside []behaviour
	k := 2
	if components > 2 && x.r.IntN(2) == 0 {
		k = 3
	}
	left := components
	for i := range k {
		n := 1
		if i == k-1 {
			n = left
		} else if most := left - (k - 1 - i); most > 1 {
			n = 1 + x.r.IntN(most)
		}
		left -= n
		inside = append(inside, x.draw(n))
	}
	var n behaviour
	c := x.r.IntN(4)
	switch {
	case c == 0:
		n = x.vectored(inside)
	case c < 3 || k > 2:
		n = x.par(inside)
	default:
		n = x.infix(inside[0], inside[1])
	}
	if x.r.IntN(3) == 0 {
		n = x.unary(n)
	}
	return n
}

// chain draws a composition by infix operators only.
func (x *drawer) chain(components int) behaviour {
	var inside []behaviour
	for range components {
		inside = append(inside, x.draw(1))
	}
	n := inside[components-1]
	for _, left := range slices.Backward(inside[:components-1]) {
		n = x.infix(left, n)
	}
	return n
}

func labelsOf(inside []behaviour, more ...string) (all []string) {
	for _, n := range inside {
		all = append(all, n.labels...)
	}
	all = append(all, more...)
	slices.Sort(all)
	return slices.Compact(all)
}

// subsets calls do with each set of behaviours that has one step each with the label, as one step.
func joinAll(stepsOf [][]step, members []int, label string, do func(step)) {
	var descend func(i int, s step)
	descend = func(i int, s step) {
		if i == len(members) {
			do(s)
			return
		}
		for _, other := range stepsOf[members[i]] {
			if other.label == label {
				descend(i+1, s.with(other, label))
			}
		}
	}
	descend(0, step{label, map[int]int{}})
}

func subsetsOf(members []int, n int, do func([]int)) {
	for set := range 1 << len(members) {
		var chosen []int
		for i, m := range members {
			if set>>i&1 != 0 {
				chosen = append(chosen, m)
			}
		}
		if len(chosen) == n {
			do(chosen)
		}
	}
}

// everyone is the degree of an element without one: all behaviours with it join.
const everyone = -1

// drawnElement is an element of an interface: degree 1 or 2, or everyone.
type drawnElement struct {
	label  string
	degree int
}

func (e drawnElement) String() string {
	text := fmt.Sprintf("%q", e.label)
	if e.degree != everyone {
		text += fmt.Sprint("#", e.degree)
	}
	return text
}

func (x *drawer) elements(byLabel bool) (all []drawnElement) {
	for range x.r.IntN(3) {
		label := []string{"a", "b", "c"}[x.r.IntN(3)]
		if byLabel {
			label = drawnLabels[x.r.IntN(6)]
		}
		e := drawnElement{label, []int{everyone, 1, 2}[x.r.IntN(3)]}
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

func shown(all []drawnElement) string {
	var texts []string
	for _, e := range all {
		texts = append(texts, e.String())
	}
	return strings.Join(texts, ", ")
}

// par draws par … end par with interfaces.
func (x *drawer) par(inside []behaviour) behaviour {
	byLabel := x.r.IntN(3) == 0
	mode := []string{"", "gate "}[x.r.IntN(2)]
	if byLabel {
		mode = "label "
	}
	isAll := x.r.IntN(4) == 0
	var global []drawnElement
	local := make([][]drawnElement, len(inside))
	text := mode + "par "
	if isAll {
		text += "all in "
	} else if global = x.elements(byLabel); len(global) > 0 {
		text += shown(global) + " in "
	}
	for k, n := range inside {
		if k > 0 {
			text += " || "
		}
		if !isAll && x.r.IntN(2) == 0 {
			local[k] = x.elements(byLabel)
		}
		if len(local[k]) > 0 {
			text += shown(local[k]) + " -> "
		}
		text += n.text
	}
	everybody := make([]int, len(inside))
	for k := range everybody {
		everybody[k] = k
	}
	return behaviour{text + " end par", func(at []int) (out []step) {
		stepsOf := make([][]step, len(inside))
		for k, n := range inside {
			stepsOf[k] = n.steps(at)
		}
		add := func(s step) { out = append(out, s) }
		for _, label := range labelsOf(inside) {
			key := gateOf(label)
			if byLabel {
				key = label
			}
			if label == x.d.hidden {
				for _, k := range everybody {
					joinAll(stepsOf, []int{k}, label, add)
				}
				continue
			}
			if x.d.ends != "" && gateOf(label) == x.d.ends || isAll {
				joinAll(stepsOf, everybody, label, add)
				continue
			}
			is := func(e drawnElement) bool { return e.label == key }
			for _, e := range global {
				if is(e) && e.degree == everyone {
					joinAll(stepsOf, everybody, label, add)
				} else if is(e) {
					subsetsOf(everybody, e.degree, func(set []int) { joinAll(stepsOf, set, label, add) })
				}
			}
			for _, degree := range []int{everyone, 1, 2} {
				var members []int
				for k := range inside {
					if slices.Contains(local[k], drawnElement{key, degree}) {
						members = append(members, k)
					}
				}
				if degree == everyone && len(members) > 0 {
					joinAll(stepsOf, members, label, add)
				} else if degree != everyone {
					subsetsOf(members, degree, func(set []int) { joinAll(stepsOf, set, label, add) })
				}
			}
			for k := range inside {
				if !slices.ContainsFunc(global, is) && !slices.ContainsFunc(local[k], is) {
					joinAll(stepsOf, []int{k}, label, add)
				}
			}
		}
		return out
	}, labelsOf(inside)}
}

// vectored draws par using … end par.
func (x *drawer) vectored(inside []behaviour) behaviour {
	byLabel := x.r.IntN(2) == 0
	type vector struct {
		parts  []string
		result string
	}
	var vectors []vector
	var texts, results []string
	for range 1 + x.r.IntN(3) {
		v := vector{parts: make([]string, len(inside)), result: []string{"a", "d", x.d.hidden}[x.r.IntN(3)]}
		for slices.Max(v.parts) == "" {
			for k := range inside {
				v.parts[k] = []string{"", "a", "b", "c"}[x.r.IntN(4)]
				if byLabel && v.parts[k] != "" {
					v.parts[k] = drawnLabels[x.r.IntN(6)]
				}
			}
		}
		vectors = append(vectors, v)
		var parts []string
		for _, p := range v.parts {
			if p == "" {
				parts = append(parts, "_")
			} else {
				parts = append(parts, fmt.Sprintf("%q", p))
			}
		}
		texts = append(texts, strings.Join(parts, []string{" * ", " || "}[x.r.IntN(2)])+" -> "+v.result)
		results = append(results, v.result)
		for _, l := range labelsOf(inside) {
			results = append(results, v.result+l[len(gateOf(l)):])
		}
	}
	var bodies []string
	for _, n := range inside {
		bodies = append(bodies, n.text)
	}
	mode := "gate "
	if byLabel {
		mode = "label "
	}
	text := mode + "par using " + strings.Join(texts, ", ") + " in " + strings.Join(bodies, " || ") + " end par"
	return behaviour{text, func(at []int) (out []step) {
		for _, n := range inside {
			for _, s := range n.steps(at) {
				if s.label == x.d.hidden {
					out = append(out, s)
				}
			}
		}
		for _, v := range vectors {
			var descend func(k int, offers string, some bool, s step)
			descend = func(k int, offers string, some bool, s step) {
				if k == len(inside) {
					s.label = v.result
					if !byLabel && v.result != x.d.hidden {
						s.label += offers
					}
					out = append(out, s)
					return
				}
				if v.parts[k] == "" {
					descend(k+1, offers, some, s)
					return
				}
				for _, other := range inside[k].steps(at) {
					rest := other.label[len(gateOf(other.label)):]
					if byLabel && other.label == v.parts[k] || !byLabel && gateOf(other.label) == v.parts[k] && (!some || rest == offers) {
						descend(k+1, rest, true, s.with(other, ""))
					}
				}
			}
			descend(0, "", false, step{"", map[int]int{}})
		}
		return out
	}, labelsOf(inside, results...)}
}

// infix draws an infix operator in parentheses. Operators associate to the right, so that the parentheses of the right
// side may be left out: then there is a chain.
func (x *drawer) infix(left, right behaviour) behaviour {
	inside := []behaviour{left, right}
	gates := []string{"a", "b", "c"}[x.r.IntN(3):]
	other := []string{"a", "b", "c"}[:1+x.r.IntN(3)]
	list := strings.Join(gates, ", ")
	kind := x.r.IntN(5)
	operator := []string{"|||", "||", "|[" + list + "]|", "|", "[{" + list + "} || {" + strings.Join(other, ", ") + "}]"}[kind]
	if kind == 2 && x.r.IntN(2) == 0 {
		operator = "[| {" + list + "} |]"
	}
	rightText := right.text
	if x.infixes[right.text] && x.r.IntN(4) > 0 {
		rightText = right.text[1 : len(right.text)-1]
	}
	text := "(" + left.text + " " + operator + " " + rightText + ")"
	x.infixes[text] = true
	comm := map[[2]string]string{{"a", "b"}: "c", {"b", "a"}: "c", {"a", "c"}: "a", {"c", "a"}: "a"}
	return behaviour{text, func(at []int) (out []step) {
		l, r := left.steps(at), right.steps(at)
		together := func(label string) bool {
			gate := gateOf(label)
			switch {
			case kind == 3 || kind == 1 && x.d.isMCRL || label == x.d.hidden:
				return false
			case gate == x.d.ends && x.d.ends != "":
				return true
			case kind == 1:
				return true
			case kind == 2:
				return slices.Contains(gates, gate)
			case kind == 4:
				return slices.Contains(gates, gate) && slices.Contains(other, gate)
			}
			return false
		}
		for side, steps := range [][]step{l, r} {
			for _, s := range steps {
				mine := [][]string{gates, other}[side]
				if !together(s.label) && (kind != 4 || s.label == x.d.hidden || slices.Contains(mine, gateOf(s.label))) {
					out = append(out, s)
				}
			}
		}
		for _, a := range l {
			for _, b := range r {
				ga, gb := gateOf(a.label), gateOf(b.label)
				switch {
				case kind == 3 && a.label != x.d.hidden && b.label != x.d.hidden:
					if "'"+a.label == b.label || "'"+b.label == a.label {
						out = append(out, a.with(b, x.d.hidden))
					}
				case kind == 1 && x.d.isMCRL:
					if result := comm[[2]string{ga, gb}]; result != "" && a.label[len(ga):] == b.label[len(gb):] {
						out = append(out, a.with(b, result+a.label[len(ga):]))
					}
				case a.label == b.label && together(a.label):
					out = append(out, a.with(b, a.label))
				}
			}
		}
		return out
	}, labelsOf(inside, append(slices.Clone(drawnLabels), "c !1", "c !2", x.d.hidden)...)}
}

// reached returns the transitions of a network by a search of its own: each as the tuple, the label, the movers and
// the tuple after it.
func (x *drawer) reached(n behaviour) (all []string, states int) {
	initial := make([]int, len(x.models))
	for i, m := range x.models {
		initial[i] = int(m.Initial())
	}
	seen := map[string]bool{fmt.Sprint(initial): true}
	found := map[string]bool{}
	for left := [][]int{initial}; len(left) > 0; left = left[1:] {
		at := left[0]
		for _, s := range n.steps(at) {
			to := slices.Clone(at)
			for i, state := range s.to {
				to[i] = state
			}
			found[fmt.Sprint(at, x.d.inModel(s.label), slices.Sorted(maps.Keys(s.to)), to)] = true
			if key := fmt.Sprint(to); !seen[key] {
				seen[key] = true
				left = append(left, to)
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), len(seen)
}

// TestNetworksAgainstTheirDefinition compares composed networks with what the manual page says, step by step.
func TestNetworksAgainstTheirDefinition(t *testing.T) {
	transitions := 0
	for seed := range randomlts.Share(5_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		x := &drawer{r: r, d: dialects[r.IntN(len(dialects))], infixes: map[string]bool{}}
		n := x.draw(2 + r.IntN(4))
		text := x.d.head + n.text
		o := Options{Name: "n.exp", Open: x.open, Language: x.d.settings, States: true, Workers: 1 + r.IntN(3)}
		m, _, err := Compose(context.Background(), []byte(text), o)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		var have []string
		tuple := func(s lts.State) (at []int) {
			for i := range x.models {
				var state int
				fmt.Sscan(m.States.Text(i, m.States.Value(s, i)), &state)
				at = append(at, state)
			}
			return at
		}
		for y := range m.LTS.Transitions() {
			a := m.LTS.Alphabet()
			var movers []int
			for _, c := range a.Movers(y.Label) {
				movers = append(movers, int(c))
			}
			have = append(have, fmt.Sprint(tuple(y.From), a.Text(y.Label), movers, tuple(y.To)))
		}
		slices.Sort(have)
		want, states := x.reached(n)
		if !slices.Equal(have, want) || m.LTS.NumStates() != states {
			t.Fatalf("seed %d: %d states, want %d\n%s\nhave %q\nwant %q", seed, m.LTS.NumStates(), states, text, have, want)
		}
		transitions += len(want)
		checkNumbering(t, m.LTS)
	}
	t.Logf("%d transitions", transitions)
}

// checkNumbering checks that states are numbered in the order in which they are found.
func checkNumbering(t *testing.T, m *lts.LTS) {
	t.Helper()
	next := lts.State(1)
	for s := range lts.State(m.NumStates()) {
		for _, to := range m.From(s) {
			if to > next {
				t.Fatalf("state %d is found before state %d", to, next)
			}
			if to == next {
				next++
			}
		}
	}
}
