package summary

import "github.com/inev-lts/inev/internal/testing/samplebatch"

// sample is a batch in which everything occurs.
func sample() Batch {
	return Batch{Manifest: "ci/nightly.yaml", Version: "1.4.0", Results: samplebatch.Results(), Differences: samplebatch.Differences()}
}

// many is a batch of n jobs.
func many(n int) Batch { return Batch{Manifest: "many.csv", Results: samplebatch.Many(n)} }
