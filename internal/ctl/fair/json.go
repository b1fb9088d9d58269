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
		end := i + 1 // the end of the row of consecutive states that begins with r[i]
		for end < len(r) && r[end] == r[end-1]+1 {
			end++
		}
		if end-i > 2 {
			all = append(all, [2]lts.State{r[i], r[end-1]})
			i = end
		} else {
			all = append(all, r[i])
			i++
		}
	}
	return json.Marshal(all)
}

type document struct {
	Schema string `json:"schema"`
	Model  struct {
		Initial     int `json:"initial"`
		States      int `json:"states"`
		Transitions int `json:"transitions"`
		Begins      int `json:"initial_states,omitzero"`
	} `json:"model"`
	Formula  string         `json:"formula"`
	Formulas []string       `json:"formulas"`
	Internal []string       `json:"internal"`
	Fair     []string       `json:"fair"`
	Holds    bool           `json:"holds"`
	Good     []lts.State    `json:"good"`
	Bad      []lts.State    `json:"bad"`
	Admitted *runsEvidence  `json:"admitted"`
	Runs     []runsEvidence `json:"runs"`
}

type runsEvidence struct {
	Formula *int           `json:"formula,omitempty"`
	Ranks   []rows         `json:"ranks"`
	Loops   []rows         `json:"loops"`
	Parts   []partEvidence `json:"parts"`
}

type partEvidence struct {
	Why    string         `json:"why"`
	States any            `json:"states"`
	Tasks  []uint32       `json:"tasks,omitempty"`
	Turns  []turnEvidence `json:"turns,omitempty"`
	Rest   []partEvidence `json:"rest,omitempty"`
}

type turnEvidence struct {
	Tasks  []uint32    `json:"tasks"`
	States []lts.State `json:"states"`
	Ends   []lts.State `json:"ends,omitempty"`
	Begins []lts.State `json:"begins,omitempty"`
}

// WriteJSON writes a decision with its evidence, for internal/ctl/wmc/verify and other programs. For
// each formula about runs, the evidence is the states by rank, the fair sets, and the parts without
// fair sets. Cost O(size of the evidence).
func WriteJSON(w io.Writer, a Asked, d *Decision) error {
	out := document{
		Schema:   schemaName,
		Formula:  a.Formula,
		Formulas: []string{},
		Internal: append([]string{}, a.Internal...),
		Fair:     append([]string{}, a.Fair...),
		Holds:    len(d.Bad) == 0,
		Good:     append([]lts.State{}, d.Good...),
		Bad:      append([]lts.State{}, d.Bad...),
		Runs:     []runsEvidence{},
	}
	out.Model.Initial = int(d.Model.Initial())
	out.Model.States, out.Model.Transitions, out.Model.Begins = d.Model.Total()
	for i, n := range d.Closure.Nodes {
		out.Formulas = append(out.Formulas, n.Formula.String())
		runs := d.runs[i]
		if runs != nil {
			evidence := runs.evidence()
			evidence.Formula = &i
			out.Runs = append(out.Runs, evidence)
		}
	}
	if d.Admitted != nil {
		evidence := d.Admitted.evidence()
		out.Admitted = &evidence
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// evidence returns the evidence for a formula about runs in the form of the file.
func (r *Runs) evidence() runsEvidence {
	evidence := runsEvidence{
		Ranks: []rows{},
		Loops: []rows{},
		Parts: evidenceOf(r.Parts),
	}
	for _, rank := range r.Ranks {
		evidence.Ranks = append(evidence.Ranks, rank)
	}
	for _, loop := range r.Loops {
		evidence.Loops = append(evidence.Loops, loop)
	}
	return evidence
}

// evidenceOf returns parts in the form of the file.
func evidenceOf(parts []Part) []partEvidence {
	all := []partEvidence{}
	for _, p := range parts {
		evidence := partEvidence{
			Why:    p.Why.String(),
			States: rows(p.States),
			Tasks:  p.Tasks,
		}
		if p.Why == Single {
			evidence.States = p.States // in their order
		}
		if len(p.Turns) > 0 {
			evidence.Tasks = nil // the first turn has them
		}
		for _, t := range p.Turns {
			evidence.Turns = append(evidence.Turns, turnEvidence{
				Tasks:  t.Tasks,
				States: t.Gone,
				Ends:   t.Ends,
				Begins: t.Begins,
			})
		}
		if p.Why == Neglected {
			evidence.Rest = evidenceOf(p.Rest)
		}
		all = append(all, evidence)
	}
	return all
}
