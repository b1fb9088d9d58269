package render_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/report"
)

// broken is the state of a watcher after something forbidden has happened.
const broken = -1

// A watcher reads labels one by one, from state 0 on, and knows what is forbidden.
type watcher func(state int, label string) int

// watchers are safety properties of the labels A and B, each with a watcher that was written by hand.
var watchers = []struct {
	formula string
	next    watcher
}{
	{`Never("A")`, func(_ int, l string) int { return brokenIf(l == "A", 0) }},
	{`Never("A", "B")`, func(state int, l string) int {
		switch {
		case state == 0 && l == "A":
			return 1
		case state == 1 && l == "B":
			return broken
		}
		return state
	}},
	{`AtMost(2; "A")`, func(state int, l string) int {
		if l != "A" {
			return state
		}
		return brokenIf(state == 2, state+1)
	}},
	{`Precedes("A"; "B")`, func(state int, l string) int {
		if l == "A" {
			return 1
		}
		return brokenIf(state == 0 && l == "B", state)
	}},
	{`Never("B"; after "A")`, func(state int, l string) int {
		if state == 1 && l == "B" {
			return broken
		}
		if l == "A" {
			return 1
		}
		return state
	}},
	{`G ("A" -> X !"B")`, func(state int, l string) int {
		if state == 1 && l == "B" {
			return broken
		}
		if l == "A" {
			return 1
		}
		return 0
	}},
}

func brokenIf(isBroken bool, state int) int {
	if isBroken {
		return broken
	}
	return state
}

// watched is a model with a watcher.
type watched struct {
	m    *lts.LTS
	next watcher
}

// canAvoid reports whether some maximal run from a state never breaks the property: the search for a deadlock or a
// cycle in what is not broken.
func (w watched) canAvoid(s lts.State, q int, path map[[2]int]bool) bool {
	if q == broken {
		return false
	}
	at := [2]int{int(s), q}
	if path[at] {
		return true
	}
	path[at] = true
	defer delete(path, at)
	ends := true
	for l, to := range w.m.From(s) {
		ends = false
		if w.canAvoid(to, w.next(q, w.m.Alphabet().Text(l)), path) {
			return true
		}
	}
	return ends
}

// isCertain reports whether no run from a state breaks the property.
func (w watched) isCertain(s lts.State, q int, seen map[[2]int]bool) bool {
	at := [2]int{int(s), q}
	if q == broken || seen[at] {
		return q != broken
	}
	seen[at] = true
	for l, to := range w.m.From(s) {
		if !w.isCertain(to, w.next(q, w.m.Alphabet().Text(l)), seen) {
			return false
		}
	}
	return true
}

var (
	ledTitle    = regexp.MustCompile(`^What led to (.+) \(step (\d+)\) on the counterexample to `)
	ledSince    = regexp.MustCompile(`^It has been (possible, and forbidden,|forbidden|possible in each state) since step (\d+) \((.+)\)\.$`)
	ledEnabled  = regexp.MustCompile(`^Step (\d+) \((.+)\) made it possible\.$`)
	ledWayOut   = regexp.MustCompile(`^The last way out was in state (\d+) \(step (\d+)\), where the run took (.+): (.+?) would have (made the property certain|kept the property possible)( \(the run then stops\))?\.( After that, no run avoids a violation\.)?$`)
	ledChoice   = regexp.MustCompile(`(\S+) to state (\d+)`)
	ledFromHere = "It was possible where the run begins."
	ledAllAlong = "It was possible all along: in each state of the run up to there."
	ledNoWayOut = "Whatever the run did, it could not avoid a violation."
)

// led is a run that breaks a property, as the test knows it.
type led struct {
	watched
	labels []string
	states []lts.State // before each step
	q      []int       // of the watcher before each step
	at     int         // the step that breaks it
}

// since returns the number of the step since which a condition holds in all states up to the step; 0 from the first on.
func (r led) since(holds func(i int) bool) int {
	for i := r.at; i > 0; i-- {
		if !holds(i - 1) {
			return i
		}
	}
	return 0
}

func (r led) isForbidden(i int) bool { return r.next(r.q[i], r.labels[r.at]) == broken }

func (r led) isPossible(i int) bool {
	for l := range r.m.From(r.states[i]) {
		if r.m.Alphabet().Text(l) == r.labels[r.at] {
			return true
		}
	}
	return false
}

// check reads the paragraphs of an answer, and returns what is false or missing.
func (r led) check(said []string, read map[string]int) error {
	m := ledTitle.FindStringSubmatch(said[0])
	if m == nil || m[1] != r.labels[r.at] || m[2] != strconv.Itoa(r.at+1) {
		return fmt.Errorf("%q: it is step %d", said[0], r.at+1)
	}
	forbidden, possible := 0, -1
	for _, text := range said[1:] {
		switch {
		case ledSince.MatchString(text):
			m := ledSince.FindStringSubmatch(text)
			n, _ := strconv.Atoi(m[2])
			if r.labels[n-1] != m[3] {
				return fmt.Errorf("step %d is %s", n, r.labels[n-1])
			}
			if strings.Contains(m[1], "forbidden") {
				forbidden = n
			}
			if strings.Contains(m[1], "possible") {
				possible = n
			}
			read[m[1]]++
		case ledEnabled.MatchString(text):
			possible, _ = strconv.Atoi(ledEnabled.FindStringSubmatch(text)[1])
			if possible != r.at {
				return fmt.Errorf("%q, and it happens in step %d", text, r.at+1)
			}
			read["made possible"]++
		case text == ledFromHere && r.at == 0, text == ledAllAlong && r.at > 0:
			possible = 0
			read["all along"]++
		default:
			if err := r.checkWayOut(text, read); err != nil {
				return fmt.Errorf("%q: %w", text, err)
			}
		}
	}
	if forbidden != r.since(r.isForbidden) || possible != r.since(r.isPossible) {
		return fmt.Errorf("forbidden since %d, possible since %d: not %d, %d", r.since(r.isForbidden), r.since(r.isPossible), forbidden, possible)
	}
	return nil
}

func (r led) checkWayOut(text string, read map[string]int) error {
	last := -1
	for i := 0; i <= r.at; i++ {
		if r.canAvoid(r.states[i], r.q[i], map[[2]int]bool{}) {
			last = i
		}
	}
	if text == ledNoWayOut {
		read["no way out"]++
		return brokenError(last >= 0, "there is one at step %d", last+1)
	}
	m := ledWayOut.FindStringSubmatch(text)
	if m == nil {
		return errors.New("not understood")
	}
	read["way out"]++
	if m[1] != fmt.Sprint(r.states[last]) || m[2] != strconv.Itoa(last+1) || m[3] != r.labels[last] || (m[7] != "") != (last < r.at) {
		return fmt.Errorf("it is at step %d", last+1)
	}
	for _, c := range ledChoice.FindAllStringSubmatch(m[4], -1) {
		l, isLabel := r.m.Alphabet().Lookup(c[1])
		to, _ := strconv.Atoi(c[2])
		isTransition := false
		for label, target := range r.m.From(r.states[last]) {
			isTransition = isTransition || label == l && target == lts.State(to)
		}
		q := r.next(r.q[last], c[1])
		saysCertain := strings.HasPrefix(m[5], "made")
		if !isLabel || !isTransition || !r.canAvoid(lts.State(to), q, map[[2]int]bool{}) || saysCertain != r.isCertain(lts.State(to), q, map[[2]int]bool{}) {
			return fmt.Errorf("%s is no such choice", c[0])
		}
		read[m[5]]++
	}
	return nil
}

func brokenError(isWrong bool, format string, args ...any) error {
	if !isWrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// ledTo follows the run of an explanation until its watcher is broken.
func ledTo(m *lts.LTS, next watcher, steps []explain.Step) led {
	r := led{watched: watched{m: m, next: next}}
	q := 0
	for i, s := range steps {
		r.labels = append(r.labels, s.Label)
		r.states = append(r.states, s.From)
		r.q = append(r.q, q)
		q = next(q, s.Label)
		if q == broken {
			r.at = i
			break
		}
	}
	return r
}

// checkDocument compares the document of an answer with its schema.
func checkDocument(t *testing.T, y *explain.WhyNot) {
	t.Helper()
	var b bytes.Buffer
	if err := newWriter(t, "json", render.Options{}).WhyNot(&b, y); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t, report.Schemas()["inev.why/1"]).Validate(document); err != nil {
		t.Error(err)
	}
}

// TestWhatLedIsTrue: each sentence about what led to a forbidden step is read back, and checked by watchers that were
// written by hand and by following all runs.
func TestWhatLedIsTrue(t *testing.T) {
	ctx := context.Background()
	read := map[string]int{}
	o := explain.Options{Source: explain.Source{File: "m.aut"}, NoAdvice: true}
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 3, Steps: 1})
		_, hasA := c.Model.Alphabet().Lookup("A")
		_, hasB := c.Model.Alphabet().Lookup("B")
		w := watchers[seed%uint64(len(watchers))]
		if !hasA || !hasB {
			continue
		}
		f, err := formula.Parse(ctx, w.formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, c.Model, f, o)
		if err != nil {
			t.Fatal(err)
		}
		if e.Counterexample == nil {
			continue
		}
		y, err := explain.Why(ctx, c.Model, f, explain.WhyQuestion{}, o)
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, w.formula, err, c)
		}
		var b strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 10_000}).WhyNot(&b, y); err != nil {
			t.Fatal(err)
		}
		said := strings.Split(strings.TrimSpace(b.String()), "\n")
		for i := range said {
			said[i] = strings.TrimSpace(said[i])
		}
		said = slices.DeleteFunc(said, func(line string) bool { return line == "" })
		if seed%16 == 0 {
			checkDocument(t, y)
			read["valid"]++
		}
		r := ledTo(c.Model, w.next, e.Counterexample.Steps)
		if err := r.check(said, read); err != nil {
			t.Fatalf("seed %d, %s: %v\n%s\n%s", seed, w.formula, err, b.String(), c)
		}
	}
	t.Log(read)
	if read["valid"] == 0 {
		t.Error("no document was compared with the schema")
	}
	for _, form := range []string{"forbidden", "possible, and forbidden,", "possible in each state", "made possible", "all along", "no way out", "way out", "made the property certain", "kept the property possible"} {
		if randomlts.Whole() && read[form] < 5 {
			t.Errorf("%q was met %d times", form, read[form])
		}
	}
}
