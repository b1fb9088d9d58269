package report

import (
	"io"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
)

// labelsResult is the labels of a model, or its gates. No text is cut, since users copy labels into
// formulas. Writing them costs O(labels).
func labelsResult(l *explain.Labels) result {
	return listing("inev.labels/1", func(w io.Writer, to layout) { writeLabels(w, l, to) },
		func(d *document, _ int) { labelsJSON(d, l) })
}

// writeLabels writes a row for each label, or for each gate.
func writeLabels(w io.Writer, l *explain.Labels, layout layout) {
	rows := make([][2]string, len(l.Uses)) // label and gate; for a gate, only its name
	for i, use := range l.Uses {
		switch {
		case !l.Gates && use.Gate != "":
			rows[i] = [2]string{layout.whole(use.Text), layout.whole(use.Gate)}
		case l.Gates && use.Gate != "":
			rows[i][0] = layout.whole(use.Gate)
		default:
			rows[i][0] = layout.whole(use.Text)
		}
	}
	var width [2]int
	most := 0
	for i, use := range l.Uses {
		width[0], width[1] = max(width[0], displayWidth(rows[i][0])), max(width[1], displayWidth(rows[i][1]))
		most = max(most, use.Transitions, use.Labels)
	}
	count := func(name string) column { return column{name: name, number: true, width: digits(most)} }
	// A long label does not widen the column beyond widestLabel.
	columns := []column{{name: "label", width: min(width[0], widestLabel)}, {name: "gate", width: min(width[1], widestLabel)}, count("transitions"), count("reachable")}
	if l.Gates {
		columns[0].name, columns[1] = "gate", count("labels")
	}
	t := newTable(w, layout, columns...)
	for i, use := range l.Uses {
		t.text(rows[i][0])
		if l.Gates {
			t.number(use.Labels)
		} else {
			t.text(rows[i][1])
		}
		t.number(use.Transitions)
		t.number(use.Reachable)
		t.end()
	}
	abort.On(t.w.Flush())
}

// labelJSON has a null label if the entry is about a gate, and a null gate if the label has none.
type labelJSON struct {
	Label       *string `json:"label"`
	Gate        *string `json:"gate"`
	Labels      int     `json:"labels"`
	Transitions int     `json:"transitions"`
	Reachable   int     `json:"reachable_transitions"`
	IsReachable bool    `json:"reachable"`
}

func labelsJSON(d *document, l *explain.Labels) {
	d.field("file", l.Model.File)
	d.field("by", map[bool]string{false: "label", true: "gate"}[l.Gates])
	d.list("labels")
	for _, use := range l.Uses {
		object := labelJSON{Labels: use.Labels, Transitions: use.Transitions, Reachable: use.Reachable, IsReachable: use.Reachable > 0}
		if !l.Gates || use.Gate == "" {
			object.Label = &use.Text
		}
		if use.Gate != "" {
			object.Gate = &use.Gate
		}
		d.element(object)
	}
	d.close()
	d.field("warnings", l.Warnings)
	d.cost(l.Timings, l.Cost)
}
