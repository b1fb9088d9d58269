// Package compare holds what has changed between two versions of a model.
//
// States of two versions have no common names, so that the versions are compared by their
// behaviour: [Models] decides whether the initial states are bisimilar and, if they are not,
// finds a shortest run of both after which one of them can do what the other cannot, a
// formula that parts them, and the transitions that were added, removed, redirected or
// relabelled. [Property] compares what the versions have to do with a property: where a
// counterexample of one of them leaves what the other can do.
//
// The invariant that holds inside: what is said to part two versions does part them, and
// what was not found within the limit is missing, never guessed.
package compare
