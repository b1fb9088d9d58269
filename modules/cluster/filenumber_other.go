//go:build !unix

package cluster

// fileNumber finds no number on this system.
func fileNumber(string) (number string, known bool) { return "", false }
