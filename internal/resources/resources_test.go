package resources

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func TestLinuxLimits(t *testing.T) {
	const meminfo = "MemTotal:  24000000 kB\nMemFree:  100 kB\nMemAvailable:   1000 kB\nSwapTotal: 9 kB\nSwapFree:   24 kB\n"
	machine := Limit{1024 << 10, "available"}
	group := func(n int64) Limit { return Limit{n, "allowed by the control group"} }
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []Limit
	}{
		{"nothing", nil, nil},
		{"machine", map[string]string{"proc/meminfo": meminfo}, []Limit{machine}},
		{"no swap", map[string]string{"proc/meminfo": "MemAvailable: 7 kB\n"}, []Limit{{7 << 10, "available"}}},
		{"old kernel", map[string]string{"proc/meminfo": "MemFree: 7 kB\n"}, nil},
		{"damaged", map[string]string{"proc/meminfo": "MemAvailable: many kB\n"}, nil},
		{"second version", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/inev\n",
			"sys/fs/cgroup/user/inev/memory.max": "5000\n", "sys/fs/cgroup/user/memory.max": "4000\n",
		}, []Limit{machine, group(5000), group(4000)}},
		{"no limit", map[string]string{
			"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
		}, nil},
		{"container", map[string]string{
			"proc/self/cgroup": "0::/../../outside\n", "sys/fs/cgroup/memory.max": "6000\n",
		}, []Limit{group(6000)}},
		{"others", map[string]string{
			"proc/meminfo": meminfo, "proc/self/status": "RssAnon:\t     10 kB\n", "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "900000\n", "sys/fs/cgroup/a/memory.stat": "anon 110240\nfile 700000\n",
			"sys/fs/cgroup/memory.max": "50000\n", "sys/fs/cgroup/memory.stat": "file 9\nanon 610240\n",
		}, []Limit{{1034 << 10, "available"}, group(800000), group(0)}},
		{"others, first version", map[string]string{
			"proc/self/cgroup": "4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "900000\n",
			"sys/fs/cgroup/memory/a/memory.stat": "cache 5\nrss 5\ntotal_rss 100000\n",
		}, []Limit{group(800000)}},
		{"first version", map[string]string{
			"proc/self/cgroup": "9:cpu,cpuacct:/x\n5:memory:/docker/1\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "7000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":        "1\n",
		}, []Limit{group(7000)}},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := linuxLimits(root); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTightest(t *testing.T) {
	if _, ok := tightest(nil); ok {
		t.Error("a limit where there is none")
	}
	if l, ok := tightest([]Limit{{5, "a"}, {3, "b"}, {4, "c"}}); !ok || l != (Limit{3, "b"}) {
		t.Errorf("%v, %v", l, ok)
	}
}

// TestMemoryLimitOfGo: a limit far below what any machine has left is the one.
func TestMemoryLimitOfGo(t *testing.T) {
	before := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(before)
	if l, ok := available(); !ok || l != (Limit{64 << 20, "allowed by GOMEMLIMIT"}) {
		t.Errorf("%v, %v", l, ok)
	}
}

// TestUsed: a peak is no smaller than what was taken when it was told, and does not sink when
// memory is given back. It is compared with what the kernel said was resident at the time, not
// with what was asked for: under load pages are taken away again before anybody counts them.
func TestUsed(t *testing.T) {
	const size = 128 << 20
	// The kernel counts pages a few at a time, for each processor.
	const inexact = size / 2
	block := make([]byte, size)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	then, known := resident()
	after := Used()
	runtime.KeepAlive(block)
	if after.PeakHeap < size || known && after.Peak < then-inexact {
		t.Errorf("%d bytes are resident, and the peak is %+v", then, after)
	}
	block = nil
	debug.FreeOSMemory()
	if freed := Used(); freed.PeakHeap < size || known && freed.Peak < then-inexact {
		t.Errorf("%d bytes were resident, and the peak sank from %+v to %+v", then, after, freed)
	}
}
