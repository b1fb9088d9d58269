package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestLongTextsAreToldInBrief: of a text that would have more than 25 lines beside its table, the default report tells
// the first change alone, and the full one all.
func TestLongTextsAreToldInBrief(t *testing.T) {
	long := func(name string) string { return name + "(" + strings.Repeat("element,", 6) + "last)" }
	// Each state of the run has a way on that makes the property certain; two changes make it hold.
	m := modelOf(t,
		fmt.Sprintf("0 %s 1", long("prepare")), fmt.Sprintf("0 %s 5", long("abort0")),
		fmt.Sprintf("1 %s 2", long("receive")), fmt.Sprintf("1 %s 5", long("abort1")),
		fmt.Sprintf("2 %s 3", long("commit")), fmt.Sprintf("2 %s 5", long("abort2")), fmt.Sprintf("2 %s 5", long("give_up")),
		"3 done 3", "5 idle 5",
	)
	e, err := explain.Explain(context.Background(), m, parseAny(t, fmt.Sprintf("Never(%q)", long("commit"))), explain.Options{NoPaths: true})
	if err != nil {
		t.Fatal(err)
	}
	textOf := func(o render.Options) string {
		var b strings.Builder
		if err := newWriter(t, "text", o).Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const ways = "the other choices"
	brief := textOf(render.Options{})
	if full := textOf(render.Options{Full: true, Width: 10_000}); strings.Contains(brief, ways) || !strings.Contains(full, ways) {
		t.Errorf("the other choices are told in brief, or not in full:\n%s\n%s", brief, full)
	}
	if wide := textOf(render.Options{Width: 10_000}); strings.Contains(wide, ways) {
		t.Errorf("a wide text has other words:\n%s", wide)
	}
	before, after, _ := strings.Cut(brief, "\n\n   step")
	_, after, _ = strings.Cut(after, "\nNo run violates it sooner.")
	if lines := strings.Count(before+after, "\n") + 2; lines > 25 {
		t.Errorf("%d lines beside the table:\n%s", lines, brief)
	}
}

// TestNoNearestRunInBrief: the reason why there is no nearest correct run is left out of a report in brief.
func TestNoNearestRunInBrief(t *testing.T) {
	long := func(name string) string { return name + "(" + strings.Repeat("element,", 6) + "last)" }
	m := modelOf(t,
		fmt.Sprintf("0 %s 1", long("prepare")), fmt.Sprintf("0 %s 6", long("abort0")),
		fmt.Sprintf("1 %s 2", long("receive")), fmt.Sprintf("1 %s 6", long("abort1")),
		fmt.Sprintf("2 %s 3", long("request")), fmt.Sprintf("2 %s 6", long("abort2")),
		fmt.Sprintf("3 %s 4", long("commit")), fmt.Sprintf("3 %s 5", long("commit")), fmt.Sprintf("3 %s 4", long("undo")),
		"4 idle 4", fmt.Sprintf("5 %s 4", long("restart")), fmt.Sprintf("6 %s 6", long("answer")),
	)
	e, err := explain.Explain(context.Background(), m, parseAny(t, "Response(request; answer)"), explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const reason = "There is none: each run that "
	for _, full := range []bool{false, true} {
		var b strings.Builder
		if err := newWriter(t, "text", render.Options{Full: full}).Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), reason) != full {
			t.Errorf("full: %t:\n%s", full, b.String())
		}
	}
}

// TestAlternativesInBrief: a report in brief counts the other actions of which the same is true, and names none of them.
func TestAlternativesInBrief(t *testing.T) {
	form := regexp.MustCompile("^`([A-E])` happens finitely often(?: \\([^)]*\\))?; likewise (.*)\\.$")
	met := 0
	for seed := range randomlts.Share(300) {
		r := rand.New(rand.NewPCG(seed, 25))
		n := 2 + r.IntN(4) // the states of a loop
		lines := []string{fmt.Sprintf("%d A %d", r.IntN(n), n), fmt.Sprintf("%d B %d", n, n)}
		for s := range n {
			lines = append(lines, fmt.Sprintf("%d %c %d", s, 'B'+r.IntN(4), (s+1)%n))
		}
		m := modelOf(t, lines...)
		e, err := explainedText(m, "Inev(A)")
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range render.NewSentences(e, printable.Code).InBrief().Hold() {
			told := form.FindStringSubmatch(said)
			if told == nil {
				continue
			}
			others := 0
			for _, a := range e.Fairness.Assumptions {
				if a.Kind == explain.Finitely && len(a.Labels) == 1 && a.Labels[0] != told[1] {
					others++
				}
			}
			if want := fmt.Sprintf("%d more", others); told[2] != want {
				t.Fatalf("seed %d: %s, want %s\n%s", seed, said, want, randomlts.Case{Model: m, Formula: "Inev(A)"})
			}
			met++
		}
	}
	if t.Log(met); randomlts.Whole() && met < 50 {
		t.Errorf("met %d times", met)
	}
}
