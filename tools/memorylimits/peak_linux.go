package main

import (
	"errors"
	"os"
	"syscall"
)

// peakOf returns the maximum resident set size of a process that has ended, from wait4(2).
func peakOf(s *os.ProcessState) (int64, error) {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("the system does not report the memory of the process")
	}
	return int64(usage.Maxrss) << 10, nil
}
