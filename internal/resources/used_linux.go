package resources

import "os"

// peakResident returns the high-water mark of the resident memory, VmHWM of proc_pid_status(5). The
// maximum of getrusage(2) would not be that of this program alone, since a process inherits it from
// its parent.
func peakResident() (bytes int64, ok bool) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	return kilobytes(text, "VmHWM:")
}
