package explain

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Neighbourhood is a state where some transition decides whether the property holds.
type Neighbourhood struct {
	State lts.State          `json:"state"`
	Kind  neighbourhood.Kind `json:"kind"`
	// Distance is the length of a shortest path from the initial state; -1 with [Options.NoPaths].
	Distance int        `json:"distance_from_initial"`
	Incoming []Incoming `json:"incoming"`
	Outgoing []Outgoing `json:"outgoing"`
	// OnCounterexample reports whether the counterexample passes the state. It is unknown if there
	// was no search for a counterexample.
	OnCounterexample whether `json:"on_counterexample,omitzero"`
	// ShortestPath are the labels of a shortest path; nil if this result has no paths, see
	// [Neighbourhoods.WithPaths].
	ShortestPath []string `json:"shortest_path,omitzero"`
}

// Incoming is a transition that enters a neighbourhood.
type Incoming struct {
	From  lts.State  `json:"from"`
	Label string     `json:"label"`
	Class fate.Class `json:"class"`
}

// Outgoing is a transition that leaves a neighbourhood.
type Outgoing struct {
	Label string     `json:"label"`
	To    lts.State  `json:"to"`
	Class fate.Class `json:"class"`
}

// Neighbourhoods are the neighbourhoods of an analysis. There can be millions, so each value is
// made when it is read.
type Neighbourhoods struct {
	m     *lts.LTS
	types *neighbourhood.Classification
	paths *bfs.Tree // nil if paths are left out
	// onRun are the states of the counterexample; nil if there is none. searched reports whether there
	// was a search for one.
	onRun    bitset.Set[lts.State]
	searched bool
}

// Neighbourhoods returns the neighbourhoods of the analysis, with shortest paths to them. It fails
// if ctx is done. Cost O(S + T).
func (a *Analysis) Neighbourhoods(ctx context.Context) (*Neighbourhoods, error) {
	m := a.Components.LTS()
	paths, err := bfs.From(ctx, m, []lts.State{m.Initial()}, bfs.Options{Until: bfs.All(m,
		a.Classification.States())})
	return &Neighbourhoods{m: m, types: a.Classification, paths: paths}, err
}

// Len returns the number of neighbourhoods. Cost O(1).
func (n *Neighbourhoods) Len() int {
	if n == nil || n.types == nil {
		return 0
	}
	return len(n.types.States())
}

// All yields the neighbourhoods in ascending order of their states, without the paths to them. The
// cost of each neighbourhood is the number of its transitions.
func (n *Neighbourhoods) All() iter.Seq[Neighbourhood] {
	return func(yield func(Neighbourhood) bool) {
		if n.types == nil {
			return
		}
		for _, s := range n.types.States() {
			if !yield(n.at(s)) {
				return
			}
		}
	}
}

// at returns the neighbourhood in a state, without the path to it.
func (n *Neighbourhoods) at(s lts.State) Neighbourhood {
	found := Neighbourhood{
		State:    s,
		Distance: -1,
		Incoming: []Incoming{},
		Outgoing: []Outgoing{},
	}
	found.Kind, _ = n.types.Kind(s)
	if n.paths != nil {
		length, _ := n.paths.Distance(s)
		found.Distance = length - before(n.m, length)
	}
	if n.searched {
		found.OnCounterexample = whetherIt(n.onRun != nil && n.onRun.Has(s))
	}
	text := n.m.Alphabet().Text
	for _, t := range n.m.Incoming(s) {
		if n.m.IsBefore(t.From) {
			continue
		}
		found.Incoming = append(found.Incoming, Incoming{
			From:  t.From,
			Label: text(t.Label),
			Class: n.types.Class(t.From, t.Label, s),
		})
	}
	labels, targets := n.m.Out(s)
	for i, to := range targets {
		found.Outgoing = append(found.Outgoing, Outgoing{
			Label: text(labels.At(i)),
			To:    to,
			Class: n.types.Class(s, labels.At(i), to),
		})
	}
	return found
}

// PathLabels limits the shortest paths to neighbourhoods in the data of an explanation: unless all paths
// are requested, all of them together have at most this many labels. Without a limit, each path could be
// as long as the model has states.
const PathLabels = 100_000

// WithPaths yields the neighbourhoods of [Neighbourhoods.All] with their shortest paths. All paths
// together have at most the given number of labels; a path that would exceed it is left out. Cost of
// each: its transitions and, if it has a path, the length of the path and the transitions of its states.
func (n *Neighbourhoods) WithPaths(labels int) iter.Seq[Neighbourhood] {
	return func(yield func(Neighbourhood) bool) {
		for found := range n.All() {
			if n.paths != nil && found.Distance <= labels {
				found.ShortestPath = []string{}
				path := n.paths.Path(found.State)
				for _, t := range path[before(n.m, len(path)):] {
					found.ShortestPath = append(found.ShortestPath,
						n.m.Alphabet().Text(t.Label))
				}
				labels -= found.Distance
			}
			if !yield(found) {
				return
			}
		}
	}
}

// stateName returns the text for a state: its number or, in an unfolded model, the text of the product
// state.
func stateName(u *product.Unfolding, s lts.State) string {
	if u == nil {
		return strconv.Itoa(int(s))
	}
	return u.At(s).String()
}

// Destination is the end of requested paths. These are neighbourhoods, unless Lost or State is set.
type Destination struct {
	// All requests a path to each neighbourhood, not only to a nearest one.
	All bool
	// Kind, unless it is 0, restricts the destination to neighbourhoods of this kind.
	Kind neighbourhood.Kind
	// Lost requests the shortest path after which the property is lost, so that no continuation
	// satisfies it. All and Kind then have no effect.
	Lost bool
	// State, unless it is nil, requests the shortest path to this state of the model. All, Kind and Lost
	// then have no effect.
	State *lts.State
	// Through is a state of the model that each path must visit, perhaps as its last state; nil if
	// there is no such state.
	Through *lts.State
}

// Set sets the destination by its name: "nearest", "each", a kind of neighbourhood (for the nearest
// one of that kind), "lost", or the number of a state. It keeps Through.
func (d *Destination) Set(name string) error {
	to := Destination{Through: d.Through}
	n, err := strconv.ParseUint(name, 10, 32)
	switch {
	case err == nil:
		to.State = new(lts.State)
		*to.State = lts.State(n)
	case name == "nearest":
		// This is what a destination without further settings asks for.
	case name == "each":
		to.All = true
	case name == "lost":
		to.Lost = true
	default:
		for _, kind := range neighbourhood.Kinds() {
			if kind.String() == name {
				to.Kind = kind
			}
		}
		if to.Kind == 0 {
			return fmt.Errorf("there is no destination %q; choose nearest, each, correct, incorrect, mixed-neutral, mixed, lost or the number of a state", name)
		}
	}
	*d = to
	return nil
}

// Path is a shortest path from the initial state to its destination.
type Path struct {
	State lts.State `json:"state"`
	// Kind is the kind of the neighbourhood at the end. It is 0 if the state at the end is no
	// neighbourhood, or if Lost is set.
	Kind neighbourhood.Kind `json:"kind,omitzero"`
	// Lost reports whether no run that continues the path satisfies the property.
	Lost  bool       `json:"lost,omitzero"`
	Steps []PathStep `json:"steps"`
}

// PathStep is a transition of a path.
type PathStep struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	To    lts.State `json:"to"`
}

// Paths returns shortest paths from the initial state to the destination (SEFM'18, section 3.4,
// techniques (ii) and (iii)): to a nearest neighbourhood; or to each neighbourhood, in ascending
// order of their states; or one path, after which the property is lost, or to a state. If pattern
// is not nil, a path must do its steps in this order, not necessarily contiguous. There is no path
// if no reachable neighbourhood is of the requested kind, or if the property is never lost. Each
// path is made when it is yielded, since all together can be longer than the model by a factor of
// the number of neighbourhoods. The warnings are about parts of the pattern that match no label of
// the model. Paths fails if a whole step of the pattern matches none, with a [*NoPlaceError] if the
// model lacks the requested state, or if ctx is done. Cost O(S + T), times the number of steps of
// the pattern and, for Lost, of the property; for each path its length and the transitions of its
// states. With Through, that cost again for each product state of that state.
func (a *Analysis) Paths(
	ctx context.Context,
	to Destination,
	pattern *actl.Formula,
) (paths iter.Seq[Path], warnings []string, err error) {
	for _, s := range []*lts.State{to.State, to.Through} {
		if s != nil && a.Unfolding == nil {
			if err := mustHave(a.m, *s); err != nil {
				return nil, nil, err
			}
		}
	}
	g, warnings, err := a.unfoldFor(ctx, to, pattern)
	if err != nil {
		return nil, nil, err
	}
	legs, err := a.legs(ctx, g, to)
	if err != nil {
		return nil, nil, err
	}
	var ends []lts.State
	if to.State != nil || to.Lost {
		ends, err = a.nearestEnd(ctx, g, to, legs)
	} else {
		ends, err = a.neighbourhoodEnds(ctx, g, to, legs)
	}
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(Path) bool) {
		for _, end := range ends {
			if !yield(a.describePath(g, to, shortestLeg(legs, end), end)) {
				return
			}
		}
	}, warnings, nil
}

// unfoldFor unfolds the model by the pattern. If the path must lose the property, it also unfolds the
// model by the property.
func (a *Analysis) unfoldFor(
	ctx context.Context,
	to Destination,
	pattern *actl.Formula,
) (*guided, []string, error) {
	g := &guided{model: a.Components.LTS()}
	var warnings []string
	if pattern != nil {
		steps, notes, err := bindPattern(ctx, pattern, g.model)
		if err != nil {
			return nil, nil, err
		}
		if err := g.unfold(ctx, steps); err != nil {
			return nil, nil, err
		}
		g.done = property.Q(steps.Steps())
		warnings = notes
	}
	if to.Lost && to.State == nil {
		if err := g.unfold(ctx, a.Property); err != nil {
			return nil, nil, err
		}
	}
	return g, warnings, nil
}

// legs returns the last parts of paths. They begin in the initial state or, with Through, in each
// reachable product state of Through.
func (a *Analysis) legs(ctx context.Context, g *guided, to Destination) ([]leg, error) {
	initial := g.model.Initial()
	if to.Through == nil {
		return []leg{{begin: initial}}, nil
	}
	before, err := bfs.From(ctx, g.model, []lts.State{initial}, bfs.Options{})
	if err != nil {
		return nil, err
	}
	var legs []leg
	for s := range lts.State(g.model.NumStates()) {
		_, isReached := before.Distance(s)
		isThrough := a.inModel(g.origin(s)) == *to.Through
		if isReached && isThrough {
			legs = append(legs, leg{before: before, begin: s})
		}
	}
	return legs, nil
}

// nearestEnd searches along the legs for a nearest requested state in which the pattern is complete. It
// returns this state alone, or no state.
func (a *Analysis) nearestEnd(
	ctx context.Context,
	g *guided,
	to Destination,
	legs []leg,
) ([]lts.State, error) {
	var ends []lts.State
	least := 0
	for i := range legs {
		var end lts.State
		found := false
		stop := func(s lts.State) bool {
			end = s
			found = a.isRequested(g, to, s)
			return found
		}
		onward, err := bfs.From(ctx, g.model, []lts.State{legs[i].begin}, bfs.Options{Until: stop})
		if err != nil {
			return nil, err
		}
		legs[i].onward = onward
		if !found {
			continue
		}
		length := legs[i].length(end)
		if ends == nil || length < least {
			ends = []lts.State{end}
			least = length
		}
	}
	return ends, nil
}

// isRequested reports whether a path may end in a state: the pattern must be complete, and the
// state must be the destination, or the property lost.
func (a *Analysis) isRequested(g *guided, to Destination, s lts.State) bool {
	if !g.hasPattern(s) {
		return false
	}
	if to.State != nil {
		return a.inModel(g.origin(s)) == *to.State
	}
	return a.Fates.At(g.origin(s), g.last().At(s).Q) == fate.Lost
}

// neighbourhoodEnds searches along the legs for requested neighbourhoods in which the pattern is
// complete. It returns all of them if the destination asks for all, otherwise a nearest one.
func (a *Analysis) neighbourhoodEnds(
	ctx context.Context,
	g *guided,
	to Destination,
	legs []leg,
) ([]lts.State, error) {
	ends := a.requestedNeighbourhoods(g, to)
	for i := range legs {
		onward, err := bfs.From(ctx, g.model, []lts.State{legs[i].begin}, bfs.Options{Until: bfs.All(g.model, ends)})
		if err != nil {
			return nil, err
		}
		legs[i].onward = onward
	}
	ends = slices.DeleteFunc(ends, func(end lts.State) bool {
		return shortestLeg(legs, end) == nil
	})
	if to.All || len(ends) == 0 {
		return ends, nil
	}
	length := func(end lts.State) int { return shortestLeg(legs, end).length(end) }
	nearest := slices.MinFunc(ends, func(a, b lts.State) int {
		return length(a) - length(b)
	})
	return []lts.State{nearest}, nil
}

// requestedNeighbourhoods returns the states of the unfolded model that are requested
// neighbourhoods, and in which the pattern is complete.
func (a *Analysis) requestedNeighbourhoods(g *guided, to Destination) []lts.State {
	var requested []lts.State
	for _, s := range a.Classification.States() {
		kind, _ := a.Classification.Kind(s)
		if to.Kind != 0 && to.Kind != kind {
			continue
		}
		if g.done == 0 {
			requested = append(requested, s)
			continue
		}
		if complete, exists := g.last().Find(product.State{State: s, Q: g.done}); exists {
			requested = append(requested, complete)
		}
	}
	return requested
}

// describePath describes the path to a state, given the leg that is its last part.
func (a *Analysis) describePath(g *guided, to Destination, last *leg, end lts.State) Path {
	p := Path{State: g.origin(end), Steps: []PathStep{}}
	steps := last.onward.Path(end)
	if last.before != nil {
		steps = slices.Concat(last.before.Path(last.begin), steps)
	}
	for _, t := range steps[before(g.model, len(steps)):] {
		p.Steps = append(p.Steps, PathStep{
			From:  g.origin(t.From),
			Label: g.model.Alphabet().Text(t.Label),
			To:    g.origin(t.To),
		})
	}
	p.Lost = to.Lost && to.State == nil
	if !p.Lost {
		p.Kind, _ = a.Classification.Kind(p.State)
	}
	return p
}

// mustHave returns an error if the model does not have a state, or if the state was added before
// several initial states.
func mustHave(m *lts.LTS, s lts.State) error {
	n := m.NumStates()
	switch {
	case m.IsBefore(s):
		return &NoPlaceError{fmt.Sprintf("state %d is not in the model: inev added it before the initial states", s)}
	case int(s) >= n:
		return &NoPlaceError{fmt.Sprintf("there is no state %d: the model has states 0 to %d",
			s, n-1)}
	}
	return nil
}

// inModel returns the state of the model that a state of the analysed model represents.
func (a *Analysis) inModel(s lts.State) lts.State {
	if a.Unfolding == nil {
		return s
	}
	return a.Unfolding.At(s).State
}

// leg is the last part of requested paths. It begins in the initial state or, with Through, in a
// product state of Through.
type leg struct {
	before *bfs.Tree // the part before the leg; nil if the leg begins in the initial state
	begin  lts.State
	onward *bfs.Tree
}

// length returns the length of the whole path to a state that the search along the leg has visited.
func (l *leg) length(end lts.State) int {
	n, _ := l.onward.Distance(end)
	if l.before != nil {
		first, _ := l.before.Distance(l.begin)
		n += first
	}
	return n
}

// shortestLeg returns the leg of a shortest path to a state; nil if no path leads there.
func shortestLeg(legs []leg, end lts.State) *leg {
	var best *leg
	for i := range legs {
		_, isReached := legs[i].onward.Distance(end)
		if !isReached {
			continue
		}
		isBetter := best == nil || legs[i].length(end) < best.length(end)
		if isBetter {
			best = &legs[i]
		}
	}
	return best
}

// guided is a model unfolded by a pattern, and perhaps by a property.
type guided struct {
	model  *lts.LTS
	levels []*product.Unfolding
	// done is the state of the pattern in which it is complete; 0 without a pattern.
	done property.Q
}

func (g *guided) unfold(ctx context.Context, p *property.Property) error {
	unfolding, err := product.Unfold(ctx, g.model, p)
	if err != nil {
		return err
	}
	g.model = unfolding.LTS()
	g.levels = append(g.levels, unfolding)
	return nil
}

func (g *guided) last() *product.Unfolding { return g.levels[len(g.levels)-1] }

// hasPattern reports whether the pattern, if there is one, is complete in s.
func (g *guided) hasPattern(s lts.State) bool {
	if g.done == 0 {
		return true
	}
	for _, u := range slices.Backward(g.levels[1:]) {
		s = u.At(s).State
	}
	return g.levels[0].At(s).Q == g.done
}

// origin returns the state of the model that a state of the unfolded model represents.
func (g *guided) origin(s lts.State) lts.State {
	for _, u := range slices.Backward(g.levels) {
		s = u.At(s).State
	}
	return s
}
