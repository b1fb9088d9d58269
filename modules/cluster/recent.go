package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/hint"
)

// recent keeps the most recently used models, so that consecutive jobs of one model read it once.
type recent struct {
	batch.Models
	most int

	mu     sync.Mutex
	models []*heldModel // by their last use, the latest last
}

// heldModel is a model that is kept, or is being read.
type heldModel struct {
	digest, path string
	lenient      bool
	changes      string // the rules that change the labels
	reading      sync.Mutex
	model        *batch.Model
}

func newRecent(m batch.Models, most int) *recent { return &recent{Models: m, most: most} }

// of returns the models for a job. A model must have the digest that the runner has found;
// otherwise there is an error. With canChange, the worker reads the file that the runner has
// hashed, so the error says that this file has changed.
func (r *recent) of(o *order, canChange bool) batch.Models { return known{r, o, canChange} }

// known are the models for the job of an order, whose digests the order says.
type known struct {
	*recent
	order     *order
	canChange bool
}

func (k known) Digest(context.Context, batch.Job) (string, error) { return k.order.Model, nil }

// Model returns the model of a job, which it reads unless it is kept. It fails if the file has another digest than
// the order says.
func (k known) Model(ctx context.Context, j batch.Job) (*batch.Model, error) {
	h := k.find(k.order.Model, j)
	h.reading.Lock()
	defer h.reading.Unlock()
	// An error of reading is not kept, since it names the file by the path that this job uses.
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

// other returns the error about a file whose digest differs from the one that the runner has found.
func (k known) other(j batch.Job, found string) error {
	if k.canChange {
		return hint.New(nil, j.Model, ": has changed since the batch has begun; run it again ",
			hint.Resume)
	}
	return fmt.Errorf("%s: %w", j.Model, &batch.DigestError{
		Found:  found,
		Wanted: k.order.Model,
	})
}

// find returns the entry of a model, which becomes the last one. It adds a new entry if there is
// none, and then drops the first one if there are too many.
func (r *recent) find(digest string, j batch.Job) *heldModel {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.models, func(h *heldModel) bool {
		return h.digest == digest && h.path == j.Model && h.lenient == j.Options.Lenient &&
			h.changes == j.ChangesLabels()
	})
	var h *heldModel
	if i >= 0 {
		h = r.models[i]
		r.models = slices.Delete(r.models, i, i+1)
	} else {
		h = &heldModel{
			digest:  digest,
			path:    j.Model,
			lenient: j.Options.Lenient,
			changes: j.ChangesLabels(),
		}
		if len(r.models) >= r.most {
			r.models = slices.Delete(r.models, 0, 1)
		}
	}
	r.models = append(r.models, h)
	return h
}
