package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram"
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
		Width:    width,
		Hide:     j.hide,
		Terminal: j.terminal && j.flag("o") == "",
		Mermaid: func(w io.Writer, e *explain.Explanation) error {
			return diagram.Mermaid(j.ctx, w, e, diagram.Options{})
		},
		Picture: j.linked(j.flag("svg")),
	}, nil
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
	text := j.flag("hide")
	if text == "" {
		return nil, nil
	}
	f, err := actl.Parse("Inev(" + text + ")")
	if err != nil {
		return nil, fmt.Errorf("--hide: %w", err)
	}
	return f.Steps(), nil
}

// linked returns the path of a file as seen from the folder of the report, which is
// the current one where the report goes to standard output. A path that cannot be
// told stays as it is.
func (j *job) linked(path string) string {
	if path == "" {
		return ""
	}
	from, err := filepath.Abs(filepath.Dir(j.flag("o")))
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
