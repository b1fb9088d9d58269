//go:build !unix

package inputfile_test

import "testing"

// irregular returns paths of what is no regular file.
func irregular(t *testing.T) []string { return []string{t.TempDir()} }
