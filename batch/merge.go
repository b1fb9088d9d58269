package batch

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/inev-lts/inev/aut"
)

// Merge joins folders of results, of the shards of a manifest or of different
// manifests, into the folder that s names; of s, only Folder, Begin (Afresh or
// Replace) and Version count. The jobs of the outcome are those of all plans, each
// once, in the order in which they come first; those without a result in any of the
// folders are missing from its results. Where several folders have a result of a job,
// one with a verdict is taken.
//
// It fails where two folders have different jobs of one name, or answers to a job
// from different inputs, before anything is written; where a folder cannot be read,
// or written to; and where ctx is done. Cost O(size of all folders): the files of the
// jobs are copied.
func Merge(ctx context.Context, folders []string, s Settings) (*Outcome, error) {
	plan, results, from, err := join(folders)
	if err != nil {
		return nil, err
	}
	plan.Version = s.Version
	release, err := claim(s.Folder, s.Begin)
	if err != nil {
		return nil, err
	}
	defer release()
	out := &Outcome{Plan: *plan, Jobs: plan.Jobs, Results: inOrder(plan.Jobs, results)}
	for i := range out.Results {
		r := &out.Results[i]
		for _, name := range r.Files {
			if err := copyFile(ctx, from[r.Job.Name], s.Folder, name); err != nil {
				return nil, err
			}
		}
	}
	if err := rewriteJournal(s.Folder, out.Results); err != nil {
		return nil, err
	}
	return out, writePlan(s.Folder, plan)
}

// join reads folders, and returns their jobs and results, with the folder from which
// each result is.
func join(folders []string) (*Plan, map[string]Result, map[string]string, error) {
	plan := &Plan{Schema: PlanSchema}
	var manifests []string
	jobs, results := map[string]Job{}, map[string]Result{}
	planned, from := map[string]string{}, map[string]string{}
	for _, folder := range folders {
		part, err := ReadPlan(folder)
		if err != nil {
			return nil, nil, nil, err
		}
		if !slices.Contains(manifests, part.Manifest) {
			manifests = append(manifests, part.Manifest)
		}
		for _, j := range part.Jobs {
			known, is := jobs[j.Name]
			if is && !reflect.DeepEqual(known, j) {
				return nil, nil, nil, fmt.Errorf("%s: the job %q is another one than in %s; run the shards with one and the same manifest", folder, j.Name, planned[j.Name])
			}
			if !is {
				jobs[j.Name], planned[j.Name] = j, folder
				plan.Jobs = append(plan.Jobs, j)
			}
		}
		found, err := ReadResults(folder)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, r := range found {
			other, is := results[r.Job.Name]
			if is && other.Status.Answered() && r.Status.Answered() && other.Key != r.Key {
				return nil, nil, nil, fmt.Errorf("%s: the model or the version of inev for the job %q is another one than in %s; run the older of them again", folder, r.Job.Name, from[r.Job.Name])
			}
			if !is || !other.Status.Answered() && r.Status.Answered() {
				results[r.Job.Name], from[r.Job.Name] = r, folder
			}
		}
	}
	plan.Manifest = strings.Join(manifests, ", ")
	return plan, results, from, nil
}

// copyFile copies a file of a job from one folder of results to another.
func copyFile(ctx context.Context, from, to, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return fmt.Errorf("%s: the file %q of a result is outside of the folder; this was not written by inev", from, name)
	}
	source := filepath.Join(from, local)
	in, err := os.Open(source)
	if err != nil {
		return aut.FileError(source, err)
	}
	defer in.Close()
	target := filepath.Join(to, local)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return folderError(to, err)
	}
	out, err := os.Create(target)
	if err != nil {
		return folderError(to, err)
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return folderError(target, err)
	}
	if err := out.Close(); err != nil {
		return folderError(target, err)
	}
	return nil
}
