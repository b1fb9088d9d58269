package main

import "github.com/inev-lts/inev/cmd/wording"

// compiledFolder returns where the compiled Graphviz is kept.
func compiledFolder() string { return wording.CompiledFolder() }
