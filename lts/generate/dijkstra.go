package generate

import "context"

// maxDijkstra bounds a model to 2 GB. A model with one more process would take
// twenty times as much.
const maxDijkstra = 6

// The positions of a process in Dijkstra's program.
const (
	dijkstraRest = iota
	dijkstraTestK
	dijkstraUnclaim
	dijkstraTestOwner
	dijkstraTakeK
	dijkstraClaim
	dijkstraTestOthers
	dijkstraEnter
	dijkstraInside
	dijkstraRelease
	dijkstraForget
)

// The actions of a process in Dijkstra's algorithm.
const (
	dijkstraWants = iota
	dijkstraWantsNot
	dijkstraClaims
	dijkstraClaimsNot
	dijkstraWritesK
	dijkstraReadsK
	dijkstraReadsB
	dijkstraReadsC
	dijkstraEnters
	dijkstraLeaves
)

// turns is Dijkstra's algorithm (Solution of a problem in concurrent programming
// control, Communications of the ACM 8(9), 1965). His booleans b and c are stored
// negated: process p wants to enter where b[p] is false, and claims to be about
// to enter where c[p] is false. Every access to a shared variable is a step of
// its own. A process that would only read the same value again waits instead.
type turns struct {
	count int
	// tested[p] is the number of processes that p has seen without a claim.
	at, wants, claims, tested []field
	k                         field
}

func prepareDijkstra(ctx context.Context, s Spec) model {
	t := &turns{count: s.Processes}
	end := uint(0)
	for range t.count {
		var at []field
		at, end = fields(end, 4, 1, 1, 3)
		t.at, t.wants = append(t.at, at[0]), append(t.wants, at[1])
		t.claims, t.tested = append(t.claims, at[2]), append(t.tested, at[3])
	}
	t.k = field{end, 3}
	return explore(ctx, []event{
		dijkstraWants: {"WRITE_B", 1, " !FALSE"}, dijkstraWantsNot: {"WRITE_B", 1, " !TRUE"},
		dijkstraClaims: {"WRITE_C", 1, " !FALSE"}, dijkstraClaimsNot: {"WRITE_C", 1, " !TRUE"},
		dijkstraWritesK: {"WRITE_K", 1, ""}, dijkstraReadsK: {"READ_K", 2, ""},
		dijkstraReadsB: {"READ_B", 2, " !TRUE"}, dijkstraReadsC: {"READ_C", 2, " !TRUE"},
		dijkstraEnters: {"ENTER", 1, ""}, dijkstraLeaves: {"LEAVE", 1, ""},
	}, t.next)
}

func (t *turns) next(c configuration, do func(action, configuration)) {
	for p := range t.count {
		t.step(c, p, do)
	}
}

// step calls do for each step that process p can take next.
func (t *turns) step(c configuration, p int, do func(action, configuration)) {
	k := t.k.of(c)
	to := func(point int) configuration { return t.at[p].set(c, point) }
	switch t.at[p].of(c) {
	case dijkstraRest:
		do(doing(dijkstraWants, p, 0, 0), t.wants[p].set(to(dijkstraTestK), 1))
	case dijkstraTestK:
		next := to(dijkstraUnclaim)
		if k == p {
			next = to(dijkstraClaim)
		}
		do(doing(dijkstraReadsK, p, k, 0), next)
	case dijkstraUnclaim:
		do(doing(dijkstraClaimsNot, p, 0, 0), t.claims[p].set(to(dijkstraTestOwner), 0))
	case dijkstraTestOwner:
		if t.wants[k].of(c) == 0 {
			do(doing(dijkstraReadsB, p, k, 0), to(dijkstraTakeK))
		}
	case dijkstraTakeK:
		do(doing(dijkstraWritesK, p, 0, 0), t.k.set(to(dijkstraTestK), p))
	case dijkstraClaim:
		do(doing(dijkstraClaims, p, 0, 0), t.claims[p].set(to(dijkstraTestOthers), 1))
	case dijkstraTestOthers:
		t.testOthers(c, p, k, do)
	case dijkstraEnter:
		do(doing(dijkstraEnters, p, 0, 0), to(dijkstraInside))
	case dijkstraInside:
		do(doing(dijkstraLeaves, p, 0, 0), to(dijkstraRelease))
	case dijkstraRelease:
		do(doing(dijkstraClaimsNot, p, 0, 0), t.claims[p].set(to(dijkstraForget), 0))
	case dijkstraForget:
		do(doing(dijkstraWantsNot, p, 0, 0), t.wants[p].set(to(dijkstraRest), 0))
	}
}

// testOthers lets process p read the claim of one other process.
func (t *turns) testOthers(c configuration, p, k int, do func(action, configuration)) {
	tested := t.tested[p].of(c)
	other := (p + 1 + tested) % t.count
	switch {
	case t.claims[other].of(c) == 0 && tested+1 == t.count-1:
		do(doing(dijkstraReadsC, p, other, 0), t.tested[p].set(t.at[p].set(c, dijkstraEnter), 0))
	case t.claims[other].of(c) == 0:
		do(doing(dijkstraReadsC, p, other, 0), t.tested[p].set(c, tested+1))
	case k != p:
		do(doing(dijkstraReadsK, p, k, 0), t.tested[p].set(t.at[p].set(c, dijkstraUnclaim), 0))
	}
}
