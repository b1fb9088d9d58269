//go:build !unix

package cluster

// fileNumber would identify a file on this machine; here no number is known.
func fileNumber(string) (number string, known bool) { return "", false }
