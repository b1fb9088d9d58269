package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
func Merge(ctx context.Context, folders []string, s Settings) (*Outcome, error) {
	if err := apart(folders, s.Folder); err != nil {
		return nil, err
	}
	plan, results, from, err := join(ctx, folders)
	if err != nil {
		return nil, err
	}
	for _, j := range plan.Jobs {
		if r, is := results[j.Name]; is {
			if err := checkFiles(ctx, from[j.Name], &r); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return nil, remedy.New(err, err, "; run the batch again ", remedy.Resume, " ", remedy.InFolder, " ", from[j.Name], ", which does its job anew")
			}
			results[j.Name] = r
		}
	}
	plan.Version, plan.Journal = s.Version, commitSchema
	root, err := claim(ctx, s.Folder, s.Begin)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// The plan comes first: it marks the folder as one of results.
	if err := writePlan(root, plan); err != nil {
		return nil, err
	}
	out := &Outcome{Plan: *plan, Jobs: plan.Jobs, Results: inOrder(plan.Jobs, results)}
	for i := range out.Results {
		r := &out.Results[i]
		for _, name := range r.Files {
			if err := copyFile(ctx, from[r.Job.Name], root, name); err != nil {
				return nil, err
			}
		}
	}
	if err := mergeModels(ctx, out.Results, from, root); err != nil {
		return nil, err
	}
	j := &journal{folder: root}
	if err := j.syncFiles(out.Results); err != nil {
		return nil, err
	}
	if _, err := rewriteJournal(root, out.Results, true); err != nil {
		return nil, err
	}
	return out, out.remember(root)
}

// apart returns an error if the folder to be written is one of those to be read, even by another
// path.
func apart(folders []string, target string) error {
	to, err := os.Stat(target)
	if err != nil {
		return nil // the target is new
	}
	for _, folder := range folders {
		if from, err := os.Stat(folder); err == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s: is one of the folders that are joined; choose another one with -o", target)
		}
	}
	return nil
}

// join reads folders, and returns their jobs and results, with the folder that each result comes
// from.
func join(ctx context.Context, folders []string) (*Plan, map[string]Result, map[string]string, error) {
	plan := &Plan{Schema: PlanSchema}
	var manifests []string
	jobs, results := map[string]Job{}, map[string]Result{}
	planned, from := map[string]string{}, map[string]string{}
	for _, folder := range folders {
		for _, name := range []string{planName, journalName} {
			if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
				continue // readPlan reports what is missing
			}
			if _, err := inside(folder, name); err != nil {
				return nil, nil, nil, err
			}
		}
		part, err := readPlan(ctx, folder)
		if err != nil {
			return nil, nil, nil, err
		}
		if !slices.Contains(manifests, part.Manifest) {
			manifests = append(manifests, part.Manifest)
		}
		for _, j := range part.Jobs {
			known, is := jobs[j.Name]
			if is && !bytes.Equal(known.stored(), j.stored()) {
				return nil, nil, nil, fmt.Errorf("%s: the job %q is another one than in %s; run the shards with one and the same manifest", folder, j.Name, planned[j.Name])
			}
			if !is {
				jobs[j.Name], planned[j.Name] = j, folder
				plan.Jobs = append(plan.Jobs, j)
			}
		}
		found, err := ReadResults(ctx, folder)
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
func copyFile(ctx context.Context, from string, to filesystem.Folder, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	source, err := inside(from, name)
	if err != nil {
		return err
	}
	in, err := inputfile.OpenRegular(ctx, source)
	if err != nil {
		return inputfile.FileError(source, err)
	}
	defer in.Close()
	for _, folder := range []string{jobsName, path.Dir(name)} {
		if err := filesystem.RefuseLink(to, folder); err != nil {
			return err
		}
		if err := to.Mkdir(folder); err != nil && !errors.Is(err, fs.ErrExist) {
			return folderError(to.Path(), err)
		}
	}
	err = createFile(to, name, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return folderError(filepath.Join(to.Path(), filepath.FromSlash(name)), err)
	}
	return nil
}
