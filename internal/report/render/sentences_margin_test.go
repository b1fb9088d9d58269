package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestMargins: by how much precedence, bounded existence and absence hold is what all short paths say.
func TestMargins(t *testing.T) {
	texts := []string{"Precedes(A; B)", "AtMost(2; A)", "AtMost(3; B)", "Never(C)", "Always({A, B})", "Never(B; before A)", "Never(A; after B)", "DeadlockFree", "DeadlockFree(after C)"}
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 91))
		var b lts.Builder
		labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
		n := 2 + r.IntN(5)
		for s := range n {
			for range 1 + r.IntN(2) {
				b.Add(lts.State(s), labels[r.IntN(3)], lts.State(min(n-1, s+1+r.IntN(2))))
			}
		}
		m, err := b.Build(lts.State(r.IntN(2)), n)
		if err != nil {
			t.Fatal(err)
		}
		text := texts[r.IntN(len(texts))]
		e, err := explain.Explain(context.Background(), m, parseAny(t, text), explain.Options{NoFairness: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict != explain.Satisfied {
			continue
		}
		said := ""
		s := render.NewSentences(e, printable.Text)
		for _, c := range s.Story().All() {
			if c.Kind() == "margin" {
				said = s.Say(c)
			}
		}
		want := marginOf(m, text)
		if said != want {
			t.Fatalf("seed %d, %s: %q, want %q\n%s", seed, text, said, want, m)
		}
		if said != "" {
			met[text]++
		}
	}
	if randomlts.Whole() && len(met) < len(texts)-1 {
		t.Errorf("met %v", met)
	}
}

// marginOf says by how much a property holds, by all paths of some length.
func marginOf(m *lts.LTS, text string) string {
	switch text {
	case "DeadlockFree":
		return waysOn(m)
	case "DeadlockFree(after C)":
		return "" // not all states have to go on
	}
	total := 0
	for t := range m.Transitions() {
		if m.Alphabet().Text(t.Label) == "C" {
			total++
		}
	}
	switch {
	case text == "Never(C)" && total == 0:
		return ""
	case text == "Always({A, B})" && total == 0:
		return "It allows every action of the model, so it cannot be violated."
	case text == "Always({A, B})" && total == 1:
		return "1 transition does something else, and no run comes there."
	case text == "Always({A, B})":
		return fmt.Sprintf("%d transitions do something else, and no run comes there.", total)
	case text == "Never(C)":
		return fmt.Sprintf("C is on %s, and no run comes there.", printable.Quantity(total, "transition"))
	}
	most := map[string]int{}
	least := 0 // from the first A to the first B after it
	last := 0  // from an A to the first B
	var walk func(s lts.State, word string)
	walk = func(s lts.State, word string) {
		count := map[string]int{}
		since := -1
		for i, l := range word {
			count[string(l)]++
			most[string(l)] = max(most[string(l)], count[string(l)])
			if string(l) == "A" && since < 0 {
				since = i
			}
			if string(l) != "B" {
				continue
			}
			isFirst := count["B"] == 1 || text == "Never(B; before A)"
			if isFirst && since >= 0 && (least == 0 || i-since < least) {
				least = i - since
			}
			near := strings.LastIndex(word[:i], "A")
			if count["B"] == 1 && near >= 0 && (last == 0 || i-near < last) {
				last = i - near
			}
		}
		if len(word) == m.NumStates()+2 {
			return
		}
		labels, targets := m.Out(s)
		for k, to := range targets {
			walk(to, word+m.Alphabet().Text(labels.At(k)))
		}
	}
	walk(m.Initial(), "")
	switch {
	case text == "Never(B; before A)" && least == 0, text == "Never(A; after B)" && last == 0:
		return ""
	case text == "Never(B; before A)" && least == 1:
		return "B can come right after the first A."
	case text == "Never(B; before A)":
		return fmt.Sprintf("B comes at least %d actions after the first A, if that happens.", least)
	case text == "Never(A; after B)" && last == 1:
		return "The first B can come right after A."
	case text == "Never(A; after B)":
		return fmt.Sprintf("The first B comes at least %d actions after each A before it.", last)
	case text == "Precedes(A; B)" && least == 0:
		return ""
	case text == "Precedes(A; B)" && least == 1:
		return "The first B can come right after the first A."
	case text == "Precedes(A; B)":
		return fmt.Sprintf("The first B comes at least %d actions after the first A.", least)
	}
	of, allowed := "A", 2
	if text == "AtMost(3; B)" {
		of, allowed = "B", 3
	}
	n := most[of]
	switch {
	case n == 0:
		return ""
	case n == allowed:
		return fmt.Sprintf("Some run does %s as often as is allowed.", of)
	case n == 1:
		return fmt.Sprintf("No run does %s more than once, of %d allowed.", of, allowed)
	default:
		return fmt.Sprintf("No run does %s more than twice, of %d allowed.", of, allowed)
	}
}

// waysOn says how many states runs reach, and how many of them have one transition.
func waysOn(m *lts.LTS) string {
	reached := map[lts.State]int{} // by state, the number of transitions that leave it
	var visit func(s lts.State)
	visit = func(s lts.State) {
		_, targets := m.Out(s)
		if _, isKnown := reached[s]; isKnown {
			return
		}
		reached[s] = len(targets)
		for _, to := range targets {
			visit(to)
		}
	}
	visit(m.Initial())
	single := 0
	for _, n := range reached {
		if n == 1 {
			single++
		}
	}
	all := len(reached)
	ways := "several ways."
	if single == all {
		ways = "one way."
	}
	switch {
	case all == 1:
		return "The only state that runs reach can go on in " + ways
	case single == 0 || single == all:
		return fmt.Sprintf("Each of the %d states that runs reach can go on in %s", all, ways)
	}
	return fmt.Sprintf("Each of the %d states that runs reach can go on, %d of them in only one way.", all, single)
}
