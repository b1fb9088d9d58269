package randomlts

import (
	"os"
	"testing"
)

// A bulk test runs all its cases if CI is set, otherwise one in inHaste of them,
// and with -short one in inShort, or in fewInShort if there are few, because each
// of these takes long.
const inHaste, inShort, fewInShort, few = 5, 40, 20, 50

// Share returns how many of n seeds a test runs: all of them if [Whole], and
// otherwise a part, so that a developer gets an answer soon. Cost O(1).
func Share(n uint64) uint64 {
	switch {
	case testing.Short():
		return max(n/inShort, min(n/fewInShort, few), 1)
	case !Whole():
		return max(n/inHaste, min(n, few))
	}
	return n
}

// Whole reports whether bulk tests run all their cases: the environment variable
// CI is set, without -short. Only then may a test check how many cases of a kind
// it has seen.
func Whole() bool { return os.Getenv("CI") != "" && !testing.Short() }
