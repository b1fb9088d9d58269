package report

import (
	"context"
	"io"
	"math"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/asjson"
	"github.com/inev-lts/inev/internal/printable"
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
type jsonReport struct {
	pictures []Picture
	labels   int // of the paths to neighbourhoods, at most
}

func pathLabelsOf(o Options) int {
	if o.Full {
		return math.MaxInt
	}
	return explain.PathLabels
}

func (r jsonReport) Explanation(w io.Writer, e *explain.Explanation) error {
	return writeExplanation(w, e, r.pictures, r.labels, func() bool { return true })
}

// PartialJSON writes what the JSON format holds of an explanation, but no further
// neighbourhoods once more returns false, which is called before each. It is for
// places that cannot take as much as a model can have, such as the paths beyond
// [explain.PathLabels]; the result still follows
// the [Schema]. Cost as for [Writer].
func PartialJSON(w io.Writer, e *explain.Explanation, more func() bool) error {
	return writeExplanation(w, e, nil, explain.PathLabels, more)
}

func writeExplanation(w io.Writer, e *explain.Explanation, pictures []Picture, labels int, more func() bool) error {
	d := openDocument(w)
	d.name(e.IsUnfolded(), e.Name)
	for name, value := range e.Fields() {
		if !d.ok() {
			break
		}
		if name == "pattern" || name == "timings_ms" && e.Pattern() == nil {
			d.claims(e)
		}
		if name == "timings_ms" && pictures != nil {
			d.field("pictures", pictures)
		}
		if found, is := value.(*explain.Neighbourhoods); is {
			d.list(name)
			d.neighbourhoods(found, labels, more)
			d.close()
		} else {
			d.field(name, value)
		}
	}
	return d.finish()
}

// neighbourhoods adds neighbourhoods to the innermost list, as long as there is more, each with
// the path to it where those before it leave room for its labels.
func (d *document) neighbourhoods(found *explain.Neighbourhoods, labels int, more func() bool) {
	for n := range found.WithPaths(labels) {
		if !d.ok() || !more() {
			break
		}
		d.element(n)
	}
}

// claims adds what the report says, sentence by sentence.
func (d *document) claims(e *explain.Explanation) {
	s := NewSentences(e, func(text string) string { return cut(printable.Text(text), widestText, Options{}) }).InFull()
	d.list("claims")
	for _, c := range s.Story().All() {
		if d.element(claimObject(s, c)); !d.ok() {
			break
		}
	}
	d.close()
}

func (jsonReport) Statistics(w io.Writer, s *explain.Statistics) error {
	d := newDocument(w, statisticsSchema)
	d.field("model", s.Model)
	d.field("largest_scc", s.LargestSCC)
	d.field("cyclic_sccs", s.CyclicSCCs)
	d.field("max_out_degree", s.MaxOutDegree)
	d.field("nondeterministic_states", s.Nondeterministic)
	d.field("internal_labels", s.Internal)
	d.field("internal_transitions", s.InternalTransitions)
	d.field("divergent_states", s.Divergent)
	if len(s.Parameters) > 0 {
		d.field("parameters", s.Parameters)
	}
	d.field("warnings", s.Warnings)
	d.cost(s.Timings, s.Cost)
	return d.finish()
}

func (jsonReport) States(w io.Writer, a *explain.Analysis) error {
	d := newDocument(w, statesSchema)
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	d.list("states")
	names := stateColumns(a)
	var line []byte
	for s, row := range states(a) {
		line = append(line[:0], `{"state": `...)
		line = appendState(line, a, s)
		for i, n := range row {
			line = append(line, ", "...)
			line = strconv.AppendQuote(line, names[i])
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
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	counts := a.Classification.Counts()
	d.field("classes", explain.Classes(counts))
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
	format := asjson.Plain()
	for label, name := range alphabet.All() {
		text, err := format.Marshal(name)
		if err != nil {
			return nil, err
		}
		encoded[label] = text
	}
	return encoded, nil
}

func (r jsonReport) Neighbourhoods(w io.Writer, a *explain.Analysis, found *explain.Neighbourhoods) error {
	d := newDocument(w, neighbourhoodsSchema)
	d.name(a.Unfolding != nil, a.Name)
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	d.field("neighbourhood_reading", a.Classification.Reading())
	d.list("neighbourhoods")
	d.neighbourhoods(found, r.labels, func() bool { return true })
	d.close()
	return d.finish()
}

func (jsonReport) Formula(ctx context.Context, w io.Writer, f Notation) error {
	all, err := notationsOf(ctx, f)
	if err != nil {
		return err
	}
	d := newDocument(w, formulaSchema)
	d.field("text", f.String())
	for _, n := range all {
		if n.name != "inev" {
			d.field(n.name, n.text)
		}
	}
	d.object("notes")
	for _, n := range all {
		if n.name == "mcl" || n.name == "mu_calculus" {
			d.field(n.name, n.notes)
		}
	}
	d.close()
	for _, t := range runsOf(f) {
		d.field(t.name, t.runs)
	}
	return d.finish()
}
