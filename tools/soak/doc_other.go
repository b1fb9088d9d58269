//go:build !linux

// Command soak runs random commands for a long time; it needs Linux, since it looks at
// the memory and the processes that commands take.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "soak: needs Linux")
	os.Exit(2)
}
