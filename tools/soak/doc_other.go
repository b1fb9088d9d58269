//go:build !linux

// Command soak runs random commands for a long time; it needs Linux, since it reads the memory and
// the processes of commands.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "soak: needs Linux")
	os.Exit(2)
}
