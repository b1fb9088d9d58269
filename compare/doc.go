// Package compare finds the differences between two versions of a model.
//
// States of two versions have no common names, so the versions are compared by their behaviour:
// [Models] decides whether the initial states are bisimilar. If they are not, it finds a shortest
// run of both after which only one can do some label, a formula that distinguishes them, and the
// transitions that were added, removed, redirected or relabelled. [Property] compares the versions
// with respect to a property: at which step of a counterexample of one version the other cannot
// follow.
//
// The invariant that holds inside: a run or a formula that is returned distinguishes the versions;
// if none was found within the limit, none is returned.
package compare
