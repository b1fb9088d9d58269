// Package frontend makes models of specifications by the tools that are
// installed: mCRL2, TLC, CADP, and SpinS with LTSmin. It is the only package that
// runs programs.
//
// A tool gets a list of arguments and never a shell, works in a temporary folder
// of its own, and is ended, with all programs that it started, at the limit of
// time or memory. A model is kept in a cache, if there is one, under a key of
// everything that it was made from.
//
// The invariant that holds inside: when a call returns, no program that it
// started runs, and its temporary folder holds only models that were made.
package frontend
