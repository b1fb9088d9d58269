package report

import (
	"github.com/inev-lts/inev/claim"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
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

// naming says how a state is shown: by its number, or by its name where the
// states are those of an unfolded model.
type naming func(lts.State) any

func namingOf(unfolded bool, name func(lts.State) string) naming {
	if unfolded {
		return func(s lts.State) any { return name(s) }
	}
	return func(s lts.State) any { return s }
}

type modelJSON struct {
	File        string    `json:"file"`
	Initial     lts.State `json:"initial"`
	States      int       `json:"states"`
	Transitions int       `json:"transitions"`
	Labels      int       `json:"labels"`
	// nil where they were not computed.
	ReachableStates      *int `json:"reachable_states,omitempty"`
	ReachableTransitions *int `json:"reachable_transitions,omitempty"`
	Deadlocks            *int `json:"deadlocks,omitempty"`
	SCCs                 *int `json:"sccs,omitempty"`
	Depth                *int `json:"depth,omitempty"`
}

func modelObject(m explain.Model, complete bool) modelJSON {
	object := modelJSON{File: text(m.File), Initial: m.Initial, States: m.States, Transitions: m.Transitions, Labels: m.Labels}
	if complete {
		object.ReachableStates, object.ReachableTransitions = &m.ReachableStates, &m.ReachableTransitions
		object.Deadlocks, object.SCCs, object.Depth = &m.Deadlocks, &m.SCCs, &m.Depth
	}
	return object
}

type propertyJSON struct {
	Kind  property.Kind      `json:"kind"`
	Text  string             `json:"text"`
	ACTL  string             `json:"actl"`
	Steps []propertyStepJSON `json:"steps"`
}

type propertyStepJSON struct {
	Pattern string   `json:"pattern"`
	Labels  []string `json:"labels"`
}

func propertyObject(p explain.Property) propertyJSON {
	object := propertyJSON{p.Kind, text(p.Text), text(p.ACTL), make([]propertyStepJSON, len(p.Steps))}
	for i, step := range p.Steps {
		object.Steps[i] = propertyStepJSON{text(step.Pattern), texts(step.Labels)}
	}
	return object
}

type stepJSON struct {
	From          any                 `json:"from"`
	Label         string              `json:"label"`
	To            any                 `json:"to"`
	Class         neighbourhood.Class `json:"class,omitempty"`
	Progress      int                 `json:"progress"`
	Pending       *pendingJSON        `json:"pending,omitempty"`
	Neighbourhood *bool               `json:"neighbourhood,omitempty"`
	Fate          simplify.Fate       `json:"fate,omitempty"`
}

func stepObject(s explain.Step, complete bool, name naming) stepJSON {
	object := stepJSON{From: name(s.From), Label: text(s.Label), To: name(s.To), Progress: s.Progress, Pending: pendingObject(s.Pending)}
	if complete {
		object.Class, object.Neighbourhood, object.Fate = s.Class, &s.Neighbourhood, s.Fate
	}
	return object
}

type pendingJSON struct {
	State property.Q `json:"state"`
	Text  string     `json:"text"`
}

func pendingObject(p *explain.Pending) *pendingJSON {
	if p == nil {
		return nil
	}
	return &pendingJSON{p.State, text(p.Words.String())}
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
	State            any                `json:"state"`
	Kind             neighbourhood.Kind `json:"kind"`
	Distance         int                `json:"distance_from_initial"`
	Incoming         []incomingJSON     `json:"incoming"`
	Outgoing         []outgoingJSON     `json:"outgoing"`
	OnCounterexample *bool              `json:"on_counterexample,omitempty"`
	ShortestPath     []string           `json:"shortest_path"`
}

type incomingJSON struct {
	From  any                 `json:"from"`
	Label string              `json:"label"`
	Class neighbourhood.Class `json:"class"`
}

type outgoingJSON struct {
	Label string              `json:"label"`
	To    any                 `json:"to"`
	Class neighbourhood.Class `json:"class"`
}

// neighbourhoodObject returns a neighbourhood as JSON; onCounterexample is nil
// where no counterexample was looked for.
func neighbourhoodObject(n explain.Neighbourhood, onCounterexample *bool, name naming) neighbourhoodJSON {
	object := neighbourhoodJSON{
		State: name(n.State), Kind: n.Kind, Distance: n.Distance,
		Incoming:         make([]incomingJSON, len(n.Incoming)),
		Outgoing:         make([]outgoingJSON, len(n.Outgoing)),
		OnCounterexample: onCounterexample,
		ShortestPath:     texts(n.ShortestPath),
	}
	for i, t := range n.Incoming {
		object.Incoming[i] = incomingJSON{name(t.From), text(t.Label), t.Class}
	}
	for i, t := range n.Outgoing {
		object.Outgoing[i] = outgoingJSON{text(t.Label), name(t.To), t.Class}
	}
	return object
}

type pointJSON struct {
	Step  int    `json:"step"`
	State any    `json:"state"`
	Label string `json:"label"`
}

type choiceJSON struct {
	Label string              `json:"label"`
	To    any                 `json:"to"`
	Class neighbourhood.Class `json:"class"`
	After neighbourhood.Class `json:"after"`
	// First is left out where it is After.
	First neighbourhood.Class `json:"after_first,omitempty"`
}

func choiceObject(c explain.Choice, name naming) choiceJSON {
	object := choiceJSON{Label: text(c.Label), To: name(c.To), Class: c.Class, After: c.After}
	if c.First != c.After {
		object.First = c.First
	}
	return object
}

type decisionJSON struct {
	Step         int                `json:"step"`
	State        any                `json:"state"`
	Kind         neighbourhood.Kind `json:"kind,omitempty"`
	Progress     int                `json:"progress"`
	First        *int               `json:"progress_first,omitempty"` // left out where it is Progress
	Fate         simplify.Fate      `json:"fate"`
	Chosen       choiceJSON         `json:"chosen"`
	Alternatives []choiceJSON       `json:"alternatives"`
	Distance     *int               `json:"distance_to_bug,omitempty"`
}

func decisionObject(d explain.Decision, name naming) decisionJSON {
	object := decisionJSON{
		Step: d.Step + 1, State: name(d.State), Kind: d.Kind, Progress: d.Progress, Fate: d.Fate,
		Chosen: choiceObject(d.Chosen, name), Alternatives: make([]choiceJSON, len(d.Alternatives)),
	}
	if d.FirstProgress != d.Progress {
		object.First = &d.FirstProgress
	}
	if d.Kind != 0 {
		object.Distance = &d.Distance
	}
	for i, c := range d.Alternatives {
		object.Alternatives[i] = choiceObject(c, name)
	}
	return object
}

type exitJSON struct {
	Step int `json:"step"`
	From any `json:"from"`
	choiceJSON
}

type foldedJSON struct {
	Classes        classesJSON `json:"classes"`
	Neighbourhoods int         `json:"neighbourhoods"`
	Decisions      int         `json:"decisions"`
}

type pictureJSON struct {
	File    string   `json:"file"`
	Omitted []string `json:"omitted"`
}

type lossJSON struct {
	Steps int `json:"steps"`
	Step  int `json:"step"`
}

type lateJSON struct {
	Round    int `json:"round"`
	Step     int `json:"step"`
	Progress int `json:"progress"`
}

func lateObjects(late []explain.Late) []lateJSON {
	objects := make([]lateJSON, len(late))
	for i, l := range late {
		objects[i] = lateJSON{l.Round, l.Step + 1, l.Progress}
	}
	return objects
}

type wayJSON struct {
	Step        int           `json:"step"`
	Transitions []wayStepJSON `json:"transitions"`
}

type wayStepJSON struct {
	From  any    `json:"from"`
	Label string `json:"label"`
	To    any    `json:"to"`
}

func wayObject(w *explain.Way, name naming) *wayJSON {
	if w == nil {
		return nil
	}
	object := &wayJSON{w.Step + 1, make([]wayStepJSON, len(w.Transitions))}
	for i, t := range w.Transitions {
		object.Transitions[i] = wayStepJSON{name(t.From), text(t.Label), name(t.To)}
	}
	return object
}

// claimJSON is a sentence of the report.
type claimJSON struct {
	Kind  string `json:"kind"`
	Steps []int  `json:"steps,omitempty"` // those of the counterexample that it is about
	Text  string `json:"text"`
}

func claimObject(s *Sentences, c claim.Claim) claimJSON {
	object := claimJSON{Kind: c.Kind(), Text: text(s.Say(c))}
	var steps []int
	switch c := c.(type) {
	case claim.Chosen:
		for _, d := range c.Decisions {
			steps = append(steps, d.Step)
		}
	case claim.WaysOut:
		steps = c.Steps
	case claim.NearestWay:
		steps = []int{c.Step}
	}
	for _, step := range steps {
		object.Steps = append(object.Steps, step+1)
	}
	return object
}
