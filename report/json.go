package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// Schemas of the documents other than explain.Schema. A new field does not
// change the number, a change in the meaning of an old one does.
const (
	statisticsSchema     = "inev.statistics/1"
	statesSchema         = "inev.states/1"
	transitionsSchema    = "inev.transitions/1"
	neighbourhoodsSchema = "inev.neighbourhoods/1"
	formulaSchema        = "inev.formula/1"
)

// jsonReport writes for programs: [Schema] describes explanations.
type jsonReport struct{ pictures []Picture }

func (r jsonReport) Explanation(w io.Writer, e *explain.Explanation) error {
	return writeExplanation(w, e, r.pictures, func() bool { return true })
}

// PartialJSON writes what the JSON format holds of an explanation, but no further
// neighbourhoods once more returns false, which is called before each. It is for
// places that cannot take as much as a model can have; the result still follows
// the [Schema]. Cost as for [Writer].
func PartialJSON(w io.Writer, e *explain.Explanation, more func() bool) error {
	return writeExplanation(w, e, nil, more)
}

func writeExplanation(w io.Writer, e *explain.Explanation, pictures []Picture, more func() bool) error {
	complete := e.Classes != nil
	name := namingOf(e.IsUnfolded(), e.Name)
	d := newDocument(w, explain.Schema)
	d.field("model", modelObject(e.Model, complete))
	d.field("property", propertyObject(e.Property))
	d.field("verdict", e.Verdict)
	d.field("warnings", texts(e.Warnings))
	d.counterexample(e, complete, name)
	d.all(e.All, name)
	if complete {
		d.abstracted(e.Abstracted)
		d.field("neighbourhood_reading", e.Reading)
		d.field("classes", classesObject(*e.Classes))
		d.neighbourhoods(e, name, more)
		d.pointOfNoReturn(e.PointOfNoReturn, name)
		d.decisions("decisions", e.Decisions, name)
		d.decisions("forks", e.Forks, name)
		d.exits(e.Exits, name)
		d.field("way", wayObject(e.Way, name))
		d.loss(e.Loss)
		d.folded(e.Folded)
	}
	d.claims(e)
	if e.Pattern() != nil {
		d.field("pattern", text(e.Pattern().String()))
	}
	d.pictures(pictures)
	d.timings(e.Timings)
	d.cost(e.Cost, e.Stats)
	return d.finish()
}

// pictures adds what the pictures of the same run leave out.
func (d *document) pictures(all []Picture) {
	if all == nil {
		return
	}
	written := make([]pictureJSON, len(all))
	for i, p := range all {
		written[i] = pictureJSON{text(p.File), texts(p.Omitted)}
	}
	d.field("pictures", written)
}

func (d *document) counterexample(e *explain.Explanation, complete bool, name naming) {
	c := e.Counterexample
	if c == nil {
		d.field("counterexample", nil)
		return
	}
	d.object("counterexample")
	d.field("kind", c.Kind)
	d.field("length", len(c.Steps))
	d.field("shortest", c.Shortest())
	d.field("minimal", c.Minimal)
	if c.LoopStart < 0 {
		d.field("loop_start", nil)
	} else {
		d.field("loop_start", c.LoopStart)
	}
	d.list("steps")
	for i := 0; i < len(c.Steps) && d.ok(); i++ {
		d.element(stepObject(c.Steps[i], complete, name))
	}
	d.close()
	if c.Pending != nil {
		d.field("initial_pending", pendingObject(c.Pending))
	}
	d.field("done", c.Done)
	d.field("late", lateObjects(c.Late))
	d.field("given", c.Given)
	d.field("notes", texts(c.Notes))
	if complete {
		d.field("initial_fate", c.InitialFate)
	}
	d.close()
}

// all adds all shortest counterexamples, where they were asked for. Their number
// is a text: it can be larger than what programs take for a number.
func (d *document) all(a *explain.All, name naming) {
	if a == nil {
		return
	}
	d.object("all_shortest")
	d.field("count", a.Count.String())
	d.list("listed")
	for i := 0; i < len(a.Listed) && d.ok(); i++ {
		c := a.Listed[i]
		d.next()
		d.begin("{", "}")
		d.field("kind", c.Kind)
		if c.LoopStart < 0 {
			d.field("loop_start", nil)
		} else {
			d.field("loop_start", c.LoopStart)
		}
		d.list("steps")
		for j := 0; j < len(c.Steps) && d.ok(); j++ {
			d.element(stepObject(c.Steps[j], false, name))
		}
		d.close()
		d.close()
	}
	d.close()
	d.close()
}

func (d *document) abstracted(a *explain.Abstracted) {
	if a == nil {
		d.field("abstracted", nil)
		return
	}
	d.object("abstracted")
	d.field("length", len(a.Steps))
	d.list("steps")
	for i := 0; i < len(a.Steps) && d.ok(); i++ {
		d.element(a.Steps[i])
	}
	d.close()
	d.close()
}

func (d *document) neighbourhoods(e *explain.Explanation, name naming, more func() bool) {
	d.list("neighbourhoods")
	for n := range e.Neighbourhoods().All() {
		if !d.ok() || !more() {
			break
		}
		on := n.OnCounterexample
		d.element(neighbourhoodObject(n, &on, name))
	}
	d.close()
}

func (d *document) pointOfNoReturn(p *explain.PointOfNoReturn, name naming) {
	if p == nil {
		d.field("point_of_no_return", nil)
		return
	}
	d.field("point_of_no_return", pointJSON{p.Step + 1, name(p.State), text(p.Label)})
}

func (d *document) decisions(field string, decisions []explain.Decision, name naming) {
	d.list(field)
	for i := 0; i < len(decisions) && d.ok(); i++ {
		d.element(decisionObject(decisions[i], name))
	}
	d.close()
}

func (d *document) exits(exits []explain.Exit, name naming) {
	d.list("exits")
	for i := 0; i < len(exits) && d.ok(); i++ {
		d.element(exitJSON{exits[i].Step + 1, name(exits[i].From), choiceObject(exits[i].Choice, name)})
	}
	d.close()
}

// claims adds what the report says, sentence by sentence.
func (d *document) claims(e *explain.Explanation) {
	s := NewSentences(e, func(text string) string { return cut(Printable(text), widestText, Options{}) })
	d.list("claims")
	for _, c := range s.Story().All() {
		if d.element(claimObject(s, c)); !d.ok() {
			break
		}
	}
	d.close()
}

func (d *document) loss(l *explain.Loss) {
	if l == nil {
		d.field("loss", nil)
		return
	}
	d.field("loss", lossJSON{l.Steps, l.Step})
}

// folded adds what the model itself says, where the explanation is about the
// unfolded one.
func (d *document) folded(f *explain.Folded) {
	if f != nil {
		d.field("folded", foldedJSON{classesObject(f.Classes), f.Neighbourhoods, f.Decisions})
	}
}

// timings adds the time that each phase took, in milliseconds. Phases of one
// name are added up, for an object has each name once.
func (d *document) timings(phases []explain.Phase) {
	d.object("timings_ms")
	for _, p := range added(phases) {
		d.field(p.Name, milliseconds(p.Took))
	}
	d.close()
}

func (jsonReport) Statistics(w io.Writer, s *explain.Statistics) error {
	d := newDocument(w, statisticsSchema)
	d.field("model", modelObject(s.Model, true))
	d.field("largest_scc", s.LargestSCC)
	d.field("cyclic_sccs", s.CyclicSCCs)
	d.field("max_out_degree", s.MaxOutDegree)
	d.field("nondeterministic_states", s.Nondeterministic)
	d.field("internal_labels", texts(s.Internal))
	d.field("internal_transitions", s.InternalTransitions)
	d.field("divergent_states", s.Divergent)
	d.field("warnings", texts(s.Warnings))
	d.timings(s.Timings)
	d.cost(s.Cost, nil)
	return d.finish()
}

func (jsonReport) States(w io.Writer, a *explain.Analysis) error {
	d := newDocument(w, statesSchema)
	d.field("formula", text(a.Formula.String()))
	d.field("warnings", texts(a.Warnings))
	d.list("states")
	var line []byte
	for s, row := range states(a) {
		line = append(line[:0], `{"state": `...)
		line = appendState(line, a, s)
		for i, n := range row {
			line = append(line, ", "...)
			line = strconv.AppendQuote(line, stateColumns[i])
			line = append(line, ": "...)
			line = strconv.AppendInt(line, int64(n), 10)
		}
		if d.line(append(line, '}')); !d.ok() {
			break
		}
	}
	d.close()
	return d.finish()
}

func (jsonReport) Transitions(w io.Writer, a *explain.Analysis) error {
	labels, err := encodedLabels(a.Components.LTS().Alphabet())
	if err != nil {
		return err
	}
	d := newDocument(w, transitionsSchema)
	d.field("formula", text(a.Formula.String()))
	d.field("warnings", texts(a.Warnings))
	counts := a.Map.Counts()
	d.field("classes", classesJSON{counts.Correct, counts.Incorrect, counts.Neutral})
	d.list("transitions")
	var line []byte
	for t, class := range transitions(a) {
		line = append(line[:0], `{"from": `...)
		line = appendState(line, a, t.From)
		line = append(line, `, "label": `...)
		line = append(line, labels[t.Label]...)
		line = append(line, `, "to": `...)
		line = appendState(line, a, t.To)
		line = append(line, `, "class": "`...)
		line = append(line, class.String()...)
		if d.line(append(line, `"}`...)); !d.ok() {
			break
		}
	}
	d.close()
	return d.finish()
}

// appendState appends a state as JSON, without an allocation where it is shown by
// its number.
func appendState(line []byte, a *explain.Analysis, s lts.State) []byte {
	if a.Unfolding == nil {
		return strconv.AppendUint(line, uint64(s), 10)
	}
	return append(append(append(line, '"'), a.Name(s)...), '"')
}

// encodedLabels returns every label as JSON: there are far fewer than
// transitions.
func encodedLabels(alphabet *lts.Alphabet) ([][]byte, error) {
	encoded := make([][]byte, alphabet.Len())
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for label, name := range alphabet.All() {
		b.Reset()
		if err := enc.Encode(text(name)); err != nil {
			return nil, err
		}
		encoded[label] = bytes.TrimSuffix(bytes.Clone(b.Bytes()), []byte{'\n'})
	}
	return encoded, nil
}

func (jsonReport) Neighbourhoods(w io.Writer, a *explain.Analysis, found *explain.Neighbourhoods) error {
	name := namingOf(a.Unfolding != nil, a.Name)
	d := newDocument(w, neighbourhoodsSchema)
	d.field("formula", text(a.Formula.String()))
	d.field("warnings", texts(a.Warnings))
	d.field("neighbourhood_reading", a.Map.Reading().String())
	d.list("neighbourhoods")
	for n := range found.All() {
		if d.element(neighbourhoodObject(n, nil, name)); !d.ok() {
			break
		}
	}
	d.close()
	return d.finish()
}

func (jsonReport) Formula(w io.Writer, f Notation) error {
	mcl, mclNotes := f.MCL()
	mu, muNotes := f.MuCalculus()
	d := newDocument(w, formulaSchema)
	d.field("text", text(f.String()))
	d.field("actl", text(f.ACTL()))
	d.field("mcl", text(mcl))
	d.field("mu_calculus", text(mu))
	d.object("notes")
	d.field("mcl", texts(mclNotes))
	d.field("mu_calculus", texts(muNotes))
	d.close()
	return d.finish()
}
