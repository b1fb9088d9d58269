package page

import (
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/report"
)

// decision is the decisions of the run that have the same better choices.
type decision struct {
	Class, Sign string
	Said        template.HTML
	NoReturn    bool // the run passes the point of no return at one of them
	Steps       []int
	// Instead are the names of the states to which the better choices lead.
	Instead []string
	// Sources are the lines of the specification with the actions.
	Sources []sourceLine
}

// sourceLine is a line of the specification.
type sourceLine struct{ Place, Href, Text string }

// sourceOf returns a line of the specification, linked relative to the folder of the page if the
// folder is known.
func sourceOf(p *specification.Position, folder string) sourceLine {
	s := sourceLine{Place: brief(p.String()), Text: brief(p.Text)}
	if folder == "" {
		return s
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return s
	}
	to, err := filepath.Abs(filepath.FromSlash(p.File))
	if err != nil {
		return s
	}
	if to, err = filepath.Rel(from, to); err == nil {
		link := url.URL{Path: filepath.ToSlash(to), Fragment: fmt.Sprintf("L%d", p.Line)}
		s.Href = link.String()
	}
	return s
}

// signs distinguish the classes without colour.
var signs = map[neighbourhood.Class]string{neighbourhood.Correct: "✓", neighbourhood.Neutral: "?"}

// decisionsOf describes the decisions of the run, and counts those that it leaves out.
func decisionsOf(e *explain.Explanation, s *report.Sentences, folder string) (told []decision, more int) {
	for i, b := range s.Story().Better {
		if i >= maxTold {
			more += len(b.Decisions)
			continue
		}
		told = append(told, decisionOf(e, s, b, folder))
	}
	return told, more
}

func decisionOf(e *explain.Explanation, s *report.Sentences, b report.Better, folder string) decision {
	class := neighbourhood.Neutral
	if b.Certain {
		class = neighbourhood.Correct
	}
	d := decision{Class: class.String(), Sign: signs[class], Said: markup(s.Say(b.Claim(b.Decisions)))}
	for _, at := range b.Decisions {
		d.NoReturn = d.NoReturn || at.PointOfNoReturn
		if at.Source != nil && len(d.Sources) < maxSources {
			if s := sourceOf(at.Source, folder); !slices.Contains(d.Sources, s) {
				d.Sources = append(d.Sources, s)
			}
		}
		if len(d.Steps) < maxLinks {
			d.Steps = append(d.Steps, int(at.Step)+1)
		}
		for _, c := range at.Alternatives {
			name := e.Name(c.To)
			if c.After == class && c.IsBetter(at.Chosen) && len(d.Instead) < maxLinks && !slices.Contains(d.Instead, name) {
				d.Instead = append(d.Instead, name)
			}
		}
	}
	return d
}
