package page

import (
	"context"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func comparisonOf(t testing.TB, old, latest *lts.LTS, text string) *compare.Comparison {
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
	c.Versions, err = compare.Property(ctx, compare.Version{LTS: old}, compare.Version{LTS: latest}, f, explain.Options{}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func comparisonText(t testing.TB, c *compare.Comparison) string {
	t.Helper()
	var b strings.Builder
	if err := Comparison(context.Background(), inside, &b, c, Options{Command: []string{"inev", "compare", "old.aut", "new.aut"}, Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var comparisonRow = regexp.MustCompile(`<li class="is-(\w+)"><span class="sign" aria-hidden="true">(.?)</span><span class="number">(\d*)</span><span class="state">[^<]*</span><span class="action">(?:<span class="hidden">\w+:</span> )?(.*?)(?: <span class="said">([^<]*)</span>)?</span></li>`)

// can reports whether a model can do labels from its initial state, along any path.
func can(m *lts.LTS, labels []string) bool {
	at := map[lts.State]bool{m.Initial(): true}
	for _, label := range labels {
		next := map[lts.State]bool{}
		for s := range at {
			of, targets := m.Out(s)
			for i, to := range targets {
				if m.Alphabet().Text(of.At(i)) == label {
					next[to] = true
				}
			}
		}
		at = next
	}
	return len(at) > 0
}

// TestRowsOfComparison replays the rows of pages in both models: both can do the unmarked ones, and
// only the marked version what follows.
func TestRowsOfComparison(t *testing.T) {
	plain := regexp.MustCompile(`<[^>]*>`)
	var marked, runs int
	for seed := range randomlts.Share(1_500) {
		size := randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1}
		old, latest := randomlts.Seeded(seed, size).Model, randomlts.Seeded(seed+1_000_000, size).Model
		text := []string{"", "Inev(A)", "Inev(A, B)"}[seed%3]
		c := comparisonOf(t, old, latest, text)
		page := comparisonText(t, c)
		sections := strings.Split(page, "<section")
		for _, section := range sections {
			if !strings.Contains(section, `id="run-`) {
				continue
			}
			runs++
			var shared []string
			parted := ""
			for _, m := range comparisonRow.FindAllStringSubmatch(section, -1) {
				label := html.UnescapeString(plain.ReplaceAllString(m[4], ""))
				number, side := m[3], m[1]
				switch {
				case number == "" && label != "nothing more":
					// What the other version could do instead.
					other := old
					if side == "new" {
						other = latest
					}
					for _, one := range strings.Split(label, ", ") {
						if !strings.HasSuffix(one, " more") && !can(other, append(slices.Clone(shared), one)) {
							t.Fatalf("seed %d: the %s model cannot do %v, %s\n%s", seed, side, shared, one, section)
						}
					}
				case number != "" && side == "both":
					shared = append(shared, label)
				case number != "" && parted == "":
					parted = side
					marked++
					with, without := latest, old
					if side == "old" {
						with, without = old, latest
					}
					if whole := append(slices.Clone(shared), label); !can(with, whole) || can(without, whole) || !can(without, shared) {
						t.Fatalf("seed %d: %v is not of the %s model alone\n%s", seed, whole, side, section)
					}
				}
			}
			if parted == "" && !can(old, shared) && !can(latest, shared) {
				t.Fatalf("seed %d: neither can do %v", seed, shared)
			}
		}
	}
	t.Logf("%d runs, %d marked", runs, marked)
	if randomlts.Whole() && (runs < 500 || marked < 200) {
		t.Error("too few of a kind")
	}
}

// TestPictureOfComparison replays the arrows of pictures in both models. After the steps before the one that is
// marked, only the version whose colour it has can take it, and the other can take what it is said to take instead.
func TestPictureOfComparison(t *testing.T) {
	arrow := regexp.MustCompile(`(?s)<g id="transition-\d+" class="edge transition ([^"]*)">.*?</g>`)
	title := regexp.MustCompile(`<title>\S+ to \S+: ([^<]*)</title>`)
	numbered := regexp.MustCompile(`\bstep-(\d+)`)
	rounds := regexp.MustCompile(`in round (\d+) `)
	var only, instead, inRounds int
	for seed := range randomlts.Share(1_500) {
		size := randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1}
		models := map[string]*lts.LTS{
			"of-old": randomlts.Seeded(seed, size).Model,
			"of-new": randomlts.Seeded(seed+1_000_000, size).Model,
		}
		other := map[string]string{"of-old": "of-new", "of-new": "of-old"}
		page := comparisonText(t, comparisonOf(t, models["of-old"], models["of-new"], []string{"", "Inev(A)", "Inev(A, B)"}[seed%3]))
		var run, loop []string
		parts, round, own := 0, 0, ""
		could := map[string]string{} // what a version can do instead
		for _, a := range arrow.FindAllStringSubmatch(page, -1) {
			classes := strings.Fields(a[1])
			side := ""
			for name := range models {
				if slices.Contains(classes, name) {
					side = name
				}
			}
			label := html.UnescapeString(title.FindStringSubmatch(a[0])[1])
			step := numbered.FindStringSubmatch(a[1])
			if step == nil {
				could[label] = side
				continue
			}
			run = append(run, label)
			if slices.Contains(classes, "loop") {
				loop = append(loop, label)
			}
			if side != "" {
				own = side
				parts, _ = strconv.Atoi(step[1])
			}
			if m := rounds.FindStringSubmatch(a[0]); m != nil && side != "" {
				round, _ = strconv.Atoi(m[1])
			}
		}
		if parts == 0 {
			continue
		}
		before := slices.Clone(run[:parts-1])
		if round > 1 {
			inRounds++
			stem := run[:len(run)-len(loop)]
			before = slices.Concat(stem, slices.Repeat(loop, round-1), run[len(stem):parts-1])
		}
		whole := append(slices.Clone(before), run[parts-1])
		if !can(models[own], whole) || can(models[other[own]], whole) || !can(models[other[own]], before) {
			t.Fatalf("seed %d: %v is not of %s alone", seed, whole, own)
		}
		only++
		for label, side := range could {
			if side != other[own] || !can(models[side], append(slices.Clone(before), label)) {
				t.Fatalf("seed %d: %q cannot do %s after %v", seed, side, label, before)
			}
			instead++
		}
	}
	t.Logf("%d only, %d instead, %d in later rounds", only, instead, inRounds)
	if randomlts.Whole() && (only < 50 || instead < 10 || inRounds < 5) {
		t.Errorf("only %d, %d and %d of a kind", only, instead, inRounds)
	}
}

// TestComparisonIsSafe: labels are text, whatever they are, and nothing runs.
func TestComparisonIsSafe(t *testing.T) {
	const evil = `<script>alert("1")</script><b onclick='x'>&amp;`
	old := modelOf(t, 3, []edge{{0, "A", 1}, {1, "B", 2}})
	latest := modelOf(t, 3, []edge{{0, "A", 1}, {1, evil, 0}, {1, "B", 2}})
	for _, text := range []string{"", "Inev(A, B)"} {
		c := comparisonOf(t, old, latest, text)
		c.OldFile, c.NewFile = "a/<i>.aut", "b/<i>.aut"
		page := comparisonText(t, c)
		for _, bad := range []string{"<script", "<b ", "<i>", "onclick='", "style=\""} {
			if strings.Contains(strings.ReplaceAll(page, html.EscapeString(evil), ""), bad) {
				t.Errorf("%q: the page has %s", text, bad)
			}
		}
		if !strings.Contains(page, "default-src 'none'; style-src 'sha256-") || strings.Contains(page, "script-src") {
			t.Error("the policy is another one")
		}
		if page != comparisonText(t, c) {
			t.Error("two pages of one comparison differ")
		}
	}
}

// TestComparisonTellsOnce: a formula stands on its own, and a loop of one step is one step.
func TestComparisonTellsOnce(t *testing.T) {
	early := modelOf(t, 5, []edge{{0, "A", 1}, {0, "A", 2}, {1, "B", 3}, {2, "C", 4}})
	late := modelOf(t, 3, []edge{{0, "A", 1}, {1, "B", 2}, {1, "C", 2}})
	if page := comparisonText(t, comparisonOf(t, early, late, "")); strings.Count(page, "A&#34;&gt;") != 1 {
		t.Errorf("the formula stands there %d times", strings.Count(page, "A&#34;&gt;"))
	}
	busy := modelOf(t, 3, []edge{{0, "A", 1}, {1, "C", 1}, {1, "B", 2}})
	if page := comparisonText(t, comparisonOf(t, late, busy, "Inev(B)")); !strings.Contains(page, "Step 2 comes again and again.") {
		t.Error("no step that comes again and again")
	}
}

// TestStamps: the word at the top is the outcome.
func TestStamps(t *testing.T) {
	good := modelOf(t, 3, []edge{{0, "A", 1}, {1, "B", 2}})
	bad := modelOf(t, 3, []edge{{0, "A", 1}, {1, "C", 0}, {1, "B", 2}})
	for _, c := range []struct {
		old, latest *lts.LTS
		text, want  string
	}{
		{good, good, "", "= alike"}, {good, bad, "", "≠ different"}, {good, bad, "Inev(B)", "✗ newly violated"},
		{bad, good, "Inev(B)", "✓ repaired"}, {bad, bad, "Inev(B)", "✗ both violated"}, {good, bad, "Inev(A)", "✓ both satisfied"},
	} {
		if page := comparisonText(t, comparisonOf(t, c.old, c.latest, c.text)); !strings.Contains(page, `<span class="stamp">`+c.want+`</span>`) {
			t.Errorf("%s: no %s", c.text, c.want)
		}
	}
}
