package proof_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// evidence is what a certificate has if it says that no violating run of m has fewer transitions than
// bound, whether that is true or not, by the definitions alone.
func evidence(m *lts.LTS, p *property.Chain, bound int) string {
	n := p.Len()
	soon := make([][]int, m.NumStates())
	for s := range soon {
		soon[s] = slices.Repeat([]int{bound}, n)
	}
	clear(soon[m.Initial()])
	for changed := true; changed; {
		changed = false
		for step := range m.Transitions() {
			for j, to := range soon[step.To] {
				from := j
				if p.Does(step.Label, j+1) {
					from--
				}
				if from >= 0 && soon[step.From][from]+1 < to {
					soon[step.To][j], changed = soon[step.From][from]+1, true
				}
			}
		}
	}
	var near, searches []string
	for s, row := range soon {
		if row[n-1] < bound {
			text, _ := json.Marshal(row)
			near = append(near, fmt.Sprintf(`{"state":%d,"soon":%s}`, s, text))
		}
		for j := range row {
			earlier := func(t lts.State) bool { return soon[t][j] < row[j] || soon[t][j] == row[j] && int(t) < s }
			isHead, distance, levels := false, map[lts.State]int{lts.State(s): 0}, [][]int{}
			for step := range m.Transitions() {
				isHead = isHead || int(step.To) == s && !p.Does(step.Label, j+1) && soon[step.From][j]+1 < bound && !earlier(step.From)
			}
			for d := 1; isHead && row[j]+d+1 < bound; d++ {
				level := []int{}
				for step := range m.Transitions() {
					at, from := distance[step.From]
					_, to := distance[step.To]
					if from && !to && at == d-1 && !p.Does(step.Label, j+1) && !earlier(step.To) {
						distance[step.To] = d
						level = append(level, int(step.To))
					}
				}
				if len(level) == 0 {
					break
				}
				slices.Sort(level)
				levels = append(levels, level)
			}
			if isHead {
				text, _ := json.Marshal(levels)
				searches = append(searches, fmt.Sprintf(`{"head":%d,"progress":%d,"levels":%s}`, s, j, text))
			}
		}
	}
	list := func(lines []string) string {
		if len(lines) == 0 {
			return "[]"
		}
		return "[\n" + strings.Join(lines, ",\n") + "]"
	}
	return fmt.Sprintf(",\n\"shortest\": {\"near\": %s,\n\"searches\": %s}\n}\n", list(near), list(searches))
}

// walk returns a random run of m.
func walk(r *rand.Rand, m *lts.LTS) (steps []lts.Transition) {
	at := m.Initial()
	for range r.IntN(12) {
		labels, targets := m.Out(at)
		if labels.Len() == 0 {
			break
		}
		i := r.IntN(labels.Len())
		steps = append(steps, lts.Transition{From: at, Label: labels.At(i), To: targets[i]})
		at = targets[i]
	}
	return steps
}

// given returns a run as that of another tool.
func given(t *testing.T, m *lts.LTS, steps []lts.Transition, loop int) *counterexample.Given {
	t.Helper()
	var b lts.Builder
	for i, step := range steps {
		to := i + 1
		if loop >= 0 && to == len(steps) {
			to = loop
		}
		b.Add(lts.State(i), b.Label(m.Alphabet().Text(step.Label)), lts.State(to))
	}
	nodes := len(steps)
	var deadlocks []lts.State
	if loop < 0 {
		deadlocks = append(deadlocks, lts.State(nodes))
		nodes++
	}
	graph, err := b.Build(0, nodes)
	if err != nil {
		t.Fatal(err)
	}
	run, err := counterexample.NewGiven(graph, nil, deadlocks...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// member is what stands before the evidence.
const member = ",\n\"shortest\""

// TestShortest has evidence judged that counterexamples are shortest: what certificates have, which must be what the
// definitions say; forged evidence; and evidence for runs that violate the property and are as long as, or longer
// than, the shortest one, as the oracle finds it.
func TestShortest(t *testing.T) {
	proof := program(t)
	total, accepted, shortest, longer, searches := 0, 0, 0, 0, 0
	for seed := range randomlts.Share(share(600)) {
		c := randomlts.Ring(seed)
		if seed%3 == 0 {
			c = randomlts.Seeded(seed, randomlts.Small())
		}
		r := rand.New(rand.NewPCG(seed, 11))
		m, f := c.Model, parsed(t, c.Formula)
		s := certified(t, m, f, neighbourhood.All)
		p, err := bound(m, f)
		if err != nil {
			t.Fatal(err)
		}
		chain, _ := p.Chain()
		before, told, is := strings.Cut(s.text, member)
		if !is {
			continue
		}
		o, err := oracle.New(m, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		least, _ := o.ShortestLength()
		if want := evidence(m, chain, least); member+told != want {
			t.Fatalf("%s\nwant\n%s\nof %v", told, want, c)
		}
		searches += strings.Count(told, `"levels":[[`)
		right, wrong := []string{s.text}, []string{}
		for range 30 {
			steps := walk(r, m)
			loop := r.IntN(len(steps)+2) - 1
			if _, err := counterexample.NewViolating(m, p, steps, loop); err != nil {
				continue
			}
			text := certificateWith(t, m, f, explain.Options{Search: explain.Search{Given: given(t, m, steps, loop)}})
			long := 0 // as the run that was found with these labels
			_, of, _ := strings.Cut(text, `"length": `)
			_, _ = fmt.Sscan(of, &long)
			text, _, _ = strings.Cut(text, member)
			text = strings.TrimSuffix(text, "\n}\n") + evidence(m, chain, long)
			if long == least {
				right = append(right, text)
			} else {
				wrong = append(wrong, text)
			}
		}
		if got := s.judge(t, proof, right); got != len(right) {
			t.Fatalf("%d of %d shortest counterexamples are accepted, of %v", got, len(right), c)
		}
		if len(wrong) > 0 && s.judge(t, proof, wrong) > 0 {
			t.Fatalf("a counterexample is accepted that is not shortest, of %v", c)
		}
		shortest, longer = shortest+len(right), longer+len(wrong)
		var forged []string
		for range 80 {
			forged = append(forged, before+forge(r, member+told))
		}
		accepted += s.judge(t, proof, forged)
		total += len(forged)
	}
	t.Logf("%d shortest counterexamples, %d longer ones; %d of %d forged certificates are right; %d searches", shortest, longer, accepted, total, searches)
	if randomlts.Whole() && (shortest < 100 || longer < 100 || searches < 20) {
		t.Error("too few of a kind were met")
	}
}
