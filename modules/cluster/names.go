package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/batch"
)

// What the servers keep, by name.
const (
	jobsStream     = "INEV_JOBS"
	advisoryStream = "INEV_ADVISORIES"
	resultsBucket  = "INEV_RESULTS" // by batch and job
	batchesBucket  = "INEV_BATCHES" // those that have not ended
	workersBucket  = "INEV_WORKERS" // those that live
	modelsBucket   = "INEV_MODELS"  // objects by digest
	filesBucket    = "INEV_FILES"   // objects by batch and digest
)

// How long the servers keep what nobody asks for any more.
const (
	keptUnfinished = 7 * 24 * time.Hour
	keptModels     = 30 * 24 * time.Hour
	keptWorkers    = time.Minute
)

// maxDeliveries begins the subjects on which servers tell of jobs that were handed out
// as often as they may be.
const maxDeliveries = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + jobsStream + "."

// sizeClass is a class of jobs by the memory that they take: up to so many GiB, a power
// of 2.
type sizeClass int

// maxClass is that of jobs which take more than any machine has.
const maxClass sizeClass = 1 << 16

// classFor returns the class of jobs that take so many bytes.
func classFor(bytes int64) sizeClass {
	gib := (max(bytes, 1) + 1<<30 - 1) >> 30
	return min(sizeClass(1)<<bits.Len64(uint64(gib-1)), maxClass)
}

// largestIn returns the largest class of which all jobs fit into so many bytes, at least
// the smallest: somebody must do these.
func largestIn(bytes int64) sizeClass {
	return max(1, min(sizeClass(1)<<max(0, bits.Len64(uint64(bytes>>30))-1), maxClass))
}

func (c sizeClass) bytes() int64 { return int64(c) << 30 }

// String writes a class as it stands in subjects: g4 for up to 4 GiB.
func (c sizeClass) String() string { return fmt.Sprintf("g%d", int(c)) }

func jobSubject(name string, c sizeClass, id string) string {
	return fmt.Sprintf("inev.job.%s.%s.%s", name, c, id)
}

// splitJobSubject returns the batch and the job of a subject.
func splitJobSubject(subject string) (name, id string, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 5 {
		return "", "", false
	}
	return parts[2], parts[4], true
}

// allOf returns the subjects of all jobs of a batch.
func allOf(name string) string { return "inev.job." + name + ".>" }

func consumerName(name string, c sizeClass) string { return name + "_" + c.String() }
func resultKey(name, id string) string             { return name + "." + id }
func resultSubject(key string) string              { return "$KV." + resultsBucket + "." + key }
func resultsConsumer(name string) string           { return "runner_" + name }

// Workers tell the runner what they do, and it tells them to stop. Nobody depends on
// these: they can be lost.
func noticeSubject(name string) string { return "inev.notice." + name }
func cancelSubject(name string) string { return "inev.cancel." + name }

// checkName returns an error where a name cannot stand in subjects.
func checkName(what, name string) error {
	if name == "" || len(name) > 100 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return fmt.Errorf("%q is no name for a %s; take letters, digits and hyphens, 100 at most", name, what)
	}
	return nil
}

// order is a job on its way to a worker.
type order struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Batch   string `json:"batch"`
	// Model is the SHA-256 of the model's file.
	Model string `json:"model"`
	// Stamp is that of the file when that was found, for a worker in the same process.
	Stamp   stamp         `json:"stamp"`
	Job     batch.Job     `json:"job"`
	Wanted  []string      `json:"wanted"`
	Timeout time.Duration `json:"timeout,omitempty"`
}

const orderSchema = "inev.cluster.job/1"

// id identifies a job in its batch: by its key, and by what its files show beside, such as
// its name.
func (o *order) id() string {
	copied := *o
	copied.Batch, copied.Stamp = "", stamp{}
	text, err := json.Marshal([]any{batch.Key(o.Job, o.Model, o.Version), copied})
	if err != nil {
		panic(err) // texts, numbers and truth values can be written always
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// record is a result on its way to the runner.
type record struct {
	Schema string `json:"schema"`
	Worker string `json:"worker"`
	// Result is nil where the record itself is an object, with the digest Object, since it
	// is too large for a message.
	Result *batch.Result `json:"result,omitempty"`
	Object string        `json:"object,omitempty"`
	// Small are files by their digest; larger ones are objects.
	Small map[string][]byte `json:"small,omitempty"`
	// InPlace tells that the files are in the folder of results.
	InPlace bool `json:"in_place,omitempty"`
	// TooLarge tells that the job needs more memory than the worker has, of class Class.
	TooLarge bool      `json:"too_large,omitempty"`
	Class    sizeClass `json:"class,omitempty"`
}

const recordSchema = "inev.cluster.result/1"

// notice is what a worker says about a job, or about a batch where ID is "".
type notice struct {
	Worker string `json:"worker"`
	ID     string `json:"id,omitempty"`
	// Error is why the worker could not do the job, "" where it begins with it.
	Error string `json:"error,omitempty"`
	// Damaged is the digest of a model that arrived as something else, or not at all.
	Damaged string `json:"damaged,omitempty"`
}

// entry tells workers of a batch.
type entry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Runner  string `json:"runner"` // the machine
	Folder  string `json:"folder"`
	Jobs    int    `json:"jobs"`
	// Classes are those of which there are jobs, ascending.
	Classes []sizeClass `json:"classes"`
}

// presence tells of a worker.
type presence struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Jobs    int    `json:"jobs"`
	Memory  int64  `json:"memory,omitempty"` // bytes, 0 for no limit
	Running int    `json:"running"`
}

// add adds a class to those of which there are jobs, and reports whether it is new.
func (e *entry) add(c sizeClass) bool {
	at, known := slices.BinarySearch(e.Classes, c)
	if !known {
		e.Classes = slices.Insert(slices.Clone(e.Classes), at, c)
	}
	return !known
}
