//go:build !unix

package inputfile

// nonblock is nothing on systems where opening a file does not wait.
const nonblock = 0
