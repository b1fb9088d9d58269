package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func readModel(t testing.TB, text string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compared(t testing.TB, old, latest *lts.LTS, text string) *compare.Comparison {
	t.Helper()
	ctx := context.Background()
	c := &compare.Comparison{OldFile: "old.aut", NewFile: "new.aut"}
	var err error
	if c.Behaviour, err = compare.Models(ctx, old, latest, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	if text == "" {
		return c
	}
	f, err := formula.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	c.Formula = text
	version := func(m *lts.LTS, file string) compare.Version {
		return compare.Version{LTS: m, Source: explain.Source{File: file}}
	}
	if c.Versions, err = compare.Property(ctx, version(old, "old.aut"), version(latest, "new.aut"), f, explain.Options{}, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func written(t testing.TB, format string, c *compare.Comparison) string {
	t.Helper()
	var b strings.Builder
	if err := newWriter(t, format, render.Options{Width: 10_000, Full: format == "text"}).Comparison(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const before = `des (0,5,4)
(0,"REQ",1)
(1,"LOSS",0)
(1,"DELIVER",2)
(2,"ACK",3)
(2,i,2)
`

// TestPlantedChanges: a reviewer is told of a change in the first sentence.
func TestPlantedChanges(t *testing.T) {
	for want, after := range map[string]string{
		"RESET from state 2 to state 0 is new":                       strings.Replace(before, "0,5,4", "0,6,4", 1) + "(2,\"RESET\",0)\n",
		"i from state 1 to state 3 is new":                           strings.Replace(before, "0,5,4", "0,6,4", 1) + "(1,i,3)\n",
		"REQ from state 0 to itself is new":                          strings.Replace(before, "0,5,4", "0,6,4", 1) + "(0,\"REQ\",0)\n",
		"new.aut is old.aut, but LOSS is called DROP":                strings.Replace(before, "LOSS", "DROP", 1),
		"ACK from state 2 is gone":                                   strings.Replace(strings.Replace(before, "0,5,4", "0,4,3", 1), "(2,\"ACK\",3)\n", "", 1),
		"LOSS from state 1 leads to state 2, in old.aut to state 0":  strings.Replace(before, "\"LOSS\",0", "\"LOSS\",2", 1),
		"REQ stands for DELIVER from state 1 to state 2":             strings.Replace(before, "DELIVER", "REQ", 1),
		"old.aut and new.aut behave alike; new.aut has 1 more state": strings.Replace(before, "des (0,5,4)\n", "des (4,6,5)\n(4,\"REQ\",1)\n", 1),
		"old.aut and new.aut behave alike":                           before,
	} {
		said := written(t, "text", compared(t, readModel(t, before), readModel(t, after), ""))
		if first, _, _ := strings.Cut(said, "\n"); !strings.Contains(first, want) {
			t.Errorf("want %q in\n%s", want, said)
		}
		want = strings.TrimPrefix(want, "new.aut is old.aut, but ")
		if strings.Contains(want, "alike") {
			continue
		}
		for _, formula := range []string{"Inev({REQ, LOSS})", "Inev(ACK)"} {
			said := written(t, "text", compared(t, readModel(t, before), readModel(t, after), formula))
			if first, _, _ := strings.Cut(said, "\n"); !strings.Contains(first, want) {
				t.Errorf("%s: want %q in\n%s", formula, want, said)
			}
		}
	}
}

// TestCauseIsTold: of a new violation the change is told that the run meets.
func TestCauseIsTold(t *testing.T) {
	old := "des (0,3,3)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n(1,\"NAK\",0)\n"
	for _, c := range []struct{ old, latest, formula, want string }{
		{"des (0,2,3)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n", old, "Inev(REQ, ACK)", "new.aut violates Inev(REQ, ACK), which old.aut satisfies: NAK from state 1 to state 0 is new, and the run takes it in step 2."},
		{"des (0,2,3)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n", "des (0,1,2)\n(0,\"REQ\",1)\n", "Inev(REQ)", "old.aut and new.aut both satisfy Inev(REQ); ACK from state 1 is gone; 1 state is gone."},
		{"des (0,2,3)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n", "des (0,2,3)\n(0,\"REQ\",1)\n(0,\"ACK\",2)\n", "Inev(REQ, ACK)", "new.aut violates Inev(REQ, ACK), which old.aut satisfies: ACK from state 1 is gone, and the run stops there."},
		{old, "des (0,2,3)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n", "Inev(REQ, ACK)", "new.aut satisfies Inev(REQ, ACK), which old.aut violates: after step 1 of that run NAK is gone."},
		{old, strings.Replace(old, "0,3,3)", "0,4,3)", 1) + "(2,\"NAK\",2)\n", "Inev(REQ, ACK)", "old.aut and new.aut both violate Inev(REQ, ACK), by the same run; NAK from state 2 to itself is new."},
		{old, old, "Inev(REQ, ACK)", "old.aut and new.aut both violate Inev(REQ, ACK), by the same run."},
	} {
		said := written(t, "text", compared(t, readModel(t, c.old), readModel(t, c.latest), c.formula))
		if first, _, _ := strings.Cut(said, "\n"); first != c.want {
			t.Errorf("%q, want %q in\n%s", first, c.want, said)
		}
	}
}

// TestLimitIsTold: a loop that was not compared to the end is not said to be known.
func TestLimitIsTold(t *testing.T) {
	m := readModel(t, "des (0,3,3)\n(0,\"REQ\",1)\n(1,\"NAK\",0)\n(1,\"ACK\",2)\n")
	c := compared(t, m, m, "Inev(REQ, ACK)")
	c.Versions.Divergence.Limited, c.Versions.Divergence.Rounds = true, 7
	if said := written(t, "text", c); !strings.Contains(said, "for 7 rounds of its loop, and was compared no further.") {
		t.Errorf("the limit is not told:\n%s", said)
	}
	if said := written(t, "json", c); !strings.Contains(said, `"limited": true`) {
		t.Errorf("the limit is not in JSON:\n%s", said)
	}
}

var (
	partingSentence = regexp.MustCompile(`(?:At the start|After ([^.]*)) only (old|new)\.aut can do (\S+)\.`)
	newSentence     = regexp.MustCompile(`(\S+) from state (\d+) to (?:state (\d+)|itself) is new`)
	afterWhich      = regexp.MustCompile(`(\S+) can be taken after ([^.]*)\.`)
	inPlaceOf       = regexp.MustCompile(`In place of step (\d+) (\S+) could only do (.+?)\.(?:\n|$)`)
	nothingMore     = regexp.MustCompile(`There (\S+) can do nothing more\.`)
	divergesAt      = regexp.MustCompile(`(?:At the start|After (?:step (\d+) of the run|(\d+) transitions, which go round its loop,)) the versions part: here (\S+) could only do (.+); (\S+) takes ([^.,]+)`)
)

// canDo reports whether a model has a path with these labels.
func canDo(m *lts.LTS, labels []string) bool {
	at := map[lts.State]bool{m.Initial(): true}
	for _, label := range labels {
		next := map[lts.State]bool{}
		for tr := range m.Transitions() {
			if at[tr.From] && m.Alphabet().Text(tr.Label) == label {
				next[tr.To] = true
			}
		}
		at = next
	}
	return len(at) > 0
}

// comesTo reports whether a path with these labels leads to a state.
func comesTo(m *lts.LTS, labels []string, s lts.State) bool {
	var b lts.Builder
	for tr := range m.Transitions() {
		b.Add(tr.From, b.Label(m.Alphabet().Text(tr.Label)), tr.To)
	}
	b.Add(s, b.Label("there"), s)
	marked, err := b.Build(m.Initial(), m.NumStates())
	return err == nil && canDo(marked, append(slices.Clone(labels), "there"))
}

// withOneMore returns a model with one more transition.
func withOneMore(t *testing.T, m *lts.LTS, seed uint64) *lts.LTS {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 13))
	var b lts.Builder
	for tr := range m.Transitions() {
		b.Add(tr.From, b.Label(m.Alphabet().Text(tr.Label)), tr.To)
	}
	n := m.NumStates()
	b.Add(lts.State(r.IntN(n)), b.Label(string(rune('A'+r.IntN(3)))), lts.State(r.IntN(n)))
	longer, err := b.Build(m.Initial(), n)
	if err != nil {
		t.Fatal(err)
	}
	return longer
}

func readComparison(said string, models map[string]*lts.LTS, read map[string]int) error {
	if found := partingSentence.FindStringSubmatch(said); found != nil {
		read["parting"]++
		var run []string
		if found[1] != "" {
			run = strings.Split(found[1], ", ")
		}
		other := map[string]string{"old": "new", "new": "old"}[found[2]]
		if longer := append(slices.Clone(run), found[3]); !canDo(models[other], run) || !canDo(models[found[2]], longer) || canDo(models[other], longer) {
			return fmt.Errorf("false: %s", found[0])
		}
	}
	if found := afterWhich.FindStringSubmatch(said); found != nil {
		read["way"]++
		run := strings.Split(found[2], ", ")
		longer := append(slices.Clone(run), found[1])
		isNew := newSentence.FindStringSubmatch(said)
		if isNew == nil || isNew[1] != found[1] || !canDo(models["old"], run) || !canDo(models["new"], longer) || canDo(models["old"], longer) {
			return fmt.Errorf("false: %s", found[0])
		}
		from, err := strconv.Atoi(isNew[2])
		if err != nil || !comesTo(models["new"], run, lts.State(from)) {
			return fmt.Errorf("not to the new transition: %s", found[0])
		}
		if partingSentence.MatchString(said) {
			return fmt.Errorf("said twice: %s", found[0])
		}
	}
	for _, found := range newSentence.FindAllStringSubmatch(said, -1) {
		read["new"]++
		if first := strings.Index(said, found[0]); strings.Contains(said[first:], "\n") {
			_, rest, _ := strings.Cut(said[first:], "\n")
			if strings.Contains(rest, found[0]) {
				return fmt.Errorf("said twice: %s", found[0])
			}
		}
		from, _ := strconv.Atoi(found[2])
		to, err := strconv.Atoi(found[3])
		if err != nil {
			to = from
		}
		is := false
		for tr := range models["new"].Transitions() {
			is = is || tr.From == lts.State(from) && tr.To == lts.State(to) && models["new"].Alphabet().Text(tr.Label) == found[1]
		}
		if !is {
			return fmt.Errorf("false: %s", found[0])
		}
	}
	return nil
}

// readPlace holds what is said of the version that cannot do a step that the first sentence names, against what it
// can do there.
func readPlace(said string, c *compare.Comparison, models map[string]*lts.LTS, read map[string]int) error {
	first, _, _ := strings.Cut(said, "\n")
	place := inPlaceOf.FindStringSubmatch(said)
	where := nothingMore.FindString(said)
	if place == nil && where == "" {
		return nil
	}
	run, follower := c.Versions.New, models["old"]
	step := regexp.MustCompile(`in step (\d+)\.$`).FindStringSubmatch(first)
	if run.Verdict != explain.Violated {
		run, follower = c.Versions.Old, models["new"]
		step = regexp.MustCompile(`after step (\d+) of that run`).FindStringSubmatch(first)
		if strings.Contains(first, ": at the start ") {
			step = []string{"", "0"}
		}
	}
	n, _ := strconv.Atoi(step[1])
	if run == c.Versions.Old {
		n++
	}
	var labels []string
	for _, s := range run.Counterexample.Steps[:n] {
		labels = append(labels, s.Label)
	}
	if canDo(follower, labels) {
		return fmt.Errorf("step %d can be done", n)
	}
	var could []string
	if place != nil {
		read["in place"]++
		could = regexp.MustCompile(`, | or `).Split(place[3], -1)
		if place[1] != strconv.Itoa(n) {
			return fmt.Errorf("step %d: %s", n, place[0])
		}
	} else {
		read["nothing more"]++
	}
	for l := range follower.Alphabet().Len() {
		label := follower.Alphabet().Text(lts.Label(l))
		if canDo(follower, append(slices.Clone(labels[:n-1]), label)) != slices.Contains(could, label) {
			return fmt.Errorf("what can be done in place of step %d is not %v", n, could)
		}
	}
	return nil
}

// readRun holds what is said of the place where the versions part against the run that is
// shown.
func readRun(said string, c *compare.Comparison, models map[string]*lts.LTS, read map[string]int) error {
	if err := readPlace(said, c, models, read); err != nil {
		return err
	}
	found := divergesAt.FindStringSubmatch(said)
	if found == nil {
		return nil
	}
	read["diverges"]++
	e := c.Versions.New
	if e.Verdict != explain.Violated {
		e = c.Versions.Old
	}
	n, _ := strconv.Atoi(found[1] + found[2])
	loop := int(e.Counterexample.LoopStart)
	var run []string
	for i := 0; len(run) < n; i++ {
		if i == len(e.Counterexample.Steps) {
			if loop < 0 {
				return nil // a bad prefix, which goes on
			}
			i = loop
		}
		run = append(run, e.Counterexample.Steps[i].Label)
	}
	follower := models[strings.TrimSuffix(found[3], ".aut")]
	after := "At the start"
	if len(run) > 0 {
		after = "After " + strings.Join(run, ", ")
	}
	again := fmt.Sprintf("%s only %s can do %s.", after, found[5], found[6])
	if strings.Contains(said, again) {
		return fmt.Errorf("said twice: %s", again)
	}
	if !canDo(follower, run) || canDo(follower, append(slices.Clone(run), found[6])) {
		return fmt.Errorf("false: %s, run %v", found[0], run)
	}
	for _, label := range regexp.MustCompile(`, | or `).Split(found[4], -1) {
		if !canDo(follower, append(slices.Clone(run), label)) {
			return fmt.Errorf("%s is not possible: %s", label, found[0])
		}
	}
	return nil
}

var goesOnWith = regexp.MustCompile(`where the run of (\S+)\.aut stops, (\S+)\.aut goes on with (.+?)\.(?:\n|$)`)

// readStops checks what is said of the end of a run that only one version ends there: what the other can do, and
// that no other sentence says so again.
func readStops(said string, c *compare.Comparison, models map[string]*lts.LTS, read map[string]int) error {
	e := c.Versions.New
	if e.Verdict != explain.Violated {
		e = c.Versions.Old
	}
	if e.Verdict != explain.Violated || e.Counterexample.LoopStart >= 0 {
		return nil
	}
	var run []string
	for _, s := range e.Counterexample.Steps {
		run = append(run, s.Label)
	}
	canFollow := func(m *lts.LTS) (all []string) {
		for _, label := range m.Alphabet().All() {
			if canDo(m, append(slices.Clone(run), label)) {
				all = append(all, label)
			}
		}
		slices.Sort(all)
		return all
	}
	found := goesOnWith.FindStringSubmatch(said)
	isTold := strings.Contains(said, "is gone, and the run stops there")
	var others []string
	switch {
	case found != nil:
		read["goes on"]++
		others = canFollow(models[found[2]])
		want := regexp.MustCompile(`, | or `).Split(found[3], -1)
		slices.Sort(want)
		if !slices.Equal(others, want) {
			return fmt.Errorf("it can go on with %v: %s", others, found[0])
		}
	case isTold:
		others = canFollow(models["old"])
	}
	if found == nil && !isTold || len(others) != 1 {
		return nil
	}
	read["stops"]++
	after := "At the start"
	if len(run) > 0 {
		after = "After " + strings.Join(run, ", ")
	}
	isTwice := strings.Contains(said, fmt.Sprintf("%s only ", after)) && strings.Contains(said, "can do "+others[0]+".") ||
		strings.Contains(said, "could go on with "+others[0])
	if isTwice {
		return fmt.Errorf("said twice: %s", others[0])
	}
	return nil
}

var decisionsSentence = regexp.MustCompile(`(New|Gone) decisions? on the run of (old|new)\.aut: ([^.]*)\.`)

// readDecisions checks that the other version cannot take what is said to be new or gone.
func readDecisions(said string, c *compare.Comparison, models map[string]*lts.LTS, read map[string]int) error {
	for _, found := range decisionsSentence.FindAllStringSubmatch(said, -1) {
		read[found[1]]++
		e, other := c.Versions.New, models["old"]
		if found[2] == "old" {
			e, other = c.Versions.Old, models["new"]
		}
		for _, step := range regexp.MustCompile(`step (\d+)`).FindAllStringSubmatch(found[3], -1) {
			n, _ := strconv.Atoi(step[1])
			var labels []string
			for _, s := range e.Counterexample.Steps[:n] {
				labels = append(labels, s.Label)
			}
			if canDo(other, labels) {
				return fmt.Errorf("step %d can be done: %s", n, found[0])
			}
		}
	}
	return nil
}

// TestComparisonsAreReadBack holds the sentences about random pairs of models against what
// the models can do, and the JSON against its schema in short.
func TestComparisonsAreReadBack(t *testing.T) {
	read := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		size := randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1}
		old := randomlts.Seeded(seed, size).Model
		latest := randomlts.Seeded(seed/8*8, size).Model
		if seed%3 == 0 {
			latest = withOneMore(t, old, seed)
		}
		text := []string{"", "Inev(A, B)", "Inev(B)", "Response(A; B)"}[seed%4]
		c := compared(t, old, latest, text)
		said := written(t, "text", c)
		models := map[string]*lts.LTS{"old": old, "new": latest}
		err := readComparison(said, models, read)
		if v := c.Versions; err == nil && v != nil && v.New.Verdict == explain.Violated && v.Old.Verdict != explain.Violated && !strings.Contains(said, "satisfies: ") && !strings.Contains(said, "satisfies; ") {
			err = errors.New("the first sentence has no reason")
		}
		if err == nil && text != "" {
			err = errors.Join(readRun(said, c, models, read), readStops(said, c, models, read), readDecisions(said, c, models, read))
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, text, err, said)
		}
		var document map[string]any
		if err := json.Unmarshal([]byte(written(t, "json", c)), &document); err != nil {
			t.Fatal(err)
		}
		if document["schema"] != "inev.comparison/1" || document["alike"] != c.Behaviour.Alike || (document["distinguishing"] == nil) != c.Behaviour.Alike {
			t.Fatalf("seed %d: %v", seed, document)
		}
		if parts, is := document["distinguishing"].(map[string]any); is && parts["only"] != nil && parts["run"] == nil {
			t.Fatalf("seed %d: a label and no run: %v", seed, parts)
		}
		written(t, "markdown", c)
		written(t, "tsv", c)
	}
	t.Log(read)
	if randomlts.Whole() && (read["parting"] < 500 || read["new"] < 100 || read["diverges"] < 100 || read["in place"] < 20 || read["nothing more"] < 5 || read["way"] < 10 || read["goes on"] < 5 || read["stops"] < 5 || read["Gone"] < 10) {
		t.Error("too few sentences of a kind")
	}
}
