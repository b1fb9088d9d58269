//go:build race

package main

// raced reports whether the race detector is on, which takes several times the memory.
const raced = true
