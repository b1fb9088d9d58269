package resources

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Limit is an amount of memory that the process cannot, or should not, exceed.
type Limit struct {
	Bytes int64
	// By says what sets the limit, in words that follow a number of bytes.
	By string
}

// Available returns the tightest limit on the memory of this process: what the
// machine has left, swap included; the limits of its control groups and of its
// address space; and GOMEMLIMIT. ok is false where nothing is known, which is so
// on systems other than Linux unless GOMEMLIMIT is set. Cost: a few small files
// are read.
func Available() (l Limit, ok bool) {
	limits := systemLimits()
	if bytes := debug.SetMemoryLimit(-1); bytes < math.MaxInt64 {
		limits = append(limits, Limit{bytes, "allowed by GOMEMLIMIT"})
	}
	return tightest(limits)
}

func tightest(limits []Limit) (least Limit, ok bool) {
	for _, l := range limits {
		if !ok || l.Bytes < least.Bytes {
			least, ok = l, true
		}
	}
	return least, ok
}

// linuxLimits reads what proc_meminfo(5) and cgroups(7) tell in the file system
// of a machine. What is not there sets no limit.
func linuxLimits(root fs.FS) []Limit {
	var limits []Limit
	if text, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		if free, ok := kilobytes(text, "MemAvailable:"); ok {
			swap, _ := kilobytes(text, "SwapFree:")
			limits = append(limits, Limit{free + swap, "available"})
		}
	}
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limits
	}
	for _, line := range strings.Split(string(text), "\n") {
		// hierarchy:controllers:path; the second version has no controllers here.
		fields := strings.SplitN(line, ":", 3)
		switch {
		case len(fields) != 3:
		case fields[1] == "":
			limits = append(limits, groupLimits(root, "sys/fs/cgroup", fields[2], "memory.max")...)
		case hasWord(fields[1], "memory"):
			limits = append(limits, groupLimits(root, "sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes")...)
		}
	}
	return limits
}

func hasWord(list, word string) bool {
	for _, w := range strings.Split(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// groupLimits returns the limits of a control group and of those around it. In a
// container, the group may be named as seen from outside: then only the root is
// found. What the groups use already is not taken off, since most of that is
// caches which are given up when needed.
func groupLimits(root fs.FS, mount, group, file string) []Limit {
	var limits []Limit
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if text, err := fs.ReadFile(root, path.Join(mount, group, file)); err == nil {
			// "max", and in the first version a number near the largest, is no limit.
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && n < math.MaxInt64>>1 {
				limits = append(limits, Limit{n, "allowed by the control group"})
			}
		}
		if group == "/" {
			return limits
		}
	}
}

// kilobytes returns the value of a line such as "VmHWM:  1234 kB", in bytes.
func kilobytes(text []byte, name string) (int64, bool) {
	for _, line := range bytes.Split(text, []byte("\n")) {
		value, is := bytes.CutPrefix(line, []byte(name))
		if !is {
			continue
		}
		value, is = bytes.CutSuffix(bytes.TrimSpace(value), []byte(" kB"))
		n, err := strconv.ParseInt(string(value), 10, 64)
		return n << 10, is && err == nil
	}
	return 0, false
}
