// Package peertest has tests that compare the verdicts of inev with the verdicts of mCRL2's solver,
// if it is installed, for the formulas that inev prints. A test is skipped if the tool is missing;
// inputs that the tool cannot read or does not answer in time are counted and reported. Every
// answer must agree.
package peertest
