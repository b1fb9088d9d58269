// Package citest holds tests only: of the workflows in docs/ci that projects copy,
// of what docs/ci.md says about them, and of how inev is released and put into a
// container.
//
// The invariant that holds inside: what a document tells people to run is run
// here, with the inev of the working copy instead of a released one, and with
// stand-ins for what only a host of code has.
package citest
