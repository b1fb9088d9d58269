//go:build !unix

package cluster

// fileNumber returns what identifies a file on this machine, which is not known here.
func fileNumber(string) (number string, known bool) { return "", false }
