package batch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
)

// Merge joins folders of results, of the shards of a manifest or of different manifests, into the
// folder that s names; of s, only Folder, Begin (Afresh or Replace) and Version count. The jobs of
// the outcome are those of all plans, each once, in the order of their first occurrences; those
// without a result in any of the folders are missing from its results. If several folders have a
// result of a job, a result with a verdict is preferred.
//
// It fails before it writes anything if two folders have different jobs of one name, or answers to
// a job from different inputs, or if a line or a file has changed since it was written. It also
// fails if a folder cannot be read or written to, and if ctx is done. It reads nothing outside of
// the folders: links that lead out of them are refused. Cost O(size of all folders): the files of
// the jobs are read and copied.
func Merge(ctx context.Context, folders []string, s Settings) (out *Outcome, err error) {
	defer abort.Caught(&err)
	keepApart(folders, s.Folder)
	plan, results, from := join(ctx, folders)
	for _, j := range plan.Jobs {
		if r, is := results[j.Name]; is {
			if err := checkFiles(ctx, from[j.Name], &r); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return nil, remedy.New(err, err, "; run the batch again ", remedy.Resume, " ", remedy.InFolder, " ", from[j.Name], ", which does its job anew")
			}
		}
	}
	plan.Version, plan.Journal = s.Version, commitSchema
	root := claim(ctx, s.Folder, s.Begin)
	defer root.Close()
	// The plan comes first: it marks the folder as one of results.
	writePlan(root, plan)
	merged := inOrder(plan.Jobs, results)
	for _, r := range merged {
		for _, name := range r.Files {
			copyFile(ctx, from[r.Job.Name], root, name)
		}
	}
	mergeModels(ctx, merged, from, root)
	j := &journal{folder: root}
	j.syncFiles(merged)
	rewriteJournal(root, merged, true)
	out = &Outcome{Plan: *plan, Jobs: plan.Jobs, Results: merged}
	out.remember(root)
	return out, nil
}

// keepApart fails if the folder to be written is one of those to be read, even by another path.
func keepApart(folders []string, target string) {
	to, err := os.Stat(target)
	if err != nil {
		return // the target is new
	}
	for _, folder := range folders {
		if from, err := os.Stat(folder); err == nil && os.SameFile(from, to) {
			abort.On(fmt.Errorf("%s: is one of the folders that are joined; choose another one with -o", target))
		}
	}
}

// join reads folders, and returns their jobs and results, with the folder that each result comes
// from.
func join(ctx context.Context, folders []string) (plan *Plan, results map[string]Result, from map[string]string) {
	plan, results, from = &Plan{Schema: PlanSchema}, map[string]Result{}, map[string]string{}
	var manifests []string
	jobs, planned := map[string]Job{}, map[string]string{}
	for _, folder := range folders {
		for _, name := range []string{planName, journalName} {
			if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
				continue // readPlan reports what is missing
			}
			inside(folder, name)
		}
		part := readPlan(ctx, folder)
		if !slices.Contains(manifests, part.Manifest) {
			manifests = append(manifests, part.Manifest)
		}
		for _, j := range part.Jobs {
			known, is := jobs[j.Name]
			if is && !bytes.Equal(known.stored(), j.stored()) {
				abort.On(fmt.Errorf("%s: the job %q is another one than in %s; run the shards with one and the same manifest", folder, j.Name, planned[j.Name]))
			}
			if !is {
				jobs[j.Name], planned[j.Name] = j, folder
				plan.Jobs = append(plan.Jobs, j)
			}
		}
		for _, r := range abort.Must(ReadResults(ctx, folder)) {
			other, is := results[r.Job.Name]
			if is && other.Status.Answered() && r.Status.Answered() && other.Key != r.Key {
				abort.On(fmt.Errorf("%s: the model or the version of inev for the job %q is another one than in %s; run the older of them again", folder, r.Job.Name, from[r.Job.Name]))
			}
			if !is || !other.Status.Answered() && r.Status.Answered() {
				results[r.Job.Name], from[r.Job.Name] = r, folder
			}
		}
	}
	plan.Manifest = strings.Join(manifests, ", ")
	return plan, results, from
}

// copyFile copies a file of a job from one folder of results to another.
func copyFile(ctx context.Context, from string, to filesystem.Folder, name string) {
	abort.On(ctx.Err())
	source := inside(from, name)
	in, err := inputfile.OpenRegular(ctx, source)
	if err != nil {
		abort.On(inputfile.FileError(source, err))
	}
	defer in.Close()
	for _, folder := range []string{jobsName, path.Dir(name)} {
		abort.On(filesystem.RefuseLink(to, folder))
		makeMissing(to, folder)
	}
	err = abort.Try(func() {
		createFile(to, name, func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
	})
	abort.On(folderError(filepath.Join(to.Path(), filepath.FromSlash(name)), err))
}
