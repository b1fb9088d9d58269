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
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/internal/wholefile"
)

// A name of a batch is held by one runner at a time, by a lease: an entry of a key-value
// bucket that the holder writes again and again. Its fencing token is the revision with
// which it was taken, so that later holders have larger ones. All that a holder writes has
// the token in its name, or is written on condition of the revision before: what a holder
// writes whose lease has passed on does not touch what the next one has.
//
// (Gray, C. and Cheriton, D.: Leases. SOSP 1989. The token is that of Chubby's sequencers,
// Burrows, OSDI 2006.) No clocks of two machines are compared: who waits measures himself
// for how long the entry has not changed.
type tenure struct {
	// Token is 0 if it is the revision of this very entry.
	Token   uint64 `json:"token,omitempty"`
	State   string `json:"state"`
	Nonce   string `json:"nonce"` // of the holder, which no other has
	Machine string `json:"machine"`
	Folder  string `json:"folder"`
	// Place is that of the folder on its machine, "" if that is not known. Who has
	// locked the folder knows that nobody else holds the lease from there.
	Place string `json:"place,omitempty"`
	Since string `json:"since"`
	// Secret makes the identities of jobs such that only who was handed a job knows its.
	Secret []byte `json:"secret"`
}

// The states of a lease.
const (
	stateHeld     = "held"
	stateReleased = "released" // with results that the next run can fetch
	stateCanceled = "canceled"
)

// leaseTerm is after how long without a sign of its holder a lease passes on; signs come
// that many times in it.
const (
	leaseTerm  = 15 * time.Second
	signsATerm = 5
)

// HeldError reports that another runner has the name of a batch.
type HeldError struct{ Name, Machine, Folder, Since string }

func (e *HeldError) Error() string {
	return fmt.Sprintf("the batch %s is being run on %s since %s, with results in %s", e.Name, e.Machine, e.Since, e.Folder)
}

// LostError reports that a runner no longer has the name of its batch: another one does, or
// the batch was canceled.
type LostError struct {
	Name, Machine string
	Canceled      bool
}

func (e *LostError) Error() string {
	if e.Canceled {
		return fmt.Sprintf("the batch %s was canceled from %s", e.Name, e.Machine)
	}
	return fmt.Sprintf("this runner was not heard of for long, and the batch %s is run on %s now", e.Name, e.Machine)
}

// lease is one that is held.
type lease struct {
	q     *queue
	name  string
	token uint64

	mu       sync.Mutex
	tenure   tenure
	revision uint64
	lost     *LostError
}

// claimant says who wants a lease, and how.
type claimant struct {
	name, folder string
	term         time.Duration
	wait         bool         // for another holder, however long
	waits        func(string) // is told once what is waited for
}

// acquire takes the lease of a name. The error is a *[HeldError] where another runner has
// it, gives signs of life, and is not to be waited for. Cost: up to a term where the last
// holder has ended without a word.
func (q *queue) acquire(ctx context.Context, c claimant) (*lease, error) {
	var seen uint64
	var since time.Time
	for {
		found, err := q.tenureOf(ctx, c.name)
		if err != nil {
			return nil, err
		}
		var next tenure
		switch t := found.tenure; {
		case found.revision == 0 || t.State == stateCanceled:
			next.Secret = make([]byte, 32)
			_, _ = rand.Read(next.Secret)
		case t.State != stateHeld || t.endedHere(c.folder):
			next.Secret = t.Secret
		case seen != found.revision:
			if seen != 0 && !c.wait {
				return nil, &HeldError{c.name, t.Machine, t.Folder, t.Since}
			}
			if seen == 0 && c.waits != nil {
				c.waits(fmt.Sprintf("%v; waiting for it", &HeldError{c.name, t.Machine, t.Folder, t.Since}))
			}
			seen, since = found.revision, time.Now()
			fallthrough
		case time.Since(since) < c.term:
			if !wait(ctx, c.term/(4*signsATerm)) {
				return nil, ctx.Err()
			}
			continue
		default:
			next.Secret = t.Secret
		}
		l, err := q.take(ctx, c, next, found.revision)
		if err != nil || l != nil {
			return l, err
		}
	}
}

// take writes the entry of a new holder instead of one with this revision; nil if
// another one has been faster.
func (q *queue) take(ctx context.Context, c claimant, next tenure, before uint64) (*lease, error) {
	next.State, next.Nonce, next.Folder = stateHeld, rand.Text(), c.folder
	next.Machine, _ = os.Hostname()
	next.Since = time.Now().UTC().Format(time.RFC3339)
	l := &lease{q: q, name: c.name, tenure: next}
	revision, err := q.putTenure(ctx, c.name, next, before)
	var lost *LostError
	if errors.As(err, &lost) {
		return nil, nil
	}
	l.revision, l.token = revision, revision
	l.tenure.Token = revision
	return l, err
}

// endedHere reports whether a holder has ended that ran into the same folder of this
// machine: it had the folder locked.
func (t *tenure) endedHere(folder string) bool {
	if t.Place == "" || t.Place != placeOf(folder) {
		return false
	}
	handle, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer handle.Close()
	return wholefile.Lock(handle)
}

// placeOf identifies a folder among those of all machines that are running; "" if that
// cannot be done.
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

// foundTenure is the entry of a name, with revision 0 if there is none.
type foundTenure struct {
	tenure
	revision uint64
}

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
			return final{fmt.Errorf("the lease of the batch %s is unreadable: %w; give the batch another name", name, err)}
		}
		if found.State == stateHeld && found.Token == 0 {
			found.Token = found.revision
		}
		return nil
	})
	return found, err
}

// putTenure writes an entry instead of one with this revision, 0 for none. The error is
// a *[LostError] where there is another one.
func (q *queue) putTenure(ctx context.Context, name string, t tenure, before uint64) (revision uint64, err error) {
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
		// It may be that this has been written by a request whose answer was lost.
		e, err := q.leases.Get(ctx, name)
		var now tenure
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			return final{&LostError{Name: name, Machine: "another machine"}}
		case err != nil:
			return err
		case json.Unmarshal(e.Value(), &now) == nil && now.Nonce == t.Nonce && now.State == t.State:
			revision = e.Revision()
			return nil
		}
		return final{&LostError{name, now.Machine, now.State == stateCanceled}}
	})
	return revision, err
}

// isConflict reports whether something was not written since something else is there.
func isConflict(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// keep gives signs of life until ctx is done, or the lease is lost, which lost is told.
func (l *lease) keep(ctx context.Context, term time.Duration, lost func(error)) {
	for wait(ctx, term/signsATerm) {
		err := l.write(ctx, func(*tenure) {})
		if err != nil && ctx.Err() == nil {
			lost(err)
			return
		}
	}
}

// settle says in the lease where its holder's folder is, which is locked now.
func (l *lease) settle(ctx context.Context) error {
	return l.write(ctx, func(t *tenure) { t.Place = placeOf(t.Folder) })
}

// write writes the entry again, changed.
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

// release gives the lease back: for ever where the batch is complete, else with what the next
// run needs to find its results. It reports whether it was held until then.
func (l *lease) release(ctx context.Context, complete bool) bool {
	if !complete {
		return l.write(ctx, func(t *tenure) { t.State = stateReleased }) == nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost == nil && l.q.leases.Purge(ctx, l.name, jetstream.LastRevision(l.revision)) == nil
}
