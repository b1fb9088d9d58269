package explain

import (
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestUnfair: a run that goes round a random loop forever is refused if, and only if, it is not fair by the definition: followed for
// some rounds, a task is possible at all positions from some round on (strong: in each round), and taken in no later round.
func TestUnfair(t *testing.T) {
	told := map[bool]int{}
	for seed := range randomlts.Share(20_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 14, Labels: 4, Steps: 1}).Model
		loop := randomLoop(r, m)
		if loop == nil {
			continue
		}
		var tasks []property.Task
		for range 1 + r.IntN(3) {
			task := property.Task{Name: "T", Strong: r.IntN(2) == 0}
			for l := range m.Alphabet().Len() {
				if r.IntN(3) == 0 {
					task.Labels = append(task.Labels, lts.Label(l))
				}
			}
			tasks = append(tasks, task)
		}
		want := true
		for _, task := range tasks {
			want = want && fairForRounds(m, loop, task)
		}
		if err := checkFair(m, loop, tasks); (err == nil) != want {
			t.Fatalf("seed %d: loop %v, tasks %v: fair is %t, and %v is told", seed, loop, tasks, want, err)
		}
		told[want]++
	}
	if randomlts.Whole() && (told[true] < 100 || told[false] < 100) {
		t.Errorf("too few were fair or unfair: %v", told)
	}
}

// randomLoop walks at random until a state comes again; nil if the walk ends.
func randomLoop(r *rand.Rand, m *lts.LTS) []lts.Transition {
	var walk []lts.Transition
	at := map[lts.State]int{}
	for s := m.Initial(); ; {
		if first, again := at[s]; again {
			return walk[first:]
		}
		at[s] = len(walk)
		labels, targets := m.Out(s)
		if len(targets) == 0 {
			return nil
		}
		i := r.IntN(len(targets))
		walk = append(walk, lts.Transition{From: s, Label: labels.At(i), To: targets[i]})
		s = targets[i]
	}
}

// fairForRounds follows a loop position by position. What is so in all of the last rounds is so forever.
func fairForRounds(m *lts.LTS, loop []lts.Transition, task property.Task) bool {
	const rounds = 3
	alwaysPossible, possibleEach, takenEach := true, true, true
	for range rounds {
		possibleNow, takenNow := false, false
		for _, step := range loop {
			possible := false
			labels, targets := m.Out(step.From)
			for i := range targets {
				for _, l := range task.Labels {
					possible = possible || labels.At(i) == l
				}
			}
			for _, l := range task.Labels {
				takenNow = takenNow || step.Label == l
			}
			alwaysPossible, possibleNow = alwaysPossible && possible, possibleNow || possible
		}
		possibleEach, takenEach = possibleEach && possibleNow, takenEach && takenNow
	}
	if task.Strong {
		return takenEach || !possibleEach
	}
	return takenEach || !alwaysPossible
}
