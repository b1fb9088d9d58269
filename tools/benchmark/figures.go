package main

import (
	"math/rand/v2"
	"slices"
)

// resamples is the number of samples that each interval is made of.
const resamples = 1_000

// figure is a mean with its confidence interval.
type figure struct{ mean, low, high float64 }

// row has the scores of a method over some trials.
type row struct {
	trials       int
	recall, read figure
	listed       float64
	// rank and median cover only faults with a state that the method lists.
	rank, median float64
}

// summarise returns the scores of one method over some trials.
func summarise(trials []trial, method int, random *rand.Rand) row {
	r := row{trials: len(trials)}
	var ranks []int
	for _, t := range trials {
		x := t.scores[method]
		r.listed += float64(x.listed)
		if x.rank > 0 {
			ranks = append(ranks, x.rank)
			r.rank += float64(x.rank)
		}
	}
	if len(trials) > 0 {
		r.listed /= float64(len(trials))
	}
	if len(ranks) > 0 {
		slices.Sort(ranks)
		r.rank /= float64(len(ranks))
		r.median = (float64(ranks[(len(ranks)-1)/2]) + float64(ranks[len(ranks)/2])) / 2
	}
	r.recall = interval(trials, random, func(t trial) float64 {
		if t.scores[method].rank > 0 {
			return 1
		}
		return 0
	})
	r.read = interval(trials, random, func(t trial) float64 {
		return t.scores[method].read
	})
	return r
}

// interval returns a mean with its 95% interval by resampling models with their properties, not
// single faults, since faults of one model are alike (cluster bootstrap; Davison and Hinkley:
// Bootstrap Methods and their Application, 1997, section 3.8).
func interval(trials []trial, random *rand.Rand, of func(trial) float64) figure {
	sums, counts := map[int]float64{}, map[int]float64{}
	var subjects []int
	total := 0.0
	for _, t := range trials {
		if counts[t.subject] == 0 {
			subjects = append(subjects, t.subject)
		}
		sums[t.subject] += of(t)
		counts[t.subject]++
		total += of(t)
	}
	if len(trials) == 0 {
		return figure{}
	}
	means := make([]float64, resamples)
	for i := range means {
		sum, count := 0.0, 0.0
		for range subjects {
			s := subjects[random.IntN(len(subjects))]
			sum += sums[s]
			count += counts[s]
		}
		means[i] = sum / count
	}
	slices.Sort(means)
	return figure{
		total / float64(len(trials)),
		means[resamples*25/1000],
		means[resamples*975/1000-1],
	}
}
