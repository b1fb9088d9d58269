//go:build !unix

package filesystem

import "io/fs"

// names returns 0, which means unknown: on this system a [fs.FileInfo] does not have the number of names
// (hard links) of a file.
func names(fs.FileInfo) uint64 { return 0 }
