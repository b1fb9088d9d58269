package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// shownLabels is the largest number of labels that a page offers in its list.
const shownLabels = 5000

// answers answers questions about one model. The field turn lets one search run at a time, since
// searches share their arrays.
type answers struct {
	e     *explain.Explanation
	m     *lts.LTS
	fates *fate.Map

	turn        sync.Mutex
	there, back side // made with the first search
	search      uint32
	known       []labelled // the labels requested last
}

// newAnswers returns the answers about e, the result of [explain.Explain], whose model is not
// unfolded. Cost O(1); the first search takes O(S) memory.
func newAnswers(e *explain.Explanation) *answers {
	return &answers{e: e, m: e.LTS(), fates: e.Classification().Fates()}
}

// productState is a state with a property state, in the form of the page's script.
type productState struct {
	State lts.State  `json:"state"`
	Q     property.Q `json:"q"`
}

// move is a transition that can be taken, with the fate of the run after it.
type move struct {
	Label string       `json:"label"`
	To    productState `json:"to"`
	Fate  string       `json:"fate"`
}

// whyNot answers why an action does not happen in a state.
type whyNot struct {
	Path    []move `json:"path"`
	Moves   []move `json:"moves"`
	Certain bool   `json:"certain"`
}

// past is a run from the initial state.
type past struct {
	Place  productState `json:"place"`
	Steps  int          `json:"steps"` // decisions on the run that are also decisions of the counterexample
	Labels []string     `json:"labels"`
}

// question is a question of a page. Of is near, past, why, fork, another or labels. The other fields
// name a state, a property state and a label; their texts are not to be trusted.
type question struct {
	Of    string `json:"of"`
	State string `json:"state"`
	Q     string `json:"q"`
	Label string `json:"label"`
}

var (
	// errUnknown is the error of a question whose Of is unknown.
	errUnknown = errors.New("this is asked by no page")
	// errWrong is the error of a question about a state or label that the model does not have.
	errWrong = errors.New("the model has no such place or label")
)

// to answers a question as JSON; the answer is null if the model has no such state. It fails with
// [errUnknown] or [errWrong], or if ctx is done. Cost: a search of the model.
func (a *answers) to(ctx context.Context, q question) ([]byte, error) {
	answer, err := a.answer(ctx, q)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("an answer for the page: %w", err)
	}
	return printable.JSON(data), nil
}

// answer answers a question; nil if the model has no such state.
func (a *answers) answer(ctx context.Context, q question) (any, error) {
	switch q.Of {
	case "labels":
		return a.labels(), nil
	case "another":
		return a.another(ctx, q.State)
	case "near", "past", "why", "fork":
	default:
		return nil, errUnknown
	}
	state, isReachable := a.stateOf(q)
	if !isReachable { // a reader may ask about a state that does not exist
		return nil, nil
	}
	switch q.Of {
	case "near":
		return view.Around(ctx, a.e, state)
	case "past":
		a.turn.Lock()
		defer a.turn.Unlock()
		return a.past(ctx, state), nil
	}
	n, err := strconv.ParseUint(q.Q, 10, 16)
	if err != nil || n >= uint64(a.fates.Property().States()) {
		return nil, errWrong
	}
	from := productState{state, property.Q(n)}
	if q.Of == "fork" {
		a.turn.Lock()
		defer a.turn.Unlock()
		return a.fork(ctx, from)
	}
	label, isKnown := a.m.Alphabet().Lookup(q.Label)
	if !isKnown {
		return nil, errWrong
	}
	a.turn.Lock()
	defer a.turn.Unlock()
	return a.whyNot(ctx, from, label), nil
}

// stateOf returns the state that a question names; isReachable is false if no run reaches a state of this number.
func (a *answers) stateOf(q question) (state lts.State, isReachable bool) {
	n, err := strconv.ParseUint(q.State, 10, 32)
	if err != nil || n >= uint64(a.m.NumStates()) {
		return 0, false
	}
	return lts.State(n), a.m.Reachable().Has(lts.State(n))
}

// labels returns the texts of the first labels of the model in alphabetical order, to choose from.
func (a *answers) labels() []string {
	texts := []string{}
	for l, text := range a.m.Alphabet().All() {
		if a.m.Alphabet().Plain(l) == l {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return texts[:min(len(texts), shownLabels)]
}

// mostAnother is the largest number of further counterexamples that a page asks for.
const mostAnother = 20

// another answers a question for further counterexamples. It returns a sentence about each, for as many
// as the number asks for. If there are fewer, it adds a sentence about what all violations take.
func (a *answers) another(ctx context.Context, number string) ([]string, error) {
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil || n < 1 || n > mostAnother {
		return nil, errWrong
	}
	a.turn.Lock()
	defer a.turn.Unlock()
	e, err := a.e.Another(ctx, int(n))
	if err != nil {
		return nil, err
	}
	return render.NewSentences(e, printable.Text).Others(), nil
}

// fork describes how a run can continue.
type fork struct {
	Correct   *continuation `json:"correct"`
	Violating *continuation `json:"violating"`
}

// continuation is a shortest continuation that satisfies the property, or violates it.
type continuation struct {
	Labels []string `json:"labels"`
	// Loop is the number of last labels that the run repeats forever. Without a loop, Decided reports
	// whether the property is decided, whatever follows; if it is not, the run ends in a deadlock.
	Loop    int  `json:"loop"`
	Decided bool `json:"decided"`
}

func (a *answers) fork(ctx context.Context, from productState) (*fork, error) {
	found, err := a.e.ForkAt(ctx, from.State, from.Q)
	if err != nil {
		return nil, err
	}
	return &fork{
		Correct:   continuationOf(found.Correct),
		Violating: continuationOf(found.Violating),
	}, nil
}

func continuationOf(c *explain.Counterexample) *continuation {
	if c == nil {
		return nil
	}
	continued := &continuation{Labels: []string{}, Decided: c.IsStem()}
	for _, s := range c.Steps {
		continued.Labels = append(continued.Labels, s.Label)
	}
	if c.LoopStart >= 0 {
		continued.Loop = len(c.Steps) - int(c.LoopStart)
	}
	return continued
}

// past returns a shortest run to a state; nil if none is found before ctx is done.
func (a *answers) past(ctx context.Context, s lts.State) *past {
	path, found := a.path(ctx, a.m.Initial(), []lts.State{s})
	if !found {
		return nil
	}
	p := &past{Labels: []string{}}
	q := a.fates.Property().Initial()
	for _, t := range path {
		q = a.fates.Property().Next(q, t.Label)
		p.Labels = append(p.Labels, a.m.Alphabet().Text(t.Label))
	}
	p.Place = productState{s, q}
	return p
}

// whyNot returns how far an action is from a place: a shortest path to a state that can do it, and the
// transitions with the action there, at most mostMoves. The answer is certain unless ctx is done. The action
// is a plain label, which stands for all labels with its text.
func (a *answers) whyNot(ctx context.Context, from productState, action lts.Label) whyNot {
	y := whyNot{Path: []move{}, Moves: []move{}}
	path, found := a.path(ctx, from.State, a.statesDoing(action))
	y.Certain = ctx.Err() == nil
	if !found {
		return y
	}
	reached := from
	for _, t := range path {
		y.Path = append(y.Path, a.move(reached.Q, t))
		reached = y.Path[len(y.Path)-1].To
	}
	labels, targets := a.m.Out(reached.State)
	for i, to := range targets {
		label := labels.At(i)
		if a.m.Alphabet().Plain(label) == action && len(y.Moves) < mostMoves {
			y.Moves = append(y.Moves, a.move(reached.Q, lts.Transition{
				From:  reached.State,
				Label: label,
				To:    to,
			}))
		}
	}
	return y
}

// mostMoves bounds the transitions with an action in one answer.
const mostMoves = 100

// move describes a transition, with the fate of a run that takes it in property state q.
func (a *answers) move(q property.Q, t lts.Transition) move {
	nameOf := map[fate.Class]string{
		fate.Correct:   "sure",
		fate.Neutral:   "open",
		fate.Incorrect: "lost",
		fate.Excluded:  "excluded",
	}
	return move{
		a.m.Alphabet().Text(t.Label),
		productState{t.To, a.fates.Property().Next(q, t.Label)},
		nameOf[a.fates.After(q, t.Label, t.To)],
	}
}

// Searches are bidirectional. Each direction covers only half of the distance to a goal, which can mean
// far fewer states than searching the whole distance from one end.

// side is one direction of a search. met[s] is the number of the last search that reached state s;
// by[s] is the transition next to s on the path from the state where this direction began.
type side struct {
	met   []uint32
	by    []lts.Transition
	level []lts.State
	back  bool
}

// path returns a shortest path from a state to the nearest of several states; false if there is
// none, or if ctx is done. Cost O(reached states and transitions), after the first call.
func (a *answers) path(
	ctx context.Context,
	from lts.State,
	to []lts.State,
) ([]lts.Transition, bool) {
	if a.m.FindPredecessors(ctx) != nil {
		return nil, false
	}
	a.beginSearch(from, to)
	if slices.Contains(to, from) {
		return []lts.Transition{}, true
	}
	for len(a.there.level) > 0 && len(a.back.level) > 0 {
		if ctx.Err() != nil {
			return nil, false
		}
		smaller := &a.there // its next level is probably cheaper to find
		larger := &a.back
		if len(a.back.level) < len(a.there.level) {
			smaller, larger = larger, smaller
		}
		middle, found := a.advance(ctx, smaller, larger)
		if found {
			return a.pathThrough(middle), true
		}
	}
	return nil, false
}

// beginSearch makes the two sides of a search ready: one begins in a state, the other in its targets.
func (a *answers) beginSearch(from lts.State, targets []lts.State) {
	n := a.m.NumStates()
	if a.there.met == nil {
		a.there = side{met: make([]uint32, n), by: make([]lts.Transition, n)}
		a.back = side{
			met:  make([]uint32, n),
			by:   make([]lts.Transition, n),
			back: true,
		}
	}
	a.search++
	if a.search == 0 { // the numbers have been used up
		clear(a.there.met)
		clear(a.back.met)
		a.search = 1
	}
	a.there.begin(a.search, []lts.State{from})
	a.back.begin(a.search, targets)
}

// begin makes some states the first level of a side. A loop that is no transition of the model is stored as the
// transition by which each of them was met: it marks the end of a path.
func (s *side) begin(search uint32, states []lts.State) {
	s.level = slices.Clone(states)
	for _, state := range states {
		s.met[state] = search
		s.by[state] = lts.Transition{From: state, To: state}
	}
}

// pathThrough returns the path on which both sides have met in a state.
func (a *answers) pathThrough(middle lts.State) []lts.Transition {
	path := []lts.Transition{}
	for t := a.there.by[middle]; t.From != t.To; t = a.there.by[t.From] {
		path = append(path, t)
	}
	slices.Reverse(path)
	for t := a.back.by[middle]; t.From != t.To; t = a.back.by[t.To] {
		path = append(path, t)
	}
	return path
}

// advance advances one direction by a level, or until it reaches a state that the other direction has
// reached. The path through this state is a shortest path, since both directions advance by whole
// levels.
func (a *answers) advance(ctx context.Context, own, other *side) (lts.State, bool) {
	leave := a.m.Out
	if own.back {
		leave = a.m.Predecessors().In
	}
	var next []lts.State
	for i, s := range own.level {
		if i&(1<<14-1) == 0 && ctx.Err() != nil {
			return 0, false
		}
		labels, neighbours := leave(s)
		for j, n := range neighbours {
			if own.met[n] == a.search {
				continue
			}
			own.met[n] = a.search
			own.by[n] = lts.Transition{From: s, Label: labels.At(j), To: n}
			if own.back {
				own.by[n] = lts.Transition{From: n, Label: labels.At(j), To: s}
			}
			if other.met[n] == a.search {
				return n, true
			}
			next = append(next, n)
		}
	}
	own.level = next
	return 0, false
}

// statesDoing returns the reachable states with an outgoing transition of this plain label, ascending. The
// results for the last few labels are kept. Cost O(T) for a new label.
func (a *answers) statesDoing(label lts.Label) []lts.State {
	isWanted := func(l lts.Label) bool { return a.m.Alphabet().Plain(l) == label }
	i := slices.IndexFunc(a.known, func(k labelled) bool {
		return k.label == label
	})
	if i >= 0 {
		return a.known[i].states
	}
	var states []lts.State
	for s := range lts.State(a.m.NumStates()) {
		labels, _ := a.m.Out(s)
		if labels.Any(isWanted) && a.m.Reachable().Has(s) {
			states = append(states, s)
		}
	}
	const kept = 8
	a.known = append([]labelled{{label, states}}, a.known[:min(len(a.known), kept-1)]...)
	return states
}

// labelled is the states with an outgoing transition of a label.
type labelled struct {
	label  lts.Label
	states []lts.State
}
