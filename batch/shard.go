package batch

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Shard is one of several shares of the jobs of a manifest: number Index, from 1, of Count. The
// zero value is all jobs.
type Shard struct{ Index, Count int }

// Set sets a shard that is written as 2/3.
func (s *Shard) Set(text string) error {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || n < i {
		return fmt.Errorf("%s is not a shard; write its number and how many there are, such as 1/3", text)
	}
	*s = Shard{i, n}
	return nil
}

// String writes a shard as [Shard.Set] reads it, and the zero value as "".
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Of returns the jobs of the shard, in their order. For a fixed Count, each job is in exactly one
// shard. A shard depends only on the jobs and the sizes of the models' files: the largest models
// are assigned first, each to the shard with the least work (longest processing time first: Graham,
// Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17, 1969). Jobs of one model stay
// together, so that it is read once, unless they are more than half of the work of a shard. Cost
// O(n log n), and a system call for each model.
func (s Shard) Of(jobs []Job) []Job {
	if s.Count <= 1 {
		return jobs
	}
	var mine []Job
	for i, shard := range assignShards(jobs, costsOf(jobs), s.Count) {
		if shard == s.Index-1 {
			mine = append(mine, jobs[i])
		}
	}
	return mine
}

// costsOf estimates the relative costs of jobs: the size of the model's file times the number
// of steps of the formula.
func costsOf(jobs []Job) []int64 {
	sizes := map[string]int64{}
	costs := make([]int64, len(jobs))
	for i, j := range jobs {
		size, known := sizes[j.Path]
		if !known {
			size = 1
			if info, err := os.Stat(j.Path); err == nil {
				size += info.Size()
			}
			sizes[j.Path] = size
		}
		costs[i] = size * int64(steps(j))
	}
	return costs
}

// assignShards returns the shard, from 0, of each job, for this number of shards.
func assignShards(jobs []Job, costs []int64, numShards int) []int {
	bundles := bundlesOf(jobs, costs, numShards)
	slices.SortStableFunc(bundles, func(a, b *bundle) int {
		return cmp.Compare(b.cost, a.cost)
	})
	loads := make([]int64, numShards)
	shards := make([]int, len(jobs))
	for _, b := range bundles {
		shard := slices.Index(loads, slices.Min(loads))
		loads[shard] += b.cost
		for _, i := range b.jobs {
			shards[i] = shard
		}
	}
	return shards
}

// bundle has the indices of jobs that go to the same shard, and what these jobs cost together.
type bundle struct {
	jobs []int
	cost int64
}

// bundlesOf returns the jobs of each model as one bundle. The jobs of a model that are more than half of the
// work of a shard are bundles of their own.
func bundlesOf(jobs []Job, costs []int64, numShards int) []*bundle {
	var byModel []*bundle
	var total int64
	bundleOf := map[modelKey]*bundle{}
	for i, j := range jobs {
		key := keyOf(j)
		b := bundleOf[key]
		if b == nil {
			b = &bundle{}
			bundleOf[key] = b
			byModel = append(byModel, b)
		}
		b.jobs = append(b.jobs, i)
		b.cost += costs[i]
		total += costs[i]
	}
	halfOfShard := total / int64(2*numShards)
	var bundles []*bundle
	for _, b := range byModel {
		if b.cost <= halfOfShard {
			bundles = append(bundles, b)
			continue
		}
		for _, i := range b.jobs {
			bundles = append(bundles, &bundle{jobs: []int{i}, cost: costs[i]})
		}
	}
	return bundles
}
