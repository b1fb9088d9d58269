package fair

import (
	"encoding/json"
	"io"

	"github.com/inev-lts/inev/lts"
)

// schemaName is the name and version of the format that [WriteJSON] writes; schema has it as a JSON
// Schema (draft 2020-12).
const schemaName = "inev.ctl-fair/1"

// Asked is a question as its author wrote it.
type Asked struct {
	Formula  string
	Internal []string // patterns of hidden labels
	Fair     []string // assumptions
}

// rows are ascending states. In JSON, each row of consecutive numbers is a pair of its first and its
// last number.
type rows []lts.State

// MarshalJSON writes rows of more than two consecutive states as pairs.
func (r rows) MarshalJSON() ([]byte, error) {
	all := make([]any, 0, len(r))
	for i := 0; i < len(r); {
		end := i + 1
		for end < len(r) && r[end] == r[end-1]+1 {
			end++
		}
		if end-i > 2 {
			all = append(all, [2]lts.State{r[i], r[end-1]})
		} else {
			end = i + 1
			all = append(all, r[i])
		}
		i = end
	}
	return json.Marshal(all)
}

type written struct {
	Schema string `json:"schema"`
	Model  struct {
		Initial     int `json:"initial"`
		States      int `json:"states"`
		Transitions int `json:"transitions"`
		Begins      int `json:"initial_states,omitzero"`
	} `json:"model"`
	Formula  string        `json:"formula"`
	Formulas []string      `json:"formulas"`
	Internal []string      `json:"internal"`
	Fair     []string      `json:"fair"`
	Holds    bool          `json:"holds"`
	Good     []lts.State   `json:"good"`
	Bad      []lts.State   `json:"bad"`
	Admitted *writtenRuns  `json:"admitted"`
	Runs     []writtenRuns `json:"runs"`
}

type writtenRuns struct {
	Formula *int          `json:"formula,omitempty"`
	Ranks   []rows        `json:"ranks"`
	Loops   []rows        `json:"loops"`
	Parts   []writtenPart `json:"parts"`
}

type writtenPart struct {
	Why    string        `json:"why"`
	States any           `json:"states"`
	Tasks  []uint32      `json:"tasks,omitempty"`
	Turns  []writtenTurn `json:"turns,omitempty"`
	Rest   []writtenPart `json:"rest,omitempty"`
}

type writtenTurn struct {
	Tasks  []uint32    `json:"tasks"`
	States []lts.State `json:"states"`
	Ends   []lts.State `json:"ends,omitempty"`
	Begins []lts.State `json:"begins,omitempty"`
}

// WriteJSON writes a decision with its evidence, for internal/ctl/wmc/verify and other programs. For
// each formula about runs, the evidence is the states by rank, the fair sets, and the parts without
// fair sets. Cost O(size of the evidence).
func WriteJSON(w io.Writer, a Asked, d *Decision) error {
	out := written{
		Schema:   schemaName,
		Formula:  a.Formula,
		Formulas: []string{},
		Internal: append([]string{}, a.Internal...),
		Fair:     append([]string{}, a.Fair...),
		Holds:    len(d.Bad) == 0,
		Good:     append([]lts.State{}, d.Good...),
		Bad:      append([]lts.State{}, d.Bad...),
		Runs:     []writtenRuns{},
	}
	out.Model.Initial = int(d.Model.Initial())
	out.Model.States, out.Model.Transitions, out.Model.Begins = d.Model.Total()
	for i, n := range d.Closure.Nodes {
		out.Formulas = append(out.Formulas, n.Formula.String())
		r := d.runs[i]
		if r != nil {
			made := r.written()
			made.Formula = &i
			out.Runs = append(out.Runs, made)
		}
	}
	if d.Admitted != nil {
		made := d.Admitted.written()
		out.Admitted = &made
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func (r *Runs) written() writtenRuns {
	made := writtenRuns{
		Ranks: []rows{},
		Loops: []rows{},
		Parts: writtenParts(r.Parts),
	}
	for _, rank := range r.Ranks {
		made.Ranks = append(made.Ranks, rank)
	}
	for _, loop := range r.Loops {
		made.Loops = append(made.Loops, loop)
	}
	return made
}

func writtenParts(parts []Part) []writtenPart {
	all := []writtenPart{}
	for _, p := range parts {
		made := writtenPart{
			Why:    p.Why.String(),
			States: rows(p.States),
			Tasks:  p.Tasks,
		}
		if p.Why == Single {
			made.States = p.States
		}
		for _, t := range p.Turns {
			made.Turns = append(made.Turns, writtenTurn{
				Tasks:  t.Tasks,
				States: t.Gone,
				Ends:   t.Ends,
				Begins: t.Begins,
			})
			made.Tasks = nil
		}
		if p.Why == Neglected {
			made.Rest = writtenParts(p.Rest)
		}
		all = append(all, made)
	}
	return all
}
