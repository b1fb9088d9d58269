package randomlts

import (
	"math/rand/v2"

	"github.com/inev-lts/inev/lts"
)

// Ring returns a case for a seed whose model is a cycle of 4 to 30 states with chords. Most chords do
// a step of the property: shortest counterexamples are long, and many loops have to be looked at to
// know that. Cost O(1).
func Ring(seed uint64) Case {
	r := rand.New(rand.NewPCG(seed, 9))
	var b lts.Builder
	labels := []lts.Label{b.Label("X"), b.Label("A"), b.Label("B"), b.Label("C")}
	steps := make([]map[lts.Label]bool, 1+r.IntN(3))
	for i := range steps {
		steps[i] = map[lts.Label]bool{labels[1+i]: true}
	}
	states := 4 + r.IntN(27)
	for s := range states {
		label := labels[0]
		if r.IntN(5) == 0 {
			label = labels[r.IntN(len(labels))]
		}
		b.Add(lts.State(s), label, lts.State((s+1)%states))
	}
	for range r.IntN(2 * states) {
		label := labels[1+r.IntN(len(steps))]
		if r.IntN(12) == 0 {
			label = labels[0]
		}
		b.Add(lts.State(r.IntN(states)), label, lts.State(r.IntN(states)))
	}
	model, err := b.Build(0, states)
	if err != nil {
		panic(err) // every number above is in range
	}
	return Case{
		Model:   model,
		Steps:   steps,
		Formula: formula(model.Alphabet(), steps),
	}
}
