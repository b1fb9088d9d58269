//go:build !linux

package resources

// systemLimits returns nil: this system has no limits that inev reads.
func systemLimits() []Limit { return nil }

// Addresses returns nil: this system has no limits that inev reads.
func Addresses() error { return nil }
