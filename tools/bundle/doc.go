// Package bundle has only tests: the scripts and styles that are built into the pages of inev are up to
// date with their sources. For internal/report/page and internal/batch/summary, the folder bundle is
// made from the folder src.
//
//	go -C tools test ./bundle -update
//
// makes them. The compiler, esbuild, is no part of the program.
//
// The same sources give the same bytes on any machine.
package bundle
