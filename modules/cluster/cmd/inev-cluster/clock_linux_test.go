package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// clocksVariable is the environment variable that asks for clocks that jump. The programs
// are built anew for that, with another time.Now, which takes minutes the first time.
const clocksVariable = "INEV_CLUSTER_CLOCKS"

// clockVariable names the file, to a process, with the seconds by which its clock is wrong.
const clockVariable = "INEV_TEST_CLOCK"

// clocks are those of the processes of a history, which can be set while they run.
type clocks struct {
	folder string // of the programs
	files  map[string]string
}

// wrongClock is what time.Now of these programs adds.
const wrongClock = `
// clockOffset is in a file, from which it is read each time.
var clockOffset = mapClock()

func mapClock() *int64 {
	path, asked := syscall.Getenv("` + clockVariable + `")
	if !asked {
		return new(int64)
	}
	file, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	text, err := syscall.Mmap(file, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return (*int64)(unsafe.Pointer(&text[0]))
}
`

// newClocks builds the programs with clocks that can be set; nil if nobody asks for them.
func newClocks(t *testing.T) *clocks {
	t.Helper()
	if os.Getenv(clocksVariable) == "" {
		t.Logf("no clock jumps in this history: %s=1 asks for it", clocksVariable)
		return nil
	}
	root, err := golden.Command(t, "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	changed := string(text)
	for old, now := range map[string]string{
		"func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n": "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n\tsec += *clockOffset\n",
		"\t_ \"unsafe\"": "\t\"syscall\"\n\t\"unsafe\"",
	} {
		if strings.Count(changed, old) != 1 {
			t.Fatalf("%s has not %q once; it is of another version of Go than this test knows (%s)", original, old, runtime.Version())
		}
		changed = strings.Replace(changed, old, now, 1)
	}
	// The same place each time, so that what is built is found again.
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "inev-clocks")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: filepath.Join(cache, "time.go")}})
	if err != nil {
		t.Fatal(err)
	}
	c := &clocks{t.TempDir(), map[string]string{}}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"time.go": changed + wrongClock, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(cache, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(c.folder, "program")
	build := golden.CommandWithin(t, 15*time.Minute, "go", "test", "-c", "-overlay", filepath.Join(cache, "overlay.json"), "-o", program, ".")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{"jetstream", "inev-cluster"} {
		if err := os.Symlink(program, filepath.Join(c.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// set lets the clock of a process be wrong by so long.
func (c *clocks) set(t *testing.T, name string, by time.Duration) {
	t.Helper()
	f, err := os.OpenFile(c.files[name], os.O_WRONLY, 0)
	if err == nil {
		err = binary.Write(f, binary.NativeEndian, int64(by/time.Second))
		_ = f.Close()
	}
	if err != nil {
		t.Error(err)
	}
}

// skewed starts a process with a clock of its own, where there are such.
func (h *history) skewed(name string, args ...string) *process {
	h.t.Helper()
	if h.clocks == nil {
		return h.process(name, args...)
	}
	h.clocks.files[name] = h.write(name+".clock", string(make([]byte, 8)))
	for i, word := range args {
		if word == "jetstream" || word == "inev-cluster" {
			args[i] = filepath.Join(h.clocks.folder, word)
		}
	}
	return h.process(name, append([]string{"env", clockVariable + "=" + h.clocks.files[name]}, args...)...)
}

// jump sets the clock of a server, or of a worker, wrong by up to three hours, for some time.
func (h *history) jump(p *process, long time.Duration) string {
	if h.clocks == nil {
		return ""
	}
	by := time.Duration(h.draw.IntN(6*3600)-3*3600) * time.Second
	h.clocks.set(h.t, p.name, by)
	h.hold(long)
	h.clocks.set(h.t, p.name, 0)
	return "a clock jumps"
}
