package cluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/batch"
)

// The names of streams and buckets on the servers.
const (
	jobsStream     = "INEV_JOBS"
	advisoryStream = "INEV_ADVISORIES"
	resultsStream  = "INEV_RESULTS"
	workersStream  = "INEV_WORKERS" // the living workers
	modelsStream   = "INEV_MODELS"  // the chunks of models, by digest
	filesStream    = "INEV_FILES"   // the chunks of files of results, by user, batch and digest
	batchesBucket  = "INEV_BATCHES" // the unfinished batches
	leasesBucket   = "INEV_LEASES"  // maps the name of a batch to its runner
)

// The stream of a bucket.
const bucketStream = "KV_"

// How long the servers keep data that nobody uses.
const (
	keptUnfinished = 7 * 24 * time.Hour
	keptModels     = 30 * 24 * time.Hour
	keptWorkers    = time.Minute
)

// maxDeliveries is the prefix of the subjects on which servers report jobs that were delivered
// as often as allowed.
const maxDeliveries = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + jobsStream + "."

// sizeClass is a class of jobs by the memory that they need: at most this number of GiB, a power of
// 2.
type sizeClass int

// maxClass is the class of jobs that need more memory than any machine has.
const maxClass sizeClass = 1 << 16

// classFor returns the class of jobs that need this number of bytes.
func classFor(bytes int64) sizeClass {
	gib := (max(bytes, 1) + 1<<30 - 1) >> 30
	return min(sizeClass(1)<<bits.Len64(uint64(gib-1)), maxClass)
}

// largestIn returns the largest class whose jobs all fit into this number of bytes; at least the
// smallest class, since somebody must do its jobs.
func largestIn(bytes int64) sizeClass {
	return max(1, min(sizeClass(1)<<max(0, bits.Len64(uint64(bytes>>30))-1), maxClass))
}

func (c sizeClass) bytes() int64 { return int64(c) << 30 }

// String writes a class as it stands in subjects: g4 for up to 4 GiB.
func (c sizeClass) String() string { return fmt.Sprintf("g%d", int(c)) }

// The name of everything that a runner publishes contains its fencing token.

func jobSubject(name string, token uint64, c sizeClass, id string) string {
	return fmt.Sprintf("%s%s.%s", jobsOf(name, token), c, id)
}

// jobsOf returns the prefix of the subjects of the jobs that the holder of a token has queued.
func jobsOf(name string, token uint64) string {
	return fmt.Sprintf("inev.job.%s.%d.", name, token)
}

// jobAddress is what the subjects of a job and of its result have in common.
type jobAddress struct {
	batch string
	token uint64 // the fencing token of the runner that queued the job
	id    string
}

// addressIn returns the address in a subject that [jobSubject] or [resultSubject] has made; false if the
// subject is neither.
func addressIn(subject string) (a jobAddress, ok bool) {
	parts := strings.Split(subject, ".")
	var digits string // of the token
	switch {
	case len(parts) == 6 && parts[1] == "job":
		// inev.job.NAME.TOKEN.CLASS.ID
		a.batch = parts[2]
		digits = parts[3]
		a.id = parts[5]
	case len(parts) == 7 && parts[1] == "from" && parts[3] == "result":
		// inev.from.USER.result.NAME.TOKEN.ID
		a.batch = parts[4]
		digits = parts[5]
		a.id = parts[6]
	default:
		return jobAddress{}, false
	}
	token, err := strconv.ParseUint(digits, 10, 64)
	a.token = token
	return a, err == nil
}

// All messages of a worker have subjects that begin with the name of its user. Servers can allow
// each user its own subjects alone: then a name in a subject is not forged.

// fromUser returns the prefix of all that a user sends, of one kind; "*" matches every user.
func fromUser(user, kind string) string { return "inev.from." + user + "." + kind + "." }

// userOf returns the user who has sent a message.
func userOf(subject string) string {
	parts := strings.SplitN(subject, ".", 4)
	if len(parts) < 4 || parts[0] != "inev" || parts[1] != "from" {
		return ""
	}
	return parts[2]
}

// runnerUser is the name of the runner among the users. No worker has this name, see [checkName].
const runnerUser = "_runner"

func resultSubject(user, name string, token uint64, id string) string {
	return fmt.Sprintf("%s%s.%d.%s", fromUser(user, "result"), name, token, id)
}

// resultsOf returns a pattern of the subjects of all results of a batch, whichever runner has
// queued the jobs.
func resultsOf(name string) string { return fromUser("*", "result") + name + ".*.*" }

// filesOf returns the prefix of the subjects of the files of a user's results.
func filesOf(user, name string, token uint64) string {
	return fmt.Sprintf("%s%s.%d.", fromUser(user, "file"), name, token)
}

// modelsPrefix is the prefix of the subjects of models.
const modelsPrefix = "inev.model."

func presenceSubject(user, worker string) string { return fromUser(user, "presence") + worker }

// sender describes who has sent a message: a worker, and its user if that has another name.
func sender(user, worker string) string {
	if user == worker || checkName("worker", worker) != nil {
		return user
	}
	return worker + " as " + user
}

func consumerName(name string, token uint64, c sizeClass) string {
	return fmt.Sprintf("%s%s", consumersOf(name, token), c)
}

func consumersOf(name string, token uint64) string { return fmt.Sprintf("%s_%d_", name, token) }

func resultsConsumer(name string, token uint64) string {
	return fmt.Sprintf("runner_%s_%d", name, token)
}

// Notices and cancellations are messages between workers and the runner. They can be lost: nothing
// depends on them.
func noticeSubject(user, name, worker string) string {
	return fromUser(user, "notice") + name + "." + worker
}

func cancelSubject(name string) string   { return "inev.cancel." + name }
func announceSubject(name string) string { return "inev.announce." + name }

// checkName returns an error if a name cannot be part of a subject.
func checkName(what, name string) error {
	if name == "" || len(name) > 100 ||
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return fmt.Errorf("%q is not a name for a %s; take letters, digits and hyphens, 100 at most", name, what)
	}
	return nil
}

// order is a job on its way to a worker.
type order struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Batch   string `json:"batch"`
	// Token is the token of the lease under which the job was queued.
	Token uint64 `json:"token"`
	// Model is the SHA-256 of the model's file or, for a network, of all its files. Parts are the SHA-256 of each of
	// these, by the path relative to the folder of the network, with slashes.
	Model   string            `json:"model"`
	Parts   map[string]string `json:"parts,omitempty"`
	Job     batch.Job         `json:"job"`
	Wanted  []string          `json:"wanted"`
	Timeout time.Duration     `json:"timeout,omitempty"`
}

const orderSchema = "inev.cluster.job/2"

// id identifies a job in its batch by the job's key and by everything that appears in its files,
// such as the name. It depends on the secret of the batch, so that only a worker that was handed
// the job knows it and can deliver a result.
func (o *order) id(secret []byte) string {
	copied := *o
	copied.Batch = ""
	copied.Token = 0
	text, err := json.Marshal([]any{o.Job.Key(o.Model, o.Version), copied})
	if err != nil {
		panic(err) // text, numbers and truth values can always be encoded
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// record is the message that brings a result to the runner.
type record struct {
	Schema string `json:"schema"`
	Worker string `json:"worker"` // the name of the worker; the subject of the message names its user
	// Result is nil if the record is too large for a message; then the record is stored as an
	// object with the digest Object.
	Result *batch.Result `json:"result,omitempty"`
	Object string        `json:"object,omitempty"`
	// Small has the contents of small files by their digests; larger files are objects.
	Small map[string][]byte `json:"small,omitempty"`
	// InPlace reports whether the worker itself has written the files into the folder of results.
	InPlace bool `json:"in_place,omitempty"`
	// TooLarge reports whether the job needs more memory than the worker has; Class is the class of
	// the worker.
	TooLarge bool      `json:"too_large,omitempty"`
	Class    sizeClass `json:"class,omitempty"`
}

const recordSchema = "inev.cluster.result/3"

// notice is a message of a worker about a job or, if ID is "", about a batch. Its subject names the
// worker.
type notice struct {
	ID string `json:"id,omitempty"`
	// Error says why the worker could not do the job; "" if it has just begun it.
	Error string `json:"error,omitempty"`
	// Damaged is the digest of a model that the worker could not get, or got with other content.
	Damaged string `json:"damaged,omitempty"`
}

// entry announces a batch to workers.
type entry struct {
	Name    string `json:"name"`
	Token   uint64 `json:"token"` // the token of the lease
	Version string `json:"version"`
	Runner  string `json:"runner"` // the machine of the runner
	Folder  string `json:"folder"`
	Since   string `json:"since"`
	Jobs    int    `json:"jobs"`
	// Classes are the classes of the batch's jobs, ascending.
	Classes []sizeClass `json:"classes"`
}

// presence is the entry of a living worker.
type presence struct {
	Name    string `json:"-"` // from the subject
	Version string `json:"version"`
	Jobs    int    `json:"jobs"`
	Memory  int64  `json:"memory,omitempty"` // bytes, 0 for no limit
	Running int    `json:"running"`
}

// add adds a class of jobs, and reports whether the class is new.
func (e *entry) add(c sizeClass) bool {
	at, known := slices.BinarySearch(e.Classes, c)
	if !known {
		e.Classes = slices.Insert(slices.Clone(e.Classes), at, c)
	}
	return !known
}
