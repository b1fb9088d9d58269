package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/liveness"
)

// algorithm is a random algorithm in PlusCal.
type algorithm struct {
	maker
	isFair    bool // fair algorithm
	processes []*process
}

// process is a process of an algorithm.
type process struct {
	name, set string // set is empty for a single process
	id        int
	fairness  string // fair or fair+, with a blank behind, or empty
	labels    []*label
}

// label is a label with the statements behind it.
type label struct {
	name, statements string
	isStrong         bool // has a +
}

// newAlgorithm returns an algorithm with two or three processes that share the variables x and y.
func newAlgorithm(random *rand.Rand) *algorithm {
	a := &algorithm{maker: maker{random}}
	a.isFair = a.IntN(8) == 0
	first := &process{name: "P", set: `1..2`, id: 1}
	if a.IntN(2) == 0 {
		first.set = ""
	}
	a.processes = []*process{first, {name: "Q", id: 3}}
	names := []string{"A", "B", "C", "D", "E", "F"}
	for _, p := range a.processes {
		p.fairness = a.one("", "", "", "fair ", "fair ", "fair+ ")
		for range 1 + a.IntN(3) {
			p.labels = append(p.labels, &label{name: names[0], isStrong: a.IntN(6) == 0})
			names = names[1:]
		}
		for i, l := range p.labels {
			l.statements = a.statements(p, i)
		}
	}
	return a
}

// statements returns the statements behind a label: conditions, assignments, and where the process goes on.
func (a *algorithm) statements(p *process, at int) string {
	var text strings.Builder
	if a.IntN(2) == 0 {
		fmt.Fprintf(&text, "await %s; ", a.condition())
	}
	switch a.IntN(6) {
	case 0:
		fmt.Fprintf(&text, "either %s; or %s; end either; ", a.assignment("x"), a.one("skip", a.assignment("y"), "await "+a.condition()))
	case 1:
		fmt.Fprintf(&text, "with v \\in 0..1 do %s := v; end with; ", a.one("x", "y"))
	case 2:
		fmt.Fprintf(&text, "if %s then %s; else %s; end if; ", a.condition(), a.assignment("x"), a.one("skip", a.assignment("y")))
	case 3:
		text.WriteString("skip; ")
	default:
		fmt.Fprintf(&text, "%s; ", a.assignment(a.one("x", "y")))
	}
	target := func() string { return p.labels[a.IntN(len(p.labels))].name }
	switch {
	case a.IntN(4) == 0:
		fmt.Fprintf(&text, "if %s then goto %s; end if; ", a.condition(), target())
	case at == len(p.labels)-1 && a.IntN(4) > 0:
		fmt.Fprintf(&text, "goto %s; ", target())
	}
	return text.String()
}

func (a *algorithm) condition() string {
	return a.one("x = 0", "x = 1", "x # 2", "x > 0", "y = 0", "y = 1", "x = y", "TRUE")
}

func (a *algorithm) assignment(variable string) string {
	if variable == "y" {
		return "y := " + a.one("1 - y", "0", "1")
	}
	return "x := " + a.one("(x + 1) % 3", "0", "1", "2", "2 - x")
}

// goal returns a property of runs.
func (a *algorithm) goal() string {
	p := a.processes[a.IntN(len(a.processes))]
	state := func(self string) string {
		at := append([]string{"Done"}, labelNames(p)...)
		return a.one("x = 2", "y = 1", fmt.Sprintf("pc[%s] = %q", self, a.one(at...)))
	}
	form := func(self string) string {
		return a.one(
			fmt.Sprintf("[]<>(%s)", state(self)),
			fmt.Sprintf("<>(%s)", state(self)),
			fmt.Sprintf("(%s) ~> (%s)", state(self), state(self)),
			fmt.Sprintf("<>[](%s)", state(self)),
		)
	}
	if p.set != "" {
		return fmt.Sprintf(`\A self \in %s : %s`, p.set, form("self"))
	}
	return form(fmt.Sprint(p.id))
}

func labelNames(p *process) []string {
	var names []string
	for _, l := range p.labels {
		names = append(names, l.name)
	}
	return names
}

// module returns the module with the algorithm, not yet translated.
func (a *algorithm) module(asked string) string {
	var text strings.Builder
	text.WriteString("---- MODULE Random ----\nEXTENDS Integers\n(* --")
	if a.isFair {
		text.WriteString("fair ")
	}
	text.WriteString("algorithm Random\nvariables x = 0, y = 0;\n")
	for _, p := range a.processes {
		fmt.Fprintf(&text, "%sprocess %s ", p.fairness, p.name)
		if p.set != "" {
			fmt.Fprintf(&text, "\\in %s\nbegin\n", p.set)
		} else {
			fmt.Fprintf(&text, "= %d\nbegin\n", p.id)
		}
		for _, l := range p.labels {
			colon := ":"
			if l.isStrong {
				colon = ":+"
			}
			fmt.Fprintf(&text, "  %s%s %s\n", l.name, colon, l.statements)
		}
		text.WriteString("end process;\n")
	}
	fmt.Fprintf(&text, "end algorithm; *)\n\\* BEGIN TRANSLATION\n\\* END TRANSLATION\nAsked == %s\n====\n", asked)
	return text.String()
}

// change is a change of an algorithm, as the advice words it.
type change struct {
	words    string
	isStrong bool
	set      func() (undo func())
}

// changes returns all changes of an algorithm that add fairness.
func (a *algorithm) changes() (all []change) {
	if !a.isFair {
		all = append(all, change{
			words: "fair algorithm",
			set:   func() func() { a.isFair = true; return func() { a.isFair = false } },
		})
	}
	for _, p := range a.processes {
		before := p.fairness
		// A plus at a label of an unfair process means nothing until the process becomes fair.
		hasPlus := slices.ContainsFunc(p.labels, func(l *label) bool { return l.isStrong })
		for _, fairness := range []string{"fair ", "fair+ "} {
			if len(fairness) > len(before) {
				all = append(all, change{
					words:    fairness + "process " + p.name,
					isStrong: fairness == "fair+ " || hasPlus,
					set:      func() func() { p.fairness = fairness; return func() { p.fairness = before } },
				})
			}
		}
		for _, l := range p.labels {
			if before == "fair " && !l.isStrong {
				all = append(all, change{
					words:    l.name + ":+",
					isStrong: true,
					set:      func() func() { l.isStrong = true; return func() { l.isStrong = false } },
				})
			}
		}
	}
	return all
}

// TestAdviceInPlusCal: of random algorithms in PlusCal, the fairness that is said to be lacking is enough as a conjunct of Spec, and as the
// change of the algorithm; and no change of the algorithm that is cheaper is enough. Where an algorithm can say what is lacking, this is told.
func TestAdviceInPlusCal(t *testing.T) {
	tlc := newChecker(t)
	ctx := context.Background()
	folder := t.TempDir()
	path := filepath.Join(folder, "Random.tla")
	first, last := seedsOf(t, 400)
	lacking, worded, compared, refused := 0, 0, 0, 0
	for seed := first; seed <= last; seed++ {
		a := newAlgorithm(rand.New(rand.NewPCG(seed, 83)))
		asked := a.goal()
		translate := func() bool {
			write(t, folder, "Random.tla", a.module(asked))
			code, said := tlc.answer(t, []string{"pcal.trans", "-nocfg", path})
			if code != 0 {
				t.Logf("seed %d: it is not translated: %s", seed, said)
				return false
			}
			return true
		}
		// verdict asks TLC under the translation, and further conjuncts.
		verdict := func(conjuncts ...string) int {
			module, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			more := "Spec"
			for _, conjunct := range conjuncts {
				more += " /\\ (" + conjunct + ")"
			}
			text, _, _ := strings.Cut(string(module), "\nMore == ")
			text = strings.TrimSuffix(strings.TrimSpace(text), "====")
			write(t, folder, "Random.tla", text+"\nMore == "+more+"\n====\n")
			code, said := tlc.ask(t, folder, "More.cfg")
			if code != 0 && code != 13 {
				t.Errorf("seed %d: with %v, TLC ends with %d: %s\n%s", seed, conjuncts, code, brief(said), text)
			}
			return code
		}
		write(t, folder, "Graph.cfg", "SPECIFICATION Spec\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
		write(t, folder, "More.cfg", "SPECIFICATION More\nPROPERTY Asked\n")
		if !translate() {
			refused++
			continue
		}
		if code, said := tlc.ask(t, folder, "Graph.cfg"); code != 0 {
			t.Logf("seed %d: TLC ends with %d: %s", seed, code, brief(said))
			refused++
			continue
		}
		var advice *liveness.Advice
		for range 12 { // the graph is the same for all properties
			module, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			goal := a.goal()
			write(t, folder, "Random.tla", strings.Replace(string(module), "\nAsked == "+asked+"\n", "\nAsked == "+goal+"\n", 1))
			asked = goal
			advice, err = lackingIn(ctx, folder)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, a.module(asked))
			}
			if advice != nil && len(advice.Conjuncts) > 0 {
				break
			}
		}
		if advice == nil || len(advice.Conjuncts) == 0 {
			continue
		}
		lacking++
		if verdict(advice.Conjuncts...) != 0 {
			t.Errorf("seed %d: %v is not enough\n%s", seed, advice.Conjuncts, a.module(asked))
		}
		if verdict() == 0 {
			t.Errorf("seed %d: nothing is lacking\n%s", seed, a.module(asked))
		}
		worded += checkWords(t, seed, a, advice, func() bool { return translate() && verdict() == 0 }, asked)
		compared += len(a.changes())
	}
	t.Logf("%d lack fairness, %d of them in words of PlusCal; %d changes were compared; %d were refused", lacking, worded, compared, refused)
}

// checkWords checks the words of an advice, and that no cheaper change is enough. It returns 1 if there are words.
func checkWords(
	t *testing.T,
	seed uint64,
	a *algorithm,
	advice *liveness.Advice,
	isEnough func() bool,
	asked string,
) int {
	t.Helper()
	strong := 0
	for _, conjunct := range advice.Conjuncts {
		strong += strings.Count(conjunct, "SF_")
	}
	changes := a.changes()
	if advice.PlusCal != "" {
		var undo []func()
		words := strings.Split(advice.PlusCal, " and ")
		for _, word := range words {
			i := slices.IndexFunc(changes, func(c change) bool { return c.words == word })
			if i < 0 {
				t.Errorf("seed %d: %q is no change of the algorithm\n%s", seed, word, a.module(asked))
				return 1
			}
			undo = append(undo, changes[i].set())
		}
		if !isEnough() {
			t.Errorf("seed %d: %q is not enough\n%s", seed, advice.PlusCal, a.module(asked))
		}
		for _, u := range undo {
			u()
		}
	}
	if advice.PlusCal == "" && isSayable(a, advice.Conjuncts) {
		t.Errorf("seed %d: there are no words for %q\n%s", seed, advice.Conjuncts, a.module(asked))
	}
	for _, c := range changes {
		isCheaper := len(advice.Conjuncts) > 1 || strong > 0 && !c.isStrong
		if !isCheaper {
			continue
		}
		undo := c.set()
		if isEnough() {
			t.Errorf("seed %d: %q is enough in place of %q (%q)\n%s", seed, c.words, advice.Conjuncts, advice.PlusCal, a.module(asked))
		}
		undo()
	}
	if advice.PlusCal != "" {
		return 1
	}
	return 0
}

// isSayable reports whether an algorithm can have changes that imply conjuncts: each is about a process, or a label without a sign of its
// own that is not fair yet.
func isSayable(a *algorithm, conjuncts []string) bool {
	for _, conjunct := range conjuncts {
		_, action, _ := strings.Cut(conjunct, "F_vars(")
		name, arguments, _ := strings.Cut(strings.TrimSuffix(action, ")"), "(")
		isWhole := arguments == "" || arguments == "self)" || arguments == "1)" || arguments == "2)"
		isNext := name == "Next" && !strings.Contains(conjunct, "SF_")
		isOfProcess := slices.ContainsFunc(a.processes, func(p *process) bool {
			return p.name == name || slices.Contains(labelNames(p), name) && p.fairness != "fair+ "
		})
		if !isNext && !(isWhole && isOfProcess) {
			return false
		}
	}
	return true
}
