package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/internal/filesystem"
)

// tenure is the entry of a lease in a key-value bucket. A lease gives the name of a batch to one
// runner at a time; its holder writes the entry again and again. The fencing token of the lease is
// the revision of its first entry, so that later holders have larger tokens. Everything that a
// holder writes has the token in its name, or is written on condition of the previous revision:
// hence a holder that has lost its lease cannot change what the next holder has written.
//
// (Gray, C. and Cheriton, D.: Leases. SOSP 1989. The token is the sequencer of Chubby, Burrows,
// OSDI 2006.) Clocks of two machines are never compared: a waiting runner measures by its own clock
// for how long the entry has not changed.
type tenure struct {
	// Token is the fencing token; 0 means that the token is the revision of this entry.
	Token   uint64 `json:"token,omitempty"`
	State   string `json:"state"`
	Nonce   string `json:"nonce"` // a random text of the holder
	Machine string `json:"machine"`
	Folder  string `json:"folder"`
	// Place identifies the folder of results on its machine, "" if that is not known. A runner
	// that has locked the folder knows that no other runner holds the lease from there.
	Place string `json:"place,omitempty"`
	Since string `json:"since"`
	// Secret is hashed into the identities of jobs, so that only a worker that was handed a job
	// knows its identity.
	Secret []byte `json:"secret"`
	// Finished is the number of finished jobs, as of the last sign of life.
	Finished int `json:"finished,omitempty"`
}

// The states of a lease.
const (
	stateHeld     = "held"
	stateReleased = "released" // there are results that the next run can fetch
	stateCanceled = "canceled"
)

// leaseTerm is the time without a sign of life after which another runner can take the lease;
// signsATerm is the number of signs that the holder gives within a term.
const (
	leaseTerm  = 15 * time.Second
	signsATerm = 5
)

// HeldError is the error of a run whose batch another runner holds.
type HeldError struct{ Name, Machine, Folder, Since string }

func (e *HeldError) Error() string {
	return fmt.Sprintf("the batch %s is being run on %s since %s, with results in %s", e.Name,
		e.Machine, e.Since, e.Folder)
}

// LostError is the error of a runner that no longer holds its batch: another runner holds the
// batch, or the batch was canceled.
type LostError struct {
	Name, Machine string
	Canceled      bool
}

func (e *LostError) Error() string {
	if e.Canceled {
		return fmt.Sprintf("the batch %s was canceled from %s", e.Name, e.Machine)
	}
	return fmt.Sprintf("this runner was not heard from for too long; the batch %s now runs on %s", e.Name, e.Machine)
}

// lease is a lease that this process holds until it is released or lost.
type lease struct {
	q     *queue
	name  string
	token uint64

	mu       sync.Mutex
	tenure   tenure
	revision uint64
	lost     *LostError
	// finished is the number of finished jobs, which the next sign of life reports.
	finished atomic.Int64
}

// claimant is a runner that wants a lease.
type claimant struct {
	name, folder  string
	term          time.Duration
	waitForHolder bool         // wait for another holder, however long
	tellWaiting   func(string) // called once with the reason why the claimant waits
}

// acquire takes the lease of a name. The error is a *[HeldError] if another runner has it,
// gives signs of life, and the claimant does not wait. Cost: up to a term if the last holder
// has ended without releasing it.
func (q *queue) acquire(ctx context.Context, c claimant) (*lease, error) {
	holder := &holderWatch{claimant: c}
	for {
		found, err := q.tenureOf(ctx, c.name)
		if err != nil {
			return nil, err
		}
		if found.isHeld(c.folder) {
			ended, err := holder.look(found)
			if err != nil {
				return nil, err
			}
			if !ended {
				if !wait(ctx, c.term/(4*signsATerm)) {
					return nil, ctx.Err()
				}
				continue
			}
		}
		l, err := q.replaceTenure(ctx, c, tenure{Secret: found.nextSecret()}, found.revision)
		if err != nil || l != nil {
			return l, err
		}
	}
}

// isHeld reports whether a runner holds the lease, as far as a claimant with this folder can see
// without waiting.
func (f *foundTenure) isHeld(folder string) bool {
	return f.revision != 0 && f.State == stateHeld && !f.hasEndedHere(folder)
}

// nextSecret returns the secret of the next holder. If the next holder takes over the results of
// the last one, it has the same secret; otherwise it has a new one.
func (f *foundTenure) nextSecret() []byte {
	if f.revision != 0 && f.State != stateCanceled {
		return f.Secret
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	return secret
}

// holderWatch observes whether the holder of a lease gives signs of life.
type holderWatch struct {
	claimant claimant
	revision uint64    // the revision of the last sign of life, 0 before the first look
	since    time.Time // when this revision was seen first
}

// look observes the holder, and reports whether it has given no sign of life for a term. The error is a
// *[HeldError] if it gives one while it is watched, and the claimant does not wait.
func (h *holderWatch) look(found foundTenure) (hasEnded bool, err error) {
	if found.revision == h.revision {
		return time.Since(h.since) >= h.claimant.term, nil
	}
	held := &HeldError{
		Name:    h.claimant.name,
		Machine: found.Machine,
		Folder:  found.Folder,
		Since:   found.Since,
	}
	firstLook := h.revision == 0
	if !firstLook && !h.claimant.waitForHolder {
		return false, held
	}
	if firstLook && h.claimant.tellWaiting != nil {
		h.claimant.tellWaiting(fmt.Sprintf("%v; waiting for it", held))
	}
	h.revision = found.revision
	h.since = time.Now()
	return false, nil
}

// replaceTenure replaces an entry by one of the claimant, if the entry still has the given revision. It
// returns nil if another claimant was faster.
func (q *queue) replaceTenure(
	ctx context.Context,
	c claimant,
	next tenure,
	before uint64,
) (*lease, error) {
	next.State = stateHeld
	next.Nonce = rand.Text()
	next.Folder = c.folder
	next.Machine, _ = os.Hostname()
	next.Since = time.Now().UTC().Format(time.RFC3339)
	l := &lease{q: q, name: c.name, tenure: next}
	revision, err := q.putTenure(ctx, c.name, next, before)
	var lost *LostError
	if errors.As(err, &lost) {
		return nil, nil
	}
	l.revision = revision
	l.token = revision
	l.tenure.Token = revision
	return l, err
}

// hasEndedHere reports whether the holder ran with this folder on this machine and has ended: it had
// locked the folder, which is free now.
func (t *tenure) hasEndedHere(folder string) bool {
	if t.Place == "" || t.Place != placeOf(folder) {
		return false
	}
	handle, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer handle.Close()
	return filesystem.Lock(handle)
}

// placeOf returns a text that identifies a folder among the folders of all running machines; "" if
// that is impossible.
func placeOf(folder string) string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return ""
	}
	number, known := fileNumber(real)
	if !known {
		return ""
	}
	host, _ := os.Hostname()
	return fmt.Sprintf("%s %.36s %s", host, boot, number)
}

// foundTenure is the entry found under a name; revision is 0 if there is none.
type foundTenure struct {
	tenure
	revision uint64
}

// tenureOf returns the entry of a batch, with its token. It fails if the entry cannot be read.
func (q *queue) tenureOf(ctx context.Context, name string) (found foundTenure, err error) {
	err = persist(ctx, func(ctx context.Context) error {
		found = foundTenure{}
		e, err := q.leases.Get(ctx, name)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		found.revision = e.Revision()
		if err := json.Unmarshal(e.Value(), &found.tenure); err != nil {
			return finalError{fmt.Errorf("the lease of the batch %s is unreadable: %w; give the batch another name", name, err)}
		}
		if found.State == stateHeld && found.Token == 0 {
			found.Token = found.revision
		}
		return nil
	})
	return found, err
}

// putTenure replaces the entry with the given revision, or adds an entry if the revision is 0. The
// error is a *[LostError] if the entry has another revision.
func (q *queue) putTenure(
	ctx context.Context,
	name string,
	t tenure,
	before uint64,
) (revision uint64, err error) {
	text, err := json.Marshal(t)
	if err != nil {
		return 0, err
	}
	err = persist(ctx, func(ctx context.Context) (err error) {
		if before == 0 {
			revision, err = q.leases.Create(ctx, name, text)
		} else {
			revision, err = q.leases.Update(ctx, name, text, before)
		}
		if !isConflict(err) {
			return noRoom(err)
		}
		// An earlier request, whose answer was lost, may have written this entry.
		e, err := q.leases.Get(ctx, name)
		var now tenure
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			return finalError{&LostError{Name: name, Machine: "another machine"}}
		case err != nil:
			return err
		case json.Unmarshal(e.Value(), &now) == nil && now.Nonce == t.Nonce &&
			now.State == t.State:
			revision = e.Revision()
			return nil
		}
		return finalError{&LostError{name, now.Machine, now.State == stateCanceled}}
	})
	return revision, err
}

// isConflict reports whether an entry was not written because it had changed meanwhile.
func isConflict(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// renew gives signs of life until ctx is done. If it cannot, since the lease is lost, it calls lost
// and ends.
func (l *lease) renew(ctx context.Context, term time.Duration, lost func(error)) {
	for wait(ctx, term/signsATerm) {
		err := l.write(ctx, func(t *tenure) {
			t.Finished = int(l.finished.Load())
		})
		if err != nil && ctx.Err() == nil {
			lost(err)
			return
		}
	}
}

// recordPlace adds the identity of the folder to the entry, after the folder is locked.
func (l *lease) recordPlace(ctx context.Context) error {
	return l.write(ctx, func(t *tenure) { t.Place = placeOf(t.Folder) })
}

// write writes a changed entry.
func (l *lease) write(ctx context.Context, change func(*tenure)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	change(&l.tenure)
	revision, err := l.q.putTenure(ctx, l.name, l.tenure, l.revision)
	if err == nil {
		l.revision = revision
	}
	errors.As(err, &l.lost)
	return err
}

// release gives the lease back. If the batch is complete, its entry is removed; else the entry
// keeps what the next run needs to find the results. It reports whether the lease was still held.
func (l *lease) release(ctx context.Context, complete bool) bool {
	if !complete {
		return l.write(ctx, func(t *tenure) { t.State = stateReleased }) == nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost == nil && l.q.leases.Purge(ctx, l.name, jetstream.LastRevision(l.revision)) == nil
}
