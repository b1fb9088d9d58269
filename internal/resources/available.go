package resources

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Limit is an amount of memory that the process cannot, or should not, exceed.
type Limit struct {
	Bytes int64
	// By names the source of the limit, in words that follow a number of bytes.
	By string
}

// available returns the tightest limit on the memory of this process: the memory that it has plus
// the memory that is free on the machine, with swap; the limits of its control groups, minus the
// memory of other processes in them; the limit of its address space; and GOMEMLIMIT. ok is false if
// no limit is known, as on systems other than Linux unless GOMEMLIMIT is set. Cost: a few small
// files are read.
func available() (l Limit, ok bool) {
	limits := systemLimits()
	if bytes := debug.SetMemoryLimit(-1); bytes < math.MaxInt64 {
		limits = append(limits, Limit{bytes, byRuntime})
	}
	return tightest(limits)
}

// fromSystem is [available] without GOMEMLIMIT, which [Allowance.Keep] sets itself.
func fromSystem() (l Limit, ok bool) { return tightest(systemLimits()) }

func tightest(limits []Limit) (least Limit, ok bool) {
	for _, l := range limits {
		if !ok || l.Bytes < least.Bytes {
			least, ok = l, true
		}
	}
	return least, ok
}

// linuxLimits reads proc_meminfo(5) and cgroups(7) in the file system of a
// machine. A missing file sets no limit.
func linuxLimits(root fs.FS) []Limit {
	var limits []Limit
	text, _ := fs.ReadFile(root, "proc/self/status")
	own, _ := kilobytes(text, "RssAnon:") // the memory of the process that is not backed by a file
	text, _ = fs.ReadFile(root, "proc/meminfo")
	if free, ok := kilobytes(text, "MemAvailable:"); ok {
		swap, _ := kilobytes(text, "SwapFree:")
		limits = append(limits, Limit{own + free + swap, "available"})
	}
	text, _ = fs.ReadFile(root, "proc/self/cgroup")
	for _, line := range strings.Split(string(text), "\n") {
		// A line is hierarchy:controllers:path; the second version of control
		// groups has no controllers here.
		fields := strings.SplitN(line, ":", 3)
		switch {
		case len(fields) != 3:
		case fields[1] == "":
			limits = append(limits, groupLimits(root, "sys/fs/cgroup", fields[2], second, own)...)
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			limits = append(limits, groupLimits(root, "sys/fs/cgroup/memory", fields[2], first, own)...)
		}
	}
	return limits
}

// version has the names of two files of a version of cgroups(7): the limit of a group, and the
// statistics of its memory, subgroups included.
type version struct{ limit, anonymous string }

var (
	first  = version{"memory.limit_in_bytes", "total_rss"}
	second = version{"memory.max", "anon"}
)

// groupLimits returns the limits of a control group and of its ancestors, minus the memory that
// others in the group hold. Caches are not subtracted, because the kernel frees them when needed.
// In a container, the name of the group may be its name outside the container: then only the root
// is found.
func groupLimits(root fs.FS, mount, group string, v version, own int64) []Limit {
	var limits []Limit
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if text, err := fs.ReadFile(root, path.Join(mount, group, v.limit)); err == nil {
			// "max" is no limit, nor, in the first version, a number near the largest one.
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && n < math.MaxInt64>>1 {
				statistics, _ := fs.ReadFile(root, path.Join(mount, group, "memory.stat"))
				anonymous, _ := number(statistics, v.anonymous+" ", "")
				n -= max(0, anonymous-own)
				limits = append(limits, Limit{max(n, 0), "allowed by the control group"})
			}
		}
		if group == "/" {
			return limits
		}
	}
}

// kilobytes returns the value of a line such as "VmHWM:  1234 kB", in bytes.
func kilobytes(text []byte, name string) (int64, bool) {
	n, is := number(text, name, " kB")
	return n << 10, is
}

// number returns the number in the first line that begins with name, and ends with the unit.
func number(text []byte, name, unit string) (int64, bool) {
	for _, line := range bytes.Split(text, []byte("\n")) {
		if value, is := bytes.CutPrefix(line, []byte(name)); is {
			value, is = bytes.CutSuffix(bytes.TrimSpace(value), []byte(unit))
			n, err := strconv.ParseInt(string(value), 10, 64)
			return n, is && err == nil
		}
	}
	return 0, false
}
