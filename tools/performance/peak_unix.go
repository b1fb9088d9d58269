//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the largest resident memory of a process that has ended, in bytes: the maximum
// resident set size of getrusage(2), which is in bytes on Darwin and in kilobytes elsewhere. It
// is 0 if that is unknown.
func peakOf(p *os.ProcessState) int64 {
	usage, is := p.SysUsage().(*syscall.Rusage)
	if !is {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
