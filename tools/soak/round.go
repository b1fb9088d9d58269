//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// round is one model, or a batch, and some commands on it. Its seed determines all of it.
type round struct {
	seed            uint64
	scene           string
	rng             *rand.Rand
	program, folder string
	schemas         map[string]*jsonschema.Schema
	tally           *tally
	faults          []string

	small  *randomlts.Case // nil in scenes without brute force
	oracle *oracle.Oracle
	// model and formula are the arguments of commands.
	model, formula string
}

// scenes are drawn at random; a scene that is listed n times is drawn n times as often.
var scenes = []string{
	"small",
	"small",
	"small",
	"small",
	"small",
	"damaged",
	"large",
	"large",
	"batch",
	"lasso",
}

// newRound returns a round with random numbers of its own, and draws its scene.
func newRound(
	seed uint64,
	program, folder string,
	schemas map[string]*jsonschema.Schema,
	t *tally,
) *round {
	r := rand.New(rand.NewPCG(seed, 11))
	return &round{
		seed:    seed,
		rng:     r,
		scene:   scenes[r.IntN(len(scenes))],
		program: program,
		folder:  folder,
		schemas: schemas,
		tally:   t,
	}
}

// run plays the scene. The error is one of the machine; faults of inev are reported instead.
func (r *round) run() error {
	if err := errors.Join(os.RemoveAll(r.folder), os.MkdirAll(r.folder, 0o755)); err != nil {
		return err
	}
	return map[string]func() error{
		"small":   r.playSmall,
		"damaged": r.playDamaged,
		"large":   r.playLarge,
		"batch":   r.playBatch,
		"lasso":   r.playLasso,
	}[r.scene]()
}

func (r *round) oneIn(n int) bool { return r.rng.IntN(n) == 0 }

func (r *round) pick(of ...string) string { return of[r.rng.IntN(len(of))] }

func (r *round) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(r.folder, name), text, 0o644)
}

func (r *round) read(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(r.folder, name))
	return string(text), err
}

// playSmall runs commands on a model that brute force can judge.
func (r *round) playSmall() error {
	c := randomlts.Seeded(r.seed, randomlts.Small())
	var err error
	r.small, r.formula = &c, c.Formula
	if r.oracle, err = oracle.New(c.Model, c.Steps); err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := aut.Write(&text, c.Model); err != nil {
		return err
	}
	if r.model, err = r.asFile(text.Bytes()); err != nil {
		return err
	}
	if err := r.write("f.inev", []byte("# a property\n"+c.Formula+"\n")); err != nil {
		return err
	}
	for range 6 {
		if err := r.runAndJudge(r.random()); err != nil {
			return err
		}
	}
	told := &command{args: []string{
		"explain",
		r.model,
		r.formula,
		"--allow-unmatched",
		"--format",
		"markdown",
		"--full",
	}}
	r.maybe(told, 2, "--neighbourhood", "some")
	r.maybe(told, 10, "--no-fairness")
	r.maybe(told, 3, "--passing", r.pick("fewest", "most"))
	if err := r.runAndJudge(told); err != nil {
		return err
	}
	if err := r.explainGivenRun(); err != nil {
		return err
	}
	return r.certified()
}

// asFile writes a model to a file, sometimes compressed.
func (r *round) asFile(text []byte) (string, error) {
	name := "m.aut"
	switch r.rng.IntN(4) {
	case 0:
		name = "m.aut.gz"
	case 1:
		name = "m.aut.zst"
	}
	var file bytes.Buffer
	w, err := aut.Compress(&file, name)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	return name, errors.Join(w.Close(), r.write(name, file.Bytes()))
}

// playDamaged runs commands on files that are no models, or almost models.
func (r *round) playDamaged() error {
	c := randomlts.Seeded(r.seed, randomlts.Medium())
	r.formula = c.Formula
	var text bytes.Buffer
	if _, err := aut.Write(&text, c.Model); err != nil {
		return err
	}
	var err error
	if r.model, err = r.asFile(text.Bytes()); err != nil {
		return err
	}
	if err := r.write("f.inev", []byte(c.Formula)); err != nil {
		return err
	}
	for range 6 {
		for _, name := range []string{r.model, "f.inev"} {
			whole, err := r.read(name)
			if err != nil {
				return err
			}
			if err := r.write(name, r.withDamage([]byte(whole))); err != nil {
				return err
			}
		}
		if _, err := r.execute(r.withRandomLimit(r.random())); err != nil {
			return err
		}
	}
	return nil
}

// withDamage returns a text with a random change.
func (r *round) withDamage(text []byte) []byte {
	if len(text) == 0 {
		return []byte("des (0,0,1)\n")
	}
	offset := r.rng.IntN(len(text))
	switch r.rng.IntN(6) {
	case 0:
		text[offset] ^= 1 << r.rng.IntN(8)
	case 1:
		text = text[:offset]
	case 2:
		text = append(text[:offset:offset], text[min(len(text), offset+1+r.rng.IntN(20)):]...)
	case 3:
		text = append(text, text[offset:]...)
	case 4:
		text = append(text[:offset:offset],
			append([]byte(r.pick("\"", "\n", "\x00", "99999999999999999999", "-1", "é", "\xff", "(", ",", "\x1b[2J")), text[offset:]...)...)
	}
	return text
}

// withRandomLimit adds a random limit to a command, or none.
func (r *round) withRandomLimit(c *command) *command {
	limited := c
	takesLimits := c.args[0] != "man" && c.args[0] != "completion"
	switch r.rng.IntN(10) {
	case 0:
		if takesLimits && c.args[0] != "batch" {
			limit := time.Duration(r.rng.IntN(300)) * time.Millisecond
			limited = c.with("--timeout", (limit + 1).String())
			limited.limit = limit
		}
	case 1:
		if takesLimits && c.args[0] != "generate" && c.args[0] != "merge" {
			mega := []int{1, 20, 30, 50, 100, 200, 500}[r.rng.IntN(7)]
			limited = c.with("--memory", strconv.Itoa(mega)+"MB")
			limited.memory = uint64(mega) << 20
		}
	case 2:
		limited = c.with()
		limited.ulimit = r.pick("-f 0", "-f 1", "-f 8", "-f 100")
	case 3:
		limited = c.with()
		limited.ulimit = "-n " + strconv.Itoa(4+r.rng.IntN(20)) // with 3, Linux cannot start it
	case 4: // below, Go cannot begin
		limited = c.with()
		limited.ulimit = "-v " + strconv.Itoa(1_700_000+r.rng.IntN(4_000_000))
	case 5:
		limited = c.with()
		limited.stdout = r.pick("/dev/full", "/dev/null")
	}
	return limited
}

// playLarge interrupts and kills commands on a model for which they need some time.
func (r *round) playLarge() error {
	kind := r.pick("random", "layered", "scc", "datarich", "chain", "cycle", "grid", "star",
		"stages", "ring", "carousel", "philosophers", "peterson", "complete")
	args := append([]string{"generate", kind}, r.largeSize(kind)...)
	if kind != "philosophers" && kind != "peterson" && r.oneIn(2) {
		args = append(args, "--seed", strconv.Itoa(r.rng.IntN(1000)))
	}
	if r.oneIn(3) {
		args = append(args, "--shuffle")
	}
	r.model = "large" + r.pick(".aut", ".aut", ".aut.gz", ".aut.zst")
	made := &command{args: append(args, "-o", r.model), files: []string{r.model}}
	e, err := r.execute(made)
	if err != nil || e.code != 0 {
		return err // not every kind takes every number
	}
	e, err = r.execute(&command{args: append(args, "--property")})
	if err != nil {
		return err
	}
	r.formula = strings.TrimSpace(e.stdout)
	if e.code != 0 || r.oneIn(4) {
		r.formula = r.pick("Inev(A0)", "Inev(*1, *2)", "Inev(/./)", "Inev(NEVER)",
			"Inev({*1, *3}, *2, *1)")
	}
	if err := r.write("f.inev", []byte(r.formula)); err != nil {
		return err
	}
	for range 3 {
		if err := r.runDisturbed(r.random()); err != nil {
			return err
		}
	}
	return nil
}

// largeSize returns the flags for the size of a large model of a kind.
func (r *round) largeSize(kind string) []string {
	n := []int{300, 3_000, 30_000, 100_000}[r.rng.IntN(4)]
	switch kind {
	case "random", "scc", "datarich", "chain", "cycle", "star":
		return []string{"--states", strconv.Itoa(n)}
	case "stages":
		return []string{"--width", "8", "--height", strconv.Itoa(1 + r.rng.IntN(200))}
	case "layered", "grid", "ring", "carousel":
		side := 1
		for side*side < n {
			side++
		}
		return []string{"--width", strconv.Itoa(side), "--height", strconv.Itoa(min(side, 300))}
	case "complete":
		return []string{"--states", strconv.Itoa(5 + r.rng.IntN(150))}
	case "peterson":
		return []string{"--processes", strconv.Itoa(2 + r.rng.IntN(2))}
	}
	return []string{"--processes", strconv.Itoa(2 + r.rng.IntN(7))}
}

// runDisturbed runs a command undisturbed, and then with signals and limits: afterwards the files must
// be as before the command, or as after the undisturbed run.
func (r *round) runDisturbed(c *command) error {
	calm, err := r.execute(c)
	if err != nil {
		return err
	}
	want, err := r.filesInFolder()
	if err != nil {
		return err
	}
	for range 3 {
		disturbed := r.disturbance(c, calm.took)
		earlier, err := r.replaceFiles(c)
		if err != nil {
			return err
		}
		outcome, err := r.execute(disturbed)
		if err != nil {
			return err
		}
		got, err := r.filesInFolder()
		if err != nil {
			return err
		}
		for _, path := range c.files {
			if !isOldOrNew(c, path, got, earlier, want) {
				r.complain(disturbed, outcome,
					"%s is neither as before nor as it should be: %d bytes, %d in peace", path, len(got[path]), len(want[path]))
			}
			if outcome.code == calm.code && outcome.code != 2 && string(got[path]) == earlier[path] &&
				want[path] != nil {
				r.complain(disturbed, outcome, "%s was not written", path)
			}
		}
		r.compareResults(disturbed, outcome, calm, mayBePartial(c))
	}
	return nil
}

// disturbance returns a command with a limit, or with a signal at some time. took is the time that the
// undisturbed command took.
func (r *round) disturbance(c *command, took time.Duration) *command {
	d := r.withRandomLimit(c)
	if r.oneIn(2) {
		d = c.with()
		d.signal = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGHUP}[r.rng.IntN(3)]
		d.after = time.Duration(r.rng.Float64() * 1.1 * float64(took))
	}
	return d
}

// replaceFiles prepares the folder for a command: for each file that the command writes, it puts an
// earlier file there or, as often, removes what is there. It returns the contents of the earlier files
// by their paths.
func (r *round) replaceFiles(c *command) (earlier map[string]string, err error) {
	earlier = map[string]string{}
	for _, path := range c.files {
		if r.oneIn(2) {
			earlier[path] = "earlier"
			err = r.write(path, []byte("earlier"))
		} else {
			err = os.RemoveAll(filepath.Join(r.folder, path))
		}
		if err != nil {
			return nil, err
		}
	}
	return earlier, nil
}

// isOldOrNew reports whether a file is as it was before a command was disturbed, or as the undisturbed
// command writes it.
func isOldOrNew(
	c *command,
	path string,
	got map[string][]byte,
	earlier map[string]string,
	want map[string][]byte,
) bool {
	text, exists := got[path]
	before, existed := earlier[path]
	switch {
	case !exists && !existed, exists && existed && string(text) == before:
		return true
	case strings.HasPrefix(path, "large"):
		return true
	case !exists:
		return false
	}
	return mayBePartial(c) || untimed(text) == untimed(want[path])
}

// compareResults complains if a disturbed command ended with another result than the undisturbed
// one. A stopped command has no result.
func (r *round) compareResults(d *command, outcome, calm *ended, isPartial bool) {
	isStopped := outcome.code < 0 || outcome.code == 2 || outcome.code == 130
	if !isStopped && outcome.code != calm.code {
		r.complain(d, outcome, "in peace, the exit code is %d", calm.code)
	}
	isComplete := outcome.code == calm.code && outcome.code < 2 && d.stdout == "" && !isPartial
	if isComplete && untimed([]byte(outcome.stdout)) != untimed([]byte(calm.stdout)) {
		r.complain(d, outcome, "in peace, other results are written: %s",
			difference(outcome.stdout, calm.stdout))
	}
}

// mayBePartial reports whether a command may print a partial result when it is stopped.
func mayBePartial(c *command) bool {
	text := strings.Join(c.args, " ")
	return strings.Contains(text, "--anytime") || strings.Contains(text, "--stats")
}

func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %.200q, %.200q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, %d", len(a), len(b))
}
