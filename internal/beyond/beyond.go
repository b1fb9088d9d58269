// Package beyond answers what the page of an explanation asks about parts of the model that it does
// not carry: what leaves a state, a run to a state, and why an action does not happen.
//
// The invariant that holds inside: an answer is what the page would say itself if it carried
// the whole model.
package beyond

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// shownLabels is how many labels a page offers to ask for.
const shownLabels = 5000

// Answers tells about one model. Searches take turns, for they share their memory.
type Answers struct {
	e     *explain.Explanation
	m     *lts.LTS
	fates *fate.Map

	turn        sync.Mutex
	there, back side // made with the first search
	search      uint32
	known       []labelled // the labels asked for last
}

// New returns the answers about e, the result of [explain.Explain], the model of which is not
// unfolded. Cost O(1); the first search takes O(S) memory.
func New(e *explain.Explanation) *Answers {
	return &Answers{e: e, m: e.LTS(), fates: e.Classification().Fates()}
}

// Place is a state with what was done before, as the script of the page has it.
type Place struct {
	State lts.State  `json:"state"`
	Q     property.Q `json:"q"`
}

// Move is a transition that can be taken, and what can become of the run then.
type Move struct {
	Label string `json:"label"`
	To    Place  `json:"to"`
	Fate  string `json:"fate"`
}

// WhyNot is why an action does not happen at a place.
type WhyNot struct {
	Path    []Move `json:"path"`
	Moves   []Move `json:"moves"`
	Certain bool   `json:"certain"`
}

// Past is a run from the initial state.
type Past struct {
	Place  Place    `json:"place"`
	Steps  int      `json:"steps"` // of it that are those of the counterexample, and not told
	Labels []string `json:"labels"`
}

// Question is what a page asks: Of is near, past, why or labels, and the others say of which place
// and label, as texts that anybody may have written.
type Question struct {
	Of    string `json:"of"`
	State string `json:"state"`
	Q     string `json:"q"`
	Label string `json:"label"`
}

var (
	// ErrUnknown tells of a question of no known kind.
	ErrUnknown = errors.New("this is asked by no page")
	// ErrWrong tells of a question about what there is not.
	ErrWrong = errors.New("the model has no such place or label")
)

// Prepare computes what searches need, so that the first question need not wait for it. Cost O(T).
func (a *Answers) Prepare(ctx context.Context) { a.m.FindPredecessors(ctx) }

// To answers a question as JSON, null if the model has no such state. It fails with [ErrUnknown]
// or [ErrWrong], or if ctx is done. Cost: a search of the model.
func (a *Answers) To(ctx context.Context, q Question) ([]byte, error) {
	state, known := a.stateIn(q.State)
	var found any
	switch {
	case q.Of == "labels":
		found = a.labels()
	case !slices.Contains([]string{"near", "past", "why"}, q.Of):
		return nil, ErrUnknown
	case !known: // a reader may ask for what there is not
	case q.Of == "near":
		near, err := diagram.Around(ctx, a.e, state)
		if err != nil {
			return nil, err
		}
		found = near
	case q.Of == "past":
		a.turn.Lock()
		defer a.turn.Unlock()
		found = a.past(ctx, state)
	default:
		n, err := strconv.ParseUint(q.Q, 10, 16)
		label, is := a.m.Alphabet().Lookup(q.Label)
		if err != nil || n >= uint64(a.fates.Property().States()) || !is {
			return nil, ErrWrong
		}
		a.turn.Lock()
		defer a.turn.Unlock()
		found = a.whyNot(ctx, Place{state, property.Q(n)}, label)
	}
	data, err := json.Marshal(found)
	if err != nil {
		return nil, fmt.Errorf("an answer for the page: %w", err)
	}
	return printable.JSON(data), nil
}

// stateIn reads the number of a reachable state.
func (a *Answers) stateIn(text string) (lts.State, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n >= uint64(a.m.NumStates()) || !a.m.Reachable().Has(lts.State(n)) {
		return 0, false
	}
	return lts.State(n), true
}

// labels returns the texts of the labels, in their order.
func (a *Answers) labels() []string {
	texts := []string{}
	for _, text := range a.m.Alphabet().All() {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts[:min(len(texts), shownLabels)]
}

func (a *Answers) past(ctx context.Context, s lts.State) *Past {
	path, found := a.way(ctx, a.m.Initial(), []lts.State{s})
	if !found {
		return nil
	}
	p := &Past{Labels: []string{}}
	q := a.fates.Property().Initial()
	for _, t := range path {
		q = a.fates.Property().Next(q, t.Label)
		p.Labels = append(p.Labels, a.m.Alphabet().Text(t.Label))
	}
	p.Place = Place{s, q}
	return p
}

func (a *Answers) whyNot(ctx context.Context, from Place, action lts.Label) WhyNot {
	y := WhyNot{Path: []Move{}, Moves: []Move{}}
	path, found := a.way(ctx, from.State, a.does(action))
	y.Certain = ctx.Err() == nil
	if !found {
		return y
	}
	at := from
	for _, t := range path {
		y.Path = append(y.Path, a.move(at.Q, t))
		at = y.Path[len(y.Path)-1].To
	}
	labels, targets := a.m.Out(at.State)
	for i, to := range targets {
		if labels.At(i) == action && len(y.Moves) < 100 {
			y.Moves = append(y.Moves, a.move(at.Q, lts.Transition{From: at.State, Label: action, To: to}))
		}
	}
	return y
}

// move says what a transition means with a history.
func (a *Answers) move(q property.Q, t lts.Transition) Move {
	name := map[neighbourhood.Class]string{neighbourhood.Correct: "sure", neighbourhood.Neutral: "open", neighbourhood.Incorrect: "lost", neighbourhood.Excluded: "excluded"}
	return Move{a.m.Alphabet().Text(t.Label), Place{t.To, a.fates.Property().Next(q, t.Label)}, name[a.fates.After(q, t.Label, t.To)]}
}
