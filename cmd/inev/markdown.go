package main

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report"
)

// reportOptions says how reports look. One in Markdown has a picture in it, or links
// to the one that is written in the same run.
func (j *job) reportOptions() (report.Options, error) {
	width, err := j.readWidth()
	if err != nil {
		return report.Options{}, err
	}
	if j.hide, err = j.readHidden(); err != nil {
		return report.Options{}, err
	}
	return report.Options{
		Color:    j.colours(),
		Full:     j.c.Bool("full"),
		MoreBy:   "--full",
		Width:    width,
		Hide:     j.hide,
		Onward:   j.onward,
		Commands: report.Commands{Assume: "--fair", Repair: "inev repair", Triggers: "--may-forbid-triggers"},
		Terminal: j.showsOnTerminal(),
		Picture:  j.linked(j.flag("svg")),
	}, nil
}

// reportOn makes the report about e, which depends on the pictures that were written before; one
// in Markdown has a picture of its own where it links to none.
func (j *job) reportOn(e *explain.Explanation, pictures []report.Picture) (err error) {
	o := j.look
	o.Pictures = pictures
	if j.source != nil {
		o.Commands.Variables = j.source.Variables
	}
	if c := e.Counterexample; j.format == "markdown" && o.Picture == "" && c != nil && len(c.Steps) > 0 {
		if o.Flowchart, err = j.flowchart(e); err != nil {
			return err
		}
	}
	if j.format == "markdown" {
		o.Sequence = j.sequenceChart(e)
	}
	return j.newReport(o)
}

// sequenceChart returns the counterexample as a sequence chart, where lanes are named.
func (j *job) sequenceChart(e *explain.Explanation) report.Flowchart {
	c := j.chart(e)
	if c == nil {
		return report.Flowchart{}
	}
	var text strings.Builder
	if err := diagram.Mermaid(&text, c, ""); err != nil {
		return report.Flowchart{Why: strings.TrimPrefix(err.Error(), "diagram: ")}
	}
	return report.Flowchart{Text: text.String(), Notes: c.Notes}
}

// flowchart returns a picture of the counterexample, or why there is none.
func (j *job) flowchart(e *explain.Explanation) (report.Flowchart, error) {
	var text strings.Builder
	g, err := view.Small(j.ctx, e, view.Options{}, diagram.MaxMermaidNodes)
	if err == nil {
		err = diagram.Mermaid(&text, g, "")
	}
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return report.Flowchart{}, err
	case err != nil:
		return report.Flowchart{Why: strings.TrimPrefix(err.Error(), "diagram: ")}, nil
	}
	return report.Flowchart{Text: text.String()}, nil
}

// readWidth returns what --width says, else the width of the terminal that shows
// the result, else 0.
func (j *job) readWidth() (int, error) {
	text := j.flag("width")
	if text == "" {
		if j.terminal && j.flag("o") == "" {
			return j.columns, nil
		}
		return 0, nil
	}
	width, err := strconv.Atoi(text)
	if err != nil || width < report.LeastWidth {
		return 0, j.refuse("--width %s is not a number from %d on", text, report.LeastWidth)
	}
	return width, nil
}

// readHidden returns the patterns that --hide names, written as the steps of a
// property are.
func (j *job) readHidden() ([]actl.Pattern, error) {
	return j.readPatterns("hide")
}

// linked returns the path of a file as seen from the folder of the report, which is
// the current one where the report goes to standard output. A path that cannot be
// told stays as it is.
func (j *job) linked(path string) string {
	if path == "" {
		return ""
	}
	from, err := filepath.Abs(filepath.Dir(j.resultFile()))
	if err != nil {
		return path
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if relative, err := filepath.Rel(from, to); err == nil {
		return relative
	}
	return path
}
