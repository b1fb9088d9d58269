//go:build !unix

package main

import "os"

// peakOf returns 0: on this system the peak is unknown.
func peakOf(*os.ProcessState) int64 { return 0 }
