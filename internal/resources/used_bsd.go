//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package resources

import (
	"runtime"
	"syscall"
)

// peakResident returns the maximum resident set size of getrusage(2), which
// Darwin tells in bytes and the others in kilobytes.
func peakResident() (bytes int64, ok bool) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, false
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss), true
	}
	return int64(usage.Maxrss) << 10, true
}
