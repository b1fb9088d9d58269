package resources

import (
	"math"
	"os"
	"syscall"
)

func systemLimits() []Limit {
	limits := linuxLimits(os.DirFS("/"))
	var space syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &space); err == nil && space.Cur < math.MaxInt64 {
		limits = append(limits, Limit{int64(space.Cur), "allowed by ulimit -v"})
	}
	return limits
}
