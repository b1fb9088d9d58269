package randomlts

import (
	"os"
	"testing"
)

// A bulk test runs all its cases if [Whole], otherwise one in inHaste of them, or one in
// fewInHaste if there are few, because each of these takes long.
const inHaste, fewInHaste, few = 40, 20, 50

// Share returns how many of n seeds a test runs: all of them if [Whole], and
// otherwise a part, so that a developer gets an answer soon. Cost O(1).
func Share(n uint64) uint64 {
	collectSeldom()
	if Whole() {
		return n
	}
	return max(n/inHaste, min(n/fewInHaste, few), 1)
}

// Whole reports whether tests run all their cases, and on large models: the environment
// variable CI is set, without -short. Only then may a test check how many cases of a kind
// it has seen.
func Whole() bool { return os.Getenv("CI") != "" && !testing.Short() }
