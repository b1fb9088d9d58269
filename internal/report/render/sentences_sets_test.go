package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// oddLabels read as operators or as several labels.
var oddLabels = []string{"?FIN+ACK", "!ACK", "a|b", "send or wait", "ENTER !0", "go", "s4(d1, e)"}

// withOddLabels draws a model that does a loop of the first labels only, with ways to the others.
func withOddLabels(r *rand.Rand, t *testing.T) (m *lts.LTS, awaited []string) {
	var b lts.Builder
	labels := slices.Clone(oddLabels)
	r.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	n := 1 + r.IntN(len(labels)-1)
	states := 2 + r.IntN(3)
	for s := range states {
		b.Add(lts.State(s), b.Label(labels[0]), lts.State((s+1)%states))
	}
	for _, label := range labels[1 : 1+n] {
		b.Add(lts.State(r.IntN(states)), b.Label(label), lts.State(states))
	}
	m, err := b.Build(0, states+1)
	if err != nil {
		t.Fatal(err)
	}
	return m, labels[1 : 1+n]
}

// namedFirst returns the labels that a headline begins with, and how many more it counts.
func namedFirst(said string) (labels []string, more int) {
	said = strings.TrimPrefix(said, "one of ")
	for {
		at := slices.IndexFunc(oddLabels, func(label string) bool {
			return strings.HasPrefix(said, label) || strings.HasPrefix(said, `"`+label+`"`)
		})
		if at < 0 {
			break
		}
		said = strings.TrimPrefix(strings.TrimPrefix(said, `"`), oddLabels[at])
		said = strings.TrimPrefix(said, `"`)
		labels = append(labels, oddLabels[at])
		said = strings.TrimPrefix(strings.TrimPrefix(said, ", "), " or ")
	}
	_, _ = fmt.Sscanf(said, " (%d more)", &more)
	return labels, more
}

// TestHeadlinesNameLabelsOfSets: a headline about a set or a regular expression begins with the labels that it
// stands for, in quotes where they could be read as operators.
func TestHeadlinesNameLabelsOfSets(t *testing.T) {
	counted, quoted := 0, 0
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 17))
		m, awaited := withOddLabels(r, t)
		var parts []string
		for _, label := range awaited {
			parts = append(parts, `"`+label+`"`)
		}
		text := "Inev({" + strings.Join(parts, ", ") + "})"
		if seed%2 == 0 {
			text = "Inev(/" + strings.NewReplacer("?", `\?`, "+", `\+`, "|", `\|`, "(", `\(`, ")", `\)`, `"`, "", ", ", ", ").Replace(strings.Join(parts, "|||")) + "/)"
			text = strings.ReplaceAll(text, `\|\|\|`, "|")
		}
		e, err := explain.Check(context.Background(), m, parseAny(t, text), explain.Options{})
		if err != nil || e.Diagnosis == nil {
			t.Fatalf("seed %d, %s: %v", seed, text, err)
		}
		if len(awaited) == 1 && seed%2 == 1 {
			continue // a label, and no set
		}
		said := render.NewSentences(e, func(text string) string { return text }).Diagnosis()
		labels, more := namedFirst(said)
		isOdd := slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains("ENTER !0 go s4(d1, e)", label) })
		for _, label := range labels {
			if !slices.Contains(awaited, label) {
				t.Fatalf("seed %d, %s: %q names %s", seed, text, said, label)
			}
			if slices.Index(oddLabels, label) < 4 && !strings.Contains(said, `"`+label+`"`) {
				t.Fatalf("seed %d, %s: %q has no quotes around %s", seed, text, said, label)
			}
		}
		if len(labels)+more != len(awaited) {
			t.Fatalf("seed %d, %s: %q names %q and %d more of %q", seed, text, said, labels, more, awaited)
		}
		if more > 0 {
			counted++
		}
		if isOdd {
			quoted++
		}
	}
	if t.Log(counted, quoted); randomlts.Whole() && min(counted, quoted) < 300 {
		t.Errorf("%d lists were cut, and %d had quotes", counted, quoted)
	}
}
