// Package serve answers, in a browser, questions of a page about parts of the model that it
// does not contain. No server is involved.
package serve

import (
	"context"

	"github.com/inev-lts/inev/explain"
)

// Server answers about one model.
type Server struct{ all *answers }

// New returns a Server for e, the result of [explain.Explain], whose model is not unfolded.
func New(e *explain.Explanation) *Server { return &Server{newAnswers(e)} }

// To answers a question (near, past, why, fork, another or labels, about a state and a label) as JSON.
// It fails if no page asks such a question, or if ctx is done. Cost: a search of the model.
func (a *Server) To(ctx context.Context, of, state, q, label string) ([]byte, error) {
	return a.all.to(ctx, question{
		Of:    of,
		State: state,
		Q:     q,
		Label: label,
	})
}
