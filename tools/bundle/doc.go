// Package bundle holds tests only: that the scripts and styles that are built into the
// pages of inev are what their sources give, for report/page and batch/summary the files
// of the folder bundle what the folder src gives.
//
//	go -C tools test ./bundle -update
//
// makes them. The compiler, esbuild, is for this only, so that it is no part of the
// program.
//
// The invariant that holds inside: the same sources give the same bytes on any machine.
package bundle
