package replay

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Options are the options of an [Aligner].
type Options struct {
	// Property is the property, bound to the model; nil if there is none.
	Property *property.Property
	// Unlogged reports whether actions with a label would not be logged, since they are internal.
	Unlogged func(label string) bool
}

// Aligner aligns cases with a model. Only one goroutine may use it at a time.
type Aligner struct {
	model     *lts.LTS
	unfolding *product.Unfolding // nil without a property
	fates     *fate.Map          // nil without a property
	unlogged  []bool             // for each label, whether it would not be logged

	m      *lts.LTS // the model that is searched: the given one, or its product with the property
	rows   *rows
	labels []uint32 // the labels of the events of a log, by the numbers of the events
	// possible caches the results of possibleAt.
	possible map[lts.State]possible
	meter    *progress.Meter
	metered  int // the events of the current case that the meter has counted
	// met indexes the nodes of the layer that is being made; here and before index two layers on
	// the way back.
	met, here, before index
	// spacing is the number of nodes between two checkpoints, at first.
	spacing int
	// patience is the number of nodes that may be computed again before the band becomes wider.
	patience int
}

// commonSpacing is the distance of checkpoints for which the layers between two of them take some
// megabytes.
const commonSpacing = 1 << 18

// commonPatience is a number of nodes that take some milliseconds.
const commonPatience = 1 << 16

// New returns an aligner. Errors and cost as for [fate.Compute] and [product.Unfold] if there is a
// property, and O(S + T).
func New(ctx context.Context, m *lts.LTS, o Options) (made *Aligner, err error) {
	defer abort.Caught(&err)
	a := &Aligner{model: m, m: m, spacing: commonSpacing, patience: commonPatience, possible: map[lts.State]possible{}, unlogged: make([]bool, m.Alphabet().Len())}
	for l, text := range m.Alphabet().All() {
		a.unlogged[l] = o.Unlogged != nil && o.Unlogged(text)
	}
	if o.Property != nil {
		a.unfold(ctx, o.Property)
	}
	a.rows = newRows(ctx, a.m, a.isFree)
	for _, x := range []*index{&a.met, &a.here, &a.before} {
		*x = newIndex(ctx, a.m.NumStates())
	}
	return a, nil
}

// unfold replaces the searched model by the product with the property.
func (a *Aligner) unfold(ctx context.Context, p *property.Property) {
	a.fates = abort.Must(fate.Of(ctx, a.model, p, fate.Options{}))
	a.unfolding = abort.Must(a.fates.Product(ctx))
	a.m = a.unfolding.LTS()
}

// state returns the state of the model for a state of m.
func (a *Aligner) state(s lts.State) lts.State {
	if a.unfolding == nil {
		return s
	}
	return a.unfolding.At(s).State
}

func (a *Aligner) fateAt(s lts.State) fate.Fate {
	p := a.unfolding.At(s)
	return a.fates.At(p.State, p.Q)
}

// isFree reports whether a transition costs nothing if the log lacks it: an internal action, or a
// transition that only leads to a state where runs begin.
func (a *Aligner) isFree(from lts.State, l lts.Label) (is, begins bool) {
	_, begins = a.model.Alphabet().Facts(l)
	begins = begins || a.model.IsBefore(a.state(from))
	return begins || a.unlogged[l], begins
}

// possible are actions that can come next.
type possible struct {
	// logged are the actions that would be logged, ascending; unlogged are the others.
	logged   []string
	unlogged map[string]bool
}

// possibleAt returns the actions that can come next, at once or after actions that are not logged.
func (a *Aligner) possibleAt(s lts.State) possible {
	model := a.state(s)
	if known, is := a.possible[model]; is {
		return known
	}
	met, labels := map[lts.State]bool{s: true}, map[string]bool{}
	p := possible{unlogged: map[string]bool{}}
	for work := []lts.State{s}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for i := a.rows.first[at]; i < a.rows.first[at+1]; i++ {
			label := a.rows.labels[i]
			switch to := a.rows.targets[i]; {
			case i >= a.rows.logged[at]:
				labels[a.model.Alphabet().Text(lts.Label(label))] = true
				continue
			case label != begins:
				p.unlogged[a.model.Alphabet().Text(lts.Label(label))] = true
				fallthrough
			default:
				if !met[to] {
					met[to] = true
					work = append(work, to)
				}
			}
		}
	}
	p.logged = sorted(labels)
	a.possible[model] = p
	return p
}

func sorted(set map[string]bool) []string {
	all := slices.AppendSeq([]string{}, maps.Keys(set))
	slices.Sort(all)
	return all
}

// alignment is the set of the cheapest ways to make a case fit the model, with the steps of one
// such alignment.
type alignment struct {
	cost  int
	ends  []lts.State // the model states where a run can be after the case
	fate  fate.Fate   // 0 without a property
	since int
	steps []step // the steps that are deviations; all steps if the run is kept
}

// align aligns a case. Cost O(n T Q) at worst, for n events and Q property states; O(n) if few
// events deviate and the model is deterministic.
func (a *Aligner) align(ctx context.Context, c *Case, keep bool) *alignment {
	s := &search{Aligner: a, ctx: ctx, events: &c.events, n: c.Len()}
	var found *alignment
	err := abort.Try(func() { found = s.align(keep) })
	if errors.Is(err, errWide) {
		s.band = band{whole: true}
		return s.align(keep)
	}
	abort.On(err)
	return found
}

func (s *search) align(keep bool) *alignment {
	s.kept = kept{spaced: s.spacing}
	s.forward()
	found := &alignment{cost: int(s.now.nodes[0].cost())}
	b := &back{search: s, path: found.cost > 0 || keep, keep: keep, at: s.now.nodes[0].state}
	for _, end := range s.now.nodes {
		if int(end.cost()) == found.cost {
			b.seeds = append(b.seeds, end.state)
			if at := s.state(end.state); !s.model.IsBefore(at) {
				found.ends = append(found.ends, at)
			}
		}
	}
	slices.Sort(found.ends)
	found.ends = slices.Compact(found.ends)
	if s.fates != nil {
		found.fate = s.fateOf(b.seeds)
	}
	if found.fate != fate.Open {
		b.fate = found.fate
	}
	b.run()
	slices.Reverse(b.reversed)
	found.steps, found.since = b.reversed, b.since
	return found
}

// fateOf returns the fate of all these states; open if they differ.
func (a *Aligner) fateOf(ends []lts.State) fate.Fate {
	f := a.fateAt(ends[0])
	for _, end := range ends[1:] {
		if a.fateAt(end) != f {
			return fate.Open
		}
	}
	return f
}
