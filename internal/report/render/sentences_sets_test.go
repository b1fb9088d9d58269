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
var oddLabels = []string{"?FIN+ACK", "!ACK", "a|b", "send or wait", "q, r", "ENTER !0", "go", "s4(d1, e)"}

// firstPlain is the index of the first of oddLabels that needs no quotes.
const firstPlain = 5

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
			if slices.Index(oddLabels, label) < firstPlain && !strings.Contains(said, `"`+label+`"`) {
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

// TestPhrasesNameLabelsOfSets: what is pending after a step of the run names the labels of a set or of a
// disjunction as a sentence does, and not the notation of the formula.
func TestPhrasesNameLabelsOfSets(t *testing.T) {
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 18))
		var b lts.Builder
		b.Add(0, b.Label("begin"), 1)
		b.Add(1, b.Label("idle"), 1)
		for i, label := range oddLabels {
			b.Add(1, b.Label(label), lts.State(i%2))
		}
		m, err := b.Build(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		awaited := slices.Clone(oddLabels)
		r.Shuffle(len(awaited), func(i, j int) { awaited[i], awaited[j] = awaited[j], awaited[i] })
		awaited = awaited[:2+r.IntN(4)]
		var parts, names []string
		for _, label := range awaited {
			parts = append(parts, `"`+label+`"`)
			if slices.Index(oddLabels, label) < firstPlain {
				label = `"` + label + `"`
			}
			names = append(names, label)
		}
		text := "Response(begin; {" + strings.Join(parts, ", ") + "})"
		if seed%2 == 0 {
			text = "G (begin -> F (" + strings.Join(parts, " || ") + "))"
		}
		want := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		switch {
		case len(names) == 4:
			want = "one of " + strings.Join(names, ", ")
		case len(names) > 4:
			want = fmt.Sprintf("one of %s (%d more)", strings.Join(names[:3], ", "), len(names)-3)
		}
		e, err := explain.Explain(context.Background(), m, parseAny(t, text), explain.Options{NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 2_000}).Explanation(&got, e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.String(), "waiting for "+want) {
			t.Fatalf("seed %d, %s: want %s in\n%s", seed, text, want, &got)
		}
	}
}
