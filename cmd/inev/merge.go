//go:build !js

package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

func mergeCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "merge",
		Usage:     "join the results of several batches, such as shards",
		ArgsUsage: "DIR...",
		Description: `Each DIR is a folder of results of inev batch. Joins them in the folder that -o names,
with the files of the jobs and the summaries: all shards of a manifest together give
what one run gives.

The exit code is the same as for inev batch. Unless --fail-on is none, it is also 1
if a job has no result in any folder because a run was interrupted or a shard is
missing.`,
		Flags: slices.Concat([]cli.Flag{
			value(resultFlags, "o", "keep results in the folder `DIR` (default: "+resultsFolder+")"),
			value(resultFlags, "format", "summary on standard output: `FORMAT` is text, json or markdown"),
		}, judgement(), []cli.Flag{
			toggle(batchFlags, "force", "remove the results in the folder first"),
		}, batchControl()),
		Action: batchAction(p, mergeResults),
	},
		`inev merge shard1 shard2`,
		`inev merge shard1 shard2 -o results --fail-on any`)
}

func mergeResults(j *job) error {
	if len(j.operands) == 0 {
		return j.refuse("DIR missing; name the folders of results, such as shard1 shard2")
	}
	if _, err := j.batchFormat(); err != nil {
		return err
	}
	begin, err := j.begin()
	if err != nil {
		return err
	}
	judge, err := j.readJudgement()
	if err != nil {
		return err
	}
	folder := j.folder()
	out, err := batch.Merge(j.ctx, j.operands, batch.Settings{Folder: folder, Begin: begin, Version: version()})
	if err != nil {
		return j.interrupted(err, fmt.Sprintf("%s is not complete; the same with --force begins afresh", folder))
	}
	missing := len(out.Jobs) - len(out.Results)
	if missing > 0 {
		j.warn([]string{fmt.Sprintf("%s of %d without a result in any of the folders; finish their runs by --resume, or add the missing folders", printable.Quantity(missing, "job"), len(out.Jobs))})
		out.Results = withMissing(out)
	}
	err = j.conclude(out, folder, judge, "--force")
	if err == nil && missing > 0 && judge.gate != "none" {
		return errFailing
	}
	return err
}

// withMissing returns the results of all jobs, so that summaries do not pass over
// those that have none: these are errors. The folder's journal does not have them.
func withMissing(out *batch.Outcome) []batch.Result {
	of := make(map[string]batch.Result, len(out.Results))
	for _, r := range out.Results {
		of[r.Job.Name] = r
	}
	all := make([]batch.Result, 0, len(out.Jobs))
	for _, job := range out.Jobs {
		r, is := of[job.Name]
		if !is {
			r = batch.Result{
				Schema: batch.ResultSchema, Job: job, Status: batch.Failed,
				Error: "no result in any of the folders; finish the run by --resume, or add the folder that lacks",
			}
		}
		all = append(all, r)
	}
	return all
}
