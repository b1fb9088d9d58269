package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// notesOn returns the notes after the instances of a folder's specification are asked on its graph.
func notesOn(ctx context.Context, t *testing.T, folder string, isMade bool) string {
	t.Helper()
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true, Constrained: true})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.On(ctx, m.LTS, m.States, isMade, m.Outside...)
	if err != nil {
		t.Fatal(err)
	}
	instances, err := s.Instances(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range instances {
		if _, err := g.Ask(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(g.Notes(), "\n")
}

var deadlockNote = regexp.MustCompile(`TLC reports a deadlock first, in state (\d+) \((?:an initial state|after (\d+) steps?)\): `)

// TestDeadlockThatTLCReports: on random graphs, the note is there if and only if a layer of a search has a state without edges, and
// no layer up to the one behind it has what violates the property. It names such a state of the first such layer.
func TestDeadlockThatTLCReports(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	noted, preceded, stopped := 0, 0, 0
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 70))
		g := &graph{n: 2 + r.IntN(5), edges: map[[2]int]bool{}, initial: []int{0}}
		if r.IntN(3) == 0 {
			g.initial = append(g.initial, 1)
		}
		for range g.n + r.IntN(g.n) {
			g.edges[[2]int{r.IntN(g.n), r.IntN(g.n)}] = true
		}
		level, dead := g.layers()
		from, to := r.IntN(g.n), r.IntN(g.n)
		asked, isEarly := "<>[](x = 0)", false
		switch r.IntN(4) {
		case 0:
			asked = fmt.Sprintf("[](x # %d)", to)
			isEarly = len(dead) > 0 && level[to] > 0 && level[to] <= level[dead[0]]+1
		case 1:
			form := []string{"[]~(x = %d)", "[]~~(x # %d)", "~<>(x = %d)", "~~[](x # %d)"}[r.IntN(4)]
			asked = fmt.Sprintf(form, to)
			isInvariant := strings.HasPrefix(form, "[]") // TLC checks the other forms when the graph is whole
			isEarly = isInvariant && len(dead) > 0 && level[to] > 0 && level[to] <= level[dead[0]]+1
		case 2:
			asked = fmt.Sprintf("[][~(x = %d /\\ x' = %d)]_x", from, to)
			isEarly = len(dead) > 0 && from != to && g.edges[[2]int{from, to}] && level[from] > 0 && level[from] <= level[dead[0]]
		}
		allows := r.IntN(4) == 0
		isMade := r.IntN(2) == 0
		statement := ""
		if allows {
			statement = "CHECK_DEADLOCK FALSE\n"
		}
		module := "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nNext == x' # x\nSpec == [][Next]_x\nAsked == " + asked + "\n====\n"
		write(t, folder, "Random.tla", module)
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\n"+statement+"PROPERTY Asked\n")
		write(t, folder, "Random.dot", g.dot())
		notes := notesOn(ctx, t, folder, isMade)
		found := deadlockNote.FindStringSubmatch(notes)
		want := len(dead) > 0 && !isEarly && !allows
		if (found != nil) != want {
			t.Fatalf("seed %d: %q, want a note of a deadlock: %v\n%s%s", seed, notes, want, module, g.dot())
		}
		if isEarly && !allows {
			preceded++
		}
		if found == nil {
			continue
		}
		noted++
		if steps, _ := strconv.Atoi(found[2]); steps != level[dead[0]]-1 {
			t.Errorf("seed %d: %q, want %d steps\n%s", seed, notes, level[dead[0]]-1, g.dot())
		}
		mayStop := strings.Contains(notes, "; if TLC stopped there, the graph lacks states: have TLC write it with -deadlock")
		if mayStop != (!isMade && len(dead) > 1) {
			t.Errorf("seed %d: %q, with %d deadlocks\n%s", seed, notes, len(dead), g.dot())
		}
		if mayStop {
			stopped++
		}
		if !strings.Contains(notes, "'[]ENABLED Next' explains it, and CHECK_DEADLOCK FALSE in Random.cfg allows it") {
			t.Errorf("seed %d: %q", seed, notes)
		}
	}
	if randomlts.Whole() && (noted < 100 || preceded < 50 || stopped < 20) {
		t.Errorf("%d notes, %d violations before the deadlock, %d times TLC may have stopped", noted, preceded, stopped)
	}
}

// layers returns in which layer of a search each state is, from 1, and the reachable states without edges, the first layer first.
func (g *graph) layers() (level map[int]int, dead []int) {
	level = map[int]int{}
	layer := g.initial
	for n := 1; len(layer) > 0; n++ {
		var next []int
		for _, s := range layer {
			level[s] = n
		}
		for _, s := range layer {
			isDead := true
			for to := range g.n {
				if !g.edges[[2]int{s, to}] {
					continue
				}
				isDead = false
				if level[to] == 0 {
					level[to] = n + 1
					next = append(next, to)
				}
			}
			if isDead {
				dead = append(dead, s)
			}
		}
		layer = next
	}
	return level, dead
}

// TestDeadlocksAreThoseOfTLC: TLC reports a deadlock of a random specification if and only if the note names it.
func TestDeadlocksAreThoseOfTLC(t *testing.T) {
	tlc := newChecker(t)
	ctx := context.Background()
	first, last := seedsOf(t, 300)
	folder := t.TempDir()
	noted, compared := 0, 0
	for seed := first; seed <= last; seed++ {
		g := randomSpecification(rand.New(rand.NewPCG(seed, 51)))
		write(t, folder, "Random.tla", g.module)
		write(t, folder, "Random.cfg", g.config+"PROPERTY Asked\n")
		write(t, folder, "Graph.cfg", g.config)
		write(t, folder, "Random.dot", "")
		code, said := tlc.ask(t, folder, "Graph.cfg")
		if code != 0 || strings.Contains(said, " 0 distinct states found") {
			continue
		}
		graph, err := os.ReadFile(filepath.Join(folder, "Random.dot"))
		if err != nil {
			t.Fatal(err)
		}
		code, said = tlc.answer(t, []string{
			"-workers", "1", "-nowarning", "-noGenerateSpecTE", "-metadir", filepath.Join(folder, "states"), "-lncheck", "final",
			"-config", filepath.Join(folder, "Random.cfg"), filepath.Join(folder, "Random.tla"),
		})
		if code != 0 && code != 11 && code != 12 && code != 13 {
			continue
		}
		write(t, folder, "Random.dot", string(graph))
		notes := notesOn(ctx, t, folder, true)
		isNoted := deadlockNote.MatchString(notes)
		isReported := strings.Contains(said, "Deadlock reached")
		compared++
		if isNoted {
			noted++
		}
		isSilent := strings.Contains(g.config, "ACTION_CONSTRAINT") // the graph lacks the steps that it leaves out
		if isNoted && !isReported || isReported && !isNoted && !isSilent {
			t.Errorf("seed %d: noted %v %q, TLC %d %s\n%s%s", seed, isNoted, notes, code, said, g.module, g.config)
		}
	}
	t.Logf("%d compared, %d deadlocks noted", compared, noted)
}
