package main

import (
	"io"
	"path/filepath"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report"
)

// reportOptions says how reports look. One in Markdown has a picture in it, or links
// to the one that is written in the same run.
func (j *job) reportOptions() report.Options {
	return report.Options{
		Color:    j.colours(),
		Full:     j.c.Bool("full"),
		Terminal: j.terminal && j.flag("o") == "",
		Mermaid: func(w io.Writer, e *explain.Explanation) error {
			return diagram.Mermaid(j.ctx, w, e, diagram.Options{})
		},
		Picture: j.linked(j.flag("svg")),
	}
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
