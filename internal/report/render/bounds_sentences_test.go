package render_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// reading is what a sentence about a bound says to a reader who knows the formula as it is written, and no automaton.
type reading struct {
	// begins and ends are the labels at which a clock starts, unless it runs, and stops; chain are those that have to come
	// one after the other for it to stop.
	begins []string
	chain  [][]string
	start  bool // it starts with the run
	again  bool // it starts again when it stops
	once   bool // and at the first label of begins alone
	any    bool // of several clocks, one is looked at; with several steps in a chain, the sentence need not be the least that is true
	// begins counts after one of opens, if there are any, and again after one of closes.
	opens, closes []string
	least, most   int // as told; least is negative if it is not
}

// clockAt is where a run has come to.
type clockAt struct {
	s     lts.State
	open  bool
	clock int // negative if it does not run
	done  int // of the chain
	spent bool
}

// next returns what a label makes of a clock, and where it stops at what.
func (c *reading) next(at clockAt, label string, to lts.State) (after clockAt, stops int) {
	after, stops = at, -1
	after.s = to
	if at.clock >= 0 {
		after.clock++
		if slices.Contains(c.chain[at.done], label) {
			if after.done++; after.done == len(c.chain) {
				stops, after.clock, after.done = after.clock, -1, 0
				if c.again {
					after.clock = 0
				}
			}
		}
	}
	if slices.Contains(c.closes, label) {
		after.open, after.clock, after.done, after.spent = c.opens == nil, -1, 0, false
	}
	if after.clock < 0 && after.open && !after.spent && slices.Contains(c.begins, label) {
		after.clock, after.spent = 0, c.once
	}
	if slices.Contains(c.opens, label) {
		after.open = true
	}
	return after, stops
}

// longestClock is longer than what any sentence here can tell.
const longestClock = 64

// check goes along all runs, until nothing new comes.
func (c *reading) check(m *lts.LTS) error {
	begin := clockAt{s: m.Initial(), open: c.opens == nil, clock: -1}
	if c.start {
		begin.clock = 0
	}
	met := map[clockAt]bool{begin: true}
	queue := []clockAt{begin}
	least, most := longestClock, -1
	for i := 0; i < len(queue); i++ {
		labels, targets := m.Out(queue[i].s)
		for k, to := range targets {
			after, stops := c.next(queue[i], m.Alphabet().Text(labels.At(k)), to)
			if stops >= 0 {
				least, most = min(least, stops), max(most, stops)
			}
			if after.clock > longestClock {
				return fmt.Errorf("a clock runs forever")
			}
			next := []clockAt{after}
			if c.any && queue[i].clock < 0 && after.clock == 0 {
				// A later one is looked at.
				other := after
				other.clock = -1
				next = append(next, other)
			}
			for _, after := range next {
				if !met[after] {
					met[after] = true
					queue = append(queue, after)
				}
			}
		}
	}
	if most > c.most || most < c.most && !(c.any && len(c.chain) > 1) || c.least >= 0 && least != c.least {
		return fmt.Errorf("runs take %d to %d", least, most)
	}
	return nil
}

const spanPattern = `(?:within (\d+) to (\d+)|after exactly (\d+))(?: actions?)?`

// The forms of the sentences about bounds, as they are printed.
var boundForms = []struct {
	name string
	form *regexp.Regexp
}{
	{"plain", regexp.MustCompile(`^()()` + spanPattern + `$`)},
	{"each", regexp.MustCompile("^each `([^`]+)` is followed by `([^`]+)` (?:within at most ()(\\d+)() actions?|at once)$")},
	{"first", regexp.MustCompile("^after the first `([^`]+)` (?:the last of them, )?`([^`]+)`,? comes " + spanPattern + "$")},
	{"scope", regexp.MustCompile("^after each `([^`]+)` (?:the last of them, )?`([^`]+)`,? comes (?:within at most ()(\\d+)() actions?|at once)$")},
	{"again", regexp.MustCompile("^()`([^`]+)` comes again and again, each time " + spanPattern + "$")},
	{"since", regexp.MustCompile("^waiting for `([^`]+)` since `([^`]+)` ends " + spanPattern + "$")},
	{"ends", regexp.MustCompile("^()(waiting for .+) ends " + spanPattern + "$")},
	{"never", regexp.MustCompile(`^()never (.+) for more than ()(\d+)() actions? \(at least (\d+)\)$`)},
	{"settled", regexp.MustCompile(`^()(what is pending) is settled ` + spanPattern + `$`)},
}

// listedLabels matches the labels of a set as sentences list them.
var listedLabels = regexp.MustCompile("`\\w`(?:, `\\w`)* or `\\w`")

// asSet returns such a list in the notation of a set.
func asSet(list string) string {
	labels := regexp.MustCompile("`(\\w)`").FindAllStringSubmatch(list, -1)
	names := make([]string, len(labels))
	for i, label := range labels {
		names[i] = label[1]
	}
	return "`{" + strings.Join(names, ", ") + "}`"
}

var chainForm = regexp.MustCompile("(?:a second |a third |another )?`([^`]+)` " + spanPattern)

// labelsNamed are those that a pattern names.
func labelsNamed(pattern string) []string {
	return strings.Split(strings.ReplaceAll(strings.Trim(pattern, "{}"), " || ", ", "), ", ")
}

func spanOf(texts []string) (least, most int) {
	least, _ = strconv.Atoi(texts[0] + texts[2])
	most, _ = strconv.Atoi(texts[1] + texts[2])
	return least, most
}

// readBound reads a sentence about the bound of a property whose steps and scope are these.
func readBound(sentence string, s property.Specification) (name string, c reading) {
	for _, f := range boundForms {
		found := f.form.FindStringSubmatch(sentence)
		if found == nil {
			continue
		}
		c.least, c.most = spanOf(found[3:6])
		if strings.HasSuffix(sentence, " at once") {
			c.most = 1
		}
		switch f.name {
		case "plain":
			c.start = true
			for _, step := range s.Steps {
				c.chain = append(c.chain, labelsNamed(step.Pattern.String()))
			}
		case "each":
			c.least = -1
			c.begins, c.chain = labelsNamed(found[1]), [][]string{labelsNamed(found[2])}
		case "first", "scope":
			c.begins, c.once = labelsNamed(s.From.Pattern.String()), f.name == "first"
			for _, step := range s.Steps {
				c.chain = append(c.chain, labelsNamed(step.Pattern.String()))
			}
			if f.name == "scope" {
				c.closes, c.any, c.least = labelsNamed(s.To.Pattern.String()), true, -1
			}
		case "again":
			c.start, c.again, c.chain = true, true, [][]string{labelsNamed(found[2])}
		case "since":
			c.begins, c.chain = labelsNamed(found[2]), [][]string{labelsNamed(found[1])}
			if s.Scope != property.Globally {
				c.opens = labelsNamed(s.From.Pattern.String())
			}
		case "never":
			c.least, _ = strconv.Atoi(found[6])
			c.most, _ = strconv.Atoi(found[4])
		}
		return f.name, c
	}
	return "", c
}

// spoken are properties whose sentences about bounds have forms of their own.
var spoken = []string{
	"Inev(A)", "Inev({A, B})", "Inev(A, B)", "Inev(A, A)", "Inev({B, C}, A, C)", "Inev(C, C, C)", "Inev(A, B, A)",
	"Response(A; B)", "Response(A; {A, C})", "Response({A, B}; C)", "Response({A, B}; A)", "Response(A; B; after C)", "Response(A; B; after C until A)",
	"Inev(A; after B)", "Inev(A, B; after C)", "Inev(B; after A)", "Inev(B; after A until C)", "Inev(B, B; after A until C)", "Inev({A, B}; after C until B)",
	"GF A", "GF A && GF B", "GF (A || B)", "G F B && G F {A, C}", "G (F B || deadlock)", "F A", "F (A && F B)",
}

// rounds draws a model that does all labels in each round, so that what is asked again and again is done.
func rounds(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
	n := 1 + r.IntN(5)
	for s := range n {
		for range 1 + r.IntN(3) {
			b.Add(lts.State(s), labels[r.IntN(3)], lts.State(s+1+r.IntN(n-s)))
		}
	}
	for i, l := range r.Perm(3) {
		to := n + i + 1
		if i == 2 {
			to = r.IntN(n + 3)
		}
		if to > n && i == 2 {
			to = n // each round does all of them
		}
		b.Add(lts.State(n+i), labels[l], lts.State(to))
		if i < 2 && r.IntN(3) == 0 {
			b.Add(lts.State(n+i), labels[l], lts.State(n+r.IntN(i+1))) // a shorter round need not
		}
	}
	m, err := b.Build(0, n+3)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sentenceReader reads what is printed of bounds.
type sentenceReader struct {
	ctx context.Context
	met map[string]int
}

// within returns the sentence that the verdict of a property which holds has about its bounds; "" if there is none.
func (x *sentenceReader) within(t *testing.T, m *lts.LTS, f property.Formula) (string, *explain.Explanation) {
	e, err := explain.Explain(x.ctx, m, f, explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true})
	if err != nil {
		t.Fatal(err)
	}
	if e.Verdict != explain.Satisfied {
		return "", e
	}
	said := render.NewSentences(e, printable.Code)
	_, text, told := strings.Cut(said.Verdict(), ": ")
	if !told || e.Reasons == nil || len(e.Reasons.Bounds) == 0 || e.Reasons.Unbounded != nil {
		return "", e
	}
	return strings.TrimSuffix(text, "."), e
}

// slowest checks that the slowest run is a path of the model, and that the clock of the last condition stops at its end as late as told.
func (x *sentenceReader) slowest(m *lts.LTS, e *explain.Explanation, all []reading) error {
	run := e.Reasons.Slowest
	if run == nil || all[0].any {
		return nil
	}
	c := all[min(run.Step-1, len(all)-1)]
	at := clockAt{s: m.Initial(), open: c.opens == nil, clock: -1}
	if c.start {
		at.clock = 0
	}
	stops := -1
	for i, step := range run.Steps {
		labels, targets := m.Out(at.s)
		found := false
		for k, to := range targets {
			found = found || to == step.To && m.Alphabet().Text(labels.At(k)) == step.Label
		}
		if !found || step.From != at.s {
			return fmt.Errorf("step %d of the slowest run is none of the model", i+1)
		}
		at, stops = c.next(at, step.Label, step.To)
	}
	if stops != c.most {
		return fmt.Errorf("the slowest run takes %d, where %d is the most", stops, c.most)
	}
	x.met["slowest"]++
	return nil
}

// judge reads a sentence, of one condition or several.
func (x *sentenceReader) judge(m *lts.LTS, e *explain.Explanation, sentence string, s property.Specification) error {
	var all []reading
	name, c := readBound(sentence, s)
	parts := chainForm.FindAllStringSubmatch(sentence, -1)
	switch {
	case name == "plain" || name == "each" || name == "first" || name == "scope" || name == "since":
		all = append(all, c)
	case strings.Contains(sentence, "again and again"):
		for _, part := range regexp.MustCompile("`[^`]+` comes again and again, each time "+spanPattern[:len(spanPattern)-len("(?: actions?)?")]+" actions?").FindAllString(sentence, -1) {
			_, c := readBound(part, s)
			all = append(all, c)
		}
		if name = "again"; len(all) != len(e.Reasons.Bounds) {
			return fmt.Errorf("%d conditions are read", len(all))
		}
	case name == "" && len(parts) > 1 && len(parts) == len(e.Reasons.Bounds):
		name = "chain"
		var chain [][]string
		for _, part := range parts {
			chain = append(chain, labelsNamed(part[1]))
			c := reading{start: true, chain: slices.Clone(chain)}
			c.least, c.most = spanOf(part[2:5])
			all = append(all, c)
		}
	case name == "":
		return fmt.Errorf("it is not understood")
	default:
		// The words do not say what is pending, but the formula does.
		for _, of := range pendingOf[e.Property.Text] {
			of.least, of.most = c.least, c.most
			all = append(all, of)
		}
		if all == nil {
			return fmt.Errorf("nobody knows what is pending")
		}
	}
	x.met[name]++
	for _, c := range all {
		if err := c.check(m); err != nil {
			return err
		}
	}
	return x.slowest(m, e, all)
}

// pendingOf has clocks, one for each condition, of formulas that are no patterns.
var pendingOf = map[string][]reading{
	"GF A": {{start: true, again: true, chain: [][]string{{"A"}}}}, "GF A && GF B": {{start: true, again: true, chain: [][]string{{"A"}}}, {start: true, again: true, chain: [][]string{{"B"}}}},
	"G (F B || deadlock)": {{start: true, again: true, chain: [][]string{{"B"}}}}, "F (A && F B)": {{start: true, chain: [][]string{{"A"}, {"B"}}}},
}

var noBoundForm = regexp.MustCompile("^There is no bound: (.+) can come any number of times before (?:what is pending is settled|(?:(a second|a third|another) )?`([^`]+)`)\\.$")

// repeats reports whether exactly these labels are on a cycle on which a clock runs and nothing of the chain is done, so that a run
// may take it any number of times.
func (c *reading) repeats(m *lts.LTS, labels []string, most int) bool {
	begin := clockAt{s: m.Initial(), open: c.opens == nil, clock: -1}
	if c.start {
		begin.clock = 0
	}
	met := map[clockAt]bool{begin: true}
	queue := []clockAt{begin}
	type arc struct {
		label string
		to    clockAt
	}
	quiet := map[clockAt][]arc{}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		out, targets := m.Out(at.s)
		for k, to := range targets {
			after, stops := c.next(at, m.Alphabet().Text(out.At(k)), to)
			runs := at.clock >= 0 && after.clock >= 0 && stops < 0
			after.clock = min(after.clock, 0)
			if label := m.Alphabet().Text(out.At(k)); runs && after.done == at.done && at.done < most && slices.Contains(labels, label) {
				quiet[at] = append(quiet[at], arc{label, after})
			}
			if !met[after] {
				met[after] = true
				queue = append(queue, after)
			}
		}
	}
	reach := func(from clockAt) map[clockAt]bool {
		found, next := map[clockAt]bool{}, []clockAt{from}
		for i := 0; i < len(next); i++ {
			for _, a := range quiet[next[i]] {
				if !found[a.to] {
					found[a.to] = true
					next = append(next, a.to)
				}
			}
		}
		return found
	}
	for from := range quiet {
		on := map[string]bool{}
		for at := range reach(from) {
			for _, a := range quiet[at] {
				if reach(a.to)[from] || a.to == from {
					on[a.label] = reach(from)[from] || on[a.label]
				}
			}
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return !on[l] }) {
			return true
		}
	}
	return false
}

// TestThereIsNoBoundIsTrue reads the sentence that something can come any number of times before what the property waits for: it is on
// a cycle of what has not been done. Fair runs may go round it as often as they like. And where there are bounds, no run exceeds them.
func TestThereIsNoBoundIsTrue(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(8_000) {
		r := rand.New(rand.NewPCG(seed, 72))
		text := []string{"Inev(A)", "Inev({A, B})", "Inev(A, B)", "Inev(A, A)", "Inev({B, C}, A, C)", "Inev(A, B, A)", "Response(A; B)", "Response({A, B}; C)", "GF A", "GF A && GF B", "F (A && F B)"}[r.IntN(11)]
		m := randomlts.Forward(r)
		if r.IntN(2) == 0 {
			m = rounds(t, r)
		}
		fair, err := actl.ParseAssumption(context.Background(), []string{"weak", "strong", "full"}[r.IntN(3)])
		if err != nil {
			t.Fatal(err)
		}
		f := parseAny(t, text)
		e, err := explain.Explain(context.Background(), m, f, explain.Options{NoFairness: true, NoAdvice: true, Fair: []*actl.Assumption{fair}})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict != explain.Satisfied || e.Reasons == nil {
			continue
		}
		all := pendingOf[text]
		if pattern, is := f.(interface{ Specification() property.Specification }); is {
			s := pattern.Specification()
			var c reading
			for _, step := range s.Steps {
				c.chain = append(c.chain, labelsNamed(step.Pattern.String()))
			}
			if c.start = s.Kind == property.KindInev; !c.start {
				c.begins, c.chain = c.chain[0], c.chain[1:]
			}
			all = []reading{c}
		}
		said := render.NewSentences(e, printable.Code)
		for _, c := range said.Story().All() {
			if c.Kind() != "unbounded" {
				continue
			}
			sentence := said.Say(c)
			found := noBoundForm.FindStringSubmatch(listedLabels.ReplaceAllStringFunc(sentence, asSet))
			if found == nil {
				t.Fatalf("seed %d, %s: %q is not understood", seed, text, sentence)
			}
			var labels []string
			for _, label := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(found[1], -1) {
				labels = append(labels, label[1])
			}
			is := false
			for _, c := range all {
				before := []int{len(c.chain)}
				if found[3] != "" {
					before = nil
					for i, step := range c.chain {
						if slices.Equal(step, labelsNamed(found[3])) && (found[2] != "") == slices.ContainsFunc(c.chain[:i], func(earlier []string) bool { return slices.Equal(earlier, step) }) {
							before = append(before, i+1)
						}
					}
				}
				for _, most := range before {
					is = is || c.repeats(m, labels, most)
				}
			}
			if met[e.Property.Kind.String()]++; !is {
				t.Fatalf("seed %d, %s under %v: %q\n%s", seed, text, fair, sentence, texts(m))
			}
		}
		if e.Reasons.Unbounded != nil || len(e.Reasons.Bounds) == 0 {
			continue
		}
		met["bounded"]++
		for i, c := range all {
			if len(e.Reasons.Bounds) <= i {
				break
			}
			b := e.Reasons.Bounds[len(e.Reasons.Bounds)-1]
			if len(all) > 1 {
				b = e.Reasons.Bounds[i]
			}
			c.least, c.most = -1, *b.Most
			if err := c.check(m); err != nil {
				t.Fatalf("seed %d, %s under %v: bound %d: %v\n%s", seed, text, fair, *b.Most, err, texts(m))
			}
		}
	}
	t.Log(met)
	if randomlts.Whole() && (len(met) < 4 || slices.ContainsFunc(slices.Collect(maps.Values(met)), func(n int) bool { return n < 100 })) {
		t.Errorf("too little was met: %v", met)
	}
}

// TestSentencesAboutBoundsAreTrue reads them as they are printed, and goes along all runs with a clock.
func TestSentencesAboutBoundsAreTrue(t *testing.T) {
	x := sentenceReader{context.Background(), map[string]int{}}
	total := 0
	for seed := range randomlts.Share(15_000) {
		r := rand.New(rand.NewPCG(seed, 71))
		text := spoken[r.IntN(len(spoken))]
		m := randomlts.Forward(r)
		if r.IntN(10) > 0 {
			m = rounds(t, r)
		}
		f := parseAny(t, text)
		sentence, e := x.within(t, m, f)
		if sentence == "" {
			continue
		}
		var s property.Specification
		if pattern, is := f.(interface{ Specification() property.Specification }); is {
			s = pattern.Specification()
		}
		if text == "F A" {
			s.Steps = parseAny(t, "Inev(A)").(interface{ Specification() property.Specification }).Specification().Steps
		}
		total++
		sentence = listedLabels.ReplaceAllStringFunc(sentence, asSet)
		if err := x.judge(m, e, sentence, s); err != nil {
			t.Fatalf("seed %d, %s: %q: %v\n%s", seed, text, sentence, err, texts(m))
		}
	}
	t.Log(total, x.met)
	if randomlts.Whole() {
		for _, name := range []string{"plain", "chain", "each", "first", "scope", "since", "again", "slowest"} {
			if total < 7_500 || x.met[name] < 150 {
				t.Errorf("%d sentences were read: %v", total, x.met)
			}
		}
	}
}

// onceDone are formulas for what happens again and again, or after a request, with the labels that
// do it one after the other: directly, or at any time.
var onceDone = map[string]struct {
	request  string
	steps    string
	directly bool
}{
	"GF (A && X A)":               {"", "AA", true},
	"GF (A && X B)":               {"", "AB", true},
	"GF (A && X (B && X A))":      {"", "ABA", true},
	"GF (A && F B)":               {"", "AB", false},
	"GF (A && X F A)":             {"", "A", false}, // the same as GF A
	"G (C -> F (A && X B))":       {"C", "AB", true},
	"G (A -> F (B && X F C))":     {"A", "BC", false},
	"G (A -> F (A && X A))":       {"A", "AA", true},
	"G (C -> X F (A && X F B))":   {"C", "AB", false},
	"G (A -> F B)":                {"A", "B", false},
	"GF A":                        {"", "A", false},
	"GF (A || B && X A) && GF B":  {"", "", false},
	"F (A && X A) && GF (B || C)": {"", "", false},
}

var eachTimeForm = regexp.MustCompile(`comes again and again, each time (?:at once|within at most (\d+)|within (\d+) to (\d+)|after exactly (\d+))(?: actions?)?`)

// TestBoundsOfWhatOverlaps: where what recurs takes several steps, the steps of one occurrence may
// be steps of the next. All stretches between an occurrence, or the start, and the next one are as long
// as the sentence says, and each request waits no longer.
func TestBoundsOfWhatOverlaps(t *testing.T) {
	texts := slices.Sorted(maps.Keys(onceDone))
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 73))
		text := texts[r.IntN(len(texts))]
		word, loop := overlappingWord(r)
		var b lts.Builder
		for i, l := range word {
			to := i + 1
			if to == len(word) {
				to = loop
			}
			b.Add(lts.State(i), b.Label(string(l)), lts.State(to))
		}
		m, err := b.Build(0, len(word))
		if err != nil {
			t.Fatal(err)
		}
		f := parseAny(t, text)
		x := sentenceReader{context.Background(), met}
		sentence, _ := x.within(t, m, f)
		of := onceDone[text]
		if sentence == "" || of.steps == "" {
			continue
		}
		run := word
		for len(run) < 80 {
			run += word[loop:]
		}
		met["read"]++
		found := eachTimeForm.FindStringSubmatch(sentence)
		if spans := spanForm.FindStringSubmatch(sentence); found == nil && of.request == "" && spans != nil {
			found = []string{"", spans[4], spans[1], spans[2], spans[3]}
		}
		if found != nil {
			least, _ := strconv.Atoi(found[2] + found[4])
			most, _ := strconv.Atoi(found[1] + found[3] + found[4])
			most = max(most, 1) // at once
			if err := checkGaps(run, of.steps, of.directly, least, most); err != nil {
				t.Fatalf("seed %d, %s on %s, back to %d: %q: %v", seed, text, word, loop, sentence, err)
			}
			met["again"]++
			continue
		}
		spans := spanForm.FindStringSubmatch(sentence)
		if of.request == "" || spans == nil {
			t.Fatalf("seed %d, %s on %s: %q is not understood", seed, text, word, sentence)
		}
		most, _ := strconv.Atoi(spans[2] + spans[3] + spans[4])
		most = max(most, 1) // at once
		for i := range word {
			if string(run[i]) == of.request {
				from := i
				if strings.Contains(text, "-> X F") {
					from++
				}
				if end := doneAt(run, from, of.steps, of.directly); end-i > most {
					t.Fatalf("seed %d, %s on %s, back to %d: %q, but from %d to %d", seed, text, word, loop, sentence, i, end)
				}
			}
		}
		met["request"]++
	}
	t.Log(met)
	if randomlts.Whole() && (met["again"] < 500 || met["request"] < 150) {
		t.Errorf("too little was met: %v", met)
	}
}

// overlappingWord draws a word that goes on at a position forever.
func overlappingWord(r *rand.Rand) (word string, loop int) {
	for range 2 + r.IntN(9) {
		word += string("ABC"[r.IntN(3)])
		if r.IntN(2) == 0 {
			word += word[len(word)-1:]
		}
	}
	return word, r.IntN(len(word))
}

// doneAt returns the position of the last of some steps of a word, from a position on.
func doneAt(run string, from int, steps string, directly bool) int {
	for i := from; i < len(run); i++ {
		if directly && strings.HasPrefix(run[i:], steps) {
			return i + len(steps) - 1
		}
		if !directly && run[i] == steps[0] {
			end := i
			for _, step := range steps[1:] {
				end += 1 + strings.IndexRune(run[end+1:], step)
			}
			return end
		}
	}
	return len(run)
}

// checkGaps checks the stretches between occurrences of something that is done by some steps; least
// is 0 if the sentence has none.
func checkGaps(run, steps string, directly bool, least, most int) error {
	last := 0
	for i := range run[:40] {
		end := doneAt(run, i, steps, directly)
		occurs := strings.HasPrefix(run[i:], steps) || !directly && run[i] == steps[0]
		if !occurs {
			continue
		}
		if gap := end + 1 - last; gap > most || gap < least {
			return fmt.Errorf("it comes at %d after %d", end+1, last)
		}
		last = end + 1
	}
	return nil
}

// parseAny reads a property in any syntax.
func parseAny(t testing.TB, text string) property.Formula {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// texts returns the transitions of a model, each on a line.
func texts(m *lts.LTS) string {
	text := ""
	for t := range m.Transitions() {
		text += fmt.Sprintf("%d %s %d\n", t.From, m.Alphabet().Text(t.Label), t.To)
	}
	return text
}
