package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/inev-lts/inev/neighbourhood"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// shownLabels is how many labels a page offers to ask for.
const shownLabels = 5000

// answers tells about one model. Searches take turns, for they share their memory.
type answers struct {
	e     *explain.Explanation
	m     *lts.LTS
	fates *fate.Map

	turn        sync.Mutex
	there, back side // made with the first search
	search      uint32
	known       []labelled // the labels asked for last
}

func newAnswers(e *explain.Explanation) *answers {
	return &answers{e: e, m: e.LTS(), fates: e.Classification().Fates()}
}

// place is a state with what was done before, as the script of the page has it.
type place struct {
	State lts.State  `json:"state"`
	Q     property.Q `json:"q"`
}

// move is a transition that can be taken, and what can become of the run then.
type move struct {
	Label string `json:"label"`
	To    place  `json:"to"`
	Fate  string `json:"fate"`
}

// whyNot is an answer of the page's script.
type whyNot struct {
	Path    []move `json:"path"`
	Moves   []move `json:"moves"`
	Certain bool   `json:"certain"`
}

// past is a run from the initial state.
type past struct {
	Place  place    `json:"place"`
	Steps  int      `json:"steps"` // of it that are those of the counterexample, and not told
	Labels []string `json:"labels"`
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, what string) {
	a, query := s.answers, r.URL.Query()
	if what == "labels" {
		send(w, a.labels())
		return
	}
	state, known := a.stateIn(query.Get("state"))
	switch {
	case !slices.Contains([]string{"near", "past", "why"}, what):
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
		return
	case !known: // a reader may ask for what there is not
		send(w, nil)
		return
	}
	switch what {
	case "near":
		near, err := diagram.Around(r.Context(), a.e, state)
		if err == nil {
			send(w, near)
		}
	case "past":
		a.turn.Lock()
		defer a.turn.Unlock()
		send(w, a.past(r, state))
	case "why":
		q, err := strconv.ParseUint(query.Get("q"), 10, 16)
		label, is := a.m.Alphabet().Lookup(query.Get("label"))
		if err != nil || q >= uint64(a.fates.Property().States()) || !is {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		a.turn.Lock()
		defer a.turn.Unlock()
		send(w, a.whyNot(r, place{state, property.Q(q)}, label))
	}
}

// send writes JSON; nil if there is no answer.
func send(w http.ResponseWriter, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(printable.JSON(data))
}

// labels returns the texts of the labels, in their order.
func (a *answers) labels() []string {
	texts := []string{}
	for _, text := range a.m.Alphabet().All() {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts[:min(len(texts), shownLabels)]
}

func (a *answers) past(r *http.Request, s lts.State) *past {
	path, found := a.way(r, a.m.Initial(), []lts.State{s})
	if !found {
		return nil
	}
	p := &past{Labels: []string{}}
	q := a.fates.Property().Initial()
	for _, t := range path {
		q = a.fates.Property().Next(q, t.Label)
		p.Labels = append(p.Labels, a.m.Alphabet().Text(t.Label))
	}
	p.Place = place{s, q}
	return p
}

func (a *answers) whyNot(r *http.Request, from place, action lts.Label) whyNot {
	y := whyNot{Path: []move{}, Moves: []move{}}
	path, found := a.way(r, from.State, a.does(action))
	y.Certain = r.Context().Err() == nil
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
func (a *answers) move(q property.Q, t lts.Transition) move {
	name := map[neighbourhood.Class]string{neighbourhood.Correct: "sure", neighbourhood.Neutral: "open", neighbourhood.Incorrect: "lost", neighbourhood.Excluded: "excluded"}
	return move{a.m.Alphabet().Text(t.Label), place{t.To, a.fates.Property().Next(q, t.Label)}, name[a.fates.After(q, t.Label, t.To)]}
}
