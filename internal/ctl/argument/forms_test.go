package argument

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// form is a way in which sentences go on after what they claim.
type form struct {
	name  string
	is    *regexp.Regexp
	check func(j *judge, c *told, of obligation, found []string) (owed []obligation, weight int, err error)
}

// along is what is so on a run or in a set, others the states that a text names.
const (
	along  = `(?:, and (.*))?`
	group1 = `(state \d+|\d+ states \([0-9, …]*\))`
	oneOf1 = `(?:one of )?` + group1
	where1 = `(?:, where (.*?(?: holds| does not hold)))?`
	thr    = `(?:, through states where (.*?(?: holds| does not hold)))?`
	alone1 = `(by (?:\{[^}]*\} or )?hidden labels alone)`
	edge   = `(\d+ -.*?-> \d+)`
)

// forms is how many forms there are: each has to be met.
const forms = 20

func (j *judge) tail(c *told, of obligation, tail string) ([]obligation, int, error) {
	for _, f := range allForms() {
		if found := f.is.FindStringSubmatch(tail); found != nil {
			j.counted[f.name]++
			return f.check(j, c, of, found)
		}
	}
	return nil, 0, errors.New("not understood")
}

var cached []form

func allForms() []form {
	if cached != nil {
		return cached
	}
	add := func(name, text string, check func(j *judge, c *told, of obligation, found []string) ([]obligation, int, error)) {
		cached = append(cached, form{name, regexp.MustCompile("^" + text + "$"), check})
	}
	add("fact", `\.`, checkFact)
	add("both", `, since both parts hold\.`, checkBoth)
	add("neither", `, since neither part does\.`, checkBoth)
	add("implication", `, since its first part does, and its second does not\.`, checkBoth)
	add("two there", `, since (?:neither (.*) nor (.*) holds|(.*) and (.*) hold) there\.`, checkThere2)
	add("there", `, since (.*?)( holds| does not hold) there\.`, checkThere)
	add("either", `, since (.*) (holds|does not hold)\.`, checkEither)
	add("no transition", `: no transition leaves it(?:, and (.*) there)?\.`, checkStuck)
	add("no such label", `: no transition from there has such a label\.`, checkNoLabel)
	add("all transitions", `: all transitions (that the formula asks about )?lead to `+group1+where1+`\.`, checkSteps)
	add("transition", `: `+edge+where1+`\.`, checkStep)
	add("run to", `: a run of (\d+) transitions? leads to state (\d+)`+where1+`(?:, through states where (.*?))?`+along+`\.`, checkRunTo)
	add("loop", `: (?:after (\d+) transitions? )?a run goes round a loop of (\d+) transitions? forever`+along+`\.`, checkLoop)
	add("deadlock", `: a run of (\d+) transitions? ends in the deadlock (\d+)`+along+`\.`, checkEnd)
	add("label last only", `: a run of (\d+) transitions? takes `+edge+`, whose label is allowed only at the end`+along+`\.`, checkTaken)
	add("label not allowed", `: a run of (\d+) transitions? takes `+edge+`, whose label is not allowed`+along+`\.`, checkTaken)
	add("last transitions", `: after at most (\d+) steps? every run has taken a transition by (\{.*?\})(?: to where (.*?(?: holds| does not hold)))?, from `+oneOf1+`(?:, before that `+alone1+`)?`+thr+`\.`, checkLasts)
	add("layers", `: after at most (\d+) steps? every run is in `+oneOf1+where1+`(?:, `+alone1+`)?`+thr+`\.`, checkLayers)
	add("never", `: (?:`+alone1+`, )?runs never leave `+group1+along+`\.`, checkNever)
	add("stay", `: (?:`+alone1+`, )?runs stay in `+group1+` at least until they are in `+oneOf1+where1+along+`\.`, checkStay)
	return cached
}

func checkFact(j *judge, c *told, of obligation, _ []string) ([]obligation, int, error) {
	if !slices.Contains([]string{"p", "deadlock", "true", "false"}, of.f.op) {
		return nil, 0, errors.New("nothing is said why")
	}
	return nil, 0, nil
}

// parts returns the claims about both operands that follow from one about the whole.
func (o obligation) parts() [2]obligation {
	left, right := literal{o.f.left, o.holds}, literal{o.f.right, o.holds}
	if o.f.op == "->" {
		left.holds = !left.holds
	}
	return [2]obligation{{left, o.s}, {right, o.s}}
}

func checkBoth(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	want := map[string]string{"&&": ", since both parts hold.", "||": ", since neither part does.", "->": ", since its first part does, and its second does not."}
	if want[of.f.op] != found[0] || (of.f.op == "&&") != of.holds {
		return nil, 0, errors.New("not what follows")
	}
	both := of.parts()
	return both[:], 0, first(j.all(both[0].literal, []lts.State{of.s}), j.all(both[1].literal, []lts.State{of.s}))
}

func checkEither(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	if op := of.f.op; op != "&&" && op != "||" && op != "->" || (op == "&&") == of.holds {
		return nil, 0, errors.New("not what follows")
	}
	for _, part := range of.parts() {
		said := literal{part.f, part.holds}
		f, err := read(found[1])
		if err == nil && said.same(literal{f, found[2] == "holds"}) {
			return []obligation{part}, 0, j.all(said, []lts.State{of.s})
		}
	}
	return nil, 0, errors.New("no part of it")
}

// checkThere: the state itself is where a run may end.
func checkThere(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	f, err := read(found[1])
	if err != nil {
		return nil, 0, err
	}
	a, is := of.runs()
	if !is {
		return nil, 0, errors.New("no claim about runs")
	}
	said := obligation{literal{f, found[2] == " holds"}, of.s}
	needed := []obligation{{a.right, of.s}}
	switch {
	case a.last != nil && a.until:
		return nil, 0, errors.New("a transition is needed")
	case a.last != nil:
		needed = []obligation{{a.left, of.s}}
	case !a.until:
		needed = append(needed, obligation{a.left, of.s})
	}
	for _, n := range needed {
		if !n.isConstant() && !n.same(said.literal) {
			return nil, 0, fmt.Errorf("%s is needed", n.f.text)
		}
		if err := j.all(n.literal, []lts.State{of.s}); err != nil {
			return nil, 0, err
		}
	}
	return needed, 0, nil
}

func checkThere2(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	a, is := of.runs()
	if !is || a.until || a.last != nil {
		return nil, 0, errors.New("not what follows")
	}
	one, two := found[1]+found[3], found[2]+found[4]
	if !a.left.f.is(one) || !a.right.f.is(two) || a.left.holds == (found[1] != "") || a.right.holds == (found[1] != "") {
		return nil, 0, fmt.Errorf("%s and %s", a.left.f.text, a.right.f.text)
	}
	at := []lts.State{of.s}
	return []obligation{{a.left, of.s}, {a.right, of.s}}, 0, first(j.all(a.left, at), j.all(a.right, at))
}

func checkStuck(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	if len(j.out(of.s)) > 0 {
		return nil, 0, errors.New("a transition leaves it")
	}
	a, is := of.runs()
	switch {
	case of.f.op == "X" && of.f.all == of.holds:
		return nil, 0, nil
	case !is || a.until:
		return nil, 0, errors.New("not what follows")
	case a.last != nil:
		return nil, 0, nil
	}
	return []obligation{{a.right, of.s}}, 0, first(clause(found[1], a.right), j.all(a.right, []lts.State{of.s}))
}

// asked returns the transitions that a formula about one step is about.
func (j *judge) asked(of obligation) []lts.Transition {
	return slices.DeleteFunc(j.out(of.s), func(t lts.Transition) bool { return of.f.labels != nil && !of.f.labels(j.label(t)) })
}

func checkNoLabel(j *judge, c *told, of obligation, _ []string) ([]obligation, int, error) {
	if of.f.op != "X" || of.f.all != of.holds || len(j.asked(of)) > 0 || len(j.out(of.s)) == 0 || of.f.labels == nil {
		return nil, 0, errors.New("not what follows")
	}
	return nil, 0, nil
}

func checkSteps(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	if of.f.op != "X" || of.f.all != of.holds || (of.f.labels == nil) != (found[1] == "") {
		return nil, 0, errors.New("not what follows")
	}
	var owed []obligation
	var to []lts.State
	below := literal{of.f.right, of.holds}
	for _, t := range j.asked(of) {
		to = append(to, t.To)
		owed = append(owed, obligation{below, t.To})
	}
	return owed, 0, first(setIs(found[2], to), clause(found[3], below), j.all(below, to))
}

func checkStep(j *judge, c *told, of obligation, found []string) ([]obligation, int, error) {
	t, err := j.transition(found[1])
	if of.f.op == "deadlock" && !of.holds && err == nil && t.From == of.s {
		return nil, 0, nil
	}
	if err != nil || of.f.op != "X" || of.f.all == of.holds || t.From != of.s || !slices.Contains(j.asked(of), t) {
		return nil, 0, fmt.Errorf("not what follows: %w", err)
	}
	below := literal{of.f.right, of.holds}
	return []obligation{{below, t.To}}, 1, first(clause(found[2], below), j.all(below, []lts.State{t.To}))
}

// set of a text with what is said of all of it, or none.
func (j *judge) said(text string, l literal, states string) error {
	if l.isConstant() && text == "" {
		return nil
	}
	formula, is := strings.CutSuffix(text, map[bool]string{true: " holds in all of ", false: " holds in none of "}[l.holds]+states)
	if l.isConstant() || !is || !l.f.is(formula) {
		return fmt.Errorf("%q, and not that %s is %t", text, l.f.text, l.holds)
	}
	return nil
}

// noLast checks what is said of last transitions, that there are none.
func (j *judge) noLast(text string, of obligation, a about, which string) error {
	pattern := strings.Split(of.f.text, " U ")
	at := strings.Index(text, " by ")
	if a.right.f.op == "false" {
		at = 0
		if text != "" {
			return fmt.Errorf("%q says nothing", text)
		}
		return nil
	}
	if at < 0 || !strings.HasPrefix(text, "none of "+which) {
		return fmt.Errorf("%q, and not none of %s", text, which)
	}
	labels, rest, _ := strings.Cut(text[at+4:], "}")
	if !slices.ContainsFunc(pattern, func(after string) bool { return strings.HasPrefix(after, labels+"} ") }) {
		return fmt.Errorf("%s} is not in the formula", labels)
	}
	if a.right.f.op == "true" && rest == "" {
		return nil
	}
	target, is := strings.CutPrefix(rest, " leads to where ")
	target, ends := strings.CutSuffix(target, " holds")
	if a.right.f.op == "true" || !is || !ends || !a.right.f.is(target) {
		return fmt.Errorf("%q says it of another formula than %s", rest, a.right.f.text)
	}
	return nil
}
