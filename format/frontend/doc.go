// Package frontend makes models of specifications by the tools that are installed: mCRL2,
// TLC, CADP, and SpinS with LTSmin. It is the one place that runs programs.
//
// A tool gets a list of arguments and never a shell, works in a temporary folder of its own,
// and is ended together with the programs that it started, when the time or memory is used up.
// A model that was made is kept in a cache, if there is one, by what it was made of.
//
// The invariant that holds inside: when a call returns, no program that it started runs, and
// its temporary folder holds nothing but models that were made.
package frontend
