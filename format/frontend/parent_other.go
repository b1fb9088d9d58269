//go:build unix && !linux

package frontend

import "syscall"

// endedWithParent: the system does not do that here.
func endedWithParent(*syscall.SysProcAttr) {}

// areRunning reports whether there are programs of a group.
func areRunning(group int) bool { return syscall.Kill(-group, 0) == nil }
