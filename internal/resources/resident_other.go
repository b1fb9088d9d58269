//go:build !linux

package resources

// resident returns false: inev does not read the resident memory on this system.
func resident() (size int64, ok bool) { return 0, false }
