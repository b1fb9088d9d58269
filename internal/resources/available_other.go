//go:build !linux

package resources

// systemLimits returns nil: this system has no limits that inev reads.
func systemLimits() []Limit { return nil }

// Addresses returns nil: this system has no limits that inev reads.
func Addresses() error { return nil }

// resident returns false: inev does not read the resident memory on this system.
func resident() (size int64, ok bool) { return 0, false }
