package editor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/batch"
)

// questionAt names a question of a document.
type questionAt struct {
	URI  string `json:"uri"`
	Line int    `json:"line"`
	Path string `json:"path"` // of the model
	Name string `json:"name"` // of the job
}

// explain answers one with its page, for clients that show it themselves.
func (s *Server) explain(ctx context.Context, now snapshot, p questionAt) (*Answer, error) {
	d := now[p.URI]
	if d == nil {
		return nil, fmt.Errorf("%s is not open", p.URI)
	}
	a := s.askingOf(ctx, d, false)
	for _, q := range a.all {
		if q.line == p.Line && q.job.Path == p.Path && (p.Name == "" || q.job.Name == p.Name) {
			return s.analyst.Answer(ctx, Question{Job: q.job, Page: true, Trusted: s.trusted()})
		}
	}
	return nil, fmt.Errorf("line %d asks nothing about %s any more", p.Line+1, p.Path)
}

// free is a question that stands in no document.
type free struct {
	Path    string   `json:"path"`
	Formula string   `json:"formula"`
	Fair    []string `json:"fair"`
	Page    bool     `json:"page"`
	Picture bool     `json:"picture"`
}

// ask answers one. Of a specification in TLA+ the formula is a property, or an expression.
func (s *Server) ask(ctx context.Context, _ snapshot, p free) (*Answer, error) {
	q := Question{Page: p.Page, Picture: p.Picture, Trusted: s.trusted()}
	name, _, _ := strings.Cut(p.Formula, "(")
	if isTLA := strings.EqualFold(filepath.Ext(p.Path), ".tla"); isTLA {
		path := p.Path
		p.Path = graphOf(path)
		if patternOf(strings.TrimSpace(name)) == nil { // patterns are about the actions of the graph
			q.TLA = path
		}
	}
	q.Job = batch.Job{Name: filepath.Base(p.Path), Model: filepath.Base(p.Path), Path: p.Path, Formula: p.Formula, Options: batch.Options{Fair: p.Fair}}
	return s.analyst.Answer(ctx, q)
}

// execute carries out a command for clients that cannot: the page is shown in a browser.
func (s *Server) execute(ctx context.Context, now snapshot, p executeParams) (any, error) {
	if p.Command != explainCommand || len(p.Arguments) != 1 {
		return nil, fmt.Errorf("there is no command %s with %d arguments", p.Command, len(p.Arguments))
	}
	var at questionAt
	if err := json.Unmarshal(p.Arguments[0], &at); err != nil {
		return nil, err
	}
	answer, err := s.explain(ctx, now, at)
	if err != nil {
		return nil, err
	}
	if answer.Page == "" {
		return nil, fmt.Errorf("%s", answer.Result.Error)
	}
	f, err := os.CreateTemp(s.options.Folder, "inev-*.html")
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(answer.Page)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	uri := uriOf(f.Name())
	s.mu.Lock()
	shows := s.client.Capabilities.Window.ShowDocument.Support
	s.mu.Unlock()
	if shows {
		s.call("window/showDocument", map[string]any{"uri": uri, "external": true})
	} else {
		s.notify("window/showMessage", map[string]any{"type": severityInformation, "message": "The explanation is " + f.Name()})
	}
	return uri, nil
}
