// Package peertest has tests that ask other tools where they are installed: the verdicts
// of inev against those of mCRL2's solver, for the formulas that inev prints.
//
// The invariant that holds inside: a tool that is not there is a reason to skip, what it
// cannot read or does not answer in time is counted and said, and what it answers must agree.
package peertest
