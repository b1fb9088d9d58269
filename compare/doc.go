// Package compare finds what has changed between two versions of a model.
//
// States of two versions have no common names, so the versions are compared by their behaviour:
// [Models] decides whether the initial states are bisimilar. If they are not, it finds a shortest
// run of both after which one can do what the other cannot, a formula that distinguishes them, and
// the transitions that were added, removed, redirected or relabelled. [Property] compares the
// versions with respect to a property: where a counterexample of one version leaves what the other
// can do.
//
// The invariant that holds inside: what is returned as distinguishing two versions does distinguish
// them; what was not found within the limit is missing, never guessed.
package compare
