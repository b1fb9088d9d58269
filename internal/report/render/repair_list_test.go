package render_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// mostRepairLines is the largest number of lines of a repair as it is told by default.
const mostRepairLines = 30

var (
	repairPlace = regexp.MustCompile(`(to some of its targets |to state \d+ )?in states? (\d+(?:, \d+)*)(?: and (\d+) more)?`)
	labelsFirst = regexp.MustCompile(`^((?:(?:, | and )?[A-Z]\w*)+) (?:in|to) `)
)

// toldStates returns how often an item forbids each label in whole, and how often in part.
func toldStates(item string, whole, part map[string]int) error {
	item = strings.Join(strings.Fields(item), " ")
	head := labelsFirst.FindStringSubmatch(item)
	if head == nil {
		return fmt.Errorf("%q has no labels", item)
	}
	for _, label := range regexp.MustCompile(`[A-Z]\w*`).FindAllString(head[1], -1) {
		for _, m := range repairPlace.FindAllStringSubmatch(item, -1) {
			states := 1 + strings.Count(m[2], ",")
			more, _ := strconv.Atoi(m[3])
			if m[1] == "" {
				whole[label] += states + more
			} else {
				part[label] += states + more
			}
		}
	}
	return nil
}

// TestListsOfRepairsAreShort: what a repair forbids is told in at most 30 lines, and if no item is left out, each
// label in as many states as it is forbidden.
func TestListsOfRepairsAreShort(t *testing.T) {
	joined, short, checked := 0, 0, 0
	for seed := range randomlts.Share(1_500) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 120, Transitions: 420, Labels: 6, Steps: 3})
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		r, err := explain.FindRepair(context.Background(), c.Model, f, explain.RepairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Solvable || len(r.Never) < 4 {
			continue
		}
		var out bytes.Buffer
		w, err := render.New("text", render.Options{Width: 80})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Repair(&out, r); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if lines := strings.Count(text, "\n"); lines > mostRepairLines {
			t.Fatalf("seed %d: %d lines:\n%s", seed, lines, text)
		}
		short++
		if strings.Contains(text, "the full report lists them") || strings.Contains(text, "under ") || strings.Contains(text, "only") || saysRules(text) {
			continue
		}
		whole := map[string]int{}
		part := map[string]int{}
		list, _, _ := strings.Cut(text[strings.Index(text, "\n  - "):], "\n\n")
		for _, item := range strings.Split(list, "\n  - ")[1:] {
			if err := toldStates(item, whole, part); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if labelsFirst.FindString(strings.Join(strings.Fields(item), " ")) != "" && strings.Contains(item, " and ") {
				joined++
			}
		}
		wantWhole, wantPart := statesOfRepair(r)
		for label, n := range wantWhole {
			if whole[label] != n || part[label] < wantPart[label] {
				t.Fatalf("seed %d: %s is forbidden in %d states and in part in %d, told %d and %d\n%s", seed, label, n, wantPart[label], whole[label], part[label], text)
			}
		}
		checked++
	}
	t.Log(short, checked, joined)
	if randomlts.Whole() && (short < 50 || checked < 20) {
		t.Errorf("%d repairs were long, and %d were read back", short, checked)
	}
}

// saysRules reports whether a text has rules in place of states; these are read back in the sentences of explanations.
func saysRules(text string) bool {
	return slices.ContainsFunc([]string{"whatever leads", " everywhere", " after ", " until "}, func(form string) bool { return strings.Contains(text, form) })
}

// statesOfRepair returns in how many states each label is forbidden, under each condition: in whole, or in part.
func statesOfRepair(r *explain.Repaired) (whole, part map[string]int) {
	whole = map[string]int{}
	part = map[string]int{}
	visited := map[string]bool{}
	for _, f := range r.Never {
		key := fmt.Sprint(f.Label, f.From, f.Others, f.Progress, f.Comes)
		if visited[key] {
			continue
		}
		visited[key] = true
		if f.Others {
			part[f.Label]++
		} else {
			whole[f.Label]++
		}
	}
	return whole, part
}
