package resources

import (
	"bytes"
	"os"
	"strconv"
)

// resident returns the resident memory, the second number of proc_pid_statm(5).
func resident() (size int64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
