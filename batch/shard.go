package batch

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Shard is a part of the jobs of a manifest: number Index, from 1, of Count. The
// zero value stands for all jobs.
type Shard struct{ Index, Count int }

// Set sets a shard that is written as 2/3.
func (s *Shard) Set(text string) error {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || n < i {
		return fmt.Errorf("%s is no shard; write its number and how many there are, such as 1/3", text)
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

// Of returns the jobs of the shard, in their order. Each job is in one of the shards
// of a count. Which one depends on nothing but the jobs and the sizes of the models'
// files: the largest models are dealt first, each to the shard that has the least to
// do (longest processing time first: Graham, Bounds on multiprocessing timing
// anomalies, SIAM J. Appl. Math. 17, 1969). Jobs of one model stay together, so that
// it is read once, unless they are more than half of what a shard has to do. Cost
// O(n log n), and a system call for each model.
func (s Shard) Of(jobs []Job) []Job {
	if s.Count <= 1 {
		return jobs
	}
	var mine []Job
	for i, shard := range deal(jobs, costsOf(jobs), s.Count) {
		if shard == s.Index-1 {
			mine = append(mine, jobs[i])
		}
	}
	return mine
}

// costsOf estimates how dear jobs are, in a unit of its own: the size of the model's file
// for each step of the formula.
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

// deal returns the shard, from 0, of each job.
func deal(jobs []Job, costs []int64, count int) []int {
	type hand struct {
		jobs []int
		cost int64
	}
	var hands []*hand
	var total int64
	of := map[modelKey]*hand{}
	for i, j := range jobs {
		h := of[keyOf(j)]
		if h == nil {
			h = &hand{}
			of[keyOf(j)] = h
			hands = append(hands, h)
		}
		h.jobs = append(h.jobs, i)
		h.cost += costs[i]
		total += costs[i]
	}
	var dealt []*hand
	for _, h := range hands {
		if h.cost <= total/int64(2*count) {
			dealt = append(dealt, h)
			continue
		}
		for _, i := range h.jobs {
			dealt = append(dealt, &hand{[]int{i}, costs[i]})
		}
	}
	slices.SortStableFunc(dealt, func(a, b *hand) int { return cmp.Compare(b.cost, a.cost) })
	loads := make([]int64, count)
	shards := make([]int, len(jobs))
	for _, h := range dealt {
		least := 0
		for i, load := range loads {
			if load < loads[least] {
				least = i
			}
		}
		loads[least] += h.cost
		for _, i := range h.jobs {
			shards[i] = least
		}
	}
	return shards
}
