package report

import (
	"io"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

type versionJSON struct {
	Model       string          `json:"model"`
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	Verdict     explain.Verdict `json:"verdict,omitempty"`
	Length      *int            `json:"length,omitempty"`
}

type distinguishingJSON struct {
	Run     *[]string    `json:"run,omitzero"` // empty at the start
	Only    compare.Side `json:"only,omitempty"`
	Label   string       `json:"label,omitempty"`
	Formula string       `json:"formula,omitempty"`
}

type arcJSON struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	To    lts.State `json:"to"`
}

type changeJSON struct {
	Kind compare.Kind `json:"kind"`
	New  *arcJSON     `json:"new,omitempty"`
	Old  *arcJSON     `json:"old,omitempty"`
	At   lts.State    `json:"at"`
}

type divergenceJSON struct {
	Follows  bool     `json:"follows"`
	Limited  bool     `json:"limited,omitempty"` // compared no further
	After    int      `json:"after"`
	OldCould []string `json:"old_could,omitempty"`
	NewCould []string `json:"new_could,omitempty"`
	Takes    *string  `json:"takes"`
	Decision *int     `json:"decision"`
}

type decidedJSON struct {
	Decision int      `json:"decision"`
	After    []string `json:"after"`
	Takes    string   `json:"takes"`
}

func (r jsonReport) Comparison(w io.Writer, c *compare.Comparison) error {
	b := c.Behaviour
	d := newDocument(w, comparisonSchema)
	d.field("by", b.By)
	d.field("alike", b.Alike)
	d.field("complete", b.Complete)
	d.field("distinguishing", distinguishing(b))
	d.object("labels")
	d.field("new", neverNull(b.Added))
	d.field("gone", neverNull(b.Gone))
	d.close()
	old, latest := versionJSON{Model: c.OldFile, States: b.Old.States, Transitions: b.Old.Transitions}, versionJSON{Model: c.NewFile, States: b.New.States, Transitions: b.New.Transitions}
	if v := c.Versions; v != nil {
		old.about(v.Old)
		latest.about(v.New)
	}
	d.field("old", old)
	d.field("new", latest)
	if b.Strange >= 0 {
		d.field("states_of_new_alone", b.Strange)
	}
	d.field("changes", changes(b.Edit))
	if c.Versions != nil {
		d.field("property", c.Formula)
		comparedRuns(d, c.Versions)
	}
	quote := func(text string) string { return cut(printable.Text(text), widestText, Options{}) }
	p := &comparisonProse{c, quote, prose{quote: quote}}
	d.field("sentences", append([]string{p.first()}, p.rest()...))
	d.field("warnings", neverNull(c.Warnings))
	d.cost(c.Timings, c.Cost)
	return d.finish()
}

// neverNull is a list that is never null.
func neverNull(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

func (v *versionJSON) about(e *explain.Explanation) {
	v.Verdict = e.Verdict
	if e.Counterexample != nil {
		v.Length = &e.Counterexample.Length
	}
}

func distinguishing(b *compare.Behaviour) *distinguishingJSON {
	if b.Run == nil && b.Formula == "" {
		return nil
	}
	d := &distinguishingJSON{Formula: b.Formula}
	if b.Run != nil {
		run := neverNull(b.Run.Run)
		d.Run, d.Only, d.Label = &run, b.Run.Only, b.Run.Label
	}
	return d
}

// changes is nil if it is not known how the new model is made from the old one.
func changes(e *compare.Edit) []changeJSON {
	if e == nil {
		return nil
	}
	all := []changeJSON{}
	for _, c := range e.Changes {
		t, was := arcJSON(c.Transition), arcJSON(c.Was)
		j := changeJSON{Kind: c.Kind, At: c.At}
		switch c.Kind {
		case compare.Removed:
			j.Old = &t
		case compare.Added:
			j.New = &t
		default:
			j.New, j.Old = &t, &was
		}
		all = append(all, j)
	}
	return all
}

func comparedRuns(d *document, v *compare.Versions) {
	// "divergence" is about the run of the new version, "repaired" about the old one's.
	var divergence, repaired *divergenceJSON
	if x := v.Divergence; x != nil {
		j := &divergenceJSON{Follows: x.Follows, Limited: x.Limited, After: x.After}
		if x.Takes != "" {
			j.Takes = &x.Takes
		}
		if x.Decision > 0 {
			j.Decision = &x.Decision
		}
		if v.New.Verdict == explain.Violated {
			j.OldCould, divergence = neverNull(x.Could), j
		} else {
			j.NewCould, repaired = neverNull(x.Could), j
		}
	}
	d.field("divergence", divergence)
	d.field("repaired", repaired)
	d.field("new_decisions", decided(v.NewDecisions))
	d.field("gone_decisions", decided(v.GoneDecisions))
	if v.New.Counterexample != nil {
		d.field("run", v.New.Counterexample.Steps)
	}
}

func decided(all []compare.Decided) []decidedJSON {
	listed := []decidedJSON{}
	for _, x := range all {
		listed = append(listed, decidedJSON{x.Number, neverNull(x.After), x.Takes})
	}
	return listed
}
