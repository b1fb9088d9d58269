package batch

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Worker does jobs: on this machine, as [Work] does, or by asking others. Do is called
// by many goroutines.
//
// A result tells all that a job has met, as that of [Do] does. Where ctx is done, its
// status is [Canceled]. The files that it names are in the folder of results before
// Do returns.
type Worker interface {
	Do(ctx context.Context, j Job) Result
}

// Do does one job here, as the function [Do] does.
func (w Work) Do(ctx context.Context, j Job) Result { return Do(ctx, j, w) }

// worker returns who does the jobs of a run.
func (s *Settings) worker() Worker {
	if s.Worker != nil {
		return s.Worker
	}
	return Work{
		Folder: s.Folder, Wanted: s.Wanted, Version: s.Version,
		Timeout: s.Timeout, Memory: s.Memory, Workers: s.readers(), Models: s.models, Engine: s.engine,
		Words: s.Words, Command: s.Command, root: s.root,
	}
}

// delegate gives jobs to a worker elsewhere, by their priorities and the dearest first (longest processing time
// first, as [Shard.Of] deals them): one that begins last must not be waited for alone.
func (s *Settings) delegate(ctx context.Context, todo []Job, results chan<- Result) {
	costs := costsOf(todo)
	order := make([]int, len(todo))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(todo[b].Priority, todo[a].Priority), cmp.Compare(costs[b], costs[a]))
	})
	// All wait in a buffer, so that who takes one goes on with it at once: in this order.
	next := make(chan Job, len(todo))
	for _, i := range order {
		next <- todo[i]
	}
	close(next)
	var asking sync.WaitGroup
	for range s.Parallel {
		asking.Add(1)
		go func() {
			defer asking.Done()
			for j := range next {
				if ctx.Err() != nil {
					return
				}
				if r := s.Worker.Do(ctx, j); r.Status != Canceled {
					results <- r
				}
			}
		}()
	}
	asking.Wait()
}
