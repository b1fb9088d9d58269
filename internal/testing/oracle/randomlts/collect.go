package randomlts

import (
	"os"
	"runtime/debug"
	"sync"
)

// garbagePercent is the setting of the garbage collector for tests that draw many models.
const garbagePercent = 400

// collectSeldom makes the process collect garbage less often from its first random model on. Small
// models leave so little alive that the collector would otherwise run thousands of times a minute,
// which takes up to half of the time. A process whose environment has GOGC keeps that setting.
var collectSeldom = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
})
