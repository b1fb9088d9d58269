package resources

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
	bytes := debug.SetMemoryLimit(-1)
	if bytes < math.MaxInt64 {
		limits = append(limits, Limit{bytes, byRuntime})
	}
	return tightest(limits)
}

// fromSystem returns the memory that the system allows. In contrast to [available], it ignores
// GOMEMLIMIT, which [Allowance.Keep] sets itself.
func fromSystem() (l Limit, ok bool) { return tightest(systemLimits()) }

func tightest(limits []Limit) (least Limit, ok bool) {
	for _, l := range limits {
		if !ok || l.Bytes < least.Bytes {
			least = l
			ok = true
		}
	}
	return least, ok
}

// linuxLimits reads proc_meminfo(5) and cgroups(7) in the file system of a
// machine. A missing file sets no limit.
func linuxLimits(root fs.FS) []Limit {
	var limits []Limit
	text, _ := fs.ReadFile(root, "proc/self/status")
	ownMemory, _ := kilobytes(text, "RssAnon:") // the memory of the process that is not backed by a file
	text, _ = fs.ReadFile(root, "proc/meminfo")
	if free, ok := kilobytes(text, "MemAvailable:"); ok {
		swap, _ := kilobytes(text, "SwapFree:")
		limits = append(limits, Limit{ownMemory + free + swap, "available"})
	}
	text, _ = fs.ReadFile(root, "proc/self/cgroup")
	for _, line := range strings.Split(string(text), "\n") {
		// A line is hierarchy:controllers:path; the second version of control
		// groups has no controllers here.
		fields := strings.SplitN(line, ":", 3)
		switch {
		case len(fields) != 3:
		case fields[1] == "":
			limits = append(limits,
				groupLimits(root, "sys/fs/cgroup", fields[2], groupsV2, ownMemory)...)
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			limits = append(limits,
				groupLimits(root, "sys/fs/cgroup/memory", fields[2], groupsV1, ownMemory)...)
		}
	}
	return limits
}

// groupVersion has names that differ between the two versions of cgroups(7).
type groupVersion struct {
	// limit is the file with the limit of a group.
	limit string
	// anonymous names the memory that is not backed by a file, subgroups included, in the statistics
	// of a group.
	anonymous string
}

var (
	groupsV1 = groupVersion{limit: "memory.limit_in_bytes", anonymous: "total_rss"}
	groupsV2 = groupVersion{limit: "memory.max", anonymous: "anon"}
)

// groupLimits returns the limits of a control group and of its ancestors, minus the memory that
// others in the group hold: all anonymous memory of the group but the own memory of this process.
// Caches are not subtracted, because the kernel frees them when needed.
// In a container, the name of the group may be its name outside the container: then only the root
// is found.
func groupLimits(root fs.FS, mount, group string, v groupVersion, ownMemory int64) []Limit {
	var limits []Limit
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if limit, isLimited := groupLimit(root, path.Join(mount, group), v, ownMemory); isLimited {
			limits = append(limits, limit)
		}
		if group == "/" {
			return limits
		}
	}
}

// groupLimit returns the limit of the control group whose files are in a folder; false if it has none.
func groupLimit(root fs.FS, folder string, v groupVersion, ownMemory int64) (Limit, bool) {
	text, err := fs.ReadFile(root, path.Join(folder, v.limit))
	if err != nil {
		return Limit{}, false
	}
	// Without a limit, the text is "max" or, in the first version, a number near the largest one.
	const unlimited = math.MaxInt64 >> 1
	bytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || bytes >= unlimited {
		return Limit{}, false
	}
	statistics, _ := fs.ReadFile(root, path.Join(folder, "memory.stat"))
	anonymous, _ := number(statistics, v.anonymous+" ", "")
	ofOthers := max(0, anonymous-ownMemory)
	return Limit{max(bytes-ofOthers, 0), "allowed by the control group"}, true
}

// kilobytes returns the value of a line such as "VmHWM:  1234 kB", in bytes.
func kilobytes(text []byte, name string) (int64, bool) {
	n, isFound := number(text, name, " kB")
	return n << 10, isFound
}

// number returns the number between the name and the unit in the first line that begins with name; false
// if there is no such line, or if it does not have this form.
func number(text []byte, name, unit string) (int64, bool) {
	for _, line := range bytes.Split(text, []byte("\n")) {
		value, isNamed := bytes.CutPrefix(line, []byte(name))
		if !isNamed {
			continue
		}
		value, hasUnit := bytes.CutSuffix(bytes.TrimSpace(value), []byte(unit))
		n, err := strconv.ParseInt(string(value), 10, 64)
		return n, hasUnit && err == nil
	}
	return 0, false
}

// Allowance is the memory that a user allows the process to take: the zero value is the amount that
// the system allows.
type Allowance struct {
	unlimited bool
	limit     Limit // the limit that the user gave; its Bytes are 0 for what the system allows
}

// leastMemory is the smallest limit, in bytes, that is accepted: a user who gives a smaller number
// has probably forgotten the unit.
const leastMemory = 100_000

// ParseAllowance reads the value of a flag --memory: a size, "none", or "" for what the system
// allows. The errors begin with the flag.
func ParseAllowance(text string) (Allowance, error) {
	switch text {
	case "":
		return Allowance{}, nil
	case "none":
		return Allowance{unlimited: true}, nil
	}
	bytes, err := ParseSize(text)
	if err != nil {
		return Allowance{}, fmt.Errorf("--memory %w, nor none", err)
	}
	if bytes < leastMemory {
		return Allowance{}, fmt.Errorf("--memory %s is too little for any model; is a unit missing, as in 6GB?", text)
	}
	return Allowance{limit: Limit{Bytes: bytes, By: "allowed by --memory"}}, nil
}

// Keep returns a context that carries the budget of the allowance, and sets the limit of the garbage
// collector accordingly; forget restores that limit. A budget of what the system allows follows the
// changes of that amount. If the amount is unknown, Keep returns ctx and sets no limit. If the allowance
// is unlimited, it returns ctx and lifts GOMEMLIMIT.
func (a Allowance) Keep(ctx context.Context) (budgeted context.Context, forget func()) {
	if a.unlimited {
		before := debug.SetMemoryLimit(math.MaxInt64)
		return ctx, func() { debug.SetMemoryLimit(before) }
	}
	limit := a.limit
	var currentLimit func() (Limit, bool) // nil if the limit does not change
	if limit.Bytes == 0 {
		var isKnown bool
		limit, isKnown = withReserve(available())
		if !isKnown {
			return ctx, func() {}
		}
		if limit.By != byRuntime {
			currentLimit = func() (Limit, bool) { return withReserve(fromSystem()) }
		}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, collectAt(limit.Bytes)))
	return NewBudget(limit, currentLimit).With(ctx), func() {
		debug.SetMemoryLimit(before)
	}
}

// byRuntime is the source of the limit of Go's runtime.
const byRuntime = "allowed by GOMEMLIMIT"

// withReserve takes a sixteenth off the amount that the system allows: if the process took all of
// it, the system would kill the process without a message.
func withReserve(l Limit, known bool) (Limit, bool) {
	if known && l.By != byRuntime {
		l.Bytes -= l.Bytes / 16
	}
	return l, known
}

// collectAt returns the limit for Go's garbage collector: less than limit, since the program itself
// and memory that Go does not manage count, too.
func collectAt(limit int64) int64 {
	const program = 24 << 20
	return max(limit-max(limit/16, program), limit/2)
}

// ParseSize reads an amount of memory such as 6GB, 1.5GB or 512MiB: with a unit, or as a number of
// bytes. It fails for a text that is no size above zero.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BGKMTbgikmt ")
	number, err := strconv.ParseFloat(digits, 64)
	unit := map[string]float64{
		"":    1,
		"b":   1,
		"kb":  1e3,
		"mb":  1e6,
		"gb":  1e9,
		"tb":  1e12,
		"k":   1e3,
		"m":   1e6,
		"g":   1e9,
		"t":   1e12,
		"kib": 1 << 10,
		"mib": 1 << 20,
		"gib": 1 << 30,
		"tib": 1 << 40,
	}[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	bytes := number * unit
	if err != nil || !(bytes >= 1 && bytes <= math.MaxInt64/2) { // NaN is neither
		return 0, fmt.Errorf("%s is not a size above zero, such as 500MB or 6GB", text)
	}
	return int64(bytes), nil
}

// taken returns the memory that the process takes at this moment: the resident memory or the memory
// that Go's runtime has requested and not given back, whichever is more. The memory of the runtime
// includes arrays that are not written to yet; the resident memory includes that of code other than
// Go, such as a sandbox. Cost: some microseconds, without stopping goroutines.
func taken() int64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	bytes := int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
	if now, ok := resident(); ok {
		bytes = max(bytes, now)
	}
	return bytes
}

// Usage is the memory that the process took, in bytes.
type Usage struct {
	// Peak is the largest resident memory so far, if the system reports it; otherwise all memory
	// that Go's runtime has requested.
	Peak int64
	// PeakHeap is the largest size of Go's heap so far, as runtime.MemStats.HeapSys estimates it.
	PeakHeap int64
}

// Used returns the memory taken so far. Cost: it stops the goroutines for some microseconds.
func Used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := Usage{Peak: int64(m.Sys), PeakHeap: int64(m.HeapSys)}
	if peak, ok := peakResident(); ok {
		u.Peak = peak
	}
	return u
}
