//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package batch

import "os"

// lock: there is no lock here that ends with the process in every case.
func lock(*os.File) error { return nil }
