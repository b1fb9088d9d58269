package report

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// Every text of a model or of a user gets into the objects below through text or
// texts: encoding/json replaces all bytes that are no UTF-8 by one and the same
// character.

func text(s string) string { return validUTF8(s) }

func texts(list []string) []string {
	valid := make([]string, len(list))
	for i, s := range list {
		valid[i] = validUTF8(s)
	}
	return valid
}

type modelJSON struct {
	File                 string    `json:"file"`
	Initial              lts.State `json:"initial"`
	States               int       `json:"states"`
	Transitions          int       `json:"transitions"`
	Labels               int       `json:"labels"`
	ReachableStates      int       `json:"reachable_states"`
	ReachableTransitions int       `json:"reachable_transitions"`
	Deadlocks            int       `json:"deadlocks"`
	// nil where they were not computed.
	SCCs  *int `json:"sccs,omitempty"`
	Depth *int `json:"depth,omitempty"`
}

func modelObject(m explain.Model, complete bool) modelJSON {
	object := modelJSON{
		text(m.File), m.Initial, m.States, m.Transitions, m.Labels,
		m.ReachableStates, m.ReachableTransitions, m.Deadlocks, nil, nil,
	}
	if complete {
		object.SCCs, object.Depth = &m.SCCs, &m.Depth
	}
	return object
}

type propertyJSON struct {
	Text  string             `json:"text"`
	ACTL  string             `json:"actl"`
	Steps []propertyStepJSON `json:"steps"`
}

type propertyStepJSON struct {
	Pattern string   `json:"pattern"`
	Labels  []string `json:"labels"`
}

func propertyObject(p explain.Property) propertyJSON {
	object := propertyJSON{text(p.Text), text(p.ACTL), make([]propertyStepJSON, len(p.Steps))}
	for i, step := range p.Steps {
		object.Steps[i] = propertyStepJSON{text(step.Pattern), texts(step.Labels)}
	}
	return object
}

type stepJSON struct {
	From          lts.State `json:"from"`
	Label         string    `json:"label"`
	To            lts.State `json:"to"`
	Class         string    `json:"class,omitempty"`
	Progress      int       `json:"progress"`
	Neighbourhood *bool     `json:"neighbourhood,omitempty"`
	Fate          string    `json:"fate,omitempty"`
}

func stepObject(s explain.Step, complete bool) stepJSON {
	object := stepJSON{From: s.From, Label: text(s.Label), To: s.To, Progress: s.Progress}
	if complete {
		object.Class, object.Neighbourhood, object.Fate = s.Class, &s.Neighbourhood, s.Fate
	}
	return object
}

type classesJSON struct {
	Correct   int `json:"correct"`
	Incorrect int `json:"incorrect"`
	Neutral   int `json:"neutral"`
}

func classesObject(c explain.Classes) classesJSON {
	return classesJSON{c.Correct, c.Incorrect, c.Neutral}
}

type neighbourhoodJSON struct {
	State            lts.State      `json:"state"`
	Kind             string         `json:"kind"`
	Distance         int            `json:"distance_from_initial"`
	Incoming         []incomingJSON `json:"incoming"`
	Outgoing         []outgoingJSON `json:"outgoing"`
	OnCounterexample *bool          `json:"on_counterexample,omitempty"`
	ShortestPath     []string       `json:"shortest_path"`
}

type incomingJSON struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	Class string    `json:"class"`
}

type outgoingJSON struct {
	Label string    `json:"label"`
	To    lts.State `json:"to"`
	Class string    `json:"class"`
}

// neighbourhoodObject returns a neighbourhood as JSON; onCounterexample is nil
// where no counterexample was looked for.
func neighbourhoodObject(n explain.Neighbourhood, onCounterexample *bool) neighbourhoodJSON {
	object := neighbourhoodJSON{
		State: n.State, Kind: n.Kind, Distance: n.Distance,
		Incoming:         make([]incomingJSON, len(n.Incoming)),
		Outgoing:         make([]outgoingJSON, len(n.Outgoing)),
		OnCounterexample: onCounterexample,
		ShortestPath:     texts(n.ShortestPath),
	}
	for i, t := range n.Incoming {
		object.Incoming[i] = incomingJSON{t.From, text(t.Label), t.Class}
	}
	for i, t := range n.Outgoing {
		object.Outgoing[i] = outgoingJSON{text(t.Label), t.To, t.Class}
	}
	return object
}

type pointJSON struct {
	Step  int       `json:"step"`
	State lts.State `json:"state"`
	Label string    `json:"label"`
}

type choiceJSON struct {
	Label string    `json:"label"`
	To    lts.State `json:"to"`
	Class string    `json:"class"`
	After string    `json:"after"`
}

func choiceObject(c explain.Choice) choiceJSON {
	return choiceJSON{text(c.Label), c.To, c.Class, c.After}
}

type decisionJSON struct {
	Step         int          `json:"step"`
	State        lts.State    `json:"state"`
	Kind         string       `json:"kind"`
	Progress     int          `json:"progress"`
	Fate         string       `json:"fate"`
	Chosen       choiceJSON   `json:"chosen"`
	Alternatives []choiceJSON `json:"alternatives"`
}

func decisionObject(d explain.Decision) decisionJSON {
	object := decisionJSON{
		d.Step, d.State, d.Kind, d.Progress, d.Fate,
		choiceObject(d.Chosen), make([]choiceJSON, len(d.Alternatives)),
	}
	for i, c := range d.Alternatives {
		object.Alternatives[i] = choiceObject(c)
	}
	return object
}

type exitJSON struct {
	From lts.State `json:"from"`
	choiceJSON
}

type lossJSON struct {
	Steps int `json:"steps"`
	Step  int `json:"step"`
}
