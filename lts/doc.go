// Package lts holds labelled transition systems: states, transitions between
// them, and a label on every transition.
//
// An [LTS] is immutable. It is built once, by a [Builder], by [Explore], or by
// [FromRows] or [FromColumns] out of slices that hold it already, and may then
// be shared between goroutines without locks. Its transitions lie in compressed
// rows sorted by source: the transitions that leave a state are two parallel
// slices, labels and targets, in the order they were added. States and
// labels are dense numbers from 0; [State] and [Label] are distinct types, so
// that one is never taken for the other.
//
// The invariant that holds inside: the initial state and every target are
// below NumStates, every label is below the alphabet's Len, row offsets never
// decrease, and the order transitions were added can always be told.
//
// The package knows nothing of files and formulas.
package lts
