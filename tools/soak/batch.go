//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// certified checks a certificate, and then a damaged copy of it.
func (r *round) certified() error {
	explain := &command{
		args: []string{
			"explain",
			r.model,
			r.formula,
			"--allow-unmatched",
			"--quiet",
			"--certificate",
			"cert.json",
		},
		files: []string{"cert.json"},
	}
	e, err := r.execute(explain)
	if err != nil {
		return err
	}
	if want := map[bool]int{true: 0, false: 1}[r.oracle.Satisfied()]; e.code != want {
		r.complain(explain, e, "exit code %d, want %d", e.code, want)
		return nil
	}
	verify := &command{args: []string{
		"verify",
		r.model,
		r.formula,
		"cert.json",
		"--allow-unmatched",
	}}
	if e, err = r.execute(verify); err != nil {
		return err
	}
	if e.code != 0 {
		r.complain(verify, e, "the certificate is refused")
	}
	text, err := r.read("cert.json")
	if err != nil {
		return err
	}
	if other := r.withDamage([]byte(strings.Clone(text))); !bytes.Equal(other, []byte(text)) {
		if err := r.write("cert.json", other); err != nil {
			return err
		}
		_, err = r.execute(r.withRandomLimit(verify))
	}
	return err
}

// playBatch has a batch interrupted and killed again and again, or splits it into shards, and
// requires the results of an undisturbed batch.
func (r *round) playBatch() error {
	verdicts, err := r.manifest(3 + r.rng.IntN(12))
	if err != nil {
		return err
	}
	args := []string{"batch", "m.csv", "--fail-on", "none", "--quiet"}
	for _, flag := range []string{"--trace", "--dot", "--no-json"} {
		if r.oneIn(4) {
			args = append(args, flag)
		}
	}
	if r.oneIn(15) {
		args = append(args, "--html")
	}
	calm := &command{
		args:  append(args[:len(args):len(args)], "-o", "calm"),
		files: []string{"calm"},
	}
	e, err := r.execute(calm)
	if err != nil {
		return err
	}
	if e.code != 0 {
		r.complain(calm, e, "exit code %d", e.code)
		return nil
	}
	want, err := r.results("calm")
	if err != nil {
		r.complain(calm, e, "%v", err)
		return nil
	}
	for name, verdict := range verdicts {
		if got := want[name].Status; got != verdict {
			r.complain(calm, e, "%s: %s, want %s", name, got, verdict)
		}
	}
	if err := r.disturbBatch(append(args, "-o", "out"), "out", e.took); err != nil {
		return err
	}
	if err := r.same("out", "calm", want); err != nil {
		return err
	}
	return r.shards(args, want, e.took)
}

// manifest writes models and a manifest, and returns the verdict of each job; keys are names of jobs.
func (r *round) manifest(jobs int) (map[string]batch.Status, error) {
	verdicts := map[string]batch.Status{}
	var manifest strings.Builder
	manifest.WriteString("name,model,formula,allow_unmatched\n")
	for i := range jobs {
		c := randomlts.Seeded(r.seed*31+uint64(i), randomlts.Small())
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if _, err := aut.Write(&text, c.Model); err != nil {
			return nil, err
		}
		name := "j" + strconv.Itoa(i)
		content := text.Bytes()
		verdicts[name] = batch.Violated
		if o.Satisfied() {
			verdicts[name] = batch.Satisfied
		}
		if r.oneIn(8) {
			content, verdicts[name] = []byte("des (0,7,1)\n"), batch.Failed
		}
		if err := r.write(name+".aut", content); err != nil {
			return nil, err
		}
		fmt.Fprintf(&manifest, "%s,%s.aut,\"%s\",true\n", name, name,
			strings.ReplaceAll(c.Formula, `"`, `""`))
	}
	return verdicts, r.write("m.csv", []byte(manifest.String()))
}

// disturbBatch runs a batch that is stopped several times, and at last runs to its end.
func (r *round) disturbBatch(args []string, folder string, took time.Duration) error {
	for i := range 5 {
		c := &command{
			args:  append(args[:len(args):len(args)], "--resume"),
			files: []string{folder},
		}
		if i < 4 {
			c.signal = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}[r.rng.IntN(3)]
			c.after = time.Duration(r.rng.Float64() * float64(took))
			if r.oneIn(4) {
				c = r.withRandomLimit(c)
			}
		}
		e, err := r.execute(c)
		if err != nil {
			return err
		}
		if i == 4 && e.code != 0 {
			r.complain(c, e, "exit code %d", e.code)
		}
	}
	return nil
}

// results reads the results of a batch, and checks the files of each. The keys are the names of jobs.
func (r *round) results(folder string) (map[string]batch.Result, error) {
	list, err := batch.ReadResults(context.Background(), filepath.Join(r.folder, folder))
	if err != nil {
		return nil, err
	}
	all := map[string]batch.Result{}
	for _, result := range list {
		if _, twice := all[result.Job.Name]; twice {
			return nil, fmt.Errorf("%s has two results", result.Job.Name)
		}
		for _, name := range result.Files {
			text, err := r.read(filepath.Join(folder, name))
			if err == nil {
				err = checkComplete(name, []byte(text))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		all[result.Job.Name] = result
	}
	return all, nil
}

// same compares two folders of results.
func (r *round) same(folder, calm string, want map[string]batch.Result) error {
	c := &command{args: []string{"batch", folder}}
	got, err := r.results(folder)
	if err != nil {
		r.complain(c, nil, "%v", err)
		return nil
	}
	if len(got) != len(want) {
		r.complain(c, nil, "%d results, want %d", len(got), len(want))
	}
	all, err := r.filesInFolder()
	if err != nil {
		return err
	}
	for path, text := range all {
		name, is := strings.CutPrefix(path, calm+"/")
		if !is {
			continue
		}
		other, is := all[filepath.Join(folder, name)]
		switch {
		case is:
			r.sameFile(c, name, other, text)
		case name != "jobs": // else it is an empty folder: the jobs have no files
			r.complain(c, nil, "%s is missing", name)
		}
	}
	for path := range all {
		name, is := strings.CutPrefix(path, folder+"/")
		if !is || name == "jobs" {
			continue
		}
		if _, isCalm := all[filepath.Join(calm, name)]; !isCalm {
			r.complain(c, nil, "%s is left over", name)
		}
	}
	return nil
}

// sameFile compares a file of results, without times, if it is one that depends on the results alone.
func (r *round) sameFile(c *command, name string, got, want []byte) {
	if filepath.Base(name) != "summary.json" && !strings.HasPrefix(name, "jobs/") {
		return
	}
	if strings.HasSuffix(name, ".html") {
		return
	}
	gotText := untimed(got)
	wantText := untimed(want)
	if gotText != wantText {
		r.complain(c, nil, "%s differs: %s", name, difference(gotText, wantText))
	}
}

// shards does a batch shard by shard, and joins the shards.
func (r *round) shards(args []string, want map[string]batch.Result, took time.Duration) error {
	n := 1 + r.rng.IntN(3)
	merge := &command{
		args:  []string{"merge", "-o", "merged", "--fail-on", "none", "--quiet"},
		files: []string{"merged"},
	}
	for i := range n {
		folder := "s" + strconv.Itoa(i)
		part := append(args[:len(args):len(args)], "-o", folder, "--shard",
			fmt.Sprintf("%d/%d", i+1, n))
		if err := r.disturbBatch(part, folder, took); err != nil {
			return err
		}
		merge.args = append(merge.args, folder)
	}
	if r.oneIn(2) {
		killed := merge.with()
		killed.signal, killed.after = []syscall.Signal{syscall.SIGINT, syscall.SIGKILL}[r.rng.IntN(2)], time.Duration(r.rng.IntN(30))*time.Millisecond
		if _, err := r.execute(killed); err != nil {
			return err
		}
		merge = merge.with("--force")
	}
	e, err := r.execute(merge)
	if err != nil {
		return err
	}
	if e.code != 0 {
		r.complain(merge, e, "exit code %d", e.code)
		return nil
	}
	return r.same("merged", "calm", want)
}

// playLasso compares the searches in automata with a search over all pairs of states.
func (r *round) playLasso() error {
	a := randomAutomaton(r.rng)
	if err := r.write("a.hoa", []byte(a.hoa())); err != nil {
		return err
	}
	want := a.shortest()
	for _, algorithm := range []string{"colour", "contrex", "priority"} {
		c := &command{args: []string{
			"lasso",
			"a.hoa",
			"--algorithm",
			algorithm,
			"--format",
			"tsv",
		}}
		r.maybe(c, 4, r.pick("--full", "--stats", "--quiet"))
		e, err := r.execute(c)
		if err != nil {
			return err
		}
		if wrong := a.check(e, want, algorithm != "colour"); wrong != nil {
			r.complain(c, e, "%v\n  %s", wrong, shortened(a.hoa()))
		}
	}
	text := r.withDamage([]byte(a.hoa()))
	if err := r.write("a.hoa", text); err != nil {
		return err
	}
	_, err := r.execute(r.withRandomLimit(&command{args: []string{
		"lasso",
		"a.hoa",
		"--format",
		r.pick("text", "json", "markdown"),
	}}))
	return errors.Join(err, os.Remove(filepath.Join(r.folder, "a.hoa")))
}
