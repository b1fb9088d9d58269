package resources

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

func systemLimits() []Limit {
	limits := linuxLimits(os.DirFS("/"))
	if allowed, taken, limited := addressSpace(); limited {
		limits = append(limits, Limit{max(1, allowed-taken-threads), "allowed by ulimit -v"})
	}
	return limits
}

// threads is the address space that threads reserve besides the memory in use, each for a stack and
// for C's allocations.
const threads = 1 << 30

// addressSpace returns how many bytes of addresses ulimit -v allows, and how many
// are reserved beyond the memory in use: Go and C reserve far more than they use,
// and all of it counts. limited is false if there is no limit.
func addressSpace() (allowed, taken int64, limited bool) {
	var space syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &space); err != nil || space.Cur > math.MaxInt64 {
		return 0, 0, false
	}
	size, resident, _ := mapped()
	return int64(space.Cur), max(0, size-resident), true
}

// mapped returns the size of all memory and of the resident memory, the first numbers of proc_pid_statm(5).
func mapped() (size, resident int64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident)
	}
	page := int64(os.Getpagesize())
	return size * page, resident * page, err == nil
}

// leastAddresses is the address space that must be free at the start: with less, Go crashes and
// prints the stacks of all goroutines.
const leastAddresses = 1 << 30

// Addresses returns an error if the system allows the process too few addresses
// to work at all (ulimit -v).
func Addresses() error {
	allowed, taken, limited := addressSpace()
	if !limited || allowed-taken >= leastAddresses {
		return nil
	}
	return fmt.Errorf("ulimit -v allows %d MB of addresses, of which %d MB are reserved already: allow at least 4,000 MB (ulimit -v 4000000), or limit the memory by a control group instead",
		allowed/1e6, taken/1e6)
}

// resident returns the resident memory.
func resident() (size int64, ok bool) {
	_, size, ok = mapped()
	return size, ok
}

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
