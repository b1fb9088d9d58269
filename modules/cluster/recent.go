package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/remedy"
)

// recent holds the most recently used models, so that consecutive jobs of one model read it
// once.
type recent struct {
	batch.Models
	most int

	mu     sync.Mutex
	models []*heldModel // the one that was used last is last
}

// heldModel is a model that is held, or being read.
type heldModel struct {
	digest, path string
	lenient      bool
	reading      sync.Mutex
	model        *batch.Model
}

func newRecent(m batch.Models, most int) *recent { return &recent{Models: m, most: most} }

// of returns the models for a job. A model has the digest that the runner asks for; otherwise
// there is an error, which is the user's if canChange: then the file is the very one that the
// runner has hashed.
func (r *recent) of(o *order, canChange bool) batch.Models { return known{r, o, canChange} }

type known struct {
	*recent
	order     *order
	canChange bool
}

func (k known) Digest(context.Context, batch.Job) (string, error) { return k.order.Model, nil }

func (k known) Model(ctx context.Context, j batch.Job) (*batch.Model, error) {
	h := k.find(k.order.Model, j)
	h.reading.Lock()
	defer h.reading.Unlock()
	// Errors of a reader name the file as the job does.
	if h.model != nil {
		return h.model, nil
	}
	m, err := k.Models.Model(ctx, j)
	if err != nil {
		return nil, err
	}
	if m.Digest != k.order.Model {
		return nil, k.other(j, m.Digest)
	}
	held := *m
	held.Took = 0
	h.model = &held
	return m, nil
}

// other is the error of a file whose digest is not the runner's.
func (k known) other(j batch.Job, found string) error {
	if k.canChange {
		return remedy.New(nil, j.Model, ": has changed since the batch has begun; run it again ", remedy.Resume)
	}
	return fmt.Errorf("%s: %w", j.Model, &batch.DigestError{Found: found, Wanted: k.order.Model})
}

// find returns the index of a model.
func (r *recent) find(digest string, j batch.Job) *heldModel {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.models, func(h *heldModel) bool {
		return h.digest == digest && h.path == j.Model && h.lenient == j.Options.Lenient
	})
	var h *heldModel
	if i >= 0 {
		h = r.models[i]
		r.models = slices.Delete(r.models, i, i+1)
	} else {
		h = &heldModel{digest: digest, path: j.Model, lenient: j.Options.Lenient}
		if len(r.models) >= r.most {
			r.models = slices.Delete(r.models, 0, 1)
		}
	}
	r.models = append(r.models, h)
	return h
}
