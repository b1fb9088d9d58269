package generate

import (
	"math"

	"github.com/inev-lts/inev/lts"
)

// The functions below return the parameters that several kinds share.
func states(least int64) Parameter {
	return Parameter{Name: "states", Usage: "states", Default: 1000, Min: least, Max: lts.MaxStates}
}

func degree(usage string) Parameter {
	return Parameter{Name: "degree", Usage: usage, Default: 3, Min: 1, Max: 1 << 16}
}

func labels(byDefault int64) Parameter {
	return Parameter{Name: "labels", Usage: "labels, ACTION !0 and so on", Default: byDefault, Min: 1, Max: math.MaxUint32}
}

func side(name, usage string, byDefault int64) Parameter {
	return Parameter{Name: name, Usage: usage, Default: byDefault, Min: 1, Max: lts.MaxStates}
}

func processes(usage string, byDefault, most int64) Parameter {
	return Parameter{Name: "processes", Usage: usage, Default: byDefault, Min: 2, Max: most}
}

// families returns all kinds, in the order they are listed.
func families() []family {
	return append(append(drawnFamilies(), regularFamilies()...), exploredFamilies()...)
}

func drawnFamilies() []family {
	return []family{{
		Kind: Kind{
			Name:        "random",
			Summary:     "states with transitions to anywhere",
			States:      "as asked for, numbered breadth first along a binary tree, so that all are reachable",
			Transitions: "states × degree; the rest leads anywhere",
			Labels:      "ACTION !0 and so on, drawn",
			Drawn:       true,
			Parameters:  []Parameter{states(1), degree("transitions of a state, on average"), labels(50)},
			Formula:     `Inev("ACTION !0", "ACTION !1")`,
			Interest:    "violated by a short run, as a few states have no transition; nearly all choices are neutral",
		},
		prepare: newRandom,
	}, {
		Kind: Kind{
			Name:        "layered",
			Summary:     "layers of states, each with transitions to the next one",
			States:      "1 + width × height; only the last layer has deadlocks",
			Transitions: "width + width × (height - 1) × degree; without cycles, all maximal traces have the length height",
			Labels:      "ACTION !0 and so on, drawn from three that rise with the layer",
			Drawn:       true,
			Parameters: []Parameter{
				side("width", "states of a layer", 50), side("height", "layers", 20),
				degree("transitions of a state"), labels(10),
			},
			Formula:  layeredFormula(10),
			Interest: "violated by what is not done in time",
			Unfolded: "all classes and all kinds of neighbourhoods",
		},
		prepare: newLayered,
		formula: func(s Spec) string { return layeredFormula(s.Labels) },
	}, {
		Kind: Kind{
			Name:        "scc",
			Summary:     "one strongly connected component",
			States:      "as asked for, on one cycle",
			Transitions: "states × degree; what is not of the cycle leads anywhere, or not further than the locality",
			Labels:      "BACK where the number of the state does not rise, elsewhere ACTION !0 and so on, drawn",
			Drawn:       true,
			Parameters: []Parameter{
				states(1), degree("transitions of a state"), labels(50),
				{Name: "locality", Usage: "how far the numbers of source and target may differ", Min: 1, Max: lts.MaxStates},
			},
			Formula:  `Inev(BACK, "ACTION !0")`,
			Interest: "violated by a loop; Inev(BACK) holds, as no cycle can rise for ever",
		},
		prepare: newComponent,
	}, {
		Kind: Kind{
			Name:        "datarich",
			Summary:     "as random, with a label of its own for each transition",
			States:      "as those of random",
			Transitions: "states × degree, as those of random",
			Labels:      "as many as transitions: PUT, GET or DROP, with the number of the transition",
			Drawn:       true,
			Parameters:  []Parameter{states(1), degree("transitions of a state, on average")},
			Formula:     `Inev(PUT, GET)`,
			Interest:    "each step is done by a third of all labels",
		},
		prepare: newDataRich,
	}}
}

func regularFamilies() []family {
	return []family{{
		Kind: Kind{
			Name:        "chain",
			Summary:     "one path",
			States:      "as asked for",
			Transitions: "states - 1",
			Labels:      "ACTION !0 and so on, in turn; END on the last transition",
			Parameters:  []Parameter{states(2), labels(1)},
			Formula:     `Inev(END, "ACTION !0")`,
			Interest:    "violated by the chain as a whole; Inev(END) holds, and only the last transition shows it",
		},
		prepare: newChain,
	}, {
		Kind: Kind{
			Name:        "cycle",
			Summary:     "one cycle through all states",
			States:      "as asked for",
			Transitions: "states",
			Labels:      "ACTION !0 and so on, in turn; BACK on the transition that closes the cycle",
			Parameters:  []Parameter{states(1), labels(1)},
			Formula:     `Inev(BACK, BACK)`,
			Interest:    "holds, after going around twice",
		},
		prepare: newCycle,
	}, {
		Kind: Kind{
			Name:        "grid",
			Summary:     "right and down on a board",
			States:      "width × height",
			Transitions: "(width - 1) × height + width × (height - 1); 2 × width × height where it wraps",
			Labels:      "RIGHT and DOWN",
			Parameters: []Parameter{
				side("width", "columns", 30), side("height", "rows", 30),
				{Name: "wrap", Usage: "lead from the borders to the opposite ones", Switch: true},
			},
			Formula:  `Inev(DOWN, RIGHT)`,
			Interest: "violated by a single one of exponentially many runs: first right to the end, then down",
		},
		prepare: newGrid,
	}, {
		Kind: Kind{
			Name:        "star",
			Summary:     "one state with transitions to all others, which are deadlocks",
			States:      "as asked for",
			Transitions: "states - 1",
			Labels:      "ACTION !0 and so on, in turn",
			Parameters:  []Parameter{states(2), labels(2)},
			Formula:     `Inev("ACTION !0")`,
			Interest:    "one mixed neighbourhood, where everything is decided",
		},
		prepare: newStar,
	}, {
		Kind: Kind{
			Name:        "complete",
			Summary:     "a transition from each state to each other one",
			States:      "as asked for",
			Transitions: "states × (states - 1)",
			Labels:      "ACTION !0 and so on, drawn",
			Drawn:       true,
			Parameters:  []Parameter{{Name: "states", Usage: "states", Default: 100, Min: 2, Max: 1 << 20}, labels(50)},
			Formula:     `Inev("ACTION !0", "ACTION !1")`,
			Interest:    "violated by a loop of two transitions, or three",
		},
		prepare: newComplete,
	}, {
		Kind: Kind{
			Name:        "parallel",
			Summary:     "transitions from one state to one other",
			States:      "2",
			Transitions: "as asked for",
			Labels:      "ACTION !0 and so on, in turn; duplicates where there are more transitions than labels",
			Parameters: []Parameter{
				{Name: "transitions", Usage: "transitions", Default: 1000, Min: 1, Max: maxTransitions}, labels(2),
			},
			Formula:  `Inev("ACTION !0")`,
			Interest: "one mixed neighbourhood, where everything is decided",
		},
		prepare: newParallel,
	}, {
		Kind: Kind{
			Name:        "stages",
			Summary:     "steps in a fixed order, each of which may be left out",
			States:      "width × height + 1",
			Transitions: "2 × width × height; without cycles",
			Labels:      "WORK, and STEP !0, SKIP !0 and so on, one of each for each stage",
			Parameters: []Parameter{
				side("width", "states of a stage", 10), {Name: "height", Usage: "stages", Default: 8, Min: 1, Max: 1 << 20},
			},
			Formula:  stagesFormula(8),
			Interest: "a formula of as many steps as there are stages; each stage has an incorrect neighbourhood",
		},
		prepare: newStages,
		formula: func(s Spec) string { return stagesFormula(s.Height) },
	}, {
		Kind: Kind{
			Name:        "ring",
			Summary:     "as layered, with transitions from the last layer to the first",
			States:      "width × height + 2: one before the first layer, and a deadlock",
			Transitions: "width + width × height × degree + 1",
			Labels:      "NEXT and, from the last layer to the first, BACK; END into the deadlock",
			Drawn:       true,
			Parameters: []Parameter{
				side("width", "states of a layer", 50), side("height", "layers", 20), degree("transitions of a state"),
			},
			Formula:  `Inev(END)`,
			Interest: "violated by loops through all layers: no state has a shorter one, nearly all have one of that length",
		},
		prepare: newRing,
	}, {
		Kind: Kind{
			Name:        "carousel",
			Summary:     "a ring of layers that turns by 1 or 3 places, below a tree",
			States:      "width × height, and about a seventh of that in the tree, which has eight branches at each state; a deadlock",
			Transitions: "2 × width × height + width, one to each state of the ring and the tree but the first, and END",
			Labels:      "DOWN in the tree, NEXT in the ring, SKIP from its last layer to the middle one; END into the deadlock",
			Parameters:  []Parameter{side("width", "states of a layer", 50), side("height", "layers", 17)},
			Formula:     `Inev(END)`,
			Interest:    "violated by loops that go round until the places fit, equally long through nearly all states: few states that all loops pass make the search short",
		},
		prepare: newCarousel,
	}}
}

func exploredFamilies() []family {
	return []family{{
		Kind: Kind{
			Name:        "philosophers",
			Summary:     "dining philosophers, who take the left fork first",
			States:      "118 for 4, 154,450 for 10, 18,378,370 for 14",
			Transitions: "300 for 4, 986,430 for 10, 164,329,284 for 14",
			Labels:      "TAKE !p !fork, EAT !p, DROP !p !fork",
			Parameters: []Parameter{
				processes("philosophers", 4, maxPhilosophers),
				{Name: "asymmetric", Usage: "the last philosopher takes the right fork first", Switch: true},
			},
			Formula:  `Inev(EAT)`,
			Interest: "violated by the one deadlock; holds where asymmetric; Inev(\"EAT !0\") is violated by a loop",
		},
		prepare: preparePhilosophers,
	}, {
		Kind: Kind{
			Name:        "peterson",
			Summary:     "Peterson's mutual exclusion of 1981, for any number of processes",
			States:      "68 for 2, 3,114 for 3, 233,956 for 4, 24,201,990 for 5",
			Transitions: "one for each process and state, as no process ever waits without looking",
			Labels:      "NCS !p, ENTER !p, LEAVE !p, and READ and WRITE of LEVEL and LAST",
			Parameters:  []Parameter{processes("processes", 2, maxPeterson)},
			Formula:     `Inev("ENTER !0")`,
			Interest:    "violated by a loop in which the others run; Inev(READ_LEVEL) holds",
		},
		prepare: preparePeterson,
	}, {
		Kind: Kind{
			Name:        "dijkstra",
			Summary:     "Dijkstra's mutual exclusion of 1965",
			States:      "174 for 2, 3,543 for 3, 69,356 for 4, 1,366,605 for 5, 27,586,674 for 6",
			Transitions: "324 for 2, 9,711 for 3, 251,968 for 4, 6,198,125 for 5, 150,241,548 for 6",
			Labels:      "ENTER !p, LEAVE !p, and READ and WRITE of B, C and K",
			Parameters:  []Parameter{processes("processes", 3, maxDijkstra)},
			Formula:     `Inev("ENTER !0")`,
			Interest:    "violated by a loop in which the others enter; Inev(ENTER) holds",
		},
		prepare: prepareDijkstra,
	}}
}
