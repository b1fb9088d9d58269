package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	logs "github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// logged is a random model with logs of it.
type logged struct {
	m      *lts.LTS
	p      *property.Property
	cases  map[string][]string
	names  []string
	result *logs.Result
}

// drawLogged draws a model, a property and so many cases, and replays them.
func drawLogged(t *testing.T, seed uint64, cases int) *logged {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 7))
	g := &logged{m: randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 2}).Model, cases: map[string][]string{}}
	text := []string{"Inev(A, B)", "Response(A; B)", "Never(A, B)", "G (A -> F C)"}[r.IntN(4)]
	f, err := formula.Parse(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := g.m.Happening(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if g.p, _, err = f.Bind(ctx, labels); err != nil {
		t.Fatal(err)
	}
	table := "case,event\n"
	for i := range cases {
		name := fmt.Sprintf("c%d", i)
		g.names = append(g.names, name)
		for range 1 + r.IntN(6) {
			event := []string{"A", "B", "C", "D", "nowhere"}[min(4, r.IntN(17)/4)]
			g.cases[name] = append(g.cases[name], event)
			table += name + "," + event + "\n"
		}
	}
	in, err := eventlog.NewReader(ctx, strings.NewReader(table), eventlog.Options{Name: "log.csv", Field: "event", CaseField: "case"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := logs.Gather(ctx, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := logs.New(ctx, g.m, logs.Options{Property: g.p, Unlogged: isD})
	if err != nil {
		t.Fatal(err)
	}
	if g.result, err = a.Replay(ctx, l, -1); err != nil {
		t.Fatal(err)
	}
	g.result.ModelFile, g.result.LogFile, g.result.Formula = "m.aut", "log.csv", text
	return g
}

func isD(label string) bool { return label == "D" }

func (g *logged) oracle(name string) *oracle.Alignments {
	free := func(t lts.Transition) bool { return isD(g.m.Alphabet().Text(t.Label)) }
	return oracle.NewAlignments(g.m, fromproperty.Automaton(g.p), g.cases[name], free, false)
}

func (g *logged) written(t *testing.T, format string, full bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := newWriter(t, format, render.Options{Width: 10_000, Full: full}).Replay(&b, g.result); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// replaySentences are all sentences about one case, with what their parts are.
var replaySentences = map[string]*regexp.Regexp{
	"fits":     regexp.MustCompile(`^log\.csv fits m\.aut: a run does its (\d+) events?\.$`),
	"deviates": regexp.MustCompile(`^log\.csv deviates from m\.aut: (?:(\d+) events? skipped)?(?: and )?(?:(\d+) actions? missing)?, and no run of the model comes nearer to its (\d+) events?\.$`),
	"missing":  regexp.MustCompile(`^Before event (\d+), (\w+) \(line (\d+)\), the log lacks (\w+), which the run takes in state (\d+)\.$`),
	"skipped":  regexp.MustCompile(`^Event (\d+), (\w+) \(line (\d+)\): (the model has no such label|not possible in state (\d+))(?:, where nothing is possible|; possible: (.*))\.$`),
	"allowed":  regexp.MustCompile(`^Event (\d+), (\w+) \(line (\d+)\), is skipped: it is possible in state (\d+), but doing it saves no deviation\.$`),
	"lost":     regexp.MustCompile(`^(.*) is lost (from the start|after event (\d+), (\w+) \(line (\d+)\)): no run (with this log|that comes nearest to the log) satisfies it, however it goes on\.$`),
	"sure":     regexp.MustCompile(`^(.*) is sure (from the start|after event (\d+), (\w+) \(line (\d+)\)): every run (with this log|that comes nearest to the log) satisfies it, however it goes on\.$`),
	"open":     regexp.MustCompile(`^(.*) is open: some run (with this log|that comes nearest to the log) satisfies it, and some does not\.$`),
	"after":    regexp.MustCompile(`^After the log (?:the run is in state|a run can be in the states) (.*)\.$`),
}

// TestSentencesOfLogsAreReadBack reads each sentence about random logs back, and holds it against
// the definition.
func TestSentencesOfLogsAreReadBack(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(2000) {
		g := drawLogged(t, seed, 1)
		o := g.oracle("c0")
		for _, line := range strings.Split(g.written(t, "text", true), "\n") {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			kind := ""
			for name, pattern := range replaySentences {
				if parts := pattern.FindStringSubmatch(line); parts != nil {
					kind = name
					if wrong := g.read(o, name, parts); wrong != "" {
						t.Fatalf("seed %d, %v, %s: %q: %s", seed, g.cases, g.result.Formula, line, wrong)
					}
				}
			}
			if kind == "" {
				t.Fatalf("seed %d: %q is read by nobody", seed, line)
			}
			met[kind]++
		}
	}
	for name := range replaySentences {
		if met[name] < 5 && randomlts.Whole() {
			t.Errorf("%s: met %d times", name, met[name])
		}
	}
}

// read says what is wrong with a sentence; "" if it is true.
func (g *logged) read(o *oracle.Alignments, kind string, parts []string) string {
	log := g.cases["c0"]
	number := func(i int) int { n, _ := strconv.Atoi(parts[i]); return n }
	spot := func(position, state int) bool {
		return slices.ContainsFunc(o.Best(position), func(s oracle.Spot) bool { return int(s.State) == state })
	}
	event := func(i int) bool { return log[number(i)-1] == parts[i+1] && number(i+2) == number(i)+1 }
	fate, since := o.Fate()
	switch kind {
	case "fits":
		return unless(o.Cost == 0 && number(1) == len(log), o.Cost)
	case "deviates":
		return unless(o.Cost > 0 && number(1)+number(2) == o.Cost && number(3) == len(log), o.Cost)
	case "missing":
		return unless(event(1) && spot(number(1)-1, number(5)) && g.leaves(number(5), parts[4]), "not there")
	case "allowed":
		possible := slices.Contains(o.Possible(lts.State(number(4))), parts[2]) || parts[2] == "D"
		return unless(event(1) && possible && spot(number(1)-1, number(4)) && spot(number(1), number(4)), "not possible there")
	case "skipped":
		_, known := g.m.Alphabet().Lookup(parts[2])
		if parts[5] == "" {
			return unless(event(1) && !known, "the model has it")
		}
		possible := o.Possible(lts.State(number(5)))
		return unless(event(1) && known && spot(number(1)-1, number(5)) && spot(number(1), number(5)) && !slices.Contains(possible, parts[2]) && strings.Join(possible, ", ") == parts[6], possible)
	case "lost", "sure":
		return unless(fate == kind && since == number(3) && (since == 0 || event(3)) && (o.Cost == 0) == (parts[6] == "with this log"), fmt.Sprint(fate, since))
	case "open":
		return unless(fate == "open" && (o.Cost == 0) == (parts[2] == "with this log"), fate)
	}
	var states []string
	for _, s := range o.Ends() {
		states = append(states, strconv.Itoa(int(s)))
	}
	return unless(strings.ReplaceAll(parts[1], " and ", ", ") == strings.Join(states, ", "), states)
}

func unless(right bool, found any) string {
	if right {
		return ""
	}
	return fmt.Sprint("it is ", found)
}

// leaves reports whether a transition with a label leaves a state.
func (g *logged) leaves(s int, label string) bool {
	labels, _ := g.m.Out(lts.State(s))
	return labels.Any(func(l lts.Label) bool { return g.m.Alphabet().Text(l) == label })
}

var manyCases = regexp.MustCompile(`^(\d+) of the (\d+) cases of log\.csv fit m\.aut; .* is (.*)\.$`)

// TestTablesOfLogsAreReadBack: the rows of tables are those of the definition, in all formats.
func TestTablesOfLogsAreReadBack(t *testing.T) {
	for seed := range randomlts.Share(150) {
		g := drawLogged(t, seed, 20)
		fitting := 0
		fates := map[string]int{}
		var rows []string
		for _, name := range g.names {
			o := g.oracle(name)
			fate, since := o.Fate()
			fates[fate]++
			from := ""
			if since >= 0 {
				from = strconv.Itoa(since)
			}
			if o.Cost == 0 {
				fitting++
			}
			var states []string
			for _, s := range o.Ends() {
				states = append(states, strconv.Itoa(int(s)))
			}
			rows = append(rows, fmt.Sprintf("%s\t%d\t%t\t%d\t%s\t%s\t%s", name, len(g.cases[name]), o.Cost == 0, o.Cost, fate, from, strings.Join(states, ",")))
		}
		text := g.written(t, "text", true)
		first, _, _ := strings.Cut(text, "\n")
		parts := manyCases.FindStringSubmatch(first)
		var said []string
		for _, fate := range []string{"lost", "open", "sure"} {
			if fates[fate] > 0 {
				said = append(said, fmt.Sprintf("%s in %d", fate, fates[fate]))
			}
		}
		if parts == nil || parts[1] != strconv.Itoa(fitting) || parts[2] != "20" || strings.ReplaceAll(parts[3], " and ", ", ") != strings.Join(said, ", ") {
			t.Fatalf("seed %d: %q, want %d and %v", seed, first, fitting, fates)
		}
		for i, line := range strings.Split(strings.TrimSpace(g.written(t, "tsv", false)), "\n")[1:] {
			cells := strings.Split(line, "\t")
			skipped, _ := strconv.Atoi(cells[3])
			missing, _ := strconv.Atoi(cells[4])
			if row := strings.Join([]string{cells[0], cells[1], cells[2], strconv.Itoa(skipped + missing), cells[5], cells[6], cells[7]}, "\t"); row != rows[i] {
				t.Fatalf("seed %d: %q, want %q", seed, row, rows[i])
			}
			if !strings.Contains(text, "\n"+cells[0]+" ") {
				t.Fatalf("seed %d: no row for %s in the text", seed, cells[0])
			}
		}
		g.checkFrequencies(t)
	}
}

// checkFrequencies counts the deviations again, in JSON.
func (g *logged) checkFrequencies(t *testing.T) {
	t.Helper()
	var document struct {
		Schema string
		Cases  []struct {
			Case       string
			Deviations []logs.Deviation
		}
		Frequent []logs.Frequency
	}
	if err := json.Unmarshal([]byte(g.written(t, "json", false)), &document); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, c := range document.Cases {
		visited := map[string]bool{}
		for _, d := range c.Deviations {
			key := string(d.Kind) + " " + d.Label
			counts[key]++
			if !visited[key] {
				counts["cases with "+key]++
			}
			visited[key] = true
		}
	}
	last := 1 << 30
	for _, f := range document.Frequent {
		key := string(f.Kind) + " " + f.Label
		if counts[key] != f.Deviations || counts["cases with "+key] != f.Cases || f.Deviations > last {
			t.Fatalf("%+v, want %d in %d cases", f, counts[key], counts["cases with "+key])
		}
		delete(counts, key)
		delete(counts, "cases with "+key)
		last = f.Deviations
	}
	if len(counts) > 0 || document.Schema != "inev.replay/1" {
		t.Fatalf("%s, not counted: %v", document.Schema, counts)
	}
}
