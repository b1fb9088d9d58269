//go:build !linux

package resources

// systemLimits: the system is not asked here.
func systemLimits() []Limit { return nil }

// Addresses returns nil: the system is not asked here.
func Addresses() error { return nil }
