package certify

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Claimed is what a forger claims, by state.
type Claimed struct {
	Max, Common, MaxSuffix, CommonSuffix []int
	Outcast                              []bool
}

func (c *Claimed) MP(s lts.State) int      { return c.Max[s] }
func (c *Claimed) CP(s lts.State) int      { return c.Common[s] }
func (c *Claimed) MS(s lts.State) int      { return c.MaxSuffix[s] }
func (c *Claimed) CS(s lts.State) int      { return c.CommonSuffix[s] }
func (c *Claimed) Admits(s lts.State) bool { return !c.Outcast[s] }

// Forger writes certificates for claims that need not be true, with the best evidence
// that it finds.
type Forger struct {
	R        *rand.Rand
	M        *lts.LTS
	P        *property.Chain
	F        *property.Fairness
	Formula  string
	Asked    []string
	Claims   *Claimed
	Steps    []lts.Transition // the run to be shown where the property is said to be violated
	Loop     int
	x        *writer
	fair     *fairPass
	leftOver []part
}

// Forge returns the certificate.
func (g *Forger) Forge() string {
	p := newPass(context.Background(), g.Claims, g.M, g.P, g.F)
	v := &evidence{first: must(p.shortestRunsTo()), least: must(p.shortestRunsWithCP()), next: must(p.shortestRunsFrom())}
	g.fair = must(newFairPass(p))
	g.forgeHomes()
	_ = g.fair.findSettled()
	g.forgeDue()
	g.patch(v.first.values, 0)
	g.patch(v.next.values, 1)
	g.patch(g.fair.settle, uint32(g.R.IntN(3)))
	g.patch(g.fair.due.values, uint32(g.R.IntN(3)))
	v.due, v.fairEvidence = g.fair.due, g.fair.fairEvidence
	var b bytes.Buffer
	g.x = &writer{pass: p, out: bufio.NewWriter(&b), evidence: v}
	g.write()
	_ = g.x.out.Flush()
	return b.String()
}

// must returns the result of a call that cannot fail: no context is done, and no run is too long.
func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}

func (g *Forger) patch(values []uint32, by uint32) {
	for i, v := range values {
		if v == none {
			values[i] = by
		}
	}
}

// forgeHomes finds homes, honestly or without regard to tasks and levels.
func (g *Forger) forgeHomes() {
	if g.R.IntN(2) == 0 {
		_ = g.fair.findHomes()
		return
	}
	careless, _ := property.NewFairness(g.M.Alphabet(), false, nil, nil)
	a := must(newRefinement(context.Background(), g.fair.refinement.parts, g.M, careless, nil))
	a.isAllowed = func(s lts.State, l lts.Label, _ lts.State) bool {
		cs := g.fair.claimed.CS(s)
		return !g.F.Rare(l) && g.P.AdvanceSuffix(cs, l) == cs
	}
	g.fair.refinement.isAllowed = a.isAllowed
	var states []lts.State
	g.fair.eachReachable(func(s lts.State) {
		if !g.Claims.Outcast[s] && g.R.IntN(8) > 0 {
			states = append(states, s)
		}
	})
	if g.R.IntN(2) == 0 && len(states) > 0 {
		// States between which there may be no way.
		cs := g.fair.claimed.CS(states[g.R.IntN(len(states))])
		states = slices.DeleteFunc(states, func(s lts.State) bool { return g.fair.claimed.CS(s) != cs || g.R.IntN(3) == 0 })
		if len(states) > 0 {
			_ = g.fair.makeHome(states)
		}
		g.patch(g.fair.from, uint32(1+g.R.IntN(2)))
		g.patch(g.fair.back, uint32(1+g.R.IntN(2)))
		return
	}
	_ = a.refine(states, refined{place: func(lts.State, uint32, uint32) {}, fair: g.fair.makeHome})
}

// forgeDue finds due, and where a fair run could stay says that it neglects something.
func (g *Forger) forgeDue() {
	for i := -1; i < g.P.Len(); i++ {
		level := max(i, 0)
		var states []lts.State
		g.fair.eachReachable(func(s lts.State) {
			if outcast := g.Claims.Outcast[s]; outcast == (i < 0) && (outcast || g.fair.claimed.CS(s) > level) {
				states = append(states, s)
			}
		})
		g.fair.refinement.isAllowed = func(_ lts.State, l lts.Label, t lts.State) bool {
			return !g.F.Rare(l) && (i < 0 || !g.Claims.Outcast[t] && g.P.AdvanceSuffix(level, l) == level)
		}
		if g.F.Full() {
			_ = g.fair.findExits(level, states)
			continue
		}
		g.leftOver = []part{{states, 0}}
		for len(g.leftOver) > 0 {
			at := g.leftOver[0]
			g.leftOver = g.leftOver[1:]
			g.forgeLevel(level, at.states, at.set)
		}
	}
}

func (g *Forger) forgeLevel(i int, states []lts.State, base uint32) {
	x := g.fair
	within := func(set uint32) uint32 {
		if set == 0 {
			return base
		}
		return set
	}
	put := func(s lts.State, rank, set uint32) {
		at := x.due.start[s] + i
		x.due.values[at], x.within[at] = rank, within(set)
	}
	_ = x.refinement.refine(states, refined{
		place: put,
		neglected: func(s neglecting) uint32 {
			s.parent = within(s.parent)
			x.sets = append(x.sets, s)
			return uint32(len(x.sets))
		},
		fair: func(set []lts.State) error {
			g.neglect(set, base, put)
			return nil
		},
	})
}

// taken returns the tasks that transitions between these states take.
func (g *Forger) taken(set []lts.State) map[uint32]bool {
	taken := map[uint32]bool{}
	for _, s := range set {
		labels, targets := g.M.Out(s)
		for i, t := range targets {
			if !slices.Contains(set, t) || !g.fair.refinement.isAllowed(s, labels.At(i), t) {
				continue
			}
			for _, k := range g.F.MetBy(labels.At(i)) {
				taken[k] = taken[k] || s != t || !g.F.Tasks()[k].Nonstuttering
			}
		}
	}
	return taken
}

// neglect says of a set in which fair runs can stay that they cannot.
func (g *Forger) neglect(set []lts.State, base uint32, put func(s lts.State, rank, set uint32)) {
	x := g.fair
	rank := x.refinement.rank[set[0]]
	if g.R.IntN(3) == 0 && len(g.F.Tasks()) > 0 && len(set) > 1 {
		half := 1 + g.R.IntN(len(set)-1)
		g.split([][]lts.State{set[:half], set[half:]}, base, rank, put)
		return
	}
	if g.R.IntN(3) == 0 && g.nest(set, base, rank, put) {
		return
	}
	var tasks []uint32
	taken := g.taken(set)
	for k := range g.F.Tasks() {
		if !taken[uint32(k)] {
			tasks = append(tasks, uint32(k))
		}
	}
	if len(tasks) == 0 || g.R.IntN(5) == 0 {
		if len(g.F.Tasks()) == 0 || base > 0 || g.R.IntN(2) == 0 {
			rising := uint32(g.R.IntN(2))
			for i, s := range set {
				put(s, rising*(rank+uint32(i)), 0)
			}
			return
		}
		tasks = []uint32{uint32(g.R.IntN(len(g.F.Tasks())))}
	}
	if g.R.IntN(3) > 0 {
		tasks = []uint32{tasks[g.R.IntN(len(tasks))]}
	}
	x.sets = append(x.sets, neglecting{parent: base, rank: rank, tasks: tasks})
	number := uint32(len(x.sets))
	all := g.R.IntN(2) == 0
	left := part{set: number}
	for _, s := range set {
		if all || g.enables(s, tasks) {
			put(s, 0, number)
		} else {
			left.states = append(left.states, s)
		}
	}
	if len(left.states) == len(set) {
		for _, s := range set {
			put(s, 0, number)
		}
		return
	}
	if len(left.states) > 0 {
		g.leftOver = append(g.leftOver, left)
	}
}

// nest says of a state that it neglects a task, and of the others that they lie in a set
// within, whatever it neglects. It reports whether there is such a state.
func (g *Forger) nest(set []lts.State, base, rank uint32, put func(s lts.State, rank, set uint32)) bool {
	u := g.R.IntN(len(set))
	for k, task := range g.F.Tasks() {
		if !task.Strong || !g.enables(set[u], []uint32{uint32(k)}) || g.R.IntN(3) == 0 {
			continue
		}
		other := uint32(g.R.IntN(len(g.F.Tasks())))
		g.fair.sets = append(g.fair.sets, neglecting{parent: base, rank: rank, tasks: []uint32{uint32(k)}})
		outer := uint32(len(g.fair.sets))
		put(set[u], 0, outer)
		g.fair.sets = append(g.fair.sets, neglecting{parent: outer, rank: 1, tasks: []uint32{other}})
		rest := append(append([]lts.State{}, set[:u]...), set[u+1:]...)
		g.leftOver = append(g.leftOver, part{rest, outer + 1})
		return true
	}
	return false
}

// split says of two parts of a set, between which a run can go, that each neglects tasks.
func (g *Forger) split(parts [][]lts.State, base, rank uint32, put func(s lts.State, rank, set uint32)) {
	for i, states := range parts {
		var best []uint32 // the task that most states enable, of those not taken
		most := -1
		for k := range g.F.Tasks() {
			enabled, taken := 0, false
			for _, s := range states {
				labels, targets := g.M.Out(s)
				enables := g.enables(s, []uint32{uint32(k)})
				if enables {
					enabled++
				}
				for j := range labels.Len() {
					l := labels.At(j)
					taken = taken || enables && slices.Contains(states, targets[j]) && slices.Contains(g.F.TasksOf(l), uint32(k))
				}
			}
			if !taken && enabled > most {
				best, most = []uint32{uint32(k)}, enabled
			}
		}
		if best == nil {
			best = []uint32{0}
		}
		g.fair.sets = append(g.fair.sets, neglecting{parent: base, rank: rank + uint32(i), tasks: best})
		for _, s := range states {
			put(s, 0, uint32(len(g.fair.sets)))
		}
	}
}

func (g *Forger) enables(s lts.State, tasks []uint32) bool {
	labels, targets := g.M.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range g.F.TasksOf(l) {
			for _, of := range tasks {
				if of == k && (targets[i] != s || !g.F.Tasks()[k].Nonstuttering) {
					return true
				}
			}
		}
	}
	return false
}

// class returns the class that follows from the claims.
func (g *Forger) class(s lts.State, l lts.Label, t lts.State) string {
	c, n := g.fair.claimed, g.P.Len()
	switch {
	case !c.Admits(t):
		return "excluded"
	case g.P.Advance(c.CP(s), l)+c.CS(t) >= n:
		return "correct"
	case g.P.Advance(c.MP(s), l)+c.MS(t) < n:
		return "incorrect"
	}
	return "neutral"
}

// write writes the file, with all that follows from the claims.
func (g *Forger) write() {
	x, m := g.x, g.M
	digest, _ := verify.Digest(m)
	counts := map[string]int{}
	in, out := make([]map[string]bool, m.NumStates()), make([]map[string]bool, m.NumStates())
	for s := range in {
		in[s], out[s] = map[string]bool{}, map[string]bool{}
	}
	g.fair.eachReachable(func(s lts.State) {
		labels, targets := m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			class := g.class(s, l, targets[i])
			counts[class]++
			out[s][class], in[targets[i]][class] = true, class != "excluded" || in[targets[i]][class]
		}
	})
	holds := g.fair.claimed.CS(m.Initial()) == g.P.Len()
	x.print("{\"schema\": %s, \"model\": {\"initial\": %d, \"states\": %d, \"transitions\": %d, \"sha256\": %s},\n",
		quote(verify.Schema), m.Initial(), m.NumStates(), m.NumTransitions(), quote(digest))
	x.print("\"property\": %s, \"fairness\": [\"%s\"],\n", quote(g.Formula), strings.Join(quoted(g.Asked), `", "`))
	x.print("\"verdict\": %q, \"classes\": {\"correct\": %d, \"incorrect\": %d, \"neutral\": %d",
		map[bool]string{true: "satisfied", false: "violated"}[holds], counts["correct"], counts["incorrect"], counts["neutral"])
	if g.F.Excludes() {
		x.print(", \"excluded\": %d", counts["excluded"])
	}
	x.print("}, \"neighbourhood_reading\": \"all\", \"states\": [")
	separator := "\n"
	g.fair.eachReachable(func(s lts.State) {
		x.print("%s", separator)
		separator = ",\n"
		x.field(`{"state":`, uint64(s))
		x.writeState(s)
		letters := ""
		labels, targets := m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			letters += g.class(s, l, targets[i])[:1]
		}
		x.print(`,"out":"%s"}`, letters)
	})
	x.print("],\n")
	if !g.F.Full() {
		x.writeSets(g.fair.sets)
	}
	kinds := make([]string, m.NumStates())
	x.print("\"neighbourhoods\": [")
	separator = "\n"
	for s := range kinds {
		if kinds[s] = kindOf(in[s], out[s]); kinds[s] != "" && x.reach.Has(lts.State(s)) {
			x.print("%s{\"state\": %d, \"kind\": %q, \"distance_from_initial\": %d}", separator, s, kinds[s], x.evidence.first.rowOf(lts.State(s))[0])
			separator = ",\n"
		}
	}
	x.print("],\n\"counterexample\": ")
	if holds {
		x.print("null}")
		return
	}
	g.writeRun(kinds)
}

// quoted returns texts without the quotes that JSON puts around them.
func quoted(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(quote(text), `"`), `"`))
	}
	return all
}

func kindOf(in, out map[string]bool) string {
	if in["correct"] || in["incorrect"] {
		return ""
	}
	c, i := out["correct"], out["incorrect"]
	switch {
	case c && i && out["neutral"]:
		return "mixed-neutral"
	case c && i:
		return "mixed"
	case c:
		return "correct"
	case i:
		return "incorrect"
	}
	return ""
}

func (g *Forger) writeRun(kinds []string) {
	c, n, progress := g.fair.claimed, g.P.Len(), 0
	hopeless := c.MS(g.M.Initial()) < n
	fated := hopeless
	loop := "null"
	if g.Loop >= 0 {
		loop = fmt.Sprint(g.Loop)
	}
	g.x.print("{\"length\": %d, \"loop_start\": %s, \"steps\": [", len(g.Steps), loop)
	for i, step := range g.Steps {
		if i > 0 {
			g.x.print(",")
		}
		labels, targets := g.M.Out(step.From)
		place := 0
		for labels.At(place) != step.Label || targets[place] != step.To {
			place++
		}
		was := fated
		progress = g.P.Advance(progress, step.Label)
		fated = progress+c.MS(step.To) < n
		g.x.print(`{"from":%d,"out":%d,"label":%s,"to":%d,"class":%q,"progress":%d,"fate":%q,"neighbourhood":%v,"abstracted":%v}`,
			step.From, place, quote(g.M.Alphabet().Text(step.Label)), step.To, g.class(step.From, step.Label, step.To), progress,
			map[bool]string{false: "free", true: "fated"}[fated], kinds[step.From] != "",
			!hopeless && (kinds[step.From] != "" || kinds[step.To] != "" || fated && !was))
	}
	g.x.print("]}}")
}
