//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package resources

// peakResident returns false: inev does not read the peak memory on this system.
func peakResident() (bytes int64, ok bool) { return 0, false }
