package counterexample

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// matchTable is [Match] for a property that is no chain. A given trace may also stop where the
// property is violated whatever
// follows in any model: then it is a bad prefix as it is. Where a given trace is a lasso
// written once round, and so many runs fit it that going through them takes more than some
// ten million steps, those that were not gone through are not seen.
//
// Cost as for [matchChain], with the number of states of the property in place of n, and that of
// [inProduct] on the product of model and given trace.
func matchTable(ctx context.Context, f *fate.Map, v *Given, o MatchOptions) (*Trace, MatchNote, error) {
	return o.try(f.LTS(), func(internal []string) (*Trace, MatchNote, error) {
		x, err := newPairing(ctx, f.LTS(), v, internal)
		if err != nil {
			return nil, MatchNote{}, err
		}
		y := &tableMatching{pairing: x, ctx: ctx, fates: f, p: f.Property()}
		return y.match()
	})
}

// tableMatching is [matching] for a property that is no chain.
type tableMatching struct {
	*pairing
	ctx   context.Context
	fates *fate.Map
	p     *property.Property
	// runs finds shortest runs of the product to each of its states with each state of the
	// property.
	runs *general
}

func (y *tableMatching) match() (*Trace, MatchNote, error) {
	found, err := y.maximal(y.p)
	if err != nil {
		return nil, MatchNote{}, err
	}
	if found != nil {
		return y.replayed(found, MatchNote{Rounds: y.rounds(found.steps)})
	}
	if found, err = y.closed(); err != nil {
		return nil, MatchNote{}, err
	}
	if found != nil {
		return y.replayed(found, MatchNote{Closed: true})
	}
	if err := y.findRuns(); err != nil {
		return nil, MatchNote{}, err
	}
	if cut, ok := y.cut(fate.Lost); ok {
		return y.completed(cut)
	}
	return nil, MatchNote{}, y.refuse()
}

func (y *tableMatching) replayed(found *match, note MatchNote) (*Trace, MatchNote, error) {
	t, err := NewViolating(y.m, y.p, y.inModel(found.steps), found.loop)
	if err != nil {
		return nil, MatchNote{}, fmt.Errorf("counterexample: matching went wrong, please report it: %w", err)
	}
	note.Skipped = len(found.steps) - y.taken(found.steps)
	note.last = t.Last()
	return t, note, nil
}

// maximal returns a shortest run of the product that fits the given trace, is maximal and
// violates p; nil if there is none. It is one of a product whose labels tell whether the
// given trace takes part, for the property "p, or the given trace does not go on for ever".
func (y *tableMatching) maximal(p *property.Property) (*match, error) {
	fits, err := newFits(p)
	if err != nil {
		return nil, err
	}
	var b lts.Builder
	var letters []uint16
	label := func(text string, letter int) lts.Label {
		l := b.Label(text)
		if int(l) == len(letters) {
			letters = append(letters, uint16(letter))
		}
		return l
	}
	// Each label is there twice, so that its number is that of the product times two.
	for l, of := range y.labels {
		letter := int(fits.of.Letters[of])
		label(strconv.Itoa(l), 2*letter)
		label(strconv.Itoa(l)+" fits", 2*letter+1)
	}
	stuck := label("stuck", 2*fits.of.Columns)
	for s := range lts.State(y.q.NumStates()) {
		labels, targets := y.q.Out(s)
		for i, t := range targets {
			l := 2 * labels.At(i)
			if y.accepts(s, labels.At(i), t) {
				l++
			}
			b.Add(s, l, t)
		}
		if len(targets) == 0 && !y.isEnd(s) {
			b.Add(s, stuck, s)
		}
	}
	m, err := b.Build(y.q.Initial(), y.q.NumStates())
	if err != nil {
		return nil, err
	}
	bound, err := fits.table(m.Alphabet(), letters)
	if err != nil {
		return nil, err
	}
	r, err := inProduct(y.ctx, m, bound, Options{})
	if err != nil || r.Trace == nil {
		return nil, err
	}
	steps := r.Trace.Steps()
	for i := range steps {
		steps[i].Label /= 2
	}
	loop, loops := r.Trace.LoopStart()
	if !loops {
		loop = noLoop
	}
	return &match{steps, loop}, nil
}

// fits asks for the property together with the given trace not going on for ever.
type fits struct {
	of     property.Automaton
	colour int // that of taking part in the given trace
}

func newFits(p *property.Property) (*fits, error) {
	used, _ := p.Acceptance().Colours()
	x := &fits{of: p.Automaton()}
	for x.colour < property.Colours && used.Has(x.colour) {
		x.colour++
	}
	if x.colour == property.Colours {
		return nil, fmt.Errorf("counterexample: %s has %d colours, which leaves none for a given trace", p, property.Colours)
	}
	return x, nil
}

// table returns it over labels with these letters: twice that of the property, one more
// where the given trace takes part, and a last one for what fits no given trace.
func (x *fits) table(a *lts.Alphabet, letters []uint16) (*property.Property, error) {
	t := property.Automaton{
		Letters: letters, Columns: 2*x.of.Columns + 1, Initial: x.of.Initial, Stop: x.of.Stop, Name: x.of.Name,
		Acceptance: property.Any(x.of.Acceptance, property.Fin(x.colour)),
	}
	for q := range property.Q(x.of.States()) {
		for l := range x.of.Columns {
			at := int(q)*x.of.Columns + l
			marks := property.Marks(0)
			if x.of.Marks != nil {
				marks = x.of.Marks[at] &^ property.Mark(x.colour)
			}
			t.Next = append(t.Next, x.of.Next[at], x.of.Next[at])
			t.Marks = append(t.Marks, marks, marks|property.Mark(x.colour))
		}
		t.Next, t.Marks = append(t.Next, q), append(t.Marks, 0)
	}
	return property.Table(a, t)
}

// mostClosing bounds the search for a lasso whose loop was written once: so many steps of runs
// are looked at.
const mostClosing = 10_000_000

// closed returns a run to a cut that leads back to a state of the model which it went
// through before, such that the lasso violates the property; nil if there is none. Of
// several it is a shortest one, and of these one whose loop is longest.
func (y *tableMatching) closed() (*match, error) {
	if len(y.cuts()) == 0 {
		return nil, nil
	}
	w := &fittingRuns{tableMatching: y, on: make(map[lts.State]bool), left: mostClosing}
	w.enter(y.q.Initial())
	for len(w.next) > 0 && w.left > 0 {
		if w.left--; w.left&(1<<12-1) == 0 && y.ctx.Err() != nil {
			return nil, y.ctx.Err()
		}
		w.step()
	}
	return w.best, nil
}

// fittingRuns goes through the runs of a product that come to no state twice, depth first.
type fittingRuns struct {
	*tableMatching
	steps []lts.Transition
	at    []lts.State // the states from which they are taken, and the last one
	next  []int       // for each of these the transition to be tried next
	on    map[lts.State]bool
	left  int
	best  *match
}

func (w *fittingRuns) enter(s lts.State) {
	w.at, w.next = append(w.at, s), append(w.next, 0)
	w.on[s] = true
	if w.isCut(s) {
		w.close()
	}
}

// step takes the next transition, or goes back where there is none.
func (w *fittingRuns) step() {
	last := len(w.at) - 1
	s := w.at[last]
	labels, targets := w.q.Out(s)
	longer := w.best == nil || len(w.steps) < len(w.best.steps)
	if i := w.next[last]; i < len(targets) && longer {
		w.next[last]++
		if t := targets[i]; !w.on[t] {
			w.steps = append(w.steps, lts.Transition{From: s, Label: labels.At(i), To: t})
			w.enter(t)
		}
		return
	}
	delete(w.on, s)
	w.at, w.next = w.at[:last], w.next[:last]
	w.steps = w.steps[:max(0, last-1)]
}

// close looks for the longest loop by which the run may go on for ever where it ends.
func (w *fittingRuns) close() {
	end := w.joints[w.at[len(w.at)-1]].state
	var inModel []lts.Transition
	for loop, s := range w.at[:len(w.at)-1] {
		if w.joints[s].state != end || w.left <= 0 {
			continue
		}
		if w.best != nil && len(w.steps) == len(w.best.steps) && loop >= w.best.loop {
			return
		}
		if inModel == nil {
			inModel = w.inModel(w.steps)
		}
		w.left -= len(inModel)
		if _, err := NewViolating(w.m, w.p, inModel, loop); err == nil {
			w.best = &match{slices.Clone(w.steps), loop}
			return
		}
	}
}

// findRuns finds shortest runs of the product.
func (y *tableMatching) findRuns() error {
	p, err := y.p.Relabel(y.q.Alphabet(), func(l lts.Label) lts.Label { return y.labels[l] })
	if err != nil {
		return err
	}
	u, err := product.Unfold(y.ctx, y.q, p)
	if err != nil {
		return err
	}
	y.runs = &general{ctx: y.ctx, searched: searched{u: u, m: u.LTS()}}
	return y.runs.measure()
}

// cut returns the nearest cut at which runs of the model have this fate.
func (y *tableMatching) cut(of fate.Fate) (lts.State, bool) {
	for s := range lts.State(y.runs.m.NumStates()) {
		if at := y.runs.u.Place(s); y.isCut(at.State) && y.fates.At(y.joints[at.State].state, at.Q) == of {
			return s, true
		}
	}
	return 0, false
}

// runTo returns a shortest run to what cut found, through the product of model and given
// trace.
func (y *tableMatching) runTo(cut lts.State) []lts.Transition {
	return y.runs.inModel(y.runs.pathTo(cut))
}

// completed returns the run to a cut at which the property is lost: as it is where that is
// so whatever follows, in any model, and with a shortest continuation elsewhere.
func (y *tableMatching) completed(cut lts.State) (*Trace, MatchNote, error) {
	steps := y.runTo(cut)
	given := y.inModel(steps)
	note := MatchNote{Skipped: len(steps) - y.taken(steps)}
	words, err := product.WordsOf(y.ctx, y.p)
	if err != nil {
		return nil, MatchNote{}, err
	}
	var t *Trace
	if words.IsSafety() && words.CanAccept(y.p.Initial()) && !words.CanAccept(y.runs.u.Place(cut).Q) {
		t, err = NewPrefix(y.m, y.p, given)
	} else {
		t, err = y.complete(given)
	}
	if err != nil {
		return nil, MatchNote{}, err
	}
	note.Completed, note.last = t.Len()-len(steps), t.Last()
	return t, note, nil
}

// complete returns a shortest counterexample that begins with these steps, after which no
// continuation satisfies the property: see [complete].
func (y *tableMatching) complete(steps []lts.Transition) (*Trace, error) {
	g, err := begin(y.m, steps)
	if err != nil {
		return nil, err
	}
	all, err := nothing(g.Alphabet())
	if err != nil {
		return nil, err
	}
	r, err := inProduct(y.ctx, g, all, Options{})
	if err != nil {
		return nil, err
	}
	loop, loops := r.Trace.LoopStart()
	if !loops {
		loop = noLoop
	}
	return NewViolating(y.m, y.p, ofBeginning(y.m, r.Trace.Steps(), steps), loop)
}

// nothing returns the property that no run satisfies.
func nothing(a *lts.Alphabet) (*property.Property, error) {
	return property.Table(a, property.Automaton{
		Letters: make([]uint16, a.Len()), Columns: 1, Next: []property.Q{0}, Stop: []bool{false}, Acceptance: property.Never(), Name: "false",
	})
}

// refuse tells why no run of the product is a counterexample.
func (y *tableMatching) refuse() error {
	if cut, ok := y.cut(fate.Open); ok {
		return y.refuseBeginning(y.runs.u.Place(cut).State, y.runTo(cut))
	}
	if len(y.cuts()) == 0 {
		none, err := nothing(y.m.Alphabet())
		if err != nil {
			return err
		}
		if run, err := y.maximal(none); err != nil || run == nil {
			if err == nil {
				err = y.refuseMisfit()
			}
			return err
		}
	}
	return refuse(satisfied + fitting)
}
