//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package resources

import (
	"runtime"
	"syscall"
)

// peakResident returns the maximum resident set size of getrusage(2), which is in
// bytes on Darwin and in kilobytes on other systems.
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
